"""DEFINE, DISPLAY, RESET and DELETE CURSOR: named positions in the streams of queues.

Commands of our own; what cursors are is `kernel.cursors`. START and POSITION take EARLIEST, LATEST
or a stream number. DEFINE with REPLACE of a cursor that is there, on the same queue, leaves it
where it is: so a script of definitions can be run again without a message being read twice.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.commands.filters import fits_name
from ternmq.admin.execution import Execution
from ternmq.admin.status.status_display import StatusDisplay, Values, date_of, time_of
from ternmq.base import constants as mq
from ternmq.base.command_reasons import MQRCCF_ATTR_VALUE_ERROR
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.kernel.authority import may_display_named
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.cursors import (
    EARLIEST,
    LATEST,
    cursor_named,
    cursors,
    define_cursor,
    delete_cursor,
    reset_cursor,
)
from ternmq.kernel.kernel import Kernel
from ternmq.store.stream.named_cursor import StreamCursor
from ternmq.txn.families.cursor_records import EXPIRY_MAX
from ternmq.values.command import Answer

_WORDS: Final = {"EARLIEST": EARLIEST, "LATEST": LATEST}
_NUMBER_MAX: Final = (1 << 63) - 1


def position_of(text: str) -> int | None:
    """A position as MQSC has it; None if it is not valid."""
    word = _WORDS.get(text.upper())
    if word is not None:
        return word
    is_number = text.isdecimal() and text.isascii() and len(text) <= 19
    return int(text) if is_number and int(text) <= _NUMBER_MAX else None


class CursorCommand(Execution):
    """What the commands that change a cursor have in common."""

    def named(self, kernel: Kernel) -> StreamCursor | None:
        """The cursor of the command, if it is there."""
        found = [one for one in cursors(kernel) if one.name == self.command.name]
        return found[0] if found else None

    def not_found(self) -> bool:
        """There is no such cursor."""
        return self.refuse("AMQ8986E", self.command.name, reason=MQRC_UNKNOWN_OBJECT_NAME)

    def no_expiry(self, text: str) -> bool:
        """What was given is not a number of minutes."""
        why = f"it is a number of minutes from 0 (never) to {EXPIRY_MAX}"
        return self.refuse("AMQ8977E", "EXPIRY", text, why, reason=MQRCCF_ATTR_VALUE_ERROR)

    def no_position(self, text: str) -> bool:
        """What was given is not a position."""
        return self.refuse("AMQ8981E", self.command.name, text, reason=MQRCCF_ATTR_VALUE_ERROR)


@final
class DefineCursor(CursorCommand):
    """DEFINE CURSOR."""

    def refusal_of(self, error: MQError) -> Answer:
        answer = super().refusal_of(error)
        if error.reason == MQRC_UNKNOWN_OBJECT_NAME:  # the queue, not the cursor
            answer.inserts = (self.command.given["QUEUE"], *answer.inserts[1:])
        return answer

    def step(self, kernel: Kernel, link: Link) -> bool:
        given = self.command.given
        start = given.get("START", "LATEST")
        position = position_of(start)
        if position is None:
            return self.no_position(start)
        expiry = given.get("EXPIRY", "0")
        if not (expiry.isdecimal() and expiry.isascii() and len(expiry) <= 8):
            return self.no_expiry(expiry)
        if int(expiry) > EXPIRY_MAX:
            return self.no_expiry(expiry)
        there = self.named(kernel)
        if there is not None and "REPLACE" in given and there.queue_name == given["QUEUE"]:
            link.depends_on(there.visible_lsn)
            return self.succeed()
        name = self.command.name
        made = define_cursor(kernel, link, name, given["QUEUE"], position, int(expiry))
        return made is not None and self.succeed()


@final
class ResetCursor(CursorCommand):
    """RESET CURSOR."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        if self.named(kernel) is None:
            return self.not_found()
        given = self.command.given["POSITION"]
        position = position_of(given)
        if position is None:
            return self.no_position(given)
        found = reset_cursor(kernel, link, self.command.name, position)
        return found is not None and self.succeed(self.command.name, found.position)


@final
class DeleteCursor(CursorCommand):
    """DELETE CURSOR."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        if self.named(kernel) is None:
            if self.command.given.get("IGNSTATE", "NO") == "YES":
                return self.succeed()
            return self.not_found()
        return delete_cursor(kernel, link, self.command.name) and self.succeed()


@final
class DisplayCursors(StatusDisplay):
    """DISPLAY CURSOR."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        queue_name = self.command.given.get("QUEUE", "*")
        return [
            one.name
            for one in cursors(kernel)
            if fits_name(self.command.name, one.name) and fits_name(queue_name, one.queue_name)
        ]

    def allowed(self, kernel: Kernel, link: Link, subject: str) -> bool:
        names = [one.queue_name for one in cursors(kernel) if one.name == subject]
        return all(may_display_named(kernel, link, mq.MQOT_Q, name) for name in names)

    def guard(self, kernel: Kernel, subject: str) -> str:
        return cursor_named(kernel, subject).queue_name

    def _wants_lag(self) -> bool:
        """Its queue is loaded for it."""
        command = self.command
        where = command.where
        asked = "LAG" in command.wanted or (where is not None and where.keyword == "LAG")
        return asked or self.everything()

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        found: list[Values] = []
        for one in cursors(kernel):
            if one.name == subject:
                lag = lag_of(kernel, link, one) if self._wants_lag() else 0
                if lag is None:
                    return None
                link.depends_on(one.visible_lsn)
                found.append(cursor_values(one, lag, int(kernel.clock.now_ns())))
        return found


def lag_of(kernel: Kernel, link: Link, cursor: StreamCursor) -> int | None:
    """How many numbers the cursor has before it; None: parked. Numbers may have gaps."""
    definition = kernel.catalog.definitions.get(cursor.queue_name)
    if definition is None or definition.object_id in kernel.catalog.damaged:
        return 0
    local = kernel.local_queue(link, definition)
    return None if local is None else max(int(local.queue.next_sequence) - cursor.position, 0)


def cursor_values(cursor: StreamCursor, lag: int, now_ns: int) -> Values:
    """What DISPLAY CURSOR shows."""
    return {
        "CURSOR": cursor.name,
        "QUEUE": cursor.queue_name,
        "POSITION": cursor.position,
        "INCARN": cursor.incarnation,
        "LAG": lag,
        "AGE": max(now_ns - cursor.used_ns, 0) // 1_000_000_000,
        "EXPIRY": cursor.expiry_m,
        "USERID": cursor.owner,
        "CRDATE": date_of(cursor.defined_ns),
        "CRTIME": time_of(cursor.defined_ns),
        "ALTDATE": date_of(cursor.altered_ns),
        "ALTTIME": time_of(cursor.altered_ns),
    }
