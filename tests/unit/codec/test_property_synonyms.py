"""Goal: fields of the MQMD and JMS names are properties, with the values that IBM MQ gives them.

Method: each JMS name on a message of the MQI and on one of JMS; each name that can be set, seen
from the MQMD, from its folder and by its name; every field of the MQMD.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqmd import LAYOUT, Descriptor
from ternmq.codec.property import PropertyValue
from ternmq.codec.property_synonyms import (
    FIELDS,
    SETTABLE,
    SYNONYMS,
    field_of,
    field_value,
    id_bytes,
    id_text,
    is_descriptor_name,
    jms_value,
    set_field,
    set_jms,
)

pytestmark = pytest.mark.core

MSG_ID = bytes(range(24))
PUT_MS = int(datetime(2026, 11, 17, 8, 30, 15, 250_000, UTC).timestamp() * 1000)
OF_MQI = Descriptor(
    msg_id=MSG_ID,
    correl_id=b"\1" * 24,
    group_id=b"\2" * 24,
    msg_seq_number=3,
    persistence=1,
    priority=7,
    expiry=100,
    backout_count=1,
    reply_to_queue="REPLIES",
    reply_to_qmgr="QM2",
    user_id="anna",
    put_appl_name="orders",
    put_date="20261117",
    put_time="08301525",
)
OF_JMS: dict[str, PropertyValue] = {
    "jms.Cid": "order 7",
    "jms.Dlv": 1,
    "jms.Dst": "queue:///ORDERS",
    "jms.Exp": 99,
    "jms.Pri": 4,
    "jms.Rto": "topic://replies",
    "jms.Tms": 98,
    "jms.Gid": "group",
    "jms.Seq": 5,
    "mcd.Msd": "xml",
    "mcd.Set": "s",
    "mcd.Type": "t",
    "mcd.Fmt": "f",
}


@pytest.mark.parametrize(
    ("name", "of_mqi", "of_jms"),
    [
        ("JMSCorrelationID", "ID:" + "01" * 24, "order 7"),
        ("JMSDeliveryMode", 2, 1),
        ("JMSDestination", None, "queue:///ORDERS"),
        ("JMSExpiration", PUT_MS + 10_000, 99),
        ("JMSMessageID", "ID:" + MSG_ID.hex(), "ID:" + MSG_ID.hex()),
        ("JMSPriority", 7, 7),
        ("JMSRedelivered", True, True),
        ("JMSReplyTo", "queue://QM2/REPLIES", "topic://replies"),
        ("JMSTimestamp", PUT_MS, 98),
        ("JMSType", None, "mcd://xml/s/t?format=f"),
        ("JMSXAppID", "orders", "orders"),
        ("JMSXDeliveryCount", 2, 2),
        ("JMSXGroupID", "ID:" + "02" * 24, "group"),
        ("JMSXGroupSeq", 3, 5),
        ("JMSXUserID", "anna", "anna"),
    ],
)
def test_jms_name_when_inquired_then_its_value_is_as_in_the_table(
    name: str, of_mqi: PropertyValue, of_jms: PropertyValue
) -> None:
    assert jms_value(name, OF_MQI, {}) == of_mqi
    assert jms_value(name, OF_MQI, OF_JMS) == of_jms


def test_jms_names_when_counted_then_there_are_fifteen_and_five_can_be_set() -> None:
    assert len(SYNONYMS) == 15
    assert len(SETTABLE) == 5
    assert not is_descriptor_name("JMS_IBM_Format")


def test_jms_name_when_the_message_says_nothing_then_it_is_not_there() -> None:
    plain = Descriptor()
    missing = {name for name in SYNONYMS if jms_value(name, plain, {}) is None}
    assert missing == SYNONYMS.keys() - {"JMSExpiration", "JMSRedelivered", "JMSXDeliveryCount"}
    assert jms_value("JMSRedelivered", plain, {}) is False
    assert jms_value("JMSXDeliveryCount", plain, {}) == 1
    assert jms_value("JMSExpiration", plain, {}) == 0


def test_jms_expiration_when_it_is_known_when_expiry_was_read_then_it_counts_from_there() -> None:
    assert jms_value("JMSExpiration", OF_MQI, {}, 5_000) == 15_000


def test_jms_priority_when_the_mqmd_has_none_then_it_is_that_of_the_folder() -> None:
    assert jms_value("JMSPriority", Descriptor(), OF_JMS) == 4


def test_jms_type_when_without_set_and_format_then_it_is_the_type() -> None:
    assert jms_value("JMSType", Descriptor(), {"mcd.Msd": "jms_text", "mcd.Type": "t"}) == "t"


# ---- setting


@pytest.mark.parametrize(
    ("name", "value", "fields", "folder"),
    [
        ("JMSCorrelationID", "ID:" + "41" * 24, {"correl_id": b"A" * 24}, "jms.Cid"),
        ("JMSCorrelationID", "short", {"correl_id": b"short".ljust(24, b"\0")}, "jms.Cid"),
        ("JMSCorrelationID", "ID:mine", {"correl_id": b"ID:mine".ljust(24, b"\0")}, "jms.Cid"),
        ("JMSXGroupID", "ID:" + "42" * 24, {"group_id": b"B" * 24, "msg_flags": 8}, "jms.Gid"),
        ("JMSXGroupSeq", 9, {"msg_seq_number": 9}, "jms.Seq"),
        ("JMSReplyTo", "queue://Q/R", {"reply_to_queue": "R", "reply_to_qmgr": "Q"}, "jms.Rto"),
        ("JMSReplyTo", "queue:///R?x=1", {"reply_to_queue": "R", "reply_to_qmgr": ""}, "jms.Rto"),
        ("JMSReplyTo", "topic://R", {}, "jms.Rto"),
        ("JMSType", "t", {}, "mcd.Type"),
    ],
)
def test_jms_name_when_set_then_mqmd_and_folder_say_the_same(
    name: str, value: Any, fields: dict[str, Any], folder: str
) -> None:
    descriptor = Descriptor()
    named, properties = set_jms(descriptor, name, SYNONYMS[name].type, value)
    assert [(one.name, one.value) for one in properties] == [(folder, value)]
    assert {FIELDS[one].attribute for one in named} == fields.keys()
    for field, expected in fields.items():
        assert getattr(descriptor, field) == expected
    assert jms_value(name, descriptor, {folder: value}) == value


def test_jms_type_when_a_uri_is_set_then_it_is_taken_apart() -> None:
    _, properties = set_jms(Descriptor(), "JMSType", mq.MQTYPE_STRING, "mcd://xml/s/t?format=f")
    folders = {one.name: one.value for one in properties}
    assert folders == {"mcd.Msd": "xml", "mcd.Set": "s", "mcd.Type": "t", "mcd.Fmt": "f"}
    assert jms_value("JMSType", Descriptor(), folders) == "mcd://xml/s/t?format=f"


@given(st.binary(min_size=24, max_size=24).filter(lambda raw: any(raw)))
def test_identifier_when_written_as_text_then_its_bytes_are_the_same(raw: bytes) -> None:
    text = id_text(raw)
    assert text is not None
    assert id_bytes(text) == raw


def test_field_when_set_then_it_is_read_the_same() -> None:
    samples: dict[int, Any] = {
        mq.MQTYPE_INT32: 7,
        mq.MQTYPE_STRING: "AB",
        mq.MQTYPE_BYTE_STRING: b"\1",
    }
    assert {field.attribute for field in FIELDS.values()} == {row.name for row in LAYOUT.fields}
    for name, field in FIELDS.items():
        descriptor = Descriptor()
        set_field(descriptor, f"Root.MQMD.{name}", field.type, samples[field.type])
        expected = samples[field.type]
        if isinstance(expected, bytes):
            expected = expected.ljust(field.size, b"\0")
        assert field_value(descriptor, field) == expected
        assert Descriptor.unpack(descriptor.pack()).pack() == descriptor.pack()


@pytest.mark.parametrize(
    ("name", "type", "value", "reason"),
    [
        ("Root.MQMD.Version", mq.MQTYPE_INT32, 2, 2442),
        ("Root.MQMD.StrucId", mq.MQTYPE_STRING, "MD", 2442),
        ("Root.MQMD.priority", mq.MQTYPE_INT32, 2, 2442),
        ("Root.MQMD.Priority", mq.MQTYPE_STRING, "2", 2473),
        ("Root.MQMD.Priority", mq.MQTYPE_INT64, 2, 2473),
        ("Root.MQMD.MsgId", mq.MQTYPE_STRING, "2", 2473),
        ("Root.MQMD.Format", mq.MQTYPE_STRING, "123456789", 2005),
        ("Root.MQMD.MsgId", mq.MQTYPE_BYTE_STRING, bytes(25), 2005),
    ],
)
def test_field_when_name_type_or_length_is_wrong_then_it_is_refused(
    name: str, type: int, value: Any, reason: int
) -> None:
    with pytest.raises(MQError) as caught:
        set_field(Descriptor(), name, type, value)
    assert caught.value.reason == reason


def test_jms_name_when_of_another_type_then_2473() -> None:
    for name, type, value in (("JMSXGroupSeq", mq.MQTYPE_STRING, "1"), ("JMSType", 64, 1)):
        with pytest.raises(MQError) as caught:
            set_jms(Descriptor(), name, type, value)
        assert caught.value.reason == 2473


def test_field_when_the_name_is_not_one_then_there_is_none() -> None:
    assert field_of("Priority") is None
    assert field_of("Root.MQMD.Nope") is None
