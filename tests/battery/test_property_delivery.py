"""Goal: properties beside the data and MQRFH2 headers of the application are told apart through
every binding, and a get that cuts a message has its properties all the same.
Method: the battery's queue managers; puts with both, gets with buffers that are too short, messages
that are read ahead.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from tests.battery.test_properties_and_selectors import HEADED, MD, PAYLOAD
from tests.unit.codec.test_properties import header

pytestmark = pytest.mark.core

GIVEN = {"b": ternmq.Int32(2), "x.y": None}


@pytest.fixture
def old(qmgr: QueueManager) -> ternmq.Queue:
    """A queue with PROPCTL(V6COMPAT)."""
    assert qmgr.mqsc("DEFINE QLOCAL(OLD) PROPCTL(V6COMPAT) DEFREADA(NO)")[0].ok
    return qmgr.queue("OLD")


def test_v6compat_when_properties_were_given_then_they_are_beside_the_data(
    qmgr: QueueManager, old: ternmq.Queue
) -> None:
    """C1: only an MQRFH2 of the application comes back as one."""
    old.put(PAYLOAD, properties=GIVEN, format="MQSTR")
    qmgr.put("OLD", PAYLOAD, properties=GIVEN, format="MQSTR")
    for _ in range(2):
        message = old.get()
        assert (message.data, message.format) == (PAYLOAD, "MQSTR")
        assert message.properties == GIVEN
        assert message.properties.typed("b").type == mq.MQTYPE_INT32


def test_v6compat_when_header_and_properties_were_put_then_each_comes_as_it_was(
    qmgr: QueueManager, old: ternmq.Queue
) -> None:
    """C1."""
    old.put(HEADED, descriptor=MD, properties=GIVEN)
    qmgr.put("OLD", HEADED, descriptor=MD, properties=GIVEN)
    for _ in range(2):
        message = old.get()
        assert (message.data, message.format) == (HEADED, "MQHRF2")
        assert message.properties == GIVEN


def test_header_when_properties_are_given_too_then_theirs_win(qmgr: QueueManager) -> None:
    """C1: one property of a name, that beside the data."""
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(HEADED, descriptor=MD, properties={"a": "given", "b": True})
        message = queue.get()
    assert (message.data, dict(message.properties)) == (PAYLOAD, {"a": "given", "b": True})


def test_folder_of_the_application_when_properties_are_given_then_it_stays_in_the_data(
    qmgr: QueueManager,
) -> None:
    """R7: what is no property stays where it was, with its format."""
    qmgr.define_queue("A")
    own = header(b"<own><x>1</x></own> ") + PAYLOAD
    with qmgr.queue("A") as queue:
        queue.put(own, descriptor=MD, properties=GIVEN)
        message = queue.get()
    assert (message.data, message.format) == (own, "MQHRF2")
    assert message.properties == GIVEN


@pytest.mark.parametrize("limit", [0, 5, len(PAYLOAD) - 1])
def test_cut_message_when_its_properties_are_beside_it_then_they_come(
    qmgr: QueueManager, limit: int
) -> None:
    """P37: the buffer is for the data alone, when it is too short for that, too."""
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(PAYLOAD, properties=GIVEN)
        with pytest.raises(MQError) as caught:
            queue.get(max_length=limit)
        assert caught.value.reason == 2080
        left = caught.value.result
        assert (left.data, left.length, left.properties) == (PAYLOAD[:limit], 11, GIVEN)
        cut = queue.get(max_length=limit, options=mq.MQGMO_ACCEPT_TRUNCATED_MSG)
        assert (cut.data, cut.length, cut.truncated) == (PAYLOAD[:limit], len(PAYLOAD), True)
        assert cut.properties == GIVEN
        assert cut.properties.typed("b").type == mq.MQTYPE_INT32
        assert queue.depth == 0


def test_cut_message_when_its_properties_are_in_a_header_then_that_is_cut(
    qmgr: QueueManager,
) -> None:
    """P37: what comes before the data counts as data."""
    qmgr.define_queue("A")
    options = mq.MQGMO_PROPERTIES_FORCE_MQRFH2 | mq.MQGMO_ACCEPT_TRUNCATED_MSG
    with qmgr.queue("A") as queue:
        queue.put(HEADED, descriptor=MD)
        cut = queue.get(max_length=40, options=options)
    assert (cut.data, cut.length, dict(cut.properties)) == (HEADED[:40], len(HEADED), {})


def test_browse_when_it_cuts_then_the_message_has_its_properties(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    options = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_ACCEPT_TRUNCATED_MSG
    with qmgr.queue("A", options=mq.MQOO_BROWSE | mq.MQOO_OUTPUT) as queue:
        queue.put(PAYLOAD, properties=GIVEN)
        cut = queue.get(max_length=3, options=options)
        assert (cut.data, dict(cut.properties)) == (PAYLOAD[:3], GIVEN)
        assert queue.depth == 1


def test_read_ahead_when_messages_have_properties_then_all_come_with_them(
    qmgr: QueueManager,
) -> None:
    """What was read ahead is as what was not; so much of it that a window does not hold it."""
    assert qmgr.mqsc("DEFINE QLOCAL(AHEAD) DEFREADA(YES)")[0].ok
    filling = "f" * 2000
    with qmgr.queue("AHEAD") as queue:
        for number in range(200):
            queue.put(b"%d" % number, properties={"n": number, "text": filling})
        for number in range(200):
            message = queue.get()
            assert (message.data, message.length) == (b"%d" % number, len(b"%d" % number))
            assert message.properties == {"n": number, "text": filling}
        assert queue.try_get() is None


def test_convert_when_there_are_properties_then_only_the_data_changes(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    text = ternmq.Descriptor(format="MQSTR", ccsid=500)
    with qmgr.queue("A") as queue:
        queue.put("tern".encode("cp500"), descriptor=text, properties=GIVEN)
        message = queue.get(options=mq.MQGMO_CONVERT)
    assert (message.text, message.data, dict(message.properties)) == ("tern", b"tern", GIVEN)
