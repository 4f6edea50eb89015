"""Messages of a stream as Arrow columns, a block at a time and without an object a message.

Heads of messages are one NumPy array (`ternmq.HEAD_COLUMNS`); each column is a field of it, copied
once. Bodies with their offsets are Arrow's binary column as they come. Only messages that begin
with an MQRFH2 are looked at one by one, for their properties.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ternmq.codec.message_image import HEADER_BYTES
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property_header import as_put
from ternmq.spark.mq import property_columns as mq_properties
from ternmq.spark.mq.message_schema import PROPERTY, TOPIC
from ternmq.spark.mq.message_text import Ints, texts
from ternmq.spark.mq.mq_options import CONVERT_ALL, NONE, SourceOptions
from ternmq.spark.mq.property_fields import PropertyField, column_of, column_type
from ternmq.spark.mq.queue_streams import HEAD_TYPE
from ternmq.values.entry import OWN_DATE
from ternmq.values.message import TOPIC_STRING
from ternmq.values.stream_block import StreamBlock

_STRINGS: Final = pa.map_(pa.string(), pa.string())
_HEADER: Final = pa.struct([("key", pa.string()), ("value", pa.binary())])
TYPES: Final[dict[str, pa.DataType]] = {
    "string": pa.string(),
    "long": pa.int64(),
    "int": pa.int32(),
    "binary": pa.binary(),
    "timestamp": pa.timestamp("us", "UTC"),
    "map<string,string>": _STRINGS,
    "array<struct<key:string,value:binary>>": pa.list_(pa.field("element", _HEADER)),
}
# Columns whose field of the head has another name.
_FIELDS: Final = {
    "reply_to_q": "reply_to_queue",
    "user_identifier": "user_id",
    "backout_count": "own_backout_count",
}
_TEXT_FORMAT: Final = b"MQSTR   "
_TOPIC_STRING: Final = (PropertyField(TOPIC_STRING, "STRING"),)


def arrow_schema(
    columns: tuple[tuple[str, str], ...], fields: tuple[PropertyField, ...] = ()
) -> pa.Schema:
    """The schema of batches, as Spark expects it; `fields` are those of column property."""
    typed = column_type(fields)
    return pa.schema([(name, typed if name == PROPERTY else TYPES[kind]) for name, kind in columns])


class Messages:
    """Some messages of one queue while they become columns."""

    def __init__(
        self,
        heads: Ints,
        bodies: pa.Array,
        queue: str,
        incarnation: int | None,
        areas: dict[int, bytes] | None = None,
    ) -> None:
        self.heads = heads
        self.areas: dict[int, bytes] = {} if areas is None else areas  # of properties, by row
        self.bodies = bodies
        self.queue = queue
        self.incarnation = incarnation
        # Of the bodies: the same as the MQMD's, until a header is taken away.
        self.formats: Ints = heads["format"]
        self.encodings: Ints = heads["encoding"]
        self.ccsids: Ints = heads["ccsid"]
        self.properties: dict[int, list[mq_properties.Element]] = {}

    def __len__(self) -> int:
        return len(self.heads)

    def take_headers(self) -> None:
        """Take what the property areas say, and MQRFH2 headers away from the bodies, which have
        them if they come from other queue managers."""
        for row, area in self.areas.items():
            self.properties[row] = mq_properties.properties_in(area)
        rows = np.flatnonzero(self.formats == mq_properties.FORMAT)
        if not len(rows):
            return
        self._own_fields()
        bodies = self.bodies.to_pylist()
        for row in rows.tolist():
            found = mq_properties.without_header(
                bodies[row], int(self.encodings[row]), int(self.ccsids[row])
            )
            if found is not None:
                bodies[row] = found.body
                self.formats[row] = found.format.ljust(8).encode("utf-8", "surrogateescape")
                self.encodings[row] = found.encoding
                self.ccsids[row] = found.ccsid
                self.properties[row] = self.properties.get(row, []) + found.properties
        self.bodies = pa.array(bodies, pa.binary())

    def put_headers_back(self) -> None:
        """The bodies with their properties in MQRFH2 headers, as they may have been put."""
        self._own_fields()
        bodies = self.bodies.to_pylist()
        for row, area in self.areas.items():
            mqmd = self.heads[row].tobytes()[HEADER_BYTES:]
            bodies[row], base = as_put(area, bodies[row], mqmd)
            given = Descriptor.unpack(base)
            self.formats[row] = given.format.ljust(8).encode("utf-8", "surrogateescape")
            self.encodings[row] = given.encoding
            self.ccsids[row] = given.ccsid
        self.bodies = pa.array(bodies, pa.binary())

    def _own_fields(self) -> None:
        """Fields of the data are about to differ from those of the heads."""
        self.formats, self.encodings, self.ccsids = (
            self.formats.copy(),
            self.encodings.copy(),
            self.ccsids.copy(),
        )


def messages_of(blocks: list[StreamBlock], queue: str) -> Messages:
    """The messages of blocks of one stream."""
    heads = [np.frombuffer(block.heads, HEAD_TYPE) for block in blocks]
    bodies = [
        pa.Array.from_buffers(
            pa.binary(),
            len(block),
            [None, pa.py_buffer(block.offsets), pa.py_buffer(block.bodies)],
        )
        for block in blocks
    ]
    whole = heads[0] if len(heads) == 1 else np.concatenate(heads)
    return Messages(
        whole, pa.concat_arrays(bodies), queue, blocks[0].incarnation, _areas_of(blocks)
    )


def _areas_of(blocks: list[StreamBlock]) -> dict[int, bytes]:
    """Property areas by row, of the messages that have one."""
    areas: dict[int, bytes] = {}
    first = 0
    for block in blocks:
        if block.has_properties:
            for place in range(len(block)):
                area = block.area(place)
                if area:
                    areas[first + place] = area
        first += len(block)
    return areas


class BatchMaker:
    """Makes record batches with the columns that a user wants."""

    def __init__(self, options: SourceOptions, queue_manager: str) -> None:
        self.schema: Final = arrow_schema(options.columns, options.property_fields)
        self._property_fields: Final = options.property_fields
        self._kinds: Final = dict(options.columns)
        self._queue_manager: Final = queue_manager
        self._has_properties: Final = options.has_properties
        self._convert: Final = options.convert
        self._is_kafka: Final = options.is_kafka
        self._is_published: Final = bool(options.topic)

    def batch(self, messages: Messages) -> pa.RecordBatch:
        """The columns of these messages."""
        if self._has_properties:
            messages.take_headers()
        elif messages.areas:
            messages.put_headers_back()
        makers = _KAFKA if self._is_kafka else _OWN
        columns = []
        for name, kind in self._kinds.items():
            maker = makers.get(name)
            if maker is not None:
                columns.append(maker(self, messages))
            else:
                columns.append(_plain(messages.heads[_FIELDS.get(name, name)], kind))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    # ---- columns that are not fields of the head

    def queue_manager(self, messages: Messages) -> pa.Array:
        return pa.repeat(pa.scalar(self._queue_manager, pa.string()), len(messages))

    def queue(self, messages: Messages) -> pa.Array:
        return pa.repeat(pa.scalar(messages.queue, pa.string()), len(messages))

    def topic(self, messages: Messages) -> pa.Array:
        """The topic string; for users of Kafka the queue, where a queue is read."""
        if not self._is_published:
            return self.queue(messages)
        return column_of(_TOPIC_STRING, messages.areas, len(messages)).field(0)

    def incarnation(self, messages: Messages) -> pa.Array:
        return pa.repeat(pa.scalar(messages.incarnation, pa.int64()), len(messages))

    def seq(self, messages: Messages) -> pa.Array:
        return pa.array(messages.heads["number"].astype(np.int64))

    def format(self, messages: Messages) -> pa.Array:
        return _strings(messages.formats)

    def encoding(self, messages: Messages) -> pa.Array:
        return pa.array(np.ascontiguousarray(messages.encodings))

    def ccsid(self, messages: Messages) -> pa.Array:
        return pa.array(np.ascontiguousarray(messages.ccsids))

    def put_timestamp(self, messages: Messages) -> pa.Array:
        return _stamps(messages.heads)

    def properties(self, messages: Messages) -> pa.Array:
        return self._map(messages, 2)

    def property_types(self, messages: Messages) -> pa.Array:
        return self._map(messages, 1)

    def property(self, messages: Messages) -> pa.Array:
        return column_of(self._property_fields, messages.areas, len(messages))

    def _map(self, messages: Messages, at: int) -> pa.Array:
        """A map for each message, of names and one element of what is known of a property."""
        if not self._has_properties:
            return pa.nulls(len(messages), _STRINGS)
        if not messages.properties:
            offsets = np.zeros(len(messages) + 1, np.int32)
            nothing = pa.array([], pa.string())
            return pa.MapArray.from_arrays(pa.array(offsets), nothing, nothing)
        none: list[mq_properties.Element] = []
        maps = [
            {one[0]: one[at] for one in messages.properties.get(row, none)}
            for row in range(len(messages))
        ]
        return pa.array([list(one.items()) for one in maps], _STRINGS)

    def body(self, messages: Messages) -> pa.Array:
        return messages.bodies

    def text(self, messages: Messages) -> pa.Array:
        if self._convert == CONVERT_ALL:
            wanted = np.ones(len(messages), np.bool_)
        elif self._convert == NONE:
            return pa.nulls(len(messages), pa.string())
        else:
            wanted = messages.formats == _TEXT_FORMAT
        return texts(messages.bodies, messages.ccsids, messages.encodings, wanted)

    # ---- the view for users of Kafka

    def key(self, messages: Messages) -> pa.Array:
        ids = _plain(messages.heads["correl_id"], "binary")
        has_none = pc.equal(ids, pa.scalar(bytes(24), pa.binary()))
        return pc.if_else(has_none, pa.scalar(None, pa.binary()), ids)

    def zeros(self, messages: Messages) -> pa.Array:
        return pa.array(np.zeros(len(messages), np.int32))

    def headers(self, messages: Messages) -> pa.Array:
        kind = TYPES["array<struct<key:string,value:binary>>"]
        if not messages.properties:
            return pa.nulls(len(messages), kind)
        rows = [
            [
                {"key": name, "value": mq_properties.bytes_of(kind_name, value)}
                for name, kind_name, value in messages.properties[row]
            ]
            if row in messages.properties
            else None
            for row in range(len(messages))
        ]
        return pa.array(rows, kind)


_Maker = Callable[[BatchMaker, Messages], pa.Array]
_OWN: Final[dict[str, _Maker]] = {
    "queue_manager": BatchMaker.queue_manager,
    "queue": BatchMaker.queue,
    TOPIC: BatchMaker.topic,
    "incarnation": BatchMaker.incarnation,
    "seq": BatchMaker.seq,
    "format": BatchMaker.format,
    "encoding": BatchMaker.encoding,
    "ccsid": BatchMaker.ccsid,
    "put_timestamp": BatchMaker.put_timestamp,
    "properties": BatchMaker.properties,
    "property_types": BatchMaker.property_types,
    PROPERTY: BatchMaker.property,
    "body": BatchMaker.body,
    "text": BatchMaker.text,
}
_KAFKA: Final[dict[str, _Maker]] = {
    "key": BatchMaker.key,
    "value": BatchMaker.body,
    TOPIC: BatchMaker.topic,
    "partition": BatchMaker.zeros,
    "offset": BatchMaker.seq,
    "timestamp": BatchMaker.put_timestamp,
    "timestampType": BatchMaker.zeros,
    "headers": BatchMaker.headers,
    PROPERTY: BatchMaker.property,
}


def _plain(field: Ints, kind: str) -> pa.Array:
    """A field of the head as its column."""
    if kind == "int":
        return pa.array(field.astype(np.int32))
    if kind == "string":
        return _strings(field)
    size = field.dtype.itemsize
    data = pa.py_buffer(np.ascontiguousarray(field))
    fixed = pa.Array.from_buffers(pa.binary(size), len(field), [None, data])
    return fixed.cast(pa.binary())


def _strings(field: Ints) -> pa.Array:
    """A field of characters, without the blanks at its end."""
    if (field == field[0]).all():  # as most fields are, of most messages: one look at one value
        text = bytes(field[0]).decode("utf-8", "replace").rstrip(" \0")
        return pa.repeat(pa.scalar(text, pa.string()), len(field))
    data = pa.py_buffer(np.ascontiguousarray(field))
    fixed = pa.Array.from_buffers(pa.binary(field.dtype.itemsize), len(field), [None, data])
    try:
        strings = fixed.cast(pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        strings = pa.array([bytes(one).decode("utf-8", "replace") for one in field], pa.string())
    return pc.utf8_rtrim(strings, characters=" \0")


def _stamps(heads: Ints) -> pa.Array:
    """When messages were put: as their context says where that was set by the application, else by
    the queue manager's clock, which is finer than the MQMD's hundredths of seconds."""
    stamps = heads["put_ns"] // 1000
    valid = np.ones(len(heads), np.bool_)
    own = np.flatnonzero(heads["own_flags"] & OWN_DATE)
    if len(own):
        stamps[own], valid[own] = _own_stamps(heads["put_date"][own], heads["put_time"][own])
    mask = None if valid.all() else ~valid
    return pa.array(stamps, pa.int64(), mask=mask).cast(pa.timestamp("us", "UTC"))


def _own_stamps(dates: Ints, times: Ints) -> tuple[Ints, Ints]:
    """Microseconds since 1970 of YYYYMMDD and HHMMSSTH, and which of them are moments at all."""
    joined = [np.ascontiguousarray(one).view(np.uint8).reshape(-1, 8) for one in (dates, times)]
    digits = np.concatenate(joined, axis=1).astype(np.int64) - ord("0")
    valid = ((digits >= 0) & (digits <= 9)).all(axis=1)
    digits[~valid] = 0
    pairs = digits[:, 0::2] * 10 + digits[:, 1::2]
    century, year, month, day, hour, minute, second, hundredth = pairs.T
    months = (century * 100 + year - 1970) * 12 + month - 1
    days = months.astype("M8[M]").astype("M8[D]") + (day - 1)
    valid &= (month >= 1) & (month <= 12) & (day >= 1)
    valid &= (days.astype("M8[M]").astype(np.int64) == months) & (hour < 24) & (minute < 60)
    valid &= second < 60
    seconds = days.astype(np.int64) * 86_400 + hour * 3600 + minute * 60 + second
    return seconds * 1_000_000 + hundredth * 10_000, valid
