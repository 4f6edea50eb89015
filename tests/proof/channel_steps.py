"""The fifteen steps of the protocol of message channels, the twelve faults, and what strikes one at
the other.

A step is a frame on the wire or something that one end's engine does. It has moments: *before* (the
frame is about to be sent, the engine about to begin), *inside* (half of the frame has arrived),
*worked* (the engine has done it in memory, and has not forced it) and *after* (the frame has
arrived, the engine's work is forced). A fault is an action at one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ternmq.channel import agent as wants
from ternmq.channel.agent import Want
from ternmq.testing.channel_end import ChannelEnd, Observer
from ternmq.wire.fap.segment import Segment, read_segment
from ternmq.wire.fap.vocabulary import (
    CLOSE_CHANNEL,
    CONFIRM_REQUEST,
    HEARTBEAT,
    INITIAL_DATA,
    MESSAGE_DATA,
    REQUEST_ACCEPTED,
    RESYNC_DATA,
    STATUS_DATA,
)

BEFORE: Final = "before"
INSIDE: Final = "inside"
WORKED: Final = "worked"
AFTER: Final = "after"


class Step(Enum):
    """In the order of a channel's life."""

    CONNECT = "connect"
    NEGOTIATE = "negotiate"
    RESYNC = "resync"
    GET = "get first message"
    SEND = "send segments"
    BATCH_HEARTBEAT = "batch heartbeat"
    PREPARE = "in-doubt record forced"
    REQUEST = "request confirm"
    PLACE = "receiver's puts"
    COMMIT = "receiver's commit forced"
    CONFIRM = "confirm"
    SETTLE = "sender's commit"
    IDLE_HEARTBEAT = "idle heartbeat"
    DISCONNECT = "disconnect"
    STOP = "operator stop"


class Fault(Enum):
    """What goes wrong there."""

    CUT_BEFORE = "cut before"
    CUT_AFTER = "cut after"
    CUT_INSIDE = "cut inside the frame"
    SENDER_BEFORE = "sender killed before force"
    SENDER_AFTER = "sender killed after force"
    RECEIVER_BEFORE = "receiver killed before force"
    RECEIVER_AFTER = "receiver killed after force"
    BOTH = "both killed"
    LATE = "frame of the old connection comes late"
    SILENCE = "silence beyond the heartbeat"
    DISK_FULL = "receiver's disk full"
    NO_PLACE = "target put-inhibited, dead-letter queue full"


# Steps that the engine of one end does: want and whether the sender's.
WANTS: Final[dict[Step, tuple[int, bool]]] = {
    Step.GET: (wants.GET, True),
    Step.PREPARE: (wants.PREPARE, True),
    Step.PLACE: (wants.PLACE, False),
    Step.COMMIT: (wants.COMMIT, False),
    Step.SETTLE: (wants.COMMIT, True),
}
# The moment of a fault.
MOMENTS: Final[dict[Fault, str]] = {
    Fault.CUT_BEFORE: BEFORE,
    Fault.CUT_AFTER: AFTER,
    Fault.CUT_INSIDE: INSIDE,
    Fault.SENDER_BEFORE: WORKED,
    Fault.SENDER_AFTER: AFTER,
    Fault.RECEIVER_BEFORE: WORKED,
    Fault.RECEIVER_AFTER: AFTER,
    Fault.BOTH: WORKED,
    Fault.LATE: AFTER,
    Fault.SILENCE: BEFORE,
    Fault.DISK_FULL: BEFORE,
    Fault.NO_PLACE: BEFORE,
}


@dataclass(frozen=True)
class Frame:
    """What tells the frame of a step: its type, flags that it has, whether the sender's; a
    heartbeat inside a batch or outside."""

    type: int
    flags: int = 0
    from_sender: bool = True
    in_batch: bool | None = None


FRAMES: Final[dict[Step, Frame]] = {
    Step.RESYNC: Frame(RESYNC_DATA),
    Step.SEND: Frame(MESSAGE_DATA),
    Step.BATCH_HEARTBEAT: Frame(HEARTBEAT, in_batch=True),
    Step.REQUEST: Frame(0, CONFIRM_REQUEST),
    Step.CONFIRM: Frame(STATUS_DATA, REQUEST_ACCEPTED, from_sender=False),
    Step.IDLE_HEARTBEAT: Frame(HEARTBEAT, in_batch=False),
    Step.DISCONNECT: Frame(STATUS_DATA, CLOSE_CHANNEL),
    Step.STOP: Frame(STATUS_DATA, CLOSE_CHANNEL),
}
IN_BATCH: Final = (MESSAGE_DATA, STATUS_DATA)


