"""The JSON documents of a run folder: written whole or not at all, and checked, field by field, when read."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..errors import DreamError

VERSION = 1

# What each document must hold: a type, a tuple of types, [the shape of every item] or {field: shape}.
_TEXTS = [str]
SHAPES: dict[str, Any] = {
    "policies": {"retention": dict, "unreadable": _TEXTS, "dream": dict, "source": (str, type(None))},
    "snapshot": {
        "store": {"kind": str, "identity": str},
        "user_id": str,
        "project_id": (str, type(None)),
        "branch": (str, type(None)),
        "fetched_at": str,
        "mode": str,
        "complete": bool,
        "memories": [dict],
    },
    "plan": {
        "merges": [
            {
                "handle": str,
                "ids": _TEXTS,
                "tier": str,
                "text": str,
                "why": str,
                "shared": _TEXTS,
                "differs": _TEXTS,
                "loses": _TEXTS,
            }
        ],
        "conflicts": [{"handle": str, "a": str, "b": str, "topic": str, "winner": (str, type(None)), "why": str}],
        "prunes": [
            {
                "handle": str,
                "id": str,
                "type": str,
                "reason": str,
                "age_days": (int, type(None)),
                "policy_days": (int, type(None)),
            }
        ],
        "near_misses": [{"ids": _TEXTS, "why": str}],
        "held_back": [{"handle": str, "why": str}],
        "memories": dict,
        "store": {"kind": str, "identity": str},
        "user_id": str,
        "project_id": (str, type(None)),
    },
    "verdicts": {"answers": dict},
    "kept": {"entries": [dict]},
    "looked_up": {"texts": _TEXTS},
    "neighbours": {"pairs": [_TEXTS]},
    "trusted": {"entries": [dict]},
    "retention": {"retention": dict},
    "accounts": {"identities": dict},
}


def read(source: Path | str, name: str) -> dict[str, Any]:
    """The document `name` from a file, or from standard input for "-"; DreamError names the field that is wrong."""
    label = "standard input" if str(source) == "-" else str(source)
    try:
        raw = sys.stdin.buffer.read() if str(source) == "-" else Path(source).read_bytes()
    except FileNotFoundError:
        raise DreamError(f"There is no file {label}; name an existing {name} document.") from None
    except OSError as error:
        raise DreamError(f"{label} cannot be read ({error.strerror}); check its path and permissions.") from None
    return parse(raw, name, label)


def parse(raw: bytes, name: str, label: str) -> dict[str, Any]:
    """The document `name` from its bytes; `label` says in errors where they came from."""
    try:
        body = json.loads(raw.decode("utf-8-sig", "surrogatepass"))
    except ValueError as error:
        raise DreamError(f"{label} is not a {name} document: it is not JSON ({error}).") from None
    except RecursionError:
        raise DreamError(f"{label} is not a {name} document: its JSON is nested too deeply.") from None
    return check(body, name, label)


def check(body: Any, name: str, label: str) -> dict[str, Any]:
    """`body` itself, when it is a `name` document of this version; DreamError otherwise."""
    if not isinstance(body, dict) or body.get("schema") != f"mem0-dream/{name}":
        raise DreamError(f'{label} is not a {name} document: field schema must be "mem0-dream/{name}".')
    if body.get("version") != VERSION:
        raise DreamError(
            f"{label} is version {body.get('version')!r}; field version must be {VERSION} (another release wrote it)."
        )
    wrong = _fault(body, SHAPES.get(name, {}), "")
    if wrong:
        raise DreamError(f"{label} is not a {name} document: {wrong}.")
    return body


def dump(name: str, body: dict[str, Any], lines: str | None = None) -> str:
    """The document as text; the list called `lines` is written one item a line."""
    whole = {"schema": f"mem0-dream/{name}", "version": VERSION, **body}
    if lines is None:
        return "{\n" + ",\n".join(f" {_json(key)}: {_laid_out(value)}" for key, value in whole.items()) + "\n}\n"
    rows = ",\n".join(map(_json, whole.pop(lines)))
    head = _json(whole)[:-1]
    return f'{head}, "{lines}": [\n{rows}\n]}}\n'


def _laid_out(value: Any) -> str:
    """A list or an object with an item a line; json's own indent is twenty times slower over a large plan."""
    if value and isinstance(value, list):
        return "[\n  " + ",\n  ".join(map(_json, value)) + "\n ]"
    if value and isinstance(value, dict):
        return "{\n  " + ",\n  ".join(f"{_json(key)}: {_json(item)}" for key, item in value.items()) + "\n }"
    return _json(value)


_json = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps makes a new encoder at each call


def write(path: Path, name: str, body: dict[str, Any], lines: str | None = None) -> None:
    """Write the document whole or not at all, readable by its owner alone."""
    write_text(path, dump(name, body, lines))


def write_text(path: Path, text: str) -> None:
    """Replace a file in one step, on disk before it shows; mode 0600."""
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise DreamError(f"{path} cannot be written ({error.strerror}); free room or check permissions.") from None


def _fault(value: Any, shape: Any, field: str) -> str:
    """What is wrong with `value`, as "field x must be …"; empty if it fits."""
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"field {field} must be a list"
        return next((wrong for i, item in enumerate(value) if (wrong := _fault(item, shape[0], f"{field}[{i}]"))), "")
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return f"field {field} must be an object"
        prefix = f"{field}." if field else ""
        for name, inner in shape.items():
            if name not in value:
                return f"field {prefix}{name} is missing"
            if wrong := _fault(value[name], inner, f"{prefix}{name}"):
                return wrong
        return ""
    kinds = shape if isinstance(shape, tuple) else (shape,)
    if isinstance(value, kinds) and not (isinstance(value, bool) and bool not in kinds):
        return ""
    return f"field {field} must be {' or '.join(_NOUNS[kind] for kind in kinds)}"


_NOUNS = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    type(None): "null",
}
