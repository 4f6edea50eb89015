"""Queues that come and go at run time: made from a model at MQOPEN, deleted at MQCLOSE or by
command."""

from __future__ import annotations

from ternmq.base.attributes import LOCAL, Value, defaults_of
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_Q_DELETED
from ternmq.kernel.alerts import raise_alerts
from ternmq.kernel.authority_records import define_for, undefine_with_records
from ternmq.kernel.get import stop_waiting
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.store.catalog import Definition


def create_dynamic(kernel: Kernel, model: Definition, name: str, user: str | None) -> Definition:
    """A local queue with the attributes of a model; the user, if it is one who needs authority,
    gets all of it."""
    attributes: dict[str, Value] = defaults_of(LOCAL)
    for attribute, value in model.attributes.items():
        if attribute in attributes:
            attributes[attribute] = value
    definition = Definition(LOCAL, name, kernel.catalog.new_id(), attributes, kernel.clock.now_ns())
    definition.definition_type = model.number("definition_type")
    define_for(kernel, user, definition)
    return definition


def delete_queue(kernel: Kernel, local: LocalQueue, with_authority: bool = True) -> None:
    """The queue and all its messages are gone; waiting gets and open handles get MQRC_Q_DELETED.
    The authority records of its name go with it, unless they are to stay."""
    raise_alerts(kernel, local)
    for call in local.waiters.all():
        stop_waiting(kernel, call)
        call.error = mq_error(MQRC_Q_DELETED, verb="MQGET", object=local.name)
        kernel.outbox.wake(call.waker)
    local.deleted = True
    local.queue.dropped = True
    kernel.locals.pop(local.name, None)
    undefine_with_records(kernel, local.definition, local.queue, with_authority)
    kernel.topics.queue_deleted(local.name)
