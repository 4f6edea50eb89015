"""Work of a task that blocks: in a thread, and to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def in_thread(work: Callable[[], Result]) -> tuple[Result, asyncio.CancelledError | None]:
    """Work in a thread to its end; if the task is cancelled meanwhile, the error is returned."""
    cancelled: asyncio.CancelledError | None = None
    future = asyncio.get_running_loop().run_in_executor(None, work)
    while not future.done():
        try:
            await asyncio.shield(future)
        except asyncio.CancelledError as error:
            cancelled = error
    return future.result(), cancelled
