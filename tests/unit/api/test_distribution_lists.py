"""Goal: distribution lists mean the same for threads and tasks, in process, over the local socket
and over TCP; a reconnected client has its list again; wrong arguments are refused.

Method: small programs on every binding, on a queue manager in memory.
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import PutRecord
from ternmq import constants as mq
from ternmq.api.list_arguments import destinations_of, full_records
from ternmq.codec.mqi.list_records import Destination
from tests.unit.api.faces import FACES, in_loop
from tests.unit.api.networked import in_memory

pytestmark = pytest.mark.core


async def put(opened: Any, data: bytes, **given: Any) -> ternmq.ListOutcome:
    """On a list of either API."""
    done = opened.put(data, **given)
    found: ternmq.ListOutcome = await done if hasattr(done, "__await__") else done
    return found


@pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())
@in_loop
async def test_list_then_puts_and_reasons_are_the_same(api: Any) -> None:
    async with api.memory() as qmgr:
        for name in "AB":
            await qmgr.define_queue(name)
        async with qmgr.open_list(["A", "NOPE", "B"]) as opened:
            found = await put(opened, b"x", persistent=True)
            assert (found.comp, found.reason) == (mq.MQCC_WARNING, mq.MQRC_MULTIPLE_REASONS)
            reasons = [one.reason for one in found.destinations]
            assert reasons == [0, mq.MQRC_OPEN_FAILED, 0]
            assert [one.reason for one in opened.opened.destinations][1] == 2085
        records = [PutRecord(correl_id=b"one".ljust(24))]
        found = await qmgr.put_to(["B", "NOPE"], "text", records=records)
        assert [one.reason for one in found.destinations] == [0, mq.MQRC_UNKNOWN_OBJECT_NAME]
        async with qmgr.queue("B") as queue:
            assert (await queue.get()).data == b"x"
            message = await queue.get()
            assert (message.text, message.correl_id) == ("text", b"one".ljust(24))
            assert message.msg_id == found.destinations[0].msg_id
        with pytest.raises(ternmq.MQError) as refused:
            await qmgr.put_to(["NOPE"], b"x")
        assert refused.value.result.invalid == 1


def test_list_when_a_client_reconnects_then_it_is_open_again() -> None:
    with in_memory() as served:
        with served.connect() as admin:
            for name in "AB":
                admin.define_queue(name)
        events: list[int] = []
        connection = served.connect(reconnect=True, on_event=events.append)
        spare = connection.queue("A")
        opened = connection.open_list(["A", "NOPE", "B"])
        spare.close()  # so that handles have other numbers after the reconnection
        served.cut()
        connection.queue("B").close()  # asked again after the reconnection
        found = opened.put(b"x")
        assert [one.ok for one in found.destinations] == [True, False, True]
        assert events == [mq.MQRC_RECONNECTING, mq.MQRC_RECONNECTED]
        opened.close()
        connection.disconnect()


def test_destinations_when_given_as_text_then_a_type_error() -> None:
    with pytest.raises(TypeError, match="a list of queues"):
        destinations_of("ABC")
    pairs = [Destination("A"), Destination("B", "QM2")]
    assert destinations_of(["A ", ("B", "QM2")]) == pairs


def test_records_when_some_are_empty_then_they_are_as_for_all() -> None:
    shared = PutRecord(msg_id=b"m", correl_id=b"c", feedback=7)
    fields, full = full_records(3, shared, [PutRecord(correl_id=b"own")], None)
    assert fields == mq.MQPMRF_MSG_ID | mq.MQPMRF_CORREL_ID
    assert [one.correl_id.rstrip(b"\0") for one in full] == [b"own", b"c", b"c"]
    assert {one.msg_id.rstrip(b"\0") for one in full} == {b"m"}
    assert [one.feedback for one in full] == [7, 7, 7]


def test_records_when_too_long_then_a_value_error_and_nothing_is_put() -> None:
    with ternmq.memory() as qmgr:
        qmgr.define_queue("A")
        with pytest.raises(ValueError, match="25 bytes"):
            qmgr.put_to(["A"], b"x", records=[PutRecord(msg_id=b"x" * 25)])
        found = qmgr.put_to(["A"], b"x", records=[PutRecord(msg_id=b"short")])
        assert found.destinations[0].msg_id == b"short".ljust(24, b"\0")


def test_list_when_closed_then_a_put_is_refused_and_a_close_does_nothing() -> None:
    with ternmq.memory() as qmgr:
        qmgr.define_queue("A")
        opened = qmgr.open_list(["A"])
        assert repr(opened) == "<DistributionList of 1 queues of QM1>"
        opened.close()
        opened.close()
        with pytest.raises(ternmq.MQError) as refused:
            opened.put(b"x")
        assert refused.value.reason == mq.MQRC_HOBJ_ERROR


@pytest.mark.parametrize(
    "wrong", [b"A", 5, None, ("A",), ("A", "QM1", "x"), ("A", None), {"A": ""}]
)
def test_target_when_it_is_no_name_and_no_pair_then_the_error_says_what_is_wanted(
    wrong: Any,
) -> None:
    with pytest.raises(TypeError, match="the name of a queue, or a pair"):
        destinations_of(["A", wrong])
