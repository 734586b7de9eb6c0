"""The prompt as a contract: what SKILL.md, its references and the documents name exists, is spelled right and works."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml
from mem0_dream import errors
from mem0_dream.memory import Scope
from mem0_dream.planning.plan import Conflict, Merge, Plan, Prune
from mem0_dream.views import report

from tests.memories import STORE

ROOT = Path(__file__).parents[1]
SKILL = ROOT / "skills" / "dream" / "SKILL.md"
REFERENCES = sorted((SKILL.parent / "references").glob("*.md"))
PAGES = [
    SKILL,
    *REFERENCES,
    *(page for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if page.exists()),
]
SCRIPTS = sorted(path.name for path in (ROOT / "scripts").glob("*.py"))
SPEC_FIELDS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
ROOT_VARIABLE = "${CLAUDE_PLUGIN_ROOT}"

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def frontmatter() -> dict[str, str]:
    return yaml.safe_load(read(SKILL).split("---\n")[1])


def blocks(page: Path, *languages: str) -> list[str]:
    """The fenced blocks written in one of these languages."""
    found = re.findall(r"^```([\w-]*)\n(.*?)^```", read(page), re.MULTILINE | re.DOTALL)
    return [body for language, body in found if language in languages]


def code(page: Path) -> list[str]:
    """Everything set as code: each line of each fence, each indented line, each span."""
    prose = re.sub(r"^```.*?^```", "", read(page), flags=re.MULTILINE | re.DOTALL)
    fences = re.findall(r"^```[\w-]*\n(.*?)^```", read(page), re.MULTILINE | re.DOTALL)
    lines = [line for fence in fences for line in fence.splitlines()]
    return lines + re.findall(r"^ {4}(\S.*)", prose, re.MULTILINE) + re.findall(r"`([^`\n]+)`", prose)


def commands() -> list[str]:
    return [line for block in blocks(SKILL, "bash") for line in block.splitlines()]


@cache
def help_of(script: str) -> str:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / script), "--help"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def flags(text: str) -> set[str]:
    """The long options in a command, those inside quotes left out."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", re.sub(r"'[^']*'", "", text)))


# The frontmatter


def test_the_frontmatter_has_only_fields_of_the_agent_skills_spec():
    assert set(frontmatter()) <= SPEC_FIELDS


def test_the_name_is_the_folder():
    assert frontmatter()["name"] == SKILL.parent.name == "dream"


def test_the_texts_keep_to_the_lengths_of_the_spec():
    assert 1 <= len(frontmatter()["description"]) <= 1024
    assert 1 <= len(frontmatter()["compatibility"]) <= 500


def test_every_value_of_the_frontmatter_is_quoted():
    lines = read(SKILL).split("---\n")[1].splitlines()
    assert lines and all(re.fullmatch(r"""[a-z-]+: (".*"|'.*')""", line) for line in lines)


def test_the_skill_is_short_enough_to_read_every_time():
    assert len(read(SKILL).splitlines()) < 200
    assert len(read(SKILL)) / 4 < 5000  # tokens, roughly


# The commands


def grants() -> list[str]:
    return re.findall(r"Bash\((.*?)\)", frontmatter()["allowed-tools"])


def test_every_command_is_granted_in_the_same_words():
    assert len(commands()) >= 10
    for command in commands():
        assert any(
            command == grant or (grant.endswith(" *") and f"{command} ".startswith(grant[:-1])) for grant in grants()
        ), command


def test_every_grant_is_the_form_of_a_command_here():
    forms = [line for page in (SKILL, *REFERENCES) for block in blocks(page, "bash") for line in block.splitlines()]
    for grant in grants():
        form = grant.removesuffix(" *").replace("py -3", "python3")
        assert any(f"{command} ".startswith(f"{form} ") for command in forms), grant


def test_what_no_step_needs_is_not_granted():
    reach = " ".join(grants())
    assert not {"--erase", "--forget", "--html", "--out", "--config"} & set(reach.split())
    for script in ("dream.py", "apply_plan.py"):
        assert f'{script}" *' not in reach


def test_every_grant_has_its_twin_for_windows():
    assert {grant[8:] for grant in grants() if grant.startswith("python3")} == {
        grant[6:] for grant in grants() if grant.startswith("py -3")
    }


def test_every_command_is_one_plain_line_that_no_client_refuses():
    for command in commands():
        outside = re.sub(r"""'[^']*'|"[^"]*\"""", "", command)
        assert not re.search(r"[|&;<>`\\]|\$\(", outside), command
        assert len(command) < 8000


