"""Numbered streams and their cursors."""

from __future__ import annotations

from typing import Any, Final, final

from ternmq.base.names import is_name
from ternmq.values.calls.call import Call
from ternmq.values.status import Bounds, CursorPosition
from ternmq.values.stream_block import StreamBlock, StreamRange

READ_BYTES_DEFAULT: Final = 1 << 20
READ_BYTES_MAX: Final = 16 << 20
NUMBER_MAX: Final = (1 << 63) - 1
EXPIRY_MINUTES_MAX: Final = (1 << 24) - 1
EARLIEST: Final = -1  # as a start or a position: the earliest number of the stream
LATEST: Final = -2  # the number that the next message will have


@final
class StreamBounds(Call):
    """What a stream has now."""

    def __init__(self, queue: str) -> None:
        super().__init__("stream_bounds", "stream bounds")
        self.queue = queue
        self.found: Bounds | None = None

    def outcome(self) -> Bounds:
        """The result."""
        found = self.found
        if found is None:
            raise NotImplementedError("stream_bounds is not done")
        return found


@final
class StreamRead(Call):
    """Messages of a stream by their numbers."""

    def __init__(
        self,
        queue: str,
        incarnation: int,
        first: int,
        end: int,
        messages_max: int,
        bytes_max: int,
        skip_lost: bool,
        wait_ms: int = 0,
        selector: str = "",
    ) -> None:
        super().__init__("stream_read", "stream read")
        for name, number in (
            ("an incarnation", incarnation),
            ("a stream number", first),
            ("a stream number", end),
            ("a number of messages", messages_max),
            ("a number of bytes", bytes_max),
        ):
            if not 0 <= number <= NUMBER_MAX:
                raise ValueError(f"{name} is from 0 to {NUMBER_MAX}, not {number}")
        self.queue = queue
        self.incarnation = incarnation
        self.first = first
        self.end = end
        self.messages_max = messages_max
        self.bytes_max = min(max(bytes_max, 1), READ_BYTES_MAX)
        self.skip_lost = skip_lost
        self.wait_s = wait_ms / 1000
        self.selector = selector  # only messages that match come back; empty: all
        self.found: StreamRange | None = None

    @property
    def wait_ms(self) -> int:
        """The wait that is left, as it travels."""
        return int(self.wait_s * 1000)

    def lacks(self) -> bool:
        found = self.found
        if found is None or found.lost_to or len(found):
            return False
        if found.next <= self.first:
            return True
        # Behind messages that do not match, by this selector or by that of an alias, the reader
        # goes on from `next`: if it waited, it would read the same numbers again.
        return not self.selector and found.next >= found.end and found.next != self.end

    def outcome(self) -> StreamRange:
        """The result."""
        found = self.found
        if found is None:
            raise NotImplementedError("stream_read is not done")
        return found

    def result(self) -> dict[str, Any]:
        found = self.outcome()
        return {
            "next": found.next,
            "lost_to": found.lost_to,
            "bounds": [found.incarnation, found.earliest, found.end],
            "parts": [[len(one.raw), *one.places] for one in found.blocks],
        }

    def body(self) -> list[bytes]:
        return [one.raw for one in self.outcome().blocks]

    def take(self, result: dict[str, Any], data: bytes, at: int) -> None:
        blocks: list[StreamBlock] = []
        view = memoryview(data)  # the bytes of the answer are the blocks: nothing is copied
        for length, start, stop in result["parts"]:
            blocks.append(StreamBlock(view[at : at + length], start, stop))
            at += length
        incarnation, earliest, end = [int(one) for one in result["bounds"]]
        next_number, lost_to = int(result["next"]), int(result["lost_to"])
        self.found = StreamRange(blocks, incarnation, next_number, lost_to, earliest, end)


@final
class StreamQueues(Call):
    """The local queues whose streams the user may read, by a pattern with * for any characters."""

    def __init__(self, pattern: str) -> None:
        super().__init__("stream_queues", "stream queues")
        self.pattern = pattern
        self.queues: list[str] = []


@final
class StreamClose(Call):
    """The connection has done with a stream."""

    def __init__(self, queue: str) -> None:
        super().__init__("stream_close", "stream close")
        self.queue = queue


class CursorCall(Call):
    """What the calls about one cursor have in common."""

    def __init__(self, name: str, verb: str, cursor: str) -> None:
        super().__init__(name, verb)
        if not is_name(cursor):
            raise ValueError(f"{cursor!r} is not a name of a cursor")
        self.cursor = cursor
        self.found: CursorPosition | None = None

    def outcome(self) -> CursorPosition:
        """The result."""
        found = self.found
        if found is None:
            raise NotImplementedError(f"{self.name} is not done")
        return found


def check_position(position: int) -> None:
    """ValueError if it is neither EARLIEST nor LATEST nor a number."""
    if position not in (EARLIEST, LATEST) and not 0 <= position <= NUMBER_MAX:
        raise ValueError(f"a stream number is from 0 to {NUMBER_MAX}, not {position}")


@final
class CursorOpen(CursorCall):
    """A cursor that exists; or, if a queue is named, a new one."""

    def __init__(self, cursor: str, queue: str, start: int, expiry_m: int = 0) -> None:
        super().__init__("cursor_open", "open cursor", cursor)
        check_position(start)
        if not 0 <= expiry_m <= EXPIRY_MINUTES_MAX:
            raise ValueError(
                f"a cursor expires after 0 to {EXPIRY_MINUTES_MAX} minutes, not {expiry_m}"
            )
        self.queue = queue
        self.start = start
        self.expiry_m = expiry_m  # of a new one: minutes without a use; 0: it never expires


@final
class CursorAdvance(CursorCall):
    """The owner of a cursor has done with messages."""

    def __init__(self, cursor: str, position: int, incarnation: int) -> None:
        super().__init__("cursor_advance", "advance cursor", cursor)
        if not 0 <= position <= NUMBER_MAX:
            raise ValueError(f"a stream number is from 0 to {NUMBER_MAX}, not {position}")
        self.position = position
        self.incarnation = incarnation


@final
class CursorReset(CursorCall):
    """An administrator, or a user who may change the queue, sets a cursor."""

    def __init__(self, cursor: str, position: int) -> None:
        super().__init__("cursor_reset", "reset cursor", cursor)
        check_position(position)
        self.position = position


@final
class CursorDelete(CursorCall):
    """A cursor is deleted."""

    def __init__(self, cursor: str) -> None:
        super().__init__("cursor_delete", "delete cursor", cursor)
