"""What the queue manager does for the sending end of a channel: the transmission queue is its own,
messages are got in the unit of work of the batch, that is prepared, then committed or backed out.

A message is taken as it is on the transmission queue (MQXQH and what follows), with the time that
its Expiry has left. One that cannot be sent is got with a reason, and the agent has it buried.
Each function returns False while the connection is parked or has another step to go.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.command_reasons import MQRCCF_CHANNEL_INDOUBT
from ternmq.base.errors import IntegrityError, MQError, mq_error
from ternmq.base.reasons import (
    MQRC_MSG_TOO_BIG_FOR_CHANNEL,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_TRUNCATED_MSG_FAILED,
)
from ternmq.channel.agent import Want
from ternmq.channel.channel_state import NO_LUWID, ChannelState
from ternmq.codec.headers.transmitted import transmitted_message, transmitted_messages
from ternmq.codec.mqi.mqmd import EXPIRY_AT, FORMAT_AT
from ternmq.codec.property_header import as_put
from ternmq.kernel.activity import TRACE_FEEDBACKS, Tracing, sent_may_be_traced, trace_sending
from ternmq.kernel.channel_in_doubt import (
    InDoubtBatch,
    batch_of_channel,
    batch_xid,
    batches_in_doubt,
)
from ternmq.kernel.channel_placing import Placing, target_of
from ternmq.kernel.channel_work import (
    ChannelWork,
    next_state,
    read_own_state,
    replace_own_state,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import (
    back_out,
    back_out_some,
    commit,
    commit_unit,
    refuse_prepare,
)
from ternmq.kernel.get import resume
from ternmq.kernel.inquire import set_attributes
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_calls import was_backed_out, was_committed, was_prepared
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import open_queue
from ternmq.kernel.returning import take_back
from ternmq.kernel.transmission import transmission_queue
from ternmq.kernel.two_phase import PREPARE_BYTES
from ternmq.store.copying import NANOSECONDS_A_TENTH
from ternmq.values.entry import PERSISTENT, ZERO_ID, Entry
from ternmq.values.get_request import GetRequest

# An MQXQH in the queue manager's encoding: where the descriptor of the message is in it, how both
# begin, and the formats that say that another header of ours follows.
_EYE: Final = b"XQH \1\0\0\0"
_INNER_AT: Final = 104
_INNER_EYE: Final = b"MD  \1\0\0\0"
_INNER_EXPIRY_AT: Final = _INNER_AT + EXPIRY_AT
_FORMAT: Final = b"MQXMIT  "
_FOLLOWED: Final = (b"MQHMDE  ", b"MQHDIST ")


# ---- the beginning


def open_channel(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
    """READ_STATE: the transmission queue is opened, for this channel alone."""
    if work.queue is None:
        work.queue = _opened(kernel, connection, work)
        if work.queue is None:
            return False
    _refuse_other(kernel, work)
    if not _set_lists(kernel, connection, work.queue, want.has_lists):
        return False
    work.partner_traces = want.traces
    batch = batch_of_channel(kernel, work.channel, work.partner_qmgr)
    state = read_own_state(kernel, connection, work, True)
    if state is None:
        return False
    if batch is not None:
        batch.describe(state)
    connection.durable_at = 0
    want.state = state
    return True


def _opened(kernel: Kernel, connection: Connection, work: ChannelWork) -> Handle | None:
    name = work.transmission_queue
    transmission_queue(kernel, name, "", "MQOPEN")  # it is one, or refused
    return open_queue(kernel, connection, name, "", "", mq.MQOO_INPUT_EXCLUSIVE, "MQOPEN")


def _refuse_other(kernel: Kernel, work: ChannelWork) -> None:
    """A batch in doubt is for the partner that was asked to confirm it."""
    for batch in batches_in_doubt(kernel):
        is_own = batch.channel == work.channel
        if is_own and batch.partner_qmgr == work.partner_qmgr:
            continue
        if is_own or batch.transmission_queue == work.transmission_queue:
            raise mq_error(
                MQRCCF_CHANNEL_INDOUBT,
                verb="MQOPEN",
                object=work.channel,
                detail=f"{batch.messages} messages of {batch.transmission_queue} are in doubt on "
                f"channel {batch.channel} to {batch.partner_qmgr}, and {work.channel} leads to "
                f"{work.partner_qmgr}; use RESOLVE CHANNEL({batch.channel})",
            )


def _set_lists(kernel: Kernel, connection: Connection, queue: Handle, has_lists: bool) -> bool:
    """DISTL of the transmission queue says from now on whether the partner takes lists; False:
    parked."""
    wanted = mq.MQDL_SUPPORTED if has_lists else mq.MQDL_NOT_SUPPORTED
    definition = queue.definition
    if definition is None or definition.number("distribution_lists") == wanted:
        return True
    connection.begin_verb()
    return set_attributes(kernel, queue, {mq.MQIA_DIST_LISTS: wanted})


# ---- messages


def get_message(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
    """GET; `is_fast` of the want says whether the channel is fast, then whether the message is."""
    if work.parts:
        connection.begin_verb()
        _give_part(work, want)
        return True
    if work.tracing is not None:
        return _put_reports(kernel, connection, work)
    call = _fetched(kernel, connection, work, want)
    entry = call.entry
    if entry is None:
        if connection.park is not None or connection.again:
            return False
        work.call = None
        if call.reason != MQRC_NO_MSG_AVAILABLE:
            raise mq_error(int(call.reason), verb="MQGET", object=work.transmission_queue)
        want.message = None
        connection.durable_at = 0  # nothing leaves
        return True
    work.call = None
    is_fast = call.request.syncpoint_if_persistent and not entry.flags & PERSISTENT
    if want.ccsid:
        want.has_lists = False  # each of its messages is converted
    message, reason = _as_sent(kernel, entry, int(want.bytes_max), want.has_lists)
    tracing = _traced(kernel, work, entry, message, reason, int(want.bytes_max))
    if tracing is not None:
        message, reason = tracing.message, tracing.feedback
    if reason and is_fast:
        take_back(kernel, call)  # so that it stays if there is no dead-letter queue for it
        want.is_fast = False
        return get_message(kernel, connection, work, want)
    work.got = entry
    work.got_is_fast = is_fast
    want.waited_ns = kernel.clock.now_ns() - entry.put_ns
    if not is_fast:
        # What the message depends on is forced with the record that prepares its batch.
        connection.durable_at = 0
    _offer(kernel, work, want, message, reason)
    work.tracing = tracing
    return tracing is None or _put_reports(kernel, connection, work)


def _traced(
    kernel: Kernel, work: ChannelWork, entry: Entry, message: bytes, reason: int, bytes_max: int
) -> Tracing | None:
    """What is recorded about a message that can be sent; None: nothing."""
    if reason or not sent_may_be_traced(message):
        return None
    tracing = trace_sending(kernel, work.hop(), entry, message)
    if tracing is not None and bytes_max:
        tracing.keep_within(bytes_max, message)
    return tracing


def _put_reports(kernel: Kernel, connection: Connection, work: ChannelWork) -> bool:
    """Put the reports on the message that was got last; False: parked."""
    tracing = work.tracing
    if tracing is not None and not tracing.go_on(kernel, connection, work.got_is_fast):
        return False
    work.tracing = None
    return True


def _fetched(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> GetCall:
    """The get, as far as it comes now."""
    handle = work.queue
    if handle is None:
        raise IntegrityError(f"{work.channel}: its transmission queue is not open")
    call = work.call
    if call is None:
        call = _get_call(connection, handle, want.is_fast, int(want.bytes_max))
        work.call = call
    resume(kernel, call)
    if call.entry is not None and call.reason == MQRC_TRUNCATED_MSG_FAILED:
        call = _get_call(connection, handle, False, 0)  # too long: it is buried in the batch
        work.call = call
        resume(kernel, call)
    return call


def _offer(kernel: Kernel, work: ChannelWork, want: Want, message: bytes, reason: int) -> None:
    """What the agent gets: the message, or the first of a list that is sent as single messages."""
    if not want.has_lists and not reason and is_list(message):
        work.parts = transmitted_messages(message, kernel.new_id)  # which share the data
        _give_part(work, want)
        return
    want.message = message
    want.reason = reason
    want.is_fast = work.got_is_fast
    if not want.is_fast:
        work.counted += 1


def _give_part(work: ChannelWork, want: Want) -> None:
    """The next message of a list that the partner does not take as one."""
    want.message = work.parts.pop(0).pack()
    want.more = len(work.parts) > 0
    want.reason = 0
    if want.bytes_max and len(want.message) > want.bytes_max:
        want.reason = MQRC_MSG_TOO_BIG_FOR_CHANNEL
    want.is_fast = work.got_is_fast
    if not want.is_fast:
        work.counted += 1


def _get_call(connection: Connection, handle: Handle, is_fast: bool, bytes_max: int) -> GetCall:
    option = mq.MQGMO_SYNCPOINT_IF_PERSISTENT if is_fast else mq.MQGMO_SYNCPOINT
    request = GetRequest(option)
    request.syncpoint = not is_fast
    request.syncpoint_if_persistent = is_fast
    if is_fast and bytes_max:
        request.buffer_length = bytes_max
    return GetCall(connection, handle, request)


def _as_sent(kernel: Kernel, entry: Entry, bytes_max: int, has_lists: bool) -> tuple[bytes, int]:
    """The message, and why it cannot be sent; 0: it can."""
    data = entry.data
    if entry.properties:
        data, _ = as_put(entry.properties, data, entry.base)
    if not is_transmittable(entry):
        return data, mq.MQFB_XMIT_Q_MSG_ERROR
    if entry.expiry_at:
        left = (entry.expiry_at - kernel.clock.now_ns()) // NANOSECONDS_A_TENTH
        tenths = max(int(left), 1).to_bytes(4, "little")
        data = data[:_INNER_EXPIRY_AT] + tenths + data[_INNER_EXPIRY_AT + 4 :]
    if bytes_max and len(data) > bytes_max and (has_lists or not is_list(data)):
        return data, MQRC_MSG_TOO_BIG_FOR_CHANNEL
    return data, 0


def is_transmittable(entry: Entry) -> bool:
    """Whether it begins with a valid MQXQH in the queue manager's encoding, and so does what that
    says follows."""
    data = entry.data
    if entry.base[FORMAT_AT : FORMAT_AT + 8] != _FORMAT or entry.properties:
        return False
    if data[:8] != _EYE or data[_INNER_AT : _INNER_AT + 8] != _INNER_EYE:
        return False
    if _inner_format(data) not in _FOLLOWED:
        return len(data) >= mq.MQXQH_CURRENT_LENGTH
    try:
        transmitted_messages(data, _no_id)
    except MQError:
        return False
    return True


def _inner_format(message: bytes) -> bytes:
    return message[_INNER_AT + FORMAT_AT : _INNER_AT + FORMAT_AT + 8]


def _no_id() -> bytes:
    return ZERO_ID


def is_list(message: bytes) -> bool:
    """Whether a valid message is for several queues."""
    if _inner_format(message) not in _FOLLOWED:
        return False
    md, _ = transmitted_message(message)
    return md.format == mq.MQFMT_DIST_HEADER


def bury_message(
    kernel: Kernel, connection: Connection, work: ChannelWork, want: Want, placing: Placing | None
) -> bool:
    """BURY the message that was got last, in its batch: an exception report if it asks for one,
    then the dead-letter queue here, unless it is to be discarded. MQError if no queue takes it."""
    entry = work.got
    if entry is None:
        raise IntegrityError(f"{work.channel}: there is no message to bury")
    connection.begin_verb()
    if want.reason in TRACE_FEEDBACKS:  # a trace-route message that goes no further
        work.counted -= 0 if work.got_is_fast else 1
        return True
    if work.placing is None:
        if placing is None or not is_transmittable(entry):
            target = target_of(entry, work.transmission_queue)
            placing = Placing([target], work.got_is_fast)
        for target in placing.targets:
            target.reason = want.reason
        work.placing = placing
    if not work.placing.go_on(kernel, connection, work, want):
        return False
    work.placing = None
    if not work.got_is_fast:
        work.counted -= 1
        connection.durable_at = 0
    return True


# ---- the end of a batch


def prepare_batch(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
    """PREPARE: from here on the partner decides. A batch without numbered messages has nothing that
    could be in doubt."""
    connection.begin_verb()
    kernel.refuse_if_broken("prepare")
    refuse_prepare(connection)  # it was backed out while the verb was parked
    before = work.state
    if work.counted == 0 or before is None:
        return _end_without_numbers(kernel, connection, work)
    if not work.is_replaced:
        if not replace_own_state(kernel, work, next_state(work, want.luwid, want.sequence)):
            return False
        work.is_replaced = True
    unit = connection.unit
    if unit is None:
        raise IntegrityError(f"{work.channel}: a batch of {work.counted} has no unit of work")
    connection.begin_verb()
    if not kernel.coordinator.has_room(unit, PREPARE_BYTES):
        kernel.make_room(connection, "prepare", kernel.name, PREPARE_BYTES)
        return False
    connection.log_tries = 0
    xid = batch_xid(_known(before, work), want.luwid, want.sequence, want.messages, connection.user)
    connection.depends_on(kernel.coordinator.prepare(unit, xid))
    connection.unit = None
    work.forget_batch()
    if kernel.measured:
        was_prepared(kernel, connection)
    return True


def _end_without_numbers(kernel: Kernel, connection: Connection, work: ChannelWork) -> bool:
    """The partner has nothing of the unit of work: only messages that were buried. If messages of
    the next batch have joined them already, they wait for that one's end."""
    if work.counted:
        return True
    if connection.unit is not None:
        commit(kernel, connection)
        if connection.again:
            return False
    work.forget_batch()
    return True


