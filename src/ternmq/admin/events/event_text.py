"""Event messages for people and for programs, as amqsevt shows them.

    **** Message #1 (236 Bytes) on Queue SYSTEM.ADMIN.PERFM.EVENT ****
    Event Type                     : Perfm Event [45]
    Reason                         : Queue Full [2053]
    Event created                  : 2026/10/21 07:11:28.58 GMT
      Queue Mgr Name               : QM1
      Base Object Name             : ORDERS

As JSON: `eventSource`, `eventType`, `eventReason`, `eventCreation`, for changes also
`correlationID` and `objectState`, and in `eventData` each parameter. Names come from those of the
constants: MQCA_Q_MGR_NAME is "Queue Mgr Name", and `queueMgrName` in JSON. Any PCF message can be
shown so, not only an event.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from ternmq.base import constants as mq
from ternmq.base import constants_all as every
from ternmq.base import own_constants as own
from ternmq.base.attributes import ATTRIBUTES
from ternmq.base.reason_lookup import reason as reason_row
from ternmq.base.reasons import MQRC_CONFIG_CHANGE_OBJECT
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf

_PARAMETERS: Final = ("MQCA", "MQIA", "MQCACF", "MQIACF", "MQCACH", "MQIACH", "MQBACF", "MQGACF")
# Of statistics and accounting. Names with these prefixes and lower numbers are values, of monitors.
_MEASURES: Final = ("MQIAMO", "MQIAMO64", "MQCAMO", "MQBACF", "MQGACF")
_FIRST_MEASURE: Final = every.MQIAMO_FIRST
_NO_NAMES: Final = ("_FIRST", "_LAST", "_LAST_USED")
_WORDS: Final = {"Q": "Queue"}
# The constants that name a parameter's values.
_VALUES: Final[dict[int, str]] = {
    mq.MQIA_APPL_TYPE: "MQAT",
    mq.MQIACF_EVENT_APPL_TYPE: "MQAT",
    mq.MQIACF_REASON_QUALIFIER: "MQRQ",
    mq.MQIACF_EVENT_ORIGIN: "MQEVO",
    mq.MQIACF_OBJECT_TYPE: "MQOT",
    mq.MQIACF_COMMAND: "MQCMD",
    mq.MQIA_Q_TYPE: "MQQT",
    mq.MQIACH_CHANNEL_TYPE: "MQCHT",
    every.MQIAMO_DISC_TYPE: "MQDISCONNECT",
}
_LABEL_WIDTH: Final = 31


def _names(prefixes: tuple[str, ...], module: ModuleType = mq) -> dict[int, str]:
    """Numbers of a group of constants to the last part of their names."""
    found: dict[int, str] = {}
    for name, value in vars(module).items():
        prefix, _, rest = name.partition("_")
        if prefix in prefixes and isinstance(value, int) and not name.endswith(_NO_NAMES):
            found.setdefault(value, rest)
    return found


def _parameter_names() -> dict[int, str]:
    measures = _names(_MEASURES, every)
    found = {number: measures[number] for number in measures if number >= _FIRST_MEASURE}
    return found | _names(_PARAMETERS) | _names(_PARAMETERS, own)


def _values() -> dict[int, dict[int, str]]:
    found: dict[int, dict[int, str]] = {}
    for row in ATTRIBUTES:
        if row.selector and row.words:
            words = found.setdefault(row.selector, {})
            for word, number in row.words.items():
                words.setdefault(number, word)
    for parameter, prefix in _VALUES.items():
        names = _names((prefix,), every)
        if prefix == "MQAT":
            names[mq.MQAT_UNIX] = "UNIX"  # MQAT_AIX has the same number
        found[parameter] = names
    return found


_PARAMETER_NAMES: Final[dict[int, str]] = _parameter_names()
_COMMAND_NAMES: Final[dict[int, str]] = _names(("MQCMD",)) | _names(("MQCMD",), own)
_VALUE_NAMES: Final[dict[int, dict[int, str]]] = _values()


def label(constant: str) -> str:
    """Q_MGR_NAME to "Queue Mgr Name"."""
    return " ".join([_WORDS.get(word, word.capitalize()) for word in constant.split("_")])


def json_name(constant: str) -> str:
    """Q_MGR_NAME to "queueMgrName"."""
    text = label(constant).replace(" ", "")
    return text[:1].lower() + text[1:]


def parameter_constant(parameter: int) -> str:
    """The name of a parameter without its prefix, or its number."""
    return _PARAMETER_NAMES.get(parameter, str(parameter))


def shown_value(one: Parameter) -> object:
    """A parameter's value: text, number, word for a number, list, or hexadecimal digits."""
    if one.kind in (pcf.CFBS, pcf.CFBF):
        return one.data.hex().upper()
    words = _VALUE_NAMES.get(one.parameter)
    if words is None or one.kind not in (pcf.CFIN, pcf.CFIL):
        return one.value
    if one.kind == pcf.CFIL:
        return [label(words[n]) if n in words else n for n in one.numbers]
    return label(words[one.number]) if one.number in words else one.number


