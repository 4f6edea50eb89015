"""Goal: connect, open, put1, context, alternate user and close ask for the authority they should.

Method: a queue manager that checks, users without any right, and one right after the other granted.
"""

import pytest

import ternmq
from ternmq import NotAuthorized
from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from tests.mqi import mqi
from tests.security.granting import USERS, connected, grant, revoke, secured

pytestmark = pytest.mark.core


def test_a_user_without_connect_is_refused_with_a_reason() -> None:
    with secured() as qm:
        with pytest.raises(NotAuthorized) as refused:
            qm.connect(user="fred")
        assert refused.value.reason == MQRC_NOT_AUTHORIZED
        assert "user 'fred' lacks connect on qmgr QM1" in str(refused.value)
        notices = qm.started.shell.engine.kernel.notices.take()
        reported = [(one.message_id, one.inserts) for one in notices]
        assert reported == [("AMQ8077W", ("fred", "QM1 [qmgr]", "connect"))]
        assert len(qm.started.shell.engine.kernel.connections) == 1


def test_a_group_lets_its_users_in() -> None:
    with secured() as qm:
        grant(qm, "qmgr", "self", "staff", "connect", group=True)
        qm.connect(user="fred").disconnect()
        qm.connect(user="ann").disconnect()
        with pytest.raises(NotAuthorized):
            qm.connect(user="stranger")


def test_administrators_need_nothing() -> None:
    with secured() as qm:
        qm.define_queue("Q")
        for user in ("boss", "mqm", None):
            with qm.connect(user=user) as connection, connection.queue("Q") as queue:
                queue.put(b"x")
                assert queue.get() is not None


def test_without_security_a_user_is_a_name() -> None:
    with ternmq.memory("QM1") as qm:
        qm.define_queue("Q")
        with qm.connect(user="anybody") as connection, connection.queue("Q") as queue:
            queue.put(b"x")
            message = queue.get()
            assert message is not None
            assert message.descriptor.user_id == "anybody"


def test_puts_and_gets_ask_only_at_the_open() -> None:
    with secured() as qm:
        qm.define_queue("Q")
        fred = connected(qm, "fred")
        grant(qm, "queue", "Q", "fred", "put get")
        options = mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED
        with fred.queue("Q", options=options) as queue:
            revoke(qm, "queue", "Q", "fred")
            queue.put(b"still open")
            assert queue.get() is not None
        with pytest.raises(NotAuthorized):
            fred.queue("Q", options=options)


def test_a_refused_open_leaves_nothing_behind() -> None:
    with secured() as qm:
        qm.define_queue("Q")
        fred = connected(qm, "fred")
        with pytest.raises(NotAuthorized):
            fred.queue("Q", options=mq.MQOO_OUTPUT)
        assert mqi(fred).link.handles == {}
        qm.delete_queue("Q")


def test_the_alias_counts_and_not_its_target() -> None:
    with secured() as qm:
        qm.define_queue("TARGET")
        qm.define_alias("ALIAS", "TARGET")
        fred = connected(qm, "fred")
        grant(qm, "queue", "ALIAS", "fred", "put")
        fred.queue("ALIAS", options=mq.MQOO_OUTPUT).close()
        with pytest.raises(NotAuthorized):
            fred.queue("TARGET", options=mq.MQOO_OUTPUT)
        grant(qm, "queue", "TARGET", "ann", "put")
        ann = connected(qm, "ann")
        with pytest.raises(NotAuthorized):
            ann.queue("ALIAS", options=mq.MQOO_OUTPUT)


def test_a_name_that_leads_nowhere_is_unknown_and_not_forbidden() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        with pytest.raises(ternmq.ObjectUnknown):
            fred.queue("NO.SUCH.QUEUE", options=mq.MQOO_OUTPUT)


def test_another_queue_manager_needs_its_name() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        od = ObjectDescriptor(object_name="Q", object_qmgr_name="QM2")
        with pytest.raises(NotAuthorized, match="lacks put on rqmname QM2"):
            mqi(fred).open(od, mq.MQOO_OUTPUT)
        grant(qm, "rqmname", "QM?", "fred", "put")
        with pytest.raises(ternmq.MQError) as unknown:
            mqi(fred).open(od, mq.MQOO_OUTPUT)
        assert unknown.value.reason_name == "MQRC_UNKNOWN_REMOTE_Q_MGR"


