"""MessageHandle: the properties of a message as pymqi has them."""

from __future__ import annotations

from typing import Any, ClassVar

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_OPTIONS_ERROR
from ternmq.compat.calls import text_of
from ternmq.compat.errors import MQMIError, TranslatedErrors
from ternmq.compat.properties import check_version, create_handle, using, value_as
from ternmq.compat.structure import MQOpts
from ternmq.values.property_inquiry import Inquired


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
        length = max_value_length or MessageHandle.default_value_length
        with TranslatedErrors(self._mqmi_error):
            return _plain(self._inquired(name, length, impo_options, property_type, None).value)

    def _inquired(
        self, name: Any, length: int, options: int, type: int, impo: MQOpts | None
    ) -> Inquired:
        """A property; a warning and a value that is too long are errors that have the value."""
        check_version(impo, "IMPO", "MQINQMP")
        encoding = mq.MQENC_NATIVE if impo is None else impo.RequestedEncoding
        ccsid = mq.MQCCSI_APPL if impo is None else impo.RequestedCCSID
        try:
            with using(self.msg_handle, self.conn_handle, "MQINQMP") as handle:
                found = handle.inquire(
                    text_of(name),
                    options,
                    type,
                    value_length=length,
                    encoding=encoding,
                    ccsid=ccsid,
                )
        except MQError as error:
            if not isinstance(error.result, Inquired):
                raise
            raise self._mqmi_error(error.comp, error.reason, **_known(error.result)) from error
        if found.reason:
            raise self._mqmi_error(mq.MQCC_WARNING, found.reason, **_known(found))
        return found

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
        asked = text_of(name)
        with TranslatedErrors(self._mqmi_error):
            check_version(smpo, "SMPO", "MQSETMP")
            check_version(pd, "PD", "MQSETMP")
            if pd is not None and pd.Options != mq.MQPD_NONE:
                detail = f"MQPD has Options {pd.Options}, and there are none"
                raise mq_error(MQRC_OPTIONS_ERROR, verb="MQSETMP", detail=detail)
            converted = value_as(asked, value, property_type)
            with using(self.msg_handle, self.conn_handle, "MQSETMP") as handle:
                handle.set(
                    asked,
                    converted,
                    property_type,
                    options=mq.MQSMPO_SET_FIRST if smpo is None else smpo.Options,
                    support=mq.MQPD_SUPPORT_OPTIONAL if pd is None else pd.Support,
                    context=mq.MQPD_NO_CONTEXT if pd is None else pd.Context,
                    copy_options=mq.MQCOPY_DEFAULT if pd is None else pd.CopyOptions,
                )


def _plain(value: Any) -> Any:
    """These libraries have booleans as numbers."""
    return int(value) if isinstance(value, bool) else value


def _known(found: Inquired) -> dict[str, Any]:
    """What an error says of a property, by the names of both libraries."""
    length = found.data_length
    return {"value": _plain(found.value), "dataLength": length, "data_length": length}


class MessageHandle:
    """MQCRTMH: a handle for properties, to be given to MQPMO or MQGMO by its `msg_handle`."""

    default_value_length = 64

    def __init__(self, qmgr: Any = None, cmho: Any = None) -> None:
        self.conn_handle = qmgr.get_handle() if qmgr else mq.MQHO_NONE
        with TranslatedErrors(MQMIError):
            self.msg_handle = create_handle(self.conn_handle, cmho)
        self.properties = _Properties(self.conn_handle, self.msg_handle)
