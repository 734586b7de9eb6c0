"""What mem0.md says, in every spelling people write; what cannot be read prunes nothing and is told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import parse_mem0_config
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mem0_dream.config import mem0_md, policies
from mem0_dream.errors import DreamError
from mem0_dream.runs import documents

SCRIPT = Path(__file__).parent.parent / "scripts" / "parse_mem0_config.py"


def parse(body: str, heading: str = "## Retention") -> policies.Policies:
    return policies.parse(f"# A project\n\n{heading}\n{body}\n")


def loaded(folder: Path, content: str | bytes) -> policies.Policies:
    (folder / "mem0.md").write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return policies.load(folder)


def printed(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-S", "-E", str(SCRIPT), *arguments]  # -S: no package is in reach
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)


@pytest.mark.parametrize(
    ("written", "days"),
    [
        ("90d", 90),
        ("90D", 90),
        ("90 d", 90),
        ("90 days", 90),
        ("90-day", 90),
        ("1 day", 1),
        ("2w", 14),
        ("3 weeks", 21),
        ("3m", 90),
        ("6 months", 180),
        ("1 year", 365),
        ("P90D", 90),
        ("keep for 30 days", 30),
        ("after 30 days", 30),
        ("30d.", 30),
        ("30d (a month or so)", 30),
        ("30d # a month or so", 30),
        ("`30d`", 30),
        ("**30d**", 30),
        ('"30d"', 30),
        ("~~90d~~ 30d", 30),
        ("0d", 0),
        ("９０ｄ", 90),
        ("٣d", 3),
        ("90 天", 90),
        ("6 个月", 180),
        ("forever", None),
        ("Forever.", None),
        ("**never**", None),
        ("never prune", None),
        ("keep forever", None),
        ("永久", None),
    ],
)
def test_a_time_is_read_however_it_is_written(written, days):
    assert parse(f"note: {written}").retention == {"note": days}


@pytest.mark.parametrize(
    "written",
    ["-5d", "1.5d", "90", "soon", "~90d", "90d, decision: 30d", "3 moons", "90 d d", "9" * 5000 + "d", "at least 90d"],
)
def test_a_value_that_is_no_time_is_told_with_its_line_and_never_prunes(written):
    found = parse(f"\nnote: {written}\ndecision: 30d")
    assert (found.retention, found.unreadable) == ({"decision": 30}, ["note"])
    assert not found.may_prune("note") and found.may_prune("decision")
    assert len(found.notes) == 1 and found.notes[0].startswith("mem0.md line 5 is not read: ")


def test_an_empty_value_never_prunes():
    assert parse("note:").unreadable == ["note"]


@pytest.mark.parametrize(
    "line",
    [
        "note: 7d",
        "- note: 7d",
        "* note: 7d",
        "  + note: 7d",
        "1. note: 7d",
        "- [x] note: 7d",
        "**note**: 7d",
        "- **note:** 7d",
        "*note*: 7d",
        "__note__: 7d",
        "`note`: 7d",
        "`note: 7d`",
        '"note": 7d',
        "note : 7d",
        "note：7d",
        "note = 7d",
        "note — 7d",
        "note → 7d",
        "| note | 7d | scratch |",
        "| Type | Keep |\n|------|:----:|\n| note | 7d |",
        "Type | Keep\n--- | ---\nnote | 7d",
        "These go first:\nnote: 7d",
        "# a comment\nnote: 7d",
        "<!-- note: 9d -->\nnote: 7d",
        "\u200bnote: 7d",
        "note:\u00a07d",
    ],
)
def test_a_line_is_read_however_it_is_decorated(line):
    found = parse(line)
    assert (found.retention, found.unreadable, found.notes) == ({"note": 7}, [], [])


def test_several_types_may_share_a_line():
    assert parse("note, draft: 7d").retention == {"note": 7, "draft": 7}


@pytest.mark.parametrize(
    "heading",
    [
        "## Retention",
        "##Retention",
        "  ## retention ##",
        "## RETENTION policies",
        "## **Retention**",
        "## 🗑 Retention",
        "### Retention",
        "# Retention",
        "## Memory retention",
        "Retention\n---------",
    ],
)
def test_the_heading_is_found_however_it_is_written(heading):
    assert parse("note: 7d", heading).retention == {"note": 7}


@pytest.mark.parametrize("heading", ["## Retentionals", "## Search", "Retention"])
def test_another_heading_is_not_taken_for_it(heading):
    assert parse("note: 7d", heading).retention == {}


def test_the_section_ends_at_the_next_heading_and_may_come_again():
    text = "note: 7d\n### by the way\ndraft: 8d\n# a comment\n## Search\nlimit: 9d\n## Retention\nlast: 10d"
    assert parse(text).retention == {"note": 7, "draft": 8, "last": 10}


def test_what_stands_in_a_code_fence_is_not_read_and_is_told():
    found = parse("```\nnote: 7d\n```\ndraft: 8d")
    assert found.retention == {"draft": 8}
    assert found.notes == [
        "mem0.md line 4 opens a code fence, and what stands in one is not read; take the fence away."
    ]


def test_a_heading_in_a_code_fence_is_not_read():
    assert policies.parse("~~~~\n## Retention\nnote: 7d\n~~~\n~~~~\n").retention == {}


def test_of_two_values_the_later_counts_and_is_told():
    found = parse("note: 7d\nnote: 9d")
    assert found.retention == {"note": 9}
    assert found.notes == ["mem0.md line 5 sets note again; this later value counts."]


@pytest.mark.parametrize("body", ["note: 7d\nnote: soon", "note: soon\nnote: 7d"])
def test_a_type_with_a_readable_and_an_unreadable_value_never_prunes(body):
    found = parse(body)
    assert (found.retention, found.unreadable) == ({}, ["note"])


@pytest.mark.parametrize("content", [None, "", "# Nothing\n"])
def test_the_defaults_hold_where_nothing_is_configured(tmp_path, content):
    found = policies.load(tmp_path) if content is None else loaded(tmp_path, content)
    assert found.retention == {"session_state": 90, "compact_summary": 90}
    assert found.unreadable == found.notes == []


def test_the_defaults_do_not_hold_where_anything_is_configured(tmp_path):
    assert loaded(tmp_path, "## Retention\ndecision: forever\n").retention == {"decision": None}


@pytest.mark.parametrize(
    "content",
    [
        "## Retention\nkeep everything as long as we can\n",
        "## Retention\n```\nsession_state: forever\n```\n",
        "```\nsome code\n\n## Retention\nsession_state: forever\n",
        b"\xff\xfe\x00",
        b"## Retention\nsession_state: forever\n\0\0\0",
        b"x" * 1_000_001,
    ],
)
def test_a_retention_that_cannot_be_read_at_all_prunes_nothing_and_is_told(tmp_path, content):
    found = loaded(tmp_path, content)
    assert found.retention == {} and found.notes
    assert not found.may_prune("session_state") and not found.may_prune("anything")


def test_a_dangling_link_counts_as_a_file_that_cannot_be_read(tmp_path):
    try:
        (tmp_path / "mem0.md").symlink_to(tmp_path / "gone")
    except OSError:
        pytest.skip("this system makes no links")
    assert not policies.load(tmp_path).may_prune("session_state")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_pipe_of_that_name_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "mem0.md")
    assert policies.load(tmp_path).unreadable == [policies.ALL]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_the_file_is_read_in_every_encoding_and_with_every_line_ending(tmp_path, encoding, ending):
    text = ending.join(["## Retention", "note: 7d # für später", "draft: soon", ""])
    found = loaded(tmp_path, text.encode(encoding))
    assert found.retention == {"note": 7}
    assert found.notes[0].startswith("mem0.md line 3 ")


def test_the_file_is_looked_for_up_to_the_root_of_the_repository(tmp_path):
    deep = tmp_path / "repository" / "src" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "mem0.md").write_text("outside", encoding="utf-8")
    assert mem0_md.find(deep) is None
    (tmp_path / "repository" / ".git").mkdir()
    assert mem0_md.find(deep) is None
    (tmp_path / "repository" / ".git" / "HEAD").write_text("ref: refs/heads/main", encoding="utf-8")
    assert mem0_md.find(deep) is None
    (tmp_path / "repository" / "mem0.md").write_text("root", encoding="utf-8")
    assert mem0_md.find(deep) == tmp_path / "repository" / "mem0.md"
    (deep.parent / "MEM0.md").write_text("nearer", encoding="utf-8")
    assert mem0_md.find(deep) == deep.parent / "MEM0.md"
    (deep / "mem0.md").mkdir()
    assert mem0_md.find(deep) == deep.parent / "MEM0.md"


@pytest.mark.parametrize("hostile", ["<!--", "`a ", "* ", "# a   ", "~~a", "(", "- ", "a:", "|", "_a_ ", "0", " \t"])
def test_a_hostile_line_is_read_in_one_go(hostile):
    policies.parse("## Retention\n" + hostile * (100_000 // len(hostile)) + "b")


@given(st.text(alphabet=st.sampled_from("ab:|-=#*_`~<!>() 09dw٣\n\r\t，：\u200b"), max_size=200))
def test_whatever_stands_in_the_file_a_policy_is_days_or_never_and_a_note_is_one_line(text):
    found = policies.parse(f"## Retention\n{text}\n## Dream\n{text}")
    assert all(days is None or days >= 0 for days in found.retention.values())
    assert not set(found.retention) & set(found.unreadable)
    assert all(note.isprintable() and note.endswith(".") for note in found.notes)


def dream(body: str) -> policies.Policies:
    return policies.parse(f"## Dream\n{body}\n")


def test_every_setting_of_dream_is_read():
    body = (
        "- auto: Safe\n- **conflict_loser**: supersede\nprune: expire\nprune in auto: no\nReminder: off\n"
        "questions: ５\nmax-removed: 10 %\nkeep_runs: 2 years"
    )
    found = dream(body)
    assert found.settings == policies.Settings("safe", "supersede", "expire", False, False, 5, 10, 730)
    assert found.notes == []


@pytest.mark.parametrize(("written", "days"), [("30", 30), ("30d", 30), ("6 months", 180), ("forever", 36500)])
def test_keep_runs_is_a_time(written, days):
    assert dream(f"keep_runs: {written}").settings.keep_runs == days


@pytest.mark.parametrize(
    "line",
    [
        "auto: sometimes",
        "conflict_loser: keep",
        "prune: never",
        "prune_in_auto: perhaps",
        "reminder: 2",
        "questions: many",
        "questions: -1",
        "max_removed: half",
        "max_removed: 26%",
        "max_removed: 100",
        "keep_runs: 1.5",
        "colour: red",
        "be gentle",
    ],
)
def test_a_setting_that_cannot_be_followed_is_told_and_the_default_kept(line):
    found = dream(line)
    assert found.settings == policies.Settings()
    assert len(found.notes) == 1 and found.notes[0].startswith("mem0.md line 2 ")


def test_a_setting_that_cannot_be_followed_does_not_stop_the_default_retention(tmp_path):
    assert loaded(tmp_path, "## Dream\nauto: sometimes\n").retention == policies.DEFAULTS


def test_a_policy_that_no_memory_has_is_told_with_the_likeliest_name():
    found = parse("sesion_state: 7d\nnote: 7d\nzebra: never")
    assert policies.unmatched(found, ["session_state", "note"]) == [
        'mem0.md has a retention for "sesion_state", but no memory has that type; did you mean "session_state"?',
        'mem0.md has a retention for "zebra", but no memory has that type.',
    ]
    assert policies.unmatched(found, []) == []


def test_the_defaults_are_never_called_unmatched(tmp_path):
    assert policies.unmatched(policies.load(tmp_path), ["decision"]) == []


def test_policies_survive_the_way_through_their_document(tmp_path):
    found = loaded(tmp_path, "## Retention\na: 7d\nb: forever\nc: soon\n## Dream\nauto: safe\nmax_removed: 5\n")
    documents.write(tmp_path / "policies.json", "policies", found.to_document())
    back = policies.Policies.from_document(documents.read(tmp_path / "policies.json", "policies"))
    found.notes = []
    assert back == found


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"retention": {"a": "7d"}}, "retention.a"),
        ({"retention": {"a": True}}, "retention.a"),
        ({"retention": {"a": -1}}, "retention.a"),
        ({"dream": {"auto": "yes"}}, "dream.auto"),
        ({"dream": {"questions": "20"}}, "dream.questions"),
        ({"dream": {"reminder": 1}}, "dream.reminder"),
        ({"dream": {"max_removed": 80}}, "dream.max_removed"),
    ],
)
def test_a_document_with_a_value_that_cannot_be_is_refused_by_name(change, field):
    with pytest.raises(DreamError, match=field):
        policies.Policies.from_document({**policies.Policies().to_document(), **change})


def test_the_script_prints_the_retention_as_json(tmp_path):
    loaded(tmp_path, "## Retention\nsession_state: 90d\ndecision: forever\nnote: soon\n")
    done = printed(str(tmp_path))
    assert (done.returncode, json.loads(done.stdout)) == (0, {"session_state": 90, "decision": None, "note": None})
    told = 'mem0.md line 4 is not read: "soon" is no time to keep; write "90d" or "forever"'
    assert done.stderr == f"{told} (until then no note is pruned).\n"


def test_the_script_prints_an_empty_object_where_nothing_is_configured(tmp_path):
    done = printed(str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "{}\n", "")


def test_the_script_gives_nobody_a_reason_to_apply_the_defaults_to_a_file_it_cannot_read(tmp_path):
    loaded(tmp_path, b"\xff\xfe\x00")
    done = printed(str(tmp_path))
    assert json.loads(done.stdout) == {"session_state": None, "compact_summary": None}
    assert "nothing is pruned" in done.stderr


FULL = """## Retention
note: 7d
## Search
limit: 20
## Categories
- decisions
- fixes
## Identity
user_id: someone
project_id: a-project
## Ignore
- *.lock
**/build
# not this
## Settings
skip: Explore|Plan
## Instructions
Remember decisions,
see #12.
# a comment
## Agent Instructions
Remember tools.
"""


def test_the_script_prints_every_section_with_full(tmp_path):
    loaded(tmp_path, FULL)
    assert json.loads(printed("--full", str(tmp_path)).stdout) == {
        "retention": {"note": 7},
        "search": {"limit": "20"},
        "categories": ["decisions", "fixes"],
        "default_categories": ["decisions", "fixes"],
        "identity": {"user_id": "someone", "project_id": "a-project"},
        "project_id": "a-project",
        "ignore": ["*.lock", "**/build"],
        "settings": {"skip": "Explore|Plan"},
        "instructions": "Remember decisions, see #12.",
        "agent_instructions": "Remember tools.",
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [("settings.skip", "Explore|Plan"), ("retention.note", "7"), ("search.absent", ""), ("instructions.x", "")],
)
def test_the_script_prints_one_value_with_key(tmp_path, key, value):
    loaded(tmp_path, FULL)
    assert printed(f"--key={key}", str(tmp_path)).stdout == f"{value}\n"


@pytest.mark.parametrize("arguments", [["no-such-folder"], ["--nonsense"], [".", "."], ["--key"]])
def test_the_script_refuses_wrong_arguments_in_one_sentence(arguments):
    done = printed(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_the_module_can_stand_in_for_the_one_of_mem0(tmp_path, monkeypatch):
    loaded(tmp_path, FULL)
    monkeypatch.chdir(tmp_path)
    assert parse_mem0_config.find_mem0_config(str(tmp_path)) == str(tmp_path / "mem0.md")
    assert parse_mem0_config.load_retention_policies() == {"note": 7}
    assert parse_mem0_config.load_full_config()["project_id"] == "a-project"
    assert parse_mem0_config.parse_retention("## Retention\na: 7d\nb: soon\n") == {"a": 7}
    assert parse_mem0_config.parse_section_kv(FULL, "Identity")["user_id"] == "someone"
    assert parse_mem0_config.parse_section_list(FULL, "Categories") == ["decisions", "fixes"]
    assert parse_mem0_config.parse_section_text(FULL, "Agent Instructions") == "Remember tools."
    assert parse_mem0_config.parse_ignore_patterns(FULL) == ["*.lock", "**/build"]


@pytest.mark.parametrize("days", ["36501", "999999999999", "9" * 60 + " years"])
def test_an_absurd_time_to_keep_runs_is_told_and_not_followed(days):
    found = dream(f"keep_runs: {days}")
    assert found.settings.keep_runs == 365
    assert len(found.notes) == 1 and len(found.notes[0]) < 200


@pytest.mark.parametrize(
    "content",
    [
        "## Retention\n\n# only a comment\n## Search\na: 1\n",
        "## Retention\n",
        "## Retention: forever\n",
        "**Retention**\nsession_state: forever\n",
        "## Retension\nsession_state: forever\n",
        "## Data retention\nsession_state: forever\n",
        "Retention:\n  session_state: forever\n",
        "---\nretention:\n  session_state: forever\n---\n",
        "## Retention\n*: forever\n",
        "## Retention\n- default: never\n",
        "**Retention**: forever\n",
        "- Retention: forever\n",
        "* **Retention:** keep everything\n",
        "    ## Retention\n    session_state: forever\n",
        "> ## Retention\n> session_state: forever\n",
        "<h2>Retention</h2>\nsession_state: forever\n",
        "RETENTION\nsession_state: forever\n",
        "---\nretention: forever\n---\n",
        "+++\n[retention]\nsession_state = 'forever'\n+++\n",
        '{"retention": {"session_state": "forever"}}',
        "```yaml\nretention:\n  session_state: forever\n```\n",
        "retention.session_state: forever\n",
        "## Dream\nretention: forever\n",
        "## Settings\nretention_session_days: 365\n",
        "## Aufbewahrung\nsession_state: forever\n",
        "- session state: 2 years\n",
        "## Never prune\n- session_state\n",
    ],
)
def test_a_retention_that_is_there_and_cannot_be_read_prunes_nothing_and_is_told(tmp_path, content):
    found = loaded(tmp_path, content)
    assert not found.may_prune("session_state") and not found.may_prune("decision")
    assert "mem0.md has no retention that can be read, so nothing is pruned." in found.notes


@pytest.mark.parametrize(
    "content",
    [
        "We talk about retention here.\n",
        "## Attention\nx: 1d\n",
        "## Notes\n- retention policy: see the wiki\n",
        "## Categories\n- session_state\n- retention\n",
        "## Notes\nsession_state: what the Stop hook writes\n",
        "## Dream\nprune: expire\nkeep_runs: 90d\n",
        "<!-- ## Retention\nsession_state: forever -->\n",
    ],
)
def test_a_file_that_only_mentions_the_word_has_the_defaults(tmp_path, content):
    found = loaded(tmp_path, content)
    assert (found.retention, found.notes) == (policies.DEFAULTS, [])


@pytest.mark.parametrize("key", ["*", "default", "Everything else"])
def test_a_key_for_every_type_is_told_and_read_for_none(key):
    found = policies.parse(f"## Retention\n{key}: 30d\nsession_state: 9d\n")
    assert found.retention == {"session_state": 9}
    assert found.notes == [f'mem0.md line 2 is not read: "{key}" is no type; name each type by itself.']


def test_a_file_full_of_slips_is_told_in_few_lines(tmp_path):
    found = loaded(tmp_path, "## Retention\n" + "".join(f"type {n}: soon\n" for n in range(5000)))
    assert len(found.notes) == 21 and found.notes[-1] == "4980 more lines of mem0.md are not read as they may be meant."
    assert len(found.unreadable) == 5000


def test_a_file_larger_than_any_settings_is_refused_in_a_sentence(tmp_path):
    found = loaded(tmp_path, "## Retention\n" + "x: 1d\n" * 200_000)
    assert not found.may_prune("x") and len(found.notes) == 1 and "larger than 100,000 bytes" in found.notes[0]
