"""The workload of `workload` with topics: publications inside and outside units of work, retained
or not, for durable subscriptions with managed queues and with the queues A and B, and for
non-durable ones; subscriptions are made, altered and removed, and their messages consolidated.

In the model a durable subscription is a queue of its name with what its managed queue holds, and
another one without messages whose name has its user data, `S1=v2`; what a topic retains is the one
message of a queue `retained t/a`. So states of the model compare as those of queues do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.kernel.connection import Connection
from ternmq.kernel.inquire import apply_definition
from ternmq.log.parameters import LogParameters
from ternmq.mqi.putting import put_request
from ternmq.pubsub.publish_subscribe import PublishSubscribe, pubsub_of
from ternmq.pubsub.retained import RETAINED_QUEUE
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE
from ternmq.testing.model import Disagreement, ModelMessage, ModelUnit, body_of, name_of
from ternmq.testing.workload import Workload
from ternmq.values.calls.call import Call
from ternmq.values.calls.messages import Put1
from ternmq.values.calls.objects import Close, Open
from ternmq.values.calls.topics import Subscribe
from ternmq.values.handle import ObjectHandle

TOPICS: Final = ("t/a", "t/b", "u/a", "t/a/x")
PATTERNS: Final = ("t/a", "t/+", "t/#", "#", "+/a", "u/a")
TOGETHER: Final = 3  # subscriptions in a message, so that a few are consolidated
SUBSCRIPTIONS_MAX: Final = 7
OWN_BUFFER_BYTES: Final = 1_500
_SUB_OPTIONS: Final = mq.MQSO_DURABLE
_OPEN: Final = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT


class ModelSubscription:
    """A durable subscription of the model."""

    def __init__(self, name: str, pattern: str, queue: str) -> None:
        self.name = name
        self.pattern = pattern
        self.queue = queue  # "" if it is managed, else A or B
        self.version = 1
        self.managed = ""  # the managed queue, once it is known

    @property
    def holds(self) -> str:
        """The queue of the model where its publications are."""
        return self.queue or self.name

    @property
    def terms(self) -> str:
        return f"{self.name}=v{self.version}"


def matches(pattern: str, topic: str) -> bool:
    """By level, the plain way."""
    return _matches(pattern.split("/"), topic.split("/"))


def _matches(pattern: list[str], levels: list[str]) -> bool:
    if not pattern:
        return not levels
    if pattern[0] == "#":
        return any(_matches(pattern[1:], levels[at:]) for at in range(len(levels) + 1))
    if not levels or pattern[0] not in ("+", levels[0]):
        return False
    return _matches(pattern[1:], levels[1:])


class TopicWorkload(Workload):
    """Random verbs on topics."""

    def __init__(
        self, seed: int, parameters: LogParameters, *, lazy: bool = False, fast: bool = True
    ) -> None:
        self.subscriptions: dict[str, ModelSubscription] = {}
        self.made = 0
        self.published = 0
        self.delivered = 0
        super().__init__(seed, parameters, lazy=lazy, fast=fast)
        self.pubsub.store.together = TOGETHER
        for name in (SUBSCRIBER_QUEUE, RETAINED_QUEUE):
            self._sweep_early(name)
        self.begun = len(self.disk.history)

    def _sweep_early(self, name: str) -> None:
        """Most of what the queue manager keeps on the queue is to be read from the disk."""
        kernel = self.machine.kernel
        definition = kernel.catalog.definitions[name]
        definition.attributes["persistent_buffer"] = OWN_BUFFER_BYTES
        definition.attributes["nonpersistent_buffer"] = OWN_BUFFER_BYTES
        self.machine.force(int(kernel.coordinator.define(kernel.catalog, definition)))
        apply_definition(kernel, definition)

    @property
    def pubsub(self) -> PublishSubscribe:
        return pubsub_of(self.machine.kernel)

    def run_call(self, link: Connection, call: Call) -> None:
        self.machine.drive(self.machine.verbs.run(link, call))

    # ---- subscriptions

    def _subscribe(
        self, link: Connection, options: int, name: str, topic: str, data: str, queue: str
    ) -> Subscribe:
        destination: ObjectHandle | None = None
        if queue:
            opened = Open(ObjectDescriptor(object_name=queue), _OPEN)
            self.run_quietly(link, opened)
            destination = opened.opened()
        else:
            options |= mq.MQSO_MANAGED
        sd = SubscriptionDescriptor(options=options)
        call = Subscribe(sd, topic, name, data, "", destination)
        try:
            self.run_call(link, call)
        except BaseException:
            if destination is not None and self.machine.kernel.status == 0:
                self.run_quietly(link, Close(destination, 0))
            raise
        return call

    def run_quietly(self, link: Connection, call: Call) -> None:
        """A verb that changes nothing which lasts."""
        change, self.change = self.change, None
        self.machine.drive(self.machine.verbs.run(link, call, quiet=True))
        self.change = change

    def _close(self, link: Connection, call: Subscribe, options: int) -> None:
        queue, subscription = call.done()
        self.run_call(link, Close(subscription, options))
        self.run_quietly(link, Close(queue, 0))

    def subscribe(self) -> None:
        """A new durable one."""
        if len(self.subscriptions) >= SUBSCRIPTIONS_MAX:
            self.unsubscribe()
            return
        self.made += 1
        queue = self.chance.choice(("", "", "", "A", "B"))
        one = ModelSubscription(f"S{self.made}", self.chance.choice(PATTERNS), queue)

        def change() -> None:
            self.model.define(one.terms)
            if not one.queue:
                self.model.define(one.name)
            self.subscriptions[one.name] = one

        self.change = change
        link = self.links[2]
        options = mq.MQSO_CREATE | _SUB_OPTIONS | mq.MQSO_NEW_PUBLICATIONS_ONLY
        call = self._subscribe(link, options, one.name, one.pattern, "v1", one.queue)
        one.managed = "" if one.queue else call.done()[0].resolved_name
        self._close(link, call, mq.MQCO_KEEP_SUB)

    def any_subscription(self) -> ModelSubscription | None:
        if not self.subscriptions:
            return None
        return self.subscriptions[self.chance.choice(sorted(self.subscriptions))]

    def alter(self) -> None:
        """Another text of user data."""
        one = self.any_subscription()
        if one is None:
            return

        def change() -> None:
            self.model.delete(one.terms)
            one.version += 1
            self.model.define(one.terms)

        self.change = change
        link = self.links[2]
        options = mq.MQSO_ALTER | _SUB_OPTIONS
        data = f"v{one.version + 1}"
        call = self._subscribe(link, options, one.name, one.pattern, data, one.queue)
        self._close(link, call, mq.MQCO_KEEP_SUB)

    def unsubscribe(self) -> None:
        """One goes, and its managed queue with it, unless a unit of work holds that."""
        one = self.any_subscription()
        if one is None:
            return
        link = self.links[2]
        self.change = None
        options = mq.MQSO_RESUME | _SUB_OPTIONS
        call = self._subscribe(link, options, one.name, one.pattern, "", one.queue)
        if one.managed and self.chance.random() < 0.7:
            self.machine.drive(self.machine.verbs.close_queue(one.managed))

        def change() -> None:
            del self.subscriptions[one.name]
            self.model.delete(one.terms)
            if not one.queue:
                self.model.delete(one.name)

        self.change = change
        self._close(link, call, mq.MQCO_REMOVE_SUB)

    def subscribe_for_a_while(self) -> None:
        """A non-durable one, which gets what is published until its connection ends."""
        link = self.machine.connect()
        options = mq.MQSO_CREATE | mq.MQSO_NON_DURABLE | mq.MQSO_NEW_PUBLICATIONS_ONLY
        call = self._subscribe(link, options, "", self.chance.choice(PATTERNS), "", "")
        if self.chance.random() < 0.5:
            self._close(link, call, 0)

    # ---- publications

    def targets(self, topic: str) -> list[ModelSubscription]:
        return [one for one in self.subscriptions.values() if matches(one.pattern, topic)]

    def publish(
        self, link: Connection, sync: bool, persistent: bool = True, retain: bool = False
    ) -> None:
        topic = self.chance.choice(TOPICS)
        self.count += 1
        name = f"m{self.count}"
        data = body_of(name, self.chance.choice(self.sizes))
        copies = [ModelMessage(name, one.holds, 0, persistent) for one in self.targets(topic)]
        self.published += 1
        self.delivered += len(copies)
        if retain:
            copies.append(ModelMessage(name, f"retained {topic}", 0, True))

        def change() -> None:
            if sync:
                self.unit(link).puts.extend(copies)
            else:
                self._arrive(copies)

        self.change = change
        options = mq.MQPMO_SYNCPOINT if sync else mq.MQPMO_NO_SYNCPOINT
        if retain:
            options |= mq.MQPMO_RETAIN
        md = Descriptor(persistence=int(persistent), priority=0)
        kernel = self.machine.kernel
        request = put_request(kernel, link, md, PutOptions(options=options), "MQPUT1")
        od = ObjectDescriptor(object_type=mq.MQOT_TOPIC)
        self.run_call(link, Put1(od, request, data, topic))

    def _arrive(self, copies: list[ModelMessage]) -> None:
        for message in copies:
            if message.queue.startswith("retained "):
                self.model.define(message.queue)
                self.model.clear(message.queue)
            elif message.queue not in self.model.queues:
                continue  # its subscription is gone, and so is its queue
            self.model.reveal(message)

    def committed(self, unit: ModelUnit | None) -> None:
        if unit is None:
            return
        self._arrive(unit.puts)
        for message in unit.gets:
            if message.queue in self.model.queues:
                self.model.remove(message)

    def receive(self, link: Connection, sync: bool) -> None:
        """A get from the queue of a subscription."""
        one = self.any_subscription()
        if one is None:
            return
        held = one.holds

        def change() -> None:
            there = self.offered(link, sync, held)
            entry = self.machine.got
            found = None if entry is None else name_of(entry.data)
            expected = there[0].name if there else None
            if found != expected:
                raise Disagreement(f"got {found} of {held}, expected {expected}")
            if there:
                self.taken(link, sync, there[0])

        self.change = change
        self.machine.get(one.queue or one.managed, link=link, sync=sync)

    # ---- any of them

    def tick(self) -> None:
        """Consolidation, and what else a tick does."""
        self.machine.engine.tick()
        self.machine.dawdle()

    def one(self, link: Connection, kind: float) -> None:
        loose = self.links[2]
        choices: tuple[tuple[float, Callable[[], None]], ...] = (
            (0.14, lambda: self.publish(loose, False)),
            (0.28, lambda: self.publish(link, True)),
            (0.34, lambda: self.publish(loose, False, retain=True)),
            (0.40, lambda: self.publish(link, True, retain=True)),
            (0.44, lambda: self.publish(loose, False, persistent=False)),
            (0.54, self.subscribe),
            (0.60, self.alter),
            (0.64, self.unsubscribe),
            (0.70, lambda: self.receive(loose, False)),
            (0.76, lambda: self.receive(link, True)),
            (0.84, lambda: self.commit(link)),
            (0.87, lambda: self.back_out(link)),
            (0.90, lambda: self.prepare(link)),
            (0.93, self.decide),
            (0.95, self.subscribe_for_a_while),
            (0.97, self.tick),
        )
        for limit, verb in choices:
            if kind < limit:
                verb()
                return
        self.rare()

    def rare(self) -> None:
        keeper = self.machine.engine.keeper
        kind = self.chance.random()
        if kind < 0.5:
            keeper.begin(False, False)
        elif kind < 0.8:
            keeper.begin(True, False)
        else:
            self.machine.close_handles()
