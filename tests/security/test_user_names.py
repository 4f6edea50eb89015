"""Goal: nobody acts as another user because a field is too short for a name, or is filled up.

Method: users whose names begin alike, or end in blanks, connect to a queue manager that checks and
send it commands; names that no field can carry are refused at the connect.
"""

import pwd
from collections.abc import Iterator

import pytest

import ternmq
from ternmq.admin.pcf.exchange import sender_of
from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.base.user_names import carried_name, user_name_fault
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.two_phase import may_decide
from ternmq.outlets.command_queue import COMMAND_QUEUE
from ternmq.server.session import user_of
from tests.mqi import mqi
from tests.security.granting import connected, grant, secured

pytestmark = pytest.mark.core

CLERK = "firstname.lastname"
CHIEF = "firstname.la"  # the first 12 bytes of the clerk
LONG_A = "a-long-name-of-a-service-or-two1"
LONG_B = "a-long-name-of-a-service-or-two2"


@pytest.fixture
def qm() -> Iterator[ternmq.QueueManager]:
    with secured() as manager:
        manager.define_queue("REPLY")
        server = manager.start_command_server()
        yield manager
        server.stop()


def answer_to(qm: ternmq.QueueManager, user: str) -> int:
    """The reason with which a PING QMGR of the user is answered."""
    sender = connected_with(qm, user)
    descriptor = Descriptor(format=mq.MQFMT_ADMIN, msg_type=mq.MQMT_REQUEST, reply_to_queue="REPLY")
    data = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_PING_Q_MGR, []).pack()
    sender.put(COMMAND_QUEUE, data, descriptor=descriptor)
    sender.disconnect()
    with qm.queue("REPLY") as replies:
        reason = unpack_pcf(replies.get(wait=10).data).reason
        while replies.depth:
            replies.get()
    return reason


def connected_with(qm: ternmq.QueueManager, user: str) -> ternmq.Connection:
    grant(qm, "queue", COMMAND_QUEUE, user, "put")
    grant(qm, "queue", "REPLY", "nobody", "put", group=True)  # replies reach everybody's queue
    with_connect = "connect dsp" if user in (CHIEF, LONG_A) else "connect"
    grant(qm, "qmgr", "self", user, with_connect)
    return qm.connect(user=user)


@pytest.mark.parametrize(
    "name",
    [
        "mqm" + " " * 9 + "x",
        "mqm ",
        " mqm",
        "mq m",
        "mqm\0x",
        "mqm\n",
        "mqm\x1b[2J",
        "mqm\u00a0",
        "mqm\udc80",
        "mqm\u200b",
        "clerk*",
        "x" * 33,
        "\u00e4" * 17,
    ],
)
def test_connect_when_no_field_can_carry_the_name_then_refused(
    qm: ternmq.QueueManager, name: str
) -> None:
    grant(qm, "qmgr", "self", name, "connect")
    with pytest.raises(ternmq.NotAuthorized) as caught:
        qm.connect(user=name)
    assert "user name" in caught.value.detail


def test_connect_when_nothing_is_checked_then_such_names_are_refused_too() -> None:
    with ternmq.memory("QM1") as manager, pytest.raises(ternmq.NotAuthorized):
        manager.connect(user="mqm" + " " * 9 + "x")


def test_command_when_the_senders_first_twelve_bytes_are_another_user_then_not_as_that_user(
    qm: ternmq.QueueManager,
) -> None:
    assert answer_to(qm, CHIEF) == 0
    assert answer_to(qm, CLERK) == MQRC_NOT_AUTHORIZED


def test_command_when_two_names_differ_late_then_neither_acts_as_the_other(
    qm: ternmq.QueueManager,
) -> None:
    assert LONG_A[:30] == LONG_B[:30]
    connected_with(qm, LONG_A)
    assert answer_to(qm, LONG_B) == MQRC_NOT_AUTHORIZED
    assert answer_to(qm, LONG_A) == 0


