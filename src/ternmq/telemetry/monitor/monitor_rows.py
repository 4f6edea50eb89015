"""The resources that are published below $SYS/MQ/INFO/QMGR/<name>/Monitor: the one table.

    class  type  number  datatype  description ; source, as in `source`

Metadata, data, docs and tests are made from it. Classes, types, numbers, datatypes and descriptions
are those that IBM MQ 9.4.1 publishes, because exporters find and name metrics by them. Sources
start from the view that `monitor_views` has for the class.

Not there, because nothing in TernMQ corresponds: classes STATAPP and NHAREPLICA, and of DISK/Log
numbers 10, 11 (extents that wait to be reused or archived) and 15 (of a quorum).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ternmq.telemetry.source import Source

# Parameters of the messages.
CLASS_NUMBER: Final = 839  # MQIAMO_MONITOR_CLASS
TYPE_NUMBER: Final = 840  # MQIAMO_MONITOR_TYPE
ELEMENT_NUMBER: Final = 841  # MQIAMO_MONITOR_ELEMENT
DATATYPE: Final = 842  # MQIAMO_MONITOR_DATATYPE
FLAGS: Final = 843  # MQIAMO_MONITOR_FLAGS
INTERVAL: Final = 845  # MQIAMO64_MONITOR_INTERVAL
CLASS_NAME: Final = 2713  # MQCAMO_MONITOR_CLASS
TYPE_NAME: Final = 2714  # MQCAMO_MONITOR_TYPE
DESCRIPTION: Final = 2715  # MQCAMO_MONITOR_DESC
BY_OBJECT: Final = 1  # MQIAMO_MONITOR_FLAGS_OBJNAME: its data topics have %s for an object's name

# Datatypes: what a value counts.
UNIT: Final = 1
DELTA: Final = 2  # in the interval
LSN: Final = 3
HUNDREDTHS: Final = 100
PERCENT: Final = 10_000  # hundredths of a percent
MICROSECONDS: Final = 1_000_000
MEGABYTES: Final = 1_048_576
_DATATYPES: Final = {
    "unit": UNIT,
    "delta": DELTA,
    "lsn": LSN,
    "hundredths": HUNDREDTHS,
    "percent": PERCENT,
    "us": MICROSECONDS,
    "mb": MEGABYTES,
}

CPU: Final = "CPU"
DISK: Final = "DISK"
STATMQI: Final = "STATMQI"
STATQ: Final = "STATQ"

_CLASSES: Final = """
CPU 0 Platform central processing units
DISK 0 Platform persistent data stores
STATMQI 0 API usage statistics
STATQ 1 API per-queue usage statistics
"""

_TYPES: Final = """
CPU SystemSummary CPU performance - platform wide
CPU QMgrSummary CPU performance - running queue manager
DISK SystemSummary Disk usage - platform wide
DISK QMgrSummary Disk usage - running queue managers
DISK Log Disk usage - queue manager recovery log
STATMQI CONNDISC MQCONN and MQDISC
STATMQI OPENCLOSE MQOPEN and MQCLOSE
STATMQI INQSET MQINQ and MQSET
STATMQI PUT MQPUT
STATMQI GET MQGET
STATMQI SYNCPOINT Commit and rollback
STATMQI SUBSCRIBE Subscribe
STATMQI PUBLISH Publish
STATQ OPENCLOSE MQOPEN and MQCLOSE
STATQ INQSET MQINQ and MQSET
STATQ PUT MQPUT and MQPUT1
STATQ GET MQGET
STATQ GENERAL General queue metrics
"""

_TABLE: Final = """
CPU SystemSummary 0 percent User CPU time percentage ; machine.user_percent
CPU SystemSummary 1 percent System CPU time percentage ; machine.system_percent
CPU SystemSummary 2 hundredths CPU load - one minute average ; machine.load_1
CPU SystemSummary 3 hundredths CPU load - five minute average ; machine.load_5
CPU SystemSummary 4 hundredths CPU load - fifteen minute average ; machine.load_15
CPU SystemSummary 5 percent RAM free percentage ; machine.memory_free_percent
CPU SystemSummary 6 mb RAM total bytes ; machine.memory_megabytes
CPU QMgrSummary 0 percent User CPU time - percentage estimate for queue manager ; own_user_percent
CPU QMgrSummary 1 percent System CPU time - percentage estimate for queue manager ; $OWN_SYSTEM
CPU QMgrSummary 2 mb RAM total bytes - estimate for queue manager ; own_megabytes

