"""Words that a mistyped one may have meant: near ones are found, and a word that nothing can be
near is not looked at, however long it is."""

from __future__ import annotations

import pytest

from ternmq.base.similar import did_you_mean, similar

WORDS = ["MAXDEPTH", "MAXMSGL", "DESCR", "GET"]


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ("MAXDEPHT", ["MAXDEPTH"]),
        ("maxdept", ["MAXDEPTH"]),
        ("DESC", ["DESCR"]),
        ("GETT", ["GET"]),
        ("ZZZZ", []),
        ("", []),
        ("GET", []),
    ],
)
def test_word_when_mistyped_then_the_near_ones(wrong: str, expected: list[str]) -> None:
    assert similar(wrong, WORDS) == expected


def test_word_when_very_long_then_it_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("difflib.SequenceMatcher", None)
    assert similar("MAXDEPTH" * 1_000_000, WORDS) == []
    assert did_you_mean("MAXDEPTH" * 3, WORDS) == ""
