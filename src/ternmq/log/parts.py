"""Lists of bytes that together are one stretch of the log: joined and cut with little copying."""

from __future__ import annotations

from typing import Final

# Parts below this size are joined, so that a batch is few pieces for the system call; longer ones
# are handed over as they are. A batch of no more than the second size is one piece.
LARGE_PART_BYTES: Final = 8 << 10
SMALL_BATCH_BYTES: Final = 64 << 10


def gather_parts(parts: list[bytes], total: int) -> list[bytes]:
    """The same bytes in few pieces: short parts are joined, long ones stay as they are."""
    if len(parts) == 1:
        return parts
    if total <= SMALL_BATCH_BYTES:
        return [b"".join(parts)]
    gathered: list[bytes] = []
    short: list[bytes] = []
    for part in parts:
        if len(part) < LARGE_PART_BYTES:
            short.append(part)
        else:
            if short:
                gathered.append(b"".join(short))
                short = []
            gathered.append(part)
    if short:
        gathered.append(b"".join(short))
    return gathered


def cut_parts(parts: list[bytes], start: int, count: int) -> list[bytes]:
    """The bytes from `start` on, `count` of them; only parts that are cut are copied."""
    cut: list[bytes] = []
    end = start + count
    low = 0
    for part in parts:
        high = low + len(part)
        if low < end and high > start:
            whole = low >= start and high <= end
            cut.append(part if whole else part[max(start - low, 0) : end - low])
        low = high
    return cut
