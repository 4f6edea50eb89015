"""Queues that an application provides for its subscription: which handles will do, which name of
the queue is kept, and the handle of one that is resumed."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_HOBJ_ERROR,
    MQRC_INVALID_DESTINATION,
    MQRC_NOT_AUTHORIZED,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.resolve import INPUT_OPTIONS, MANAGED_QUEUES, open_queue
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.subscription_rules import VERB

_READING: Final = INPUT_OPTIONS | mq.MQOO_BROWSE
_USES: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_BROWSE
_OWN_REASONS: Final = (MQRC_NOT_AUTHORIZED, MQRC_RESOURCE_PROBLEM)


def check_destination(handle: Handle | None, is_durable: bool) -> Handle:
    """The handle that MQSUB was given: of a queue here, open for input or browse, or of one
    elsewhere, open for output. It may not be the handle of a managed subscription."""
    if handle is None:
        detail = "MQHO_NONE needs MQSO_MANAGED"
        raise mq_error(MQRC_HOBJ_ERROR, verb=VERB, detail=detail)
    local = handle.local
    is_remote = handle.route is not None
    wanted = mq.MQOO_OUTPUT if is_remote else _READING
    is_managed = local is not None and local.name.startswith(MANAGED_QUEUES)
    if local is None or local.deleted or not handle.options & wanted or is_managed:
        detail = "the queue must be open for input or browse, one elsewhere for output"
        raise mq_error(MQRC_HOBJ_ERROR, verb=VERB, object=handle.resolved_name, detail=detail)
    if is_durable and local.temporary and not is_remote:
        detail = "a durable subscription cannot use a temporary dynamic queue"
        raise mq_error(MQRC_INVALID_DESTINATION, verb=VERB, object=local.name, detail=detail)
    return handle


def destination_names(handle: Handle) -> tuple[str, str]:
    """Queue and queue manager by which publications find their way; the second is "" for this
    one. An alias, or a definition of a remote queue, stays what it is."""
    definition = handle.definition
    if handle.via and definition is not None:
        return definition.name, ""
    route = handle.route
    if route is not None:
        return route.remote_queue, route.remote_qmgr
    return handle.resolved_name, ""


def open_provided(
    kernel: Kernel, connection: Connection, subscription: Subscription
) -> Handle | None:
    """The queue of a subscription that is resumed without a handle; None: parked."""
    name = subscription.destination
    qmgr = subscription.terms.destination_qmgr
    durable_at = connection.durable_at
    try:
        handle = open_queue(kernel, connection, name, qmgr, "", _USES, VERB)
    except MQError as error:
        if error.reason in _OWN_REASONS:
            raise
        raise mq_error(
            MQRC_INVALID_DESTINATION,
            verb=VERB,
            object=name,
            detail=f"it cannot be opened: {error.reason} {error.detail}",
        ) from error
    connection.depends_on(durable_at)
    if handle is not None:
        handle.options |= mq.MQOO_INQUIRE  # so that the application learns the queue's name
    return handle
