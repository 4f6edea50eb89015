"""The SMF records of a run while they come: until when statistics have been written.

A record begins with its length in two bytes. What a queue manager has counted in an interval is
in the records that it writes at the end of it, so a caller that wants all of it waits for that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ternmq.codec.smf.clock_values import ns_of_tod
from ternmq.codec.smf.decoding import open_record, record_subtype, record_type
from ternmq.codec.smf.record import STATISTICS

_LOG: Final = 1  # the subtype of the first record of an interval
_ZONE_STEP_NS: Final = 900 * 1_000_000_000  # zones differ by quarters of an hour


class Collected:
    """The records in a folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder
        self._read: dict[Path, int] = {}
        self._until_s = 0.0

    def statistics_until_s(self) -> float:
        """When the last interval ended whose statistics are there; 0 before the first."""
        for path in sorted(self._folder.glob("*.dat")):
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                self._take(path, file.read())
        return self._until_s

    def _take(self, path: Path, data: bytes) -> None:
        at = 0
        while at + 4 <= len(data):
            length = int.from_bytes(data[at : at + 2], "big")
            if length < 4 or at + length > len(data):
                break  # the rest of it is being written
            record = data[at : at + length]
            if (record_type(record), record_subtype(record)) == (STATISTICS, _LOG):
                self._until_s = max(self._until_s, ended_s(record))
            at += length
        self._read[path] = self._read.get(path, 0) + at


def ended_s(record: bytes) -> float:
    """When the interval of a record ended. Its times are local, its writing is not, and is late by
    less than zones differ."""
    header = open_record(record).header
    written_ns = ns_of_tod(int(str(header["qwhsstck"])))
    local_ns = ns_of_tod(int(str(header["qwhstime"]))) + int(str(header["qwhsdurn"])) * 1000
    zone_ns = round((local_ns - written_ns) / _ZONE_STEP_NS) * _ZONE_STEP_NS
    return (local_ns - zone_ns) / 1e9
