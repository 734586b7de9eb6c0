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
    options.add_earlier_runs(act)
    act.add_argument(
        "--erase", metavar="RUN|ID", type=options.filled, help="delete a run's record, or one memory from all records"
    )
    parser.add_argument("--verbose", action="store_true", help="the long form of the report")
    parser.add_argument("--page", metavar="N", type=options.count, help="with --report: which page of a long one")
    parser.add_argument("--only", metavar="M1,P2", type=options.handles, help="only these, with --apply or --undo")
    parser.add_argument("--json", action="store_true", help="the history for programs")
    parser.add_argument("--yes", action="store_true", help="with --erase: do not ask")
    args = parser.parse_args(argv)
    given = options.mode(
        args, "decide", "report", "apply", "auto", "undo", "resume", "history", "kept", "forget", "erase"
    )
    options.refuse_idle(args, given, USED)
    return args


ACTS = ("decide", "report", "apply", "auto", "erase")
# The options that say how, and the acts with which they do anything.
USED = {
    "verbose": ("report",),
    "page": ("report",),
    "only": ("apply", "undo"),
    "json": ("history",),
    "yes": ("erase",),
}


def on_a_run(args: Namespace) -> int:
    """Answers, report, apply."""
    from mem0_dream.cli import apply, options, pipeline, session, unattended
    from mem0_dream.review import consent, verdicts
    from mem0_dream.views.terminal import Terminal

    target = options.target(args)
    current = pipeline.reopen(session.run_of(args.run, target))
    plan = current.plan
    if args.decide is not None:
        process.tell(session.line_of(plan.store, plan.scope, plan.total))
        given = verdicts.parse(args.decide)
        decisions = current.decide(given)
        print(apply.answered(plan, decisions, given))
        process.tell(*apply.waiting(decisions))
        return 0
    decisions = current.decisions()
    if args.report:
        process.tell(session.line_of(plan.store, plan.scope, plan.total), *apply.waiting(decisions))
        number = args.page or (0 if sys.stdout.isatty() else 1)
        Terminal().say(apply.show(current.run, decisions, args.verbose, number))
        return 0
    with session.of_run(plan.store, plan.scope, target) as opened:
        process.tell(f"{opened.first_line(plan.total)} when fetched")
        if args.auto:
            outcome = unattended.by_agent(opened, current, decisions, None)
            print("\n".join([*outcome.lines, outcome.last]))
            return outcome.code
        process.tell(*pipeline.interrupted(opened.folder))
        consent.require(current.run, decisions, os.environ)
        text, whole = apply.apply(opened, current, decisions, args.only or ())
        print(text)
        return 0 if whole else 1


def on_journals(args: Namespace) -> int:
    """Undo and resume: the journal says which store."""
    from mem0_dream.cli import apply, options

    done = apply.undo_or_resume(args.run, options.target(args), args.undo, args.only or ())
    print(done.text)
    return done.code


def on_records(args: Namespace) -> int:
    """What concerns the records of a scope, and no store."""
    from mem0_dream.cli import options, records, session
    from mem0_dream.runs.erase import erase
    from mem0_dream.views import prompts
    from mem0_dream.views.terminal import Terminal

    folder = session.folder_of(args.run, options.target(args))
    if args.history:
        print(records.history_text(folder, args.json))
    elif args.kept:
        print(records.dismissed_text(folder))
    elif args.forget is not None:
        print(records.forget(folder, args.forget))
    elif args.yes or prompts.sure(Terminal(), "This cannot be taken back. Erase? [y/N] "):
        print(erase(folder, args.erase))
    else:
        print("Cancelled. No changes made.")
    return 0


if __name__ == "__main__":
    process.run(main)
