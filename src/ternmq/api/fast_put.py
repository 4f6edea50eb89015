"""The coroutine of a put of plain bytes. Not compiled: the interpreter starts and ends its own
coroutines faster than compiled ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ternmq.api.arguments import FastPutQueue
    from ternmq.values.transport import PlainPut


async def fast_put(queue: FastPutQueue, plain: PlainPut, data: bytes) -> bytes:
    """Put at once, or as any other put."""
    done = plain.put(data)
    if done:
        return done
    none = None  # of the particulars
    return await queue.put_with(
        data, none, none, none, none, none, none, none, none, 0, none, none, none
    )
