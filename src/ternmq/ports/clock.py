"""Time as the core sees it. The core asks it only at the start of a step; decisions inside a step
use that one instant.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

# Instants are signed 64-bit numbers wherever they are kept, which ends in April 2262; an expiry may
# be three years ahead. A wall clock that was set beyond this stands still for the core.
LATEST_NS: Final = (1 << 63) - 1 - 200_000_000_000_000_000
EARLIEST_NS: Final = 0


@mypyc_attr(allow_interpreted_subclasses=True)
class Clock:
    """Two clocks: the wall clock may jump either way, the monotonic one never goes back. Beside
    them, for accounting, the one that counts what a thread works."""

    def now_ns(self) -> int:
        """Nanoseconds since 1970 UTC, from EARLIEST_NS to LATEST_NS."""
        raise NotImplementedError

    def monotonic_ns(self) -> int:
        """Nanoseconds since an arbitrary instant."""
        raise NotImplementedError

    def cpu_ns(self) -> int:
        """CPU time that the calling thread has used; 0 where it is not known."""
        return 0
