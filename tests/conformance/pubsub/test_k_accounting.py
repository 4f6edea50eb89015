"""Row K9, and what accounting and statistics messages hold of topics.

Method: SMF records and PCF messages of a queue manager in memory, made of real traffic.
"""

from __future__ import annotations

import io
from typing import Any

from ternmq.base import constants_all as mq
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.codec.smf.reader import Reader
from tests.conformance.pubsub.bed import Bed, D, M
from tests.conformance.pubsub.system_topics import shell_of


def end_intervals(bed: Bed) -> None:
    """Statistics and accounting of what was done so far are reported."""
    shell = shell_of(bed)
    with shell.lock:
        shell.engine.collector.tick()
    shell.deliver(wait=True)
    assert bed.served.started.measurement.drain()


def queue_blocks(bed: Bed) -> list[dict[str, Any]]:
    """The WQ sections of all SMF records."""
    read = bed.served.started.measurement.smf_read(1)
    records = Reader(io.BytesIO(b"".join(read.records)).read)
    return [dict(values) for record in records for values in record.values_of("WQ")]


def depth(bed: Bed, name: str) -> int:
    return bed.connection.queue(name).depth


def test_k9_puts_when_subscribers_are_behind_them_then_published_is_counted(bed: Bed) -> None:
    bed.mqsc(
        "DEFINE QLOCAL(D1)\nDEFINE QLOCAL(D2)\nDEFINE TOPIC(T) TOPICSTR('copies')\n"
        "DEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)\nDEFINE QLOCAL(Q1) STREAMQ(A)\n"
        "DEFINE SUB(S1) TOPICSTR('copies') DEST(D1)\nDEFINE SUB(S2) TOPICSTR('copies') DEST(D2)\n"
        "START TRACE(ACCTG) CLASS(3)"
    )
    with bed.connect(application="streams") as connection:
        handle = bed.open("Q1", mq.MQOO_OUTPUT, connection)
        bed.put(handle, "one", connection)
    assert [depth(bed, one) for one in ("Q1", "D1", "D2")] == [1, 1, 1]
    with bed.connect(application="publishes") as connection:
        bed.pub("copies", "two", connection=connection)
    assert [depth(bed, one) for one in ("Q1", "D1", "D2")] == [1, 2, 2]
    end_intervals(bed)
    blocks = queue_blocks(bed)
    (streamed,) = [one for one in blocks if str(one["basename"]).strip() == "Q1" and one["putn"]]
    assert (streamed["putn"], streamed["validput"], streamed["publishedn"]) == (1, 1, 2)
    (topic,) = [one for one in blocks if str(one["basename"]).strip() == "copies"]
    assert (topic["putn"], topic["validput"], topic["publishedn"]) == (1, 1, 2)
    assert topic["qtype"] == mq.MQOT_TOPIC


def test_accounting_of_topics_when_reported_then_counts_of_the_task(bed: Bed) -> None:
    bed.mqsc("ALTER QMGR ACCTMQI(ON) STATMQI(ON)")
    keeps = bed.sub("sport")
    with bed.connect(application="prog") as connection:
        sub = bed.sub("sport", M | D, "S1", connection=connection)
        bed.pub("sport", "abc", connection=connection, persistent=True)
        connection.publish("sport", "de")
        sub.end(mq.MQCO_REMOVE_SUB)
    end_intervals(bed)
    found = None
    accounting = bed.connection.queue("SYSTEM.ADMIN.ACCOUNTING.QUEUE")
    while (message := accounting.try_get()) is not None:
        record = unpack_pcf(message.data)
        name = record.find(mq.MQCACF_APPL_NAME)
        if record.command == mq.MQCMD_ACCOUNTING_MQI and name is not None and name.text == "prog":
            found = {one.parameter: one.value for one in record.parameters}
    assert found is not None
    assert found[mq.MQIAMO_SUBS_DUR] == [1, 0, 0, 0]
    assert found[mq.MQIAMO_UNSUBS_DUR] == [0, 1, 0, 0]
    assert found[mq.MQIAMO_TOPIC_PUTS] == [0, 1]
    assert found[mq.MQIAMO_TOPIC_PUT1S] == [1, 0]
    assert found[mq.MQIAMO64_TOPIC_PUT_BYTES] == [2, 3]
    assert found[mq.MQIAMO_PUTS] == [0, 0]
    assert len(keeps.texts()) == 2


def test_statistics_of_topics_when_reported_then_counts_of_the_queue_manager(
    bed: Bed,
) -> None:
    bed.mqsc("ALTER QMGR STATMQI(ON)")
    subs = [bed.sub("sport"), bed.sub("sport", M | D, "S1")]
    bed.pub("sport", "abc")
    subs[1].end(mq.MQCO_REMOVE_SUB)
    bed.mqsc("RESET QMGR TYPE(STATISTICS)")
    shell_of(bed).deliver(wait=True)
    assert bed.served.started.measurement.drain()
    message = bed.connection.queue("SYSTEM.ADMIN.STATISTICS.QUEUE").get()
    found = {one.parameter: one.value for one in unpack_pcf(message.data).parameters}
    assert found[mq.MQIAMO_PUBLISH_MSG_COUNT] == [2, 0]
    assert found[mq.MQIAMO64_PUBLISH_MSG_BYTES] == [6, 0]
    assert found[mq.MQIAMO_TOPIC_PUTS] == [1, 0]
    assert found[mq.MQIAMO_SUB_DUR_HIGHWATER] == [1, 1, 0, 0]
    assert found[mq.MQIAMO_SUB_DUR_LOWWATER] == [0, 0, 0, 0]
    assert found[mq.MQIAMO_SUB_NDUR_HIGHWATER] == [1, 1, 0, 0]
