"""Goal: what the source reads of properties, the sink writes again: each of the types, with its
value to the last bit.

Method: messages with properties of all types and their extreme values are read as the source does,
put as the sink does, and got; types and values are compared with those that were put first.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql.pandas.types import from_arrow_schema

import ternmq
from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property import Property
from ternmq.spark.mq.batch_read import MqReader
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.sink_columns import shape_of
from ternmq.spark.mq.sink_rows import Rows
from tests.unit.api.networked import CHANNEL, Networked, in_memory

LEAST_DOUBLE = struct.unpack("<d", (1).to_bytes(8, "little"))[0]
LEAST_FLOAT = struct.unpack("<f", (1).to_bytes(4, "little"))[0]
MOST_FLOAT = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
VALUES: dict[str, list[Any]] = {
    "null": [None],
    "boolean": [True, False],
    "bytes": [b"", b"\x00", bytes(range(256))],
    "int8": [ternmq.Int8(n) for n in (-128, -1, 0, 127)],
    "int16": [ternmq.Int16(n) for n in (-32768, 255, 32767)],
    "int32": [ternmq.Int32(n) for n in (-(1 << 31), 65536, (1 << 31) - 1)],
    "int64": [-(1 << 63), (1 << 53) + 1, (1 << 63) - 1],
    "float32": [ternmq.Float32(n) for n in (0.1, -0.0, LEAST_FLOAT, MOST_FLOAT, 1e-30)],
    "float64": [0.1, -0.0, LEAST_DOUBLE, 1.7976931348623157e308, 1 / 3, 123456789.0, 1e16],
    "not_finite": [float("inf"), float("-inf"), float("nan"), ternmq.Float32(float("nan"))],
    "string": ["", " ", "a b ", "5", "true", "&<>\"'", "\r\n\t", "grüße", "\U0001f426", "]]>"],
}
TYPES = {
    "null": mq.MQTYPE_NULL,
    "boolean": mq.MQTYPE_BOOLEAN,
    "bytes": mq.MQTYPE_BYTE_STRING,
    "int8": mq.MQTYPE_INT8,
    "int16": mq.MQTYPE_INT16,
    "int32": mq.MQTYPE_INT32,
    "int64": mq.MQTYPE_INT64,
    "float32": mq.MQTYPE_FLOAT32,
    "float64": mq.MQTYPE_FLOAT64,
    "string": mq.MQTYPE_STRING,
}


@pytest.fixture(scope="module")
def served() -> Iterator[Networked]:
    found = in_memory()
    with found.connect() as connection:
        connection.define_queue("A")
        connection.define_queue("B")
    yield found
    found.close()


def exact(one: Property) -> tuple[str, int, object]:
    """A property, with a float as its bits."""
    value: object = one.value
    if isinstance(value, float):
        value = struct.pack("<f" if one.type == mq.MQTYPE_FLOAT32 else "<d", value)
    return one.name, one.type, value


def properties_of(message: ternmq.Message) -> list[tuple[str, int, object]]:
    return sorted(exact(message.properties.typed(name)) for name in message.properties)


def copied(served: Networked, mode: str) -> list[ternmq.Message]:
    """Read queue A as the source does, put to B as the sink does, and get from there."""
    way = {"queueManager": "QM1", "connName": served.conn, "channel": CHANNEL}
    options = SourceOptions({**way, "queue": "A", "mode": mode}, is_stream=False)
    reader = MqReader(options)
    with served.connect() as connection, connection.queue("B") as target:
        for partition in reader.partitions():
            for batch in reader.read(partition):
                rows = Rows(shape_of(from_arrow_schema(batch.schema), False, False), "B")
                for puts in rows.puts(batch):
                    for packed, body in zip(puts.descriptors, puts.bodies, strict=True):
                        target.put(body, descriptor=Descriptor.unpack(packed))
        return list(target)


@pytest.mark.parametrize("mode", ["browse", "stream"])
@pytest.mark.parametrize("kind", VALUES)
def test_properties_when_read_and_written_then_type_and_value_are_the_same(
    served: Networked, kind: str, mode: str
) -> None:
    with served.connect() as connection, connection.queue("A") as source:
        connection.cursor("KEEP", "A")
        for n, value in enumerate(VALUES[kind]):
            source.put(f"text {n}", properties={"p": value, "com.example.q": value, "n": n})
        there = copied(served, mode)
        put = list(source)
        connection.cursor("KEEP").delete()
    assert [one.text for one in there] == [f"text {n}" for n in range(len(VALUES[kind]))]
    assert [properties_of(one) for one in there] == [properties_of(one) for one in put]
    if kind in TYPES:
        assert {one.properties.typed("p").type for one in there} == {TYPES[kind]}
