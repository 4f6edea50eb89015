"""Goal: a message with a delivery delay is on its queue when the delay is over and not before,
through every binding: once, in order, with all that it was put with; inside syncpoint and outside,
over a stop and a crash.
Method: the battery's queue managers with delays of some tenths of a second; gets that wait.
"""

from __future__ import annotations

import time

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_EXPIRY_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_OPTIONS_ERROR,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
)
from ternmq.codec.headers.delay_header import FORMAT as STAGED
from ternmq.codec.headers.delay_header import unpack_delay_header
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from tests.battery.places import Place
from tests.unit.codec.test_properties import header

pytestmark = pytest.mark.core

DELAY_QUEUE = "SYSTEM.DDELAY.LOCAL.QUEUE"
WAIT_S = 20.0
DELAY_S = 0.2


def refused(reason: int) -> pytest.RaisesExc[MQError]:
    return pytest.RaisesExc(MQError, check=lambda error: error.reason == reason)


@pytest.mark.parametrize("persistent", [False, True])
def test_delay_when_it_is_over_then_the_message_comes_as_it_was_put(
    qmgr: QueueManager, persistent: bool
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        begun = time.monotonic()
        msg_id = queue.put(
            "later",
            persistent=persistent,
            priority=7,
            correl_id=b"c" * 24,
            reply_to="ANSWERS",
            properties={"colour": "red"},
            delay=DELAY_S,
        )
        assert queue.depth == 0
        message = queue.get(wait=WAIT_S)
        assert time.monotonic() - begun >= DELAY_S
        assert (message.data, message.format, message.msg_id) == (b"later", "MQSTR", msg_id)
        assert (message.persistent, message.priority) == (persistent, 7)
        assert (message.correl_id, message.descriptor.reply_to_queue) == (b"c" * 24, "ANSWERS")
        assert message.properties == {"colour": "red"}
        assert queue.try_get(wait=DELAY_S) is None
    with qmgr.queue(DELAY_QUEUE) as staged:
        assert staged.depth == 0


def test_put1_when_it_has_a_delay_then_the_message_comes_later(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    msg_id = qmgr.put("A", b"later", delay=DELAY_S)
    with qmgr.queue("A") as queue:
        assert queue.try_get() is None
        assert queue.get(wait=WAIT_S).msg_id == msg_id


def test_delay_of_zero_when_put_then_the_message_is_there_at_once(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"now", delay=0)
        qmgr.put("A", b"now", delay=0.0)
        assert queue.depth == 2


def test_order_when_delays_differ_then_the_shorter_one_comes_first(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        for words, delay in (("c", 0.6), ("a", 0.2), ("b", 0.4)):
            queue.put(words, delay=delay)
        found = [queue.get(wait=WAIT_S).data for _ in range(3)]
        assert found == [b"a", b"b", b"c"]


def test_unit_when_it_is_committed_after_the_delay_then_the_message_comes_at_once(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue, qmgr.connect() as other, other.queue("A") as read:
        queue.put(b"x", delay=DELAY_S, syncpoint=True)
        assert read.try_get(wait=2 * DELAY_S) is None
        qmgr.commit()
        assert read.get(wait=WAIT_S).data == b"x"


def test_unit_when_it_is_backed_out_then_the_message_never_comes(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"undone", delay=DELAY_S, syncpoint=True)
        qmgr.backout()
        queue.put(b"done", delay=2 * DELAY_S)
        assert queue.get(wait=WAIT_S).data == b"done"
        assert queue.try_get() is None
    with qmgr.queue(DELAY_QUEUE) as staged:
        assert staged.depth == 0


def test_delay_queue_when_it_is_browsed_then_the_original_msg_id_is_the_correl_id(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        msg_id = queue.put(b"in an hour", delay=3600, properties={"n": 1})
    with qmgr.queue(DELAY_QUEUE) as staged:
        (message,) = staged.browse()
        assert (message.correl_id, message.format) == (msg_id, "TERNDLAY")
        assert message.msg_id != msg_id
        assert message.data.endswith(b"in an hour")
        staged.get(correl_id=msg_id)  # so an operator takes a delayed message back
        assert staged.depth == 0


def test_delay_queue_when_properties_were_put_in_a_header_then_it_describes_the_staged_message(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    data = header(b"<usr><n>1</n></usr>  ", b"<own>folder</own>   ") + b"later"
    md = Descriptor(format="MQHRF2", encoding=546, ccsid=1208)
    with qmgr.queue("A") as queue:
        queue.put(data, descriptor=md, delay=3600)
    with qmgr.queue(DELAY_QUEUE) as staged:
        found = staged.get(options=mq.MQGMO_PROPERTIES_FORCE_MQRFH2)
        assert found.format == md.format
        read = RulesHeader2.unpack(found.data)
        assert read.format == STAGED
        behind = found.data[read.size() :]
        assert unpack_delay_header(behind).queue == "A"
        assert behind.endswith(b"later")
        staged.put(found.data, descriptor=found.descriptor)  # so an operator puts it back
        again = staged.get()
        assert again.format == STAGED
        assert again.data == behind
        assert again.properties == {"n": "1"}


@pytest.mark.parametrize("crash", [False, True], ids=["stop", "crash"])
def test_restart_when_messages_are_delayed_then_the_persistent_ones_come_when_due(
    place: Place, crash: bool
) -> None:
    """T9."""
    place.qmgr.define_queue("A")
    with place.qmgr.queue("A") as queue:
        queue.put(b"second", persistent=True, delay=0.4)
        queue.put(b"lost", persistent=False, delay=0.3)
        queue.put(b"first", persistent=True, delay=0.2)
    (place.crash if crash else place.restart)()
    with place.qmgr.queue("A") as queue:
        found = [queue.get(wait=WAIT_S).data for _ in range(2)]
        assert found == [b"first", b"second"]
        assert queue.try_get(wait=DELAY_S) is None


def test_alias_when_it_is_altered_meanwhile_then_the_message_goes_where_it_leads(
    qmgr: QueueManager,
) -> None:
    for name in ("A", "B"):
        qmgr.define_queue(name)
    qmgr.define_alias("TO", target="A")
    with qmgr.queue("TO") as queue:
        queue.put(b"x", delay=2 * DELAY_S)
    assert qmgr.mqsc("ALTER QALIAS(TO) TARGET(B)")[0].ok
    with qmgr.queue("B") as queue:
        assert queue.get(wait=WAIT_S).data == b"x"


@pytest.mark.parametrize("delay", [-1.0, float("nan"), float("inf"), 1e12])
def test_delay_when_it_cannot_be_then_the_put_is_refused(qmgr: QueueManager, delay: float) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue, refused(MQRC_OPTIONS_ERROR):
        queue.put(b"x", delay=delay)
    with refused(MQRC_OPTIONS_ERROR):
        qmgr.put("A", b"x", delay=delay)


@pytest.mark.parametrize(
    "flags",
    [
        mq.MQMF_MSG_IN_GROUP,
        mq.MQMF_LAST_MSG_IN_GROUP,
        mq.MQMF_SEGMENT,
        mq.MQMF_LAST_SEGMENT,
        mq.MQMF_MSG_IN_GROUP | mq.MQMF_SEGMENT,
    ],
)
def test_group_when_its_message_has_a_delay_then_the_put_is_refused(
    qmgr: QueueManager, flags: int
) -> None:
    """T5: of a segment, too."""
    qmgr.define_queue("A")
    md = ternmq.Descriptor(version=2, msg_flags=flags, group_id=b"g" * 24)
    with qmgr.queue("A") as queue, qmgr.queue(DELAY_QUEUE) as staged:
        with refused(MQRC_OPTIONS_ERROR):
            queue.put(b"x", descriptor=md, delay=DELAY_S)
        with refused(MQRC_OPTIONS_ERROR):
            qmgr.put("A", b"x", descriptor=md, delay=DELAY_S)
        assert (queue.depth, staged.depth) == (0, 0)
        queue.put(b"x", descriptor=md)  # it is the delay that is refused


@pytest.mark.parametrize("by_cap", [False, True])
def test_expiry_when_it_is_shorter_than_the_delay_then_the_put_is_refused(
    qmgr: QueueManager, by_cap: bool
) -> None:
    qmgr.define_queue("A", cap_expiry=50 if by_cap else -1)
    with qmgr.queue("A") as queue:
        with refused(MQRC_EXPIRY_ERROR):
            queue.put(b"x", delay=6, expiry=None if by_cap else 5)
        queue.put(b"x", delay=5, expiry=None if by_cap else 5)
    with qmgr.queue(DELAY_QUEUE) as staged:
        assert staged.depth == 1


def test_queue_when_it_takes_no_such_message_then_the_put_is_refused_at_once(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A", max_message_length=10)
    with qmgr.queue("A") as queue, refused(MQRC_MSG_TOO_BIG_FOR_Q):
        queue.put(b"x" * 11, delay=1)
    assert qmgr.mqsc("ALTER QLOCAL(A) PUT(DISABLED)")[0].ok
    with qmgr.queue("A") as queue, refused(MQRC_PUT_INHIBITED):
        queue.put(b"x", delay=1)


def test_delay_queue_when_it_is_full_or_inhibited_then_its_reason_is_returned(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        assert qmgr.mqsc(f"ALTER QLOCAL({DELAY_QUEUE}) MAXDEPTH(1)")[0].ok
        queue.put(b"x", delay=3600)
        with refused(MQRC_Q_FULL):
            queue.put(b"x", delay=3600)
        assert qmgr.mqsc(f"ALTER QLOCAL({DELAY_QUEUE}) PUT(DISABLED)")[0].ok
        with refused(MQRC_PUT_INHIBITED):
            queue.put(b"x", delay=3600)


@pytest.mark.parametrize("by_name", [True, False])
def test_queue_of_another_queue_manager_then_the_message_waits_here(
    qmgr: QueueManager, by_name: bool
) -> None:
    """Then it goes to the transmission queue, as an ordinary put does."""
    assert qmgr.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)")[0].ok
    assert qmgr.mqsc("DEFINE QREMOTE(R) RNAME(THERE) RQMNAME(QM2) XMITQ(QM2)")[0].ok
    with qmgr.queue("QM2") as transmission, qmgr.queue(DELAY_QUEUE) as staged:
        if by_name:
            qmgr.put("THERE", b"x", qmgr_name="QM2", delay=DELAY_S)
        else:
            qmgr.put("R", b"x", delay=DELAY_S)
        assert (transmission.depth, staged.depth) == (0, 1)
        data = transmission.get(wait=WAIT_S).data
        assert staged.depth == 0
    header = TransmissionHeader.unpack(data)
    assert (header.remote_queue, header.remote_qmgr) == ("THERE", "QM2")
    assert data.endswith(b"x")


def test_message_when_it_is_long_then_it_comes_whole(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    data = bytes(range(256)) * 4096
    with qmgr.queue("A") as queue:
        queue.put(data, delay=DELAY_S, properties={"n": 1})
        message = queue.get(wait=WAIT_S)
        assert message.data == data
        assert message.properties == {"n": 1}


def test_put_when_it_is_refused_then_the_error_names_the_verb(qmgr: QueueManager) -> None:
    qmgr.define_queue("SHORT", max_message_length=10)
    with qmgr.queue("SHORT") as queue, pytest.raises(ternmq.MQError) as refused:
        queue.put(bytes(11), delay=5)
    assert (refused.value.verb, refused.value.reason) == ("MQPUT", MQRC_MSG_TOO_BIG_FOR_Q)
