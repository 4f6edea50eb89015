"""The stage of the state machine: connections, handles, asking both sides and comparing.

The engine is asked first. It may have to back out the oldest unit of work for room in the log; that
unit is then backed out in the model as well, and its owner must hear of it at every verb of the
unit until it ends that.
"""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from ternmq import MQError
from ternmq.api.connection import Connection
from ternmq.api.queue import Queue
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.values.message import Message
from tests.model.reference import (
    ANY,
    SELECTORS,
    Letter,
    Model,
    ModelHandle,
    ModelQueue,
    Properties,
    Wanted,
)
from tests.model.rig import Rig
from tests.mqi import mqi

T = TypeVar("T")
TENTH_NS = 100_000_000
OPEN = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE
NAMES = ("A", "B", "C")
IDS = [bytes([65 + at]) * 24 for at in range(3)]
BUFFER = 65_536
# What properties a message may have.
LOOKS: list[Properties] = [
    {},
    {"number": 1, "colour": "red"},
    {"number": 5, "colour": "blue"},
    {"number": 3, "colour": "green", "text": "long " * 200},
    {"number": 9},
    {"colour": "red", "text": "longer " * 1500},
]

connections = st.integers(0, 2)
names = st.sampled_from(NAMES)
looks = st.integers(0, len(LOOKS) - 1)
selectors = st.sampled_from([""] * 3 + list(SELECTORS))


