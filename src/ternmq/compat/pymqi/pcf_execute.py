"""PCFExecute: commands by message, `pcf.MQCMD_INQUIRE_Q({MQCA_Q_NAME: b"*"})`, as pymqi has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from ternmq.base import constants as mq
from ternmq.base import constants_all
from ternmq.compat.constant_names import ALL, NamesByNumber
from ternmq.compat.errors import MQMIError
from ternmq.compat.filters import _Filter
from ternmq.compat.pcf_structures import (
    CFBS,
    CFH,
    CFIL,
    CFIN,
    CFSL,
    CFST,
    read_parameters,
)
from ternmq.compat.pymqi.queue import Queue
from ternmq.compat.pymqi.queue_manager import QueueManager
from ternmq.compat.pymqi.structures import GMO, MD, OD, PMO
from ternmq.compat.structure import MQOpts
from ternmq.compat.unicode import ensure_bytes

# Parameters that take a list even if there is but one: those that choose attributes.
_LISTS: Final = frozenset(
    value
    for name, value in vars(constants_all).items()
    if name.startswith(("MQIACF_", "MQIACH_")) and name.endswith("_ATTRS")
)
_WAITING: Final = mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_FAIL_IF_QUIESCING | mq.MQGMO_WAIT


class ByteString:
    """A value that a command takes as a string of bytes, and not as text."""

    def __init__(self, value: bytes | str) -> None:
        self.value = ensure_bytes(value)  # text as well: ByteString("") asks for all of them
        self.pymqi_byte_string = True

    def __len__(self) -> int:
        return len(self.value)


def parameter(key: int, value: Any, encoding: str) -> MQOpts:
    """A value as the structure that it needs."""
    if isinstance(value, (str, bytes)):
        return CFST(Parameter=key, String=ensure_bytes(value, encoding))
    if isinstance(value, ByteString):
        return CFBS(Parameter=key, String=value.value)
    if isinstance(value, int):
        if key in _LISTS:
            return CFIL(Parameter=key, Values=[value])
        return CFIN(Parameter=key, Value=value)
    if isinstance(value, Sequence) and value and isinstance(value[0], int):
        return CFIL(Parameter=key, Values=list(value))
    if isinstance(value, Sequence) and value and isinstance(value[0], (str, bytes)):
        return CFSL(Parameter=key, Strings=[ensure_bytes(one, encoding) for one in value])
    raise TypeError(f"parameter {key}: {value!r}")


def parameters(given: Any, filters: Sequence[Any], encoding: str) -> list[MQOpts]:
    """Arguments of a command, a dictionary or structures, and the filters after them."""
    if isinstance(given, dict):
        found = [parameter(key, value, encoding) for key, value in given.items()]
    else:
        found = list(given or [])
    return found + [one.parameter() if isinstance(one, _Filter) else one for one in filters]


def read_message(message: bytes, exact: bool = False) -> tuple[dict[int, Any], CFH]:
    """Parameters and header of an answer, also of one that reports a failure."""
    header = CFH()
    header.unpack(message[: mq.MQCFH_STRUC_LENGTH])
    return read_parameters(message, header.ParameterCount, exact), header


class _Method:
    """A command by its name, to be called."""

    def __init__(self, pcf: PCFExecute, name: str) -> None:
        self._pcf = pcf
        self._name = name

    def __getattr__(self, name: str) -> _Method:
        if name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return _Method(self._pcf, f"{self._name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> list[Any]:
        given, filters = (*args, None, ())[:2] if len(args) < 2 else args
        number = ALL.get(self._name.removeprefix("CMQCFC."))
        if not isinstance(number, int):
            raise KeyError(f"{self._name} is not a PCF command")
        return self._pcf._run(number, given, filters or (), **kwargs)


class PCFExecute(QueueManager):
    """Sends commands on a connection that there is, or on one of its own, and waits for the
    answers on a dynamic queue."""

    qm: Any = None
    iaStringDict: ClassVar[Any] = NamesByNumber("MQIA_")
    caStringDict: ClassVar[Any] = NamesByNumber("MQCA_")

    def __init__(
        self,
        name: Any = None,
        disconnect_on_exit: bool = True,
        model_queue_name: Any = b"SYSTEM.DEFAULT.MODEL.QUEUE",
        dynamic_queue_name: Any = b"PYMQPCF.*",
        command_queue_name: Any = b"SYSTEM.ADMIN.COMMAND.QUEUE",
        response_wait_interval: int = 5000,
        convert: bool = False,
    ) -> None:
        self._command_queue_name = command_queue_name
        self._convert = convert
        self._wait_ms = response_wait_interval
        self._reply_queue: Any = None
        self._reply_queue_name: Any = None
        if isinstance(name, QueueManager):
            super().__init__(None)
            self.qm = name
        else:
            super().__init__(name or "", disconnect_on_exit)
            self.qm = self
        od = OD(
            ObjectName=ensure_bytes(model_queue_name), DynamicQName=ensure_bytes(dynamic_queue_name)
        )
        self._reply_queue = Queue(self.qm, od, mq.MQOO_INPUT_EXCLUSIVE)
        self._reply_queue_name = od.ObjectName.strip()

    @property
    def command_queue_name(self) -> Any:
        """The queue of the command server."""
        return self._command_queue_name

    @property
    def convert(self) -> bool:
        """Whether answers are converted."""
        return self._convert

    @property
    def reply_queue(self) -> Any:
        """The queue of the answers."""
        return self._reply_queue

    @property
    def reply_queue_name(self) -> Any:
        """Its name."""
        return self._reply_queue_name

    @property
    def response_wait_interval(self) -> int:
        """How long to wait for an answer, in milliseconds."""
        return self._wait_ms

    def __getattr__(self, name: str) -> _Method:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return _Method(self, name)

    # ---- the exchange

    def _run(self, command: int, given: Any, filters: Sequence[Any]) -> list[dict[int, Any]]:
        msg_id = self._send(command, parameters(given, filters, self.qm.bytes_encoding))
        found: list[dict[int, Any]] = []
        while True:
            values, header = self.unpack(self._answer(msg_id))
            found.append(values)
            if header.Control == mq.MQCFC_LAST:
                return found

    def _send(self, command: int, rows: list[MQOpts]) -> bytes:
        header = CFH(
            Version=mq.MQCFH_VERSION_3,
            Command=command,
            Type=mq.MQCFT_COMMAND_XR,
            ParameterCount=len(rows),
        )
        md = MD(
            Format=b"MQADMIN ",
            MsgType=mq.MQMT_REQUEST,
            ReplyToQ=self._reply_queue_name,
            Expiry=self._expiry(),
            Report=mq.MQRO_PASS_DISCARD_AND_EXPIRY | mq.MQRO_DISCARD_MSG,
        )
        pmo = PMO(Options=mq.MQPMO_NO_SYNCPOINT)
        message = header.pack() + b"".join(row.pack() for row in rows)
        self._put(message, md, pmo)
        msg_id: bytes = md.MsgId
        return msg_id

    def _expiry(self) -> int:
        """Of a request, in tenths of a second."""
        return max(self._wait_ms // 100, 1)

    def _put(self, message: bytes, md: MQOpts, pmo: MQOpts) -> None:
        self.qm.put1(self._command_queue_name, message, md, pmo)

    def _answer(self, msg_id: bytes) -> bytes:
        gmo = GMO(
            Options=_WAITING | (mq.MQGMO_CONVERT if self._convert else 0),
            Version=mq.MQGMO_VERSION_2,
            MatchOptions=mq.MQMO_MATCH_CORREL_ID,
            WaitInterval=self._wait_ms,
        )
        message: bytes = self._reply_queue.get(None, MD(CorrelId=msg_id), gmo)
        return message

    def disconnect(self) -> None:
        """Close the queue of the answers; a connection of its own is closed too."""
        queue = self._reply_queue
        self._reply_queue = self._reply_queue_name = None
        try:
            if queue is not None and queue.get_handle():
                queue.close()
        except MQMIError:
            return  # the connection is gone, and the queue with it

    @staticmethod
    def stringify_keys(rawDict: dict[int, Any]) -> dict[Any, Any]:
        """The dictionary with the names of the attributes instead of their numbers."""
        found: dict[Any, Any] = {}
        for key, value in rawDict.items():
            if isinstance(value, str):
                raise TypeError(f"text where bytes are needed: {key}: {value!r}")
            is_text = isinstance(value, bytes)
            names = PCFExecute.caStringDict if is_text else PCFExecute.iaStringDict
            found[names.get(key, key)] = value
        return found

    stringifyKeys = stringify_keys

    @staticmethod
    def unpack(message: bytes) -> tuple[dict[int, Any], CFH]:
        """Parameters and header of an answer; one that reports a failure raises its reason."""
        values, header = read_message(message)
        if header.CompCode:
            raise MQMIError(header.CompCode, header.Reason)
        return values, header
