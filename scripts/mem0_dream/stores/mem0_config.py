"""A config of mem0's local engine: read from YAML or JSON, with the secrets in it known so that none is ever shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

from ..config import python_env
from ..errors import DreamError
from ..safe_text import SECRET_NAME, redact
from .typescript_config import to_python

_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
# mem0 makes a language model and a reranker whatever is asked of it; nothing here uses either.
_UNUSED = ("llm", "reranker", "custom_instructions")


@dataclass
class Config:
    """What mem0 is to be made from. `name` is how sentences call it."""

    settings: dict[str, Any]
    name: str = "the config"
    secrets: set[str] = field(default_factory=set)

    @property
    def provider(self) -> str:
        """The engine that keeps the vectors."""
        return str(self.settings["vector_store"].get("provider") or "qdrant")

    @property
    def place(self) -> str:
        """Where the memories lie: engine, path or host, and collection; never a user name or a password."""
        found = self.settings["vector_store"].get("config")
        store = found if isinstance(found, dict) else {}
        where = _address(str(store.get("connection_string") or store.get("url") or ""))
        if not where and store.get("host"):
            where = f"{store['host']}:{store.get('port') or ''}/{store.get('dbname') or ''}".rstrip("/")
        if not where and store.get("path"):
            where = str(Path(str(store["path"])).resolve())
        return f"{self.provider}:{where or 'default'}:{store.get('collection_name') or 'mem0'}"

    def tell(self, error: BaseException) -> str:
        """The first line of what went wrong, without any secret."""
        text = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, "***")
        return redact(text)[:200].rstrip(" .")


def read_config(path: Path, env: Mapping[str, str], cwd: Path | None = None) -> Config:
    """The settings in a file, ${VARIABLES} filled in and folders counted from `cwd`; DreamError names file and line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DreamError(f"There is no config {path}; name mem0's config with --config or MEM0_CONFIG.") from None
    except UnicodeDecodeError:
        raise DreamError(f"{path} is not text in UTF-8; save the config as UTF-8.") from None
    except OSError as error:
        raise DreamError(f"{path} cannot be read ({error.strerror}); check its path and permissions.") from None
    found = to_python(_parse(path, text), str(path))
    if not isinstance(found, dict) or not isinstance(found.get("vector_store"), dict):
        raise DreamError(
            f"{path} is not a mem0 config: it has no vector_store (an export is opened with --store file)."
        )
    settings = {key: _filled(value, env, path) for key, value in found.items() if key not in _UNUSED}
    for holder, name in ((settings["vector_store"].get("config"), "path"), (settings, "history_db_path")):
        if isinstance(holder, dict) and isinstance(holder.get(name), str) and holder[name] != ":memory:":
            holder[name] = str((cwd or Path.cwd()) / Path(holder[name]).expanduser())
    secrets = {value for key, value in env.items() if SECRET_NAME.search(key)} | set(_secrets(settings))
    return Config(settings, str(path), {secret for secret in secrets if len(secret) > 2})


def _parse(path: Path, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if path.suffix.lower() == ".json":
            raise DreamError(
                f"{path}, line {error.lineno}, column {error.colno}: not JSON ({error.msg}); correct that line."
            ) from None
    if not find_spec("yaml"):  # on a bare Python: come back in one that has the packages
        python_env.ensure()
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise DreamError(f"{path}{line}: not YAML ({error.problem}); correct that line.") from None
    except yaml.YAMLError:
        raise DreamError(f"{path} is not YAML: it holds a character that YAML forbids; remove it.") from None


def _filled(value: Any, env: Mapping[str, str], path: Path) -> Any:
    if isinstance(value, dict):
        return {key: _filled(inner, env, path) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, env, path) for inner in value]
    if not isinstance(value, str):
        return value

    def variable(match: re.Match[str]) -> str:
        found = env.get(match[1]) or match[2]
        if found is None:
            raise DreamError(f"{path} uses ${{{match[1]}}}, which is not set; set it in the environment.")
        return found

    return _VARIABLE.sub(variable, value)


def _secrets(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _secrets(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _secrets(inner, name)
    elif isinstance(value, str):
        if SECRET_NAME.search(name):
            yield value
        for password in re.findall(r"://[^:/@\s]*:(\S+)@|\bpassword=(\S+)", value):
            yield from (*password, *map(unquote, password))


def _address(text: str) -> str:
    """host:port/database of a URL or of "key=value" settings."""
    if "://" in text:
        authority, _, path = text.split("://", 1)[1].partition("/")
        path, _, query = path.partition("?")
        socket = parse_qs(query).get("host", [""])[0]
        return f"{authority.rpartition('@')[2].lower() or socket}/{path}".rstrip("/")
    settings = dict(re.findall(r"(\w+)\s*=\s*(\S+)", text))
    return (
        f"{settings.get('host', 'localhost')}:{settings.get('port', '')}/{settings.get('dbname', '')}" if text else ""
    )
