"""Goal: segments are messages like others to what does not know of them: two-phase commit, streams,
cursors. Method: split messages through every binding.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ternmq import Connection, QueueManager
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.xid import XID
from tests.battery.places import Place
from tests.bindings.transport import BindingTransport

pytestmark = pytest.mark.core

DATA = bytes(range(250)) * 40  # three segments
ALLOWED = Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)


def with_queue(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", max_message_length=4096)


@contextmanager
def prepared(connection: Connection, xid: XID) -> Iterator[None]:
    """What is done inside is a unit of work that is prepared at the end: by XA, where the binding
    has that."""
    transport = connection.transport
    if isinstance(transport, BindingTransport):
        transport.verbs.begin_branch(xid)
        yield
        transport.verbs.prepare_branch(xid)
    else:
        yield
        assert connection.prepare(xid)


@pytest.mark.parametrize("commit", [True, False])
def test_split_put_and_complete_get_when_prepared_then_they_end_as_a_whole(
    place: Place, commit: bool
) -> None:
    with_queue(place.qmgr)
    putting, getting = XID(1, b"put", b""), XID(1, b"get", b"")
    with place.qmgr.connect() as other, prepared(other, putting), other.queue("A") as queue:
        queue.put(DATA, descriptor=ALLOWED, syncpoint=True, persistent=True)
    qmgr = place.qmgr
    with qmgr.queue("A") as queue:
        assert queue.try_get(options=mq.MQGMO_COMPLETE_MSG) is None
    qmgr.commit_prepared(putting)
    with place.qmgr.connect() as other, prepared(other, getting), other.queue("A") as queue:
        assert queue.get(options=mq.MQGMO_COMPLETE_MSG, syncpoint=True).data == DATA
    with qmgr.queue("A") as queue:
        assert queue.try_get() is None
        (qmgr.commit_prepared if commit else qmgr.backout_prepared)(getting)
        found = queue.try_get(options=mq.MQGMO_COMPLETE_MSG)
        assert (None if found is None else found.data) == (None if commit else DATA)


def test_stream_when_a_message_is_split_then_its_segments_come_one_by_one(
    qmgr: QueueManager,
) -> None:
    with_queue(qmgr)
    qmgr.cursor("C", "A")
    with qmgr.queue("A") as queue:
        queue.put(DATA, descriptor=ALLOWED, persistent=True)
    with qmgr.stream("A") as stream:
        found = list(stream.read(stream.bounds().earliest))
    assert [len(one.data) for one in found] == [4096, 4096, 1808]
    assert b"".join(one.data for one in found) == DATA
    assert [one.descriptor.offset for one in found] == [0, 4096, 8192]
    assert len({one.descriptor.group_id for one in found}) == 1
