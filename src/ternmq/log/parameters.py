"""What a log was made with; fixed for its life."""

from __future__ import annotations

from typing import Final, final

from ternmq.log.record import BLOCK_BYTES

CIRCULAR: Final = 0
LINEAR: Final = 1

PRIMARY_FILES_MIN: Final = 2
PRIMARY_FILES_MAX: Final = 510
SECONDARY_FILES_MAX: Final = 509
LOG_FILES_MAX: Final = 511
FILE_PAGES_MAX: Final = 65535


@final
class LogParameters:
    """LogType, LogPrimaryFiles, LogSecondaryFiles, LogFilePages, and whether there are two copies.

    A page is a block of 4096 bytes. A linear log has no secondaries: it makes files for ever.
    """

    def __init__(self, kind: int, primary: int, secondary: int, pages: int, is_dual: bool) -> None:
        if kind not in (CIRCULAR, LINEAR):
            raise ValueError(f"log type {kind} is neither circular nor linear")
        if not PRIMARY_FILES_MIN <= primary <= PRIMARY_FILES_MAX:
            raise ValueError(f"{primary} primary log files; 2 to {PRIMARY_FILES_MAX} are allowed")
        if not 0 <= secondary <= SECONDARY_FILES_MAX or primary + secondary > LOG_FILES_MAX:
            raise ValueError(f"{primary} + {secondary} log files; at most {LOG_FILES_MAX} in all")
        if not 1 <= pages <= FILE_PAGES_MAX:
            raise ValueError(f"{pages} log file pages; 1 to {FILE_PAGES_MAX} are allowed")
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
