"""Goal: anomalies are the same whatever the time zone of the session.

Method: a burst in the hour that comes twice in New York, in a session that is there.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
ZONE = "spark.sql.session.timeZone"


def test_burst_when_the_hour_comes_twice_then_it_is_reported_with_its_time(
    spark: "SparkSession",
) -> None:
    from ternmq.spark.lake.anomaly_tables import anomalies

    begin = int(datetime(2026, 11, 1, 5, 30, tzinfo=UTC).timestamp())
    before = spark.conf.get(ZONE) or "UTC"
    spark.conf.set(ZONE, "America/New_York")
    try:
        observations = spark.range(0, 120, 1, 1).selectExpr(
            "'QM1' AS queue_manager",
            "'BURST' AS queue",
            f"timestamp_seconds({begin} + 60 * id) AS window_start",
            "60.0D AS window_s",
            "cast(IF(id = 75, 9000, 600 + id % 7) AS double) AS puts",
            "600.0D AS gets",
            "3.0D AS depth",
            "1000.0D AS took_us",
        )
        found = anomalies(observations).selectExpr("unix_seconds(window_start)", "rule").collect()
    finally:
        spark.conf.set(ZONE, before)
    assert [tuple(row) for row in found] == [(begin + 75 * 60, "unusual rate")]
