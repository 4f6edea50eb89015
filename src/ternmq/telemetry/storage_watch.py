"""How many segments were written and read since a family of destinations looked last, beside what
memory and files hold now.
"""

from __future__ import annotations

from typing import final

from ternmq.kernel.objects import LocalQueue
from ternmq.telemetry.sampling import storage_sample
from ternmq.telemetry.snapshot import StorageSample


@final
class StorageWatch:
    """What one family has seen of storage."""

    def __init__(self) -> None:
        # by queue: segments written and read, and their bytes
        self._before: dict[int, tuple[int, int, int, int]] = {}

    def look(self, loaded: list[LocalQueue]) -> StorageSample:
        """All loaded queues, now and since the last look."""
        storage = storage_sample(loaded)
        before = self._before
        self._before = {}
        for local in loaded:
            key = int(local.queue.queue_id)
            service = local.queue.service
            now = (
                int(service.sweeps),
                int(service.unsweeps),
                int(service.bytes_swept),
                int(service.bytes_unswept),
            )
            then = before.get(key, (0, 0, 0, 0))
            self._before[key] = now
            # A queue that was unloaded in between counts from 0 again.
            storage.segments_written += max(now[0] - then[0], 0)
            storage.segments_read += max(now[1] - then[1], 0)
            storage.bytes_written += max(now[2] - then[2], 0)
            storage.bytes_read += max(now[3] - then[3], 0)
        return storage
