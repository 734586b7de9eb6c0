"""The entry that makes this system's own scheduler run `dream.py --auto`, as text to install by hand."""

from __future__ import annotations

import hashlib
import os
import plistlib
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..config import python_env
from ..errors import DreamError
from ..runs.run_folder import dream_home
from ..safe_text import redact, shown
from .session import SCRIPTS, Session

# Plain settings that a scheduler does not hand on, and the secrets that it must not hand on in the open.
_PLAIN = ("MEM0_DREAM_HOME", "MEM0_DIR", "MEM0_BASE_URL", "MEM0_SERVER_URL")
_SECRET = {"platform": ["MEM0_API_KEY"], "server": ["MEM0_SERVER_API_KEY"], "local": ["OPENAI_API_KEY"], "file": []}


@dataclass
class Job:
    """What is to run, and when: `hour` and `minute` come from a hash, so that no two projects start together."""

    name: str
    arguments: list[str]
    settings: dict[str, str]  # plain environment variables
    secrets: list[str]  # names of variables that hold keys now
    home: Path
    hour: int
    minute: int
    about: str
    without: str  # where the key comes from when no variable holds one

    @property
    def keys(self) -> Path:
        return self.home / "keys.env"

    @property
    def log(self) -> Path:
        return self.home / "schedule.log"

    @property
    def command(self) -> str:
        """One line for /bin/sh, whatever its environment."""
        file = shlex.quote(str(self.keys))
        keys = f"set -a; [ ! -r {file} ] || . {file}; set +a; " if self.secrets else ""
        settings = "".join(f"{name}={shlex.quote(value)} " for name, value in self.settings.items())
        return f"{keys}{settings}{shlex.join(self.arguments)} >> {shlex.quote(str(self.log))} 2>&1"


def entry(every: str, session: Session, system: str | None = None, env: Mapping[str, str] = os.environ) -> str:
    """How to run this scope unattended "daily", "weekly" or "monthly", or how to remove that ("off").

    `system` is "cron", "systemd", "launchd" or "windows" (else the one this machine has).
    """
    job = job_of(session, env)
    write, remove = _SYSTEMS[system or _here()]
    if every == "off":
        return f"# Removes the scheduled run of {job.about}:\n{remove(job)}"
    return f"# mem0 dream, {every}, for {job.about}\n{_about_keys(job, system or _here())}\n{write(job, every)}"


def job_of(session: Session, env: Mapping[str, str] = os.environ) -> Job:
    """The unattended run of this scope, with nothing left for the scheduler's environment to decide."""
    identity, config = session.identity, session.config
    home = dream_home(env).resolve()
    scope = [
        "--store",
        session.store.kind,
        *(["--config", config] if config else []),
        "--user",
        identity.user or "none",
    ]
    scope += ["--project", identity.project or "none", *(["--agent", identity.agent] if identity.agent else [])]
    seed = int.from_bytes(hashlib.sha256(session.folder.name.encode()).digest()[:4], "big")
    plain = {name: env[name] for name in _PLAIN if env.get(name)}
    hidden = [name for name, value in plain.items() if redact(value, {}) != value]  # an address with a password
    keys = [name for name in [*_SECRET[session.store.kind], *_named_in(session, config)] if env.get(name)]
    job = Job(
        name=f"mem0-dream-{session.folder.name}",
        arguments=[_python(env), str(SCRIPTS / "dream.py"), "--auto", *scope, "--cwd", str(session.cwd)],
        settings={name: value for name, value in plain.items() if name not in hidden},
        secrets=[*keys, *hidden],
        home=home,
        hour=2 + seed // 60 % 4,
        minute=seed % 60,
        about=shown(f"user {identity.user}, project {identity.project or 'none'}, store {session.store.label}"),
        without={
            "platform": "The key comes from ~/.mem0/config.json.",
            "server": "It sends no key: MEM0_SERVER_API_KEY is not set.",
            "local": f"Keys, if it needs any, come from {shown(config or '~/.mem0/oss.yaml')}.",
            "file": "It needs no key.",
        }[session.store.kind],
    )
    if any(not word.isprintable() for word in [*job.arguments, *job.settings.values(), str(home)]):
        raise DreamError("A scheduler's entry is one line, and a name or path has a line break in it; rename that.")
    return job


def _python(env: Mapping[str, str]) -> str:
    """The interpreter that the user named or started: the plugin's own goes with the next release."""
    named = env.get("MEM0_DREAM_PYTHON")
    return str((named and shutil.which(Path(named).expanduser())) or python_env.first)


def _named_in(session: Session, config: str | None) -> list[str]:
    """The variables that a local store's config takes its keys from."""
    if session.store.kind != "local" or config is None:
        return []
    found = re.findall(r"\$\{(\w+)", (session.cwd / config).read_text(encoding="utf-8", errors="replace"))
    return [name for name in dict.fromkeys(found) if name not in _SECRET["local"]]


