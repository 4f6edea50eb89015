"""What programs ask about objects without a command: attributes by Python name, names of queues.

As DISPLAY, they need dsp on the object, or show only what the user may see. Called by the
connections of both APIs and by the calls of the local binding, under the engine's lock.
"""

from __future__ import annotations

from ternmq.admin.commands import objects
from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.object_types import QUEUES
from ternmq.kernel.authority import check
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.security.authorities import DSP


def check_display(kernel: Kernel, link: Connection, mqot: int, name: str) -> None:
    """MQRC_NOT_AUTHORIZED unless the user may see what an object is like."""
    if not link.privileged:
        qualifier = mq.MQRQ_CMD_NOT_AUTHORIZED
        check(kernel, link, link.user, mqot, name, DSP, "DISPLAY", qualifier)


def queue_attributes(kernel: Kernel, link: Connection, name: str) -> dict[str, Value]:
    """All attributes of a queue of whatever type."""
    check_display(kernel, link, mq.MQOT_Q, name)
    return dict(objects.find(kernel, QUEUES, name, "DISPLAY").attributes)


def queue_type(kernel: Kernel, link: Connection, name: str) -> int:
    """The type of the queue of a name; 0 if no such queue is visible to the user."""
    definition = kernel.catalog.definitions.get(name)
    if definition is None:
        return 0
    granted = kernel.authority.granted
    if not link.privileged and not granted(link.user, mq.MQOT_Q, name) & DSP:
        return 0
    return int(definition.object_type)


def queue_names(kernel: Kernel, link: Connection) -> list[str]:
    """The names of the queues that the user may see, sorted."""
    names = kernel.catalog.queue_names()
    if link.privileged:
        return names
    granted = kernel.authority.granted
    return [name for name in names if granted(link.user, mq.MQOT_Q, name) & DSP]
