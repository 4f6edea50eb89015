"""What an end of a multicast group has counted: clients report it each MONINT seconds."""

from __future__ import annotations

from typing import Final, NamedTuple


class MulticastFigures(NamedTuple):
    """Since the handle was opened. Of a publisher, what it sent; of a subscriber, what it got."""

    messages: int = 0
    bytes: int = 0
    packets: int = 0
    repairs: int = 0  # packets that were sent again
    naks: int = 0  # of a publisher those that came, of a subscriber those that it sent
    lost: int = 0  # packets
    duplicates: int = 0  # packets
    dropped: int = 0  # publications for which the buffer had no room

    def reliability(self, before: MulticastFigures) -> int:
        """The percentage of packets since then that needed no repair and were not lost."""
        packets = self.packets - before.packets
        faults = self.repairs - before.repairs + self.lost - before.lost
        if packets <= 0:
            return 100
        return min(max(100 * (packets - faults) // packets, 0), 100)


NO_FIGURES: Final = MulticastFigures()
FIELDS: Final = len(MulticastFigures._fields)
