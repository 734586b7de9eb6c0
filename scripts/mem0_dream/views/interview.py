"""The questions of a pass, put to a person in a terminal one by one, and the last yes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from ..errors import UsageError
from ..memory import Memory
from ..planning.decisions import (
    ConflictDecision,
    Decision,
    Decisions,
    MergeDecision,
    NearMissDecision,
    PruneDecision,
    UpdateDecision,
)
from ..planning.plan import Plan
from ..review import verdicts
from ..review.answers import decide
from ..safe_text import shown
from . import report, wording
from .prompts import NO, YES, Cancelled, Console, reply

SECONDS_A_QUESTION = 15
_WORDS = {"s": "skip", "": "skip"}
_GROUP = 3  # so many questions of one form are asked together


class Back(Exception):
    """The person wants to answer the question before this one again."""


class Interview:
    """A plan, the answers to it so far, and a person at a console. `save` is called after every answer."""

    def __init__(
        self,
        plan: Plan,
        answers: dict[str, Any],
        memories: Sequence[Memory],
        console: Console,
        save: Callable[[Decisions], None],
    ) -> None:
        self.plan, self.answers, self.memories, self.console, self.save = plan, answers, memories, console, save
        self.decisions = decide(plan, answers, memories)

    def hold(self, most: int, verbose: bool = False) -> Decisions:
        """Show the report, ask at most `most` questions and the last yes. Raises Cancelled if the person says no."""
        self.console.say((report.long if verbose else report.body)(self.decisions).removesuffix(f"\n{report.APPLY}"))
        before = dict(self.answers)
        try:
            self._ask(most)
            self._near_misses()
            if self.decisions.changes():
                self._confirm()
        except EOFError:  # nobody was there to decide
            raise Cancelled(3) from None
        except KeyboardInterrupt:
            raise Cancelled(answered=self._answered(before)) from None
        except Cancelled as cancelled:
            cancelled.answered = self._answered(before)
            raise
        return self.decisions

    def _answered(self, before: dict[str, Any]) -> int:
        return sum(before.get(handle) != answer for handle, answer in self.answers.items())

    def _ask(self, most: int) -> None:
        """One question after the other, the most useful first; "b" goes back to the one before."""
        count = sum(1 for _ in self._open())
        if count:
            self.console.say(f"\n{outlook(count, most)}")
        past: list[tuple[str, dict[str, Any]]] = []
        while len(past) < most and (handle := self._next({handle for handle, _ in past})):
            before = dict(self.answers)
            total = min(most, len(past) + sum(item.handle not in dict(past) for item in self._open()))
            try:
                self._ask_one(handle, f"\n{len(past) + 1} of {total} · {handle}")
            except Back:
                if past:
                    before = past.pop()[1]
                self._restore(before)
                continue
            past.append((handle, before))

    def _next(self, asked: set[str]) -> str:
        return next((item.handle for item in self._open() if item.handle not in asked), "")

    def _open(self) -> Iterator[Decision]:
        """What waits for an answer; an answer to one contradiction may have decided another."""
        rank = {handle: number for number, handle in enumerate(self.plan.order)}
        kinds = (ConflictDecision, MergeDecision, UpdateDecision, PruneDecision)
        found = [item for kind in kinds for item in self.decisions.items if isinstance(item, kind) and _waits(item)]
        yield from sorted(found, key=lambda item: rank.get(item.handle, len(rank)))

    def _item(self, handle: str) -> Decision:
        return next(item for item in self.decisions.items if item.handle == handle)

    def _ask_one(self, handle: str, title: str) -> None:
        """Until it is answered or passed over: a merge may become a contradiction, and a text may drop something."""
        while True:
            item = self._item(handle)
            answer = self._question(item, title)
            if answer is None or not self._take({handle: answer}):
                if answer is None:
                    return
                continue
            if answer == "skip" or not _waits(self._item(handle)):
                return
            title = f"\n{handle}"

    def _question(self, item: Decision, title: str) -> Any:
        if isinstance(item, ConflictDecision):
            return self._conflict(item, title)
        if isinstance(item, (MergeDecision, NearMissDecision)):
            return self._merge(item, title)
        about = item.update.why if isinstance(item, UpdateDecision) else item.prune.why
        id = item.update.id if isinstance(item, UpdateDecision) else item.prune.id
        self.console.say(f'{title} — {shown(about)}\n  "{shown(self.plan.memory(id).text)}"')
        if isinstance(item, UpdateDecision):
            self.console.say(f'→ "{shown(item.update.text)}"')
        prompt = "Change it to this text? [y/N] " if isinstance(item, UpdateDecision) else "Remove it? [y/N] "
        return _yes_or_keep(self._reply(prompt, (*YES, *NO, ""), "y, n (never asked again), Enter (asked again)"))

    def _conflict(self, item: ConflictDecision, title: str) -> str:
        versions, also = item.versions(), item.conflict.also
        self.console.say(f'{title} — "{wording.topic(self.decisions, item)}"')
        if len(versions) == 2:
            self.console.pair(*wording.sides(self.decisions, item))
        else:
            for letter, id in versions.items():
                memory = self.plan.memory(id)
                self.console.say(f'{letter}: "{shown(memory.text)}" ({wording.dated(memory)})')
        for a, b in also:
            self.console.say(f'also: "{shown(self.plan.memory(a).text, 60)}" / "{shown(self.plan.memory(b).text, 60)}"')
        open_words = [*versions, "both", *([] if also else ["same"]), "skip"]
        known = {**{word.lower(): word for word in open_words}, **_WORDS}
        help = f"{', '.join(versions)}, both (both are true), same (one fact, merge them), skip"
        return known[self._reply(f"Which is current? [{'/'.join(open_words)}] ", known, help)]

    def _merge(self, item: MergeDecision | NearMissDecision, title: str) -> Any:
        ids = item.ids if isinstance(item, MergeDecision) else item.miss.ids
        why = item.why if isinstance(item, MergeDecision) else item.miss.why
        texts = [self.plan.memory(id).text for id in ids]
        draft = item.text if isinstance(item, MergeDecision) else texts[-1]
        self.console.say(f"{title} — {shown(why)}")
        if isinstance(item, MergeDecision):
            self.console.say(report.texts(self.decisions, item))
            for verb, details in (("drops", [*item.loses, *item.words]), ("adds", item.brings)):
                if details:
                    self.console.say(f"  It {verb} {wording.quoted(details)}.")
        else:
            self.console.say("\n".join(f'  - "{shown(text)}"' for text in texts))
        prompt = "Merge into this text?" if isinstance(item, MergeDecision) else "Are they one fact?"
        help = "y, n (they stay, never asked again), Enter (asked again), edit, conflict (only one can be true)"
        said = self._reply(f"{prompt} [y/N/edit/conflict] ", (*YES, *NO, "", "edit", "e", "conflict", "c"), help)
        if said in ("edit", "e"):
            return self.console.edit(draft).strip() or None
        if said in ("conflict", "c"):
            return "conflict"
        if said in YES and isinstance(item, NearMissDecision):
            return "same"
        return _yes_or_keep(said)

    def _near_misses(self) -> None:
        """What looked alike and is left alone: shown only if the person wants to see it."""
        misses = [m for m in self.decisions.near_misses if m.handle and m.state == "open"]
        if not misses:
            return
        pairs = report.counted(len(misses), "pair")
        prompt = f"\n{pairs} that look alike are left alone. Look through them? [y/N] "
        if reply(self.console, prompt, (*YES, *NO, ""), "y, n, or q to leave") not in YES:
            return
        past = 0
        for why, group in groupby(sorted(misses, key=lambda m: m.miss.why), key=lambda m: m.miss.why):
            one_by_one = [*group]
            with suppress(Back):
                if len(one_by_one) >= _GROUP and self._keep_all(why, one_by_one):
                    past += len(one_by_one)
                    continue
            for miss in one_by_one:
                past += 1
                with suppress(Back):
                    self._ask_one(miss.handle, f"\n{past} of {len(misses)} · {miss.handle}")

    def _keep_all(self, why: str, group: Sequence[NearMissDecision]) -> bool:
        """Whether questions of one form were answered together: all of them stay as they are."""
        rows = (" / ".join(f'"{shown(self.plan.memory(id).text, 60)}"' for id in miss.miss.ids) for miss in group)
        self.console.say("\n".join([f"\n{len(group)} pairs of one form — {shown(why)}", *(f"  {row}" for row in rows)]))
        said = self._reply(
            "Keep them all? [Y/n/one by one] ", (*YES, *NO, "", "one by one", "one"), "y, n or one by one"
        )
        if said in YES or (said == "" and self.console.attended):
            self._take({miss.handle: "keep" for miss in group})
            return True
        return said in NO

    def _confirm(self) -> None:
        self.console.say("")
        prompt = f"{report.closing(self.decisions)} "
        yes = (*YES, "") if self.console.attended else YES  # an empty line in a pipe is nobody's yes
        while True:
            said = reply(self.console, prompt, (*yes, *NO, "details"), "y, n, details, or q to leave")
            if said in NO:
                raise Cancelled
            if said != "details":
                return
            self.console.say(report.long(self.decisions).removesuffix(f"\n{report.APPLY}"))
            prompt = f"{report.APPLY} "

    def _take(self, given: dict[str, Any]) -> bool:
        """Whether these answers can be taken; if not, it is said why."""
        answers = verdicts.combine(self.answers, given)
        try:
            self.decisions = decide(self.plan, answers, self.memories)
        except UsageError as error:  # it cannot go with an earlier answer
            self.console.say(str(error))
            return False
        self.answers.update(answers)
        self.save(self.decisions)
        return True

    def _restore(self, answers: dict[str, Any]) -> None:
        self.answers.clear()
        self.answers.update(answers)
        self.decisions = decide(self.plan, self.answers, self.memories)
        self.save(self.decisions)

    def _reply(self, prompt: str, known: Any, help: str) -> str:
        back = "back" if "b" in known else "b"  # of two versions B is one
        said = reply(self.console, prompt, [*known, "b", "back"], f"{help}, {back} (one question back), or q to leave")
        if said in ("b", "back") and said not in known:
            raise Back
        return said


def outlook(count: int, most: int) -> str:
    """How many questions there are, how long they take, and how many wait."""
    now = min(count, most)
    minutes = max(1, round(now * SECONDS_A_QUESTION / 60))
    waits = f"; {count - now} more wait for the next pass" if count > now else ""
    return f"{report.counted(now, 'question')}, about {report.counted(minutes, 'minute')}{waits}."


def _waits(item: Decision) -> bool:
    return item.state == "open" or (isinstance(item, MergeDecision) and item.state == "held")


def _yes_or_keep(said: str) -> Any:
    """True, "keep", or nothing for an empty line: then it is asked again in the next pass."""
    return True if said in YES else "keep" if said in NO else None
