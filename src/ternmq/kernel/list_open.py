"""MQOPEN and MQCLOSE of distribution lists: each destination is opened by itself.

A destination that cannot be opened has its reason, and the others are opened all the same. Each
counts as a handle (MAXHANDS); the handle of the list does not. A long list is opened and closed in
bounded steps.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.names import NAME_RULE, fits_field
from ternmq.base.object_types import MODEL
from ternmq.base.reasons import (
    MQRC_ALIAS_BASE_Q_TYPE_ERROR,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_Q_TYPE_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_OBJECT_Q_MGR,
)
from ternmq.codec.mqi.list_records import Destination
from ternmq.kernel.authority import acting_user
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_calls import was_closed
from ternmq.kernel.objects import is_topic_alias
from ternmq.kernel.resolve import close_handle, detach, named, open_queue
from ternmq.kernel.transmission import is_this_manager
from ternmq.values.distribution import Outcome

STEP_DESTINATIONS: Final = 256


@final
class ListOpening:
    """A list that is being opened."""

    __slots__ = (
        "_alternate_user",
        "_destinations",
        "_failure",
        "_options",
        "_outcomes",
        "_verb",
        "durable_at",
        "members",
    )

    def __init__(
        self,
        destinations: list[Destination],
        options: int,
        verb: str,
        alternate_user: str,
        outcomes: list[Outcome],
    ) -> None:
        self._destinations = destinations
        self._options = options
        self._verb = verb
        self._alternate_user = alternate_user
        self._outcomes = outcomes
        self._failure: MQError | None = None
        self.members: list[Handle | None] = []
        self.durable_at: i64 = 0

    def advance(self, kernel: Kernel, connection: Connection) -> bool:
        """Open some destinations; False: parked, or there is more to do."""
        left: i64 = STEP_DESTINATIONS
        while self._failure is None and len(self.members) < len(self._destinations):
            if left == 0:
                connection.again = True
                return False
            left -= 1
            if not self._open_next(kernel, connection):
                return False
        if self._failure is not None:
            if not close_members(kernel, connection, self.members):
                return False
            raise self._failure
        connection.begin_verb()
        connection.depends_on(self.durable_at)
        return True

    def _open_next(self, kernel: Kernel, connection: Connection) -> bool:
        at = len(self.members)
        outcome = self._outcomes[at]
        try:
            handle = self._open(kernel, connection, self._destinations[at])
        except MQError as refusal:
            if refusal.reason == MQRC_HANDLE_NOT_AVAILABLE:  # then all of it fails
                self._failure = refusal
                return True
            outcome.fail(refusal.reason)
            self.members.append(None)
            return True
        if handle is None:
            return False
        self.durable_at = max(self.durable_at, connection.durable_at)
        self.members.append(handle)
        return True

    def _open(self, kernel: Kernel, connection: Connection, one: Destination) -> Handle | None:
        verb = self._verb
        if not fits_field(one.qmgr):
            raise mq_error(MQRC_UNKNOWN_OBJECT_Q_MGR, verb=verb, object=one.qmgr, detail=NAME_RULE)
        if not fits_field(one.queue):
            raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=one.queue, detail=NAME_RULE)
        definition = kernel.catalog.definitions.get(one.queue)
        if definition is not None and definition.object_type == MODEL:
            if is_this_manager(kernel, one.qmgr):
                self._refuse_model(kernel, connection, one)
        if definition is not None and is_topic_alias(definition):
            detail = "an alias of a topic cannot be in a distribution list"
            raise mq_error(MQRC_ALIAS_BASE_Q_TYPE_ERROR, verb=verb, object=one.queue, detail=detail)
        return open_queue(
            kernel,
            connection,
            one.queue,
            one.qmgr,
            "",
            self._options,
            verb,
            self._alternate_user,
        )

    def _refuse_model(self, kernel: Kernel, connection: Connection, one: Destination) -> None:
        """A list makes no dynamic queues; a user who may not open the queue learns that first."""
        verb = self._verb
        user = acting_user(kernel, connection, self._options, self._alternate_user, verb)
        named(kernel, connection, user, one.queue, one.qmgr, self._options, verb, [])
        detail = "a model queue cannot be in a distribution list"
        raise mq_error(MQRC_Q_TYPE_ERROR, verb=verb, object=one.queue, detail=detail)


def list_handle(connection: Connection, options: int, members: list[Handle | None]) -> Handle:
    """The handle of a list whose destinations are open."""
    handle = Handle(connection, connection.next_handle, options)
    connection.next_handle += 2
    connection.handles[handle.handle_id] = handle
    connection.lists += 1
    handle.members = members
    return handle


def close_members(kernel: Kernel, connection: Connection, members: list[Handle | None]) -> bool:
    """Close some destinations, from the last on; False: there is more to do."""
    left: i64 = STEP_DESTINATIONS
    while members:
        if left == 0:
            connection.again = True
            return False
        left -= 1
        member = members.pop()
        if member is None or connection.handles.get(member.handle_id) is not member:
            continue
        local = member.local
        close_handle(kernel, member, mq.MQCO_NONE)
        if kernel.measured:
            was_closed(kernel, member, local, True)
    return True


def close_list(kernel: Kernel, handle: Handle, options: int) -> bool:
    """MQCLOSE of a list; False: there is more to do."""
    connection = handle.connection
    connection.begin_verb()
    if options & (mq.MQCO_DELETE | mq.MQCO_DELETE_PURGE):
        detail = "a distribution list is closed with MQCO_NONE"
        raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb="MQCLOSE", detail=detail)
    members = handle.members
    if members is not None and not close_members(kernel, connection, members):
        return False
    detach(handle)
    connection.lists -= 1
    return True
