#!/usr/bin/env python3
"""Step 2: fetch all memories of a project into a new run folder."""

from mem0_dream.cli import process


def main(argv: list[str]) -> int:
    from mem0_dream.cli import fetch, options, session
    from mem0_dream.runs import snapshot

    parser = options.parser(__doc__ + " Prints the folder that the next steps take as --run.")
    options.add_scope(parser)
    parser.add_argument("--auto", action="store_true", help="for an unattended run: nobody will be asked")
    parser.add_argument(
        "--out", metavar="FILE|-", type=options.output, help="write only the snapshot, here, and make no run folder"
    )
    parser.add_argument(
        "--whoami", action="store_true", help="print user, project, branch and store, and their sources"
    )
    args = parser.parse_args(argv)

    with session.start(options.target(args)) as opened:
        if args.whoami:
            print(session.whoami(opened))
            return 0
        if args.out:
            found, notes = opened.fetch("auto" if args.auto else "asked")
            process.tell(opened.first_line(len(found.memories)), *notes)
            snapshot.write_snapshot(args.out, found)
            return 0
        step = fetch.unattended(opened) if args.auto else fetch.asked(opened)
        process.tell(*step.notes)
        print(step.text)
        return step.code


if __name__ == "__main__":
    process.run(main)
