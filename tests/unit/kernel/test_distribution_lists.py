"""Goal: one log record and one body for the destinations of a list; long lists go in bounded steps;
what a put to a list means for measurement, triggers, streaming queues and full logs.

Method: queue managers in memory, their log, and steps driven by hand.
"""

from __future__ import annotations

import asyncio

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from ternmq.codec.headers.mqdh import DistributionHeader
from ternmq.codec.mqi.list_records import Destination, PutRecord
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.host.tasks import LoopTransport
from ternmq.kernel.list_open import STEP_DESTINATIONS
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.steps import lists as steps
from ternmq.mqi.steps import objects
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.runtime.starting import start
from ternmq.values.calls import lists as calls
from ternmq.values.calls.objects import Close
from tests.mqi import mqi

pytestmark = pytest.mark.core

COUNT = 1000


def names(count: int) -> list[str]:
    return [f"L.{number}" for number in range(count)]


def define(qmgr: ternmq.QueueManager, count: int) -> list[str]:
    found = names(count)
    qmgr.mqsc("".join(f"DEFINE QLOCAL({name})\n" for name in found))
    return found


@pytest.mark.parametrize("inside", [False, True])
def test_put_of_a_persistent_message_then_one_record_has_it_for_all(inside: bool) -> None:
    with ternmq.memory() as qmgr:
        targets = define(qmgr, 100)
        with qmgr.open_list(targets) as opened:
            before = qmgr.log_status()
            if inside:
                qmgr.begin()
            assert opened.put(bytes(50_000), persistent=True).known == 100
            if inside:
                qmgr.commit()
            after = qmgr.log_status()
        assert after.records - before.records == (2 if inside else 1)
        assert after.written_bytes - before.written_bytes < 100_000
        kernel = qmgr.started.shell.engine.kernel
        bodies = set()
        for name in targets:
            with qmgr.queue(name) as queue:
                queue.storage_status()
            local = kernel.locals[name]
            bodies |= {id(entry.data) for entry in local.queue.number_index().values()}
        assert len(bodies) == 1


@pytest.mark.parametrize("persistent", [0, 1])
def test_long_list_then_open_put_and_close_go_in_bounded_steps(persistent: int) -> None:
    with ternmq.memory() as qmgr:
        qmgr.alter_qmgr(max_handles=2 * COUNT)
        targets = [Destination(name) for name in define(qmgr, COUNT)]
        link = mqi(qmgr).link
        shell = qmgr.started.shell
        kernel = shell.engine.kernel
        opening = calls.OpenList(ObjectDescriptor(), targets, mq.MQOO_OUTPUT)
        step = steps.OpenList(opening)
        attempts = 0
        with shell.lock:
            while not step.attempt(kernel, link):
                assert link.again
                attempts += 1
                assert len(link.handles) <= attempts * STEP_DESTINATIONS
        assert attempts == (COUNT - 1) // STEP_DESTINATIONS
        assert opening.found().known == COUNT
        request = mqi(qmgr).request_put(Descriptor(persistence=persistent), PutOptions())
        records = [PutRecord(msg_id=bytes((1, number % 250)).ljust(24)) for number in range(COUNT)]
        put = calls.PutList(opening.answer(), targets, request, b"x", mq.MQPMRF_MSG_ID, records)
        putting = steps.PutList(put)
        attempts = 0
        with shell.lock:
            while not putting.attempt(kernel, link):
                assert link.again
                attempts += 1
                filled = [one.name for one in kernel.catalog.queues.values() if one.depth]
                done = sum(name.startswith("L.") for name in filled)
                assert done <= attempts * STEP_DESTINATIONS
        assert attempts == (COUNT - 1) // STEP_DESTINATIONS
        assert put.found().known == COUNT
        closing = objects.Close(Close(opening.answer()))
        attempts = 1
        with shell.lock:
            while not closing.attempt(kernel, link):
                assert link.again
                attempts += 1
        assert attempts == (COUNT - 1) // STEP_DESTINATIONS + 1
        assert (len(link.handles), link.lists) == (0, 0)


def test_put_when_a_destination_has_a_streaming_queue_then_it_has_a_copy() -> None:
    with ternmq.memory() as qmgr:
        for name in ("A", "B", "COPY"):
            qmgr.define_queue(name)
        qmgr.alter_queue("B", stream_queue="COPY")
        found = qmgr.put_to(["A", "B"], b"x", persistent=True)
        with qmgr.queue("COPY") as copies:
            assert [one.msg_id for one in copies] == [found.destinations[1].msg_id]


def test_put_when_destinations_are_triggered_then_each_has_its_trigger_message() -> None:
    with ternmq.memory() as qmgr:
        qmgr.define_queue("INIT")
        qmgr.mqsc("DEFINE PROCESS(P) APPLICID(program)")
        for name in ("A", "B"):
            qmgr.define_queue(name)
            qmgr.mqsc(f"ALTER QLOCAL({name}) TRIGGER TRIGTYPE(EVERY) INITQ(INIT) PROCESS(P)")
        with qmgr.queue("INIT", options=mq.MQOO_INPUT_SHARED) as init:
            for persistent in (False, True):
                assert qmgr.put_to(["A", "B"], b"x", persistent=persistent).ok
                told = [init.get().data[8:56].rstrip() for _ in range(2)]
                assert told == [b"A", b"B"]
                assert init.try_get() is None


