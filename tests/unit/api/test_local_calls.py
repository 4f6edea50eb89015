"""Goal: a call with wrong arguments is refused as a fault of the other side; what fails in a call
itself is a fault of ours, reported, and costs that call alone.

Method: every call of the table, with arguments of every kind; frames made by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.base.errors import RemoteProtocolError
from ternmq.mqi.steps.table import STEPS, StepRow
from ternmq.values.calls.kinds import ARGUMENTS, Field
from ternmq.values.calls.table import CALLS, OWN_FORM, call_from
from ternmq.wire import local as wire
from tests.unit.api.by_hand import HELLO, answers, by_hand
from tests.unit.api.served import Served


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as one:
        yield one


GARBAGE: list[Any] = [None, "x", -1, 1 << 70, 1.5, [], [1], {}, {"a": 1}, True]
KEYS = sorted({field.name for fields in ARGUMENTS.values() for field in fields})
BY_NAME = sorted(set(CALLS) - OWN_FORM)


@pytest.mark.parametrize("call", BY_NAME)
def test_call_when_its_arguments_are_garbage_then_refused_and_no_fault(
    served: Served, call: str
) -> None:
    """Whatever is in a frame, it is an answer, a refusal with a reason or the end of the
    connection; never a fault of the queue manager."""
    for garbage in GARBAGE:
        peer, reader = by_hand(served)
        given = {"call": call, **dict.fromkeys(KEYS, garbage)}
        peer.sendall(wire.json_frame(wire.EXTENSION, 2, given))
        hello, reported = answers(peer, reader, 2)
        assert hello.kind == wire.OK
        assert reported.kind in (wire.OK, wire.ERROR, wire.ENDED)
        if reported.kind == wire.ERROR:
            assert reported.json()["reason"] != mq.MQRC_UNEXPECTED_ERROR, (garbage, reported.json())
        peer.close()
    with served.connect() as connection:
        assert connection.queue_names()


RIGHT: dict[str, Any] = {
    "commands": [{"action": "PING", "noun": "QMGR", "name": "", "given": {}, "wanted": [],
                  "where": None, "text": ""}],
    "destinations": [["A", ""], ["B", "QM2"]],
    "flag": False,
    "handle": 5,
    "handles": [5],
    "integer": 5,
    "integers": [mq.MQIA_CURRENT_Q_DEPTH],
    "new_xid": [1, "0a", ""],
    "new_xids": [[1, "0a", ""]],
    "number": 7,
    "numbers": [1 << 40],
    "object": {"object_name": "SYSTEM.DEFAULT.LOCAL.QUEUE"},
    "position": -1,
    "sd": {"options": 34, "correl_id": "0a"},
    "settings": [[mq.MQIA_INHIBIT_GET, 0]],
    "text": "Q",
    "xid": [1, "0a", ""],
}  # fmt: skip


def test_calls_then_each_has_its_arguments_and_its_step() -> None:
    assert set(ARGUMENTS) == set(CALLS)
    assert set(STEPS) == set(CALLS)


@pytest.mark.parametrize(
    ("call", "argument"), [(call, one) for call in BY_NAME for one in ARGUMENTS[call]]
)
def test_call_when_one_argument_is_wrong_then_it_is_named(call: str, argument: Field) -> None:
    given = {one.name: RIGHT[one.kind] for one in ARGUMENTS[call]}
    call_from(call, given)
    with pytest.raises(RemoteProtocolError, match=f"{call}: {argument.name}"):
        call_from(call, {**given, argument.name: 1.5})
    del given[argument.name]
    with pytest.raises(RemoteProtocolError, match="is missing"):
        call_from(call, given)


@pytest.mark.parametrize("fault", [KeyError, TypeError, ValueError, OverflowError])
def test_call_when_it_fails_in_itself_then_a_fault_is_reported_and_the_connection_goes_on(
    served: Served, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    def faulty(call: object) -> Any:
        raise fault("nobody has foreseen this")

    reported: list[BaseException] = []
    assert served.host is not None
    monkeypatch.setattr(served.host, "fault", lambda error, doing: reported.append(error))
    monkeypatch.setitem(STEPS, "report", StepRow(faulty, STEPS["report"].turn))
    with served.connect() as connection:
        with pytest.raises(ternmq.MQError) as raised:
            connection.report()
        assert raised.value.reason == mq.MQRC_UNEXPECTED_ERROR
        assert connection.queue_names()
    assert [type(one) for one in reported] == [fault]


@pytest.mark.parametrize(
    "sent",
    [{"call": "stop"}, {"call": "stop", "mode": "never"}, {"call": "stop", "mode": 1},
     {"call": "command_server", "action": None}, {"call": "report"}],
)  # fmt: skip
def test_control_when_it_cannot_be_then_the_connection_ends(
    served: Served, sent: dict[str, Any]
) -> None:
    peer, reader = by_hand(served, {**HELLO, "control": True})
    peer.sendall(wire.json_frame(wire.CALL, 2, sent))
    hello, ended = answers(peer, reader, 2)
    assert (hello.kind, ended.kind) == (wire.OK, wire.ENDED)
    peer.close()
    with served.connect() as connection:
        assert connection.queue_names()
