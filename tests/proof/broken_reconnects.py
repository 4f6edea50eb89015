"""NET, for applications that reconnect: their connection breaks anywhere, and they go on.

An application moves messages from one queue to another, each in a unit of work, on a connection
that reconnects by itself (MQCNO_RECONNECT). Where a unit was lost with the connection, the next
call says MQRC_BACKED_OUT and the application tries again. Where the answer to a commit was lost,
MQRC_CALL_INTERRUPTED says that nobody knows. At last it gets messages outside of units of work.
Afterwards each message is on one of the two queues or was got, once, and those whose commit was
acknowledged are on the second one. A message may be missing only if its get was
MQRC_CALL_INTERRUPTED.
"""

from __future__ import annotations

from collections import Counter

import ternmq
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CALL_INTERRUPTED,
    MQRC_CONNECTION_BROKEN,
    MQRC_Q_MGR_NOT_AVAILABLE,
)
from ternmq.testing.proxy import Fault, Proxy
from tests.proof.broken_stage import CHANNEL, Stage
from tests.unit.api.served import Served

MOVED = 4
TAKEN = 2
WAITING = 8


class Mover:
    """The application, and what it was told."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.names = stage.new_names("FROM", "TO")
        self.moved: list[str] = []  # for certain
        self.again = 0  # units that were lost and tried again
        self.unknown = 0  # commits whose answer was lost
        self.taken: list[str] = []  # got outside of units
        self.interrupted = 0  # gets that may have taken a message
        with Served.connect(stage.served) as here:
            for name in self.names:
                here.define_queue(name, default_persistence="YES")
            for number in range(WAITING):
                here.put(self.names[0], f"message {number}")

    def go(self, conn: str) -> None:
        """Move some of the messages."""
        with (
            ternmq.connect("QM1", channel=CHANNEL, conn=conn, reconnect=True) as connection,
            connection.queue(self.names[0]) as source,
            connection.queue(self.names[1]) as target,
        ):
            for _ in range(MOVED):
                while not self._move(connection, source, target):
                    self.again += 1
            for _ in range(TAKEN):
                self._take(source)

    def _take(self, source: ternmq.Queue) -> None:
        try:
            self.taken.append(source.get(wait=5, syncpoint=False).text)
        except ternmq.MQError as error:
            if error.reason != MQRC_CALL_INTERRUPTED:
                raise
            self.interrupted += 1

    def _move(
        self,
        connection: ternmq.Connection,
        source: ternmq.Queue,
        target: ternmq.Queue,
    ) -> bool:
        """One unit of work; False if it is to be tried again."""
        try:
            if not connection.in_unit:
                connection.begin()
            text = source.get().text
            target.put(text)
        except ternmq.BackedOut as error:
            if error.reason != MQRC_BACKED_OUT:
                raise
            connection.backout()
            return False
        return self._commit(connection, text)

    def _commit(self, connection: ternmq.Connection, text: str) -> bool:
        try:
            connection.commit()
        except ternmq.MQError as error:
            if error.reason == MQRC_BACKED_OUT:
                return False
            if error.reason != MQRC_CALL_INTERRUPTED:
                raise
            self.unknown += 1
            return True
        self.moved.append(text)
        return True

    def check(self) -> None:
        """Every message is there once, and where it should be."""
        with Served.connect(self.stage.served) as here:
            left, moved = (self._content(here, name) for name in self.names)
        reported = Counter(f"message {number}" for number in range(WAITING))
        found = Counter(left) + Counter(moved) + Counter(self.taken)
        account = f"{left}, {moved}, {self.taken}, told {self.moved}"
        assert found <= reported, account
        assert (reported - found).total() <= self.interrupted, account
        assert set(self.moved) <= set(moved), f"{moved}, told {self.moved}"

    def _content(self, here: ternmq.Connection, name: str) -> list[str]:
        with here.queue(name) as queue:
            found = [one.text for one in queue]
        here.delete_queue(name)
        return found


def segments_of(stage: Stage) -> tuple[int, int]:
    """How many segments it has in each direction."""
    mover = Mover(stage)
    with Proxy(("127.0.0.1", stage.served.port)) as proxy:
        mover.go(proxy.conn)
        found = proxy.segments
    stage.settle()
    mover.check()
    return found


def reconnected(stage: Stage, fault: Fault) -> str:
    """One point."""
    mover = Mover(stage)
    ended: ternmq.MQError | None = None
    with Proxy(("127.0.0.1", stage.served.port)) as proxy:
        proxy.break_at(fault)
        try:
            mover.go(proxy.conn)
        except ternmq.MQError as error:
            ended = error
        assert ended is None or proxy.has_struck, ended
    stage.settle()
    mover.check()
    if ended is not None:
        # The first connection is not tried again, and neither is MQDISC.
        first = not mover.moved and not mover.unknown and not mover.again and not mover.taken
        allowed = MQRC_Q_MGR_NOT_AVAILABLE if first else MQRC_CONNECTION_BROKEN
        assert ended.reason == allowed, ended
        return "not connected" if first else "ended"
    if mover.interrupted:
        return "reconnected, a get interrupted"
    if mover.unknown:
        return "reconnected, a commit interrupted"
    return "reconnected, a unit again" if mover.again else "reconnected"
