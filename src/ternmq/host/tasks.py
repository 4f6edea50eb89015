"""The transport of tasks to a queue manager in this process: as `threads`, but nothing in the loop
waits. What a verb waits for, and what a cancelled one leaves behind, is in `task_session`."""

from __future__ import annotations

import asyncio
from typing import final

from ternmq.api.dropped import warn_dropped
from ternmq.api.waiting_tasks import task_of_verb
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.host.connection_session import not_of_this_process
from ternmq.host.loop_shell import VERBS_WITHOUT_PAUSE, LoopShell
from ternmq.host.task_session import TaskSession
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.ending import backed_out
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.mqi.getting import check_open_for
from ternmq.mqi.got import get_verb, message_of
from ternmq.mqi.options import refuse
from ternmq.mqi.putting import check_open_for_output
from ternmq.mqi.sharing import BLOCK, BY_UNIT, sharing
from ternmq.mqi.steps.lists import OpenList
from ternmq.mqi.steps.objects import Open
from ternmq.mqi.steps.step import Step
from ternmq.mqi.steps.table import ASIDE, BESIDE_UNIT, IN_UNIT, STEPS, step_of
from ternmq.values.calls.call import UNIT_ENDS, UNIT_LEAVES, Call
from ternmq.values.calls.units import Disconnect
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm, foreign_form
from ternmq.values.transport import TaskTransport


