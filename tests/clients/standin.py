"""A stand-in for the models behind the clients: a script answers, and every request it saw is kept.

A script is a generator function. It is given the first Turn (all the client said so far), yields what the model says
(text) or does (a Call), and is sent the Turn that follows, with the results of that call. When it ends, the model says
"Done."
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Turn:
    """What the model is shown: all text of the request, the results of its last calls, the tools it may use."""

    text: str
    results: list[str]
    tools: list[str]

    @property
    def result(self) -> str:
        return "\n".join(self.results)


@dataclass
class Call:
    """One use of a tool."""

    tool: str
    input: dict[str, Any]
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:16])


Acts = Generator["str | Call", Turn, None]
Script = Callable[[Turn], Acts]


class StandIn(ThreadingHTTPServer):
    """Both model APIs on one loopback port: /v1/messages (Anthropic) and /v1/responses (OpenAI), streamed."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.acts: Acts | None = None
        self.turns: list[Turn] = []
        self.guard = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def step(self, turn: Turn) -> str | Call:
        """The script's answer to this turn."""
        with self.guard:
            self.turns.append(turn)
            try:
                if self.acts:
                    return self.acts.send(turn)
                self.acts = self.script(turn)
                return next(self.acts)
            except StopIteration:
                return "Done."


@contextmanager
def serving(script: Script) -> Iterator[StandIn]:
    """A stand-in that listens while the block runs."""
    server = StandIn(script)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def log_message(self, *arguments: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._json(200, {})

    def do_GET(self) -> None:
        self._json(200, {"data": [], "models": [], "has_more": False})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/v1/messages"):
            self._messages(body)
        elif path.endswith("/responses"):
            self._responses(body)
        elif path.endswith("/count_tokens"):
            self._json(200, {"input_tokens": 10})
        else:
            self._json(404, {"error": {"type": "not_found_error", "message": "stand-in"}})

    def _messages(self, body: dict[str, Any]) -> None:
        # The client also asks small questions without tools (a title, a topic); those are not the script's.
        step = self.server.step(_anthropic_turn(body)) if body.get("tools") else "ok"
        block: dict[str, Any] = (
            {"type": "text", "text": step}
            if isinstance(step, str)
            else {"type": "tool_use", "id": f"toolu_{step.id}", "name": step.tool, "input": step.input}
        )
        stop = "end_turn" if isinstance(step, str) else "tool_use"
        message = {
            "id": f"msg_{uuid.uuid4().hex[:16]}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "stand-in"),
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
        if not body.get("stream"):
            return self._json(200, message)
        empty = {**block, "text": ""} if isinstance(step, str) else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": step}
            if isinstance(step, str)
            else {"type": "input_json_delta", "partial_json": json.dumps(step.input)}
        )
        return self._stream(
            ("message_start", {"message": {**message, "content": [], "stop_reason": None}}),
            ("content_block_start", {"index": 0, "content_block": empty}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}}),
            ("message_stop", {}),
        )

    def _responses(self, body: dict[str, Any]) -> None:
        step = self.server.step(_openai_turn(body))
        item: dict[str, Any] = (
            {
                "type": "message",
                "role": "assistant",
                "id": f"msg_{uuid.uuid4().hex[:12]}",
                "status": "completed",
                "content": [{"type": "output_text", "text": step, "annotations": []}],
            }
            if isinstance(step, str)
            else {
                "type": "function_call",
                "id": f"fc_{step.id}",
                "call_id": f"call_{step.id}",
                "name": step.tool,
                "arguments": json.dumps(step.input),
                "status": "completed",
            }
        )
        response = {"id": f"resp_{uuid.uuid4().hex[:12]}", "object": "response", "model": body.get("model")}
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        usage_details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        self._stream(
            ("response.created", {"response": {**response, "status": "in_progress", "output": []}}),
            ("response.output_item.added", {"output_index": 0, "item": item}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            (
                "response.completed",
                {
                    "response": {
                        **response,
                        "status": "completed",
                        "output": [item],
                        "usage": {**usage, **usage_details},
                    }
                },
            ),
        )

    def _json(self, code: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, *events: tuple[str, dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for number, (name, data) in enumerate(events):
            line = json.dumps({"type": name, "sequence_number": number, **data})
            self.wfile.write(f"event: {name}\ndata: {line}\n\n".encode())
        self.close_connection = True


def _anthropic_turn(body: dict[str, Any]) -> Turn:
    messages = body.get("messages", [])
    results: list[str] = []
    for message in reversed(messages):  # the client may add a reminder of its own after the results
        if message["role"] == "assistant":
            break
        for item in reversed(message["content"]):
            if isinstance(item, dict) and item.get("type") == "tool_result":
                results.insert(0, "\n".join(_texts(item.get("content"))))
    return Turn("\n".join(_texts(messages)), results, [tool["name"] for tool in body["tools"]])


def _openai_turn(body: dict[str, Any]) -> Turn:
    items = body.get("input", [])
    results: list[str] = []
    for item in reversed(items):
        if item.get("type") not in ("function_call_output", "custom_tool_call_output"):
            break
        results.insert(0, "\n".join(_texts(item["output"])))
    tools = [tool.get("name") or tool.get("type", "") for tool in body.get("tools", [])]
    return Turn("\n".join(_texts(items)), results, tools)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("text", "content", "output"):
                yield from _texts(item)
