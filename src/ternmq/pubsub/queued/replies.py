"""The response to a command: whether one is wanted, what it is, and what becomes of one that its
queue does not take.

A request is always answered; a datagram if MQRO_PAN asks for the good news and it is good, or
MQRO_NAN for the bad; a warning is both. The response is put by the authority of the command's user.
A persistent one that its queue does not take goes to the dead-letter queue, and if that does not
take it either, the command is backed out and tried again. PSNPRES says the same of a non-persistent
one: NORMAL dead-letter queue or discarded, SAFE dead-letter queue or tried again, DISCARD
discarded, KEEP tried again.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.pubsub_command import Response, response_header
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.put import put
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import close_handle, open_queue
from ternmq.kernel.undeliverable import bury
from ternmq.values.entry import PERSISTENT, ZERO_ID, Entry

NOT_SENT: Final = "AMQ5864W"


def is_wanted(md: Descriptor, completion: int) -> bool:
    """Whether a command with that descriptor wants a response."""
    if not md.reply_to_queue:
        return False
    if md.msg_type == mq.MQMT_REQUEST:
        return True
    wanted = mq.MQRO_PAN | mq.MQRO_NAN
    if completion == mq.MQCC_OK:
        wanted = mq.MQRO_PAN
    elif completion == mq.MQCC_FAILED:
        wanted = mq.MQRO_NAN
    return md.report & wanted != 0


class TryAgain(Exception):
    """The command is to be backed out and tried again later."""


@final
class Reply:
    """A response on its way."""

    def __init__(
        self,
        md: Descriptor,
        entry: Entry,
        version: int,
        completion: int,
        responses: list[Response],
        folder: str,
    ) -> None:
        self._md = md
        self._command = entry
        self._data = response_header(version, completion, responses, folder)
        self._format = mq.MQFMT_RF_HEADER_1 if version == 1 else mq.MQFMT_RF_HEADER_2
        self._handle: Handle | None = None
        self._refused: i64 = 0  # why its queue does not take it

    def step(self, kernel: Kernel, connection: Connection, is_in_unit: bool) -> bool:
        """Put it; False: parked. TryAgain if it can neither be put nor done without."""
        if not self._refused:
            try:
                return self._put(kernel, connection, is_in_unit)
            except MQError as refused:
                self._refused = refused.reason
                kernel.notices.add(NOT_SENT, (self._md.reply_to_queue, refused.reason))
        return self._settle(kernel, connection)

    def _settle(self, kernel: Kernel, connection: Connection) -> bool:
        policy = kernel.number("pubsub_responses")
        if self._command.flags & PERSISTENT:
            policy = mq.MQUNDELIVERED_SAFE
        if policy == mq.MQUNDELIVERED_DISCARD:
            return True
        if policy == mq.MQUNDELIVERED_KEEP:
            raise TryAgain
        md = self._md
        try:
            entry = self._entry(kernel)
            reason = int(self._refused)
            return bury(kernel, connection, entry, md.reply_to_queue, md.reply_to_qmgr, reason)
        except MQError:
            if policy == mq.MQUNDELIVERED_SAFE:
                raise TryAgain from None
        return True

    def _put(self, kernel: Kernel, connection: Connection, is_in_unit: bool) -> bool:
        handle = self._handle
        md = self._md
        if handle is None:
            handle = open_queue(
                kernel,
                connection,
                md.reply_to_queue,
                md.reply_to_qmgr,
                "",
                mq.MQOO_OUTPUT,
                "MQPUT1",
            )
            if handle is None:
                return False
            self._handle = handle
        is_over = True
        try:
            request = self._request(kernel, is_in_unit)
            is_over = put(kernel, connection, handle, request, self._data) is not None
        finally:
            if is_over:
                self._handle = None
                close_handle(kernel, handle, 0)
        return is_over

    def _request(self, kernel: Kernel, is_in_unit: bool) -> PutRequest:
        descriptor = self._descriptor(kernel)
        options = mq.MQPMO_SYNCPOINT if is_in_unit else mq.MQPMO_NO_SYNCPOINT
        request = PutRequest(options, descriptor.pack(), is_in_unit)
        request.splits = False
        request.msg_id = descriptor.msg_id
        request.correl_id = descriptor.correl_id
        request.priority = self._command.priority
        request.persistence = self._command.flags & PERSISTENT
        request.expiry = descriptor.expiry
        return request

    def _descriptor(self, kernel: Kernel) -> Descriptor:
        """IBM MQ's rules for such responses."""
        md = self._md
        return Descriptor(
            msg_type=mq.MQMT_REPLY,
            format=self._format,
            encoding=mq.MQENC_NATIVE,
            ccsid=UTF8,
            priority=int(self._command.priority),
            persistence=int(self._command.flags & PERSISTENT),
            expiry=md.expiry if md.expiry > 0 else mq.MQEI_UNLIMITED,
            msg_id=md.msg_id if md.report & mq.MQRO_PASS_MSG_ID else ZERO_ID,
            correl_id=md.correl_id if md.report & mq.MQRO_PASS_CORREL_ID else md.msg_id,
            reply_to_qmgr=kernel.name,
            user_id=md.user_id,
            accounting_token=md.accounting_token,
            appl_identity_data=md.appl_identity_data,
            put_appl_type=mq.MQAT_BROKER,
            put_appl_name=kernel.name[: mq.MQ_PUT_APPL_NAME_LENGTH],
        )

    def _entry(self, kernel: Kernel) -> Entry:
        """The response as a message, for the dead-letter queue."""
        descriptor = self._descriptor(kernel)
        return Entry(
            0,
            self._command.priority,
            self._command.flags & PERSISTENT,
            kernel.clock.now_ns(),
            0,
            kernel.new_id(),
            descriptor.correl_id,
            ZERO_ID,
            descriptor.pack(),
            self._data,
            len(self._data),
        )
