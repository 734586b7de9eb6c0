"""How a step ends: one sentence, the right exit code, no traceback and no secret."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mem0_dream.safe_text import has_secret, redact

SCRIPTS = Path(__file__).parent.parent / "scripts"


def ended(tmp_path, body: str, **env: str) -> subprocess.CompletedProcess:
    """The process of a step whose main is `body`."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    code = "import sys, os\nfrom mem0_dream import errors\n"
    code += f"from mem0_dream.cli import process\ndef main(arguments):\n{lines}\nprocess.run(main)\n"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=environment(tmp_path, **env), timeout=60
    )
    return subprocess.CompletedProcess([], process.returncode, process.stdout, process.stderr.decode("utf-8"))


def environment(tmp_path, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SCRIPTS), "MEM0_DREAM_HOME": str(tmp_path / "home"), **more}


@pytest.mark.parametrize(("kind", "code"), [("DreamError", 1), ("UsageError", 2), ("AttentionNeeded", 3), ("Busy", 75)])
def test_a_foreseen_failure_is_its_sentence_and_its_exit_code(tmp_path, kind, code):
    done = ended(tmp_path, f"raise errors.{kind}('Nothing is configured; set a key.')")
    assert (done.returncode, done.stderr.strip()) == (code, "Nothing is configured; set a key.")


def test_the_exit_code_of_main_is_the_one_of_the_process(tmp_path):
    assert ended(tmp_path, "return 3").returncode == 3


def test_an_unforeseen_failure_is_one_sentence_that_names_a_log(tmp_path):
    done = ended(tmp_path, "token = 'abc'\nraise ValueError('bad\\nthing')")
    log = tmp_path / "home" / "errors.log"
    assert done.returncode == 1
    assert done.stderr.split("\n")[0] == (
        f"Unexpected failure (ValueError: bad thing); please report it with what stands last in {log}."
    )
    assert "Traceback" not in done.stderr and "Traceback" in log.read_text(encoding="utf-8")
    if os.name != "nt":
        assert log.stat().st_mode & 0o777 == 0o600


def test_an_unforeseen_failure_is_told_also_where_no_log_can_be_written(tmp_path):
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    done = ended(tmp_path, "raise ValueError('bad')")
    assert (done.returncode, done.stderr.strip()) == (1, "Unexpected failure (ValueError: bad); please report it.")


def test_no_secret_of_the_environment_reaches_stderr_or_the_log(tmp_path):
    done = ended(tmp_path, "raise ValueError('refused ' + os.environ['MEM0_API_KEY'])", MEM0_API_KEY="quite-private-1")
    log = (tmp_path / "home" / "errors.log").read_text(encoding="utf-8")
    assert "quite-private-1" not in done.stderr + log
    assert "refused ***" in done.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://me:hunter2@host/db", "postgresql://me:***@host/db"),
        ("Authorization: Token m0-abcdefgh1234", "Authorization: Token ***"),
        ("key sk-abcdefgh1234 refused", "key *** refused"),
        ('{"api_key": "abc"}', '{"api_key": "***"}'),
        ("password=abc, next", "password=***, next"),
        ("the token is wrong; see the key", "the token is wrong; see the key"),
        ("https://host:8080/path", "https://host:8080/path"),
    ],
)
def test_what_looks_like_a_secret_is_hidden_and_nothing_else(text, shown):
    assert redact(text, {}) == shown


def test_the_interrupt_key_ends_a_step_in_silence(tmp_path):
    done = ended(tmp_path, "raise KeyboardInterrupt")
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without asking it")
def test_a_step_that_is_told_to_stop_leaves_by_its_finally_blocks(tmp_path):
    body = f"try:\n    os.kill(os.getpid(), {int(signal.SIGTERM)})\nfinally:\n    print('released')"
    done = ended(tmp_path, body)
    assert (done.returncode, done.stdout.strip()) == (128 + signal.SIGTERM, b"released")


def test_a_reader_that_goes_away_is_no_failure(tmp_path):
    code = "from mem0_dream.cli import process\nprocess.run(lambda _: [print('x' * 100) for _ in range(100000)] and 0)"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    assert process.stdout and process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


def test_the_streams_are_utf8_whatever_the_locale_says(tmp_path):
    body = r"print('\u90e8\u7f72 \U0001f680 \ud83d')" + "\nreturn 0"
    done = ended(tmp_path, body, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stdout.strip()) == (0, "部署 🚀 \\ud83d".encode())


@pytest.mark.parametrize(
    "text",
    ["Incorrect API key provided: sk-abcd********wxyz.", "no such key: quite-private...te-1", "key quit…1 is unknown"],
)
def test_a_key_that_is_echoed_in_part_is_not_shown(text):
    told = redact(text, {"OPENAI_API_KEY": "quite-private-1"})
    assert "***" in told
    assert not any(piece in told for piece in ("abcd", "wxyz", "quit", "te-1"))


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The key is sk-proj-aaaabbbbccccdddd", True),
        ("Password: hunter22 for the test user", True),
        ("db at postgres://me:hunter2@db/x", True),
        ("Rotate the token every 90 days", False),
        ("Skip the migration at http://localhost:8080/x@y", False),
    ],
)
def test_a_memory_with_a_secret_in_it_is_recognised(text, secret):
    assert has_secret(text) is secret
