"""State messages of channels on SYSTEM.CHANNEL.SYNCQ: found, replaced in a unit of work, listed.

Each of these goes on until it is done: `go_on` returns False while the connection is parked or has
another step to go. The connection holds the queue open while its channel runs, so that nobody
deletes or clears it.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.object_types import LOCAL, SENDER
from ternmq.base.reasons import (
    MQRC_NO_MSG_AVAILABLE,
    MQRC_Q_TYPE_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.channel.channel_state import ChannelState
from ternmq.kernel.channel_in_doubt import batches_in_doubt
from ternmq.kernel.channel_state_message import (
    SYNC_QUEUE,
    pack_state,
    read_state,
    state_descriptor,
    state_id,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.get import resume
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_calls import was_opened
from ternmq.kernel.put import put_one
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.resolve import attach, close_handle, new_handle
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest

_USES: Final = mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE | mq.MQOO_OUTPUT
UNKNOWN_PARTNER: Final = ""  # of a state that RESET CHANNEL has made
NOT_A_STATE: Final = "AMQ9517W"
LISTED_AT_ONCE: Final = 256


def open_sync_queue(kernel: Kernel, connection: Connection, verb: str) -> Handle | None:
    """The queue, for the queue manager's own use: no authority is asked for; None: parked until it
    is loaded."""
    connection.begin_verb()
    definition = kernel.catalog.definitions.get(SYNC_QUEUE)
    if definition is None:
        detail = "channels keep their sequence numbers there; make it again (strmqm -c)"
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=SYNC_QUEUE, detail=detail)
    if definition.object_type != LOCAL:
        raise mq_error(MQRC_Q_TYPE_ERROR, verb=verb, object=SYNC_QUEUE, detail="not a QLOCAL")
    local = kernel.local_queue(connection, definition)
    if local is None:
        return None
    handle = new_handle(kernel, connection, _USES)
    attach(handle, local, [])
    if kernel.measured:
        was_opened(kernel, handle)
    return handle


@final
class _Finding:
    """One message by its MsgId: browsed, or got in the connection's unit of work."""

    def __init__(self, handle: Handle, msg_id: bytes, takes: bool) -> None:
        request = GetRequest(mq.MQGMO_SYNCPOINT if takes else mq.MQGMO_BROWSE_FIRST)
        request.syncpoint = takes
        request.msg_id = msg_id
        request.settle()
        self.call = GetCall(handle.connection, handle, request)
        self.call.browse = not takes
        self.entry: Entry | None = None

    def go_on(self, kernel: Kernel) -> bool:
        call = self.call
        connection = call.connection
        resume(kernel, call)
        if call.entry is not None:
            self.entry = call.entry
            return True
        if connection.park is not None or connection.again:
            return False
        if call.reason != MQRC_NO_MSG_AVAILABLE:
            raise mq_error(int(call.reason), verb="MQGET", object=SYNC_QUEUE)
        return True


@final
class StateReading:
    """The state of a channel with a partner. One that RESET CHANNEL has made before the partner was
    known stands for that of any partner that has none."""

    def __init__(self, handle: Handle, channel: str, partner: str, is_sender: bool) -> None:
        self._handle = handle
        self._partner = partner
        self.state = ChannelState(channel, is_sender)
        self.state.partner_qmgr = partner
        self.was_found = False
        self._finding = _Finding(handle, state_id(channel, partner, is_sender), False)

    def go_on(self, kernel: Kernel) -> bool:
        while True:
            if not self._finding.go_on(kernel):
                return False
            entry = self._finding.entry
            if entry is not None:
                self._take(kernel, entry)
                return True
            if self._partner == UNKNOWN_PARTNER:
                return True
            self._partner = UNKNOWN_PARTNER
            state = self.state
            wanted = state_id(state.channel, UNKNOWN_PARTNER, state.is_sender)
            self._finding = _Finding(self._handle, wanted, False)

    def _take(self, kernel: Kernel, entry: Entry) -> None:
        found = read_state(entry)
        if found is None:
            kernel.notices.add(NOT_A_STATE, (SYNC_QUEUE, entry.msg_id.hex()))
            return
        found.partner_qmgr = self.state.partner_qmgr
        self.state = found
        self.was_found = True


