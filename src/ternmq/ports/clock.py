"""Time as the core sees it. The core asks it only at the start of a step; decisions inside a step
use that one instant.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Clock:
    """Two clocks: the wall clock may jump either way, the monotonic one never goes back. Beside
    them, for accounting, the one that counts what a thread works."""

    def now_ns(self) -> int:
        """Nanoseconds since 1970 UTC."""
        raise NotImplementedError

    def monotonic_ns(self) -> int:
        """Nanoseconds since an arbitrary instant."""
        raise NotImplementedError

    def cpu_ns(self) -> int:
        """CPU time that the calling thread has used; 0 where nobody knows."""
        return 0
