"""Topics and subscriptions as an application sees them: publish, subscribe, get what was published.
`aio_topic` is that for tasks."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from ternmq.api.arguments import Data, Requests, as_bytes
from ternmq.api.queue import Browse, Queue
from ternmq.api.topic_arguments import (
    WARNS,
    at_level,
    close_options,
    publication_options,
    published,
    queue_of,
)
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.calls.messages import Put
from ternmq.values.calls.objects import Close, Open
from ternmq.values.calls.topics import RequestPublications, Subscribe
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.transport import Transport

if TYPE_CHECKING:
    from ternmq.api.consumers import EventFunction, MessageFunction
    from ternmq.api.consuming import Consumer
    from ternmq.values.message_properties import Given


def destination_of(queue: Queue) -> ObjectHandle:
    """A queue's handle for gets, opened if need be: MQSUB takes that."""
    return queue._handles.input or queue._opened(queue._handles.for_input())


class Topic:
    """A topic that is open for publications; a context manager that closes it."""

    def __init__(self, transport: Transport, opened: Open) -> None:
        self._transport = transport
        self._handle = opened.opened()
        self._name = opened.resolved_string
        self._object_name = opened.od.object_name
        self._requests = Requests(transport)

    @property
    def name(self) -> str:
        """The topic string in full."""
        return self._name

    @property
    def object_name(self) -> str:
        """The topic object that it was opened by; empty if it was opened by its string alone."""
        return self._object_name

    def put(
        self,
        data: Data,
        *,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        reply_to: str | None = None,
        format: str | None = None,
        descriptor: Descriptor | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
        properties: Given | None = None,
        retain: bool = False,
        not_own: bool = False,
        suppress_reply_to: bool = False,
        needs_subscriber: bool = False,
        level: int = 9,
    ) -> bytes:
        """Publish a message and return its MsgId; each subscription gets a copy with its own.

        Arguments as those of `Queue.put`; `persistent` and `priority` are the topic's defaults if
        not given. A publication with `retain` is kept for subscribers that come later, in place of
        the one before. With `not_own` the subscriptions of this connection do not get it; with
        `suppress_reply_to` copies do not have `reply_to`. With `needs_subscriber` MQError with
        MQRC_NO_SUBS_MATCHED is raised if there is none, and the MsgId is its `result`: the
        publication is done. `level` is PubLevel, 0 to 9: subscriptions above it do not get it.
        """
        options = publication_options(options, retain, not_own, suppress_reply_to, needs_subscriber)
        form = self._requests.put(
            data,
            persistent,
            priority,
            expiry,
            msg_id,
            correl_id,
            reply_to,
            format,
            descriptor,
            options,
            syncpoint,
            properties,
        )
        form = at_level(form, level, "MQPUT")
        body = data if isinstance(data, bytes) else as_bytes(data)
        if options & WARNS:
            call = Put(self._handle, form, body)
            self._transport.run(call)
            return published(call, self._name)
        return self._transport.put(self._handle, form, body)

    def close(self) -> None:
        """MQCLOSE; nothing happens if the topic is closed."""
        if self._transport.has_handle(self._handle):
            self._transport.run(Close(self._handle))

    def __enter__(self) -> Topic:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except MQError:
            if kind is None:  # it must not hide what is on its way out
                raise

    def __repr__(self) -> str:
        state = "" if self._transport.has_handle(self._handle) else ", closed"
        return f"<Topic {self._name} of {self._transport.qmgr_name}{state}>"


