"""The settings of a pipeline: the `configuration` of its spec, as `ternmq pipeline init` writes it.

    spark.ternmq.warehouse         folder or URI of the tables; a folder is seen from the project
    spark.ternmq.smf.path          dumps: a file, a folder or a pattern; without it no statistics
    spark.ternmq.smf.sections      typed tables: `served` (those that served tables need), `all`, or
                                   names with commas between
    spark.ternmq.smf.OPTION        any other option of the source mqsmf (form, defaultZone ...)
    spark.ternmq.mq.queue          queues whose messages go to the lake; without it no messages
    spark.ternmq.mq.OPTION         any other option of the source mq (connName, channel, user ...)
    spark.ternmq.exchanges.within  how long a reply is waited for; `none` looks for no replies
    spark.ternmq.events.queue      where following raises anomalies as events; `none` is nowhere
    spark.ternmq.events.OPTION     any other option of the sink mq, if events do not go to the
                                   queue manager whose messages are read

They are settings of Spark like any other, so a run by `spark-pipelines` sees them as well. A name
that is not here is refused, since a misspelt setting would silently be another pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final, final

from ternmq.base.names import is_name
from ternmq.spark.errors import SparkError
from ternmq.spark.mq.mq_options import CONNECTION_OPTIONS, SOURCE_OPTIONS
from ternmq.spark.mq.sink_options import SINK_OPTIONS
from ternmq.spark.pipeline.served_tables import MESSAGES, STATISTICS
from ternmq.spark.smf.section_columns import REJECTS, SECTION_NAMES
from ternmq.spark.smf.smf_options import SMF_OPTIONS, section_named

PREFIX: Final = "spark.ternmq."
WAREHOUSE: Final = "warehouse"
SERVED: Final = "served"
ALL: Final = "all"
# What the served tables are made of.
SERVED_SECTIONS: Final = ("QQST", "QMST", "QJST", "QPST", "QIS1", "WTID", "WTAS", "WQ", "QCST")
WITHIN: Final = "1 hour"
# Named as the queues of the queue manager's own events are.
EVENTS_QUEUE: Final = "SYSTEM.ADMIN.ANOMALY.EVENT"
NONE: Final = "none"
# Passed by `ternmq pipeline run` to the definitions: where it wants views to be made.
VERSION: Final = "version."
_SMF: Final = "smf."
_MQ: Final = "mq."
_EVENTS: Final = "events."
_WITHIN: Final = "exchanges.within"
_PLAIN: Final = (WAREHOUSE, _WITHIN, "log")  # log: the session's own, see session
_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    _SMF: ("sections", *(name for name in SMF_OPTIONS if name not in ("section", "columns"))),
    _MQ: tuple(one.name for one in (*SOURCE_OPTIONS, *CONNECTION_OPTIONS)),
    _EVENTS: tuple(one.name for one in (*SINK_OPTIONS, *CONNECTION_OPTIONS)),
}


@final
class Settings:
    """What a project says. SparkError if it makes no sense."""

    def __init__(self, configuration: Mapping[str, str], folder: Path) -> None:
        given = {
            key.removeprefix(PREFIX): value
            for key, value in configuration.items()
            if key.startswith(PREFIX) and value
        }
        for key in given:
            fault = fault_of_key(key)
            if fault:
                raise SparkError(f"{PREFIX}{key}: {fault}")
        self.warehouse: Final = placed(given.get(WAREHOUSE, WAREHOUSE), folder)
        smf = under(given, _SMF)
        self.sections: Final = sections_given(smf.pop("sections", SERVED))
        if "path" in smf:
            smf["path"] = placed(smf["path"], folder)
        self.smf: Final = smf
        self.mq: Final = under(given, _MQ)
        self.within: Final = given.get(_WITHIN, WITHIN)
        events = under(given, _EVENTS)
        self.events_queue: Final = self._events_queue(events.pop("queue", ""))
        self.events: Final = events
        self.versions: Final = under(given, VERSION)

    def _events_queue(self, given: str) -> str:
        """Where events go; by default nowhere, if no queue manager is read."""
        queue = given or (EVENTS_QUEUE if "queue" in self.mq else "")
        if queue.lower() == NONE:
            return ""
        if queue and not is_name(queue):
            raise SparkError(f"{PREFIX}{_EVENTS}queue is {queue!r}, which is not a queue name")
        return queue

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of data that there are."""
        given = ((STATISTICS, "path" in self.smf), (MESSAGES, "queue" in self.mq))
        found = tuple(kind for kind, is_there in given if is_there)
        if not found:
            raise SparkError(
                f"the pipeline has no data to read: set {PREFIX}{_SMF}path (SMF dumps),"
                f" {PREFIX}{_MQ}queue (messages) or both in the configuration of its spec"
            )
        return found

    def path(self, table: str) -> str:
        """Where a table is; of one that is being rebuilt, where that is done."""
        return self.versions.get(table, f"{self.warehouse}/{table}")


def fault_of_key(key: str) -> str:
    """What is wrong with the name of a setting, without its prefix; empty if nothing is."""
    options = [f"{prefix}{name}" for prefix, some in _OPTIONS.items() for name in some]
    lowered = {name.lower(): name for name in (*_PLAIN, *options)}
    if key.lower() in lowered or key.startswith(VERSION):
        return ""
    near = get_close_matches(key.lower(), lowered, 1)
    hint = f"; is {lowered[near[0]]} meant?" if near else ""
    return f"there is no such setting{hint}"


def under(given: Mapping[str, str], prefix: str) -> dict[str, str]:
    """The settings of one thing, without its name before them."""
    return {
        key.removeprefix(prefix): value for key, value in given.items() if key.startswith(prefix)
    }


def placed(path: str, folder: Path) -> str:
    """A path as Java and the workers find it, wherever they were started."""
    if ":/" in path:
        return path.rstrip("/")
    return str(folder.resolve() / path)


def sections_given(given: str) -> tuple[str, ...]:
    """The sections that have typed tables."""
    if given.lower() == ALL:
        return SECTION_NAMES
    if given.lower() == SERVED:
        return SERVED_SECTIONS
    try:
        named = tuple(section_named(name.strip()) for name in given.split(",") if name.strip())
    except ValueError as error:
        raise SparkError(f"{PREFIX}{_SMF}sections: {error}") from None
    return tuple(name for name in dict.fromkeys(named) if name in SECTION_NAMES)


def typed_name(section: str) -> str:
    """The name of the typed table of a section."""
    return f"smf_{section.lower().lstrip('_')}"


# Tables of the streams that score anomalies: see pipeline_watch.
OBSERVED_MESSAGES: Final = "observed_messages"
ANSWERED: Final = "answered"
OBSERVED_ANSWERS: Final = "observed_answers"
SEEN: Final = {
    "queues": "seen_in_queues",
    "messages": "seen_in_messages",
    "exchanges": "seen_in_exchanges",
}
WATCHED: Final = (OBSERVED_MESSAGES, ANSWERED, OBSERVED_ANSWERS, *SEEN.values())
REJECTS_TABLE: Final = typed_name(REJECTS)
RECORDS_TABLE: Final = "smf_records"
