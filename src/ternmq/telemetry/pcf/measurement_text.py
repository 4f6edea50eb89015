"""PCF statistics and accounting messages for people, as MQ's sample amqsmon prints them.

    MonitoringType: QueueStatistics
    QueueManager: 'QM1'
    IntervalStartDate: '2026-11-16'
    ObjectCount: 1
    QueueStatistics: 0
      QueueName: 'ORDERS'
      PutCount: [26, 0]

Texts have quotes, arrays brackets, bytes are x'..'; a group has its number in the message, and what
belongs to it is indented. A parameter that is not known has its number for a name.
"""

from __future__ import annotations

from typing import Final

from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.telemetry.pcf import pcf_rows as rows

NAMES: Final = {row.parameter: row.name for part in rows.ROWS.values() for row in part}
# Numbers that have words, by parameter.
_WORDS: Final[dict[int, dict[int, str]]] = {
    20: {1: "Local", 2: "Model", 3: "Alias", 6: "Remote", 7: "Cluster"},
    7: {
        1: "Predefined",
        2: "PermanentDynamic",
        3: "TemporaryDynamic",
        4: "SharedDynamic",
    },
    1511: {
        1: "Sender",
        2: "Server",
        3: "Receiver",
        4: "Requester",
        7: "SvrConn",
        8: "ClusRcvr",
        9: "ClusSdr",
    },
    716: {0: "Normal", 1: "Implicit", 2: "QMgr"},
}
PARAMETERS: Final = {row.name: row.parameter for part in rows.ROWS.values() for row in part}


def record_lines(
    message: PCFMessage, fields: frozenset[int] = frozenset(), object_name: str = ""
) -> list[str]:
    """One message as lines: only some fields if they are named, only the groups of one queue or
    channel if that is."""
    name = rows.MESSAGE_NAMES.get(message.command, str(message.command))
    lines = [f"MonitoringType: {name}"]
    groups = 0
    for one in message.parameters:
        if one.kind != pcf.CFGR:
            lines.extend(_shown(one, fields, ""))
            continue
        if not object_name or object_name in _object_names(one):
            label = rows.GROUP_NAMES.get(one.parameter, f"GROUP({one.parameter})")
            lines.append(f"{label}: {groups}")
            for member in one.members:
                lines.extend(_shown(member, fields, "  "))
        groups += 1
    return lines


def mentions(message: PCFMessage, object_name: str) -> bool:
    """Whether a queue or channel of that name has a group in it."""
    return any(
        object_name in _object_names(one) for one in message.parameters if one.kind == pcf.CFGR
    )


def _object_names(group: Parameter) -> list[str]:
    return [one.text for one in group.members if one.parameter in (2016, 3501)]


def _shown(one: Parameter, fields: frozenset[int], indent: str) -> list[str]:
    if fields and one.parameter not in fields:
        return []
    name = NAMES.get(one.parameter, str(one.parameter))
    return [f"{indent}{name}: {_value(one)}"]


def _value(one: Parameter) -> str:
    if one.kind in (pcf.CFIN, pcf.CFIN64):
        return _WORDS.get(one.parameter, {}).get(one.number, str(one.number))
    if one.kind in (pcf.CFIL, pcf.CFIL64):
        return f"[{', '.join(str(number) for number in one.numbers)}]"
    if one.kind == pcf.CFST:
        return f"'{one.text}'"
    if one.kind == pcf.CFSL:
        return "[" + ", ".join(f"'{text}'" for text in one.texts) + "]"
    return f"x'{one.data.hex()}'"
