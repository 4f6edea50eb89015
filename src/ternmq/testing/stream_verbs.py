"""Streams and cursors of an engine without a shell, as generators like those of `verbs`, and what a
read has found as plain values.
"""

from __future__ import annotations

from ternmq.kernel import cursors, stream
from ternmq.kernel.connection import Connection
from ternmq.kernel.stream import StreamBounds, StreamRead
from ternmq.store.stream_block import body_at, check_block, number_at
from ternmq.store.stream_cursor import StreamCursor
from ternmq.testing.machine import Machine
from ternmq.testing.verbs import Steps, Verbs


def messages_of(call: StreamRead) -> list[tuple[int, bytes]]:
    """Numbers and data of an answer; every block is checked."""
    found: list[tuple[int, bytes]] = []
    for part in call.parts:
        header = check_block(part.block)
        found.extend(
            (number_at(part.block, at), body_at(part.block, header.count, at))
            for at in range(part.start, part.stop)
        )
    return found


def defining(
    verbs: Verbs, link: Connection, name: str, queue: str, start: int
) -> Steps[StreamCursor]:
    """DEFINE CURSOR."""
    cursor = cursors.define_cursor(verbs.kernel, link, name, queue, start)
    while cursor is None:
        yield from verbs.unpark(link)
        cursor = cursors.define_cursor(verbs.kernel, link, name, queue, start)
    yield from verbs.answer(link)
    return cursor


def advancing(verbs: Verbs, link: Connection, name: str, position: int) -> Steps[StreamCursor]:
    """A cursor goes forward."""
    cursor = cursors.advance_cursor(verbs.kernel, link, name, position)
    while cursor is None:
        yield from verbs.unpark(link)
        cursor = cursors.advance_cursor(verbs.kernel, link, name, position)
    yield from verbs.answer(link)
    return cursor


def resetting(verbs: Verbs, link: Connection, name: str, position: int) -> Steps[StreamCursor]:
    """RESET CURSOR."""
    cursor = cursors.reset_cursor(verbs.kernel, link, name, position)
    while cursor is None:
        yield from verbs.unpark(link)
        cursor = cursors.reset_cursor(verbs.kernel, link, name, position)
    yield from verbs.answer(link)
    return cursor


def deleting(verbs: Verbs, link: Connection, name: str) -> Steps[None]:
    """DELETE CURSOR."""
    while not cursors.delete_cursor(verbs.kernel, link, name):
        yield from verbs.unpark(link)
    yield from verbs.answer(link)


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
) -> Steps[StreamRead]:
    """One read of a range."""
    handle = yield from verbs.open(link, queue)
    call = stream.read(
        verbs.kernel, link, handle, incarnation, first, end, messages_max, bytes_max, skip_lost
    )
    while link.park is not None:
        yield from verbs.unpark(link)
        stream.resume_read(verbs.kernel, call)
    yield from verbs.answer(link)
    return call


def bounding(verbs: Verbs, link: Connection, queue: str) -> Steps[StreamBounds]:
    """What a stream has."""
    handle = yield from verbs.open(link, queue)
    found = stream.bounds(verbs.kernel, link, handle)
    yield from verbs.answer(link)
    return found


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
        return machine.drive(advancing(machine.verbs, self.link, name, position)).position

    def reset(self, name: str, position: int) -> int:
        machine = self.machine
        return machine.drive(resetting(machine.verbs, self.link, name, position)).position

    def delete(self, name: str) -> None:
        self.machine.drive(deleting(self.machine.verbs, self.link, name))

    def bounds(self, queue: str) -> StreamBounds:
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
    ) -> StreamRead:
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
            if not call.parts:
                return found
            found.extend(messages_of(call))
            number = call.next_number
            if end and number >= end:
                return found
