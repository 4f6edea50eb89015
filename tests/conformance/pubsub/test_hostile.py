"""Goal: what subscribers and queued commands ask for does no harm: no loop, no strings that cannot
be stored, nothing beyond a user's authority.

Method: the calls and commands of an application, over each binding where it matters.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ternmq import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.pubsub_command import fields_header
from ternmq.codec.mqi.mqmd import Descriptor
from tests.conformance.pubsub.bed import Bed, D, M, reason_of
from tests.conformance.pubsub.queued_commands import CONTROL, FORMATS, STREAM, Queued
from tests.conformance.pubsub.test_g_authority import CLASSES, give, take, user_of
from tests.conformance.pubsub.test_h_subscribers import shown

HALF = "a\ud800b"  # one half of a surrogate pair


@pytest.mark.parametrize("queue", [STREAM, CONTROL, "QA"])
def test_register_when_the_queue_is_one_of_the_broker_then_refused(bed: Bed, queue: str) -> None:
    queued = Queued(bed)
    bed.mqsc(f"DEFINE QALIAS(QA) TARGET({STREAM})")
    queued.ask(("Command", "Publish"), ("Topic", "q/a"))
    answer = queued.ask(("Command", "RegSub"), ("Topic", "q/#"), ("QName", queue))
    assert answer.outcome == (mq.MQCC_FAILED, [mq.MQRCCF_Q_NAME_ERROR])
    assert shown(bed) == []


def test_delete_publications_when_by_wildcard_then_system_topics_stay(secured: Bed) -> None:
    queued = Queued(secured)
    secured.mqsc("DEFINE TOPIC(B) TOPICSTR('b') WILDCARD(BLOCK)")
    for topic in ("a", "b"):
        secured.connection.publish(topic, b"x", retain=True)
    secured.sub(CLASSES, M).get()
    assert queued.ask(("Command", "DeletePub"), ("Topic", "#")).completion == mq.MQCC_OK
    assert secured.sub("a", M).try_get() is None
    secured.sub("b", M).get()
    secured.sub(CLASSES, M).get()


@pytest.mark.parametrize("use_dead_letter", ["YES", "NO"])
def test_request_when_put_authority_was_taken_away_then_the_queue_gets_nothing(
    secured: Bed, use_dead_letter: str
) -> None:
    secured.mqsc("DEFINE QLOCAL(Q1)\nALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    secured.mqsc(f"DEFINE TOPIC(T) TOPICSTR('t') USEDLQ({use_dead_letter})")
    give(secured, "T", "TOPIC", "SUB")
    give(secured, "Q1", "QUEUE", "PUT,GET,BROWSE")
    ann = user_of(secured)
    secured.connection.publish("t", b"x", retain=True)
    queue = secured.open("Q1", mq.MQOO_INPUT_SHARED, connection=ann)
    sub = secured.sub("t", mq.MQSO_PUBLICATIONS_ON_REQUEST, connection=ann, queue=queue)
    take(secured, "Q1", "QUEUE", "PUT")
    is_buried = use_dead_letter == "YES"
    expected = 0 if is_buried else mq.MQRC_RETAINED_NOT_DELIVERED
    assert reason_of(sub.request) == expected
    assert sub.try_get() is None
    with secured.connection.queue("SYSTEM.DEAD.LETTER.QUEUE") as dead:
        assert dead.depth == int(is_buried)
    give(secured, "Q1", "QUEUE", "PUT")
    assert sub.request() == 1
    sub.get()


STRINGS: list[tuple[Callable[[Bed], object], int]] = [
    (lambda bed: bed.pub(HALF), mq.MQRC_TOPIC_STRING_ERROR),
    (lambda bed: bed.sub(HALF, M), mq.MQRC_TOPIC_STRING_ERROR),
    (lambda bed: bed.sub("x", M, HALF), mq.MQRC_SUB_NAME_ERROR),
    (lambda bed: bed.sub("x", M | D, HALF), mq.MQRC_SUB_NAME_ERROR),
    (lambda bed: bed.sub("x", M, user_data=HALF), mq.MQRC_SUB_USER_DATA_ERROR),
    (lambda bed: bed.sub("x", M, selector=f"a = '{HALF}'"), mq.MQRC_SELECTION_STRING_ERROR),
]


@pytest.mark.parametrize("binding", ["embedded", "local"])
@pytest.mark.parametrize(("call", "reason"), STRINGS)
def test_call_when_a_string_cannot_be_encoded_then_refused(
    call: Callable[[Bed], object], reason: int, binding: str
) -> None:
    bed = Bed(binding)
    try:
        assert reason_of(call, bed) == reason
        assert not [one for one in bed.kernel.catalog.definitions if ".MANAGED." in one]
    finally:
        bed.close()


BROKEN = [
    (1, "Topic"),
    (1, "SubName"),
    (1, "SubUserData"),
    (1, "Own"),
    (2, "Topic"),
    (2, "SubName"),
]


@pytest.mark.parametrize(("version", "field"), BROKEN)
@pytest.mark.parametrize("placed", [b"\xff\xfe\xed\xa0\xff\xfe\xed\xa0", b"&#xD800;"])
def test_command_when_it_has_bytes_of_no_character_then_refused_and_the_next_is_done(
    bed: Bed, version: int, field: str, placed: bytes
) -> None:
    queued = Queued(bed)
    mark = "Z" * len(placed)
    fields = {"Command": "RegSub", "Topic": "q/a", "QName": "SQ", field: mark}
    header = fields_header(version, list(fields.items()), mq.MQENC_NATIVE, UTF8, "")
    descriptor = Descriptor(
        format=FORMATS[version], encoding=mq.MQENC_NATIVE, ccsid=UTF8, reply_to_queue="REPLIES"
    )
    bed.connection.put(
        CONTROL, header.replace(mark.encode(), placed), descriptor=descriptor, persistent=False
    )
    answer = queued.ask(("Command", "RegSub"), ("Topic", "fine"), ("QName", "SQ"))
    assert answer.completion == mq.MQCC_OK
    bed.connection.publish("fine", b"x")
