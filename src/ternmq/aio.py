"""TernMQ for asyncio: `async with ternmq.aio.embedded(...) as qmgr`; docs/asyncio.md has it all."""

from ternmq.client.aio import Connection, Opening, QueueManager, Unit, connect, embedded, memory
from ternmq.client.aio_iterators import Browse, Messages
from ternmq.client.aio_queue import Queue

__all__ = [
    "Browse",
    "Connection",
    "Messages",
    "Opening",
    "Queue",
    "QueueManager",
    "Unit",
    "connect",
    "embedded",
    "memory",
]
