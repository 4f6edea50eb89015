"""Section E: whether a publication is delivered as a whole, in part or not at all, and in which
unit of work."""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.handle import ObjectHandle
from tests.conformance.pubsub.bed import Bed, D, Sub, get, reason_of, take

PERSISTENT = Descriptor(persistence=mq.MQPER_PERSISTENT)
PLAIN = Descriptor(persistence=mq.MQPER_NOT_PERSISTENT)
FAILED = mq.MQRC_PUBLICATION_FAILURE
QUEUES = ("Q1", "Q2", "Q3")


class Three:
    """Topic T: S1 durable on Q1, S2 durable on Q2, S3 not on Q3, and a dead-letter queue."""

    def __init__(self, bed: Bed) -> None:
        self.bed = bed
        bed.mqsc("\n".join(f"DEFINE QLOCAL({name})" for name in (*QUEUES, "DLQ", "X")))
        bed.mqsc("ALTER QMGR DEADQ(DLQ)\nDEFINE TOPIC(T) TOPICSTR('t')")
        self.handles = [bed.open(name, mq.MQOO_INPUT_SHARED) for name in QUEUES]
        self.subs: list[Sub] = []
        for at, options in enumerate((D, D, 0)):
            name = f"S{at + 1}" if options else ""
            self.subs.append(bed.sub("t", options, name, queue=self.handles[at]))
        self.dead = bed.open("DLQ", mq.MQOO_INPUT_SHARED)

    def topic(self, text: str) -> None:
        self.bed.mqsc(f"ALTER TOPIC(T) {text}")

    def fill(self, *names: str) -> None:
        """These queues are full."""
        for name in names:
            self.bed.mqsc(f"ALTER QLOCAL({name}) MAXDEPTH(1)")
            handle = self.bed.open(name, mq.MQOO_OUTPUT)
            self.bed.put(handle, "filling")
            self.bed.close_handle(handle)

    def pub(self, md: Descriptor = PERSISTENT, options: int = 0) -> int:
        return reason_of(self.bed.pub, "t", "x", options, descriptor=md)

    def got(self) -> list[bool]:
        """Which of the three queues have the publication."""
        return [self.count(handle) > 0 for handle in self.handles]

    def count(self, handle: ObjectHandle) -> int:
        texts = [one.text for one in iter(lambda: get(self.bed.connection, handle), None)]
        return len([text for text in texts if text != "filling"])

    def buried(self) -> list[tuple[int, str]]:
        """Reason and DestQName of what the dead-letter queue has."""
        found = []
        for message in iter(lambda: get(self.bed.connection, self.dead), None):
            header = DeadLetterHeader.unpack(message.data)
            found.append((header.reason, header.destination_queue))
        return found


@pytest.fixture
def three(bed: Bed) -> Three:
    return Three(bed)


ROWS = [
    # attributes, descriptor, full queue, reason, who gets it
    ("e1", "PMSGDLV(ALL)", PERSISTENT, "Q1", FAILED, [False, False, False]),
    ("e2", "PMSGDLV(ALL)", PERSISTENT, "Q3", FAILED, [False, False, False]),
    ("e3", "PMSGDLV(ALLDUR)", PERSISTENT, "Q1", FAILED, [False, False, False]),
    ("e4", "PMSGDLV(ALLDUR)", PERSISTENT, "Q3", 0, [True, True, False]),
    ("e5", "PMSGDLV(ALLAVAIL)", PERSISTENT, "Q1", 0, [False, True, True]),
    ("e8", "NPMSGDLV(ALL)", PLAIN, "Q1", FAILED, [False, False, False]),
    ("e8", "NPMSGDLV(ALLDUR)", PLAIN, "Q1", FAILED, [False, False, False]),
    ("e8", "NPMSGDLV(ALLAVAIL)", PLAIN, "Q1", 0, [False, True, True]),
    ("e9", "PMSGDLV(ALL) NPMSGDLV(ALLAVAIL)", PLAIN, "Q1", 0, [False, True, True]),
    ("e9", "PMSGDLV(ALL) NPMSGDLV(ALLAVAIL)", PERSISTENT, "Q1", FAILED, [False] * 3),
]


@pytest.mark.parametrize(("row", "text", "md", "full", "reason", "got"), ROWS)
def test_e1_to_e5_e8_e9_when_a_queue_is_full_then_by_topic(
    three: Three, row: str, text: str, md: Descriptor, full: str, reason: int, got: list[bool]
) -> None:
    three.topic(f"{text} USEDLQ(NO)")
    three.fill(full)
    assert three.pub(md) == reason, row
    assert three.got() == got
    assert three.buried() == []


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("PMSGDLV(ALL)", "Q1"),
        ("PMSGDLV(ALL)", "Q3"),
        ("PMSGDLV(ALLDUR)", "Q1"),
        ("PMSGDLV(ALLDUR)", "Q3"),
        ("PMSGDLV(ALLAVAIL)", "Q1"),
    ],
)
def test_e6_when_dead_letter_queue_takes_it_then_delivered(
    three: Three, text: str, full: str
) -> None:
    three.topic(f"{text} USEDLQ(YES)")
    three.fill(full)
    assert three.pub() == 0
    assert three.got() == [name != full for name in QUEUES]
    assert three.buried() == [(mq.MQRC_Q_FULL, full)]


