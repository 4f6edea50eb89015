"""Numbers of a type of their own, for properties: what Python's int and float do not distinguish.

queue.put(b"x", properties={"size": Int32(4), "ratio": Float32(0.5)})
"""

from __future__ import annotations

from typing import Final, Self, final

from ternmq.base import constants as mq


@final
class Int8(int):
    """A property of MQTYPE_INT8."""

    def __new__(cls, value: int) -> Self:
        """The number as one of this type."""
        return super().__new__(cls, value)


@final
class Int16(int):
    """A property of MQTYPE_INT16."""

    def __new__(cls, value: int) -> Self:
        """The number as one of this type."""
        return super().__new__(cls, value)


@final
class Int32(int):
    """A property of MQTYPE_INT32."""

    def __new__(cls, value: int) -> Self:
        """The number as one of this type."""
        return super().__new__(cls, value)


@final
class Int64(int):
    """A property of MQTYPE_INT64, as a plain int is."""

    def __new__(cls, value: int) -> Self:
        """The number as one of this type."""
        return super().__new__(cls, value)


@final
class Float32(float):
    """A property of MQTYPE_FLOAT32."""


# The MQTYPE of a Python value by its class.
TYPES: Final[dict[type, int]] = {
    str: mq.MQTYPE_STRING,
    bool: mq.MQTYPE_BOOLEAN,
    int: mq.MQTYPE_INT64,
    Int8: mq.MQTYPE_INT8,
    Int16: mq.MQTYPE_INT16,
    Int32: mq.MQTYPE_INT32,
    Int64: mq.MQTYPE_INT64,
    float: mq.MQTYPE_FLOAT64,
    Float32: mq.MQTYPE_FLOAT32,
    bytes: mq.MQTYPE_BYTE_STRING,
    type(None): mq.MQTYPE_NULL,
}
