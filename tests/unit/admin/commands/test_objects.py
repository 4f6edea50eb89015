"""Goal: objects of every type are defined, altered, replaced and deleted by IBM MQ's rules, refused
with its reasons, and found again after a restart, clean or not.

Method: the library on an engine over a memory disk that is started anew; for each type every
attribute gets another value than its default.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.admin.commands import objects
from ternmq.admin.default_objects import complete_default_objects, default_objects
from ternmq.base import attributes as schema
from ternmq.base import command_reasons as ccf
from ternmq.base import constants as mq
from ternmq.base import object_types as types
from ternmq.base import reasons as rc
from ternmq.base.attributes import Attribute, Value, attributes_of, defaults_of
from ternmq.base.errors import MQError
from ternmq.base.object_types import BY_BIT, OBJECT_TYPES, ObjectType
from ternmq.kernel.resolve import open_plain, open_queue
from ternmq.log.parameters import LINEAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.verbs import Steps

pytestmark = pytest.mark.core

NAMED = [one for one in OBJECT_TYPES if one.name_keyword and one.bit != types.QMGR]
every_type = pytest.mark.parametrize("kind", NAMED, ids=[one.noun for one in NAMED])
NEEDED: dict[int, dict[str, Any]] = {
    types.SENDER: {"CONNAME": "host(1414)", "XMITQ": "XQ"},
    types.SERVER: {"XMITQ": "XQ"},
    types.REQUESTER: {"CONNAME": "host(1414)"},
    types.CLUSSDR: {"CONNAME": "host(1414)"},
    types.CLNTCONN: {"CONNAME": "host(1414),other(1415)"},
    types.TOPIC: {"TOPICSTR": "news/sport"},
    types.SUB: {"TOPICSTR": "news/#", "DEST": "Q"},
    types.CRLLDAP: {"CONNAME": "ldap(389)"},
    types.IDPWLDAP: {"CONNAME": "ldap(389)"},
    types.OCSP: {"OCSPURL": "http://ocsp"},
}


def started(linear: bool = False) -> tuple[Machine, SimDisk]:
    disk = SimDisk()
    parameters = (
        LogParameters(LINEAR, 3, 2, 64, False) if linear else LogParameters(0, 3, 2, 64, False)
    )
    create(disk, parameters)
    return Machine(disk), disk


def define(
    machine: Machine, bit: int, name: str, replace: bool = False, like: str = "", **given: Any
) -> None:
    link = machine.link
    assert objects.define(
        machine.kernel, link, bit, name, {**NEEDED.get(bit, {}), **given}, replace, like
    )
    machine.force(int(link.durable_at))


def alter(machine: Machine, bit: int, name: str, force: bool = False, **given: Any) -> None:
    assert objects.alter(machine.kernel, machine.link, bit, name, dict(given), force)
    machine.force(int(machine.link.durable_at))


def delete(machine: Machine, bit: int, name: str, **how: bool) -> None:
    assert objects.delete(machine.kernel, machine.link, bit, name, **how)
    machine.force(int(machine.link.durable_at))


def found(machine: Machine, bit: int, name: str) -> dict[str, Value]:
    definition = machine.kernel.catalog.find(bit, name)
    assert definition is not None
    return definition.attributes


OTHER_VALUES = {
    "GRPADDR": "239.1.2.3",
    "SELECTOR": "colour = 'é'",
    "SSLCIPH": "ANY_TLS13",
    "SSLPEER": "CN=é 'text' (1)",
}


def another_value(row: Attribute) -> Value:
    """A value that is good and not the default."""
    if row.keyword in OTHER_VALUES:
        return OTHER_VALUES[row.keyword]
    if row.kind == schema.NUMBER:
        return row.highest if row.default != row.highest else row.lowest
    if row.kind == schema.HEX:
        return "0A" * (row.highest // 2)
    if row.kind == schema.NAME:
        return "SOME.NAME"
    if row.kind == schema.LIST:
        return "A,B"
    if row.kind == schema.WORDS:
        # ANY is for receiving ends alone
        return [one for one in row.words if one not in (row.default, "ANY")][-1]
    if row.kind == schema.TEXT:
        return "é 'text' (1)"[: row.highest - 1].rstrip()
    return next(number for number in row.words.values() if number != row.default)


@every_type
def test_object_when_defined_then_the_same_after_crash_and_clean_stop(kind: ObjectType) -> None:
    machine, disk = started()
    name = "Some text, not a name" if kind.bit == types.SUB else "ONE/two_3%."
    define(machine, kind.bit, name)
    wanted = dict(found(machine, kind.bit, name))
    given = schema.checked_attributes(kind.bit, NEEDED.get(kind.bit, {}))
    assert wanted == {**defaults_of(kind.bit), **given}
    for clean in (False, True, False):
        if clean:
            machine.checkpoint(full=True, clean=True)
        machine = Machine(disk.survivor() if clean else disk)
        disk = machine.disk  # type: ignore[assignment]
        assert found(machine, kind.bit, name) == wanted
    delete(machine, kind.bit, name)
    machine = Machine(disk)
    assert machine.kernel.catalog.find(kind.bit, name) is None


@every_type
def test_attributes_when_each_is_altered_then_the_same_after_restart(kind: ObjectType) -> None:
    machine, disk = started()
    define(machine, kind.bit, "X")
    changed: dict[str, Value] = {}
    for row in attributes_of(kind.bit):
        if row.shown_only or row.fixed or row.name in ("cluster_namelist", "stream_queue"):
            continue
        if kind.bit == types.TOPIC and row.name == "cluster":  # there are no clusters
            continue
        value = "http://other" if row.name == "responder" else another_value(row)
        given: dict[str, Any] = {row.keyword: value}
        alter(machine, kind.bit, "X", **given)
        changed[row.name] = value
    wanted = dict(found(machine, kind.bit, "X"))
    assert changed.items() <= wanted.items()
    machine = Machine(disk)
    assert found(machine, kind.bit, "X") == wanted
    machine.checkpoint(full=True)
    assert found(Machine(disk), kind.bit, "X") == wanted


def test_queue_manager_when_each_attribute_is_altered_then_the_same_after_restart() -> None:
    machine, disk = started()
    for row in attributes_of(types.QMGR):
        if not row.shown_only and row.name != "repository_namelist":
            given: dict[str, Any] = {row.keyword: another_value(row)}
            assert objects.alter_queue_manager(machine.kernel, machine.link, given)
            machine.force(int(machine.link.durable_at))
    wanted = dict(machine.kernel.catalog.qmgr)
    assert (
        len([name for name, value in wanted.items() if value == defaults_of(types.QMGR)[name]]) == 1
    )
    machine = Machine(disk)
    assert machine.kernel.catalog.qmgr == wanted
    machine.checkpoint(full=True)
    assert Machine(disk).kernel.catalog.qmgr == wanted


@every_type
def test_define_when_the_name_is_taken_or_wrong_then_refused(kind: ObjectType) -> None:
    machine, _ = started()
    define(machine, kind.bit, "X")
    with pytest.raises(MQError) as there:
        define(machine, kind.bit, "X")
    assert there.value.reason == rc.MQRC_OBJECT_ALREADY_EXISTS
    assert there.value.object == "X"
    wrong = ["", "N" * (kind.name_bytes_max + 1)]
    if kind.bit != types.SUB:
        wrong += ["a b", "Ä", "A*"]
    for name in wrong:
        with pytest.raises(MQError) as refused:
            define(machine, kind.bit, name)
        assert refused.value.reason in (
            ccf.MQRCCF_OBJECT_NAME_ERROR,
            ccf.MQRCCF_CHANNEL_NAME_ERROR,
            ccf.MQRCCF_SUB_NAME_ERROR,
        )
    delete(machine, kind.bit, "X")
    define(machine, kind.bit, "N" * kind.name_bytes_max)


@every_type
def test_define_when_an_attribute_is_unknown_or_bad_then_refused_and_nothing_is_there(
    kind: ObjectType,
) -> None:
    machine, _ = started()
    end_lsn = machine.kernel.coordinator.log.end_lsn
    cases: list[tuple[dict[str, Any], int]] = [({"NOSUCH": 1}, rc.MQRC_SELECTOR_ERROR)]
    cases += [({"DESCR": "x" * 65}, ccf.MQRCCF_ATTR_VALUE_ERROR)] if kind.bit != types.SUB else []
    cases += [({"ALTDATE": "2020-01-01"}, ccf.MQRCCF_ATTR_VALUE_ERROR)]
    for given, reason in cases:
        with pytest.raises(MQError) as refused:
            define(machine, kind.bit, "X", **given)
        assert refused.value.reason == reason
        assert next(iter(given)) in refused.value.detail
    assert machine.kernel.catalog.find(kind.bit, "X") is None
    assert machine.kernel.coordinator.log.end_lsn == end_lsn


@every_type
def test_unknown_object_when_altered_or_deleted_then_refused(kind: ObjectType) -> None:
    machine, _ = started()
    for attempt in (alter, delete):
        with pytest.raises(MQError) as refused:
            attempt(machine, kind.bit, "NONE")
        assert refused.value.reason == rc.MQRC_UNKNOWN_OBJECT_NAME
    delete(machine, kind.bit, "NONE", ignore_state=True)


@every_type
def test_like_and_replace_then_attributes_of_the_other_or_of_the_default(kind: ObjectType) -> None:
    machine, disk = started()
    text = "SUBUSER" if kind.bit == types.SUB else "DESCR"
    row = schema.BY_NAME[kind.bit][text]
    label: dict[str, Any] = {text: "of the first"}
    define(machine, kind.bit, "FIRST", **label)
    given: dict[str, Any] = {} if kind.bit != types.TOPIC else {"TOPICSTR": "other"}
    define(machine, kind.bit, "SECOND", like="FIRST", **given)
    assert found(machine, kind.bit, "SECOND")[row.name] == "of the first"
    label[text] = "of default"
    alter(machine, kind.bit, kind.default_object, **label)
    define(machine, kind.bit, "SECOND", replace=True, **given)
    lent = "of default" if kind.bit == types.SUB else ""  # a description is not lent
    assert found(machine, kind.bit, "SECOND")[row.name] == lent
    assert found(Machine(disk), kind.bit, "SECOND")[row.name] == lent
    with pytest.raises(MQError) as refused:
        define(machine, kind.bit, "THIRD", like="NONE")
    assert refused.value.reason == rc.MQRC_UNKNOWN_OBJECT_NAME


def test_types_of_one_space_share_names_and_others_do_not() -> None:
    machine, _ = started()
    for kind in NAMED:
        clash = machine.kernel.catalog.find(kind.bit, "SAME")
        if clash is None:
            define(machine, kind.bit, "SAME")
            continue
        for replace, reason in (
            (False, rc.MQRC_OBJECT_ALREADY_EXISTS),
            (True, ccf.MQRCCF_OBJECT_WRONG_TYPE),
        ):
            with pytest.raises(MQError) as refused:
                define(machine, kind.bit, "SAME", replace=replace)
            assert refused.value.reason == reason
        with pytest.raises(MQError) as like:
            define(machine, kind.bit, "OTHER", like="SAME")
        assert like.value.reason == ccf.MQRCCF_LIKE_OBJECT_WRONG_TYPE
        with pytest.raises(MQError) as wrong:
            alter(machine, kind.bit, "SAME")
        assert wrong.value.reason == ccf.MQRCCF_OBJECT_WRONG_TYPE
        assert BY_BIT[clash.object_type].text in wrong.value.detail
    spaces = [space for space, names in machine.kernel.catalog.others.items() if "SAME" in names]
    assert len(spaces) == len({one.space for one in NAMED}) - 1


RULES: list[tuple[int, dict[str, Any], int]] = [
    (types.LOCAL, {"QDEPTHLO": 90}, ccf.MQRCCF_PARM_CONFLICT),
    (types.LOCAL, {"STREAMQ": "X"}, ccf.MQRCCF_STREAMQ_DEST_CONFLICT),
    (types.LOCAL, {"STREAMQ": "Y", "USAGE": "XMITQ"}, ccf.MQRCCF_STREAMQ_CONFLICT),
    (types.LOCAL, {"CLUSTER": "A", "CLUSNL": "B"}, ccf.MQRCCF_CLUSTER_NAME_CONFLICT),
    (types.ALIAS, {"TARGET": "X"}, ccf.MQRCCF_ATTR_VALUE_ERROR),
    (types.SENDER, {"CONNAME": ""}, ccf.MQRCCF_MISSING_CONN_NAME),
    (types.SENDER, {"XMITQ": ""}, ccf.MQRCCF_XMIT_Q_NAME_ERROR),
    (types.SENDER, {"XMITQ": "SYSTEM.DEFAULT.ALIAS.QUEUE"}, ccf.MQRCCF_XMIT_Q_NAME_WRONG_TYPE),
    (types.SERVER, {"XMITQ": ""}, ccf.MQRCCF_XMIT_Q_NAME_ERROR),
    (types.REQUESTER, {"CONNAME": ""}, ccf.MQRCCF_MISSING_CONN_NAME),
    (types.CLNTCONN, {"CONNAME": ""}, ccf.MQRCCF_MISSING_CONN_NAME),
    (types.CLUSSDR, {"CLUSTER": "A", "CLUSNL": "B"}, ccf.MQRCCF_CLUSTER_NAME_CONFLICT),
    (types.SENDER, {"SEQWRAP": 99}, ccf.MQRCCF_ATTR_VALUE_ERROR),
    (types.RECEIVER, {"CONNAME": "host"}, rc.MQRC_SELECTOR_ERROR),
    (types.TOPIC, {"TOPICSTR": ""}, ccf.MQRCCF_PARM_MISSING),
    (types.TOPIC, {"TOPICSTR": "$SYS/MQ"}, ccf.MQRCCF_TOPICSTR_ALREADY_EXISTS),
    (types.SUB, {"TOPICSTR": ""}, ccf.MQRCCF_PARM_MISSING),
    (types.SUB, {"TOPICOBJ": "NONE"}, ccf.MQRCCF_UNKNOWN_OBJECT_NAME),
    (types.SUB, {"DEST": ""}, ccf.MQRCCF_DEST_NAME_ERROR),
    (types.NAMELIST, {"NAMES": "A,b c"}, ccf.MQRCCF_ATTR_VALUE_ERROR),
    (types.CRLLDAP, {"CONNAME": ""}, ccf.MQRCCF_MISSING_CONN_NAME),
    (types.OCSP, {"OCSPURL": ""}, ccf.MQRCCF_PARM_MISSING),
    (types.OCSP, {"OCSPURL": "ftp://x"}, ccf.MQRCCF_ATTR_VALUE_ERROR),
]


@pytest.mark.parametrize(("bit", "given", "reason"), RULES)
def test_rule_when_broken_by_define_or_alter_then_its_reason(
    bit: int, given: dict[str, Any], reason: int
) -> None:
    machine, _ = started()
    with pytest.raises(MQError) as refused:
        define(machine, bit, "X", **given)
    assert refused.value.reason == reason
    assert refused.value.object == "X"
    assert machine.kernel.catalog.find(bit, "X") is None
    define(machine, bit, "X")
    before = dict(found(machine, bit, "X"))
    if not any(schema.BY_NAME[bit][one].fixed for one in given if one in schema.BY_NAME[bit]):
        with pytest.raises(MQError) as altered:
            alter(machine, bit, "X", **given)
        assert altered.value.reason == reason
    assert found(machine, bit, "X") == before


def test_fixed_attribute_when_altered_then_refused_unless_it_stays() -> None:
    machine, _ = started()
    define(machine, types.TOPIC, "T")
    alter(machine, types.TOPIC, "T", TOPICSTR="news/sport")
    with pytest.raises(MQError) as refused:
        alter(machine, types.TOPIC, "T", TOPICSTR="other")
    assert refused.value.reason == ccf.MQRCCF_ATTR_VALUE_FIXED


def test_queue_in_use_when_deleted_or_altered_then_refused_unless_forced() -> None:
    machine, _ = started()
    define(machine, types.LOCAL, "Q")
    handle = open_queue(machine.kernel, machine.link, "Q", "", "", 2 | 16)
    assert handle is not None
    with pytest.raises(MQError) as used:
        delete(machine, types.LOCAL, "Q")
    assert used.value.reason == rc.MQRC_OBJECT_IN_USE
    assert objects.command_reason(used.value.reason, types.LOCAL) == ccf.MQRCCF_OBJECT_OPEN
    for attempt in (alter, define):
        with pytest.raises(MQError) as locked:
            attempt(
                machine,
                types.LOCAL,
                "Q",
                **{"USAGE": "XMITQ", "replace": True} if attempt is define else {"USAGE": "XMITQ"},
            )
        assert locked.value.reason == ccf.MQRCCF_OBJECT_OPEN
    alter(machine, types.LOCAL, "Q", force=True, USAGE="XMITQ")
    assert found(machine, types.LOCAL, "Q")["usage"] == 1


def test_queue_with_messages_when_deleted_then_refused_unless_purged() -> None:
    machine, disk = started()
    define(machine, types.LOCAL, "Q")
    machine.put("Q", b"message ")
    machine.close_handles()
    with pytest.raises(MQError) as refused:
        delete(machine, types.LOCAL, "Q")
    assert refused.value.reason == rc.MQRC_Q_NOT_EMPTY
    delete(machine, types.LOCAL, "Q", purge=True)
    assert Machine(disk).kernel.catalog.find(types.LOCAL, "Q") is None


def test_object_at_work_when_deleted_then_refused() -> None:
    machine, _ = started()
    define(machine, types.LISTENER, "L")
    machine.kernel.catalog.at_work["listener"] = {"L"}
    with pytest.raises(MQError) as refused:
        delete(machine, types.LISTENER, "L")
    assert refused.value.reason == ccf.MQRCCF_OBJECT_IN_USE


def test_default_objects_are_all_there_once_and_come_back_by_order_only() -> None:
    machine, disk = started(linear=True)
    catalog = machine.kernel.catalog
    names = [(bit, name) for bit, name, _ in default_objects()]
    assert len(names) == len(set(names)) > 80
    assert len(catalog.all_definitions()) == len(names)
    for kind in NAMED:
        assert (kind.bit, kind.default_object) in names
    assert found(machine, types.LOCAL, "SYSTEM.CLUSTER.TRANSMIT.QUEUE")["usage"] == 1
    assert found(machine, types.TOPIC, "SYSTEM.BASE.TOPIC")["publish"] == 2
    delete(machine, types.SERVICE, "SYSTEM.DEFAULT.SERVICE")
    machine.checkpoint(full=True)
    machine = Machine(disk)
    assert machine.kernel.catalog.find(types.SERVICE, "SYSTEM.DEFAULT.SERVICE") is None
    assert complete_default_objects(machine.kernel) == 1
    assert complete_default_objects(machine.kernel) == 0


def test_objects_that_are_open_when_deleted_or_redirected_then_refused_unless_forced() -> None:
    machine, _ = started()
    define(machine, types.LOCAL, "Q")
    define(machine, types.LOCAL, "XQ", USAGE="XMITQ")
    define(machine, types.ALIAS, "A", TARGET="Q")
    define(machine, types.REMOTE, "R", RNAME="Q", RQMNAME="QM2", XMITQ="XQ")
    define(machine, types.PROCESS, "P")
    link = machine.link
    for name, options in (
        ("A", mq.MQOO_INPUT_SHARED),
        ("R", mq.MQOO_OUTPUT),
        ("R", mq.MQOO_INQUIRE),
    ):
        assert open_queue(machine.kernel, link, name, "", "", options) is not None
    open_plain(machine.kernel, link, mq.MQOT_PROCESS, "P", mq.MQOO_INQUIRE)
    for bit, name in ((types.ALIAS, "A"), (types.REMOTE, "R"), (types.PROCESS, "P")):
        with pytest.raises(MQError) as used:
            delete(machine, bit, name)
        assert used.value.reason == rc.MQRC_OBJECT_IN_USE
    changes: list[tuple[int, str, dict[str, Any]]] = [
        (types.ALIAS, "A", {"TARGET": "XQ"}),
        (types.REMOTE, "R", {"RNAME": "OTHER"}),
        (types.REMOTE, "R", {"XMITQ": "OTHER"}),
    ]
    for bit, name, given in changes:
        with pytest.raises(MQError) as locked:
            alter(machine, bit, name, **given)
        assert locked.value.reason == ccf.MQRCCF_OBJECT_OPEN
        assert next(iter(given)) in locked.value.detail
        alter(machine, bit, name, force=True, **given)
        alter(machine, bit, name, DESCR="not locked")
    machine.close_handles()


def test_usage_when_the_queue_has_messages_that_are_not_in_memory_then_refused() -> None:
    machine, disk = started()
    define(machine, types.LOCAL, "Q")
    machine.put("Q", b"message ")
    machine.checkpoint(full=True, clean=True)
    machine = Machine(disk)
    assert "Q" not in machine.kernel.locals

    def change() -> Steps[None]:
        while not objects.alter(machine.kernel, machine.link, types.LOCAL, "Q", {"USAGE": "XMITQ"}):
            yield from machine.verbs.unpark(machine.link)

    with pytest.raises(MQError) as refused:
        machine.drive(change())
    assert refused.value.reason == ccf.MQRCCF_OBJECT_OPEN
