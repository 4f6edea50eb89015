"""One connection's verbs, blocking: the checks of `mqi`, the shell's lock, and whose turn it is.

The public classes stand on this; so will the language bindings. A connection is used by one thread
at a time, and a unit of work belongs to the thread that began it: anything else is
MQRC_CALL_IN_PROGRESS.
"""

from __future__ import annotations

import threading
from typing import final

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import IntegrityError, MQError, mq_error
from ternmq.base.reasons import (
    MQRC_CALL_IN_PROGRESS,
    MQRC_HCONN_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_LOCKED,
    MQRC_NOT_OPEN_FOR_INQUIRE,
    MQRC_NOT_OPEN_FOR_SET,
    MQRC_OBJECT_DAMAGED,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.client.message import Message
from ternmq.client.shell import Shell
from ternmq.codec.mqgmo import GetOptions
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqod import ObjectDescriptor
from ternmq.codec.mqpmo import PutOptions
from ternmq.kernel import two_phase
from ternmq.kernel.browse import unlock
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.ending import back_out, commit, disconnect, refuse_if_backed_out
from ternmq.kernel.inquire import inquire_one, set_attributes
from ternmq.kernel.requests import GetCall, GetRequest, PutRequest
from ternmq.kernel.resolve import close, open_queue, open_queue_manager
from ternmq.mqi.getting import check_open_for, get_request
from ternmq.mqi.options import check_close, check_open
from ternmq.mqi.putting import check_open_for_output, put_request
from ternmq.store.entry import Entry
from ternmq.txn.unit import XID


@final
class Verbs:
    """The MQI of one connection to an embedded queue manager."""

    def __init__(self, shell: Shell, user: str, application: str) -> None:
        self.shell = shell
        self.engine = shell.engine
        self._busy = False
        self._owner: int = 0
        with shell.lock:
            self.link: Link = shell.engine.connect(user, application)

    # ---- whose turn
    # ------------------------------------------------------------------------------------

    def begin(self, verb: str) -> None:
        """Claim the connection for a verb."""
        link = self.link
        if self._busy:
            raise mq_error(MQRC_CALL_IN_PROGRESS, verb=verb)
        if not link.connected:
            raise mq_error(MQRC_HCONN_ERROR, verb=verb, object=self.engine.name)
        unit = link.unit
        if unit is not None:
            if self._owner != threading.get_ident():
                if unit.changes:
                    raise mq_error(
                        MQRC_CALL_IN_PROGRESS, verb=verb, detail="another thread's unit of work"
                    )
                self._owner = threading.get_ident()
            if unit.backed_out_by:
                refuse_if_backed_out(link, verb)
        else:
            self._owner = threading.get_ident()
        self._busy = True

    def end(self) -> None:
        """Give the connection back."""
        self._busy = False

    def handle(self, handle_id: int, verb: str) -> Handle:
        """An open handle of this connection."""
        handle = self.link.handles.get(handle_id)
        if handle is None:
            raise mq_error(MQRC_HOBJ_ERROR, verb=verb, detail=f"handle {handle_id}")
        return handle

    # ---- objects
    # ---------------------------------------------------------------------------------------

    def open(self, od: ObjectDescriptor, options: int) -> Handle:
        """MQOPEN."""
        self.begin("MQOPEN")
        try:
            return self._open(od, options, "MQOPEN")
        finally:
            self.end()

    def _open(self, od: ObjectDescriptor, options: int, verb: str) -> Handle:
        shell = self.shell
        kernel = self.engine.kernel
        if od.object_type == mq.MQOT_Q_MGR:
            if options & ~(mq.MQOO_INQUIRE | mq.MQOO_FAIL_IF_QUIESCING):
                raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb=verb, object=kernel.name)
        elif od.object_type != mq.MQOT_Q:
            raise mq_error(MQRC_OBJECT_TYPE_ERROR, verb=verb, detail=f"type {od.object_type}")
        else:
            check_open(options)
        shell.lock.acquire()
        try:
            kernel.refuse_if_ending(options & mq.MQOO_FAIL_IF_QUIESCING != 0, verb)
            if od.object_type == mq.MQOT_Q_MGR:
                self.link.begin_verb()
                handle = open_queue_manager(kernel, self.link, options)
            else:
                handle = self._open_queue(od, options, verb)
        except IntegrityError as failure:
            error = shell.break_down(failure, verb)
            shell.lock.release()
            raise error from failure
        except MQError:
            shell.lock.release()
            raise
        shell.finish_verb(self.link)
        return handle

    def _open_queue(self, od: ObjectDescriptor, options: int, verb: str) -> Handle:
        kernel = self.engine.kernel
        while True:
            handle = open_queue(
                kernel,
                self.link,
                od.object_name,
                od.object_qmgr_name,
                od.dynamic_queue_name,
                options,
                verb,
            )
            if handle is not None:
                return handle
            self.shell.wait_for_park(self.link)
            definition = kernel.catalog.definitions.get(od.object_name)
            if definition is not None and definition.object_id in kernel.catalog.damaged:
                raise mq_error(
                    MQRC_OBJECT_DAMAGED,
                    verb=verb,
                    object=od.object_name,
                    detail=kernel.catalog.damaged[definition.object_id],
                )

    def close(self, handle: Handle, options: int = 0) -> None:
        """MQCLOSE."""
        check_close(options)
        self.begin("MQCLOSE")
        try:
            self._locked_close(handle, options)
        finally:
            self.end()

    def _locked_close(self, handle: Handle, options: int) -> None:
        shell = self.shell
        shell.lock.acquire()
        try:
            close(self.engine.kernel, handle, options)
        except MQError:
            shell.lock.release()
            raise
        shell.finish_verb(self.link)

    def inquire(self, handle: Handle, selectors: list[int]) -> list[Value]:
        """MQINQ: the values in the order of the selectors."""
        self.begin("MQINQ")
        try:
            if not handle.options & mq.MQOO_INQUIRE:
                raise mq_error(MQRC_NOT_OPEN_FOR_INQUIRE, verb="MQINQ", object=handle.resolved_name)
            shell = self.shell
            shell.lock.acquire()
            self.link.begin_verb()
            try:
                values = [inquire_one(self.engine.kernel, handle, one) for one in selectors]
            except MQError:
                shell.lock.release()
                raise
            shell.finish_verb(self.link)
            return values
        finally:
            self.end()

    def set(self, handle: Handle, values: dict[int, Value]) -> None:
        """MQSET."""
        self.begin("MQSET")
        try:
            if not handle.options & mq.MQOO_SET:
                raise mq_error(MQRC_NOT_OPEN_FOR_SET, verb="MQSET", object=handle.resolved_name)
            shell = self.shell
            shell.lock.acquire()
            self.link.begin_verb()
            try:
                set_attributes(self.engine.kernel, handle, values)
            except MQError:
                shell.lock.release()
                raise
            shell.finish_verb(self.link)
        finally:
            self.end()

    # ---- messages
    # --------------------------------------------------------------------------------------

    def request_put(self, md: Descriptor, pmo: PutOptions, verb: str = "MQPUT") -> PutRequest:
        """Check descriptor and options once; the result may be used for any number of puts."""
        return put_request(self.engine.kernel, self.link, md, pmo, verb)

    def put(self, handle: Handle, request: PutRequest, data: bytes) -> Entry:
        """MQPUT with a checked request."""
        self.begin("MQPUT")
        try:
            check_open_for_output(handle, int(request.options), "MQPUT")
            return self.shell.put(self.link, handle, request, data)
        finally:
            self._busy = False

    def put1(self, od: ObjectDescriptor, request: PutRequest, data: bytes) -> Entry:
        """MQPUT1: open, put, close."""
        self.begin("MQPUT1")
        try:
            options = mq.MQOO_OUTPUT
            handle = self._open(od, options, "MQPUT1")
            try:
                return self.shell.put(self.link, handle, request, data)
            finally:
                self._locked_close(handle, 0)
        finally:
            self.end()

    def get(self, handle: Handle, request: GetRequest) -> GetCall:
        """MQGET with a checked request; the call holds the message, or the reason there is none."""
        self.begin("MQGET")
        try:
            check_open_for(handle, int(request.options))
            if request.options & mq.MQGMO_UNLOCK:
                return self._unlock(handle, request)
            return self.shell.get(self.link, handle, request)
        finally:
            self._busy = False

    def _unlock(self, handle: Handle, request: GetRequest) -> GetCall:
        call = GetCall(self.link, handle, request)
        with self.shell.lock:
            if not unlock(handle):
                call.reason = MQRC_NO_MSG_LOCKED
        return call

    def explain(self, call: GetCall) -> Message:
        """The cut message of a warning, or the error that says why there is none."""
        entry = call.entry
        name = call.handle.resolved_name
        if entry is None:
            raise mq_error(int(call.reason), verb="MQGET", object=name)
        limit = call.request.buffer_length
        cut = Message(entry, entry.data[:limit], True, self.engine.clock.now_ns())
        if call.reason == MQRC_TRUNCATED_MSG_FAILED:
            raise mq_error(
                MQRC_TRUNCATED_MSG_FAILED,
                verb="MQGET",
                object=name,
                detail=f"{entry.length} bytes, the buffer has {limit}",
                result=cut,
            )
        return cut

    # ---- units of work
    # -----------------------------------------------------------------------------------

    def start_unit(self) -> None:
        """MQBEGIN: a unit of work that the queue manager coordinates; here, always with itself
        alone."""
        self.begin("MQBEGIN")
        try:
            unit = self.link.unit
            if unit is not None and unit.changes:
                raise mq_error(MQRC_UOW_IN_PROGRESS, verb="MQBEGIN")
        finally:
            self.end()

    def commit(self) -> None:
        """MQCMIT."""
        self.begin("MQCMIT")
        try:
            shell = self.shell
            shell.lock.acquire()
            try:
                commit(self.engine.kernel, self.link)
            except MQError:
                shell.lock.release()
                raise
            except IntegrityError as failure:
                error = shell.break_down(failure, "MQCMIT")
                shell.lock.release()
                raise error from failure
            shell.finish_verb(self.link)
        finally:
            self.end()

    def back_out(self) -> None:
        """MQBACK."""
        if self._busy:
            raise mq_error(MQRC_CALL_IN_PROGRESS, verb="MQBACK")
        self._busy = True
        try:
            shell = self.shell
            more = True
            while more:
                shell.lock.acquire()
                back_out(self.engine.kernel, self.link)
                more = self.link.again
                shell.finish_verb(self.link)
        finally:
            self.end()

    # ---- two-phase commit
    # --------------------------------------------------------------------------------

    def prepare(self, xid: XID) -> bool:
        """Prepare the unit of work under an XID; False if it changed nothing."""
        self.begin("prepare")
        try:
            shell = self.shell
            shell.lock.acquire()
            try:
                prepared = two_phase.prepare(self.engine.kernel, self.link, xid)
            except (MQError, ValueError):
                shell.lock.release()
                raise
            shell.finish_verb(self.link)
            return prepared
        finally:
            self.end()

    def end_prepared(self, xid: XID, commit: bool, heuristic: bool) -> None:
        """Commit or back out a prepared unit; `heuristic` if an operator decides."""
        shell = self.shell
        kernel = self.engine.kernel
        link = self.link
        shell.lock.acquire()
        try:
            if heuristic:
                two_phase.note_heuristic(kernel, link, xid, commit)
            if commit:
                two_phase.commit_prepared(kernel, link, xid)
            else:
                unit = two_phase.back_out_prepared(kernel, link, xid)
                while link.again:
                    shell.lock.release()
                    shell.lock.acquire()
                    two_phase.go_on_backing_out(kernel, link, unit)
        except MQError:
            shell.lock.release()
            raise
        shell.finish_verb(link)

    def recover(self) -> list[XID]:
        """What is in doubt."""
        with self.shell.lock:
            return two_phase.recover(self.engine.kernel)

    def forget(self, xid: XID) -> None:
        """Drop the memory of a heuristic outcome."""
        shell = self.shell
        shell.lock.acquire()
        try:
            two_phase.forget(self.engine.kernel, self.link, xid)
        except MQError:
            shell.lock.release()
            raise
        shell.finish_verb(self.link)

    def disconnect(self, vanished: bool = False) -> None:
        """MQDISC; commits unless the application has vanished."""
        if not self.link.connected:
            return
        shell = self.shell
        more = True
        while more:
            shell.lock.acquire()
            disconnect(self.engine.kernel, self.link, vanished)
            more = self.link.again
            shell.finish_verb(self.link)


def request_get(md: Descriptor, gmo: GetOptions, buffer_length: int) -> GetRequest:
    """Check match fields and options once; the result may be used for any number of gets."""
    return get_request(md, gmo, buffer_length)