def test_message_when_the_name_is_longer_than_its_field_then_marked_as_cut(
    qm: ternmq.QueueManager,
) -> None:
    clerk = connected(qm, CLERK)
    grant(qm, "queue", "REPLY", CLERK, "put")
    clerk.put("REPLY", "x")
    with qm.queue("REPLY") as queue:
        md = queue.get().descriptor
    assert (md.user_id, md.appl_identity_data) == ("firstname.l*", CLERK)
    assert sender_of(md) == CLERK
    md.appl_identity_data = "another.name"
    assert sender_of(md) == "firstname.l*"


def test_alternate_user_when_taken_from_a_cut_name_then_nobody(qm: ternmq.QueueManager) -> None:
    grant(qm, "queue", "REPLY", CHIEF, "put")
    grant(qm, "queue", "REPLY", CLERK, "put")
    fred = connected(qm, "fred")
    grant(qm, "qmgr", "self", "fred", "connect altusr")
    target = ObjectDescriptor(object_name="REPLY", alternate_user_id=carried_name(CLERK))
    options = mq.MQOO_OUTPUT | mq.MQOO_ALTERNATE_USER_AUTHORITY
    with pytest.raises(ternmq.NotAuthorized):
        mqi(fred).open(target, options)
    target.alternate_user_id = CHIEF
    mqi(fred).open(target, options)


def test_prepared_unit_when_names_differ_at_their_end_then_not_the_others() -> None:
    link = Link(1, b"", "x" * 32, "")
    link.privileged = False
    assert may_decide(link, "x" * 32)
    assert not may_decide(link, "x" * 31)


def test_accounting_token_when_the_system_does_not_know_the_user_then_empty(
    qm: ternmq.QueueManager,
) -> None:
    fred = connected(qm, "fred")
    grant(qm, "queue", "REPLY", "fred", "put")
    fred.put("REPLY", "x")
    with qm.queue("REPLY") as queue:
        assert queue.get().descriptor.accounting_token == mq.MQACT_NONE


def test_accounting_token_when_the_system_knows_the_user_then_its_number_as_text() -> None:
    with ternmq.memory("QM1", security=True) as manager:
        manager.define_queue("Q")
        manager.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('root') AUTHADD(CONNECT)")
        manager.mqsc("SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('root') AUTHADD(PUT)")
        with manager.connect(user="root") as root:
            root.put("Q", "x")
        with manager.queue("Q") as queue:
            token = queue.get().descriptor.accounting_token
    assert token == b"\x010".ljust(31, b"\0") + b"\x06"


def test_name_when_it_fits_exactly_then_carried_whole() -> None:
    assert carried_name("x" * 12) == "x" * 12
    assert carried_name("x" * 13) == "x" * 11 + "*"
    assert carried_name("\u00e4" * 7) == "\u00e4" * 5 + "*"
    assert user_name_fault("x" * 32) == ""


def test_local_user_when_its_number_is_the_name_of_another_then_not_as_that_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = {5001: "first last", 5002: "x" * 33, 70: "5001", 71: "ann"}

    def entry(name: str, uid: int) -> pwd.struct_passwd:
        return pwd.struct_passwd((name, "x", uid, 100, "", "/", "/bin/sh"))

    def by_name(name: str) -> pwd.struct_passwd:
        return next(entry(one, uid) for uid, one in people.items() if one == name)

    def named(name: str) -> pwd.struct_passwd:
        try:
            return by_name(name)
        except StopIteration:
            raise KeyError(name) from None

    monkeypatch.setattr(pwd, "getpwuid", lambda uid: entry(people[uid], uid))
    monkeypatch.setattr(pwd, "getpwnam", named)
    assert [user_of(uid) for uid in (71, 70, 5001, 5002, 9)] == [
        "ann",
        "5001",
        "#5001",
        "5002",
        "9",
    ]
