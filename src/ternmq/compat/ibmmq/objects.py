"""QueueManager, Queue and connect as ibmmq has them."""

from __future__ import annotations

from typing import Any, NoReturn

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_FUNCTION_NOT_SUPPORTED, MQRC_STAT_TYPE_ERROR
from ternmq.compat import calls, connecting
from ternmq.compat.errors import TranslatedErrors
from ternmq.compat.ibmmq.callbacks import Callbacks, Consumer
from ternmq.compat.ibmmq.errors import MQMIError, PYIFError
from ternmq.compat.ibmmq.structures import (
    CBD,
    CD,
    CNO,
    CSP,
    CTLO,
    GMO,
    MD,
    OD,
    PMO,
    RFH2,
    SCO,
    STS,
)
from ternmq.compat.ibmmq.text import EncodingDefault, MQObject, ensure_strings_are_bytes
from ternmq.compat.pymqi import queue as pymqi_queue
from ternmq.compat.pymqi import queue_manager as pymqi
from ternmq.compat.structure import MQOpts

_SHARING = mq.MQCNO_HANDLE_SHARE_NONE | mq.MQCNO_HANDLE_SHARE_BLOCK | mq.MQCNO_HANDLE_SHARE_NO_BLOCK
_KINDS: dict[str, type[MQOpts]] = {"cno": CNO, "csp": CSP, "sco": SCO}


def common_q_args(*opts: Any) -> tuple[Any, Any]:
    """MQMD and options of a put or a get; the MQMD is made if it is not given."""
    if len(opts) > 3:
        raise TypeError("Too many args")
    md, options = (*opts, None, None)[:2]
    if md is not None and not isinstance(md, MD):
        raise TypeError("Message Descriptor must be an instance of MD")
    if options and not isinstance(options, (PMO, GMO)):
        raise TypeError("Options must be an instance of PMO or GMO")
    return (MD() if md is None else md), options


commonQArgs = common_q_args


def described(name: Any) -> Any:
    """An MQOD, made from a name if it is one."""
    if isinstance(name, (str, bytes)):
        return OD(ObjectName=ensure_strings_are_bytes(name))
    return name


def refuse(verb: str) -> NoReturn:
    """What is not there yet."""
    with TranslatedErrors(MQMIError):
        raise mq_error(MQRC_FUNCTION_NOT_SUPPORTED, verb=verb, detail="it is not supported yet")
    raise AssertionError("unreachable")


