"""How much log there is and who may use it. Arithmetic only; `files` makes what is asked for.

Invariant: block_end(end of log) + reserved <= limit_lsn. `fits` counts a record as if the batch
were sealed right after it. A unit that will later write a record of n bytes (`record_space`) for
commit or backout reserves n + FORCE_BYTES: one block more, because it may be forced alone and a
force pads to a block. Releasing that and appending the record keeps the invariant, since
block_end(end + n) <= block_end(end) + n + 4095. So an append whose space was reserved always fits,
in whatever order and however many at a time the reserved records come.

Only prepared extents count: limit_lsn is the end of the last one. A circular log keeps as many
extents prepared as it has primaries and prepares secondaries, up to the configured number, when the
end comes near the limit; a linear log keeps LogPrimaryFiles extents ahead, limited by the disk.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.errors import check
from ternmq.log.parameters import LogParameters
from ternmq.log.record import BLOCK_BYTES, block_end
from ternmq.log.writer import LogWriter

FORCE_BYTES: Final = BLOCK_BYTES


@final
class LogSpace:
    """Extents `oldest` .. `ready` - 1 are usable; `oldest` is the first that restart needs."""

    def __init__(
        self, parameters: LogParameters, writer: LogWriter, oldest: int, ready: int
    ) -> None:
        self.oldest = oldest
        self.ready = ready
        self.reserved = 0
        self._writer = writer
        self._is_linear = parameters.is_linear
        self._primary = parameters.primary
        self._slots = parameters.slots
        self._extent_bytes = parameters.extent_bytes
        self.limit_lsn = ready * self._extent_bytes
        # The highest end that was refused although the log may still grow to it.
        self._refused_lsn = 0
        self._margin_bytes = max(self._extent_bytes, self._primary * self._extent_bytes // 4)

    def fits(self, record_bytes: int, reserve: int) -> bool:
        """Whether records of so many bytes may be appended now and `reserve` more be reserved."""
        end = block_end(self._writer.end_lsn + record_bytes) + self.reserved + reserve
        if end <= self.limit_lsn:
            return True
        if end > self._refused_lsn and end <= self.capacity_lsn:
            self._refused_lsn = end
        return False

    def may_fit(self, record_bytes: int, reserve: int) -> bool:
        """Whether `fits` would hold once all extents that may still be made are prepared."""
        end = block_end(self._writer.end_lsn + record_bytes) + self.reserved + reserve
        return end <= self.capacity_lsn

    @property
    def capacity_lsn(self) -> int:
        """The limit if every extent allowed now were prepared; a linear log has none."""
        if self._is_linear:
            return 1 << 62
        return (self.oldest + self._slots) * self._extent_bytes

    @property
    def largest_bytes(self) -> int:
        """What records of one step may take of the log at best: with nothing else in it, and all
        of its files made. What needs more never fits, whatever is released."""
        if self._is_linear:
            return 1 << 62
        return self._slots * self._extent_bytes - FORCE_BYTES

    @property
    def configured_bytes(self) -> int:
        """What its files are meant to hold; a linear log may grow beyond that."""
        return self._slots * self._extent_bytes

    def reserve(self, count: int) -> None:
        """Set bytes aside. The caller has asked `fits`."""
        check(count >= 0, f"reserve of {count} bytes of log")
        self.reserved += count

    def release(self, count: int) -> None:
        """Give back what was reserved, right before its record is appended or when not needed."""
        check(0 <= count <= self.reserved, f"release of {count} bytes of log, {self.reserved} held")
        self.reserved -= count

    def wants_extent(self, end_lsn: int) -> int | None:
        """The next extent to prepare, if it is time to."""
        if self._is_linear:
            ahead = self.ready - end_lsn // self._extent_bytes
            wanted = ahead < self._primary or self._refused_lsn > self.limit_lsn
        else:
            used = self.ready - self.oldest
            # A free primary costs one small write, so it is readied at once; a secondary is made
            # only when it is needed.
            wanted = used < self._primary or (used < self._slots and self._is_near(end_lsn))
        return self.ready if wanted else None

    def extent_ready(self, extent: int) -> None:
        """`files` has prepared this extent."""
        check(extent == self.ready, f"log extent {extent} prepared, expected {self.ready}")
        self.ready += 1
        self.limit_lsn = self.ready * self._extent_bytes

    @property
    def left_bytes(self) -> int:
        """Between the end of the log and the limit; what is reserved is in it."""
        return max(self.limit_lsn - block_end(self._writer.end_lsn), 0)

    def released_before(self, extent: int) -> None:
        """Restart needs no extent before this one any more."""
        check(
            extent <= self._writer.end_lsn // self._extent_bytes,
            f"release of log extents before {extent}, beyond the end of the log",
        )
        self.oldest = max(self.oldest, extent)

    def used_fraction(self, end_lsn: int) -> float:
        """What restart needs, as a part of the primary capacity; may exceed 1."""
        used = end_lsn - self.oldest * self._extent_bytes
        return used / (self._primary * self._extent_bytes)

    def _is_near(self, end_lsn: int) -> bool:
        near = block_end(end_lsn) + self.reserved + self._margin_bytes
        return near > self.limit_lsn or self._refused_lsn > self.limit_lsn
