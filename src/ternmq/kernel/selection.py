"""The selection of a handle: which messages its gets and browses see, and how far it has looked.

A handle has a selection if its MQOD had a selection string, or if it was opened through an alias
queue with SELECTOR; where there are several strings, a message must match all of them.

A get that finds nothing remembers, for each priority, the place up to which nothing matched, and
the next get of the handle begins there; so it does among the puts of its own unit of work. New
messages arrive behind every place. A message that comes back or is unlocked may be before one: the
queue counts those (`Service.returns`), and if the count has changed the next search of the handle
forgets its places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.codec.selector.selector import Selector, compile_selector
from ternmq.ports.clock import Clock
from ternmq.store.catalog import Definition
from ternmq.store.cursor import Cursor
from ternmq.store.queue import LANES, Queue
from ternmq.store.scanning import Matcher, SegmentScan
from ternmq.values.entry import ZERO_ID, Entry
from ternmq.values.selection_source import EntrySource

if TYPE_CHECKING:
    from ternmq.kernel.kernel import Kernel

NO_KIND: Final = -1
EFFORT_BITS: Final = 14  # 16 KiB of properties, for one test of them, are as much as a message
COMPILED_MAX: Final = 256  # selection strings that a queue manager keeps compiled
_NO_ENTRY: Final = Entry(0, 0, 0, 0, 0, ZERO_ID, ZERO_ID, ZERO_ID, b"", b"", 0)


@final
class HandleSelection(Matcher):
    """The selection strings of one handle, compiled, and its places on the queue."""

    def __init__(self, selectors: list[Selector], clock: Clock) -> None:
        self.selectors = selectors
        self.text_bytes: i64 = sum([len(one.text.encode()) for one in selectors])
        self._clock = clock
        self._sources = [EntrySource(one.names, _NO_ENTRY, clock) for one in selectors]
        self.looked_at: i64 = 0  # messages, for statistics
        self.matched: i64 = 0
        self.looked_before: i64 = 0  # when the get or browse began that is under way
        self.matched_before: i64 = 0
        self.scan: SegmentScan | None = None  # the last one; what it found may be wanted next
        self._mentions: i64 = sum([one.mentions for one in selectors])
        self.effort: i64 = 0  # for all messages so far, in messages with few properties
        self._is_searching = False  # a search of several steps is under way
        self._places: list[Cursor | None] = [None] * LANES
        self._returns: i64 = 0
        self._own_unit: i64 = 0
        self._own_places: list[int] = []
        self._can_change = any(one.can_change for one in selectors)
        # An identifier that every message must have, so that the index finds it.
        self.key_kind: i64 = NO_KIND
        self.key = ZERO_ID
        for selector in selectors:
            required = selector.required_id()
            if required is not None:
                self.key_kind = required[0] - 1  # MSG_ID, CORREL_ID or GROUP_ID of the indexes
                self.key = required[1]

    def matches(self, entry: Entry) -> bool:
        self.looked_at += 1
        self.effort += self.effort_of(entry)
        for at, selector in enumerate(self.selectors):
            source = self._sources[at]
            source.load(entry)
            if not selector.matches(source):
                return False
        self.matched += 1
        return True

    def effort_of(self, entry: Entry) -> i64:
        """How much it is to decide about this message, in messages with few properties."""
        return 1 + (len(entry.properties) * self._mentions >> EFFORT_BITS)

    @property
    def text(self) -> str:
        """The selection strings as one, for DISPLAY."""
        if len(self.selectors) == 1:
            return self.selectors[0].text
        return " AND ".join([f"({one.text})" for one in self.selectors])

    def for_scan(self) -> HandleSelection:
        """The same selection for a scan, which runs outside the engine's lock."""
        return HandleSelection(self.selectors, self._clock)

    def begin(self, queue: Queue) -> None:
        """A get begins: what it remembers does not hold if a message may match later than it
        arrived."""
        self.looked_before = self.looked_at
        self.matched_before = self.matched
        self._is_searching = False
        if self._can_change:
            self.forget(queue)

    def begin_step(self, queue: Queue) -> None:
        """A step of a search begins. The first one forgets the places if messages came back; later
        ones do not, or a search would not end while others back out. A get that would wait looks
        again for what came meanwhile."""
        returns = queue.service.returns
        if returns != self._returns and not self._is_searching:
            self.forget(queue)
            self._returns = returns

    def end_step(self, is_over: bool) -> None:
        """A step has ended; whether the search has."""
        self._is_searching = not is_over

    def place(self, queue: Queue, lane: i64) -> Cursor:
        """Where the search of a lane goes on."""
        place = self._places[lane]
        if place is None:
            place = Cursor()
            place.lane = lane
            queue.cursors.append(place)
            self._places[lane] = place
        return place

    def own_places(self, unit: i64) -> list[int]:
        """By lane, the number of the last put of the unit of work that gets, up to which nothing
        matched."""
        if unit != self._own_unit or not self._own_places:
            self._own_unit = unit
            self._own_places = [0] * LANES
        return self._own_places

    def forget(self, queue: Queue) -> None:
        """Begin at the head of the queue again; the handle is closed, or messages came back."""
        self.scan = None
        self._own_places = []
        for lane in range(LANES):
            place = self._places[lane]
            if place is not None:
                place.leave()
                queue.cursors.remove(place)
                self._places[lane] = None


@final
class CompiledSelectors:
    """Selection strings that were used before, compiled."""

    def __init__(self) -> None:
        self._by_text: dict[str, Selector] = {}

    def find(self, text: str) -> Selector:
        """The selector of a text; MQError if that is not one."""
        selector = self._by_text.get(text)
        if selector is None:
            selector = compile_selector(text)
            if len(self._by_text) >= COMPILED_MAX:
                del self._by_text[next(iter(self._by_text))]
            self._by_text[text] = selector
        return selector


def selection_of(kernel: Kernel, via: list[Definition], text: str) -> HandleSelection | None:
    """The selection of a handle that is about to be opened; None if it sees every message. A handle
    that cannot get has one too: it may be widened later."""
    texts = [text] if text else []
    texts += [alias.text("selector") for alias in via if alias.attributes.get("selector")]
    if not texts:
        return None
    return HandleSelection([kernel.selectors.find(one) for one in texts], kernel.clock)
