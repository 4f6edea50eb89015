"""A message that a channel has received, on its way to its queue, or to its queues if it is for a
distribution list: each of these alone.

The message keeps its descriptor, the context too. Its user's authority is asked for as PUTAUT says:

    DEF   the channel's user needs put and setall on the object, and setall on the queue manager
    CTX   the message's user needs put on it; the channel's user setall on both, and altusr on the
          queue manager

The object is the queue that is named or, for a queue of another queue manager, the transmission
queue that takes the message. A message for an alias of a topic is published, and the user who needs
put on the alias needs pub on the topic, too. What its queue does not take:

    full or inhibited   to be tried again, unless the want is final; for any reason if a retry exit
                        decides
    any other           an exception report if it asks for one; then MQRO_DISCARD_MSG lets it go,
                        else it goes to the dead-letter queue with the reason
    nowhere             a fast message is discarded and logged; else MQError: the batch must not be
                        committed
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import BY_BIT, LOCAL
from ternmq.base.reasons import MQRC_PUT_INHIBITED, MQRC_Q_FULL, MQRC_Q_TYPE_ERROR
from ternmq.base.user_names import whole_name
from ternmq.channel.agent import (
    BURIED,
    DISCARDED,
    PLACED,
    RETURNED,
    TRY_AGAIN,
    Want,
)
from ternmq.codec.mqi.mqmd import APPL_IDENTITY_DATA_AT, PUT_APPL_TYPE_AT, USER_ID_AT
from ternmq.kernel.activity import Tracing, may_be_traced, trace_arrival
from ternmq.kernel.authority import check
from ternmq.kernel.channel_states import do_not_count, exchange_unit
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import abandon, back_out_some, commit
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import is_topic_alias
from ternmq.kernel.put import put
from ternmq.kernel.report_message import asks_for
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import attach, can_open, close_handle, named, new_handle, send_by
from ternmq.kernel.transmission import is_this_manager
from ternmq.kernel.undeliverable import bury, is_discarded, is_passing_refusal
from ternmq.security import authorities as auth
from ternmq.security.authorities import SELF_PROFILE
from ternmq.store.catalog import Definition
from ternmq.store.copying import NANOSECONDS_A_TENTH
from ternmq.txn.unit import ENDED
from ternmq.values.entry import OWN_DATE, PERSISTENT, Entry, packed_descriptor

if TYPE_CHECKING:
    from ternmq.kernel.channel_work import ChannelWork
    from ternmq.kernel.transmission import Route

_OPEN: Final = mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT
_MAY_PASS: Final = (MQRC_Q_FULL, MQRC_PUT_INHIBITED)
_FULL_DATA: Final = mq.MQRO_EXCEPTION_WITH_FULL_DATA & ~mq.MQRO_EXCEPTION_WITH_DATA
NOT_DELIVERED: Final = "AMQ7317W"


@final
class Target:
    """One destination of a message, and what is put there."""

    __slots__ = ("data", "handle", "is_done", "is_put", "is_reported", "outcome", "qmgr", "queue",
                 "reason", "request", "tracing", "was_lost")  # fmt: skip

    def __init__(
        self, queue: str, qmgr: str, request: PutRequest, data: bytes, reason: int = 0
    ) -> None:
        self.queue = queue
        self.qmgr = qmgr
        self.request = request
        self.data = data
        self.reason = reason  # why it is undeliverable, if that is known already
        self.handle: Handle | None = None
        self.is_reported = False  # its exception report was put, or it asks for none
        self.was_lost = False  # that report went nowhere
        self.is_done = False
        self.is_put = False  # but reports on that may have to follow
        self.tracing: Tracing | None = None  # what is recorded about it
        self.outcome = PLACED

    def trace(self, kernel: Kernel, work: ChannelWork, resolved: str, route: Route | None) -> None:
        """Record that it goes to this local queue, if it asks for that."""
        if self.tracing is None and may_be_traced(self.request.base):
            hop = work.hop()
            request = self.request
            self.tracing = trace_arrival(
                kernel, hop, request, self.data, self.queue, resolved, route, self.reason
            )

    def entry(self, kernel: Kernel) -> Entry:
        """The message as it would be on its queue."""
        request = self.request
        data = self.data if self.tracing is None else self.tracing.message
        persistence = PERSISTENT if request.persistence else 0  # of two kinds, the safe one
        now_ns = kernel.clock.now_ns()
        expiry_at = 0
        if request.expiry >= 0:
            expiry_at = int(now_ns + request.expiry * NANOSECONDS_A_TENTH)
        return Entry(
            0,
            request.priority,
            request.flags | persistence,
            now_ns,
            expiry_at,
            request.msg_id,
            request.correl_id,
            request.group_id,
            request.base,
            data,
            len(data),
            request.properties,
        )


def target_of(entry: Entry, queue: str) -> Target:
    """A message of a transmission queue that says of no destination: as it is, from that queue."""
    request = PutRequest(0, packed_descriptor(entry), True)
    request.splits = False
    request.replies_unplaced = False
    request.msg_id = entry.msg_id
    request.correl_id = entry.correl_id
    request.group_id = entry.group_id
    request.priority = entry.priority
    request.persistence = entry.flags & PERSISTENT
    request.properties = entry.properties
    request.flags |= OWN_DATE
    return Target(queue, "", request, entry.data)


@final
class Placing:
    """The destinations of one message, in order."""

    def __init__(self, targets: list[Target], is_fast: bool) -> None:
        self.targets = targets
        self.is_fast = is_fast

    def go_on(self, kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
        """Place what is not placed; False: parked, or another step has to follow."""
        durable_at = int(connection.durable_at)
        reason = 0
        for target in self.targets:
            if target.is_done:
                continue
            if not self._place(kernel, connection, work, target, want):
                return False
            durable_at = max(durable_at, int(connection.durable_at))
            if not target.is_done:
                reason = target.reason
                target.reason = 0
        connection.durable_at = durable_at
        want.reason = reason
        if reason:
            want.outcome = TRY_AGAIN
        else:
            worst = max(self.targets, key=_outcome)
            want.outcome = worst.outcome
            want.reason = worst.reason
        return True

    def _place(
        self,
        kernel: Kernel,
        connection: Connection,
        work: ChannelWork,
        target: Target,
        want: Want,
    ) -> bool:
        """False: parked. Afterwards it is done, or has a reason and may be tried again."""
        if not target.reason:
            try:
                if not self._put(kernel, connection, work, target):
                    return False
                target.is_done = True
                return True
            except MQError as refused:
                self._close(kernel, target)
                target.tracing = None
                if is_passing_refusal(refused.reason):
                    raise
                target.reason = refused.reason
            if not want.is_final and (want.retries_all or target.reason in _MAY_PASS):
                return True
        return self._deal_with(kernel, connection, work, target)

    # ---- the put

    def _put(
        self, kernel: Kernel, connection: Connection, work: ChannelWork, target: Target
    ) -> bool:
        handle = target.handle
        is_published = handle is not None and handle.topic is not None  # and may take more steps
        if connection.undertaking is not None and not is_published:
            if not abandon(kernel, connection):
                return False  # of a put of several segments that has failed
        if handle is None:
            handle = _opened(kernel, connection, work, target)
            if handle is None:
                return False
            target.handle = handle
        local = handle.local
        if local is not None:
            target.trace(kernel, work, local.name, handle.route)
        tracing = target.tracing
        if tracing is not None and local is not None:
            tracing.keep_within(int(local.max_length - handle.header_bytes), target.data)
        if not target.is_put and (tracing is None or not tracing.feedback):
            data = target.data if tracing is None else tracing.message
            do_not_count(connection)
            if put(kernel, connection, handle, target.request, data) is None:
                return False
        target.is_put = True
        if tracing is not None and not tracing.go_on(kernel, connection, self.is_fast):
            return False
        self._close(kernel, target)
        return True

    def _close(self, kernel: Kernel, target: Target) -> None:
        handle = target.handle
        target.handle = None
        if handle is not None:
            close_handle(kernel, handle, 0)

    # ---- what no queue takes

    def _deal_with(
        self, kernel: Kernel, connection: Connection, work: ChannelWork, target: Target
    ) -> bool:
        """It cannot be delivered; False: parked."""
        if connection.undertaking is not None and not abandon(kernel, connection):
            return False
        if not self.is_fast:
            done = self._report_and_bury(kernel, connection, work, target)
        else:
            done = self._aside(kernel, connection, work, target)
        if done:
            target.is_done = True
        return done

    def _aside(
        self, kernel: Kernel, connection: Connection, work: ChannelWork, target: Target
    ) -> bool:
        """A fast message has a unit of work of its own for that, which ends here in any case."""
        batch = exchange_unit(connection, None)
        done = False
        try:
            done = self._report_and_bury(kernel, connection, work, target)
            if done:
                commit(kernel, connection)
        finally:
            unit = exchange_unit(connection, batch)
            if unit is not None and unit.state != ENDED:
                target.is_reported = False
                target.tracing = None
                while not back_out_some(kernel, unit):
                    pass
        return done

    def _report_and_bury(
        self, kernel: Kernel, connection: Connection, work: ChannelWork, target: Target
    ) -> bool:
        if not work.transmission_queue:  # it was received
            name = str(kernel.catalog.qmgr.get("dead_letter_queue", ""))
            target.trace(kernel, work, name, None)
            if target.tracing is not None and not target.tracing.go_on(kernel, connection, False):
                return False
        entry = target.entry(kernel)
        do_not_count(connection)
        if not target.is_reported:
            unit = kernel.unit_of(connection, "MQPUT")
            do_not_count(connection)
            if not kernel.reports.exception(connection, unit, entry, target.reason):
                return False
            target.is_reported = True
            target.was_lost = kernel.reports.was_lost
        if is_discarded(entry) and not target.was_lost:
            target.outcome = RETURNED if asks_for(entry, _FULL_DATA) else DISCARDED
            is_back = target.outcome == RETURNED
            what = "it went back to its sender" if is_back else "MQRO_DISCARD_MSG: discarded"
            _notify(kernel, work, target, what)
            return True
        return self._bury(kernel, connection, work, target, entry)

    def _bury(
        self,
        kernel: Kernel,
        connection: Connection,
        work: ChannelWork,
        target: Target,
        entry: Entry,
    ) -> bool:
        name = str(kernel.catalog.qmgr.get("dead_letter_queue", ""))
        refusal = 0
        if not work.uses_dead_letter_queue:
            name = "USEDLQ(NO)"
        else:
            try:
                do_not_count(connection)
                if not bury(kernel, connection, entry, target.queue, target.qmgr, target.reason):
                    return False
                target.outcome = BURIED
                _notify(kernel, work, target, f"it is on dead-letter queue {name} here")
                return True
            except MQError as refused:
                if is_passing_refusal(refused.reason):
                    raise
                refusal = refused.reason
        if self.is_fast:
            target.outcome = DISCARDED
            why = f"dead-letter queue {name or '(none)'}, MQRC {refusal}" if refusal else name
            _notify(kernel, work, target, f"a fast message, discarded ({why})")
            return True
        raise mq_error(
            target.reason,
            verb="MQPUT",
            object=target.queue,
            detail=f"message {entry.msg_id.hex()} of channel {work.channel} cannot be delivered, "
            f"and the dead-letter queue {name or '(DEADQ is blank)'} does not take it"
            f"{f' (MQRC {refusal})' if refusal else ''}; the batch is backed out",
        )


def _notify(kernel: Kernel, work: ChannelWork, target: Target, what: str) -> None:
    place = f"{target.queue}({target.qmgr or kernel.name})"
    inserts = (work.channel, place, target.reason, what, target.request.msg_id.hex())
    kernel.notices.add(NOT_DELIVERED, inserts)


def _outcome(target: Target) -> int:
    return target.outcome


def _opened(
    kernel: Kernel, connection: Connection, work: ChannelWork, target: Target
) -> Handle | None:
    """The queue that takes the message; None: parked."""
    connection.begin_verb()
    alias = kernel.catalog.definitions.get(target.queue)
    if alias is not None and is_topic_alias(alias) and is_this_manager(kernel, target.qmgr):
        return _opened_topic(kernel, connection, work, target, alias)
    via: list[Definition] = []
    definition, route = named(
        kernel, connection, None, target.queue, target.qmgr, _OPEN, "MQOPEN", via
    )
    if kernel.authority.enabled:
        _check_user(kernel, connection, work, target, via[0] if via else definition, route)
    if definition.object_type != LOCAL:
        raise mq_error(MQRC_Q_TYPE_ERROR, verb="MQOPEN", object=definition.name)
    local = kernel.local_queue(connection, definition)
    if local is None or not can_open(kernel, connection, local, _OPEN, "MQOPEN"):
        return None
    handle = new_handle(kernel, connection, _OPEN)
    attach(handle, local, via)
    send_by(handle, route)
    return handle


def _opened_topic(
    kernel: Kernel, connection: Connection, work: ChannelWork, target: Target, alias: Definition
) -> Handle | None:
    """The topic that the message is published to."""
    publishers: list[str] = []
    if kernel.authority.enabled:
        _check_user(kernel, connection, work, target, alias, None)
        if work.puts_by_context:
            user = _user_of(target.request.base)
            if not kernel.authority.is_administrator(user):
                publishers.append(user)
        elif not connection.privileged:
            publishers.append(connection.user)
    return kernel.topics.open_alias(connection, alias, _OPEN, "MQOPEN", "", publishers)


def _check_user(
    kernel: Kernel,
    connection: Connection,
    work: ChannelWork,
    target: Target,
    named_one: Definition,
    route: Route | None,
) -> None:
    """MQRC_NOT_AUTHORIZED unless the users that PUTAUT names may put the message."""
    mqot = BY_BIT[named_one.object_type].mqot
    name = named_one.name
    qualifier = mq.MQRQ_OPEN_NOT_AUTHORIZED
    of_channel = auth.PUT | auth.SETALL
    of_qmgr = auth.SETALL
    if work.puts_by_context:
        of_channel = auth.SETALL
        of_qmgr |= auth.ALTUSR
        user = _user_of(target.request.base)
        if not kernel.authority.is_administrator(user):
            check(kernel, connection, user, mqot, name, auth.PUT, "MQOPEN", qualifier, _OPEN)
    if connection.privileged:
        return
    user = connection.user
    check(kernel, connection, user, mqot, name, of_channel, "MQOPEN", qualifier, _OPEN)
    check(
        kernel, connection, user, mq.MQOT_Q_MGR, SELF_PROFILE, of_qmgr, "MQOPEN", qualifier, _OPEN
    )  # fmt: skip


def _user_of(base: bytes) -> str:
    user = base[USER_ID_AT : USER_ID_AT + 12].decode("utf-8", "replace").rstrip(" \0")
    data = base[APPL_IDENTITY_DATA_AT:PUT_APPL_TYPE_AT].decode("utf-8", "replace")
    return whole_name(user, data.rstrip(" \0"))
