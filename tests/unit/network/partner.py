"""A partner that speaks MQ's client protocol to a queue manager in its own loop, without a network.

`Partner` is the other end of a `NetSocket` whose transport is a list: it writes segments by the
tables of `wire` and reads the answers by them. Everybody is let in on the channel APP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

from ternmq.api.connection import Connection
from ternmq.base.errors import mq_error
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.charv import write_charv
from ternmq.codec.mqi.layout import BIG
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.host.shared_threads import thread_transport
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.network.edge.admission import Admission, Peer, Refused
from ternmq.network.edge.partner_socket import WRITE_BYTES, PartnerSocket
from ternmq.network.edge.tcp_listener import Network
from ternmq.runtime.starting import Started, start_in_memory
from ternmq.server.host import Host
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body, write_body
from ternmq.wire.fap.initial_data import InitialData, read_initial_data, write_initial_data
from ternmq.wire.fap.negotiation import revised
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import TSH, TSHC, TSHM, Header, Segment
from ternmq.wire.fap.segment_reader import Assembler, SegmentReader, split

SEGMENT_BYTES = 32748
TURNS = 20_000  # of the loop: some answers come from a thread


class EverybodyComesIn(Admission):
    """All partners on the channel APP, as mqm; a wrong password is refused."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.left = 0

    def channel(self, asked: InitialData, peer: Peer) -> ChannelInstance:
        found = self._host.engine.kernel.catalog.find(1 << 9, asked.channel_name)
        if found is None:
            raise Refused(fap.NO_CHANNEL, "AMQ9519E", (asked.channel_name,))
        return ChannelInstance(1, found, peer.address, 0)

    async def user(
        self,
        instance: ChannelInstance,
        peer: Peer,
        client_user: str,
        csp_user: str,
        csp_password: str | None,
        application: str = "",
        exit_user: str | None = None,
    ) -> str:
        if csp_password == "wrong":
            raise mq_error(2035, verb="MQCONN")
        return "mqm"

    def leave(self, instance: ChannelInstance) -> None:
        self.left += 1

    def broken(self, instance: ChannelInstance, peer: Peer, error: Exception | None) -> None:
        pass


class OpenAcceptor:
    """A network without listeners."""

    def __init__(self, host: Host) -> None:
        self.admission = EverybodyComesIn(host)


class Pipe(asyncio.Transport):
    """What the socket writes, kept."""

    def __init__(self) -> None:
        super().__init__()
        self.data = b""
        self.writes = 0
        self.written = asyncio.Event()
        self.closed = False
        self.is_clogged = False  # the other side does not read
        self.is_broken = False  # the other side has gone: the next write fails
        self.unsent = b""  # what the system has not taken then
        self.reads = True
        self.resumed = asyncio.Event()
        self.protocol: PartnerSocket | None = None

    def write(self, data: Any) -> None:
        self.writes += 1
        if self.closed:
            return  # as sockets do: they drop it
        if self.is_broken:
            self.closed = True
            self._lose(BrokenPipeError())
            return
        if self.is_clogged:
            before = len(self.unsent)
            self.unsent += bytes(data)
            if before <= WRITE_BYTES < len(self.unsent) and self.protocol is not None:
                self.protocol.pause_writing()
            return
        self.data += bytes(data)
        self.written.set()

    def take(self) -> int:
        """The other side reads all that is there once; how much that was."""
        taken, self.unsent = self.unsent, b""
        self.data += taken
        self.written.set()
        if self.closed and taken:
            self._lose()
        elif len(taken) > WRITE_BYTES and self.protocol is not None:
            self.protocol.resume_writing()
        return len(taken)

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True
        self.resumed.set()

    def is_reading(self) -> bool:
        return self.reads

    def is_closing(self) -> bool:
        return self.closed

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return len(self.unsent)

    def close(self) -> None:
        """As sockets do: what was written goes out first, however long that takes."""
        if not self.closed:
            self.closed = True
            if not self.unsent:
                self._lose()

    def abort(self) -> None:
        if not self.closed or self.unsent:
            self.closed = True
            self.unsent = b""
            self._lose()

    def _lose(self, error: Exception | None = None) -> None:
        if self.protocol is not None:
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, error)


