"""Commands of queued publish/subscribe as rows H name them: put, answered, and what came of it."""

from __future__ import annotations

from typing import Any

from ternmq import Connection, Message
from ternmq import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.pubsub_command import (
    CommandMessage,
    Field,
    Response,
    fields_header,
    read_command,
    read_response,
)
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import Descriptor
from tests.conformance.pubsub.bed import Bed

CONTROL = "SYSTEM.BROKER.CONTROL.QUEUE"
STREAM = "SYSTEM.BROKER.DEFAULT.STREAM"
REPLIES = "REPLIES"
WAIT_S = 20.0
FORMATS = {1: mq.MQFMT_RF_HEADER_1, 2: mq.MQFMT_RF_HEADER_2}


class Answered:
    """The response to a command."""

    def __init__(self, message: Message, msg_id: bytes) -> None:
        self.message = message
        self.msg_id = msg_id  # of the command
        md = message.descriptor
        order = byte_order(md.encoding)
        self.completion, self.responses = read_response(message.data, md.format, order, md.ccsid)

    @property
    def reasons(self) -> list[int]:
        return [one.reason for one in self.responses]

    @property
    def outcome(self) -> tuple[int, list[int]]:
        """Completion code and reasons."""
        reasons = self.reasons
        return self.completion, [] if reasons == [0] else reasons

    def fields(self, name: str) -> list[str]:
        """All values of a name."""
        responses: list[Response] = self.responses
        return [value for one in responses for field, value in one.fields if field == name]


class Queued:
    """A queued publisher and subscriber on a queue manager, with queues SQ and REPLIES."""

    def __init__(self, bed: Bed) -> None:
        self.bed = bed
        bed.mqsc(f"DEFINE QLOCAL(SQ)\nDEFINE QLOCAL({REPLIES})")

    def put(
        self,
        fields: list[Field],
        queue: str = "",
        *,
        version: int = 2,
        data: bytes = b"",
        connection: Connection | None = None,
        persistent: bool = False,
        **md: Any,
    ) -> bytes:
        """Put a command, as a request if `md` does not say otherwise; its MsgId."""
        at = connection or self.bed.connection
        name = dict(fields).get("Command", "")
        where = queue or (STREAM if name in ("Publish", "DeletePub") else CONTROL)
        format = mq.MQFMT_STRING if data else ""
        header = fields_header(version, fields, mq.MQENC_NATIVE, UTF8, format)
        given: dict[str, Any] = {"msg_type": mq.MQMT_REQUEST, "reply_to_queue": REPLIES, **md}
        descriptor = Descriptor(
            format=FORMATS[version],
            encoding=mq.MQENC_NATIVE,
            ccsid=UTF8,
            persistence=mq.MQPER_PERSISTENT if persistent else mq.MQPER_NOT_PERSISTENT,
            **given,
        )
        return at.put(where, header + data, descriptor=descriptor)

    def ask(self, *fields: Field, **arguments: Any) -> Answered:
        """Put a command and wait for its response."""
        msg_id = self.put(list(fields), **arguments)
        correl_id = arguments.get("correl_id") if arguments.get("report") else msg_id
        found = self.bed.connection.queue(REPLIES).try_get(wait=WAIT_S, correl_id=correl_id)
        assert found is not None, f"no response to {fields}"
        return Answered(found, msg_id)

    def outcome(self, *fields: Field, **arguments: Any) -> tuple[int, list[int]]:
        """Completion code and reasons of a command."""
        return self.ask(*fields, **arguments).outcome

    def register(self, topic: str, *more: Field, **arguments: Any) -> tuple[int, list[int]]:
        """RegSub for queue SQ, unless another is named."""
        fields = [("Command", "RegSub"), ("Topic", topic), *more]
        if "QName" not in dict(more):
            fields.append(("QName", "SQ"))
        return self.outcome(*fields, **arguments)

    def publish(
        self, topic: str, data: str, *more: Field, **arguments: Any
    ) -> tuple[int, list[int]]:
        """Publish, answered."""
        fields = [("Command", "Publish"), ("Topic", topic), *more]
        return self.outcome(*fields, data=data.encode(), **arguments)

    def got(self, queue: str = "SQ") -> Message | None:
        """The next message of a queue. Publications are there before their response."""
        return self.bed.connection.queue(queue).try_get()

    def publication(self, queue: str = "SQ") -> CommandMessage:
        """The next message of a queue, taken apart."""
        message = self.got(queue)
        assert message is not None, f"no publication on {queue}"
        md = message.descriptor
        return read_command(message.data, md.format, byte_order(md.encoding), md.ccsid)

    def texts(self, queue: str = "SQ") -> list[str]:
        """The data of all publications on a queue."""
        found: list[str] = []
        while (message := self.got(queue)) is not None:
            md = message.descriptor
            order = byte_order(md.encoding)
            found.append(read_command(message.data, md.format, order, md.ccsid).data.decode())
        return found

    def flush(self) -> None:
        """Until all commands before are worked off: one more, answered."""
        self.outcome(("Command", "DeregSub"), ("Topic", "none"), ("QName", "SQ"))
