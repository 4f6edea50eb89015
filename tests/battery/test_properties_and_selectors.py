"""Goal: the rules of properties and selectors hold through every binding; the numbers are those of
docs/reference/conformance-messages.md.
Method: the battery's queue managers; puts with properties and with MQRFH2 headers, gets by options,
PROPCTL and selectors.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.admin.mqsc.config_dump import DumpChoice, dump_lines
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from tests.unit.codec.test_properties import SOUND, UNSOUND, header

pytestmark = pytest.mark.core

CONTROLS = ("ALL", "COMPAT", "FORCE", "NONE", "V6COMPAT")
PAYLOAD = b"the payload"
HEADED = header(SOUND) + PAYLOAD
MD = ternmq.Descriptor(format="MQHRF2", encoding=mq.MQENC_INTEGER_REVERSED, ccsid=1208)
TYPED: dict[str, tuple[Any, int]] = {
    "boolean": (True, mq.MQTYPE_BOOLEAN),
    "bytes": (b"\0\xff", mq.MQTYPE_BYTE_STRING),
    "i8": (ternmq.Int8(-128), mq.MQTYPE_INT8),
    "i16": (ternmq.Int16(-32768), mq.MQTYPE_INT16),
    "i32": (ternmq.Int32(1 << 30), mq.MQTYPE_INT32),
    "i64": (ternmq.Int64(-(1 << 63)), mq.MQTYPE_INT64),
    "r32": (ternmq.Float32(0.25), mq.MQTYPE_FLOAT32),
    "r64": (1e300, mq.MQTYPE_FLOAT64),
    "text": ("Gr\u00f6\u00dfe <&>", mq.MQTYPE_STRING),
    "nothing": (None, mq.MQTYPE_NULL),
    "noText": ("", mq.MQTYPE_STRING),
    "noBytes": (b"", mq.MQTYPE_BYTE_STRING),
}


@pytest.fixture
def queues(qmgr: QueueManager) -> QueueManager:
    """A queue for each PROPCTL, and queue A."""
    for name in CONTROLS:
        assert qmgr.mqsc(f"DEFINE QLOCAL({name}) PROPCTL({name})")[0].ok
    qmgr.define_queue("A")
    return qmgr


def reason_of(queue: ternmq.Queue, properties: dict[str, Any]) -> int:
    """The reason of a put that is refused; 0 if it is not."""
    try:
        queue.put(b"x", properties=properties)
    except MQError as error:
        return error.reason
    return 0


def texts(queue: ternmq.Queue) -> list[str]:
    return [message.text for message in queue.browse()]


# ---- properties


def test_property_of_each_type_when_put_and_got_then_it_is_the_same(queues: QueueManager) -> None:
    """P1."""
    with queues.queue("A") as queue:
        queue.put(b"x", properties={name: value for name, (value, _) in TYPED.items()})
        found = queue.get().properties
    assert {name: (found[name], found.typed(name).type) for name in found} == TYPED


NAMES: list[tuple[str, int]] = [
    ("n" * 4095, 0),
    ("n" * 4096, 2513),
    *((name, 0) for name in ("Gr\u00f6sse", "_x", "$x", "a.b.c", "mq_usr.a.b", "Bodywork")),
    *((name, 2442) for name in ("NULL", "true", "Between", "LIKE", "in", "escape", "not")),
    *((name, 2442) for name in ("JMSfoo", "usr.JMSfoo", "Body.x", "Root.x", "a..b", "1a")),
    *((name, 2442) for name in ("mq.a.b", "MQfoo.a.b")),
]


@pytest.mark.parametrize(("name", "reason"), NAMES)
def test_name_when_put_then_it_is_accepted_or_its_reason(
    queues: QueueManager, name: str, reason: int
) -> None:
    """P3, P5, P6, P7, P9."""
    with queues.queue("A") as queue:
        assert reason_of(queue, {name: 1}) == reason
        if reason == 0:
            assert dict(queue.get().properties) == {name: 1}


@pytest.mark.parametrize("value", [ternmq.Int8(300), ternmq.Float32(1e300), 1 << 63])
def test_value_when_it_does_not_fit_its_type_then_2473(queues: QueueManager, value: object) -> None:
    """P2."""
    with queues.queue("A") as queue:
        assert reason_of(queue, {"a": value}) == 2473


@pytest.mark.parametrize("names", [("a.b", "a.b.c"), ("a.b.c", "a.b"), ("a.b.c.d", "a.b")])
def test_name_when_it_is_a_value_and_a_group_then_2498(
    queues: QueueManager, names: tuple[str, str]
) -> None:
    """P10."""
    with queues.queue("A") as queue:
        assert reason_of(queue, dict.fromkeys(names, 1)) == 2498
        assert reason_of(queue, {"a.b": 1, "a.c.d": 2, "a": 3}) == 0


def test_maxmsgl_then_it_counts_the_data_and_folders_that_are_no_properties(
    queues: QueueManager,
) -> None:
    """P36, P37."""
    queues.define_queue("SHORT", max_message_length=100)
    head = header(b"<usr><a>123456789</a></usr> ")
    own = header(SOUND, b"<mine><x>0123456789</x></mine>  ")
    with queues.queue("SHORT") as queue:
        queue.put(head + bytes(60), descriptor=MD)
        with pytest.raises(MQError) as caught:
            queue.put(own + bytes(60), descriptor=MD)
        assert caught.value.reason == 2030
        with pytest.raises(MQError) as caught:
            queue.get(options=mq.MQGMO_PROPERTIES_FORCE_MQRFH2, max_length=100)
        assert caught.value.reason == 2080
        assert caught.value.result.length == 128
        message = queue.get(max_length=60)
        assert (message.length, dict(message.properties)) == (60, {"a": "123456789"})


def test_properties_when_handed_on_then_values_and_types_are_the_same(
    queues: QueueManager,
) -> None:
    """P38."""
    with queues.queue("A") as queue:
        queue.put(b"1", properties={"a": ternmq.Int16(3), "b.c": None})
        first = queue.get()
        queue.put(b"2", properties=first.properties)
        second = queue.get()
    assert second.properties == {"a": 3, "b.c": None}
    assert second.properties.typed("a").type == mq.MQTYPE_INT16


# ---- MQRFH2 and PROPCTL


@pytest.mark.parametrize("folder", [one for one in UNSOUND if len(one) % 4 == 0])
def test_folder_when_not_sound_then_the_message_comes_whole_and_no_selector_sees_it(
    queues: QueueManager, folder: bytes
) -> None:
    """R2, R3."""
    data = header(folder) + PAYLOAD
    with queues.queue("A") as queue, queues.queue("A", selector="a IS NOT NULL") as choosy:
        for options in (0, mq.MQGMO_NO_PROPERTIES, mq.MQGMO_PROPERTIES_IN_HANDLE):
            queue.put(data, descriptor=MD)
            assert choosy.try_get() is None
            message = queue.get(options=options)
            assert (message.data, dict(message.properties)) == (data, {})
        assert queue.depth == 0


def test_header_when_behind_another_then_it_is_properties_too(queues: QueueManager) -> None:
    """R5."""
    two = header(SOUND, format=b"MQHRF2  ") + header(b"<usr><b>2</b></usr>  ") + PAYLOAD
    little = mq.MQENC_INTEGER_REVERSED
    front = DeadLetterHeader(format="MQHRF2", encoding=little, ccsid=1208).pack("<")
    dead = ternmq.Descriptor(format="MQDEAD", encoding=little, ccsid=1208)
    with queues.queue("A") as queue:
        queue.put(two, descriptor=MD)
        message = queue.get()
        assert (message.data, dict(message.properties)) == (PAYLOAD, {"a": "1", "b": "2"})
        queue.put(front + HEADED, descriptor=dead)
        message = queue.get()
        assert (message.data[:4], message.data[172:]) == (b"DLH ", PAYLOAD)
        assert message.properties == {"a": "1"}


FOLDERS = [
    "mcd",
    "jms",
    "usr",
    "mqext",
    "mq",
    "mq_usr",
    "mqps",
    "mqpse",
    "mqema",
    "sib",
    "sib_usr",
    "sib_context",
]


@pytest.mark.parametrize("name", FOLDERS)
def test_folder_when_one_of_mq_then_it_holds_properties(queues: QueueManager, name: str) -> None:
    """R7."""
    folder = f"<{name}><x>1</x></{name}>".encode()
    with queues.queue("A") as queue:
        queue.put(header(folder) + PAYLOAD, descriptor=MD)
        message = queue.get()
    assert message.data == PAYLOAD
    assert message.properties == {"x" if name == "usr" else f"{name}.x": "1"}


def test_folder_when_the_applications_then_its_content_attribute_decides(
    queues: QueueManager,
) -> None:
    """R7."""
    with queues.queue("A") as queue:
        queue.put(header(b"<own><x>1</x></own> ") + PAYLOAD, descriptor=MD)
        message = queue.get()
        assert (message.data[:4], dict(message.properties)) == (b"RFH ", {})
        queue.put(header(b"<own content='properties'><x>1</x></own>") + PAYLOAD, descriptor=MD)
        message = queue.get()
        assert (message.data, dict(message.properties)) == (PAYLOAD, {"own.x": "1"})


def test_element_of_jms_when_without_a_type_then_it_has_that_of_jms(queues: QueueManager) -> None:
    """R8."""
    names = {"Dlv": 2, "Exp": 9, "Pri": 7, "Tms": 5, "Seq": 1}
    folder = "".join(f"<{name}>{value}</{name}>" for name, value in names.items())
    with queues.queue("A") as queue:
        queue.put(header(f"<jms>{folder}</jms>".encode()) + PAYLOAD, descriptor=MD)
        found = queue.get().properties
    assert dict(found) == {f"jms.{name}": value for name, value in names.items()}
    long = {name for name in found if found.typed(name).type == mq.MQTYPE_INT64}
    assert long == {"jms.Exp", "jms.Tms"}
    assert {found.typed(name).type for name in set(found) - long} == {mq.MQTYPE_INT32}


@pytest.mark.parametrize("control", CONTROLS)
def test_propctl_when_there_is_no_option_then_it_decides(
    queues: QueueManager, control: str
) -> None:
    """C1: with a handle, for which `message.properties` stands."""
    with queues.queue(control) as queue:
        queue.put(HEADED, descriptor=MD)
        queue.put(PAYLOAD, properties={"x.y": 5})
        queue.put(PAYLOAD)
        headed, furnished, plain = queue.get(), queue.get(), queue.get()
    assert headed.data == (HEADED if control in ("FORCE", "V6COMPAT") else PAYLOAD)
    assert furnished.data.startswith(b"RFH ") == (control == "FORCE")
    assert furnished.properties == {"x.y": 5}
    assert (plain.data, dict(plain.properties)) == (PAYLOAD, {})


@pytest.mark.parametrize("control", CONTROLS)
def test_option_when_given_then_it_wins_over_propctl(queues: QueueManager, control: str) -> None:
    """C2, C5, C6."""
    with queues.queue(control) as queue:
        for _ in range(4):
            queue.put(HEADED, descriptor=MD)
        assert queue.get(options=mq.MQGMO_PROPERTIES_FORCE_MQRFH2).data == HEADED
        assert queue.get(options=mq.MQGMO_PROPERTIES_COMPATIBILITY).data == HEADED
        dropped = queue.get(options=mq.MQGMO_NO_PROPERTIES, max_length=len(PAYLOAD))
        assert (dropped.data, dict(dropped.properties)) == (PAYLOAD, {})
        apart = queue.get(options=mq.MQGMO_PROPERTIES_IN_HANDLE)
        assert (apart.data, dict(apart.properties)) == (PAYLOAD, {"a": "1"})


def test_compatibility_when_no_property_is_for_jms_then_none_comes(queues: QueueManager) -> None:
    """C1, C2."""
    with queues.queue("FORCE") as queue:
        queue.put(PAYLOAD, properties={"x.y": 5})
        message = queue.get(options=mq.MQGMO_PROPERTIES_COMPATIBILITY)
    assert (message.data, dict(message.properties)) == (PAYLOAD, {})


def test_propctl_of_an_alias_then_it_counts_and_not_its_targets(queues: QueueManager) -> None:
    """C7."""
    assert queues.mqsc("DEFINE QALIAS(BARE) TARGET(ALL) PROPCTL(FORCE)")[0].ok
    with queues.queue("BARE") as alias, queues.queue("ALL") as queue:
        queue.put(HEADED, descriptor=MD)
        queue.put(HEADED, descriptor=MD)
        assert alias.get().data == HEADED
        assert queue.get().data == PAYLOAD


CHOICES = (
    mq.MQGMO_NO_PROPERTIES,
    mq.MQGMO_PROPERTIES_FORCE_MQRFH2,
    mq.MQGMO_PROPERTIES_IN_HANDLE,
    mq.MQGMO_PROPERTIES_COMPATIBILITY,
)


@pytest.mark.parametrize("pair", list(combinations(CHOICES, 2)))
def test_options_when_two_exclude_each_other_then_2046(
    queues: QueueManager, pair: tuple[int, int]
) -> None:
    """C4."""
    with queues.queue("A") as queue, pytest.raises(MQError) as caught:
        queue.get(options=pair[0] | pair[1])
    assert caught.value.reason == 2046


# ---- selectors


STOCK: dict[str, dict[str, Any]] = {
    "pen": {"colour": "red", "price": 2, "new": True, "code": "12993"},
    "ink": {"colour": "blue", "price": 7.5, "new": False, "code": "_a", "raw": b"\x0a\xfc"},
    "nib": {"price": ternmq.Int8(-3), "code": "literal's"},
    "jar": {"colour": None, "price": "2", "code": 3},
}


@pytest.fixture
def stock(queues: QueueManager) -> QueueManager:
    """Messages on queue A, named as in the tests below."""
    for text, properties in STOCK.items():
        queues.put("A", text, properties=properties)
    return queues


SELECTED: list[tuple[str, str]] = [
    ("TRUE", "pen ink nib jar"),  # S4
    ("new AND NOT FALSE", "pen"),  # S6
    ("new OR price < 0", "pen nib"),
    ("NOT new", "ink"),
    ("NOT (colour = 'red' AND price > 0)", "ink nib jar"),
    ("price = 2", "pen"),  # S7: 2 is not '2'
    ("price <> 2", "ink nib"),
    ("new > FALSE OR code > '1'", ""),
    ("code LIKE '12%3'", "pen"),  # S8
    (r"code LIKE '\_%' ESCAPE '\'", "ink"),
    ("code LIKE '_______'", ""),
    ("code LIKE '*'", ""),
    ("code NOT LIKE '1%'", "ink nib"),
    ("price BETWEEN 2 AND 7.5", "pen ink"),  # S9
    ("price NOT BETWEEN 2 AND 7.5", "nib"),
    ("colour IN ('red', 'green')", "pen"),
    ("colour NOT IN ('red', 'green')", "ink"),
    ("colour IS NULL", "nib jar"),
    ("price * 2 + 1 = 5", "pen"),  # S10
    ("-price = 3", "nib"),
    ("price / 0 = 1 OR 9223372036854775807 + price > 0", "ink nib"),
    ("price = 0x2 OR price = 75.E-1", "pen ink"),  # S11
    ("price = -3L", "nib"),
    ("code = 'literal''s'", "nib"),
    ('raw = "0x0AFC"', "ink"),
]


@pytest.mark.parametrize(("selector", "expected"), SELECTED)
def test_selector_by_properties_then_what_it_selects(
    stock: QueueManager, selector: str, expected: str
) -> None:
    with stock.queue("A", selector=selector) as queue:
        assert texts(queue) == expected.split()


REFUSED: list[tuple[str, int]] = [
    *((text, 2459) for text in ("a != 1", "a && b", "a IS 3", "20 < b < 30", 'a = "red"')),
    *((text, 2459) for text in ('b = "0xABC"', "a = 09", "(a = 1", "(" * 10_000)),
    ("1 > 2", 2504),
    (" OR ".join(["a = 1"] * 101), 2459),
    ("Body.x = 1", 2551),
]


@pytest.mark.parametrize(("selector", "reason"), REFUSED)
def test_selector_when_refused_then_its_reason(
    queues: QueueManager, selector: str, reason: int
) -> None:
    """S3, S4, S16."""
    with pytest.raises(MQError) as caught:
        queues.queue("A", selector=selector)
    assert caught.value.reason == reason
    with queues.queue("A", selector=" OR ".join(["a = 1"] * 100)) as queue:
        assert queue.try_get() is None


def test_selector_by_the_descriptor_then_what_it_selects(queues: QueueManager) -> None:
    """S14, S22."""
    correl_id = bytes(range(24))
    md = ternmq.Descriptor(msg_type=mq.MQMT_REPORT, correl_id=correl_id)
    with queues.queue("A") as queue:
        queue.put("report", descriptor=md)
        kept = queue.put("kept", persistent=True, priority=7)
        queue.put(header(b"<mcd><Type>t</Type></mcd>   ") + b"typed", descriptor=MD)
    for selector, expected in (
        ("Root.MQMD.MsgType = 4", "report"),
        (f'Root.MQMD.CorrelId = "0x{correl_id.hex()}"', "report"),
        (f"JMSCorrelationID = 'ID:{correl_id.hex()}'", "report"),
        (f"JMSMessageID = 'ID:{kept.hex()}'", "kept"),
        ("JMSPriority > 4", "kept"),
        ("JMSDeliveryMode = 'PERSISTENT'", "kept"),
        ("JMSType = 't'", "typed"),
        ("JMSXDeliveryCount > 1", ""),
    ):
        with queues.queue("A", selector=selector) as chosen:
            assert texts(chosen) == expected.split(), selector


def test_selector_by_the_delivery_count_then_a_message_that_it_passed_is_found(
    queues: QueueManager,
) -> None:
    """S19."""
    with queues.queue("A") as queue, queues.queue("A", selector="JMSXDeliveryCount = 2") as twice:
        queue.put("again")
        assert twice.try_get() is None
        unit = queues.unit_of_work()
        with unit:
            queue.get()
            unit.backout()
        assert twice.get().text == "again"


def test_selector_and_match_options_then_both_must_hold(stock: QueueManager) -> None:
    """S20."""
    options = mq.MQOO_BROWSE | mq.MQOO_INPUT_SHARED
    with stock.queue("A", selector="new IS NOT NULL", options=options) as queue:
        first = queue.get(options=mq.MQGMO_BROWSE_FIRST)
        second = queue.get(options=mq.MQGMO_BROWSE_NEXT | mq.MQGMO_LOCK)
        assert (first.text, second.text) == ("pen", "ink")
        assert queue.get(options=mq.MQGMO_MSG_UNDER_CURSOR).text == "ink"
        with stock.queue("A") as plain:
            other = plain.get(msg_id=next(m.msg_id for m in plain.browse() if m.text == "nib"))
            plain.put("nib", msg_id=other.msg_id)
        assert queue.try_get(msg_id=other.msg_id) is None
        assert queue.get(msg_id=first.msg_id).text == "pen"


def test_selector_and_token_or_group_then_both_must_hold(queues: QueueManager) -> None:
    """S20, S21."""
    group = b"g" * 24
    md = ternmq.Descriptor(group_id=group, msg_flags=mq.MQMF_MSG_IN_GROUP, version=2)
    with queues.queue("A") as plain, queues.queue("A", selector="n = 2") as second:
        for number in (1, 2, 2):
            md.msg_seq_number += 1
            plain.put(f"{number}", descriptor=md, properties={"n": number})
        first, *_ = plain.browse()
        assert second.try_get(token=first.token) is None
        found = second.get(group_id=group)
        assert (found.text, second.try_get(group_id=b"h" * 24)) == ("2", None)
        token = next(iter(second.browse())).token
        assert second.get(token=token).text == "2"
        assert texts(plain) == ["1"]


def test_selector_and_marks_then_a_browse_shows_each_match_once(stock: QueueManager) -> None:
    """S20."""
    unmarked = mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_HANDLE
    with stock.queue("A", selector="new IS NOT NULL", options=mq.MQOO_BROWSE) as queue:
        for expected in ("pen", "ink"):
            found = queue.get(options=mq.MQGMO_BROWSE_FIRST | unmarked)
            assert found.text == expected
        assert queue.try_get(options=mq.MQGMO_BROWSE_FIRST | unmarked) is None


def test_selector_of_an_alias_when_wrong_then_define_refuses_it(queues: QueueManager) -> None:
    """S24."""
    for selector, name in (("a = ", "SYNTAX_ERROR"), ("FALSE", "ALWAYS_FALSE")):
        answer, *_ = queues.mqsc(f"DEFINE QALIAS(X) TARGET(A) SELECTOR('{selector}')")
        assert not answer.ok
        assert answer.inserts[0] == f"MQRC_SELECTOR_{name}"
    assert not queues.mqsc("DISPLAY QALIAS(X)")[0].ok


def test_handle_with_a_selector_then_status_shows_it_and_what_it_looked_at(
    stock: QueueManager,
) -> None:
    """S24: the strings of alias and handle, and how many messages were looked at and matched."""
    assert stock.mqsc("DEFINE QALIAS(X) TARGET(A) SELECTOR('price > 0')")[0].ok
    assert stock.mqsc("DISPLAY QALIAS(X) SELECTOR")[0]["SELECTOR"] == "price > 0"
    with stock.queue("X", selector="new") as queue:
        assert queue.get().text == "pen"
        assert queue.try_get() is None
        answers = stock.mqsc("DISPLAY QSTATUS(A) TYPE(HANDLE) SELECTOR SELLOOK SELMATCH")
    (shown,) = [one for one in answers if one["SELECTOR"]]
    assert shown["SELECTOR"] == "(new) AND (price > 0)"
    assert (int(shown["SELLOOK"]), int(shown["SELMATCH"])) == (4, 1)


def test_alias_when_its_target_is_an_alias_then_2001_and_a_handle_adds_to_one_selector(
    stock: QueueManager,
) -> None:
    """S24."""
    assert stock.mqsc("DEFINE QALIAS(PAID) TARGET(A) SELECTOR('price > -9')")[0].ok
    assert stock.mqsc("DEFINE QALIAS(X) TARGET(PAID) SELECTOR('code LIKE ''_a''')")[0].ok
    with pytest.raises(MQError) as caught:
        stock.queue("X")
    assert caught.value.reason == 2001  # no alias of an alias
    with stock.queue("PAID", selector="code LIKE '_a'") as queue:
        assert texts(queue) == ["ink"]
        with pytest.raises(MQError) as caught:
            queue.inquire(mq.MQIA_CURRENT_Q_DEPTH)
        assert caught.value.reason == 2068


def test_alias_with_a_selector_when_its_script_is_replayed_then_it_is_the_same(
    stock: QueueManager,
) -> None:
    """S24: what dmpmqcfg writes, and what PCF reports."""
    text = "colour = ''red'' OR code LIKE ''literal''''s''"
    assert stock.mqsc(f"DEFINE QALIAS(X) TARGET(A) SELECTOR('{text}')")[0].ok
    before = stock.attributes("X")["selector"]
    assert before == "colour = 'red' OR code LIKE 'literal''s'"
    script = "\n".join(dump_lines(stock.mqsc, DumpChoice("object", "queue", "X")))
    stock.delete_queue("X")
    assert all(answer.ok for answer in stock.mqsc(script))
    assert stock.attributes("X")["selector"] == before
    with stock.queue("X") as queue:
        assert texts(queue) == ["pen", "nib"]