def _about_keys(job: Job, system: str) -> str:
    names = ", ".join(job.secrets)
    if not job.secrets:
        return f"# {job.without}"
    if system == "windows":
        return f"# A task does not see your terminal's variables. Once, for each of {names}: setx NAME VALUE"
    return (
        f"# A scheduler does not see your shell's variables. Write {names} as NAME='value', a line each, into\n"
        f"# {job.keys} and keep it to yourself (chmod 600); the entry reads it, and holds no key itself."
    )


def _cron(job: Job, every: str) -> str:
    days = {"daily": "* * *", "weekly": "* * 0", "monthly": "1 * *"}[every]
    line = job.command.replace("%", r"\%")  # cron would make a line break of a bare one
    return f"# Add this line with: crontab -e\n{job.minute} {job.hour} {days} {line} # {job.name}"


def _cron_off(job: Job) -> str:
    return f"crontab -l | grep -v '# {job.name}$' | crontab -"


def _systemd(job: Job, every: str) -> str:
    days = {"daily": "*-*-*", "weekly": "Sun *-*-*", "monthly": "*-*-01"}[every]
    line = job.command.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    folder = "~/.config/systemd/user"
    return (
        f"# {folder}/{job.name}.service\n[Unit]\nDescription=mem0 dream\n\n[Service]\nType=oneshot\n"
        f'ExecStart=/bin/sh -c "{line}"\n\n'
        f"# {folder}/{job.name}.timer\n[Unit]\nDescription=mem0 dream, {every}\n\n[Timer]\n"
        f"OnCalendar={days} {job.hour:02}:{job.minute:02}:00\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n\n"
        f"# Then: systemctl --user daemon-reload && systemctl --user enable --now {job.name}.timer\n"
        "# (and once, to run while you are logged out: loginctl enable-linger)"
    )


def _systemd_off(job: Job) -> str:
    files = " ".join(f"~/.config/systemd/user/{job.name}.{kind}" for kind in ("timer", "service"))
    return f"systemctl --user disable --now {job.name}.timer; rm {files}; systemctl --user daemon-reload"


def _launchd(job: Job, every: str) -> str:
    when = {"Hour": job.hour, "Minute": job.minute}
    when |= {"daily": {}, "weekly": {"Weekday": 0}, "monthly": {"Day": 1}}[every]
    body = {"Label": job.name, "ProgramArguments": ["/bin/sh", "-c", job.command], "StartCalendarInterval": when}
    plist = plistlib.dumps(body, sort_keys=False).decode()
    file = f"~/Library/LaunchAgents/{job.name}.plist"
    return f"# Save what follows as {file}, then: launchctl bootstrap gui/$(id -u) {file}\n{plist}"


def _launchd_off(job: Job) -> str:
    return f"launchctl bootout gui/$(id -u)/{job.name}; rm ~/Library/LaunchAgents/{job.name}.plist"


def _windows(job: Job, every: str) -> str:
    settings = "".join(f'set "{name}={_for_cmd(value)}"&& ' for name, value in job.settings.items())
    # A backslash before the closing quote would take it along.
    words = (_for_cmd(word) + "\\" * (len(word) - len(word.rstrip("\\"))) for word in job.arguments)
    command = " ".join(f'"{word}"' for word in words)
    line = f'/d /s /c "{settings}{command} >> "{_for_cmd(str(job.log))}" 2>&1"'.replace("'", "''")
    when = {"daily": "-Daily", "weekly": "-Weekly -DaysOfWeek Sunday"}
    trigger = when.get(every, "-Weekly -WeeksInterval 4 -DaysOfWeek Sunday")  # there is no monthly one
    return (
        f"# In PowerShell:\nRegister-ScheduledTask -TaskName '{job.name}' -Action (New-ScheduledTaskAction -Execute"
        f" 'cmd.exe' -Argument '{line}') -Trigger (New-ScheduledTaskTrigger {trigger} -At"
        f" '{job.hour:02}:{job.minute:02}') -Settings (New-ScheduledTaskSettingsSet -StartWhenAvailable)"
    )


def _for_cmd(word: str) -> str:
    """What may stand between double quotes in cmd: & and | mean nothing there, but % and a quote do."""
    if '"' in word or "%" in word:
        raise DreamError(f"cmd cannot take {shown(word)} as it is; schedule it without a double quote or % in a name.")
    return word


def _windows_off(job: Job) -> str:
    return f"Unregister-ScheduledTask -TaskName '{job.name}' -Confirm:$false"


def _here() -> str:
    if os.name == "nt":
        return "windows"
    if sys.platform == "darwin":
        return "launchd"
    return "systemd" if shutil.which("systemctl") and not shutil.which("crontab") else "cron"


_SYSTEMS = {
    "cron": (_cron, _cron_off),
    "systemd": (_systemd, _systemd_off),
    "launchd": (_launchd, _launchd_off),
    "windows": (_windows, _windows_off),
}
