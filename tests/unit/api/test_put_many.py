"""Goal: many puts in few round trips do what as many puts do, over the local socket and over the
network: order, identifiers, long data, and a refusal that is not lost. Method: a queue manager in
a thread, descriptors packed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.remote.remote_verbs import packed_form
from ternmq.values.calls.objects import Open
from ternmq.values.handle import ObjectHandle
from tests.unit.api.networked import Networked
from tests.unit.api.served import Served

pytestmark = pytest.mark.core

OPTIONS = mq.MQPMO_SYNCPOINT | mq.MQPMO_FAIL_IF_QUIESCING
WAYS = ("local", "APP.SVRCONN", "ALONE.SVRCONN")


@pytest.fixture(params=WAYS)
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ternmq.Connection]:
    if request.param == "local":
        with Served(tmp_path) as served, served.connect() as made:
            yield made
        return
    with Networked(tmp_path) as networked, networked.connect(channel=request.param) as made:
        yield made


def opened(connection: ternmq.Connection, name: str) -> ObjectHandle:
    return connection.run(Open(ObjectDescriptor(object_name=name), mq.MQOO_OUTPUT)).opened()


def packed(number: int = 0) -> bytes:
    md = Descriptor(persistence=1)
    if number:
        md.msg_id = b"%024d" % number
    return packed_form(md, OPTIONS, "MQPUT").packed


def test_put_many_when_committed_then_all_are_there_in_order(
    connection: ternmq.Connection,
) -> None:
    connection.define_queue("Q")
    bodies = [b"%d" % n for n in range(700)] + [b"L" * 300_000, b"", b"end"]
    connection.begin()
    handle = opened(connection, "Q")
    pairs = [(packed(n if n % 2 else 0), body) for n, body in enumerate(bodies)]
    connection.transport.put_many(handle, OPTIONS, pairs)
    assert connection.status().put_failure_count == 0
    xid = ternmq.batch_xid("me", 1, b"1")
    assert connection.prepare(xid)
    connection.commit_prepared(xid)
    with connection.queue("Q") as queue:
        found = list(queue)
    assert [message.data for message in found] == bodies
    assert found[5].msg_id == b"%024d" % 5
    assert len({message.msg_id for message in found}) == len(bodies)


def test_put_many_when_the_queue_is_full_then_it_is_reported(
    connection: ternmq.Connection,
) -> None:
    connection.define_queue("SMALL", max_depth=10)
    connection.begin()
    handle = opened(connection, "SMALL")
    reason, failed = 0, 2
    try:
        connection.transport.put_many(handle, OPTIONS, [(packed(), b"x")] * 12)
        status = connection.status()
        reason, failed = status.reason, status.put_failure_count
    except ternmq.MQError as refused:
        reason = refused.reason
    assert (reason, failed) == (mq.MQRC_Q_FULL, 2)
    connection.backout()
    with connection.queue("SMALL") as queue:
        assert queue.depth == 0
        queue.put("the connection works as before")
        assert queue.get().text == "the connection works as before"


def test_put_many_when_outside_a_unit_then_each_counts_at_once(
    connection: ternmq.Connection,
) -> None:
    connection.define_queue("Q")
    handle = opened(connection, "Q")
    options = mq.MQPMO_NO_SYNCPOINT | mq.MQPMO_FAIL_IF_QUIESCING
    connection.transport.put_many(handle, options, [(packed(), b"a"), (packed(), b"b")])
    with connection.queue("Q") as queue:
        assert [message.data for message in queue] == [b"a", b"b"]


def test_put_many_when_disconnected_then_refused(
    connection: ternmq.Connection,
) -> None:
    connection.define_queue("Q")
    handle = opened(connection, "Q")
    connection.disconnect()
    with pytest.raises(ternmq.MQError) as refused:
        connection.transport.put_many(handle, OPTIONS, [(packed(), b"x")])
    assert refused.value.reason == mq.MQRC_HCONN_ERROR


def test_put_many_when_a_message_is_too_long_for_the_channel_then_it_is_reported(
    tmp_path: Path,
) -> None:
    with Networked(tmp_path) as networked, networked.connect(channel="SHORT.SVRCONN") as connection:
        connection.define_queue("Q")
        connection.begin()
        handle = opened(connection, "Q")
        with pytest.raises(ternmq.MQError) as single:
            connection.queue("Q").put(b"x" * 60_000)
        connection.transport.put_many(handle, OPTIONS, [(packed(), b"x" * 60_000)])
        status = connection.status()
        assert (status.put_failure_count, status.reason) == (1, single.value.reason)
        connection.backout()
