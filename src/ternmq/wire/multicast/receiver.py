"""The receiving end of one group: puts the packets of each transmitter in order, asks for what is
missing (NAK), joins packets to publications, and reports what is lost for good.

Without I/O: packets, the places they came from and times in milliseconds come in; publications,
NAKs and events are taken out of lists. A packet that is missing may only be late, so the first NAK
waits `REORDER_MS`; further ones wait longer and longer. It is lost when the transmitter has it no
more, or after `TRIES_MAX` NAKs; then what follows is delivered, and a publication without all of
its packets is dropped whole.

A receiver that was there before a transmitter began (`age` says it) wants everything from its
first packet on. One that came later begins with the next publication, or with NSUBHIST(ALL) with
all that the transmitter still has.

Anybody can record packets and send them again. The age of a packet that was recorded is not higher
than what was heard before: it changes neither where NAKs go nor how long its transmitter is
remembered. A transmitter that fell silent, or has ended, leaves its next sequence and its age
behind (of the last `FORGOTTEN_MAX`): when it comes back it goes on there, and what was recorded of
it is ignored.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.wire.multicast.packet import (
    AGE_MAX,
    DATA,
    END,
    HEARTBEAT,
    NAK,
    RANGES_MAX,
    REPAIR,
    Packet,
)
from ternmq.wire.multicast.transmitter import NEVER_MS, PUBLICATION_BYTES_MAX

REORDER_MS: Final = 5
RETRY_MS: Final = 20
RETRY_MS_MAX: Final = 500
TRIES_MAX: Final = 10
HELD_PACKETS_MAX: Final = 8192  # of one transmitter, behind a gap
SOURCES_MAX: Final = 256
FORGOTTEN_MAX: Final = 4096
COUNT_MAX: Final = 1 << 62
TIMEOUT_MS_USUAL: Final = 20_000
EVENTS_MAX: Final = 1024

Place = tuple[str, int]


class Event(NamedTuple):
    """Something that the application may want to know: MQMCEV_, how many packets, whose."""

    code: int
    packets: int
    source: int


@final
class _Source:
    """What is known of one transmitter."""

    def __init__(self, source: int, place: Place, expected: int, now_ms: i64) -> None:
        self.source = source
        self.place = place
        self.expected = expected  # the next sequence to be delivered
        self.last = expected - 1  # the highest that is known to have been sent
        self.oldest = 1
        self.held: dict[int, Packet] = {}
        self.parts: list[bytes] = []  # of the publication that is under way
        self.part_bytes: i64 = 0
        self.skips = False  # until the next publication begins
        self.has_ended = False
        self.heard_ms: i64 = now_ms
        self.age_ms: i64 = -1  # the highest of its packets
        self.ask_ms: i64 = NEVER_MS
        self.tries: i64 = 0
        self.asked_from = 0  # the first missing sequence when it last asked

    @property
    def is_complete(self) -> bool:
        """Whether nothing that is known to have been sent is missing."""
        return self.expected > self.last

    def missing(self) -> list[tuple[int, int]]:
        """Ranges that were not received, as many as a NAK takes."""
        found: list[tuple[int, int]] = []
        at = self.expected
        for there in [*sorted(self.held), self.last + 1]:
            if there > at:
                found.append((at, there - at))
                if len(found) == RANGES_MAX:
                    break
            at = there + 1
        return found


@final
class Receiver:
    """One receiver. `publications`, `naks` and `events` are taken by the driver."""

    def __init__(self, key: bytes, wants_history: bool, timeout_ms: i64, now_ms: i64) -> None:
        self._key = key
        self._wants_history = wants_history
        self._timeout_ms: i64 = timeout_ms  # 0: a silent transmitter is never forgotten
        self._joined_ms: i64 = now_ms
        self._sources: dict[int, _Source] = {}
        self._forgotten: dict[int, tuple[int, int]] = {}  # the next sequence, the highest age
        self.publications: list[bytes] = []
        self.naks: list[tuple[Place, bytes]] = []
        self.events: list[Event] = []
        self.received_packets: i64 = 0
        self.received_bytes: i64 = 0
        self.repaired: i64 = 0
        self.duplicates: i64 = 0
        self.lost: i64 = 0
        self.sent_naks: i64 = 0
        self.delivered: i64 = 0

    @property
    def sources(self) -> int:
        """How many transmitters it knows."""
        return len(self._sources)

    @property
    def forgotten(self) -> int:
        """How many transmitters it remembers that are silent or have ended."""
        return len(self._forgotten)

    @property
    def due_ms(self) -> i64:
        """When `tick` is to be called at the latest."""
        due: i64 = NEVER_MS
        for source in self._sources.values():
            due = min(due, source.ask_ms)
            if self._timeout_ms:
                due = min(due, source.heard_ms + self._timeout_ms)
        return due

    # ---- what comes in

    def take(self, packet: Packet, place: Place, now_ms: i64) -> None:
        """A valid packet from a transmitter's place."""
        if packet.kind != DATA and packet.kind != HEARTBEAT:
            return
        source = self._sources.get(packet.source)
        if source is None:
            source = self._met(packet, place, now_ms)
            if source is None:
                return
        if packet.age_ms > source.age_ms or packet.age_ms == AGE_MAX:
            source.age_ms = packet.age_ms
            source.place = place
            source.heard_ms = now_ms
        source.oldest = max(source.oldest, packet.oldest)
        if packet.kind == DATA:
            self._data(source, packet)
        elif packet.flags & END:
            source.has_ended = True
        source.last = max(source.last, packet.sequence)
        self._look_for_gap(source, now_ms)

    def _met(self, packet: Packet, place: Place, now_ms: i64) -> _Source | None:
        before = self._forgotten.get(packet.source)
        if before is not None and _is_old(packet, before):
            return None
        if len(self._sources) >= SOURCES_MAX and not self._has_made_room(now_ms):
            return None
        if before is not None:
            expected = before[0]
            del self._forgotten[packet.source]
        elif packet.age_ms < AGE_MAX and now_ms - self._joined_ms >= packet.age_ms:
            expected = 1  # it began while this end was there
        elif self._wants_history:
            expected = packet.oldest
        elif packet.kind == HEARTBEAT:
            expected = packet.sequence + 1
        elif packet.index:
            expected = packet.sequence - int(packet.index) + int(packet.count)
        else:
            expected = packet.sequence
        source = _Source(packet.source, place, expected, now_ms)
        self._sources[packet.source] = source
        self._report(mq.MQMCEV_NEW_SOURCE, 1, source)
        return source

    def _has_made_room(self, now_ms: i64) -> bool:
        """Forget a transmitter that has ended, or has been silent for long; False if none has."""
        for source in self._sources.values():
            is_silent = now_ms - source.heard_ms >= TIMEOUT_MS_USUAL
            if is_silent or (source.has_ended and source.is_complete):
                self._forget(source)
                return True
        return False

    def _forget(self, source: _Source) -> None:
        del self._sources[source.source]
        while len(self._forgotten) >= FORGOTTEN_MAX:
            del self._forgotten[next(iter(self._forgotten))]
        # A publication that is not complete is wanted again from its first packet on.
        expected = source.expected - len(source.parts)
        self._forgotten[source.source] = (expected, int(source.age_ms))

    def _data(self, source: _Source, packet: Packet) -> None:
        self.received_packets += 1
        self.received_bytes += len(packet.body)
        if packet.flags & REPAIR:
            self.repaired += 1
        sequence = packet.sequence
        if sequence < source.expected or sequence in source.held:
            self.duplicates += 1
            return
        if sequence - source.expected > HELD_PACKETS_MAX:
            # The gap before it is given up: memory is bounded.
            self._give_up(source, sequence - HELD_PACKETS_MAX)
        source.held[sequence] = packet
        self._deliver(source)

    def _look_for_gap(self, source: _Source, now_ms: i64) -> None:
        if source.is_complete:
            source.ask_ms = NEVER_MS
            source.tries = 0
        elif source.ask_ms == NEVER_MS:
            source.ask_ms = now_ms + REORDER_MS

    # ---- what goes out

    def _deliver(self, source: _Source) -> None:
        held = source.held
        while source.expected in held:
            packet = held.pop(source.expected)
            source.expected += 1
            self._add_part(source, packet)

    def _add_part(self, source: _Source, packet: Packet) -> None:
        if packet.index == 0:
            source.parts = []
            source.part_bytes = 0
            source.skips = False
        elif len(source.parts) != packet.index:
            source.skips = True
        if source.skips:
            source.parts = []
            return
        source.parts.append(packet.body)
        source.part_bytes += len(packet.body)
        if source.part_bytes > PUBLICATION_BYTES_MAX:
            source.skips = True
            source.parts = []
            self._report(mq.MQMCEV_MESSAGE_LOSS, 1, source)
        elif packet.index + 1 == packet.count:
            self.publications.append(b"".join(source.parts))
            self.delivered += 1
            source.parts = []

    def tick(self, now_ms: i64) -> None:
        """Ask for what is missing, forget who is silent."""
        for source in list(self._sources.values()):
            if source.ask_ms <= now_ms:
                self._ask(source, now_ms)
            if self._timeout_ms and now_ms - source.heard_ms >= self._timeout_ms:
                self._forget(source)
                if not source.has_ended:
                    self._report(mq.MQMCEV_HEARTBEAT_TIMEOUT, 1, source)

    def _ask(self, source: _Source, now_ms: i64) -> None:
        if source.oldest > source.expected:
            self._give_up(source, source.oldest)
        if source.tries >= TRIES_MAX and source.asked_from == source.expected:
            held = source.held
            self._give_up(source, min(held) if held else source.last + 1)
        missing = source.missing()
        if not missing:
            source.ask_ms = NEVER_MS
            source.tries = 0
            return
        if source.asked_from != source.expected:
            source.asked_from = source.expected
            source.tries = 0
        nak = Packet(NAK, source.source)
        nak.ranges = [(first, min(many, HELD_PACKETS_MAX)) for first, many in missing]
        self.naks.append((source.place, nak.pack(self._key)))
        self.sent_naks += 1
        source.ask_ms = now_ms + min(RETRY_MS << source.tries, RETRY_MS_MAX)
        source.tries += 1

    def _give_up(self, source: _Source, upto: int) -> None:
        """What is missing before `upto` is lost; what is there of it is delivered."""
        lost = 0
        for there in [*sorted([one for one in source.held if one < upto]), upto]:
            if there > source.expected:
                lost += there - source.expected
                source.expected = there
            self._deliver(source)
        if lost:
            self.lost += min(lost, COUNT_MAX - int(self.lost))
            self._report(mq.MQMCEV_PACKET_LOSS, lost, source)

    def _report(self, code: int, count: int, source: _Source) -> None:
        if len(self.events) < EVENTS_MAX:
            self.events.append(Event(code, count, source.source))


def _is_old(packet: Packet, before: tuple[int, int]) -> bool:
    """Whether a packet of a forgotten transmitter says nothing new."""
    expected, age_ms = before
    was_recorded = packet.age_ms <= age_ms and packet.age_ms < AGE_MAX
    return was_recorded or (packet.kind == DATA and packet.sequence < expected)
