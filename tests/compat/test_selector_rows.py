"""Goal: the rules of selectors hold for programs of pymqi and ibmmq; the numbers are those of
docs/reference/conformance-messages.md.
Method: SelectionString of the MQOD and SELECTOR of alias queues, on the machine and through a
channel, over messages whose properties were set with message handles.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.compat.pymqi import CMQC
from ternmq.values.property_types import TYPES
from tests.battery.places import Task, until
from tests.battery.test_properties_and_selectors import REFUSED, SELECTED, STOCK
from tests.compat.conftest import RFH2_MD, Program
from tests.unit.codec.test_properties import header

pytestmark = pytest.mark.core

NONE = CMQC.MQGMO_NO_PROPERTIES
FIRST = CMQC.MQGMO_BROWSE_FIRST | NONE
NEXT = CMQC.MQGMO_BROWSE_NEXT | NONE


@pytest.fixture
def stock(program: Program) -> Program:
    """The messages of the battery on queue A."""
    queue = program.queue("A")
    for text, properties in STOCK.items():
        typed = {name: (TYPES[type(value)], value) for name, value in properties.items()}
        program.put(queue, text.encode(), typed)
    queue.close()
    return program


def browsed(program: Program, queue: Any) -> list[str]:
    found: list[str] = []
    while True:
        try:
            found.append(program.plain(queue, NEXT if found else FIRST).decode())
        except program.error as error:
            if error.reason != 2033:
                raise
            return found


def chosen(program: Program, selector: str, name: str = "A") -> list[str]:
    queue = program.queue(name, selector)
    try:
        return browsed(program, queue)
    finally:
        queue.close()


def test_selector_by_properties_then_what_it_selects(stock: Program) -> None:
    """S4, S6 to S11."""
    for selector, expected in SELECTED:
        assert chosen(stock, selector) == expected.split(), selector


def test_selector_when_refused_then_its_reason(program: Program) -> None:
    """S3, S4, S16."""
    for selector, reason in (*REFUSED, ("a == 1", 2459), ("FALSE", 2504)):
        assert program.reason(program.queue, "A", selector) == reason, selector[:40]
    assert chosen(program, " OR ".join(["a = 1"] * 100)) == []


def test_selector_by_the_descriptor_then_what_it_selects(program: Program) -> None:
    """S14, S22."""
    correl_id = bytes(range(24))
    queue = program.queue("A")
    queue.put(b"report", program.md(MsgType=mq.MQMT_REPORT, CorrelId=correl_id))
    kept = program.md(Persistence=mq.MQPER_PERSISTENT, Priority=7)
    queue.put(b"kept", kept)
    queue.put(header(b"<mcd><Type>t</Type></mcd>   ") + b"typed", program.md(**RFH2_MD))
    for selector, expected in (
        ("Root.MQMD.MsgType = 4", "report"),
        (f'Root.MQMD.CorrelId = "0x{correl_id.hex()}"', "report"),
        (f"JMSCorrelationID = 'ID:{correl_id.hex()}'", "report"),
        (f"JMSMessageID = 'ID:{kept.MsgId.hex()}'", "kept"),
        ("JMSPriority > 4", "kept"),
        ("JMSDeliveryMode = 'PERSISTENT'", "kept"),
        ("JMSType = 't'", "typed"),
        ("JMSXDeliveryCount > 1", ""),
    ):
        assert chosen(program, selector) == expected.split(), selector


def test_selector_that_waits_then_a_put_that_matches_ends_it(program: Program) -> None:
    """S17."""
    queue = program.queue("A", "colour = 'green'")
    wait = {"Options": CMQC.MQGMO_WAIT | NONE, "WaitInterval": 20}
    assert program.reason(queue.get, None, program.md(), program.gmo(**wait)) == 2033
    wait["WaitInterval"] = 60_000
    task = Task(lambda: queue.get(None, program.md(), program.gmo(**wait)))
    started = program.machine.started
    until(lambda: len(started.shell.engine.kernel.waiting) > 0)
    other = Program(program.library, program.machine, ("QM1",))
    plain = other.queue("A")
    other.put(plain, b"red", {"colour": "red"})
    other.put(plain, b"green", {"colour": "green"})
    assert task.outcome() == b"green"
    other.qmgr.disconnect()


def test_selector_by_the_delivery_count_then_a_message_that_it_passed_is_found(
    program: Program,
) -> None:
    """S19."""
    queue, twice = program.queue("A"), program.queue("A", "JMSXDeliveryCount = 2")
    queue.put(b"again")
    assert program.reason(program.plain, twice) == 2033
    assert program.plain(queue, CMQC.MQGMO_SYNCPOINT) == b"again"
    program.qmgr.backout()
    assert program.plain(twice) == b"again"


def test_selector_and_match_options_then_both_must_hold(stock: Program) -> None:
    """S20: identifiers, cursor, lock."""
    queue = stock.queue("A", "new IS NOT NULL")
    md = stock.md()
    first = queue.get(None, md, stock.gmo(Options=FIRST))
    locked = stock.plain(queue, NEXT | CMQC.MQGMO_LOCK)
    assert (first, locked) == (b"pen", b"ink")
    assert stock.plain(queue, CMQC.MQGMO_MSG_UNDER_CURSOR | NONE) == b"ink"
    plain = stock.queue("A", "code LIKE 'literal%'")
    other = stock.md()
    assert plain.get(None, other, stock.gmo(Options=FIRST)) == b"nib"
    match = {"Options": NONE, "MatchOptions": CMQC.MQMO_MATCH_MSG_ID}
    asked = stock.md(MsgId=other.MsgId)
    assert stock.reason(queue.get, None, asked, stock.gmo(**match)) == 2033
    assert queue.get(None, stock.md(MsgId=md.MsgId), stock.gmo(**match)) == b"pen"


def test_selector_and_token_group_or_marks_then_both_must_hold(program: Program) -> None:
    """S20, S21."""
    group = b"g" * 24
    plain, second = program.queue("A"), program.queue("A", "n = '2'")
    for at, number in enumerate("122"):
        md = program.md(GroupId=group, MsgFlags=mq.MQMF_MSG_IN_GROUP, MsgSeqNumber=at + 1)
        program.put(plain, number.encode(), {"n": number}, md)
    browse = program.gmo(Options=FIRST)
    assert plain.get(None, program.md(), browse) == b"1"
    match = {
        "Options": NONE,
        "MatchOptions": CMQC.MQMO_MATCH_MSG_TOKEN,
        "MsgToken": browse.MsgToken,
    }
    assert program.reason(second.get, None, program.md(), program.gmo(**match)) == 2033
    marks = CMQC.MQGMO_UNMARKED_BROWSE_MSG | CMQC.MQGMO_MARK_BROWSE_HANDLE | FIRST
    assert [program.plain(second, marks) for _ in range(2)] == [b"2", b"2"]
    assert program.reason(program.plain, second, marks) == 2033
    by_group = {"Options": NONE, "MatchOptions": CMQC.MQMO_MATCH_GROUP_ID}
    md = program.md(GroupId=group)
    assert second.get(None, md, program.gmo(**by_group)) == b"2"
    other = program.md(GroupId=b"h" * 24)
    assert program.reason(second.get, None, other, program.gmo(**by_group)) == 2033
    assert program.plain(second, NONE) == b"2"
    assert browsed(program, plain) == ["1"]


def test_alias_with_a_selector_then_it_filters_and_open_handles_keep_it(stock: Program) -> None:
    """S24."""
    stock.mqsc("DEFINE QALIAS(X) TARGET(A) SELECTOR('price > 0') REPLACE")
    before = stock.queue("X")
    stock.put(before, b"not chosen", {"price": (CMQC.MQTYPE_INT32, -1)})
    assert browsed(stock, before) == ["pen", "ink"]
    assert chosen(stock, "new", "X") == ["pen"]
    stock.mqsc("ALTER QALIAS(X) SELECTOR('price < 0')")
    assert chosen(stock, "", "X") == ["nib", "not chosen"]
    assert stock.plain(before, NONE) == b"pen"
    stock.mqsc("DEFINE QALIAS(Y) TARGET(X) REPLACE")
    assert stock.reason(stock.queue, "Y") == 2001


def test_put1_with_a_selection_string_then_2516(program: Program) -> None:
    """IBM gives MQPUT1 the reason of an object that cannot be selected from."""
    od = program.library.OD(Version=CMQC.MQOD_VERSION_4, ObjectName=b"A")
    od.set_vs("SelectionString", b"a = 1")
    assert program.reason(program.qmgr.put1, od, b"x") == 2516
    assert program.reason(program.plain, program.queue("A")) == 2033


def test_callback_with_a_selection_string_then_it_is_called_for_what_matches(
    stock: Program,
) -> None:
    """S20: MQCB of ibmmq; pymqi has none."""
    if not hasattr(stock.qmgr, "ctl"):
        pytest.skip("pymqi has no MQCB")
    library = stock.library
    heard: list[bytes] = []
    done = threading.Event()

    def hear(**given: Any) -> None:
        if given["msg"]:
            heard.append(given["msg"])
            if len(heard) == 2:
                done.set()

    queue = stock.queue("A", "price > 0", CMQC.MQOO_INPUT_SHARED)
    cbd = library.CBD(CallbackFunction=hear)
    gmo = library.GMO(Options=NONE | CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT)
    gmo.WaitInterval = CMQC.MQWI_UNLIMITED
    queue.cb(operation=CMQC.MQOP_REGISTER, cbd=cbd, md=library.MD(), gmo=gmo)
    stock.qmgr.ctl(CMQC.MQOP_START, library.CTLO())
    assert done.wait(20)
    stock.qmgr.ctl(CMQC.MQOP_STOP, library.CTLO())
    assert heard == [b"pen", b"ink"]
    assert browsed(stock, stock.queue("A")) == ["nib", "jar"]
