"""A client of the command server for tests: puts a request, gets all its replies."""

from __future__ import annotations

from ternmq import Descriptor, QueueManager
from ternmq.base import constants as mq
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.values.message import Message

COMMAND_QUEUE = "SYSTEM.ADMIN.COMMAND.QUEUE"
REPLY_QUEUE = "REPLIES"


class PCFClient:
    """Asks one command after the other."""

    def __init__(self, qmgr: QueueManager, user: str | None = None) -> None:
        self.qmgr = qmgr
        if REPLY_QUEUE not in qmgr.queue_names():
            qmgr.define_queue(REPLY_QUEUE, max_depth=999_999)
        self.connection = qmgr if user is None else qmgr.connect(user=user)

    def ask(self, command: int, *parameters: Parameter) -> list[PCFMessage]:
        """The replies to a command."""
        request = PCFMessage(mq.MQCFT_COMMAND, command, list(parameters), version=3)
        return [unpack_pcf(one.data) for one in self.send(request.pack(LITTLE))]

    def send(
        self,
        data: bytes,
        *,
        encoding: int = mq.MQENC_NATIVE,
        ccsid: int = 1208,
        format: str = mq.MQFMT_ADMIN,
        report: int = 0,
        correl_id: bytes = b"",
    ) -> list[Message]:
        """The messages of the answer to a message."""
        descriptor = Descriptor(
            msg_type=mq.MQMT_REQUEST,
            format=format,
            encoding=encoding,
            ccsid=ccsid,
            reply_to_queue=REPLY_QUEUE,
            report=report,
            correl_id=correl_id,
        )
        self.connection.put(COMMAND_QUEUE, data, descriptor=descriptor)
        found: list[Message] = []
        with self.qmgr.queue(REPLY_QUEUE) as replies:
            while True:
                found.append(replies.get(wait=10))
                if unpack_pcf(found[-1].data).control == mq.MQCFC_LAST:
                    return found
