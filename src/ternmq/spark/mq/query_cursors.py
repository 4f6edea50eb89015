"""Cursors of a query: what keeps messages in the stream until their batch is done.

Option cursor names it; with several queues each has one, `name.QUEUE`. Without the option a query
has cursors of its own, with a name nobody else has, which is kept in its offsets. `none` is for
streams with retention of their own, and for users who may not define cursors.

A cursor that is there already says where to begin, unless startingOffsets does.

A source cannot find out whether the checkpoint of its query lasts. So a query's own cursors expire
when they are not used for long (option cursorExpiryHours): else a query that never comes back would
keep messages for ever. A running query uses its cursors every USE_S, even if no message comes.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import Any, Final, final

from ternmq.api.connection import Connection
from ternmq.api.stream import QueueCursor, Start, start_number
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_CHANGED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.spark.mq.mq_options import NONE, SourceOptions
from ternmq.spark.mq.positions import LATEST, NUMBER, Position
from ternmq.spark.mq.queue_streams import HINT, DataLoss, bounds_of, number_at
from ternmq.values.calls.streams import CursorOpen
from ternmq.values.status import Bounds

Place = dict[str, Any]  # of one queue: incarnation, next, and cursor if it is the query's own
NAME_CHARACTERS_MAX: Final = 48
USE_S: Final = 60.0
_DIGITS: Final = 8


class NoStream(ValueError):
    """A queue that the query must not give a cursor to, and that has nothing to read without."""


@final
class Cursors:
    """The cursors of one query, by queue."""

    def __init__(self, options: SourceOptions) -> None:
        self._options: Final = options
        self._token: Final = secrets.token_hex(4).upper()
        # by name: of which connection, and when it was opened
        self._open: dict[str, tuple[Connection, QueueCursor, float]] = {}
        self._made: list[str] = []
        self._kept: set[str] = set()  # not used any more, and the user may not delete them

    def name(self, queue: str, place: Place) -> str:
        """The cursor of a queue; empty if it has none."""
        given = self._options.cursor
        if given == NONE:
            return ""
        if given:
            return (
                given if len(self._options.queues) == 1 == self._plain() else joined(given, queue)
            )
        known: str = place.get("cursor", "")
        return known or joined(f"SPARK.{self._token}", queue)

    def _plain(self) -> int:
        return sum("*" not in name for name in self._options.queues)

    # ---- the beginning

    def begun(self, connection: Connection, queue: str, wanted: Position | None) -> Place:
        """Where reading of a queue begins. None: where its cursor is; a new one is behind all
        messages that are there."""
        name = self.name(queue, {})
        cursor = None
        if name:
            start: Start = "latest" if wanted is None or wanted.word == LATEST else "earliest"
            self._open.pop(name, None)  # the queue may be another one since
            cursor = self._opened(connection, name, queue, start)
            if not self._options.cursor:
                self._made.append(name)
            if wanted is None:
                return self._place(name, cursor.incarnation, cursor.position)
        number, incarnation = self._number(connection, queue, wanted or Position(LATEST))
        if cursor is not None and number < cursor.position:
            cursor.reset(number)
        return self._place(name, incarnation, number)

    def _number(self, connection: Connection, queue: str, wanted: Position) -> tuple[int, int]:
        bounds = bounds_of(connection, queue)
        if bounds is None:
            raise NoStream(
                f"{queue} has no stream, as it has neither a cursor nor RETAIN, and option cursor "
                "is 'none'"
            )
        number = number_at(connection, queue, bounds, wanted)
        if number > bounds.next:
            raise ValueError(
                f"option startingOffsets: {number} is beyond the stream of {queue}, whose next "
                f"message is {bounds.next}"
            )
        if number < bounds.earliest and wanted.word == NUMBER:
            if self._options.fail_on_loss:
                raise DataLoss(
                    f"the stream of {queue} begins with {bounds.earliest}, {number} is gone; {HINT}"
                )
            number = bounds.earliest
        return number, bounds.incarnation

    def _place(self, name: str, incarnation: int, number: int) -> Place:
        place: Place = {"incarnation": incarnation, "next": number}
        if name and not self._options.cursor:
            place["cursor"] = name
        return place

    def _opened(self, connection: Connection, name: str, queue: str, start: Start) -> QueueCursor:
        known = self._open.get(name)
        now_s = time.monotonic()
        if known is not None and known[0] is connection and now_s - known[2] < USE_S:
            return known[1]
        try:
            if queue:
                expiry_m = self._options.cursor_expiry_h * 60
                connection.run(CursorOpen(name, queue, start_number(start), expiry_m))
            cursor = connection.cursor(name)
        except MQError as error:
            if error.reason != MQRC_OBJECT_ALREADY_EXISTS:
                raise
            raise ValueError(f"option cursor: {error.detail}") from None
        self._open[name] = (connection, cursor, now_s)
        return cursor

    # ---- as it goes on

    def position(self, connection: Connection, queue: str, place: Place) -> int | None:
        """Where the cursor of a queue is; None if it has none."""
        name = self.name(queue, place)
        if not name:
            return None
        self._open.pop(name, None)  # asked again: where it is, not where it was
        return self._opened(connection, name, queue, "earliest").position

    def advance(self, connection: Connection, queue: str, place: Place) -> None:
        """All messages before the place are done with."""
        name = self.name(queue, place)
        if not name:
            return
        number, incarnation = int(place["next"]), int(place["incarnation"])
        try:
            cursor = self._opened(connection, name, "", "earliest")
            if cursor.incarnation != incarnation:
                self._check_queue(connection, queue, incarnation, cursor)
            elif cursor.position < number:
                cursor.advance(number)
        except MQError as error:
            self._open.pop(name, None)
            if error.reason == MQRC_UNKNOWN_OBJECT_NAME:
                self._again(connection, queue, place, error)
            elif error.reason == MQRC_OBJECT_CHANGED:
                cursor = self._opened(connection, name, "", "earliest")
                self._check_queue(connection, queue, incarnation, cursor)
            elif error.reason != MQRC_MSG_SEQ_NUMBER_ERROR:
                raise  # that one: the stream does not reach so far, as its bounds show

    def _check_queue(
        self, connection: Connection, queue: str, incarnation: int, cursor: QueueCursor
    ) -> None:
        """DataLoss if the queue is as it was, but the cursor is on another by now: then nothing
        keeps messages for the query. If the queue is another, its bounds show that."""
        bounds = bounds_of(connection, queue)
        if bounds is None or bounds.incarnation != incarnation or not self._options.fail_on_loss:
            return
        raise DataLoss(
            f"cursor {cursor.name} was deleted and defined again on {cursor.queue}, so nothing "
            f"keeps the messages of {queue} for this query; {HINT}"
        )

    def _again(self, connection: Connection, queue: str, place: Place, error: MQError) -> None:
        """Somebody has deleted the cursor: define it again, if the stream is there. If the queue
        is another one by now, the code that checks its bounds reports that."""
        name, number = self.name(queue, place), int(place["next"])
        bounds = bounds_of(connection, queue)
        if bounds is not None and bounds.incarnation == int(place["incarnation"]):
            if number < bounds.whole and self._options.fail_on_loss:
                raise DataLoss(deleted(name, queue, number, bounds)) from None
            self._opened(connection, name, queue, max(number, bounds.earliest))

    def check_kept(self, connection: Connection, queue: str, place: Place, bounds: Bounds) -> None:
        """DataLoss if the cursor was deleted and the stream filled again since: then messages from
        the place on may be missing, and no other check finds that."""
        name, number = self.name(queue, place), int(place["next"])
        if not name or number >= bounds.whole or not self._options.fail_on_loss:
            return
        try:
            connection.cursor(name)
        except MQError as error:
            if error.reason != MQRC_UNKNOWN_OBJECT_NAME:
                raise
            raise DataLoss(deleted(name, queue, number, bounds)) from None

    def noted(self, connection: Connection, queue: str, place: Place) -> Place:
        """A place with the cursor that the query has by now: option cursor may have been another
        when it began. One of its own that is not used any more is deleted."""
        given, known = self._options.cursor, place.get("cursor", "")
        if not given and not known:
            return {**place, "cursor": self.name(queue, place)}
        if not given or not known or known in self._kept:
            return place
        is_free = given != NONE or self._may_go(connection, queue, known)
        if not is_free or not delete(connection, known):
            self._kept.add(known)  # it is not asked for at every look
            return place
        return {name: value for name, value in place.items() if name != "cursor"}

    def _may_go(self, connection: Connection, queue: str, known: str) -> bool:
        """Whether a queue's stream lasts without the query's own cursor; ValueError if it does not.
        Where the user may not see that, the cursor is left to an administrator."""
        bounds = bounds_of(connection, queue)
        if bounds is None or bounds.cursors > 1:
            return True
        answers = connection.mqsc(f"DISPLAY QLOCAL({queue}) RETAIN")
        if not answers[0].ok:
            return False
        if answers[0]["RETAIN"] == "NONE":
            raise ValueError(
                f"option cursor is 'none', and the stream of {queue} would end with {known}, the "
                "cursor that this query had: it has no other, and no RETAIN"
            )
        return True

    def drop_other(self, connection: Connection, begin: Place, place: Place) -> None:
        """Delete the cursor that was made for a beginning, if the query has another already."""
        name = begin.get("cursor", "")
        if name and name != place.get("cursor", name):
            self._open.pop(name, None)
            self._made = [one for one in self._made if one != name]
            delete(connection, name)

    def forget(self, connection: Connection) -> None:
        """Delete cursors that no offset knows of."""
        for name in self._made:
            self._open.pop(name, None)
            delete(connection, name)
        self._made.clear()


def deleted(name: str, queue: str, number: int, bounds: Bounds) -> str:
    """What may be missing, in words."""
    return (
        f"cursor {name} of {queue} was deleted, and of the messages from {number} to "
        f"{bounds.whole - 1} some may be gone; {HINT}"
    )


def delete(connection: Connection, name: str) -> bool:
    """Delete a cursor, if the user may; else it is left to an administrator. Whether it is gone."""
    try:
        connection.cursor(name).delete()
    except MQError as error:
        return error.reason == MQRC_UNKNOWN_OBJECT_NAME
    return True


def joined(name: str, queue: str) -> str:
    """A name of a cursor for a queue, within the length of names."""
    whole = f"{name}.{queue}"
    if len(whole) <= NAME_CHARACTERS_MAX:
        return whole
    digest = hashlib.sha256(queue.encode()).hexdigest()[:_DIGITS].upper()
    return f"{whole[: NAME_CHARACTERS_MAX - _DIGITS - 1]}.{digest}"
