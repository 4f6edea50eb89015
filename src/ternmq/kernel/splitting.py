"""Where a message is cut that MQMF_SEGMENTATION_ALLOWED lets the queue manager split.

Each segment is at most as long as MAXMSGL of the queue and of the queue manager allow, with the
headers that it gets on a transmission queue. The first one also leaves room for the MQRFH2 that its
properties become for whoever does not take them apart: all properties are the first segment's. MQ
headers are not cut; other cuts are at multiples of 16 bytes.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_MSG_TOO_BIG_FOR_Q, MQRC_MSG_TOO_BIG_FOR_Q_MGR
from ternmq.codec.headers.chain import ChainedHeader, headers_of
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT, REPORT_AT
from ternmq.codec.property_header import length_as_put
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.transmission import segment_header_bytes

UNIT_BYTES: Final = 16
_FIELDS_END: Final = FORMAT_AT + 8
_LONG: Final = struct.Struct("<i")
REPORTED_BYTES: Final = 100  # of user data, in a report WITH_DATA
# Each: the bits of the option WITH_FULL_DATA, those of WITH_DATA, those of the plain one.
_WITH_DATA: Final = (
    (mq.MQRO_EXCEPTION_WITH_FULL_DATA, mq.MQRO_EXCEPTION_WITH_DATA, mq.MQRO_EXCEPTION),
    (mq.MQRO_EXPIRATION_WITH_FULL_DATA, mq.MQRO_EXPIRATION_WITH_DATA, mq.MQRO_EXPIRATION),
    (mq.MQRO_COA_WITH_FULL_DATA, mq.MQRO_COA_WITH_DATA, mq.MQRO_COA),
    (mq.MQRO_COD_WITH_FULL_DATA, mq.MQRO_COD_WITH_DATA, mq.MQRO_COD),
)


@final
class Pieces:
    """The segments of one message: the first ones by their ends, all further ones of one length."""

    __slots__ = ("_ends", "_fields", "_payload_at", "_step", "count", "length", "longest")

    def __init__(self, length: i64, headers: list[ChainedHeader]) -> None:
        self.length: i64 = length
        self.count: i64 = 0
        self.longest: i64 = 0
        self._ends: list[int] = []
        self._step: i64 = 0
        self._payload_at: i64 = headers[-1].end if headers else 0
        self._fields: dict[int, bytes] = {header.end: header.fields for header in headers}

    def add(self, end: i64) -> None:
        """A piece that ends here."""
        self.longest = max(self.longest, end - self.end_of(len(self._ends) - 1))
        self._ends.append(int(end))

    def fill(self, step: i64) -> None:
        """All further ones have this length, but for the last."""
        self._step = step
        count: i64 = len(self._ends)
        rest: i64 = self.length - self.end_of(count - 1)
        if rest > 0:
            self.longest = max(self.longest, min(rest, step))
            count += (rest + step - 1) // step
        self.count = count

    def end_of(self, number: i64) -> i64:
        """Where a piece ends; of -1, where the first one begins."""
        known: i64 = len(self._ends)
        if number < 0:
            return 0
        if number < known:
            return self._ends[number]
        last: i64 = self._ends[known - 1] if known else 0
        return min(last + (number - known + 1) * self._step, self.length)

    def base_of(self, number: i64, base: bytes) -> bytes:
        """The descriptor of a piece: it describes the data at the start of the segment, and asks
        for no data in reports if the segment has none of what they have."""
        start = self.end_of(number - 1)
        if start == 0:
            return base
        fields = self._fields.get(int(start))
        if fields is None and self._payload_at and start > self._payload_at:
            fields = self._fields[int(self._payload_at)]
        if fields is not None:
            base = base[:ENCODING_AT] + fields + base[_FIELDS_END:]
        if start >= self._payload_at + REPORTED_BYTES:
            base = _without_report_data(base)
        return base


def _without_report_data(base: bytes) -> bytes:
    report: int = _LONG.unpack_from(base, REPORT_AT)[0]
    plain = report
    for full, with_data, without in _WITH_DATA:
        if report & full == with_data:
            plain = plain & ~full | without
    if plain == report:
        return base
    return base[:REPORT_AT] + _LONG.pack(plain) + base[REPORT_AT + 4 :]


def pieces_of(
    kernel: Kernel, handle: Handle, local: LocalQueue, request: PutRequest, data: bytes
) -> Pieces | None:
    """How a message is cut; None if it need not be. The reason if it cannot be."""
    room: i64 = min(local.max_length, kernel.max_length) - segment_header_bytes(handle)
    length: i64 = len(data)
    area = request.properties
    if length <= room and not area:
        return None
    headers = headers_of(data, request.base)
    beside: i64 = 0
    if area:
        front = data[: headers[-1].end] if headers else b""
        beside = length_as_put(area, front, request.base) - len(front)
        if length + beside <= room:
            return None
    pieces = Pieces(length, headers)
    first = room - beside
    begin = _cut_headers(kernel, local, pieces, headers, first, room)
    left = first if begin == 0 else room  # for the piece that the payload is in
    payload_at: i64 = headers[-1].end if headers else 0
    cut = (begin + left) // UNIT_BYTES * UNIT_BYTES
    if cut >= length or begin + left >= length:
        pieces.add(length)
    elif cut > payload_at:
        pieces.add(cut)
    elif payload_at > begin:
        pieces.add(payload_at)
    else:
        raise _too_big(kernel, local, f"the first segment would have {beside} bytes of properties")
    step = room // UNIT_BYTES * UNIT_BYTES
    if step < UNIT_BYTES:
        raise _too_big(kernel, local, f"a segment has at least {UNIT_BYTES} bytes")
    pieces.fill(step)
    return pieces


def _cut_headers(
    kernel: Kernel,
    local: LocalQueue,
    pieces: Pieces,
    headers: list[ChainedHeader],
    first: i64,
    room: i64,
) -> i64:
    """Segments for headers that do not all fit into one; where the one begins that has the last of
    them."""
    begin: i64 = 0
    end: i64 = 0
    left = first
    for header in headers:
        if header.end - begin > left and end > begin:
            pieces.add(end)
            begin = end
            left = room
        if header.end - begin > left:
            size = header.end - begin
            raise _too_big(kernel, local, f"a header of {size} bytes is not cut")
        end = header.end
    return begin


def _too_big(kernel: Kernel, local: LocalQueue, why: str) -> MQError:
    reason = MQRC_MSG_TOO_BIG_FOR_Q
    name = local.name
    limit = local.max_length
    if kernel.max_length < local.max_length:
        reason = MQRC_MSG_TOO_BIG_FOR_Q_MGR
        name = kernel.name
        limit = kernel.max_length
    detail = f"it cannot be split into segments for MAXMSGL({limit}): {why}; raise MAXMSGL"
    return mq_error(reason, verb="MQPUT", object=name, detail=detail)