@pytest.mark.parametrize("text", ["PMSGDLV(ALL)", "PMSGDLV(ALLDUR)"])
def test_e7_when_dead_letter_queue_full_or_missing_then_2502(three: Three, text: str) -> None:
    three.topic(f"{text} USEDLQ(YES)")
    three.fill("Q1", "DLQ")
    assert three.pub() == FAILED
    three.bed.mqsc("ALTER QMGR DEADQ(' ')")
    assert three.pub() == FAILED
    assert three.got() == [False, False, False]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("ALTER QLOCAL(Q1) PUT(DISABLED)", mq.MQRC_PUT_INHIBITED),
        ("ALTER QLOCAL(Q1) MAXMSGL(0)", mq.MQRC_MSG_TOO_BIG_FOR_Q),
        ("DELETE QLOCAL(Q1)", mq.MQRC_UNKNOWN_OBJECT_NAME),
    ],
)
def test_e10_when_queue_inhibited_short_or_deleted_then_its_reason(
    bed: Bed, command: str, reason: int
) -> None:
    three = Three(bed)
    three.topic("PMSGDLV(ALL) USEDLQ(YES)")
    three.subs[0].close(mq.MQCO_KEEP_SUB)
    bed.close_handle(three.handles[0])
    bed.mqsc(command)
    assert three.pub() == 0
    assert three.buried() == [(reason, "Q1")]
    three.topic("USEDLQ(NO)")
    assert three.pub() == FAILED
    assert [three.count(handle) for handle in three.handles[1:]] == [1, 1]


def test_e11_when_all_fail_and_may_then_done_with_one_notice(bed: Bed) -> None:
    three = Three(bed)
    three.topic("PMSGDLV(ALLAVAIL) USEDLQ(NO)")
    three.fill(*QUEUES)
    bed.kernel.notices.take()
    assert three.pub() == 0
    ids = [one.message_id for one in bed.kernel.notices.take()]
    assert ids.count("AMQ7593W") == 1
    assert three.got() == [False, False, False]


def test_e12_when_discard_asked_for_then_not_buried(three: Three) -> None:
    three.topic("PMSGDLV(ALL) USEDLQ(YES)")
    three.fill("Q1")
    md = Descriptor(persistence=1, report=mq.MQRO_DISCARD_MSG)
    assert three.pub(md) == 0
    assert three.got() == [False, True, True]
    assert three.buried() == []


def test_e13_e14_when_in_unit_then_all_at_once_or_nothing(three: Three) -> None:
    bed = three.bed
    topic = bed.open_topic("t").opened()
    bed.pub("t", "old", mq.MQPMO_RETAIN)
    assert three.got() == [True, True, True]
    other = bed.connect()
    seen = bed.sub("t", connection=other)
    assert seen.texts() == ["old"]
    bed.put(topic, "x", options=mq.MQPMO_SYNCPOINT)
    assert (three.got(), seen.texts()) == ([False] * 3, [])
    bed.connection.commit()
    assert (three.got(), seen.texts()) == ([True] * 3, ["x"])
    bed.put(topic, "new", options=mq.MQPMO_SYNCPOINT | mq.MQPMO_RETAIN)
    bed.connection.backout()
    assert (three.got(), seen.texts()) == ([False] * 3, [])
    assert bed.sub("t", connection=other).texts() == ["old"]
    bed.put(topic, "new", options=mq.MQPMO_SYNCPOINT | mq.MQPMO_RETAIN)
    bed.connection.commit()
    assert bed.sub("t", connection=other).texts() == ["new"]


def test_e15_when_publication_fails_in_unit_then_unit_goes_on(three: Three) -> None:
    bed = three.bed
    three.topic("PMSGDLV(ALL) USEDLQ(NO)")
    three.fill("Q3")
    target = bed.open("X", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
    bed.put(target, "kept", options=mq.MQPMO_SYNCPOINT)
    topic = bed.open_topic("t").opened()
    syncpoint = mq.MQPMO_SYNCPOINT
    assert reason_of(bed.put, topic, "x", options=syncpoint, descriptor=PERSISTENT) == FAILED
    bed.connection.commit()
    assert take(bed.connection, target).text == "kept"
    assert three.got() == [False, False, False]


def test_e16_when_thousand_published_then_each_in_order(bed: Bed) -> None:
    subs = [bed.sub("a") for _ in range(3)]
    topic = bed.open_topic("a").opened()
    wanted = [str(number) for number in range(1000)]
    for text in wanted:
        bed.put(topic, text)
    assert [sub.texts() for sub in subs] == [wanted] * 3


def test_e17_when_two_subscriptions_share_a_queue_then_two_copies(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q)")
    queue = bed.open("Q", mq.MQOO_INPUT_SHARED)
    subs = [bed.sub("a/#", 0, queue=queue), bed.sub("a/b", 0, queue=queue)]
    bed.pub("a/b", "x", descriptor=PERSISTENT)
    copies = [subs[0].get().descriptor, subs[0].get().descriptor]
    assert copies[0].msg_id != copies[1].msg_id
    assert {one.correl_id for one in copies} == {sub.sd.correl_id for sub in subs}


def test_e32_when_got_and_backed_out_then_only_that_copy_counts(bed: Bed) -> None:
    first, second = bed.sub("a"), bed.sub("a")
    bed.pub("a", "x")
    assert first.get(syncpoint=True).text == "x"
    bed.connection.backout()
    assert first.get().descriptor.backout_count == 1
    assert second.get().descriptor.backout_count == 0
