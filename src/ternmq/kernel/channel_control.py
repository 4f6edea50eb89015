"""Which message channels are current, and what becomes of them: a machine without I/O.

It knows the channels that this end starts (SDR, SVR, RQSTR) while they are current: STARTING,
RETRYING, STOPPED, or served by an agent. Inputs are its methods, with the time passed in; outputs
are `to_dial` (channels to call now) and `news` (for operators, about limits). The initiator carries
them out. Called with the engine's lock.

Retries: after a failure that may heal, SHORTRTY attempts, SHORTTMR apart, then LONGRTY attempts,
LONGTMR apart; then STOPPED. A count goes down when its wait begins. A START of a channel whose
retries were used up tries once. The counts are the definition's again after STOP and START, and
once a batch was confirmed. A failing channel is INACTIVE where no initiator runs. After a batch
that the partner could not store, for want of log say, the next attempt has half as many messages in
a batch, so that what does fit arrives.

Limits: `channels_max` bounds what is current (a STOPPED or RETRYING channel counts), `active_max`
what is active; a channel that has no place among these waits as STARTING, first come, first served.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.object_types import REQUESTER, SENDER, SERVER
from ternmq.channel.agent import NO_RETRY, NORMAL
from ternmq.kernel.channel_instance import (
    INACTIVE,
    RETRYING,
    STARTING,
    STOPPED,
    ChannelInstance,
)
from ternmq.store.catalog import Definition
from ternmq.wire.fap.vocabulary import BATCH_FAILURE, CAN_NOT_STORE

STARTED_HERE: Final = SENDER | SERVER | REQUESTER
RETRIED: Final = SENDER | SERVER
SECOND_NS: Final = 1_000_000_000
INITIATORS_MAX: Final = 3
BATCH_REFUSED: Final = (CAN_NOT_STORE, BATCH_FAILURE)  # codes of STATUS_DATA

# Why a channel is not started.
IN_USE: Final = "in use"
FULL: Final = "full"
NO_ADDRESS: Final = "no CONNAME"

# Kinds of news.
WAITS: Final = 1  # for a place among the active ones
HAS_PLACE: Final = 2  # after it had waited

SERVED: Final = "SERVED"  # an agent runs: the instance has the state


@final
class CurrentChannel:
    """A channel that is current, of a type that this end starts."""

    def __init__(self, definition: Definition) -> None:
        self.name: Final = definition.name
        self.status = STARTING  # STARTING, RETRYING, STOPPED or SERVED
        self.short_left = 0
        self.long_left = 0
        self.batch_max = 0  # messages of a batch at the next attempt; 0: as the definition says
        self.reset_counts(definition)
        self.due_ns: i64 = 0  # RETRYING: when it tries again
        self.is_placed = False  # among the active ones: to be dialled, or served
        self.has_waited = False
        self.number = 0  # of its instance; 0: there is none
        self.stop_to = ""  # asked to end, and what it becomes then: STOPPED or INACTIVE
        self.restarts = False  # asked to end, and to start again: its keys have changed

    def reset_counts(self, definition: Definition) -> None:
        """As the definition has them."""
        self.batch_max = 0
        if definition.object_type & RETRIED:
            self.short_left = definition.number("short_retries")
            self.long_left = definition.number("long_retries")

    @property
    def is_used_up(self) -> bool:
        """Whether there are no retries left."""
        return self.short_left == 0 and self.long_left == 0


@final
class News:
    """What operators learn of a channel."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: int, name: str) -> None:
        self.kind: Final = kind
        self.name: Final = name


