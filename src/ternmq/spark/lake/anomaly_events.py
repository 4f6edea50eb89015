"""Anomalies as event messages: PCF, as the queue manager's own events are, for the sink `mq`.

    MQCFH                      type MQCFT_EVENT, command MQCMD_ANOMALY_EVENT, no reason
    MQCA_Q_MGR_NAME            of the queue manager that has the anomaly
    MQCA_BASE_OBJECT_NAME      the queue
    MQCACF_ANOMALY_RULE        "queue grows", "consumer slows", "unusual rate"
    MQCACF_ANOMALY_SINCE       when it began: 2026-11-16T10:30:00Z
    MQIACF_ANOMALY_SCORE       64 bits, in thousandths, as are
    MQIACF_ANOMALY_VALUE       what was seen, and
    MQIACF_ANOMALY_EXPECTED    what is usual
    MQCACF_ANOMALY_TEXT        the words

Integers are little-endian, text is UTF-8; format, encoding and CCSID of the message say so. An
anomaly has one event, when it begins. amqsevt shows such events by these names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.functions import pandas_udf

from ternmq.base import constants as mq
from ternmq.base import own_constants as own
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.structures import PCFMessage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql.streaming.query import StreamingQuery

# Little-endian integers, IEEE numbers.
ENCODING: Final = 546
_THOUSAND: Final = 1000
_FIELDS: Final = ("queue_manager", "queue", "rule", "score", "value", "expected", "words")
_SINCE: Final = "yyyy-MM-dd'T'HH:mm:ssX"


def events(found: DataFrame) -> DataFrame:
    """The anomalies that begin, as messages."""
    begun = found.where(f.col("since") == f.col("window_start"))
    since = f.date_format("since", _SINCE).alias("since")
    packed = pandas_udf(bodies, "binary")  # type: ignore[call-overload]
    return begun.select(
        packed(f.struct(*_FIELDS, since)).alias("body"),
        f.lit(mq.MQFMT_EVENT).alias("format"),
        f.lit(mq.MQMT_DATAGRAM).alias("msg_type"),
        f.lit(ENCODING).alias("encoding"),
        f.lit(UTF8).alias("ccsid"),
    )


def bodies(rows: pd.DataFrame) -> pd.Series:
    """What stands in each event; they are few."""
    return pd.Series([body(*row) for row in rows.itertuples(index=False)], dtype=object)


def body(
    queue_manager: str,
    queue: str,
    rule: str,
    score: float,
    value: float,
    expected: float,
    words: str,
    since: str,
) -> bytes:
    """One event."""
    parameters = [
        pcf.string(mq.MQCA_Q_MGR_NAME, queue_manager, mq.MQ_Q_MGR_NAME_LENGTH),
        pcf.string(mq.MQCA_BASE_OBJECT_NAME, queue, mq.MQ_Q_NAME_LENGTH),
        pcf.string(own.MQCACF_ANOMALY_RULE, rule),
        pcf.string(own.MQCACF_ANOMALY_SINCE, since),
        pcf.integer64(own.MQIACF_ANOMALY_SCORE, round(score * _THOUSAND)),
        pcf.integer64(own.MQIACF_ANOMALY_VALUE, round(value * _THOUSAND)),
        pcf.integer64(own.MQIACF_ANOMALY_EXPECTED, round(expected * _THOUSAND)),
        pcf.string(own.MQCACF_ANOMALY_TEXT, words),
    ]
    event = PCFMessage(
        mq.MQCFT_EVENT, own.MQCMD_ANOMALY_EVENT, parameters, version=mq.MQCFH_VERSION_3
    )
    return event.pack(LITTLE, UTF8)


def raise_events(
    found: DataFrame, queue: str, connection: Mapping[str, str], checkpoint: str, every: str = ""
) -> StreamingQuery:
    """Put the events of a stream of anomalies on a queue, each once: of those that are there now
    and then end, or for ever, a batch `every` so often. `connection` is options of the sink."""
    writer = (
        events(found)
        .writeStream.format("mq")
        .options(**connection)
        .option("queue", queue)
        .option("checkpointLocation", checkpoint)
    )
    if every:
        return writer.trigger(processingTime=every).start()
    return writer.trigger(availableNow=True).start()
