"""PCF commands from Python, in the manner that users of MQ in Python know:

    pcf = PCFExecute(connection)
    for queue in pcf.MQCMD_INQUIRE_Q({MQCA_Q_NAME: "DEV.*", MQIA_Q_TYPE: MQQT_LOCAL}):
        print(queue[MQCA_Q_NAME], queue[MQIA_CURRENT_Q_DEPTH])

A request goes to the command server, replies come to a dynamic queue of its own. Each reply is a
dictionary by parameter; a command that fails raises its first reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ternmq.api.connection import Connection
from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.own_constants import constant_named
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
MODEL_QUEUE: Final = "SYSTEM.DEFAULT.MODEL.QUEUE"
WAIT_S: Final = 5.0

Argument = int | str | bytes | Sequence[int] | Sequence[str] | Parameter
Reply = dict[int, object]


class PCFExecute:
    """Sends commands and waits for their replies; close it, or use it in a `with` block."""

    def __init__(
        self,
        connection: Connection,
        *,
        command_queue: str = COMMAND_QUEUE,
        model_queue: str = MODEL_QUEUE,
        wait: float = WAIT_S,
    ) -> None:
        self._connection = connection
        self._command_queue = command_queue
        self._wait = wait
        self._replies = connection.queue(
            model_queue, options=mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_INQUIRE
        )

    def execute(
        self,
        command: int,
        arguments: Mapping[int, Argument] | None = None,
        filters: Sequence[Parameter] = (),
    ) -> list[Reply]:
        """Carry out a command, given by its MQCMD_ number; what it answers, a dictionary for each
        object. Texts come without the blanks at their end, byte strings as bytes, groups as lists
        of dictionaries."""
        parameters = [argument(key, value) for key, value in (arguments or {}).items()]
        parameters.extend(filters)
        return [_as_dictionary(one.parameters) for one in self.exchange(command, parameters)]

    def exchange(self, command: int, parameters: list[Parameter]) -> list[PCFMessage]:
        """The same with structures; MQError has the first reason of a reply that failed."""
        request = PCFMessage(mq.MQCFT_COMMAND, command, parameters)
        descriptor = Descriptor(
            msg_type=mq.MQMT_REQUEST,
            format=mq.MQFMT_ADMIN,
            persistence=mq.MQPER_NOT_PERSISTENT,
            expiry=max(round(self._wait * 10), 1),
            ccsid=1208,
            reply_to_queue=self._replies.name,
        )
        msg_id = self._connection.put(self._command_queue, request.pack(), descriptor=descriptor)
        found: list[PCFMessage] = []
        failure: MQError | None = None
        while not found or found[-1].control != mq.MQCFC_LAST:
            found.append(self._reply(msg_id))
            if found[-1].comp == mq.MQCC_FAILED and failure is None:
                failure = _failure(command, found[-1])
        if failure is not None:
            raise failure
        return found

    def _reply(self, msg_id: bytes) -> PCFMessage:
        message = self._replies.try_get(wait=self._wait, correl_id=msg_id, syncpoint=False)
        if message is None:
            detail = f"no reply within {self._wait} s; does the command server run?"
            raise mq_error(MQRC_NO_MSG_AVAILABLE, object=self._command_queue, detail=detail)
        md = message.descriptor
        return unpack_pcf(message.data, byte_order(md.encoding), md.ccsid if md.ccsid > 0 else 1208)

    def __getattr__(self, name: str) -> Callable[..., list[Reply]]:
        """`pcf.MQCMD_PING_Q_MGR()`: each command by its name."""
        try:
            command = constant_named(name) if name.startswith("MQCMD_") else 0
        except KeyError:
            command = 0
        if not command:
            raise AttributeError(f"there is no PCF command {name}")

        def run(
            arguments: Mapping[int, Argument] | None = None, filters: Sequence[Parameter] = ()
        ) -> list[Reply]:
            return self.execute(command, arguments, filters)

        return run

    def close(self) -> None:
        """Close and delete the queue of replies."""
        self._replies.close()

    def __enter__(self) -> PCFExecute:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def argument(parameter: int, value: Argument) -> Parameter:
    """A value as the structure that it needs. Bytes are text, unless the parameter takes byte
    strings (MQBACF_)."""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bytes):
        if mq.MQBACF_FIRST <= parameter <= mq.MQBACF_LAST_USED:
            return pcf.byte_string(parameter, value)
        return pcf.string(parameter, value.decode("utf-8"))
    if isinstance(value, str):
        return pcf.string(parameter, value)
    if isinstance(value, int):
        return pcf.integer(parameter, int(value))
    texts = [one for one in value if isinstance(one, str)]
    if texts:
        return pcf.strings(parameter, texts)
    return pcf.integers(parameter, [one for one in value if isinstance(one, int)])


def _as_dictionary(parameters: list[Parameter]) -> Reply:
    found: Reply = {}
    for one in parameters:
        if one.kind == pcf.CFGR:
            groups = found.setdefault(one.parameter, [])
            if isinstance(groups, list):
                groups.append(_as_dictionary(one.members))
        else:
            found[one.parameter] = one.value
    return found


def _failure(command: int, reply: PCFMessage) -> MQError:
    blamed = reply.find(mq.MQIACF_PARAMETER_ID) or reply.find(mq.MQIACF_SELECTOR)
    detail = "" if blamed is None else f"parameter {blamed.number}"
    return mq_error(reply.reason, verb=_name_of(command), detail=detail)


def _name_of(command: int) -> str:
    for name, number in vars(mq).items():
        if name.startswith("MQCMD_") and number == command:
            return name
    return f"command {command}"
