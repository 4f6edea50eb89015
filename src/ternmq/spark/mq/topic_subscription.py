"""The durable subscription of a query that reads a topic, and the queue that it fills.

Option subscription names it. Without the option a query has one of its own, with a name nobody else
has, which is kept in its offsets; it expires when the query is not run for long, as its cursors do.
The subscription is open while the query runs, so no other query can have it, and lasts when the
query stops, unless option subscriptionAtStop says that it is removed.

Its queue is one that the queue manager makes (SYSTEM.MANAGED.DURABLE...). It gets RETAIN(CURSORS),
so that what the query has read leaves it, unless its model queue has another RETAIN already.
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NO_SUBSCRIPTION
from ternmq.spark.mq.mq_options import NONE, SourceOptions
from ternmq.spark.mq.positions import LATEST
from ternmq.spark.mq.queue_streams import HINT, DataLoss

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.topic import Subscription

_OWN: Final = "SPARK."
_OWN_BYTES: Final = 4
RENEW_S: Final = 3600.0  # how often the expiry of a query's own subscription begins again


@final
class TopicSubscription:
    """The subscription of one query."""

    def __init__(self, options: SourceOptions) -> None:
        self._options: Final = options
        self._own: Final = _OWN + secrets.token_hex(_OWN_BYTES).upper()
        self._connection: Connection | None = None  # by which it is open
        self._open: Subscription | None = None
        self._opened_s = 0.0
        self._is_made = False  # by this process, and for this query

    def name(self, known: str) -> str:
        """Its name; `known` is what the offsets of the query say."""
        return self._options.subscription or known or self._own

    def queue(self, connection: Connection, known: str) -> str:
        """The queue of the subscription, which is open from here on. It is made if no offset knows
        it; DataLoss if one does and it is gone."""
        wanted = self.name(known)
        opened = self._open
        if opened is not None and (opened.name != wanted or self._connection is not connection):
            self._let_go(is_other=opened.name != wanted)
            opened = None
        if opened is None or (is_own(wanted) and self._is_due()):
            opened = self._opened(connection, wanted, bool(known) and known == wanted)
        return opened.queue_name

    def _is_due(self) -> bool:
        return time.monotonic() - self._opened_s >= RENEW_S

    def _opened(self, connection: Connection, name: str, is_known: bool) -> Subscription:
        if self._open is not None:
            self._open.close(keep=True)  # one that is open cannot be altered
            self._open = None
        try:
            self._open = self._subscribed(connection, name, 0)
        except MQError as error:
            if error.reason != MQRC_NO_SUBSCRIPTION:
                raise
            if is_known and self._options.fail_on_loss:
                raise DataLoss(
                    f"the subscription {name} of this query is gone, and what was published "
                    f"since; {HINT}"
                ) from None
            self._open = self._subscribed(connection, name, mq.MQSO_CREATE)
            self._is_made = True
        self._connection = connection
        self._opened_s = time.monotonic()
        if self._options.cursor != NONE:
            retain(connection, self._open.queue_name)
        return self._open

    def _subscribed(self, connection: Connection, name: str, create: int) -> Subscription:
        """Resume it, or make it; one of the query's own begins to expire again."""
        action = mq.MQSO_ALTER if is_own(name) else mq.MQSO_RESUME
        hours = self._options.cursor_expiry_h if is_own(name) else 0
        found = connection.subscribe(
            self._options.topic,
            durable=name,
            expiry=hours * 3600.0 if hours else None,
            new_only=bool(create) and self._options.start.word == LATEST,
            options=action | create,
        )
        if found.topic != self._options.topic:  # MQSO_RESUME does not compare them
            found.close(keep=True)
            raise ValueError(
                f"subscription {name} is for the topic {found.topic!r}, and option topic says "
                f"{self._options.topic!r}: name another subscription, or delete this one"
            )
        return found

    def _let_go(self, is_other: bool) -> None:
        """The query has another subscription, or another connection: one that was made for nobody
        is removed."""
        opened, self._open = self._open, None
        if opened is None or self._connection is None or not self._connection.connected:
            return
        is_removed = is_other and self._is_made and is_own(opened.name)
        opened.close(keep=not is_removed, remove=is_removed)
        self._is_made = False

    def close(self, is_used: bool) -> None:
        """The query has stopped. Its own subscription is of no use if it has never read."""
        opened, self._open = self._open, None
        if opened is None or self._connection is None or not self._connection.connected:
            return
        is_useless = self._is_made and not is_used and is_own(opened.name)
        is_removed = is_useless or self._options.removes_at_stop
        opened.close(keep=not is_removed, remove=is_removed)


def is_own(name: str) -> bool:
    """Whether a query has made the name up. One that a user has given once does not expire, also if
    the option is left out later."""
    return name.startswith(_OWN) and len(name) == len(_OWN) + 2 * _OWN_BYTES


def retain(connection: Connection, queue: str) -> None:
    """Let the queue forget what all cursors have passed."""
    (shown,) = connection.mqsc(f"DISPLAY QLOCAL({queue}) RETAIN")
    if not shown.ok or shown["RETAIN"] != "NONE":
        return
    (done,) = connection.mqsc(f"ALTER QLOCAL({queue}) RETAIN(CURSORS)")
    if not done.ok:
        raise mq_error(
            done.reason,
            verb="ALTER QLOCAL",
            object=queue,
            detail=f"{done.message}; a model queue with RETAIN(CURSORS) needs no ALTER",
        )
