"""Goal: queued publications, PSMODE and its companions, and streams are as rows H of
docs/reference/conformance-pubsub.md say.
Method: commands put to the queues of a real queue manager, over each binding; responses and
publications are compared.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ternmq import Message
from ternmq import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.headers.pubsub_command import Field
from ternmq.codec.mqi.mqmd import Descriptor
from tests.conformance.pubsub.bed import Bed, M
from tests.conformance.pubsub.queued_commands import CONTROL, REPLIES, STREAM, Queued

OK = (mq.MQCC_OK, list[int]())
DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
ID = bytes(range(1, 25))


def work_off(bed: Bed) -> None:
    """No command is under way any more: each is done, or waits for its next try."""
    shell = bed.served.started.shell
    more = True
    while more:
        with shell.lock:
            more = shell.engine.work_some()
            shell.settle()
        more = shell.run_effects() or more or shell.engine.is_parked


def eventually(bed: Bed, queue: str, is_so: Callable[[int], bool]) -> bool:
    """Whether the depth of a queue becomes what it should be, while time passes for the queue
    manager."""
    for _ in range(2000):
        with bed.connection.queue(queue) as looked_at:
            if is_so(looked_at.depth):
                return True
        shell = bed.served.started.shell
        with shell.lock:
            shell.engine.tick()
            shell.flush()
        work_off(bed)
    return False


def dead_letter(bed: Bed) -> tuple[DeadLetterHeader, Message]:
    message = bed.connection.queue(DEAD).try_get()
    assert message is not None, "nothing on the dead-letter queue"
    return DeadLetterHeader.unpack(message.data), message


def test_h3_publication_when_queued_then_both_kinds_of_subscribers_get_it(bed: Bed) -> None:
    queued = Queued(bed)
    assert queued.register("q/#") == OK
    subscription = bed.sub("q/a", M)
    assert queued.publish("q/a", "data", priority=4) == OK
    message = queued.got()
    assert message is not None
    assert message.descriptor.format == mq.MQFMT_RF_HEADER_2
    assert (message.descriptor.priority, message.descriptor.msg_type) == (4, mq.MQMT_DATAGRAM)
    header = RulesHeader2.unpack(message.data)
    assert header.folders == ["<psc><Command>Publish</Command><Topic>q/a</Topic></psc>"]
    assert header.format == mq.MQFMT_STRING
    assert message.data[header.structure_length :] == b"data"
    found = subscription.get(0.0)
    assert (found.data, found.descriptor.format) == (b"data", mq.MQFMT_STRING)
    assert found.properties["mqps.Top"] == "q/a"


def test_h4_publication_when_by_the_mqi_then_a_queued_subscriber_gets_it(bed: Bed) -> None:
    queued = Queued(bed)
    assert queued.register("q/#", ("SubUserData", "mine & yours")) == OK
    assert queued.register("*/a", version=1) == OK
    bed.pub("q/a", "data", format=mq.MQFMT_STRING)
    found = {one.version: one for one in (queued.publication(), queued.publication())}
    assert [(version, found[version].data) for version in (1, 2)] == [(1, b"data"), (2, b"data")]
    assert found[2].fields == [
        ("Command", "Publish"),
        ("Topic", "q/a"),
        ("SubUserData", "mine & yours"),
    ]
    assert found[1].fields == [("Command", "Publish"), ("Topic", "q/a")]


def test_publication_when_it_has_properties_then_they_go_with_it(bed: Bed) -> None:
    queued = Queued(bed)
    subscription = bed.sub("q/a", M)
    assert queued.register("q/a") == OK
    folders = [
        "<psc><Command>Publish</Command><Topic>q/a</Topic><PubTime>20261117</PubTime>"
        "<SeqNum>7</SeqNum></psc>",
        "<usr><colour>red</colour></usr>",
    ]
    header = RulesHeader2(folders=folders, format=mq.MQFMT_STRING, ccsid=1208)
    descriptor = Descriptor(format=mq.MQFMT_RF_HEADER_2, encoding=mq.MQENC_NATIVE, ccsid=1208)
    bed.connection.put(STREAM, header.pack() + b"data", descriptor=descriptor)
    queued.flush()
    found = subscription.get(5.0)
    assert found.data == b"data"
    assert found.properties["colour"] == "red"
    assert found.properties["mqpse.Seq"] == "7"
    message = queued.got()
    assert message is not None
    assert message.properties["colour"] == "red"
    assert b"<SeqNum>7</SeqNum>" in message.data
    assert b"<PubTime>20261117</PubTime>" in message.data


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ([("Command", "Foo")], 2336),
        ([("Command", "Publish"), ("Topic", "a"), ("Colour", "red")], 2337),
        ([("Command", "Publish"), ("Topic", "a"), ("Command", "Publish")], 2338),
        ([("Command", "ReqUpdate"), ("Topic", "a"), ("Topic", "b")], 2338),
        ([("Command", "Publish")], 2339),
        ([("Topic", "a")], 2336),
    ],
)
def test_h5_command_when_it_is_wrong_then_an_error_and_the_command(
    bed: Bed, fields: list[Field], reason: int
) -> None:
    answer = Queued(bed).ask(*fields)
    assert answer.outcome == (mq.MQCC_FAILED, [reason])
    folders = RulesHeader2.unpack(answer.message.data).folders
    assert folders[0].startswith("<pscr><Completion>error</Completion><Response><Reason>")
    assert folders[1].startswith("<psc>")


def test_h8_retained_when_deleted_then_gone(bed: Bed) -> None:
    queued = Queued(bed)
    keep = ("PubOpt", "RetainPub")
    for topic in ("r/a", "r/b", "s"):
        assert queued.publish(topic, topic, keep) == OK
    first = bed.sub("#", M)
    assert sorted(first.texts()) == ["r/a", "r/b", "s"]
    assert queued.outcome(("Command", "DeletePub"), ("Topic", "r/a")) == OK
    assert sorted(bed.sub("#", M).texts()) == ["r/b", "s"]
    delete = (("Command", "DeletePub"), ("Topic", "r/#"), ("DelOpt", "Local"))
    assert queued.outcome(*delete) == OK
    assert bed.sub("#", M).texts() == ["s"]
    assert queued.outcome(("Command", "DeletePub"), ("Topic", "r/a")) == OK


def test_retained_when_a_subscriber_registers_then_it_gets_it(bed: Bed) -> None:
    queued = Queued(bed)
    assert queued.publish("r/a", "old", ("PubOpt", "RetainPub")) == OK
    assert queued.register("r/#", ("RegOpt", "InformIfRet")) == OK
    found = queued.publication()
    assert (found.data, found.values("PubOpt")) == (b"old", ["RetainPub", "IsRetainedPub"])
    assert queued.register("r/a", ("RegOpt", "NewPubsOnly")) == OK
    assert queued.got() is None


def test_publication_when_for_other_subscribers_only_then_not_to_its_own(bed: Bed) -> None:
    queued = Queued(bed)
    bed.mqsc("DEFINE QLOCAL(OTHER)")
    by_id = ("RegOpt", "CorrelAsId")
    assert queued.register("t", by_id, correl_id=ID) == OK
    assert queued.register("t", ("QName", "OTHER")) == OK
    others = (("PubOpt", "OtherSubsOnly"), ("QName", "SQ"))
    assert queued.publish("t", "1", *others, ("PubOpt", "CorrelAsId"), correl_id=ID) == OK
    assert (queued.texts(), queued.texts("OTHER")) == ([], ["1"])
    assert queued.publish("t", "2", *others) == OK
    assert (queued.texts(), queued.texts("OTHER")) == (["2"], ["2"])


@pytest.mark.parametrize(
    ("option", "published", "expected"),
    [
        ("NonPers", True, 0),
        ("Pers", False, 1),
        ("PersAsPub", True, 1),
        ("PersAsPub", False, 0),
        ("PersAsQueue", False, 1),
    ],
)
def test_persistence_when_registered_for_then_it_counts(
    bed: Bed, option: str, published: bool, expected: int
) -> None:
    queued = Queued(bed)
    bed.mqsc("ALTER QLOCAL(SQ) DEFPSIST(YES)")
    assert queued.register("t", ("RegOpt", option)) == OK
    assert queued.publish("t", "x", persistent=published) == OK
    message = queued.got()
    assert message is not None
    assert message.descriptor.persistence == expected


def test_h15_compat_when_commands_wait_then_worked_off_in_order(bed: Bed) -> None:
    queued = Queued(bed)
    assert queued.register("t") == OK
    bed.mqsc("ALTER QMGR PSMODE(COMPAT)")
    for number in range(5):
        fields = [("Command", "Publish"), ("Topic", "t")]
        queued.put(fields, data=str(number).encode(), msg_type=mq.MQMT_DATAGRAM)
    queued.put([("Command", "DeregSub"), ("Topic", "t"), ("QName", "SQ")])
    shell = bed.served.started.shell
    with shell.lock:
        shell.engine.tick()
    assert bed.connection.queue(STREAM).depth == 5
    assert bed.connection.queue(CONTROL).depth == 1
    bed.pub("t", "by the MQI")
    assert queued.texts() == ["by the MQI"]
    taken = bed.connection.queue(CONTROL).try_get()  # an older broker may take them
    assert taken is not None
    bed.mqsc("ALTER QMGR PSMODE(ENABLED)")
    queued.flush()
    assert eventually(bed, STREAM, lambda depth: depth == 0)
    assert queued.texts() == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("mode", ["DISABLED", "COMPAT"])
def test_mode_when_not_enabled_then_the_queues_are_not_open(bed: Bed, mode: str) -> None:
    Queued(bed).flush()
    (row,) = bed.mqsc(f"DISPLAY QLOCAL({CONTROL}) IPPROCS")
    assert row["IPPROCS"] == 1
    bed.mqsc(f"ALTER QMGR PSMODE({mode})")
    handle = bed.open(CONTROL, mq.MQOO_INPUT_EXCLUSIVE) if _closed(bed) else None
    assert handle is not None


def _closed(bed: Bed) -> bool:
    for _ in range(1000):
        (row,) = bed.mqsc(f"DISPLAY QLOCAL({CONTROL}) IPPROCS")
        if row["IPPROCS"] == 0:
            return True
    return False


def test_h16_message_when_it_is_no_command_then_discarded_or_dead(bed: Bed) -> None:
    bed.mqsc(f"ALTER QMGR DEADQ({DEAD}) PSRTYCNT(3)")
    queued = Queued(bed)
    bed.connection.put(CONTROL, b"plain", persistent=False)
    queued.flush()
    assert (bed.connection.queue(CONTROL).depth, bed.connection.queue(DEAD).depth) == (0, 0)
    bed.connection.put(CONTROL, b"kept", persistent=True)
    assert eventually(bed, DEAD, lambda depth: depth == 1)
    header, message = dead_letter(bed)
    assert (header.reason, header.destination_queue) == (2334, CONTROL)
    assert message.data.endswith(b"kept")
    descriptor = Descriptor(report=mq.MQRO_DISCARD_MSG, persistence=mq.MQPER_PERSISTENT)
    bed.connection.put(CONTROL, b"unwanted", descriptor=descriptor)
    queued.flush()
    assert (bed.connection.queue(CONTROL).depth, bed.connection.queue(DEAD).depth) == (0, 0)


def test_h16_message_when_psnpmsg_is_keep_then_it_stays_in_front(bed: Bed) -> None:
    bed.mqsc("ALTER QMGR PSNPMSG(KEEP)")
    queued = Queued(bed)
    bed.connection.put(CONTROL, b"plain", persistent=False)
    queued.put([("Command", "RegSub"), ("Topic", "t"), ("QName", "SQ")])
    shell = bed.served.started.shell
    for _ in range(20):
        with shell.lock:
            shell.engine.tick()
    assert bed.connection.queue(CONTROL).depth == 2
    bed.mqsc("ALTER QMGR PSNPMSG(DISCARD)")
    bed.pass_time(6.0)
    assert eventually(bed, REPLIES, lambda depth: depth == 1)


def test_publication_when_refused_and_nobody_asks_then_tried_again_then_dead(bed: Bed) -> None:
    bed.mqsc(
        f"ALTER QMGR DEADQ({DEAD}) PSRTYCNT(2)\n"
        "DEFINE TOPIC(T) TOPICSTR('t') PMSGDLV(ALL) USEDLQ(NO)\nDEFINE QLOCAL(FULL) PUT(DISABLED)"
    )
    queued = Queued(bed)
    assert queued.register("t", ("QName", "FULL")) == OK
    fields = [("Command", "Publish"), ("Topic", "t")]
    assert queued.outcome(*fields, data=b"x", persistent=True) == (mq.MQCC_FAILED, [2502])
    queued.put(fields, data=b"x", persistent=True, msg_type=mq.MQMT_DATAGRAM)
    assert eventually(bed, DEAD, lambda depth: depth == 1)
    header, message = dead_letter(bed)
    assert (header.reason, header.destination_queue) == (2502, STREAM)
    assert message.data.endswith(b"x")


@pytest.mark.parametrize(
    ("policy", "has_dead_letters", "dead", "left"),
    [
        ("NORMAL", True, 1, 0),
        ("NORMAL", False, 0, 0),
        ("SAFE", True, 1, 0),
        ("SAFE", False, 0, 1),
        ("DISCARD", True, 0, 0),
        ("KEEP", True, 0, 1),
    ],
)
def test_response_when_its_queue_does_not_take_it_then_by_psnpres(
    bed: Bed, policy: str, has_dead_letters: bool, dead: int, left: int
) -> None:
    queued = Queued(bed)
    name = DEAD if has_dead_letters else " "
    bed.mqsc(f"ALTER QMGR DEADQ('{name}') PSNPRES({policy})\nALTER QLOCAL(REPLIES) PUT(DISABLED)")
    queued.put([("Command", "RegSub"), ("Topic", "t"), ("QName", "SQ")])
    assert eventually(bed, CONTROL, lambda depth: depth == left)
    shell = bed.served.started.shell
    for _ in range(5):
        with shell.lock:
            shell.engine.tick()
    work_off(bed)
    assert bed.connection.queue(CONTROL).depth == left
    assert bed.connection.queue(DEAD).depth == dead
    if left:
        bed.mqsc("ALTER QLOCAL(REPLIES) PUT(ENABLED)")
        bed.pass_time(6.0)
        assert eventually(bed, REPLIES, lambda depth: depth == 1)


def test_h17_stream_when_defined_then_its_topics_are_below_its_object(bed: Bed) -> None:
    queued = Queued(bed)
    bed.mqsc(
        "DEFINE QLOCAL(STREAM1)\nDEFINE TOPIC(STREAM1) TOPICSTR('s1')\n"
        "ALTER NAMELIST(SYSTEM.QPUBSUB.QUEUE.NAMELIST) "
        "NAMES(SYSTEM.BROKER.DEFAULT.STREAM,SYSTEM.BROKER.ADMIN.STREAM,STREAM1)"
    )
    inside, outside = bed.sub("s1/a", M), bed.sub("a", M)
    stream = ("StreamName", "STREAM1")
    assert queued.register("*", stream, version=1) == OK
    assert queued.publish("a", "text", queue="STREAM1") == OK
    assert (inside.texts(), outside.texts()) == (["text"], [])
    found = queued.publication()
    assert (found.value("Topic"), found.data) == ("a", b"text")
    assert queued.publish("b", "more", stream, queue="STREAM1", version=1) == OK
    assert queued.texts() == ["more"]
    assert queued.register("c", stream, ("RegOpt", "InclStreamName"), version=1) == OK
    assert queued.publish("c", "named", queue="STREAM1") == OK
    names = [queued.publication().value("StreamName") for _ in range(2)]
    assert sorted(names) == ["", "STREAM1"]
    bed.mqsc("ALTER NAMELIST(SYSTEM.QPUBSUB.QUEUE.NAMELIST) NAMES(SYSTEM.BROKER.DEFAULT.STREAM)")
    assert queued.register("x", stream, version=1) == (mq.MQCC_FAILED, [3082])


def test_subscription_point_when_defined_then_its_topics_are_below_it(bed: Bed) -> None:
    queued = Queued(bed)
    bed.mqsc(
        "DEFINE TOPIC(USD) TOPICSTR('USD')\nALTER NAMELIST(SYSTEM.QPUBSUB.SUBPOINT.NAMELIST) "
        "NAMES(SYSTEM.BROKER.DEFAULT.SUBPOINT,USD)"
    )
    point = ("SubPoint", "USD")
    assert queued.register("price", point) == OK
    assert queued.publish("price", "1.10", point) == OK
    assert queued.publish("price", "0.90") == OK
    assert queued.texts() == ["1.10"]
    bed.pub("USD/price", "1.20")
    assert queued.texts() == ["1.20"]


def test_expiry_when_given_then_of_the_publication_and_the_subscription(bed: Bed) -> None:
    queued = Queued(bed)
    assert queued.register("t", expiry=50) == OK
    assert queued.publish("t", "x", expiry=600) == OK
    message = queued.got()
    assert message is not None
    assert 500 < message.descriptor.expiry <= 600
    bed.pass_time(6.0)
    assert queued.publish("t", "y") == OK
    assert queued.got() is None


def test_filter_when_given_then_only_what_it_selects(bed: Bed) -> None:
    queued = Queued(bed)
    assert queued.register("t", ("Filter", "colour = 'red'")) == OK
    for colour in ("red", "blue"):
        bed.pub("t", colour, properties={"colour": colour})
    assert queued.texts() == ["red"]
