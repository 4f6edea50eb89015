"""TernMQ for asyncio: `async with ternmq.aio.embedded(...) as qmgr`; docs/asyncio.md has it all."""

from ternmq.client.aio import Connection, Opening, QueueManager, Unit, embedded, memory
from ternmq.client.aio_iterators import Browse, Messages
from ternmq.client.aio_pool import Pool
from ternmq.client.aio_queue import Queue
from ternmq.client.aio_stream_api import QueueCursor, QueueStream
from ternmq.client.local_aio import ClientConnection, connect
from ternmq.client.local_aio_queue import ClientQueue

__all__ = [
    "Browse",
    "ClientConnection",
    "ClientQueue",
    "Connection",
    "Messages",
    "Opening",
    "Pool",
    "Queue",
    "QueueCursor",
    "QueueManager",
    "QueueStream",
    "Unit",
    "connect",
    "embedded",
    "memory",
]
