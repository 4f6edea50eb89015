"""Section E: what a copy is: its descriptor, its properties, reports about it, what is logged."""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.codec.headers.mqrfh import RulesHeader, RulesHeader2
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf.parameter import integer
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.codec.publication_area import published_properties
from ternmq.values.message_handle import MessageHandle
from tests.conformance.pubsub.bed import Bed, D, M, get, reason_of, take

FORCE = mq.MQGMO_PROPERTIES_FORCE_MQRFH2


def test_e18_when_managed_and_not_durable_then_not_logged(lasting: Bed) -> None:
    sub = lasting.sub("a")
    topic = lasting.open_topic("a").opened()
    log = lasting.kernel.coordinator.log
    before = log.end_lsn
    lasting.put(topic, "x" * 5000, descriptor=Descriptor(persistence=1))
    assert log.end_lsn == before
    assert sub.get().descriptor.persistence == mq.MQPER_PERSISTENT
    lasting.put(topic, "y", descriptor=Descriptor(persistence=1))
    name = sub.queue_name
    lasting.restart()
    assert name not in lasting.connection.queue_names()


def test_e18_when_got_in_syncpoint_if_persistent_then_in_the_unit(bed: Bed) -> None:
    sub = bed.sub("a")
    bed.pub("a", "x", descriptor=Descriptor(persistence=1))
    option = mq.MQGMO_SYNCPOINT_IF_PERSISTENT
    assert sub.get(options=option).text == "x"
    bed.connection.backout()
    assert sub.get(options=option).descriptor.backout_count == 1


def test_e19_when_durable_or_provided_then_survives(lasting: Bed) -> None:
    lasting.mqsc("DEFINE QLOCAL(Q)")
    sub = lasting.sub("a", M | D, "S")
    queue = lasting.open("Q", mq.MQOO_INPUT_SHARED)
    lasting.sub("a", 0, queue=queue)
    lasting.pub("a", "x", descriptor=Descriptor(persistence=1))
    names = [sub.queue_name, "Q"]
    lasting.restart()
    found = [take(lasting.connection, lasting.open(one, mq.MQOO_INPUT_SHARED)) for one in names]
    assert [one.text for one in found] == ["x", "x"]
    assert found[0].properties["mqps.Top"] == "a"


def test_e20_when_published_then_context_is_the_subscriptions(bed: Bed) -> None:
    subscriber = bed.connect(user="s")
    publisher = bed.connect(user="p")
    sub = bed.sub("a", connection=subscriber)
    md = Descriptor(
        format="MQSTR",
        ccsid=819,
        encoding=273,
        expiry=600,
        report=mq.MQRO_PASS_CORREL_ID,
        feedback=mq.MQFB_APPL_FIRST,
        msg_type=mq.MQMT_APPL_FIRST,
        correl_id=b"P" * 24,
    )
    bed.pub("a", b"x", connection=publisher, descriptor=md)
    copy = sub.get().descriptor
    assert (copy.user_id, copy.appl_identity_data) == ("s", "")
    assert (copy.put_appl_type, copy.put_appl_name) == (mq.MQAT_BROKER, "QM1")
    assert (copy.format, copy.ccsid, copy.encoding) == ("MQSTR", 819, 273)
    assert (copy.report, copy.feedback) == (mq.MQRO_PASS_CORREL_ID, mq.MQFB_APPL_FIRST)
    assert copy.msg_type == mq.MQMT_APPL_FIRST
    assert 590 <= copy.expiry <= 600
    assert copy.correl_id == sub.sd.correl_id


