"""QueueManager and connect: connections as pymqi has them."""

from __future__ import annotations

from typing import Any, ClassVar

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.compat import calls, connecting
from ternmq.compat.errors import Error, MQMIError, PYIFError, TranslatedErrors
from ternmq.compat.pymqi.arguments import common_q_args, make_q_desc
from ternmq.compat.pymqi.structures import CD, OD, PMO
from ternmq.compat.structure import MQOpts
from ternmq.compat.unicode import default, ensure_bytes


class QueueManager:
    """A connection. With a name it is made at once; with None `connect` makes it."""

    _mqmi_error: ClassVar[type[MQMIError]] = MQMIError
    _pyif_error: ClassVar[type[PYIFError]] = PYIFError

    def __init__(
        self,
        name: Any = "",
        disconnect_on_exit: bool = True,
        bytes_encoding: str = default.bytes_encoding,
        default_ccsid: int = default.ccsid,
    ) -> None:
        self._handle: int | None = None
        self._own_object: int | None = None  # the queue manager, opened for inquiry
        self._name = ensure_bytes(name)
        self._disconnect_on_exit = disconnect_on_exit
        self.bytes_encoding = bytes_encoding
        self.default_ccsid = default_ccsid
        if name is not None:
            self.connect(self._name)

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None and self._disconnect_on_exit:
            try:
                calls.drop(handle)
            except (MQError, OSError, ImportError):
                return  # no caller is left; the last: Python ends, and texts of errors too

    def _translated_errors(self) -> TranslatedErrors:
        return TranslatedErrors(self._mqmi_error)

    # ---- connecting

    def connect(self, name: Any) -> None:
        """Connect to a queue manager on this machine."""
        with self._translated_errors():
            self._handle = connecting.connect(name)
        self._name = ensure_bytes(name)

    def connect_with_options(self, name: Any, *args: Any, **kwargs: Any) -> None:
        """Connect with MQCNO options `opts`, an MQCD `cd`, an MQSCO `sco`, `user` and `password`.
        MQCD and MQSCO may also be given by position."""
        if len(args) > 2:
            raise TypeError(f"Invalid options: {args}")
        given = dict(kwargs)
        given.update(zip(("cd", "sco"), args, strict=False))
        user, password = given.get("user"), given.get("password")
        if user:
            if password is None:
                raise ValueError("Password must not be None if user is provided")
            if not isinstance(user, (str, bytes)) or not isinstance(password, (str, bytes)):
                raise ValueError("Both user and password must be instances of str or bytes")
        with self._translated_errors():
            self._handle = connecting.connect(
                name,
                options=given.get("opts", mq.MQCNO_NONE),
                cd=given.get("cd"),
                sco=given.get("sco"),
                user=user,
                password=password,
            )
        self._name = ensure_bytes(name)

    connectWithOptions = connect_with_options

    def connect_tcp_client(
        self,
        name: Any,
        cd: MQOpts,
        channel: Any,
        conn_name: Any,
        user: Any = None,
        password: Any = None,
    ) -> None:
        """Connect through a channel, over TCP; what else there is to say is in the MQCD."""
        cd.ChannelName = ensure_bytes(channel)
        cd.ConnectionName = ensure_bytes(conn_name)
        cd.ChannelType = mq.MQCHT_CLNTCONN
        cd.TransportType = mq.MQXPT_TCP
        self.connect_with_options(name, user=user, password=password, cd=cd)

    connectTCPClient = connect_tcp_client

    def disconnect(self) -> None:
        """MQDISC: commits what is open."""
        self._disconnect()

    def _disconnect(self) -> None:
        handle = self.get_handle()
        self._handle = self._own_object = None
        with self._translated_errors():
            calls.disconnect(handle)

    def get_handle(self) -> int:
        """The number of the connection."""
        if self._handle is None:
            raise self._pyif_error("not connected")
        return self._handle

    getHandle = get_handle

    @property
    def is_connected(self) -> bool:
        """Whether the queue manager still answers."""
        if self._handle is None:
            return False
        try:
            self.inquire(mq.MQCA_Q_MGR_NAME)
        except Error:
            return False
        return True

    # ---- units of work

    def begin(self) -> None:
        """MQBEGIN."""
        with self._translated_errors():
            calls.begin(self.get_handle())

    def commit(self) -> None:
        """MQCMIT."""
        with self._translated_errors():
            calls.commit(self.get_handle())

    def backout(self) -> None:
        """MQBACK."""
        with self._translated_errors():
            calls.back_out(self.get_handle())

    # ---- messages and attributes

    def put1(self, qDesc: Any, msg: Any, *opts: Any) -> None:
        """MQPUT1: `qDesc` is a name or an MQOD; then follow MQMD and MQPMO."""
        self._put1(make_q_desc(qDesc), msg, *common_q_args(*opts))

    def _put1(self, od: MQOpts, msg: Any, md: MQOpts, pmo: MQOpts | None) -> None:
        data = self._message(msg, md)
        with self._translated_errors():
            calls.put1(self.get_handle(), od, md, pmo or PMO(), data)

    def _message(self, msg: Any, md: MQOpts) -> bytes:
        """The data of a put: text says so in its MQMD."""
        if isinstance(msg, bytes):
            return msg
        if not isinstance(msg, str):
            raise TypeError(f"Message type is {type(msg)}. Convert to bytes.")
        md.CodedCharSetId = self.default_ccsid
        md.Format = mq.MQFMT_STRING.encode("ascii").ljust(8)
        return msg.encode(self.bytes_encoding)

    def inquire(self, attribute: Any) -> Any:
        """MQINQ of the queue manager: a number, or bytes filled up with blanks."""
        with self._translated_errors():
            return calls.inquire(self.get_handle(), self._opened(), [attribute])[attribute]

    def _opened(self) -> int:
        if self._own_object is None:
            od = OD(ObjectType=mq.MQOT_Q_MGR)
            self._own_object = calls.open_object(self.get_handle(), od, mq.MQOO_INQUIRE)
        return self._own_object


def connect(
    queue_manager: Any,
    channel: Any = None,
    conn_info: Any = None,
    user: Any = None,
    password: Any = None,
    disconnect_on_exit: bool = True,
    bytes_encoding: str = default.bytes_encoding,
    default_ccsid: int = default.ccsid,
) -> QueueManager:
    """Connect: on this machine if only a name is given, with channel and `conn_info` through
    that channel."""
    if not (channel and conn_info) and not queue_manager:
        given = [queue_manager, channel, conn_info, user]
        raise TypeError(f"Invalid arguments: {given!r}")
    qmgr = QueueManager(None, disconnect_on_exit, bytes_encoding, default_ccsid)
    if channel and conn_info:
        qmgr.connect_tcp_client(queue_manager or "", CD(), channel, conn_info, user, password)
    else:
        qmgr.connect(queue_manager)
    return qmgr
