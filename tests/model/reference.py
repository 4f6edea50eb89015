"""What queues, units of work and browse cursors do, in the fewest lines: the engine must agree.

A queue is a sorted list. Nothing here is fast, forced, swept or logged, and no source of the engine
is used. Time is an argument. Where MQ leaves room (an expired message counts in the depth until
somebody trips over it; a message that was in a unit of work at a crash may or may not have been
counted as backed out), the model answers with a range.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Xid = bytes
# "put", "get", or "both": its own unit has got what it put
Change = tuple[str, "ModelQueue", "Letter"]
Properties = Mapping[str, int | str]


@dataclass(eq=False)
class Letter:
    """A message."""

    tag: int
    size: int
    priority: int
    persistent: bool
    msg_id: bytes
    correl_id: bytes
    expires_ns: int | None = None
    properties: Properties = field(default_factory=dict)
    backouts: int = 0
    hardened: int = 0  # of these, what a crash cannot take back
    unsure: int = 0  # after a crash: how many more the engine may have counted
    sequence: int = 0  # given when it becomes visible
    holder: object = None  # the handle that has it under a browse lock

    def is_expired(self, now_ns: int) -> bool:
        return self.expires_ns is not None and self.expires_ns <= now_ns


@dataclass(frozen=True)
class Wanted:
    """Which message: everything that is not None must be equal."""

    msg_id: bytes | None = None
    correl_id: bytes | None = None
    tag: int | None = None  # stands for the message token

    def fits(self, letter: Letter) -> bool:
        return (
            self.msg_id in (None, letter.msg_id)
            and self.correl_id in (None, letter.correl_id)
            and self.tag in (None, letter.tag)
        )


ANY = Wanted()


def _is_low_and_not_red(found: Properties) -> bool:
    number, colour = found.get("number"), found.get("colour")
    return isinstance(number, int) and number < 4 and colour is not None and colour != "red"


# Selection strings and what they say; a comparison with a property that is not there is not true.
SELECTORS: dict[str, Callable[[Properties], bool]] = {
    "": lambda found: True,
    "number > 2": lambda found: int(found.get("number", 0)) > 2,
    "colour = 'red'": lambda found: found.get("colour") == "red",
    "number < 4 AND colour <> 'red'": _is_low_and_not_red,
}


@dataclass(eq=False)
class ModelQueue:
    """A local queue; `visible` is in the order of delivery."""

    name: str
    fifo: bool
    max_depth: int
    keeps_plain: bool  # NPMCLASS(HIGH)
    default_priority: int
    put_inhibited: bool = False
    get_inhibited: bool = False
    visible: list[Letter] = field(default_factory=list)
    expired: list[Letter] = field(default_factory=list)  # a crash may bring them back, as such
    putting: int = 0
    getting: int = 0
    next_sequence: int = 1

    def lane(self, letter: Letter) -> int:
        return 0 if self.fifo else -letter.priority

    def rank(self, letter: Letter) -> tuple[int, int]:
        return (self.lane(letter), letter.sequence)

    def reveal(self, letter: Letter) -> None:
        letter.sequence = self.next_sequence
        self.next_sequence += 1
        self.insert(letter)

    def insert(self, letter: Letter) -> None:
        self.visible.append(letter)
        self.visible.sort(key=self.rank)

    def living(self, now_ns: int) -> list[Letter]:
        return [letter for letter in self.visible if not letter.is_expired(now_ns)]

    def depths(self, now_ns: int) -> tuple[int, int]:
        """The least and the greatest CURDEPTH that is right."""
        return len(self.living(now_ns)) + self.putting, len(self.visible) + self.putting

    def forget_expired(self, now_ns: int) -> None:
        """The scanner has passed; it leaves alone what is under a browse lock."""
        gone = [one for one in self.visible if one.is_expired(now_ns) and not one.holder]
        self.visible = [one for one in self.visible if one not in gone]
        self.expired += gone

    def first(
        self, wanted: Wanted, handle: "ModelHandle", now_ns: int, own: Sequence[Letter] = ()
    ) -> Letter | None:
        """The message that a get takes; `own` is what its unit of work has put, in order."""
        offered = self.living(now_ns) + [one for one in own if not one.is_expired(now_ns)]
        for letter in sorted(offered, key=self.lane):
            if letter.holder in (None, handle) and wanted.fits(letter) and handle.selects(letter):
                return letter
        return None


@dataclass(eq=False)
class ModelHandle:
    """An open queue with its selection string and its browse cursor."""

    queue: ModelQueue
    selector: str = ""
    place: tuple[int, int] = (-10, 0)  # rank of the last message browsed
    own: Letter | None = None  # the last one of its own unit of work that it came to in that lane
    under: Letter | None = None
    was_taken: bool = False  # the message under the cursor left the queue at least once
    locked: Letter | None = None

    def selects(self, letter: Letter) -> bool:
        return SELECTORS[self.selector](letter.properties)

    def browse(
        self,
        first: bool,
        wanted: Wanted,
        lock: bool,
        now_ns: int,
        own: Sequence[Letter] = (),
    ) -> Letter | None:
        """Move to the next message and show it; `own` is what the unit of work has put, each behind
        all that is visible in its lane."""
        self.settle_own()
        place = (-10, 0) if first else self.place
        before = None if first else self.own
        lane_of = self.queue.lane
        ahead = [one for one in self.queue.living(now_ns) if self.queue.rank(one) > place]
        ahead += [
            one
            for one in own
            if not one.is_expired(now_ns)
            and lane_of(one) >= place[0]
            and (before is None or lane_of(one) > place[0] or one.tag > before.tag)
        ]
        at = place[1]
        lane = place[0]
        for letter in sorted(ahead, key=lane_of):
            if lane_of(letter) != lane:
                lane, at, before = lane_of(letter), 0, None
            is_own = letter in own
            at = at if is_own else letter.sequence
            before = letter if is_own else before
            if letter.holder not in (None, self):
                continue
            if wanted.fits(letter) and self.selects(letter):
                self.place = (lane, at)
                self.own = before
                self.under = letter
                self.was_taken = False
                self.show(letter, lock)
                return letter
        return None

    def settle_own(self) -> None:
        """What it saw of a unit of work has a place on the queue if that was committed."""
        if self.own is not None and self.own.sequence:
            self.place = (self.place[0], max(self.place[1], self.own.sequence))
            self.own = None

    def show(self, letter: Letter, lock: bool) -> None:
        """What a browse does to locks: the old one goes, a new one may come."""
        self.unlock()
        if lock:
            letter.holder = self
            self.locked = letter

    def unlock(self) -> bool:
        held = self.locked is not None and self.locked.holder is self
        if self.locked is not None and held:
            self.locked.holder = None
        self.locked = None
        return held

    def at_cursor(self, now_ns: int, own: Sequence[Letter] = ()) -> Letter | None:
        letter = self.under
        there = [*self.queue.living(now_ns), *own]
        if letter is None or letter not in there or letter.is_expired(now_ns):
            return None
        return letter if letter.holder in (None, self) else None


class Model:
    """A queue manager."""

    def __init__(self) -> None:
        self.queues: dict[str, ModelQueue] = {}
        self.units: dict[int, list[Change]] = {}
        self.prepared: dict[Xid, list[Change]] = {}
        self.handles: dict[tuple[int, str, str], ModelHandle] = {}  # the last: its selector

    # ---- messages

    def put(self, connection: int, queue: ModelQueue, letter: Letter, syncpoint: bool) -> None:
        if syncpoint:
            queue.putting += 1
            self.units.setdefault(connection, []).append(("put", queue, letter))
        else:
            queue.reveal(letter)

    def own(self, connection: int, queue: ModelQueue) -> list[Letter]:
        """What a unit of work has put to a queue and not got."""
        changes = self.units.get(connection, [])
        return [letter for kind, to, letter in changes if kind == "put" and to is queue]

    def take(self, connection: int, queue: ModelQueue, letter: Letter, syncpoint: bool) -> None:
        mine = ("put", queue, letter)
        changes = self.units.get(connection, [])
        if mine in changes:
            changes[changes.index(mine)] = ("both", queue, letter)
            queue.putting -= 1
            letter.holder = None
            return
        queue.visible.remove(letter)
        letter.holder = None
        for handle in self.handles.values():
            if handle.under is letter:
                handle.was_taken = True
        if syncpoint:
            queue.getting += 1
            self.units.setdefault(connection, []).append(("get", queue, letter))

    # ---- units of work

    def commit(self, connection: int) -> None:
        _commit(self.units.pop(connection, []))

    def back_out(self, connection: int, hardened: bool = True) -> None:
        _back_out(self.units.pop(connection, []), hardened)

    def prepare(self, connection: int, xid: Xid) -> bool:
        changes = self.units.pop(connection, [])
        if changes:
            self.prepared[xid] = changes
        return bool(changes)

    def end_prepared(self, xid: Xid, commit: bool) -> None:
        changes = self.prepared.pop(xid)
        if commit:
            _commit(changes)
        else:
            _back_out(changes, True)

    # ---- stopping

    def stop(self) -> None:
        """A clean stop: connection 0, of who stops, commits; the others are backed out."""
        self.commit(0)
        for connection in list(self.units):
            self.back_out(connection)
        self._lose(clean=True)

    def crash(self) -> None:
        """What was not committed never happened, though a backout may have been counted."""
        for connection in list(self.units):
            self.back_out(connection, False)
        for queue in self.queues.values():
            for letter in queue.expired:
                queue.insert(letter)
        self._lose(clean=False)
        for queue in self.queues.values():
            for letter in queue.visible:
                letter.unsure += letter.backouts - letter.hardened
                letter.backouts = letter.hardened

    def _lose(self, clean: bool) -> None:
        self.handles.clear()
        for xid, changes in list(self.prepared.items()):
            kept = [change for change in changes if change[2].persistent]
            for kind, queue, letter in changes:
                if not letter.persistent and kind == "put":
                    queue.putting -= 1
                elif not letter.persistent and kind == "get":
                    queue.getting -= 1
            self.prepared[xid] = kept
        for queue in self.queues.values():
            queue.expired = []
            queue.visible = [
                letter
                for letter in queue.visible
                if letter.persistent or (clean and queue.keeps_plain)
            ]
            for letter in queue.visible:
                letter.holder = None


def _commit(changes: list[Change]) -> None:
    for kind, queue, letter in changes:
        if kind == "put":
            queue.putting -= 1
            queue.reveal(letter)
        elif kind == "both":
            letter.sequence = queue.next_sequence - 1  # where it would have been
        else:
            queue.getting -= 1


def _back_out(changes: list[Change], hardened: bool) -> None:
    for kind, queue, letter in reversed(changes):
        if kind == "put":
            queue.putting -= 1
        elif kind == "get":
            queue.getting -= 1
            letter.backouts += 1
            if hardened:
                letter.hardened = letter.backouts
            queue.insert(letter)
