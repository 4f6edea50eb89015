"""Goal: who may do what: users, groups, administrators, profiles, and what is remembered.

Method: a directory of a few users, records put one by one, and the sets that come of them.
"""

import pytest

from ternmq.base import constants as mq
from ternmq.ports.users import GroupTable
from ternmq.security import authorities as auth
from ternmq.security.authorities import CLASS_PROFILE, KIND_BY_MQOT, SELF_PROFILE, applicable
from ternmq.security.object_authority import BY_GROUP, ObjectAuthority
from ternmq.security.records import Record, record_of

pytestmark = pytest.mark.core
Q = KIND_BY_MQOT[mq.MQOT_Q]
QMGR = KIND_BY_MQOT[mq.MQOT_Q_MGR]


@pytest.fixture
def oam() -> ObjectAuthority:
    authority = ObjectAuthority()
    table: dict[str, tuple[str, ...]] = {
        "fred": ("staff", "orders"),
        "ann": ("staff",),
        "root2": ("mqm",),
    }
    authority.enable(GroupTable(table), "owner")
    return authority


def give(oam: ObjectAuthority, profile: str, entity: str, bits: int, group: bool = False) -> Record:
    record = Record(Q, profile, entity, group, bits)
    oam.records.put(record)
    return record


def test_while_off_everybody_may_do_everything() -> None:
    oam = ObjectAuthority()
    assert oam.is_administrator("anybody")
    assert oam.granted("anybody", mq.MQOT_Q, "Q") == applicable(Q)


def test_owner_and_mqm_need_no_records(oam: ObjectAuthority) -> None:
    for user in ("owner", "mqm", "root2"):
        assert oam.is_administrator(user)
        assert oam.granted(user, mq.MQOT_Q_MGR, SELF_PROFILE) == applicable(QMGR)
    assert not oam.is_administrator("fred")
    assert not oam.is_administrator("")


def test_without_a_record_nothing_is_allowed(oam: ObjectAuthority) -> None:
    assert oam.granted("fred", mq.MQOT_Q, "Q") == 0
    assert oam.granted("stranger", mq.MQOT_Q, "Q") == 0
    assert oam.granted("", mq.MQOT_Q, "Q") == 0


def test_user_and_all_groups_are_joined(oam: ObjectAuthority) -> None:
    give(oam, "Q", "fred", auth.GET)
    give(oam, "Q", "staff", auth.PUT, group=True)
    give(oam, "**", "orders", auth.BROWSE, group=True)
    give(oam, "Q", "others", auth.CLR, group=True)
    assert oam.granted("fred", mq.MQOT_Q, "Q") == auth.GET | auth.PUT | auth.BROWSE
    assert oam.granted("ann", mq.MQOT_Q, "Q") == auth.PUT
    assert oam.granted("staff", mq.MQOT_Q, "Q") == 0  # a group is no user of the same name


def test_only_the_most_specific_profile_of_an_entity_counts(oam: ObjectAuthority) -> None:
    give(oam, "AB.*", "fred", auth.PUT)
    give(oam, "AB.C*", "fred", auth.GET)
    assert oam.granted("fred", mq.MQOT_Q, "AB.CD") == auth.GET
    assert oam.granted("fred", mq.MQOT_Q, "AB.D") == auth.PUT
    give(oam, "AB.CD", "fred", 0)
    assert oam.granted("fred", mq.MQOT_Q, "AB.CD") == 0
    give(oam, "**", "staff", auth.INQ, group=True)
    assert oam.granted("fred", mq.MQOT_Q, "AB.CD") == auth.INQ


def test_everybody_is_in_the_group_nobody(oam: ObjectAuthority) -> None:
    give(oam, "PUBLIC.**", "nobody", auth.BROWSE, group=True)
    assert oam.granted("stranger", mq.MQOT_Q, "PUBLIC.Q") == auth.BROWSE


def test_crt_belongs_to_the_class(oam: ObjectAuthority) -> None:
    give(oam, CLASS_PROFILE, "fred", auth.CRT)
    assert oam.granted("fred", mq.MQOT_Q, CLASS_PROFILE) == auth.CRT
    assert oam.granted("fred", mq.MQOT_Q, "NEW.QUEUE") == auth.CRT
    assert oam.granted("fred", mq.MQOT_CHANNEL, CLASS_PROFILE) == 0


def test_a_change_is_seen_at_once_and_groups_after_a_refresh(oam: ObjectAuthority) -> None:
    record = give(oam, "Q", "fred", auth.GET)
    assert oam.granted("fred", mq.MQOT_Q, "Q") == auth.GET
    oam.records.remove(record.key)
    assert oam.granted("fred", mq.MQOT_Q, "Q") == 0
    give(oam, "Q", "late", auth.PUT, group=True)
    users = oam.users
    assert isinstance(users, GroupTable)
    users.table["fred"] = ("late",)
    assert oam.granted("fred", mq.MQOT_Q, "Q") == 0
    oam.refresh()
    assert oam.granted("fred", mq.MQOT_Q, "Q") == auth.PUT


def test_the_policy_says_who_gets_what_a_user_makes(oam: ObjectAuthority) -> None:
    assert oam.beneficiary("fred") == ("fred", False)
    oam.policy = BY_GROUP
    assert oam.beneficiary("fred") == ("staff", True)
    assert oam.beneficiary("stranger") == ("stranger", False)


def test_a_temporary_queue_is_its_makers_until_it_goes(oam: ObjectAuthority) -> None:
    oam.created_temporary("fred", "AMQ.1")
    assert oam.granted("fred", mq.MQOT_Q, "AMQ.1") == applicable(Q)
    assert oam.granted("ann", mq.MQOT_Q, "AMQ.1") == 0
    assert oam.granted("fred", mq.MQOT_TOPIC, "AMQ.1") == 0
    oam.deleted_temporary("AMQ.1")
    assert oam.granted("fred", mq.MQOT_Q, "AMQ.1") == 0


def test_a_record_comes_back_from_the_catalog_as_it_was() -> None:
    record = Record(Q, "DEV.**", "app", False, auth.GET | auth.PUT)
    again = record_of(record.definition(7, 1))
    assert (again.key, again.bits, again.is_group) == (record.key, record.bits, False)
    group = Record(QMGR, SELF_PROFILE, "staff", True, 0)
    again = record_of(group.definition(8, 1))
    assert (again.key, again.bits, again.is_group) == (group.key, 0, True)


def test_directories_are_asked_one_after_the_other() -> None:
    beyond = GroupTable({"fred": ("staff", "orders"), "ann": ("staff",)})
    users = GroupTable({"fred": ("mqm", "staff")}, beyond)
    assert users.groups("fred") == ("mqm", "staff", "orders")
    assert users.groups("ann") == ("staff",)
    assert users.groups("nobody-knows") == ()
    assert users.has_user("ann")
    assert not users.has_user("x")
    assert users.has_group("orders")
    assert users.has_group("mqm")
    assert not users.has_group("x")