class Subscription:
    """A subscription and the queue that its publications go to; a context manager that closes it.

    Iterating waits for each next publication. A durable subscription goes on while it is closed:
    subscribe by its name again to get what was published meanwhile.
    """

    def __init__(
        self, transport: Transport, call: Subscribe, queue: Queue | None, owns_queue: bool
    ) -> None:
        self._transport = transport
        self._call = call
        self._handle: ObjectHandle = call.done()[1]
        self._owns_queue = owns_queue  # it closes it
        if queue is None:
            opened = queue_of(call)
            queue = Queue(transport, opened)
            # A user may have no authority to open it by its name.
            queue._handles.give_back(opened.opened())
        if owns_queue:
            queue._handles.topic = self.topic
        self._queue = queue

    # ---- what it is

    @property
    def topic(self) -> str:
        """The topic string in full, which may have wildcards."""
        return self._call.resolved_string

    @property
    def name(self) -> str:
        """The name of the subscription; empty if it has none."""
        return self._call.sub_name

    @property
    def queue_name(self) -> str:
        """The queue that its publications go to."""
        return self._queue.name

    @property
    def correl_id(self) -> bytes:
        """SubCorrelId: the CorrelId of all its publications, or zeros for the publisher's."""
        return self._call.sd.correl_id

    @property
    def user_data(self) -> str:
        """What `message.subscription_user_data` of its publications says."""
        return self._call.user_data

    @property
    def selector(self) -> str:
        """Which publications it gets; empty for all."""
        return self._call.selector

    @property
    def durable(self) -> bool:
        """Whether it lasts when it is closed."""
        return self._call.sd.options & mq.MQSO_DURABLE != 0

    @property
    def queue(self) -> Queue:
        """That queue, for all that a queue can do."""
        return self._queue

    # ---- get

    def get(
        self,
        *,
        wait: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        token: bytes | None = None,
        max_length: int | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
    ) -> Message:
        """Get the next publication; NoMessage if there is none within `wait` seconds. Arguments as
        those of `Queue.get`."""
        return self._queue.get(
            wait=wait,
            msg_id=msg_id,
            correl_id=correl_id,
            group_id=group_id,
            token=token,
            max_length=max_length,
            options=options,
            syncpoint=syncpoint,
        )

    def try_get(
        self,
        *,
        wait: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        token: bytes | None = None,
        max_length: int | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
    ) -> Message | None:
        """As `get`, but None if there is no publication."""
        return self._queue.try_get(
            wait=wait,
            msg_id=msg_id,
            correl_id=correl_id,
            group_id=group_id,
            token=token,
            max_length=max_length,
            options=options,
            syncpoint=syncpoint,
        )

    def __iter__(self) -> Iterator[Message]:
        """Get publication after publication, waiting for the next one without end."""
        return self._queue.consume()

    def consume(
        self, *, wait: float | None = -1.0, syncpoint: bool | None = None
    ) -> Iterator[Message]:
        """Get publication after publication; ends when `wait` seconds pass without one. `syncpoint`
        is that of `Queue.consume`."""
        return self._queue.consume(wait=wait, syncpoint=syncpoint)

    def browse(
        self,
        *,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        options: int = 0,
    ) -> Browse:
        """Look at the publications in order without taking them."""
        return self._queue.browse(msg_id=msg_id, correl_id=correl_id, options=options)

    @property
    def depth(self) -> int:
        """How many publications are there to be got."""
        return self._queue.depth

    def on_message(
        self,
        function: MessageFunction,
        *,
        on_event: EventFunction | None = None,
        browse: bool = False,
        wait: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        max_length: int | None = None,
        options: int = 0,
        syncpoint: bool = False,
        callback_options: int = 0,
    ) -> Consumer:
        """MQCB: call a function with every publication, once the connection is started. Arguments
        as those of `Queue.on_message`."""
        return self._queue.on_message(
            function,
            on_event=on_event,
            browse=browse,
            wait=wait,
            msg_id=msg_id,
            correl_id=correl_id,
            group_id=group_id,
            max_length=max_length,
            options=options,
            syncpoint=syncpoint,
            callback_options=callback_options,
        )

    # ---- retained publications, end

    def request_publications(self) -> int:
        """MQSUBRQ: send the retained publications now, of a subscription that was made with
        `on_request`; how many there were."""
        call = RequestPublications(self._handle, mq.MQSR_ACTION_PUBLICATION)
        self._transport.run(call)
        return call.publications

    def close(self, *, keep: bool = False, remove: bool = False) -> None:
        """MQCLOSE of the subscription and of its queue. Without an argument a durable one is kept
        and any other removed; `remove` removes a durable one, too. `keep` of one that is not
        durable is refused."""
        if self._transport.has_handle(self._handle):
            self._transport.run(Close(self._handle, close_options(keep, remove)))
        if self._owns_queue:
            self._queue.close()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except MQError:
            if kind is None:  # it must not hide what is on its way out
                raise

    def __repr__(self) -> str:
        name = self.name or self.topic
        state = "" if self._transport.has_handle(self._handle) else ", closed"
        return f"<Subscription {name} of {self._transport.qmgr_name}{state}>"
