"""Where the messages of a queue lie and what the sweeper has done with them.

A snapshot for people and monitoring; `Queue.storage_status()` takes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ternmq.admin.inquiries import check_display
from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_OBJECT_TYPE_ERROR
from ternmq.client.shell import Shell
from ternmq.kernel.connection import Handle


@dataclass(frozen=True)
class StorageStatus:
    """Of one queue; counts are since the queue was loaded."""

    queue: str
    depth: int
    in_memory: int  # messages that a get may take at once
    swept: int  # messages in segment files alone
    memory_bytes: int
    segments: int  # files, those whose messages are in memory, too, included
    file_bytes: int
    gets: int
    sweeps: int  # segments written by the sweeper or because a buffer was full
    sweeps_aborted: int  # the queue moved on while a segment was written
    messages_swept: int
    unsweeps: int  # segments brought back
    last_failure: str  # of a sweep, empty after one that went well


def storage_status(shell: Shell, handle: Handle) -> StorageStatus:
    """Take the snapshot; as DISPLAY, it needs dsp."""
    local = handle.local
    if local is None:  # an alias, which has no storage
        raise mq_error(MQRC_OBJECT_TYPE_ERROR, object=handle.resolved_name)
    with shell.lock:
        queue = local.queue
        check_display(shell.engine.kernel, handle.connection, mq.MQOT_Q, queue.name)
        return StorageStatus(
            queue=queue.name,
            depth=int(queue.depth),
            in_memory=int(queue.available),
            swept=int(queue.swept_alive),
            memory_bytes=int(queue.plain_bytes + queue.persistent_bytes),
            segments=len(queue.segments),
            file_bytes=int(queue.file_bytes),
            gets=int(queue.service.gets),
            sweeps=int(queue.service.sweeps),
            sweeps_aborted=int(queue.service.aborted),
            messages_swept=int(queue.service.messages_swept),
            unsweeps=int(queue.service.unsweeps),
            last_failure=queue.service.failure,
        )
