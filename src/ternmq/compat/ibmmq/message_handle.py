"""MessageHandle: the properties of a message as ibmmq has them."""

from __future__ import annotations

from typing import Any

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_HMSG_ERROR
from ternmq.compat.calls import text_of
from ternmq.compat.errors import TranslatedErrors
from ternmq.compat.ibmmq.errors import MQMIError
from ternmq.compat.ibmmq.structures import IMPO
from ternmq.compat.properties import bag_of, create_handle, delete_handle
from ternmq.compat.pymqi import message_handle as pymqi


class _Properties(pymqi._Properties):
    """`handle.properties`."""

    _mqmi_error = MQMIError

    def __init__(self, conn_handle: int, msg_handle: int) -> None:
        super().__init__(conn_handle, msg_handle)
        self.default_value_length = 64

    def get(  # type: ignore[override]
        self,
        name: Any,
        default: Any = None,
        max_value_length: int | None = None,
        impo_options: int = mq.MQIMPO_INQ_FIRST,
        impo: Any = None,
        pd: Any = None,
        property_type: int = mq.MQTYPE_AS_SET,
    ) -> Any:
        """MQINQMP: the value in its type; with a wildcard, value and name."""
        if impo is not None and not isinstance(impo, IMPO):
            raise TypeError("impo must be an instance of IMPO")
        options = impo_options if impo is None else impo.Options
        asked = text_of(name)
        with TranslatedErrors(self._mqmi_error):
            bag = bag_of(self.msg_handle, "MQINQMP")
            found_name, found = bag.inquire(asked, options, property_type)
        self._check_length(found.value, max_value_length or self.default_value_length)
        value = int(found.value) if isinstance(found.value, bool) else found.value
        return (value, found_name.encode("utf-8")) if asked.endswith("%") else value

    def dlt(self, name: Any, dmpo: Any = None) -> None:
        """MQDLTMP."""
        with TranslatedErrors(self._mqmi_error):
            bag_of(self.msg_handle, "MQDLTMP").delete(text_of(name))


class MessageHandle:
    """MQCRTMH: a handle for properties; `dlt` deletes it."""

    def __init__(self, qmgr: Any = None, cmho: Any = None, dup_handle: int | None = None) -> None:
        self.conn_handle = qmgr.get_handle() if qmgr else mq.MQHO_NONE
        self.duplicated = dup_handle is not None
        self.msg_handle = create_handle() if dup_handle is None else dup_handle
        self.properties = _Properties(self.conn_handle, self.msg_handle)

    def get_handle(self) -> int:
        """Its number."""
        return self.msg_handle

    def get_queue_manager(self) -> int:
        """The number of its connection."""
        return self.conn_handle

    def dlt(self, dmho: Any = None) -> None:
        """MQDLTMH."""
        with TranslatedErrors(MQMIError):
            if self.duplicated:
                raise mq_error(MQRC_HMSG_ERROR, verb="MQDLTMH", detail="it is another's handle")
            delete_handle(self.msg_handle)
