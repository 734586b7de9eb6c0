#!/usr/bin/env python3
"""Step 2: fetch all memories of a project into a new run folder."""

from mem0_dream.cli import process


def main(argv: list[str]) -> int:
    from mem0_dream.cli import fetch, options, session
    from mem0_dream.runs import snapshot

    parser = options.parser(__doc__ + " Prints the folder that the next steps take as --run.")
    options.add_scope(parser)
    parser.add_argument("--auto", action="store_true", help="for an unattended run: nobody will be asked")
    parser.add_argument("--out", metavar="FILE|-", help="write only the snapshot, here, and make no run folder")
    parser.add_argument(
        "--whoami", action="store_true", help="print user, project, branch and store, and their sources"
    )
    args = parser.parse_args(argv)

    with session.start(args) as place:
        if args.whoami:
            print(session.whoami(place))
            return 0
        if args.out:
            found, notes = place.fetch("auto" if args.auto else "asked")
            process.tell(place.first_line(len(found.memories)), *notes)
            snapshot.write_snapshot(args.out, found)
            return 0
        fetched = fetch.unattended(place) if args.auto else fetch.asked(place)
        process.tell(*fetched.told)
        print(fetched.text)
        return fetched.code


if __name__ == "__main__":
    process.run(main)
