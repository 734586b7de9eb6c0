#!/usr/bin/env python3
"""Step 4: take answers, show the report, apply it, undo it."""

import os
import sys
from argparse import Namespace

from mem0_dream.cli import process


def main(argv: list[str]) -> int:
    args = arguments(argv)
    if args.history or args.kept or args.forget is not None or args.erase is not None:
        return on_records(args)
    if args.undo is not None or args.resume:
        return on_journals(args)
    return on_a_run(args)


def arguments(argv: list[str]) -> Namespace:
    from mem0_dream.cli import options

    parser = options.parser(__doc__)
    options.add_run(parser)
    options.add_scope(parser)
    act = parser.add_mutually_exclusive_group(required=True)
    act.add_argument(
        "--decide", metavar="JSON", help='answers: {"M1": true, "M2": "merged text", "C1": "A", "P1": "keep"}'
    )
    act.add_argument("--report", action="store_true", help="print what would be applied, for a person to agree to")
    act.add_argument("--apply", action="store_true", help="apply what the report showed")
    act.add_argument(
        "--auto", action="store_true", help="apply the safe part of a run fetched with --auto, queue the rest"
    )
    act.add_argument("--undo", nargs="?", const="", metavar="RUN", help="take an applied run back (else the newest)")
    act.add_argument("--resume", action="store_true", help="finish what an interrupted run began")
    act.add_argument("--history", action="store_true", help="list the runs, and what --undo would restore")
    act.add_argument("--kept", action="store_true", help="list what was decided to be left alone")
    act.add_argument("--forget", metavar="N|all", help="ask again about entry N of --kept, or about all of them")
    act.add_argument("--erase", metavar="RUN|ID", help="delete a run's record, or one memory from all records")
    parser.add_argument("--verbose", action="store_true", help="the long form of the report")
    parser.add_argument("--page", metavar="N", type=int, help="with --report: which page of a long one")
    parser.add_argument(
        "--only", metavar="M1,P2", type=options.handles, default=[], help="only these, with --apply or --undo"
    )
    parser.add_argument("--json", action="store_true", help="the history for programs")
    parser.add_argument("--yes", action="store_true", help="with --erase: do not ask")
    return parser.parse_args(argv)


def on_a_run(args: Namespace) -> int:
    """Answers, report, apply."""
    from mem0_dream.cli import actions, session
    from mem0_dream.review import answers, consent
    from mem0_dream.views.terminal import Terminal

    run = session.run_of(args)
    plan = actions.plan_of(run)
    if args.decide is not None:
        process.tell(session.line_of(plan.store, plan.scope, plan.total))
        given = answers.parse(args.decide)
        decisions = actions.decide(run, plan, given)
        print(actions.taken(plan, decisions, given))
        process.tell(*actions.waiting(decisions))
        return 0
    decisions = actions.decided(run, plan, actions.answers_of(run))
    if args.report:
        process.tell(session.line_of(plan.store, plan.scope, plan.total), *actions.waiting(decisions))
        number = args.page or (0 if sys.stdout.isatty() else 1)
        Terminal().say(actions.show(run, decisions, args.verbose, number))
        return 0
    with session.of_run(plan.store, plan.scope, args) as place:
        process.tell(place.first_line(plan.total))
        if args.auto:
            from mem0_dream.cli import unattended

            outcome = unattended.by_agent(place, run, decisions, None)
            print("\n".join([*outcome.lines, outcome.last]))
            return outcome.code
        process.tell(actions.stopped(place.folder))
        consent.require(run, decisions, os.environ)
        text, whole = actions.carry(place, run, decisions, args.only)
        print(text)
        return 0 if whole else 1


def on_journals(args: Namespace) -> int:
    """Undo and resume: the journal says which store."""
    from mem0_dream.cli import actions, session

    folder = session.folder_of(args)
    if args.resume:
        runs = actions.interrupted(folder)
        if not runs:
            print("No run of this project was interrupted; there is nothing to resume.")
            return 0
    else:
        runs = [session.run_of(args) if args.run and not args.undo else actions.applied_run(folder, args.undo)]
    with session.of_run(*actions.store_of(runs[0]), args) as place:
        process.tell(place.first_line(len(place.fetch("asked")[0].memories)))
        text, whole = actions.finish(place) if args.resume else actions.take_back(place, runs[0], args.only)
        print(text)
        return 0 if whole else 1


def on_records(args: Namespace) -> int:
    """What concerns the records of a scope, and no store."""
    from mem0_dream.cli import actions, session
    from mem0_dream.runs import erase

    folder = session.folder_of(args)
    if args.history:
        print(actions.history_text(folder, args.json))
    elif args.kept:
        print(actions.kept_text(folder))
    elif args.forget is not None:
        print(actions.forget(folder, args.forget))
    else:
        if not args.yes and input("This cannot be taken back. Erase? [y/N] ").strip().lower() not in ("y", "yes"):
            print("Cancelled. No changes made.")
            return 0
        print(erase.erase(folder, args.erase))
    return 0


if __name__ == "__main__":
    process.run(main)