def test_e21_when_object_and_string_then_full_topic_string(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(A) TOPICSTR('a')")
    plain = bed.sub("a/#")
    told = bed.sub("a/#", user_data="mine")
    bed.pub("b", "x", object_name="A")
    first, second = plain.get(), told.get()
    assert (first.topic, second.topic) == ("a/b", "a/b")
    assert second.properties["mqps.Sud"] == "mine"
    assert "mqps.Sud" not in first.properties


def test_e22_when_header_forced_then_names_of_folder_mqps(bed: Bed) -> None:
    sub = bed.sub("a", user_data="mine")
    bed.pub("a", "x", mq.MQPMO_RETAIN)
    message = sub.get(options=FORCE)
    folder = RulesHeader2.unpack(message.data).folder("mqps")
    assert "<Top>a</Top>" in folder
    assert "<Sud>mine</Sud>" in folder
    assert f'<Pub dt="i4">{mq.MQPUBO_RETAIN_PUBLICATION}</Pub>' in folder.replace("'", '"')
    assert '<Pbl dt="i4">9</Pbl>' in folder.replace("'", '"')
    assert "<Ret" not in folder


def test_e23_when_compat_queue_then_plain_data_and_properties_in_handle(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q) PROPCTL(COMPAT)")
    queue = bed.open("Q", mq.MQOO_INPUT_SHARED)
    sub = bed.sub("a", 0, queue=queue)
    bed.pub("a", "x")
    bed.pub("a", "y")
    assert sub.get(options=mq.MQGMO_PROPERTIES_COMPATIBILITY).data == b"x"
    assert sub.get(options=mq.MQGMO_PROPERTIES_IN_HANDLE).properties["mqps.Top"] == "a"


@pytest.mark.parametrize("form", ["NONE", "RFH2", "COMPAT"])
def test_e24_to_e26_when_psprop_given_then_its_form(bed: Bed, form: str) -> None:
    bed.mqsc(f"DEFINE QLOCAL(Q)\nDEFINE SUB(S) TOPICSTR('a b') DEST(Q) PSPROP({form})")
    queue = bed.open("Q", mq.MQOO_INPUT_SHARED)
    md = Descriptor(format="MQSTR", ccsid=1208)
    bed.pub("a b", b"data", descriptor=md, properties={"colour": "red"})
    message = take(bed.connection, queue)
    assert not [name for name in message.properties if name.startswith("mqps.")]
    assert message.properties["colour"] == "red"
    if form == "NONE":
        assert message.data == b"data"
    elif form == "RFH2":
        header = RulesHeader2.unpack(message.data)
        assert "<Command>Publish</Command>" in header.folder("psc")
        assert "<Topic>a b</Topic>" in header.folder("psc")
        assert (header.format, header.ccsid) == ("MQSTR", 1208)
        assert message.data[header.structure_length :] == b"data"
    else:
        rules = RulesHeader.unpack(message.data)
        assert rules.name_values.startswith("MQPSCommand Publish")
        assert 'MQPSTopic "a b"' in rules.name_values
        assert message.data[rules.structure_length :] == b"data"


def test_e26_when_publication_is_pcf_then_parameters_are_added(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q)\nDEFINE SUB(S) TOPICSTR('a') DEST(Q) PSPROP(COMPAT)")
    queue = bed.open("Q", mq.MQOO_INPUT_SHARED)
    given = PCFMessage(mq.MQCFT_USER, 7, [integer(mq.MQIA_CURRENT_Q_DEPTH, 5)])
    for order, encoding in ((LITTLE, mq.MQENC_NATIVE), (BIG, 273)):
        md = Descriptor(format=mq.MQFMT_PCF, encoding=encoding, ccsid=1208)
        bed.pub("a", given.pack(order), mq.MQPMO_RETAIN, descriptor=md)
        message = take(bed.connection, queue)
        read = unpack_pcf(message.data, order)
        assert (read.kind, read.command) == (mq.MQCFT_USER, 7)
        assert [(one.parameter, one.value) for one in read.parameters] == [
            (mq.MQIA_CURRENT_Q_DEPTH, 5),
            (mq.MQCACF_TOPIC, "a"),
            (mq.MQIACF_PUBLICATION_OPTIONS, mq.MQPUBO_RETAIN_PUBLICATION),
        ]
    bed.pub("a", b"none", descriptor=Descriptor(format=mq.MQFMT_PCF))
    assert RulesHeader.unpack(take(bed.connection, queue).data).format == mq.MQFMT_PCF


def test_e27_when_property_not_to_be_copied_then_in_no_copy(bed: Bed) -> None:
    sub = bed.sub("a")
    bed.pub("a", "x", properties={"colour": "red"})
    assert sub.get().properties["colour"] == "red"
    hidden = Property("colour", mq.MQTYPE_STRING, "red", copy_options=mq.MQCOPY_NONE)
    shown = Property("size", mq.MQTYPE_STRING, "big")
    area = pack_area([hidden, shown])
    assert published_properties(area) == pack_area([shown])
    assert published_properties(pack_area([shown])) == pack_area([shown])


def test_e28_when_reports_asked_for_then_one_for_each_copy(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(R)")
    subs = [bed.sub("a"), bed.sub("a")]
    md = Descriptor(report=mq.MQRO_COA | mq.MQRO_COD, reply_to_queue="R")
    bed.pub("a", "x", descriptor=md)
    replies = bed.open("R", mq.MQOO_INPUT_SHARED)
    found = [take(bed.connection, replies).descriptor for _ in range(2)]
    copies = [sub.get().descriptor.msg_id for sub in subs]
    assert {one.feedback for one in found} == {mq.MQFB_COA}
    assert {one.correl_id for one in found} == set(copies)
    found = [take(bed.connection, replies).descriptor for _ in range(2)]
    assert [one.feedback for one in found] == [mq.MQFB_COD, mq.MQFB_COD]
    assert {one.correl_id for one in found} == set(copies)
    assert get(bed.connection, replies) is None


def test_e29_when_retained_expires_then_nobody_gets_it(bed: Bed) -> None:
    bed.pub("r", "x", mq.MQPMO_RETAIN, descriptor=Descriptor(expiry=50))
    bed.pass_time(2)
    sub = bed.sub("r")
    entry = bed.kernel.locals[sub.queue_name].queue.lanes[0].front.head
    assert 2.0 <= (entry.expiry_at - bed.kernel.clock.now_ns()) / 1e9 <= 3.0
    assert sub.get().is_retained
    bed.pass_time(4)
    assert bed.sub("r").texts() == []
    assert bed.mqsc("DISPLAY TPSTATUS('r') TYPE(TOPIC) RETAINED")[0]["RETAINED"] == "NO"


def test_e30_when_destination_becomes_topic_alias_then_failure(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q)\nDEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    bed.mqsc("DEFINE TOPIC(OTHER) TOPICSTR('other')\nDEFINE TOPIC(T) TOPICSTR('t')")
    bed.mqsc("DEFINE QALIAS(QA) TARGET(Q)\nDEFINE SUB(S) TOPICSTR('t') DEST(QA)")
    bed.mqsc("ALTER TOPIC(T) PMSGDLV(ALL) USEDLQ(NO)")
    md = Descriptor(persistence=1)
    assert reason_of(bed.pub, "t", "x", descriptor=md) == 0
    bed.mqsc("ALTER QALIAS(QA) TARGET(OTHER) TARGTYPE(TOPIC)")
    assert reason_of(bed.pub, "t", "x", descriptor=md) == mq.MQRC_PUBLICATION_FAILURE
    bed.mqsc("ALTER TOPIC(T) USEDLQ(YES)")
    assert reason_of(bed.pub, "t", "x", descriptor=md) == 0
    dead = take(bed.connection, bed.open("DLQ", mq.MQOO_INPUT_SHARED))
    assert int.from_bytes(dead.data[8:12], "little") == mq.MQRC_ALIAS_TARGTYPE_CHANGED


def test_e31_when_many_durable_then_one_body(lasting: Bed) -> None:
    count = 40
    names = [f"Q{number}" for number in range(count)]
    lasting.mqsc("\n".join(f"DEFINE QLOCAL({name})" for name in names))
    lasting.mqsc("\n".join(f"DEFINE SUB(S{n}) TOPICSTR('t') DEST(Q{n})" for n in range(count)))
    log = lasting.kernel.coordinator.log
    topic = lasting.open_topic("t").opened()
    before = log.end_lsn
    lasting.put(topic, b"x" * 10_000, descriptor=Descriptor(persistence=1))
    assert log.end_lsn - before < 10_000 + count * 200
    entries = [lasting.kernel.locals[name].queue.lanes[0].front.head for name in names]
    assert {id(one.data) for one in entries} == {id(entries[0].data)}
    lasting.restart()
    for name in names:
        message = take(lasting.connection, lasting.open(name, mq.MQOO_INPUT_SHARED))
        assert message.data == b"x" * 10_000
        assert message.properties["mqps.Top"] == "t"


def test_e21_when_inquired_by_ibm_names_then_found(bed: Bed) -> None:
    told = bed.sub("a/#", user_data="mine")
    plain = bed.sub("a/#")
    bed.pub("a/b", "x")
    handles = []
    for message in (told.get(options=FORCE), plain.get(options=FORCE)):
        handle = MessageHandle()
        handle.take_buffer(message.data, message.descriptor)
        handles.append(handle)
    assert handles[0].inquire("MQTopicString").value == "a/b"
    assert handles[0].inquire("MQSubUserData").value == "mine"
    assert handles[0].inquire("MQPubLevel").value == 9
    assert reason_of(handles[1].inquire, "MQSubUserData") == mq.MQRC_PROPERTY_NOT_AVAILABLE
