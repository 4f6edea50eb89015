"""Randomness as the core sees it: identities and keys, never decisions."""

from __future__ import annotations

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Entropy:
    """A source of bytes that cannot be guessed."""

    def bytes(self, count: int) -> bytes:
        raise NotImplementedError
