"""Goal: administration by PCF messages works as tools expect: requests byte by byte as pymqi builds
them, replies in the documented layout, each command once, errors with reason and parameter.

Method: an embedded queue manager with its command server; hand-made bytes and our own codec.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.mqi.layout import BIG
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.outlets.command_queue import CommandServer
from tests.unit.admin.pcf_client import COMMAND_QUEUE, REPLY_QUEUE, PCFClient

pytestmark = pytest.mark.core

FAILED = [(mq.MQCC_FAILED, rccf.MQRCCF_COMMAND_FAILED)]


@pytest.fixture
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory("QM1") as made:
        made.define_queue("DEV.ONE", description="first", max_depth=70)
        made.define_queue("DEV.TWO")
        made.queue("DEV.ONE").put(b"a message")
        yield made


@pytest.fixture
def server(qmgr: QueueManager) -> CommandServer:
    return qmgr.start_command_server()


@pytest.fixture
def client(qmgr: QueueManager, server: CommandServer) -> PCFClient:
    assert server.is_running
    return PCFClient(qmgr)


def values(message: PCFMessage) -> dict[int, object]:
    return {one.parameter: one.value for one in message.parameters}


def outcomes(messages: list[PCFMessage]) -> list[tuple[int, int]]:
    return [(one.comp, one.reason) for one in messages]


def queue_name(name: str) -> Parameter:
    return pcf.string(mq.MQCA_Q_NAME, name)


def queue_type(number: int) -> Parameter:
    return pcf.integer(mq.MQIA_Q_TYPE, number)


# ---- bytes


def test_an_inquiry_as_pymqi_builds_it_is_answered_in_the_published_layout(
    client: PCFClient,
) -> None:
    # PCFExecute.MQCMD_INQUIRE_Q({MQCA_Q_NAME: b"DEV.*", MQIA_Q_TYPE: MQQT_LOCAL,
    # MQIACF_Q_ATTRS: [MQCA_Q_NAME, MQIA_CURRENT_Q_DEPTH, MQCA_Q_DESC]})
    request = struct.pack("<9i", 1, 36, 1, 13, 1, 1, 0, 0, 3)
    request += struct.pack("<5i", 4, 28, 2016, 0, 5) + b"DEV.*\0\0\0"
    request += struct.pack("<4i", 3, 16, 20, 1)
    request += struct.pack("<4i3i", 5, 28, 1002, 3, 2016, 3, 2013)
    first, second = client.send(request)
    expected = struct.pack("<9i", 2, 36, 1, 13, 1, 0, 0, 0, 4)
    expected += struct.pack("<5i", 4, 68, 2016, 0, 48) + b"DEV.ONE".ljust(48)
    expected += struct.pack("<4i", 3, 16, 20, 1)
    expected += struct.pack("<4i", 3, 16, 3, 1)
    expected += struct.pack("<5i", 4, 84, 2013, 0, 64) + b"first".ljust(64)
    assert first.data == expected
    assert second.data[:36] == struct.pack("<9i", 2, 36, 1, 13, 2, 1, 0, 0, 4)
    assert second.data[56:104] == b"DEV.TWO".ljust(48)
    md = first.descriptor
    assert (md.msg_type, md.format, md.encoding) == (mq.MQMT_REPLY, "MQADMIN", mq.MQENC_NATIVE)


def test_a_request_of_another_byte_order_and_character_set_is_understood(
    client: PCFClient,
) -> None:
    request = PCFMessage(mq.MQCFT_COMMAND_XR, mq.MQCMD_INQUIRE_Q, [queue_name("DEV.TWO")])
    data = request.pack(BIG, 500)
    (reply,) = client.send(data, encoding=273, ccsid=500)
    assert values(unpack_pcf(reply.data))[mq.MQCA_Q_NAME] == "DEV.TWO"


def test_an_error_is_answered_with_its_reason_and_a_summary_byte_by_byte(
    client: PCFClient,
) -> None:
    request = struct.pack("<9i", 1, 36, 1, 13, 1, 1, 0, 0, 1)
    request += struct.pack("<5i", 4, 24, 2016, 0, 4) + b"NONE"
    first, second = client.send(request)
    assert first.data == struct.pack("<9i", 2, 36, 1, 13, 1, 0, 2, 2085, 0)
    assert second.data == struct.pack("<9i", 2, 36, 1, 13, 2, 1, 2, 3008, 0)


# ---- identifiers


def test_identifiers_of_replies_follow_the_report_options(
    qmgr: QueueManager, client: PCFClient
) -> None:
    data = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_PING_Q_MGR).pack()
    correl_id = b"c" * 24
    plain = client.send(data, correl_id=correl_id)[0]
    passed = client.send(
        data, correl_id=correl_id, report=mq.MQRO_PASS_CORREL_ID | mq.MQRO_PASS_MSG_ID
    )[0]
    assert plain.correl_id not in (correl_id, bytes(24))
    assert plain.msg_id != plain.correl_id
    assert passed.correl_id == correl_id
    assert passed.msg_id != bytes(24)


def test_replies_are_as_persistent_and_as_urgent_as_the_request(
    qmgr: QueueManager, client: PCFClient
) -> None:
    for persistent in (0, 1):
        request = ternmq.Descriptor(
            msg_type=mq.MQMT_REQUEST,
            format=mq.MQFMT_ADMIN,
            reply_to_queue=REPLY_QUEUE,
            persistence=persistent,
            priority=5 + persistent,
            expiry=3000,
        )
        data = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_PING_Q_MGR).pack()
        msg_id = qmgr.put(COMMAND_QUEUE, data, descriptor=request)
        reply = qmgr.queue(REPLY_QUEUE).get(wait=20, correl_id=msg_id)
        assert (reply.persistent, reply.priority) == (bool(persistent), 5 + persistent)
        assert 0 < reply.descriptor.expiry <= 3000


# ---- inquiries


def test_attributes_are_all_unless_a_list_says_which(client: PCFClient) -> None:
    (everything,) = client.ask(mq.MQCMD_INQUIRE_Q, queue_name("DEV.ONE"))
    assert len(everything.parameters) > 50
    assert values(everything)[mq.MQIA_SHAREABILITY] == mq.MQQA_SHAREABLE
    assert values(everything)[mq.MQIA_TRIGGER_CONTROL] == 0
    wanted = pcf.integers(mq.MQIACF_Q_ATTRS, [mq.MQIA_MAX_Q_DEPTH])
    (one,) = client.ask(mq.MQCMD_INQUIRE_Q, queue_name("DEV.ONE"), wanted)
    assert values(one) == {mq.MQCA_Q_NAME: "DEV.ONE", mq.MQIA_Q_TYPE: 1, mq.MQIA_MAX_Q_DEPTH: 70}
    (name,) = client.ask(
        mq.MQCMD_INQUIRE_Q, queue_name("DEV.ONE"), pcf.integers(mq.MQIACF_Q_ATTRS, [2016])
    )
    assert values(name) == {mq.MQCA_Q_NAME: "DEV.ONE", mq.MQIA_Q_TYPE: 1}


def test_filters_choose(client: PCFClient) -> None:
    deep = client.ask(
        mq.MQCMD_INQUIRE_Q,
        queue_name("DEV.*"),
        pcf.integer_filter(mq.MQIA_CURRENT_Q_DEPTH, mq.MQCFOP_GREATER, 0),
    )
    assert [values(one)[mq.MQCA_Q_NAME] for one in deep] == ["DEV.ONE"]
    named = client.ask(
        mq.MQCMD_INQUIRE_Q,
        queue_name("*"),
        queue_type(mq.MQQT_LOCAL),
        pcf.integers(mq.MQIACF_Q_ATTRS, [mq.MQCA_Q_DESC]),
        pcf.string_filter(mq.MQCA_Q_DESC, mq.MQCFOP_LIKE, "fir*"),
    )
    assert [values(one)[mq.MQCA_Q_NAME] for one in named] == ["DEV.ONE"]


def test_names_come_in_one_reply(client: PCFClient) -> None:
    (reply,) = client.ask(mq.MQCMD_INQUIRE_Q_NAMES, queue_name("DEV*"))
    assert values(reply) == {
        mq.MQCACF_Q_NAMES: ["DEV.ONE", "DEV.TWO"],
        mq.MQIACF_Q_TYPES: [mq.MQQT_LOCAL, mq.MQQT_LOCAL],
    }
    assert reply.parameters[0].width == 48
    channel = pcf.string(mq.MQCACH_CHANNEL_NAME, "SYSTEM.DEF.S*")
    (channels,) = client.ask(mq.MQCMD_INQUIRE_CHANNEL_NAMES, channel)
    names = values(channels)[mq.MQCACH_CHANNEL_NAMES]
    assert names == ["SYSTEM.DEF.SENDER", "SYSTEM.DEF.SERVER", "SYSTEM.DEF.SVRCONN"]
    assert values(channels)[mq.MQIACH_CHANNEL_TYPES] == [1, 2, 7]


def test_the_queue_manager_is_inquired(client: PCFClient) -> None:
    wanted = pcf.integers(mq.MQIACF_Q_MGR_ATTRS, [mq.MQCA_Q_MGR_NAME, mq.MQIA_COMMAND_LEVEL])
    (reply,) = client.ask(mq.MQCMD_INQUIRE_Q_MGR, wanted)
    assert values(reply)[mq.MQCA_Q_MGR_NAME] == "QM1"
    assert set(values(reply)) == {mq.MQCA_Q_MGR_NAME, mq.MQIA_COMMAND_LEVEL}
    (status,) = client.ask(mq.MQCMD_INQUIRE_Q_MGR_STATUS)
    assert values(status)[mq.MQIACF_Q_MGR_STATUS] == 2  # MQQMSTA_RUNNING


def test_status_of_queues_and_of_handles(qmgr: QueueManager, client: PCFClient) -> None:
    queue = qmgr.queue("DEV.TWO", options=mq.MQOO_OUTPUT | mq.MQOO_BROWSE)
    (status,) = client.ask(mq.MQCMD_INQUIRE_Q_STATUS, queue_name("DEV.ONE"))
    reported = values(status)
    assert (reported[mq.MQIA_CURRENT_Q_DEPTH], reported[mq.MQIACF_UNCOMMITTED_MSGS]) == (1, 0)
    assert reported[mq.MQIACF_Q_STATUS_TYPE] == mq.MQIACF_Q_STATUS
    kind = pcf.integer(mq.MQIACF_Q_STATUS_TYPE, mq.MQIACF_Q_HANDLE)
    queue.put(b"x")
    handles = client.ask(mq.MQCMD_INQUIRE_Q_STATUS, queue_name("DEV.TWO"), kind)
    reported = values(handles[0])
    assert reported[mq.MQIACF_Q_STATUS_TYPE] == mq.MQIACF_Q_HANDLE
    assert (reported[mq.MQIACF_OPEN_OUTPUT], reported[mq.MQIACF_OPEN_BROWSE]) == (1, 1)
    assert reported[mq.MQIACF_OPEN_INPUT_TYPE] == 0


def test_connections_are_reported_by_their_identifiers(
    qmgr: QueueManager, client: PCFClient
) -> None:
    found = client.ask(mq.MQCMD_INQUIRE_CONNECTION)
    ids = [values(one)[mq.MQBACF_CONNECTION_ID] for one in found]
    assert qmgr.connection_id in ids
    chosen = client.ask(
        mq.MQCMD_INQUIRE_CONNECTION, pcf.byte_string(mq.MQBACF_CONNECTION_ID, qmgr.connection_id)
    )
    assert [values(one)[mq.MQBACF_CONNECTION_ID] for one in chosen] == [qmgr.connection_id]


# ---- changes


def test_selector_of_an_alias_when_set_by_pcf_then_it_is_reported_and_counts(
    qmgr: QueueManager, client: PCFClient
) -> None:
    qmgr.define_queue("TARGET")
    alias = (queue_name("CHOSEN"), queue_type(mq.MQQT_ALIAS))
    text = "colour = 'red' OR code LIKE 'literal''s \u20ac%'"
    made = client.ask(
        mq.MQCMD_CREATE_Q,
        *alias,
        pcf.string(mq.MQCA_BASE_OBJECT_NAME, "TARGET"),
        pcf.string(mq.MQCACF_SUB_SELECTOR, text),
    )
    assert outcomes(made) == [(0, 0)]
    shown = client.ask(mq.MQCMD_INQUIRE_Q, *alias)
    assert values(shown[0])[mq.MQCACF_SUB_SELECTOR] == text
    for colour in ("red", "blue"):
        qmgr.put("TARGET", colour, properties={"colour": colour})
    with qmgr.queue("CHOSEN") as queue:
        assert [message.text for message in queue.browse()] == ["red"]
    changed = client.ask(mq.MQCMD_CHANGE_Q, *alias, pcf.string(mq.MQCACF_SUB_SELECTOR, ""))
    assert outcomes(changed) == [(0, 0)]
    assert qmgr.attributes("CHOSEN")["selector"] == ""
    wrong = client.ask(mq.MQCMD_CHANGE_Q, *alias, pcf.string(mq.MQCACF_SUB_SELECTOR, "a = "))
    assert outcomes(wrong) == [(2, 2459), *FAILED]
    long = pcf.string(mq.MQCACF_SUB_SELECTOR, "a = 1 OR " + "b" * 10_240)
    assert outcomes(client.ask(mq.MQCMD_CHANGE_Q, *alias, long))[-1] == FAILED[-1]


def test_a_queue_is_created_changed_copied_cleared_and_deleted(
    qmgr: QueueManager, client: PCFClient
) -> None:
    local = queue_type(mq.MQQT_LOCAL)
    made = client.ask(
        mq.MQCMD_CREATE_Q,
        queue_name("NEW"),
        local,
        pcf.integer(mq.MQIA_MAX_Q_DEPTH, 77),
        pcf.integer(mq.MQIA_SHAREABILITY, mq.MQQA_NOT_SHAREABLE),
        pcf.integer(mq.MQIA_INHIBIT_PUT, mq.MQQA_PUT_INHIBITED),
        pcf.string(mq.MQCA_Q_DESC, "it's (new)"),
    )
    assert outcomes(made) == [(0, 0)]
    attributes = qmgr.attributes("NEW")
    assert (attributes["max_depth"], attributes["shareable"], attributes["put"]) == (77, 0, 1)
    assert attributes["description"] == "it's (new)"
    again = client.ask(mq.MQCMD_CREATE_Q, queue_name("NEW"), local)
    assert outcomes(again) == [(2, rccf.MQRCCF_OBJECT_ALREADY_EXISTS), *FAILED]
    replace = pcf.integer(mq.MQIACF_REPLACE, 1)
    assert outcomes(client.ask(mq.MQCMD_CREATE_Q, queue_name("NEW"), local, replace)) == [(0, 0)]
    changed = client.ask(
        mq.MQCMD_CHANGE_Q, queue_name("NEW"), local, pcf.integer(mq.MQIA_MAX_Q_DEPTH, 78)
    )
    assert outcomes(changed) == [(0, 0)]
    copied = client.ask(
        mq.MQCMD_COPY_Q,
        pcf.string(mq.MQCACF_FROM_Q_NAME, "NEW"),
        pcf.string(mq.MQCACF_TO_Q_NAME, "NEWER"),
        local,
    )
    assert outcomes(copied) == [(0, 0)]
    assert qmgr.attributes("NEWER")["max_depth"] == 78
    qmgr.put("NEWER", b"x")
    assert outcomes(client.ask(mq.MQCMD_CLEAR_Q, queue_name("NEWER"))) == [(0, 0)]
    qmgr.put("NEWER", b"x")
    full = client.ask(mq.MQCMD_DELETE_Q, queue_name("NEWER"))
    assert outcomes(full) == [(2, rc.MQRC_Q_NOT_EMPTY), *FAILED]
    purge = pcf.integer(mq.MQIACF_PURGE, 1)
    assert outcomes(client.ask(mq.MQCMD_DELETE_Q, queue_name("NEWER"), purge)) == [(0, 0)]
    assert "NEWER" not in qmgr.queue_names()


@pytest.mark.parametrize(
    ("family", "name", "more"),
    [
        ("CHANNEL", mq.MQCACH_CHANNEL_NAME, [pcf.integer(mq.MQIACH_CHANNEL_TYPE, 7)]),
        ("PROCESS", mq.MQCA_PROCESS_NAME, [pcf.string(mq.MQCA_APPL_ID, "/bin/true")]),
        ("NAMELIST", mq.MQCA_NAMELIST_NAME, [pcf.strings(mq.MQCA_NAMES, ["A", "BC"])]),
        ("LISTENER", mq.MQCACH_LISTENER_NAME, [pcf.integer(mq.MQIACH_XMIT_PROTOCOL_TYPE, 2)]),
        ("SERVICE", mq.MQCA_SERVICE_NAME, [pcf.string(mq.MQCA_SERVICE_START_COMMAND, "/bin/x")]),
        ("TOPIC", mq.MQCA_TOPIC_NAME, [pcf.string(mq.MQCA_TOPIC_STRING, "a/b")]),
        ("AUTH_INFO", mq.MQCA_AUTH_INFO_NAME, [pcf.integer(mq.MQIA_AUTH_INFO_TYPE, 3)]),
    ],
)
def test_objects_of_each_kind_are_created_inquired_and_deleted(
    client: PCFClient, family: str, name: int, more: list[Parameter]
) -> None:
    commands = vars(mq)
    named = pcf.string(name, "MINE")
    assert outcomes(client.ask(commands[f"MQCMD_CREATE_{family}"], named, *more)) == [(0, 0)]
    (found,) = client.ask(commands[f"MQCMD_INQUIRE_{family}"], named)
    reported = values(found)
    assert reported[name] == "MINE"
    for one in more:
        assert reported[one.parameter] == one.value
    assert outcomes(client.ask(commands[f"MQCMD_DELETE_{family}"], named)) == [(0, 0)]
    gone = client.ask(commands[f"MQCMD_INQUIRE_{family}"], named)
    assert [one.comp for one in gone] == [2, 2]


def test_the_queue_manager_is_changed(qmgr: QueueManager, client: PCFClient) -> None:
    done = client.ask(mq.MQCMD_CHANGE_Q_MGR, pcf.integer(mq.MQIA_MAX_UNCOMMITTED_MSGS, 99))
    assert outcomes(done) == [(0, 0)]
    assert qmgr.qmgr_attributes()["max_uncommitted"] == 99


def test_statistics_of_queues_are_reset(client: PCFClient) -> None:
    for enqueued in (1, 0):
        (reported,) = client.ask(mq.MQCMD_RESET_Q_STATS, queue_name("DEV.ONE"))
        assert values(reported)[mq.MQIA_MSG_ENQ_COUNT] == enqueued
        assert values(reported)[mq.MQIA_HIGH_Q_DEPTH] == 1


def test_authority_records_are_set_and_inquired(client: PCFClient) -> None:
    done = client.ask(
        mq.MQCMD_SET_AUTH_REC,
        pcf.string(mq.MQCACF_AUTH_PROFILE_NAME, "DEV.**"),
        pcf.integer(mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q),
        pcf.integers(mq.MQIACF_AUTH_ADD_AUTHS, [mq.MQAUTH_BROWSE, mq.MQAUTH_INQUIRE]),
        pcf.strings(mq.MQCACF_GROUP_ENTITY_NAMES, ["staff", "guests"]),
    )
    assert outcomes(done) == [(0, 0)]
    found = client.ask(
        mq.MQCMD_INQUIRE_AUTH_RECS,
        pcf.string(mq.MQCACF_AUTH_PROFILE_NAME, "DEV.**"),
        pcf.integer(mq.MQIACF_AUTH_OPTIONS, 16),
        pcf.integer(mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q),
    )
    entities = {values(one)[mq.MQCACF_ENTITY_NAME] for one in found}
    assert {"staff", "guests"} <= entities
    for one in found:
        if values(one)[mq.MQCACF_ENTITY_NAME] == "staff":
            reported = values(one)[mq.MQIACF_AUTHORIZATION_LIST]
            assert reported == [mq.MQAUTH_BROWSE, mq.MQAUTH_INQUIRE]


def test_mqsc_is_escaped(client: PCFClient) -> None:
    kind = pcf.integer(mq.MQIACF_ESCAPE_TYPE, mq.MQET_MQSC)
    text = pcf.string(mq.MQCACF_ESCAPE_TEXT, "DISPLAY QLOCAL(DEV.*) CURDEPTH")
    first, second = client.ask(mq.MQCMD_ESCAPE, kind, text)
    assert values(first)[mq.MQCACF_ESCAPE_TEXT] == (
        "AMQ8409I: Display Queue details.\n"
        "   QUEUE(DEV.ONE)                          TYPE(QLOCAL)\n"
        "   CURDEPTH(1)"
    )
    assert (second.sequence, second.control, second.command) == (2, 1, mq.MQCMD_ESCAPE)
    wrong = pcf.string(mq.MQCACF_ESCAPE_TEXT, "DISPLAY NONSENSE(X)")
    failed = client.ask(mq.MQCMD_ESCAPE, kind, wrong)
    assert [one.comp for one in failed] == [2, 2]
    assert "AMQ8405I" in str(values(failed[0])[mq.MQCACF_ESCAPE_TEXT])
    refused = client.ask(mq.MQCMD_ESCAPE, pcf.integer(mq.MQIACF_ESCAPE_TYPE, 9), text)
    assert outcomes(refused) == [(2, rccf.MQRCCF_ESCAPE_TYPE_ERROR), *FAILED]


@pytest.mark.parametrize(
    ("command", "name", "reason"),
    [
        (mq.MQCMD_INQUIRE_CHANNEL, mq.MQCACH_CHANNEL_NAME, rccf.MQRCCF_CHANNEL_NOT_FOUND),
        (
            mq.MQCMD_INQUIRE_CHANNEL_STATUS,
            mq.MQCACH_CHANNEL_NAME,
            rccf.MQRCCF_CHL_STATUS_NOT_FOUND,
        ),
        (
            mq.MQCMD_INQUIRE_LISTENER_STATUS,
            mq.MQCACH_LISTENER_NAME,
            rccf.MQRCCF_LSTR_STATUS_NOT_FOUND,
        ),
        (mq.MQCMD_INQUIRE_CHLAUTH_RECS, mq.MQCACH_CHANNEL_NAME, rccf.MQRCCF_CHLAUTH_NOT_FOUND),
        (mq.MQCMD_INQUIRE_SUBSCRIPTION, mq.MQCACF_SUB_NAME, rc.MQRC_NO_SUBSCRIPTION),
        (mq.MQCMD_INQUIRE_PROCESS, mq.MQCA_PROCESS_NAME, rc.MQRC_UNKNOWN_OBJECT_NAME),
    ],
)
def test_what_is_not_found_has_the_reason_of_its_kind(
    client: PCFClient, command: int, name: int, reason: int
) -> None:
    assert outcomes(client.ask(command, pcf.string(name, "NONE"))) == [(2, reason), *FAILED]


def test_channel_rules_are_set_and_inquired(client: PCFClient) -> None:
    channel = pcf.string(mq.MQCACH_CHANNEL_NAME, "DEV.*")
    kind = pcf.integer(mq.MQIACF_CHLAUTH_TYPE, mq.MQCAUT_BLOCKUSER)
    users = pcf.strings(mq.MQCACH_MCA_USER_ID_LIST, ["nobody", "guest"])
    assert outcomes(client.ask(mq.MQCMD_SET_CHLAUTH_REC, channel, kind, users)) == [(0, 0)]
    (found,) = client.ask(mq.MQCMD_INQUIRE_CHLAUTH_RECS, channel)
    reported = values(found)
    assert reported[mq.MQIACF_CHLAUTH_TYPE] == mq.MQCAUT_BLOCKUSER
    assert reported[mq.MQCACH_MCA_USER_ID_LIST] == ["nobody", "guest"]
    action = pcf.integer(mq.MQIACF_ACTION, mq.MQACT_REMOVEALL)
    assert outcomes(client.ask(mq.MQCMD_SET_CHLAUTH_REC, channel, kind, action)) == [(0, 0)]


def test_the_authority_of_an_entity_is_inquired(client: PCFClient) -> None:
    done = client.ask(
        mq.MQCMD_SET_AUTH_REC,
        pcf.string(mq.MQCACF_AUTH_PROFILE_NAME, "DEV.ONE"),
        pcf.integer(mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q),
        pcf.integers(mq.MQIACF_AUTH_ADD_AUTHS, [mq.MQAUTH_OUTPUT]),
        pcf.strings(mq.MQCACF_GROUP_ENTITY_NAMES, ["staff"]),
    )
    assert outcomes(done) == [(0, 0)]
    (found,) = client.ask(
        mq.MQCMD_INQUIRE_ENTITY_AUTH,
        pcf.integer(mq.MQIACF_AUTH_OPTIONS, 1),
        pcf.integer(mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q),
        pcf.integer(mq.MQIACF_ENTITY_TYPE, 2),
        pcf.string(mq.MQCACF_ENTITY_NAME, "staff"),
        pcf.string(mq.MQCACF_OBJECT_NAME, "DEV.ONE"),
    )
    assert values(found)[mq.MQIACF_AUTHORIZATION_LIST] == [mq.MQAUTH_OUTPUT]


# ---- what tools of others send


def names_of(messages: list[PCFMessage], parameter: int) -> list[str]:
    return sorted(str(values(one)[parameter]).strip() for one in messages)


@pytest.mark.parametrize(
    ("options", "profile", "found"),
    [
        (16, "DEV.ONE", ["DEV.ONE"]),  # NAME_EXPLICIT
        (32, "DEV.ONE", ["DEV.*", "DEV.ONE"]),  # NAME_ALL_MATCHING
        (32 + 1, "DEV.ONE", ["DEV.*", "DEV.ONE"]),  # and ENTITY_EXPLICIT
        (32 + 64, "DEV*", ["DEV.*", "DEV.ONE"]),  # NAME_AS_WILDCARD
        (32 + 1 + 64, "*.ONE", ["DEV.ONE"]),
    ],
)
def test_authority_records_are_chosen_by_their_options(
    qmgr: QueueManager, client: PCFClient, options: int, profile: str, found: list[str]
) -> None:
    for one in ("DEV.ONE", "DEV.*"):
        qmgr.mqsc(f"SET AUTHREC PROFILE('{one}') OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(PUT)")
    replies = client.ask(
        mq.MQCMD_INQUIRE_AUTH_RECS,
        pcf.integer(mq.MQIACF_AUTH_OPTIONS, options),
        pcf.string(mq.MQCACF_AUTH_PROFILE_NAME, profile),
        pcf.integer(mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q),
    )
    assert names_of(replies, mq.MQCACF_AUTH_PROFILE_NAME) == found


def test_status_of_queues_takes_a_type_of_queue(client: PCFClient) -> None:
    for kind in (mq.MQQT_ALL, mq.MQQT_LOCAL):
        replies = client.ask(mq.MQCMD_INQUIRE_Q_STATUS, queue_name("DEV.*"), queue_type(kind))
        assert names_of(replies, mq.MQCA_Q_NAME) == ["DEV.ONE", "DEV.TWO"]
    replies = client.ask(mq.MQCMD_INQUIRE_Q_STATUS, queue_name("DEV.*"), queue_type(mq.MQQT_REMOTE))
    assert replies[0].reason == rccf.MQRCCF_Q_TYPE_ERROR


@pytest.mark.parametrize("command", [mq.MQCMD_INQUIRE_Q_MGR, mq.MQCMD_INQUIRE_Q_MGR_STATUS])
def test_the_queue_manager_is_inquired_by_its_name(client: PCFClient, command: int) -> None:
    replies = client.ask(command, pcf.string(mq.MQCA_Q_MGR_NAME, "QM1"))
    assert (replies[0].reason, values(replies[0])[mq.MQCA_Q_MGR_NAME]) == (0, "QM1")
    replies = client.ask(command, pcf.string(mq.MQCA_Q_DESC, "QM1"))
    assert replies[0].reason == rccf.MQRCCF_CFST_PARM_ID_ERROR


@pytest.mark.parametrize("command", [mq.MQCMD_INQUIRE_Q_MGR, mq.MQCMD_INQUIRE_Q_MGR_STATUS])
@pytest.mark.parametrize("name", ["QM2", "QM", "qm1", "QM1X", "QM*"])
def test_another_queue_manager_is_not_inquired_here(
    client: PCFClient, command: int, name: str
) -> None:
    replies = client.ask(command, pcf.string(mq.MQCA_Q_MGR_NAME, name))
    assert [reply.reason for reply in replies if reply.reason] == [
        rccf.MQRCCF_Q_MGR_NAME_ERROR,
        rccf.MQRCCF_COMMAND_FAILED,
    ]
    assert values(replies[0])[mq.MQIACF_PARAMETER_ID] == mq.MQCA_Q_MGR_NAME


@pytest.mark.parametrize("name", ["", "*", "QM1".ljust(48)])
def test_this_queue_manager_is_also_inquired_by_a_blank_name(client: PCFClient, name: str) -> None:
    replies = client.ask(mq.MQCMD_INQUIRE_Q_MGR, pcf.string(mq.MQCA_Q_MGR_NAME, name))
    assert (replies[0].reason, values(replies[0])[mq.MQCA_Q_MGR_NAME]) == (0, "QM1")


STAT = (mq.MQIACF_SYSP_SMF_STAT_TIME_MINS, mq.MQIACF_SYSP_SMF_STAT_TIME_SECS)
ACCT = (mq.MQIACF_SYSP_SMF_ACCT_TIME_MINS, mq.MQIACF_SYSP_SMF_ACCT_TIME_SECS)


def test_intervals_are_set_and_reported_in_minutes_and_seconds(client: PCFClient) -> None:
    def now() -> tuple[object, ...]:
        reported = values(client.ask(mq.MQCMD_INQUIRE_SYSTEM)[-1])
        return tuple(reported[one] for one in (*STAT, *ACCT))

    def set_system(*pairs: tuple[int, int]) -> int:
        given = [pcf.integer(one, number) for one, number in pairs]
        return client.ask(mq.MQCMD_SET_SYSTEM, *given)[0].reason

    begun = now()
    assert set_system((STAT[0], 5)) == 0
    assert now()[:2] == (5, 0)
    assert set_system((STAT[0], 5), (STAT[1], 30), (ACCT[1], 20)) == 0
    assert now() == (5, 30, 0, 20)
    assert set_system((ACCT[0], -1), (mq.MQIACF_SYSP_TYPE, 11)) == 0
    assert now() == (5, 30, -1, 0)
    for wrong in ((STAT[0], 1441), (STAT[0], -1), (STAT[1], 60), (ACCT[1], -1)):
        assert set_system(wrong) == rccf.MQRCCF_PARM_VALUE_ERROR
    for both in (((ACCT[0], -1), (ACCT[1], 7)), ((ACCT[1], 7), (ACCT[0], -1))):
        assert set_system(*both) == rccf.MQRCCF_PARM_VALUE_ERROR
    assert set_system((mq.MQIACF_SYSP_TYPE, 10)) == 0  # as they were at the start
    assert now() == begun


def test_a_message_without_a_reply_queue_names_the_queue_manager_for_replies(
    qmgr: QueueManager,
) -> None:
    with qmgr.queue("DEV.TWO") as queue:
        queue.put("x")
        assert queue.get().descriptor.reply_to_qmgr == "QM1"
