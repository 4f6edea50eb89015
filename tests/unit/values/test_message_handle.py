"""Goal: a message handle answers MQSETMP, MQINQMP, MQDLTMP, MQBUFMH and MQMHBUF as IBM MQ does.

Method: each option once, with the reasons of its errors; hypothesis: what a handle accepts is the
same after an MQRFH2.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.properties import mqrfh2_of
from ternmq.codec.property import Property
from ternmq.values.message_handle import MessageHandle
from tests.unit.codec.test_properties import CONTENT, SOUND, header
from tests.unit.codec.test_property_folders import shape
from tests.unit.codec.test_property_types import VALUES

pytestmark = pytest.mark.core

ONE_OF_EACH: dict[str, tuple[int, Any]] = {
    "boolean": (mq.MQTYPE_BOOLEAN, True),
    "bytes": (mq.MQTYPE_BYTE_STRING, b"\0\xff"),
    "no.bytes": (mq.MQTYPE_BYTE_STRING, b""),
    "i1": (mq.MQTYPE_INT8, -128),
    "i2": (mq.MQTYPE_INT16, -32768),
    "i4": (mq.MQTYPE_INT32, 42),
    "i8": (mq.MQTYPE_INT64, 1 << 62),
    "r4": (mq.MQTYPE_FLOAT32, 0.5),
    "r8": (mq.MQTYPE_FLOAT64, 0.1),
    "text": (mq.MQTYPE_STRING, "Tern & Co <Ltd>\r\n"),
    "empty": (mq.MQTYPE_STRING, ""),
    "nothing": (mq.MQTYPE_NULL, None),
}


def with_ones(*names: str) -> MessageHandle:
    handle = MessageHandle()
    for name in names:
        handle.set(name, f"value of {name}")
    return handle


def names_of(handle: MessageHandle) -> list[str]:
    return [one.name for one in handle.properties()]


def reason_of(action: Any, *args: Any, **kw: Any) -> int:
    with pytest.raises(MQError) as caught:
        action(*args, **kw)
    return caught.value.reason


def through_mqrfh2(handle: MessageHandle) -> MessageHandle:
    descriptor = Descriptor(format="MQSTR", ccsid=819)
    data = handle.as_buffer("%", descriptor, mq.MQMHBO_PROPERTIES_IN_MQRFH2)
    other = MessageHandle()
    other.take_buffer(data, descriptor)
    return other


# ---- types


def test_property_of_each_type_when_it_travels_then_it_comes_back() -> None:
    handle = MessageHandle()
    for name, (type, value) in ONE_OF_EACH.items():
        handle.set(name, value, type)
    other = through_mqrfh2(handle)
    for name, (type, value) in ONE_OF_EACH.items():
        for one in (handle, other):
            found = one.inquire(name)
            assert (found.type, found.value) == (type, value)


NAMES = st.one_of(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=12),
    st.from_regex(r"[A-Za-z_$]\w{0,5}(\.[A-Za-z_]\w{0,5}){0,2}", fullmatch=True),
    st.sampled_from(["usr.a", "mcd.Msd", "jms.x.y", "mq_usr.a.b", "mqtt.a", "Grösse", "_x", "a"]),
)
PLACES = st.sampled_from([0, 0, 4, 2, 8])


@settings(max_examples=500)
@given(
    st.lists(st.tuples(NAMES, VALUES, PLACES, st.sampled_from([0, 1]), st.integers(0, 31))),
    st.sampled_from([mq.MQCMHO_VALIDATE, mq.MQCMHO_NO_VALIDATION]),
    st.binary(max_size=20),
)
def test_properties_when_a_handle_accepts_them_then_an_mqrfh2_gives_the_same(
    given_ones: list[Any], validation: int, payload: bytes
) -> None:
    handle = MessageHandle(validation)
    for name, (type, value), place, context, copies in given_ones:
        try:
            handle.set(name, value, type, options=place, context=context, copy_options=copies)
            handle.inquire("%")
        except MQError:
            continue
    descriptor = Descriptor(format="MQSTR", ccsid=819)
    made = handle.properties()
    data = mqrfh2_of(made, "MQSTR", descriptor.encoding, 819) + payload
    descriptor.format = "MQHRF2"
    descriptor.ccsid = 1208
    other = MessageHandle()
    rest = other.take_buffer(data, descriptor, mq.MQBMHO_DELETE_PROPERTIES)
    assert shape(other.properties()) == shape(made)
    assert (rest, descriptor.format, descriptor.ccsid) == (payload, "MQSTR", 819)


@settings(max_examples=300)
@given(CONTENT, st.sampled_from([0, mq.MQBMHO_DELETE_PROPERTIES]))
def test_buffer_when_any_bytes_then_taking_it_does_not_fail(data: bytes, options: int) -> None:
    handle = MessageHandle()
    descriptor = Descriptor(format="MQHRF2", ccsid=1208)
    rest = handle.take_buffer(data + b"payload", descriptor, options)
    assert rest.endswith(b"payload")
    if not options:
        assert rest == data + b"payload"
    for one in handle.properties():
        handle.inquire(one.name)


# ---- MQSETMP


def test_handle_when_its_options_are_wrong_then_2046() -> None:
    assert reason_of(MessageHandle, 3) == 2046
    assert reason_of(MessageHandle, 4) == 2046


@pytest.mark.parametrize(("first", "second"), [("a.b", "a.b.c"), ("a.b.c", "a.b")])
def test_set_when_a_value_would_be_a_group_then_2498_and_the_first_stays(
    first: str, second: str
) -> None:
    handle = with_ones(first)
    assert reason_of(handle.set, second, "x") == 2498
    assert handle.inquire(first).value == f"value of {first}"
    assert names_of(handle) == [first]


def test_set_when_nothing_is_validated_then_any_name_travels() -> None:
    handle = MessageHandle(mq.MQCMHO_NO_VALIDATION)
    names = ["a.b", "a.b.c", "NULL", "JMSfoo", "Body.x", "Root.x", "mq.a.b", "a:b", "a-b"]
    for name in names:
        handle.set(name, "x")
    assert sorted(names_of(through_mqrfh2(handle))) == sorted(names)
    assert reason_of(handle.set, "a" * 4096, "x") == 2513


def test_set_when_the_name_is_there_then_its_value_and_type_are_replaced() -> None:
    handle = with_ones("a", "b")
    handle.set("a", 5, mq.MQTYPE_INT32, copy_options=mq.MQCOPY_REPLY)
    assert names_of(handle) == ["a", "b"]
    found = handle.inquire("a")
    assert (found.type, found.value, found.copy_options) == (64, 5, mq.MQCOPY_REPLY)


def test_set_when_new_then_it_is_behind_those_of_its_folder() -> None:
    handle = with_ones("a", "x.b", "c", "x.d", "y.e")
    assert names_of(handle) == ["a", "c", "x.b", "x.d", "y.e"]


def test_set_when_appended_then_there_are_two_of_the_name() -> None:
    handle = with_ones("a", "b")
    handle.set("a", "second", options=mq.MQSMPO_APPEND_PROPERTY)
    assert names_of(handle) == ["a", "a", "b"]
    assert [one.value for one in through_mqrfh2(handle).properties()] == [
        "value of a",
        "second",
        "value of b",
    ]
    assert handle.inquire("a").value == "value of a"
    assert handle.inquire("a", mq.MQIMPO_INQ_NEXT).value == "second"


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (mq.MQSMPO_SET_PROP_BEFORE_CURSOR, ["a", "new", "b", "c"]),
        (mq.MQSMPO_SET_PROP_AFTER_CURSOR, ["a", "b", "new", "c"]),
        (mq.MQSMPO_SET_PROP_UNDER_CURSOR, ["a", "b", "c"]),
    ],
)
def test_set_when_at_the_cursor_then_it_is_there(option: int, expected: list[str]) -> None:
    handle = with_ones("a", "b", "c")
    assert reason_of(handle.set, "new", "x", options=option) == 2471
    handle.inquire("b")
    handle.set("new", "x", options=option)
    assert names_of(handle) == expected
    under = handle.inquire("", mq.MQIMPO_INQ_PROP_UNDER_CURSOR)
    assert under.name == "b"
    assert under.value == ("x" if len(expected) == 3 else "value of b")
    handle.delete_property("", mq.MQDMPO_DEL_PROP_UNDER_CURSOR)
    assert reason_of(handle.set, "new", "x", options=option) == 2471


def test_set_when_options_exclude_each_other_then_2046() -> None:
    for options in (3, 16, mq.MQSMPO_APPEND_PROPERTY | mq.MQSMPO_SET_PROP_AFTER_CURSOR):
        assert reason_of(MessageHandle().set, "a", "x", options=options) == 2046


def test_set_when_the_descriptor_of_the_property_is_wrong_then_2482() -> None:
    assert reason_of(MessageHandle().set, "a", "x", context=2) == 2482
    assert reason_of(MessageHandle().set, "a", "x", copy_options=64) == 2482


def test_support_when_the_property_is_not_mqs_then_it_is_optional() -> None:
    handle = MessageHandle(mq.MQCMHO_NO_VALIDATION)
    required = mq.MQPD_SUPPORT_REQUIRED
    for name, support, expected in (
        ("a", required, 1),
        ("mq.a", required, required),
        ("mq.b", 1 << 25, required),
        ("mq.c", 1 << 12, mq.MQPD_SUPPORT_REQUIRED_IF_LOCAL),
        ("mq.d", 1, 1),
    ):
        handle.set(name, "x", support=support)
        assert handle.inquire(name).support == expected
    validating = MessageHandle()
    validating.set("mq.a", "x", support=required)
    assert validating.inquire("mq.a").support == mq.MQPD_SUPPORT_OPTIONAL


def test_set_when_there_would_be_too_many_properties_then_2478() -> None:
    handle = MessageHandle()
    for number in range(3):
        handle.set(f"n{number}" + ".a" * 2046, "1")
    handle.set("m" + ".a" * 1900, "1")
    assert reason_of(handle.set, "k" + ".a" * 200, "1") == 2478
    assert shape(through_mqrfh2(handle).properties()) == shape(handle.properties())


def test_set_when_properties_are_thousands_then_they_travel() -> None:
    handle = with_ones(*(f"p{number}" for number in range(8000)))
    assert len(through_mqrfh2(handle).properties()) == 8000


# ---- MQINQMP


def test_inquire_when_by_a_pattern_then_each_comes_once() -> None:
    handle = with_ones("com.ourcompany.a", "colour", "com.ourcompany.b.c", "com.other")
    seen = [handle.inquire("com.ourcompany.%").name]
    seen.append(handle.inquire("com.ourcompany.%", mq.MQIMPO_INQ_NEXT).name)
    assert seen == ["com.ourcompany.a", "com.ourcompany.b.c"]
    assert reason_of(handle.inquire, "com.ourcompany.%", mq.MQIMPO_INQ_NEXT) == 2471
    assert reason_of(handle.inquire, "com.ourcompany.%", mq.MQIMPO_INQ_NEXT) == 2471
    assert handle.inquire("com.ourcompany.%").name == "com.ourcompany.a"


def test_inquire_next_when_the_pattern_is_another_then_it_begins_again() -> None:
    handle = with_ones("a", "b", "c")
    handle.inquire("%")
    handle.inquire("%", mq.MQIMPO_INQ_NEXT)
    assert handle.inquire("usr.%", mq.MQIMPO_INQ_NEXT).name == "a"


def test_inquire_next_when_the_property_is_deleted_then_its_successor_comes() -> None:
    handle = with_ones("a", "b", "c")
    handle.inquire("%")
    handle.delete_property("", mq.MQDMPO_DEL_PROP_UNDER_CURSOR)
    assert reason_of(handle.inquire, "", mq.MQIMPO_INQ_PROP_UNDER_CURSOR) == 2471
    assert reason_of(handle.delete_property, "", mq.MQDMPO_DEL_PROP_UNDER_CURSOR) == 2471
    assert handle.inquire("%", mq.MQIMPO_INQ_NEXT).name == "b"
    handle.set("d", "x")
    assert [handle.inquire("%", mq.MQIMPO_INQ_NEXT).name for _ in "cd"] == ["c", "d"]


def test_inquire_when_the_buffer_is_short_then_2469_and_the_cursor_is_there() -> None:
    handle = MessageHandle()
    handle.set("a", "x" * 100)
    with pytest.raises(MQError) as caught:
        handle.inquire("a", value_length=10)
    assert (caught.value.comp, caught.value.reason) == (mq.MQCC_FAILED, 2469)
    assert (caught.value.result.value, caught.value.result.data_length) == ("x" * 10, 100)
    under = mq.MQIMPO_INQ_PROP_UNDER_CURSOR
    assert handle.inquire("a", under, value_length=100).value == "x" * 100
    assert reason_of(handle.inquire, "a", under, value_length=99) == 2469


def test_inquire_when_a_value_grows_beyond_the_buffer_then_the_cursor_stays() -> None:
    handle = MessageHandle()
    handle.set("a", "1")
    handle.set("b", "xxxx")
    handle.inquire("a")
    options = mq.MQIMPO_CONVERT_VALUE
    with pytest.raises(MQError) as caught:
        handle.inquire("b", options, value_length=4, ccsid=1200)
    assert caught.value.result.data_length == 8
    assert handle.inquire("", mq.MQIMPO_INQ_PROP_UNDER_CURSOR).name == "a"


def test_inquire_when_only_the_length_is_asked_then_there_is_no_value() -> None:
    handle = MessageHandle()
    handle.set("a", "äöü")
    found = handle.inquire("a", mq.MQIMPO_QUERY_LENGTH, value_length=0)
    assert (found.data_length, found.value, found.data) == (6, None, b"")
    assert handle.inquire("", mq.MQIMPO_INQ_PROP_UNDER_CURSOR).value == "äöü"


def test_inquire_when_of_another_type_then_it_is_as_set_unless_conversion_is_asked() -> None:
    handle = MessageHandle()
    handle.set("a", 7, mq.MQTYPE_INT32)
    found = handle.inquire("a", 0, mq.MQTYPE_STRING)
    assert (found.type, found.value) == (mq.MQTYPE_INT32, 7)
    found = handle.inquire("a", mq.MQIMPO_CONVERT_TYPE, mq.MQTYPE_STRING)
    assert (found.type, found.value, found.data) == (mq.MQTYPE_STRING, "7", b"7")
    assert handle.inquire("a", mq.MQIMPO_CONVERT_TYPE).value == 7
    for type, reason in ((mq.MQTYPE_INT8, 2470), (3, 2473)):
        assert reason_of(handle.inquire, "a", mq.MQIMPO_CONVERT_TYPE, type) == reason


def test_inquire_when_the_value_is_converted_then_it_is_in_that_encoding() -> None:
    handle = MessageHandle()
    handle.set("n", 1, mq.MQTYPE_INT32)
    handle.set("s", "é€")
    options = mq.MQIMPO_CONVERT_VALUE
    found = handle.inquire("n", options, encoding=mq.MQENC_NORMAL)
    assert (found.data, found.encoding) == (b"\0\0\0\1", mq.MQENC_NORMAL)
    found = handle.inquire("s", options, ccsid=1200, encoding=mq.MQENC_NORMAL)
    assert (found.data, found.ccsid, found.reason) == ("é€".encode("utf-16-be"), 1200, 0)


@pytest.mark.parametrize("ccsid", [819, 99999])
def test_inquire_when_the_character_set_cannot_have_it_then_a_warning_2466(ccsid: int) -> None:
    handle = MessageHandle()
    handle.set("s", "é€")
    found = handle.inquire("s", mq.MQIMPO_CONVERT_VALUE, ccsid=ccsid)
    assert (found.reason, found.value, found.ccsid) == (2466, "é€", 1208)
    assert found.data == "é€".encode()


def test_inquire_when_the_type_is_not_known_then_a_warning_2467_and_a_string() -> None:
    handle = MessageHandle()
    folder = b"<usr><t dt='dateTime.tz'>now</t></usr>"
    handle.take_buffer(header(folder), Descriptor(format="MQHRF2", ccsid=1208))
    found = handle.inquire("t")
    assert (found.reason, found.type, found.value) == (2467, mq.MQTYPE_STRING, "now")
    assert found.type_string == "dateTime"
    handle.set("t", "x")
    assert handle.inquire("t").reason == 0


def test_inquire_when_options_are_wrong_then_2046() -> None:
    handle = with_ones("a")
    for options in (1, 64, mq.MQIMPO_INQ_NEXT | mq.MQIMPO_INQ_PROP_UNDER_CURSOR):
        assert reason_of(handle.inquire, "a", options) == 2046


def test_property_when_not_there_then_2471() -> None:
    handle = with_ones("a")
    assert reason_of(handle.inquire, "b") == 2471
    assert reason_of(handle.delete_property, "b") == 2471
    assert reason_of(handle.inquire, "JMS_IBM_Format") == 2471
    assert reason_of(handle.inquire, "Root.MQMD.Version") == 2471
    assert reason_of(handle.inquire, "", mq.MQIMPO_INQ_PROP_UNDER_CURSOR) == 2471
    assert reason_of(handle.inquire, "") == 2442
    assert reason_of(handle.inquire, "a" * 4096) == 2513


def test_delete_when_by_name_then_the_first_goes() -> None:
    handle = with_ones("a", "b")
    handle.set("a", "second", options=mq.MQSMPO_APPEND_PROPERTY)
    handle.delete_property("usr.a")
    assert handle.inquire("a").value == "second"
    assert reason_of(handle.delete_property, "%") == 2442
    assert reason_of(handle.delete_property, "a", 2) == 2046


# ---- the descriptor


def test_field_when_set_inquired_and_deleted_then_it_is_the_descriptors() -> None:
    handle = MessageHandle()
    assert handle.inquire("Root.MQMD.Priority").value == mq.MQPRI_PRIORITY_AS_Q_DEF
    handle.set("Root.MQMD.Priority", 7, mq.MQTYPE_INT32)
    assert handle.inquire("Root.MQMD.Priority").value == 7
    assert handle.inquire("JMSPriority").value == 7
    assert (handle.fields_set, handle.properties()) == ({"Priority"}, [])
    handle.delete_property("Root.MQMD.Priority")
    assert (handle.fields_set, handle.descriptor.priority) == (set(), -1)


def test_fields_when_inquired_by_a_pattern_then_each_comes_once() -> None:
    handle = with_ones("a")
    names = [handle.inquire("Root.MQMD.%").name]
    names += [handle.inquire("Root.MQMD.%", mq.MQIMPO_INQ_NEXT).name for _ in range(26)]
    assert len(set(names)) == 27
    assert reason_of(handle.inquire, "Root.MQMD.%", mq.MQIMPO_INQ_NEXT) == 2471
    assert reason_of(handle.delete_property, "", mq.MQDMPO_DEL_PROP_UNDER_CURSOR) == 2471
    assert handle.inquire("%").name == "a"


def test_correlation_when_set_by_any_name_then_all_agree() -> None:
    handle = MessageHandle()
    text = "ID:" + "41" * 24
    handle.set("JMSCorrelationID", text)
    for one in (handle, through_mqrfh2(handle)):
        assert one.inquire("JMSCorrelationID").value == text
        assert one.inquire("jms.Cid").value == text
    assert handle.inquire("Root.MQMD.CorrelId").value == b"A" * 24
    handle.set("Root.MQMD.CorrelId", b"B" * 24, mq.MQTYPE_BYTE_STRING)
    assert handle.inquire("JMSCorrelationID").value == "ID:" + "42" * 24
    handle.delete_property("JMSCorrelationID")
    assert reason_of(handle.inquire, "JMSCorrelationID") == 2471
    assert reason_of(handle.delete_property, "JMSCorrelationID") == 2471


def test_group_when_set_by_jms_names_then_the_descriptor_has_it() -> None:
    handle = MessageHandle()
    handle.set("JMSXGroupID", "ID:" + "41" * 24)
    handle.set("JMSXGroupSeq", 3, mq.MQTYPE_INT32)
    assert handle.descriptor.group_id == b"A" * 24
    assert handle.descriptor.msg_seq_number == 3
    assert handle.fields_set == {"GroupId", "MsgFlags", "MsgSeqNumber"}
    assert handle.inquire("JMSXGroupSeq").type == mq.MQTYPE_INT32


@pytest.mark.parametrize("name", ["JMSMessageID", "JMSPriority", "JMSRedelivered", "JMSXUserID"])
def test_jms_name_when_it_cannot_be_set_then_2442(name: str) -> None:
    assert reason_of(MessageHandle().set, name, "x") == 2442


def test_set_when_a_field_is_refused_then_nothing_has_changed() -> None:
    handle = MessageHandle()
    assert reason_of(handle.set, "JMSReplyTo", "queue://" + "Q" * 49 + "/R") == 2005
    assert (handle.descriptor.reply_to_queue, handle.properties()) == ("", [])


# ---- buffers


def test_mqbufmh_when_properties_are_deleted_then_other_folders_stay() -> None:
    descriptor = Descriptor(format="MQHRF2", ccsid=1208)
    data = header(SOUND, b"<mine><x>1</x></mine>") + b"payload"
    handle = with_ones("old")
    rest = handle.take_buffer(data, descriptor, mq.MQBMHO_DELETE_PROPERTIES)
    assert names_of(handle) == ["a"]
    assert rest == header(b"<mine><x>1</x></mine>") + b"payload"
    assert (descriptor.format, descriptor.ccsid) == ("MQHRF2", 1208)
    rest = handle.take_buffer(header(SOUND) + b"x", descriptor, mq.MQBMHO_DELETE_PROPERTIES)
    assert (rest, descriptor.format, descriptor.ccsid) == (b"x", "MQSTR", 819)
    assert reason_of(handle.take_buffer, b"", descriptor, 2) == 2046


def test_mqbufmh_when_properties_are_kept_then_the_data_is_as_it_was() -> None:
    descriptor = Descriptor(format="MQHRF2", ccsid=1208, priority=3)
    data = header(SOUND) + b"payload"
    handle = MessageHandle()
    assert handle.take_buffer(data, descriptor) == data
    assert (descriptor.format, handle.inquire("a").value) == ("MQHRF2", "1")
    assert handle.inquire("Root.MQMD.Priority").value == 3


def test_mqmhbuf_when_the_buffer_is_short_then_2469_and_its_length() -> None:
    handle = with_ones("a", "b.c")
    options = mq.MQMHBO_PROPERTIES_IN_MQRFH2
    descriptor = Descriptor(format="MQSTR", ccsid=819)
    with pytest.raises(MQError) as caught:
        handle.as_buffer("%", descriptor, options, 10)
    assert (caught.value.reason, descriptor.format) == (2469, "MQSTR")
    length = caught.value.result
    data = handle.as_buffer("%", descriptor, options, length)
    assert (len(data), descriptor.format, descriptor.ccsid) == (length, "MQHRF2", 1208)
    assert names_of(handle) == ["a", "b.c"]


def test_mqmhbuf_when_options_or_name_are_wrong_then_it_is_refused() -> None:
    handle = with_ones("a")
    for options in (0, mq.MQMHBO_DELETE_PROPERTIES, 4 | mq.MQMHBO_PROPERTIES_IN_MQRFH2):
        assert reason_of(handle.as_buffer, "%", Descriptor(), options) == 2046
    assert reason_of(handle.as_buffer, "b%", Descriptor(), 1) == 2471


def test_mqmhbuf_when_properties_are_deleted_then_only_those_of_the_buffer() -> None:
    handle = with_ones("a", "b.c", "b.d")
    options = mq.MQMHBO_PROPERTIES_IN_MQRFH2 | mq.MQMHBO_DELETE_PROPERTIES
    assert reason_of(handle.as_buffer, "b.%", Descriptor(), options, 10) == 2469
    assert names_of(handle) == ["a", "b.c", "b.d"]
    handle.as_buffer("b.%", Descriptor(), options)
    assert names_of(handle) == ["a"]


# ---- life


def test_handle_when_another_connections_or_deleted_then_2460() -> None:
    handle = MessageHandle(connection=1)
    handle.use(1, "MQSETMP")
    handle.release()
    assert reason_of(handle.use, 2, "MQSETMP") == 2460
    handle.delete()
    assert reason_of(handle.use, 1, "MQSETMP") == 2460
    for_all = MessageHandle()
    for connection in (1, 2):
        for_all.use(connection, "MQPUT")
        for_all.release()


def test_handle_when_another_call_uses_it_then_2499() -> None:
    handle = MessageHandle()
    reasons: list[int] = []
    handle.use(1, "MQGET")
    thread = threading.Thread(target=lambda: reasons.append(reason_of(handle.use, 1, "MQSETMP")))
    thread.start()
    thread.join()
    assert reasons == [2499]
    handle.release()
    handle.use(1, "MQSETMP")


def test_handle_when_a_message_is_got_then_it_has_nothing_else() -> None:
    handle = with_ones("old")
    handle.set("Root.MQMD.Priority", 7, mq.MQTYPE_INT32)
    handle.take_message(Descriptor(priority=2, expiry=10), None, 1_000)
    assert (handle.properties(), handle.fields_set) == ([], set())
    assert handle.inquire("Root.MQMD.Priority").value == 2
    assert handle.inquire("JMSExpiration").value == 2_000


def test_cursor_when_the_handle_was_put_then_it_is_on_nothing() -> None:
    handle = with_ones("a")
    handle.inquire("a")
    handle.reset_cursor()
    assert reason_of(handle.inquire, "", mq.MQIMPO_INQ_PROP_UNDER_CURSOR) == 2471


def test_property_when_set_by_value_then_properties_shows_it() -> None:
    handle = MessageHandle()
    handle.set("a", 1, mq.MQTYPE_INT8, context=mq.MQPD_USER_CONTEXT)
    expected = Property("a", mq.MQTYPE_INT8, 1, context=mq.MQPD_USER_CONTEXT)
    assert shape(handle.properties()) == shape([expected])
