"""Goal: a unit of work whose asynchronous puts failed cannot be committed, in any way to commit it.

Method: a partner in the same loop sends puts without an answer as IBM's Java client does, some of
which fail, and then ends the unit.
"""

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_PUT_INHIBITED,
    MQRC_RECS_PRESENT_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsts import Status
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT
SILENT = mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_SYNCPOINT
XA_RBROLLBACK = 100


def put1_values(partner: Partner, queue: str, options: int = SILENT) -> Values:
    values = partner.put_values(0, b"lost", options)
    del values["handle"]
    return values | {"object": ObjectDescriptor(object_name=queue)}


async def status_of(partner: Partner) -> Status:
    given = {"status_type": mq.MQSTAT_TYPE_ASYNC_ERROR, "status": Status()}
    status: Status = (await partner.call(fap.MQSTAT, given))["status"]
    return status


@pytest.mark.parametrize("share", [0, 1, 10])
@pytest.mark.parametrize("verb", ["MQPUT", "MQPUT1"])
def test_commit_when_an_asynchronous_put_failed_then_the_unit_is_backed_out(
    verb: str, share: int
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.send_flow(fap.MQPUT, partner.put_values(handle, b"good", SILENT))
        expected = MQRC_UNKNOWN_OBJECT_NAME
        if verb == "MQPUT1":
            partner.send_flow(fap.MQPUT1, put1_values(partner, "NO.SUCH.QUEUE"))
        else:
            place.mqsc("ALTER QLOCAL(A) PUT(DISABLED)")
            partner.send_flow(fap.MQPUT, partner.put_values(handle, b"lost", SILENT))
            expected = MQRC_PUT_INHIBITED
        reply = await partner.call(fap.MQCMIT, {})
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_WARNING, MQRC_BACKED_OUT)
        assert place.depth("A") == 0
        status = await status_of(partner)
        assert (status.put_success_count, status.put_failure_count) == (1, 1)
        assert (status.comp, status.reason) == (mq.MQCC_FAILED, expected)
        # The next unit is another one.
        place.mqsc("ALTER QLOCAL(A) PUT(ENABLED)")
        partner.send_flow(fap.MQPUT, partner.put_values(handle, b"good", SILENT))
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        assert place.depth("A") == 1

    run_story(story, share=share)


def test_commit_when_status_was_asked_before_then_it_fails_all_the_same() -> None:
    async def story(place: Place, partner: Partner) -> None:
        partner.send_flow(fap.MQPUT1, put1_values(partner, "NO.SUCH.QUEUE"))
        assert (await status_of(partner)).put_failure_count == 1
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == MQRC_BACKED_OUT

    run_story(story)


def test_backout_when_an_asynchronous_put_failed_then_the_next_commit_is_good() -> None:
    async def story(place: Place, partner: Partner) -> None:
        partner.send_flow(fap.MQPUT1, put1_values(partner, "NO.SUCH.QUEUE"))
        assert (await partner.call(fap.MQBACK, {}))["reason"] == 0
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0

    run_story(story)


def test_commit_when_the_failed_put_was_outside_of_the_unit_then_it_commits() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        outside = mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_NO_SYNCPOINT
        partner.send_flow(fap.MQPUT1, put1_values(partner, "NO.SUCH.QUEUE", outside))
        assert (await partner.put(handle, b"good", mq.MQPMO_SYNCPOINT))["reason"] == 0
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        assert place.depth("A") == 1
        assert (await status_of(partner)).put_failure_count == 1

    run_story(story)


def test_commit_when_messages_were_got_in_the_unit_then_they_are_back() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await partner.put(handle, b"request")
        got = await partner.get(handle, mq.MQGMO_SYNCPOINT)
        assert got["data"] == b"request"
        partner.send_flow(fap.MQPUT1, put1_values(partner, "NO.SUCH.QUEUE"))
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == MQRC_BACKED_OUT
        again = await partner.get(handle, mq.MQGMO_SYNCPOINT)
        assert (again["data"], again["descriptor"].backout_count) == (b"request", 1)

    run_story(story)


def test_disconnect_when_an_asynchronous_put_failed_then_nothing_is_committed() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.send_flow(fap.MQPUT, partner.put_values(handle, b"good", SILENT))
        partner.send_flow(fap.MQPUT1, put1_values(partner, "NO.SUCH.QUEUE"))
        reply = await partner.call(fap.MQDISC, {})
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_WARNING, MQRC_BACKED_OUT)
        assert place.depth("A") == 0

    run_story(story)


@pytest.mark.parametrize("flags", [fap.TMONEPHASE, 0], ids=["one phase", "two phases"])
def test_branch_when_an_asynchronous_put_failed_then_it_is_rolled_back(flags: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        async def xa(type: int, flags: int = 0) -> int:
            given = {"xid": branch, "flags": flags, "rmid": 1}
            return int((await partner.call(type, given))["return_value"])

        branch = {"format_id": 1, "gtrid": b"one", "bqual": b"b"}
        handle = await partner.open("A", ALL)
        assert await xa(fap.XA_START) == 0
        partner.send_flow(fap.MQPUT, partner.put_values(handle, b"good", SILENT))
        partner.send_flow(fap.MQPUT1, put1_values(partner, "NO.SUCH.QUEUE"))
        assert await xa(fap.XA_END) == 0
        ended = await xa(fap.XA_COMMIT, flags) if flags else await xa(fap.XA_PREPARE)
        assert ended == XA_RBROLLBACK
        assert place.depth("A") == 0
        # The same connection works for the next branch.
        branch["gtrid"] = b"two"
        assert await xa(fap.XA_START) == 0
        partner.send_flow(fap.MQPUT, partner.put_values(handle, b"good", SILENT))
        assert await xa(fap.XA_END) == 0
        assert await xa(fap.XA_PREPARE) == 0
        assert await xa(fap.XA_COMMIT) == 0
        assert place.depth("A") == 1

    run_story(story)


def test_asynchronous_put1_when_it_cannot_be_understood_then_it_is_not_answered() -> None:
    async def story(place: Place, partner: Partner) -> None:
        values = put1_values(partner, "A")
        pmo: PutOptions = values["options"]
        pmo.version = 2
        pmo.records_present = 1
        partner.send_flow(fap.MQPUT1, values)
        assert not partner.look()
        status = await status_of(partner)
        assert (status.put_failure_count, status.reason) == (1, MQRC_RECS_PRESENT_ERROR)
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == MQRC_BACKED_OUT

    run_story(story)


@pytest.mark.parametrize("finder", ["put outside syncpoint", "stream"])
def test_commit_when_something_else_found_the_unit_backed_out_then_it_reports(finder: str) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        assert (await partner.put(handle, b"lost", mq.MQPMO_SYNCPOINT))["reason"] == 0
        verbs = next(iter(partner.socket.line.conversations.values())).connected()
        unit = verbs.link.unit
        assert unit is not None
        with verbs.shell.lock:
            verbs.engine.kernel.keeper.back_out_victim(unit)
        if finder == "put outside syncpoint":
            options = mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_NO_SYNCPOINT
            partner.send_flow(fap.MQPUT, partner.put_values(handle, b"other", options))
        else:
            partner.request(handle, 100_000, options=mq.MQGMO_NO_SYNCPOINT, flags=fap.STREAM)
        partner.look()
        partner.came.clear()
        reply = await partner.call(fap.MQCMIT, {})
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_WARNING, MQRC_BACKED_OUT)
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0

    run_story(story)
