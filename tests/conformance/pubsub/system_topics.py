"""What the tests of section J share: time that passes for publications of resources, and IBM's
exporter as a Python rendering of the rules by which it discovers and collects.

The rules are those of mq-golang's package mqmetric (discover.go, mapping.go): a group has these
parameters and no other, or discovery stops; names of metrics are made from descriptions and must be
unique; DELTA values of several publications add up, others replace each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ternmq.base import constants_all as mq
from ternmq.codec.pcf.parameter import CFGR, CFIN, CFIN64, CFST
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.host.shell import Shell
from tests.conformance.pubsub.bed import Bed, ShiftedClock, Sub

ROOT = "$SYS/MQ/INFO/QMGR/QM1"
CLASSES = f"{ROOT}/Monitor/METADATA/CLASSES"
NO_PROPERTIES = mq.MQGMO_NO_PROPERTIES


def shell_of(bed: Bed) -> Shell:
    """The shell of the queue manager."""
    shell: Shell = bed.served.started.shell
    return shell


def publish_now(bed: Bed) -> None:
    """Have what was counted and traced so far published."""
    shell = shell_of(bed)
    with shell.lock:
        shell.engine.collector.tick()
    shell.deliver(wait=True)
    assert bed.served.started.measurement.drain()


def pass_interval(bed: Bed, seconds: float = 10.0) -> None:
    """Let an interval of resources end. Only the kernel's clock is set forward: what was begun by
    it is due then."""
    shell = shell_of(bed)
    with shell.lock:
        kernel = bed.kernel
        if not isinstance(kernel.clock, ShiftedClock):
            kernel.clock = ShiftedClock(kernel.clock)
        kernel.clock.ahead_ns += int(seconds * 1e9)
    publish_now(bed)


def received(sub: Sub, wait: float = 5.0) -> PCFMessage:
    """The next publication as PCF."""
    message = sub.get(wait, options=NO_PROPERTIES)
    assert message.format == "MQADMIN"
    return unpack_pcf(message.data)


def all_received(sub: Sub) -> list[PCFMessage]:
    """All publications that are there."""
    return [unpack_pcf(one.data) for one in iter(lambda: sub.try_get(options=NO_PROPERTIES), None)]


def values_of(message: PCFMessage) -> dict[int, Any]:
    """Parameters outside groups by number."""
    return {one.parameter: one.value for one in message.parameters if one.kind != CFGR}


def groups_of(message: PCFMessage) -> list[dict[int, Any]]:
    """The groups, each by number of parameter; none has one twice."""
    found = []
    for one in message.parameters:
        if one.kind == CFGR:
            assert len({member.parameter for member in one.members}) == len(one.members)
            found.append({member.parameter: member.value for member in one.members})
    return found


def group_kinds(message: PCFMessage) -> set[int]:
    """Which groups it has."""
    return {one.parameter for one in message.parameters if one.kind == CFGR}


class Element:
    """MonElement."""

    def __init__(self, group: dict[int, Any]) -> None:
        _known(group, "MQIAMO_MONITOR_ELEMENT", "MQIAMO_MONITOR_DATATYPE", "MQCAMO_MONITOR_DESC")
        self.number = group[mq.MQIAMO_MONITOR_ELEMENT]
        self.datatype = group[mq.MQIAMO_MONITOR_DATATYPE]
        self.description = group[mq.MQCAMO_MONITOR_DESC]
        self.metric = metric_name(self.description, self.datatype)
        self.values: dict[str, int] = {}


def _known(group: dict[int, Any], *names: str) -> None:
    """Discovery stops at a parameter that it does not know."""
    assert set(group) == {getattr(mq, name) for name in names}


def metric_name(description: str, datatype: int) -> str:
    """FormatDescriptionHeuristic, without its table of exceptions."""
    name = re.sub("__*", "_", re.sub("[ /-]", "_", description)).lower()
    for unit in ("_count", "_bytes", "_byte", "_seconds", "_second", "_percentage"):
        name = name.replace(unit, "")
    name = name.replace("messages_expired", "expired_messages")
    if datatype in (mq.MQIAMO_MONITOR_PERCENT, mq.MQIAMO_MONITOR_HUNDREDTHS):
        return f"{name}_percentage"
    if datatype in (mq.MQIAMO_MONITOR_MB, mq.MQIAMO_MONITOR_GB):
        return f"{name}_bytes"
    if datatype == mq.MQIAMO_MONITOR_MICROSEC:
        return f"{name}_seconds"
    if datatype == mq.MQIAMO_MONITOR_LSN:
        return name
    if "_total" in name:
        name = name.replace("_total", "") + "_total"
    elif "log_" in name:
        name += "_bytes"
    if "byte count" in description:
        return f"{name}_bytes"
    return f"{name}_count" if description.endswith(" count") and "_count" not in name else name


class Exporter:
    """Discovery and collection."""

    def __init__(self, subscribe: Callable[[str], Sub]) -> None:
        self._subscribe = subscribe
        self.classes: dict[int, dict[str, Any]] = {}
        self.types: dict[tuple[int, int], dict[str, Any]] = {}
        self.elements: dict[tuple[int, int], dict[int, Element]] = {}

    def _retained(self, topic: str) -> PCFMessage:
        sub = self._subscribe(topic)
        try:
            message = received(sub)
            assert sub.try_get() is None
            return message
        finally:
            sub.end(mq.MQCO_REMOVE_SUB)

    def discover(self) -> None:
        """DiscoverAndSubscribe up to the subscriptions."""
        for group in groups_of(self._retained(CLASSES)):
            _known(
                group,
                *("MQIAMO_MONITOR_CLASS", "MQIAMO_MONITOR_FLAGS", "MQCAMO_MONITOR_CLASS"),
                *("MQCAMO_MONITOR_DESC", "MQCA_TOPIC_STRING"),
            )
            self.classes[group[mq.MQIAMO_MONITOR_CLASS]] = {
                "name": group[mq.MQCAMO_MONITOR_CLASS],
                "flags": group[mq.MQIAMO_MONITOR_FLAGS],
                "topic": group[mq.MQCA_TOPIC_STRING],
            }
        for number, found in self.classes.items():
            for group in groups_of(self._retained(found["topic"])):
                _known(
                    group,
                    *("MQIAMO_MONITOR_TYPE", "MQCAMO_MONITOR_TYPE"),
                    *("MQCAMO_MONITOR_DESC", "MQCA_TOPIC_STRING"),
                )
                self._discover_type(number, group)
        self._check_unique()

    def _discover_type(self, class_number: int, group: dict[int, Any]) -> None:
        message = self._retained(group[mq.MQCA_TOPIC_STRING])
        key = (class_number, group[mq.MQIAMO_MONITOR_TYPE])
        data_topic = values_of(message)[mq.MQCA_TOPIC_STRING]
        self.types[key] = {"name": group[mq.MQCAMO_MONITOR_TYPE], "topic": data_topic}
        elements = [Element(one) for one in groups_of(message)]
        self.elements[key] = {one.number: one for one in elements}
        assert len(self.elements[key]) == len(elements)

    def _check_unique(self) -> None:
        names = [
            ("object_" if "%s" in self.types[key]["topic"] else "") + one.metric
            for key, elements in self.elements.items()
            for one in elements.values()
        ]
        assert len(names) == len(set(names)), "Non-unique metric description"

    def topics(self, *queues: str) -> list[str]:
        """What createSubscriptions subscribes to."""
        found = []
        for one in self.types.values():
            names = queues if "%s" in one["topic"] else ("",)
            found += [one["topic"].replace("%s", name.replace("/", "&")) for name in names]
        return found

    def process(self, message: PCFMessage) -> None:
        """ProcessPublications, for one of them."""
        class_number = type_number = -1
        name = "@self"
        values: dict[int, int] = {}
        for one in message.parameters:
            if one.parameter == mq.MQCA_Q_MGR_NAME and one.kind == CFST:
                continue
            if one.parameter == mq.MQCA_Q_NAME and one.kind == CFST:
                name = one.text.strip()
            elif one.parameter == mq.MQIAMO_MONITOR_CLASS:
                class_number = one.number
            elif one.parameter == mq.MQIAMO_MONITOR_TYPE:
                type_number = one.number
            elif one.parameter not in (
                mq.MQIAMO64_MONITOR_INTERVAL,
                mq.MQIAMO_MONITOR_FLAGS,
                mq.MQIACF_OBJECT_TYPE,
            ):
                assert one.kind in (CFIN, CFIN64), f"unparsed element {one}"
                values[one.parameter] = one.number
        for number, value in values.items():
            element = self.elements[class_number, type_number][number]
            before = element.values.get(name, 0)
            is_delta = element.datatype == mq.MQIAMO_MONITOR_DELTA
            element.values[name] = before + value if is_delta else value

    def value(self, class_name: str, type_name: str, description: str, name: str = "@self") -> int:
        """What was collected."""
        for key, elements in self.elements.items():
            if (self.classes[key[0]]["name"], self.types[key]["name"]) == (class_name, type_name):
                for one in elements.values():
                    if one.description == description:
                        return one.values[name]
        raise LookupError(f"{class_name} {type_name} {description}")
