"""The options of the source `mq`, checked, and those about the connection, which the sink has too.

Two tables say what there is: CONNECTION_OPTIONS and SOURCE_OPTIONS. A name that is in neither is
refused, since a misspelt option would silently be another query.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Final, NamedTuple, final

from ternmq.base.errors import MQError
from ternmq.base.names import is_name
from ternmq.codec.selector.selector import compile_selector
from ternmq.spark.mq.message_schema import (
    COLUMNS,
    KAFKA_COLUMNS,
    PROPERTY,
    TOPIC_COLUMNS,
    columns_named,
)
from ternmq.spark.mq.positions import EARLIEST, LATEST, Position, position_given
from ternmq.spark.mq.property_fields import column_ddl, fields_given
from ternmq.spark.option_words import check_names, lowered, number, one_of, yes_or_no
from ternmq.txn.families.cursor_records import EXPIRY_MAX

STREAM: Final = "stream"
BROWSE: Final = "browse"
DRAIN: Final = "drain"
MODES: Final = (STREAM, BROWSE, DRAIN)
KEEP: Final = "keep"
REMOVE: Final = "remove"
KAFKA: Final = "kafka"
NONE: Final = "none"
CONVERT_STRINGS: Final = "strings"
CONVERT_ALL: Final = "all"
READ_BYTES: Final = 4 << 20
CURSOR_EXPIRY_H: Final = 7 * 24
DRAIN_MESSAGES: Final = 10_000  # what a unit of work may hold unless MAXUMSGS says otherwise


class Option(NamedTuple):
    """One option as users see it."""

    name: str
    default: str
    about: str


def names_of(*options: Option) -> tuple[str, ...]:
    """What users write."""
    return tuple(option.name for option in options)


# What queries that were written for Kafka say, and what says it here.
OF_KAFKA: Final = {
    "kafka.bootstrap.servers": "connName='host(1414)' and channel say where the queue manager is",
    "subscribe": "queue names the queues, with commas between",
    "subscribepattern": "queue takes patterns, with * for any characters",
    "assign": "queue names the queues; they have no partitions",
    "maxoffsetspertrigger": "maxMessagesPerTrigger bounds a batch",
    "minoffsetspertrigger": "a batch takes what is there; the trigger says how often",
    "maxtriggerdelay": "a batch takes what is there; the trigger says how often",
    "startingtimestamp": "startingOffsets takes a time too",
    "startingoffsetsbytimestamp": "startingOffsets takes a time too",
    "endingtimestamp": "endingOffsets takes a time too",
    "endingoffsetsbytimestamp": "endingOffsets takes a time too",
    "groupidprefix": "cursor names what keeps messages for the query",
    "kafka.group.id": "cursor names what keeps messages for the query",
    "includeheaders": "headers are always there with compat=kafka; else column properties",
}
CONNECTION_OPTIONS: Final = (
    Option("queueManager", "the default one", "its name"),
    Option("connName", "", "where it listens: `host(1414)`, also several with commas between"),
    Option("channel", "", "its server-connection channel; goes with `connName`"),
    Option("ccdtUrl", "", "a client channel definition table instead, a path or URL"),
    Option("path", "the user's", "data folder of a queue manager on this machine: local socket"),
    Option("user", "", "who connects"),
    Option("password", "", "the password itself"),
    Option("passwordFile", "", "or a file that has it, on every machine"),
    Option("passwordEnv", "", "or an environment variable, on every machine"),
    Option("cipherSpec", "", "TLS: cipher, as the channel's SSLCIPH"),
    Option("keyRepository", "", "TLS: folder, .pem or .p12 with certificates, on every machine"),
    Option("keyPassword", "", "TLS: its password"),
    Option("keyPasswordFile", "", "or a file that has it"),
    Option("certificateLabel", "", "TLS: which certificate to show"),
    Option("peerName", "", "TLS: what the queue manager's certificate must say (SSLPEER)"),
    Option("connectTimeout", "as mqclient.ini", "seconds to wait for an answer"),
    Option("applicationName", "spark", "under which the queue manager shows the connections"),
)
SOURCE_OPTIONS: Final = (
    Option("queue", "", "a name, names with commas between, patterns with `*`"),
    Option("topic", "", "or a topic string, with wildcards: a stream of what is published"),
    Option(
        "subscription",
        "one of its own",
        "of a topic: name of the durable subscription by which the query reads",
    ),
    Option("subscriptionAtStop", "`keep`", "of a topic: `remove` ends it when the query stops"),
    Option("mode", "`browse`", "of a batch: what is on the queue; `drain` takes it; `stream`"),
    Option("startingOffsets", "`latest`, batch `earliest`", "`earliest`, `latest`, time or JSON"),
    Option("endingOffsets", "`latest`", "of a batch: `latest`, time or JSON; exclusive"),
    Option("cursor", "one of its own", "name of the cursor that keeps messages for this query"),
    Option(
        "cursorExpiryHours",
        "168, of a named one 0",
        "after how long without a use a cursor that the query has made is deleted; `0` is never",
    ),
    Option("maxMessagesPerTrigger", "all", "how many messages one batch reads at most"),
    Option("maxBytesPerTrigger", "all", "about how many bytes one batch reads"),
    Option("minPartitions", "as many as cores", "into how many tasks a batch is divided"),
    Option("failOnDataLoss", "`true`", "an error if messages are gone; `false` goes on without"),
    Option("includeProperties", "`true`", "`false` leaves an MQRFH2 in the body"),
    Option("convert", "`strings`", "what `text` has: `strings` (MQSTR), `all` bodies or `none`"),
    Option("compat", "`none`", "`kafka`: columns as Kafka's source has them"),
    Option("columns", "all", "names with commas between: only those are made, which is quicker"),
    Option("selector", "all", "only messages that match it, chosen by the queue manager"),
    Option("propertyColumns", "none", "fields of column `property`: `colour STRING, weight INT`"),
    Option(
        "pushFilters",
        "`false`",
        "of a batch: filters of `queue`, `seq` and `property` narrow what is read",
    ),
    Option("maxMessages", str(DRAIN_MESSAGES), "of `drain`: how many messages one task takes"),
)


@final
class ConnectionOptions:
    """How to reach the queue manager. Passwords are read where the connection is made."""

    def __init__(self, given: Mapping[str, str]) -> None:
        options = lowered(given)
        self.queue_manager: Final = options.get("queuemanager", "")
        self.conn_name: Final = options.get("connname") or None
        self.channel: Final = options.get("channel") or None
        self.ccdt_url: Final = options.get("ccdturl") or None
        self.path: Final = options.get("path") or None
        self.user: Final = options.get("user") or None
        self.password: Final = options.get("password") or None
        self.password_file: Final = options.get("passwordfile", "")
        self.password_env: Final = options.get("passwordenv", "")
        self.cipher: Final = options.get("cipherspec") or None
        self.key_repository: Final = options.get("keyrepository") or None
        self.key_password: Final = options.get("keypassword") or None
        self.key_password_file: Final = options.get("keypasswordfile", "")
        self.certificate_label: Final = options.get("certificatelabel") or None
        self.peer_name: Final = options.get("peername") or None
        self.connect_timeout_s: Final = number(options, "connectTimeout", 0, 1)
        self.application: Final = options.get("applicationname") or "spark"
        self._check()

    def _check(self) -> None:
        if self.queue_manager and not is_name(self.queue_manager.lstrip("*") or "A"):
            raise ValueError(f"option queueManager is {self.queue_manager!r}, which is not a name")
        if (self.conn_name is None) != (self.channel is None) and self.ccdt_url is None:
            raise ValueError("options connName and channel go together")
        given = (self.password is not None, bool(self.password_file), bool(self.password_env))
        if sum(given) > 1:
            raise ValueError("only one of the options password, passwordFile and passwordEnv")
        if self.key_password is not None and self.key_password_file:
            raise ValueError("only one of the options keyPassword and keyPasswordFile")
        if self.conn_name is not None and self.ccdt_url is not None:
            raise ValueError("only one of the options connName and ccdtUrl says where to connect")
        if self.path is not None and (self.conn_name or self.ccdt_url):
            raise ValueError("option path is for a queue manager here, connName for one elsewhere")

    def __repr__(self) -> str:
        where = self.conn_name or self.ccdt_url or self.path or "local"
        return f"<ConnectionOptions {self.queue_manager} {where}>"


@final
class SourceOptions:
    """What a user asked for. ValueError says which option is wrong, and what it may be."""

    def __init__(self, given: Mapping[str, str], is_stream: bool) -> None:
        check_names(given, names_of(*CONNECTION_OPTIONS, *SOURCE_OPTIONS), OF_KAFKA)
        options = lowered(given)
        self.connection: Final = ConnectionOptions(given)
        self.topic: Final = options.get("topic", "")
        self.subscription: Final = options.get("subscription", "")
        at_stop = one_of(options, "subscriptionAtStop", KEEP, (KEEP, REMOVE))
        self.removes_at_stop: Final = at_stop == REMOVE
        # Of a topic they are known once it has a subscription.
        self.queues = () if self.topic else queues_given(options.get("queue", ""))
        begins_at_end = is_stream and not self.topic
        self.start: Final = position_given(
            options, "startingOffsets", LATEST if begins_at_end else EARLIEST
        )
        self.has_start: Final = bool(options.get("startingoffsets")) or not begins_at_end
        self.end: Final = position_given(options, "endingOffsets", LATEST)
        self.mode: Final = one_of(options, "mode", self._usual_mode(options, is_stream), MODES)
        self.cursor: Final = options.get("cursor", "")
        self.cursor_expiry_h: Final = number(
            options, "cursorExpiryHours", 0 if self.cursor else CURSOR_EXPIRY_H, 0
        )
        self.messages_per_trigger: Final = number(options, "maxMessagesPerTrigger", 0, 1)
        self.bytes_per_trigger: Final = number(options, "maxBytesPerTrigger", 0, 1)
        self.partitions_min: Final = number(options, "minPartitions", 0, 1)
        self.fail_on_loss: Final = yes_or_no(options, "failOnDataLoss", True)
        self.has_properties: Final = yes_or_no(options, "includeProperties", True)
        self.convert: Final = one_of(
            options, "convert", CONVERT_STRINGS, (CONVERT_STRINGS, CONVERT_ALL, NONE)
        )
        self.is_kafka: Final = one_of(options, "compat", NONE, (NONE, KAFKA)) == KAFKA
        self.property_fields: Final = fields_given(options.get("propertycolumns", ""))
        self.columns: Final = columns_named(options.get("columns", ""), self._all_columns()) + (
            ((PROPERTY, column_ddl(self.property_fields)),) if self.property_fields else ()
        )
        self.selector: Final = selector_given(options.get("selector", ""))
        self.messages_max: Final = number(options, "maxMessages", DRAIN_MESSAGES, 1)
        self.takes_filters: Final = yes_or_no(options, "pushFilters", False)
        self._check(options, is_stream)

    def _all_columns(self) -> tuple[tuple[str, str], ...]:
        if self.is_kafka:
            return KAFKA_COLUMNS
        return TOPIC_COLUMNS if self.topic else COLUMNS

    def of_queue(self, queue: str) -> SourceOptions:
        """The same for the queue of the topic's subscription."""
        made = copy(self)
        made.queues = (queue,)
        return made

    def _usual_mode(self, options: Mapping[str, str], is_stream: bool) -> str:
        """A batch without positions reads what is on the queue now."""
        if is_stream or options.get("startingoffsets") or options.get("endingoffsets"):
            return STREAM
        return BROWSE

    def _check_topic(self, options: Mapping[str, str]) -> None:
        if self.topic and options.get("queue"):
            raise ValueError("only one of the options queue and topic says what to read")
        for name in ("subscription", "subscriptionAtStop"):
            if options.get(name.lower()) and not self.topic:
                raise ValueError(f"option {name} is for a stream of a topic")

    def _check(self, options: Mapping[str, str], is_stream: bool) -> None:
        self._check_topic(options)
        if is_stream and self.mode != STREAM:
            raise ValueError(f"option mode is {self.mode!r}, which is for batches; a stream reads")
        if is_stream and options.get("endingoffsets"):
            raise ValueError("option endingOffsets is for batches; a stream has no end")
        if self.end.word == EARLIEST:
            raise ValueError("option endingOffsets is 'earliest'; nothing is before that")
        if self.cursor and self.cursor != NONE and not is_name(self.cursor):
            raise ValueError(f"option cursor is {self.cursor!r}, which is not a name of a cursor")
        if self.cursor_expiry_h * 60 > EXPIRY_MAX:
            raise ValueError(
                f"option cursorExpiryHours is {self.cursor_expiry_h}; it is at most "
                f"{EXPIRY_MAX // 60}, or 0 for never"
            )
        for name in (*self.start.queues(), *self.end.queues()):
            if not any(matches(name, pattern) for pattern in self.queues):
                raise ValueError(f"offsets are given for {name}, which option queue does not name")

    def position_of(self, queue: str, at_end: bool = False) -> Position:
        """Where reading of a queue begins or ends."""
        return (self.end if at_end else self.start).of(queue)


