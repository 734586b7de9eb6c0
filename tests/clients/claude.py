"""Claude Code, driven as its users do: by `claude -p`, or by a host that shows prompts and questions to a person."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .client import LIMIT, Client
from .offline import offline
from .standin import Script, Turn, serving

Answer = Callable[[dict[str, Any]], str]


@dataclass
class Session:
    """What one session did: the client's own events, what it asked a person, what the model was shown."""

    events: list[dict[str, Any]] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)  # permission prompts, as "Tool: input"
    questions: list[str] = field(default_factory=list)  # asked by AskUserQuestion
    turns: list[Turn] = field(default_factory=list)
    errors: str = ""

    @property
    def results(self) -> list[dict[str, Any]]:
        return [event for event in self.events if event.get("type") == "result"]

    @property
    def reply(self) -> str:
        """The session's last words."""
        return str(self.results[-1].get("result", "")) if self.results else f"(no result) {self.errors}"

    @property
    def denials(self) -> list[str]:
        return [json.dumps(denial) for event in self.results for denial in event.get("permission_denials", [])]

    @property
    def start(self) -> dict[str, Any]:
        return next(event for event in self.events if event.get("subtype") == "init")

    @property
    def tool_results(self) -> list[str]:
        return [text for turn in self.turns for text in turn.results]


class Claude(Client):
    """Claude Code as installed."""

    def print(self, prompt: str, script: Script, *options: str) -> Session:
        """`claude -p PROMPT`: nobody there to ask."""

        def run() -> Session:
            with serving(script) as model:
                command = [str(self.program), "-p", prompt, "--output-format", "stream-json", "--verbose", *options]
                env = self.environment(model.url)
                done = subprocess.run(
                    command,
                    capture_output=True,
                    text=True,
                    env=env,
                    cwd=self.work,
                    timeout=LIMIT,
                    stdin=subprocess.DEVNULL,
                )
                events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
                return Session(events, turns=model.turns, errors=done.stderr)

        return offline(run)

    def host(
        self, prompt: str, script: Script, answer: Answer, *options: str, until: Callable[[Session], bool] | None = None
    ) -> Session:
        """A session with a person at it: `answer` gets each question; permission prompts are written down and granted.

        It ends with the first result, or, where `until` is given, once that holds.
        """

        def run() -> Session:
            with serving(script) as model:
                command = [str(self.program), "-p", "--input-format", "stream-json", "--output-format", "stream-json"]
                command += ["--verbose", "--permission-prompt-tool", "stdio", *options]
                # Only the hosts that the client knows count as attended; a nameless one would be refused `--apply`.
                env = {**self.environment(model.url), "CLAUDE_CODE_ENTRYPOINT": "claude-desktop"}
                return _converse(command, env, self.work, prompt, answer, until, Session(turns=model.turns))

        return offline(run)

    def environment(self, url: str = "http://127.0.0.1:9") -> dict[str, str]:
        quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY")
        return {
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "stand-in",
            **dict.fromkeys(quiet, "1"),
            **self.env,
        }


def _converse(
    command: list[str],
    env: dict[str, str],
    work: Path,
    prompt: str,
    answer: Answer,
    until: Callable[[Session], bool] | None,
    session: Session,
) -> Session:
    client = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env, cwd=work
    )
    assert client.stdin and client.stdout
    alarm = threading.Timer(LIMIT, client.kill)
    alarm.start()

    def send(message: dict[str, Any]) -> None:
        assert client.stdin
        client.stdin.write(json.dumps(message) + "\n")
        client.stdin.flush()

    try:
        send({"type": "control_request", "request_id": "start", "request": {"subtype": "initialize", "hooks": None}})
        send(
            {
                "type": "user",
                "message": {"role": "user", "content": prompt},
                "parent_tool_use_id": None,
                "session_id": "",
            }
        )
        for line in client.stdout:
            event = json.loads(line)
            session.events.append(event)
            if event["type"] == "control_request":
                response = _respond(event["request"], answer, session)
                inner = {"subtype": "success", "request_id": event["request_id"], "response": response}
                send({"type": "control_response", "response": inner})
            if (until(session) if until else event["type"] == "result") and not client.stdin.closed:
                client.stdin.close()
        client.wait(10)
    finally:
        alarm.cancel()
        client.kill()
        client.stdout.close()
    return session


def _respond(request: dict[str, Any], answer: Answer, session: Session) -> dict[str, Any]:
    if request["subtype"] != "can_use_tool":
        return {}
    given = request["input"]
    if request["tool_name"] != "AskUserQuestion":
        session.prompts.append(f"{request['tool_name']}: {json.dumps(given, ensure_ascii=False)}")
        return {"behavior": "allow", "updatedInput": given}
    session.questions += [question["question"] for question in given["questions"]]
    answers = {question["question"]: answer(question) for question in given["questions"]}
    return {"behavior": "allow", "updatedInput": {**given, "answers": answers}}
