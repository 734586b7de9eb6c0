"""What a person would otherwise search the documentation for, told where it matters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

KEY = "Claude Code keeps a mem0 key in its plugin settings, where no script sees it; set MEM0_API_KEY in your shell."


def unseen_key(home: Path | None = None) -> str:
    """A sentence where a key lies in Claude Code's plugin settings, out of a script's reach; the key is not read."""
    folder = (home or Path.home()) / ".claude"
    secrets = _part(folder / ".credentials.json", "pluginSecrets")
    options = _part(folder / "settings.json", "pluginConfigs")
    named = [
        *(name for plugin, values in secrets.items() if _is_mem0(plugin) for name in _names(values)),
        *(
            name
            for plugin, config in options.items()
            if _is_mem0(plugin)
            for name in _names(_dict(config).get("options"))
        ),
    ]
    return KEY if any("key" in name.lower() for name in named) else ""


def two_plugins(home: Path | None = None) -> str:
    """A sentence where two plugins named mem0 are installed in Claude Code."""
    plugins = _part((home or Path.home()) / ".claude" / "plugins" / "installed_plugins.json", "plugins")
    found = [name for name in plugins if _is_mem0(name)]
    if len(found) < 2:
        return ""
    return (
        f"{len(found)} plugins named mem0 are installed ({', '.join(found)}); the one that was installed first"
        " has /mem0:dream."
    )


def _part(path: Path, name: str) -> dict[str, Any]:
    """One object of a JSON file; empty where there is none."""
    try:
        return _dict(_dict(json.loads(path.read_text(encoding="utf-8-sig"))).get(name))
    except (OSError, ValueError):
        return {}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _names(value: Any) -> list[str]:
    return [str(name) for name in _dict(value)]


def _is_mem0(plugin: str) -> bool:
    return plugin.split("@")[0] == "mem0"
