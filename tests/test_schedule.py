"""The printed entry, run exactly as it was printed, with a scheduler's bare environment."""

import json
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mem0_dream.cli import schedule
from mem0_dream.config import python_env
from mem0_dream.errors import DreamError

from tests.standins.platform_api import PlatformApi

SCRIPT = Path(__file__).parent.parent / "scripts" / "dream.py"
posix = pytest.mark.skipif(os.name == "nt", reason="a line for /bin/sh")
SAME = ["The build runs on port 8080.", "The build runs on port 8080"]


class Machine:
    """A home, a project with an awkward name, and a store of two memories that say the same."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.project = folder / "the team's 100% shop"
        self.project.mkdir()
        self.export = self.project / "export.json"
        row = {
            "user_id": "me",
            "app_id": "shop",
            "metadata": {"type": "decision"},
            "created_at": "2026-01-01T00:00:00Z",
        }
        memories = [{**row, "id": f"0000000{number}-aaaa", "memory": text} for number, text in enumerate(SAME)]
        self.export.write_text(json.dumps(memories), encoding="utf-8")
        drop = re.compile("MEM0_|CLAUDE|CODEX|OPENAI")
        self.env = {name: value for name, value in os.environ.items() if not drop.match(name)}
        self.env |= {"HOME": str(self.home), "MEM0_DREAM_HOME": str(self.home / "its dreams")}

    def entry(self, every: str, *options: str, **env: str) -> str:
        scope = options or ("--store", "file", "--config", "export.json")
        command = [sys.executable, str(SCRIPT), "--schedule", every, *scope, "--user", "me", "--project", "shop"]
        done = subprocess.run(
            command, cwd=self.project, env={**self.env, **env}, capture_output=True, encoding="utf-8", timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run(self, command: str) -> str:
        """What the log holds after the scheduler ran the command."""
        bare = {"HOME": str(self.home), "LOGNAME": "me", "SHELL": "/bin/sh", "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd="/", env=bare, capture_output=True, text=True, timeout=120
        )
        assert (done.stdout, done.stderr) == ("", "")
        return (self.home / "its dreams" / "schedule.log").read_text(encoding="utf-8")


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture
def only(monkeypatch, tmp_path, machine):
    """Makes the machine one that has this scheduler and no other."""

    def choose(program: str) -> None:
        tools = tmp_path / "tools"
        tools.mkdir()
        for name in (program, "git"):
            (tools / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
            (tools / name).chmod(0o755)
        machine.env["PATH"] = str(tools)

    return choose


def cron_line(entry: str) -> tuple[list[str], str]:
    """The five fields and the command of a crontab's one line, as cron reads it."""
    line = next(line for line in entry.splitlines() if line and not line.startswith("#"))
    *when, command = line.split(" ", 5)
    assert not re.search(r"(?<!\\)%", command), "cron makes a line break of it"
    return when, command.replace(r"\%", "%")


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="launchd there")
def test_the_crontab_line_does_the_whole_unattended_run(machine, only):
    only("crontab")
    when, command = cron_line(machine.entry("weekly"))
    assert when[2:] == ["*", "*", "0"]
    log = machine.run(command)
    assert log.splitlines()[-1] == "[mem0-dream --auto] project=shop  merged=1  pruned=0  conflicts_skipped=0"
    assert len(json.loads(machine.export.read_text(encoding="utf-8"))) == 1


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="launchd there")
def test_the_systemd_service_runs_the_same_command(machine, only, tmp_path):
    only("systemctl")
    entry = machine.entry("daily")
    written = next(line for line in entry.splitlines() if line.startswith("ExecStart="))
    quoted = written.removeprefix('ExecStart=/bin/sh -c "').removesuffix('"')
    command = re.sub(r"\\(.)", r"\1", quoted).replace("%%", "%").replace("$$", "$")
    assert "merged=1" in machine.run(command).splitlines()[-1]
    if shutil.which("systemd-analyze"):
        unit = tmp_path / "mem0-dream.service"
        unit.write_text(entry[entry.index("[Unit]") : entry.index("# ~/.config/systemd/user", entry.index("[Unit]"))])
        done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=60)
        assert unit.name not in done.stderr, done.stderr


def described(every: str, system: str, **changes):
    facts = {
        "name": "mem0-dream-shop-1", "arguments": ["/py", "/dream.py", "--user", "o'me"], "settings": {}, "secrets": [],
        "home": Path("/h"), "hour": 3, "minute": 7, "about": "user o'me", "without": "It needs no key.",
    }  # fmt: skip
    job = schedule.Job(**{**facts, **changes})
    return schedule._SYSTEMS[system][0](job, every), schedule._SYSTEMS[system][1](job), job


@pytest.mark.parametrize(
    ("every", "when"),
    [
        ("daily", {"Hour": 3, "Minute": 7}),
        ("weekly", {"Hour": 3, "Minute": 7, "Weekday": 0}),
        ("monthly", {"Hour": 3, "Minute": 7, "Day": 1}),
    ],
)
def test_the_launchd_entry_is_a_list_of_properties_with_the_same_command(every, when):
    entry, _, job = described(every, "launchd")
    body = plistlib.loads(entry[entry.index("<?xml") :].encode())
    assert body["StartCalendarInterval"] == when
    assert body["ProgramArguments"] == ["/bin/sh", "-c", job.command]