def _reason_label(reason: int) -> str:
    name = reason_row(reason).name
    return label(name.partition("_")[2]) if reason else "None"


def unpack_event(md: Descriptor, data: bytes) -> PCFMessage:
    """The PCF of a message, by what its descriptor says; PCFError if it has none."""
    ccsid = md.ccsid if md.ccsid > 0 else 1208
    return unpack_pcf(data, byte_order(md.encoding), ccsid)


# ---- JSON


def event_json(queue_name: str, qmgr_name: str, md: Descriptor, data: bytes) -> dict[str, object]:
    """One event as values that JSON can hold."""
    event = unpack_event(md, data)
    values: dict[str, object] = {
        "eventSource": {
            "objectName": queue_name,
            "objectType": "Queue",
            "queueMgr": qmgr_name,
        },
        "eventType": {
            "name": label(_COMMAND_NAMES.get(event.command, str(event.command))),
            "value": event.command,
        },
        "eventReason": {"name": _reason_label(event.reason), "value": event.reason},
    }
    when = md.put_datetime
    if when is not None:
        stamp = when.strftime("%Y-%m-%dT%H:%M:%SZ")
        values["eventCreation"] = {"timeStamp": stamp, "epoch": int(when.timestamp())}
    if event.reason == MQRC_CONFIG_CHANGE_OBJECT:
        values["correlationID"] = md.correl_id.hex().upper()
        values["objectState"] = "Before Change" if event.sequence == 1 else "After Change"
    values["eventData"] = _json_of(event.parameters)
    return values


def _json_of(parameters: list[Parameter]) -> dict[str, object]:
    found: dict[str, object] = {}
    for one in parameters:
        name = json_name(parameter_constant(one.parameter))
        value: object = shown_value(one)
        if one.kind == pcf.CFGR:
            value = _json_of(one.members)
        if name not in found:
            found[name] = value
            continue
        # A parameter that is there several times, as groups are, is a list.
        before = found[name]
        found[name] = [*before, value] if isinstance(before, list) else [before, value]
    return found


# ---- text


def event_text(number: int, queue_name: str, md: Descriptor, data: bytes) -> list[str]:
    """One event as lines; `number` counts the messages shown."""
    event = unpack_event(md, data)
    kind = label(_COMMAND_NAMES.get(event.command, str(event.command)))
    lines = [
        f"**** Message #{number} ({len(data)} Bytes) on Queue {queue_name} ****",
        _line("Event Type", f"{kind} [{event.command}]", 0),
        _line("Reason", f"{_reason_label(event.reason)} [{event.reason}]", 0),
    ]
    if event.reason == MQRC_CONFIG_CHANGE_OBJECT:
        state = "Before Change" if event.sequence == 1 else "After Change"
        lines.append(_line("Object state", state, 0))
    when = md.put_datetime
    if when is not None:
        stamp = when.strftime("%Y/%m/%d %H:%M:%S")
        lines.append(_line("Event created", f"{stamp}.{when.microsecond // 10000:02} GMT", 0))
    lines.extend(_lines(event.parameters, 1))
    return lines


def _lines(parameters: list[Parameter], depth: int) -> list[str]:
    lines: list[str] = []
    for one in parameters:
        name = label(parameter_constant(one.parameter))
        if one.kind == pcf.CFGR:
            lines.append("  " * depth + name)
            lines.extend(_lines(one.members, depth + 1))
            continue
        value = shown_value(one)
        if isinstance(value, list):
            value = ", ".join([str(part) for part in value])
        lines.append(_line(name, str(value), depth))
    return lines


def _line(name: str, value: str, depth: int) -> str:
    indent = "  " * depth
    return f"{indent}{name:<{_LABEL_WIDTH - len(indent)}}: {value}".rstrip()
