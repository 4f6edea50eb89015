"""The order of a dialogue: tables of who may say what in which state, and the machine that runs
them in either role. No I/O, and no bytes: what is in a segment is the business of both sides.

A row says: in these states, if this side sends this segment and the condition holds, the other
side carries out the action, and both sides are in the next state. So one table serves both roles.
`Dialogue` is one side of one dialogue:

    next     the segment that this side sends now by itself, if there is one (see `plan`)
    say      this side sends a segment because of an action; LocalProtocolError if no row allows it
    came     the other side has sent a segment: the row has the action to carry out. A row with the
             action REFUSE is raised: SegmentError with the code for STATUS_DATA, or where the row
             has none (an initiator answers nothing) RemoteProtocolError

Rows with the type of a segment come before rows for ANY, then the order of the table counts. A row
whose next state is SAME leaves the state as it is. Two tables are run for each socket: SOCKET once,
CONVERSATION for each of its conversations. The page of the client protocol shows both.

Message channels have tables of their own in `channel_dialogue`, with the rows of the opening that
all share. States, conditions, facts and actions are values, which the machine only compares.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.errors import LocalProtocolError, RemoteProtocolError
from ternmq.wire.fap.segment import SegmentError
from ternmq.wire.fap.vocabulary import (
    ACTION_END,
    ACTION_START,
    CALL_NAMES,
    CLOSE_CHANNEL,
    CONAUTH_INFO,
    CONFIRM_REQUEST,
    CONV_ID_ERROR,
    ERROR,
    FIRST_AND_LAST,
    HEARTBEAT,
    INITIAL_DATA,
    MQCONN,
    MQDISC,
    NOTIFICATION,
    PROTOCOL_GENERAL,
    PROTOCOL_SEGMENT_TYPE,
    REPLY,
    REQUEST_MSGS,
    SECURITY_DATA,
    SOCKET_ACTION,
    SOCKET_ACTION_TYPE,
    STATUS_DATA,
    USERID_DATA,
    type_name,
)

# Roles.
INITIATOR: Final = 0  # has opened the socket
ACCEPTOR: Final = 1
ROLE_NAMES: Final[dict[int, str]] = {INITIATOR: "initiator", ACCEPTOR: "acceptor"}

# States of a socket.
OPENING: Final = 0
ANSWERING: Final = 1
OPEN: Final = 2
CLOSED: Final = 3
# States of a conversation.
ABSENT: Final = 10
STARTING: Final = 11
NEW: Final = 12
NAMED: Final = 13
AUTHENTICATING: Final = 14
IDENTIFIED: Final = 15
CONNECTING: Final = 16
CONNECTED: Final = 17
CUT: Final = 18  # by an operator: the connection has ended, and the partner does not know yet
ENDED: Final = 19
# States of a message channel, whose opening is that of a socket.
AGREED: Final = 20  # nothing but initial data and security data was sent
RESYNCING: Final = 21
RESETTING: Final = 22
PINGING: Final = 23
IDLE: Final = 24  # no batch is open
IN_BATCH: Final = 25
CONFIRMING: Final = 26  # the batch is sent, and its answer has not come
PIPELINING: Final = 27  # so too, and the next batch is open
SAME: Final = -1
STATE_NAMES: Final[dict[int, str]] = {
    OPENING: "opening",
    ANSWERING: "answering",
    OPEN: "open",
    CLOSED: "closed",
    ABSENT: "absent",
    STARTING: "starting",
    NEW: "new",
    NAMED: "named",
    AUTHENTICATING: "authenticating",
    IDENTIFIED: "identified",
    CONNECTING: "connecting",
    CONNECTED: "connected",
    CUT: "cut",
    ENDED: "ended",
    AGREED: "agreed",
    RESYNCING: "resyncing",
    RESETTING: "resetting",
    PINGING: "pinging",
    IDLE: "idle",
    IN_BATCH: "in a batch",
    CONFIRMING: "confirming",
    PIPELINING: "pipelining",
    SAME: "the same",
}

# Types that are not a segment's: what happens on one side, and every type that has no row.
ANY: Final = -1
STOP_CONN: Final = 0x100  # an operator ends the connection
LEAVES: Final = 0x101  # the partner goes, so no answer can be sent
LEFT: Final = 0x102  # all of the conversation has ended
EVENT_NAMES: Final[dict[int, str]] = {
    ANY: "anything else",
    STOP_CONN: "(STOP CONN)",
    LEAVES: "(the partner goes)",
    LEFT: "(all has ended)",
}

# Actions.
NEGOTIATE: Final = "answer the initial data"
REVISE: Final = "take over what was refused"
AGREE: Final = "begin the first conversation"
REPORT_WHY: Final = "report why"
CLOSE: Final = "close the socket"
ANSWER_HEARTBEAT: Final = "answer the heartbeat"
PASS_ON: Final = "pass it to its conversation"
NOTHING: Final = "nothing"
START: Final = "start a conversation"
GO_ON: Final = "go on"
LEAVE: Final = "end the conversation, backed out if it is connected"
KEEP_USER: Final = "keep the user ID"
KEEP_PASSWORD: Final = "keep user and password"
CONNECT: Final = "check user, password and authority"
WAIT: Final = "keep it until this side has answered"
TAKE_OVER: Final = "use the connection"
REPORT_REASON: Final = "report the reason code"
SERVE: Final = "serve it and reply"
DISCONNECT: Final = "end the connection"
TO_EXIT: Final = "give it to the security exit"
REFUSE_BROKEN: Final = "refuse it with MQRC_CONNECTION_BROKEN"
REFUSE: Final = "refuse"

# When a side sends a segment by itself.
NEVER: Final = -1
ALWAYS: Final = 0
HAS_PASSWORD: Final = 1  # a fact: what is true of this dialogue, one bit each
PLAN_NAMES: Final[dict[int, str]] = {HAS_PASSWORD: "if there is a password"}

# Details: what a condition needs of the body of a segment.
ANY_DETAIL: Final = -1
COMPLETED: Final = 0  # of a reply: the call was done, with a warning perhaps
FAILED: Final = 1


@final
class When:
    """A condition on the control flags 1 and the detail of a segment."""

    def __init__(self, name: str, mask: int = 0, flags: int = 0, detail: int = ANY_DETAIL) -> None:
        self.name: Final = name
        self.mask: Final = mask
        self.flags: Final = flags
        self.detail: Final = detail

    def backpressure(self, flags: int, detail: int) -> bool:
        """Whether a segment with these meets it."""
        if flags & self.mask != self.flags:
            return False
        return self.detail == ANY_DETAIL or self.detail == detail


UNCONDITIONAL: Final = When("")
WITH_ERROR: Final = When("with ERROR", ERROR, ERROR)
WITHOUT_ERROR: Final = When("without ERROR", ERROR, 0)
WITH_CLOSE: Final = When("with CLOSE_CHANNEL", CLOSE_CHANNEL, CLOSE_CHANNEL)
WITH_CONFIRM: Final = When("with CONFIRM_REQUEST", CONFIRM_REQUEST, CONFIRM_REQUEST)
STARTS: Final = When("START", detail=ACTION_START)
ENDS: Final = When("END", detail=ACTION_END)
IF_COMPLETED: Final = When("completed", detail=COMPLETED)
IF_FAILED: Final = When("failed", detail=FAILED)


@final
class Row:
    """One row of a table."""

    def __init__(
        self,
        states: tuple[int, ...],
        speaker: int,
        types: tuple[int, ...],
        action: str,
        then: int,
        *,
        when: When = UNCONDITIONAL,
        plan: int = NEVER,
        flags: int = FIRST_AND_LAST,
        text: str = "",
        status: int = 0,
    ) -> None:
        self.states: Final = states
        self.speaker: Final = speaker
        self.types: Final = types
        self.action: Final = action  # of the other side
        self.then: Final = then
        self.when: Final = when
        self.plan: Final = plan  # the facts with which the speaker sends it by itself
        self.flags: Final = flags  # control flags 1 with which it is sent
        self.text: Final = text  # of a refusal: {type}, {detail} and {number} are filled in
        self.status: Final = status  # of a refusal, for STATUS_DATA; 0: nothing is sent

    @property
    def type(self) -> int:
        """The type of the segment, of a row that has one."""
        return self.types[0]

    def refusal(self, type: int, detail: int, number: int) -> RemoteProtocolError:
        """What a row that refuses raises."""
        text = self.text.format(type=type_name(type), detail=detail, number=number)
        return SegmentError(text, self.status) if self.status else RemoteProtocolError(text)


@final
class Table:
    """The rows of a kind of dialogue, found by state, speaker and type."""

    def __init__(self, name: str, rows: tuple[Row, ...]) -> None:
        self.name: Final = name
        self.rows: Final = rows
        self._found: Final[dict[tuple[int, int, int], list[Row]]] = {}
        self._planned: Final[dict[tuple[int, int], list[Row]]] = {}
        for row in rows:
            for state in row.states:
                for type in row.types:
                    self._found.setdefault((state, row.speaker, type), []).append(row)
                if row.plan != NEVER:
                    self._planned.setdefault((state, row.speaker), []).append(row)

    def find(self, state: int, speaker: int, type: int, flags: int, detail: int) -> Row | None:
        """The row for a segment; None if no row fits."""
        for row in self._found.get((state, speaker, type), ()):
            if row.when.backpressure(flags, detail):
                return row
        for row in self._found.get((state, speaker, ANY), ()):
            if row.when.backpressure(flags, detail):
                return row
        return None

    def planned(self, state: int, speaker: int, facts: int) -> Row | None:
        """The row by which a side speaks by itself; None if it listens, or has said all."""
        for row in self._planned.get((state, speaker), ()):
            if row.plan & facts == row.plan:
                return row
        return None

    def types(self, state: int, speaker: int) -> set[int]:
        """The types that have rows of their own."""
        found: set[int] = set()
        for row in self.rows:
            if state in row.states and speaker == row.speaker:
                found.update(row.types)
        found.discard(ANY)
        return found


@final
class Dialogue:
    """One side of a dialogue."""

    def __init__(self, table: Table, role: int, state: int) -> None:
        self.table: Final = table
        self.role: Final = role
        self.state = state

    def next(self, facts: int = 0) -> Row | None:
        """What this side sends now by itself; None if it has nothing to send."""
        row = self.table.planned(self.state, self.role, facts)
        if row is not None:
            self._move(row)
        return row

    def is_listening(self, facts: int = 0) -> bool:
        """Whether it is the other side's turn."""
        return self.table.planned(self.state, self.role, facts) is None

    def say(self, type: int, flags: int = 0, detail: int = 0) -> Row:
        """This side sends a segment, or something happens on it."""
        row = self.table.find(self.state, self.role, type, flags, detail)
        if row is None or type not in row.types:
            name = EVENT_NAMES.get(type) or type_name(type)
            role = ROLE_NAMES[self.role]
            raise LocalProtocolError(f"{role}, {self.state_name}: {name} cannot be sent now")
        self._move(row)
        return row

    def came(self, type: int, flags: int = 0, detail: int = 0, number: int = 0) -> Row:
        """The other side has sent a segment, on the conversation of this number."""
        row = self.table.find(self.state, 1 - self.role, type, flags, detail)
        if row is None:
            text = f"{type_name(type)} is not expected while the dialogue is {self.state_name}"
            raise SegmentError(text, PROTOCOL_SEGMENT_TYPE)
        if row.action == REFUSE:
            raise row.refusal(type, detail, number)
        self._move(row)
        return row

    @property
    def state_name(self) -> str:
        """For a report."""
        return STATE_NAMES.get(self.state, str(self.state))

    def _move(self, row: Row) -> None:
        if row.then != SAME:
            self.state = row.then


