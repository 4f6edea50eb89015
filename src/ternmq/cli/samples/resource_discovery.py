"""How amqsrua finds out what is published about resources, and what it prints of a publication.

Classes, their types and those types' elements are read from retained publications; only the topic
of the first of them is known beforehand. Parameters may stand in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ternmq.admin.events.event_text import unpack_event
from ternmq.base import constants as mq
from ternmq.base.visible_text import visible_in_line
from ternmq.cli.output import write
from ternmq.cli.samples.sample import SampleEnds
from ternmq.codec.pcf.parameter import CFGR, CFIN, CFIN64, CFST, Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.telemetry.monitor import monitor_rows as rows

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue
    from ternmq.values.message import Message

FAILED: Final = 20
METADATA_WAIT_S = 10.0
SHORTEST_US: Final = 10_000  # rates of a shorter interval would mislead
_GET: Final = mq.MQGMO_CONVERT | mq.MQGMO_FAIL_IF_QUIESCING | mq.MQGMO_NO_PROPERTIES
_SECOND_US: Final = 1_000_000
_OBJECT_NAMES: Final = (mq.MQCA_Q_NAME, mq.MQCACF_APPL_NAME)
_HEADING: Final = (rows.CLASS_NUMBER, rows.TYPE_NUMBER, rows.INTERVAL, mq.MQIACF_OBJECT_TYPE)
_UNITS: Final = {1024: "KB", rows.MEGABYTES: "MB", 100_000_000: "GB", rows.MICROSECONDS: " uSec"}
Say = Callable[[str], None]


class Type:
    """A type as it was discovered."""

    def __init__(self, group: Parameter, flags: int) -> None:
        self.number = number_in(group.members, rows.TYPE_NUMBER)
        self.name = text_in(group.members, rows.TYPE_NAME)
        self.description = text_in(group.members, rows.DESCRIPTION)
        self.topic = text_in(group.members, mq.MQCA_TOPIC_STRING)
        self.by_object = bool(flags & rows.BY_OBJECT)
        self.data_topic = ""
        self.elements: dict[int, tuple[int, str]] = {}  # datatype and description, by number


class Class:
    """A class as it was discovered."""

    def __init__(self, group: Parameter) -> None:
        self.number = number_in(group.members, rows.CLASS_NUMBER)
        self.name = text_in(group.members, rows.CLASS_NAME)
        self.description = text_in(group.members, rows.DESCRIPTION)
        self.topic = text_in(group.members, mq.MQCA_TOPIC_STRING)
        self.types: dict[str, Type] = {}


def number_in(parameters: list[Parameter], wanted: int) -> int:
    """The value of an integer parameter; 0 without one."""
    for one in parameters:
        if one.parameter == wanted and one.kind in (CFIN, CFIN64):
            return one.number
    return 0


def text_in(parameters: list[Parameter], wanted: int) -> str:
    """The value of a string parameter; empty without one."""
    for one in parameters:
        if one.parameter == wanted and one.kind == CFST:
            return one.text.rstrip()
    return ""


def groups_in(message: PCFMessage, wanted: int) -> list[Parameter]:
    """The groups of one kind."""
    return [one for one in message.parameters if one.kind == CFGR and one.parameter == wanted]


def language_of(lang: str) -> str:
    """What is appended to the first topic: metadata may be there in several languages."""
    code = lang[:5]
    is_code = len(code) == 5 and code[2] == "_" and (code[:2] + code[3:]).isalpha()
    return f"/{code}" if is_code and code.isascii() else ""


def received(queue: Queue, wait_s: float) -> Message | None:
    """The next publication."""
    return queue.try_get(wait=wait_s, options=_GET, syncpoint=False)


def discover(
    connection: Connection, queue: Queue, prefix: str, language: str, say: Say | None
) -> dict[str, Class]:
    """All classes with their types and elements."""
    root = f"{prefix}/INFO/QMGR/{connection.name}/Monitor/METADATA/CLASSES"
    message = _retained(connection, queue, root + language, say)
    if message is None and language:
        message = _retained(connection, queue, root, say)
    classes: dict[str, Class] = {}
    for group in groups_in(_needed(message), mq.MQGACF_MONITOR_CLASS):
        found = Class(group)
        classes[found.name] = found
    for found in classes.values():
        types = _needed(_retained(connection, queue, found.topic, say))
        flags = number_in(types.parameters, rows.FLAGS)
        for group in groups_in(types, mq.MQGACF_MONITOR_TYPE):
            kind = Type(group, flags)
            found.types[kind.name] = kind
            _discover_elements(connection, queue, kind, say)
    return classes


def _discover_elements(connection: Connection, queue: Queue, kind: Type, say: Say | None) -> None:
    message = _needed(_retained(connection, queue, kind.topic, say))
    kind.data_topic = text_in(message.parameters, mq.MQCA_TOPIC_STRING)
    for group in groups_in(message, mq.MQGACF_MONITOR_ELEMENT):
        number = number_in(group.members, rows.ELEMENT_NUMBER)
        datatype = number_in(group.members, rows.DATATYPE)
        kind.elements[number] = (datatype, text_in(group.members, rows.DESCRIPTION))


def _retained(
    connection: Connection, queue: Queue, topic: str, say: Say | None
) -> PCFMessage | None:
    if say is not None:
        say(f"Subscribing to topic: {topic}")
    with connection.subscribe(topic, queue=queue):
        message = received(queue, METADATA_WAIT_S)
    return None if message is None else unpack_event(message.descriptor, message.data)


def _needed(message: PCFMessage | None) -> PCFMessage:
    if message is None:
        write(f"MQGET ended with reason code {_NOTHING}")
        raise SampleEnds(FAILED)
    return message


_NOTHING: Final = 2033  # MQRC_NO_MSG_AVAILABLE


def topic_of(kind: Type, object_name: str) -> str:
    """Where the data of a type is published, of one object if it is by object."""
    return kind.data_topic.replace("%s", object_name.replace("/", "&"), 1)


def publication_lines(classes: dict[str, Class], message: Message) -> list[str]:
    """What is printed of a publication."""
    parsed = unpack_event(message.descriptor, message.data)
    parameters = parsed.parameters
    interval_us = number_in(parameters, rows.INTERVAL)
    put_date, put_time = message.descriptor.put_date, message.descriptor.put_time
    lines = [
        f"Publication received PutDate:{put_date} PutTime:{put_time}"
        f" Interval:{interval_text(interval_us)}"
    ]
    kind = _kind_of(classes, parameters)
    if kind is None:
        return [*lines, "Unrecognised resource usage message"]
    name = next((text_in(parameters, one) for one in _OBJECT_NAMES if text_in(parameters, one)), "")
    for one in parameters:
        if one.kind not in (CFIN, CFIN64) or one.parameter in _HEADING:
            continue
        element = kind.elements.get(one.parameter)
        if element is None:
            lines.append(f"Parameter({one.parameter}) Value({one.number}) not recognised")
            continue
        text = element_text(element[0], element[1], one.number, interval_us)
        lines.append(visible_in_line(f"{name:<48}{text}" if name else text))
    return lines


def _kind_of(classes: dict[str, Class], parameters: list[Parameter]) -> Type | None:
    number = number_in(parameters, rows.CLASS_NUMBER)
    type_number = number_in(parameters, rows.TYPE_NUMBER)
    for found in classes.values():
        if found.number == number:
            for kind in found.types.values():
                if kind.number == type_number:
                    return kind
    return None


def interval_text(interval_us: int) -> str:
    """2 minutes,10.003 seconds."""
    seconds, part = divmod(interval_us, _SECOND_US)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    text = f"{seconds}.{part // 1000:03} seconds"
    if days or hours or minutes:
        text = f"{minutes} minutes,{text}"
    if days or hours:
        text = f"{hours} hours,{text}"
    return f"{days} days,{text}" if days else text


def element_text(datatype: int, description: str, value: int, interval_us: int) -> str:
    """One value, as its datatype says."""
    if datatype == rows.PERCENT:
        return f"{description} {value / 100:.2f}%"
    if datatype == rows.HUNDREDTHS:
        return f"{description} {value / 100:.2f}"
    if datatype == rows.DELTA:
        rate = (value * _SECOND_US + interval_us // 2) // interval_us if interval_us else 0
        shown = f"{rate}/sec" if rate and interval_us >= SHORTEST_US else ""
        return f"{description} {value} {shown}"
    if datatype == rows.LSN:
        words = ":".join(str(value >> shift & 0xFFFF) for shift in (48, 32, 16, 0))
        return f"{description} <{words}> 0x{value:016x}"
    return f"{description} {value}{_UNITS.get(datatype, '')}"
