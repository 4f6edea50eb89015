"""Queue: open, put, get, inquire and set as pymqi has them."""

from __future__ import annotations

import sys
import threading
from typing import Any, ClassVar

from ternmq.base import constants as mq
from ternmq.compat import calls
from ternmq.compat.errors import Error, MQMIError, PYIFError, TranslatedErrors
from ternmq.compat.pymqi.arguments import common_q_args, make_q_desc
from ternmq.compat.pymqi.structures import GMO, PMO
from ternmq.compat.rfh2 import RFH2
from ternmq.compat.structure import MQOpts
from ternmq.compat.unicode import ensure_bytes, ensure_not_unicode

_RFH2 = mq.MQFMT_RF_HEADER_2.encode("ascii").ljust(8)


class Queue:
    """A queue, by its name or an MQOD. With open options it is opened at once, else by the first
    call, for what that call needs."""

    _mqmi_error: ClassVar[type[MQMIError]] = MQMIError
    _pyif_error: ClassVar[type[PYIFError]] = PYIFError

    def __init__(self, qMgr: Any, *opts: Any) -> None:
        self._qmgr = qMgr
        self._handle: int | None = None
        self._maker = threading.get_ident()
        self._descriptor: MQOpts | None = None
        if len(opts) > 2:
            raise TypeError("Too many args")
        if opts:
            self._descriptor = self._described(opts[0])
        if len(opts) == 2:
            self._open(opts[1])

    def __del__(self) -> None:
        # The collector may run in any thread, and only the maker's can wait for an answer without
        # holding up others; elsewhere, and when the process ends, the handle goes with its
        # connection.
        if sys.is_finalizing():
            return
        if getattr(self, "_handle", None) and self._maker == threading.get_ident():
            try:
                self.close()
            except (Error, OSError):
                return  # no caller is left that could handle it

    def _translated_errors(self) -> TranslatedErrors:
        return TranslatedErrors(self._mqmi_error)

    def _put_arguments(self, opts: tuple[Any, ...]) -> tuple[Any, Any]:
        """MQMD and MQPMO, made if they are not given."""
        md, pmo = common_q_args(*opts)
        return md, pmo or PMO()

    def _get_arguments(self, opts: tuple[Any, ...]) -> tuple[Any, Any]:
        """MQMD and MQGMO, made if they are not given."""
        md, gmo = common_q_args(*opts)
        return md, gmo or GMO()

    def _described(self, name: Any) -> Any:
        return make_q_desc(name)

    def _open(self, options: int) -> None:
        descriptor = self._descriptor
        if descriptor is None:
            raise self._pyif_error("The Queue Descriptor has not been set.")
        with self._translated_errors():
            self._handle = calls.open_object(self._qmgr.get_handle(), descriptor, options)

    def _opened(self, options: int) -> int:
        """The handle; these options are for a queue that is not open yet."""
        if not self._handle:
            self._open(options)
        handle = self._handle
        if handle is None:
            raise self._pyif_error("not open")
        return handle

    def open(self, qDesc: Any, *opts: Any) -> None:
        """Open a queue; without options the first call does."""
        if len(opts) > 1:
            raise TypeError("Too many args")
        if self._handle:
            raise self._pyif_error("The Queue is already open")
        self._descriptor = self._described(qDesc)
        if opts:
            self._open(opts[0])

    # ---- put

    def put(self, msg: Any, *opts: Any) -> None:
        """MQPUT; MQMD and MQPMO may follow the message and are filled in."""
        md, pmo = self._put_arguments(opts)
        data = self._qmgr._message(msg, md)
        handle = self._opened(mq.MQOO_OUTPUT)
        with self._translated_errors():
            calls.put(self._qmgr.get_handle(), handle, md, pmo, data)

    def put_rfh2(self, msg: bytes, *opts: Any) -> None:
        """Put a message with the MQRFH2 headers of a list, which follows MQMD and MQPMO."""
        ensure_not_unicode(msg)
        if len(opts) < 3:
            self.put(msg, *opts)
            return
        self.put(packed_headers(opts) + msg, *opts[:2])

    # ---- get

    def get(self, maxLength: int | None = None, *opts: Any) -> bytes:
        """MQGET; MQMD and MQGMO may follow the greatest length and are filled in. Without a
        length the message comes whole, unless MQGMO_ACCEPT_TRUNCATED_MSG asks for none of it."""
        md, gmo = self._get_arguments(opts)
        handle = self._opened(mq.MQOO_INPUT_AS_Q_DEF)
        length = maxLength
        if length is None and gmo.Options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
            length = 0
        with self._translated_errors():
            got = calls.get(self._qmgr.get_handle(), handle, md, gmo, length)
        if got.reason:
            comp = mq.MQCC_WARNING
            raise self._mqmi_error(
                comp, got.reason, message=got.data, original_length=got.original_length
            )
        return got.data

    def get_no_jms(self, max_length: int | None = None, *args: Any) -> bytes:
        """MQGET of the data alone, without properties."""
        md, gmo = self._get_arguments(args)
        gmo.Options |= mq.MQGMO_NO_PROPERTIES | mq.MQGMO_FAIL_IF_QUIESCING
        return self.get(max_length, md, gmo)

    get_no_rfh2 = get_no_jms

    def get_rfh2(self, max_length: int | None = None, *opts: Any) -> bytes:
        """MQGET; MQRFH2 headers ahead of the data are added to a list, which follows MQMD and
        MQGMO. From the first that cannot be read, the data begins with it."""
        if len(opts) < 3:
            return self.get(max_length, *opts)
        if opts[2] is None:
            raise AttributeError("get_opts cannot be None if passed.")
        headers = _headers(opts)
        md, gmo = self._get_arguments(opts[:2])
        data = self.get(max_length, md, gmo)
        format_ = md["Format"]
        while format_ == _RFH2:
            header = self._header()
            try:
                header.unpack(data)
            except PYIFError:
                return data  # the message is got, whatever it holds
            length = header["StrucLength"]
            if length < mq.MQRFH_STRUC_LENGTH_FIXED_2:
                return data
            headers.append(header)
            data = data[length:]
            format_ = header["Format"]
        return data

    def _header(self) -> RFH2:
        return RFH2()

    # ---- the rest

    def close(self, options: int = mq.MQCO_NONE) -> None:
        """MQCLOSE."""
        if not self._handle:
            raise self._pyif_error("not open")
        with self._translated_errors():
            calls.close_object(self._qmgr.get_handle(), self._handle, options)
        self._handle = self._descriptor = None

    def inquire(self, attribute: Any) -> Any:
        """MQINQ: a number, or bytes filled up with blanks."""
        handle = self._opened(mq.MQOO_INQUIRE)
        with self._translated_errors():
            return calls.inquire(self._qmgr.get_handle(), handle, [attribute])[attribute]

    def set(self, attribute: Any, arg: Any) -> None:
        """MQSET of one attribute."""
        ensure_not_unicode(arg)
        handle = self._opened(mq.MQOO_SET)
        with self._translated_errors():
            calls.set_attributes(self._qmgr.get_handle(), handle, {attribute: ensure_bytes(arg)})

    def set_handle(self, queue_handle: int) -> None:
        """Use a queue that was opened elsewhere."""
        self._handle = queue_handle

    def get_handle(self) -> Any:
        """The number of the open queue; None if it is not open."""
        return self._handle


def _headers(opts: tuple[Any, ...]) -> list[Any]:
    headers = opts[2]
    if headers is None:
        return []
    if not isinstance(headers, list):
        raise TypeError("Third item of opts should be a list.")
    return headers


def packed_headers(opts: tuple[Any, ...]) -> bytes:
    """The MQRFH2 headers of a list that follows MQMD and MQPMO."""
    encoding = mq.MQENC_NATIVE if opts[0] is None else opts[0]["Encoding"]
    packed = b""
    for header in _headers(opts):
        if header is not None:
            packed += header.pack(encoding)
            encoding = header["Encoding"]
    return packed
