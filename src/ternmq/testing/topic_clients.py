"""Clients of a simulated world that publish and subscribe. Each durable subscription has a history
of its own, with a deed for each publication that it matches, so that its publications are accounted
for as messages of a queue are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_DURABILITY_NOT_ALLOWED,
    MQRC_NO_SUBSCRIPTION,
    MQRC_PUBLICATION_FAILURE,
    MQRC_PUT_NOT_RETAINED,
    MQRC_SUBSCRIPTION_IN_USE,
)
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.kernel.connection import Connection
from ternmq.mqi.putting import put_request
from ternmq.testing.clients import BUSY, SIZES, Application, Consumer, Doing
from ternmq.testing.history import (
    ACKNOWLEDGED,
    ATTEMPTED,
    BACKED_OUT,
    REFUSED,
    UNKNOWN,
    Deed,
    History,
)
from ternmq.testing.model import Disagreement, body_of, name_of
from ternmq.testing.node import Node, NodeDown
from ternmq.testing.topic_workload import PATTERNS, TOPICS, matches
from ternmq.testing.world import Client, Pause, World
from ternmq.values.calls.messages import Put1
from ternmq.values.calls.objects import Close
from ternmq.values.calls.topics import Subscribe
from ternmq.values.entry import Entry

NOT_NOW: Final = (
    *BUSY,
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_DURABILITY_NOT_ALLOWED,
    MQRC_PUBLICATION_FAILURE,
    MQRC_PUT_NOT_RETAINED,
)
_DURABLE: Final = mq.MQSO_DURABLE | mq.MQSO_MANAGED


@dataclass
class Publication:
    """One that a client has tried; for a unit of work the times are those of its commit."""

    name: str
    topic: str
    retained: bool
    begun_s: float
    ended_s: float = 0.0
    state: str = ATTEMPTED
    deeds: list[tuple[History, Deed]] = field(default_factory=list)

    def end(self, state: str, now_s: float) -> None:
        self.state = state
        self.ended_s = now_s
        for history, deed in self.deeds:
            history.answered(deed, state)


@dataclass
class Lasting:
    """A durable subscription that is there from the beginning to the end."""

    name: str
    pattern: str
    queue: str = ""  # its managed queue
    history: History = field(default_factory=History)


class Board:
    """What all publishers and subscribers of a node share."""

    def __init__(self) -> None:
        self.lasting: list[Lasting] = []
        self.publications: list[Publication] = []


def subscribing(options: int, name: str, topic: str, data: str = "") -> Subscribe:
    return Subscribe(SubscriptionDescriptor(options=options), topic, name, data)


class TopicClient(Application):
    """What publishers and subscribers have in common."""

    def __init__(self, world: World, name: str, node: Node, board: Board) -> None:
        super().__init__(world, name, node)
        self.board = board

    def rest(self) -> Doing:
        yield Pause(self.chance.uniform(0.001, 0.12))  # so that faults find it at work

    def fault(self, error: MQError) -> None:
        self.refused += 1
        if error.reason not in NOT_NOW:
            raise Disagreement(f"{self.name}: {error}") from error


class Publisher(TopicClient):
    """Publishes so many messages, alone and in units of work, some of them retained."""

    def __init__(self, world: World, name: str, node: Node, board: Board, count: int) -> None:
        super().__init__(world, name, node, board)
        self.left = count
        self.count = 0

    def client(self) -> Client:
        while self.left > 0:
            link = yield from self.connected()
            if self.chance.happens(0.4):
                yield from self.unit(link)
            else:
                yield from self.alone(link)
            yield from self.rest()

    def next(self) -> Publication:
        self.left -= 1
        self.count += 1
        topic = self.chance.choice(TOPICS)
        name = f"{self.name}:{self.count}"
        retained = self.chance.happens(0.3)
        one = Publication(name, topic, retained, self.world.now_s)
        for lasting in self.board.lasting:
            if matches(lasting.pattern, topic):
                stream = f"{self.name}/{topic}"
                deed = lasting.history.putting(self.name, name, lasting.name, stream, self.count)
                one.deeds.append((lasting.history, deed))
        self.board.publications.append(one)
        return one

    def put(self, link: Connection, one: Publication, sync: bool) -> Doing:
        options = mq.MQPMO_SYNCPOINT if sync else mq.MQPMO_NO_SYNCPOINT
        options |= mq.MQPMO_RETAIN if one.retained else 0
        md = Descriptor(persistence=mq.MQPER_PERSISTENT, priority=0)
        verbs = self.node.verbs
        request = put_request(verbs.kernel, link, md, PutOptions(options=options), "MQPUT1")
        data = body_of(one.name, self.chance.choice(SIZES))
        od = ObjectDescriptor(object_type=mq.MQOT_TOPIC)
        yield from self.ask(verbs.run(link, Put1(od, request, data, one.topic)))

    def alone(self, link: Connection) -> Doing:
        one = self.next()
        state = UNKNOWN
        try:
            yield from self.put(link, one, False)
            state = ACKNOWLEDGED
        except NodeDown:
            pass
        except MQError as error:
            self.fault(error)
            state = UNKNOWN if self.is_gone(error) else REFUSED
        one.end(state, self.world.now_s)

    def unit(self, link: Connection) -> Doing:
        """Several that come together or not at all."""
        verbs = self.node.verbs
        made: list[Publication] = []
        state = BACKED_OUT
        try:
            for _ in range(min(self.left, self.chance.randrange(1, 5))):
                made.append(self.next())
                yield from self.put(link, made[-1], True)
            if self.chance.happens(0.2):
                yield from self.ask(verbs.back_out(link))
            else:
                state = UNKNOWN
                for one in made:
                    one.begun_s = self.world.now_s
                yield from self.ask(verbs.commit(link))
                state = ACKNOWLEDGED
        except NodeDown:
            pass
        except MQError as error:
            self.fault(error)
            if not self.is_gone(error):
                state = BACKED_OUT
                yield from self.undo(link)
        for one in made:
            one.end(state, self.world.now_s)

    def undo(self, link: Connection) -> Doing:
        try:
            yield from self.ask(self.node.verbs.back_out(link))
        except (NodeDown, MQError):
            pass  # down: the restart undoes it


class Subscriber(Consumer):
    """Gets what is published to a durable subscription, which it resumes whenever it connects."""

    def __init__(self, world: World, name: str, node: Node, lasting: Lasting) -> None:
        super().__init__(world, name, node, lasting.queue)
        self.history = lasting.history
        self.lasting = lasting
        self.resumed = -1  # the life in which it has

    def connected(self) -> Doing:
        while True:
            link = yield from super().connected()
            if self.resumed == self.life:
                return link
            options = mq.MQSO_RESUME | _DURABLE
            call = subscribing(options, self.lasting.name, self.lasting.pattern)
            try:
                yield from self.ask(self.node.verbs.run(link, call))
            except NodeDown:
                continue
            except MQError as error:
                if error.reason not in NOT_NOW:
                    raise Disagreement(f"{self.name}: {error}") from error
                yield from self.rest()
                continue
            if call.done()[0].resolved_name != self.queue:
                raise Disagreement(f"{self.name}: another queue, {call.done()[0].resolved_name}")
            self.resumed = self.life
            return link

    def got(self, entry: Entry | None) -> str:
        return "" if entry is None else name_of(entry.data)


@dataclass
class Short:
    """A durable subscription that a client has made: what it may be like at the end."""

    texts: set[str]  # of user data; empty: it must not be there
    may_be_gone: bool  # its making or removal was not answered, or it was removed


class Flapper(TopicClient):
    """Makes, alters and removes durable subscriptions, and looks in with non-durable ones."""

    def __init__(self, world: World, name: str, node: Node, board: Board, count: int) -> None:
        super().__init__(world, name, node, board)
        self.left = count
        self.count = 0
        self.shorts: dict[str, Short] = {}

    def client(self) -> Client:
        while self.left > 0:
            self.left -= 1
            link = yield from self.connected()
            there = [name for name, one in self.shorts.items() if one.texts]
            kind = self.chance.random()
            if kind < 0.15:
                yield from self.look_in(link)
            elif kind < 0.5 or not there:
                yield from self.make(link)
            elif kind < 0.75:
                yield from self.alter(link, self.chance.choice(there))
            else:
                yield from self.remove(link, self.chance.choice(there))
            yield from self.rest()

    def tried(self, link: Connection, call: Subscribe, options: int) -> Doing:
        """MQSUB and MQCLOSE of both handles: whether the first was answered, and whether all
        were."""
        verbs = self.node.verbs
        answered = False
        try:
            yield from self.ask(verbs.run(link, call))
            answered = True
            queue, subscription = call.done()
            yield from self.ask(verbs.run(link, Close(subscription, options)))
            yield from self.ask(verbs.run(link, Close(queue, 0)))
        except NodeDown:
            return answered, False
        except MQError as error:
            if error.reason == MQRC_NO_SUBSCRIPTION:
                raise
            if error.reason != MQRC_SUBSCRIPTION_IN_USE:  # by a connection that it gave up before
                self.fault(error)
            self.link = None  # its handles stay open there
            return answered, False
        return answered, True

    def look_in(self, link: Connection) -> Doing:
        options = mq.MQSO_CREATE | mq.MQSO_MANAGED
        yield from self.tried(link, subscribing(options, "", self.chance.choice(PATTERNS)), 0)

    def make(self, link: Connection) -> Doing:
        self.count += 1
        name = f"{self.name}.{self.count}"
        one = self.shorts[name] = Short({"v0"}, True)
        options = mq.MQSO_CREATE | _DURABLE
        call = subscribing(options, name, self.chance.choice(PATTERNS), "v0")
        answered, _ = yield from self.tried(link, call, mq.MQCO_KEEP_SUB)
        one.may_be_gone = not answered

    def alter(self, link: Connection, name: str) -> Doing:
        one = self.shorts[name]
        self.count += 1
        text = f"v{self.count}"
        one.texts.add(text)
        try:
            call = subscribing(mq.MQSO_ALTER | _DURABLE, name, "", text)
            answered, _ = yield from self.tried(link, call, mq.MQCO_KEEP_SUB)
        except MQError as error:
            self._was_gone(one, name, error)
            return
        if answered:
            one.texts = {text}
            one.may_be_gone = False

    def remove(self, link: Connection, name: str) -> Doing:
        one = self.shorts[name]
        before = one.may_be_gone
        one.may_be_gone = True
        try:
            call = subscribing(mq.MQSO_RESUME | _DURABLE, name, "")
            answered, done = yield from self.tried(link, call, mq.MQCO_REMOVE_SUB)
        except MQError as error:
            one.may_be_gone = before
            self._was_gone(one, name, error)
            return
        if not answered:
            one.may_be_gone = before
        elif done:
            one.texts = set()

    def _was_gone(self, one: Short, name: str, error: MQError) -> None:
        if not one.may_be_gone:
            raise Disagreement(f"{self.name}: {name} is not there: {error}") from error
        one.texts = set()
