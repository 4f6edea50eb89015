"""The fuzz with sockets: dialogues with a listener that go wrong somewhere, before or after the
partner has shown who it is.

Each dialogue begins as it should, up to a point that is drawn; then comes what is spoiled, out of
order, cut off or repeated. The listener must answer or close, at once: nothing may be reported as a
fault, nothing may hang, and no instance, connection or byte may stay behind. Between dialogues a
partner that behaves is served.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import ternmq
from ternmq.base import constants as mq
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsts import Status
from ternmq.network.edge.admission import Peer
from ternmq.network.edge.partner_socket import PartnerSocket
from ternmq.network.edge.tcp_listener import Network
from ternmq.server.host import Host
from ternmq.testing.chance import Chance
from ternmq.wire.fap import vocabulary as v
from ternmq.wire.fap.flow import read_body, write_body
from ternmq.wire.fap.initial_data import InitialData, read_initial_data, write_initial_data
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import TSH, TSHM, Header, Segment
from ternmq.wire.fap.segment_reader import Assembler, SegmentReader, split
from tests.proof.frames import spoiled, valid

LEVEL: Final = 10
QUEUE: Final = "FUZZED"
SHARES: Final = (0, 1, 10)
HANG_S: Final = 15.0  # a limit on doing nothing, not on how quick it is
_SETTLED: Final = (v.USERID_DATA, v.NOTIFICATION)  # not answered

# What a partner may say once it is connected; the handle is filled in.
CALLS: Final[tuple[tuple[int, Callable[[], Values]], ...]] = (
    (v.MQPUT, lambda: {"descriptor": Descriptor(), "options": PutOptions(), "data": b"x" * 50}),
    (v.MQPUT, lambda: {"descriptor": Descriptor(), "options": _unit(), "data": b"y" * 70_000}),
    (v.MQGET, lambda: {"descriptor": Descriptor(), "options": GetOptions(), "buffer_length": 999}),
    (v.MQGET, lambda: {"descriptor": Descriptor(), "options": _wait(), "buffer_length": 9}),
    (
        v.MQPUT1,
        lambda: {
            "object": _object(),
            "descriptor": Descriptor(),
            "options": PutOptions(),
            "data": b"1",
        },
    ),
    (v.MQINQ, lambda: {"selectors": [mq.MQIA_CURRENT_Q_DEPTH, mq.MQCA_Q_NAME]}),
    (v.MQSET, lambda: {"selectors": [mq.MQIA_INHIBIT_PUT], "integers": [0]}),
    (v.MQCMIT, dict),
    (v.MQBACK, dict),
    (v.MQSTAT, lambda: {"status": Status()}),
    (v.MQOPEN, lambda: {"object": _object(), "options": mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT}),
    (v.SPI, lambda: {"verb": 1}),
    (v.REQUEST_MSGS, lambda: {"requested_bytes": 5000, "message_bytes_max": 5000}),
    (v.HEARTBEAT, dict),
    (v.XA_START, dict),
    (v.XA_RECOVER, dict),
    (v.MQCLOSE, dict),
    (v.MQDISC, dict),
)


def _object() -> ObjectDescriptor:
    made = ObjectDescriptor()
    made.object_name = QUEUE
    return made


def _unit() -> PutOptions:
    made = PutOptions()
    made.options = mq.MQPMO_SYNCPOINT
    return made


def _wait() -> GetOptions:
    made = GetOptions()
    made.options = mq.MQGMO_WAIT | mq.MQGMO_ACCEPT_TRUNCATED_MSG
    made.wait_interval = 3_600_000
    return made


class Stage:
    """A queue manager in memory that listens, and what must not be found afterwards."""

    def __init__(self, manager: ternmq.QueueManager) -> None:
        self.faults: list[str] = []
        self.host = Host(manager.started)
        self.host.fault = self._fault  # type: ignore[method-assign]
        asyncio.get_running_loop().set_exception_handler(self._unforeseen)
        self.logged: list[str] = []
        self.network = Network(self.host, "", self._log_message, self._protocol)
        self.host.network = self.network
        self.port = self.network.listen("127.0.0.1").port
        self.connections = len(self.host.engine.kernel.connections)

    def _log_message(self, message: str, *inserts: object) -> None:
        self.logged = [*self.logged[-4:], f"{message} {inserts}"]

    def _protocol(self, peer: Peer) -> asyncio.Protocol:
        return PartnerSocket(self.host, peer)

    def _fault(self, error: BaseException, doing: str) -> None:
        self.faults.append(f"{doing}: {type(error).__name__}: {error}")

    def _unforeseen(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.faults.append(f"{context.get('message')}: {context.get('exception')!r}")

    @property
    def is_empty(self) -> bool:
        """Whether nobody is connected any more."""
        connections = len(self.host.engine.kernel.connections)
        return not self.network.channels.instances and connections <= self.connections

    async def until_left(self) -> None:
        """Wait until nobody is."""
        await asyncio.wait_for(self._left(), HANG_S)

    async def _left(self) -> None:
        while not self.is_empty:  # noqa: ASYNC110 - the loop itself is what is waited for
            await asyncio.sleep(0)


class Partner:
    """One end of a dialogue."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._order = chance.choice((LITTLE, BIG))
        self._sharing = chance.choice(SHARES)
        self._is_shared = False
        self._segments = SegmentReader(1 << 20)
        self._calls = Assembler(1 << 24, 20)
        self._request = 1
        self.handle = 0

    async def connect(self, port: int) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)

    # ---- what it says

    def header(self, type: int) -> Header:
        variant = TSHM if self._is_shared and type != v.INITIAL_DATA else TSH
        self._request += 2
        return Header(
            type,
            variant=variant,
            conversation=1 if variant == TSHM else 0,
            request=self._request if variant == TSHM else 0,
            order=self._order,
            ccsid=819,
        )

    def said(self, type: int, values: Values) -> bytes:
        made = self.header(type)
        given = dict(values)
        if type in (v.MQPUT, v.MQGET, v.MQINQ, v.MQSET, v.MQCLOSE, v.REQUEST_MSGS):
            given["handle"] = self.handle
        if type == v.MQINQ:
            given |= {"integer_count": 1, "character_length": 48}
        return b"".join(split(made, write_body(made, given, LEVEL), 32748))

    def greeting(self, again: InitialData | None) -> bytes:
        data = again or InitialData(LEVEL)
        if again is None:
            data.channel_name = f"FUZZ.{self._sharing}"
            data.capabilities_1 = 0x26
            data.capabilities_2 = 0x51
            data.segment_bytes_max = 32748
            data.message_bytes_max = 104857600
            data.heartbeat_s = 300
            data.conversations_max = 10
            data.ccsid = 819
        made = self.header(v.INITIAL_DATA)
        made.flags_1 = v.CONFIRM_REQUEST | v.FIRST_AND_LAST
        return made.pack(len(write_initial_data(made, data))) + write_initial_data(made, data)

    # ---- what it hears

    async def heard(self) -> Segment | None:
        """The next whole call; None when the other side has closed."""
        while True:
            while (one := self._segments.next()) is not None:
                whole = self._calls.add(one)
                if whole is not None:
                    return whole
            data = await asyncio.wait_for(self.reader.read(65536), HANG_S)
            if not data:
                return None
            self._segments.feed(data)

    async def greet(self) -> bool:
        """Agree on the channel; False if the other side has closed."""
        again: InitialData | None = None
        for _ in range(4):
            self.writer.write(self.greeting(again))
            one = await self.heard()
            if one is None or one.header.type != v.INITIAL_DATA:
                return False
            again = read_initial_data(one)
            if not one.header.flags_1 & v.ERROR:
                self._is_shared = again.conversations_max > 0
                return True
            again.refused_1 = again.refused_capabilities_1 = 0
            again.refused_capabilities_2 = again.refused_capabilities_3 = 0
        return False

    async def call(self, type: int, values: Values) -> Values | None:
        self.writer.write(self.said(type, values))
        if type in _SETTLED:
            return {}
        one = await self.heard()
        return None if one is None else read_body(one, LEVEL).values

    async def sign_on(self) -> bool:
        await self.call(v.USERID_DATA, {"user_id": "alice", "long_user_id": "alice"})
        reply = await self.call(v.MQCONN, {"qmgr_name": "QM1", "application_name": "fuzz"})
        return reply is not None and reply.get("comp") == 0

    async def open(self) -> bool:
        options = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_INQUIRE | mq.MQOO_SET
        reply = await self.call(v.MQOPEN, {"object": _object(), "options": options})
        if reply is None or reply.get("comp") != 0:
            return False
        self.handle = reply["handle"]
        return True

    async def hang_up(self) -> None:
        """End it as a program does that is gone, and see that the other side ends too."""
        try:
            self.writer.write_eof()
            while await asyncio.wait_for(self.reader.read(65536), HANG_S):
                pass
        except (ConnectionError, OSError):
            pass
        finally:
            self.writer.transport.abort()


