"""One message from a queue of queued publish/subscribe, from its bytes to its response.

Steps: read and check the command, carry it out, put the response, end the unit of work. What cannot
be carried out is refused in a response. A message that is not a command, and a publication that is
refused and asks for no response, is backed out and tried again, PSRTYCNT times; then its Report
decides: MQRO_DISCARD_MSG, or the dead-letter queue. A non-persistent one is discarded at once, or,
with PSNPMSG(KEEP), tried again and again, and the messages behind it wait.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_RFH_ERROR
from ternmq.codec.headers.pubsub_command import (
    CommandError,
    CommandMessage,
    Response,
    read_command,
)
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.undeliverable import bury, is_discarded
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.queued.command import (
    DELETE,
    DEREGISTER,
    PUBLISH,
    REGISTER,
    REQUEST,
    CommandFault,
    QueuedCommand,
)
from ternmq.pubsub.queued.deleting import Deleting
from ternmq.pubsub.queued.deregistering import Deregistering
from ternmq.pubsub.queued.publishing import QueuedPublishing, Requesting
from ternmq.pubsub.queued.registering import Registering
from ternmq.pubsub.queued.registrations import Registrations
from ternmq.pubsub.queued.replies import Reply, TryAgain, is_wanted
from ternmq.pubsub.queued.work import Work
from ternmq.txn.keeper import StepAgain
from ternmq.values.entry import PERSISTENT, Entry, packed_descriptor

DISCARDED: Final = "AMQ5866W"
BURIED: Final = "AMQ5882W"
_FORMATS: Final[dict[str, int]] = {mq.MQFMT_RF_HEADER_1: 1, mq.MQFMT_RF_HEADER_2: 2}


def keeps_plain(kernel: Kernel) -> bool:
    """Whether non-persistent messages that cannot be worked on are kept."""
    return kernel.number("pubsub_undelivered") == mq.MQUNDELIVERED_KEEP


def needs_unit(kernel: Kernel) -> bool:
    """Whether non-persistent messages too are got in a unit of work, so that they can be tried
    again."""
    keeping = (mq.MQUNDELIVERED_SAFE, mq.MQUNDELIVERED_KEEP)
    return (
        kernel.number("pubsub_syncpoint") == mq.MQSYNCPOINT_YES
        or keeps_plain(kernel)
        or kernel.number("pubsub_responses") in keeping
    )


@final
class CommandTask:
    """A message under way."""

    def __init__(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        registrations: Registrations,
        queue: str,
        entry: Entry,
    ) -> None:
        self._pubsub = pubsub
        self._connection = connection
        self._registrations = registrations
        self._queue = queue
        self._entry = entry
        self._is_in_unit = connection.unit is not None
        self._md = Descriptor.unpack(packed_descriptor(entry))
        self._work: Work | None = None
        self._completion = -1  # MQCC_, once it is known
        self._responses: list[Response] = []
        self._message: CommandMessage | None = None
        self._reply: Reply | None = None
        self._unfit = 0  # why it is not a command
        self._stored_at: i64 = 0  # end of the log when it was carried out

    @property
    def is_in_unit(self) -> bool:
        """Whether its unit of work is to be ended."""
        return self._is_in_unit

    def step(self) -> bool:
        """Go on; False: the connection is parked, or there is more to do. TryAgain: it is to be
        backed out."""
        if self._completion < 0 and not self._is_unfit() and not self._carry_out():
            return False
        if self._is_unfit():
            return self._put_away()
        reply = self._reply
        if reply is None:
            if not is_wanted(self._md, self._completion):
                return self._is_silent()
            if not self._is_on_disk():
                return False
            folder = "" if self._message is None else self._message.folder
            version = _FORMATS.get(self._md.format, 2)
            reply = Reply(self._md, self._entry, version, self._completion, self._responses, folder)
            self._reply = reply
        return reply.step(self._pubsub.kernel, self._connection, self._is_in_unit)

    def _is_on_disk(self) -> bool:
        """Whether what was registered or deleted survives a crash; False: parked until it does. A
        persistent response is not there before that either."""
        if isinstance(self._work, QueuedPublishing) or self._entry.flags & PERSISTENT:
            return True
        kernel = self._pubsub.kernel
        log = kernel.coordinator.log
        if self._stored_at == 0:
            self._stored_at = log.end_lsn
        if self._work is None or self._stored_at <= log.forced_lsn:
            return True
        forced = StepAgain()
        forced.after_lsn = int(self._stored_at)
        kernel.outbox.add(forced)
        self._connection.park = forced
        return False

    def _is_unfit(self) -> bool:
        return self._unfit != 0

    def _carry_out(self) -> bool:
        work = self._work
        if work is None:
            try:
                work = self._begin()
            except CommandFault as fault:
                self._refuse(fault.reason, Response(fault.reason, fault.fields))
                return True
            if work is None:
                return True
            self._work = work
        if not work.step():
            return False
        self._completion = work.completion()
        self._responses = work.responses()
        return True

    def _refuse(self, reason: int, response: Response) -> None:
        self._completion = mq.MQCC_FAILED
        self._responses = [response]

    def _begin(self) -> Work | None:
        """What is to be done; None: nothing, and `_completion` or `_unfit` says why."""
        md = self._md
        kernel = self._pubsub.kernel
        if md.format not in _FORMATS:
            self._unfit = MQRC_RFH_ERROR
            return None
        ccsid = md.ccsid if md.ccsid > 0 else kernel.number("ccsid")
        try:
            message = read_command(self._entry.data, md.format, byte_order(md.encoding), ccsid)
        except CommandError as error:
            if error.reason == MQRC_RFH_ERROR:
                self._unfit = error.reason
            else:
                at = [("ErrorPos", str(error.at))] if error.at >= 0 else []
                self._refuse(error.reason, Response(error.reason, at))
            return None
        self._message = message
        command = QueuedCommand(message, md, self._queue)
        command.was_tried = self._entry.backout_count > 0
        self._connection.user = command.user
        self._connection.privileged = kernel.authority.is_administrator(command.user)
        command.check(kernel)
        return self._work_of(command)

    def _work_of(self, command: QueuedCommand) -> Work | None:
        pubsub = self._pubsub
        connection = self._connection
        known = self._registrations
        if command.name == REGISTER:
            return Registering(pubsub, connection, command, known)
        if command.name == DEREGISTER:
            return Deregistering(pubsub, connection, command, known)
        if command.name == REQUEST:
            return Requesting(pubsub, connection, command, known)
        if command.name == PUBLISH:
            return QueuedPublishing(pubsub, connection, command, self._entry, self._is_in_unit)
        if command.name == DELETE:
            return Deleting(pubsub, connection, command)
        self._completion = mq.MQCC_OK  # a publisher need not register
        return None

    # ---- without a response

    def _is_silent(self) -> bool:
        """Nobody wants to know; a publication that nobody got is more than that."""
        if self._completion != mq.MQCC_FAILED or not isinstance(self._work, QueuedPublishing):
            return True
        self._unfit = self._responses[0].reason
        return self._put_away()

    def _put_away(self) -> bool:
        """It cannot be carried out, and that is not to be said: False while parked."""
        kernel = self._pubsub.kernel
        entry = self._entry
        is_persistent = entry.flags & PERSISTENT != 0
        if is_persistent and entry.backout_count < kernel.number("pubsub_retries"):
            raise TryAgain
        if is_discarded(entry) or (not is_persistent and not keeps_plain(kernel)):
            kernel.notices.add(DISCARDED, (self._queue, self._unfit))
            return True
        if not is_persistent:
            raise TryAgain
        name = str(kernel.catalog.qmgr.get("dead_letter_queue", ""))
        try:
            if not bury(kernel, self._connection, entry, self._queue, kernel.name, self._unfit):
                return False
        except MQError as refused:
            kernel.notices.add("AMQ7315E", (name, refused.reason))
            raise TryAgain from None
        kernel.notices.add(BURIED, (self._queue, self._unfit, name))
        return True
