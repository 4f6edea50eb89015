"""Numbered streams and cursors by the simulator's driver, and what a read has found as plain
values.
"""

from __future__ import annotations

from ternmq.codec.stream_block_format import body_at, check_block, number_at
from ternmq.kernel import cursors
from ternmq.kernel.connection import Connection
from ternmq.store.stream.named_cursor import StreamCursor
from ternmq.testing.machine import Machine
from ternmq.testing.verbs import Steps, Verbs
from ternmq.values.calls import streams as calls
from ternmq.values.calls.administration import RunCommands
from ternmq.values.command import Command
from ternmq.values.status import Bounds
from ternmq.values.stream_block import StreamRange


def messages_of(found: StreamRange) -> list[tuple[int, bytes]]:
    """Numbers and data of an answer; every block is checked."""
    messages: list[tuple[int, bytes]] = []
    for one in found.blocks:
        block = one.raw
        header = check_block(block)
        messages.extend(
            (number_at(block, at), body_at(block, header.count, at)) for at in range(*one.places)
        )
    return messages


def defining(
    verbs: Verbs, link: Connection, name: str, queue: str, start: int
) -> Steps[StreamCursor]:
    """DEFINE CURSOR."""
    command = Command("DEFINE", "CURSOR", name)
    words = {cursors.EARLIEST: "EARLIEST", cursors.LATEST: "LATEST"}
    command.given = {"QUEUE": queue, "START": words.get(start, str(start))}
    yield from verbs.run(link, RunCommands([command], verb="DEFINE CURSOR"))
    return cursors.cursor_named(verbs.kernel, name)


def opening(verbs: Verbs, link: Connection, name: str) -> Steps[int]:
    """A cursor that exists; its position."""
    call = calls.CursorOpen(name, "", cursors.EARLIEST)
    yield from verbs.run(link, call)
    return call.outcome().position


def advancing(verbs: Verbs, link: Connection, name: str, position: int) -> Steps[int]:
    """A cursor goes forward; its position."""
    call = calls.CursorAdvance(name, position, 0)
    yield from verbs.run(link, call)
    return call.outcome().position


def resetting(verbs: Verbs, link: Connection, name: str, position: int) -> Steps[int]:
    """A cursor is set; its position."""
    call = calls.CursorReset(name, position)
    yield from verbs.run(link, call)
    return call.outcome().position


def reading(
    verbs: Verbs,
    link: Connection,
    queue: str,
    first: int,
    end: int,
    messages_max: int,
    bytes_max: int,
    skip_lost: bool,
    incarnation: int,
) -> Steps[StreamRange]:
    """One read of a range."""
    call = calls.StreamRead(queue, incarnation, first, end, messages_max, bytes_max, skip_lost)
    yield from verbs.run(link, call)
    return call.outcome()


def bounding(verbs: Verbs, link: Connection, queue: str) -> Steps[Bounds]:
    """What a stream has."""
    call = calls.StreamBounds(queue)
    yield from verbs.run(link, call)
    return call.outcome()


class StreamClient:
    """The same verbs, each taken to its end by a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.link = machine.link

    def define(self, name: str, queue: str, start: int = cursors.EARLIEST) -> StreamCursor:
        machine = self.machine
        return machine.drive(defining(machine.verbs, self.link, name, queue, start))

    def advance(self, name: str, position: int) -> int:
        machine = self.machine
        return machine.drive(advancing(machine.verbs, self.link, name, position))

    def reset(self, name: str, position: int) -> int:
        machine = self.machine
        return machine.drive(resetting(machine.verbs, self.link, name, position))

    def delete(self, name: str) -> None:
        self.machine.drive(self.machine.verbs.run(self.link, calls.CursorDelete(name)))

    def bounds(self, queue: str) -> Bounds:
        return self.machine.drive(bounding(self.machine.verbs, self.link, queue))

    def read(
        self,
        queue: str,
        first: int,
        end: int = 0,
        *,
        messages_max: int = 0,
        bytes_max: int = 1 << 20,
        skip_lost: bool = False,
        incarnation: int = 0,
    ) -> StreamRange:
        machine = self.machine
        return machine.drive(
            reading(
                machine.verbs,
                self.link,
                queue,
                first,
                end,
                messages_max,
                bytes_max,
                skip_lost,
                incarnation,
            )
        )

    def read_all(self, queue: str, first: int, end: int = 0) -> list[tuple[int, bytes]]:
        """As many reads as it takes."""
        found: list[tuple[int, bytes]] = []
        number = first
        while True:
            call = self.read(queue, number, end)
            if not call.blocks:
                return found
            found.extend(messages_of(call))
            number = call.next
            if end and number >= end:
                return found
