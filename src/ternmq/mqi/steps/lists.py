"""MQOPEN, MQPUT and MQPUT1 of distribution lists as steps."""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_HOBJ_ERROR, MQRC_RECS_PRESENT_ERROR
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.list_open import ListOpening, close_members, list_handle
from ternmq.kernel.list_put import ListPut
from ternmq.kernel.requests import PutRequest
from ternmq.mqi.lists import check_list, check_put_records
from ternmq.mqi.put_data import without_headers
from ternmq.mqi.putting import check_open_for_output, put1_open_options
from ternmq.mqi.steps.messages import put_request
from ternmq.mqi.steps.step import Step
from ternmq.values.calls import lists as calls
from ternmq.values.distribution import Outcome


def _parts_of(call: calls.ListPutCall) -> tuple[PutRequest, bytes] | None:
    """Request and body of a put whose data may begin with properties; None for any other."""
    form = call.form
    if isinstance(form, PutRequest) and form.splits:
        return without_headers(form, call.data)
    return None


@final
class OpenList(Step):
    """MQOPEN of a list; `handle` is set if a destination was opened."""

    def __init__(self, call: calls.OpenList) -> None:
        super().__init__(call.verb)
        self.call = call
        self.handle: Handle | None = None
        self._opening: ListOpening | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        opening = self._opening
        if opening is None:
            check_list(call.od, call.options, self.verb)
            kernel.refuse_if_ending(call.options & mq.MQOO_FAIL_IF_QUIESCING != 0, self.verb)
            link.begin_verb()
            user = call.od.alternate_user_id
            opening = ListOpening(call.destinations, call.options, self.verb, user, call.outcomes)
            self._opening = opening
        if not opening.advance(kernel, link):
            return False
        if any(one is not None for one in opening.members):
            self.handle = list_handle(link, call.options, opening.members)
            call.handle = self.handle
            call.unknown = remotes(call.outcomes, opening.members)
        return True


@final
class PutList(Step):
    """MQPUT to a list."""

    def __init__(self, call: calls.PutList) -> None:
        super().__init__(call.verb)
        self.call = call
        self._parts = _parts_of(call)
        self._put: ListPut | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        putting = self._put
        if putting is None:
            handle = self.about(link, call.handle)
            check_open_for_output(handle, int(call.form.options), self.verb)
            request, data = self._parts or (put_request(call.form, self.verb), call.data)
            members = members_of(handle, self.verb)
            if len(call.outcomes) != len(members):
                detail = f"{len(call.outcomes)} destinations, the list has {len(members)}"
                raise mq_error(MQRC_HOBJ_ERROR, verb=self.verb, detail=detail)
            count = len(call.records)
            check_put_records(request, call.fields, count, len(members), self.verb)
            link.begin_verb()
            putting = ListPut(members, request, data, call.fields, call.records, call.outcomes)
            self._put = putting
        if not putting.advance(kernel, link):
            return False
        call.entry = putting.entry
        call.unknown = remotes(call.outcomes, members_of(self.about(link, call.handle), self.verb))
        return True


def members_of(handle: Handle, verb: str) -> list[Handle | None]:
    """The destinations of a list; MQRC_RECS_PRESENT_ERROR if the handle is not one's."""
    members = handle.members
    if members is None:
        name = handle.resolved_name
        detail = "records are for distribution lists, and one queue is open"
        raise mq_error(MQRC_RECS_PRESENT_ERROR, verb=verb, object=name, detail=detail)
    return members


def remotes(outcomes: list[Outcome], members: list[Handle | None]) -> int:
    """How many destinations went well that lead to other queue managers."""
    found = 0
    for outcome, member in zip(outcomes, members, strict=True):
        if member is not None and member.route is not None and outcome.ok:
            found += 1
    return found


@final
class Put1List(Step):
    """MQPUT1 to a list: open, put, close. What was opened is closed whatever becomes of the put."""

    def __init__(self, call: calls.Put1List) -> None:
        super().__init__(call.verb)
        self.call = call
        self._parts = _parts_of(call)
        self._opening: ListOpening | None = None
        self._put: ListPut | None = None
        self._members: list[Handle | None] = []
        self._is_put = False  # well or not
        self._durable_at = 0
        self._error: MQError | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        putting = self._put
        if putting is None:
            putting = self._open(kernel, link)
            if putting is None:
                return False
            self._put = putting
        if not self._is_put and not self._advance(kernel, link, putting):
            return False
        link.begin_verb()
        if not close_members(kernel, link, self._members):
            return False
        link.depends_on(self._durable_at)
        if self._error is not None:
            raise self._error
        return True

    def _advance(self, kernel: Kernel, link: Link, putting: ListPut) -> bool:
        try:
            if not putting.advance(kernel, link):
                return False
        except MQError as error:
            self._error = error
        self.call.entry = putting.entry
        self.call.unknown = remotes(self.call.outcomes, self._members)
        self._durable_at = max(self._durable_at, int(putting.durable_at))
        self._is_put = True
        return True

    def _open(self, kernel: Kernel, link: Link) -> ListPut | None:
        """None: parked, or there is more to do."""
        call = self.call
        opening = self._opening
        request, data = self._parts or (put_request(call.form, self.verb), call.data)
        if opening is None:
            options = put1_open_options(int(request.options)) & ~mq.MQOO_RESOLVE_LOCAL_Q
            check_list(call.od, options, self.verb)
            count = len(call.records)
            check_put_records(request, call.fields, count, len(call.destinations), self.verb)
            quiescing = request.options & mq.MQPMO_FAIL_IF_QUIESCING != 0
            kernel.refuse_if_ending(quiescing, self.verb)
            link.begin_verb()
            user = call.od.alternate_user_id
            opening = ListOpening(call.destinations, options, self.verb, user, call.outcomes)
            self._opening = opening
        if not opening.advance(kernel, link):
            return None
        self._durable_at = int(opening.durable_at)
        self._members = opening.members
        return ListPut(opening.members, request, data, call.fields, call.records, call.outcomes)
