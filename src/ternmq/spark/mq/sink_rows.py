"""Rows of an Arrow batch as messages to be put: descriptors by NumPy, a column at a time.

A descriptor is 364 bytes (codec.mqmd has the table). Columns are written into a matrix with one row
for each message; what is left of work for each row is to cut its descriptor and its data out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ternmq.base import constants as mq
from ternmq.base.limits import TOPIC_STRING_CHARACTERS_MAX
from ternmq.base.names import is_name
from ternmq.codec.mqi import mqmd
from ternmq.spark.mq.sink_columns import BYTES, CHARACTERS, Field, Shape
from ternmq.spark.mq.sink_properties import Headers

UTF_8: Final = 1208
_I32: Final = (-(1 << 31), (1 << 31) - 1)
# What a queue manager would refuse anyway; here the column is known, and the value.
_RANGES: Final = {
    "priority": (-1, 9),
    "persistence": (0, 2),
    "expiry": (-1, _I32[1]),
    "msg_type": (1, mq.MQMT_APPL_LAST),
    "feedback": (0, mq.MQFB_APPL_LAST),
}
_YEAR_1_MS: Final = int(np.datetime64("0001", "ms").astype(np.int64))
_YEAR_10000_MS: Final = int(np.datetime64("10000", "ms").astype(np.int64))
_GROUP: Final = mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP
_GROUPED: Final = _GROUP | mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT | mq.MQMF_SEGMENTATION_ALLOWED

Matrix = np.ndarray[Any, np.dtype[np.uint8]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]


class Target(NamedTuple):
    """Where messages go: a queue by its name, or a topic by its string."""

    name: str
    is_topic: bool


class Puts(NamedTuple):
    """Messages for one queue or topic, in order."""

    target: Target
    descriptors: list[bytes]
    bodies: list[bytes]
    lengths: Numbers


def template(is_text: bool) -> bytes:
    """The descriptor of a row that says nothing: persistent, since a person who asks for rows to be
    written once does not expect a restart to lose them."""
    md = mqmd.Descriptor(persistence=mq.MQPER_PERSISTENT)
    if is_text:
        md.format = mq.MQFMT_STRING
        md.ccsid = UTF_8
    return md.pack()


@final
class Rows:
    """From batches to messages."""

    def __init__(self, shape: Shape, queue: str, topic: str = "") -> None:
        self._shape = shape
        self._target = Target(topic or queue, bool(topic))
        self._template = template(shape.is_text)
        self._headers = Headers()
        self._publishes = bool(topic) or (not queue and bool(shape.topic))
        if not self._target.name and not shape.queue and not shape.topic:
            raise ValueError(
                "no option queue or topic and no column of either name says where to put messages"
            )

    def puts(self, batch: pa.RecordBatch) -> Iterator[Puts]:
        """The messages of a batch, queue by queue or topic by topic."""
        if not batch.num_rows:
            return
        lengths, bodies = bodies_of(batch.column(self._shape.body))
        matrix = self._matrix(batch)
        if self._shape.properties or self._shape.headers:
            if matrix is None:
                matrix = repeated(self._template, batch.num_rows)
            self._add_headers(batch, matrix, lengths, bodies)
        descriptors = [self._template] * batch.num_rows
        if matrix is not None:
            packed = matrix.tobytes()
            size = mqmd.BYTES_2
            descriptors = [packed[at : at + size] for at in range(0, len(packed), size)]
        yield from self._by_target(batch, descriptors, bodies, lengths)

    def _by_target(
        self, batch: pa.RecordBatch, descriptors: list[bytes], bodies: list[bytes], lengths: Numbers
    ) -> Iterator[Puts]:
        if self._target.name:
            yield Puts(self._target, descriptors, bodies, lengths)
            return
        is_topic = bool(self._shape.topic)
        named = self._shape.topic or self._shape.queue
        column = batch.column(named)
        if column.null_count:
            what = "topic" if is_topic else "queue"
            raise ValueError(f"column {named} is null: a message needs a {what}")
        codes = column.dictionary_encode()
        numbers = codes.indices.to_numpy()
        for code, name in enumerate(codes.dictionary.to_pylist()):
            chosen = np.flatnonzero(numbers == code).tolist()
            yield Puts(
                checked_topic(named, name) if is_topic else checked_queue(named, name),
                [descriptors[at] for at in chosen],
                [bodies[at] for at in chosen],
                lengths[chosen],
            )

    # ---- descriptors

    def _matrix(self, batch: pa.RecordBatch) -> Matrix | None:
        """One descriptor in each row; None if all are alike."""
        shape = self._shape
        if not shape.fields and not shape.timestamp:
            return None
        matrix = repeated(self._template, batch.num_rows)
        for field in shape.fields:
            fill(matrix, field, batch.column(field.column), self._template)
        if shape.timestamp:
            fill_time(matrix, batch.column(shape.timestamp))
        columns = {field.column for field in shape.fields}
        if shape.is_text and "ccsid" in columns:
            set_numbers(matrix, mqmd.CCSID_AT, np.full(len(matrix), UTF_8))
        if columns & {"group_id", "msg_flags", "msg_seq_number", "offset", "original_length"}:
            settle_groups(matrix, "msg_flags" in columns)
        return matrix

    def _add_headers(
        self, batch: pa.RecordBatch, matrix: Matrix, lengths: Numbers, bodies: list[bytes]
    ) -> None:
        """Put properties ahead of the data of those messages that have any."""
        shape = self._shape
        properties = batch.column(shape.properties or shape.headers)
        kinds = batch.column(shape.property_types) if shape.property_types else None
        for at in np.flatnonzero(entries_of(properties)).tolist():
            given = properties[at].as_py()
            row = matrix[at]
            try:
                types = dict(kinds[at].as_py() or ()) if kinds is not None else {}
                named = dict(given) if shape.properties else {}
                if shape.headers:
                    named, types = from_kafka(given)
                if self._publishes:
                    named = without_publication(named)
                if not named:
                    continue
                header = self._headers.header(named, types, described(row))
            except ValueError as error:
                raise ValueError(f"column {shape.properties or shape.headers}: {error}") from None
            bodies[at] = header + bodies[at]
            lengths[at] += len(header)
            row[mqmd.FORMAT_AT : mqmd.FORMAT_AT + 8] = _RFH2
            row[mqmd.ENCODING_AT : mqmd.ENCODING_AT + 8] = _NATIVE


_RFH2: Final = np.frombuffer(mq.MQFMT_RF_HEADER_2.ljust(8).encode(), np.uint8)
_NATIVE: Final = np.array([mq.MQENC_NATIVE, UTF_8], "<i4").view(np.uint8)


def checked_queue(column: str, name: str) -> Target:
    """A queue that a row names."""
    bare = name.rstrip(" ")
    if not is_name(bare):
        raise ValueError(f"column {column} is {name!r}, which is not a queue's name")
    return Target(bare, False)


def checked_topic(column: str, name: str) -> Target:
    """A topic that a row names."""
    if not 0 < len(name) <= TOPIC_STRING_CHARACTERS_MAX:
        raise ValueError(
            f"column {column} has {len(name)} characters; a topic string has 1 to"
            f" {TOPIC_STRING_CHARACTERS_MAX}"
        )
    return Target(name, True)


def repeated(row: bytes, count: int) -> Matrix:
    return np.frombuffer(row * count, np.uint8).reshape(count, len(row)).copy()


def bodies_of(column: pa.Array) -> tuple[Numbers, list[bytes]]:
    """Lengths and data of a column of bytes or text; null is a message without data."""
    if column.null_count:
        column = pc.fill_null(column, "" if is_characters(column.type) else b"")
    wide = pa.types.is_large_binary(column.type) or pa.types.is_large_string(column.type)
    _, offsets, data = column.buffers()
    if data is None:
        return np.zeros(len(column), np.int64), [b""] * len(column)
    places = np.frombuffer(offsets, np.int64 if wide else np.int32)
    places = places[column.offset : column.offset + len(column) + 1].astype(np.int64)
    first = int(places[0])
    whole = data.slice(first, int(places[-1]) - first).to_pybytes()
    cuts = (places - first).tolist()
    return np.diff(places), [whole[start:end] for start, end in pairwise(cuts)]


def is_characters(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


# ---- fields


def fill(matrix: Matrix, field: Field, column: pa.Array, usual: bytes) -> None:
    """A column into its field; where it is null, the usual value."""
    if field.kind in (CHARACTERS, BYTES):
        fill_bytes(matrix, field, column, usual)
        return
    default = int.from_bytes(usual[field.at : field.at + 4], "little", signed=True)
    values = pc.fill_null(column.cast(pa.int64()), default).to_numpy(zero_copy_only=False)
    lowest, highest = _RANGES.get(field.column, _I32)
    wrong = np.flatnonzero((values < lowest) | (values > highest))
    if len(wrong):
        raise ValueError(
            f"column {field.column} is {values[wrong[0]]}; it is from {lowest} to {highest}"
        )
    set_numbers(matrix, field.at, values)


def fill_bytes(matrix: Matrix, field: Field, column: pa.Array, usual: bytes) -> None:
    """Text with blanks behind it, identifiers with zeros."""
    given = column.cast(pa.binary())
    longest = pc.max(pc.binary_length(given)).as_py() or 0
    if longest > field.size:
        raise ValueError(
            f"column {field.column} has a value of {longest} bytes; {field.size} fit into it"
        )
    default = usual[field.at : field.at + field.size]
    filling = (b" " if field.kind == CHARACTERS else b"\0") * field.size
    joined = pc.binary_join_element_wise(pc.fill_null(given, default), filling, b"")
    cut = pc.binary_slice(joined, 0, field.size)
    flat = np.frombuffer(cut.buffers()[2], np.uint8, len(matrix) * field.size)
    matrix[:, field.at : field.at + field.size] = flat.reshape(len(matrix), field.size)


def fill_time(matrix: Matrix, column: pa.Array) -> None:
    """PutDate and PutTime, in UTC to hundredths of a second; blank where it is null."""
    instants = pc.cast(column, pa.timestamp("us", "UTC"), safe=False)
    known = pc.is_valid(column).to_numpy(zero_copy_only=False)
    micros = pc.fill_null(instants.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    numbers = micros // 1000  # down, also before 1970
    wrong = np.flatnonzero((numbers < _YEAR_1_MS) | (numbers >= _YEAR_10000_MS))
    if len(wrong):
        year = numbers[wrong[0]].astype("datetime64[ms]").astype("datetime64[Y]")
        raise ValueError(
            f"column put_timestamp is in the year {year}; PutDate has years from 0001 to 9999"
        )
    stamps = np.datetime_as_string(numbers.astype("datetime64[ms]"), unit="ms").astype("S23")
    letters = np.frombuffer(stamps.tobytes(), np.uint8).reshape(len(matrix), 23)
    digits = letters[:, (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21)]
    matrix[:, mqmd.PUT_DATE_AT : mqmd.APPL_ORIGIN_DATA_AT] = np.where(known[:, None], digits, 32)


def set_numbers(matrix: Matrix, at: int, values: Numbers) -> None:
    matrix[:, at : at + 4] = values.astype("<i4").view(np.uint8).reshape(len(matrix), 4)


def numbers_at(matrix: Matrix, at: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.ascontiguousarray(matrix[:, at : at + 4]).view("<i4").ravel()


def settle_groups(matrix: Matrix, has_flags: bool) -> None:
    """What says that a message is in a group fits together: without flags a GroupId makes it one,
    without either the other fields say nothing."""
    flags = numbers_at(matrix, mqmd.MSG_FLAGS_AT).astype(np.int64)
    if not has_flags:
        has_group = matrix[:, mqmd.GROUP_ID_AT : mqmd.GROUP_ID_AT + 24].any(axis=1)
        flags = np.where(has_group, mq.MQMF_MSG_IN_GROUP, flags)
        set_numbers(matrix, mqmd.MSG_FLAGS_AT, flags)
    alone = flags & _GROUPED == 0
    neutral = mqmd.Descriptor().pack()[mqmd.GROUP_ID_AT :]
    matrix[alone, mqmd.GROUP_ID_AT :] = np.frombuffer(neutral, np.uint8)


# ---- properties


def without_publication(named: dict[str, str | None]) -> dict[str, str | None]:
    """Properties without those of a publication, which each publication has of its own."""
    return {name: value for name, value in named.items() if not name.startswith("mqps.")}


def entries_of(column: pa.Array) -> Numbers:
    """How many entries each map or list has."""
    counts = np.diff(column.offsets.to_numpy())
    return np.where(column.is_valid().to_numpy(zero_copy_only=False), counts, 0)


def described(row: Matrix) -> tuple[str, int, int]:
    """Format, encoding and CCSID of a descriptor."""
    packed = row.tobytes()
    format = packed[mqmd.FORMAT_AT : mqmd.FORMAT_AT + 8].decode("utf-8", "replace").rstrip()
    encoding, ccsid = np.frombuffer(packed, "<i4", 2, mqmd.ENCODING_AT).tolist()
    return format, encoding, ccsid


def from_kafka(headers: list[dict[str, Any]]) -> tuple[dict[str, str | None], dict[str, str]]:
    """Kafka's headers as properties; what is not text becomes hexadecimal. ValueError where Kafka
    has more than a message of MQ can: two headers of one key."""
    named: dict[str, str | None] = {}
    types: dict[str, str] = {}
    for header in headers:
        name, value = header["key"], header["value"]
        if name is None:
            raise ValueError("a key is null")
        if name in named:
            raise ValueError(f"the key {name!r} is there twice; a message has one property of it")
        try:
            named[name] = None if value is None else bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            named[name] = bytes(value).hex().upper()
            types[name] = "bin.hex"
    return named, types