DISK SystemSummary 4 mb MQ trace file system - bytes in use ; errors.used_megabytes
DISK SystemSummary 5 percent MQ trace file system - free space ; errors.free_percent
DISK SystemSummary 6 mb MQ errors file system - bytes in use ; errors.used_megabytes
DISK SystemSummary 7 percent MQ errors file system - free space ; errors.free_percent
DISK SystemSummary 8 unit MQ FDC file count ; fault_reports
DISK QMgrSummary 0 mb Queue Manager file system - bytes in use ; data.used_megabytes
DISK QMgrSummary 1 percent Queue Manager file system - free space ; data.free_percent
DISK Log 0 unit Log - bytes in use ; log_used_bytes
DISK Log 1 unit Log - bytes max ; log_limit_bytes
DISK Log 2 unit Log file system - bytes in use ; log_files.used_bytes
DISK Log 3 unit Log file system - bytes max ; log_files.limit_bytes
DISK Log 4 delta Log - physical bytes written ; log_written_bytes
DISK Log 5 delta Log - logical bytes written ; log.record_bytes
DISK Log 6 us Log - write latency ; write_ns :us
DISK Log 7 percent Log - current primary space in use ; log_used_percent
DISK Log 8 percent Log - workload primary space utilization ; log_workload_percent
DISK Log 9 mb Log - bytes required for media recovery ; media_megabytes
DISK Log 12 unit Log - write size ; write_bytes
DISK Log 13 percent Log file system - free space ; log_files.free_percent
DISK Log 14 lsn Log - disk written log sequence number ; forced_lsn
DISK Log 16 us Log - slowest write since restart ; slowest_ns :us
DISK Log 17 unit Log - timestamp of slowest write ; slowest_at_ns :us