def test_a_transmission_queue_needs_setall_too() -> None:
    with secured() as qm:
        qm.define_queue("XQ", usage=mq.MQUS_TRANSMISSION)
        fred = connected(qm, "fred")
        grant(qm, "queue", "XQ", "fred", "put")
        with pytest.raises(NotAuthorized, match="lacks setall on queue XQ"):
            fred.queue("XQ", options=mq.MQOO_OUTPUT)
        grant(qm, "queue", "XQ", "fred", "put setall")
        with pytest.raises(NotAuthorized, match="lacks setall on qmgr QM1"):
            fred.queue("XQ", options=mq.MQOO_OUTPUT)
        grant(qm, "qmgr", "self", "fred", "connect setall")
        fred.queue("XQ", options=mq.MQOO_OUTPUT).close()


# ---- dynamic queues


def test_a_model_queue_needs_dsp_and_its_maker_owns_what_comes_of_it() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        ann = connected(qm, "ann")
        model = "SYSTEM.DEFAULT.MODEL.QUEUE"
        options = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_INQUIRE
        grant(qm, "queue", model, "fred", "get inq")
        with pytest.raises(NotAuthorized, match="lacks dsp"):
            fred.queue(model, options=options, dynamic_name="REPLY.*")
        grant(qm, "queue", model, "fred", "get inq dsp")
        with fred.queue(model, options=options, dynamic_name="REPLY.*") as reply:
            with fred.queue(reply.name, options=mq.MQOO_OUTPUT) as again:
                again.put(b"mine")
            with pytest.raises(NotAuthorized):
                ann.queue(reply.name, options=mq.MQOO_OUTPUT)
        authority = qm.started.shell.engine.kernel.authority
        assert authority.granted("fred", mq.MQOT_Q, reply.name) == 0  # gone with the queue


def test_a_permanent_dynamic_queue_has_a_record_until_it_is_deleted() -> None:
    with secured() as qm:
        qm.define_model("M", definition_type=mq.MQQDT_PERMANENT_DYNAMIC)
        fred = connected(qm, "fred")
        ann = connected(qm, "ann")
        grant(qm, "queue", "M", "fred", "get dsp")
        queue = fred.queue("M", options=mq.MQOO_INPUT_SHARED, dynamic_name="P.1")
        queue.close()
        grant(qm, "queue", "P.1", "ann", "get")
        authority = qm.started.shell.engine.kernel.authority
        records = authority.records
        assert [one.entity for one in records.all() if one.profile == "P.1"] == ["ann", "fred"]
        handle = mqi(ann).open(ObjectDescriptor(object_name="P.1"), mq.MQOO_INPUT_SHARED)
        with pytest.raises(NotAuthorized, match=r"lacks dlt on queue P\.1"):
            mqi(ann).close(handle, mq.MQCO_DELETE)
        ann.disconnect()
        handle = mqi(fred).open(ObjectDescriptor(object_name="P.1"), mq.MQOO_INPUT_SHARED)
        mqi(fred).close(handle, mq.MQCO_DELETE)
        assert [one.entity for one in records.all() if one.profile == "P.1"] == []


# ---- MQPUT1, context and other users


def put1(connection: ternmq.Connection, options: int, user: str = "", context: int = 0) -> None:
    pmo = PutOptions(options=options | mq.MQPMO_NO_SYNCPOINT)
    pmo.context = context
    request = mqi(connection).request_put(Descriptor(), pmo, "MQPUT1")
    od = ObjectDescriptor(object_name="Q", alternate_user_id=user)
    mqi(connection).put1(od, request, b"x")


