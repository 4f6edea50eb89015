"""An open queue for more than it was opened for: its handle gets further MQOO options.

One MQOPEN of an application is one handle for operators, also if it puts long after it began to
get. Number, browse cursor, lock and saved context of the handle stay, so nothing is lost, and a
verb that another thread is about to begin with it finds it as it was. What is added is checked as
MQOPEN checks it; what the handle has already is not asked for again.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import REMOTE
from ternmq.base.reasons import (
    MQRC_OBJECT_CHANGED,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_Q_DELETED,
)
from ternmq.kernel.authority import acting_user, check_open, check_open_remote
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_calls import was_widened
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.resolve import (
    OF_OTHER_MANAGERS,
    OF_REMOTE_QUEUES,
    attach,
    can_open,
    count_uses,
    named,
    send_by,
)
from ternmq.store.catalog import Definition

_VERB: Final = "MQOPEN"


def widen(kernel: Kernel, connection: Connection, handle: Handle, options: int) -> bool:
    """Add options to those of an open queue; False: parked until a queue is loaded."""
    connection.begin_verb()
    added = options & ~int(handle.options)
    if not added:
        return True
    definition = handle.definition
    if handle.object_type != mq.MQOT_Q or definition is None:
        raise _not_for_type(handle, "only queues can be used for more than they were opened for")
    local = handle.local
    if local is None:
        done = _widen_definition(kernel, connection, handle, definition, added)
    else:
        done = _widen_queue(kernel, connection, handle, definition, local, added)
    if done and kernel.measured:
        was_widened(kernel, handle)
    return done


def _widen_queue(
    kernel: Kernel,
    connection: Connection,
    handle: Handle,
    definition: Definition,
    local: LocalQueue,
    added: int,
) -> bool:
    if local.deleted:
        raise mq_error(MQRC_Q_DELETED, verb=_VERB, object=local.name)
    route = handle.route
    if route is not None:
        _check_elsewhere(handle, added)
    user = acting_user(kernel, connection, added, "", _VERB)
    if user is not None and route is not None and route.named_qmgr:
        check_open_remote(kernel, connection, user, route.named_qmgr, added, _VERB)
    elif user is not None:
        check_open(kernel, connection, user, definition, added, _VERB)
    if not can_open(kernel, connection, local, added, _VERB):
        return False
    was_input = handle.input
    handle.options |= added
    count_uses(handle, local, added)
    if handle.input and not was_input:
        kernel.triggers.input_opened(local)
    connection.depends_on(local.queue.last_lsn)
    return True


def _widen_definition(
    kernel: Kernel, connection: Connection, handle: Handle, definition: Definition, added: int
) -> bool:
    """A definition of a remote queue that was opened to be inquired: a put needs the queue that it
    leads to."""
    via: list[Definition] = []
    user = acting_user(kernel, connection, added, "", _VERB)
    found, route = named(kernel, connection, user, definition.name, "", added, _VERB, via)
    if found.object_type == REMOTE:
        handle.options |= added
        return True
    if route is None:
        detail = "it was another queue's when it was opened: open it again"
        raise mq_error(MQRC_OBJECT_CHANGED, verb=_VERB, object=definition.name, detail=detail)
    local = kernel.local_queue(connection, found)
    if local is None or not can_open(kernel, connection, local, added, _VERB):
        return False
    handle.options |= added
    attach(handle, local, via)
    send_by(handle, route)
    connection.depends_on(local.queue.last_lsn)
    return True


def _check_elsewhere(handle: Handle, added: int) -> None:
    """A queue of another queue manager is for puts; only its definition here can be inquired."""
    allowed = OF_REMOTE_QUEUES if handle.via else OF_OTHER_MANAGERS
    if added & ~allowed:
        raise _not_for_type(handle, "its queue manager is another one")


def _not_for_type(handle: Handle, detail: str) -> MQError:
    return mq_error(
        MQRC_OPTION_NOT_VALID_FOR_TYPE, verb=_VERB, object=handle.resolved_name, detail=detail
    )
