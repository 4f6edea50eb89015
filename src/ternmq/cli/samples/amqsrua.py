"""amqsrua [-m QMGR] [-c CLASS] [-t TYPE] [-o OBJECT] [-n COUNT] [-p PREFIX] [-s MODEL] [-d LEVEL]:
shows what a queue manager publishes about its resources, as MQ's sample does.

Nothing is known of classes, types and elements but where their description is published: they are
discovered (`resource_discovery`). Without -c or -t it asks which. The exit status is 0 when as many
publications as -n says have come, 20 if anything goes wrong, also if none comes for 30 seconds.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.cli.output import write, write_now
from ternmq.cli.samples.resource_discovery import (
    Class,
    Type,
    discover,
    language_of,
    publication_lines,
    received,
    topic_of,
)
from ternmq.cli.samples.sample import SampleEnds, connected, next_line, report_failure

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue

FAILED: Final = 20
WAIT_S = 30.0
PREFIX: Final = "$SYS/MQ"
MODEL_QUEUE: Final = "SYSTEM.DEFAULT.MODEL.QUEUE"
_USAGE: Final = """amqsrua [-m QMGR-NAME] [-c CLASS-NAME]
    [-o object name] [-t TYPE-NAME]
    [-p metadata prefix] [-d debug level]
    [-n publication count]
    [-s model queue name]"""


class Wanted:
    """One class, with the types and objects that were asked for in it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.object_name = ""
        self.types: list[tuple[str, str]] = []  # type, and its object


class Arguments:
    """What was asked for. An option may be followed by its value with or without a blank."""

    def __init__(self, argv: list[str]) -> None:
        self.values = {"m": "", "p": PREFIX, "d": "0", "n": "-1", "s": MODEL_QUEUE}
        self.classes: list[Wanted] = []
        rest = list(argv)
        while rest:
            word = rest.pop(0)
            letter, value = word[1:2], word[2:]
            if not word.startswith("-") or letter not in "mpdnscto" or not letter:
                raise ValueError(word)
            if not value and rest:
                value = rest.pop(0)
            self._take(letter, value)
        for letter in "dn":
            if not self.values[letter].lstrip("-").isdecimal():
                raise ValueError(f"-{letter} {self.values[letter]}")
        if self.values["p"].endswith("/"):
            raise ValueError(f"-p {self.values['p']}")

    def _take(self, letter: str, value: str) -> None:
        if letter in self.values:
            self.values[letter] = value
        elif letter == "c":
            self.classes.append(Wanted(value))
        elif not self.classes:
            raise ValueError(f"-{letter} {value}")
        elif letter == "t":
            self.classes[-1].types.append((value, ""))
        else:
            wanted = self.classes[-1]
            if wanted.types:
                wanted.types[-1] = (wanted.types[-1][0], value)
            wanted.object_name = wanted.object_name or value


def main(argv: list[str]) -> int:
    """Run the sample."""
    try:
        asked = Arguments(argv)
    except ValueError:
        write(_USAGE)
        return FAILED
    try:
        with connected(asked.values["m"], "amqsrua") as connection:
            return _run(connection, asked)
    except SampleEnds:
        return FAILED
    except MQError as error:
        report_failure(error.verb or "MQDISC", error)
        return FAILED


def _run(connection: Connection, asked: Arguments) -> int:
    queue = connection.queue(asked.values["s"], options=mq.MQOO_INPUT_EXCLUSIVE)
    is_debugging = int(asked.values["d"]) > 0
    classes = discover(
        connection,
        queue,
        asked.values["p"],
        language_of(os.environ.get("LANG", "")),
        write_now if is_debugging else None,
    )
    if not asked.classes:
        asked.classes.append(Wanted(_chosen("Class", list(classes.values()))))
    for wanted in asked.classes:
        found = classes.get(wanted.name)
        if found is None:
            write(f"Class {wanted.name} not recognised")
            return FAILED
        if not wanted.types:
            wanted.types.append((_chosen("Type", list(found.types.values())), ""))
        _subscribe(connection, queue, found, wanted)
    return _show(queue, classes, int(asked.values["n"]))


def _chosen(what: str, found: list[Class] | list[Type]) -> str:
    for one in found:
        write(f"{one.name} : {one.description}")
    write(f"Enter {what} selection")
    write_now("==> ")
    answer = next_line().decode("utf-8", "replace").strip()
    if answer not in [one.name for one in found]:
        write(f"Invalid {what} ({answer}) supplied")
        raise SampleEnds(FAILED)
    return answer


def _subscribe(connection: Connection, queue: Queue, found: Class, wanted: Wanted) -> None:
    for name, object_name in wanted.types:
        kind = found.types.get(name)
        if kind is None:
            write(f"Class: {found.name} Type: {name} not recognised")
            raise SampleEnds(FAILED)
        name_of_object = object_name or wanted.object_name
        if kind.by_object and not name_of_object:
            write(f"An object name is required for Class({found.name}) Type({kind.name})")
            write("Enter object name")
            write_now("==> ")
            name_of_object = next_line().decode("utf-8", "replace").strip()
        topic = topic_of(kind, name_of_object)
        try:
            connection.subscribe(topic, queue=queue)
        except MQError as error:
            write(f"Subscribe to {topic} failed for 2:{error.reason}")
            raise SampleEnds(FAILED) from error


def _show(queue: Queue, classes: dict[str, Class], count: int) -> int:
    while count != 0:
        try:
            message = received(queue, WAIT_S)
        except MQError as error:
            report_failure("MQGET", error)
            return FAILED
        if message is None:
            write("no more messages")
            return FAILED
        for line in publication_lines(classes, message):
            write(line)
        write_now("")
        count -= 1
    return 0
