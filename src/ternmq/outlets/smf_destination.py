"""SMF records of a queue manager to all its destinations: data sets, log streams, memory.

Snapshots are turned into records once and given to each destination, none of which makes the giver
wait. At the end what is left is written, as far as the disks let it.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Sequence

from ternmq.outlets.restarting import OnFault
from ternmq.outlets.smf_data_sets import DataSets
from ternmq.outlets.smf_log_streams import LogStream
from ternmq.outlets.smf_memory import MemoryStream
from ternmq.outlets.smf_outlet import LogMessage, Outlet, Writes
from ternmq.outlets.smf_settings import DATA_SET, MEMORY, SMFDestination
from ternmq.telemetry.smf.statistics_records import SmfRecords
from ternmq.telemetry.snapshot import (
    SMF,
    ChannelInterval,
    Destination,
    StatisticsInterval,
    TaskRecord,
)
from ternmq.values.status import SMFStatus


class SmfDestination(Destination):
    """All destinations of one queue manager."""

    def __init__(
        self,
        folder: str,
        settings: Sequence[SMFDestination],
        log_message: LogMessage,
        *,
        system: str = "",
        now_ns: Callable[[], int] = time.time_ns,
        on_fault: OnFault | None = None,
    ) -> None:
        self.settings = tuple(settings)
        self._records = SmfRecords(system or system_name(), zone_s, now_ns)
        self.outlets: dict[str, Outlet] = {}
        self.streams: dict[str, MemoryStream] = {}
        self._places: dict[str, str] = {}
        for one in self.settings:
            types = frozenset(one.types)
            if one.kind == MEMORY:
                self.streams[one.name] = MemoryStream(one.name, one.size, types)
                continue
            place = one.path or os.path.join(folder, "smf", one.name)
            self._places[one.name] = place
            writes = _writes(one, place, now_ns)
            self.outlets[one.name] = Outlet(
                one.name, writes, log_message, one.buffer_max, types, on_fault
            )

    def takes(self, family: str) -> bool:
        """Those of STATIME and ACCTIME."""
        return family == SMF

    def statistics(self, interval: StatisticsInterval) -> None:
        """115."""
        self._give(self._records.statistics(interval))

    def task(self, record: TaskRecord) -> None:
        """116-0, 116-1, 116-2."""
        self._give(self._records.task(record))

    def channels(self, interval: ChannelInterval) -> None:
        """116-10."""
        self._give(self._records.channels(interval))

    def _give(self, records: list[bytes]) -> None:
        if not records:
            return
        for stream in self.streams.values():
            stream.give(records)
        for outlet in self.outlets.values():
            outlet.give(records)

    def switch(self, name: str = "") -> list[str]:
        """Begin new data sets and segments, of one destination or of all; those that did."""
        return [one.name for one in self._outlets(name) if one.switch()]

    def drain(self) -> bool:
        """Wait until everything that was given is written, or lost."""
        return all(one.drain() for one in self.outlets.values())

    def _outlets(self, name: str) -> list[Outlet]:
        return [one for one in self.outlets.values() if not name or one.name == name]

    def status(self) -> list[SMFStatus]:
        """How they are doing, in the order of the settings."""
        found: list[SMFStatus] = []
        for one in self.settings:
            outlet = self.outlets.get(one.name)
            if outlet is None:
                stream = self.streams[one.name]
                written = stream.bounds[1] - 1
                size = stream.given_bytes
                found.append(SMFStatus(one.name, one.kind, "", written, size, 0, 0, ""))
                continue
            found.append(
                SMFStatus(
                    one.name,
                    one.kind,
                    self._places[one.name],
                    outlet.written,
                    outlet.written_bytes,
                    outlet.lost,
                    outlet.lost_bytes,
                    outlet.why,
                )
            )
        return found

    def close(self) -> None:
        """Write what is left; readers of streams get what is left."""
        for stream in self.streams.values():
            stream.end()
        for outlet in self.outlets.values():
            outlet.end()


def _writes(one: SMFDestination, place: str, now_ns: Callable[[], int]) -> Writes:
    if one.kind == DATA_SET:
        return DataSets(place, one.name, one.size, one.kept, now_ns)
    return LogStream(
        place,
        compressed=one.compressed,
        segment_bytes_max=one.size,
        retention_bytes=one.retention_max,
        retention_days=one.retention_days,
        now_ns=now_ns,
    )


def system_name() -> str:
    """The first four characters of the host's name stand for the z/OS system (LPAR)."""
    return socket.gethostname().partition(".")[0][:4].upper()


def zone_s(now_ns: int) -> int:
    """Seconds that the local time is ahead of UTC."""
    return time.localtime(now_ns // 1_000_000_000).tm_gmtoff
