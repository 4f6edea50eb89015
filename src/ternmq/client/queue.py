"""A queue as an application sees it: put, get, browse, iterate.

Handles are opened when they are first needed: one for output, one for input, one for inquiry; so a
program that only puts is not in the way of one that has the queue open exclusively.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.client.message import Message
from ternmq.client.verbs import Verbs, request_get
from ternmq.codec.mqgmo import GetOptions
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqod import ObjectDescriptor
from ternmq.codec.mqpmo import PutOptions
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import UNLIMITED_LENGTH, GetRequest, PutRequest
from ternmq.store.entry import ZERO_ID

if TYPE_CHECKING:
    from ternmq.client.connection import Connection

Data = bytes | bytearray | memoryview | str | dict[str, Any] | list[Any]
WAIT_FOREVER_MS = -1
CACHED_REQUESTS_MAX = 64


def as_bytes(data: Data) -> bytes:
    """Message data: bytes as they are, text in UTF-8, dictionaries and lists as JSON."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        return data.encode("utf-8")
    if isinstance(data, (bytearray, memoryview)):
        return bytes(data)
    given: object = data
    if not isinstance(given, (dict, list)):
        raise TypeError(f"a message is bytes, text, a dictionary or a list, not {given!r}")
    return json.dumps(given).encode("utf-8")


def wait_ms(wait: float | None) -> int:
    """Seconds to milliseconds; None is no wait, a negative number or infinity is without end."""
    if wait is None:
        return 0
    if wait < 0 or wait == float("inf"):
        return WAIT_FOREVER_MS
    return min(round(wait * 1000), 2_147_483_647)


