"""One message to the command server: from its bytes to the bytes of its replies.

It is attempted step by step, like a verb, under the authority of the user whose identifier the
message carries. Whatever is wrong with the message is in the replies; nothing is raised but what
ends the queue manager.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.execute import execution_of
from ternmq.admin.execution import Execution
from ternmq.admin.mqsc.lexer import SyntaxFault
from ternmq.admin.mqsc.parser import fault_answer, parse
from ternmq.admin.pcf.reply import Replies, error_replies, replies
from ternmq.admin.pcf.request import Request, request_of
from ternmq.base import constants as mq
from ternmq.base.command_reasons import MQRCCF_MD_FORMAT_ERROR
from ternmq.base.reasons import MQRC_UNEXPECTED_ERROR
from ternmq.base.user_names import whole_name
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf.parameter import PCFError
from ternmq.codec.pcf.structures import PCFMessage, unpack_header, unpack_pcf
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.values.command import Command

STEP_COMMANDS: Final = 16  # a list of users is a command for each of them
_NO_ROW: Final = CommandRow("", "", "", 0, "", "", 0, {}, ())


@final
class Exchange(Execution):
    """A request under way; when it is done, `replies` makes the messages of the answer."""

    def __init__(self, md: Descriptor, data: bytes) -> None:
        super().__init__(Command("", ""), _NO_ROW)
        self.verb = "MQADMIN"
        self.md = md
        self.data = data
        self.replies = Replies(0, [])
        self.malformed = False
        self._request: Request | None = None
        self._message: PCFMessage | None = None
        self._fault: PCFError | None = None
        self._number = 0
        self._at = 0
        self._execution: Execution | None = None

    def read(self) -> None:
        """Take the message apart: it may be long, so a caller that attempts this under a lock calls
        this before, without the lock."""
        if self._message is None and self._fault is None:
            try:
                self._message = self._unpacked()
            except PCFError as error:
                self._fault = error

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        """Go on; True when it is done. The link is the requester's: see `acting_link`."""
        request = self._request
        if request is None:
            try:
                request = self._understood(kernel)
            except PCFError as error:
                self.malformed = True
                self.replies = error_replies(self._number, error)
                return True
            self._request = request
        while self._at < len(request.commands):
            if not self._carry_out(kernel, link, request.commands[self._at]):
                return False
            self._at += 1
            if self._at % STEP_COMMANDS == 0 and self._at < len(request.commands):
                link.again = True
                return False
        link.depends_on(self._durable_at)
        self.replies = replies(request, self.answers, self._number)
        return True

    @property
    def number(self) -> int:
        """MQCMD_, as far as the message was understood."""
        return self._number

    def give_up(self) -> None:
        """An internal fault has ended it: that is its whole answer."""
        self.malformed = True
        error = PCFError(MQRC_UNEXPECTED_ERROR, "an internal fault has ended the command")
        self.replies = error_replies(self._number, error)

    def _unpacked(self) -> PCFMessage:
        md = self.md
        order = byte_order(md.encoding)
        if md.format != mq.MQFMT_ADMIN:
            detail = f"the format of a command is {mq.MQFMT_ADMIN}, not {md.format!r}"
            raise PCFError(MQRCCF_MD_FORMAT_ERROR, detail)
        header, _ = unpack_header(self.data, order)
        self._number = header.command
        return unpack_pcf(self.data, order, md.ccsid if md.ccsid > 0 else UTF8)

    def _understood(self, kernel: Kernel) -> Request:
        self.read()
        message = self._message
        if message is None:
            raise self._fault or PCFError(MQRCCF_MD_FORMAT_ERROR, "no message")
        request = request_of(message, kernel.catalog, kernel.name)
        for command in request.commands:
            command.parameters = message.parameters
        if request.row is None:
            self._parse(request)
        return request

    def _parse(self, request: Request) -> None:
        try:
            request.commands.append(parse(request.text))
        except SyntaxFault as fault:
            self.answers.append(fault_answer(fault))

    def _carry_out(self, kernel: Kernel, link: Link, command: Command) -> bool:
        execution = self._execution
        if execution is None:
            execution = execution_of(command)
            self._execution = execution
        if not execution.attempt(kernel, link):
            return False
        self._durable_at = max(self._durable_at, int(link.durable_at))
        self.answers.extend(execution.answers)
        self._execution = None
        return True


def sender_of(md: Descriptor) -> str:
    """The user of a message, whole. What carries it takes one authority to set (`setid`)."""
    return whole_name(md.user_id, md.appl_identity_data)


def acting_link(kernel: Kernel, md: Descriptor) -> Link:
    """A link that acts for the user of a message; it has no handles and no unit of work."""
    user = sender_of(md)
    link = Link(0, b"", user, md.put_appl_name)
    link.privileged = kernel.authority.is_administrator(user)
    link.command_descriptor = md.pack()
    return link


def reply_descriptor(md: Descriptor, ccsid: int) -> Descriptor:
    """The descriptor of a reply: identifiers as the Report options ask, priority, persistence and
    expiry as in the request."""
    reply = Descriptor(
        msg_type=mq.MQMT_REPLY,
        format=mq.MQFMT_ADMIN,
        encoding=mq.MQENC_NATIVE,
        ccsid=ccsid,
        priority=md.priority,
        persistence=md.persistence,
        expiry=md.expiry if md.expiry > 0 else mq.MQEI_UNLIMITED,
    )
    reply.msg_id = md.msg_id if md.report & mq.MQRO_PASS_MSG_ID else mq.MQMI_NONE
    reply.correl_id = md.correl_id if md.report & mq.MQRO_PASS_CORREL_ID else md.msg_id
    return reply