# ---- the tables of MQI channels


def refusing(
    states: tuple[int, ...],
    speaker: int,
    text: str,
    status: int = 0,
    *,
    type: int = ANY,
    when: When = UNCONDITIONAL,
) -> Row:
    """A row that refuses."""
    return Row(states, speaker, (type,), REFUSE, SAME, when=when, text=text, status=status)


BOTH: Final = (INITIATOR, ACCEPTOR)
_BEFORE: Final = (OPENING, ANSWERING)
_THERE: Final = (STARTING, NEW, NAMED, AUTHENTICATING, IDENTIFIED, CONNECTING, CONNECTED, CUT)
_UNCONNECTED: Final = (NEW, NAMED, IDENTIFIED)
_INITIAL: Final = CONFIRM_REQUEST | FIRST_AND_LAST
LAST_WORD: Final = ERROR | CLOSE_CHANNEL
# What a connected conversation sends, each a call with a reply or part of reading ahead.
CONNECTED_TYPES: Final[tuple[int, ...]] = (
    *[type for type in CALL_NAMES if type != MQCONN],
    REQUEST_MSGS,
    NOTIFICATION,
)


def opening_rows(flags: int, agreed: int) -> tuple[Row, ...]:
    """How both sides agree on initial data, on every kind of channel."""
    return (
        Row(
            (OPENING,), INITIATOR, (INITIAL_DATA,), NEGOTIATE, ANSWERING,
            plan=ALWAYS, flags=flags,
        ),
        Row((OPENING,), INITIATOR, (STATUS_DATA,), CLOSE, CLOSED),
        refusing(_BEFORE, INITIATOR, "{type} before initial data is agreed", PROTOCOL_SEGMENT_TYPE),
        Row(
            (ANSWERING,), ACCEPTOR, (INITIAL_DATA,), REVISE, OPENING,
            when=WITH_ERROR, flags=ERROR,
        ),
        Row((ANSWERING,), ACCEPTOR, (INITIAL_DATA,), AGREE, agreed, when=WITHOUT_ERROR, flags=0),
        Row(_BEFORE, ACCEPTOR, (STATUS_DATA,), REPORT_WHY, CLOSED, flags=LAST_WORD),
        refusing(_BEFORE, ACCEPTOR, "{type} answers the initial data"),
    )  # fmt: skip


