"""The event loop of a queue manager's process: uvloop where it is there, else asyncio's own.

TERNMQ_LOOP=asyncio keeps it to asyncio's.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from typing import Any, Final

VARIABLE: Final = "TERNMQ_LOOP"


def run(main: Coroutine[Any, Any, None]) -> None:
    """As asyncio.run."""
    if os.environ.get(VARIABLE, "") != "asyncio":
        try:
            import uvloop
        except ImportError:
            pass  # no wheel for this platform
        else:
            uvloop.run(main)
            return
    asyncio.run(main)
