"""What the real clients have in common: a home, a working folder and an environment of their own, and no network."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .offline import offline

LIMIT = 90.0  # seconds a session may take before it is ended


@dataclass
class Client:
    """An installed client; `env` is what the user's shell adds."""

    program: Path
    home: Path
    work: Path
    env: Mapping[str, str]

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command that needs no model, e.g. `plugin add`."""

        def run() -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [self.program, *arguments],
                capture_output=True,
                text=True,
                env=self.environment(),
                cwd=self.work,
                timeout=LIMIT,
            )

        return offline(run)

    def environment(self) -> dict[str, str]:
        """All that the client is started with."""
        raise NotImplementedError