SOCKET: Final = Table(
    "socket",
    (
        *opening_rows(_INITIAL, OPEN),
        # The socket's own flows.
        *[
            Row(
                (OPEN,), side, (HEARTBEAT,), ANSWER_HEARTBEAT, SAME,
                when=WITH_CONFIRM, flags=CONFIRM_REQUEST,
            )
            for side in BOTH
        ],
        *[Row((OPEN,), side, (HEARTBEAT,), NOTHING, SAME, flags=0) for side in BOTH],
        Row(
            (OPEN,), INITIATOR, (STATUS_DATA,), CLOSE, CLOSED,
            when=WITH_CLOSE, flags=CLOSE_CHANNEL,
        ),
        Row((OPEN,), INITIATOR, (STATUS_DATA,), NOTHING, SAME),
        Row(
            (OPEN,), ACCEPTOR, (STATUS_DATA,), REPORT_WHY, CLOSED,
            when=WITH_ERROR, flags=LAST_WORD,
        ),
        Row((OPEN,), INITIATOR, (SOCKET_ACTION,), PASS_ON, SAME, flags=0),
        *[Row((OPEN,), side, (ANY,), PASS_ON, SAME) for side in BOTH],
        *[Row((CLOSED,), side, (ANY,), NOTHING, SAME) for side in BOTH],
    ),
)  # fmt: skip
SOCKET_TYPES: Final = SOCKET.types(OPEN, INITIATOR)  # which no conversation gets from a client