class Partner:
    """The client's end."""

    def __init__(
        self,
        host: Host,
        *,
        order: str = BIG,
        ccsid: int = 819,
        ebcdic: bool = False,
        address: str = "127.0.0.1",
    ) -> None:
        self.host = host
        self.order = order
        self.ccsid = ccsid
        self.ebcdic = ebcdic
        self.pipe = Pipe()
        self.socket = PartnerSocket(host, Peer(address, 1))
        self.pipe.protocol = self.socket
        self.socket.connection_made(self.pipe)
        self.reader = SegmentReader(200_000)
        self.assembler = Assembler(200_000_000, 100)
        self.came: list[Segment] = []
        self.level = 10
        self.shared = False
        self.agreed: InitialData | None = None
        self.held: list[bytes] | None = None  # what is not sent for now

    # ---- segments

    def header(self, type: int, conversation: int = 1, request: int = 0) -> Header:
        return Header(
            type,
            variant=TSHM if self.shared else TSH,
            conversation=conversation if self.shared else 0,
            request=request if self.shared else 0,
            order=self.order,
            ccsid=self.ccsid,
            is_ebcdic=self.ebcdic,
        )

    def send(self, header: Header, body: bytes) -> None:
        for piece in split(header, body, SEGMENT_BYTES):
            if self.held is None:
                self.socket.data_received(piece)
            else:
                self.held.append(piece)

    def send_flow(self, type: int, values: Values, conversation: int = 1, request: int = 0) -> None:
        header = self.header(type, conversation, request)
        self.send(header, write_body(header, values, self.level))

    def look(self) -> list[Segment]:
        """What has come and was not taken."""
        data, self.pipe.data = self.pipe.data, b""
        self.reader.feed(data)
        while (one := self.reader.next()) is not None:
            whole = self.assembler.add(one)
            if whole is not None:
                self.came.append(whole)
        return self.came

    async def wait(self) -> None:
        """Until something comes, however long that takes."""
        while not self.look():
            self.pipe.written.clear()
            await self.pipe.written.wait()

    async def until(self, is_there: Callable[[], bool]) -> None:
        for _ in range(TURNS):
            if is_there():
                return
            await asyncio.sleep(0)
        raise AssertionError("it does not come")

    async def next(self, type: int) -> Segment:
        """The next segment, which must be of this type."""
        await self.until(lambda: len(self.look()) > 0)
        one = self.came.pop(0)
        assert one.header.type == type, fap.type_name(one.header.type)
        return one

    async def values(self, type: int) -> Values:
        return read_body(await self.next(type), self.level).values

    # ---- the dialogue

    async def open_channel(self, channel: str = "APP", conversations: int = 10) -> None:
        asked = InitialData(17)
        asked.channel_name = channel
        asked.capabilities_1 = 0x26
        asked.capabilities_2 = 0x51
        asked.capabilities_3 = 0x28
        asked.segment_bytes_max = SEGMENT_BYTES
        asked.message_bytes_max = 104857600
        asked.heartbeat_s = 1
        asked.conversations_max = conversations
        asked.ccsid = self.ccsid
        asked.product_id = "MQJB09030500"
        for _ in range(4):
            header = self.header(fap.INITIAL_DATA)
            header.flags_1 |= fap.CONFIRM_REQUEST
            self.send(header, write_initial_data(header, asked))
            one = await self.next(fap.INITIAL_DATA)
            answered = read_initial_data(one)
            if not one.header.flags_1 & fap.ERROR:
                self.agreed = answered
                break
            asked = revised(asked, answered)
            self.shared = asked.conversations_max > 0

    async def connect(
        self, conversation: int = 1, name: str = "QM1", capabilities: int = 0
    ) -> Values:
        self.send_flow(fap.USERID_DATA, {"user_id": "joe", "long_user_id": "joe"}, conversation)
        given: Values = {"qmgr_name": name, "appl_name": "app", "appl_type": 28}
        given["fcno"] = {"capabilities": capabilities} if capabilities else {}
        return await self.call(fap.MQCONN, given, conversation)

    async def call(self, type: int, values: Values, conversation: int = 1) -> Values:
        self.send_flow(type, values, conversation)
        return await self.values(type + fap.REPLY)

    def open_values(self, name: str, options: int) -> Values:
        return {"object": ObjectDescriptor(object_name=name), "options": options, "fopa": {}}

    async def open(self, name: str, options: int, conversation: int = 1, selector: str = "") -> int:
        given = self.open_values(name, options)
        if selector:
            od: ObjectDescriptor = given["object"]
            od.version = 4
            text = write_charv(od.selection_string, selector, od.size(), UTF8)
            given["object_following"] = text + bytes(-len(text) % 4)
        reply = await self.call(fap.MQOPEN, given, conversation)
        assert reply["reason"] == 0, reply["reason"]
        return int(reply["handle"])

    def put_values(self, handle: int, data: bytes, options: int = 4, **fields: Any) -> Values:
        return {
            "handle": handle,
            "descriptor": Descriptor(**fields),
            "options": PutOptions(options=options),
            "data": data,
        }

    async def put(self, handle: int, data: bytes, options: int = 4, **fields: Any) -> Values:
        return await self.call(fap.MQPUT, self.put_values(handle, data, options, **fields))

    async def get(
        self, handle: int, options: int = 4, wait_ms: int = 0, length: int = 1000, **fields: Any
    ) -> Values:
        given: Values = {
            "handle": handle,
            "descriptor": Descriptor(**fields),
            "options": GetOptions(options=options, wait_interval=wait_ms),
            "buffer_length": length,
        }
        return await self.call(fap.MQGET, given)

    def request(
        self,
        handle: int,
        window: int = 1,
        *,
        options: int = 4,
        wait_ms: int = 0,
        flags: int = 8,
        received: int = 0,
        index: int = 0,
        confirm: bool = False,
        length: int = -1,
        select: bool = True,
        conversation: int = 1,
        version: int = 2,
    ) -> None:
        header = self.header(fap.REQUEST_MSGS, conversation, 3 if confirm else 1)
        if confirm:
            header.flags_1 |= fap.CONFIRM_REQUEST
        given: Values = {
            "handle": handle,
            "received_bytes": received,
            "requested_bytes": window,
            "message_bytes_max": length,
            "get_options": options,
            "wait_ms": wait_ms,
            "request_flags": flags | (fap.SELECTION if select else 0),
            "global_message_index": index,
            "selection_index": 1,
            "descriptor_version": version,
            "ccsid": self.ccsid,
            "encoding": 273,
            "match_options": 0,
        }
        self.send(header, write_body(header, given, self.level))

    def action(self, action: int, conversation: int) -> None:
        header = self.header(fap.SOCKET_ACTION)
        header.variant = TSHC
        given = {"conversation": conversation, "request": 0, "action": action}
        self.send(header, write_body(header, given, self.level))

    async def lose(self) -> None:
        """The network breaks."""
        self.pipe.closed = True
        self.pipe.unsent = b""
        self.socket.connection_lost(ConnectionResetError())
        await self.socket.gone