class Stage(RuleBasedStateMachine):
    """Three connections, three queues, one log that is too small."""

    log_kind = CIRCULAR

    @initialize(pages=st.sampled_from([16, 32, 64]))
    def create(self, pages: int) -> None:
        parameters = LogParameters(self.log_kind, 3, 2, pages, self.log_kind == LINEAR)
        self.rig = Rig(parameters)
        self.model = Model()
        self.connections: dict[int, Connection] = {}
        self.open: dict[tuple[int, str, str], Queue] = {}
        self.doomed: set[int] = set()
        self.tokens: dict[int, bytes] = {}
        self.next_tag = 1
        self.notes: Counter[str] = Counter()
        for name in NAMES:
            self.define(name, 200, fifo=name == "B", keeps_plain=name == "C", default_priority=4)

    # ---- plumbing

    def note(self, what: str) -> None:
        """Count what happened, to see that walks go where they should."""
        self.notes[what] += 1

    @property
    def now_ns(self) -> int:
        return self.rig.clock.ns

    def connection(self, number: int) -> Connection:
        if number not in self.connections:
            qmgr = self.rig.qmgr
            made = qmgr if number == 0 else qmgr.connect()
            made.transport.warns = False  # a crash drops it, and the application with it
            self.connections[number] = made
        return self.connections[number]

    def handle(self, number: int, name: str, selector: str = "") -> tuple[Queue, ModelHandle]:
        """The one handle of a connection for a queue and a selection string; the queue is defined
        if it is not there."""
        if name not in self.model.queues:
            self.define(name, 200, False, False, 4)
        key = (number, name, selector)
        if key not in self.open:
            connection = self.connection(number)
            self.open[key] = connection.queue(name, options=OPEN, selector=selector)
            self.model.handles[key] = ModelHandle(self.model.queues[name], selector)
        return self.open[key], self.model.handles[key]

    def ask(
        self, number: int, verb: Callable[[], T], syncpoint: bool | None = False
    ) -> tuple[T | None, int]:
        """Call a verb; its result or the message of a warning, and its reason. `syncpoint`: whether
        it is in the unit of work; None if that depends on the message."""
        was_doomed = number in self.doomed
        result: T | None = None
        reason = 0
        try:
            result = verb()
        except MQError as error:
            reason = error.reason
            result = error.result
        self.learn_of_victims()
        if reason == rc.MQRC_BACKED_OUT:
            assert syncpoint is not False, "refused outside the unit"
            if number not in self.doomed:  # its own unit went while it was to be prepared
                self.model.back_out(number, False)
            unit = mqi(self.connections[number]).link.unit
            if unit is None or not unit.backed_out_by:  # the verb has ended it
                self.doomed.discard(number)
            self.note("told of a backout")
        elif syncpoint:
            is_doomed = was_doomed or number in self.doomed
            assert not is_doomed or reason, "went on in a dead unit"
        if reason == rc.MQRC_RESOURCE_PROBLEM:
            self.note("log full")
        return result, reason

    def order(self, command: Callable[[], None]) -> int:
        """Run a command, which belongs to no unit of work; its reason."""
        reason = 0
        try:
            command()
        except MQError as error:
            reason = error.reason
        self.learn_of_victims()
        return reason

    def learn_of_victims(self) -> None:
        """Units that the engine has backed out for room in the log."""
        for number, connection in self.connections.items():
            unit = mqi(connection).link.unit
            if unit is not None and unit.backed_out_by and number not in self.doomed:
                self.model.back_out(number, False)
                self.doomed.add(number)
                self.note("victim of a full log")

    def wanted(self, number: int, queue: ModelQueue, want: tuple[str, int]) -> Wanted:
        kind, at = want
        if kind == "strange":
            return Wanted(msg_id=b"nobody has this".ljust(24))
        candidates = queue.visible + self.model.own(number, queue)
        if kind == "any" or not candidates:
            return ANY
        letter = candidates[at % len(candidates)]
        if kind == "msg_id":
            return Wanted(msg_id=letter.msg_id)
        if kind == "correl_id":
            return Wanted(correl_id=letter.correl_id) if any(letter.correl_id) else ANY
        if kind == "both" and any(letter.correl_id):
            return Wanted(msg_id=letter.msg_id, correl_id=letter.correl_id)
        if kind == "token" and letter.tag in self.tokens:
            return Wanted(tag=letter.tag)
        return ANY

    def same(self, message: Message, letter: Letter) -> None:
        """The engine's message is the model's."""
        assert int.from_bytes(message.data[:8], "big") == letter.tag
        assert message.length == letter.size
        assert message.msg_id == letter.msg_id
        assert message.correl_id == letter.correl_id
        assert message.properties.as_dict() == letter.properties
        assert message.persistent == letter.persistent
        assert message.priority == letter.priority == message.descriptor.priority
        assert letter.backouts <= message.backout_count <= letter.backouts + letter.unsure
        letter.backouts = message.backout_count
        if letter.unsure:
            letter.hardened = letter.backouts
            letter.unsure = 0
        if letter.expires_ns is None:
            assert message.descriptor.expiry == -1
        else:
            left = (letter.expires_ns - self.now_ns) // TENTH_NS
            assert message.descriptor.expiry == max(left, 1)
        self.tokens[letter.tag] = message.token

    def compare(self, model: Model) -> str:
        """How the messages of all queues differ from a model's; empty if they do not."""
        for name, queue in model.queues.items():
            if queue.get_inhibited:
                self.rig.qmgr.alter_queue(name, get=0)
                queue.get_inhibited = False
            with self.rig.qmgr.queue(name) as real:
                browsed = list(real.browse())
                found = [
                    (int.from_bytes(message.data[:8], "big"), message.backout_count)
                    for message in browsed
                ]
                low, high = queue.depths(self.now_ns)
                if not low <= real.depth <= high:
                    return f"{name}: depth {real.depth}, not {low} to {high}"
            living = queue.living(self.now_ns)
            if [tag for tag, _ in found] != [letter.tag for letter in living]:
                return f"{name}: {found} and not {[(one.tag, one.backouts) for one in living]}"
            for message, letter in zip(browsed, living, strict=True):
                if message.properties.as_dict() != letter.properties:
                    return f"{name}: message {letter.tag} has {message.properties.as_dict()}"
            for (tag, count), letter in zip(found, living, strict=True):
                if not letter.backouts <= count <= letter.backouts + letter.unsure:
                    return f"{name}: message {tag} backed out {count} times, not {letter.backouts}"
        return ""

    def define(
        self, name: str, max_depth: int, fifo: bool, keeps_plain: bool, default_priority: int
    ) -> None:
        reason = self.order(
            lambda: self.rig.qmgr.define_queue(
                name,
                max_depth=max_depth,
                delivery="FIFO" if fifo else "PRIORITY",
                nonpersistent_class="HIGH" if keeps_plain else "NORMAL",
                default_priority=default_priority,
                persistent_buffer=BUFFER,
                nonpersistent_buffer=BUFFER,
            )
        )
        assert reason == 0
        self.model.queues[name] = ModelQueue(name, fifo, max_depth, keeps_plain, default_priority)
