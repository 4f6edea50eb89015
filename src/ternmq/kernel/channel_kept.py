"""What lasts of a channel's state over a restart of the queue manager: STOPPED, RETRYING with its
counts, and what the transmission queue of a STOPPED channel was like before.

It is kept with the channel's definition, under names that no command shows or sets. A STOPPED
sender's or server's transmission queue is GET(DISABLED) and NOTRIGGER; channel and queue change in
one log record. START gives the queue back what it had before, and so do DELETE CHANNEL and the
START of another channel that sends from this queue. A queue that was GET(DISABLED) or NOTRIGGER
before stays so.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.object_types import CHANNELS, LOCAL, MESSAGE_CHANNELS, SENDER
from ternmq.kernel.channel_control import RETRIED, ChannelControl
from ternmq.kernel.channel_instance import RETRYING, STOPPED
from ternmq.kernel.connection import Connection
from ternmq.kernel.inquire import apply_definition
from ternmq.kernel.kernel import OBJECT_RECORD_BYTES, Kernel
from ternmq.kernel.parts import (
    QUEUE_BEFORE,
    RESET_SEQUENCE,
    RETRIES_LEFT,
    STOPPED_BY_COMMAND,
    is_stopped,
)
from ternmq.store.catalog import Definition

RECORD_BYTES: Final = 4 * OBJECT_RECORD_BYTES  # two definitions


def keep(kernel: Kernel, link: Connection, channel: Definition, is_ended: bool = True) -> bool:
    """Write down what the channel is now, if that has changed; False: parked until the log has
    room. While an agent still ends (not `is_ended`), its queue stays as it is."""
    wanted = _wanted(kernel.parts.control, channel)
    if channel.object_type & RETRIED and kernel.parts.control.has_begun(channel.name):
        wanted[RESET_SEQUENCE] = 0  # the partner has it
    before = str(channel.attributes.get(QUEUE_BEFORE, ""))
    change: _QueueChange | None = None
    if wanted[STOPPED_BY_COMMAND] == 1:
        wanted[QUEUE_BEFORE] = before
        if not before and is_ended and channel.object_type & RETRIED:
            change = _disabled(kernel, channel.text("transmission_queue"))
            wanted[QUEUE_BEFORE] = "" if change is None else change.before
    elif before:
        change = _given_back(kernel, before)
    if all(channel.attributes.get(key, _NOTHING[key]) == value for key, value in wanted.items()):
        return True
    if not kernel.can_log_object(link, "CHANNEL", channel.name, RECORD_BYTES):
        return False
    channel.attributes.update(wanted)
    if change is None:
        link.depends_on(kernel.coordinator.define(kernel.catalog, channel))
        return True
    change.queue.attributes.update(change.values)
    link.depends_on(kernel.coordinator.define(kernel.catalog, channel, change.queue))
    apply_definition(kernel, change.queue)
    return True


def free_queue(kernel: Kernel, link: Connection, channel: Definition, is_started: bool) -> bool:
    """A transmission queue gets back what a STOPPED channel has taken from it: from this channel,
    which is about to be deleted, or from others, if this one is to send from it now. False: parked
    until the log has room."""
    change: _QueueChange | None = None
    if not is_started:
        before = str(channel.attributes.get(QUEUE_BEFORE, ""))
        change = _given_back(kernel, before) if before else None
    elif channel.object_type & RETRIED:
        change = _left_by_others(kernel, channel)
    if change is None or not change.values:
        return True
    if not kernel.can_log_object(link, "CHANNEL", channel.name, RECORD_BYTES):
        return False
    change.queue.attributes.update(change.values)
    link.depends_on(kernel.coordinator.define(kernel.catalog, change.queue))
    apply_definition(kernel, change.queue)
    return True


def _left_by_others(kernel: Kernel, channel: Definition) -> _QueueChange | None:
    """What another channel that is STOPPED has kept of this one's queue. It is kept there still:
    that channel must not disable the queue again."""
    begin = channel.text("transmission_queue") + " "
    for other in kernel.catalog.table_of(SENDER).values():
        before = str(other.attributes.get(QUEUE_BEFORE, ""))
        if before.startswith(begin) and other is not channel:
            return _given_back(kernel, before)
    return None


@final
class _QueueChange:
    """A transmission queue, and what it is to have."""

    def __init__(self, queue: Definition, values: dict[str, Value], before: str) -> None:
        self.queue: Final = queue
        self.values: Final = values
        self.before: Final = before  # what is kept of it


def _disabled(kernel: Kernel, name: str) -> _QueueChange | None:
    queue = _queue_of(kernel, name)
    if queue is None:
        return None
    before = f"{queue.name} {queue.number('get')} {queue.number('trigger')}"
    values: dict[str, Value] = {"get": mq.MQQA_GET_INHIBITED, "trigger": mq.MQTC_OFF}
    return _QueueChange(queue, values, before)


def _given_back(kernel: Kernel, before: str) -> _QueueChange | None:
    name, get, trigger = before.split(" ")
    queue = _queue_of(kernel, name)
    if queue is None:
        return None
    values: dict[str, Value] = {}
    if int(get) == mq.MQQA_GET_ALLOWED:
        values["get"] = mq.MQQA_GET_ALLOWED
    if int(trigger) == mq.MQTC_ON:
        values["trigger"] = mq.MQTC_ON
    return _QueueChange(queue, values, "")


_NOTHING: Final[dict[str, Value]] = {
    STOPPED_BY_COMMAND: 0,
    RETRIES_LEFT: "",
    QUEUE_BEFORE: "",
    RESET_SEQUENCE: 0,
}


def _wanted(control: ChannelControl, channel: Definition) -> dict[str, Value]:
    """What is to be kept of it."""
    one = control.channels.get(channel.name)
    if one is None:
        stopped = channel.name in control.stopped
        return {STOPPED_BY_COMMAND: int(stopped), RETRIES_LEFT: "", QUEUE_BEFORE: ""}
    stopped = STOPPED in (one.status, one.stop_to)
    retries = ""
    if one.status == RETRYING or (one.status == STOPPED and one.is_used_up):
        retries = f"{one.short_left} {one.long_left}"
    return {STOPPED_BY_COMMAND: int(stopped), RETRIES_LEFT: retries, QUEUE_BEFORE: ""}


def _queue_of(kernel: Kernel, name: str) -> Definition | None:
    queue = kernel.catalog.find(LOCAL, name)
    return queue if queue is not None and queue.object_type == LOCAL else None


def note_reset(kernel: Kernel, link: Connection, channel: Definition, sequence: int) -> bool:
    """RESET CHANNEL at a sending end: shown until the partner has it; False: parked."""
    if not kernel.can_log_object(link, "CHANNEL", channel.name, RECORD_BYTES):
        return False
    channel.attributes[RESET_SEQUENCE] = sequence
    link.depends_on(kernel.coordinator.define(kernel.catalog, channel))
    return True


def restore_channels(kernel: Kernel, now_ns: i64) -> list[Definition]:
    """The queue manager starts: take in what was kept; those whose queue may have to follow."""
    control = kernel.parts.control
    stopped: list[Definition] = []
    for channel in list(kernel.catalog.table_of(SENDER).values()):
        if not channel.object_type & CHANNELS:
            continue
        left = str(channel.attributes.get(RETRIES_LEFT, ""))
        parts = left.split(" ") if left else ["-1", "-1"]
        short = int(parts[0])
        long = int(parts[1])
        if is_stopped(channel):
            control.restore(channel, STOPPED, short, long, now_ns)
            if channel.object_type & MESSAGE_CHANNELS:
                stopped.append(channel)
        elif left:
            control.restore(channel, RETRYING, short, long, now_ns)
    return stopped
