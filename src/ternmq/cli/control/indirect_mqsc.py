"""MQSC by message: runmqsc -w sends each command to the command server of another queue manager.

A command is escaped in PCF and put to SYSTEM.ADMIN.COMMAND.QUEUE of the queue manager that is
meant, by way of the one that runmqsc is connected to; answers come to a dynamic queue made from
SYSTEM.MQSC.REPLY.QUEUE.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.remote.fap.mqsc_answers import answer_of_text
from ternmq.values.command import Answer

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
REPLY_MODEL: Final = "SYSTEM.MQSC.REPLY.QUEUE"
_UTF_8: Final = 1208


class IndirectMqsc:
    """The command server of a queue manager, reached through another one."""

    def __init__(self, connection: Connection, qmgr: str, wait_s: int) -> None:
        self.name = qmgr or connection.name
        self._connection = connection
        self._wait_s = wait_s
        self._replies = connection.queue(
            REPLY_MODEL, options=mq.MQOO_INPUT_EXCLUSIVE, dynamic_name="MQSC.REPLY.*"
        )

    def mqsc(self, text: str) -> list[Answer]:
        """One command; what came back."""
        parameters = [
            pcf.integer(mq.MQIACF_ESCAPE_TYPE, mq.MQET_MQSC),
            pcf.string(mq.MQCACF_ESCAPE_TEXT, text),
        ]
        request = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_ESCAPE, parameters)
        descriptor = Descriptor(
            msg_type=mq.MQMT_REQUEST,
            format=mq.MQFMT_ADMIN,
            persistence=mq.MQPER_NOT_PERSISTENT,
            expiry=self._wait_s * 10,
            ccsid=_UTF_8,
            reply_to_queue=self._replies.name,
        )
        far = "" if self.name == self._connection.name else self.name
        msg_id = self._connection.put(
            COMMAND_QUEUE, request.pack(), descriptor=descriptor, qmgr_name=far
        )
        answers: list[Answer] = []
        while True:
            reply = self._reply(msg_id)
            parameter = reply.find(mq.MQCACF_ESCAPE_TEXT)
            if parameter is not None:
                answers.append(answer_of_text(parameter.text, reply.comp, reply.reason))
            elif reply.comp == mq.MQCC_FAILED and not answers:
                raise mq_error(reply.reason, verb="MQSC", object=self.name)
            if reply.control == mq.MQCFC_LAST:
                return answers

    def _reply(self, msg_id: bytes) -> PCFMessage:
        message = self._replies.try_get(wait=self._wait_s, correl_id=msg_id, syncpoint=False)
        if message is None:
            detail = f"no answer of {self.name} within {self._wait_s} s"
            raise mq_error(MQRC_NO_MSG_AVAILABLE, verb="MQSC", object=self.name, detail=detail)
        md = message.descriptor
        ccsid = md.ccsid if md.ccsid > 0 else _UTF_8
        return unpack_pcf(message.data, byte_order(md.encoding), ccsid)

    def __enter__(self) -> IndirectMqsc:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._replies.close()
