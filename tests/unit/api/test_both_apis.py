"""Goal: the blocking and the asyncio API mean the same.

Method: one battery of small programs, each run on both, on a queue manager in memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.mqi.getting import get_request
from ternmq.values.calls import messages, objects
from ternmq.values.get_request import UNLIMITED_LENGTH
from tests.unit.api.faces import FACES, in_loop

pytestmark = [pytest.mark.core, pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())]


@in_loop
async def test_put_and_get_when_text_bytes_and_json_then_they_come_back(api: Any) -> None:
    async with api.memory("QM9") as qmgr:
        assert qmgr.name == "QM9"
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            msg_id = await queue.put("grüße", priority=7, persistent=True)
            await queue.put(b"\x00\xff", priority=5)
            await queue.put(bytearray(b"array"), priority=4)
            await queue.put({"n": [1, 2]}, priority=3)
            first = await queue.get()
            assert (first.text, first.msg_id, first.priority) == ("grüße", msg_id, 7)
            assert first.persistent
            assert first.format == "MQSTR"
            second = await queue.get()
            assert (second.data, second.format) == (b"\x00\xff", "")
            third = await queue.get()
            assert (third.data, third.format) == (b"array", "")
            fourth = await queue.get()
            assert fourth.json() == {"n": [1, 2]}
            assert not fourth.persistent


@in_loop
async def test_put_and_get_when_made_as_calls_then_as_by_their_methods(api: Any) -> None:
    """Every transport carries the calls `put` and `get`: a plain put or get makes none."""
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        options = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_OUTPUT | mq.MQOO_BROWSE
        opening = objects.Open(ObjectDescriptor(object_name="A"), options)
        handle = (await qmgr.run(opening)).handle
        transport = getattr(qmgr, "_inner", qmgr)._transport
        for sent, correl_id in (("one", b"a"), ("two", b"b")):
            md = Descriptor(correl_id=correl_id, format="MQSTR", ccsid=1208)
            form = transport.put_form(md, mq.MQPMO_NO_SYNCPOINT, "MQPUT")
            put = await qmgr.run(messages.Put(handle, form, sent.encode()))
            assert (len(put.msg_id), put.warning) == (24, 0)
        for wanted, browses, text in (
            (b"b", mq.MQGMO_BROWSE_FIRST, "two"), (b"b", 0, "two"), (b"", 0, "one"), (b"", 0, None)
        ):  # fmt: skip
            gmo = GetOptions(options=browses | mq.MQGMO_WAIT, wait_interval=1)
            request = get_request(Descriptor(correl_id=wanted), gmo, UNLIMITED_LENGTH)
            message = (await qmgr.run(messages.Get(handle, request))).message
            assert (None if message is None else message.text) == text


@in_loop
async def test_get_when_the_queue_is_empty_then_no_message_or_none(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            assert await queue.try_get() is None
            assert await queue.try_get(wait=0.001) is None
            with pytest.raises(ternmq.NoMessage) as none:
                await queue.get(wait=0.001)
            assert none.value.reason == mq.MQRC_NO_MSG_AVAILABLE


@in_loop
async def test_iterate_when_the_queue_is_empty_then_it_ends(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            for number in range(3):
                await queue.put(f"{number}")
            assert [message.text async for message in queue.browse()] == ["0", "1", "2"]
            assert [message.text async for message in queue] == ["0", "1", "2"]
            await queue.put("3")
            assert [message.text async for message in queue.consume(wait=0.001)] == ["3"]
            assert await queue.depth() == 0


@in_loop
async def test_get_when_an_identifier_is_given_then_that_message(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("first", correl_id=b"one")
            msg_id = await queue.put("second", correl_id=b"two")
            await queue.put("third", correl_id=b"two", msg_id=b"mine")
            found = [message async for message in queue.browse(correl_id=b"two")]
            assert [message.text for message in found] == ["second", "third"]
            assert (await queue.get(token=found[1].token)).text == "third"
            assert await queue.try_get(msg_id=b"mine") is None
            assert (await queue.get(msg_id=msg_id)).text == "second"
            assert (await queue.get(correl_id=b"one")).text == "first"


@in_loop
async def test_put_when_like_one_before_then_only_what_differs_differs(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A", max_depth=1000)
        async with qmgr.queue("A") as queue:
            ways: list[dict[str, Any]] = [
                {"persistent": lasting, "priority": level, "expiry": expiry, **more}
                for lasting in (None, False, True)
                for level in (None, 0, 9)
                for expiry in (None, 50.0)
                for more in (
                    {},
                    {"msg_id": b"m" * 24},
                    {"correl_id": b"c"},
                    {"format": "MINE"},
                    {"reply_to": "B", "format": "MINE", "msg_id": b"r", "correl_id": b"s" * 24},
                )
            ]
            for data in (b"bytes", "text"):
                for way in (*ways, *ways):
                    given = await queue.put(data, **way)
                    found = (await queue.get(msg_id=given)).descriptor
                    assert found.msg_id == given
                    if "msg_id" in way:
                        assert found.msg_id == way["msg_id"].ljust(24, b"\0")
                    assert found.correl_id == way.get("correl_id", b"").ljust(24, b"\0")
                    assert found.persistence == int(bool(way["persistent"]))
                    assert found.priority == (way["priority"] or 0)
                    assert (found.expiry == -1) == (way["expiry"] is None)
                    own = "" if isinstance(data, bytes) else "MQSTR"
                    assert found.format.strip() == way.get("format", own)
                    assert found.reply_to_queue.strip() == way.get("reply_to", "")
                    is_request = found.msg_type == mq.MQMT_REQUEST
                    assert is_request == ("reply_to" in way)
            for wrong in ({"msg_id": b"x" * 25}, {"correl_id": b"x" * 25}):
                for verb in (queue.get, lambda **ids: queue.put(b"", **ids)):
                    with pytest.raises(ternmq.MQError) as error:
                        await verb(**wrong)
                    assert error.value.reason == mq.MQRC_MD_ERROR


@in_loop
async def test_get_when_the_buffer_is_short_then_truncated(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("0123456789")
            with pytest.raises(ternmq.Truncated) as cut:
                await queue.get(max_length=4)
            assert cut.value.reason == mq.MQRC_TRUNCATED_MSG_FAILED
            assert await queue.depth() == 1
            message = await queue.get(max_length=4, options=mq.MQGMO_ACCEPT_TRUNCATED_MSG)
            assert (message.data, message.length, message.truncated) == (b"0123", 10, True)
            assert await queue.depth() == 0


@in_loop
async def test_unit_when_it_ends_well_then_all_of_it_happened(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue, qmgr.connect() as other, other.queue("A") as seen:
            await queue.put("old", persistent=True)
            async with qmgr.unit_of_work():
                assert qmgr.in_unit
                await queue.put("new", persistent=True)
                assert (await queue.get()).text == "old"
                assert await seen.try_get() is None
                assert await seen.depth() == 1
            assert not qmgr.in_unit
            assert (await seen.get()).text == "new"


@in_loop
async def test_unit_when_it_has_put_a_message_itself_then_it_gets_and_browses_it(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            async with qmgr.unit_of_work():
                for text in ("one", "two"):
                    await queue.put(text, persistent=True)
                assert [message.text async for message in queue.browse()] == ["one", "two"]
                assert (await queue.get(wait=-1)).text == "one"
                assert await queue.try_get(syncpoint=False) is None
            assert (await queue.get()).text == "two"
            assert await queue.try_get() is None


@in_loop
async def test_unit_when_the_block_raises_then_nothing_of_it_happened(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("old", persistent=True)
            with pytest.raises(ZeroDivisionError):  # noqa: PT012
                async with qmgr.unit_of_work():
                    await queue.get()
                    await queue.put("new", persistent=True)
                    raise ZeroDivisionError
            message = await queue.get()
            assert (message.text, message.backout_count) == ("old", 1)
            assert await queue.try_get() is None


@in_loop
async def test_unit_when_it_is_ended_inside_the_block_then_the_rest_is_outside(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            async with qmgr.unit_of_work():
                await queue.put("one")
                await qmgr.commit()
                await queue.put("two")
            async with qmgr.unit_of_work():
                await queue.put("three")
                await qmgr.backout()
            await qmgr.begin()
            await queue.put("four", syncpoint=False)
            await queue.put("five")
            await qmgr.backout()
            assert [message.text async for message in queue] == ["one", "two", "four"]


@in_loop
async def test_begin_when_the_unit_has_changes_then_refused(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await qmgr.begin()
            await queue.put("one")
            with pytest.raises(ternmq.MQError) as refused:
                await qmgr.begin()
            assert refused.value.reason == mq.MQRC_UOW_IN_PROGRESS
            await qmgr.commit()


@in_loop
async def test_connection_when_it_is_closed_then_it_commits_and_the_others_go_on(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        connection = await qmgr.connect()
        await connection.begin()
        await connection.put("A", "kept")
        await connection.close()
        assert not connection.connected
        async with qmgr.queue("A") as queue:
            assert (await queue.get()).text == "kept"


@in_loop
async def test_connection_when_its_block_raises_then_its_unit_is_backed_out(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        with pytest.raises(ZeroDivisionError):  # noqa: PT012
            async with qmgr.connect() as connection:
                await connection.begin()
                await connection.put("A", "lost")
                raise ZeroDivisionError
        async with qmgr.connect() as connection:
            await connection.begin()
            await connection.put("A", "kept")
        assert not connection.connected
        async with qmgr.queue("A") as queue:
            assert [message.text async for message in queue] == ["kept"]


@in_loop
async def test_verbs_when_the_queue_is_closed_then_handle_error(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        queue = await qmgr.queue("A")
        await queue.put("one")
        await queue.close()
        await queue.close()
        for verb in (queue.get, queue.depth, lambda: queue.put("x"), lambda: queue.set({})):
            with pytest.raises(ternmq.BadHandle) as refused:
                await verb()
            assert refused.value.reason == mq.MQRC_HOBJ_ERROR


@in_loop
async def test_verbs_when_disconnected_then_connection_error(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        connection = await qmgr.connect()
        queue = await connection.queue("A")
        await connection.disconnect()
        await connection.disconnect()
        for verb in (connection.begin, connection.commit, lambda: queue.put("x")):
            with pytest.raises(ternmq.MQError) as refused:
                await verb()
            assert refused.value.reason == mq.MQRC_HCONN_ERROR
        await connection.backout()
        await queue.close()


@in_loop
async def test_definitions_when_altered_and_deleted_then_they_are(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A", max_depth=1)
        await qmgr.define_alias("B", "A")
        assert {"A", "B"} <= set(await qmgr.queue_names())
        with pytest.raises(ternmq.MQError) as there:
            await qmgr.define_queue("A")
        assert there.value.reason == mq.MQRC_OBJECT_ALREADY_EXISTS
        await qmgr.put("B", "one")
        with pytest.raises(ternmq.Full) as full:
            await qmgr.put("A", "two")
        assert full.value.reason == mq.MQRC_Q_FULL
        await qmgr.alter_queue("A", max_depth=2)
        assert (await qmgr.attributes("A"))["max_depth"] == 2
        await qmgr.alter_qmgr(description="both")
        await qmgr.put("A", "two")
        with pytest.raises(ternmq.ObjectInUse):
            await qmgr.delete_queue("A")
        await qmgr.clear_queue("A")
        await qmgr.delete_queue("A")
        with pytest.raises(ternmq.ObjectUnknown) as unknown:
            await qmgr.queue("A")
        assert unknown.value.reason == mq.MQRC_UNKNOWN_OBJECT_NAME


@in_loop
async def test_model_when_opened_then_a_dynamic_queue_that_goes_with_it(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_model("MODEL", definition_type="PERMDYN")
        async with qmgr.queue("MODEL", dynamic_name="MINE.*") as queue:
            assert queue.name.startswith("MINE.")
            await queue.put("one")
            await queue.close(purge=True)
            assert queue.name not in await qmgr.queue_names()


@in_loop
async def test_exclusive_when_open_then_others_cannot_get(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A", exclusive=True) as mine, qmgr.connect() as other:
            async with other.queue("A") as theirs:
                await theirs.put("one")
                with pytest.raises(ternmq.ObjectInUse):
                    await theirs.get()
            assert (await mine.get()).text == "one"


@in_loop
async def test_inquire_and_set_when_inhibited_then_puts_are_refused(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A", description="a queue")
        async with qmgr.queue("A") as queue:
            found = await queue.inquire(mq.MQCA_Q_DESC, mq.MQIA_INHIBIT_PUT)
            assert [str(found[0]).rstrip(), found[1]] == ["a queue", mq.MQQA_PUT_ALLOWED]
            await queue.set({mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_INHIBITED})
            with pytest.raises(ternmq.Inhibited) as refused:
                await queue.put("x")
            assert refused.value.reason == mq.MQRC_PUT_INHIBITED


@in_loop
async def test_put_when_it_sets_context_then_its_own_handle(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("plain")
            reported = ternmq.Descriptor(user_id="somebody")
            options = mq.MQPMO_SET_IDENTITY_CONTEXT
            await queue.put("told", descriptor=reported, options=options)
            await queue.put("again", descriptor=reported, options=options)
            assert (await queue.get()).descriptor.user_id.strip() != "somebody"
            assert (await queue.get()).descriptor.user_id.strip() == "somebody"


@in_loop
async def test_browse_when_broken_off_then_it_starts_again(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.alter_qmgr(max_handles=8)
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("one")
            await queue.put("two")
            for _ in range(20):
                async for message in queue.browse():
                    assert message.text == "one"
                    break
            assert [message.text async for message in queue.browse()] == ["one", "two"]


@in_loop
async def test_options_when_wrong_then_options_error(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            both = mq.MQGMO_SYNCPOINT | mq.MQGMO_NO_SYNCPOINT
            with pytest.raises(ternmq.BadOptions) as refused:
                await queue.get(options=both)
            assert refused.value.reason == mq.MQRC_OPTIONS_ERROR
            with pytest.raises(ternmq.BadOptions):
                await queue.put("x", priority=-2)
            with pytest.raises(ternmq.MQError) as unlocked:
                await queue.get(options=mq.MQGMO_UNLOCK)
            assert unlocked.value.reason == mq.MQRC_NO_MSG_LOCKED


@in_loop
async def test_prepared_unit_when_resolved_then_forgotten(api: Any, tmp_path: Path) -> None:
    xid = ternmq.XID(1, b"global", b"branch")
    other = ternmq.XID(1, b"global", b"other")
    async with api.embedded(tmp_path, "QM1", create=True) as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            for one in (xid, other):
                await qmgr.begin()
                await queue.put("prepared", persistent=True)
                assert await qmgr.prepare(one)
                assert not qmgr.in_unit
            assert not await qmgr.prepare(ternmq.XID(1, b"nothing", b""))
    async with api.embedded(tmp_path, "QM1") as qmgr:
        assert set(await qmgr.in_doubt()) == {xid, other}
        await qmgr.commit_prepared(xid)
        await qmgr.resolve(other, commit=False)
        assert await qmgr.in_doubt() == [other]
        await qmgr.forget(other)
        assert await qmgr.in_doubt() == []
        async with qmgr.queue("A") as queue:
            assert [message.text async for message in queue] == ["prepared"]


@in_loop
async def test_restart_when_committed_then_it_is_there(api: Any, tmp_path: Path) -> None:
    with pytest.raises(ternmq.MQError) as none:
        await api.embedded(tmp_path, "QM1")
    assert none.value.reason == mq.MQRC_Q_MGR_NAME_ERROR
    async with api.embedded(tmp_path, "QM1", create=True) as qmgr:
        await qmgr.define_queue("A")
        await qmgr.put("A", "default")
        async with qmgr.queue("A") as queue:
            await queue.put("lasting", persistent=True)
            with pytest.raises(ternmq.MQError) as busy:
                await api.embedded(tmp_path, "QM1")
            assert busy.value.reason == mq.MQRC_Q_MGR_NOT_AVAILABLE
            await qmgr.checkpoint()
    async with api.embedded(tmp_path, "QM1") as qmgr:
        assert any("QM1" in line for line in await qmgr.report())
        async with qmgr.queue("A") as queue:
            assert [message.text async for message in queue] == ["lasting"]


@in_loop
async def test_unit_of_work_inside_another_then_refused_and_the_outer_one_is_whole(
    api: Any,
) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            async with qmgr.unit_of_work():
                with pytest.raises(ternmq.MQError) as refused:  # before the first change, too
                    await qmgr.begin()
                assert refused.value.reason == mq.MQRC_UOW_IN_PROGRESS
                await queue.put(b"outer")
                await qmgr.backout()
            assert await queue.try_get() is None


@in_loop
async def test_put_when_it_has_a_delay_then_the_message_comes_when_that_is_over(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put(b"warm")  # from here on plain puts take the short way
            await queue.get()
            second = await queue.put(b"second", delay=0.3)
            first = await qmgr.put("A", b"first", delay=0.1)
            await queue.put(b"at once", delay=0)
            assert (await queue.get()).data == b"at once"
            assert await queue.try_get() is None
            found = [(await queue.get(wait=20)).msg_id for _ in range(2)]
            assert found == [first, second]
            with pytest.raises(ternmq.MQError):
                await queue.put(b"x", delay=-1)


@in_loop
async def test_queue_with_a_queue_manager_then_messages_are_for_that_one(api: Any) -> None:
    async with api.memory("QMA") as qmgr:
        await qmgr.define_queue("QMB", usage="XMITQ")
        await qmgr.define_queue("HERE")
        async with qmgr.queue("QA", qmgr="QMB") as queue:
            assert (queue.name, queue.resolved_name, queue.resolved_qmgr) == ("QA", "QA", "QMB")
            await queue.put(b"away")
        async with qmgr.queue("HERE", qmgr="QMA") as queue:
            await queue.put(b"here")
            assert (await queue.get()).data == b"here"
        async with qmgr.queue("QMB") as outgoing:
            data = (await outgoing.get()).data
        assert (data[8:56].rstrip(), data[56:104].rstrip()) == (b"QA", b"QMB")
        with pytest.raises(ternmq.MQError) as refused:
            async with qmgr.queue("QA", qmgr="QMZ"):
                pass
        assert refused.value.reason == mq.MQRC_UNKNOWN_REMOTE_Q_MGR