def _known(state: ChannelState, work: ChannelWork) -> ChannelState:
    state.partner_qmgr = work.partner_qmgr
    return state


def commit_batch(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
    """COMMIT of the batch with this LUWID: the next one may be open already. With the LUWID of the
    last committed batch it is for messages that were buried, of which the partner has nothing. It
    need not be forced: if a crash takes it back, the batch is in doubt again, and the partner's
    answer is the same."""
    connection.begin_verb()
    kernel.refuse_if_broken("commit")
    batch = batch_of_channel(kernel, work.channel, work.partner_qmgr)
    if batch is not None and (want.in_doubt or batch.luwid == want.luwid):
        commit_unit(kernel, connection, batch.unit)
        _note_committed(work, batch)
        if kernel.measured:
            was_committed(kernel, connection)
    elif work.state is None or want.luwid in (NO_LUWID, work.state.last_luwid):
        if not _end_without_numbers(kernel, connection, work):
            return False
    connection.durable_at = 0
    return True


def _note_committed(work: ChannelWork, batch: InDoubtBatch) -> None:
    work.state = next_state(work, batch.luwid, batch.sequence)


def back_out_batch(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
    """BACK_OUT of the batch that is open or, `in_doubt`, of the one that is prepared."""
    if not want.in_doubt:
        if work.call is not None:
            take_back(kernel, work.call)
            work.call = None
        back_out(kernel, connection)
        if not connection.again:
            work.forget_batch()
        return not connection.again
    connection.begin_verb()
    unit = work.undone
    if unit is None:
        batch = batch_of_channel(kernel, work.channel, work.partner_qmgr)
        if batch is None:
            return True
        unit = batch.unit
        work.undone = unit
    connection.again = not back_out_some(kernel, unit)
    connection.depends_on(kernel.coordinator.log.end_lsn)
    if not connection.again:
        work.undone = None
        if kernel.measured:
            was_backed_out(kernel, connection)
    return not connection.again
