"""The messages below $SYS/MQ/INFO/QMGR/<name>/Monitor, made from the table `monitor_rows`.

    METADATA/CLASSES                    a group for each class, with the topic of its types
    METADATA/<class>/TYPES              a group for each type, with the topic of its elements
    METADATA/<class>/<type>             the topic of the data, and a group for each element
    <class>/<type>                      data: each value is a parameter with its element's number
    STATQ/<queue>/<type>                data of one queue

The first three are retained. Discovery programs of IBM stop at a parameter in a group that they do
not know, so a group has those that MQ gives it and no other. A "/" in a name is "&" in a topic.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.telemetry.monitor import monitor_rows as rows
from ternmq.telemetry.monitor.monitor_rows import MonitorClass, MonitorType
from ternmq.telemetry.source import Sources

ROOT: Final = "$SYS/MQ/INFO/QMGR/"
OBJECT_NAME: Final = "%s"
_SMALL_MAX: Final = (1 << 31) - 1
_LARGE_MAX: Final = (1 << 63) - 1


Retained = tuple[str, PCFMessage]  # a topic string, and what is retained there


def level_of(name: str) -> str:
    """A name as a level of a topic string."""
    return name.replace("/", "&")


def monitor_root(qmgr_name: str) -> str:
    """Below which everything here is published."""
    return f"{ROOT}{level_of(qmgr_name)}/Monitor"


def data_topic(qmgr_name: str, one: MonitorClass, kind: MonitorType, object_name: str) -> str:
    """Where the data of a type is published; of one object, if the class is by object."""
    parts = [monitor_root(qmgr_name), one.name]
    if one.flags & rows.BY_OBJECT:
        parts.append(OBJECT_NAME if object_name == OBJECT_NAME else level_of(object_name))
    return "/".join([*parts, kind.name])


def metadata(qmgr_name: str) -> list[Retained]:
    """All publications of metadata: the classes, then of each class its types and their
    elements."""
    root = f"{monitor_root(qmgr_name)}/METADATA"
    found: list[Retained] = [
        (f"{root}/CLASSES", _message([_class_group(root, c) for c in rows.CLASSES]))
    ]
    for one in rows.CLASSES:
        opening = [
            pcf.integer(rows.CLASS_NUMBER, one.number),
            pcf.integer(rows.FLAGS, one.flags),
        ]
        groups = [_type_group(root, one, kind) for kind in one.types]
        found.append((f"{root}/{one.name}/TYPES", _message(opening + groups)))
        found += [
            (f"{root}/{one.name}/{kind.name}", _of(qmgr_name, one, kind)) for kind in one.types
        ]
    return found


def _class_group(root: str, one: MonitorClass) -> Parameter:
    return pcf.group(
        mq.MQGACF_MONITOR_CLASS,
        [
            pcf.integer(rows.CLASS_NUMBER, one.number),
            pcf.integer(rows.FLAGS, one.flags),
            pcf.string(rows.CLASS_NAME, one.name),
            pcf.string(rows.DESCRIPTION, one.description),
            pcf.string(mq.MQCA_TOPIC_STRING, f"{root}/{one.name}/TYPES"),
        ],
    )


def _type_group(root: str, one: MonitorClass, kind: MonitorType) -> Parameter:
    return pcf.group(
        mq.MQGACF_MONITOR_TYPE,
        [
            pcf.integer(rows.TYPE_NUMBER, kind.number),
            pcf.string(rows.TYPE_NAME, kind.name),
            pcf.string(rows.DESCRIPTION, kind.description),
            pcf.string(mq.MQCA_TOPIC_STRING, f"{root}/{one.name}/{kind.name}"),
        ],
    )


def _of(qmgr_name: str, one: MonitorClass, kind: MonitorType) -> PCFMessage:
    parameters = [
        pcf.integer(rows.CLASS_NUMBER, one.number),
        pcf.integer(rows.TYPE_NUMBER, kind.number),
        pcf.string(mq.MQCA_TOPIC_STRING, data_topic(qmgr_name, one, kind, OBJECT_NAME)),
    ]
    for element in kind.elements:
        members = [
            pcf.integer(rows.ELEMENT_NUMBER, element.number),
            pcf.integer(rows.DATATYPE, element.datatype),
            pcf.string(rows.DESCRIPTION, element.description),
        ]
        parameters.append(pcf.group(mq.MQGACF_MONITOR_ELEMENT, members))
    return _message(parameters)


@final
class DataMessages:
    """Makes the data messages of one type."""

    def __init__(self, one: MonitorClass, kind: MonitorType) -> None:
        self.one = one
        self.kind = kind
        self._numbers = [element.number for element in kind.elements]
        self._sources = Sources([element.source for element in kind.elements])

    def message(self, qmgr_name: str, view: object, interval_us: int, name: str = "") -> PCFMessage:
        """The values of a view, counted in an interval; of one object, if the class is by
        object."""
        parameters = [pcf.string(mq.MQCA_Q_MGR_NAME, qmgr_name, mq.MQ_Q_MGR_NAME_LENGTH)]
        if name:
            parameters.append(pcf.string(mq.MQCA_Q_NAME, name, mq.MQ_Q_NAME_LENGTH))
            parameters.append(pcf.integer(mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q))
        parameters.append(pcf.integer(rows.CLASS_NUMBER, self.one.number))
        parameters.append(pcf.integer(rows.TYPE_NUMBER, self.kind.number))
        parameters.append(pcf.integer64(rows.INTERVAL, interval_us))
        for number, value in zip(self._numbers, self._sources.of(view), strict=True):
            parameters.append(_value(number, int(value)))
        return _message(parameters)


def _value(number: int, value: int) -> Parameter:
    if -_SMALL_MAX <= value <= _SMALL_MAX:
        return pcf.integer(number, value)
    return pcf.integer64(number, min(value, _LARGE_MAX))


def _message(parameters: list[Parameter]) -> PCFMessage:
    return PCFMessage(mq.MQCFT_STATISTICS, 0, parameters, version=mq.MQCFH_VERSION_3)
