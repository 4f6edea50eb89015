"""Managed queues: made for a subscription from a model queue, gone with it.

The queue of a non-durable subscription is a temporary dynamic one, that of a durable one a
permanent dynamic one. Nobody needs authority on them: what counts is the right to subscribe.
A queue that an application still has open when its subscription ends goes with its last handle.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL, MODEL
from ternmq.base.reasons import MQRC_INVALID_DESTINATION, MQRC_OBJECT_IN_USE
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.dynamic import create_dynamic, delete_queue
from ternmq.kernel.events import report_deleted, report_stored
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import were_purged
from ternmq.kernel.metering_calls import was_opened
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.resolve import attach, check_sharing, dynamic_queue_name, new_handle
from ternmq.store.catalog import Definition

OF_DURABLE: Final = "SYSTEM.MANAGED.DURABLE."
OF_NONDURABLE: Final = "SYSTEM.MANAGED.NDURABLE."
# What an application may do with the queue of a managed subscription.
USES: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_BROWSE | mq.MQOO_INQUIRE


def check_model(kernel: Kernel, name: str, is_durable: bool, verb: str) -> Definition:
    """The model queue; MQRC_INVALID_DESTINATION if no queue for the subscription can be made of
    it."""
    model = kernel.catalog.definitions.get(name)
    if model is None or model.object_type != MODEL:
        detail = "no model queue of that name; MDURMDL and MNDURMDL of the topic name it"
        raise mq_error(MQRC_INVALID_DESTINATION, verb=verb, object=name, detail=detail)
    is_temporary = model.number("definition_type") == mq.MQQDT_TEMPORARY_DYNAMIC
    if is_durable and is_temporary:
        detail = "a durable subscription needs a model queue with DEFTYPE(PERMDYN)"
        raise mq_error(MQRC_INVALID_DESTINATION, verb=verb, object=name, detail=detail)
    return model


def create(
    kernel: Kernel, connection: Connection, model: Definition, is_durable: bool, verb: str
) -> LocalQueue | None:
    """A new queue; None: parked until the log has room."""
    if not kernel.can_log_object(connection, verb, model.name):
        return None
    name = dynamic_queue_name(kernel, (OF_DURABLE if is_durable else OF_NONDURABLE) + "*")
    definition = create_dynamic(kernel, model, name, None)
    if not definition.temporary:
        connection.depends_on(kernel.coordinator.log.end_lsn)
        report_stored(kernel, connection, definition, None)
    return kernel.local_queue(connection, definition)


def open_created(kernel: Kernel, connection: Connection, local: LocalQueue, options: int) -> Handle:
    """The handle of its subscriber."""
    handle = new_handle(kernel, connection, USES | options)
    attach(handle, local, [])
    if kernel.measured:
        was_opened(kernel, handle)
    return handle


def open_managed(
    kernel: Kernel, connection: Connection, name: str, options: int, verb: str
) -> Handle | None:
    """The queue of a subscription that is resumed; None: parked."""
    definition = kernel.catalog.definitions.get(name)
    if definition is None or definition.object_type != LOCAL:
        detail = "the queue of the subscription is gone"
        raise mq_error(MQRC_INVALID_DESTINATION, verb=verb, object=name, detail=detail)
    local = kernel.local_queue(connection, definition)
    if local is None:
        return None
    try:
        check_sharing(local, USES, verb)
    except MQError as error:
        if error.reason != MQRC_OBJECT_IN_USE:
            raise
        raise mq_error(
            MQRC_INVALID_DESTINATION, verb=verb, object=name, detail="it is in use"
        ) from error
    return open_created(kernel, connection, local, options)


def delete(kernel: Kernel, connection: Connection, name: str, verb: str) -> bool:
    """The subscription of a queue has ended. False: parked, and nothing was done."""
    definition = kernel.catalog.definitions.get(name)
    if definition is None or not is_managed(definition):
        return True
    local = kernel.local_queue(connection, definition)
    if local is None:
        return False
    if local.handles or is_busy(local):
        local.is_left = True
        return True
    if not local.temporary and not kernel.can_log_object(connection, verb, name):
        return False
    remove_now(kernel, connection, local)
    return True


def is_managed(definition: Definition) -> bool:
    """Whether it was made for a subscription: by its name, and not by a DEFINE."""
    return (
        definition.object_type == LOCAL
        and definition.definition_type != mq.MQQDT_PREDEFINED
        and definition.name.startswith((OF_DURABLE, OF_NONDURABLE))
    )


def is_busy(local: LocalQueue) -> bool:
    """A permanent queue with uncommitted messages is not deleted now, but when they are settled."""
    queue = local.queue
    return not local.temporary and (queue.uncommitted_puts > 0 or queue.uncommitted_gets > 0)


def remove_now(kernel: Kernel, connection: Connection, local: LocalQueue) -> None:
    """The queue and its messages are gone."""
    were_purged(kernel, local, local.queue.depth)
    delete_queue(kernel, local)
    if not local.temporary:
        connection.depends_on(kernel.coordinator.log.end_lsn)
        report_deleted(kernel, connection, local.definition)
