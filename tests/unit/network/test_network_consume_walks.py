"""Goal: whatever several clients do with their consumers, in whatever order, no message is lost,
and none is had twice by those who committed it.

Method: walks from a seed. Partners in one loop ask for messages inside and outside syncpoint, with
small and large windows, commit, back out, stop and start consumption, close and open, vanish;
others put meanwhile. In the end each message was had for good by one client, or lies on the queue.
"""

import random

import pytest

from ternmq.base import constants as mq
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

MD_BYTES = 364
OPEN = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT
STEPS = 250
QUEUES = ("A", "B")


class Client:
    """One conversation that consumes from two queues, and what it has."""

    def __init__(self, partner: Partner, syncpoint: bool) -> None:
        self.partner = partner
        self.syncpoint = syncpoint  # all of its gets are inside, or all outside
        self.handles: dict[str, int] = {}
        self.received: dict[int, int] = {}  # bytes of a handle that were not told
        self.index = 0
        self.open_gets: list[bytes] = []  # had inside syncpoint, and not committed
        self.for_good: list[bytes] = []

    @classmethod
    async def come(cls, place: Place, syncpoint: bool) -> "Client":
        partner = Partner(place.host)
        await partner.open_channel()
        assert (await partner.connect())["reason"] == 0
        client = cls(partner, syncpoint)
        for name in QUEUES:
            await client.open(name)
        return client

    async def open(self, name: str) -> None:
        handle = await self.answer_to(
            fap.MQOPEN, self.partner.open_values(name, OPEN), fap.MQOPEN + fap.REPLY
        )
        self.handles[name] = handle
        self.received[handle] = 0

    def look(self) -> None:
        """Take what has come: messages are had, replies are for `answer_to`."""
        kept = []
        for one in self.partner.look():
            if one.header.type != fap.ASYNC_MESSAGE:
                kept.append(one)
                if one.header.type == fap.MQCMIT + fap.REPLY:
                    self.for_good += self.open_gets
                if one.header.type in (fap.MQCMIT + fap.REPLY, fap.MQBACK + fap.REPLY):
                    self.open_gets = []  # what comes after it is of the next unit
                continue
            values = read_body(one, 10).values
            body: bytes = values["data"][: values["actual_length"]]
            (self.open_gets if self.syncpoint else self.for_good).append(body)
            self.received[values["handle"]] += MD_BYTES + len(body)
            self.index = values["global_message_index"]
        self.partner.came[:] = kept

    async def answer_to(self, type: int, values: dict[str, object], reply: int) -> int:
        """A call; its handle. Messages may come before the answer."""
        self.look()
        self.partner.came.clear()  # notifications that nobody waits for
        self.partner.send_flow(type, values)
        while True:
            self.look()
            for one in list(self.partner.came):
                if one.header.type == reply:
                    self.partner.came.clear()
                    reported = read_body(one, 10).values
                    assert reported["reason"] == 0, reported["reason"]
                    return int(reported.get("handle", 0))
            self.partner.pipe.written.clear()
            await self.partner.pipe.written.wait()

    async def end_unit(self, is_commit: bool) -> None:
        type = fap.MQCMIT if is_commit else fap.MQBACK
        await self.answer_to(type, {}, type + fap.REPLY)

    def ask(self, name: str, window: int, flags: int) -> None:
        self.look()
        handle = self.handles[name]
        reported, self.received[handle] = self.received[handle], 0
        options = mq.MQGMO_SYNCPOINT if self.syncpoint else mq.MQGMO_NO_SYNCPOINT
        self.partner.request(
            handle, window, options=options, flags=flags, received=reported, index=self.index
        )
        self.look()

    async def close(self, name: str) -> None:
        """As our client does: say how far it came, so that the rest goes back."""
        self.ask(name, 0, 0)
        handle = self.handles[name]
        await self.answer_to(fap.MQCLOSE, {"handle": handle, "options": 0}, fap.MQCLOSE + fap.REPLY)
        del self.received[handle]
        await self.open(name)

    def start(self, is_started: bool) -> None:
        state = {"handle": -1, "code": fap.CONN_STATE, "value": 2 if is_started else 0}
        self.partner.send_flow(fap.NOTIFICATION, state, request=1)

    async def vanish(self) -> None:
        """All that was sent has come; what was not committed goes back."""
        self.look()
        if not self.syncpoint:
            for name in self.handles:
                self.ask(name, 0, 0)
        await self.partner.lose()


class Walk:
    """What happens, by a seed."""

    def __init__(self, place: Place, seed: int) -> None:
        self.place = place
        self.random = random.Random(seed)
        self.clients: list[Client] = []
        self.put: list[bytes] = []
        self.had: list[bytes] = []

    def put_some(self) -> None:
        name = self.random.choice(QUEUES)
        with self.place.admin.queue(name) as queue:
            for _ in range(self.random.randint(1, 5)):
                body = b"%s %d" % (name.encode(), len(self.put))
                queue.put(body, persistent=self.random.random() < 0.5)
                self.put.append(body)

    async def step(self) -> None:
        client = self.random.choice(self.clients)
        name = self.random.choice(QUEUES)
        what = self.random.random()
        if what < 0.25:
            self.put_some()
        elif what < 0.6:
            window = self.random.choice((1, 1, 500, 100_000))
            client.ask(name, window, self.random.choice((0, fap.STREAM, fap.STREAM)))
        elif what < 0.8:
            await client.end_unit(self.random.random() < 0.7)
        elif what < 0.9:
            client.start(self.random.random() < 0.6)
        elif what < 0.96:
            await client.close(name)
        else:
            self.clients.remove(client)
            await self.leave(client)
            self.clients.append(await Client.come(self.place, self.random.random() < 0.6))

    async def leave(self, client: Client) -> None:
        await client.vanish()
        self.had += client.for_good

    async def rest(self) -> list[bytes]:
        """What lies on the queues in the end."""
        found: list[bytes] = []
        for name in QUEUES:
            with self.place.admin.queue(name) as queue:
                found += [message.data for message in queue]
        return found


@pytest.mark.parametrize("seed", range(12))
def test_walk_when_it_ends_then_every_message_is_somewhere_once(seed: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        walk = Walk(place, seed)
        for _ in range(4):
            walk.clients.append(await Client.come(place, walk.random.random() < 0.6))
        for _ in range(STEPS):
            await walk.step()
        for client in walk.clients:
            await walk.leave(client)
        left = await walk.rest()
        assert sorted(walk.had + left) == sorted(walk.put)
        assert walk.had, "nothing was consumed"

    run_story(story)