class Place:
    """A queue manager in memory with the queues A and B and the channel APP."""

    def __init__(self, share: int, started: Started | None = None) -> None:
        self.started = started or start_in_memory("QM1", "mqm", "test")
        self.host = Host(self.started)
        self.admin = Connection(thread_transport(self.started.shell, "mqm", "test", None))
        self.acceptor = OpenAcceptor(self.host)
        self.host.network = cast("Network", self.acceptor)
        self.mqsc("DEFINE QLOCAL(A)")
        self.mqsc("DEFINE QLOCAL(B)")
        self.mqsc(
            f"DEFINE CHANNEL(APP) CHLTYPE(SVRCONN) SHARECNV({share}) MAXMSGL(1000000) HBINT(300)"
        )

    def mqsc(self, text: str) -> None:
        assert all(answer.ok for answer in self.admin.mqsc(text)), text

    def depth(self, name: str) -> int:
        local = self.host.engine.kernel.locals.get(name)
        return 0 if local is None else int(local.queue.depth)

    def notices(self) -> list[str]:
        return [one.message_id for one in self.host.engine.kernel.notices.take()]


Story = Callable[[Place, Partner], Coroutine[Any, Any, None]]


def run_story(
    story: Story, share: int = 10, *, started: Started | None = None, **form: Any
) -> None:
    """Run a story with a partner whose channel is open and whose conversation is connected."""

    async def run() -> None:
        place = Place(share, started)
        partner = Partner(place.host, **form)
        try:
            await partner.open_channel()
            assert (await partner.connect())["reason"] == 0
            await story(place, partner)
        finally:
            if not partner.pipe.closed:
                await partner.lose()
            else:
                await partner.socket.gone
            place.admin.disconnect()
            await place.host.loop_shell.drain()
            await asyncio.to_thread(place.started.stop)

    asyncio.run(run())
