"""How far a start is: whatever starts a queue manager may show it while the start goes on."""

from __future__ import annotations

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Progress:
    """Receives the progress of a start; this one ignores it."""

    def replayed(self, records: int) -> None:
        """So many records of the log are replayed, and there may be more."""

    def said(self, line: str) -> None:
        """A step is done: a line of the engine's report."""