@final
class ChannelControl:
    """The channels of one queue manager."""

    def __init__(self, instances: dict[int, ChannelInstance]) -> None:
        self.instances: Final = instances  # all that run, of clients too
        self.channels: dict[str, CurrentChannel] = {}
        self.stopped: set[str] = set()  # receiving channels that START has not enabled again
        self.channels_max = 0  # 0: no limit
        self.active_max = 0
        self.initiators: dict[str, str] = {}  # initiation queue: STARTING, RUNNING or STOPPING
        self.initiators_max = INITIATORS_MAX
        self.to_dial: list[str] = []
        self.news: list[News] = []

    # ---- limits

    def active(self) -> int:
        """How many are active, or have a place there."""
        placed = 0
        for one in self.channels.values():
            if one.is_placed and not one.number:
                placed += 1
        return len(self.instances) + placed

    def current(self) -> int:
        """How many are current."""
        number = len(self.instances)
        for one in self.channels.values():
            if not one.number:
                number += 1
        if self.stopped:
            served = {one.name for one in self.instances.values()}
            number += len(self.stopped - served)
        return number

    def has_room(self) -> bool:
        """Whether one more may be current."""
        return not self.channels_max or self.current() < self.channels_max

    def has_place(self) -> bool:
        """Whether one more may be active."""
        return not self.active_max or self.active() < self.active_max

    def is_running(self, name: str) -> bool:
        """Whether an instance of it is there, whoever has called."""
        return any(one.name == name for one in self.instances.values())

    def has_begun(self, name: str) -> bool:
        """Whether an instance of it runs whose ends have agreed."""
        return any(one.name == name and one.has_started for one in self.instances.values())

    # ---- start and stop

    def start(self, definition: Definition) -> str:
        """START CHANNEL, a trigger, or a requester's call: "" or why not."""
        kind = definition.object_type
        if kind == SERVER and not definition.text("connection_name"):
            return NO_ADDRESS
        name = definition.name
        one = self.channels.get(name)
        if self.is_running(name) or (one is not None and one.status in (STARTING, SERVED)):
            return IN_USE
        if one is None:
            if not self.has_room():
                return FULL
            one = CurrentChannel(definition)
        elif not one.is_used_up:
            one.reset_counts(definition)
        if kind == REQUESTER and not self.has_place():
            return FULL  # a requester never waits
        self.channels[name] = one
        one.status = STARTING
        one.due_ns = 0
        one.stop_to = ""
        self._place(one)
        return ""

    def stop(self, definition: Definition, to: str) -> bool:
        """STOP CHANNEL: it becomes STOPPED or INACTIVE, at once or when its agent has ended. False:
        there is nothing to stop."""
        name = definition.name
        one = self.channels.get(name)
        if one is None:
            if to == STOPPED:
                one = CurrentChannel(definition)
                one.status = STOPPED
                self.channels[name] = one
                return True
            return self.is_running(name)
        if one.number or (one.is_placed and name not in self.to_dial):
            one.stop_to = to  # its agent is there, or about to be
            return True
        self._unplace(one)
        if to == STOPPED:
            one.status = STOPPED
            one.reset_counts(definition)
        else:
            del self.channels[name]
        self.fill()
        return True

    def restart(self, instance: ChannelInstance) -> None:
        """It is about to be ended, and starts again then, if this end has started it."""
        one = self.channels.get(instance.name)
        if one is not None and one.number == instance.number:
            one.restarts = True

    def begun(self, name: str, number: int) -> bool:
        """The initiator has started an agent for it; False: it is to be stopped at once."""
        one = self.channels.get(name)
        if one is None:
            return False  # its definition was deleted meanwhile
        one.status = SERVED
        one.number = number
        return not one.stop_to

    def triggered(self, definition: Definition) -> str:
        """A trigger message is for it. Only an INACTIVE channel is started by that: "" or why not;
        STOPPED for one that an operator has to start."""
        one = self.channels.get(definition.name)
        if one is not None:
            return STOPPED if one.status == STOPPED else IN_USE
        return self.start(definition)

    def forget(self, name: str) -> None:
        """Its definition is gone."""
        one = self.channels.pop(name, None)
        self.stopped.discard(name)
        if one is not None:
            self._unplace(one)
            self.fill()

    # ---- ends

    def ended(
        self, definition: Definition | None, instance: ChannelInstance, kind: int, now_ns: i64
    ) -> str:
        """An instance has ended, and is not among `instances` any more: what the channel is now."""
        name = instance.name
        one = self.channels.get(name)
        after = INACTIVE
        if one is None:
            if name in self.stopped and not self.is_running(name):
                after = STOPPED
        elif one.number == instance.number:
            after = self._served_ended(one, definition, instance, kind, now_ns)
        elif one.status in (STOPPED, RETRYING):
            after = one.status  # a partner had called it
        self.fill()
        return after

    def _served_ended(
        self,
        one: CurrentChannel,
        definition: Definition | None,
        instance: ChannelInstance,
        kind: int,
        now_ns: i64,
    ) -> str:
        one.number = 0
        one.is_placed = False
        one.has_waited = False
        agent = instance.agent
        if definition is not None and agent is not None:
            if agent.batches > 0:
                one.reset_counts(definition)
            if agent.end is not None and agent.end.status in BATCH_REFUSED:
                one.batch_max = max(agent.batch_messages // 2, 1)
        to = one.stop_to
        one.stop_to = ""
        if definition is None:
            to = INACTIVE
        elif not to:
            to = self._after_end(one, definition, kind, now_ns)
        elif to == STOPPED:
            one.reset_counts(definition)
        one.status = to
        if to == INACTIVE:
            if one.restarts and kind == NORMAL:
                one.status = STARTING
            else:
                del self.channels[one.name]
        one.restarts = False
        return to

    def _after_end(
        self, one: CurrentChannel, definition: Definition, kind: int, now_ns: i64
    ) -> str:
        if kind == NORMAL or not definition.object_type & RETRIED:
            return INACTIVE
        if kind == NO_RETRY or one.is_used_up:
            return STOPPED
        if not self.initiators:
            return INACTIVE
        if one.short_left > 0:
            one.short_left -= 1
            one.due_ns = now_ns + definition.number("short_retry_s") * SECOND_NS
        else:
            one.long_left -= 1
            one.due_ns = now_ns + definition.number("long_retry_s") * SECOND_NS
        return RETRYING

    # ---- time and places

    def tick(self, now_ns: i64) -> i64:
        """Start what is due; when to call it again, 0: nothing waits for time. Without an initiator
        nothing is tried."""
        next_ns: i64 = 0
        if not self.initiators:
            return 0
        for one in list(self.channels.values()):
            if one.status != RETRYING:
                continue
            if one.due_ns <= now_ns:
                one.status = STARTING
                self._place(one)
            elif not next_ns or one.due_ns < next_ns:
                next_ns = one.due_ns
        return next_ns

    def fill(self) -> None:
        """Give places that are free to those that wait."""
        for one in self.channels.values():
            if one.status == STARTING and not one.is_placed and self.has_place():
                self._place(one)

    def _place(self, one: CurrentChannel) -> None:
        if one.is_placed:
            return
        if self.has_place():
            one.is_placed = True
            self.to_dial.append(one.name)
            if one.has_waited:
                self.news.append(News(HAS_PLACE, one.name))
        elif not one.has_waited:
            one.has_waited = True
            # The first that waits is the first that is served.
            self.channels[one.name] = self.channels.pop(one.name)
            self.news.append(News(WAITS, one.name))

    def _unplace(self, one: CurrentChannel) -> None:
        one.is_placed = False
        one.has_waited = False
        if one.name in self.to_dial:
            self.to_dial.remove(one.name)

    # ---- restart

    def restore(
        self, definition: Definition, status: str, short: int, long: int, now_ns: i64
    ) -> None:
        """The queue manager starts, and the channel was STOPPED or RETRYING when it ended."""
        if not definition.object_type & STARTED_HERE:
            self.stopped.add(definition.name)
            return
        one = CurrentChannel(definition)
        one.status = status
        if short >= 0:
            one.short_left = short
            one.long_left = long
        if status == RETRYING:
            wait = "long_retry_s" if short == 0 and long < definition.number("long_retries") else ""
            wait = wait or "short_retry_s"
            one.due_ns = now_ns + definition.number(wait) * SECOND_NS
        self.channels[one.name] = one
