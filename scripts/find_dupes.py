#!/usr/bin/env python3
"""Step 3: find duplicates, contradictions and stale memories, and print the questions somebody must answer."""

import sys
from datetime import datetime, timezone
from pathlib import Path

from mem0_dream import command


def main(argv):
    from mem0_dream import finding, options

    parser = options.parser(__doc__)
    parser.add_argument("snapshot", nargs="?", metavar="SNAPSHOT|-", help="a bare snapshot; reads nothing else")
    parser.add_argument("--run", metavar="DIR", type=Path, help="a run folder (else the newest open run)")
    options.add_scope(parser)
    parser.add_argument("--policies", metavar="FILE", type=Path, help="a policies document")
    parser.add_argument("--today", metavar="DATE", type=command.date, default=datetime.now(timezone.utc).date(),
                        help="the day that ages are counted to, YYYY-MM-DD (else today, UTC)")  # fmt: skip
    parser.add_argument("--page", metavar="N", type=int, default=1, help="which page of the questions")
    parser.add_argument("--list", action="store_true", help="print every memory on one numbered line, similar ones together")
    parser.add_argument("--explain", nargs=2, metavar=("#1", "#2"), help="say what two memories (numbers or ids) are, and why")
    parser.add_argument("--semantic", action="store_true", help="also compare near neighbours from the store's own search")
    parser.add_argument("--out", metavar="FILE|-", help='write the plan here ("-": only the plan, to standard output)')
    args = parser.parse_args(argv)

    given = finding.gather(args)
    command.tell(given.first_line, *given.notes)
    if args.explain:
        print(finding.explain(given, *args.explain))
    elif args.list:
        print(finding.listed(given))
    else:
        plan = finding.planned(given, args)
        if args.out != "-":
            print(finding.page(given, plan, args.page), end="")
    return 0


if __name__ == "__main__":
    sys.exit(command.run(main))
