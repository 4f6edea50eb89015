"""Requests joined to their replies, with the time between them.

A reply belongs to the request that its CorrelId names: by the request's MsgId, or by its CorrelId
where the request asked for that (MQRO_PASS_CORREL_ID). It is sought for as long as `within` says; a
request that has none by then is a row without a reply. Two replies to one request are two rows.

The same join serves a batch and a stream. In a stream a request waits in Spark's state until the
time of the newest message is `within` and `late` after its own. So messages may reach the stream
late, but no more than `late` later than others.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from ternmq.base.constants import MQMT_REPLY, MQMT_REQUEST, MQRO_PASS_CORREL_ID

WITHIN: Final = "1 hour"
LATE: Final = "1 minute"
# Clocks of two queue managers differ: a reply may seem to come before its request by so much.
CLOCKS_DIFFER: Final = "1 minute"
EVERY: Final = "1 minute"
NO_ID: Final = bytes(24)  # MQCI_NONE
ASKED: Final = (
    "queue_manager", "request_queue", "request_seq", "msg_id", "requested_at", "requester",
    "reply_to_q", "request_bytes",
)  # fmt: skip
ANSWERED: Final = (
    "reply_queue", "reply_seq", "reply_msg_id", "replied_at", "replier", "feedback", "reply_bytes",
)  # fmt: skip


def of_type(msg_type: int) -> Column:
    """Messages of a type that have a time.

    Written so that Spark does not move it before the watermark: time must go on with all messages,
    or requests would wait for ever once there are no more replies.
    """
    has_time = f.col("put_timestamp") > f.timestamp_seconds(f.lit(0))
    return f.when(has_time, f.col("msg_type")) == f.lit(msg_type)


def requests(messages: DataFrame) -> DataFrame:
    """The requests among messages, with the identifier that a reply to them has."""
    passes = f.col("report").bitwiseAND(MQRO_PASS_CORREL_ID) != 0
    asked_as = f.when(passes, f.col("correl_id")).otherwise(f.col("msg_id"))
    return messages.where(of_type(MQMT_REQUEST)).select(
        # Without one, every reply that has none would be its reply.
        f.when(asked_as != f.lit(bytearray(NO_ID)), asked_as).alias("asked_as"),
        f.col("queue_manager"),
        f.col("queue").alias("request_queue"),
        f.col("seq").alias("request_seq"),
        f.col("msg_id"),
        f.col("put_timestamp").alias("requested_at"),
        f.col("put_appl_name").alias("requester"),
        f.col("reply_to_q"),
        f.length("body").alias("request_bytes"),
    )


def replies(messages: DataFrame) -> DataFrame:
    """The replies among messages."""
    return messages.where(of_type(MQMT_REPLY)).select(
        f.col("correl_id").alias("replied_to"),
        f.col("queue").alias("reply_queue"),
        f.col("seq").alias("reply_seq"),
        f.col("msg_id").alias("reply_msg_id"),
        f.col("put_timestamp").alias("replied_at"),
        f.col("put_appl_name").alias("replier"),
        f.col("feedback"),
        f.length("body").alias("reply_bytes"),
    )


def exchanges(messages: DataFrame, within: str = WITHIN, late: str = LATE) -> DataFrame:
    """Each request with its replies; latency_us is null while, and if, there is none."""
    if messages.isStreaming:
        messages = messages.withWatermark("put_timestamp", late)
    return joined(requests(messages), replies(messages), within)


def answered(messages: DataFrame, within: str = WITHIN, late: str = LATE) -> DataFrame:
    """Only requests that have a reply, which a stream returns as soon as that comes."""
    if messages.isStreaming:
        messages = messages.withWatermark("put_timestamp", late)
    return joined(requests(messages), replies(messages), within, "inner")


def joined(
    asked: DataFrame, answered: DataFrame, within: str = WITHIN, how: str = "left_outer"
) -> DataFrame:
    """Requests and replies of other choosing, as `requests` and `replies` give them."""
    belongs = (
        (f.col("asked_as") == f.col("replied_to"))
        & (f.col("replied_at") >= f.col("requested_at") - f.expr(f"INTERVAL {CLOCKS_DIFFER}"))
        & (f.col("replied_at") <= f.col("requested_at") + f.expr(f"INTERVAL {within}"))
    )
    took = f.unix_micros("replied_at") - f.unix_micros("requested_at")
    # Not withColumn and drop, which a declarative pipeline does not follow (see tables_tasks).
    return asked.join(answered, belongs, how).select(*ASKED, *ANSWERED, took.alias("latency_us"))


def latencies(exchanged: DataFrame, every: str = EVERY) -> DataFrame:
    """How long replies took, for each queue of requests and stretch of time."""
    latency = f.col("latency_us")
    return (
        exchanged.groupBy(
            "queue_manager", "request_queue", f.window("requested_at", every).alias("window")
        )
        .agg(
            f.count(f.lit(1)).alias("exchanges"),
            f.count(latency).alias("answered"),
            f.percentile_approx(latency, 0.5).alias("median_us"),
            f.percentile_approx(latency, 0.95).alias("p95_us"),
            f.percentile_approx(latency, 0.99).alias("p99_us"),
            f.max(latency).alias("longest_us"),
        )
        .withColumn("window_start", f.col("window.start"))
        .drop("window")
    )
