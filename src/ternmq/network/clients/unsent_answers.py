"""Whose a message is that was got outside syncpoint: its caller's when the last byte of its answer
has left. If the socket is cut before that, the get is taken back.

Beside it the two jobs of a line that has written more than could leave.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, final

from ternmq.host.jobs import Job, LoopVerbs
from ternmq.kernel.requests import GetCall

if TYPE_CHECKING:
    from ternmq.network.clients.segment_line import Line


@final
class Unsent:
    """Gets of one socket whose answers may not have left yet."""

    def __init__(self) -> None:
        self.written_bytes = 0  # of all segments so far
        self._gets: deque[tuple[int, LoopVerbs, GetCall]] = deque()

    @property
    def is_empty(self) -> bool:
        """No get is undecided."""
        return not self._gets

    def add(self, verbs: LoopVerbs, call: GetCall) -> None:
        """The answer to a get was written, up to here."""
        self._gets.append((self.written_bytes, verbs, call))

    def settle(self, left_bytes: int) -> bool:
        """All but the last `left_bytes` have left: gets up to there are their callers'. Whether
        there are more."""
        sent_bytes = self.written_bytes - left_bytes
        gets = self._gets
        while gets and gets[0][0] <= sent_bytes:
            _, verbs, call = gets.popleft()
            verbs.answered(call)
        return bool(gets)

    def cut(self, left_bytes: int) -> None:
        """The last `left_bytes` will never leave: gets beyond have not happened."""
        self.settle(left_bytes)
        gets = self._gets
        while gets:  # the newest first, so that they are in their order again
            _, verbs, call = gets.pop()
            verbs.take_back(call)


@final
class Resumption(Job):
    """Calls that came while their socket could not be written have their turn."""

    def __init__(self, line: Line) -> None:
        super().__init__(line.turns)
        self._line = line

    def go_on(self) -> None:
        self._line.serve_stalled()


@final
class Settling(Job):
    """Some loops write at the end of a turn: whose the messages are is looked at after it."""

    def __init__(self, line: Line) -> None:
        super().__init__(line.turns)
        self._line = line

    def go_on(self) -> None:
        self._line.settle_gets()