def _wrong(chance: Chance, partner: Partner) -> bytes:
    """Something that should not come, or not now."""
    type, made = CALLS[chance.randrange(len(CALLS))]
    right = partner.said(type, made())
    kind = chance.randrange(6)
    if kind == 0:
        return right  # perhaps out of order
    if kind == 1:
        return valid(chance)
    if kind == 2:
        return right[: chance.randrange(len(right))]
    if kind == 3:
        return spoiled(chance, partner.greeting(None))
    return spoiled(chance, right)


async def dialogue(stage: Stage, chance: Chance) -> str:
    """One dialogue that goes wrong."""
    partner = Partner(chance)
    await partner.connect(stage.port)
    depth = chance.randrange(5)
    try:
        went = depth > 0 and await partner.greet()
        went = went and depth > 1 and await partner.sign_on()
        went = went and depth > 2 and await partner.open()
        if went and depth > 3:
            type, made = CALLS[0]
            await partner.call(type, made())
        for _ in range(chance.choice((1, 1, 2, 5))):
            partner.writer.write(_wrong(chance, partner))
        await partner.writer.drain()
    except (ConnectionError, OSError):
        pass  # it was closed while we spoke
    await partner.hang_up()
    return "before MQCONN" if depth < 2 else "after MQCONN"