STATMQI CONNDISC 0 delta MQCONN/MQCONNX count ; figures.connects
STATMQI CONNDISC 1 delta Failed MQCONN/MQCONNX count ; figures.failed_connects
STATMQI CONNDISC 2 unit Concurrent connections - high water mark ; figures.connections_high
STATMQI CONNDISC 3 delta MQDISC count ; figures.disconnects
STATMQI OPENCLOSE 0 delta MQOPEN count ; figures.opens
STATMQI OPENCLOSE 1 delta Failed MQOPEN count ; figures.failed_opens
STATMQI OPENCLOSE 2 delta MQCLOSE count ; figures.closes
STATMQI OPENCLOSE 3 delta Failed MQCLOSE count ; figures.failed_closes
STATMQI INQSET 0 delta MQINQ count ; figures.inquires
STATMQI INQSET 1 delta Failed MQINQ count ; figures.failed_inquires
STATMQI INQSET 2 delta MQSET count ; figures.sets
STATMQI INQSET 3 delta Failed MQSET count ; figures.failed_sets
STATMQI PUT 0 delta Interval total MQPUT/MQPUT1 count ; traffic.puts + traffic.put1s
STATMQI PUT 1 delta Interval total MQPUT/MQPUT1 byte count ; $PUT_BYTES
STATMQI PUT 2 delta Non-persistent message MQPUT count ; traffic.plain_puts.count
STATMQI PUT 3 delta Persistent message MQPUT count ; traffic.persistent_puts.count
STATMQI PUT 4 delta Failed MQPUT count ; traffic.failed_puts
STATMQI PUT 5 delta Non-persistent message MQPUT1 count ; traffic.plain_put1s.count
STATMQI PUT 6 delta Persistent message MQPUT1 count ; traffic.persistent_put1s.count
STATMQI PUT 7 delta Failed MQPUT1 count ; traffic.failed_put1s
STATMQI PUT 8 delta Put non-persistent messages - byte count ; $PLAIN_PUT_BYTES
STATMQI PUT 9 delta Put persistent messages - byte count ; $PERSISTENT_PUT_BYTES
STATMQI PUT 10 delta MQSTAT count ; figures.statuses
STATMQI GET 0 delta Interval total destructive get- count ; traffic.gets
STATMQI GET 1 delta Interval total destructive get - byte count ; $GET_BYTES
STATMQI GET 2 delta Non-persistent message destructive get - count ; traffic.plain_gets.count
STATMQI GET 3 delta Persistent message destructive get - count ; traffic.persistent_gets.count
STATMQI GET 4 delta Failed MQGET - count ; traffic.failed_gets
STATMQI GET 5 delta Got non-persistent messages - byte count ; traffic.plain_gets.total
STATMQI GET 6 delta Got persistent messages - byte count ; traffic.persistent_gets.total
STATMQI GET 7 delta Non-persistent message browse - count ; traffic.plain_browses.count
STATMQI GET 8 delta Persistent message browse - count ; traffic.persistent_browses.count
STATMQI GET 9 delta Failed browse count ; traffic.failed_browses
STATMQI GET 10 delta Non-persistent message browse - byte count ; traffic.plain_browses.total
STATMQI GET 11 delta Persistent message browse - byte count ; traffic.persistent_browses.total
STATMQI GET 12 delta Expired message count ; figures.expired
STATMQI GET 13 delta Purged queue count ; figures.purged
STATMQI GET 14 delta MQCB count ; figures.callbacks
STATMQI GET 15 delta Failed MQCB count ; figures.failed_callbacks
STATMQI GET 16 delta MQCTL count ; figures.controls
STATMQI SYNCPOINT 0 delta Commit count ; figures.commits
STATMQI SYNCPOINT 2 delta Rollback count ; figures.backouts
STATMQI SUBSCRIBE 0 delta Create durable subscription count ; topics.durable_created
STATMQI SUBSCRIBE 1 delta Alter durable subscription count ; topics.durable_altered
STATMQI SUBSCRIBE 2 delta Resume durable subscription count ; topics.durable_resumed
STATMQI SUBSCRIBE 3 delta Create non-durable subscription count ; topics.other_created
STATMQI SUBSCRIBE 6 delta Failed create/alter/resume subscription count ; topics.failed_subscribes
STATMQI SUBSCRIBE 7 delta Delete durable subscription count ; topics.durable_removed
STATMQI SUBSCRIBE 8 delta Delete non-durable subscription count ; topics.other_removed
STATMQI SUBSCRIBE 9 delta Subscription delete failure count ; topics.failed_removals
STATMQI SUBSCRIBE 10 delta MQSUBRQ count ; topics.requests
STATMQI SUBSCRIBE 11 delta Failed MQSUBRQ count ; topics.failed_requests
STATMQI SUBSCRIBE 12 unit Durable subscriber - high water mark ; marks.durable.all_high
STATMQI SUBSCRIBE 13 unit Durable subscriber - low water mark ; marks.durable.all_low
STATMQI SUBSCRIBE 14 unit Non-durable subscriber - high water mark ; marks.other.all_high
STATMQI SUBSCRIBE 15 unit Non-durable subscriber - low water mark ; marks.other.all_low
STATMQI PUBLISH 0 delta Topic MQPUT/MQPUT1 interval total ; topics.puts + topics.put1s
STATMQI PUBLISH 1 delta Interval total topic bytes put ; $TOPIC_BYTES
STATMQI PUBLISH 2 delta Published to subscribers - message count ; topics.published
STATMQI PUBLISH 3 delta Published to subscribers - byte count ; topics.published_bytes
STATMQI PUBLISH 4 delta Non-persistent - topic MQPUT/MQPUT1 count ; $PLAIN_TOPIC
STATMQI PUBLISH 5 delta Persistent - topic MQPUT/MQPUT1 count ; $PERSISTENT_TOPIC
STATMQI PUBLISH 6 delta Failed topic MQPUT/MQPUT1 count ; topics.failed_puts + topics.failed_put1s

