"""What senders and receivers have in common: the opening, segments in their order, security exits,
heartbeats, timeouts, and the end.

Segments wait in an inbox while the engine works, so that each is handled in the state that the ones
before have left. Heartbeats do not wait: they say only that this end is alive. `_advance` is called
whenever something has happened, and does what comes next.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, RemoteProtocolError
from ternmq.channel.agent import (
    BACK_OUT,
    COMMIT,
    GET,
    NORMAL,
    PLACE,
    PREPARE,
    QUIESCE,
    RESET,
    RETRY,
    Agent,
    End,
    Want,
)
from ternmq.channel.ends import end_of_received, end_of_sent
from ternmq.channel.exit_points import ExitChain, ExitEnds
from ternmq.channel.opening import (
    Terms,
    agreed_terms,
    answered,
    header_ccsid,
    revised_wishes,
    wishes,
)
from ternmq.channel.security_turns import SecurityTurns
from ternmq.channel.settings import ChannelSettings
from ternmq.wire.fap.channel_dialogue import ACCEPTOR_SENDS, INITIATOR_SENDS, TO_EXIT
from ternmq.wire.fap.channel_flows import ChannelWriter, read_status
from ternmq.wire.fap.compression import Expander, Packer
from ternmq.wire.fap.dialogue import (
    AGREE,
    ANSWER_HEARTBEAT,
    CLOSE,
    INITIATOR,
    NEGOTIATE,
    NOTHING,
    OPENING,
    REPORT_WHY,
    REVISE,
    Dialogue,
    Row,
)
from ternmq.wire.fap.initial_data import InitialData, read_initial_data, write_initial_data
from ternmq.wire.fap.negotiation import ROUNDS_MAX
from ternmq.wire.fap.segment import LUWID_NONE, Header, Segment, SegmentError, read_segment, segment
from ternmq.wire.fap.vocabulary import (
    CONFIRM_REQUEST,
    ERROR,
    HEARTBEAT,
    INITIAL_DATA,
    MSG_SEQUENCE_ERROR,
    NEGOTIATION_FAILED,
    PROTOCOL_GENERAL,
    REQUEST_CLOSE,
    SECURITY_DATA,
    TIMEOUT_EXPIRED,
    USER_CLOSED,
)

SECOND: Final[i64] = 1_000_000_000
MILLISECOND: Final[i64] = 1_000_000
_TIMEOUT_DOUBLES_BELOW_S: Final = 60
_OPENING_S: Final = 60  # for initial data of an end that wants no heartbeats, and at least this/6
_HEARTBEAT_S_MAX: Final = 999_999
_INBOX_BYTES: Final = 131_072
_INBOX_SEGMENTS: Final = 256
_DECIDED: Final = (COMMIT, BACK_OUT, RESET)
_SUBSTATES: Final[dict[int, int]] = {
    GET: mq.MQCHSSTATE_IN_MQGET,
    PLACE: mq.MQCHSSTATE_IN_MQPUT,
    PREPARE: mq.MQCHSSTATE_END_OF_BATCH,
    COMMIT: mq.MQCHSSTATE_END_OF_BATCH,
}


def timeout_s(heartbeat_s: int) -> int:
    """How long silence may last, by the heartbeat interval; 0: for ever."""
    if heartbeat_s < _TIMEOUT_DOUBLES_BELOW_S:
        return 2 * heartbeat_s
    return heartbeat_s + 60


class ChannelAgent(Agent):
    """One end of a running message channel, up to where the roles differ."""

    def __init__(
        self, settings: ChannelSettings, role: int, sends: bool, exits: ExitChain | None = None
    ) -> None:
        super().__init__(settings)
        self.role: Final = role
        self._sends: Final = sends
        self.exits: Final = ExitChain() if exits is None else exits
        self.has_exits = self.exits.has_any
        self.exit_time = self.exits.time
        self.exit_figures = self.exits.figures
        initiator_sends = (role == INITIATOR) == sends
        table = INITIATOR_SENDS if initiator_sends else ACCEPTOR_SENDS
        self.dialogue: Final = Dialogue(table, role, OPENING)
        self.writer: Final = ChannelWriter(header_ccsid(settings))
        self.terms: Terms | None = None
        self.is_open = False  # initial data is agreed, and security exits are content
        self.quiesces = False  # STOP CHANNEL: after the batch
        self.received_ns: i64 = 0
        self.sent_ns: i64 = 0
        self.waits_since_ns: i64 = 0  # when this end began to wait for its partner
        self.now_ns: i64 = 0
        self._wishes: InitialData | None = None
        self._rounds = 0
        self._inbox: deque[Segment] = deque()
        self._inbox_bytes: i64 = 0
        self._ending: End | None = None
        self._is_inside = False
        self._security: SecurityTurns | None = None

    # ---- what happens

    def start(self, now_ns: i64) -> None:
        self.now_ns = now_ns
        self.received_ns = now_ns
        self.waits_since_ns = now_ns
        try:
            self.exits.initial()
            if self.role == INITIATOR:
                self._wishes = wishes(self.settings, self.exits.has_security)
                self.dialogue.next()
                self._send_initial(CONFIRM_REQUEST, self._wishes)
        except ExitEnds as ends:
            self._exit_ends(ends)
        self._set_deadline()

    def received(self, one: Segment, now_ns: i64) -> None:
        if self._is_over():
            return
        self.now_ns = now_ns
        self.received_ns = now_ns
        self.bytes_received += len(one.data)
        self.buffers_received += 1
        if one.header.type == HEARTBEAT:
            self._guarded(one)
        else:
            self._inbox.append(one)
            self._inbox_bytes += len(one.data)
        self._go_on()

    def received_bytes(self, data: bytes, now_ns: i64) -> None:
        if self._is_over():
            return
        self.now_ns = now_ns
        try:
            one = read_segment(self.exits.receive(data))
        except ExitEnds as ends:
            self._exit_ends(ends)
        except RemoteProtocolError as wrong:
            self._protocol_error(wrong)
        else:
            self.received(one, now_ns)

    def tick(self, now_ns: i64) -> None:
        if self._is_over() or not self.deadline_ns or now_ns < self.deadline_ns:
            return
        self.now_ns = now_ns
        due_ns = self._timeout_at()
        if due_ns and now_ns >= due_ns:
            host = self.settings.address
            self.fail(TIMEOUT_EXPIRED, RETRY, "AMQ9259E", (host, self.settings.name))
        else:
            self._time_has_come()
        self._go_on()

    def done(self, want: Want, now_ns: i64) -> None:
        self.now_ns = now_ns
        self.want = None
        if self._ending is not None:
            self._note_done(want)
            self._conclude()
            return
        self._is_inside = True
        try:
            self._note_done(want)
            self._want_done(want)
        except ExitEnds as ends:
            self._exit_ends(ends)
        except RemoteProtocolError as wrong:
            self._protocol_error(wrong)
        finally:
            self._is_inside = False
        self._go_on()

    def failed(self, want: Want, error: MQError, now_ns: i64) -> None:
        self.now_ns = now_ns
        self.want = None
        if self._ending is not None:
            self._conclude()
            return
        self._want_failed(want, error)
        self._go_on()

    def message_there(self, now_ns: i64) -> None:
        self.watches = False

    def lost(self, why: str, now_ns: i64) -> None:
        self.now_ns = now_ns
        # What came before the socket went may be the reason for it.
        self._go_on()
        if not self._is_over():
            inserts = (self.settings.address, self.settings.name, why)
            self.finish(End(RETRY, "AMQ9209E", inserts))

    def stop(self, mode: int, now_ns: i64) -> None:
        if self._is_over():
            return
        self.now_ns = now_ns
        self.status = mq.MQCHS_STOPPING
        if mode != QUIESCE or not self.is_open:
            self.fail(USER_CLOSED, NORMAL, "AMQ9528I", (self.settings.name,))
        else:
            self.quiesces = True
            self._quiesce()
        self._go_on()

    # ---- for each role to say

    def _opened(self) -> None:
        """Both ends have agreed."""
        raise NotImplementedError

    def _handle(self, row: Row, one: Segment) -> None:
        """A segment that the table allows."""
        raise NotImplementedError

    def _advance(self) -> bool:
        """Do what comes next, as nothing is under way; False if there is nothing to do."""
        raise NotImplementedError

    def _want_done(self, want: Want) -> None:
        raise NotImplementedError

    def _want_failed(self, want: Want, error: MQError) -> None:
        raise NotImplementedError

    def _note_done(self, want: Want) -> None:
        """What the engine holds now, also if the channel is ending."""
        raise NotImplementedError

    def _has_unit(self) -> bool:
        """Whether the engine holds what must be backed out."""
        raise NotImplementedError

    def _quiesce(self) -> None:
        """STOP CHANNEL MODE(QUIESCE)."""
        raise NotImplementedError

    def _next_time(self) -> i64:
        """When something is due beside the timeout; 0: never."""
        raise NotImplementedError

    def _time_has_come(self) -> None:
        raise NotImplementedError

    def _awaits_partner(self) -> bool:
        """Whether silence of the partner is counted now."""
        raise NotImplementedError

    def _holds(self) -> bool:
        """Whether segments must wait, though the engine does nothing for this end."""
        return False

    def _asked_to_close(self) -> None:
        """The partner wants to stop."""

    # ---- segments

    def send(self, data: bytes) -> None:
        """A segment goes out."""
        if self.exits.has_send and self.terms is not None:
            data = self.exits.send(data)
        self.out.append(data)
        self.sent_ns = self.now_ns
        self.bytes_sent += len(data)
        self.buffers_sent += 1

    def send_parts(self, parts: list[bytes | memoryview]) -> None:
        """Segments go out, each in two parts."""
        self.out.extend(parts)
        self.sent_ns = self.now_ns
        for part in parts:
            self.bytes_sent += len(part)
        self.buffers_sent += len(parts) // 2

    def say(self, type: int, data: bytes, flags: int) -> None:
        """A segment goes out that the table must allow."""
        self.dialogue.say(type, flags)
        self.send(data)

    def say_plain(self, type: int, flags: int, luwid: bytes = LUWID_NONE) -> None:
        """A segment without a body."""
        self.say(type, self.writer.plain(type, flags, luwid), flags)

    def ask(self, kind: int) -> Want:
        """The engine must do this next."""
        made = Want(kind)
        made.traces = self.traces
        self.want = made
        found = _SUBSTATES.get(kind)
        if found is not None:
            self.substate = found
        return made

    def _send_initial(self, flags: int, data: InitialData) -> None:
        header = Header(INITIAL_DATA, flags_1=flags, ccsid=header_ccsid(self.settings))
        self.send(segment(header, write_initial_data(header, data)))

    def _go_on(self) -> None:
        if self._is_inside:
            return
        self._is_inside = True
        try:
            while True:
                while self._inbox and self.want is None and not self._is_over():
                    if self._holds():
                        break
                    one = self._inbox.popleft()
                    self._inbox_bytes -= len(one.data)
                    self._guarded(one)
                if self.want is not None or self._is_over() or not self.is_open:
                    break
                if not self._advance():
                    break
        except ExitEnds as ends:
            self._exit_ends(ends)
        except RemoteProtocolError as wrong:
            self._protocol_error(wrong)
        finally:
            self._is_inside = False
        many = self._inbox_bytes > _INBOX_BYTES or len(self._inbox) > _INBOX_SEGMENTS
        self.is_full = many
        self._set_deadline()

    def _guarded(self, one: Segment) -> None:
        try:
            row = self.dialogue.came(one.header.type, one.header.flags_1)
            self._carry_out(row, one)
        except ExitEnds as ends:
            self._exit_ends(ends)
        except RemoteProtocolError as wrong:
            self._protocol_error(wrong)

    def _carry_out(self, row: Row, one: Segment) -> None:
        action = row.action
        if action == NEGOTIATE:
            self._negotiate(one)
        elif action == REVISE:
            self._revise(one)
        elif action == AGREE:
            self._agree(one)
        elif action in (REPORT_WHY, CLOSE):
            self._partner_ends(one)
        elif action == ANSWER_HEARTBEAT:
            self._answer_heartbeat()
        elif action == TO_EXIT:
            self._security_came(one)
        elif action != NOTHING:
            self._handle(row, one)
        if one.header.flags_1 & REQUEST_CLOSE and not self._is_over():
            self._asked_to_close()

    def _answer_heartbeat(self) -> None:
        self.say_plain(HEARTBEAT, self._answer_flags())

    def _answer_flags(self) -> int:
        """More flags of an answer."""
        return 0

    # ---- the opening

    def _negotiate(self, one: Segment) -> None:
        """The acceptor's role."""
        self._rounds += 1
        if self._rounds > ROUNDS_MAX:
            raise SegmentError(f"{ROUNDS_MAX} rounds of initial data", NEGOTIATION_FAILED)
        asked = read_initial_data(one)
        made, again = answered(self.settings, asked, one.header)
        flags = ERROR if again else 0
        header = one.header.answer(INITIAL_DATA, flags)
        self.say(INITIAL_DATA, segment(header, write_initial_data(header, made)), flags)
        if not again:
            partner = asked.copy()
            self._take(Terms(made, partner), one.header)

    def _revise(self, one: Segment) -> None:
        """The initiator's role: the partner wants other values."""
        self._rounds += 1
        own = self._wishes
        if own is None or self._rounds >= ROUNDS_MAX:
            raise SegmentError(f"{ROUNDS_MAX} rounds of initial data", NEGOTIATION_FAILED)
        self._wishes = revised_wishes(own, read_initial_data(one))
        self.dialogue.next()
        self._send_initial(CONFIRM_REQUEST, self._wishes)

    def _agree(self, one: Segment) -> None:
        own = self._wishes
        assert own is not None
        self._take(agreed_terms(own, read_initial_data(one), one.header), one.header)

    def _take(self, terms: Terms, header: Header) -> None:
        self.terms = terms
        self.batch_messages = terms.batch_messages
        self.heartbeat_s = min(terms.heartbeat_s, _HEARTBEAT_S_MAX)
        self.message_bytes_max = terms.message_bytes_max
        self.segment_bytes_max = terms.segment_bytes_max
        self.is_fast = terms.is_fast
        self.has_lists = terms.has_lists
        self.traces = terms.traces
        self.has_properties = terms.has_properties
        self.header_compression = terms.header_compression
        self.message_compression = terms.message_compression
        self.partner_qmgr = terms.partner_qmgr
        self.partner_id = terms.partner_id
        self.partner_product = terms.partner_product
        self.partner_ccsid = terms.partner_ccsid or header.text_ccsid
        self.partner_encoding = header.encoding
        self._take_compressions(terms)
        self.exits.header_compression = terms.header_compression
        self.exits.message_compression = terms.message_compression
        self.takes_bytes = self.exits.has_receive
        self.exits.agreed(terms.partner_qmgr, terms.fap_level, terms.segment_bytes_max)
        turns = SecurityTurns(self.exits, self.role, terms.has_security)
        self._security = turns
        self._speak(turns.begin())

    def _take_compressions(self, terms: Terms) -> None:
        clock = self.settings.clock
        if self._sends:
            self.packer = Packer(terms.header_compression, terms.message_compression, clock)
        else:
            headers, messages = terms.header_compressions, terms.message_compressions
            self.expander = Expander(headers, messages, clock)

    # ---- security exits

    def _security_came(self, one: Segment) -> None:
        turns = self._security
        if turns is None or self.is_open:
            raise SegmentError("SECURITY_DATA is not expected now", PROTOCOL_GENERAL)
        self.substate = mq.MQCHSSTATE_IN_SCYEXIT
        self._speak(turns.came(one.body))

    def _speak(self, data: bytes | None) -> None:
        turns = self._security
        assert turns is not None
        if data is not None:
            self.say(SECURITY_DATA, self.writer.plain(SECURITY_DATA, 0, LUWID_NONE, data), 0)
        if turns.is_over:
            self.is_open = True
            self.waits_since_ns = self.now_ns
            self._opened()

    # ---- time

    def _timeout_at(self) -> i64:
        if self.want is not None or not (self._awaits_partner() if self.is_open else True):
            return 0
        if self.is_open:
            seconds = timeout_s(self.heartbeat_s)
        else:
            seconds = max(timeout_s(self.settings.heartbeat_s) or _OPENING_S, _OPENING_S // 6)
        if not seconds:
            return 0
        return max(self.received_ns, self.waits_since_ns) + seconds * SECOND

    def _set_deadline(self) -> None:
        if self._is_over():
            self.deadline_ns = 0
            return
        due_ns = self._timeout_at()
        if self.is_open:
            other_ns = self._next_time()
            if other_ns and (not due_ns or other_ns < due_ns):
                due_ns = other_ns
        self.deadline_ns = due_ns

    # ---- the end

    def _is_over(self) -> bool:
        return self._ending is not None or self.end is not None

    def _partner_ends(self, one: Segment) -> None:
        """STATUS_DATA that closes the channel, with or without an error."""
        name = self.settings.name
        if not one.header.flags_1 & ERROR:
            self.finish(End(NORMAL, "AMQ9001I", (name,)))
            return
        found = read_status(one)
        kind, message_id = end_of_received(found.code)
        inserts: tuple[object, ...] = (name, self.settings.address, found.code)
        if found.code == MSG_SEQUENCE_ERROR:
            inserts = (name, self.current_sequence, found.value)
        elif found.code == TIMEOUT_EXPIRED:
            inserts = (self.settings.address, name)
        self.finish(End(kind, message_id, inserts, found.code))

    def _protocol_error(self, wrong: RemoteProtocolError) -> None:
        status = wrong.status if isinstance(wrong, SegmentError) else PROTOCOL_GENERAL
        kind, message_id = end_of_sent(status)
        self.fail(status, kind, message_id, (self.settings.name, self.settings.address, str(wrong)))

    def _exit_ends(self, ends: ExitEnds) -> None:
        kind, _message_id = end_of_sent(ends.status)
        self.fail(ends.status, kind, ends.message_id, ends.inserts)

    def fail(
        self,
        status: int,
        kind: int,
        message_id: str,
        inserts: tuple[object, ...],
        value: int | None = None,
    ) -> None:
        """The channel ends here; the partner is given the code."""
        if self._is_over():
            return
        data = self.writer.failure(status, value, self.current_luwid)
        try:
            self.send(data)
        except ExitEnds:
            self.out.append(data)  # the partner may not understand it, and hears the socket close
        self.finish(End(kind, message_id, inserts, status))

    def finish(self, end: End) -> None:
        """The channel ends."""
        if self._is_over():
            return
        self._ending = end
        self.watches = False
        self._inbox.clear()
        self._inbox_bytes = 0
        self.is_full = False
        # What is not begun is left out, but for what is decided: it need not be asked for again.
        if self.want is not None and self.want.kind not in _DECIDED:
            self.want = None
        if self.want is None:
            self._conclude()

    def _conclude(self) -> None:
        self.deadline_ns = 0
        if self._has_unit():
            self.want = Want(BACK_OUT)
        self.end = self._ending
        try:
            self.exits.final()
        except ExitEnds:
            pass  # the channel has ended already

    def _expect(self, is_so: bool, text: str, status: int) -> None:
        if not is_so:
            raise SegmentError(text, status)
