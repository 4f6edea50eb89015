"""What a log was made with; fixed for its life."""

from __future__ import annotations

from typing import Final, final

from ternmq.base.limits import (
    LOG_FILE_PAGES_MAX,
    LOG_FILES_MAX,
    LOG_PRIMARY_FILES_MAX,
    LOG_PRIMARY_FILES_MIN,
    LOG_SECONDARY_FILES_MAX,
)
from ternmq.log.record import BLOCK_BYTES

CIRCULAR: Final = 0
LINEAR: Final = 1


@final
class LogParameters:
    """LogType, LogPrimaryFiles, LogSecondaryFiles, LogFilePages, and whether there are two copies.

    A page is a block of 4096 bytes. A linear log has no secondaries: it makes files for ever.
    """

    def __init__(self, kind: int, primary: int, secondary: int, pages: int, is_dual: bool) -> None:
        if kind not in (CIRCULAR, LINEAR):
            raise ValueError(f"log type {kind} is neither circular nor linear")
        if not LOG_PRIMARY_FILES_MIN <= primary <= LOG_PRIMARY_FILES_MAX:
            raise ValueError(f"{primary} primary log files, not 2 to {LOG_PRIMARY_FILES_MAX}")
        if not 0 <= secondary <= LOG_SECONDARY_FILES_MAX or primary + secondary > LOG_FILES_MAX:
            raise ValueError(f"{primary} + {secondary} log files; at most {LOG_FILES_MAX} in all")
        if not 1 <= pages <= LOG_FILE_PAGES_MAX:
            raise ValueError(f"{pages} log file pages; 1 to {LOG_FILE_PAGES_MAX} are allowed")
        self.kind = kind
        self.primary = primary
        self.secondary = secondary
        self.pages = pages
        self.is_dual = is_dual

    @property
    def is_linear(self) -> bool:
        return self.kind == LINEAR

    @property
    def extent_bytes(self) -> int:
        """The part of the stream that one extent holds."""
        return self.pages * BLOCK_BYTES

    @property
    def slots(self) -> int:
        """How many files a circular log may have."""
        return self.primary + self.secondary

    @property
    def copies(self) -> int:
        return 2 if self.is_dual else 1
