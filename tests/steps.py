"""Running the scripts as a user does, on an export in a folder with a space, with a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


class Place:
    """A home, an export and the options that mean it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "a folder"
        self.folder.mkdir()
        self.export = self.folder / "export.json"
        self.options = ["--store", "file", "--config", str(self.export), "--user", "me", "--project", "shop"]
        kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT", "TEMP", "TMP") if key in os.environ}
        home = str(self.folder / "home")
        self.env = {**kept, "HOME": home, "USERPROFILE": home, "MEM0_DREAM_HOME": str(self.folder / "dream home")}
        Path(home).mkdir()

    def store(self, *memories: dict) -> None:
        """Write the export: of each memory at least its text; `days` is its age."""
        now = datetime.now(timezone.utc)
        rows = []
        for n, memory in enumerate(memories):
            made = now - timedelta(days=memory.get("days", n), seconds=n)
            row = {
                "id": f"{n:08x}-0000-4000-8000-{n:012x}",
                "memory": memory["text"],
                "user_id": "me",
                "app_id": "shop",
                "metadata": {"type": memory.get("type", "decision"), "confidence": memory.get("confidence", 0.7)},
                "created_at": made.isoformat(),
                "updated_at": made.isoformat(),
            }
            rows.append({**row, **memory.get("record", {})})
        self.export.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")

    def rows(self) -> list[dict]:
        return json.loads(self.export.read_text(encoding="utf-8"))

    def texts(self) -> list[str]:
        return sorted(row["memory"] for row in self.rows())

    def run(self, script: str, *arguments: str, input: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """One script with the options of this place."""
        return self.bare(script, *self.options, *arguments, input=input, **env)

    def bare(self, script: str, *arguments: str, input: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SCRIPTS / script), *arguments]
        return subprocess.run(
            command,
            input=input,
            capture_output=True,
            encoding="utf-8",
            env={**self.env, **env},
            cwd=self.folder,
            timeout=60,
        )

    def fetched(self, *arguments: str) -> str:
        """A new run's folder, planned."""
        done = self.run("fetch_all.py", *arguments)
        assert done.stdout.startswith("Run: "), done
        run = done.stdout.strip().removeprefix("Run: ")
        assert self.bare("find_dupes.py", "--run", run).returncode == 0
        return run

    def plan(self, run: str) -> dict:
        return json.loads((Path(run) / "plan.json").read_text(encoding="utf-8"))

    def step(self, run: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """apply_plan.py on a run, with no other option."""
        return self.bare("apply_plan.py", "--run", run, *arguments, **env)