class QueueManager(pymqi.QueueManager, MQObject):
    """A connection. With a name it is made at once; with None `connect` makes it."""

    _mqmi_error = MQMIError
    _pyif_error = PYIFError
    _functions: Callbacks | None = None

    def connect_with_options(self, name: Any, *args: Any, **kwargs: Any) -> None:
        """Connect with MQCNO `cno` or its options `opts`, MQCD `cd`, MQSCO `sco`, MQCSP `csp` or
        `user` and `password`."""
        if len(args) > 2:
            raise TypeError("Too many positional args provided")
        given = dict(kwargs)
        given.update(zip(("cd", "sco"), args, strict=False))
        for key, kind in _KINDS.items():
            if given.get(key) is not None and not isinstance(given[key], kind):
                raise TypeError(f"{key} must be an instance of {key.upper()}")
        user, password = self._who(given)
        cno = given.get("cno")
        options = given.get("opts", mq.MQCNO_NONE) if cno is None else cno.Options
        if not options & _SHARING:
            options |= mq.MQCNO_HANDLE_SHARE_BLOCK
        with self._translated_errors():
            self._handle = connecting.connect(
                name,
                options=options,
                cd=given.get("cd"),
                sco=given.get("sco"),
                user=user,
                password=password,
                more=self._more(cno),
            )
        self._name = ensure_strings_are_bytes(name)

    connectWithOptions = connect_with_options

    def _who(self, given: dict[str, Any]) -> tuple[Any, Any]:
        """User and password, of an MQCSP or by name."""
        csp = given.get("csp")
        user, password, token = given.get("user"), given.get("password"), given.get("token")
        if csp is not None:
            for wrong in ("UserId", "Password"):
                if hasattr(csp, wrong):
                    raise self._pyif_error(f"{wrong} field in CSP class is called CSP{wrong}")
            user, password, token = csp.CSPUserId, csp.CSPPassword, csp.Token
        if token:
            refuse("MQCONNX")
        if not user:
            return None, None
        if password is None:
            raise ValueError("Password must not be None if user is provided")
        if not isinstance(user, (str, bytes)) or not isinstance(password, (str, bytes)):
            raise ValueError("Both user and password must be instances of str or bytes")
        return user, password

    def _more(self, cno: Any) -> dict[str, Any]:
        if cno is None:
            return {}
        given = {
            "application": calls.text_of(cno.ApplName),
            "ccdt": calls.text_of(cno.CCDTUrl or b""),
        }
        return {key: value for key, value in given.items() if value}

    def connect_tcp_client(
        self,
        name: Any,
        cd: MQOpts,
        channel: Any,
        conn_name: Any,
        user: Any = None,
        password: Any = None,
        cno: Any = None,
        csp: Any = None,
        sco: Any = None,
        bno: Any = None,
    ) -> None:
        """Connect through a channel, over TCP."""
        cd.ChannelName = ensure_strings_are_bytes(channel)
        cd.ConnectionName = ensure_strings_are_bytes(conn_name)
        cd.ChannelType = mq.MQCHT_CLNTCONN
        cd.TransportType = mq.MQXPT_TCP
        self.connect_with_options(
            name, user=user, password=password, cd=cd, cno=cno, csp=csp, sco=sco, bno=bno
        )

    connectTCPClient = connect_tcp_client

    def get_name(self) -> Any:
        """The name that was given to connect with."""
        if not self._name:
            raise self._pyif_error("not connected")
        return self.to_string(self._name)

    def put1(self, q_desc: Any, msg: Any, *opts: Any) -> None:
        """MQPUT1: `q_desc` is a name or an MQOD; then follow MQMD and MQPMO."""
        self._put1(described(q_desc), msg, *common_q_args(*opts))

    def inquire(self, selectors: Any) -> Any:
        """MQINQ: one value, or with a list of selectors a dictionary of values."""
        with self._translated_errors():
            return _inquired(self.get_handle(), self._opened(), selectors)

    inq = inquire

    def stat(self, status_type: int) -> STS:
        """MQSTAT: how asynchronous puts went."""
        with self._translated_errors():
            if status_type != mq.MQSTAT_TYPE_ASYNC_ERROR:
                detail = f"status type {status_type} is not supported yet"
                raise mq_error(MQRC_STAT_TYPE_ERROR, verb="MQSTAT", detail=detail)
            found = STS()
            found.unpack(calls.status(self.get_handle()))
            return found

    def cb(self, **kwargs: Any) -> None:
        """MQCB: a function for what happens to the connection."""
        self._register(None, mq.MQHO_NONE, kwargs)

    def _register(self, queue: Any, hobj: int, given: dict[str, Any]) -> None:
        operation = given.get("operation", mq.MQOP_REGISTER)
        structures = {"cbd": CBD, "md": MD, "gmo": GMO}
        for name, kind in structures.items():
            if not isinstance(given.setdefault(name, kind()), kind):
                raise TypeError(f"{name} must be an instance of {name.upper()}")
        consumer = Consumer(queue, given["md"], given["gmo"], given["cbd"])
        with self._translated_errors():
            self.get_handle()
            self._callbacks().change(operation, hobj, consumer)

    def _callbacks(self) -> Callbacks:
        if self._functions is None:
            self._functions = Callbacks(self)
        return self._functions

    def ctl(self, operation: int, ctlo: Any) -> None:
        """MQCTL: start and stop the calls of functions."""
        if not isinstance(ctlo, CTLO):
            raise TypeError("ctlo must be an instance of CTLO")
        with self._translated_errors():
            self.get_handle()
            self._callbacks().operate(operation, ctlo.ConnectionArea)

    def disconnect(self) -> None:
        """MQDISC: commits what is open; no function is called any more."""
        if self._functions is not None:
            self._functions.quit(True)
            self._functions = None
        super().disconnect()


def _inquired(hconn: int, hobj: int, selectors: Any) -> Any:
    if isinstance(selectors, list):
        return calls.inquire(hconn, hobj, selectors)
    return calls.inquire(hconn, hobj, [selectors])[selectors]