CONVERSATION: Final = Table(
    "conversation",
    (
        # Conversations after the first one of a socket, and the end of any.
        Row(
            (ABSENT,), INITIATOR, (SOCKET_ACTION,), START, STARTING,
            when=STARTS, plan=ALWAYS, flags=0,
        ),
        Row((ABSENT, ENDED), INITIATOR, (SOCKET_ACTION,), NOTHING, SAME, when=ENDS, flags=0),
        Row(_THERE, INITIATOR, (SOCKET_ACTION,), LEAVE, SAME, when=ENDS, flags=0),
        refusing(
            (*_THERE, ENDED), INITIATOR, "SOCKET_ACTION: conversation {number}", CONV_ID_ERROR,
            type=SOCKET_ACTION, when=STARTS,
        ),
        refusing(
            (ABSENT, *_THERE, ENDED), INITIATOR, "SOCKET_ACTION {detail}", SOCKET_ACTION_TYPE,
            type=SOCKET_ACTION,
        ),
        refusing((ABSENT,), INITIATOR, "{type}: no conversation {number}", CONV_ID_ERROR),
        # The action in the answer is not looked at: its number is not confirmed.
        Row((STARTING,), ACCEPTOR, (SOCKET_ACTION,), GO_ON, NEW, flags=0),
        refusing((STARTING,), ACCEPTOR, "{type} answers SOCKET_ACTION"),
        # Security exits, if both sides have one: they take turns, the acceptor first. A guess, as
        # on message channels.
        *[Row((NEW,), side, (SECURITY_DATA,), TO_EXIT, SAME, flags=0) for side in BOTH],
        # Who it is. Partners leave parts out or repeat them.
        Row((NEW,), INITIATOR, (USERID_DATA,), KEEP_USER, NAMED, plan=ALWAYS),
        Row((NAMED, IDENTIFIED), INITIATOR, (USERID_DATA,), KEEP_USER, SAME),
        Row(
            (NAMED,), INITIATOR, (CONAUTH_INFO,), KEEP_PASSWORD, AUTHENTICATING,
            plan=HAS_PASSWORD,
        ),
        Row((NEW, IDENTIFIED), INITIATOR, (CONAUTH_INFO,), KEEP_PASSWORD, AUTHENTICATING),
        Row((AUTHENTICATING,), ACCEPTOR, (STATUS_DATA,), GO_ON, IDENTIFIED),
        refusing((AUTHENTICATING,), ACCEPTOR, "{type} answers CONAUTH_INFO"),
        # MQCONN.
        Row((NAMED, IDENTIFIED), INITIATOR, (MQCONN,), CONNECT, CONNECTING, plan=ALWAYS),
        Row((NEW,), INITIATOR, (MQCONN,), CONNECT, CONNECTING),
        Row(_UNCONNECTED, INITIATOR, (NOTIFICATION,), NOTHING, SAME),  # it crossed MQDISC_REPLY
        refusing(
            _UNCONNECTED, INITIATOR, "{type} on a conversation that is not connected",
            PROTOCOL_SEGMENT_TYPE,
        ),
        Row((STARTING, AUTHENTICATING, CONNECTING), INITIATOR, (ANY,), WAIT, SAME),
        Row(
            (CONNECTING,), ACCEPTOR, (MQCONN + REPLY,), TAKE_OVER, CONNECTED,
            when=IF_COMPLETED,
        ),
        Row((CONNECTING,), ACCEPTOR, (MQCONN + REPLY,), REPORT_REASON, NEW, when=IF_FAILED),
        # A call that failed is the end of it, whatever call the reply names.
        Row((CONNECTING,), ACCEPTOR, (ANY,), REPORT_REASON, NEW, when=IF_FAILED),
        refusing((CONNECTING,), ACCEPTOR, "{type} answers MQCONN"),
        # Connected. Calls are not run through here one by one: they have a table of their own.
        Row((CONNECTED,), INITIATOR, CONNECTED_TYPES, SERVE, SAME),
        refusing(
            (CONNECTED,), INITIATOR, "MQCONN, and the conversation is connected",
            PROTOCOL_GENERAL, type=MQCONN,
        ),
        refusing((CONNECTED,), INITIATOR, "{type} is not expected of a client", PROTOCOL_GENERAL),
        # The ends.
        Row((CONNECTED, CUT), ACCEPTOR, (MQDISC + REPLY,), DISCONNECT, NEW, when=IF_COMPLETED),
        Row((CONNECTED,), ACCEPTOR, (STOP_CONN,), NOTHING, CUT),
        Row((CUT,), INITIATOR, (NOTIFICATION,), SERVE, SAME),
        Row((CUT,), INITIATOR, (ANY,), REFUSE_BROKEN, SAME),
        Row((CUT,), ACCEPTOR, (LEAVES,), NOTHING, CONNECTED),
        Row(_THERE, ACCEPTOR, (LEFT,), NOTHING, ENDED),
        Row((ENDED,), INITIATOR, (ANY,), NOTHING, SAME),
    ),
)  # fmt: skip
