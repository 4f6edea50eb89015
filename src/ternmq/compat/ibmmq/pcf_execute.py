"""PCFExecute as ibmmq has it: of pymqi's, with more to say about queues and times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ternmq.base import constants as mq
from ternmq.compat.constant_names import NamesByNumber
from ternmq.compat.ibmmq.errors import MQMIError
from ternmq.compat.ibmmq.objects import Queue, QueueManager
from ternmq.compat.ibmmq.structures import GMO, MD, OD
from ternmq.compat.pcf_structures import CFH
from ternmq.compat.pymqi import pcf_execute as pymqi
from ternmq.compat.unicode import ensure_bytes

_INPUT = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED
_WAIT_MS_MAX = 3_600_000  # an answer that never comes is not waited for without end


class PCFExecute(pymqi.PCFExecute, QueueManager):
    """Sends commands on a connection that there is, or on one of its own, and waits for the
    answers."""

    iaStringDict: ClassVar[Any] = NamesByNumber("MQIA_", "MQIACF_", "MQIACH_")
    caStringDict: ClassVar[Any] = NamesByNumber("MQCA_", "MQCACF_", "MQCACH_")
    baStringDict: ClassVar[Any] = NamesByNumber("MQBACF_")

    def __init__(
        self,
        name: Any = None,
        model_queue_name: Any = b"SYSTEM.DEFAULT.MODEL.QUEUE",
        reply_queue_name: Any = None,
        reply_queue_open_options: int = mq.MQOO_INPUT_EXCLUSIVE,
        dynamic_queue_name: Any = b"PYMQPCF.*",
        command_queue_name: Any = b"SYSTEM.ADMIN.COMMAND.QUEUE",
        command_queue: Any = None,
        response_wait_interval: int = 5000,
        command_timeout: int = 0,
        max_length: int | None = None,
        convert: bool = True,
    ) -> None:
        if model_queue_name and reply_queue_name:
            raise self._pyif_error("Do not specify both a model_queue_name and a reply_queue_name")
        self._command_queue = command_queue
        self._command_queue_name = command_queue_name
        self._convert = convert
        self._wait_ms = _WAIT_MS_MAX if response_wait_interval < 0 else response_wait_interval
        self._command_timeout = command_timeout
        self._max_length = max_length
        self._reply_queue = self._reply_queue_name = None
        if isinstance(name, QueueManager):
            QueueManager.__init__(self, None)
            self.qm = name
        else:
            QueueManager.__init__(self, name or "")
            self.qm = self
        od = OD(
            ObjectName=ensure_bytes(reply_queue_name or model_queue_name),
            DynamicQName=ensure_bytes(dynamic_queue_name),
        )
        options = reply_queue_open_options
        if not options & _INPUT:
            options |= mq.MQOO_INPUT_EXCLUSIVE
        self._reply_queue = Queue(self.qm, od, options)
        self._reply_queue_name = od.ObjectName.strip(b" \0")

    @property
    def command_timeout(self) -> int:
        """How long a request is good for, in milliseconds; 0: three times the wait."""
        return self._command_timeout

    @property
    def max_length(self) -> int | None:
        """The greatest length of an answer."""
        return self._max_length

    def _expiry(self) -> int:
        if self._command_timeout:
            return max(self._command_timeout // 100, 1)
        return max(self._wait_ms // 100 * 3, 1)

    def _put(self, message: bytes, md: Any, pmo: Any) -> None:
        ours = MD(**{name: value for name, value in md.get().items() if name != "StrucId"})
        if self._command_queue is None:
            self.qm._put1(OD(ObjectName=ensure_bytes(self._command_queue_name)), message, ours, pmo)
        else:
            self._command_queue.put(message, ours)
        md.MsgId = ours.MsgId

    def _answer(self, msg_id: bytes) -> bytes:
        gmo = GMO(
            Options=pymqi._WAITING | (mq.MQGMO_CONVERT if self._convert else 0),
            MatchOptions=mq.MQMO_MATCH_CORREL_ID,
            WaitInterval=self._wait_ms,
        )
        md = MD(CorrelId=msg_id)
        message: bytes = self._reply_queue.get(self._max_length, md, gmo)
        return message

    def _run(
        self, command: int, given: Any, filters: Sequence[Any], responses: Any = None
    ) -> list[Any]:
        """With a list `responses` every answer goes there with its header, and the first reason
        is raised at the end."""
        if responses is not None and not isinstance(responses, list):
            raise TypeError("responses must be a list")
        msg_id = self._send(command, pymqi.parameters(given, filters, self.qm.bytes_encoding))
        found: list[Any] = [] if responses is None else responses
        found.clear()
        failure: MQMIError | None = None
        while True:
            values, header = pymqi.read_message(self._answer(msg_id), exact=True)
            if header.CompCode and failure is None:
                failure = MQMIError(header.CompCode, header.Reason)
                if responses is None:
                    raise failure
            if values:
                found.append(values if responses is None else (values, header))
            if header.Control == mq.MQCFC_LAST:
                break
        if failure is not None:
            raise failure
        return found

    @staticmethod
    def stringify_keys(raw_dict: dict[int, Any]) -> dict[Any, Any]:
        """The dictionary with the names of the attributes instead of their numbers."""
        found: dict[Any, Any] = {}
        for key, value in raw_dict.items():
            is_text = isinstance(value, bytes)
            names = PCFExecute.caStringDict if is_text else PCFExecute.iaStringDict
            found[names.get(key, key)] = value
        return found

    stringifyKeys = stringify_keys  # type: ignore[assignment]

    @staticmethod
    def unpack(message: bytes) -> tuple[dict[int, Any], CFH]:
        """Parameters and header of an answer; one that reports a failure raises its reason."""
        values, header = pymqi.read_message(message, exact=True)
        if header.CompCode:
            raise MQMIError(header.CompCode, header.Reason)
        return values, header
