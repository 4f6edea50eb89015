"""Goal: gets in logical order take what a slow and simple reading of the rules says.
Method: queues of messages by chance, in groups and in none, as segments and not, some of them twice
and some missing; gets with the three options, in units of work that are backed out; in memory and
swept.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ternmq
from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from tests.battery.places import sweep
from tests.model.group_audit import Row, is_group_there, is_message_there

pytestmark = [pytest.mark.core, pytest.mark.timeout(120)]

ORDER = mq.MQGMO_LOGICAL_ORDER
ALL = mq.MQGMO_ALL_MSGS_AVAILABLE
ALL_SEGMENTS = mq.MQGMO_ALL_SEGMENTS_AVAILABLE
SEGMENT = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT
SIZE = 3_000


class Letter(NamedTuple):
    """A message as the reference knows it."""

    tag: int
    group: int  # 0: none
    number: int
    offset: int
    flags: int
    priority: int

    def row(self) -> Row:
        return (self.number, self.offset, self.tag, self.flags, SIZE, 0, self.priority, None)


class Place(NamedTuple):
    """What follows in the current group."""

    group: int
    number: int
    offset: int
    in_message: bool


class Reference:
    """The rules, read slowly."""

    def __init__(self) -> None:
        self.letters: list[Letter] = []
        self.place: Place | None = None

    def rows(self, group: int) -> list[Row]:
        return sorted(one.row() for one in self.letters if one.group == group)

    def first(self, group: int, number: int, offset: int) -> Letter | None:
        fitting = [one for one in self.letters if one[1:4] == (group, number, offset)]
        return min(fitting, default=None)

    def may_begin(self, letter: Letter, options: int) -> bool:
        if letter.group == 0:
            return True
        if self.first(letter.group, 1, 0) != letter:
            return False
        rows = self.rows(letter.group)
        if options & ALL:
            return is_group_there(rows)
        return not options & ALL_SEGMENTS or is_message_there(rows, 1)

    def find(self, options: int) -> Letter | None:
        place = self.place
        if place is None:
            order = sorted(self.letters, key=lambda one: (-one.priority, one.tag))
            return next((one for one in order if self.may_begin(one, options)), None)
        letter = self.first(place.group, place.number, place.offset)
        if letter is None or place.in_message or not options & ALL_SEGMENTS:
            return letter
        return letter if is_message_there(self.rows(place.group), place.number) else None

    def get(self, options: int) -> Letter | None:
        letter = self.find(options)
        if letter is None:
            return None
        self.letters.remove(letter)
        in_message = letter.flags & SEGMENT and not letter.flags & mq.MQMF_LAST_SEGMENT
        self.place = None
        if in_message:
            self.place = Place(letter.group, letter.number, letter.offset + SIZE, True)
        elif letter.group and not letter.flags & mq.MQMF_LAST_MSG_IN_GROUP:
            self.place = Place(letter.group, letter.number + 1, 0, False)
        return letter


@st.composite
def letters(draw: st.DrawFn) -> list[Letter]:
    found = []
    for tag in range(draw(st.integers(1, 40))):
        group = draw(st.sampled_from([0, 1, 1, 2, 2, 3]))
        number, offset, flags = 1, 0, 0
        if group:
            number = draw(st.integers(1, 3))
            flags = mq.MQMF_MSG_IN_GROUP
            if number == 3:
                flags |= mq.MQMF_LAST_MSG_IN_GROUP
            if number == group:  # one logical message of each group is in segments
                offset = draw(st.sampled_from([0, SIZE]))
                flags |= mq.MQMF_SEGMENT | (mq.MQMF_LAST_SEGMENT if offset else 0)
        priority = draw(st.sampled_from([4, 4, 4, 7]))
        found.append(Letter(tag, group, number, offset, flags, priority))
    return found


def put(queue: ternmq.Queue, letter: Letter) -> None:
    md = Descriptor(version=2, msg_flags=letter.flags, priority=letter.priority)
    if letter.group:
        md.group_id = b"%d" % letter.group * 24
        md.msg_seq_number = letter.number
        md.offset = letter.offset
    queue.put(b"%d" % letter.tag + b" " * (SIZE - len(str(letter.tag))), descriptor=md)


options_of_gets = st.lists(
    st.sampled_from([ORDER, ORDER | ALL, ORDER | ALL_SEGMENTS]), min_size=1, max_size=30
)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(letters(), options_of_gets, st.integers(0, 10), st.booleans(), st.integers(0, 40))
def test_gets_in_logical_order_take_what_the_reference_takes(
    given_letters: list[Letter],
    options: list[int],
    undone: int,
    is_swept: bool,
    later: int,
) -> None:
    """Some gets are backed out first; some messages arrive only after a few gets."""
    reference = Reference()
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q", nonpersistent_buffer=65_536)
        with qmgr.queue("Q") as queue:
            for letter in given_letters[: later + 1]:
                put(queue, letter)
                reference.letters.append(letter)
            if is_swept:
                sweep(qmgr, "Q")
            before = (list(reference.letters), reference.place)
            for which in options[:undone]:
                compare(queue, reference, which)
            qmgr.backout()
            reference.letters, reference.place = before
            for at, which in enumerate(options):
                if at == 3:
                    for letter in given_letters[later + 1 :]:
                        put(queue, letter)
                        reference.letters.append(letter)
                compare(queue, reference, which)
            qmgr.commit()


def compare(queue: ternmq.Queue, reference: Reference, options: int) -> None:
    expected = reference.get(options)
    message = queue.try_get(options=options, syncpoint=True)
    found = None if message is None else int(message.data)
    assert found == (None if expected is None else expected.tag)
