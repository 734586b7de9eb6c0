#!/usr/bin/env python3
"""Step 3: find duplicates, contradictions and stale memories, and print the questions somebody must answer."""

from pathlib import Path

from mem0_dream.cli import process


def main(argv: list[str]) -> int:
    from mem0_dream.cli import find, options, session
    from mem0_dream.errors import UsageError
    from mem0_dream.runs import documents

    parser = options.parser(__doc__)
    parser.add_argument("snapshot", nargs="?", metavar="SNAPSHOT|-", help="a bare snapshot; then nothing else is read")
    options.add_run(parser)
    options.add_scope(parser)
    parser.add_argument("--policies", metavar="FILE", type=options.filled, help="a policies document (else the run's)")
    parser.add_argument("--today", metavar="DATE", type=options.day, default=options.today(),
                        help="the day that ages are counted to, YYYY-MM-DD (else today, UTC)")  # fmt: skip
    parser.add_argument("--page", metavar="N", type=int, default=1, help="which page of the questions")
    parser.add_argument(
        "--list", action="store_true", help="print every memory on one numbered line, similar ones together"
    )
    parser.add_argument(
        "--explain", nargs=2, metavar=("#1", "#2"), help="say what two memories (numbers or ids) are, and why"
    )
    parser.add_argument(
        "--semantic",
        action="store_true",
        help="ask also about what the store's vectors alone hold to be alike",
    )
    parser.add_argument(
        "--out",
        metavar="FILE|-",
        type=options.output,
        help='write the plan here, too ("-": only the plan, to standard output)',
    )
    args = parser.parse_args(argv)
    options.refuse_idle(args, options.mode(args, "explain", "list"), {"semantic": ("",), "out": ("",)})

    target = options.target(args)
    if args.snapshot and args.run:
        raise UsageError("Name a run folder or a snapshot, not both.")
    if args.snapshot:
        given = find.bare(args.snapshot, args.policies)
    else:
        given = find.of_run(session.run_of(args.run, target), args.policies, target.cwd or Path.cwd())
    process.tell(given.first_line, *given.notes)
    if args.explain:
        one, other = args.explain
        print(find.explain(given.snapshot, one, other, args.today))
        return 0
    if args.list:
        print(find.listed(given))
        return 0
    plan = find.planned(given, args.today, target if args.semantic else None)
    process.tell(*plan.notes)
    if args.out == "-":
        print(documents.dump("plan", plan.to_document()), end="")
        return 0
    if args.out:
        documents.write(Path(args.out), "plan", plan.to_document())
    print(find.page(plan, args.page, given.queue), end="")
    return 0


if __name__ == "__main__":
    process.run(main)