class Queue(pymqi_queue.Queue, MQObject):
    """A queue, by its name or an MQOD."""

    _mqmi_error = MQMIError
    _pyif_error = PYIFError

    def __init__(self, qmgr: Any, *opts: Any) -> None:
        super().__init__(qmgr, *opts)

    def _put_arguments(self, opts: tuple[Any, ...]) -> tuple[Any, Any]:
        md, pmo = common_q_args(*opts)
        return md, pmo or PMO()

    def _get_arguments(self, opts: tuple[Any, ...]) -> tuple[Any, Any]:
        md, gmo = common_q_args(*opts)
        return md, gmo or GMO()

    def _described(self, name: Any) -> Any:
        return described(name)

    def _header(self) -> RFH2:
        return RFH2()

    def open(self, q_desc: Any, *opts: Any) -> None:
        """Open a queue; without options the first call does."""
        super().open(q_desc, *opts)

    def get(self, maxLength: int | None = None, *opts: Any, **kwargs: Any) -> bytes:
        """MQGET; MQMD and MQGMO may follow the greatest length and are filled in."""
        return super().get(maxLength, *opts[:2])

    def get_no_jms(self, max_length: int | None = None, *args: Any, **kwargs: Any) -> bytes:
        """MQGET of the data alone, without properties."""
        return super().get_no_jms(max_length, *args)

    get_no_rfh2 = get_no_jms

    def get_rfh2(self, max_length: int | None = None, *opts: Any, **kwargs: Any) -> bytes:
        """MQGET; MQRFH2 headers ahead of the data are added to a list, which follows MQMD and
        MQGMO."""
        return super().get_rfh2(max_length, *opts)

    def inquire(self, selectors: Any) -> Any:
        """MQINQ: one value, or with a list of selectors a dictionary of values."""
        handle = self._opened(mq.MQOO_INQUIRE)
        with self._translated_errors():
            return _inquired(self._qmgr.get_handle(), handle, selectors)

    inq = inquire

    def set(self, *args: Any) -> None:
        """MQSET: a selector and its value, or a dictionary of them."""
        values = args[0] if isinstance(args[0], dict) else {args[0]: args[1]}
        handle = self._opened(mq.MQOO_SET)
        with self._translated_errors():
            calls.set_attributes(self._qmgr.get_handle(), handle, values)

    def get_name(self) -> Any:
        """The name of the queue."""
        return self.to_string(self._descriptor.ObjectName) if self._descriptor else ""

    def get_queue_manager(self) -> Any:
        """Its connection."""
        return self._qmgr

    def close(self, options: int = mq.MQCO_NONE) -> None:
        """MQCLOSE; a function for its messages is deregistered."""
        if self._qmgr._functions is not None and self._handle:
            with self._translated_errors():
                self._qmgr._functions.forget(self._handle)
        super().close(options)

    def cb(self, **kwargs: Any) -> None:
        """MQCB: a function for the messages of this queue."""
        self._qmgr._register(self, self._opened(mq.MQOO_INPUT_AS_Q_DEF), kwargs)


def connect(
    queue_manager: Any,
    channel: Any = None,
    conn_info: Any = None,
    user: Any = None,
    password: Any = None,
    disconnect_on_exit: bool = True,
    bytes_encoding: str = EncodingDefault.bytes_encoding,
    default_ccsid: int = EncodingDefault.ccsid,
    cd: Any = None,
    cno: Any = None,
    csp: Any = None,
    sco: Any = None,
    bno: Any = None,
) -> QueueManager:
    """Connect: on this machine if only a name is given, with channel and `conn_info` through
    that channel."""
    if not (channel and conn_info) and not queue_manager:
        given = [queue_manager, channel, conn_info, user]
        raise TypeError(f"Invalid arguments: {given!r}")
    qmgr = QueueManager(None, disconnect_on_exit, bytes_encoding, default_ccsid)
    if channel and conn_info:
        qmgr.connect_tcp_client(
            queue_manager or "",
            cd or CD(),
            channel,
            conn_info,
            user,
            password,
            cno=cno,
            csp=csp,
            sco=sco,
            bno=bno,
        )
    else:
        qmgr.connect_with_options(
            queue_manager, user=user, password=password, cno=cno, csp=csp, sco=sco, bno=bno, cd=cd
        )
    return qmgr