STATQ OPENCLOSE 0 delta MQOPEN count ; figures.opens
STATQ OPENCLOSE 1 delta MQCLOSE count ; figures.closes
STATQ INQSET 0 delta MQINQ count ; figures.inquires
STATQ INQSET 1 delta MQSET count ; figures.sets
STATQ PUT 0 delta MQPUT/MQPUT1 count ; traffic.puts + traffic.put1s
STATQ PUT 1 delta MQPUT byte count ; $PUT_BYTES
STATQ PUT 2 delta MQPUT non-persistent message count ; traffic.plain_puts.count
STATQ PUT 3 delta MQPUT persistent message count ; traffic.persistent_puts.count
STATQ PUT 4 delta MQPUT1 non-persistent message count ; traffic.plain_put1s.count
STATQ PUT 5 delta MQPUT1 persistent message count ; traffic.persistent_put1s.count
STATQ PUT 6 delta non-persistent byte count ; $PLAIN_PUT_BYTES
STATQ PUT 7 delta persistent byte count ; $PERSISTENT_PUT_BYTES
STATQ PUT 8 percent queue avoided puts ; avoided_puts
STATQ PUT 9 percent queue avoided bytes ; avoided_bytes
STATQ PUT 10 percent lock contention ; 0
STATQ PUT 11 delta rolled back MQPUT count ; figures.backed_out_puts
STATQ GET 0 delta MQGET count ; traffic.gets
STATQ GET 1 delta MQGET byte count ; $GET_BYTES
STATQ GET 2 delta destructive MQGET non-persistent message count ; traffic.plain_gets.count
STATQ GET 3 delta destructive MQGET persistent message count ; traffic.persistent_gets.count
STATQ GET 4 delta destructive MQGET non-persistent byte count ; traffic.plain_gets.total
STATQ GET 5 delta destructive MQGET persistent byte count ; traffic.persistent_gets.total
STATQ GET 6 delta MQGET browse non-persistent message count ; traffic.plain_browses.count
STATQ GET 7 delta MQGET browse persistent message count ; traffic.persistent_browses.count
STATQ GET 8 delta MQGET browse non-persistent byte count ; traffic.plain_browses.total
STATQ GET 9 delta MQGET browse persistent byte count ; traffic.persistent_browses.total
STATQ GET 10 delta destructive MQGET fails ; traffic.failed_gets
STATQ GET 11 delta $GETS_EMPTY ; figures.gets_without_message
STATQ GET 12 delta $GETS_CUT ; figures.gets_cut
STATQ GET 13 delta MQGET browse fails ; traffic.failed_browses
STATQ GET 14 delta MQGET browse fails with MQRC_NO_MSG_AVAILABLE ; figures.browses_without_message
STATQ GET 15 delta MQGET browse fails with MQRC_TRUNCATED_MSG_FAILED ; figures.browses_cut
STATQ GET 16 delta rolled back MQGET count ; figures.backed_out_gets
STATQ GENERAL 0 delta messages expired ; figures.expired
STATQ GENERAL 1 delta queue purged count ; figures.purged
STATQ GENERAL 2 us average queue time ; lay_ns :us
STATQ GENERAL 3 unit Queue depth ; queue.depth
"""
_LONG: Final = {
    "$OWN_SYSTEM": "own_system_percent",
    "$PLAIN_PUT_BYTES": "traffic.plain_puts.total + traffic.plain_put1s.total",
    "$PERSISTENT_PUT_BYTES": "traffic.persistent_puts.total + traffic.persistent_put1s.total",
    "$PUT_BYTES": (
        "traffic.plain_puts.total + traffic.plain_put1s.total"
        " + traffic.persistent_puts.total + traffic.persistent_put1s.total"
    ),
    "$GET_BYTES": "traffic.plain_gets.total + traffic.persistent_gets.total",
    "$TOPIC_BYTES": "topics.plain_bytes + topics.persistent_bytes",
    "$PLAIN_TOPIC": "topics.plain_puts + topics.plain_put1s",
    "$PERSISTENT_TOPIC": "topics.persistent_puts + topics.persistent_put1s",
    "$GETS_EMPTY": "destructive MQGET fails with MQRC_NO_MSG_AVAILABLE",
    "$GETS_CUT": "destructive MQGET fails with MQRC_TRUNCATED_MSG_FAILED",
}


class Element(NamedTuple):
    """One value of a type."""

    number: int
    datatype: int
    description: str
    source: Source


class MonitorType(NamedTuple):
    """What one topic carries."""

    number: int  # in its class
    name: str
    description: str
    elements: list[Element]


class MonitorClass(NamedTuple):
    """A group of types."""

    number: int
    name: str
    description: str
    flags: int
    types: list[MonitorType]


def _elements() -> dict[tuple[str, str], list[Element]]:
    found: dict[tuple[str, str], list[Element]] = {}
    for line in _TABLE.splitlines():
        if line:
            head, _, source = line.partition(" ; ")
            of_class, of_type, number, datatype, description = head.split(maxsplit=4)
            element = Element(
                int(number),
                _DATATYPES[datatype],
                _LONG.get(description, description),
                Source(_LONG.get(source, source)),
            )
            found.setdefault((of_class, of_type), []).append(element)
    return found


def _parsed() -> list[MonitorClass]:
    elements = _elements()
    classes: dict[str, MonitorClass] = {}
    for line in _CLASSES.split("\n"):
        if line:
            name, flags, description = line.split(maxsplit=2)
            classes[name] = MonitorClass(len(classes), name, description, int(flags), [])
    for line in _TYPES.splitlines():
        if line:
            of_class, name, description = line.split(maxsplit=2)
            types = classes[of_class].types
            types.append(MonitorType(len(types), name, description, elements[of_class, name]))
    return list(classes.values())


CLASSES: Final = _parsed()
