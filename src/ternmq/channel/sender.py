"""The agent that sends: gets messages from the transmission queue in batches, and commits a batch
once the receiver says that it has.

    start      RESYNC_DATA: what became of a batch in doubt, and whether both count alike
    batch      GET, MESSAGE_DATA, ..., until BATCHSZ, BATCHLIM, or an empty queue and BATCHINT
    its end    BATCHHB, PREPARE, confirm, the answer, COMMIT
    pipelined  the next batch is got and sent while the answer has not come; it is not prepared
               before, so that one batch at most is in doubt
    idle       heartbeats, DISCINT

A batch of fast messages alone is confirmed, and neither prepared nor committed.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_MSG_TOO_BIG_FOR_CHANNEL
from ternmq.channel.agent import (
    BACK_OUT,
    BURY,
    CALL_BACK,
    COMMIT,
    GET,
    NORMAL,
    PREPARE,
    READ_STATE,
    RESET,
    RETRY,
    End,
    Want,
)
from ternmq.channel.batch import Batch, Luwids, Numbers
from ternmq.channel.channel_agent import MILLISECOND, SECOND, ChannelAgent
from ternmq.channel.channel_state import ChannelState
from ternmq.channel.exit_points import ExitChain
from ternmq.channel.sending_form import packed, through_exits, without_properties
from ternmq.channel.settings import ChannelSettings
from ternmq.channel.transmission_message import (
    HEADER_BYTES,
    channel_bytes,
    is_transmission_message,
    with_persistence,
)
from ternmq.wire.fap.channel_dialogue import COMPARE, END_SOON, GO_ON, TAKE_CONFIRM
from ternmq.wire.fap.channel_flows import read_resync, read_status
from ternmq.wire.fap.dialogue import Row
from ternmq.wire.fap.segment import Segment
from ternmq.wire.fap.vocabulary import (
    BATCH_FAILURE,
    CAN_NOT_STORE,
    CHANNEL_UNAVAILABLE,
    CLOSE_CHANNEL,
    CONFIRM_REQUEST,
    DLQ_USED,
    HEARTBEAT,
    LUWID_MISMATCH,
    MESSAGE_DATA,
    MSG_SEQUENCE_ERROR,
    QM_UNAVAILABLE,
    REQUEST_ACCEPTED,
    RESET_DATA,
    RESYNC_DATA,
    STATUS_DATA,
)

_KILOBYTE: Final = 1000
# Whose dead-letter queue was used.
_OWN: Final = 1
_PARTNERS: Final = 2
# What it waits for, beside messages and time.
_NOTHING: Final = 0
_RESYNC: Final = 1
_RESET: Final = 2
_BATCH_HEARTBEAT: Final = 3


@final
class SendingAgent(ChannelAgent):
    """The sending end: of a sender or server that calls, or of a server that was called."""

    def __init__(
        self, settings: ChannelSettings, role: int, exits: ExitChain | None = None
    ) -> None:
        super().__init__(settings, role, True, exits)
        self.numbers: Final = Numbers(settings.sequence_wrap)
        self.luwids: Final = Luwids(settings.started_s)
        self.state: ChannelState | None = None
        self._batch: Batch | None = None  # that is being sent
        self._in_doubt: Batch | None = None  # whose answer has not come
        self._waits_for = _NOTHING
        self._is_running = False
        self._is_empty = False  # the transmission queue was, when it was last asked
        self._more = False  # parts of a message for a list follow, in the same batch
        self._empty_since_ns: i64 = 0
        self._heartbeat_asked = False
        self._batch_is_checked = False  # BATCHHB: the partner is there
        self._closes = False  # the partner has asked for the end
        self._last_work_ns: i64 = 0  # for DISCINT

    # ---- the start

    def _opened(self) -> None:
        if self.settings.callback_only:
            self.say_plain(STATUS_DATA, CLOSE_CHANNEL | REQUEST_ACCEPTED)
            self.finish(End(CALL_BACK, "AMQ9001I", (self.settings.name,)))
            return
        self.substate = mq.MQCHSSTATE_RESYNCHING
        self.ask(READ_STATE).has_lists = self.has_lists

    def _state_read(self, state: ChannelState | None) -> None:
        found = ChannelState(self.settings.name, True) if state is None else state
        self.state = found
        self.numbers.last = found.last_sequence
        self.last_sequence = found.last_sequence
        self.last_luwid = found.last_luwid
        self.is_in_doubt = found.is_in_doubt
        self.luwids.known(found.last_luwid)
        self.luwids.known(found.in_doubt_luwid)
        sequence = found.in_doubt_sequence if found.is_in_doubt else found.last_sequence
        luwid = found.in_doubt_luwid if found.is_in_doubt else found.last_luwid
        data = self.writer.resync(CONFIRM_REQUEST, sequence, luwid)
        self.say(RESYNC_DATA, data, CONFIRM_REQUEST)
        self._wait_for(_RESYNC)

    def _wait_for(self, what: int) -> None:
        self._waits_for = what
        self.waits_since_ns = self.now_ns

    def _compare(self, one: Segment) -> None:
        """What the receiver has committed last decides about a batch in doubt, and must be what was
        sent last."""
        self._waits_for = _NOTHING
        state = self.state
        assert state is not None
        theirs = read_resync(one)
        self.luwids.avoid(theirs.luwid)
        if not state.is_in_doubt:
            if state.reset_sequence or theirs.sequence == state.last_sequence:
                self._go_on_from_start()
            else:
                self._numbers_differ(theirs.sequence, state.last_sequence)
            return
        is_there = theirs.luwid == state.in_doubt_luwid
        if is_there and theirs.sequence == state.in_doubt_sequence:
            want = self.ask(COMMIT)
            want.luwid = state.in_doubt_luwid
            want.sequence = state.in_doubt_sequence
            want.messages = state.in_doubt_messages
            want.in_doubt = True
        elif not is_there and theirs.sequence == state.last_sequence:
            want = self.ask(BACK_OUT)
            want.luwid = state.in_doubt_luwid
            want.sequence = state.last_sequence
            want.in_doubt = True
        else:
            self._numbers_differ(theirs.sequence, state.last_sequence)

    def _numbers_differ(self, theirs: int, ours: int) -> None:
        inserts = (self.settings.name, theirs, ours)
        self.fail(MSG_SEQUENCE_ERROR, RETRY, "AMQ9526E", inserts, ours)

    def _settled(self, want: Want) -> None:
        """The batch that was in doubt is committed, or backed out."""
        state = self.state
        assert state is not None
        if want.kind == COMMIT:
            state.last_sequence = state.in_doubt_sequence
            state.last_luwid = state.in_doubt_luwid
        state.is_in_doubt = False
        self.is_in_doubt = False
        self.numbers.last = state.last_sequence
        self.last_sequence = state.last_sequence
        self.last_luwid = state.last_luwid
        self._go_on_from_start()

    def _go_on_from_start(self) -> None:
        state = self.state
        assert state is not None
        if state.reset_sequence:
            self.say(RESET_DATA, self.writer.reset(state.reset_sequence), CONFIRM_REQUEST)
            self._wait_for(_RESET)
        else:
            self._run()

    def _reset_taken(self) -> None:
        state = self.state
        assert state is not None
        self._waits_for = _NOTHING
        want = self.ask(RESET)
        want.sequence = self.numbers.before(state.reset_sequence)

    def _run(self) -> None:
        self._is_running = True
        self._last_work_ns = self.now_ns
        if not self.quiesces:
            self.status = mq.MQCHS_RUNNING
        self.substate = mq.MQCHSSTATE_IN_MQGET

    # ---- segments

    def _handle(self, row: Row, one: Segment) -> None:
        action = row.action
        if action == TAKE_CONFIRM:
            self._confirmed(one)
        elif action == COMPARE:
            self._compare(one)
        elif action == GO_ON:
            self._reset_taken()
        elif action != END_SOON:
            raise AssertionError(action)

    def received(self, one: Segment, now_ns: i64) -> None:
        if one.header.type == HEARTBEAT and not one.header.flags_1 & CONFIRM_REQUEST:
            if self._heartbeat_asked or self._waits_for == _BATCH_HEARTBEAT:
                self.figures.answered(now_ns)
                self.substate = mq.MQCHSSTATE_IN_MQGET
            self._heartbeat_asked = False
            if self._waits_for == _BATCH_HEARTBEAT:
                self._waits_for = _NOTHING
                self._batch_is_checked = True
        super().received(one, now_ns)

    def _partner_ends(self, one: Segment) -> None:
        """A receiver that could not store a batch has not committed it."""
        waiting = self._in_doubt
        if waiting is not None and waiting.is_prepared and one.header.luwid == waiting.luwid:
            if read_status(one).code == CAN_NOT_STORE and self.want is None:
                want = self.ask(BACK_OUT)
                want.luwid = waiting.luwid
                want.sequence = self.last_sequence
                want.in_doubt = True
        super()._partner_ends(one)

    def _asked_to_close(self) -> None:
        self._closes = True

    def _confirmed(self, one: Segment) -> None:
        batch = self._in_doubt
        self._expect(batch is not None, "a confirm, and no batch is sent", LUWID_MISMATCH)
        assert batch is not None
        self._expect(
            one.header.luwid == batch.luwid,
            f"a confirm of batch {one.header.luwid.hex()}, {batch.luwid.hex()} was sent",
            LUWID_MISMATCH,
        )
        self.figures.answered(self.now_ns)
        if one.header.flags_1 & DLQ_USED:
            self.notices.append(("AMQ9544W", (self.settings.name, _PARTNERS)))
        if batch.counted:
            want = self.ask(COMMIT)
            want.luwid = batch.luwid
            want.sequence = batch.sequence
            want.messages = batch.messages
        else:
            self._batch_over(batch)

    def _batch_over(self, batch: Batch) -> None:
        self._in_doubt = None
        self.is_in_doubt = False
        if batch.buried:
            self.notices.append(("AMQ9544W", (self.settings.name, _OWN)))
        if batch.messages:
            self.batches += 1
            self.figures.batch(batch.messages, self.batch_messages)
        self._last_work_ns = self.now_ns
        self.substate = mq.MQCHSSTATE_IN_MQGET
        if batch.counted:
            self.last_sequence = batch.sequence
            self.last_luwid = batch.luwid
        self._show_current()

    def _show_current(self) -> None:
        batch = self._batch if self._in_doubt is None else self._in_doubt
        self.current_messages = 0 if batch is None else batch.messages
        self.current_sequence = self.numbers.last
        if batch is not None:
            self.current_luwid = batch.luwid

    # ---- what comes next

    def _advance(self) -> bool:
        if not self._is_running or self._waits_for != _NOTHING:
            return False
        if self._more:
            return self._get()
        batch = self._batch
        ends_soon = self.quiesces or self._closes
        if batch is not None and self._in_doubt is None and self._is_complete(batch, ends_soon):
            self._end_batch(batch)
            return True
        if ends_soon:
            if batch is None and self._in_doubt is None:
                self._close()
            return False
        if self._is_empty or (self._in_doubt is not None and not self._may_pipeline()):
            return False
        if batch is not None and self._is_at_limit(batch):
            return False
        return self._get()

    def _get(self) -> bool:
        want = self.ask(GET)
        want.bytes_max = self.message_bytes_max + HEADER_BYTES
        want.is_fast = self.is_fast
        want.has_lists = self.has_lists
        if self.settings.converts:
            want.ccsid = self.partner_ccsid
            want.encoding = self.partner_encoding
        return True

    def _may_pipeline(self) -> bool:
        """Whether messages may follow a batch whose answer has not come."""
        return self.terms is not None and self.terms.pipelines

    def _is_at_limit(self, batch: Batch) -> bool:
        if batch.messages + batch.buried >= self.batch_messages:
            return True
        limit: i64 = self.settings.batch_kilobytes
        return limit > 0 and batch.bytes >= limit * _KILOBYTE

    def _is_complete(self, batch: Batch, ends_soon: bool) -> bool:
        if ends_soon or self._is_at_limit(batch):
            return True
        return self._is_empty and self.now_ns >= self._interval_ends(batch)

    def _interval_ends(self, batch: Batch) -> i64:
        """BATCHINT counts the time that the batch has waited for messages, and no other."""
        interval: i64 = self.settings.batch_interval_ms * MILLISECOND
        return self._empty_since_ns + interval - batch.waited_ns

    def _end_batch(self, batch: Batch) -> None:
        if not batch.counted:
            self._end_uncounted(batch)
            return
        if self._must_check_partner():
            self.say_plain(HEARTBEAT, CONFIRM_REQUEST)
            self.substate = mq.MQCHSSTATE_HEARTBEATING
            self.figures.asked(self.now_ns)
            self._wait_for(_BATCH_HEARTBEAT)
            return
        self._batch_is_checked = False
        want = self.ask(PREPARE)
        want.luwid = batch.luwid
        want.sequence = batch.sequence
        want.messages = batch.messages

    def _end_uncounted(self, batch: Batch) -> None:
        """Nothing of the batch can be in doubt. What was buried is committed first, so that the
        unit of the next batch has nothing of it; the state does not change."""
        if batch.has_unit:
            want = self.ask(COMMIT)
            want.luwid = self.last_luwid
            want.sequence = self.last_sequence
        elif batch.messages:
            self._ask_confirm(batch)
        else:
            self._batch = None
            self._batch_over(batch)

    def _must_check_partner(self) -> bool:
        """BATCHHB: whether the partner was silent for so long that it may be gone."""
        silence: i64 = self.settings.batch_heartbeat_ms * MILLISECOND
        return (
            silence > 0 and not self._batch_is_checked and self.now_ns - self.received_ns >= silence
        )

    def _ask_confirm(self, batch: Batch) -> None:
        self._batch = None
        self._in_doubt = batch
        self.is_in_doubt = batch.counted > 0
        self.say(STATUS_DATA, self.writer.confirm(batch.luwid), CONFIRM_REQUEST)
        self.figures.asked(self.now_ns)
        self.substate = mq.MQCHSSTATE_END_OF_BATCH
        self.waits_since_ns = self.now_ns

    def _close(self) -> None:
        name = self.settings.name
        self.say_plain(STATUS_DATA, CLOSE_CHANNEL)
        if self.quiesces:
            self.finish(End(NORMAL, "AMQ9528I", (name,)))
        else:
            inserts = (name, self.settings.address)
            self.finish(End(RETRY, "AMQ9558E", inserts, CHANNEL_UNAVAILABLE))

    # ---- the engine's answers

    def _note_done(self, want: Want) -> None:
        kind = want.kind
        batch = self._batch
        if kind == GET and want.message is not None:
            if batch is None:
                batch = Batch(self.luwids.next())
                self._batch = batch
            if not want.is_fast:
                batch.has_unit = True
        elif kind == PREPARE and batch is not None:
            batch.is_prepared = True
            self.is_in_doubt = True
        elif kind == COMMIT and self._in_doubt is not None:
            self._in_doubt.has_unit = False
        elif kind == COMMIT and batch is not None:
            batch.has_unit = False
        elif kind == BACK_OUT:
            self._in_doubt = None
            self.is_in_doubt = False

    def _has_unit(self) -> bool:
        batch = self._batch
        return batch is not None and batch.has_unit and not batch.is_prepared

    def _want_done(self, want: Want) -> None:
        kind = want.kind
        if kind == GET:
            self._more = want.more
            if want.message is None:
                self.figures.empty_queue += 1
                self._is_empty = True
                self._empty_since_ns = self.now_ns
                self.watches = True
            else:
                self._got(want, want.message)
        elif kind == PREPARE:
            assert self._batch is not None
            self._ask_confirm(self._batch)
        elif want.in_doubt:
            self._settled(want)
        elif kind == COMMIT:
            if self._in_doubt is not None:
                self._batch_over(self._in_doubt)
            elif self._batch is not None:
                self._end_uncounted(self._batch)
        elif kind == READ_STATE:
            self._state_read(want.state)
        elif kind == RESET:
            state = self.state
            assert state is not None
            state.reset_sequence = 0
            state.last_sequence = want.sequence
            self.numbers.last = want.sequence
            self.last_sequence = want.sequence
            self._run()

    def _got(self, want: Want, message: bytes) -> None:
        """Send a message, or bury what cannot be sent."""
        batch = self._batch
        assert batch is not None
        reason = want.reason
        if not reason and not is_transmission_message(message):
            reason = mq.MQFB_XMIT_Q_MSG_ERROR
        if not reason and not self.has_properties:
            message = without_properties(message, self.settings.property_control)
        if not reason and self.exits.has_message:
            message, reason = through_exits(self, self.exits, message)
        if not reason and channel_bytes(message) > self.message_bytes_max:
            reason = MQRC_MSG_TOO_BIG_FOR_CHANNEL
        if reason:
            batch.buried += 1
            bury = self.ask(BURY)
            bury.message = message
            bury.reason = reason
            bury.is_fast = want.is_fast
            return
        self._transmit(batch, want, message)

    def _transmit(self, batch: Batch, want: Want, message: bytes) -> None:
        is_counted = not want.is_fast
        if self.is_fast:
            # It must be put as it was got: the receiver goes by the MQMD that it gets.
            message = with_persistence(message, is_counted)
        if is_counted:
            self.numbers.last = self.numbers.following()
            batch.sequence = self.numbers.last
            batch.counted += 1
        data, flags = packed(self, self.exits, message)
        room: i64 = self.segment_bytes_max - self.exits.space
        self.dialogue.say(MESSAGE_DATA)
        if self.sends_parts and not self.exits.has_send:
            parts = self.writer.parts(data, self.numbers.last, batch.luwid, flags, room)
            self.send_parts(parts)
        else:
            for piece in self.writer.pieces(data, self.numbers.last, batch.luwid, flags, room):
                self.send(piece)
        batch.messages += 1
        batch.bytes += len(message)
        self.messages += 1
        self.figures.message(len(message), is_counted, want.waited_ns, self.now_ns)
        self._last_work_ns = self.now_ns
        self._show_current()

    def _want_failed(self, want: Want, error: MQError) -> None:
        kind = want.kind
        name = self.settings.name
        if kind == READ_STATE:
            here = self.settings.qmgr_name
            self.fail(QM_UNAVAILABLE, RETRY, "AMQ9509E", (error.object, here, error.reason))
        elif kind == GET:
            self.fail(BATCH_FAILURE, RETRY, "AMQ9510E", (name, error.object, error.reason))
        elif kind == BURY:
            self.fail(BATCH_FAILURE, RETRY, "AMQ9565E", (name, error.object, error.reason))
        else:
            self.fail(BATCH_FAILURE, RETRY, "AMQ9540E", (name, error.reason))

    # ---- time

    def message_there(self, now_ns: i64) -> None:
        self.now_ns = now_ns
        self.watches = False
        if self._is_empty:
            self._is_empty = False
            if self._batch is not None:
                self._batch.waited_ns += now_ns - self._empty_since_ns
        if not self._is_over():
            self._go_on()

    def _quiesce(self) -> None:
        self.watches = False

    def _awaits_partner(self) -> bool:
        return self._waits_for != _NOTHING or self._in_doubt is not None or self._heartbeat_asked

    def _next_time(self) -> i64:
        if not self._is_running or self.want is not None:
            return 0
        due: i64 = 0
        batch = self._batch
        if batch is not None and self._is_empty and self._in_doubt is None:
            if self._waits_for == _NOTHING:
                due = self._interval_ends(batch)
        heartbeat = self._heartbeat_at()
        if heartbeat and (not due or heartbeat < due):
            due = heartbeat
        disconnect = self._disconnect_at()
        if disconnect and (not due or disconnect < due):
            due = disconnect
        return due

    def _heartbeat_at(self) -> i64:
        if not self.heartbeat_s or self._awaits_partner():
            return 0
        return max(self.sent_ns, self.received_ns) + self.heartbeat_s * SECOND

    def _disconnect_at(self) -> i64:
        is_idle = self._batch is None and self._in_doubt is None and self._is_empty
        if not is_idle or not self.settings.disconnect_s:
            return 0
        return self._last_work_ns + self.settings.disconnect_s * SECOND

    def _time_has_come(self) -> None:
        if not self._is_running:
            return
        disconnect = self._disconnect_at()
        if disconnect and self.now_ns >= disconnect:
            self.say_plain(STATUS_DATA, CLOSE_CHANNEL)
            self.finish(End(NORMAL, "AMQ9545I", (self.settings.name,)))
            return
        heartbeat = self._heartbeat_at()
        if heartbeat and self.now_ns >= heartbeat:
            self.say_plain(HEARTBEAT, CONFIRM_REQUEST)
            self.substate = mq.MQCHSSTATE_HEARTBEATING
            self.figures.asked(self.now_ns)
            self._heartbeat_asked = True
            self.waits_since_ns = self.now_ns
