"""Goal: events read as amqsevt shows them, as text and as JSON; so does any PCF message.

Method: events made by hand, compared with the published form.
"""

from __future__ import annotations

import json

import pytest

from ternmq.admin.events.event_text import event_json, event_text, json_name, label
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.mqi.layout import BIG
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import PCFError
from ternmq.codec.pcf.structures import PCFMessage

pytestmark = pytest.mark.core

FULL = PCFMessage(
    mq.MQCFT_EVENT,
    mq.MQCMD_PERFM_EVENT,
    [
        pcf.string(mq.MQCA_Q_MGR_NAME, "QM1", 48),
        pcf.string(mq.MQCA_BASE_OBJECT_NAME, "FULLEVT", 48),
        pcf.integer(mq.MQIA_TIME_SINCE_RESET, 0),
        pcf.integer(mq.MQIA_HIGH_Q_DEPTH, 4),
        pcf.integer(mq.MQIA_MSG_ENQ_COUNT, 0),
        pcf.integer(mq.MQIA_MSG_DEQ_COUNT, 0),
    ],
    comp=1,
    reason=rc.MQRC_Q_FULL,
)
MD = Descriptor(format="MQEVENT", ccsid=1208, put_date="20161021", put_time="07112858")


def test_an_event_as_text() -> None:
    assert event_text(7, "SYSTEM.ADMIN.PERFM.EVENT", MD, FULL.pack()) == [
        "**** Message #7 (236 Bytes) on Queue SYSTEM.ADMIN.PERFM.EVENT ****",
        "Event Type                     : Perfm Event [45]",
        "Reason                         : Queue Full [2053]",
        "Event created                  : 2016/10/21 07:11:28.58 GMT",
        "  Queue Mgr Name               : QM1",
        "  Base Object Name             : FULLEVT",
        "  Time Since Reset             : 0",
        "  High Queue Depth             : 4",
        "  Msg Enq Count                : 0",
        "  Msg Deq Count                : 0",
    ]


def test_an_event_as_json_in_any_byte_order() -> None:
    for order, encoding in ((BIG, 273), ("<", 546)):
        md = MD.copy()
        md.encoding = encoding
        values = event_json("SYSTEM.ADMIN.PERFM.EVENT", "QM1", md, FULL.pack(order))
        assert json.loads(json.dumps(values)) == {
            "eventSource": {
                "objectName": "SYSTEM.ADMIN.PERFM.EVENT",
                "objectType": "Queue",
                "queueMgr": "QM1",
            },
            "eventType": {"name": "Perfm Event", "value": 45},
            "eventReason": {"name": "Queue Full", "value": 2053},
            "eventCreation": {"timeStamp": "2016-10-21T07:11:28Z", "epoch": 1477033888},
            "eventData": {
                "queueMgrName": "QM1",
                "baseObjectName": "FULLEVT",
                "timeSinceReset": 0,
                "highQueueDepth": 4,
                "msgEnqCount": 0,
                "msgDeqCount": 0,
            },
        }


def test_both_sides_of_a_change_groups_bytes_and_words() -> None:
    event = PCFMessage(
        mq.MQCFT_EVENT,
        mq.MQCMD_CONFIG_EVENT,
        [
            pcf.integer(mq.MQIACF_EVENT_ORIGIN, mq.MQEVO_CONSOLE),
            pcf.integer(mq.MQIA_APPL_TYPE, mq.MQAT_UNIX),
            pcf.integer(mq.MQIA_INHIBIT_PUT, 1),
            pcf.byte_string(mq.MQBACF_EVENT_ACCOUNTING_TOKEN, b"\x01\xff"),
            pcf.group(mq.MQGACF_COMMAND_DATA, [pcf.strings(mq.MQCA_NAMES, ["A", "B"])]),
            pcf.group(mq.MQGACF_COMMAND_DATA, [pcf.integer(9999, 1)]),
        ],
        version=3,
        sequence=2,
        comp=1,
        reason=rc.MQRC_CONFIG_CHANGE_OBJECT,
    )
    md = MD.copy()
    md.correl_id = b"\xab" * 24
    md.put_date = ""
    values = event_json("Q", "QM1", md, event.pack())
    assert values["objectState"] == "After Change"
    assert values["correlationID"] == "AB" * 24
    assert "eventCreation" not in values
    assert values["eventData"] == {
        "eventOrigin": "Console",
        "applType": "Unix",
        "inhibitPut": "Disabled",
        "eventAccountingToken": "01FF",
        "commandData": [{"names": ["A", "B"]}, {"9999": 1}],
    }
    lines = event_text(1, "Q", md, event.pack())
    assert "Object state                   : After Change" in lines
    assert lines[-4:] == [
        "  Command Data",
        "    Names                      : A, B",
        "  Command Data",
        "    9999                       : 1",
    ]


def test_names_are_made_from_constants() -> None:
    assert label("Q_MGR_NAME") == "Queue Mgr Name"
    assert json_name("BASE_Q_NAME") == "baseQueueName"


def test_what_is_no_pcf_is_refused() -> None:
    with pytest.raises(PCFError):
        event_text(1, "Q", MD, b"hello")
