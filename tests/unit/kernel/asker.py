"""A connection whose gets the test carries out step by step."""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.get import get, resume
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import open_queue
from ternmq.ports.effect import Effect
from ternmq.store.fetching import MessageFetch, SegmentFetch
from ternmq.store.queue import Queue as Storage
from ternmq.store.scanning import SegmentScan
from ternmq.values.get_request import GetRequest
from tests.model.rig import Rig


class Asker:
    """One connection that gets step by step, and counts what each step and the disk did."""

    def __init__(self, rig: Rig, name: str, selector: str = "") -> None:
        self.rig = rig
        self.kernel = rig.engine.kernel
        self.link: Connection = rig.engine.connect("tester", "asker")
        options = mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE
        handle = open_queue(self.kernel, self.link, name, "", "AMQ.*", options, selector=selector)
        assert handle is not None
        self.handle: Handle = handle
        assert handle.local is not None
        self.queue: Storage = handle.local.queue
        self.steps = 0
        self.messages_read = 0
        self.segments_read = 0
        self.most_in_memory = 0

    def ask(self, request: GetRequest) -> GetCall:
        call = get(self.kernel, self.link, self.handle, request)
        while self.goes_on():
            resume(self.kernel, call)
        return call

    def goes_on(self) -> bool:
        self.steps += 1
        assert self.steps < 2000, "the get does not end"
        self.most_in_memory = max(self.most_in_memory, int(self.queue.available))
        if self.link.park is not None:
            self.run(self.link.park)
            return True
        return self.link.again

    def run(self, effect: Effect) -> None:
        if isinstance(effect, MessageFetch):
            self.messages_read += 1
        elif isinstance(effect, (SegmentFetch, SegmentScan)):
            self.segments_read += 1
        if not effect.done:
            self.rig.engine.outbox.effects.remove(effect)
            effect.claimed = True
            self.rig.shell.run_claimed(effect)
