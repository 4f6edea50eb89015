"""Topics and subscriptions for tasks: the methods of `topic`, with `await` and `async for`.
Interpreted on the compiled build too, so that Python warns of a call that is not awaited."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NoReturn, final

from ternmq.api.aio_opening import cannot_wait
from ternmq.api.aio_queue import Browse, Messages, Queue
from ternmq.api.arguments import Data, Requests, as_bytes
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
from ternmq.values.put_form import PUBLICATION_LEVEL_MAX, PutForm
from ternmq.values.transport import PlainPut, TaskTransport

if TYPE_CHECKING:
    from ternmq.api.aio_consuming import Consumer
    from ternmq.api.consumers import EventFunction, MessageFunction
    from ternmq.values.message_properties import Given


_NOTHING: Final = (None,) * 7
_NOTHING_MORE: Final = (None,) * 3


async def destination_of(queue: Queue) -> ObjectHandle:
    """A queue's handle for gets, opened if need be: MQSUB takes that."""
    return queue._handles.input or await queue._opened(queue._handles.for_input())


class Topic:
    """A topic that is open for publications; an asynchronous context manager that closes it."""

    def __init__(self, transport: TaskTransport, opened: Open) -> None:
        self._transport = transport
        self._handle = opened.opened()
        self._name = opened.resolved_string
        self._object_name = opened.od.object_name
        self._requests = Requests(transport)
        self._plain: PlainPut | None = None  # once a put has shown that it can be done at once

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
    ) -> Coroutine[Any, Any, bytes]:
        """Publish a message and return its MsgId; each subscription gets a copy with its own.

        Arguments as those of `Queue.put`; `persistent` and `priority` are the topic's defaults if
        not given. A publication with `retain` is kept for subscribers that come later, in place of
        the one before. With `not_own` the subscriptions of this connection do not get it; with
        `suppress_reply_to` copies do not have `reply_to`. With `needs_subscriber` MQError with
        MQRC_NO_SUBS_MATCHED is raised if there is none, and the MsgId is its `result`: the
        publication is done. `level` is PubLevel, 0 to 9: subscriptions above it do not get it.
        """
        options = publication_options(options, retain, not_own, suppress_reply_to, needs_subscriber)
        particulars = (persistent, priority, expiry, msg_id, correl_id, reply_to, format)
        rest = (descriptor, syncpoint, properties)
        is_plain = options == 0 and level == PUBLICATION_LEVEL_MAX and isinstance(data, bytes)
        if is_plain and particulars == _NOTHING and rest == _NOTHING_MORE:
            if self._plain is not None:
                return self._put_plain(self._plain, data)
            return self._put_first(data)
        form = self._requests.put(data, *particulars, descriptor, options, syncpoint, properties)
        return self._put(at_level(form, level, "MQPUT"), options, data)

    async def _put_plain(self, plain: PlainPut, data: Data) -> bytes:
        """Bytes without particulars: at once, or as any other put."""
        body = as_bytes(data)
        return plain.put(body) or await self._put_first(body)

    async def _put_first(self, data: Data) -> bytes:
        """The same while it is not known whether they can be put at once."""
        transport = self._transport
        none = None  # of the particulars
        form = self._requests.put(data, none, none, none, none, none, none, none, none, 0, none)
        done = transport.put_now(self._handle, form, as_bytes(data))
        if done is None:
            return await transport.put(self._handle, form, as_bytes(data))
        if self._plain is None:
            usual = self._requests.put(
                b"", none, none, none, none, none, none, none, none, 0, False
            )
            self._plain = transport.plain_put(self._handle, usual)
        if transport.pause_is_due:
            await transport.pause()
        return done

    async def _put(self, form: PutForm, options: int, data: Data) -> bytes:
        body = as_bytes(data)
        if options & WARNS:
            call = Put(self._handle, form, body)
            await self._transport.run(call)
            return published(call, self._name)
        return await self._transport.put(self._handle, form, body)

    async def close(self) -> None:
        """MQCLOSE; nothing happens if the topic is closed."""
        self._plain = None
        if self._transport.has_handle(self._handle):
            await self._transport.run(Close(self._handle))

    async def __aenter__(self) -> Topic:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self.close()
        except MQError:
            if kind is None:  # it must not hide what is on its way out
                raise

    def __repr__(self) -> str:
        state = "" if self._transport.has_handle(self._handle) else ", closed"
        return f"<Topic {self._name} of {self._transport.qmgr_name}{state}>"


