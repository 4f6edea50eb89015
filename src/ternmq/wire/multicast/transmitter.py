"""The sending end of one open topic: cuts publications into packets, keeps the last of them
(MSGHIST), sends again what receivers miss, and says by heartbeats how far it has come.

Without I/O: what comes in are times in milliseconds and packets, what goes out are datagrams for
the group. A receiver that misses the last packet of all learns it from a heartbeat, so the first
ones follow soon after data, and then one each MCHBINT. What is sent again is bounded, whoever asks:
a packet at most once in `REPAIR_PAUSE_MS`, and not more than `REPAIRS_A_MS` on average.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.wire.multicast.packet import (
    BODY_BYTES_MAX,
    DATA,
    END,
    HEAD_BYTES,
    HEARTBEAT,
    NAK,
    REPAIR,
    Packet,
)

PUBLICATION_BYTES_MAX: Final = 4 << 20
HISTORY_BYTES_MAX: Final = 256 << 20
REPAIR_PAUSE_MS: Final = 10
REPAIRS_A_MS: Final = 4
REPAIRS_AT_ONCE: Final = 512
SOON_MS: Final = (20, 100, 500)  # heartbeats after the last data
NEVER_MS: Final = 1 << 60


@final
class _Sent:
    """A packet that can be sent again."""

    __slots__ = ("packet", "repaired_ms")

    def __init__(self, packet: Packet) -> None:
        self.packet = packet
        self.repaired_ms: i64 = -REPAIR_PAUSE_MS


@final
class Transmitter:
    """One transmitter; `source` is a random number of 64 bits."""

    def __init__(
        self, key: bytes, source: int, history_bytes: int, heartbeat_ms: i64, now_ms: i64
    ) -> None:
        self.source = source
        self._key = key
        self._history_max = min(history_bytes, HISTORY_BYTES_MAX)
        self._history: dict[int, _Sent] = {}
        self._history_bytes = 0
        self._heartbeat_ms: i64 = heartbeat_ms  # 0: only those after data
        self._began_ms: i64 = now_ms
        self._last = 0  # the last sequence
        self._oldest = 1  # that can be sent again
        self._soon: i64 = 0  # which of SOON_MS is next
        self._tokens: i64 = REPAIRS_AT_ONCE
        self._tokens_ms: i64 = now_ms
        self.due_ms: i64 = now_ms + heartbeat_ms if heartbeat_ms else NEVER_MS
        self.publications: i64 = 0
        self.sent_packets: i64 = 0
        self.sent_bytes: i64 = 0
        self.repairs: i64 = 0
        self.naks: i64 = 0

    @property
    def history_packets(self) -> int:
        """How many packets it could send again."""
        return len(self._history)

    def publish(self, publication: bytes, now_ms: i64) -> list[bytes]:
        """The datagrams of a publication, which is not empty."""
        count = (len(publication) + BODY_BYTES_MAX - 1) // BODY_BYTES_MAX
        made: list[bytes] = []
        for index in range(count):
            self._last += 1
            packet = Packet(DATA, self.source)
            packet.sequence = self._last
            packet.index = index
            packet.count = count
            packet.body = publication[index * BODY_BYTES_MAX : (index + 1) * BODY_BYTES_MAX]
            self._keep(packet)
            made.append(self._packed(packet, now_ms))
        self.publications += 1
        self._soon = 0
        self._plan_heartbeat(now_ms)
        return made

    def _keep(self, packet: Packet) -> None:
        self._history[packet.sequence] = _Sent(packet)
        self._history_bytes += HEAD_BYTES + len(packet.body)
        while self._history_bytes > self._history_max:
            gone = self._history.pop(self._oldest)
            self._history_bytes -= HEAD_BYTES + len(gone.packet.body)
            self._oldest += 1

    def _packed(self, packet: Packet, now_ms: i64) -> bytes:
        packet.oldest = self._oldest
        packet.age_ms = now_ms - self._began_ms
        data = packet.pack(self._key)
        self.sent_packets += 1
        self.sent_bytes += len(data)
        return data

    def _plan_heartbeat(self, now_ms: i64) -> None:
        usual = self._heartbeat_ms if self._heartbeat_ms else NEVER_MS
        wait = usual
        if self._soon < len(SOON_MS):
            wait = min(SOON_MS[self._soon], usual)
        self.due_ms = NEVER_MS if wait == NEVER_MS else now_ms + wait

    def tick(self, now_ms: i64) -> list[bytes]:
        """A heartbeat, if it is due."""
        if now_ms < self.due_ms:
            return []
        self._soon += 1
        self._plan_heartbeat(now_ms)
        return [self._heartbeat(now_ms, 0)]

    def end(self, now_ms: i64) -> list[bytes]:
        """The last word: from now on only repairs are sent."""
        self.due_ms = NEVER_MS
        return [self._heartbeat(now_ms, END)]

    def _heartbeat(self, now_ms: i64, flags: i64) -> bytes:
        packet = Packet(HEARTBEAT, self.source)
        packet.flags = flags
        packet.sequence = self._last
        return self._packed(packet, now_ms)

    def asked(self, packet: Packet, now_ms: i64) -> list[bytes]:
        """What a NAK makes it send again."""
        if packet.kind != NAK or packet.source != self.source:
            return []
        self.naks += 1
        gained = (now_ms - self._tokens_ms) * REPAIRS_A_MS
        self._tokens = min(self._tokens + max(gained, 0), REPAIRS_AT_ONCE)
        self._tokens_ms = now_ms
        made: list[bytes] = []
        for first, many in packet.ranges:
            for sequence in range(max(first, self._oldest), min(first + many, self._last + 1)):
                if self._tokens <= 0:
                    return made
                again = self._again(sequence, now_ms)
                if again:
                    made.append(again)
        return made

    def _again(self, sequence: int, now_ms: i64) -> bytes:
        sent = self._history.get(sequence)
        if sent is None or now_ms - sent.repaired_ms < REPAIR_PAUSE_MS:
            return b""
        sent.repaired_ms = now_ms
        sent.packet.flags = REPAIR
        self._tokens -= 1
        self.repairs += 1
        return self._packed(sent.packet, now_ms)
