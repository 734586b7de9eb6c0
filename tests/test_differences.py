"""What differs between two texts, by words, in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mem0_dream.matching.differences import brought, differences
from mem0_dream.planning.quotation import quotation


def only(parts):
    """The parts that differ, each named once."""
    return list(dict.fromkeys(part.text.strip() for part in parts if part.differs))


def marked(parts, before, after):
    return "".join(f"{before}{part.text}{after}" if part.differs else part.text for part in parts)


def shown(a, b):
    old, new = differences(a, b)
    return marked(old, "[-", "-]"), marked(new, "{+", "+}")


def test_what_is_shared_is_plain_and_what_differs_is_marked():
    assert shown("Timeouts are 30s here.", "Timeouts are 60s here.") == (
        "Timeouts are [-30s-] here.",
        "Timeouts are {+60s+} here.",
    )


def test_equal_texts_have_no_mark():
    assert shown("Use pnpm, never npm.", "Use pnpm, never npm.") == ("Use pnpm, never npm.", "Use pnpm, never npm.")


@pytest.mark.parametrize(
    ("a", "b", "old", "new"),
    [
        ("cut -d out", "cut -D out", "-d", "-D"),
        ("written in C++ today", "written in C today", "C++", "C"),
        ("pin v1.2.3 now", "pin v1.2.4 now", "v1.2.3", "v1.2.4"),
        ("read src/a.py first", "read src/b.py first", "src/a.py", "src/b.py"),
        ("load 40% of it", "load 45% of it", "40%", "45%"),
        ("超时是30秒", "超时是60秒", "30", "60"),
        ("用中文写", "用英文写", "中", "英"),
        ("テストを先に書く", "テストを後に書く", "先", "後"),
        ("Часовой пояс Москва", "Часовой пояс Минск", "Москва", "Минск"),
    ],
)
def test_a_word_is_marked_whole_and_alone(a, b, old, new):
    first, second = differences(a, b)
    assert (only(first), only(second)) == ([old], [new])


def test_a_combining_mark_stays_with_its_letter():
    old, _ = differences("ค่า", "คา")
    assert only(old) == ["ค่"]


def test_a_space_between_two_marked_words_is_marked_with_them():
    assert shown("ask the old team", "ask everybody")[0] == "ask [-the old team-]"


def test_other_blanks_between_the_same_words_do_not_differ():
    assert not any(part.differs for side in differences("a  b\nc", "a b c") for part in side)


def test_very_long_texts_that_share_nothing_are_marked_whole():
    a, b = " ".join(f"a{i}" for i in range(3000)), " ".join(f"b{i}" for i in range(3000))
    assert only(differences(f"same {a}", f"same {b}")[0]) == [a]


def test_brought_marks_the_words_that_no_other_text_has():
    parts = brought("Postgres 15 on db-1, tuned", ["postgres 15", "On db-1,"])
    assert only(parts) == ["tuned"]


@given(st.text(), st.text())
def test_the_parts_joined_are_the_texts_unchanged(a, b):
    old, new = differences(a, b)
    assert ("".join(part.text for part in old), "".join(part.text for part in new)) == (a, b)


@given(st.lists(st.sampled_from(["x", "y", "z", "，", "数"])), st.lists(st.sampled_from(["x", "y", "z", "，", "数"])))
def test_what_is_not_marked_reads_the_same_on_both_sides(a, b):
    old, new = differences(" ".join(a), " ".join(b))
    plain = ["".join(part.text for part in side if not part.differs).split() for side in (old, new)]
    assert plain[0] == plain[1]


@pytest.mark.parametrize(
    ("older", "newer", "line"),
    [
        ("The client times out after 30s", "The client times out after 60s", "The client times out after 30s / 60s"),
        ("Flags are allowed.", "Flags are not allowed.", "Flags are allowed / not allowed."),
        ("Deploy to ECS", "Deploy to Fly.io", "Deploy to ECS / Fly.io"),
        ("部署到 ECS", "部署到 Vercel", "部署到 ECS / Vercel"),
        ("支付回调超时30秒", "支付回调超时60秒", "支付回调超时30 / 60秒"),
        ("* * build * * by make", "* * build * * by just", "* * build * * by make / just"),
        ("Reviews need 👩‍💻 now", "Reviews need 👩‍🚀 now", "Reviews need 👩‍💻 / 👩‍🚀 now"),
        ("Retry in the client", "Calls to the forge back off", "Retry in the client / Calls to the forge back off"),
    ],
)
def test_what_two_versions_say_differently_is_quoted_as_it_is_written(older, newer, line):
    assert quotation([older, newer]) == line


def test_a_chain_of_versions_is_one_quotation():
    assert quotation(["Pin it to 1.2", "Pin it to 1.3", "Pin it to 1.4"]) == "Pin it to 1.2 / 1.3 / 1.4"


@pytest.mark.parametrize("before", [0, 5, 60, 300])
@pytest.mark.parametrize("after", [0, 5, 60, 300])
def test_a_quotation_is_cut_so_that_both_values_can_be_read(before, after):
    texts = [f"{'word ' * before}30s{' more' * after}", f"{'word ' * before}60s{' more' * after}"]
    quote = quotation(texts)
    assert "30s / 60s" in quote and len(quote) <= 95


def test_a_quotation_of_texts_that_share_nothing_is_cut():
    assert len(quotation(["x" * 500, "y" * 500])) <= 115
