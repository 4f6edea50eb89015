"""Goal: programs for pymqi and ibmmq choose messages by SelectionString of the MQOD.
Method: descriptors as those programs fill them in, right and wrong ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ternmq.compat import ibmmq, pymqi
from ternmq.compat.pymqi import CMQC
from tests.unit.api.networked import CHANNEL, Networked
from tests.unit.api.served import Served

pytestmark = pytest.mark.core

LIBRARIES = [pymqi, ibmmq]
QUEUE = "DEV.QUEUE.1"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    one = Networked(tmp_path_factory.mktemp("data"))
    with one:
        with Served.connect(one) as connection:
            connection.define_queue(QUEUE)
        yield one


@pytest.fixture
def data_folder(served: Networked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERNMQ_DATA", str(served.data))


def descriptor(library: Any, text: bytes | None) -> Any:
    od = library.OD(Version=CMQC.MQOD_VERSION_4, ObjectName=QUEUE.encode())
    if text is not None:
        od.set_vs("SelectionString", text)
    return od


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("library", LIBRARIES)
def test_selection_string_then_only_what_matches_is_got(library: Any) -> None:
    qmgr = library.connect("QM1")
    plain = library.Queue(qmgr, QUEUE)
    for priority in (1, 2, 1):
        plain.put(b"%d" % priority, library.MD(Priority=priority))
    chosen = library.Queue(qmgr)
    options = CMQC.MQOO_INPUT_SHARED
    chosen.open(descriptor(library, b"JMSPriority = 1"), options)
    assert [chosen.get(), chosen.get()] == [b"1", b"1"]
    with pytest.raises(library.MQMIError) as caught:
        chosen.get()
    assert caught.value.reason == 2033
    assert library.Queue(qmgr, QUEUE).get() == b"2"
    qmgr.disconnect()


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("text", "change", "reason"),
    [
        (b"a = ", {}, 2459),
        (b"FALSE", {}, 2504),
        (b"x" * 10_241, {}, 2519),
        (None, {"SelectionStringVSLength": 5}, 2519),
        (b"a = 1", {"SelectionStringVSLength": -2}, 2519),
        (b"a = 1", {"SelectionStringVSCCSID": 99_999}, 2111),
        (b"a = 1", {"SelectionStringVSLength": 0}, 0),
        (b"a = 1", {"SelectionStringVSLength": -1}, 0),
    ],
)
def test_selection_string_when_it_is_described_wrongly_then_its_reason(
    library: Any, text: bytes | None, change: dict[str, int], reason: int
) -> None:
    qmgr = library.connect("QM1")
    od = descriptor(library, text)
    for name, value in change.items():
        od[name] = value
    queue = library.Queue(qmgr)
    if reason == 0:
        queue.open(od, CMQC.MQOO_INPUT_SHARED)
        queue.close()
    else:
        with pytest.raises(library.MQMIError) as caught:
            queue.open(od, CMQC.MQOO_INPUT_SHARED)
        assert caught.value.reason == reason
    qmgr.disconnect()


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("library", LIBRARIES)
def test_selection_string_on_a_handle_for_output_then_2516(library: Any) -> None:
    qmgr = library.connect("QM1")
    queue = library.Queue(qmgr)
    with pytest.raises(library.MQMIError) as caught:
        queue.open(descriptor(library, b"a = 1"), CMQC.MQOO_OUTPUT)
    assert caught.value.reason == 2516
    qmgr.disconnect()


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("way", ["local", "channel"])
def test_selection_by_a_property_of_a_handle_then_on_both_ways_and_through_an_alias(
    served: Networked, library: Any, way: str
) -> None:
    with Served.connect(served) as connection:
        script = f"DEFINE QALIAS(HEAVY) TARGET({QUEUE}) SELECTOR('weight > 5') REPLACE"
        assert connection.mqsc(script)[0].ok
    address = () if way == "local" else (CHANNEL, served.conn)
    qmgr = library.connect("QM1", *address)
    plain = library.Queue(qmgr, QUEUE)
    for weight in (3, 7, 9):
        handle = library.MessageHandle(qmgr, library.CMHO())
        handle.properties.set(b"weight", weight, CMQC.MQTYPE_INT32)
        pmo = library.PMO(Version=CMQC.MQPMO_VERSION_3, NewMsgHandle=handle.msg_handle)
        plain.put(b"%d" % weight, library.MD(Version=CMQC.MQMD_VERSION_2), pmo)
    chosen = library.Queue(qmgr)
    chosen.open(descriptor(library, b"weight BETWEEN 6 AND 8"), CMQC.MQOO_INPUT_SHARED)
    gmo = library.GMO(Options=CMQC.MQGMO_NO_PROPERTIES)
    assert chosen.get(None, library.MD(), gmo) == b"7"
    alias = library.Queue(qmgr, "HEAVY")
    assert alias.get(None, library.MD(), gmo) == b"9"
    for empty in (chosen, alias):
        with pytest.raises(library.MQMIError) as caught:
            empty.get(None, library.MD(), gmo)
        assert caught.value.reason == 2033
    assert library.Queue(qmgr, QUEUE).get(None, library.MD(), gmo) == b"3"
    qmgr.disconnect()
