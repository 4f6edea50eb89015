"""The exits of one client's socket: SCYEXIT, SENDEXIT and RCVEXIT of a server-connection channel.

Each conversation of the socket has exits of its own, with their own ExitUserArea, as IBM MQ has it.
All are called in one thread, in the order in which segments come and go, so that a slow exit delays
its own client alone. In the order of a socket's life:

    begin      MQXR_INIT for the first conversation, before its initial data is answered
    agreed     initial data is agreed: from here on segments go through the exits
    started    another conversation: MQXR_INIT for it
    talk       the client has a security exit: both take turns, this side first
    secured    MQCONN: MQXR_INIT_SEC unless there was a talk, MQXR_SEC_PARMS if a password came
    ended      a conversation has ended: MQXR_TERM

Segments of the socket itself (TSHC, and TSH on a shared socket) pass without exits.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from ternmq.base.errors import ProtocolError, mq_error
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.channel.exit_points import ExitChain, ExitEnds
from ternmq.channel.exit_structures import MQCSP
from ternmq.channel.security_turns import SecurityTurns
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.network.channels.channel_exits import exits_of
from ternmq.network.edge.exit_thread import ExitThread
from ternmq.wire.fap.dialogue import ACCEPTOR
from ternmq.wire.fap.negotiation import Agreement
from ternmq.wire.fap.segment import BYTES_MIN, TSHM, Header, SegmentError, segment, segment_variant
from ternmq.wire.fap.segment_reader import SegmentReader, bytes_allowed
from ternmq.wire.fap.vocabulary import CLOSED_BY_EXIT, PROTOCOL_GENERAL, SECURITY_DATA

if TYPE_CHECKING:
    from ternmq.network.edge.admission import Peer
    from ternmq.network.edge.network_host import NetworkHost
    from ternmq.network.edge.partner_socket import PartnerSocket

MakeChain = Callable[[], ExitChain]  # ExitEnds if an exit cannot be loaded
HELD_MAX: Final = 16  # segments of a conversation that wait for a turn of its security exit
AHEAD_BYTES_MAX: Final = 262_144  # with the exits, either way, before the socket waits
UNCHANGED_BYTES: Final = 16  # of a segment of a conversation: eye-catcher, length, both numbers
_NUMBER: Final = struct.Struct(">I")
_LENGTH_AT: Final = 4
_ATTRIBUTES: Final = ("security_exit", "send_exit", "receive_exit")
_NUMBER_AT: Final = 8


def maker_of(host: NetworkHost, instance: ChannelInstance, peer: Peer) -> MakeChain | None:
    """What makes the exits of a conversation; None if the channel has none."""
    channel = instance.channel
    network = host.network
    if network is None or not any(channel.text(one) for one in _ATTRIBUTES):
        return None
    kernel = host.engine.kernel

    def make() -> ExitChain:
        issuer = peer.certificate_issuer
        made = exits_of(network.exit_files, channel, kernel.name, issuer, kernel.clock)
        made.partner(peer.address, instance.product, instance.version)
        return made

    return make


class Secured(NamedTuple):
    """What a security exit leaves of who a client says it is."""

    csp_user: str
    password: str | None
    user: str | None  # as whom it shall run; None: the exit has not said so


class ClientExits:
    """Used in the loop's thread, but for what `_thread` runs."""

    def __init__(self, socket: PartnerSocket, make: MakeChain, name: str) -> None:
        self._socket = socket
        self._make = make
        self._turns = socket.host.turns
        self._exit_thread = ExitThread(socket.host.turns.loop, f"exits of {name}")
        self._first = make()
        self.has_security: Final = self._first.has_security
        self.has_receive: Final = self._first.has_receive
        self._chains: dict[int, ExitChain] = {}
        self._talks: dict[int, SecurityTurns] = {}
        self._held: dict[int, list[Callable[[], None]]] = {}  # while a turn of a talk is made
        self._agreement: Agreement | None = None
        self._reader: SegmentReader | None = None
        self._in_bytes = 0
        self.out_bytes = 0  # with the send exits
        self._is_failed = False
        self._is_over = False

    @property
    def space(self) -> int:
        """Bytes of each segment that send exits reserve."""
        return self._first.space

    @property
    def is_full(self) -> bool:
        """Whether so much waits that the socket is read no further."""
        return self._in_bytes > AHEAD_BYTES_MAX

    # ---- the life of a socket

    def begin(self, then: Callable[[], None]) -> None:
        """The first conversation begins; `then` is called in a turn."""
        self._run(self._first.initial, then)

    def agreed(self, number: int, agreement: Agreement) -> bool:
        """Initial data is agreed; False if an exit cannot live with it, and the channel ends."""
        self._agreement = agreement
        self._reader = SegmentReader(bytes_allowed(agreement.segment_bytes_max))
        return self._add(number, self._first)

    def started(self, number: int) -> None:
        """Another conversation of the socket begins."""
        try:
            chain = self._make()
        except ExitEnds as ends:  # its file has changed
            self._failed(ends)
            return
        self._add(number, chain)
        self._run(chain.initial, _nothing)

    def _add(self, number: int, chain: ExitChain) -> bool:
        agreement = self._agreement
        assert agreement is not None
        self._chains[number] = chain
        chain.shared(agreement.conversations_max > 1, UNCHANGED_BYTES if number else 0)
        try:
            chain.agreed("", agreement.fap_level, agreement.segment_bytes_max)
        except ExitEnds as ends:
            self._failed(ends)
            return False
        return True

    def ended(self, number: int) -> None:
        """A conversation has ended."""
        chain = self._chains.pop(number, None)
        self._talks.pop(number, None)
        self._held.pop(number, None)
        if chain is not None:
            self._exit_thread.run(chain.final, _ignore)

    def close(self) -> None:
        """The socket is gone."""
        if self._is_over:
            return
        if not self._chains and self._agreement is None:
            self._exit_thread.run(self._first.final, _ignore)
        for number in list(self._chains):
            self.ended(number)
        self._is_over = True
        self._exit_thread.end()

    # ---- security

    def talk(self, number: int, like: Header) -> None:
        """The client has a security exit, too: this side begins."""
        if self._is_failed:
            return
        turns = SecurityTurns(self._chains[number], ACCEPTOR, True)
        self._talks[number] = turns
        self._speak(turns.begin, number, like)

    def hold(self, number: int, take: Callable[[], None]) -> bool:
        """A segment that comes while this side makes its turn waits; False if it does not."""
        held = self._held.get(number)
        if held is None:
            return False
        if len(held) >= HELD_MAX:
            raise SegmentError(f"{HELD_MAX} segments before the security exits are content")
        held.append(take)
        return True

    def is_talking(self, number: int) -> bool:
        """Whether security exits are not content yet."""
        turns = self._talks.get(number)
        return turns is not None and not turns.is_over

    def came(self, number: int, data: bytes, like: Header) -> None:
        """SECURITY_DATA."""
        turns = self._talks.get(number)
        if turns is None or turns.is_over:
            raise SegmentError("SECURITY_DATA is not expected now", PROTOCOL_GENERAL)
        self._speak(partial(turns.came, data), number, like)

    def _speak(self, turn: Callable[[], bytes | None], number: int, like: Header) -> None:
        said: list[bytes | None] = []

        def then() -> None:
            if said[0] is not None:
                header = like.answer(SECURITY_DATA, 0)
                if number:
                    header.variant = TSHM
                    header.conversation = number
                self._socket.line.write(segment(header, said[0]))
            for take in self._held.pop(number, []):
                take()

        self._held[number] = []
        self._run(lambda: said.append(turn()), then)

    async def secured(
        self, number: int, client_user: str, csp_user: str, password: str | None
    ) -> Secured:
        """MQCONN: the security exit sees who the client says it is. MQError, and the socket is
        closed, if it refuses the client."""
        chain = self._chains[number]
        # Without a talk it is asked at each MQCONN: the next one may be of somebody else.
        turns = None if number in self._talks else SecurityTurns(chain, ACCEPTOR, False)
        given = MQCSP(csp_user, password)
        users: list[str | None] = []

        def work() -> None:
            chain.remote_user(client_user)
            if turns is not None:
                turns.begin()
            if password is not None:
                chain.security_parameters(given)
            users.append(chain.changed_user())

        done: asyncio.Future[None] = self._turns.loop.create_future()
        self._exit_thread.run(work, partial(self._answered, done))
        await done
        return Secured(str(given.CSPUserIdPtr), given.password, users[0])

    def _answered(self, done: asyncio.Future[None], error: BaseException | None) -> None:
        if error is not None and not self._is_over:
            self._turns.begin()
            self._failed(error)
            self._turns.settle()
        if done.done():  # the socket was lost meanwhile
            return
        if error is None:
            done.set_result(None)
        else:
            detail = "the security exit refuses it"
            done.set_exception(mq_error(MQRC_NOT_AUTHORIZED, verb="MQCONN", detail=detail))

    # ---- segments

    def received(self, data: bytes) -> bool:
        """Bytes have come; False if the exits do not see them."""
        reader = self._reader
        if reader is None or not self.has_receive or self._is_failed:
            return False
        reader.feed(data)
        segments: list[bytes] = []
        while (one := reader.next_bytes()) is not None:
            segments.append(one)
        if segments:
            size = sum([len(one) for one in segments])
            self._in_bytes += size
            out: list[bytes] = []
            work = partial(self._each, self._with_chains(segments), out, False)
            self._exit_thread.run(work, partial(self._received, size, out))
        return True

    def _received(self, size: int, out: list[bytes], error: BaseException | None) -> None:
        self._in_bytes -= size
        if self._is_over or self._is_failed:
            return
        if error is None:
            self._socket.take_in(b"".join(out), size)
        else:
            self._fail(error)

    def send(self, data: bytes) -> bool:
        """Whole segments that go out; False if the exits do not see them."""
        if self._agreement is None or not self._first.has_send or self._is_over:
            return False
        self.out_bytes += len(data)
        out: list[bytes] = []
        work = partial(self._each, self._with_chains(_split(data)), out, True)
        self._exit_thread.run(work, partial(self._sent, len(data), out))
        return True

    def _sent(self, size: int, out: list[bytes], error: BaseException | None) -> None:
        self.out_bytes -= size
        if self._is_over:
            return
        self._socket.put_out(b"".join(out), size)
        if error is not None:
            self._fail(error)

    def _with_chains(self, segments: list[bytes]) -> list[tuple[bytes, ExitChain | None]]:
        return [(one, self._chain(one)) for one in segments]

    def _each(
        self, segments: list[tuple[bytes, ExitChain | None]], out: list[bytes], is_sent: bool
    ) -> None:
        """In the thread of the exits. What a send exit fails for is not sent, but for the last
        segment of a socket that ends: the partner may understand it."""
        for one, chain in segments:
            if chain is None:
                out.append(one)
            elif not is_sent:
                out.append(chain.receive(one))
            else:
                try:
                    out.append(chain.send(one))
                except ExitEnds:
                    if not self._is_failed:
                        raise
                    out.append(one)

    def _chain(self, one: bytes) -> ExitChain | None:
        agreement = self._agreement
        if agreement is None or not agreement.is_shared:
            return self._chains.get(0)
        if segment_variant(one, 0) != TSHM:
            return None
        return self._chains.get(_NUMBER.unpack_from(one, _NUMBER_AT)[0])

    # ---- what goes wrong

    def _run(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        self._exit_thread.run(work, partial(self._back, then))

    def _back(self, then: Callable[[], None], error: BaseException | None) -> None:
        if self._is_over or self._is_failed:
            return
        self._turns.begin()
        try:
            if error is None:
                then()
            else:
                self._failed(error)
        except ProtocolError as wrong:
            self._socket.line.protocol_error(wrong)
        finally:
            self._turns.settle()

    def _fail(self, error: BaseException) -> None:
        self._turns.begin()
        self._failed(error)
        self._turns.settle()

    def _failed(self, error: BaseException) -> None:
        """The channel ends, and nothing else."""
        if self._is_failed:
            return
        self._is_failed = True
        line = self._socket.line
        if isinstance(error, ExitEnds):
            self._socket.exit_ends(error)
        elif isinstance(error, ProtocolError):
            line.protocol_error(error)
        else:
            line.report(error, "an exit of a client's channel")
            line.close_with(CLOSED_BY_EXIT)


def _split(data: bytes) -> list[bytes]:
    found: list[bytes] = []
    at = 0
    while at + BYTES_MIN <= len(data):
        length = _NUMBER.unpack_from(data, at + _LENGTH_AT)[0]
        found.append(data[at : at + length])
        at += length
    return found


def _nothing() -> None:
    """Nothing follows."""


def _ignore(error: BaseException | None) -> None:
    """The conversation has ended."""
