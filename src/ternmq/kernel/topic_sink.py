"""Where the verbs hand over what concerns topics and subscriptions.

The kernel knows that a handle may lead to a topic or to a subscription instead of a queue, and that
units of work and definitions end or change. What that means is decided by `pubsub`, which stands
above the kernel and answers here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from mypy_extensions import i64

from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_ALIAS_BASE_Q_TYPE_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
)

if TYPE_CHECKING:
    from ternmq.kernel.connection import Connection, Handle
    from ternmq.kernel.requests import PutRequest
    from ternmq.store.catalog import Definition
    from ternmq.txn.unit import UnitOfWork
    from ternmq.values.entry import Entry


class OpenTopic:
    """The topic that a handle is open for; `pubsub` has more of it."""

    def __init__(self, topic_string: str, object_name: str) -> None:
        self.topic_string = topic_string  # in full
        self.object_name = object_name  # of the topic object that was named; "" for none


class OpenSubscription:
    """The subscription of a handle that MQSUB has returned (Hsub); `pubsub` has more of it."""


@final
class TopicRefusal:
    """What a user may not do with a topic, for the event."""

    def __init__(self, qualifier: int, user: str, topic_string: str, options: int) -> None:
        self.qualifier = qualifier  # MQRQ_
        self.user = user
        self.topic_string = topic_string
        self.options = options  # of MQOPEN or MQSUB
        self.names: list[str] = []  # of the topic objects that were asked, the closest first
        self.sub_name = ""  # of MQCLOSE
        self.destination = ""  # the queue that may not be used, and for what
        self.open_options = 0


class StreamedPublication:
    """A copy that STREAMQ makes for a topic, asked for and not put yet."""

    def put(self, unit: UnitOfWork | None) -> None:
        """Put it, together with the message that it is a copy of."""
        raise NotImplementedError


class TopicSink:
    """What the kernel asks and reports. This one knows no topics."""

    def __init__(self) -> None:
        self.in_units = False  # `unit_ended` is to be called

    def publish(
        self, connection: Connection, handle: Handle, request: PutRequest, data: bytes
    ) -> Entry | None:
        """MQPUT or MQPUT1 on a handle of a topic; None: the connection is parked, or goes on
        later."""
        raise mq_error(MQRC_HOBJ_ERROR, verb="MQPUT", object=handle.resolved_name)

    def open_alias(
        self,
        connection: Connection,
        alias: Definition,
        options: int,
        verb: str,
        alternate_user: str,
        publishers: list[str] | None = None,
    ) -> Handle | None:
        """MQOPEN of an alias with TARGTYPE(TOPIC); None: parked. With `publishers` the users that
        need pub on the topic are these, and the caller has asked for the rest."""
        raise mq_error(MQRC_UNKNOWN_ALIAS_BASE_Q, verb=verb, object=alias.name)

    def ask_stream(
        self,
        connection: Connection,
        handle: Handle,
        alias: Definition,
        cap: i64,
        request: PutRequest,
        data: bytes,
        persistence: i64,
    ) -> StreamedPublication | None:
        """The publication for a topic that an alias leads to of a message that `handle` puts to a
        queue with STREAMQ; `cap` is its expiry in tenths of a second, -1: unlimited. None: the
        connection is parked. Raises why it cannot be."""
        raise mq_error(MQRC_ALIAS_BASE_Q_TYPE_ERROR, verb="MQPUT", object=alias.name)

    def close(self, handle: Handle, options: int) -> bool:
        """MQCLOSE of a handle of a topic or of a subscription; False: parked."""
        return True

    def unit_ended(self, number: int, is_committed: bool) -> i64:
        """A unit of work has ended; what else must be forced before that is answered. Asked for
        only while `in_units`."""
        return 0

    def changed(self, definition: Definition) -> None:
        """A topic object, an administrative subscription or a namelist was defined or altered."""

    def deleted(self, definition: Definition) -> None:
        """The same, deleted."""

    def refreshed(self) -> None:
        """Attributes of the queue manager have changed."""

    def keeps_state_on(self, name: str) -> bool:
        """Whether the messages of a queue are subscriptions or publications that a start reads."""
        return False

    def queue_loaded(self, name: str) -> None:
        """A local queue is in use now, which it was not before."""

    def queue_deleted(self, name: str) -> None:
        """A local queue is gone."""

    def tick(self, now_ns: int) -> None:
        """Time has passed (monotonic clock)."""
