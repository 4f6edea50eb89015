"""A transport whose verbs are those of a binding under test, so that tests written for our API run
through pymqi, ibmmq and IBM's Java client.

What these have no call for, definitions and commands, goes by a connection of ours beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ternmq
from ternmq.api.handles import READING
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.errors import MQError, mq_error
from ternmq.base.ids import message_token
from ternmq.codec.mqi.list_records import Destination
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import GROUP_ID_AT, Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.remote.fap.open_call import first_options, is_elsewhere, not_applicable
from ternmq.values.calls.administration import InquirePuts
from ternmq.values.calls.call import Call
from ternmq.values.calls.lists import ListPutCall, OpenList, Put1List, PutList
from ternmq.values.calls.messages import Get, Put, Put1, PutDeferred
from ternmq.values.calls.objects import Close, Inquire, Open, SetAttributes, Widen
from ternmq.values.calls.topics import RequestPublications, Subscribe
from ternmq.values.calls.units import EndPrepared
from ternmq.values.entry import ZERO_ID
from ternmq.values.get_request import UNLIMITED_LENGTH, GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm
from ternmq.values.transport import Transport
from tests.bindings.verbs import GetAsked, Listed, Opened, PutAsked, PutDone, Taken, Verbs, filled

_IN_UNIT = mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT

_USES = READING | mq.MQOO_OUTPUT  # without them an open resolves nothing


class GivenPut(PutForm):
    """Descriptor and options as they were given: the binding checks them."""

    def __init__(self, asked: PutAsked) -> None:
        super().__init__(asked.options)
        self.asked = asked
        self.level = asked.level

    def with_properties(self, area: bytes) -> PutForm:
        return GivenPut(self.asked._replace(area=area))

    def with_ids(self, msg_id: bytes, correl_id: bytes) -> PutForm:
        md = self.asked.descriptor.copy()
        md.msg_id, md.correl_id = msg_id, correl_id
        return GivenPut(self.asked._replace(descriptor=md))

    def with_level(self, level: int) -> PutForm:
        return GivenPut(self.asked._replace(level=level))


class BindingTransport(Transport):
    """The verbs of one connection of the binding."""

    def __init__(self, verbs: Verbs, beside: Callable[[], ternmq.Connection]) -> None:
        super().__init__()
        self.verbs = verbs
        self.handles: dict[int, ObjectHandle] = {}
        self._objects: dict[int, tuple[ObjectDescriptor, str]] = {}
        self._beside = beside
        self._aide: ternmq.Connection | None = None
        self._alive = True
        self._in_unit = False
        self._has_changes = False
        self._rows: dict[type[Call], Callable[[Any], None]] = {
            Open: self._open,
            Widen: self._widen,
            Close: self._close,
            Put: self._put,
            Put1: self._put1,
            PutDeferred: self._put_deferred,
            InquirePuts: self._status,
            EndPrepared: self._end_prepared,
            Get: self._get,
            Inquire: self._inquire,
            SetAttributes: self._set,
            Subscribe: self._subscribe,
            RequestPublications: self._request_publications,
            OpenList: self._open_list,
            PutList: self._put_list,
            Put1List: self._put1_list,
        }

    # ---- what is known of it

    @property
    def in_unit(self) -> bool:
        return self._in_unit

    @property
    def qmgr_name(self) -> str:
        return self.verbs.name

    @property
    def connection_id(self) -> bytes:
        return self.verbs.connection_id

    @property
    def is_alive(self) -> bool:
        return self._alive

    @property
    def has_unit(self) -> bool:
        return self._in_unit or self._has_changes

    def has_handle(self, handle: ObjectHandle) -> bool:
        return self._alive and self.handles.get(handle.handle_id) is handle

    def put_form(self, md: Descriptor, options: int, verb: str) -> PutForm:
        return GivenPut(PutAsked(md.copy(), options))

    def given_put(self, md: Descriptor, pmo: PutOptions) -> PutForm:
        """One that names a handle in its Context."""
        return GivenPut(PutAsked(md.copy(), pmo.options, context=pmo.context))

    # ---- units of work and the end

    def begin(self) -> None:
        self._in_unit = True

    def commit(self) -> None:
        self._in_unit = self._has_changes = False
        self.verbs.commit()

    def back_out(self) -> None:
        self._in_unit = self._has_changes = False
        self.verbs.back_out()

    def end(self, vanished: bool) -> None:
        if not self._alive:
            return
        try:
            if vanished and self.has_unit:
                self.back_out()
            self.verbs.disconnect()
        finally:
            self._alive = False
            if self._aide is not None:
                self._aide.disconnect()

    # ---- verbs

    def run(self, call: Call) -> None:
        row = self._rows.get(type(call))
        if row is not None:
            row(call)
        elif call.name in ("begin", "commit", "back_out"):
            getattr(self, call.name)()
        elif call.subject() is not None:
            raise NotImplementedError(f"the binding under test has no {call.name}")
        else:
            self._run_beside(call)

    def _run_beside(self, call: Call) -> None:
        if self._aide is None:
            self._aide = self._beside()
        self._aide.run(call)

    def _number(self, handle: ObjectHandle, verb: str) -> int:
        if not self._alive:
            raise mq_error(rc.MQRC_HCONN_ERROR, verb=verb)
        if self.handles.get(handle.handle_id) is not handle:
            raise mq_error(rc.MQRC_HOBJ_ERROR, verb=verb, object=handle.resolved_name)
        return handle.handle_id

    def _kept(self, number: int, options: int, name: str) -> ObjectHandle:
        handle = ObjectHandle(number, options)
        handle.resolved_name = name
        self.handles[number] = handle
        return handle

    def _open(self, call: Open) -> None:
        options = call.options
        if call.as_needed:
            options = first_options(options, call.exclusive)
        od = call.od
        try:
            opened = self.verbs.open(od, options, call.object_string, call.selector)
        except MQError as error:
            if not is_elsewhere(call, error.reason):
                raise
            options = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
            opened = self.verbs.open(od, options, call.object_string, call.selector)
        name = opened.resolved_name or opened.object_name
        handle = self._kept(opened.number, options, name)
        self._remember(handle, od, opened, call.selector)
        filled(
            call,
            handle=handle,
            resolved_name=opened.resolved_name if options & _USES else name,
            resolved_qmgr=opened.resolved_qmgr,
            target_name=name,
            target_qmgr=opened.resolved_qmgr,
            renamed=opened.object_name != od.object_name,
            resolved_string=opened.resolved_string,
        )

    def _remember(
        self, handle: ObjectHandle, od: ObjectDescriptor, opened: Opened, selector: str
    ) -> None:
        named = ObjectDescriptor(
            object_name=opened.object_name, object_qmgr_name=od.object_qmgr_name
        )
        self._objects[handle.handle_id] = (named, selector)

    def _widen(self, call: Widen) -> None:
        """There is no such verb: another handle is opened, as at a queue manager of IBM's."""
        od, _ = self._objects[self._number(call.handle, "MQOPEN")]
        other = Open(od.copy(), call.options)
        self._open(other)
        call.handle = other.opened()

    def _close(self, call: Close) -> None:
        number = self._number(call.handle, "MQCLOSE")
        call.warning = self.verbs.close(number, call.options)
        self.handles.pop(number)
        self._objects.pop(number, None)

    def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        call = Put(handle, form, data)
        self._put(call)
        return call.msg_id

    def _put(self, call: Put) -> None:
        assert isinstance(call.form, GivenPut)
        number = self._number(call.handle, "MQPUT")
        self._was_put(call, self.verbs.put(number, call.form.asked, call.data))

    def _put1(self, call: Put1) -> None:
        assert isinstance(call.form, GivenPut)
        asked = call.form.asked
        self._was_put(call, self.verbs.put1(call.od, call.object_string, asked, call.data))

    def _put_deferred(self, call: PutDeferred) -> None:
        assert isinstance(call.form, GivenPut)
        number = self._number(call.handle, "MQPUT")
        done = self.verbs.put_later(number, call.form.asked, call.data, call.delay_ms)
        self._was_put(call, done)

    def _end_prepared(self, call: EndPrepared) -> None:
        """By the binding, where it prepares units of work, too."""
        if self.verbs.has_branches:
            self.verbs.end_branch(call.xid, call.commit)
        else:
            self._run_beside(call)

    def _status(self, call: InquirePuts) -> None:
        call.found = self.verbs.status()

    def _was_put(self, call: Put | Put1 | PutDeferred, done: PutDone) -> None:
        packed = _whole(done.descriptor).pack()
        filled(
            call,
            msg_id=done.descriptor.msg_id,
            warning=done.warning,
            place=packed[GROUP_ID_AT:],
        )
        if call.form.options & mq.MQPMO_SYNCPOINT:
            self._has_changes = True

    def _get(self, call: Get) -> None:
        call.message = self.get(call.handle, call.request)

    def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        number = self._number(handle, "MQGET")
        try:
            taken = self.verbs.get(number, asked_of(request))
        except MQError as error:
            if error.reason == rc.MQRC_NO_MSG_AVAILABLE:
                return None
            if isinstance(error.result, Taken):  # it stays on its queue
                error.result = message_of(error.result, True)
            raise
        if request.options & mq.MQGMO_UNLOCK:
            return None
        if request.options & _IN_UNIT:
            self._has_changes = True
        return message_of(taken, taken.reason == rc.MQRC_TRUNCATED_MSG_ACCEPTED)

    def _inquire(self, call: Inquire) -> None:
        number = self._number(call.handle, "MQINQ")
        call.values, warning = self.verbs.inquire(number, call.selectors)
        if warning == rc.MQRC_SELECTOR_NOT_FOR_TYPE:
            call.inapplicable = not_applicable(call.selectors, call.values)

    def _set(self, call: SetAttributes) -> None:
        self.verbs.set(self._number(call.handle, "MQSET"), call.values)

    # ---- topics

    def _subscribe(self, call: Subscribe) -> None:
        queue, subscription, call.warning = self.verbs.subscribe(call)
        known = self.handles.get(queue)
        call.queue = known or self._kept(queue, mq.MQOO_INPUT_AS_Q_DEF, "")
        call.subscription = self._kept(subscription, 0, call.sub_name)
        if known is None:
            values, _ = self.verbs.inquire(queue, [mq.MQCA_Q_NAME])
            call.queue.resolved_name = str(values[0])

    def _request_publications(self, call: RequestPublications) -> None:
        number = self._number(call.handle, "MQSUBRQ")
        call.publications = self.verbs.request_publications(number, call.action, call.options)

    # ---- distribution lists

    def _open_list(self, call: OpenList) -> None:
        listed = self.verbs.open_list(call.od, call.destinations, call.options)
        _note(call, listed)
        if listed.comp != mq.MQCC_FAILED:
            call.handle = self._kept(listed.number, call.options, "")

    def _put_list(self, call: PutList) -> None:
        destinations = [Destination(one.queue, one.qmgr) for one in call.outcomes]
        self._list_put(call, self._number(call.handle, "MQPUT"), destinations)

    def _put1_list(self, call: Put1List) -> None:
        self._list_put(call, call.od, call.destinations)

    def _list_put(
        self, call: ListPutCall, target: int | ObjectDescriptor, destinations: list[Destination]
    ) -> None:
        assert isinstance(call.form, GivenPut)
        asked = call.form.asked
        listed = self.verbs.put_list(
            target, destinations, asked, call.data, call.fields, call.records
        )
        _note(call, listed)
        if asked.options & mq.MQPMO_SYNCPOINT:
            self._has_changes = True


