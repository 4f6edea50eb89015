"""Goal: the tables of the dialogue are what both roles run, for MQI channels and others.

Method: random walks of both roles against each other, in which nothing that follows the table may
be refused, and of random segments against a second reading of the rows; refusals one by one; a
table of message channels that the same machine runs; the page that shows the tables.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import LocalProtocolError, RemoteProtocolError
from ternmq.wire.fap import dialogue as rules
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.channel_dialogue import ACCEPTOR_SENDS, INITIATOR_SENDS
from ternmq.wire.fap.dialogue import ACCEPTOR, CONVERSATION, INITIATOR, SOCKET, Dialogue, Row, Table
from ternmq.wire.fap.segment import SegmentError
from tools import generate_dialogue

pytestmark = pytest.mark.core

TABLES = {
    "socket": SOCKET,
    "conversation": CONVERSATION,
    "initiator sends": INITIATOR_SENDS,
    "acceptor sends": ACCEPTOR_SENDS,
}
BEGINS = {
    "socket": [rules.OPENING],
    "conversation": [rules.ABSENT, rules.NEW],
    "initiator sends": [rules.OPENING, rules.AGREED, rules.IDLE],
    "acceptor sends": [rules.OPENING, rules.AGREED, rules.IDLE],
}
SEGMENTS = sorted(fap.TYPE_NAMES)
# The conditions once more, as the page names them.
CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "": lambda flags, detail: True,
    "with ERROR": lambda flags, detail: flags & 0x02 > 0,
    "without ERROR": lambda flags, detail: flags & 0x02 == 0,
    "with CLOSE_CHANNEL": lambda flags, detail: flags & 0x08 > 0,
    "with CONFIRM_REQUEST": lambda flags, detail: flags & 0x01 > 0,
    "with REQUEST_ACCEPTED": lambda flags, detail: flags & 0x40 > 0,
    "with REQUEST_CLOSE": lambda flags, detail: flags & 0x04 > 0,
    "with CLOSE_CHANNEL and REQUEST_ACCEPTED": lambda flags, detail: flags & 0x48 == 0x48,
    "START": lambda flags, detail: detail == 1,
    "END": lambda flags, detail: detail == 2,
    "completed": lambda flags, detail: detail == 0,
    "failed": lambda flags, detail: detail == 1,
}
Said = tuple[int, int, int]  # type, flags, detail


def states_of(table: Table) -> set[int]:
    return {state for row in table.rows for state in row.states}


def read_again(table: Table, state: int, speaker: int, said: Said) -> Row:
    """The row for a segment, found by reading the table from its top."""
    type, flags, detail = said
    for wanted in (type, rules.ANY):
        for row in table.rows:
            if state in row.states and row.speaker == speaker and wanted in row.types:
                if CONDITIONS[row.when.name](flags, detail):
                    return row
    raise AssertionError(f"{table.name}, {state}: {fap.type_name(type)} has no row")


@pytest.mark.parametrize("name", TABLES)
@given(data=st.data())
def test_random_segments_then_each_does_what_its_row_says(name: str, data: st.DataObject) -> None:
    table = TABLES[name]
    side = Dialogue(table, ACCEPTOR, data.draw(st.sampled_from(sorted(states_of(table)))))
    likely = sorted({type for row in table.rows for type in row.types} & set(SEGMENTS))
    types = st.one_of(st.sampled_from(likely), st.sampled_from(SEGMENTS))
    segments = st.tuples(types, st.integers(0, 255), st.integers(-1, 9))
    for said in data.draw(st.lists(segments, max_size=12)):
        before = side.state
        row = read_again(table, before, INITIATOR, said)
        if row.action == rules.REFUSE:
            with pytest.raises(SegmentError) as refused:
                side.came(*said, number=5)
            assert refused.value.status == row.status
            assert side.state == before
        else:
            assert side.came(*said) is row
            assert side.state == (before if row.then == rules.SAME else row.then)
        answers = allowed(side)
        is_answered: bool = data.draw(st.booleans())
        if answers and is_answered:
            answer = data.draw(st.sampled_from(answers))
            side.say(answer.type, answer.flags, max(answer.when.detail, 0))


def allowed(side: Dialogue) -> list[Row]:
    """What a side may send in its state."""
    return [
        row
        for row in side.table.rows
        if side.state in row.states
        and row.speaker == side.role
        and row.action != rules.REFUSE
        and row.type in fap.TYPE_NAMES
    ]


class Walk:
    """Both roles, and what is on its way between them."""

    def __init__(self, table: Table, state: int) -> None:
        self.sides = (Dialogue(table, INITIATOR, state), Dialogue(table, ACCEPTOR, state))
        self.wires: tuple[deque[Said], deque[Said]] = (deque(), deque())  # to each of them
        self.is_over = False  # the initiator has ended the conversation
        self.disconnects = 0  # MQDISCs that are not answered yet

    def candidates(self, role: int) -> list[tuple[Row, int]]:
        """What a side that behaves may send now."""
        found = [(row, type) for row in allowed(self.sides[role]) for type in row.types]
        # Security exits take turns, and what follows waits for them.
        found = [one for one in found if one[1] != fap.SECURITY_DATA]
        if role == INITIATOR:
            if self.is_over:
                return []
            if self.disconnects:  # one call at a time; a notification may cross its reply
                return [one for one in found if one[1] in (fap.NOTIFICATION, fap.SOCKET_ACTION)]
        elif not self.disconnects or (fap.MQDISC, 0x30, 0) in self.wires[ACCEPTOR]:
            return [one for one in found if one[1] != fap.MQDISC + fap.REPLY]
        return found

    def speak(self, role: int, row: Row, type: int) -> None:
        detail = max(row.when.detail, 0)
        assert self.sides[role].say(type, row.flags, detail) is row
        self.wires[1 - role].append((type, row.flags, detail))
        self.disconnects += (type == fap.MQDISC) - (type == fap.MQDISC + fap.REPLY)
        self.is_over = self.is_over or row.action == rules.LEAVE

    def deliver(self, role: int) -> bool:
        """One segment to a side; False if it is kept until the side has answered."""
        wire = self.wires[role]
        action = self.sides[role].came(*wire[0]).action
        if action == rules.WAIT:
            return False
        wire.popleft()
        if action == rules.LEAVE:
            self.sides[role].say(rules.LEFT)
        return True

    def settle(self) -> None:
        """Everything arrives, and what is due is answered."""
        while self.wires[ACCEPTOR] or self.wires[INITIATOR]:
            if self.wires[INITIATOR]:
                assert self.deliver(INITIATOR)
            elif not self.deliver(ACCEPTOR):
                self.speak(ACCEPTOR, *self.candidates(ACCEPTOR)[0])


@pytest.mark.parametrize("name", TABLES)
@given(data=st.data())
def test_random_walk_of_both_roles_then_nothing_is_refused_and_they_agree(
    name: str, data: st.DataObject
) -> None:
    walk = Walk(TABLES[name], data.draw(st.sampled_from(BEGINS[name])))
    for _ in range(data.draw(st.integers(0, 25))):
        role = data.draw(st.sampled_from([INITIATOR, ACCEPTOR]))
        candidates = walk.candidates(role)
        speaks: bool = data.draw(st.booleans())
        if candidates and speaks:
            walk.speak(role, *data.draw(st.sampled_from(candidates)))
        elif walk.wires[role]:
            walk.deliver(role)
    walk.settle()
    one, other = walk.sides
    if walk.is_over:
        assert other.state == rules.ENDED
    else:
        assert one.state == other.state


CLIENT, SERVER = INITIATOR, ACCEPTOR
START, END = fap.ACTION_START, fap.ACTION_END
CONN_REPLY, DISC_REPLY = fap.MQCONN + fap.REPLY, fap.MQDISC + fap.REPLY
# Who sends what, with which flags and detail; what the other side does; the state of both.
Script = list[tuple[int, int, int, int, str, int]]
SOCKET_SCRIPT: Script = [
    (CLIENT, fap.INITIAL_DATA, 0x31, 0, rules.NEGOTIATE, rules.ANSWERING),
    (SERVER, fap.INITIAL_DATA, 0x02, 0, rules.REVISE, rules.OPENING),
    (CLIENT, fap.INITIAL_DATA, 0x31, 0, rules.NEGOTIATE, rules.ANSWERING),
    (SERVER, fap.INITIAL_DATA, 0x00, 0, rules.AGREE, rules.OPEN),
    (CLIENT, fap.HEARTBEAT, 0x01, 0, rules.ANSWER_HEARTBEAT, rules.OPEN),
    (SERVER, fap.HEARTBEAT, 0x00, 0, rules.NOTHING, rules.OPEN),
    (SERVER, fap.HEARTBEAT, 0x01, 0, rules.ANSWER_HEARTBEAT, rules.OPEN),
    (CLIENT, fap.HEARTBEAT, 0x00, 0, rules.NOTHING, rules.OPEN),
    (CLIENT, fap.SOCKET_ACTION, 0x00, 0, rules.PASS_ON, rules.OPEN),
    (CLIENT, fap.STATUS_DATA, 0x30, 0, rules.NOTHING, rules.OPEN),
]
SOCKET_ENDS: list[Script] = [
    [(CLIENT, fap.STATUS_DATA, 0x08, 0, rules.CLOSE, rules.CLOSED)],
    [(SERVER, fap.STATUS_DATA, 0x0A, 0, rules.REPORT_WHY, rules.CLOSED)],
]
CONVERSATION_SCRIPT: Script = [
    (CLIENT, fap.SOCKET_ACTION, 0x00, END, rules.NOTHING, rules.ABSENT),
    (CLIENT, fap.SOCKET_ACTION, 0x00, START, rules.START, rules.STARTING),
    (SERVER, fap.SOCKET_ACTION, 0x00, fap.ACTION_STARTED, rules.GO_ON, rules.NEW),
    (CLIENT, fap.NOTIFICATION, 0x30, 0, rules.NOTHING, rules.NEW),
    (CLIENT, fap.MQCONN, 0x30, 0, rules.CONNECT, rules.CONNECTING),
    (SERVER, CONN_REPLY, 0x30, rules.FAILED, rules.REPORT_REASON, rules.NEW),
    (CLIENT, fap.USERID_DATA, 0x30, 0, rules.KEEP_USER, rules.NAMED),
    (CLIENT, fap.USERID_DATA, 0x30, 0, rules.KEEP_USER, rules.NAMED),
    (CLIENT, fap.NOTIFICATION, 0x30, 0, rules.NOTHING, rules.NAMED),
    (CLIENT, fap.CONAUTH_INFO, 0x30, 0, rules.KEEP_PASSWORD, rules.AUTHENTICATING),
    (SERVER, fap.STATUS_DATA, 0x30, 0, rules.GO_ON, rules.IDENTIFIED),
    (CLIENT, fap.CONAUTH_INFO, 0x30, 0, rules.KEEP_PASSWORD, rules.AUTHENTICATING),
    (SERVER, fap.STATUS_DATA, 0x30, 0, rules.GO_ON, rules.IDENTIFIED),
    (CLIENT, fap.USERID_DATA, 0x30, 0, rules.KEEP_USER, rules.IDENTIFIED),
    (CLIENT, fap.NOTIFICATION, 0x30, 0, rules.NOTHING, rules.IDENTIFIED),
    (CLIENT, fap.MQCONN, 0x30, 0, rules.CONNECT, rules.CONNECTING),
    (SERVER, CONN_REPLY, 0x30, rules.COMPLETED, rules.TAKE_OVER, rules.CONNECTED),
    (CLIENT, fap.MQPUT, 0x30, 0, rules.SERVE, rules.CONNECTED),
    (CLIENT, fap.NOTIFICATION, 0x30, 0, rules.SERVE, rules.CONNECTED),
    (CLIENT, fap.MQDISC, 0x30, 0, rules.SERVE, rules.CONNECTED),
    (SERVER, DISC_REPLY, 0x30, rules.COMPLETED, rules.DISCONNECT, rules.NEW),
    (CLIENT, fap.CONAUTH_INFO, 0x30, 0, rules.KEEP_PASSWORD, rules.AUTHENTICATING),
    (SERVER, fap.STATUS_DATA, 0x30, 0, rules.GO_ON, rules.IDENTIFIED),
    (CLIENT, fap.SOCKET_ACTION, 0x00, END, rules.LEAVE, rules.IDENTIFIED),
]


@pytest.mark.parametrize(
    ("table", "begin", "script"),
    [
        *[(SOCKET, rules.OPENING, [*SOCKET_SCRIPT, *end]) for end in SOCKET_ENDS],
        (SOCKET, rules.OPENING, [(CLIENT, fap.STATUS_DATA, 0x30, 0, rules.CLOSE, rules.CLOSED)]),
        (SOCKET, rules.OPENING, SOCKET_ENDS[1]),
        (SOCKET, rules.OPENING, [SOCKET_SCRIPT[0], *SOCKET_ENDS[1]]),
        (CONVERSATION, rules.ABSENT, CONVERSATION_SCRIPT),
        (CONVERSATION, rules.NAMED, CONVERSATION_SCRIPT[15:]),
    ],
)
def test_dialogue_then_each_segment_has_its_action_and_state(
    table: Table, begin: int, script: Script
) -> None:
    sides = [Dialogue(table, role, begin) for role in (INITIATOR, ACCEPTOR)]
    for speaker, type, flags, detail, action, state in script:
        assert sides[speaker].say(type, flags, detail).flags == flags
        assert sides[1 - speaker].came(type, flags, detail).action == action
        assert [side.state for side in sides] == [state, state], fap.type_name(type)


@pytest.mark.parametrize("state", sorted(states_of(CONVERSATION) - {rules.ABSENT, rules.ENDED}))
def test_conversation_when_it_ends_in_any_state_then_nothing_of_it_is_heard_any_more(
    state: int,
) -> None:
    side = Dialogue(CONVERSATION, ACCEPTOR, state)
    assert side.came(fap.SOCKET_ACTION, 0, END).action == rules.LEAVE
    assert side.state == state
    side.say(rules.LEFT)
    assert side.state == rules.ENDED
    assert side.came(fap.MQPUT).action == rules.NOTHING
    assert side.came(fap.SOCKET_ACTION, 0, END).action == rules.NOTHING


@pytest.mark.parametrize("role", [INITIATOR, ACCEPTOR])
def test_socket_when_closed_then_nothing_is_heard_and_calls_go_to_conversations_before(
    role: int,
) -> None:
    for type in SEGMENTS:
        side = Dialogue(SOCKET, role, rules.OPEN)
        if type not in (fap.HEARTBEAT, fap.STATUS_DATA):
            assert side.came(type).action == rules.PASS_ON
            assert side.state == rules.OPEN
        side.state = rules.CLOSED
        assert side.came(type, 0x0B).action == rules.NOTHING
        assert side.state == rules.CLOSED


@pytest.mark.parametrize("state", [rules.STARTING, rules.AUTHENTICATING, rules.CONNECTING])
def test_segment_when_an_answer_is_due_then_it_waits(state: int) -> None:
    side = Dialogue(CONVERSATION, ACCEPTOR, state)
    for type in (fap.USERID_DATA, fap.MQCONN, fap.MQPUT, fap.NOTIFICATION):
        assert side.came(type).action == rules.WAIT
        assert side.state == state


def test_connection_when_an_operator_stops_it_then_calls_are_refused_until_it_ends() -> None:
    side = Dialogue(CONVERSATION, ACCEPTOR, rules.CONNECTED)
    side.say(rules.STOP_CONN)
    assert side.came(fap.MQPUT).action == rules.REFUSE_BROKEN
    assert side.came(fap.MQCONN).action == rules.REFUSE_BROKEN
    assert side.came(fap.NOTIFICATION).action == rules.SERVE
    assert side.state == rules.CUT
    gone = Dialogue(CONVERSATION, ACCEPTOR, rules.CUT)
    gone.say(rules.LEAVES)
    assert gone.state == rules.CONNECTED
    side.say(DISC_REPLY)
    assert side.state == rules.NEW


def test_connect_when_another_call_says_that_it_failed_then_its_reason_is_reported() -> None:
    side = Dialogue(CONVERSATION, INITIATOR, rules.CONNECTING)
    assert side.came(DISC_REPLY, detail=rules.FAILED).action == rules.REPORT_REASON
    assert side.state == rules.NEW


@pytest.mark.parametrize("name", TABLES)
def test_every_segment_of_an_initiator_has_a_row_in_every_state(name: str) -> None:
    table = TABLES[name]
    for state in states_of(table):
        for type in SEGMENTS:
            assert table.find(state, INITIATOR, type, 0, 0) is not None, (state, type)


@pytest.mark.parametrize(
    "state",
    [
        rules.OPENING,
        rules.ANSWERING,
        rules.OPEN,
        rules.CLOSED,
        rules.STARTING,
        rules.AUTHENTICATING,
        rules.CONNECTING,
    ],
)
def test_every_segment_has_a_row_where_an_initiator_listens(state: int) -> None:
    table = SOCKET if state <= rules.CLOSED else CONVERSATION
    assert Dialogue(table, INITIATOR, state).is_listening() or state == rules.OPENING
    for type in SEGMENTS:
        assert table.find(state, ACCEPTOR, type, 0, 0) is not None, (state, type)


@pytest.mark.parametrize("name", TABLES)
def test_rows_then_what_is_sent_meets_their_condition_and_they_can_be_reached(name: str) -> None:
    table = TABLES[name]
    for row in table.rows:
        assert row.when.backpressure(row.flags, row.when.detail) or row.action == rules.REFUSE
        assert (row.text != "") == (row.action == rules.REFUSE)
        detail = 7 if row.when.detail == rules.ANY_DETAIL else row.when.detail
        found = [
            table.find(state, row.speaker, type, row.when.flags, detail) is row
            for state in row.states
            for type in row.types
        ]
        assert any(found), f"rows above hide {row.states} {row.types} {row.when.name}"


@pytest.mark.parametrize(
    ("begin", "facts", "segments"),
    [
        (rules.NEW, 0, [fap.USERID_DATA, fap.MQCONN]),
        (rules.NEW, rules.HAS_PASSWORD, [fap.USERID_DATA, fap.CONAUTH_INFO, fap.MQCONN]),
        (rules.ABSENT, 0, [fap.SOCKET_ACTION, fap.USERID_DATA, fap.MQCONN]),
    ],
)
def test_client_then_it_says_what_is_planned_in_order(
    begin: int, facts: int, segments: list[int]
) -> None:
    client = Dialogue(CONVERSATION, INITIATOR, begin)
    server = Dialogue(CONVERSATION, ACCEPTOR, begin)
    said: list[int] = []
    while (row := client.next(facts)) is not None:
        said.append(row.type)
        server.came(row.type, row.flags, max(row.when.detail, 0))
        if client.is_listening(facts):
            answer = allowed(server)[0]
            server.say(answer.type, answer.flags)
            client.came(answer.type, answer.flags)
    assert said == segments
    assert (client.state, server.state) == (rules.CONNECTED, rules.CONNECTED)


@pytest.mark.parametrize(
    ("role", "state", "said", "text", "status"),
    [
        (ACCEPTOR, rules.OPENING, (fap.MQCONN, 48, 0), "MQCONN before initial data is agreed", 10),
        (ACCEPTOR, rules.ABSENT, (fap.MQCMIT, 48, 0), "MQCMIT: no conversation 5", 30),
        (ACCEPTOR, rules.ABSENT, (fap.SOCKET_ACTION, 0, 77), "SOCKET_ACTION 77", 31),
        (ACCEPTOR, rules.CONNECTED, (fap.SOCKET_ACTION, 0, -1), "SOCKET_ACTION -1", 31),
        (ACCEPTOR, rules.NEW, (fap.SOCKET_ACTION, 0, 1), "SOCKET_ACTION: conversation 5", 30),
        (
            ACCEPTOR,
            rules.NAMED,
            (fap.MQPUT, 48, 0),
            "MQPUT on a conversation that is not connected",
            10,
        ),
        (
            ACCEPTOR,
            rules.CONNECTED,
            (fap.MQCONN, 48, 0),
            "MQCONN, and the conversation is connected",
            16,
        ),
        (
            ACCEPTOR,
            rules.CONNECTED,
            (fap.USERID_DATA, 48, 0),
            "USERID_DATA is not expected of a client",
            16,
        ),
        (INITIATOR, rules.ANSWERING, (fap.MQCONN, 48, 0), "MQCONN answers the initial data", 0),
        (
            INITIATOR,
            rules.AUTHENTICATING,
            (fap.MQCONN + fap.REPLY, 48, 0),
            "MQCONN_REPLY answers CONAUTH_INFO",
            0,
        ),
        (INITIATOR, rules.CONNECTING, (fap.STATUS_DATA, 48, 0), "STATUS_DATA answers MQCONN", 0),
        (
            INITIATOR,
            rules.STARTING,
            (fap.STATUS_DATA, 48, 0),
            "STATUS_DATA answers SOCKET_ACTION",
            0,
        ),
    ],
)
def test_refusal_then_it_has_its_text_and_code(
    role: int, state: int, said: Said, text: str, status: int
) -> None:
    side = Dialogue(SOCKET if state <= rules.CLOSED else CONVERSATION, role, state)
    with pytest.raises(RemoteProtocolError) as refused:
        side.came(*said, number=5)
    assert str(refused.value) == text
    assert getattr(refused.value, "status", 0) == status
    assert side.state == state


def test_own_side_when_no_row_allows_a_segment_then_it_is_our_fault() -> None:
    side = Dialogue(CONVERSATION, ACCEPTOR, rules.NEW)
    with pytest.raises(LocalProtocolError, match="acceptor, new: MQCONN_REPLY cannot be sent now"):
        side.say(fap.MQCONN + fap.REPLY)
    with pytest.raises(LocalProtocolError, match=r"\(STOP CONN\) cannot be sent now"):
        side.say(rules.STOP_CONN)
    assert side.state == rules.NEW


# ---- message channels: more rows, the same machine


@pytest.mark.parametrize("sender", [INITIATOR, ACCEPTOR])
def test_message_channel_then_both_sides_go_through_the_states_of_its_table(sender: int) -> None:
    receiver = 1 - sender
    table = INITIATOR_SENDS if sender == INITIATOR else ACCEPTOR_SENDS
    sides = [Dialogue(table, role, rules.AGREED) for role in (INITIATOR, ACCEPTOR)]
    for speaker, type, flags, state in (
        (receiver, fap.SECURITY_DATA, 0, rules.AGREED),
        (sender, fap.SECURITY_DATA, 0, rules.AGREED),
        (sender, fap.PING_DATA, 0x01, rules.PINGING),
        (receiver, fap.PING_DATA, 0x40, rules.AGREED),
        (sender, fap.RESYNC_DATA, 0x01, rules.RESYNCING),
        (receiver, fap.RESYNC_DATA, 0x40, rules.IDLE),
        (sender, fap.RESET_DATA, 0x01, rules.RESETTING),
        (receiver, fap.STATUS_DATA, 0x40, rules.IDLE),
        (sender, fap.MESSAGE_DATA, 0x30, rules.IN_BATCH),
        (sender, fap.STATUS_DATA, 0x01, rules.CONFIRMING),
        (sender, fap.MESSAGE_DATA, 0x30, rules.PIPELINING),
        (receiver, fap.STATUS_DATA, 0xC0, rules.IN_BATCH),
        (sender, fap.MESSAGE_DATA, 0x31, rules.CONFIRMING),
        (receiver, fap.STATUS_DATA, 0x44, rules.IDLE),
        (receiver, fap.STATUS_DATA, 0x04, rules.IDLE),
        (sender, fap.STATUS_DATA, 0x08, rules.CLOSED),
    ):
        sides[speaker].say(type, flags)
        sides[1 - speaker].came(type, flags)
        assert [side.state for side in sides] == [state, state], fap.type_name(type)


@pytest.mark.parametrize("sender", [INITIATOR, ACCEPTOR])
def test_message_channel_when_the_wrong_side_speaks_then_it_is_refused(sender: int) -> None:
    table = INITIATOR_SENDS if sender == INITIATOR else ACCEPTOR_SENDS
    for state in (rules.AGREED, rules.IDLE, rules.IN_BATCH, rules.CONFIRMING, rules.PIPELINING):
        for type in (fap.MESSAGE_DATA, fap.RESET_DATA, fap.MQPUT):
            side = Dialogue(table, sender, state)
            with pytest.raises(SegmentError, match="is not expected now") as refused:
                side.came(type, 0x30)
            assert refused.value.status == fap.PROTOCOL_SEGMENT_TYPE
            assert side.state == state


def test_page_then_it_shows_the_tables() -> None:
    page = generate_dialogue.PAGE.read_text("utf-8")
    assert generate_dialogue.page_text(page) == page
