"""MQSC that is run without a person: at crtmqm, and at each start from the files of AutoConfig."""

from __future__ import annotations

import os

from ternmq.admin.mqsc.lexer import CommandReader, Source
from ternmq.api.connection import Connection
from ternmq.base.message_table import message_line
from ternmq.values.command import Answer


class ScriptFailed(Exception):
    """A command that must not fail did."""


def answer_line(answer: Answer) -> str:
    """An answer as one line."""
    return message_line(answer.message, answer.inserts)


def run_script(connection: Connection, commands: list[str]) -> list[str]:
    """Run commands, one after the other; what failed, each as a line that names its command."""
    failed: list[str] = []
    for command in commands:
        failed += [
            f"{command}: {answer_line(one)}" for one in connection.mqsc(command) if not one.ok
        ]
    return failed


def commands_of(path: str) -> list[str]:
    """The commands of a file, each as a line."""
    reader = CommandReader()
    found: list[Source] = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            found += reader.feed(line)
    found += reader.finish()
    return [source.text.strip() for source in found if source.is_command]


def script_files(path: str, suffix: str) -> list[str]:
    """The file, or those of a folder that end so, by name."""
    if not os.path.isdir(path):
        return [path] if os.path.exists(path) else []
    names = sorted(name for name in os.listdir(path) if name.endswith(suffix))
    return [os.path.join(path, name) for name in names]
