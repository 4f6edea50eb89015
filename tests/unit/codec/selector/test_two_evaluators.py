"""Goal: the compiled evaluator and a slow second one refuse and select alike (S25).

Method: selectors and messages by chance, hypothesis over any text, and over patterns of LIKE. The
fuzz of the proof, PROPS, goes on with more seeds.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.codec.selector.like import compile_pattern
from ternmq.testing.chance import Chance
from tests.unit.codec.selector.selector_samples import (
    NUMERALS,
    PIECES,
    SPACES,
    compare,
    compare_by_chance,
)
from tests.unit.codec.selector.slow_evaluator import judge

pytestmark = pytest.mark.core

pieces = st.sampled_from((*PIECES, *NUMERALS, *SPACES))


@pytest.mark.parametrize("block", range(4))
def test_selectors_by_chance_are_judged_alike(block: int) -> None:
    outcomes = [
        compare_by_chance(Chance(f"S25/{seed}")) for seed in range(block * 500, block * 500 + 500)
    ]
    assert {"compiled", "refused"} == set(outcomes)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_judged_alike(text: str) -> None:
    compare(text, [{"a": 1}])
    compare(f"a = {text}", [{"a": 1}])
    compare(f"{text} = 1", [{"a": 1}])


@settings(max_examples=300, deadline=None)
@given(st.lists(pieces, max_size=12), st.sampled_from((" ", "")))
def test_any_words_are_judged_alike(words: list[str], between: str) -> None:
    compare(between.join(words), [{"a": 1, "x": "a"}, {}])


@settings(max_examples=500, deadline=None)
@given(st.text("ab_%!", max_size=10), st.text("ab", max_size=14), st.sampled_from(("", "!", "%")))
def test_any_pattern_matches_as_a_table_says(pattern: str, value: str, escape: str) -> None:
    clause = f" ESCAPE '{escape}'" if escape else ""
    slow = judge(f"a LIKE '{pattern}'{clause}", [{"a": value}])
    made = compile_pattern(pattern, escape)
    assert slow == (2459 if made is None else [made.matches(value)])