@final
class StateReplacing:
    """Puts a new state in place of what is there, in the connection's unit of work: the change is
    seen, and survives, when that is committed. What RESET CHANNEL has left for a partner that was
    not known goes, too."""

    def __init__(self, handle: Handle, state: ChannelState) -> None:
        self._handle = handle
        self._state = state
        self._partners = [state.partner_qmgr]
        if state.partner_qmgr != UNKNOWN_PARTNER:
            self._partners.append(UNKNOWN_PARTNER)
        self._finding: _Finding | None = None

    def go_on(self, kernel: Kernel) -> bool:
        """Takes messages until there is none, so that no second state is left behind."""
        state = self._state
        connection = self._handle.connection
        kernel.unit_of(connection, "MQPUT")
        while self._partners:
            finding = self._finding
            if finding is None:
                wanted = state_id(state.channel, self._partners[0], state.is_sender)
                finding = _Finding(self._handle, wanted, True)
                self._finding = finding
                do_not_count(connection)
            if not finding.go_on(kernel):
                return False
            self._finding = None
            if finding.entry is None:
                del self._partners[0]
        return self._put(kernel, connection)

    def _put(self, kernel: Kernel, connection: Connection) -> bool:
        state = self._state
        descriptor = state_descriptor(kernel.name, kernel.number("ccsid"))
        request = PutRequest(mq.MQPMO_SYNCPOINT, descriptor.pack(), True)
        request.splits = False
        request.priority = 0
        request.persistence = mq.MQPER_PERSISTENT
        request.msg_id = state_id(state.channel, state.partner_qmgr, state.is_sender)
        do_not_count(connection)
        return put_one(kernel, connection, self._handle, request, pack_state(state)) is not None


def do_not_count(connection: Connection) -> None:
    """A channel's own changes do not count in MAXUMSGS."""
    unit = connection.unit
    if unit is not None:
        unit.copies = max(unit.copies, len(unit.changes) + unit.own_gets)


def exchange_unit(connection: Connection, unit: UnitOfWork | None) -> UnitOfWork | None:
    """Let the connection go on with another unit of work for a while; the one that it had."""
    before = connection.unit
    connection.unit = unit
    return before


@final
class StateListing:
    """The states of all channels, those with a batch in doubt included, a bounded number in each
    step."""

    def __init__(self) -> None:
        self.states: list[ChannelState] = []
        self._handle: Handle | None = None
        self._call: GetCall | None = None

    def go_on(self, kernel: Kernel, connection: Connection, verb: str) -> bool:
        if self._handle is None:
            self._handle = open_sync_queue(kernel, connection, verb)
            if self._handle is None:
                return False
        for _ in range(LISTED_AT_ONCE):
            entry = self._next(kernel, self._handle)
            if entry is None:
                if connection.park is not None or connection.again:
                    return False
                self._add_batches(kernel)
                return True
            state = read_state(entry)
            if state is not None:
                self.states.append(state)
        connection.again = True
        return False

    def _next(self, kernel: Kernel, handle: Handle) -> Entry | None:
        call = self._call
        if call is None or call.entry is not None:
            option = mq.MQGMO_BROWSE_FIRST if call is None else mq.MQGMO_BROWSE_NEXT
            call = GetCall(handle.connection, handle, GetRequest(option))
            call.browse = True
            self._call = call
        resume(kernel, call)
        return call.entry

    def _add_batches(self, kernel: Kernel) -> None:
        """While a batch is in doubt, the message of its channel's state is in its unit."""
        for batch in batches_in_doubt(kernel):
            state = ChannelState(batch.channel, True)
            batch.describe(state)
            definition = kernel.catalog.find(SENDER, batch.channel)
            if not state.partner_address and definition is not None:
                state.partner_address = definition.text("connection_name")
            self.states.append(state)

    def close(self, kernel: Kernel) -> None:
        """Let the queue go."""
        if self._handle is not None:
            close_handle(kernel, self._handle, 0)
            self._handle = None
