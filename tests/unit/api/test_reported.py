"""Goal: what an application is told is true and enough: warnings about attributes without function,
attributes of the queue manager, XA's codes, what does not fit into the log, and damage.
Method: small programs on both APIs, and on folders where the log or the disk matters.
"""

from __future__ import annotations

import pickle
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.base.attributes import ATTRIBUTES, LOCAL, QMGR, TYPE_NAMES, defaults_of
from ternmq.base.command_reasons import MQRCCF_ATTR_VALUE_ERROR
from tests.unit.api.faces import FACES, in_loop

pytestmark = pytest.mark.core
both = pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())


# ---- attributes without function


@both
@in_loop
async def test_inert_attribute_when_given_another_value_then_stored_and_warned(api: Any) -> None:
    async with api.memory() as qmgr:
        with pytest.warns(ternmq.InertAttribute) as caught:
            await qmgr.define_queue("A", default_bind="GROUP", max_depth=5, CLUSTER="C")
        assert [one.message.attribute for one in caught] == ["default_bind", "cluster"]  # type: ignore[union-attr]
        first = caught[0].message
        assert isinstance(first, ternmq.InertAttribute)
        assert (first.object, first.keyword, first.value) == ("A", "DEFBIND", "GROUP")
        assert str(first) == (
            "A: DEFBIND(GROUP), 'default_bind' in Python, is stored and shown but has no effect yet"
        )
        assert (await qmgr.attributes("A"))["default_bind"] == 2
        with pytest.warns(ternmq.InertAttribute, match=r"A: CLWLRANK\(7\)"):
            await qmgr.alter_queue("A", cluster_rank=7)
        with pytest.warns(ternmq.InertAttribute, match=r"QM1: PARENT\(A\)"):
            await qmgr.alter_qmgr(parent="A")
        with pytest.warns(ternmq.InertAttribute, match=r"M: OTELTRAC\(ON\)"):
            await qmgr.define_model("M", telemetry="ON")


@both
@in_loop
async def test_inert_attribute_when_default_or_refused_then_no_warning(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A", trigger=0, usage="NORMAL", depth_high=80, max_depth=9)
        await qmgr.alter_queue("A", trigger="NOTRIGGER")
        for attribute, reason in (
            ("trigger_depth", MQRCCF_ATTR_VALUE_ERROR),
            ("no_such", mq.MQRC_SELECTOR_ERROR),
        ):
            with pytest.raises(ternmq.MQError) as refused:
                await qmgr.define_queue("B", **{attribute: 0})
            assert refused.value.reason == reason
        with pytest.raises(ternmq.ObjectUnknown):
            await qmgr.alter_queue("NONE", trigger="TRIGGER")


@both
@in_loop
async def test_inert_attribute_when_warnings_are_errors_then_nothing_was_done(api: Any) -> None:
    async with api.memory() as qmgr:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ternmq.InertAttribute):
                await qmgr.define_queue("A", cluster="C")
        assert "A" not in await qmgr.queue_names()


def test_inert_attribute_when_warned_then_the_place_is_the_applications_line() -> None:
    with ternmq.memory() as qmgr, pytest.warns(ternmq.InertAttribute) as caught:
        qmgr.define_queue("A", cluster="C")
    assert caught[0].filename == __file__


def test_inert_attributes_when_all_are_set_then_each_is_warned_of() -> None:
    """None of the schema is marked inert and set in silence."""
    inert = [row for row in ATTRIBUTES if row.inert and row.types & (LOCAL | QMGR)]
    assert len(inert) > 10
    with ternmq.memory() as qmgr:
        qmgr.define_queue("A")
        for row in inert:
            values: list[int | str] = [*row.words.values(), row.lowest, row.highest]
            value = next(one for one in values if one != row.default)
            if row.text:
                value = list(row.words)[1] if row.words else "X"
            alter: Any = qmgr.alter_qmgr if row.types == QMGR else partial(qmgr.alter_queue, "A")
            with pytest.warns(ternmq.InertAttribute, match=row.keyword):
                alter(**{row.name: value})
            alter(**{row.name: row.default})


# ---- the queue manager's attributes


@both
@in_loop
async def test_qmgr_attributes_when_altered_then_shown(api: Any) -> None:
    async with api.memory() as qmgr:
        before = await qmgr.qmgr_attributes()
        changed = {"certificate_label": "ibmwebspheremqqm1", **getattr(api, "changed", {})}
        assert before == {**defaults_of(QMGR), **changed}
        assert TYPE_NAMES[QMGR] == "queue manager"
        await qmgr.alter_qmgr(max_handles=17, DESCR="for tests")
        shown = await qmgr.qmgr_attributes()
        assert shown == {**before, "max_handles": 17, "description": "for tests"}
        before["max_handles"] = 1  # a copy
        assert (await qmgr.qmgr_attributes())["max_handles"] == 17


# ---- two-phase commit


