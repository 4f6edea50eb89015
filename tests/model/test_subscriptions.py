"""Goal: whatever is subscribed to, altered, removed, published and retained, in whatever order, and
however often the queue manager ends, is killed or loses power in between, each subscription has
exactly the publications that it should, and a late one what is retained.

Method: Hypothesis draws the steps; a reference of a few lines says who has what; a simulated
machine carries them out.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from ternmq import constants as mq
from ternmq.base.reasons import MQRC_SUB_ALREADY_EXISTS
from ternmq.testing.topic_workload import PATTERNS, TOPICS, matches
from tests.conformance.pubsub.bed import ALTER, D, M, R, Sub, reason_of
from tests.conformance.pubsub.crash_bed import CrashBed

pytestmark = pytest.mark.core

NAMES = ("S1", "S2", "S3", "S4", "S5")


@dataclass
class Reference:
    """A subscription."""

    pattern: str
    durable: bool
    user_data: str = "v0"
    held: list[tuple[str, bool]] = field(default_factory=list)  # text, persistent
    open: Sub | None = None  # a non-durable one is held open


def by_topic(texts: list[str]) -> dict[str, list[str]]:
    """Publications of one topic have an order, those of several need not have one."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for text in texts:
        found[text.split("|")[0]].append(text)
    return dict(found)


class Subscriptions(RuleBasedStateMachine):
    """The steps."""

    @initialize()
    def begin(self) -> None:
        self.bed = CrashBed()
        self.there: dict[str, Reference] = {}
        self.retained: dict[str, tuple[str, bool]] = {}
        self.replaced: dict[str, str] = {}  # the persistent one before a volatile one
        self.count = 0
        self._consolidate_early()

    def _consolidate_early(self) -> None:
        self.bed.pubsub.store.together = 2

    @rule(
        name=st.sampled_from(NAMES),
        pattern=st.sampled_from(PATTERNS),
        durable=st.booleans(),
        new_only=st.booleans(),
    )
    def subscribe(self, name: str, pattern: str, durable: bool, new_only: bool) -> None:
        options = M | (D if durable else 0)
        options |= mq.MQSO_NEW_PUBLICATIONS_ONLY if new_only else 0
        if name in self.there:
            assert reason_of(self.bed.sub, pattern, options, name) == MQRC_SUB_ALREADY_EXISTS
            return
        made = self.bed.sub(pattern, options, name, user_data="v0")
        one = self.there[name] = Reference(pattern, durable)
        if not new_only:
            one.held = [held for topic, held in self.retained.items() if matches(pattern, topic)]
        if durable:
            made.end(mq.MQCO_KEEP_SUB)
        else:
            one.open = made

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def alter(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.there)))
        one = self.there[name]
        if one.durable:
            one.user_data = f"v{self.count}"
            made = self.bed.sub("", M | D, name, action=ALTER, user_data=one.user_data)
            made.end(mq.MQCO_KEEP_SUB)

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.there)))
        one = self.there.pop(name)
        if one.open is not None:
            one.open.end()
        else:
            self.bed.sub("", M | D, name, action=R).end(mq.MQCO_REMOVE_SUB)

    @rule(
        topic=st.sampled_from(TOPICS),
        retain=st.booleans(),
        persistent=st.booleans(),
        unit=st.sampled_from(("", "", "commit", "back out")),
    )
    def publish(self, topic: str, retain: bool, persistent: bool, unit: str) -> None:
        self.count += 1
        text = f"{topic}|{self.count}"
        options = mq.MQPMO_RETAIN if retain else 0
        options |= mq.MQPMO_SYNCPOINT if unit else 0
        self.bed.pub(topic, text, options, persistent=persistent)
        if unit == "back out":
            self.bed.connection.backout()
            return
        if unit:
            self.bed.connection.commit()
        for one in self.there.values():
            if matches(one.pattern, topic):
                one.held.append((text, persistent))
        if retain:
            before = self.retained.get(topic)
            if persistent:
                self.replaced.pop(topic, None)
            elif before is not None and before[1]:
                self.replaced[topic] = before[0]
            self.retained[topic] = (text, persistent)

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def receive(self, data: st.DataObject) -> None:
        self._check(data.draw(st.sampled_from(sorted(self.there))))

    def _check(self, name: str) -> None:
        one = self.there[name]
        made = one.open or self.bed.sub("", M | D, name, action=R)
        assert by_topic(made.texts()) == by_topic([text for text, _ in one.held])
        one.held = []
        assert self.bed.pubsub.by_name[name].user_data == one.user_data
        if one.open is None:
            made.end(mq.MQCO_KEEP_SUB)

    @rule()
    def tick(self) -> None:
        self.bed.tick()

    @rule(how=st.sampled_from(("end", "kill", "crash")))
    def restart(self, how: str) -> None:
        self.bed.restart(how)
        self._consolidate_early()
        self._forget_volatile(how)
        self.there = {name: one for name, one in self.there.items() if one.durable}
        for one in self.there.values():
            one.held = [held for held in one.held if held[1]]
        assert set(self.bed.pubsub.by_name) == set(self.there)
        assert len(self.bed.managed()) == len(self.there)

    def _forget_volatile(self, how: str) -> None:
        """A publication that is not persistent is lost, and if the queue manager did not end by
        itself, so may be that it took the place of one that is."""
        for topic in [topic for topic, (_, lasts) in self.retained.items() if not lasts]:
            node = self.bed.pubsub.tree.find(topic)
            before = self.replaced.pop(topic, None)
            del self.retained[topic]
            if node is not None and node.retained is not None:
                assert how != "end"
                assert before is not None
                self.retained[topic] = (before, True)

    def teardown(self) -> None:
        if not hasattr(self, "bed"):
            return
        for name in list(self.there):
            self._check(name)
        found = self.bed.sub("#", M)
        assert by_topic(found.texts()) == by_topic([text for text, _ in self.retained.values()])
        self.bed.close()


TestSubscriptions = Subscriptions.TestCase
TestSubscriptions.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)
