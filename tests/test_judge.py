import itertools
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mem0_dream.matching.classifier import Judgement, explain, judge, weighed
from mem0_dream.matching.text import read

from tests.test_text import ODD

NOTES = [
    "The gateway closes idle sockets after 30s",
    "The gateway closes idle sockets after 60s",
    "Idle sockets are closed by the gateway after 30 seconds",
    "**Never** edit files below `gen/`",
    "Edit files below `gen/` with the generator",
    "Run `just lint` before every commit",
    "Run `make lint` before every commit",
    "The parser lives in src/read/parse.py",
    "The parser lives in src/parse.py",
    "Alma reviews the work of Bruno",
    "Bruno reviews the work of Alma",
    "不要使用旧的接口",
    "使用旧的接口",
    "キャッシュは5分で消える",
    "Кэш живёт 5 минут",
    "Кэш живёт пять минут",
]
WORDS = st.sampled_from(
    [
        *(
            "the",
            "gateway",
            "closes",
            "not",
            "never",
            "30s",
            "60s",
            "src/a.py",
            "src/b.py",
            "`-d`",
            "-D",
            "Alma",
            "Bruno",
        ),
        *("only", "all", "staging", "production", "use", "tabs", "缓存", "保留", "5分", "кэш", "живёт", "✅", "❌"),
        *("~~old~~", "C", "C++", "*", "**", "__init__", "a", "an", "is", "was"),
    ]
)


def told(a: str, b: str) -> Judgement:
    return judge(read(a), read(b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Keep the lock file under version control", "keep the **lock file** under version control."),
        ("缓存保留五分钟。", "缓存保留五分钟"),
    ],
)
def test_one_statement_written_twice_needs_nobody(a, b):
    assert told(a, b).safe
    assert told(a, b).kind == "duplicate"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Only the release team may tag", "ONLY the release team may tag"),
        ("The issue is a race in the watcher", "Issue is a race in the watcher"),
        ("Run **`task lint`** before a commit", "Run `task lint` before a commit"),
        ("“The office is in Porto”", "The office is in Porto."),
        ("Alma has opened a ticket for it", "Alma opened a ticket for it"),
        ("Name hooks use[Action] in the web app", "Name hooks `use[Action]` in the web app"),
        ("🚀 Deploy from the release branch", "Deploy from the release branch"),
    ],
)
def test_what_no_row_of_the_table_allows_is_asked(a, b):
    assert (told(a, b).kind, told(a, b).safe) == ("duplicate", False)


@pytest.mark.parametrize(
    ("a", "b", "topic"),
    [
        ("The gateway closes sockets after 30s", "The gateway closes sockets after 60s", "same but for 30s / 60s"),
        ("The store parser is in src/a.py", "The store parser is in src/b.py", "other file: src/a.py / src/b.py"),
        ("Enable strict mode in the compiler", "Do not enable strict mode in the compiler", "negated"),
        ("Run `just lint` before a commit", "Run `make lint` before a commit", "same but for just / make"),
        ("缓存保留5分钟", "缓存保留15分钟", "same but for 5 分钟 / 15 分钟"),
    ],
)
def test_another_value_for_the_same_thing_is_a_conflict_and_says_which(a, b, topic):
    found = told(a, b)
    assert (found.kind, found.differs[0]) == ("conflict", topic)
    assert found.why.startswith(topic)


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (
            "Run testing/runner # the suite runner",
            "Run testing/suite # the suite runner",
            "testing/runner / testing/suite",
        ),
        ("Steps done (sync, pre-commit, tests)", "Steps done (sync, prek, tests)", "pre commit / prek"),
    ],
)
def test_a_compound_is_told_as_a_whole(a, b, why):
    assert told(a, b).why == f"same but for {why}"


def test_one_that_says_more_covers_the_other():
    found = told("Deploy from the release branch", "Deploy from the release branch after the smoke test")
    assert (found.kind, found.safe, found.why) == ("covers", False, "only one says: after smoke test")


def test_a_denial_in_fewer_words_is_a_contradiction():
    found = told("Cache the results of the product search in Redis", "Do not cache results of the product search")
    assert (found.kind, found.differs[0]) == ("conflict", "negated")


def test_a_not_of_its_own_makes_no_denial():
    text = "The smoke test checks the login page"
    assert told(text, f"{text} (no manual setup needed)").kind == "covers"


def test_a_change_of_order_is_told():
    assert told("Tell Alma when the build fails", "When the build fails, tell Alma").why == "other order"


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("Copy .env to the new host", "Copy env to the new host", "same but for .env / env"),
        ("The client is in Reading today", "The client is in reading today", "same but for Reading / reading"),
        ("Never\n\nDeploy on a Friday", "Never deploy on a Friday", "same but for Deploy / deploy"),
        ("Write grey, not gray", "Write gray, not grey", "changed over: grey / gray"),
        ("Delete old logs, in prod keep them", "Delete old logs in prod, keep them", "other marks"),
    ],
)
def test_a_mark_or_a_capital_that_differs_is_told(a, b, why):
    assert told(a, b).why == why