@final
class LoopTransport(TaskTransport):
    """A queue manager in this process, for the tasks of one loop."""

    def __init__(
        self, loop_shell: LoopShell, user: str, application: str, share: int = BY_UNIT
    ) -> None:
        super().__init__()
        self.session = TaskSession(loop_shell, user, application, share)
        self.link = self.session.link
        self.keeps_entry = False  # `entry` is wanted
        self.entry: Entry | None = None  # the message that was put last

    # ---- the connection

    @property
    def in_unit(self) -> bool:
        return self.session.in_unit

    @property
    def qmgr_name(self) -> str:
        return self.session.engine.name

    @property
    def user(self) -> str:
        return self.link.user

    @property
    def connection_id(self) -> bytes:
        return self.link.tag

    @property
    def is_alive(self) -> bool:
        return self.link.connected

    @property
    def has_unit(self) -> bool:
        return self.session.in_unit or self.session.has_changes

    def has_handle(self, handle: ObjectHandle) -> bool:
        return self.link.connected and self.link.handles.get(handle.handle_id) is handle

    def consume_by(self, caller: int) -> None:
        self.session.consume_by(caller)

    def release(self) -> None:
        self.session.release()

    def put_form(self, md: Descriptor, options: int, verb: str) -> PutForm:
        return self.session.request_put(md, PutOptions(options=options), verb)

    async def pause(self) -> None:
        await self.session.loop_shell.pause()

    # ---- messages

    async def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        if not isinstance(handle, Handle):
            raise not_of_this_process(handle, "MQPUT")
        if not isinstance(form, PutRequest):
            raise foreign_form("MQPUT")
        session = self.session
        if session.loop_shell.verbs >= VERBS_WITHOUT_PAUSE:
            await session.loop_shell.pause()
        session.begin_task("MQPUT")
        try:
            check_open_for_output(handle, int(form.options), "MQPUT")
            entry = session.shell.try_put(self.link, handle, form, data)
            if entry is None:
                entry = await session.put_after_park(handle, form, data)
            forced = session.forced(self.link.durable_at)
            if forced is not None:
                await forced
            if self.keeps_entry:
                self.entry = entry
            return entry.msg_id
        except MQError as refused:
            session.refuse("MQPUT", handle, refused.reason)
            raise
        finally:
            session.end_task()

    async def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        if not isinstance(handle, Handle):
            raise not_of_this_process(handle, "MQGET")
        session = self.session
        if session.loop_shell.verbs >= VERBS_WITHOUT_PAUSE:
            await session.loop_shell.pause()
        session.begin_task("MQGET")
        try:
            check_open_for(handle, int(request.options))
            if request.options & mq.MQGMO_UNLOCK:
                return message_of(session.engine.clock, session.unlocked(handle, request))
            call = session.attempt_get(handle, request, None, None)
            if session.must_wait(call):
                await session.finish_get(call)
            session.answered(call)
        except MQError as refused:
            session.refuse(get_verb(request), handle, refused.reason)
            raise
        finally:
            session.end_task()
        return message_of(session.engine.clock, call)

    async def get_returnable(self, handle: Handle, request: GetRequest) -> GetCall:
        """MQGET for a remote caller: the caller ends it with the session's `answered`, once its
        answer counts, or with `take_back`."""
        session = self.session
        session.begin_task("MQGET")
        try:
            check_open_for(handle, int(request.options))
            if request.options & mq.MQGMO_UNLOCK:
                return session.unlocked(handle, request)
            call = session.attempt_get(handle, request, None, None)
            if session.must_wait(call):
                await session.finish_get(call)
            return call
        except MQError as refused:
            session.refuse(get_verb(request), handle, refused.reason)
            raise
        finally:
            session.end_task()

    # ---- calls

    async def run(self, call: Call) -> None:
        await self.run_step(call, step_of(call))

    async def run_step(self, call: Call, step: Step) -> None:
        """A call by its step."""
        turn = STEPS[call.name].turn
        if turn == ASIDE:
            await self._run_aside(call, step)
        elif isinstance(call, Disconnect):
            await self._disconnect(call, step)
        elif call.unit == UNIT_ENDS and turn == BESIDE_UNIT and not self.link.connected:
            self.session.before(call)  # its unit of work is gone with the connection
        else:
            await self._run_in_turn(call, step, turn)

    async def _run_in_turn(self, call: Call, step: Step, turn: int) -> None:
        session = self.session
        if turn == IN_UNIT:
            session.begin_task(step.verb)
        else:
            session.claim_task(step.verb)
        try:
            session.before(call)
            await session.run_step(self.link, step)
            if call.wait_s > 0 and call.lacks():
                await self._wait(self.link, call, step)
            session.after(call)
            if step.got is not None:
                session.answered(step.got)
        except asyncio.CancelledError as cancelled:  # it is done all the same, but for a get
            if call.unit == UNIT_LEAVES:
                session.after(call)
            if isinstance(step, (Open, OpenList)):
                session.unopen(step.handle)
            session.give_up(step, cancelled)
            raise
        except BaseException as failure:
            session.give_up(step, failure)
            raise
        finally:
            session.end_task()
        call.check_answer()

    async def _run_aside(self, call: Call, step: Step) -> None:
        link = self.session.aside(id(task_of_verb(asyncio.current_task())), step.verb)
        try:
            await self.session.run_step(link, step)
            if call.wait_s > 0 and call.lacks():
                await self._wait(link, call, step)
        except MQError as refused:
            self.session.refuse(step.verb, step.subject, refused.reason)
            raise

    async def _wait(self, link: Link, call: Call, step: Step) -> None:
        """A call that has found nothing waits for more."""
        session = self.session
        loop = session.loop_shell.loop
        deadline_s = loop.time() + call.wait_s
        while call.lacks() and await session.await_more(link, step, deadline_s - loop.time()):
            await session.run_step(link, step)

    # ---- the end

    async def end(self, vanished: bool) -> None:
        call = Disconnect(vanished)
        await self._disconnect(call, step_of(call))

    async def _disconnect(self, call: Disconnect, step: Step) -> None:
        if not self.link.connected:
            return
        session = self.session
        if not call.vanished:
            session.check_turn(id(task_of_verb(asyncio.current_task())), "MQDISC")
        session.before(call)
        await session.run_step(self.link, step)
        if call.backed_out_by and not call.vanished:
            raise backed_out("MQDISC", call.backed_out_by)

    @property
    def busy(self) -> bool:
        """A verb is under way."""
        return self.session.busy

    def __del__(self) -> None:
        # Inside the collector: no lock may be touched here. Queues hold the transport, too.
        link: Link | None = getattr(self, "link", None)  # missing if the connection was refused
        if link is not None and link.connected:
            self.session.shell.dropped.append(link)
            if self.warns:
                warn_dropped(self.qmgr_name, link.unit is not None)


def task_transport(
    loop_shell: LoopShell, user: str, application: str, options: int | None
) -> LoopTransport:
    """The transport of a connection with these MQCNO options, which are checked."""
    share = sharing(options)
    if share == BLOCK:
        refuse("MQCONNX", "a task does not wait for another's verb: MQCNO_HANDLE_SHARE_BLOCK")
    transport = LoopTransport(loop_shell, user, application, share)
    if options is not None:
        transport.link.connect_options = options
    return transport
