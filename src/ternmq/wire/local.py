"""The protocol between an application and the queue manager that serves it on a Unix socket.

    frame     length u32 (of what follows), kind u8, number u32, body; all numbers little endian

The application begins with HELLO and waits for its answer; after that it may send requests without
waiting. Requests of one connection are served in their order and answered in it: OK, or ERROR with
JSON, both with the request's number. ACK has no answer. ENDED comes unasked, with number 0: the
queue manager says why it is about to close the connection.

    HELLO     JSON {"protocol": [oldest, newest], "application", "options", "pid" ...}
              -> {"protocol": chosen, "name", "connection_id", "user", "version"}
    EXTENSION a call by its name, with JSON and bytes: every verb that has no frame here; see
              `extension` and `values.calls`
    CALL      JSON {"call": name, ...arguments} -> JSON; on control connections alone: status, stop,
              listeners, the command server
    PUT       handle i32, PMO options i32, context handle i32, length of the properties u32, MQMD
              (version 2, canonical form), property area, data -> MsgId, then of the MQMD as it was
              put: Priority and Persistence, and UserIdentifier to ApplOriginData; then the reason
              of a warning u32, or 0
    PUT1      length u16 and JSON of the MQOD, for a topic with its "object_string", then as PUT;
              its handle is 0 -> the same
    PUT_LIST  length u32 and JSON {"fields", "records"} of a distribution list, for MQPUT1 also
              {"od", "destinations"}, then as PUT; the handle of MQPUT1 is 0 -> the answer of
              EXTENSION
    DEFER     delivery delay in milliseconds i64, then as PUT -> the same
    LEVEL     publication level u8, then 0 and as PUT, or 1 and as PUT1 -> the same
    GET       GET_HEAD -> GOT_HEAD, MQMD, property area, data; if there is no message, GOT_HEAD
              alone
    COMMIT, BACKOUT, DISCONNECT   nothing -> nothing
    CANCEL    number u32 of a GET: it shall not have happened. Answered after that GET, whose own
              answer then does not count
    ACK       number u32 of a GET with RETURNABLE: its answer has arrived and counts. Any later
              request but CANCEL says the same

Validity: a frame is no longer than the receiver allows: FRAME_BYTES_BEFORE_HELLO until HELLO is
answered, then the longest message with its head. A length, a kind or a body that cannot be is
RemoteProtocolError, and the connection is closed. No I/O here: bytes come in through `FrameReader`,
and the functions below make bytes.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final, final

from ternmq.base.errors import RemoteProtocolError
from ternmq.base.limits import (
    FRAME_BYTES_BEFORE_HELLO,
    FRAME_HEAD_BYTES_MAX,
    MESSAGE_BYTES_MAX,
)
from ternmq.codec.mqi.mqmd import BYTES_2

# A message may be nothing but headers with properties, of which the area has two forms.
FRAME_BYTES_MAX: Final = 3 * MESSAGE_BYTES_MAX + FRAME_HEAD_BYTES_MAX

# 1 had a frame with JSON alone for each call, 2 no properties beside the data, 3 no DEFER.
PROTOCOL_OLDEST: Final = 4
PROTOCOL_NEWEST: Final = 4

HELLO: Final = 1
CALL: Final = 2
PUT: Final = 3
PUT1: Final = 4
GET: Final = 5
COMMIT: Final = 6
BACKOUT: Final = 7
DISCONNECT: Final = 8
CANCEL: Final = 9
ACK: Final = 10
EXTENSION: Final = 11
PUT_LIST: Final = 12
DEFER: Final = 13
LEVEL: Final = 14
OK: Final = 64
ERROR: Final = 65
ENDED: Final = 66
REQUESTS: Final = (
    HELLO,
    CALL,
    PUT,
    PUT1,
    GET,
    COMMIT,
    BACKOUT,
    DISCONNECT,
    CANCEL,
    ACK,
    EXTENSION,
    PUT_LIST,
    DEFER,
    LEVEL,
)
ANSWERS: Final = (OK, ERROR, ENDED)

HEAD: Final = struct.Struct("<IBI")
HEAD_BYTES: Final = 9
_AFTER_LENGTH: Final = 5
_KEPT_BYTES: Final = 1 << 20  # a buffer of more is given up when it is empty
LENGTH: Final = struct.Struct("<I")
NUMBER: Final = struct.Struct("<I")
OBJECT_STRING: Final = "object_string"  # beside the fields of the MQOD of a PUT1
SHORT: Final = struct.Struct("<H")
DELAY: Final = struct.Struct("<q")
LEVEL_HEAD: Final = struct.Struct("<BB")  # level, whether it is a PUT1
PUT_HEAD: Final = struct.Struct("<iiiI")
PUT_HEAD_BYTES: Final = 16
PUT_DATA_AT: Final = PUT_HEAD_BYTES + BYTES_2

# handle, options, match options, wait ms, buffer length, flags, CCSID, encoding, MsgSeqNumber,
# Offset, MsgId, CorrelId, GroupId, MsgToken
GET_HEAD: Final = struct.Struct("<iiiiqiiiii24s24s24s16s")
# reason, flags, priority, entry's flags, lane, backout count, length, sequence, number, queue,
# put time, end of life, time of the get, length of the properties
GOT_HEAD: Final = struct.Struct("<iiiiiiqqqqqqqI")
GOT_FIELDS: Final = 14

RETURNABLE: Final = 1  # in GET: until ACK or the next request, CANCEL brings the message back
APART: Final = 2  # in GET: properties come beside the data, if the queue does not say otherwise
HAS_MESSAGE: Final = 1  # in the answer


@final
class Frame:
    """One frame, taken apart."""

    __slots__ = ("body", "kind", "number")

    def __init__(self, kind: int, number: int, body: bytes) -> None:
        self.kind = kind
        self.number = number
        self.body = body

    def json(self) -> dict[str, Any]:
        """The body as a JSON object."""
        try:
            value = json.loads(self.body)
        except (RecursionError, ValueError) as error:
            raise RemoteProtocolError(f"frame {self.kind}: no JSON: {error}") from error
        if not isinstance(value, dict):
            raise RemoteProtocolError(f"frame {self.kind}: JSON, but no object")
        return value

    def taken_body(self) -> bytes:
        """The body, which the frame keeps no longer: it may be a long message."""
        body = self.body
        self.body = b""
        return body

    def referred(self) -> int:
        """The number of another request, in CANCEL and ACK."""
        if len(self.body) != NUMBER.size:
            raise RemoteProtocolError(f"frame {self.kind}: {len(self.body)} bytes for a number")
        number: int = NUMBER.unpack(self.body)[0]
        return number


@final
class FrameReader:
    """Takes bytes as they come and gives frames, of the kinds that this side may get."""

    def __init__(self, kinds: tuple[int, ...]) -> None:
        self._kinds = kinds
        self._buffer = bytearray()
        self._at = 0  # the bytes before it were given out
        self._bytes_max = FRAME_BYTES_BEFORE_HELLO

    def hello_is_done(self) -> None:
        """From now on a frame may hold a message."""
        self._bytes_max = FRAME_BYTES_MAX

    def feed(self, data: bytes) -> None:
        """More bytes."""
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += data

    @property
    def missing(self) -> int:
        """How many bytes the next frame lacks, as far as that is known."""
        have = len(self._buffer) - self._at
        if have < LENGTH.size:
            return LENGTH.size - have
        length: int = LENGTH.unpack_from(self._buffer, self._at)[0]
        return max(LENGTH.size + length - have, 0)

    def next(self) -> Frame | None:
        """The next frame; None if it has not come whole."""
        at = self._at
        have = len(self._buffer) - at
        if have < LENGTH.size:
            return None
        length: int = LENGTH.unpack_from(self._buffer, at)[0]
        if not _AFTER_LENGTH <= length <= self._bytes_max:
            raise RemoteProtocolError(f"a frame of {length} bytes; {self._bytes_max} are allowed")
        if have < LENGTH.size + length:
            return None
        kind: int = self._buffer[at + LENGTH.size]
        if kind not in self._kinds:
            raise RemoteProtocolError(f"a frame of kind {kind}")
        number: int = NUMBER.unpack_from(self._buffer, at + LENGTH.size + 1)[0]
        end = at + LENGTH.size + length
        with memoryview(self._buffer) as view:
            body = bytes(view[at + HEAD_BYTES : end])
        self._at = end
        if end > _KEPT_BYTES and end == len(self._buffer):  # a long message is not kept twice
            self._buffer = bytearray()
            self._at = 0
        return Frame(kind, number, body)


def frame(kind: int, number: int, body: bytes = b"") -> bytes:
    """A whole frame."""
    return HEAD.pack(len(body) + _AFTER_LENGTH, kind, number) + body


def frame_head(kind: int, number: int, body_bytes: int) -> bytes:
    """What stands before a body that is sent apart."""
    return HEAD.pack(body_bytes + _AFTER_LENGTH, kind, number)


def json_frame(kind: int, number: int, value: object) -> bytes:
    """A frame with JSON in it."""
    return frame(kind, number, json.dumps(value, separators=(",", ":")).encode("utf-8"))


def chosen_protocol(offered: object) -> int:
    """The newest protocol that both sides speak; 0 if they share none."""
    if (
        not isinstance(offered, list)
        or len(offered) != 2
        or not all(isinstance(one, int) for one in offered)
    ):
        raise RemoteProtocolError(f"no range of protocols: {offered!r}")
    newest = min(int(offered[1]), PROTOCOL_NEWEST)
    return newest if newest >= max(int(offered[0]), PROTOCOL_OLDEST) else 0


@final
class PutBody:
    """PUT and PUT1, taken apart."""

    __slots__ = ("context", "data", "descriptor", "handle", "object", "options", "properties")

    def __init__(self, body: bytes, is_put1: bool) -> None:
        at = 0
        self.object: dict[str, Any] = {}
        if is_put1:
            if len(body) < SHORT.size:
                raise RemoteProtocolError("MQPUT1 without an object")
            length: int = SHORT.unpack_from(body, 0)[0]
            at = SHORT.size + length
            self.object = Frame(PUT1, 0, body[SHORT.size : at]).json()
        if len(body) < at + PUT_DATA_AT:
            raise RemoteProtocolError(f"a put of {len(body)} bytes has no descriptor")
        handle, options, context, area_bytes = PUT_HEAD.unpack_from(body, at)
        data_at = at + PUT_DATA_AT + area_bytes
        if len(body) < data_at:
            raise RemoteProtocolError(f"a put of {len(body)} bytes, {area_bytes} of properties")
        self.handle: int = handle
        self.options: int = options
        self.context: int = context
        self.descriptor = body[at + PUT_HEAD_BYTES : at + PUT_DATA_AT]
        self.properties = body[at + PUT_DATA_AT : data_at]
        self.data = body[data_at:]


@final
class ListPutBody:
    """PUT_LIST, taken apart."""

    __slots__ = ("given", "put")

    def __init__(self, body: bytes) -> None:
        if len(body) < LENGTH.size:
            raise RemoteProtocolError("a put to a list without its records")
        length: int = LENGTH.unpack_from(body, 0)[0]
        at = LENGTH.size + length
        self.given = Frame(PUT_LIST, 0, body[LENGTH.size : at]).json()
        self.put = PutBody(body[at:], False)


def put_list_head(given: dict[str, Any], head: bytes) -> bytes:
    """What stands before the data of a PUT_LIST; `head` is that of a PUT."""
    described = json.dumps(given, separators=(",", ":")).encode("utf-8")
    return LENGTH.pack(len(described)) + described + head


def put_head(
    handle: int, options: int, context: int, descriptor: bytes, properties: bytes = b""
) -> bytes:
    """What stands before the data of a PUT."""
    head = PUT_HEAD.pack(handle, options, context, len(properties)) + descriptor
    return head + properties if properties else head


def put1_head(
    object: dict[str, Any], options: int, context: int, descriptor: bytes, properties: bytes
) -> bytes:
    """What stands before the data of a PUT1."""
    described = json.dumps(object, ensure_ascii=False).encode("utf-8", "surrogatepass")
    head = put_head(0, options, context, descriptor, properties)
    return SHORT.pack(len(described)) + described + head
