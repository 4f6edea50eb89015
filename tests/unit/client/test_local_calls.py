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
from ternmq.server.call_arguments import CALL_ARGUMENTS, KINDS, Argument, checked
from ternmq.server.calls import CALLS
from ternmq.wire import local as wire
from tests.unit.client.by_hand import HELLO, answers, by_hand
from tests.unit.client.served import Served


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as one:
        yield one


GARBAGE: list[Any] = [None, "x", -1, 1 << 70, 1.5, [], [1], {}, {"a": 1}, True]
KEYS = ("handle", "options", "od", "selectors", "values", "xid", "name", "attributes", "type",
        "replace", "commit", "heuristic", "purge", "text", "command",
        "first", "wait_ms")  # fmt: skip


@pytest.mark.parametrize("call", sorted(CALLS))
def test_call_when_its_arguments_are_garbage_then_refused_and_no_fault(
    served: Served, call: str
) -> None:
    """Whatever is in a frame, it is an answer, a refusal with a reason or the end of the
    connection; never a fault of the queue manager."""
    assert {one.name for one in CALL_ARGUMENTS[call]} <= {*KEYS, "as_needed", "exclusive"}
    for garbage in GARBAGE:
        peer, reader = by_hand(served)
        peer.sendall(wire.json_frame(wire.CALL, 2, {"call": call, **dict.fromkeys(KEYS, garbage)}))
        hello, told = answers(peer, reader, 2)
        assert hello.kind == wire.OK
        assert told.kind in (wire.OK, wire.ERROR, wire.ENDED)
        if told.kind == wire.ERROR:
            assert told.json()["reason"] != mq.MQRC_UNEXPECTED_ERROR, (garbage, told.json())
        peer.close()
    with served.connect() as connection:
        assert connection.queue_names()


RIGHT: dict[str, Any] = {
    "attributes": {"description": "x"},
    "command": {"action": "PING", "noun": "QMGR", "name": "", "given": {}, "wanted": [],
                "where": None, "text": ""},
    "flag": False,
    "integer": 5,
    "integers": [mq.MQIA_CURRENT_Q_DEPTH],
    "new_xid": [1, "0a", ""],
    "number": 7,
    "object": {"object_name": "SYSTEM.DEFAULT.LOCAL.QUEUE"},
    "settings": [[mq.MQIA_INHIBIT_GET, 0]],
    "text": "Q",
    "xid": [1, "0a", ""],
}  # fmt: skip


def arguments_of(call: str) -> dict[str, Any]:
    kinds = {convert: kind for kind, convert in KINDS.items()}
    return {one.name: RIGHT[kinds[one.convert]] for one in CALL_ARGUMENTS[call]}


def test_calls_then_each_has_its_arguments() -> None:
    assert set(CALL_ARGUMENTS) == set(CALLS)


@pytest.mark.parametrize(
    ("call", "argument"), [(call, one) for call in sorted(CALLS) for one in CALL_ARGUMENTS[call]]
)
def test_call_when_one_argument_is_wrong_then_it_is_named(
    served: Served, call: str, argument: Argument
) -> None:
    given = {"call": call, **arguments_of(call)}
    checked(CALL_ARGUMENTS, given)
    with pytest.raises(RemoteProtocolError, match=f"{call}: {argument.name}"):
        checked(CALL_ARGUMENTS, {**given, argument.name: 1.5})
    del given[argument.name]
    if argument.needed:
        with pytest.raises(RemoteProtocolError, match="is missing"):
            checked(CALL_ARGUMENTS, given)


@pytest.mark.parametrize("fault", [KeyError, TypeError, ValueError, OverflowError])
def test_call_when_it_fails_in_itself_then_a_fault_is_reported_and_the_connection_goes_on(
    served: Served, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    async def faulty(binding: object, given: dict[str, Any]) -> dict[str, Any]:
        raise fault("nobody has foreseen this")

    reported: list[BaseException] = []
    assert served.host is not None
    monkeypatch.setattr(served.host, "fault", lambda error, doing: reported.append(error))
    monkeypatch.setitem(CALLS, "report", faulty)
    with served.connect() as connection:
        with pytest.raises(ternmq.MQError) as raised:
            _ = connection.report
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
