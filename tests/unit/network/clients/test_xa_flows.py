"""Goal: a transaction manager at a client drives two-phase commit, and XA's own codes answer it.

Method: a partner in the same loop sends XA calls by the tables of `wire`.
"""

import pytest

from ternmq.base import constants as mq
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT
OK, RDONLY = 0, 3
NOTA, INVAL, PROTO, DUPID, OUTSIDE = -4, -5, -6, -8, -9


def branch(name: str) -> Values:
    return {"format_id": 1, "gtrid": name.encode(), "bqual": b"b"}


async def xa(partner: Partner, type: int, name: str, flags: int = 0, conversation: int = 1) -> int:
    given = {"xid": branch(name), "flags": flags, "rmid": 1}
    return int((await partner.call(type, given, conversation))["return_value"])


async def work(partner: Partner, handle: int, name: str, data: bytes = b"x") -> None:
    """A branch with one message, whose work has ended."""
    assert await xa(partner, fap.XA_START, name) == OK
    assert (await partner.put(handle, data, mq.MQPMO_SYNCPOINT))["reason"] == 0
    assert await xa(partner, fap.XA_END, name) == OK


def test_branch_when_committed_in_two_phases_then_its_messages_are_there() -> None:
    async def story(place: Place, partner: Partner) -> None:
        opened = await partner.call(fap.XA_OPEN, {"info": "", "rmid": 1})
        assert opened["return_value"] == OK
        handle = await partner.open("A", ALL)
        await work(partner, handle, "one")
        assert await xa(partner, fap.XA_PREPARE, "one") == OK
        assert await xa(partner, fap.XA_COMMIT, "one") == OK
        assert (await partner.get(handle))["data"] == b"x"
        assert await xa(partner, fap.XA_COMMIT, "one") == NOTA

    run_story(story)


@pytest.mark.parametrize("prepared", [False, True])
def test_branch_when_rolled_back_then_nothing_is_there(prepared: bool) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await work(partner, handle, "one")
        if prepared:
            assert await xa(partner, fap.XA_PREPARE, "one") == OK
        assert await xa(partner, fap.XA_ROLLBACK, "one") == OK
        assert place.depth("A") == 0
        assert (await partner.get(handle))["reason"] == 2033

    run_story(story)


def test_branch_when_committed_in_one_phase_then_it_is_done() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await work(partner, handle, "one")
        assert await xa(partner, fap.XA_COMMIT, "one", fap.TMONEPHASE) == OK
        assert place.depth("A") == 1

    run_story(story)


def test_branch_when_it_changed_nothing_then_prepare_says_so() -> None:
    async def story(place: Place, partner: Partner) -> None:
        assert await xa(partner, fap.XA_START, "one") == OK
        assert await xa(partner, fap.XA_END, "one") == OK
        assert await xa(partner, fap.XA_PREPARE, "one") == RDONLY
        assert await xa(partner, fap.XA_COMMIT, "one") == NOTA

    run_story(story)


def test_branch_when_prepared_and_socket_lost_then_another_ends_it() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await work(partner, handle, "one")
        assert await xa(partner, fap.XA_PREPARE, "one") == OK
        await work(partner, handle, "two")
        await partner.lose()
        other = Partner(place.host)
        await other.open_channel()
        await other.connect()
        given = {"count": 10, "flags": fap.TMSTARTRSCAN | fap.TMENDRSCAN}
        found = await other.call(fap.XA_RECOVER, given)
        assert found["return_value"] == 1
        assert found["xids"][0]["gtrid"] == b"one"
        assert await xa(other, fap.XA_COMMIT, "one") == OK
        handle = await other.open("A", ALL)
        assert (await other.get(handle))["data"] == b"x"
        assert (await other.call(fap.XA_RECOVER, given))["return_value"] == 0
        await other.lose()

    run_story(story)


def test_scan_when_cut_then_it_goes_on_where_it_was() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        names = ["one", "two", "three"]
        for name in names:
            await work(partner, handle, name)
            assert await xa(partner, fap.XA_PREPARE, name) == OK
        found: list[bytes] = []
        flags = fap.TMSTARTRSCAN
        while True:
            part = await partner.call(fap.XA_RECOVER, {"count": 2, "flags": flags})
            found += [one["gtrid"] for one in part["xids"]]
            flags = 0
            if part["return_value"] < 2:
                break
        assert sorted(found) == sorted(name.encode() for name in names)
        for name in names:
            assert await xa(partner, fap.XA_ROLLBACK, name) == OK

    run_story(story)


def test_calls_when_out_of_order_then_codes_say_so() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        assert await xa(partner, fap.XA_END, "one") == PROTO
        assert await xa(partner, fap.XA_PREPARE, "one") == NOTA
        assert await xa(partner, fap.XA_START, "one") == OK
        assert await xa(partner, fap.XA_START, "two") == PROTO
        assert await xa(partner, fap.XA_END, "two") == NOTA
        for type in (fap.XA_PREPARE, fap.XA_COMMIT, fap.XA_ROLLBACK):
            assert await xa(partner, type, "one") == PROTO
        await partner.put(handle, b"x", mq.MQPMO_SYNCPOINT)
        assert await xa(partner, fap.XA_END, "one") == OK
        assert await xa(partner, fap.XA_START, "one") == DUPID
        assert await xa(partner, fap.XA_START, "two") == OUTSIDE
        assert await xa(partner, fap.XA_START, "one", fap.TMRESUME) == OK
        assert await xa(partner, fap.XA_END, "one") == OK
        assert await xa(partner, fap.XA_PREPARE, "one") == OK
        assert await xa(partner, fap.XA_START, "one") == DUPID
        assert await xa(partner, fap.XA_FORGET, "one") == NOTA
        assert await xa(partner, fap.XA_COMPLETE, "one") == INVAL
        assert await xa(partner, fap.XA_ROLLBACK, "one") == OK
        given = {"xid": {"format_id": -1, "gtrid": b"x", "bqual": b""}, "flags": 0, "rmid": 1}
        assert (await partner.call(fap.XA_START, given))["return_value"] == INVAL

    run_story(story)
