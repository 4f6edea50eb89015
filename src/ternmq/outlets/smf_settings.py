"""Where SMF records go: what qm.ini says in stanzas SMFDestination, and what an embedded queue
manager is given as arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ternmq.outlets.smf_data_sets import DATA_SET_BYTES_DEFAULT, DATA_SETS_KEPT_DEFAULT
from ternmq.outlets.smf_log_streams import RETENTION_BYTES_DEFAULT, SEGMENT_BYTES_DEFAULT
from ternmq.outlets.smf_outlet import BUFFER_BYTES_DEFAULT
from ternmq.telemetry.smf.memory_ring import RING_BYTES_DEFAULT

DATA_SET: Final = "DataSet"
LOG_STREAM: Final = "LogStream"
MEMORY: Final = "Memory"
KINDS: Final = (DATA_SET, LOG_STREAM, MEMORY)
RECORD_TYPES: Final = (115, 116)
_NAME: Final = re.compile(r"[A-Za-z0-9._]{1,48}")
_SIZES: Final = {
    DATA_SET: DATA_SET_BYTES_DEFAULT,
    LOG_STREAM: SEGMENT_BYTES_DEFAULT,
    MEMORY: RING_BYTES_DEFAULT,
}


@dataclass(frozen=True)
class SMFDestination:
    """One place for SMF records. Sizes are in bytes.

    `kind` is "DataSet" (files that are read as they are), "LogStream" (numbered segments, of which
    the newest are kept) or "Memory" (a stream that readers follow). `path` is a folder; without it,
    smf/NAME in the folder of the queue manager.
    """

    name: str
    kind: str = DATA_SET
    path: str = ""
    size_max: int = 0  # of a data set, a segment, all of a memory stream; 0: the usual
    kept: int = DATA_SETS_KEPT_DEFAULT  # data sets; 0: all
    compressed: bool = False  # of a log stream
    retention_max: int = RETENTION_BYTES_DEFAULT  # of all segments of a log stream
    retention_days: int = 0  # 0: only the size counts
    buffer_max: int = BUFFER_BYTES_DEFAULT  # what waits for a slow disk before data is lost
    types: tuple[int, ...] = ()  # 115, 116; none: both

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"a name has letters, digits, . and _, up to 48, not {self.name!r}")
        if self.kind not in KINDS:
            raise ValueError(f"kind is one of {', '.join(KINDS)}, not {self.kind!r}")
        if not set(self.types) <= set(RECORD_TYPES):
            raise ValueError(f"types are 115 and 116, not {self.types!r}")
        numbers = (self.size_max, self.kept, self.retention_max, self.retention_days)
        if min(*numbers, self.buffer_max) < 0:
            raise ValueError(f"sizes and counts of {self.name} are not less than 0")
        if self.compressed and self.kind != LOG_STREAM:
            raise ValueError(f"{self.name}: only a log stream is compressed")

    @property
    def size(self) -> int:
        """`size_max`, or what is usual for the kind."""
        return self.size_max or _SIZES[self.kind]


# The default of a queue manager.
IN_FOLDER: Final = (SMFDestination("SMF", DATA_SET),)
IN_MEMORY: Final = (SMFDestination("SMF", MEMORY),)
