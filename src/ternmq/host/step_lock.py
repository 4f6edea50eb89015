"""The engine's lock, safe from signal handlers that raise.

Compiled, that is an ordinary lock: handlers run between calls of the application, or while a
thread waits for the lock and does not have it. In plain files KeyboardInterrupt may come in the
instant after `acquire`, before the `try` that would release it; so there the lock is released if
`acquire` did not return to its caller.
"""

from __future__ import annotations

import _thread
import threading
from typing import Any, cast


class StepLock(_thread.RLock):  # type: ignore[misc]  # final to checkers, not to Python
    """`release` stays the one in C: no handler can run before it has done its work."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock. After the check that follows the inner call, nothing is called any more,
        so the caller's next line is reached."""
        taken = False
        reported = False
        try:
            taken = super().acquire(blocking, timeout)
            reported = True
        finally:
            if not reported and cast("Any", self)._is_owned():
                self.release()
        return taken

    __enter__ = acquire


def has_lock(lock: threading.Lock) -> bool:
    """Whether this thread has it, where a handler may have come before its release; compiled, none
    can."""
    mine = cast("Any", lock)
    return isinstance(mine, StepLock) and bool(cast("Any", mine)._is_owned())


def step_lock() -> threading.Lock:
    """The lock for the build that runs."""
    from ternmq.base.build import is_compiled  # only now: it is also run as a program

    if is_compiled():
        return threading.Lock()
    return cast("threading.Lock", StepLock())
