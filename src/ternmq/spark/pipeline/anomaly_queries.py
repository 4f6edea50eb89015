"""Events of a pipeline that is followed: where they go, whether they can, and their queries.

Each table that anomalies are seen in has a query of its own, whose checkpoint outlives a change of
what the pipeline reads; each anomaly is one event, by the sink's ledger. The queue is looked at
before following begins: the one that is named as the queue manager's own are is made if it is not
there, any other must be. A queue that gets full later does not end following: events wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.spark.errors import SparkError
from ternmq.spark.lake.anomaly_events import raise_events
from ternmq.spark.mq.mq_options import CONNECTION_OPTIONS, ConnectionOptions
from ternmq.spark.mq.sink_options import SinkOptions
from ternmq.spark.mq.spark_connection import connect
from ternmq.spark.pipeline.settings import EVENTS_QUEUE, NONE, Settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ternmq.api.connection import Connection

# As the queues of the queue manager's own events have it.
DEPTH_MAX: Final = 3000
_ENDPOINTS: Final = frozenset(("queuemanager", "connname", "channel", "ccdturl", "path"))
_SHARED: Final = frozenset(option.name.lower() for option in CONNECTION_OPTIONS)
_REMEDY: Final = f"; --events QUEUE names another queue, --events {NONE} raises no events"


def sink_settings(settings: Settings) -> dict[str, str]:
    """Options of the sink: those of the source, unless another queue manager is given."""
    if any(name.lower() in _ENDPOINTS for name in settings.events):
        return dict(settings.events)
    read = {name: value for name, value in settings.mq.items() if name.lower() in _SHARED}
    return {**read, **settings.events}


def look(settings: Settings) -> None:
    """See to it that events can be put, before following begins. SparkError if they cannot."""
    queue, given = settings.events_queue, sink_settings(settings)
    try:
        SinkOptions({**given, "queue": queue}, is_stream=True)
        with connect(ConnectionOptions(given)) as connection:
            opened(connection, queue)
    except ValueError as error:
        raise SparkError(f"events: {error}") from None
    except MQError as error:
        raise SparkError(f"no events can be put on queue {queue}: {error}{_REMEDY}") from None


def opened(connection: Connection, queue: str) -> None:
    """Open the queue for output, and close it; MQError if that cannot be."""
    output = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
    try:
        connection.queue(queue, options=output).close()
    except MQError as error:
        if error.reason != MQRC_UNKNOWN_OBJECT_NAME or queue != EVENTS_QUEUE:
            raise
        connection.define_queue(queue, max_depth=DEPTH_MAX)
        connection.queue(queue, options=output).close()


def query(seen: DataFrame, settings: Settings, checkpoint: str, every: str) -> Any:
    """The query that raises what is seen in one table."""
    return raise_events(seen, settings.events_queue, sink_settings(settings), checkpoint, every)
