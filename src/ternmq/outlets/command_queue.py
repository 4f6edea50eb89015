"""The command server: takes PCF commands from SYSTEM.ADMIN.COMMAND.QUEUE, has them carried out one
after the other, and puts the replies where each request says.

A thread with a connection of its own. A request is got inside syncpoint and committed once its
replies are put, so a persistent one that was under way in a crash is carried out again. A request
without a reply queue is carried out all the same. A reply that cannot be put, and a message that is
not a command and has no reply queue, goes to the dead-letter queue (DEADQ) if there is one.

An internal fault in a command is logged (AMQ6118S), answered with MQRC_UNEXPECTED_ERROR, and the
next request is served, unless the fault has broken the queue manager itself. A request that was got
and backed out so often that it may be what breaks it is answered likewise and not carried out.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Final

from ternmq.admin.pcf.exchange import Exchange, acting_link, reply_descriptor, sender_of
from ternmq.api.connection import Connection
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_HCONN_ERROR,
    MQRC_Q_MGR_QUIESCING,
    MQRC_Q_MGR_STOPPING,
    MQRC_UNEXPECTED_ERROR,
)
from ternmq.codec.charset import UTF8, is_known, is_wide
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.host.shared_threads import thread_transport
from ternmq.host.shell import Companion, Shell
from ternmq.mqi.steps.administration import CarryOut
from ternmq.values.calls.messages import Put1
from ternmq.values.message import Message

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
APPLICATION: Final = "ternmq command server"
JOIN_S: Final = 10.0
TRIES_MAX: Final = 3
OnFault = Callable[[BaseException, str], None]  # what was raised, and while doing what
_ORDERLY: Final = (
    MQRC_HCONN_ERROR,
    MQRC_Q_MGR_QUIESCING,
    MQRC_Q_MGR_STOPPING,
    MQRC_CONNECTION_BROKEN,
)


class CommandServer(Companion):
    """Serves one queue manager until it is ended."""

    def __init__(self, shell: Shell, user: str, on_fault: OnFault | None = None) -> None:
        self._shell = shell
        self._connection = Connection(thread_transport(shell, user, APPLICATION, None))
        self._queue = self._connection.queue(COMMAND_QUEUE)
        self._ending = False
        self.requests = 0  # carried out, well or not
        self.dead = 0  # messages that went to the dead-letter queue
        self.faults = 0  # commands that ended in an internal fault
        self._on_fault = on_fault  # who reports one in full
        self.lost = 0  # replies that could not be put anywhere
        self.ended_by = ""  # why it does not serve any more
        self._worker = threading.Thread(target=self._serve, name="ternmq-commands", daemon=True)
        shell.companions.append(self)
        self._log_status("RUNNING", "AMQ5024I", os.getpid())
        self._worker.start()

    @property
    def is_running(self) -> bool:
        """Whether it serves."""
        return self._worker.is_alive()

    def wait(self, timeout_s: float) -> bool:
        """Wait until it serves no more; False if the time is over first."""
        self._worker.join(timeout_s)
        return not self._worker.is_alive()

    def stop(self) -> None:
        """End it; the request that is under way is finished first, as far as it is committed."""
        self._ending = True
        self._connection.transport.end(True)
        self._worker.join(JOIN_S)
        if self in self._shell.companions:
            self._shell.companions.remove(self)

    def end(self) -> None:
        self._ending = True
        self._worker.join(JOIN_S)

    def _serve(self) -> None:
        try:
            while not self._ending:
                message = self._queue.try_get(wait=-1.0, syncpoint=True)
                if message is not None:
                    self._answer(message)
                    self._commit()
        except MQError as error:  # the queue manager ends, or the queue is taken away or inhibited
            self.ended_by = str(error)
            if not self._ending and error.reason not in _ORDERLY:
                self._log_status("STOPPED", "AMQ8506E", COMMAND_QUEUE, error.reason)
        finally:
            self._log_status("STOPPED", "AMQ5025I", os.getpid())

    def _commit(self) -> None:
        try:
            self._connection.commit()
        except MQError as error:
            if error.reason != MQRC_BACKED_OUT:
                raise
            return  # for room in the log: the request is on the queue again
        self.requests += 1

    def _log_status(self, status: str, message: str, *inserts: str | int) -> None:
        """What DISPLAY QMSTATUS shows as CMDSERV, and a line for the error log."""
        with self._shell.lock:
            kernel = self._shell.engine.kernel
            kernel.environment["CMDSERV"] = status
            kernel.notices.add(message, inserts)

    def _answer(self, message: Message) -> None:
        md = message.descriptor
        exchange = Exchange(md, message.data)
        if md.backout_count >= TRIES_MAX:
            exchange.give_up()
        else:
            try:
                exchange.read()
                with self._shell.lock:
                    link = acting_link(self._shell.engine.kernel, md)
                self._shell.run(link, CarryOut([exchange]))
            except MQError as error:
                if error.reason in _ORDERLY:
                    raise
                self._fault(exchange, error)
            except Exception as fault:
                self._fault(exchange, fault)
        if md.reply_to_queue:
            self._reply(md, exchange)
        elif exchange.malformed:
            reason = exchange.replies.message(0).reason
            self._bury(md, message.data, reason, COMMAND_QUEUE, message.property_area)

    def _fault(self, exchange: Exchange, fault: Exception) -> None:
        """Something in here is wrong, and not the request: the others are served all the same."""
        self.faults += 1
        exchange.give_up()
        self._log_status("RUNNING", "AMQ6118S", f"{type(fault).__name__}: {fault}", "")
        if self._on_fault is not None:
            self._on_fault(fault, f"the command {exchange.number} of user {exchange.md.user_id}")

    def _reply(self, md: Descriptor, exchange: Exchange) -> None:
        kernel = self._shell.engine.kernel
        ccsid = kernel.number("ccsid")
        if is_wide(ccsid) or not is_known(ccsid):
            ccsid = UTF8
        # The reply queue is the user's choice, so it takes the user's authority to put there.
        target = ObjectDescriptor(
            object_name=md.reply_to_queue,
            object_qmgr_name=md.reply_to_qmgr,
            alternate_user_id=sender_of(md),
        )
        for at in range(exchange.replies.count):
            descriptor = reply_descriptor(md, ccsid)
            try:
                data = exchange.replies.packed(at, LITTLE, ccsid)
            except Exception as fault:  # of the answer; what was done is done
                self._fault(exchange, fault)
                self._reply(md, exchange)
                return
            try:
                self._put(target, descriptor, data, mq.MQPMO_ALTERNATE_USER_AUTHORITY)
            except MQError as refused:
                self._log_status("RUNNING", "AMQ8507E", md.reply_to_queue, refused.reason)
                self._bury(descriptor, data, refused.reason, md.reply_to_queue)

    def _put(
        self,
        target: ObjectDescriptor,
        descriptor: Descriptor,
        data: bytes,
        options: int = 0,
        area: bytes = b"",
    ) -> None:
        transport = self._connection.transport
        sync = mq.MQPMO_SYNCPOINT if transport.in_unit else mq.MQPMO_NO_SYNCPOINT
        options |= sync | mq.MQPMO_FAIL_IF_QUIESCING
        form = transport.put_form(descriptor, options, "MQPUT1")
        if area:
            form = form.with_properties(area)
        transport.run(Put1(target, form, data))

    def _bury(
        self, md: Descriptor, data: bytes, reason: int, destination: str, area: bytes = b""
    ) -> None:
        """Put a message, with its properties, on the dead-letter queue, if there is one."""
        name = str(self._shell.engine.kernel.catalog.qmgr.get("dead_letter_queue", ""))
        header = DeadLetterHeader(
            reason=reason or MQRC_UNEXPECTED_ERROR,
            destination_queue=destination,
            destination_qmgr=self._shell.engine.name,
            encoding=md.encoding,
            ccsid=md.ccsid,
            format=md.format,
            put_appl_type=mq.MQAT_QMGR,
            put_appl_name=APPLICATION,
        )
        copy = md.copy()
        copy.format = mq.MQFMT_DEAD_LETTER_HEADER
        copy.encoding = mq.MQENC_NATIVE
        copy.ccsid = UTF8
        try:
            if name:
                self._put(ObjectDescriptor(object_name=name), copy, header.pack() + data, 0, area)
                self.dead += 1
            else:
                self.lost += 1
        except MQError:
            self.lost += 1
