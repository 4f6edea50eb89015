"""One cell of the matrix of message channels: a fault at a step, in a world where a force takes a
tenth of the time that a frame travels, so that the order of what happens is known.

A batch is on the transmission queue when the channel starts. The fault strikes; the channel is held
until both ends are quiet, then the cell looks at what is where. Then everything is healed and a
second batch is put: all of both must have arrived, once and in order, and nothing may be in doubt.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.kernel.channel_instance import QUIESCE
from ternmq.testing.channel_end import ChannelEnd
from ternmq.testing.channel_node import ChannelDefinition, ChannelNode
from ternmq.testing.model import body_of, name_of
from ternmq.testing.node import Node
from ternmq.testing.sim_disk import Image
from ternmq.testing.verbs import Steps
from ternmq.testing.world import World
from ternmq.testing.wreck import dropped, last_of
from ternmq.wire.fap.segment import read_segment
from tests.proof.channel_expected import ARRIVED, BACKED_OUT, COMMITTED, GOES_ON, ON_QUEUE
from tests.proof.channel_setting import (
    CHANNEL,
    DEAD,
    KINDS,
    PLAIN,
    RECEIVER,
    REMOTE,
    SENDER,
    TARGET,
    Shape,
    images,
    settings_for,
)
from tests.proof.channel_steps import BEFORE, MOMENTS, Fault, Step, Striker

NET_S: Final = 0.01
FORCE_S: Final = 0.001
HEADERS: Final = mq.MQXQH_CURRENT_LENGTH
# Faults that need not end the connection.
BREAKS_NOTHING: Final = (Fault.DISK_FULL, Fault.NO_PLACE)
WRAPS: Final = 1000  # the numbers of a shape with a lower value wrap within a cell
FIRST_BATCH: Final = Shape("first batch", 5, 20)
SETTLES_S: Final = 40.0
CONVERGES_S: Final = 60.0


@functools.lru_cache(maxsize=8)
def later_images(kind: str) -> dict[str, Image]:
    """The disks of two queue managers whose channel has sent a full batch already."""
    cell = Cell(kind, FIRST_BATCH, Step.CONNECT, Fault.CUT_BEFORE)
    names = [f"zero:{number}" for number in range(FIRST_BATCH.messages)]
    cell.put(names, FIRST_BATCH)
    caller = cell.owners[0] if cell.sending.place else cell.owners[1]
    caller.start(CHANNEL)
    assert cell.world.run(30.0, lambda: cell.is_idle() and cell.is_empty())
    for node in cell.nodes:
        cell.kill(node)
    return {node.name: node.disk.settled().image() for node in cell.nodes}


def cut_off(end: ChannelEnd) -> None:
    """The connection is lost, and this end knows at once."""
    end.link.cut()
    end.mark_lost("cut")


class Cell:
    """A world with one channel and one fault."""

    def __init__(
        self, kind: str, shape: Shape, step: Step, fault: Fault, second: Fault | None = None
    ) -> None:
        self.second = second  # strikes at the same step while the channel recovers
        self.kind = kind
        self.shape = shape
        self.step = step
        self.fault = fault
        self.world = world = World(0)
        world.net.delay_s = (NET_S, NET_S)
        world.net.late_s = (0.3, 0.3)
        self.striker = self.striker_of(fault, self.act)
        made = later_images(kind) if shape.wrap < WRAPS else images(kind, shape.log_pages)
        self.nodes = [self._node(name, made[name]) for name in (SENDER, RECEIVER)]
        self.owners = [ChannelNode(world, node, self.striker) for node in self.nodes]
        for owner in self.owners:
            owner.retry_s = (0.05, 0.05)
        self.sending, self.receiving = self._define()
        self.names = [f"one:{number}" for number in range(shape.messages)]
        self.has_acted = False
        self.is_healed = False

    def _node(self, name: str, image: Image) -> Node:
        node = self.world.add_node(name, image=image)
        node.latency_s = (FORCE_S, FORCE_S)
        return node

    def _define(self) -> tuple[ChannelDefinition, ChannelDefinition]:
        sender, receiver, sender_calls = KINDS[self.kind]
        here = settings_for(CHANNEL, sender, SENDER, self.shape, self.step)
        there = settings_for(CHANNEL, receiver, RECEIVER, self.shape, self.step)
        one = ChannelDefinition(here, RECEIVER if sender_calls else "", RECEIVER)
        two = ChannelDefinition(there, "" if sender_calls else SENDER)
        self.owners[0].define(one)
        self.owners[1].define(two)
        return one, two

    # ---- small things

    def ask(self, node: Node, steps: Callable[[Any], Steps[Any]]) -> Any:
        """A verb on a node, to its end."""
        answers: list[Any] = []
        link = node.connect("test")
        node.run(steps(link), lambda value, error: answers.append((value, error)))
        assert self.world.run(self.world.now_s + 30.0, lambda: bool(answers)), "no answer"
        value, error = answers[0]
        if error is not None:
            raise error
        node.run(node.verbs.disconnect(link, True), lambda value, error: None)
        return value

    def put(self, names: list[str], shape: Shape) -> None:
        node = self.nodes[0]
        for number, name in enumerate(names):
            data = body_of(name, shape.size)
            persistent = shape.is_persistent(number)
            put = functools.partial(node.verbs.put, name=REMOTE, data=data, persistent=persistent)
            self.ask(node, put)

    def there(self) -> list[str]:
        """The names of the messages that have arrived."""
        node = self.nodes[1]
        found = self.ask(node, lambda link: node.verbs.browse(link, TARGET))
        return [name_of(one.data) for one in found]

    def left(self) -> int:
        """How many messages are on the transmission queue, free to be sent."""
        node = self.nodes[0]
        return len(self.ask(node, lambda link: node.verbs.browse(link, RECEIVER)))

    @property
    def in_doubt(self) -> int:
        return len(self.nodes[0].engine.coordinator.prepared)

    def ends(self) -> list[ChannelEnd]:
        """Those that are there; a queue manager that was killed has none."""
        found = [one for channel in (self.sending, self.receiving) for one in channel.ends]
        return [one for one in found if one.is_alive]

    def hold(self, held: bool) -> None:
        self.sending.is_held = self.receiving.is_held = held

    # ---- the fault

    def striker_of(self, fault: Fault, act: Callable[[ChannelEnd], None]) -> Striker:
        striker = Striker(self.step, MOMENTS[fault], act)
        if fault in (Fault.CUT_BEFORE, Fault.CUT_AFTER, Fault.LATE):
            striker.cut = cut_off
        elif fault is Fault.NO_PLACE:
            striker.cut = lambda end: self.inhibit(True)
        return striker

    def act(self, end: ChannelEnd) -> None:
        """The fault strikes, and the channel is held."""
        self.has_acted = True
        if self.fault in BREAKS_NOTHING:
            # One that is about to begin is let in first.
            self.world.after(3 * NET_S, lambda: self.hold(not self.is_healed))
        else:
            self.hold(True)
        self.strike(self.fault)
        self.world.after(0.5, self.restart)

    def act_again(self, end: ChannelEnd) -> None:
        """The second fault strikes, and is healed after a while."""
        assert self.second is not None
        self.strike(self.second)
        self.world.after(0.5, self.heal)

    def strike(self, fault: Fault) -> None:
        """Let it happen. A target that is inhibited is so already."""
        sender, receiver = self.nodes
        actions: dict[Fault, Callable[[], None]] = {
            Fault.CUT_INSIDE: lambda: self.lose_all(2 * NET_S),
            Fault.SENDER_BEFORE: lambda: self.lose_power(sender),
            Fault.RECEIVER_BEFORE: lambda: self.lose_power(receiver),
            Fault.SENDER_AFTER: lambda: self.kill(sender),
            Fault.RECEIVER_AFTER: lambda: self.kill(receiver),
            Fault.BOTH: lambda: self.lose_power(sender, receiver),
            Fault.SILENCE: self.go_silent,
            Fault.DISK_FULL: self.fill_disk,
            Fault.NO_PLACE: lambda: None,
        }
        actions.get(fault, self.lose_all)()

    def lose_all(self, seconds: float = 0.0) -> None:
        """Both ends hear that their connection is lost."""
        for one in self.ends():
            if seconds:
                self.world.after(seconds, functools.partial(one.lose, "cut"))
            else:
                one.lose("cut")

    def go_silent(self) -> None:
        for one in self.ends():
            one.link.go_silent()

    def fill_disk(self) -> None:
        disk = self.nodes[1].disk
        disk.capacity = disk.used()

    def lose_power(self, *nodes: Node) -> None:
        """What was not forced is gone."""
        for node in nodes:
            self.world.net.lose_all(node.name, silently=True)
            self.world.net.refuses.add(node.name)
            node.crash(power=False)
            wreck = last_of(node.disk)
            node.disk = wreck.disk_of([dropped] * len(wreck.pending))

    def kill(self, node: Node) -> None:
        """The process goes; all that it wrote is forced."""
        engine = node.engine
        batch = engine.log.take()
        while batch is not None:
            engine.files.write(batch)
            engine.log.forced(batch)
            batch = engine.log.take()
        self.world.crash(node, power=False)

    def restart(self) -> None:
        for node in self.nodes:
            self.world.restart(node)

    def inhibit(self, inhibited: bool) -> None:
        """Target put-inhibited and dead-letter queue without room, or as they were. As ALTER
        leaves them, but at once."""
        kernel = self.nodes[1].engine.kernel
        kernel.catalog.definitions[TARGET].attributes["put"] = int(inhibited)
        kernel.catalog.definitions[DEAD].attributes["max_depth"] = 0 if inhibited else 5000
        for name in (TARGET, DEAD):
            local = kernel.locals.get(name)
            if local is not None:
                local.refresh()

    def heal(self) -> None:
        self.is_healed = True
        self.restart()
        self.nodes[1].disk.capacity = 0
        self.inhibit(False)

    # ---- the run

    def run(self) -> str:
        """Play it; what became of the first batch."""
        self.put(self.names, self.shape)
        if self.step is Step.RESYNC:
            self.make_in_doubt()
        self.striker.is_armed = True
        caller = self.owners[0] if self.sending.place else self.owners[1]
        caller.start(CHANNEL)
        if self.step is Step.STOP:
            self.striker.on_message = self.stop
        outcome = self.outcome()
        self.heal()
        self.converge(caller)
        return outcome

    def make_in_doubt(self) -> None:
        """The first connection is cut when the receiver has committed, before it confirms."""
        first = Striker(Step.CONFIRM, BEFORE, self.cut_first)
        first.cut = cut_off
        first.is_armed = True
        for owner in self.owners:
            owner.observer = first
        caller = self.owners[0] if self.sending.place else self.owners[1]
        caller.start(CHANNEL)
        assert self.world.run(30.0, lambda: first.has_struck and not self.ends()), "never in doubt"
        assert self.in_doubt == 1
        caller.channels[CHANNEL].is_started = False
        for owner in self.owners:
            owner.observer = self.striker
        self.hold(False)

    def cut_first(self, end: ChannelEnd) -> None:
        self.hold(True)
        for one in self.ends():
            one.lose("cut")

    def stop(self) -> None:
        """STOP CHANNEL at the sender, in the middle of its batch."""
        self.striker.on_message = None
        self.world.after(0.0, lambda: self.owners[0].stop(CHANNEL, QUIESCE))

    def is_quiet(self) -> bool:
        """The fault has struck, and the channel is over or idle."""
        if not self.has_acted or not all(node.is_up for node in self.nodes):
            return False
        if self.fault in BREAKS_NOTHING and self.is_idle():
            return True
        return not self.ends()

    def is_idle(self) -> bool:
        """The channel runs and has nothing to do."""
        ends = self.ends()
        if len(ends) < 2 or not all(end.is_idle for end in ends):
            return False
        agent = self.sending.ends[0].agent
        return agent.watches and agent.current_messages == 0 and self.in_doubt == 0

    def outcome(self) -> str:
        world = self.world
        until = world.now_s + SETTLES_S
        quiet = world.run(until, self.is_quiet)
        assert self.striker.has_struck, f"{self.step.value} never came"
        assert quiet, f"not quiet after {SETTLES_S} s: {[end.name for end in self.ends()]}"
        went_on = bool(self.ends())
        counted = [name for number, name in enumerate(self.names) if self.shape.is_counted(number)]
        there = [name for name in self.there() if name in counted]
        left = self.left_names(counted) if self.nodes[0].depth(RECEIVER) else []
        in_doubt = self.in_doubt
        if self.step is Step.STOP and there + left == counted and there:
            return COMMITTED if in_doubt else ARRIVED  # the batch ended early
        if there == counted and not left:
            if in_doubt:
                return COMMITTED
            return GOES_ON if went_on else ARRIVED
        if not there and in_doubt and not left:
            return BACKED_OUT
        if not there and not in_doubt and left == counted:
            return ON_QUEUE
        return f"wrong: {there} there, {left} left, {in_doubt} in doubt"

    def left_names(self, counted: list[str]) -> list[str]:
        """Those of the batch that are on the transmission queue, free to be sent."""
        node = self.nodes[0]
        found = self.ask(node, lambda link: node.verbs.browse(link, RECEIVER))
        names = [name_of(one.data[HEADERS:]) for one in found]
        return [name for name in names if name in counted]

    def converge(self, caller: ChannelNode) -> None:
        """All is well again: both batches must have arrived, once and in order."""
        more = [f"two:{number}" for number in range(3)]
        self.put(more, PLAIN)
        if self.fault is Fault.LATE:
            self.striker.late = self.send_late
        if self.second is not None:
            again = self.striker_of(self.second, self.act_again)
            again.is_armed = True
            for owner in self.owners:
                owner.observer = again
        for channel in (self.sending, self.receiving):
            channel.is_stopped = False
        for owner in self.owners:
            owner.retry_s = (0.3, 0.3)
        self.hold(False)
        caller.start(CHANNEL)
        world = self.world
        until = world.now_s + CONVERGES_S
        while world.now_s < until:
            world.run(world.now_s + 0.2)
            if self.is_idle() and self.is_empty():
                break
        else:
            raise AssertionError(f"no convergence: {self.there()} there, {self.in_doubt} in doubt")
        assert self.striker.late is None or self.second, "no frame came late"
        self.check(self.there(), more)

    def send_late(self, end: ChannelEnd) -> None:
        """A frame of the old connection comes out of the new one."""
        from_sender, data = self.striker.old_frame
        one = read_segment(data)
        for target in self.receiving.ends if from_sender else self.sending.ends:
            self.world.after(0.0, functools.partial(target.receive, one))

    def is_empty(self) -> bool:
        return self.nodes[0].depth(RECEIVER) == 0

    def check(self, there: list[str], more: list[str]) -> None:
        wanted = self.names + more
        counted = {name for number, name in enumerate(self.names) if self.shape.is_counted(number)}
        must = [name for name in wanted if name in counted or name in more]
        there = [name for name in there if not name.startswith("zero")]
        assert [name for name in there if name in must] == must, f"{there} there"
        fast = [name for name in there if name not in must]
        order = [name for name in self.names if name in fast]
        assert fast == order, f"fast ones: {fast}"
        assert self.in_doubt == 0
        states = [end.agent for end in self.ends()]
        assert len({(one.last_sequence, one.last_luwid) for one in states}) == 1
