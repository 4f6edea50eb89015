"""One property of a message: its name, type and value, and the fields of its MQPD.

`name` is the whole name: `colour` for folder usr, `folder.name` for any other folder. `type` is one
of MQTYPE_BOOLEAN, BYTE_STRING, INT8, INT16, INT32, INT64, FLOAT32, FLOAT64, STRING and NULL, and
`value` the Python value of that type: bool, bytes, int, float, str or None.
"""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq

PropertyValue = bool | int | float | str | bytes | None


@final
class Property:
    """A property of a message."""

    __slots__ = ("context", "copy_options", "name", "support", "type", "value")

    def __init__(
        self,
        name: str,
        type: int,
        value: PropertyValue,
        support: int = mq.MQPD_SUPPORT_OPTIONAL,
        context: int = mq.MQPD_NO_CONTEXT,
        copy_options: int = mq.MQCOPY_DEFAULT,
    ) -> None:
        self.name = name
        self.type = type
        self.value = value
        self.support = support
        self.context = context
        self.copy_options = copy_options