class Queue:
    """An open queue; a context manager that closes it."""

    def __init__(self, connection: Connection, name: str, options: int, dynamic_name: str) -> None:
        self._connection = connection
        self._verbs: Verbs = connection.verbs
        self._exclusive = options & mq.MQOO_INPUT_EXCLUSIVE
        self._output: Handle | None = None
        self._input: Handle | None = None
        self._puts: dict[tuple[bool, bool, int, int, bool], PutRequest] = {}
        self._gets: dict[tuple[int, bool], GetRequest] = {}
        self._browse_handles: list[Handle] = []
        od = ObjectDescriptor(object_name=name, dynamic_queue_name=dynamic_name)
        asked = options or mq.MQOO_INQUIRE
        self._base: Handle = self._verbs.open(od, asked)
        self.name: str = name
        if self._base.local is not None and not self._base.via:
            self.name = self._base.resolved_name
        if asked & mq.MQOO_OUTPUT:
            self._output = self._base
        if asked & (mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE):
            self._input = self._base
        self._open = True

    # ---- put
    # -------------------------------------------------------------------------------------------

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
    ) -> bytes:
        """Put a message and return its MsgId.

        Text gets the format MQSTR. `persistent` and `priority` are the queue's defaults if not
        given; `expiry` is in seconds. A `descriptor` gives all of MQMD; it and MQPMO `options` are
        checked as MQPUT checks them.
        """
        if syncpoint is None:
            syncpoint = self._connection.in_unit
        body = data if isinstance(data, bytes) else as_bytes(data)
        if (
            descriptor is None
            and msg_id is None
            and correl_id is None
            and reply_to is None
            and format is None
            and options == 0
        ):
            lasting = 2 if persistent is None else int(persistent)
            level = -1 if priority is None else priority
            tenths = -1 if expiry is None else max(1, round(expiry * 10))
            key = (isinstance(data, bytes), syncpoint, lasting * 16 + level, tenths, False)
            request = self._puts.get(key)
            if request is None:
                request = self._plain_request(key, lasting, level, tenths)
        else:
            request = self._request(
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
            )
        output = self._output
        if output is None:
            output = self._open_output(options)
        return self._verbs.put(output, request, body).msg_id

    def _plain_request(
        self, key: tuple[bool, bool, int, int, bool], lasting: int, level: int, tenths: int
    ) -> PutRequest:
        md = Descriptor(persistence=lasting, priority=level, expiry=tenths)
        if not key[0]:
            md.format = mq.MQFMT_STRING
            md.ccsid = 1208
        pmo = PutOptions(options=mq.MQPMO_SYNCPOINT if key[1] else mq.MQPMO_NO_SYNCPOINT)
        pmo.options |= mq.MQPMO_FAIL_IF_QUIESCING
        request = self._verbs.request_put(md, pmo)
        if len(self._puts) >= CACHED_REQUESTS_MAX:
            self._puts.clear()
        self._puts[key] = request
        return request

    def _request(
        self,
        data: Data,
        persistent: bool | None,
        priority: int | None,
        expiry: float | None,
        msg_id: bytes | None,
        correl_id: bytes | None,
        reply_to: str | None,
        format: str | None,
        descriptor: Descriptor | None,
        options: int,
        syncpoint: bool,
    ) -> PutRequest:
        md = Descriptor() if descriptor is None else descriptor.copy()
        if persistent is not None:
            md.persistence = int(persistent)
        if priority is not None:
            md.priority = priority
        if expiry is not None:
            md.expiry = max(1, round(expiry * 10))
        if msg_id is not None:
            md.msg_id = msg_id
        if correl_id is not None:
            md.correl_id = correl_id
        if reply_to is not None:
            md.reply_to_queue = reply_to
            md.msg_type = mq.MQMT_REQUEST
        if format is not None:
            md.format = format
        elif descriptor is None and not isinstance(data, (bytes, bytearray, memoryview)):
            md.format = mq.MQFMT_STRING
            md.ccsid = 1208
        if not options & (mq.MQPMO_SYNCPOINT | mq.MQPMO_NO_SYNCPOINT):
            options |= mq.MQPMO_SYNCPOINT if syncpoint else mq.MQPMO_NO_SYNCPOINT
        return self._verbs.request_put(md, PutOptions(options=options))

    def _open_output(self, options: int) -> Handle:
        wanted = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
        wanted |= options & (
            mq.MQPMO_PASS_IDENTITY_CONTEXT
            | mq.MQPMO_PASS_ALL_CONTEXT
            | mq.MQPMO_SET_IDENTITY_CONTEXT
            | mq.MQPMO_SET_ALL_CONTEXT
        )  # the open options have the same values
        handle = self._verbs.open(ObjectDescriptor(object_name=self._name_to_open()), wanted)
        if options == 0:
            self._output = handle
        else:
            self._browse_handles.append(handle)
        return handle

    def _name_to_open(self) -> str:
        self._check_open()
        return self.name

    def _check_open(self) -> None:
        if not self._open:
            raise mq_error(2019, verb="", object=self.name, detail="the queue is closed")

    # ---- get
    # -------------------------------------------------------------------------------------------

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
        """Get the next message, or the next that matches; NoMessage if there is none within `wait`
        seconds.

        `wait` of -1 waits without end. A message longer than `max_length` raises Truncated and
        stays on the queue, unless `options` have MQGMO_ACCEPT_TRUNCATED_MSG; `message.length` is
        the whole length either way.
        """
        message = self.try_get(
            wait=wait,
            msg_id=msg_id,
            correl_id=correl_id,
            group_id=group_id,
            token=token,
            max_length=max_length,
            options=options,
            syncpoint=syncpoint,
        )
        if message is None:
            raise mq_error(MQRC_NO_MSG_AVAILABLE, verb="MQGET", object=self.name)
        return message

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
        """As `get`, but None if there is no message."""
        if syncpoint is None:
            syncpoint = self._connection.in_unit
        plain = (
            msg_id is None
            and correl_id is None
            and group_id is None
            and token is None
            and max_length is None
            and options == 0
        )
        request: GetRequest | None = None
        key = (0 if wait is None else wait_ms(wait), syncpoint)
        if plain:
            request = self._gets.get(key)
        if request is None:
            request = self._get_request(
                key, msg_id, correl_id, group_id, token, max_length, options
            )
            if plain:
                if len(self._gets) >= CACHED_REQUESTS_MAX:
                    self._gets.clear()
                self._gets[key] = request
        handle = self._input
        if handle is None:
            handle = self._open_input(options)
        return self._take(handle, request)

    def _take(self, handle: Handle, request: GetRequest) -> Message | None:
        call = self._verbs.get(handle, request)
        entry = call.entry
        if entry is not None and call.reason == 0:
            got_ns = self._verbs.engine.clock.now_ns() if entry.expiry_at else 0
            return Message(entry, entry.data, False, got_ns)
        if call.reason == MQRC_NO_MSG_AVAILABLE:
            return None
        return self._verbs.explain(call)

    def _get_request(
        self,
        key: tuple[int, bool],
        msg_id: bytes | None,
        correl_id: bytes | None,
        group_id: bytes | None,
        token: bytes | None,
        max_length: int | None,
        options: int,
    ) -> GetRequest:
        md = Descriptor(
            msg_id=msg_id or ZERO_ID, correl_id=correl_id or ZERO_ID, group_id=group_id or ZERO_ID
        )
        gmo = GetOptions(options=options | mq.MQGMO_FAIL_IF_QUIESCING)
        gmo.match_options = mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID
        if group_id is not None:
            gmo.match_options |= mq.MQMO_MATCH_GROUP_ID
        if token is not None:
            gmo.match_options |= mq.MQMO_MATCH_MSG_TOKEN
            gmo.message_token = token
        if key[0]:
            gmo.options |= mq.MQGMO_WAIT
            gmo.wait_interval = key[0]
        settled = (
            mq.MQGMO_SYNCPOINT
            | mq.MQGMO_NO_SYNCPOINT
            | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
            | mq.MQGMO_BROWSE_FIRST
            | mq.MQGMO_BROWSE_NEXT
            | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
        )
        if not gmo.options & settled:
            gmo.options |= mq.MQGMO_SYNCPOINT if key[1] else mq.MQGMO_NO_SYNCPOINT
        return request_get(md, gmo, UNLIMITED_LENGTH if max_length is None else max_length)

    def _open_input(self, options: int) -> Handle:
        wanted = mq.MQOO_INPUT_EXCLUSIVE if self._exclusive else mq.MQOO_INPUT_AS_Q_DEF
        wanted |= mq.MQOO_FAIL_IF_QUIESCING | mq.MQOO_BROWSE
        handle = self._verbs.open(ObjectDescriptor(object_name=self._name_to_open()), wanted)
        self._input = handle
        return handle

    # ---- iterate
    # ---------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Message]:
        """Get message after message until the queue is empty."""
        while True:
            message = self.try_get()
            if message is None:
                return
            yield message

    def consume(self, *, wait: float | None = -1.0) -> Iterator[Message]:
        """Get message after message, waiting for the next one; ends only when `wait` seconds
        pass without one."""
        while True:
            message = self.try_get(wait=wait)
            if message is None:
                return
            yield message

    def browse(
        self, *, msg_id: bytes | None = None, correl_id: bytes | None = None
    ) -> Iterator[Message]:
        """Look at the messages in order without taking them."""
        options = mq.MQOO_BROWSE | mq.MQOO_FAIL_IF_QUIESCING
        handle = self._verbs.open(ObjectDescriptor(object_name=self._name_to_open()), options)
        try:
            step = mq.MQGMO_BROWSE_FIRST
            while True:
                request = self._get_request((0, False), msg_id, correl_id, None, None, None, step)
                message = self._take(handle, request)
                if message is None:
                    return
                yield message
                step = mq.MQGMO_BROWSE_NEXT
        finally:
            if handle.handle_id in self._verbs.link.handles:
                self._verbs.close(handle)

    # ---- attributes
    # --------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """How many messages are on the queue, uncommitted puts included."""
        return int(self.inquire(mq.MQIA_CURRENT_Q_DEPTH)[0])

    def inquire(self, *selectors: int) -> list[Value]:
        """MQINQ: attribute values by MQIA and MQCA selectors, in their order."""
        self._check_open()
        handle = self._base
        if not handle.options & mq.MQOO_INQUIRE:
            od = ObjectDescriptor(object_name=self.name)
            handle = self._verbs.open(od, mq.MQOO_INQUIRE)
            self._base_extra(handle)
        return self._verbs.inquire(handle, list(selectors))

    def _base_extra(self, handle: Handle) -> None:
        self._browse_handles.append(handle)

    def set(self, values: dict[int, Value]) -> None:
        """MQSET: the attributes that applications may change (inhibits, triggers)."""
        self._check_open()
        handle = self._verbs.open(ObjectDescriptor(object_name=self.name), mq.MQOO_SET)
        try:
            self._verbs.set(handle, values)
        finally:
            self._verbs.close(handle)

    # ---- close
    # -------------------------------------------------------------------------------------------

    def close(self, *, delete: bool = False, purge: bool = False) -> None:
        """Close the handles; a dynamic queue may be deleted with its last one."""
        if not self._open:
            return
        last = self._base
        for handle in [self._input, self._output, *self._browse_handles]:
            if handle is not None and handle is not last:
                self._close_handle(handle, 0)
        if self._input is not last:
            self._input = None
        if self._output is not last:
            self._output = None
        self._browse_handles = []
        options = mq.MQCO_DELETE_PURGE if purge else mq.MQCO_DELETE if delete else 0
        self._close_handle(last, options)  # a delete may be refused; the queue is open then
        self._open = False

    def _close_handle(self, handle: Handle, options: int) -> None:
        if self._verbs.link.connected and handle.handle_id in self._verbs.link.handles:
            self._verbs.close(handle, options)

    def __enter__(self) -> Queue:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Queue {self.name} of {self._verbs.engine.name}>"