def is_frame_of(step: Step, end: ChannelEnd, one: Segment) -> bool:
    """Whether a frame that an end sends is the one of a step."""
    header = one.header
    if step is Step.NEGOTIATE:
        return header.type == INITIAL_DATA and end.calls
    frame = FRAMES.get(step)
    if frame is None or end.sends is not frame.from_sender:
        return False
    if frame.type and header.type != frame.type:
        return False
    if step is Step.REQUEST and header.type not in IN_BATCH:
        return False
    if frame.in_batch is not None and (end.agent.current_messages > 0) is not frame.in_batch:
        return False
    return header.flags_1 & frame.flags == frame.flags


class Striker(Observer):
    """Waits for a moment of a step, and then acts, once. The action is called a moment later, as an
    event of the world, so that nothing is pulled away under the feet of a step."""

    def __init__(self, step: Step, moment: str, act: Callable[[ChannelEnd], None]) -> None:
        self.step = step
        self.moment = WORKED if moment == WORKED and step in WANTS else moment
        if moment == WORKED and step not in WANTS:
            self.moment = BEFORE
        self.act = act
        self.is_armed = False
        self.has_struck = False
        self.cut: Callable[[ChannelEnd], None] | None = None  # done at once: frames are lost
        self.frames: list[tuple[bool, bytes]] = []  # whether the sender's, and the frame
        self.frame: bytes = b""  # of the step
        self.on_message: Callable[[], None] | None = None  # called for the first message sent
        self.late: Callable[[ChannelEnd], None] | None = None  # see `Cell.send_late`
        self._on_its_way: tuple[int, int, int] | None = None

    # ---- moments

    def dials(self, end: ChannelEnd) -> None:
        self._moment(Step.CONNECT, BEFORE, end)

    def accepted(self, end: ChannelEnd) -> None:
        self._moment(Step.CONNECT, AFTER, end)

    def sending(self, end: ChannelEnd, data: bytes) -> bytes:
        one = read_segment(data)
        if not self.has_struck:
            self.frames.append((end.sends, data))
        elif self.late is not None and self._is_time_for_late(end, one):
            late, self.late = self.late, None
            late(end)
            if not self.old_frame[0]:
                return b""  # a confirm comes instead of an answer to this
        if self.on_message is not None and one.header.type == MESSAGE_DATA:
            self.on_message()
        if self.has_struck or not self.is_armed or not is_frame_of(self.step, end, one):
            return data
        if self.moment == BEFORE:
            self.frame = data
            self._strike(end)
        elif self.moment == INSIDE:
            self.frame = data
            self._on_its_way = None
            data = data[: len(data) // 2]
            self._strike(end)
        elif self.moment == AFTER and self._on_its_way is None:
            self.frame = data
            header = one.header
            self._on_its_way = (end.link.number, header.type, header.flags_1)
        return data

    def _is_time_for_late(self, end: ChannelEnd, one: Segment) -> bool:
        """A frame of the old connection does most harm to a receiver when a batch begins, and to a
        sender when it waits for a confirm."""
        from_sender = self.old_frame[0]
        if not end.sends:
            return False
        if from_sender:
            return one.header.type == MESSAGE_DATA
        return is_frame_of(Step.REQUEST, end, one)

    @property
    def old_frame(self) -> tuple[bool, bytes]:
        """Whether it is the sender's, and the frame of the step or the last one before it."""
        if self.frame:
            return next(one for one in reversed(self.frames) if one[1] is self.frame)
        return self.frames[-1]

    def arrived(self, end: ChannelEnd, one: Segment) -> None:
        header = one.header
        if self._on_its_way == (end.link.number, header.type, header.flags_1):
            if end.sends is not self._from_sender(end):
                self._strike(end)

    def _from_sender(self, end: ChannelEnd) -> bool:
        """Whether the frame of the step comes from the sending end."""
        if self.step is Step.NEGOTIATE:
            return not end.sends  # it has come from the other end
        return FRAMES[self.step].from_sender

    def begins(self, end: ChannelEnd, want: Want) -> None:
        self._want(BEFORE, end, want)

    def worked(self, end: ChannelEnd, want: Want) -> None:
        self._want(WORKED, end, want)

    def done(self, end: ChannelEnd, want: Want) -> None:
        self._want(AFTER, end, want)

    def _want(self, moment: str, end: ChannelEnd, want: Want) -> None:
        if WANTS.get(self.step) == (want.kind, end.sends) and not want.in_doubt:
            self._moment(self.step, moment, end)

    def _moment(self, step: Step, moment: str, end: ChannelEnd) -> None:
        if self.is_armed and not self.has_struck and (step, moment) == (self.step, self.moment):
            self._strike(end)

    def _strike(self, end: ChannelEnd) -> None:
        if self.has_struck:
            return
        self.has_struck = True
        if self.cut is not None:
            self.cut(end)
        end.world.note(f"{self.step.value}, {self.moment}: strike")
        end.world.after(0.0, lambda: self.act(end))
