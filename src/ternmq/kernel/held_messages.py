"""Messages that a connection puts for when it is gone: IBM's classes for JMS leave a DeregSub this
way, so that a subscription of theirs ends with them, however that may be.

Such a message is checked like a put and held by the connection. It is put when its application says
so or when the connection ends, outside any unit of work and without a further check of authority,
and is dropped when the application withdraws it. It does not survive the queue manager.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE, MQRC_OPTIONS_ERROR, MQRC_RESOURCE_PROBLEM
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import BROKEN, Kernel
from ternmq.kernel.put import check_later, new_entry, put, queue_of
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import close_handle, open_queue
from ternmq.values.entry import Entry

HELD_MAX: Final = 10_000  # messages of one connection
NOT_PUT: Final = "AMQ7315E"


@final
class HeldMessage:
    """One message, and where it is to go."""

    __slots__ = ("data", "msg_id", "qmgr", "queue", "request")

    def __init__(
        self, queue: str, qmgr: str, msg_id: bytes, request: PutRequest, data: bytes
    ) -> None:
        self.queue = queue
        self.qmgr = qmgr
        self.msg_id = msg_id
        self.request = request
        self.data = data


def hold(
    kernel: Kernel, connection: Connection, handle: Handle, request: PutRequest, data: bytes
) -> Entry:
    """Keep a message for the end of the connection. The entry is the message as it would be put."""
    connection.begin_verb()
    held = connection.held
    if request.syncpoint or (held is not None and len(held) >= HELD_MAX):
        detail = "a message for the end of the connection is not put in syncpoint"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQPUT", object=handle.resolved_name, detail=detail)
    persistence, priority = check_later(kernel, connection, handle, request, data)
    local = queue_of(connection, handle)
    entry = new_entry(kernel, handle, local, request, data, priority, persistence)
    queue, qmgr = handle.resolved_name, ""
    if handle.route is not None:
        queue, qmgr = handle.route.remote_queue, handle.route.remote_qmgr
    given = request.with_ids(entry.msg_id, entry.correl_id)
    one = HeldMessage(queue, qmgr, entry.msg_id, given, data)
    if held is None:
        connection.held = [one]
    else:
        held.append(one)
    return entry


def settle_held(kernel: Kernel, connection: Connection, msg_id: bytes, is_put: bool) -> None:
    """Put a message now, or drop it."""
    connection.begin_verb()
    for one in connection.held or []:
        if one.msg_id == msg_id:
            if is_put:
                _put(kernel, connection, one)
            if connection.held is not None:
                connection.held.remove(one)
            return
    raise mq_error(MQRC_NO_MSG_AVAILABLE, verb="MQPUT", detail="no such message is held")


def put_held(kernel: Kernel, connection: Connection) -> None:
    """The connection ends: put all. What cannot be put now is lost, and operators get a message."""
    held = connection.held
    connection.held = None
    if held is None or kernel.status == BROKEN:
        return
    for one in held:
        try:
            _put(kernel, connection, one)
        except MQError as refused:
            kernel.notices.add(NOT_PUT, (one.queue, refused.reason))


def _put(kernel: Kernel, connection: Connection, one: HeldMessage) -> None:
    own = Connection(0, b"", connection.user, connection.application)
    handle = open_queue(kernel, own, one.queue, one.qmgr, "", mq.MQOO_OUTPUT, "MQPUT")
    if handle is None:
        raise mq_error(MQRC_RESOURCE_PROBLEM, verb="MQPUT", object=one.queue)
    try:
        if put(kernel, own, handle, one.request, one.data) is None:
            raise mq_error(MQRC_RESOURCE_PROBLEM, verb="MQPUT", object=one.queue)
    finally:
        close_handle(kernel, handle, 0)
    connection.depends_on(own.durable_at)
