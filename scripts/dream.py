#!/usr/bin/env python3
"""mem0 dream in one command: ask and apply in a terminal, --dry-run to look, --auto for cron, --undo to take back."""

import sys
from argparse import Namespace
from pathlib import Path

from mem0_dream.cli import process


def main(argv: list[str]) -> int:
    args = arguments(argv)
    act = {
        "setup": set_up,
        "demo": demonstrate,
        "schedule": schedule,
        "undo": earlier_runs,
        "resume": earlier_runs,
        "history": on_records,
        "kept": on_records,
        "forget": on_records,
        "whoami": who_am_i,
        "explain": explain,
        "auto": unattended,
    }
    if args.review and args.act != "demo":
        return review(args)
    return act.get(args.act, ask)(args)


def arguments(argv: list[str]) -> Namespace:
    from mem0_dream.cli import options

    parser = options.parser(__doc__)
    options.add_scope(parser)
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--dry-run", action="store_true", help="print the report and change nothing")
    act.add_argument("--check", action="store_true", help="change nothing; exit code 3 if anything waits for an answer")
    act.add_argument("--auto", action="store_true", help="unattended: apply what is provably safe, queue the rest")
    options.add_earlier_runs(act)
    act.add_argument("--explain", nargs=2, metavar=("A", "B"), help="say what two memories (ids) are, and why")
    act.add_argument("--whoami", action="store_true", help="print user, project, branch and store, and their sources")
    act.add_argument("--setup", action="store_true", help="build the plugin's own Python and check the store")
    act.add_argument("--demo", action="store_true", help="play a whole pass on a real mem0 store of its own")
    act.add_argument(
        "--schedule", choices=["daily", "weekly", "monthly", "off"], help="print the entry for this system"
    )
    parser.add_argument("--verbose", action="store_true", help="the long form of the report")
    parser.add_argument("--limit", metavar="N", type=options.count, help="ask at most so many questions")
    parser.add_argument("--type", metavar="T", type=options.filled, help="only memories of this metadata.type")
    parser.add_argument("--only", metavar="M1,P2", type=options.handles, help="with --undo: only these")
    parser.add_argument("--json", action="store_true", help="with --history: for programs")
    parser.add_argument(
        "--max-removed", metavar="25%", type=options.percent, help="with --auto: the most that may go in seven days"
    )
    parser.add_argument("--review", action="store_true", help="answer and apply on a page in the browser")
    parser.add_argument("--no-browser", action="store_true", help="with --review: print the address, open nothing")
    parser.add_argument("--html", metavar="FILE", type=options.output, help="also write the run as a page to pass on")
    parser.add_argument(
        "--check-recall", action="store_true", help="search before and after, and say what is found no more"
    )
    parser.add_argument("--projects", metavar="FILE", type=options.path, help="with --auto: a project folder a line")
    args = parser.parse_args(argv)
    args.act = options.mode(args, *ACTS, *options.EARLIER_RUNS)
    options.refuse_idle(args, args.act, USED)
    return args


ACTS = ("dry_run", "check", "auto", "explain", "whoami", "setup", "demo", "schedule")
# The options that say how, and the acts with which they do anything; "" is the pass in a terminal.
USED = {
    "verbose": ("", "dry_run", "auto"),
    "limit": ("",),
    "type": ("", "dry_run", "check"),
    "review": ("", "demo", "history"),
    "no_browser": ("", "demo", "history"),
    "only": ("undo",),
    "json": ("history",),
    "max_removed": ("auto",),
    "html": ("", "dry_run"),
    "check_recall": ("",),
    "projects": ("auto",),
}