async def behaves(stage: Stage, chance: Chance) -> None:
    """A partner that does all as it should must be served."""
    partner = Partner(chance)
    await partner.connect(stage.port)
    if not (await partner.greet() and await partner.sign_on() and await partner.open()):
        raise AssertionError(f"a partner that behaves is not served any more: {stage.logged}")
    for type, made in CALLS[:1] + CALLS[2:3]:
        reply = await partner.call(type, made())
        if reply is None:
            raise AssertionError(f"{v.type_name(type)}: no reply")
    await partner.hang_up()


async def play(seeds: range) -> None:
    users = {"alice": ["staff"]}
    with ternmq.memory("QM1", security=users) as manager:
        commands = [f"DEFINE QLOCAL({QUEUE})", "ALTER QMGR CHLAUTH(DISABLED)"]
        for sharing in SHARES:
            channel = f"DEFINE CHANNEL(FUZZ.{sharing}) CHLTYPE(SVRCONN)"
            commands.append(f"{channel} SHARECNV({sharing}) MCAUSER('alice')")
        who = "PRINCIPAL('alice')"
        commands.append(f"SET AUTHREC {who} OBJTYPE(QMGR) AUTHADD(ALLMQI)")
        commands.append(f"SET AUTHREC PROFILE('**') {who} OBJTYPE(QUEUE) AUTHADD(ALLMQI)")
        for command in commands:
            for answer in manager.mqsc(command):
                if not answer.ok:
                    raise AssertionError(f"{command}: {answer}")
        stage = Stage(manager)
        try:
            for seed in seeds:
                chance = Chance(f"G10/dialogue/{seed}")
                try:
                    await dialogue(stage, chance)
                    if seed % 25 == 0:
                        await behaves(stage, chance)
                except TimeoutError as error:
                    raise AssertionError(f"seed {seed}: it hangs") from error
                if stage.faults:
                    raise AssertionError(f"seed {seed}: {stage.faults}")
            await stage.until_left()
        finally:
            stage.network.close()


def run_dialogues(first: int, count: int) -> str:
    """Dialogues of seeds in a row, with one listener."""
    asyncio.run(play(range(first, first + count)))
    return "wire dialogues"
