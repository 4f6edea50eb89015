"""A bridge between two queue managers of a simulated world: messages of a queue here arrive on a
queue there once and once only, over a link that fails in every way.

An application, not a channel: it shows what queue managers give to one (two-phase commit here, a
unit of work with a state message there), and is a workload that needs more than one of them.

    connect      receiver -> sender   last N: the number of the last message it has
    in doubt     sender: a prepared unit with a number up to N is committed, any other backed out
    each one     sender: get, prepare with number N + 1, send; receiver: in one unit of work the
                 state message N becomes N + 1 and the message is put; then it confirms N + 1;
                 sender: commit

A newer connection ends the one before it for the receiver, so that bytes that come late act on
nothing.
"""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base.errors import MQError
from ternmq.kernel.connection import Connection
from ternmq.testing.clients import Application, Doing
from ternmq.testing.node import Node, NodeDown
from ternmq.testing.sim_network import LinkClosed, SimLink
from ternmq.testing.world import Client, Mailbox, Pause, Receive, World
from ternmq.values.xid import XID

STATE_QUEUE: Final = "BRIDGE.STATE"
FORMAT_ID: Final = 77
PATIENCE_S: Final = 2.0

_HEAD: Final = struct.Struct(">IQ")  # length of the data, number


class Frames:
    """Bytes to frames: each has a number and data. `None` is left in the mailbox at the end."""

    def __init__(self, link: SimLink) -> None:
        self.mailbox = Mailbox()
        self.link = link
        self._buffer = b""
        link.on_bytes = self._take
        link.on_end = lambda: self.mailbox.put(None)

    def _take(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= _HEAD.size:
            length, number = _HEAD.unpack_from(self._buffer)
            end = _HEAD.size + length
            if len(self._buffer) < end:
                return
            self.mailbox.put((number, self._buffer[_HEAD.size : end]))
            self._buffer = self._buffer[end:]

    def send(self, number: int, data: bytes = b"") -> None:
        self.link.send(_HEAD.pack(len(data), number) + data)

    def receive(self, seconds: float = PATIENCE_S) -> Doing:
        """The next frame; None if the connection has ended or nothing comes."""
        return (yield Receive(self.mailbox, seconds))


class Sender(Application):
    """Takes messages off a queue and sends them, until `finish` says that no more will come."""

    def __init__(self, world: World, name: str, node: Node, queue: str, place: str) -> None:
        super().__init__(world, name, node)
        self.queue = queue
        self.place = place
        self.finish = False
        self.sent = 0
        self.resolved = 0

    def client(self) -> Client:
        while True:
            link = yield from self.connected()
            frames = Frames(self.world.net.connect(self.place, self.node.name))
            done = False
            try:
                done = yield from self.session(link, frames)
            except (NodeDown, LinkClosed, MQError):
                self.link = None  # whatever it holds is undone, or in doubt
                yield from self._leave(link)
            frames.link.close()
            if done:
                return
            yield Pause(self.chance.uniform(0.01, 0.1))

    def _leave(self, link: Connection) -> Doing:
        try:
            yield from self.ask(self.node.verbs.disconnect(link, True))
        except (NodeDown, MQError):
            pass  # the restart undoes it

    def session(self, link: Connection, frames: Frames) -> Doing:
        """One connection; True when everything has been sent."""
        hello = yield from frames.receive()
        if hello is None:
            return False
        last = hello[0]
        yield from self.resolve(link, last)
        while True:
            entry = yield from self.ask(self.node.verbs.get(link, self.queue, sync=True))
            if entry is None:
                yield from self.ask(self.node.verbs.back_out(link))
                if self.finish:
                    return True
                yield Pause(self.chance.uniform(0.001, 0.02))
                continue
            last += 1
            xid = XID(FORMAT_ID, last.to_bytes(8, "big"), b"")
            yield from self.ask(self.node.verbs.prepare(link, xid))
            frames.send(last, bytes(entry.data))
            answer = yield from frames.receive()
            if answer is None or answer[0] != last:
                return False
            yield from self.ask(self.node.verbs.end_prepared(link, xid, True))
            self.sent += 1

    def resolve(self, link: Connection, last: int) -> Doing:
        """What is in doubt is decided by the receiver's record."""
        for xid in (yield from self.ask(self.node.verbs.recover(link))):
            if xid.format_id != FORMAT_ID:
                continue
            self.resolved += 1
            verbs = self.node.verbs
            if int.from_bytes(xid.global_id, "big") <= last:
                yield from self.ask(verbs.end_prepared(link, xid, True))
            else:
                yield from self.ask(verbs.end_prepared(link, xid, False))


class Receiver(Application):
    """Puts what arrives; has a client of its own for each connection."""

    def __init__(self, world: World, name: str, node: Node, queue: str) -> None:
        super().__init__(world, name, node)
        self.queue = queue
        self.accepted = 0
        self.serving = 0  # sessions that are not over
        self.received = 0
        world.net.listen(node.name, self.accept)

    def accept(self, link: SimLink) -> None:
        self.accepted += 1
        name = f"{self.name}.{self.accepted}"
        session = Session(self, name, Frames(link), self.accepted)
        self.world.add_client(name, session.client(), serves=True)


class Session(Application):
    """One connection of the receiver."""

    def __init__(self, owner: Receiver, name: str, frames: Frames, number: int) -> None:
        super().__init__(owner.world, name, owner.node)
        self.owner = owner
        self.frames = frames
        self.number = number

    @property
    def is_current(self) -> bool:
        """Whether no newer connection has come. Bytes of an old one act on nothing."""
        return self.number == self.owner.accepted and self.frames.link.is_open

    def client(self) -> Client:
        # A session before this one may be in its unit of work: until that has ended, the queue
        # has no state message for anybody else, which is not the same as none at all.
        while self.owner.serving:
            yield Pause(0.005)
        self.owner.serving += 1
        try:
            yield from self.serve()
        finally:
            self.owner.serving -= 1

    def serve(self) -> Doing:
        """Take what comes until the connection ends or a newer one comes."""
        link = yield from self.connected()
        life = self.node.life
        try:
            last = yield from self.last(link)
            if self.is_current:
                self.frames.send(last)
            while self.is_current and self.node.life == life:
                frame = yield from self.frames.receive()
                if frame is None or not self.is_current:
                    continue
                if frame[0] != last + 1:
                    break
                yield from self.take(link, frame[0], frame[1])
                last += 1
                if self.is_current:
                    self.frames.send(last)
        except (NodeDown, MQError, LinkClosed):
            pass
        self.frames.link.close()
        yield from self._leave(link)

    def _leave(self, link: Connection) -> Doing:
        try:
            yield from self.ask(self.node.verbs.disconnect(link, True))
        except (NodeDown, MQError):
            pass  # the restart undoes it

    def last(self, link: Connection) -> Doing:
        """The number of the last message that was taken."""
        found = yield from self.ask(self.node.verbs.browse(link, STATE_QUEUE))
        return int(bytes(found[0].data)) if found else 0

    def take(self, link: Connection, number: int, data: bytes) -> Doing:
        """State and message in one unit of work."""
        verbs = self.node.verbs
        yield from self.ask(verbs.get(link, STATE_QUEUE, sync=True))
        yield from self.ask(verbs.put(link, STATE_QUEUE, b"%d" % number, sync=True))
        yield from self.ask(verbs.put(link, self.owner.queue, data, sync=True))
        yield from self.ask(verbs.commit(link))
        self.owner.received += 1
