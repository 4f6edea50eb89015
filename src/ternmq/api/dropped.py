"""What an application drops: connections without `disconnect()`, queues without `close()`.

Of a connection it is warned, as Python warns of files that were not closed; the caller backs out
its unit of work. A queue, such as that of `connection.queue("A").depth`, is closed by the next use
of its connection that a queue left open would stand in the way of.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

from ternmq.base.errors import MQError
from ternmq.values.calls.objects import Close

if TYPE_CHECKING:
    from ternmq.values.handle import ObjectHandle
    from ternmq.values.transport import Endpoint, TaskTransport, Transport


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


def close_dropped(transport: Transport) -> None:
    """Close queues that nobody has any more."""
    for handle in _take_dropped(transport):
        with suppress(MQError):  # whoever asked for something else hears of it then
            transport.run(Close(handle, 0))


async def close_dropped_by_task(transport: TaskTransport) -> None:
    """The same, awaited."""
    for handle in _take_dropped(transport):
        with suppress(MQError):
            await transport.run(Close(handle, 0))


def _take_dropped(transport: Endpoint) -> list[ObjectHandle]:
    """Handles of queues that were dropped, to be closed: not those whose messages go to a
    function, which a program may use without the queue."""
    found: list[ObjectHandle] = []
    kept: list[ObjectHandle] = []
    dropped = transport.dropped
    while dropped:
        handle = dropped.pop()  # in one step: the collector may add others meanwhile
        (kept if _is_consumed(transport, handle) else found).append(handle)
    dropped.extend(kept)
    return [handle for handle in found if transport.has_handle(handle)]


def _is_consumed(transport: Endpoint, handle: ObjectHandle) -> bool:
    if transport.callbacks is None:
        return False
    from ternmq.api.callbacks import BaseCallbacks  # most programs have no functions

    callbacks = transport.callbacks
    return isinstance(callbacks, BaseCallbacks) and bool(callbacks.consumers_of([handle]))
