"""A subscription that receives by multicast: what of the group is for it, and in which form.

A group carries the publications of many topics, so the topic string, SubLevel and selector are
looked at here. What passes is turned into the copy that this subscription would get from the queue
manager: its CorrelId, its priority, the properties that say where it came from.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import CORREL_ID_AT, EXPIRY_AT, PRIORITY_AT
from ternmq.codec.publication_area import publication_area, published_properties
from ternmq.codec.selector.selector import Selector, compile_selector
from ternmq.ports.os_clock import OsClock
from ternmq.remote.fap.client_channel import MulticastSettings
from ternmq.remote.multicast.group_receiver import GroupReceiver, wants_history
from ternmq.remote.multicast.message_buffer import MessageBuffer, Received
from ternmq.remote.multicast.socket_thread import SOCKETS
from ternmq.values.calls.topics import Subscribe
from ternmq.values.entry import ZERO_ID, Entry
from ternmq.values.multicast_terms import MulticastTerms
from ternmq.values.selection_source import EntrySource
from ternmq.values.topic_pattern import TopicPattern
from ternmq.wire.multicast.publication import Publication
from ternmq.wire.multicast.receiver import EVENTS_MAX, Event
from ternmq.wire.multicast.transmitter import NEVER_MS

_LONG: Final = struct.Struct("<i")
_NO_ENTRY: Final = Entry(0, 0, 0, 0, 0, ZERO_ID, ZERO_ID, ZERO_ID, b"", b"", 0)
_MS_A_TENTH: Final = 100


@final
class Copies:
    """What a subscription makes of publications."""

    def __init__(self, call: Subscribe, topic: str, own: int) -> None:
        sd = call.sd
        self._pattern = TopicPattern(topic, sd.options & mq.MQSO_WILDCARD_CHAR != 0)
        self._own = own
        self._level = int(sd.level)
        self._user_data = call.user_data
        sets_correl_id = sd.options & mq.MQSO_SET_CORREL_ID != 0
        passes = sets_correl_id and sd.correl_id == ZERO_ID
        self._correl_id = b"" if passes else sd.correl_id
        self._priority = int(sd.publication_priority)
        self._selector: Selector | None = None
        self._source = EntrySource([], _NO_ENTRY, OsClock())
        if call.selector:
            self._selector = compile_selector(call.selector)
            self._source = EntrySource(self._selector.names, _NO_ENTRY, OsClock())

    def made(self, one: Publication, now: int) -> Received | None:
        """The copy of a publication; None if it is not for the subscription."""
        if one.own and one.own == self._own:
            return None
        if one.level < self._level or not self._pattern.matches(one.topic):
            return None
        if self._selector is not None and not self._is_selected(one):
            return None
        base = one.descriptor
        if self._correl_id:
            base = base[:CORREL_ID_AT] + self._correl_id + base[CORREL_ID_AT + 24 :]
        if self._priority >= 0:
            base = base[:PRIORITY_AT] + _LONG.pack(self._priority) + base[PRIORITY_AT + 4 :]
        published = published_properties(one.area)
        area = publication_area(published, one.topic, self._user_data, 0, one.level, False)
        expiry: int = _LONG.unpack_from(base, EXPIRY_AT)[0]
        expires_ms = now + expiry * _MS_A_TENTH if expiry > 0 else NEVER_MS
        return Received(base, area, one.data, expires_ms)

    def _is_selected(self, one: Publication) -> bool:
        """On the publication as it was published."""
        as_published = Received(one.descriptor, one.area, one.data, NEVER_MS)
        self._source.load(as_published.entry)
        return self._selector is not None and self._selector.matches(self._source)


@final
class Subscriber(GroupReceiver):
    """One subscription in a group."""

    def __init__(
        self,
        terms: MulticastTerms,
        call: Subscribe,
        interface: str,
        settings: MulticastSettings,
        own: int,
    ) -> None:
        super().__init__(terms, interface, settings.timeout_ms, wants_history(terms))
        self.call = call
        self._copies = Copies(call, terms.topic, own)
        self.buffer = MessageBuffer(settings.buffer_bytes)
        self.events: list[Event] = []
        self.monitor_ms = terms.monitor_s * 1000
        SOCKETS.add(self)

    def dropped_publications(self) -> int:
        return self.buffer.dropped

    def publications_came(self, came: list[Publication], events: list[Event], now: int) -> None:
        dropped = 0
        for one in came:
            copy = self._copies.made(one, now)
            if copy is not None:
                dropped += self.buffer.add(copy)
        if dropped:
            events.append(Event(mq.MQMCEV_RECEIVE_QUEUE_TRIMMED, dropped, 0))
        room = EVENTS_MAX - len(self.events)
        self.events += events[: max(room, 0)]

    def take_events(self) -> list[Event]:
        """What has happened since it was asked last."""
        with self.lock:
            events, self.events = self.events, []
        return events
