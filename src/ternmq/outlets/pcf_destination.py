"""Statistics and accounting messages on SYSTEM.ADMIN.STATISTICS.QUEUE and
SYSTEM.ADMIN.ACCOUNTING.QUEUE, put by the queue manager itself, outside any unit of work.

As with events, nothing that goes wrong with one touches an application: if the queue is missing,
full, inhibited or damaged, or the log has no room, the message is lost and counted. Notices
report when losing begins and when it ends.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import MQRC_RESOURCE_PROBLEM, MQRC_UNKNOWN_OBJECT_NAME
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.host.shell import Shell
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import QUIESCING, STOPPING
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.put import put
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import attach, detach
from ternmq.telemetry.pcf.measurement_messages import accounting_messages, statistics_messages
from ternmq.telemetry.snapshot import PCF, Destination, StatisticsInterval, TaskRecord

STATISTICS_QUEUE: Final = "SYSTEM.ADMIN.STATISTICS.QUEUE"
ACCOUNTING_QUEUE: Final = "SYSTEM.ADMIN.ACCOUNTING.QUEUE"
LOSES: Final = "AMQ7993E"  # queue, why
RESUMED: Final = "AMQ7994I"  # queue, messages lost


class QueueLosses:
    """What one of the two queues did not take."""

    def __init__(self) -> None:
        self.put = 0
        self.lost = 0
        self.why = ""  # of the loss that goes on
        self.before = 0  # lost before it began


class MessageDestination(Destination):
    """Puts what the queue manager counted as PCF messages."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._link = Link(0, b"", "", shell.engine.kernel.name)
        self.queues = {STATISTICS_QUEUE: QueueLosses(), ACCOUNTING_QUEUE: QueueLosses()}

    def takes(self, family: str) -> bool:
        """Those of STATINT and ACCTINT."""
        return family == PCF

    def statistics(self, interval: StatisticsInterval) -> None:
        """164, 165 and 166."""
        for message in statistics_messages(interval):
            self._put(STATISTICS_QUEUE, message)

    def task(self, record: TaskRecord) -> None:
        """167 and 168."""
        for message in accounting_messages(record):
            self._put(ACCOUNTING_QUEUE, message)

    def _put(self, queue_name: str, message: PCFMessage) -> None:
        shell = self._shell
        counted = self.queues[queue_name]
        with shell.lock:
            notices = shell.engine.kernel.notices
            try:
                self._attempt(queue_name, message)
            except MQError as refused:
                counted.lost += 1
                if not counted.why:
                    counted.before = counted.lost - 1
                    notices.add(LOSES, (queue_name, str(refused)))
                counted.why = str(refused)
            else:
                counted.put += 1
                if counted.why:
                    counted.why = ""
                    notices.add(RESUMED, (queue_name, counted.lost - counted.before))
            shell.settle()

    def _attempt(self, queue_name: str, message: PCFMessage) -> None:
        """With the lock, which is let go while the queue is loaded."""
        kernel = self._shell.engine.kernel
        ccsid = kernel.number("ccsid")
        data = message.pack(LITTLE, ccsid)
        local = self._loaded(queue_name)
        handle = Handle(self._link, 0, mq.MQOO_OUTPUT)
        attach(handle, local, [])
        # The last messages report the end, when applications may put no more. No other thread sees
        # this status: the lock is held all the while.
        was_stopping = kernel.status == STOPPING
        if was_stopping:
            kernel.status = QUIESCING
        try:
            entry = put(kernel, self._link, handle, self._request(ccsid), data)
        finally:
            if was_stopping and kernel.status == QUIESCING:
                kernel.status = STOPPING
            detach(handle)
        if entry is None:
            self._link.park = None
            detail = "the log or the disk has no room now"
            raise mq_error(MQRC_RESOURCE_PROBLEM, object=queue_name, detail=detail)

    def _loaded(self, queue_name: str) -> LocalQueue:
        kernel = self._shell.engine.kernel
        while True:
            definition = kernel.catalog.definitions.get(queue_name)
            if definition is None or definition.object_type != LOCAL:
                detail = "it is not a local queue"
                raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, object=queue_name, detail=detail)
            self._link.begin_verb()
            local = kernel.local_queue(self._link, definition)
            if local is not None:
                return local
            self._shell.wait_for_park(self._link)

    def _request(self, ccsid: int) -> PutRequest:
        name = self._shell.engine.kernel.name
        descriptor = Descriptor(
            format=mq.MQFMT_ADMIN,
            ccsid=ccsid,
            encoding=mq.MQENC_NATIVE,
            reply_to_qmgr=name,
            put_appl_type=mq.MQAT_QMGR,
            put_appl_name=name[: mq.MQ_PUT_APPL_NAME_LENGTH],
        )
        return PutRequest(0, descriptor.pack(), False)