def check_batch_of_topic(given: Mapping[str, str]) -> None:
    """ValueError for options that only streams have. Spark asks for the schema of batches and
    streams in the same way, so `SourceOptions` cannot check that."""
    options = lowered(given)
    for name in ("subscription", "subscriptionAtStop", "mode", "startingOffsets", "endingOffsets"):
        if options.get(name.lower()):
            raise ValueError(
                f"option {name} is not for a batch of a topic, which is what is retained; a stream "
                "has the rest"
            )


def selector_given(given: str) -> str:
    """A selection string that is one."""
    if given.strip():
        try:
            compile_selector(given)
        except MQError as error:
            raise ValueError(
                f"option selector is {given!r}: {error.detail or error.reason_name}"
            ) from None
    return given.strip()


def queues_given(given: str) -> tuple[str, ...]:
    """Names and patterns of queues."""
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    if not names:
        raise ValueError(
            "option queue says which queue to read, or option topic which topic; both are missing"
        )
    for name in names:
        if not is_name(name.replace("*", "A")):
            raise ValueError(f"option queue: {name!r} is neither a name nor a pattern of names")
    return names


def matches(name: str, pattern: str) -> bool:
    """Whether a pattern with `*` for any characters fits a name."""
    first, *others = pattern.split("*")
    if not others:
        return name == pattern
    if not name.startswith(first):
        return False
    at = len(first)
    for part in others[:-1]:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(others[-1]) and len(name) - len(others[-1]) >= at
