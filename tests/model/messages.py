"""The rules about messages: put, get, browse, lock, in and out of syncpoint."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from ternmq.api.queue import Queue
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.message import Message
from tests.model.reference import Letter, ModelHandle, ModelQueue, Wanted
from tests.model.stage import (
    IDS,
    LOOKS,
    TENTH_NS,
    Stage,
    connections,
    looks,
    names,
    selectors,
)

sizes = st.sampled_from([8, 500, 5_000, 15_000, 30_000])
some_ids = st.none() | st.sampled_from(IDS)
priorities = st.none() | st.integers(0, 9)
expiries = st.sampled_from([None, None, None, 1, 20])  # tenths of a second


def grouped(tag: int, size: int) -> Descriptor | None:
    """The descriptor of a message that is in a group; None: one in three is in none. Of two groups
    some messages come twice and some never, and some are segments that follow one another."""
    if tag % 3 == 0:
        return None
    number = 1 + tag // 3 % 4
    flags = mq.MQMF_MSG_IN_GROUP
    offset = 0
    if number == 4:
        flags |= mq.MQMF_LAST_MSG_IN_GROUP
    if tag % 5 < 3:
        offset = tag % 5 * size
        flags |= mq.MQMF_SEGMENT | (mq.MQMF_LAST_SEGMENT if tag % 5 == 2 else 0)
    return Descriptor(
        version=2,
        group_id=IDS[tag % 2],
        msg_seq_number=number,
        offset=offset,
        msg_flags=flags,
    )


@st.composite
def wants(draw: st.DrawFn) -> tuple[str, int]:
    """How to choose a message: which of its fields, and how far down the queue it lies."""
    kinds = ["any", "any", "msg_id", "correl_id", "both", "token", "strange"]
    return draw(st.sampled_from(kinds)), draw(st.integers(0, 12))


class MessageRules(Stage):
    """MQPUT and MQGET in all their forms."""

    @rule(
        number=connections,
        name=names,
        size=sizes,
        priority=priorities,
        persistent=st.booleans(),
        expiry=expiries,
        msg_id=some_ids,
        correl_id=some_ids,
        syncpoint=st.booleans(),
        look=looks,
    )
    def put(
        self,
        number: int,
        name: str,
        size: int,
        priority: int | None,
        persistent: bool,
        expiry: int | None,
        msg_id: bytes | None,
        correl_id: bytes | None,
        syncpoint: bool,
        look: int = 0,
    ) -> None:
        queue, handle = self.handle(number, name)
        letter = Letter(
            self.next_tag,
            size,
            handle.queue.default_priority if priority is None else priority,
            persistent,
            b"",
            correl_id or bytes(24),
            None if expiry is None else self.now_ns + expiry * TENTH_NS,
            LOOKS[look],
        )
        self.next_tag += 1
        self._put(number, queue, handle.queue, letter, priority, expiry, msg_id, syncpoint)

    @rule(
        number=connections,
        name=names,
        count=st.integers(2, 40),
        size=st.sampled_from([1_000, 3_000, 6_000, 15_000]),
        levels=st.sampled_from([1, 1, 1, 2]),
        persistent=st.sampled_from(["all", "none", "some"]),
        ids=some_ids,
        syncpoint=st.booleans(),
        has_properties=st.booleans(),
    )
    def put_many(
        self,
        number: int,
        name: str,
        count: int,
        size: int,
        levels: int,
        persistent: str,
        ids: bytes | None,
        syncpoint: bool,
        has_properties: bool = False,
    ) -> None:
        """Enough to fill a buffer and an extent."""
        for at in range(count):
            lasting = persistent == "all" or (persistent == "some" and at % 2 == 0)
            expiry = 20 if at % 7 == 3 else None
            look = at % len(LOOKS) if has_properties else 0
            self.put(number, name, size, at % levels, lasting, expiry, ids, ids, syncpoint, look)

    @rule(
        number=connections, name=names, count=st.integers(2, 8), size=sizes, lasting=st.booleans()
    )
    def put_some(self, number: int, name: str, count: int, size: int, lasting: bool) -> None:
        for _ in range(count):
            self.put(number, name, size, None, lasting, None, None, None, False)

    def _put(
        self,
        number: int,
        queue: Queue,
        target: ModelQueue,
        letter: Letter,
        priority: int | None,
        expiry: int | None,
        msg_id: bytes | None,
        syncpoint: bool,
    ) -> None:
        low, high = target.depths(self.now_ns)
        given, reason = self.ask(
            number,
            lambda: queue.put(
                letter.tag.to_bytes(8, "big").ljust(letter.size, b"."),
                persistent=letter.persistent,
                priority=priority,
                expiry=None if expiry is None else expiry / 10,
                msg_id=msg_id,
                correl_id=letter.correl_id if any(letter.correl_id) else None,
                descriptor=grouped(letter.tag, letter.size),
                syncpoint=syncpoint,
                properties=letter.properties or None,
            ),
            syncpoint,
        )
        if reason in (rc.MQRC_BACKED_OUT, rc.MQRC_RESOURCE_PROBLEM):
            assert reason == rc.MQRC_BACKED_OUT or letter.persistent
            return
        # Units of work that were backed out for room have changed the depth meanwhile.
        after = target.depths(self.now_ns)
        low, high = min(low, after[0]), max(high, after[1])
        if target.put_inhibited:
            assert reason == rc.MQRC_PUT_INHIBITED
        elif low >= target.max_depth:
            assert reason == rc.MQRC_Q_FULL
        elif reason == rc.MQRC_Q_FULL:
            assert high >= target.max_depth
        else:
            assert reason == 0
            assert given is not None
            assert msg_id in (None, given)
            letter.msg_id = given
            self.model.put(number, target, letter, syncpoint)

    @rule(
        number=connections,
        name=names,
        count=st.integers(1, 20),
        inside=st.booleans(),
        selector=selectors,
    )
    def get_many(
        self, number: int, name: str, count: int, inside: bool, selector: str = ""
    ) -> None:
        for _ in range(count):
            self.get(number, name, ("any", 0), 1, "in" if inside else "out", "", selector)

    @rule(
        number=connections,
        name=names,
        places=st.lists(st.integers(0, 60), min_size=1, max_size=8),
        by=st.sampled_from(["msg_id", "correl_id", "token"]),
    )
    def get_from_the_middle(self, number: int, name: str, places: list[int], by: str) -> None:
        """Holes in the middle of the queue, for a unit of work to fill again."""
        for place in places:
            self.get(number, name, (by, place), 1, "in", "")

    @rule(
        number=connections,
        name=names,
        want=wants(),
        count=st.sampled_from([1, 1, 3, 9]),
        point=st.sampled_from(["in", "out", "if persistent"]),
        short=st.sampled_from(["", "", "", "cut", "accept"]),
        selector=selectors,
    )
    def get(
        self,
        number: int,
        name: str,
        want: tuple[str, int],
        count: int,
        point: str,
        short: str,
        selector: str = "",
    ) -> None:
        for _ in range(count):
            queue, handle = self.handle(number, name, selector)
            wanted = self.wanted(number, handle.queue, want)
            options = mq.MQGMO_SYNCPOINT_IF_PERSISTENT if point == "if persistent" else 0
            if short == "accept":
                options |= mq.MQGMO_ACCEPT_TRUNCATED_MSG
            self._get(number, queue, handle, wanted, point, short, options)

    def _get(
        self,
        number: int,
        queue: Queue,
        handle: ModelHandle,
        wanted: Wanted,
        point: str,
        short: str,
        options: int,
    ) -> None:
        target = handle.queue
        message, reason = self.ask(
            number,
            lambda: queue.try_get(
                msg_id=wanted.msg_id,
                correl_id=wanted.correl_id,
                token=None if wanted.tag is None else self.tokens[wanted.tag],
                max_length=400 if short else None,
                options=options,
                syncpoint=point == "in",
            ),
            None if point == "if persistent" else point == "in",
        )
        if reason in (rc.MQRC_BACKED_OUT, rc.MQRC_RESOURCE_PROBLEM):
            return
        if target.get_inhibited:
            assert reason == rc.MQRC_GET_INHIBITED
            return
        own = [] if point == "out" else self.model.own(number, target)
        if point == "if persistent":
            own = [one for one in own if one.persistent]
        letter = target.first(wanted, handle, self.now_ns, own)
        if letter is None:
            assert message is None
            assert reason == 0
            return
        assert message is not None, f"message {letter.tag} was not found"
        self.same(message, letter)
        cut = bool(short) and letter.size > 400
        assert message.truncated == cut
        assert reason == (rc.MQRC_TRUNCATED_MSG_FAILED if cut and short == "cut" else 0)
        if reason == 0:
            inside = point == "in" or (point == "if persistent" and letter.persistent)
            if letter is handle.locked:
                handle.unlock()
            if letter in own:
                self.note("own put got")
            self.model.take(number, target, letter, inside)

    @rule(
        number=connections,
        name=names,
        count=st.sampled_from([1, 1, 5]),
        first=st.booleans(),
        want=wants(),
        lock=st.booleans(),
        selector=selectors,
    )
    def browse_some(
        self,
        number: int,
        name: str,
        count: int,
        first: bool,
        want: tuple[str, int],
        lock: bool,
        selector: str = "",
    ) -> None:
        for at in range(count):
            self.browse(number, name, first and at == 0, want, lock, selector)

    def browse(
        self,
        number: int,
        name: str,
        first: bool,
        want: tuple[str, int],
        lock: bool,
        selector: str = "",
    ) -> None:
        queue, handle = self.handle(number, name, selector)
        wanted = self.wanted(number, handle.queue, want)
        options = mq.MQGMO_BROWSE_FIRST if first else mq.MQGMO_BROWSE_NEXT
        message, reason = self.ask(
            number,
            lambda: queue.try_get(
                msg_id=wanted.msg_id,
                correl_id=wanted.correl_id,
                token=None if wanted.tag is None else self.tokens[wanted.tag],
                options=options | (mq.MQGMO_LOCK if lock else 0),
            ),
        )
        if handle.queue.get_inhibited:
            assert reason == rc.MQRC_GET_INHIBITED
            return
        own = self.model.own(number, handle.queue)
        letter = handle.browse(first, wanted, lock, self.now_ns, own)
        if letter in own:
            self.note("own put browsed")
        if letter is None:
            assert message is None
        else:
            assert message is not None, f"message {letter.tag} was not shown"
            self.same(message, letter)

    @rule(
        number=connections,
        name=names,
        what=st.sampled_from(["browse", "get", "unlock"]),
        option=st.booleans(),
        selector=selectors,
    )
    def at_cursor(
        self, number: int, name: str, what: str, option: bool, selector: str = ""
    ) -> None:
        if what == "browse":
            self.browse_under_cursor(number, name, option, selector)
        elif what == "get":
            self.get_under_cursor(number, name, option, selector)
        else:
            self.unlock(number, name, selector)

    def browse_under_cursor(self, number: int, name: str, lock: bool, selector: str) -> None:
        queue, handle = self.handle(number, name, selector)
        options = mq.MQGMO_BROWSE_MSG_UNDER_CURSOR | (mq.MQGMO_LOCK if lock else 0)
        message, reason = self.ask(number, lambda: queue.try_get(options=options))
        own = self.model.own(number, handle.queue)
        letter = self._under_cursor(handle, message, reason, own)
        if letter is not None:
            handle.show(letter, lock)

    def get_under_cursor(self, number: int, name: str, syncpoint: bool, selector: str) -> None:
        queue, handle = self.handle(number, name, selector)
        message, reason = self.ask(
            number,
            lambda: queue.try_get(options=mq.MQGMO_MSG_UNDER_CURSOR, syncpoint=syncpoint),
            syncpoint,
        )
        own = self.model.own(number, handle.queue) if syncpoint else []
        letter = self._under_cursor(handle, message, reason, own)
        if letter is not None:
            if letter is handle.locked:
                handle.unlock()
            self.model.take(number, handle.queue, letter, syncpoint)

    def _under_cursor(
        self, handle: ModelHandle, message: Message | None, reason: int, own: list[Letter]
    ) -> Letter | None:
        if reason in (rc.MQRC_BACKED_OUT, rc.MQRC_RESOURCE_PROBLEM):
            return None
        if handle.queue.get_inhibited:
            assert reason == rc.MQRC_GET_INHIBITED
            return None
        letter = handle.at_cursor(self.now_ns, own)
        # A message that was got and came back may be under the cursor or not: MQ does not say.
        if letter is None or (handle.was_taken and message is None):
            assert reason == rc.MQRC_NO_MSG_UNDER_CURSOR
            return None
        assert message is not None, f"message {letter.tag} is under the cursor"
        self.same(message, letter)
        return letter

    def unlock(self, number: int, name: str, selector: str) -> None:
        queue, handle = self.handle(number, name, selector)
        _, reason = self.ask(number, lambda: queue.try_get(options=mq.MQGMO_UNLOCK))
        assert reason == (0 if handle.unlock() else rc.MQRC_NO_MSG_LOCKED)