class Subscription:
    """A subscription and the queue that its publications go to; an asynchronous context manager
    that closes it.

    Iterating waits for each next publication. A durable subscription goes on while it is closed:
    subscribe by its name again to get what was published meanwhile.
    """

    def __init__(
        self, transport: TaskTransport, call: Subscribe, queue: Queue | None, owns_queue: bool
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

    async def get(
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
        return await self._queue.get(
            wait=wait,
            msg_id=msg_id,
            correl_id=correl_id,
            group_id=group_id,
            token=token,
            max_length=max_length,
            options=options,
            syncpoint=syncpoint,
        )

    async def try_get(
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
        return await self._queue.try_get(
            wait=wait,
            msg_id=msg_id,
            correl_id=correl_id,
            group_id=group_id,
            token=token,
            max_length=max_length,
            options=options,
            syncpoint=syncpoint,
        )

    def __aiter__(self) -> Messages:
        """Get publication after publication, waiting for the next one without end."""
        return self._queue.consume()

    def consume(self, *, wait: float | None = -1.0, syncpoint: bool | None = None) -> Messages:
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

    async def depth(self) -> int:
        """How many publications are there to be got."""
        return await self._queue.depth()

    async def on_message(
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
        return await self._queue.on_message(
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

    async def request_publications(self) -> int:
        """MQSUBRQ: send the retained publications now, of a subscription that was made with
        `on_request`; how many there were."""
        call = RequestPublications(self._handle, mq.MQSR_ACTION_PUBLICATION)
        await self._transport.run(call)
        return call.publications

    async def close(self, *, keep: bool = False, remove: bool = False) -> None:
        """MQCLOSE of the subscription and of its queue. Without an argument a durable one is kept
        and any other removed; `remove` removes a durable one, too. `keep` of one that is not
        durable is refused."""
        if self._transport.has_handle(self._handle):
            await self._transport.run(Close(self._handle, close_options(keep, remove)))
        if self._owns_queue:
            await self._queue.close()

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self.close()
        except MQError:
            if kind is None:  # it must not hide what is on its way out
                raise

    def __repr__(self) -> str:
        name = self.name or self.topic
        state = "" if self._transport.has_handle(self._handle) else ", closed"
        return f"<Subscription {name} of {self._transport.qmgr_name}{state}>"


@final
class Subscribing:
    """A subscription that `await` makes, `async with` makes and closes, or `async for` makes and
    gets publications of, until the loop ends; then it lasts until the connection ends."""

    def __init__(self, subscribing: Coroutine[Any, Any, Subscription]) -> None:
        self._subscribing = subscribing
        self._made: Subscription | None = None
        self._messages: Messages | None = None

    if not TYPE_CHECKING:  # checkers of types shall go on to find this mistake

        def __enter__(self) -> NoReturn:
            self._subscribing.close()  # it will not be awaited
            raise cannot_wait("a subscription of ternmq.aio")

        def __exit__(self, *raised: object) -> None:
            """Python looks for it before it enters."""

    def __await__(self) -> Generator[Any, Any, Subscription]:
        return self._subscribing.__await__()

    async def __aenter__(self) -> Subscription:
        self._made = await self._subscribing
        return self._made

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._made is not None:
            await self._made.__aexit__(kind, error, trace)

    def __aiter__(self) -> Subscribing:
        return self

    async def __anext__(self) -> Message:
        messages = self._messages
        if messages is None:
            self._made = await self._subscribing
            messages = self._made.consume()
            self._messages = messages
        return await messages.__anext__()
