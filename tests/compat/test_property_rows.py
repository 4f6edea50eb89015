"""Goal: the rules of properties, MQRFH2 and PROPCTL hold for programs of pymqi and ibmmq; the
numbers are those of docs/reference/conformance-messages.md.
Method: message handles and headers, on the machine and through a channel.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.compat.pymqi import CMQC
from tests.battery.test_extension import extension
from tests.battery.test_properties_and_selectors import CONTROLS, FOLDERS, HEADED, NAMES, PAYLOAD
from tests.compat.conftest import RFH2_MD, Program
from tests.unit.codec.test_properties import SOUND, header

pytestmark = pytest.mark.core

FORCE = CMQC.MQGMO_PROPERTIES_FORCE_MQRFH2
COMPATIBILITY = CMQC.MQGMO_PROPERTIES_COMPATIBILITY
NONE = CMQC.MQGMO_NO_PROPERTIES
IN_HANDLE = CMQC.MQGMO_PROPERTIES_IN_HANDLE
NEXT = CMQC.MQIMPO_INQ_NEXT
CONVERT = CMQC.MQIMPO_CONVERT_TYPE


def put_headed(program: Program, queue: Any, data: bytes = HEADED, **fields: Any) -> None:
    queue.put(data, program.md(**{**RFH2_MD, **fields}))


# ---- properties


def test_name_when_set_then_it_is_accepted_or_its_reason(program: Program) -> None:
    """P3, P5, P6, P7, P9."""
    queue = program.queue("A")
    for name, reason in NAMES:
        if reason:
            properties = program.handle().properties
            assert program.reason(properties.set, name, "v") == reason, name
            continue
        program.put(queue, PAYLOAD, {name: "v"})
        data, _, properties = program.get(queue)
        assert (data, properties.get(name.encode())) == (PAYLOAD, "v"), name


def test_inquire_next_when_the_pattern_is_another_then_it_begins_again(program: Program) -> None:
    """P14."""
    properties = program.handle().properties
    for name in ("a.x", "a.y", "b.x"):
        properties.set(name, name)

    def found(pattern: str, options: int) -> Any:
        value = properties.get(pattern, impo_options=options)
        return value[0] if isinstance(value, tuple) else value

    assert [found("a.%", 0), found("a.%", NEXT)] == ["a.x", "a.y"]
    assert [found("b.%", NEXT), found("a.%", NEXT)] == ["b.x", "a.x"]
    assert program.reason(properties.get, "c.%", None, None, NEXT) == 2471


def test_inquire_when_only_the_length_is_asked_then_nothing_is_too_long(program: Program) -> None:
    """P18."""
    properties = program.handle().properties
    properties.set("long", "x" * 100)
    assert properties.get("long", None, 10, CMQC.MQIMPO_QUERY_LENGTH) is None
    under = CMQC.MQIMPO_INQ_PROP_UNDER_CURSOR
    assert properties.get("", None, 100, under) == "x" * 100


@pytest.mark.parametrize(
    ("value", "kind", "wanted", "answer"),
    [
        ("FALSE", mq.MQTYPE_STRING, mq.MQTYPE_BOOLEAN, False),
        ("0", mq.MQTYPE_STRING, mq.MQTYPE_BOOLEAN, False),
        ("12", mq.MQTYPE_STRING, mq.MQTYPE_INT32, 12),
        (7, mq.MQTYPE_INT32, mq.MQTYPE_STRING, "7"),
        (7, mq.MQTYPE_INT16, mq.MQTYPE_INT64, 7),
        (b"\x0a\xfc", mq.MQTYPE_BYTE_STRING, mq.MQTYPE_STRING, "0AFC"),
        ("abc", mq.MQTYPE_STRING, mq.MQTYPE_INT32, 2472),
        (70_000, mq.MQTYPE_INT32, mq.MQTYPE_INT8, 2470),
        (b"\x01", mq.MQTYPE_BYTE_STRING, mq.MQTYPE_INT32, 2470),
    ],
)
def test_conversion_when_asked_for_then_the_value_or_its_reason(
    program: Program, value: Any, kind: int, wanted: int, answer: Any
) -> None:
    """P19."""
    properties = program.handle().properties
    properties.set("a", value, kind)
    if answer in (2470, 2472):
        reason = program.reason(
            lambda: properties.get("a", impo_options=CONVERT, property_type=wanted)
        )
        assert reason == answer
    else:
        found = properties.get("a", impo_options=CONVERT, property_type=wanted)
        assert found == answer


def test_property_when_not_there_then_2471(program: Program) -> None:
    """P21."""
    properties = program.handle().properties
    assert program.reason(properties.get, "nope") == 2471
    if hasattr(properties, "dlt"):  # pymqi has no MQDLTMP
        assert program.reason(properties.dlt, "nope") == 2471


def test_user_context_when_all_context_is_passed_then_its_properties_go_on(
    program: Program,
) -> None:
    """P30."""
    library = program.library
    queue = program.queue("A", "", CMQC.MQOO_OUTPUT)
    handle = program.handle()
    mine = library.PD(Context=CMQC.MQPD_USER_CONTEXT)
    handle.properties.set("mine", "passed", pd=mine)
    handle.properties.set("both", "old", pd=mine)
    handle.properties.set("other", "stays")
    pmo = library.PMO(Version=CMQC.MQPMO_VERSION_3, NewMsgHandle=handle.msg_handle)
    queue.put(PAYLOAD, program.md(), pmo)
    source = program.queue("A", "", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_SAVE_ALL_CONTEXT)
    assert program.plain(source, NONE) == PAYLOAD
    target = program.queue("ALL", "", CMQC.MQOO_OUTPUT | CMQC.MQOO_PASS_ALL_CONTEXT)
    new = program.handle()
    new.properties.set("both", "new")
    pmo = library.PMO(
        Version=CMQC.MQPMO_VERSION_3,
        Options=CMQC.MQPMO_PASS_ALL_CONTEXT,
        Context=source.get_handle(),
        NewMsgHandle=new.msg_handle,
    )
    target.put(PAYLOAD, program.md(), pmo)
    data, _, properties = program.get(program.queue("ALL"))
    assert (data, properties.get("mine"), properties.get("both")) == (PAYLOAD, "passed", "new")
    assert program.reason(properties.get, "other") == 2471


def test_maxmsgl_then_it_counts_the_data_and_folders_that_are_no_properties(
    program: Program,
) -> None:
    """P36."""
    program.mqsc("DEFINE QLOCAL(SHORT) MAXMSGL(100) REPLACE")
    queue = program.queue("SHORT")
    program.put(queue, bytes(100), {"text": "t" * 200})
    assert len(program.get(queue, 0, 100)[0]) == 100
    with pytest.raises(program.error) as caught:
        program.put(queue, bytes(101), {})
    assert caught.value.reason == 2030
    put_headed(program, queue, header(SOUND) + bytes(60))
    with pytest.raises(program.error) as caught:
        put_headed(program, queue, header(SOUND, b"<mine><x>0123456789</x></mine>  ") + bytes(60))
    assert caught.value.reason == 2030
    assert program.reason(program.plain, queue, FORCE, 100) == 2080
    assert len(program.get(queue, 0, 60)[0]) == 60


@pytest.mark.parametrize("accepts", [False, True])
def test_cut_message_when_got_by_a_handle_then_its_properties_are_there(
    program: Program, accepts: bool
) -> None:
    """P37."""
    queue = program.queue("A")
    program.put(queue, PAYLOAD, {"a": "1"})
    handle = program.handle()
    options = CMQC.MQGMO_ACCEPT_TRUNCATED_MSG if accepts else 0
    gmo = program.gmo(Options=options, MsgHandle=handle.msg_handle)
    assert program.reason(queue.get, 4, program.md(), gmo) == (2079 if accepts else 2080)
    assert handle.properties.get("a") == "1"


# ---- MQRFH2 and PROPCTL


def test_header_when_behind_another_then_it_is_properties_too(program: Program) -> None:
    """R5."""
    queue = program.queue("A")
    two = header(SOUND, format=b"MQHRF2  ") + header(b"<usr><b>2</b></usr>  ") + PAYLOAD
    put_headed(program, queue, two)
    data, _, properties = program.get(queue)
    assert (data, properties.get("a"), properties.get("b")) == (PAYLOAD, "1", "2")
    front = DeadLetterHeader(format="MQHRF2", encoding=546, ccsid=1208).pack("<")
    put_headed(program, queue, front + HEADED, Format=CMQC.MQFMT_DEAD_LETTER_HEADER)
    data, _, properties = program.get(queue)
    assert (data[:4], data[172:], properties.get("a")) == (b"DLH ", PAYLOAD, "1")


def test_folder_when_one_of_mq_or_marked_then_it_holds_properties(program: Program) -> None:
    """R7, R8."""
    queue = program.queue("A")
    for name in (*FOLDERS, "own"):
        marked = ' content="properties"' if name == "own" else ""
        put_headed(program, queue, header(f"<{name}{marked}><x>1</x></{name}>".encode()) + PAYLOAD)
        data, _, properties = program.get(queue)
        asked = "x" if name == "usr" else f"{name}.x"
        assert (data, properties.get(asked)) == (PAYLOAD, "1"), name
    own = header(b"<own><x>1</x></own> ") + PAYLOAD
    put_headed(program, queue, own)
    data, md, properties = program.get(queue)
    assert (data, md.Format) == (own, CMQC.MQFMT_RF_HEADER_2)
    assert program.reason(properties.get, "own.x") == 2471
    put_headed(program, queue, header(b"<jms><Pri>7</Pri><Tms>5</Tms></jms>   ") + PAYLOAD)
    properties = program.get(queue)[2]
    assert (properties.get("jms.Pri"), properties.get("jms.Tms")) == (7, 5)


@pytest.mark.parametrize("control", CONTROLS)
def test_propctl_when_there_is_a_handle_and_no_option_then_it_decides(
    program: Program, control: str
) -> None:
    """C1."""
    queue = program.queue(control)
    put_headed(program, queue)
    program.put(queue, PAYLOAD, {"x.y": (CMQC.MQTYPE_INT32, 5)})
    data, _, properties = program.get(queue)
    is_data = control in ("FORCE", "V6COMPAT")
    assert data == (HEADED if is_data else PAYLOAD)
    if is_data:
        assert program.reason(properties.get, "a") == 2471
    else:
        assert properties.get("a") == "1"
    data, _, properties = program.get(queue)
    assert data.startswith(b"RFH ") == (control == "FORCE")
    if control == "FORCE":
        assert program.reason(properties.get, "x.y") == 2471
    else:
        assert properties.get("x.y") == 5


@pytest.mark.parametrize("control", CONTROLS)
def test_propctl_when_there_is_no_handle_then_it_decides(program: Program, control: str) -> None:
    """C1: a property for JMS, one that is not, both together, none."""
    queue = program.queue(control)
    put_headed(program, queue)
    program.put(queue, PAYLOAD, {"usr.b": "2"})
    program.put(queue, PAYLOAD, {"x.y": "5"})
    program.put(queue, PAYLOAD, {})
    found = [program.plain(queue).startswith(b"RFH ") for _ in range(4)]
    assert (
        found
        == {
            "ALL": [True, True, True, False],
            "COMPAT": [True, True, False, False],
            "FORCE": [True, True, True, False],
            "NONE": [False, False, False, False],
            "V6COMPAT": [True, False, False, False],
        }[control]
    )


@pytest.mark.parametrize("control", CONTROLS)
def test_option_when_given_then_it_wins_over_propctl(program: Program, control: str) -> None:
    """C2, C5, C6."""
    queue = program.queue(control)
    for _ in range(6):
        put_headed(program, queue)
    assert program.plain(queue, FORCE) == HEADED
    assert program.plain(queue, COMPATIBILITY) == HEADED
    assert program.plain(queue, NONE, len(PAYLOAD)) == PAYLOAD
    data, _, properties = program.get(queue, IN_HANDLE)
    assert (data, properties.get("a")) == (PAYLOAD, "1")
    data, _, properties = program.get(queue, FORCE)
    assert data == HEADED
    assert program.reason(properties.get, "a") == 2471
    data, _, properties = program.get(queue, NONE)
    assert data == PAYLOAD
    assert program.reason(properties.get, "a") == 2471


def test_propctl_of_an_alias_then_it_counts_and_not_its_targets(program: Program) -> None:
    """C7."""
    program.mqsc("DEFINE QALIAS(BARE) TARGET(ALL) PROPCTL(FORCE) REPLACE")
    queue, alias = program.queue("ALL"), program.queue("BARE")
    put_headed(program, queue)
    put_headed(program, queue)
    assert program.get(alias)[0] == HEADED
    assert program.get(queue)[0] == PAYLOAD


def test_get_when_the_program_gives_no_mqmd_then_the_library_does(program: Program) -> None:
    """C8: there is no MQGET without an MQMD, so FORCE has one to describe its MQRFH2."""
    queue = program.queue("A")
    put_headed(program, queue)
    assert queue.get(None, None, program.gmo(Options=FORCE)) == HEADED


# ---- MQMDE


@pytest.mark.parametrize("has_handle", [False, True])
def test_version_1_when_a_message_is_in_a_group_then_an_mqmde_says_so(
    program: Program, has_handle: bool
) -> None:
    """S15: both ways."""
    queue = program.queue("A")
    library = program.library
    chosen = program.queue("A", "JMSXGroupSeq = 3")
    one = library.MD(Format=CMQC.MQFMT_MD_EXTENSION, CodedCharSetId=1208)
    for _ in range(5):
        queue.put(extension() + PAYLOAD, one)
    handle = program.handle()

    def got(length: int | None, options: int = 0, version: int = 1) -> Any:
        gmo = program.gmo(Options=options)
        if has_handle:
            gmo.MsgHandle = handle.msg_handle
        md = library.MD(Version=version)
        return md, chosen.get(length, md, gmo)

    whole = 72 + len(PAYLOAD)
    for length in (None, whole):
        md, data = got(length)
        assert (md.Format, data) == (CMQC.MQFMT_MD_EXTENSION, extension() + PAYLOAD)
    assert program.reason(got, whole - 1) == 2080
    assert program.reason(got, 20) == 2080
    with pytest.raises(program.error) as caught:
        got(80, CMQC.MQGMO_ACCEPT_TRUNCATED_MSG)
    assert (caught.value.reason, caught.value.message) == (2079, (extension() + PAYLOAD)[:80])
    md, data = got(len(PAYLOAD), 0, 2)
    assert (md.Format, data, md.MsgSeqNumber) == (CMQC.MQFMT_STRING, PAYLOAD, 3)
    md, data = got(None, CMQC.MQGMO_BROWSE_FIRST)
    assert data == extension() + PAYLOAD


def test_version_1_when_a_message_is_in_no_group_then_its_data_comes_alone(
    program: Program,
) -> None:
    queue = program.queue("A")
    queue.put(PAYLOAD)
    queue.put(PAYLOAD)
    md = program.library.MD()
    assert queue.get(len(PAYLOAD), md, program.gmo()) == PAYLOAD
    assert program.reason(queue.get, 5, program.library.MD(), program.gmo()) == 2080
    cut = program.gmo(Options=CMQC.MQGMO_ACCEPT_TRUNCATED_MSG)
    assert program.reason(queue.get, 5, program.library.MD(), cut) == 2079


def test_version_1_when_messages_are_read_ahead_then_they_come_whole(program: Program) -> None:
    program.mqsc("DEFINE QLOCAL(AHEAD) DEFREADA(YES) REPLACE")
    queue = program.queue("AHEAD", "", CMQC.MQOO_OUTPUT)
    for number in range(4):
        queue.put(b"%d" % number + bytes(94))
    ahead = program.queue("AHEAD", "", CMQC.MQOO_INPUT_SHARED)
    lengths: list[int | None] = [95, 100, 1000, None]
    for number, length in enumerate(lengths):
        found = ahead.get(length, program.library.MD(), program.library.GMO())
        assert (found[:1], len(found)) == (b"%d" % number, 95)
