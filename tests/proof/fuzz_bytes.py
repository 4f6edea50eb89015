"""The fuzz without sockets: what a peer may send goes through every reader of bytes.

Allowed are a value, or the exception that the reader has for bad input. Anything else is a fault:
another exception, or memory for more than was sent. Segments are read whole and byte by byte, which
must come to the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ternmq.admin.mqsc.lexer import SyntaxFault, commands_of
from ternmq.admin.mqsc.parser import parse
from ternmq.base.errors import MQError, RemoteProtocolError
from ternmq.codec.headers.mqdh import DistributionHeader
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqmde import DescriptorExtension
from ternmq.codec.headers.mqrfh import RulesHeader, RulesHeader2
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqcno import ConnectOptions
from ternmq.codec.mqi.mqcsp import SecurityParameters
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.codec.mqi.mqsts import Status
from ternmq.codec.mqi.structure import Structure
from ternmq.codec.pcf.parameter import (
    Parameter,
    byte_string,
    group,
    integer,
    integer64,
    integer_filter,
    integers,
    integers64,
    string,
    string_filter,
    strings,
)
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.remote.fap.client_conversation import ChannelEnd, ChannelEnded, Stream
from ternmq.testing.chance import Chance
from ternmq.wire import local
from ternmq.wire.fap.flow import read_body
from ternmq.wire.fap.initial_data import InitialData, read_initial_data
from ternmq.wire.fap.negotiation import Agreement
from ternmq.wire.fap.segment import Segment
from ternmq.wire.fap.segment_reader import Assembler, SegmentReader
from ternmq.wire.fap.segment_trace import trace_segment
from ternmq.wire.fap.vocabulary import INITIAL_DATA, MQCONN, REPLY
from ternmq.wire.tls_hello import bytes_wanted, server_name
from tests.proof.frames import LEVELS, TYPES, spoiled, valid

SEGMENT_MAX: Final = 32784
CALL_MAX: Final = 65536
CALLS_MAX: Final = 4
STRUCTURES: Final[tuple[type[Structure], ...]] = (
    *(ConnectOptions, SecurityParameters, DeadLetterHeader, GetOptions, Descriptor),
    *(DescriptorExtension, ObjectDescriptor, PutOptions, RulesHeader, RulesHeader2),
    *(SubscriptionDescriptor, Status, TransmissionHeader, DistributionHeader),
)


class Listener:
    """Reads a stream as a server does, and keeps what came of it."""

    def __init__(self, fap_level: int) -> None:
        self._level = fap_level
        self._reader = SegmentReader(SEGMENT_MAX)
        self._assembler = Assembler(CALL_MAX, CALLS_MAX)
        self.logged: list[str] = []
        self.is_over = False

    def hear(self, data: bytes) -> None:
        if self.is_over:
            return
        self._reader.feed(data)
        try:
            while (one := self._reader.next()) is not None:
                whole = self._assembler.add(one)
                if whole is not None:
                    self._read(whole)
        except RemoteProtocolError as error:
            self.logged.append(f"refused: {error}")
            self.is_over = True
        kept = self._assembler.kept_bytes
        if kept > CALL_MAX + SEGMENT_MAX:
            raise AssertionError(f"{kept} bytes are kept")

    def _read(self, one: Segment) -> None:
        trace_segment(one, self._level, 64)
        if one.header.type == INITIAL_DATA:
            self.logged.append(repr(read_initial_data(one)))
        else:
            values = read_body(one, self._level).values
            self.logged.append(f"{one.header.type} {sorted(values)}")


def frames(chance: Chance) -> str:
    """A stream of segments, some of them spoiled."""
    parts = [valid(chance) for _ in range(chance.choice((1, 1, 2, 4)))]
    at = chance.randrange(len(parts))
    parts[at] = spoiled(chance, parts[at])
    stream = b"".join(parts)
    level = chance.choice(LEVELS)
    whole = Listener(level)
    whole.hear(stream)
    if len(stream) < 2000:
        by_byte = Listener(level)
        for at in range(len(stream)):
            by_byte.hear(stream[at : at + 1])
        if by_byte.logged != whole.logged:
            raise AssertionError(f"byte by byte {by_byte.logged}, whole {whole.logged}")
    return "refused" if whole.is_over else "read"


def structures(chance: Chance) -> str:
    """One structure of the MQI, spoiled, in any byte order and character set."""
    kind = chance.choice(STRUCTURES)
    order = chance.choice((LITTLE, BIG))
    ccsid = chance.choice((1208, 819, 500, 437))
    made = kind()
    if isinstance(made, RulesHeader2):
        made.folders = ["<usr><a dt='i4'>1</a></usr>", "<mcd/>"]
    data = spoiled(chance, made.pack(order, ccsid) + chance.randbytes(chance.choice((0, 8, 64))))
    try:
        repr(kind.unpack(data, 0, order, ccsid))
    except MQError:
        return "refused"
    return "read"


def _parameter(chance: Chance, depth: int = 0) -> Parameter:
    number = chance.choice((1, 15, 20, 1003, 2016, 2013, 3501, 7001, 9999))
    made: list[Callable[[], Parameter]] = [
        lambda: integer(number, chance.randrange(100)),
        lambda: integer64(number, chance.randrange(1 << 40)),
        lambda: integers(number, [1, 2, 3]),
        lambda: integers64(number, [1, 1 << 40]),
        lambda: string(number, "DEV.QUEUE.1", chance.choice((0, 48))),
        lambda: strings(number, ["A", "BC"], 4),
        lambda: byte_string(number, chance.randbytes(5)),
        lambda: integer_filter(number, 2, 5),
        lambda: string_filter(number, 18, "A*"),
        lambda: group(number, [_parameter(chance, depth + 1) for _ in range(2)]),
    ]
    return made[chance.randrange(len(made) - (depth > 2))]()


def pcf(chance: Chance) -> str:
    """A command message, spoiled."""
    order = chance.choice((LITTLE, BIG))
    message = PCFMessage(1, chance.choice((1, 2, 3, 10, 13, 38, 41, 60)))
    message.parameters = [_parameter(chance) for _ in range(chance.randrange(6))]
    data = spoiled(chance, message.pack(order))
    try:
        repr(unpack_pcf(data, order))
    except MQError:
        return "refused"
    return "read"


_COMMANDS: Final = (
    "DEFINE QLOCAL('A.B') DESCR('it''s') MAXDEPTH(5) REPLACE",
    "ALTER QMGR CHLAUTH(ENABLED) CONNAUTH('X')",
    "DISPLAY QLOCAL(*) WHERE(CURDEPTH GT 5) ALL",
    "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(NOACCESS) ACTION(ADD)",
    "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) MAXINST(5) SSLCIPH(ANY_TLS12)",
    "SET AUTHREC PROFILE(A.**) OBJTYPE(QUEUE) PRINCIPAL('u') AUTHADD(PUT,GET)",
    "DEFINE NAMELIST(N) NAMES(A,B,C)",
)
_PIECES: Final = ("(", ")", "'", "''", ",", " ", "+", "-", "*", "QLOCAL", "ALL", "(A B", "\n", "é")


def mqsc(chance: Chance) -> str:
    """A command in words, spoiled."""
    text = chance.choice(_COMMANDS)
    for _ in range(chance.randrange(5)):
        at = chance.randrange(len(text) + 1)
        cut = chance.choice((0, 0, 1, 5))
        text = text[:at] + chance.choice(_PIECES) + text[at + cut :]
    for source in commands_of(text):
        if source.is_command:
            try:
                parse(source.text)
            except SyntaxFault:
                return "refused"
    return "read"


def local_frames(chance: Chance) -> str:
    """Frames of the local socket, spoiled."""
    kinds = tuple(chance.randrange(1, 60) for _ in range(5))
    parts = [
        local.frame(kind, chance.randrange(9), chance.randbytes(chance.choice((0, 8, 90))))
        for kind in kinds
    ]
    reader = local.FrameReader(kinds)
    if chance.happens(0.8):
        reader.hello_is_done()
    reader.feed(spoiled(chance, b"".join(parts)))
    try:
        while (one := reader.next()) is not None:
            if one.body[:1] in (b"{", b"["):
                one.json()
    except RemoteProtocolError:
        return "refused"
    return "read"


def client_end(chance: Chance) -> str:
    """What a queue manager may say to a client of ours, spoiled."""
    data = InitialData(10)
    data.conversations_max = chance.choice((0, 1, 10))
    data.segment_bytes_max = SEGMENT_MAX
    data.message_bytes_max = CALL_MAX
    end = ChannelEnd(Agreement(data))
    conversation = end.add()
    for handle in (0, 1, 2):
        conversation.streams[handle] = Stream(10_000)
    order = chance.choice((LITTLE, LITTLE, BIG))
    types = [kind for kind in TYPES if kind > MQCONN + REPLY - 1 or kind < MQCONN]
    try:
        for _ in range(chance.choice((1, 2, 4))):
            made = valid(chance, chance.choice(types), order=order, conversation=1)
            end.feed(spoiled(chance, made) if chance.happens(0.7) else made)
            reply = conversation.take_reply()
            if reply is not None:
                reply.message(chance.choice((0, 10, 1 << 20)))
                reply.values()
    except (RemoteProtocolError, ChannelEnded, MQError):
        return "refused"
    return "read"


def tls_hello(chance: Chance) -> str:
    """The first record of a handshake."""
    name = b"qm1.example"
    names = b"\0" + len(name).to_bytes(2, "big") + name
    listed = len(names).to_bytes(2, "big") + names
    extension = b"\0\0" + len(listed).to_bytes(2, "big") + listed
    rest = bytes(34) + b"\0" + b"\0\2\x13\1" + b"\1\0" + len(extension).to_bytes(2, "big")
    hello = b"\1" + (len(rest) + len(extension)).to_bytes(3, "big") + rest + extension
    record = b"\x16\3\1" + len(hello).to_bytes(2, "big") + hello
    if server_name(record) != name.decode():
        raise AssertionError("the name of a right hello is not found")
    data = spoiled(chance, record)
    return "read" if server_name(data) and bytes_wanted(data) else "nothing"


TARGETS: Final[dict[str, Callable[[Chance], str]]] = {
    "wire frames": frames,
    "descriptors and headers": structures,
    "PCF": pcf,
    "MQSC": mqsc,
    "local frames": local_frames,
    "the client's end": client_end,
    "TLS hello": tls_hello,
}
