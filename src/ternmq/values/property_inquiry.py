"""What MQINQMP answers about one property: its value in the type, encoding and CCSID asked for."""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_OPTIONS_ERROR,
    MQRC_PROP_TYPE_NOT_SUPPORTED,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTY_TYPE_ERROR,
    MQRC_PROPERTY_VALUE_TOO_BIG,
)
from ternmq.codec.charset import UTF8
from ternmq.codec.property import Property, PropertyValue
from ternmq.codec.property_types import converted, is_type, pack_value, shown, type_name
from ternmq.values.property_list import Slot

ANY_LENGTH: Final = -1
_PLACES: Final = mq.MQIMPO_INQ_NEXT | mq.MQIMPO_INQ_PROP_UNDER_CURSOR
_KNOWN: Final = _PLACES | mq.MQIMPO_CONVERT_TYPE | mq.MQIMPO_QUERY_LENGTH | mq.MQIMPO_CONVERT_VALUE


@final
class Inquired:
    """A property as MQINQMP returns it."""

    def __init__(self, property: Property, type: int, value: PropertyValue) -> None:
        self.name = property.name
        self.type = type
        self.value = value
        self.support = property.support
        self.context = property.context
        self.copy_options = property.copy_options
        self.data = b""  # the value as bytes
        self.data_length = 0  # of the whole value, also if the buffer is shorter
        self.encoding: int = mq.MQENC_NATIVE
        self.ccsid = UTF8
        self.type_string = ""
        self.reason = 0  # of a warning


@final
class Inquiry:
    """The options of an MQINQMP."""

    def __init__(
        self, options: int, type: int, value_length: int, encoding: int, ccsid: int
    ) -> None:
        if options & ~_KNOWN or options & _PLACES == _PLACES:
            detail = f"MQIMPO options {options} have an unknown one, or two that exclude each other"
            raise mq_error(MQRC_OPTIONS_ERROR, verb="MQINQMP", detail=detail)
        self.goes_on = options & mq.MQIMPO_INQ_NEXT != 0
        self.is_under_cursor = options & mq.MQIMPO_INQ_PROP_UNDER_CURSOR != 0
        self._queries_length = options & mq.MQIMPO_QUERY_LENGTH != 0
        self._converts_value = options & mq.MQIMPO_CONVERT_VALUE != 0
        self._type = type if options & mq.MQIMPO_CONVERT_TYPE else mq.MQTYPE_AS_SET
        self._value_length = value_length
        self._encoding = encoding
        self._ccsid = ccsid

    def answer(self, slot: Slot) -> Inquired:
        """The property; its value may be longer than the buffer (`check_length`)."""
        one = slot.property
        type = one.type
        value = one.value
        if self._type != mq.MQTYPE_AS_SET:
            if not is_type(self._type):
                detail = f"property {shown(one.name)}: {type_name(self._type)}"
                raise mq_error(MQRC_PROPERTY_TYPE_ERROR, verb="MQINQMP", detail=detail)
            value = converted(one.name, type, value, self._type)
            type = self._type
        found = Inquired(one, type, value)
        if slot.type_string and type == one.type:
            found.type_string = slot.type_string
            found.reason = MQRC_PROP_TYPE_NOT_SUPPORTED
        self._pack(found)
        if self._queries_length:
            found.value = None
            found.data = b""
        return found

    def _pack(self, found: Inquired) -> None:
        if self._converts_value:
            ccsid = self._ccsid if self._ccsid > 0 else UTF8
            try:
                found.data = pack_value(found.type, found.value, self._encoding, ccsid)
                found.encoding = self._encoding
                found.ccsid = ccsid
            except MQError:
                found.reason = MQRC_PROP_VALUE_NOT_CONVERTED
        if found.reason == MQRC_PROP_VALUE_NOT_CONVERTED or not self._converts_value:
            found.data = pack_value(found.type, found.value, mq.MQENC_NATIVE, UTF8)
        found.data_length = len(found.data)

    def is_too_long(self, found: Inquired) -> bool:
        """Whether the value does not fit into the buffer."""
        return not self._queries_length and 0 <= self._value_length < found.data_length

    def has_grown(self, slot: Slot) -> bool:
        """Whether a value that does not fit would fit if it were not converted."""
        one = slot.property
        plain = pack_value(one.type, one.value, mq.MQENC_NATIVE, UTF8)
        return len(plain) <= self._value_length

    def too_long(self, found: Inquired) -> MQError:
        """MQRC_PROPERTY_VALUE_TOO_BIG; its result is what fits, and the whole length."""
        length = self._value_length
        found.data = found.data[:length]
        if isinstance(found.value, str) and found.ccsid == UTF8:
            found.value = found.data.decode("utf-8", "ignore")
        elif isinstance(found.value, (str, bytes)):
            found.value = found.value[:length]
        else:
            found.value = None
        detail = f"property {shown(found.name)} has {found.data_length} bytes, the buffer {length}"
        return mq_error(MQRC_PROPERTY_VALUE_TOO_BIG, verb="MQINQMP", detail=detail, result=found)
