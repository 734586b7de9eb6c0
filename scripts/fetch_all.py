#!/usr/bin/env python3
"""Step 2: fetch all memories of a project into a new run folder."""

import sys

from mem0_dream import command, environment


def main(argv):
    from mem0_dream import options, policies, report

    parser = options.parser(__doc__ + " Prints the folder that the next steps take as --run.")
    options.add_scope(parser)
    parser.add_argument("--auto", action="store_true", help="for an unattended run: nobody will be asked")
    parser.add_argument("--out", metavar="FILE|-", help="write only the snapshot, here, and make no run folder")
    parser.add_argument(
        "--whoami", action="store_true", help="print user, project, branch and store, and where each came from"
    )
    args = parser.parse_args(argv)
    environment.ensure()

    from mem0_dream import session as sessions
    from mem0_dream import snapshot as snapshots

    session = sessions.start(args)
    if args.whoami:
        print(sessions.whoami(session))
        return 0
    snapshot = session.fetch("auto" if args.auto else "asked")
    command.tell(session.first_line(len(snapshot.memories)), *snapshot.notes)
    if args.out:
        snapshots.write_snapshot(args.out, snapshot)
        return 0
    found = session.policies()
    command.tell(*found.notes, *policies.unmatched(found, {memory.type for memory in snapshot.memories}))
    if not snapshot.memories:
        print(report.no_memories(session.identity.project))
        command.tell(session.elsewhere())
        return 0
    run = session.keep(snapshot, found)
    print(f"Run: {run.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(command.run(main))