def test_put_when_the_log_is_too_small_then_the_reason_is_that_of_all() -> None:
    parameters = LogParameters(CIRCULAR, 2, 1, 64, False)
    started = start(MemoryDisk(), "QM1", True, parameters, "tester", "lists")
    with ternmq.QueueManager(started) as qmgr:
        for name in ("A", "B"):
            qmgr.define_queue(name)
        with pytest.raises(ternmq.MQError) as refused:
            qmgr.put_to(["A", "B"], bytes(1_000_000), persistent=True)
        assert refused.value.reason == mq.MQRC_RESOURCE_PROBLEM
        assert [one.reason for one in refused.value.result.destinations] == [2102, 2102]
        assert qmgr.put_to(["A", "B"], b"x", persistent=True).ok


def test_put_without_records_then_others_make_the_identifiers() -> None:
    """As IBM's clients put: MQDHF_NEW_MSG_IDS, and no put message records."""
    with ternmq.memory() as qmgr:
        qmgr.define_queue("QM2", usage="XMITQ", distribution_lists="YES")
        targets = [Destination("X", "QM2"), Destination("Y", "QM2")]
        for msg_id, flags in ((bytes(24), mq.MQDHF_NEW_MSG_IDS), (b"m" * 24, mq.MQDHF_NONE)):
            md = Descriptor(msg_id=msg_id, format="MQSTR")
            request = mqi(qmgr).request_put(md, PutOptions(), "MQPUT1")
            call = calls.Put1List(ObjectDescriptor(), targets, request, b"text", 0, [])
            found = qmgr.run(call).answer()
            assert found.unknown == 2
            with qmgr.queue("QM2") as way:
                data = way.get().data
            header = DistributionHeader.unpack(data, mq.MQXQH_CURRENT_LENGTH)
            assert (header.flags, header.put_records) == (flags, [])
            wanted = b"" if flags else b"m" * 24
            assert [one.msg_id for one in found.destinations] == [wanted] * 2


def test_display_when_a_list_is_open_then_its_handles_are_shown() -> None:
    with ternmq.memory() as qmgr:
        for name in ("A", "B"):
            qmgr.define_queue(name)
        with qmgr.open_list(["A", "B"]):
            answers = qmgr.mqsc("DISPLAY CONN(*) TYPE(HANDLE) ALL")
            assert all(one.ok for one in answers)
            opened = {
                item.value for one in answers for item in one.items if item.keyword == "OBJNAME"
            }
            assert {"A", "B"} <= opened
            assert qmgr.mqsc("DISPLAY QSTATUS(A) TYPE(HANDLE)")[0].ok


def test_put_when_statistics_are_on_then_each_queue_counts_its_message() -> None:
    with ternmq.memory() as qmgr:
        qmgr.mqsc("ALTER QMGR STATQ(ON) STATMQI(ON) ACCTQ(ON) ACCTMQI(ON) MONQ(HIGH)")
        for name in ("A", "B"):
            qmgr.define_queue(name)
        qmgr.define_queue("QM2", usage="XMITQ", distribution_lists="YES")
        kernel = qmgr.started.shell.engine.kernel
        with qmgr.connect() as other, other.open_list(["A", "B", ("X", "QM2")]) as opened:
            for persistent in (True, False):
                assert opened.put(b"12345", persistent=persistent).ok
            assert other.put_to(["A", "B", ("X", "QM2"), ("Y", "QM2")], b"1", persistent=True).ok
        for name in ("A", "B", "QM2"):
            figures = kernel.locals[name].figures
            assert figures is not None
            traffic = figures.traffic
            assert (traffic.persistent_puts.count, traffic.plain_puts.count) == (1, 1)
            assert traffic.persistent_put1s.count == 1
            assert figures.opens == 1


async def open_long(qmgr: ternmq.aio.QueueManager) -> None:
    await qmgr.open_list(["A", "B"] * (COUNT // 2))


def test_open_of_a_long_list_when_its_task_is_cancelled_then_nothing_stays_open() -> None:
    async def story() -> None:
        async with ternmq.aio.memory("QM1") as qmgr:
            await qmgr.alter_qmgr(max_handles=2 * COUNT)
            for name in ("A", "B"):
                await qmgr.define_queue(name)
            transport = qmgr.transport
            assert isinstance(transport, LoopTransport)
            task = asyncio.ensure_future(open_long(qmgr))
            for _ in range(100):
                if transport.link.handles:
                    break
                await asyncio.sleep(0)
            assert 0 < len(transport.link.handles) < COUNT  # between two of its steps
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (transport.link.handles, transport.link.lists) == ({}, 0)
            with pytest.raises(ternmq.MQError):
                await qmgr.put_to(["C"], b"x")
            assert (await qmgr.put_to(["A", "B"], b"x")).ok

    asyncio.run(story())
