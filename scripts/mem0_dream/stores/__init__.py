"""Every place that keeps memories, behind one protocol; which one is meant is decided here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..config.identity import mem0_file
from ..errors import DreamError, UsageError
from ..runs.run_folder import dream_home
from .protocol import KINDS, Store

PLATFORM = "https://api.mem0.ai"


def open_store(kind: str | None, config: str | None, env: Mapping[str, str], cwd: Path) -> Store:
    """The store that the options name, else a config, else a key in the environment; DreamError where none is set."""
    if kind not in (None, *KINDS):
        raise UsageError(f"There is no store {kind}; use --store {'|'.join(KINDS)}.")
    return _OPEN[kind or _chosen(config, env)](config, env, cwd)


def _chosen(config: str | None, env: Mapping[str, str]) -> str:
    if config or _local_config(env):
        return "local"
    if _platform_key(env):
        return "platform"
    if env.get("MEM0_SERVER_URL"):
        return "server"
    raise DreamError(
        "No store is configured: set MEM0_API_KEY (platform; a key in Claude Code's plugin settings does not reach"
        " scripts), name a mem0 config with --config, MEM0_CONFIG or ~/.mem0/oss.yaml (local), set MEM0_SERVER_URL"
        " (server), or rehearse on an export with --store file --config export.json."
    )


def _platform(config: str | None, env: Mapping[str, str], cwd: Path) -> Store:
    key = _platform_key(env)
    if not key:
        raise DreamError(
            "The platform needs a key: set MEM0_API_KEY in your shell (a key in Claude Code's plugin settings does not"
            " reach scripts)."
        )
    from .platform import PlatformStore

    host = env.get("MEM0_BASE_URL") or _platform_settings().get("base_url") or PLATFORM
    store = PlatformStore(key, host)
    store.home = dream_home(env)
    return store


def _local(config: str | None, env: Mapping[str, str], cwd: Path) -> Store:
    found = config or _local_config(env)
    if not found:
        raise DreamError(
            "A local store needs mem0's config: name it with --config or MEM0_CONFIG, or in ~/.mem0/oss.yaml."
        )
    from .local import LocalStore

    return LocalStore.from_config(cwd / Path(found).expanduser(), env, cwd)


def _server(config: str | None, env: Mapping[str, str], cwd: Path) -> Store:
    url = env.get("MEM0_SERVER_URL")
    if not url:
        raise DreamError("A server store needs its address: set MEM0_SERVER_URL (and MEM0_SERVER_API_KEY).")
    from .server import ServerStore

    return ServerStore(url, env.get("MEM0_SERVER_API_KEY"))


def _file(config: str | None, env: Mapping[str, str], cwd: Path) -> Store:
    if not config:
        raise UsageError("A file store needs its file: --store file --config export.json.")
    from .file import FileStore

    return FileStore(cwd / Path(config).expanduser())


_OPEN = {"platform": _platform, "local": _local, "server": _server, "file": _file}


def _local_config(env: Mapping[str, str]) -> str | None:
    usual = Path.home() / ".mem0" / "oss.yaml"
    return env.get("MEM0_CONFIG") or (str(usual) if usual.exists() else None)


def _platform_key(env: Mapping[str, str]) -> str | None:
    return (env.get("MEM0_API_KEY") or "").strip() or _platform_settings().get("api_key")


def _platform_settings() -> dict[str, str]:
    found = mem0_file("config.json").get("platform")
    return {key: value for key, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}