def ask(args: Namespace) -> int:
    """The whole pass with a person: report, questions, apply; or only the report."""
    from mem0_dream import progress
    from mem0_dream.cli import apply, interactive, options, session
    from mem0_dream.config import python_env
    from mem0_dream.runs import documents
    from mem0_dream.views import html_page
    from mem0_dream.views.terminal import Terminal

    if sys.stdout.isatty():
        python_env.prefer()
    progress.listen(Terminal(sys.stderr).stage)
    with session.start(options.target(args)) as opened:
        if args.act == "check":
            done = interactive.check(opened, options.today(), process.tell, args.type)
            print(done.text)
            return done.code
        begun = interactive.begin(opened, options.today(), process.tell, args.type)
        if isinstance(begun, str):
            print(begun)
            return 0
        if args.html:
            python_env.ensure()  # for the templates, which a file store would not need
            page = html_page.snapshot_page(begun.decisions(), begun.memories, options.today())
            documents.write_text(Path(args.html), page)
            process.tell(f"The run as a page: {args.html}")
        if args.dry_run:
            decisions = begun.decisions()
            Terminal().say(apply.show(begun.run, decisions, args.verbose))
            process.tell(*apply.waiting(decisions), f"Nothing was changed. Run: {begun.run.folder}")
            return 0
        done = interactive.ask(opened, begun, Terminal(), args.check_recall, args.limit, args.verbose)
        print(done.text)
        process.tell(done.note)
        return done.code


def unattended(args: Namespace) -> int:
    """One project after the other; one summary line each, the exit code of the worst."""
    from mem0_dream.cli import options, unattended

    worst = 0
    for target in options.targets(args):
        outcome = unattended.of_project(target, args.max_removed, process.tell, args.verbose)
        print("\n".join([*outcome.lines, outcome.last]), flush=True)
        worst = unattended.worse(worst, outcome.code)
    return worst


def earlier_runs(args: Namespace) -> int:
    """Undo and resume, the same as apply_plan.py does it."""
    from mem0_dream.cli import apply, options

    done = apply.undo_or_resume(None, options.target(args), args.undo, args.only or ())
    print(done.text)
    return done.code


def on_records(args: Namespace) -> int:
    """What concerns the records of a scope, and no store."""
    from mem0_dream.cli import options, records, session

    folder = session.folder_of(None, options.target(args))
    if args.history:
        print(records.history_text(folder, args.json))
    else:
        print(records.dismissed_text(folder) if args.kept else records.forget(folder, args.forget))
    return 0


def who_am_i(args: Namespace) -> int:
    """Whose memories, in which store, and how that was found."""
    from mem0_dream.cli import options, session

    with session.start(options.target(args)) as opened:
        print(session.whoami(opened))
    return 0


def explain(args: Namespace) -> int:
    """What two memories are to each other, as they are now."""
    from mem0_dream.cli import find, options, pipeline, session

    with session.start(options.target(args)) as opened:
        fetched = pipeline.fetch(opened, "asked")
        process.tell(fetched.notes[0])
        print(find.explain(fetched.snapshot, args.explain[0], args.explain[1], options.today()))
    return 0


def set_up(args: Namespace) -> int:
    """Build the plugin's own Python ahead of time, and see whether the store answers."""
    from mem0_dream.cli import options, session
    from mem0_dream.config import python_env

    python_env.ensure()
    with session.start(options.target(args)) as opened:
        found, notes = opened.fetch("asked")
        process.tell(opened.first_line(len(found.memories)), *notes, session.two_plugins())
        opened.store.search("what is known", opened.identity.scope, 1)  # a local store needs its embedder to answer
    print("Ready.")
    return 0


def review(args: Namespace) -> int:
    """The pass with a person, on a page; with --history the earlier runs alone."""
    from mem0_dream.cli import interactive, options, review, session
    from mem0_dream.config import python_env

    python_env.ensure()
    with session.start(options.target(args)) as opened:
        current = None if args.history else interactive.begin(opened, options.today(), process.tell, args.type)
        if isinstance(current, str):
            print(current)
            return 0
        review.serve(opened, current, options.today(), not args.no_browser, process.tell)
    return 0


def demonstrate(args: Namespace) -> int:
    """A whole pass on a store made for it, and its undo; with --review by the reader's own clicks."""
    from mem0_dream.config import python_env

    python_env.ensure()
    from mem0_dream import progress
    from mem0_dream.cli import demo
    from mem0_dream.views.terminal import Terminal

    progress.listen(Terminal(sys.stderr).stage)
    if args.review:
        demo.review(not args.no_browser, process.tell)
        return 0
    return 0 if demo.play(Terminal(), process.tell) else 1


def schedule(args: Namespace) -> int:
    """The entry for this system's scheduler, to install by hand."""
    from mem0_dream.cli import options, schedule, session

    with session.start(options.target(args)) as opened:
        print(schedule.entry(args.schedule, opened))
    return 0


if __name__ == "__main__":
    process.run(main)
