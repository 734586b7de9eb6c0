"""One pass puts little before the model, and no output is so long that a client cuts it."""

from benchmarks import tokens


def test_a_pass_over_2000_memories_costs_at_most_a_twentieth_of_reading_them():
    cost = tokens.measure(2000)
    assert cost.ours <= cost.published / 20
    assert cost.largest < 30_000  # where Claude Code cuts
