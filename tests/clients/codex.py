"""Codex, driven by `codex exec` against the stand-in model."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from typing import Any

from .client import LIMIT, Client
from .offline import offline
from .standin import Script, Turn, serving


@dataclass
class Session:
    """What one `codex exec` did."""

    events: list[dict[str, Any]]
    turns: list[Turn] = field(default_factory=list)
    errors: str = ""

    @property
    def reply(self) -> str:
        """The agent's last message."""
        items = [event["item"] for event in self.events if event.get("type") == "item.completed"]
        messages = [item["text"] for item in items if item.get("type") == "agent_message"]
        return messages[-1] if messages else f"(no message) {self.errors}"

    @property
    def tool_results(self) -> list[str]:
        return [text for turn in self.turns for text in turn.results]


class Codex(Client):
    """Codex as installed."""

    def exec(self, prompt: str, script: Script, *options: str) -> Session:
        """`codex exec PROMPT`, with the stand-in as its model provider."""

        def run() -> Session:
            with serving(script) as model:
                settings = {
                    "model": '"gpt-5.1"',
                    "model_provider": '"standin"',
                    "model_providers.standin.name": '"standin"',
                    "model_providers.standin.base_url": f'"{model.url}/v1"',
                    "model_providers.standin.env_key": '"STANDIN_KEY"',
                    "model_providers.standin.wire_api": '"responses"',
                    "model_providers.standin.request_max_retries": "0",
                    "model_providers.standin.stream_max_retries": "0",
                    "analytics.enabled": "false",
                    "check_for_update_on_startup": "false",
                }
                flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
                done = subprocess.run(
                    [self.program, "exec", "--skip-git-repo-check", "--json", *flags, *options, prompt],
                    capture_output=True,
                    text=True,
                    env=self.environment(),
                    cwd=self.work,
                    timeout=LIMIT,
                    stdin=subprocess.DEVNULL,
                )
                events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
                return Session(events, model.turns, done.stderr)

        return offline(run)

    def environment(self) -> dict[str, str]:
        (self.home / ".codex").mkdir(parents=True, exist_ok=True)
        home = {"HOME": str(self.home), "CODEX_HOME": str(self.home / ".codex")}
        return {**home, "LANG": "C.UTF-8", "TERM": "dumb", "STANDIN_KEY": "stand-in", **self.env}
