"""Goal: a streaming queue gets copies of all segments of a message, or of none.

Method: a queue manager in memory, streaming queues that are too short, or lead elsewhere.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.admin.commands import objects
from ternmq.base.attributes import LOCAL
from tests.battery.test_segments import allowed, body
from tests.unit.kernel.test_segmented_put import OUTSIDE, SEGMENTS, Segmenting

pytestmark = pytest.mark.core

DATA = body(10_000)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("quality", ["MUSTDUP", "BESTEF"])
@pytest.mark.parametrize("depth", [2, 3])
def test_segments_when_a_streaming_queue_is_short_then_it_gets_all_or_none(
    depth: int, quality: str, persistent: bool
) -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("COPY", max_depth=depth)
        qmgr.define_queue("A", max_message_length=4096)
        qmgr.mqsc(f"ALTER QLOCAL(A) STREAMQ(COPY) STRMQOS({quality})")
        refused = depth == 2 and quality == "MUSTDUP"
        with qmgr.queue("A") as queue, qmgr.queue("COPY") as copy:
            if refused:
                with pytest.raises(ternmq.MQError) as caught:
                    queue.put(DATA, descriptor=allowed(), persistent=persistent)
                assert caught.value.reason == 2053
            else:
                queue.put(DATA, descriptor=allowed(), persistent=persistent)
            assert queue.depth == (0 if refused else 3)
            assert copy.depth == (3 if depth == 3 else 0)
            if copy.depth:
                assert copy.get(options=mq.MQGMO_COMPLETE_MSG).data == DATA


def test_segments_when_copies_go_to_another_queue_manager_then_each_has_its_headers() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("X", usage=mq.MQUS_TRANSMISSION)
        qmgr.mqsc("DEFINE QREMOTE(FAR) RNAME(T) RQMNAME(OTHER) XMITQ(X)")
        qmgr.define_queue("A", max_message_length=4096, stream_queue="FAR")
        with qmgr.queue("A") as queue, qmgr.queue("X") as sent:
            queue.put(DATA, descriptor=allowed(), persistent=True, properties={"a": "x" * 500})
            assert (queue.depth, sent.depth) == (3, 3)
            payload = b"".join(message.data[428 + 72 :] for message in sent)
            assert payload.endswith(DATA[-4000:])


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize(("before", "after"), [("COPY", ""), ("", "COPY")])
def test_segments_when_streamq_is_altered_between_steps_then_copies_of_all_or_none(
    before: str, after: str, persistence: int
) -> None:
    bench = Segmenting()
    objects.define(bench.kernel, bench.link, LOCAL, "COPY", {}, False)
    objects.alter(bench.kernel, bench.link, LOCAL, "S", {"stream_queue": before})
    request = bench.request(OUTSIDE, persistence)
    assert bench.step(request) is None
    objects.alter(bench.kernel, bench.link, LOCAL, "S", {"stream_queue": after})
    bench.all_steps(request)
    assert bench.available == SEGMENTS
    copy = bench.kernel.locals.get("COPY")
    copies = 0 if copy is None else copy.queue.available
    assert copies == (SEGMENTS if before else 0)
