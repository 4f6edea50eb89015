"""Who waits for a message on one queue, and who is served next.

The newest waiter is served first, so that one stays hot and the others stay asleep; every sixteenth
message goes to the one that has waited longest, so that nobody starves. When that one waits again
it comes behind the newest, who stays the hot one. Waiters for an identifier
are found by it; waiting browsers all see a message before a getter takes it. Waiters with a
selection string come before those for any message, the one that has waited longest first; a put
asks a few of them, and later steps ask the rest (`delivery`).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.ports.effect import Wakeable
from ternmq.values.entry import ZERO_ID, Entry

if TYPE_CHECKING:
    from ternmq.kernel.requests import GetCall

TURNS_FOR_OLDEST: Final = 16
# Waiters with a selection string that one step asks; fewer where properties make that much work.
ASKED_AT_ONCE: Final = 32


def asked_at_once(calls: list[GetCall], entry: Entry) -> i64:
    """How many of some waiters with a selection string one step asks about a message: the first in
    any case, then as many as are little work together."""
    count: i64 = 0
    effort: i64 = 0
    while count < len(calls) and effort < ASKED_AT_ONCE:
        selection = calls[count].handle.selection
        effort += 1 if selection is None else selection.effort_of(entry)
        count += 1
    return count


@final
class AlertWait:
    """A wait for any of some alerts: its caller is woken once."""

    __slots__ = ("waker",)

    def __init__(self) -> None:
        self.waker: Wakeable | None = None


@final
class Alert:
    """That a handle's queue may have a message; see `alerts`."""

    __slots__ = ("is_raised", "key", "wait")

    def __init__(self, key: int) -> None:
        self.key = key  # of the handle
        self.is_raised = True
        self.wait: AlertWait | None = None


@final
class Waiters:
    """The waiting gets of one queue."""

    __slots__ = (
        "_any",
        "_by_id",
        "_oldest",
        "alerts",
        "browsing",
        "count",
        "looking",
        "selecting",
        "turn",
    )

    def __init__(self) -> None:
        self._any: list[GetCall] = []
        self._by_id: dict[bytes, list[GetCall]] = {}
        self.browsing: list[GetCall] = []
        # for what a selection string says, in the order of their coming: a dict as ordered set
        self.selecting: dict[int, GetCall] = {}
        self.alerts: dict[int, Alert] = {}  # those that are set, the oldest first
        self.looking: list[GetCall] = []  # their search takes several steps; then they would wait
        self.count: i64 = 0  # all of them
        self.turn: i64 = 0
        self._oldest = -1  # the handle that was last served because it had waited longest

    def add(self, call: GetCall) -> None:
        """Start to wait."""
        self.count += 1
        if call.browse:
            self.browsing.append(call)
            return
        key = call.wait_key()
        if key == ZERO_ID:
            if call.handle.selection is not None:
                self.selecting[call.handle.key] = call
            elif call.handle.key == self._oldest and self._any:
                self._oldest = -1
                self._any.insert(len(self._any) - 1, call)
            else:
                self._any.append(call)
        else:
            self._by_id.setdefault(key, []).append(call)

    def remove(self, call: GetCall) -> None:
        """Stop waiting."""
        self.count -= 1
        if call.browse:
            self.browsing.remove(call)
            return
        key = call.wait_key()
        if key == ZERO_ID:
            if call.handle.selection is not None:
                del self.selecting[call.handle.key]
            elif self._any[-1] is call:
                self._any.pop()
            else:
                self._any.remove(call)
            return
        same = self._by_id[key]
        same.remove(call)
        if not same:
            del self._by_id[key]

    def look(self, call: GetCall) -> None:
        """A search of several steps goes on: new messages may be in places it has passed."""
        call.looking = True
        self.count += 1
        self.looking.append(call)

    def stop_looking(self, call: GetCall) -> None:
        """The next step of a search begins, or there is none."""
        call.looking = False
        self.count -= 1
        self.looking.remove(call)

    def for_entry(self, entry: Entry) -> list[GetCall]:
        """Who may want this message, the one to serve first at the front."""
        found: list[GetCall] = []
        if self._by_id:
            keys = [entry.msg_id]
            if entry.correl_id != entry.msg_id:
                keys.append(entry.correl_id)
            if entry.group_id != ZERO_ID:
                keys.append(entry.group_id)
            for key in keys:
                same = self._by_id.get(key)
                if same is not None:
                    found.extend(same)
        if self.selecting:
            first = list(islice(self.selecting.values(), ASKED_AT_ONCE))
            found.extend(first[: asked_at_once(first, entry)])
        if self._any:
            if (self.turn + 1) % TURNS_FOR_OLDEST == 0:
                found.extend(self._any)
            else:
                found.extend(reversed(self._any))
        return found

    def first_any(self) -> GetCall | None:
        """The waiter for any message whose turn it is, when nobody waits for an identifier or
        browses."""
        if self._by_id or self.browsing or self.selecting or not self._any:
            return None
        if (self.turn + 1) % TURNS_FOR_OLDEST == 0:
            return self._any[0]
        return self._any[-1]

    def end_turn(self) -> None:
        """A message is being given away; before those who get it are removed."""
        if self._any:
            self.turn += 1
            if self.turn % TURNS_FOR_OLDEST == 0:
                self._oldest = self._any[0].handle.key

    def for_unlocked(self) -> list[GetCall]:
        """Who may want a message that was under a lock, in the order in which they are asked."""
        found = list(self.browsing)
        for same in self._by_id.values():
            found.extend(same)
        found.extend(self.selecting.values())
        found.extend(reversed(self._any))
        return found

    def all(self) -> list[GetCall]:
        """Everybody."""
        everybody = list(self._any) + list(self.browsing) + list(self.selecting.values())
        for same in self._by_id.values():
            everybody.extend(same)
        return everybody
