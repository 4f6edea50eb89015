"""Warns of connections that an application drops without disconnecting, as Python warns of files
that were not closed. The caller backs out their unit of work."""

from __future__ import annotations

import sys
import warnings


def warn_dropped(name: str, in_unit: bool) -> None:
    """ResourceWarning: a connection was dropped inside a unit of work. Without one nothing is lost,
    and nothing is said. Called inside the collector: no lock is touched here."""
    if not in_unit or sys.is_finalizing():
        return  # at the end of the process modules may be gone
    warnings.warn(
        f"a connection to {name} was dropped without disconnect(), and its unit of work is backed"
        " out; use `with`",
        ResourceWarning,
        stacklevel=3,
    )