@each_page
def test_every_shell_block_parses(page: Path):
    if not (bash := shutil.which("bash")) or sys.platform == "win32":
        pytest.skip("no bash here to parse with")
    for block in blocks(page, "bash", "sh", "shell"):
        done = subprocess.run([bash, "-n"], input=block, capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, (block, done.stderr)


@each_page
def test_every_json_answer_parses(page: Path):
    for line in code(page):
        for answer in re.findall(r"--decide '(\{.*?\})'", line):
            assert json.loads(answer)


@each_page
def test_every_script_and_flag_that_is_named_exists(page: Path):
    named = 0
    for line in code(page):
        for script, arguments in re.findall(r"(?<![\w/-])(?:\S*/)?(\w+\.py)\b(.*?)(?=\w+\.py\b|$)", line):
            if script not in SCRIPTS:
                continue
            named += 1
            unknown = flags(arguments) - flags(help_of(script))
            assert not unknown, f"{script} has no {unknown}: {line}"
        if line.startswith("--"):
            named += 1
            assert flags(line) <= set().union(*(flags(help_of(script)) for script in SCRIPTS)), line
    assert named or page not in (SKILL, ROOT / "README.md")


def test_every_script_the_skill_runs_is_there():
    ran = {re.search(r"scripts/(\w+\.py)", command).group(1) for command in commands()}  # type: ignore[union-attr]
    assert ran == {"dream.py", "parse_mem0_config.py", "fetch_all.py", "find_dupes.py", "apply_plan.py"} <= set(SCRIPTS)


def test_every_argument_of_the_skill_is_an_option_of_the_command_line():
    named = set(re.findall(r"^\| `(--[a-z-]+)", read(SKILL), re.MULTILINE))
    assert named == {"--verbose", "--dry-run", "--auto", "--undo", "--schedule"}
    assert named <= flags(help_of("dream.py"))


def test_every_exit_code_is_one_that_the_scripts_use():
    told = {int(code) for code in re.findall(r"Exit (\d+)", read(SKILL))}
    kinds = (errors.DreamError, errors.UsageError, errors.AttentionNeeded, errors.Busy)
    assert told == {0, *(kind.exit_code for kind in kinds)}
    rows = re.findall(r"^\| (\d+) \|", read(SKILL.parent / "references" / "trouble.md"), re.MULTILINE)
    assert {int(row) for row in rows} == told - {0}


@each_page
def test_every_variable_of_ours_that_is_named_is_read_somewhere(page: Path):
    source = "\n".join(read(path) for path in (ROOT / "scripts").rglob("*.py"))
    for name in set(re.findall(r"\b(?:MEM0_DREAM|CODEX_SANDBOX|MEM0_SERVER)_[A-Z_]+\b", read(page))):
        assert name in source, name


# Files and links


@each_page
def test_every_link_lands(page: Path):
    prose = re.sub(r"^```.*?^```", "", read(page), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        landed = (page.parent / path).resolve() if path else page
        assert landed.exists(), target
        assert not anchor or anchor in anchors(landed), target


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", read(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_every_file_of_the_plugin_that_the_skill_names_is_there():
    named = re.findall(re.escape(ROOT_VARIABLE) + r"/([\w./-]+\w)", read(SKILL))
    assert any("references" in name for name in named)
    for name in named:
        assert (ROOT / name).exists(), name


def test_every_reference_is_named_in_the_skill_and_lies_one_level_deep():
    assert REFERENCES
    assert all(f"references/{page.name}" in read(SKILL) for page in REFERENCES)
    assert not [path for path in (SKILL.parent / "references").iterdir() if path.is_dir()]


def test_the_skill_needs_nothing_that_only_one_client_fills_in():
    text = read(SKILL).split("---\n", 2)[2]
    assert set(re.findall(r"\$\{?\w+\}?", text)) == {ROOT_VARIABLE, "$ARGUMENTS"}
    assert "!`" not in text and "disable-model-invocation" not in read(SKILL)
    assert "put the folder two above the one that holds this file" in text
    assert (SKILL.parent / ".." / ".." / "scripts" / "fetch_all.py").resolve().is_file()


# The texts a person reads


def test_the_report_in_the_skill_is_the_report_that_is_printed():
    records = {
        name: {"id": name * 8, "memory": f"memory {name}", "user_id": "u", "created_at": "2026-01-01T00:00:00Z"}
        for name in "abcde"
    }
    plan = Plan(STORE, Scope("u", "p"), memories={row["id"]: row for row in records.values()})
    plan.merges = [Merge("M1", ["a" * 8, "b" * 8], "safe", "memory a", "same")]
    plan.conflicts = [Conflict("C1", "c" * 8, "d" * 8, "memory", None, "other value")]
    plan.prunes = [Prune("P1", "e" * 8, "session_state", "retention", 120, 90)]
    printed = report.short(decisions(plan))
    (form,) = blocks(SKILL, "text")
    assert re.fullmatch(as_pattern(form.strip()), printed.strip()), printed


def test_the_report_in_the_readme_has_the_form_of_the_skill():
    shown = [block for block in blocks(ROOT / "README.md", "text") if block.startswith("## dream")]
    assert shown
    (form,) = blocks(SKILL, "text")
    for block in shown:
        assert re.fullmatch(as_pattern(form.strip()), block.strip())


def decisions(plan: Plan):
    from mem0_dream.review import answers

    return answers.decide(plan, {}, [])


def as_pattern(form: str) -> str:
    pattern = re.sub(r"<[^>]+?>", lambda _: r"[^\n]+?", re.escape(form).replace(r"\<", "<").replace(r"\>", ">"))
    return re.sub(r"(merges|prunes|conflicts)(?=,|\\\.)", r"\1?", pattern)  # "1 merge"


def test_the_fixed_lines_in_the_skill_are_the_lines_that_are_printed():
    text = read(SKILL)
    for line in (
        report.NOTHING_FOUND,
        report.CANCELLED,
        report.AUTO_BUSY,
        report.APPLY,
        "Which is current? [A/B/skip]",
    ):
        assert line in text, line
    assert report.no_memories("x").split(" x")[0] in text