@both
@in_loop
async def test_prepared_unit_when_unknown_then_nota_with_its_xid(api: Any) -> None:
    xid = ternmq.XID(1, b"nobody", b"QM1")
    async with api.memory() as qmgr:
        for call in (
            qmgr.commit_prepared(xid),
            qmgr.backout_prepared(xid),
            qmgr.resolve(xid, commit=True),
            qmgr.forget(xid),
        ):
            with pytest.raises(ternmq.XAError) as refused:
                await call
            error = refused.value
            assert (error.xa, error.xa_name) == (-4, "XAER_NOTA")
            assert error.reason == mq.MQRC_UNIT_OF_WORK_NOT_STARTED
            assert repr(xid) in error.detail
            assert "XAER_NOTA" in str(error)
            assert "segment" not in str(error)


@both
@in_loop
async def test_prepared_unit_when_an_operator_was_faster_then_heuristic(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        for commit, name in ((True, "XA_HEURCOM"), (False, "XA_HEURRB")):
            xid = ternmq.XID(1, name.encode(), b"")
            await qmgr.begin()
            await qmgr.put("A", "x", descriptor=ternmq.Descriptor(persistence=1))
            async with qmgr.queue("A") as queue:
                await queue.put("y", persistent=True)
            assert await qmgr.prepare(xid)
            with pytest.raises(ternmq.XAError) as twice:
                await qmgr.prepare(xid)
            assert twice.value.xa_name == "XAER_DUPID"
            assert twice.value.reason == mq.MQRC_UOW_IN_PROGRESS
            await qmgr.resolve(xid, commit=commit)
            with pytest.raises(ternmq.XAError) as late:
                await qmgr.commit_prepared(xid)
            assert late.value.xa_name == name
            assert "by an operator" in late.value.detail
            await qmgr.forget(xid)


def test_xa_error_when_pickled_then_the_same() -> None:
    with ternmq.memory() as qmgr, pytest.raises(ternmq.XAError) as refused:
        qmgr.forget(ternmq.XID(1, b"x", b""))
    again = pickle.loads(pickle.dumps(refused.value))
    assert type(again) is ternmq.XAError
    assert (again.xa, str(again)) == (refused.value.xa, str(refused.value))


# ---- the log


def test_message_when_larger_than_the_log_then_reported_so_and_nobody_backed_out(
    tmp_path: Path,
) -> None:
    with ternmq.embedded(
        tmp_path, create=True, log_primary_files=2, log_secondary_files=1, log_file_pages=16
    ) as qmgr:
        qmgr.define_queue("A")
        with qmgr.connect() as other, other.queue("A") as theirs, qmgr.queue("A") as queue:
            other.begin()
            theirs.put("kept", persistent=True)
            with pytest.raises(ternmq.MQError) as refused:
                queue.put(bytes(1 << 20), persistent=True)
            assert refused.value.reason == mq.MQRC_RESOURCE_PROBLEM
            detail = refused.value.detail
            assert detail.startswith("1048576 bytes of data are too many")
            largest = int(detail.split("can hold ")[1].split()[0])
            assert 2 * 16 * 4096 < largest < 3 * 16 * 4096
            assert "LogPrimaryFiles" in detail
            assert "LogFilePages" in detail
            other.commit()
            assert queue.get().text == "kept"
            queue.put(bytes(1 << 20), persistent=False)  # it needs no log


def test_log_when_full_then_reported_what_is_left(tmp_path: Path) -> None:
    """A message that an empty log could hold, but not this one."""
    with ternmq.embedded(
        tmp_path, create=True, log_primary_files=2, log_secondary_files=1, log_file_pages=16
    ) as qmgr:
        kernel = qmgr.started.shell.engine.kernel
        largest = int(kernel.coordinator.largest_data_bytes(kernel.keeper.checkpoint_reserve))
        qmgr.define_queue("A")
        with qmgr.queue("A") as queue:
            with pytest.raises(ternmq.MQError) as refused:
                queue.put(bytes(largest), persistent=True)
            queue.put("goes on", persistent=True)
        assert refused.value.reason == mq.MQRC_RESOURCE_PROBLEM
        detail = refused.value.detail
        assert f"{largest} bytes of data" in detail
        left = int(detail.split("into the ")[1].split()[0])
        assert 0 < left < 3 * 16 * 4096


# ---- damage


def test_folder_when_its_log_is_damaged_then_log_damaged(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, create=True) as qmgr:
        qmgr.define_queue("A")
        qmgr.checkpoint()
    extents = sorted((tmp_path / "qmgrs" / "QM1" / "log").rglob("S*"))
    assert extents
    for extent in extents:
        extent.write_bytes(bytes(extent.stat().st_size))
    with pytest.raises(ternmq.LogDamaged) as damaged:
        ternmq.embedded(tmp_path)
    assert isinstance(damaged.value, ternmq.IntegrityError)


def test_exports_when_sorted_then_each_is_there() -> None:
    assert sorted(ternmq.__all__) == sorted(set(ternmq.__all__))
    for name in ternmq.__all__:
        assert getattr(ternmq, name) is not None
    assert issubclass(ternmq.LogDamaged, ternmq.IntegrityError)
    assert issubclass(ternmq.ForceFailed, Exception)