def test_what_shares_nothing_is_distinct_and_not_near():
    found = told("The office is in Porto", "Retry a failed webhook")
    assert (found.kind, found.near, found.score) == ("distinct", False, 0.0)


@pytest.mark.parametrize(
    "hidden", ["Pay the inv\u200boice at noon", "Pay the inv\u043eice at noon", "Pay\u202e the invoice at noon"]
)
def test_hidden_characters_match_nothing(hidden):
    assert told(hidden, "Pay the invoice at noon").kind == "distinct"


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations([text for text in ODD if text.strip()], 2)))
def test_odd_input_neither_crashes_nor_matches(a, b):
    assert not told(a, b).safe


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:12]))
def test_odd_input_does_not_match_a_note(text):
    assert told(text, "The gateway closes idle sockets after 30s").kind == "distinct"


def unsided(found: Judgement) -> tuple:
    return found.kind, found.safe, round(found.score, 9), found.near


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations(NOTES, 2)))
def test_the_judge_does_not_care_which_comes_first(a, b):
    assert unsided(told(a, b)) == unsided(told(b, a))


@given(st.lists(WORDS, min_size=1, max_size=9), st.data())
def test_any_two_texts_are_judged_the_same_both_ways(words, data):
    a, b = " ".join(words), " ".join(data.draw(st.permutations(words))[: data.draw(st.integers(1, len(words)))])
    assert unsided(told(a, b)) == unsided(told(b, a))


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_two_texts_crash_it(a, b):
    assert unsided(told(a, b)) == unsided(told(b, a))


@given(st.lists(WORDS, min_size=2, max_size=9), st.integers(0, 8))
def test_a_changed_detail_is_never_merged_unasked(words, place):
    """One word replaced by a detail that the text does not have."""
    place %= len(words)
    changed = [*words[:place], "src/z.py", *words[place + 1 :]]
    assert not told(" ".join(words), " ".join(changed)).safe


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations(NOTES, 2)))
def test_capitals_and_markup_change_no_judgement(a, b):
    """A capital at the beginning and emphasis around a word of prose, as people write."""
    plain = told(a, b)
    dressed = told(dress(a, random.Random(1)), b)
    assert (dressed.kind, dressed.safe) == (plain.kind, plain.safe)


def dress(text: str, chance: random.Random) -> str:
    words = text.split(" ")
    prose = [i for i, word in enumerate(words) if word.isalpha() and word.islower() and word.isascii()]
    if prose:
        i = chance.choice(prose)
        words[i] = f"**{words[i]}**"
    return "- " + " ".join(words) + "."


def test_a_reading_can_be_judged_often():
    a, b = read(NOTES[0]), read(NOTES[1])
    assert judge(a, b) == judge(a, b)


def test_a_plainly_distinct_pair_can_be_explained():
    found = explain(read("The office is in Porto"), read("Retry a failed webhook"))
    assert found.kind == "distinct"
    assert found.differs == ["same but for office Porto / retry failed webhook"]


def test_a_judgement_names_the_evidence_that_spoke_loudest():
    told_by = weighed(read("The gateway closes sockets after 30s"), read("The gateway closes sockets after 60s"))
    assert "other numbers in like texts +" in told_by.split("a contradiction: ")[1]


def test_evidence_does_not_depend_on_the_order_of_sets():
    """The hash of a text changes with every start of Python; what is weighed must not."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from mem0_dream.matching.features import evidence; from mem0_dream.matching.text import read\n"
        "a = read(' '.join(f'a/{name}.py' for name in 'one two three four five six seven'.split()))\n"
        "b = read(' '.join(f'b/{name}.md' for name in 'one ten twelve thirteen forty fifty sixty'.split()))\n"
        "print(sorted(evidence(a, b).items()))"
    )
    scripts = str(Path(__file__).parent.parent / "scripts")
    said = {
        subprocess.run(
            [sys.executable, "-c", code, scripts],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "012345"
    }
    assert len(said) == 1


@pytest.mark.parametrize(
    ("says", "denies"),
    [
        ("Feature flags are allowed", "Feature flags are not allowed"),
        ("Always use the vault", "Never use the vault"),
        ("Commit lock files", "Don't commit lock files"),
        ("Deploying on Fridays is fine", "Never deploy on Fridays"),
    ],
)
def test_where_one_side_only_denies_the_other_it_is_a_contradiction(says, denies):
    assert judge(read(says), read(denies)).kind == judge(read(denies), read(says)).kind == "conflict"