@pytest.mark.parametrize(
    ("option", "word", "on_qmgr"),
    [
        (0, "put", ""),
        (mq.MQPMO_SET_IDENTITY_CONTEXT, "put setid", "setid"),
        (mq.MQPMO_SET_ALL_CONTEXT, "put setall", "setall"),
    ],
)
def test_put1_asks_for_put_and_context(option: int, word: str, on_qmgr: str) -> None:
    with secured() as qm:
        qm.define_queue("Q")
        fred = connected(qm, "fred")
        for lacking in word.split():
            granted = " ".join(one for one in word.split() if one != lacking)
            grant(qm, "queue", "Q", "fred", granted)
            grant(qm, "qmgr", "self", "fred", f"connect {on_qmgr}")
            with pytest.raises(NotAuthorized, match=f"lacks {lacking} on queue Q"):
                put1(fred, option)
        grant(qm, "queue", "Q", "fred", word)
        if on_qmgr:
            grant(qm, "qmgr", "self", "fred", "connect")
            with pytest.raises(NotAuthorized, match=f"lacks {on_qmgr} on qmgr QM1"):
                put1(fred, option)
            grant(qm, "qmgr", "self", "fred", f"connect {on_qmgr}")
        put1(fred, option)


def test_the_alternate_user_is_asked_and_the_user_must_be_allowed_to() -> None:
    with secured() as qm:
        qm.define_queue("Q")
        fred = connected(qm, "fred")
        grant(qm, "queue", "Q", "ann", "put")
        od = ObjectDescriptor(object_name="Q", alternate_user_id="ann")
        options = mq.MQOO_OUTPUT | mq.MQOO_ALTERNATE_USER_AUTHORITY
        with pytest.raises(NotAuthorized, match="user 'fred' lacks altusr on qmgr QM1"):
            mqi(fred).open(od, options)
        grant(qm, "qmgr", "self", "fred", "connect altusr")
        mqi(fred).close(mqi(fred).open(od, options))
        put1(fred, mq.MQPMO_ALTERNATE_USER_AUTHORITY, "ann")
        grant(qm, "queue", "Q", "fred", "put")
        with pytest.raises(NotAuthorized, match="user 'stranger' lacks put"):
            put1(fred, mq.MQPMO_ALTERNATE_USER_AUTHORITY, "stranger")


def test_an_administrator_in_another_users_name_has_that_users_rights() -> None:
    with secured() as qm:
        qm.define_queue("Q")
        od = ObjectDescriptor(object_name="Q", alternate_user_id="ann")
        options = mq.MQOO_OUTPUT | mq.MQOO_ALTERNATE_USER_AUTHORITY
        with pytest.raises(NotAuthorized, match="user 'ann' lacks put"):
            mqi(qm).open(od, options)
        grant(qm, "queue", "Q", "ann", "put")
        mqi(qm).close(mqi(qm).open(od, options))


def test_the_queue_manager_object_needs_inq() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        od = ObjectDescriptor(object_type=mq.MQOT_Q_MGR)
        with pytest.raises(NotAuthorized, match="lacks inq on qmgr QM1"):
            mqi(fred).open(od, mq.MQOO_INQUIRE)
        grant(qm, "qmgr", "self", "fred", "connect inq")
        mqi(fred).close(mqi(fred).open(od, mq.MQOO_INQUIRE))


def test_what_was_granted_is_there_after_a_restart(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("qm")
    with ternmq.embedded(folder, create=True, log_file_pages=64, security=USERS) as qm:
        qm.define_queue("Q")
        grant(qm, "queue", "**", "staff", "put", group=True)
        grant(qm, "queue", "Q", "fred", "get")
        grant(qm, "qmgr", "self", "fred", "connect")
        revoke(qm, "queue", "Q", "fred")
    with ternmq.embedded(folder, security=USERS) as qm, qm.connect(user="fred") as fred:
        fred.put("Q", b"x")
        with pytest.raises(NotAuthorized, match="lacks get on queue Q"):
            fred.queue("Q", options=mq.MQOO_INPUT_SHARED)


def test_the_policy_queue_can_be_browsed_by_everybody_and_nothing_more() -> None:
    """Clients of IBM MQ look there before they open anything."""
    name = "SYSTEM.PROTECTION.POLICY.QUEUE"
    with secured() as qm:
        fred = connected(qm, "fred")
        fred.queue(name, options=mq.MQOO_BROWSE).close()
        for options in (mq.MQOO_INPUT_SHARED, mq.MQOO_OUTPUT, mq.MQOO_INQUIRE | mq.MQOO_BROWSE):
            with pytest.raises(NotAuthorized):
                fred.queue(name, options=options)
