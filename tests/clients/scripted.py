"""Models that do what SKILL.md says, to the letter: their commands are read from the text that the client sent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator
from typing import Any

from .standin import Acts, Call, Script, Turn

Judge = Callable[[str], dict[str, Any]]
Step = Generator["str | Call", Turn, str]


class Skill:
    """The skill as it reached the model; `scope` are the store's arguments that the user gave."""

    def __init__(self, turn: Turn, scope: str) -> None:
        self.text = turn.text
        self.scope = f" {scope}" if scope else ""
        self.run = ""
        self.id = ""  # of the run to take back
        self.in_codex = "exec_command" in turn.tools
        if told := re.search(r"<path>(/[^<]*)/skills/dream/SKILL\.md</path>", turn.text):
            # Codex fills nothing in, but names the file: the skill says to take the folder two above.
            self.text = self.text.replace("${CLAUDE_PLUGIN_ROOT}", told.group(1))

    def step(self, heading: str, script: str, option: str = "", answers: dict[str, Any] | None = None) -> Step:
        """Run the command under a heading that names the script and the option, filled in as the skill says."""
        section = re.search(rf"^## {re.escape(heading)}.*?(?=^## |\Z)", self.text, re.MULTILINE | re.DOTALL)
        assert section, f"no heading {heading} in the skill that arrived"
        fences = re.findall(r"^```bash\n(.*?)^```", section.group(), re.MULTILINE | re.DOTALL)
        lines = [line for fence in fences for line in fence.splitlines()]
        command = next(line for line in lines if f"/scripts/{script}" in line and option in line)
        command = (
            command.replace(" SCOPE", self.scope).replace('"RUN"', f'"{self.run}"').replace('"ID"', f'"{self.id}"')
        )
        if answers is not None:
            quoted = json.dumps(answers, ensure_ascii=False).replace("'", "'\\''")
            before, _, after = command.partition("--decide '")
            rest = after.partition("'")[2]
            command = f"{before}--decide '{quoted}'{rest}"
        return (yield from self.shell(command))

    def shell(self, command: str) -> Step:
        if self.in_codex:
            turn = yield Call("exec_command", {"cmd": command})
        else:
            turn = yield Call("Bash", {"command": command, "description": "mem0 dream"})
        if found := re.search(r"^Run: (.+?)\s*$", turn.result, re.MULTILINE):
            self.run = found.group(1)
        return turn.result

    def ask(self, question: str, header: str, *options: str) -> Step:
        """Put a question to the person; "" where the client has no such tool."""
        choices = [{"label": option, "description": option} for option in options]
        asked = {"question": question, "header": header, "multiSelect": False, "options": choices}
        turn = yield Call("AskUserQuestion", {"questions": [asked]})
        found = re.search(r'"="([^"]*)"', turn.result)
        return found.group(1) if found else ""

    def report(self, judge: Judge) -> Step:
        """Start and steps 1 to 4; gives the page of questions, or the line after which the skill says to stop."""
        yield from self.step("Start", "dream.py", "--setup")
        yield from self.step("Step 1", "parse_mem0_config.py")
        fetched = yield from self.step("Step 2", "fetch_all.py")
        if not self.run:
            return fetched
        page = yield from self.step("Step 3", "find_dupes.py")
        if "Dream complete." not in page:
            yield from self.step("Step 4", "apply_plan.py", "--decide", judge(page))
            yield from self.step("Step 4", "apply_plan.py", "--report")
        return page


def interactive(scope: str, judge: Judge) -> Script:
    """A whole pass with a person: report, conflicts and the last question asked, apply, summary."""

    def script(first: Turn) -> Acts:
        skill = Skill(first, scope)
        page = yield from skill.report(judge)
        chosen: dict[str, Any] = {}
        for handle in re.findall(r"^(C\d+) ", page, re.MULTILINE):
            question = f"{handle}: which is current? [A/B/skip]"
            chosen[handle] = yield from skill.ask(question, handle, "A", "B", "skip", "both")
        yield from skill.step("Step 5", "apply_plan.py", "--decide", chosen)
        yield from skill.step("Step 5", "apply_plan.py", "--report")
        if (yield from skill.ask("Apply? [Y/n]", "Apply", "Yes", "No")) == "Yes":
            yield (yield from skill.step("Step 5", "apply_plan.py", "--apply"))
        else:
            yield "Cancelled. No changes made."

    return script


def dry_run(scope: str, judge: Judge) -> Script:
    """Steps 1 to 4; the last words are the report."""

    def script(first: Turn) -> Acts:
        skill = Skill(first, scope)
        yield from skill.report(judge)
        report = yield from skill.step("Step 4", "apply_plan.py", "--report")
        yield f"{report}\nNothing was changed."

    return script


def unattended(scope: str, judge: Judge) -> Script:
    """A whole --auto pass; the last words are what its last step printed."""

    def script(first: Turn) -> Acts:
        skill = Skill(first, scope)
        yield from skill.step("Start", "dream.py", "--setup")
        fetched = yield from skill.step("Auto mode", "fetch_all.py")
        if not skill.run:
            yield fetched
            return
        page = yield from skill.step("Auto mode", "find_dupes.py")
        yield from skill.step("Auto mode", "apply_plan.py", "--decide", judge(page))
        yield (yield from skill.step("Auto mode", "apply_plan.py", "--auto"))

    return script


def undo(scope: str) -> Script:
    """Takes back the newest run that the history shows."""

    def script(first: Turn) -> Acts:
        skill = Skill(first, scope)
        history = yield from skill.step("Undo", "apply_plan.py", "--history")
        runs = re.findall(r"\d{8}T\d{6}Z-\w+", history)
        skill.id = max(runs, default="")
        yield (yield from skill.step("Undo", "apply_plan.py", "--undo"))

    return script
