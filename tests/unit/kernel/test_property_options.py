"""Goal: MQGMO options, PROPCTL, a handle or none and the message together say what is delivered of
its properties, cell by cell (C1, C2, C7).

Method: the table against its rules; then messages of each kind, got by each way, in both parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.codec.property import Property
from ternmq.codec.property_area import Original, pack_area, read_properties
from ternmq.codec.property_header import split
from ternmq.kernel.get import get
from ternmq.kernel.property_options import (
    APART,
    AS_SENT,
    DROPPED,
    IN_HEADER,
    as_delivered,
    delivered_length,
    way_of,
)
from ternmq.kernel.requests import GetCall
from ternmq.values.get_request import GetRequest
from tests.unit.codec.test_properties import LITTLE, SOUND, header

pytestmark = pytest.mark.core

CONTROLS = {
    "ALL": mq.MQPROP_ALL,
    "COMPAT": mq.MQPROP_COMPATIBILITY,
    "FORCE": mq.MQPROP_FORCE_MQRFH2,
    "NONE": mq.MQPROP_NONE,
    "V6COMPAT": mq.MQPROP_V6COMPAT,
}
# Without an option: PROPCTL, a handle, a property for JMS.
CELLS = {
    ("ALL", False, True): IN_HEADER,
    ("ALL", False, False): IN_HEADER,
    ("ALL", True, True): APART,
    ("ALL", True, False): APART,
    ("COMPAT", False, True): IN_HEADER,
    ("COMPAT", False, False): DROPPED,
    ("COMPAT", True, True): APART,
    ("COMPAT", True, False): APART,
    ("FORCE", False, True): IN_HEADER,
    ("FORCE", False, False): IN_HEADER,
    ("FORCE", True, True): IN_HEADER,
    ("FORCE", True, False): IN_HEADER,
    ("NONE", False, True): DROPPED,
    ("NONE", False, False): DROPPED,
    ("NONE", True, True): APART,
    ("NONE", True, False): APART,
    ("V6COMPAT", False, True): AS_SENT,
    ("V6COMPAT", False, False): AS_SENT,
    ("V6COMPAT", True, True): AS_SENT,
    ("V6COMPAT", True, False): AS_SENT,
}
OPTIONS = {
    (mq.MQGMO_NO_PROPERTIES, True): DROPPED,
    (mq.MQGMO_NO_PROPERTIES, False): DROPPED,
    (mq.MQGMO_PROPERTIES_FORCE_MQRFH2, True): IN_HEADER,
    (mq.MQGMO_PROPERTIES_FORCE_MQRFH2, False): IN_HEADER,
    (mq.MQGMO_PROPERTIES_IN_HANDLE, True): APART,
    (mq.MQGMO_PROPERTIES_IN_HANDLE, False): APART,
    (mq.MQGMO_PROPERTIES_COMPATIBILITY, True): IN_HEADER,
    (mq.MQGMO_PROPERTIES_COMPATIBILITY, False): DROPPED,
}
PAYLOAD = b"the payload"
HEADED = header(SOUND) + PAYLOAD
MD = ternmq.Descriptor(format="MQHRF2", encoding=LITTLE, ccsid=1208)
ORIGINAL = Original(header(SOUND), 0, LITTLE, 1208, b"MQHRF2  ")
A = Property("a", mq.MQTYPE_STRING, "1")
OTHER = Property("x.y", mq.MQTYPE_INT32, 5)


@pytest.mark.parametrize(("cell", "expected"), list(CELLS.items()))
def test_way_when_there_is_no_option_then_the_queue_decides(
    cell: tuple[str, bool, bool], expected: int
) -> None:
    control, apart, is_for_jms = cell
    assert way_of(0, CONTROLS[control], apart, is_for_jms) == expected
    others = mq.MQGMO_WAIT | mq.MQGMO_CONVERT | mq.MQGMO_ACCEPT_TRUNCATED_MSG
    assert way_of(others, CONTROLS[control], apart, is_for_jms) == expected


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(("cell", "expected"), list(OPTIONS.items()))
def test_way_when_there_is_an_option_then_it_wins(
    control: str, apart: bool, cell: tuple[int, bool], expected: int
) -> None:
    options, is_for_jms = cell
    assert way_of(options, CONTROLS[control], apart, is_for_jms) == expected


class World:
    """A queue for each PROPCTL, and gets as a binding makes them."""

    def __init__(self) -> None:
        self.qmgr: Any = ternmq.memory("QM1")
        for name in CONTROLS:
            assert self.qmgr.mqsc(f"DEFINE QLOCAL({name}) PROPCTL({name})")[0].ok
        self.shell = self.qmgr.started.shell
        self.kernel = self.shell.engine.kernel

    def got(self, name: str, apart: bool, options: int, length: int) -> GetCall:
        with self.qmgr.queue(name, options=mq.MQOO_INPUT_SHARED) as queue:
            handle: Any = queue._handles.base
            request = GetRequest(options)
            request.apart = apart
            request.buffer_length = length
            return get(self.kernel, handle.connection, handle, request)


@pytest.fixture
def world() -> Iterator[World]:
    world = World()
    yield world
    world.qmgr.close()


def expected_parts(way: int, area: bytes, apart: bool) -> tuple[str, list[str]]:
    """What the data begins with, and the names beside it."""
    names = [one.name for one in read_properties(area)]
    if way == DROPPED:
        return "payload", []
    if way == APART:
        return "payload", names
    if way == IN_HEADER:
        return "header", []
    has_original = len(names) != 1 or names == ["a"]
    beside = [name for name in names if name != "a"] if apart else []
    return "header" if has_original else "payload", beside


KINDS = {
    "as sent": pack_area([A], ORIGINAL),
    "set": pack_area([OTHER]),
    "both": pack_area([A, OTHER], ORIGINAL, False),
}


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_get_when_a_message_has_properties_then_both_parts_are_as_the_table_says(
    world: World, control: str, apart: bool, kind: str
) -> None:
    area = KINDS[kind]
    with world.qmgr.queue(control) as queue:
        form = queue._requests.put(
            b"", None, None, None, None, None, None, "MQSTR", None, 0, None
        ).with_properties(area)
        queue._transport.put(queue._opened(mq.MQOO_OUTPUT), form, PAYLOAD)
    way = CELLS[(control, apart, kind != "set")]
    begins, beside = expected_parts(way, area, apart)
    call = world.got(control, apart, 0, 1000)
    entry = call.entry
    assert entry is not None
    made = as_delivered(call, entry)
    assert made.length == delivered_length(call, entry) == len(made.data)
    assert [one.name for one in read_properties(made.properties)] == beside
    if begins == "payload":
        assert made.data == PAYLOAD
        return
    parts = split(made.data, made.base)
    assert parts is not None
    assert parts.data == PAYLOAD
    found = [one.name for one in read_properties(parts.area)]
    assert found == (["a"] if way == AS_SENT else [one.name for one in read_properties(area)])
    if way == AS_SENT:
        assert made.data == HEADED


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("apart", [False, True])
def test_get_when_the_buffer_is_exact_then_it_comes_and_with_one_byte_less_it_does_not(
    world: World, control: str, apart: bool
) -> None:
    with world.qmgr.queue(control) as queue:
        queue.put(HEADED, descriptor=MD)
    way = CELLS[(control, apart, True)]
    whole = len(PAYLOAD) if way in (DROPPED, APART) else len(HEADED)
    short = world.got(control, apart, 0, whole - 1)
    assert short.reason == 2080
    call = world.got(control, apart, 0, whole)
    assert (call.reason, call.entry is not None) == (0, True)


def test_get_when_the_alias_says_otherwise_then_the_alias_counts(world: World) -> None:
    assert world.qmgr.mqsc("DEFINE QALIAS(ALIAS) TARGET(FORCE) PROPCTL(NONE)")[0].ok
    with world.qmgr.queue("FORCE") as queue:
        queue.put(HEADED, descriptor=MD)
    call = world.got("ALIAS", False, 0, 1000)
    assert call.entry is not None
    assert as_delivered(call, call.entry).data == PAYLOAD
