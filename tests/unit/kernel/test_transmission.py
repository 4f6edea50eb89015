"""Goal: a message for another queue manager lies on the right transmission queue with the right
header; what leads nowhere has IBM MQ's reason.

Method: definitions on a memory queue manager, puts through the API, and the bytes that are got from
the transmission queue.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.base.object_types import NAMELIST, PROCESS, REMOTE
from ternmq.codec.headers.mqmde import DescriptorExtension
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from tests.mqi import mqi

pytestmark = pytest.mark.core
HEADER = mq.MQXQH_CURRENT_LENGTH


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as started:
        started.define_queue("QM2", usage="XMITQ")
        started.define_queue("TO.ALL", usage="XMITQ")
        yield started


def define(qmgr: ternmq.QueueManager, object_type: int, name: str, **given: object) -> None:
    mqi(qmgr).define(object_type, name, given, True)


def put_to(qmgr: ternmq.QueueManager, od: ObjectDescriptor, md: Descriptor, data: bytes) -> None:
    handle = mqi(qmgr).open(od, mq.MQOO_OUTPUT)
    mqi(qmgr).put(handle, mqi(qmgr).request_put(md, PutOptions()), data)
    mqi(qmgr).close(handle, 0)


def reason_of(qmgr: ternmq.QueueManager, name: str, manager: str = "", options: int = 16) -> int:
    od = ObjectDescriptor(object_name=name, object_qmgr_name=manager)
    try:
        mqi(qmgr).close(mqi(qmgr).open(od, options), 0)
    except ternmq.MQError as error:
        return error.reason
    return 0


def test_put_to_a_remote_queue_then_header_descriptor_and_data_are_on_the_way(
    qmgr: ternmq.QueueManager,
) -> None:
    define(qmgr, REMOTE, "ORDERS", rname="IN.ORDERS", rqmname="QM2", DEFPSIST="YES", DEFPRTY=7)
    with qmgr.queue("ORDERS") as orders:
        own_id = orders.put(b"data", format="MQSTR", reply_to="ANSWERS")
    with qmgr.queue("QM2") as outgoing:
        assert outgoing.depth == 1
        message = outgoing.get()
    assert message.format == "MQXMIT"
    assert message.correl_id == own_id
    assert message.msg_id != own_id
    assert (message.persistent, message.priority) == (True, 7)
    header = TransmissionHeader.unpack(message.data)
    assert (header.remote_queue, header.remote_qmgr) == ("IN.ORDERS", "QM2")
    own = header.descriptor
    assert (own.msg_id, own.format, own.persistence, own.priority) == (own_id, "MQSTR", 1, 7)
    assert (own.reply_to_queue, own.reply_to_qmgr) == ("ANSWERS", "QM1")
    assert own.put_date
    assert message.data[HEADER:] == b"data"


def reply_place(qmgr: ternmq.QueueManager, queue: str, manager: str = "") -> tuple[str, str]:
    md = Descriptor(reply_to_queue=queue, reply_to_qmgr=manager)
    put_to(qmgr, ObjectDescriptor(object_name="HERE"), md, b"question")
    assert (md.reply_to_queue, md.reply_to_qmgr) == (queue, manager)  # the caller's own stays
    with qmgr.queue("HERE") as here:
        got = here.get().descriptor
    return got.reply_to_queue, got.reply_to_qmgr


def test_put_with_a_queue_for_replies_then_the_queue_manager_says_where_that_is(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("HERE")
    define(qmgr, REMOTE, "ANSWERS.ALIAS", rname="ANSWERS", rqmname="QM9")
    define(qmgr, REMOTE, "QM.ALIAS", rqmname="QM8")
    assert reply_place(qmgr, "ANSWERS") == ("ANSWERS", "QM1")
    assert reply_place(qmgr, "ANSWERS", "QM7") == ("ANSWERS", "QM7")
    assert reply_place(qmgr, "ANSWERS.ALIAS") == ("ANSWERS", "QM9")
    assert reply_place(qmgr, "ANSWERS.ALIAS", "QM7") == ("ANSWERS.ALIAS", "QM7")
    assert reply_place(qmgr, "QM.ALIAS") == ("QM.ALIAS", "QM8")
    assert reply_place(qmgr, "") == ("", "QM1")
    assert reply_place(qmgr, "", "QM7") == ("", "QM7")
    define(qmgr, REMOTE, "ANSWERS", rname="LATER", rqmname="QM6")  # each put looks anew
    assert reply_place(qmgr, "ANSWERS") == ("LATER", "QM6")


def test_put_of_a_message_in_a_group_then_the_extension_follows_the_header(
    qmgr: ternmq.QueueManager,
) -> None:
    define(qmgr, REMOTE, "ORDERS", rname="IN", rqmname="QM2")
    md = Descriptor(format="MQSTR", msg_flags=mq.MQMF_MSG_IN_GROUP, group_id=b"G" * 24)
    md.msg_seq_number = 3
    od = ObjectDescriptor(object_name="ORDERS")
    put_to(qmgr, od, md, b"part")
    with qmgr.queue("QM2") as outgoing:
        data = outgoing.get().data
    header = TransmissionHeader.unpack(data)
    assert header.descriptor.format == "MQHMDE"
    extension = DescriptorExtension.unpack(data, HEADER)
    assert (extension.format, extension.group_id) == ("MQSTR", b"G" * 24)
    assert (extension.msg_seq_number, extension.msg_flags) == (3, mq.MQMF_MSG_IN_GROUP)
    assert data[HEADER + mq.MQMDE_LENGTH_2 :] == b"part"


def test_put_in_a_unit_of_work_then_nothing_before_the_commit(qmgr: ternmq.QueueManager) -> None:
    define(qmgr, REMOTE, "ORDERS", rname="IN", rqmname="QM2", xmitq="TO.ALL")
    with qmgr.queue("ORDERS") as orders, qmgr.queue("TO.ALL") as outgoing:
        with qmgr.unit_of_work():
            orders.put(b"later", syncpoint=True)
            assert outgoing.try_get(syncpoint=False) is None
        header = TransmissionHeader.unpack(outgoing.get().data)
    assert (header.remote_queue, header.remote_qmgr) == ("IN", "QM2")


def test_open_by_the_name_of_a_queue_manager_then_its_transmission_queue_or_the_default_one(
    qmgr: ternmq.QueueManager,
) -> None:
    assert reason_of(qmgr, "Q", "QM3") == mq.MQRC_UNKNOWN_REMOTE_Q_MGR
    qmgr.alter_qmgr(DEFXMITQ="TO.ALL")
    for manager, expected in (("QM2", "QM2"), ("QM3", "TO.ALL")):
        od = ObjectDescriptor(object_name="Q", object_qmgr_name=manager)
        put_to(qmgr, od, Descriptor(), b"x")
        with qmgr.queue(expected) as outgoing:
            header = TransmissionHeader.unpack(outgoing.get().data)
        assert (header.remote_queue, header.remote_qmgr) == ("Q", manager)
    assert reason_of(qmgr, "", "QM2") == mq.MQRC_REMOTE_Q_NAME_ERROR
    assert reason_of(qmgr, "Q", "no name!") == mq.MQRC_UNKNOWN_OBJECT_Q_MGR
    for options in (mq.MQOO_INPUT_SHARED, mq.MQOO_BROWSE, mq.MQOO_INQUIRE):
        assert reason_of(qmgr, "Q", "QM2", options) == mq.MQRC_OPTION_NOT_VALID_FOR_TYPE


def test_queue_manager_alias_when_it_means_this_one_then_the_local_queue(
    qmgr: ternmq.QueueManager,
) -> None:
    define(qmgr, REMOTE, "OTHER.NAME", rqmname="QM1")
    define(qmgr, REMOTE, "FAR", rqmname="QM9", xmitq="QM2")
    qmgr.define_queue("Q")
    assert reason_of(qmgr, "Q", "OTHER.NAME", mq.MQOO_INPUT_SHARED) == 0
    od = ObjectDescriptor(object_name="Q", object_qmgr_name="FAR")
    put_to(qmgr, od, Descriptor(), b"x")
    with qmgr.queue("QM2") as outgoing:
        assert TransmissionHeader.unpack(outgoing.get().data).remote_qmgr == "QM9"
    assert reason_of(qmgr, "FAR") == mq.MQRC_REMOTE_Q_NAME_ERROR


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"rqmname": "QM2"}, mq.MQRC_REMOTE_Q_NAME_ERROR),
        ({"rname": "Q"}, mq.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ({"rname": "Q", "rqmname": "QM1"}, mq.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ({"rname": "Q", "xmitq": "QM2"}, mq.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ({"rname": "Q", "rqmname": "QM1", "xmitq": "QM2"}, mq.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ({"rname": "Q", "rqmname": "QM7"}, mq.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ({"rname": "Q", "rqmname": "QM7", "xmitq": "NONE"}, mq.MQRC_UNKNOWN_XMIT_Q),
        ({"rname": "Q", "rqmname": "QM7", "xmitq": "PLAIN"}, mq.MQRC_XMIT_Q_USAGE_ERROR),
        ({"rname": "Q", "rqmname": "QM7", "xmitq": "ALIAS"}, mq.MQRC_XMIT_Q_TYPE_ERROR),
        ({"rname": "Q", "rqmname": "PLAIN"}, mq.MQRC_XMIT_Q_USAGE_ERROR),
        ({"rname": "Q", "rqmname": "QM2"}, 0),
    ],
)
def test_remote_queue_when_it_leads_nowhere_then_its_reason(
    qmgr: ternmq.QueueManager, given: dict[str, object], reason: int
) -> None:
    qmgr.define_queue("PLAIN")
    qmgr.define_alias("ALIAS", "PLAIN")
    define(qmgr, REMOTE, "R", **given)
    assert reason_of(qmgr, "R") == reason
    qmgr.define_alias("VIA", "R")
    assert reason_of(qmgr, "VIA") == reason
    assert reason_of(qmgr, "R", options=mq.MQOO_INQUIRE) == 0


@pytest.mark.parametrize(
    ("default", "reason"),
    [
        ("NONE", mq.MQRC_UNKNOWN_DEF_XMIT_Q),
        ("PLAIN", mq.MQRC_DEF_XMIT_Q_USAGE_ERROR),
        ("ALIAS", mq.MQRC_DEF_XMIT_Q_TYPE_ERROR),
    ],
)
def test_default_transmission_queue_when_it_is_none_then_its_reason(
    qmgr: ternmq.QueueManager, default: str, reason: int
) -> None:
    qmgr.define_queue("PLAIN")
    qmgr.define_alias("ALIAS", "PLAIN")
    qmgr.alter_qmgr(DEFXMITQ=default)
    assert reason_of(qmgr, "Q", "QM7") == reason


def test_remote_queue_when_inquired_inhibited_or_read_then_as_its_type(
    qmgr: ternmq.QueueManager,
) -> None:
    define(qmgr, REMOTE, "R", rname="Q", rqmname="QM2", descr="far")
    handle = mqi(qmgr).open(ObjectDescriptor(object_name="R"), mq.MQOO_INQUIRE | mq.MQOO_SET)
    selectors = [mq.MQIA_Q_TYPE, mq.MQCA_REMOTE_Q_NAME, mq.MQCA_REMOTE_Q_MGR_NAME, mq.MQCA_Q_DESC]
    assert mqi(qmgr).inquire(handle, selectors) == [mq.MQQT_REMOTE, "Q", "QM2", "far"]
    with pytest.raises(ternmq.MQError) as refused:
        mqi(qmgr).inquire(handle, [mq.MQIA_CURRENT_Q_DEPTH])
    assert refused.value.reason == mq.MQRC_SELECTOR_NOT_FOR_TYPE
    mqi(qmgr).set(handle, {mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_INHIBITED})
    with pytest.raises(ternmq.MQError) as inhibited, qmgr.queue("R") as remote:
        remote.put(b"x")
    assert inhibited.value.reason == mq.MQRC_PUT_INHIBITED
    for options in (mq.MQOO_INPUT_SHARED, mq.MQOO_BROWSE):
        assert reason_of(qmgr, "R", options=options) == mq.MQRC_OPTION_NOT_VALID_FOR_TYPE


def test_message_when_its_header_does_not_fit_then_too_big(qmgr: ternmq.QueueManager) -> None:
    define(qmgr, REMOTE, "R", rname="Q", rqmname="QM2")
    qmgr.alter_queue("QM2", max_message_length=1000)
    room = 1000 - HEADER
    od = ObjectDescriptor(object_name="R")
    put_to(qmgr, od, Descriptor(), bytes(room))
    grouped = Descriptor(msg_flags=mq.MQMF_MSG_IN_GROUP, group_id=b"G" * 24, msg_seq_number=1)
    put_to(qmgr, od, grouped.copy(), bytes(room - mq.MQMDE_LENGTH_2))
    for md, length in ((Descriptor(), room), (grouped.copy(), room - mq.MQMDE_LENGTH_2)):
        with pytest.raises(ternmq.MQError) as refused:
            put_to(qmgr, od, md, bytes(length + 1))
        assert refused.value.reason == mq.MQRC_MSG_TOO_BIG_FOR_Q
    with qmgr.queue("QM2") as outgoing:
        assert [len(outgoing.get().data) for _ in range(2)] == [1000, 1000]


def test_message_with_properties_when_its_headers_fit_then_the_length_is_the_whole_data(
    qmgr: ternmq.QueueManager,
) -> None:
    define(qmgr, REMOTE, "R", rname="Q", rqmname="QM2")
    with qmgr.queue("R") as remote, qmgr.queue("QM2") as outgoing:
        remote.put(b"x" * 100, properties={"colour": "red"})
        length = len(outgoing.get().data)
        qmgr.alter_queue("QM2", max_message_length=length)
        remote.put(b"x" * 100, properties={"colour": "red"})
        with pytest.raises(ternmq.MQError) as refused:
            remote.put(b"x" * 101, properties={"colour": "red"})
    assert refused.value.reason == mq.MQRC_MSG_TOO_BIG_FOR_Q


def test_separate_descriptor_when_a_message_is_sent_then_as_ibm_documents_for_mqxqh(
    qmgr: ternmq.QueueManager,
) -> None:
    define(qmgr, REMOTE, "R", rname="Q", rqmname="QM2")
    report = mq.MQRO_COA | mq.MQRO_COD | mq.MQRO_EXCEPTION | mq.MQRO_EXPIRATION
    md = Descriptor(
        report=report | mq.MQRO_PASS_MSG_ID,
        msg_type=mq.MQMT_REQUEST,
        expiry=5000,
        feedback=mq.MQFB_NONE,
        format="MQSTR",
        ccsid=1208,
        priority=3,
        persistence=mq.MQPER_PERSISTENT,
        msg_id=b"M" * 24,
        correl_id=b"C" * 24,
        reply_to_queue="ANSWERS",
        user_id="bob",
        accounting_token=b"A" * 32,
        appl_identity_data="identity",
        put_appl_type=mq.MQAT_UNIX,
        put_appl_name="program",
        put_date="20200101",
        put_time="11223344",
        appl_origin_data="here",
    )
    options = mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT
    handle = mqi(qmgr).open(ObjectDescriptor(object_name="R"), options)
    pmo = PutOptions(options=mq.MQPMO_SET_ALL_CONTEXT | mq.MQPMO_NO_SYNCPOINT)
    mqi(qmgr).put(handle, mqi(qmgr).request_put(md, pmo), b"data")
    with qmgr.queue("QM2") as outgoing:
        message = outgoing.get()
    outer = message.descriptor
    assert outer.report == report & ~(mq.MQRO_COA | mq.MQRO_COD) | mq.MQRO_PASS_MSG_ID
    assert (outer.msg_type, outer.feedback) == (mq.MQMT_REQUEST, mq.MQFB_NONE)
    assert 4900 < outer.expiry <= 5000
    assert (outer.priority, outer.persistence) == (3, mq.MQPER_PERSISTENT)
    assert outer.msg_id not in (b"M" * 24, bytes(24))
    assert outer.correl_id == b"M" * 24
    assert (outer.reply_to_queue, outer.reply_to_qmgr) == ("ANSWERS", "QM1")
    assert (outer.user_id, outer.accounting_token) == ("bob", b"A" * 32)
    assert outer.appl_identity_data == "identity"
    assert (outer.put_appl_type, outer.put_appl_name) == (mq.MQAT_QMGR, "QM1")
    assert outer.put_date != "20200101"
    assert outer.appl_origin_data == ""
    assert (outer.encoding, outer.ccsid) == (mq.MQENC_NATIVE, qmgr.qmgr_attributes()["ccsid"])
    own = TransmissionHeader.unpack(message.data).descriptor
    assert (own.report, own.correl_id) == (md.report, b"C" * 24)
    assert (own.put_appl_type, own.put_appl_name) == (mq.MQAT_UNIX, "program")
    assert (own.put_date, own.put_time, own.appl_origin_data) == ("20200101", "11223344", "here")


def test_put_on_a_transmission_queue_when_its_header_is_junk_then_xqh_error(
    qmgr: ternmq.QueueManager,
) -> None:
    whole = TransmissionHeader(remote_queue="Q", remote_qmgr="QM2").pack()
    qmgr.define_queue("PLAIN")
    with qmgr.queue("QM2") as direct, qmgr.queue("PLAIN") as plain:
        for junk in (b"", b"junk", whole[:-1], b"XXX " + whole[4:], whole[:4] + b"\2" + whole[5:]):
            with pytest.raises(ternmq.MQError) as refused:
                direct.put(junk, format="MQXMIT")
            assert refused.value.reason == mq.MQRC_XQH_ERROR
            plain.put(junk, format="MQXMIT")  # on another queue it is data
        direct.put(whole + b"data", format="MQXMIT")
        direct.put(b"junk", format="MQSTR")  # a channel will not know what to do with it
        assert direct.depth == 2


def test_process_and_namelist_when_opened_then_inquired(qmgr: ternmq.QueueManager) -> None:
    define(qmgr, PROCESS, "P", applicid="/bin/run", appltype="UNIX", userdata="u")
    define(qmgr, NAMELIST, "N", names=["A", "B", "C"], descr="three")
    od = ObjectDescriptor(object_type=mq.MQOT_PROCESS, object_name="P")
    handle = mqi(qmgr).open(od, mq.MQOO_INQUIRE)
    selectors = [mq.MQCA_PROCESS_NAME, mq.MQCA_APPL_ID, mq.MQIA_APPL_TYPE, mq.MQCA_USER_DATA]
    assert mqi(qmgr).inquire(handle, selectors) == ["P", "/bin/run", mq.MQAT_UNIX, "u"]
    od = ObjectDescriptor(object_type=mq.MQOT_NAMELIST, object_name="N")
    handle = mqi(qmgr).open(od, mq.MQOO_INQUIRE)
    selectors = [mq.MQCA_NAMELIST_NAME, mq.MQIA_NAME_COUNT, mq.MQCA_NAMES]
    assert mqi(qmgr).inquire(handle, selectors) == ["N", 3, "A,B,C"]
    mqi(qmgr).close(handle, 0)
    for wrong in (mq.MQOO_OUTPUT, mq.MQOO_SET):
        with pytest.raises(ternmq.MQError) as refused:
            mqi(qmgr).open(od, wrong)
        assert refused.value.reason == mq.MQRC_OPTION_NOT_VALID_FOR_TYPE
    od = ObjectDescriptor(object_type=mq.MQOT_NAMELIST, object_name="P")
    with pytest.raises(ternmq.ObjectUnknown):
        mqi(qmgr).open(od, mq.MQOO_INQUIRE)