def _note(call: OpenList | ListPutCall, listed: Listed) -> None:
    for outcome, (comp, reason) in zip(call.outcomes, listed.outcomes, strict=True):
        outcome.comp, outcome.reason = comp, reason
    for outcome, found in zip(call.outcomes, listed.identifiers, strict=False):
        if outcome.ok:
            filled(outcome, **found)
    call.unknown = listed.unknown


def _whole(md: Descriptor) -> Descriptor:
    """With the fields of version 2, whatever it says of itself."""
    made = md.copy()
    made.version = mq.MQMD_VERSION_2
    return made


def message_of(taken: Taken, cut: bool) -> Message:
    """A message as the API gives it."""
    base = _whole(taken.descriptor).pack()
    message = Message(None, taken.data, cut, 0, base, taken.token, taken.length, taken.area)
    if not cut:
        message.warning = taken.reason
    return message


def asked_of(request: GetRequest) -> GetAsked:
    """MQMD and MQGMO that ask for the same."""
    md = Descriptor(version=mq.MQMD_VERSION_2, ccsid=request.ccsid, encoding=request.encoding)
    gmo = GetOptions(options=int(request.options))
    gmo.version = mq.MQGMO_VERSION_4
    gmo.match_options = 0
    for name, option in _MATCHES:
        value = getattr(request, name)
        if value != ZERO_ID:
            setattr(md, name, value)
            gmo.match_options |= option
    if request.msg_sequence >= 0:
        md.msg_seq_number = int(request.msg_sequence)
        gmo.match_options |= mq.MQMO_MATCH_MSG_SEQ_NUMBER
    if request.msg_offset >= 0:
        md.offset = int(request.msg_offset)
        gmo.match_options |= mq.MQMO_MATCH_OFFSET
    if request.token >= 0:
        gmo.message_token = message_token(
            int(request.token_queue),
            int(request.token_lane),
            int(request.token_sequence),
            int(request.token),
        )
        gmo.match_options |= mq.MQMO_MATCH_MSG_TOKEN
    gmo.wait_interval = int(request.wait_ms)
    length = int(request.buffer_length)
    return GetAsked(md, gmo, None if length == UNLIMITED_LENGTH else length, request.apart)


_MATCHES = (
    ("msg_id", mq.MQMO_MATCH_MSG_ID),
    ("correl_id", mq.MQMO_MATCH_CORREL_ID),
    ("group_id", mq.MQMO_MATCH_GROUP_ID),
)
