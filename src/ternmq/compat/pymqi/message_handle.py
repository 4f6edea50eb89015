"""MessageHandle: the properties of a message as pymqi has them."""

from __future__ import annotations

from typing import Any, ClassVar

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_OPTIONS_ERROR, MQRC_PROPERTY_VALUE_TOO_BIG
from ternmq.compat.calls import text_of
from ternmq.compat.errors import MQMIError, TranslatedErrors
from ternmq.compat.properties import bag_of, create_handle


class _Properties:
    """`handle.properties`: by name, with `[]`, `get` and `set`."""

    _mqmi_error: ClassVar[type[MQMIError]] = MQMIError

    def __init__(self, conn_handle: int, msg_handle: int) -> None:
        self.conn_handle = conn_handle
        self.msg_handle = msg_handle

    def __getitem__(self, name: Any) -> Any:
        value = self.get(name)
        if not value:
            raise KeyError(f"No such property [{name}]")
        return value

    def __setitem__(self, name: Any, value: Any) -> None:
        self.set(name, value)

    def get(
        self,
        name: Any,
        default: Any = None,
        max_value_length: int | None = None,
        impo_options: int = mq.MQIMPO_INQ_FIRST,
        pd: Any = mq.MQPD_NONE,
        property_type: int = mq.MQTYPE_AS_SET,
    ) -> Any:
        """MQINQMP: the value in its type; `max_value_length` is the greatest one of a text."""
        with TranslatedErrors(self._mqmi_error):
            bag = bag_of(self.msg_handle, "MQINQMP")
            _, found = bag.inquire(text_of(name), impo_options, property_type)
        self._check_length(found.value, max_value_length or MessageHandle.default_value_length)
        return int(found.value) if isinstance(found.value, bool) else found.value

    def _check_length(self, value: Any, length_max: int) -> None:
        if not isinstance(value, (str, bytes)):
            return
        length = len(value.encode("utf-8") if isinstance(value, str) else value)
        if length > length_max:
            raise self._mqmi_error(
                mq.MQCC_FAILED,
                MQRC_PROPERTY_VALUE_TOO_BIG,
                value=value[:length_max],
                dataLength=length,
            )

    def set(
        self,
        name: Any,
        value: Any,
        property_type: int = mq.MQTYPE_STRING,
        value_length: int = mq.MQVL_NULL_TERMINATED,
        pd: Any = None,
        smpo: Any = None,
    ) -> None:
        """MQSETMP: a value of a type; text if nothing is said."""
        if value_length >= 0 and isinstance(value, (str, bytes)):
            value = value[:value_length]
        with TranslatedErrors(self._mqmi_error):
            if smpo is not None and smpo.Options != mq.MQSMPO_SET_FIRST:
                detail = f"MQSMPO options {smpo.Options} are not supported yet"
                raise mq_error(MQRC_OPTIONS_ERROR, verb="MQSETMP", detail=detail)
            bag_of(self.msg_handle, "MQSETMP").set(text_of(name), value, property_type)


class MessageHandle:
    """MQCRTMH: a handle for properties, to be given to MQPMO or MQGMO by its `msg_handle`."""

    default_value_length = 64

    def __init__(self, qmgr: Any = None, cmho: Any = None) -> None:
        self.conn_handle = qmgr.get_handle() if qmgr else mq.MQHO_NONE
        self.msg_handle = create_handle()
        self.properties = _Properties(self.conn_handle, self.msg_handle)