@pytest.mark.parametrize(("every", "days"), [("daily", "* * *"), ("weekly", "* * 0"), ("monthly", "1 * *")])
def test_the_crontab_line_says_when(every, days):
    assert f"\n7 3 {days} " in described(every, "cron")[0]


@pytest.mark.parametrize(("every", "days"), [("daily", "*-*-*"), ("weekly", "Sun *-*-*"), ("monthly", "*-*-01")])
def test_the_systemd_timer_says_when(every, days):
    assert f"\nOnCalendar={days} 03:07:00\n" in described(every, "systemd")[0]
    if shutil.which("systemd-analyze"):
        subprocess.run(["systemd-analyze", "calendar", f"{days} 03:07:00"], check=True, capture_output=True, timeout=60)


def test_the_entry_for_windows_is_one_command_for_powershell():
    home = Path("C:/h") if os.name == "nt" else Path("/h")
    entry, off, job = described("weekly", "windows", settings={"MEM0_DREAM_HOME": "C:\\d"}, home=home)
    action = '"/py" "/dream.py" "--user" "o\'\'me"'
    assert entry == (
        "# In PowerShell:\nRegister-ScheduledTask -TaskName 'mem0-dream-shop-1' -Action (New-ScheduledTaskAction"
        f" -Execute 'cmd.exe' -Argument '/d /s /c \"set \"MEM0_DREAM_HOME=C:\\d\"&& {action}"
        f" >> \"{job.log}\" 2>&1\"') -Trigger (New-ScheduledTaskTrigger -Weekly -DaysOfWeek Sunday -At '03:07')"
        " -Settings (New-ScheduledTaskSettingsSet -StartWhenAvailable)"
    )
    assert off == "Unregister-ScheduledTask -TaskName 'mem0-dream-shop-1' -Confirm:$false"


def test_in_a_windows_entry_every_word_is_quoted_and_what_cmd_would_read_is_refused():
    entry, _, _ = described("weekly", "windows", arguments=["/py", "a&b|c", "C:\\end\\"])
    assert '"/py" "a&b|c" "C:\\end\\\\" >>' in entry
    for word in ("100%", 'a"b'):
        with pytest.raises(DreamError):
            described("weekly", "windows", arguments=["/py", word])


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="launchd there")
def test_an_address_with_a_password_never_stands_in_the_entry(machine, only):
    only("crontab")
    entry = machine.entry("weekly", MEM0_BASE_URL="https://me:hunter22@proxy.example/mem0")
    assert "hunter22" not in entry and "Write MEM0_BASE_URL as NAME='value'" in entry


@posix
def test_a_name_with_a_line_break_makes_no_second_line_of_a_crontab(machine):
    command = [sys.executable, str(SCRIPT), "--schedule", "weekly", "--store", "file", "--config", "export.json"]
    done = subprocess.run(
        [*command, "--project", "shop\n* * * * * evil"],
        cwd=machine.project,
        env=machine.env,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "line break" in done.stderr


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="launchd there")
def test_a_key_is_read_from_a_file_and_never_stands_in_the_entry(machine, only):
    only("crontab")
    with PlatformApi() as api:
        api.seed("me", "shop", [{"memory": text, "metadata": {"type": "decision"}} for text in SAME])
        entry = machine.entry("weekly", "--store", "platform", MEM0_API_KEY=api.key, MEM0_BASE_URL=api.url)
        assert api.key not in entry and "Write MEM0_API_KEY as NAME='value'" in entry
        _, command = cron_line(entry)
        assert "MEM0_API_KEY" in machine.run(command), "the log says which key is missing"
        keys = machine.home / "its dreams" / "keys.env"
        assert f"# {keys} and keep it" in entry
        keys.write_text(f"MEM0_API_KEY='{api.key}'\n", encoding="utf-8")
        assert "merged=1" in machine.run(command).splitlines()[-1]
        assert len(api.rows) == 1


@posix
def test_off_prints_a_command_that_removes_this_entry_and_no_other(tmp_path):
    entry, off, _ = described("weekly", "cron")
    table = tmp_path / "table"
    table.write_text(f"0 1 * * * backup # mem0-dream-shop-10\n{entry}\n", encoding="utf-8")
    crontab = tmp_path / "crontab"
    crontab.write_text(
        f'#!/bin/sh\n[ "$1" = -l ] && exec cat {shlex.quote(str(table))}\ncat > {shlex.quote(str(table))}.new\n',
        encoding="utf-8",
    )
    crontab.chmod(0o755)
    subprocess.run(["/bin/sh", "-c", off], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=True, timeout=60)
    left = (tmp_path / "table.new").read_text(encoding="utf-8").splitlines()
    assert [line for line in left if not line.startswith("#")] == ["0 1 * * * backup # mem0-dream-shop-10"]


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="launchd there")
def test_a_scope_keeps_its_minute_and_another_has_another(machine, only):
    only("crontab")
    first = cron_line(machine.entry("weekly"))[0]
    assert cron_line(machine.entry("weekly"))[0] == first
    scope = ("--store", "file", "--config", "export.json")
    others = [cron_line(machine.entry("weekly", *scope, "--agent", name))[0] for name in "abcd"]
    assert len({tuple(when) for when in others}) > 1, "four of four in one of 240 minutes is no chance"


def test_the_python_of_the_entry_is_the_one_that_the_user_started_or_named(monkeypatch):
    monkeypatch.setattr(python_env, "first", "/the/first/python3")
    assert schedule._python({}) == "/the/first/python3"
    assert schedule._python({"MEM0_DREAM_PYTHON": sys.executable}) == sys.executable
