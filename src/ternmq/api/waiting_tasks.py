"""Whose verb it is: the task that runs, or one that waits for it by asyncio.wait_for.

Up to Python 3.11 wait_for runs what it waits for in a task of its own; from 3.12 on in the task
that waits. A unit of work belongs to a task, so without this a get with wait_for inside a unit
would be another task's. Only wait_for is meant: tasks that a program makes itself are others.
"""

from __future__ import annotations

import asyncio
import asyncio.tasks
import functools
import sys
from typing import Any, Final

_RELEASE: Final = getattr(asyncio.tasks, "_release_waiter", None)
_HAS_OWN_TASK: Final = sys.version_info < (3, 12) and _RELEASE is not None


def task_of_verb(task: asyncio.Task[Any] | None) -> asyncio.Task[Any] | None:
    """The task that a verb of `task` belongs to."""
    if _HAS_OWN_TASK:
        while task is not None:
            above = _waiting_task(task)
            if above is None:
                break
            task = above
    return task


def _waiting_task(task: asyncio.Task[Any]) -> asyncio.Task[Any] | None:
    """The task that waits for `task` in wait_for: `task` sets a future when it is done, and the
    future wakes the waiting task."""
    for callback, _ in _callbacks(task):
        if isinstance(callback, functools.partial) and callback.func is _RELEASE:
            for wakeup, _ in _callbacks(callback.args[0]):
                waiting = getattr(wakeup, "__self__", None)
                if isinstance(waiting, asyncio.Task):
                    return waiting
    return None


def _callbacks(future: asyncio.Future[Any]) -> list[tuple[Any, Any]]:
    return getattr(future, "_callbacks", None) or []
