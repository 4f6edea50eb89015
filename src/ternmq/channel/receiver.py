"""The agent that receives: puts the messages of a batch, commits them with number and LUWID of the
batch, and says so.

Each message must have the number that follows the last one; a fast message has the last one's. All
segments of a batch have one LUWID, which the request to confirm must name too. What cannot be put
is tried again (PAUSED), then the engine buries, returns or discards it; if it can do none of these
the batch is backed out and the channel ends.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.channel.agent import (
    BURIED,
    CALL_BACK,
    COMMIT,
    PLACE,
    READ_STATE,
    RESET,
    RETRY,
    TRY_AGAIN,
    End,
    Want,
)
from ternmq.channel.batch import Batch, Numbers
from ternmq.channel.channel_agent import MILLISECOND, SECOND, ChannelAgent
from ternmq.channel.channel_state import NO_LUWID
from ternmq.channel.exit_points import PASS, ExitChain, Retry
from ternmq.channel.rejoining import Rejoiner
from ternmq.channel.settings import ChannelSettings
from ternmq.channel.transmission_message import (
    HEADER_BYTES,
    is_persistent,
    is_transmission_message,
    with_own_header,
)
from ternmq.wire.fap import channel_dialogue as actions
from ternmq.wire.fap.channel_flows import read_ping, read_reset
from ternmq.wire.fap.dialogue import IDLE, Row
from ternmq.wire.fap.segment import Segment, SegmentError
from ternmq.wire.fap.vocabulary import (
    BATCH_FAILURE,
    CAN_NOT_STORE,
    DLQ_USED,
    HEARTBEAT,
    LUWID_MISMATCH,
    MESSAGE_LENGTH_ERROR,
    MSG_SEQUENCE_ERROR,
    PING_DATA,
    PROTOCOL_INVALID_DATA,
    PROTOCOL_SEGMENT_ERROR,
    QM_UNAVAILABLE,
    REQUEST_ACCEPTED,
    REQUEST_CLOSE,
    RESYNC_DATA,
    STATUS_DATA,
)

# A batch that never ends must not fill the memory.
_BATCH_MESSAGES_MAX: Final = 100_000


@final
class ReceivingAgent(ChannelAgent):
    """The receiving end: a receiver, or a requester."""

    def __init__(
        self, settings: ChannelSettings, role: int, exits: ExitChain | None = None
    ) -> None:
        super().__init__(settings, role, False, exits)
        self.numbers: Final = Numbers(settings.sequence_wrap)
        self._rejoiner = Rejoiner(0)
        self._batch: Batch | None = None
        self._earlier_luwid = NO_LUWID  # of the batch before, on this connection
        self._confirms = False  # commit once the message is put
        self._tried = 0
        self._retry_at_ns: i64 = 0
        self._placing: Want | None = None

    # ---- segments

    def _opened(self) -> None:
        limit: i64 = self.message_bytes_max + HEADER_BYTES
        self._rejoiner = Rejoiner(limit)
        self.substate = mq.MQCHSSTATE_RECEIVING

    def _handle(self, row: Row, one: Segment) -> None:
        action = row.action
        if action == actions.KEEP or action == actions.KEEP_AND_COMMIT:
            self._piece_came(one, action == actions.KEEP_AND_COMMIT)
        elif action == actions.COMMIT:
            self._confirm_asked(one)
        elif action == actions.ANSWER_RESYNC:
            self.ask(READ_STATE)
        elif action == actions.TAKE_NUMBER:
            self._reset_asked(read_reset(one))
        elif action == actions.ECHO:
            self.say(PING_DATA, self.writer.ping(REQUEST_ACCEPTED, read_ping(one)), 0)
        elif action == actions.CALLED_BACK:
            self.finish(End(CALL_BACK, "AMQ9001I", (self.settings.name,)))
        else:
            raise AssertionError(action)

    def _answer_flags(self) -> int:
        return REQUEST_CLOSE if self.quiesces else 0

    def _resynced(self, want: Want) -> None:
        state = want.state
        if state is not None:
            self.numbers.last = state.last_sequence
            self.last_sequence = state.last_sequence
            self.last_luwid = state.last_luwid
        flags = REQUEST_ACCEPTED | self._answer_flags()
        data = self.writer.resync(flags, self.last_sequence, self.last_luwid)
        self.say(RESYNC_DATA, data, flags)
        if not self.quiesces:
            self.status = mq.MQCHS_RUNNING

    def _reset_asked(self, number: int) -> None:
        if not 1 <= number <= self.settings.sequence_wrap:
            raise SegmentError(f"RESET_DATA: number {number}", PROTOCOL_INVALID_DATA)
        want = self.ask(RESET)
        want.sequence = self.numbers.before(number)

    def _piece_came(self, one: Segment, confirms: bool) -> None:
        batch = self._open_batch(one.header.luwid)
        whole = self._rejoiner.add(one)
        if whole is None:
            if confirms:
                raise SegmentError("a batch ends inside a message", PROTOCOL_SEGMENT_ERROR)
            self.substate = mq.MQCHSSTATE_RECEIVING
            return
        self._confirms = confirms
        if whole.flags_2 and self.expander is not None:
            limit = int(self.message_bytes_max) + HEADER_BYTES
            message = self.expander.expand(whole.whole(), whole.flags_2, limit)
            head, body = message[:HEADER_BYTES], message[HEADER_BYTES:]
        else:
            head, body = whole.split(HEADER_BYTES)
        try:
            head = with_own_header(head, one.header.order, one.header.text_ccsid)
        except (MQError, UnicodeError) as error:
            text = f"MQXQH of a message: {error}"
            raise SegmentError(text, PROTOCOL_INVALID_DATA) from error
        self._message_came(batch, whole.sequence, head, body)

    def _open_batch(self, luwid: bytes) -> Batch:
        batch = self._batch
        if batch is None:
            self._expect(
                luwid != NO_LUWID and luwid not in (self._earlier_luwid, self.last_luwid),
                f"batch {luwid.hex()} was there before",
                LUWID_MISMATCH,
            )
            batch = Batch(luwid)
            self._batch = batch
            self.current_luwid = luwid
        elif batch.luwid != luwid:
            text = f"a message of batch {luwid.hex()} in batch {batch.luwid.hex()}"
            raise SegmentError(text, LUWID_MISMATCH)
        return batch

    def _message_came(self, batch: Batch, sequence: int, head: bytes, body: bytes) -> None:
        if not is_transmission_message(head):
            raise SegmentError("a message without MQXQH", PROTOCOL_INVALID_DATA)
        if len(body) > self.message_bytes_max:
            text = f"a message of {len(body)} bytes"
            raise SegmentError(text, MESSAGE_LENGTH_ERROR)
        # A sender goes on to the end of a message for several queues, however many these are.
        limit = max(self.batch_messages, _BATCH_MESSAGES_MAX)
        if batch.messages >= limit:
            text = f"more than {limit} messages in a batch"
            raise SegmentError(text, BATCH_FAILURE)
        is_fast = self.is_fast and not is_persistent(head)
        expected = self.numbers.last if is_fast else self.numbers.following()
        if sequence != expected:
            inserts = (self.settings.name, sequence, expected)
            self.fail(MSG_SEQUENCE_ERROR, RETRY, "AMQ9526E", inserts, expected)
            return
        self.numbers.last = expected
        batch.messages += 1
        batch.bytes += len(head) + len(body)
        if not is_fast:
            batch.counted += 1
            batch.sequence = expected
        self.current_messages = batch.messages
        self.current_sequence = expected
        self._tried = 0
        reason = 0
        if self.exits.has_message:
            verdict = self.exits.message(head + body)
            head, body = verdict.message, b""
            if verdict.kind != PASS:
                reason = verdict.reason or mq.MQFB_STOPPED_BY_MSG_EXIT
        is_final = self.settings.message_retries <= 0
        self._place(head, body, is_fast, reason, is_final)

    def _place(self, head: bytes, body: bytes, is_fast: bool, reason: int, is_final: bool) -> None:
        want = self.ask(PLACE)
        want.head = head
        want.body = body
        want.is_fast = is_fast
        want.reason = reason
        want.retries_all = self.exits.has_retry
        want.is_final = (is_final and not self.exits.has_retry) or reason != 0

    def _confirm_asked(self, one: Segment) -> None:
        batch = self._batch
        luwid = one.header.luwid
        self._expect(batch is not None, "a confirm without a batch", LUWID_MISMATCH)
        assert batch is not None
        self._expect(
            luwid == batch.luwid,
            f"a confirm of batch {luwid.hex()} for batch {batch.luwid.hex()}",
            LUWID_MISMATCH,
        )
        self._expect(
            not self._rejoiner.is_between, "a batch ends inside a message", PROTOCOL_SEGMENT_ERROR
        )
        self._commit(batch)

    def _commit(self, batch: Batch) -> None:
        if not batch.counted:
            self._confirm(batch)
            return
        want = self.ask(COMMIT)
        want.luwid = batch.luwid
        want.sequence = batch.sequence
        want.messages = batch.messages

    def _confirm(self, batch: Batch) -> None:
        self._batch = None
        self._earlier_luwid = batch.luwid
        self.batches += 1
        self.figures.batch(batch.messages, self.batch_messages)
        self.current_messages = 0
        if batch.counted:
            self.last_sequence = batch.sequence
            self.last_luwid = batch.luwid
        flags = self._answer_flags()
        if batch.used_dead_letters:
            flags |= DLQ_USED
        self.say(STATUS_DATA, self.writer.accepted(batch.luwid, flags), REQUEST_ACCEPTED | flags)
        self.substate = mq.MQCHSSTATE_RECEIVING

    # ---- the engine's answers

    def _note_done(self, want: Want) -> None:
        batch = self._batch
        if batch is None:
            return
        if want.kind == PLACE and not want.is_fast:
            batch.has_unit = True
        elif want.kind == COMMIT:
            batch.has_unit = False

    def _has_unit(self) -> bool:
        return self._batch is not None and self._batch.has_unit

    def _want_done(self, want: Want) -> None:
        kind = want.kind
        self.waits_since_ns = self.now_ns
        if kind == PLACE:
            self._placed(want)
        elif kind == COMMIT:
            assert self._batch is not None
            self._confirm(self._batch)
        elif kind == READ_STATE:
            self._resynced(want)
        elif kind == RESET:
            self.numbers.last = want.sequence
            self.last_sequence = want.sequence
            flags = REQUEST_ACCEPTED | self._answer_flags()
            self.say(STATUS_DATA, self.writer.accepted(NO_LUWID, self._answer_flags()), flags)

    def _placed(self, want: Want) -> None:
        batch = self._batch
        assert batch is not None
        if want.outcome == TRY_AGAIN:
            self._pause(want)
            return
        if self.status == mq.MQCHS_PAUSED:
            self.status = mq.MQCHS_STOPPING if self.quiesces else mq.MQCHS_RUNNING
        self.substate = mq.MQCHSSTATE_RECEIVING
        if want.outcome == BURIED:
            batch.used_dead_letters = True
        self.messages += 1
        head = want.head
        if head is not None:
            size = len(head) + len(want.body)
            self.figures.message(size, not want.is_fast, 0, self.now_ns)
        if self._confirms:
            self._confirms = False
            self._commit(batch)

    def _pause(self, want: Want) -> None:
        message = want.message
        assert message is not None
        self._tried += 1
        self.figures.put_retries += 1
        left = self.settings.message_retries - self._tried + 1
        interval = self.settings.message_retry_ms
        retry = Retry(left > 0, interval)
        if self.exits.has_retry:
            self.substate = mq.MQCHSSTATE_IN_MREXIT
            retry = self.exits.retry(message, want.reason, self._tried, left, interval)
        if not retry.again:
            self._place(message, b"", want.is_fast, 0, True)
            assert self.want is not None
            self.want.is_final = True
            return
        self._placing = want
        self._retry_at_ns = self.now_ns + retry.interval_ms * MILLISECOND
        self.status = mq.MQCHS_PAUSED

    def _holds(self) -> bool:
        return self._placing is not None

    def _try_again(self) -> None:
        before = self._placing
        assert before is not None
        assert before.head is not None
        self._placing = None
        self._retry_at_ns = 0
        is_last = self._tried >= self.settings.message_retries
        self._place(before.head, before.body, before.is_fast, 0, is_last)

    def _want_failed(self, want: Want, error: MQError) -> None:
        name = self.settings.name
        inserts: tuple[object, ...] = (name, error.object, error.reason)
        if want.kind == PLACE:
            self.fail(CAN_NOT_STORE, RETRY, "AMQ9511E", inserts)
        elif want.kind == READ_STATE:
            self.fail(QM_UNAVAILABLE, RETRY, "AMQ9509E", inserts)
        else:
            self.fail(BATCH_FAILURE, RETRY, "AMQ9540E", inserts)

    # ---- what comes next, and time

    def _advance(self) -> bool:
        return False

    def _quiesce(self) -> None:
        """The sender is asked with the next answer; without heartbeats none may ever be due."""
        if not self.heartbeat_s and self.dialogue.state == IDLE:
            self.say_plain(STATUS_DATA, REQUEST_CLOSE)

    def _awaits_partner(self) -> bool:
        return self._placing is None

    def _next_time(self) -> i64:
        """When a retry is due, or the partner must see that this end is alive, though busy."""
        due: i64 = self._retry_at_ns
        if self.heartbeat_s and (self.want is not None or self._placing is not None):
            alive = self.sent_ns + self.heartbeat_s * SECOND
            if not due or alive < due:
                due = alive
        return due

    def _time_has_come(self) -> None:
        if self._retry_at_ns and self.now_ns >= self._retry_at_ns:
            self._try_again()
        elif self.heartbeat_s and self.now_ns >= self.sent_ns + self.heartbeat_s * SECOND:
            self.say_plain(HEARTBEAT, self._answer_flags())
