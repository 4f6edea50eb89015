"""Goal: LIKE finds what it should in long texts too, and no text and pattern keep others waiting.
Method: against a slow matcher that looks at every place; the worst text by its CPU time.
"""

from __future__ import annotations

import random
import time

import pytest

from ternmq.codec.selector.like import compile_pattern

pytestmark = pytest.mark.core


def slow_matches(pattern: str, text: str) -> bool:
    """Which ends of the text are reached by the pattern up to each of its characters."""
    reached = {0}
    for character in pattern:
        if character == "%":
            reached = set(range(min(reached), len(text) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(text) and character in ("_", text[at])}
    return len(text) in reached


def test_like_when_a_piece_fails_at_many_places_then_the_same_as_a_slow_matcher() -> None:
    rng = random.Random(20)
    found = 0
    for _ in range(1500):
        pattern = "%" + "".join(rng.choice("ab__%c") for _ in range(rng.randrange(3, 12))) + "%"
        text = "".join(rng.choices("abc", (30, 8, 1), k=rng.choice((10, 300))))
        made = compile_pattern(pattern, "")
        assert made is not None
        assert made.matches(text) == slow_matches(pattern, text), (pattern, text)
        found += made.matches(text)
    assert 200 < found < 1400


def test_like_when_the_text_is_the_worst_for_its_pattern_then_quick() -> None:
    made = compile_pattern("%" + "a_" * 4000 + "b%", "")
    assert made is not None
    begun = time.process_time()
    assert not made.matches("a" * 100_000)
    assert made.matches("a" * 100_000 + "b")
    assert time.process_time() - begun < 5  # about 0.2; place by place 60 for each
