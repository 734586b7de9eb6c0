#!/usr/bin/env python3
"""What one pass puts before the model, in tokens (characters / 4), against sending it every memory.

Counted for this plugin: SKILL.md, each command as the skill gives it, and all that the commands print, on a file
store. Counted for the published way: the memories alone, as get_memories answers them, without its instructions.

    python3 benchmarks/tokens.py [SIZE ...]        (200 2000 20000)
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SKILL = ROOT / "skills" / "dream" / "SKILL.md"
PAGES = 4  # as many as the skill has the agent read in one run
_SYLLABLES = (
    "bar",
    "cel",
    "dor",
    "fen",
    "gal",
    "hix",
    "jun",
    "kel",
    "lom",
    "mir",
    "nov",
    "pra",
    "quo",
    "ras",
    "sel",
    "tam",
)


@dataclass
class Cost:
    """Characters, by where they come from; and how many memories the store had."""

    memories: int
    skill: int = 0
    commands: int = 0
    printed: int = 0
    largest: int = 0  # of one command's output
    published: int = 0

    @property
    def ours(self) -> int:
        return self.skill + self.commands + self.printed


def store(size: int) -> list[dict[str, Any]]:
    """`size` memories as the Platform lists them; of each 1,000 about 40 raise a question, as real project lines do."""
    luck = random.Random(size)
    words = ["".join(luck.choices(_SYLLABLES, k=3)) for _ in range(4000)]
    texts: list[str] = []
    while len(texts) < size:
        texts.append(
            f"The {' '.join(luck.choices(words, k=luck.randint(7, 13)))} within {luck.randint(2, 900)} minutes"
        )
        if luck.random() < 0.06:
            texts.append(_again(texts[-1], luck))
    return [_record(text, luck) for text in texts[:size]]


def _again(text: str, luck: random.Random) -> str:
    """The same memory as somebody writes it a second time: in other dress, without a word, longer, another number."""
    words = text.split()
    return luck.choice(
        [
            f"{text.lower()}.",
            " ".join(words[:3] + words[4:]),
            f"{text}, as the {luck.choice(words[1:-3])} team asked for",
            " ".join("7" if word.isdigit() else word for word in words),
        ]
    )


def _record(text: str, luck: random.Random) -> dict[str, Any]:
    """A row of the Platform's list, with the parts of the date that it sends along."""
    moment = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=luck.randint(0, 400_000))
    created = moment.isoformat(timespec="microseconds")
    parts = {
        **{name: getattr(moment, name) for name in ("day", "hour", "year", "month", "minute")},
        "quarter": (moment.month + 2) // 3,
        "is_weekend": moment.weekday() > 4,
        "day_of_week": f"{moment:%A}".lower(),
        "day_of_year": int(f"{moment:%j}"),
        "week_of_year": moment.isocalendar().week,
    }
    return {
        "id": str(uuid.UUID(int=luck.getrandbits(128), version=4)),
        "memory": text,
        "user_id": "dev",
        "app_id": "shop",
        "metadata": {"type": "decision", "branch": "main", "confidence": 0.7, "files": ["*"], "source": "auto_capture"},
        "categories": ["architecture_decisions"],
        "created_at": created,
        "updated_at": created,
        "structured_attributes": parts,
        "synthesized": False,
        **dict.fromkeys(("agent_id", "session_id", "replaced_by", "expiration_date")),
    }


def measure(size: int) -> Cost:
    """One asked pass over a store of `size` memories, up to its report."""
    records = store(size)
    cost = Cost(size, skill=len(SKILL.read_text(encoding="utf-8").split("---\n", 2)[2]))
    cost.published = len(json.dumps(records, ensure_ascii=False))
    with tempfile.TemporaryDirectory() as folder:
        export = Path(folder) / "export.json"
        export.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
        scope = ["--store", "file", "--config", str(export), "--user", "dev", "--project", "shop"]

        def step(script: str, *arguments: str) -> str:
            command = [sys.executable, str(ROOT / "scripts" / script), *arguments]
            env = {**os.environ, "MEM0_DREAM_HOME": str(Path(folder) / "home")}
            done = subprocess.run(
                command, capture_output=True, text=True, encoding="utf-8", env=env, cwd=folder, check=False
            )
            if done.returncode:
                raise SystemExit(f"{script} ended with exit {done.returncode}: {done.stderr}")
            cost.commands += len(" ".join(command[1:]))
            cost.printed += len(done.stdout) + len(done.stderr)
            cost.largest = max(cost.largest, len(done.stdout) + len(done.stderr))
            return done.stdout

        step("parse_mem0_config.py")
        run = step("fetch_all.py", *scope).partition("Run: ")[2].strip()
        asked: list[str] = []
        for number in range(1, PAGES + 1):
            page = step("find_dupes.py", "--run", run, *(["--page", str(number)] if number > 1 else []))
            asked += re.findall(r"^(M\d+) ", page, re.MULTILINE)
            if f"--page {number + 1}" not in page:
                break
        for first in range(0, len(asked), 400):
            answers = dict.fromkeys(asked[first : first + 400], True)
            step("apply_plan.py", "--run", run, *scope, "--decide", json.dumps(answers))
        for _ in range(2):  # before the conflicts are asked, and with their answers
            number = 1
            while f"--page {number + 1}" in step(
                "apply_plan.py", "--run", run, *scope, "--report", "--page", str(number)
            ):
                number += 1
    return cost


def main(arguments: list[str]) -> int:
    print("memories   every memory   this plugin   (skill  commands  printed)   of it   largest output")
    for size in [int(argument) for argument in arguments] or [200, 2000, 20000]:
        cost = measure(size)
        parts = f"({cost.skill // 4:5}  {cost.commands // 4:8}  {cost.printed // 4:7})"
        share = 100 * cost.ours / cost.published
        print(
            f"{size:8}   {cost.published // 4:12}   {cost.ours // 4:11}   {parts}  {share:5.1f} %   "
            f"{cost.largest} characters"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
