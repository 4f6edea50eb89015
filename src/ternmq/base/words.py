"""Counts as words: 1 message, 2 messages."""

from __future__ import annotations

from typing import Final

_IRREGULAR: Final = {"anomaly": "anomalies"}


def count_text(count: int, noun: str) -> str:
    """The count and the noun in the form that goes with it; the last word of the noun changes."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {_IRREGULAR.get(noun, noun + 's')}"
