"""Messages for other queue managers: which transmission queue takes them, and the header that they
get there.

A name leads to another queue manager by a local definition of a remote queue (QREMOTE), by the name
of a queue manager that is a transmission queue here or a queue manager alias (a QREMOTE without
RNAME), or by the default transmission queue. On the transmission queue a message is MQXQH, MQMDE
where version 2 of its descriptor says something, MQDH if it is for several queues, MQRFH2 if it has
properties, then its data; the identifier of the message
itself is the correlation identifier there. Channels take them from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.object_types import LOCAL, REMOTE
from ternmq.base.reasons import (
    MQRC_DEF_XMIT_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_USAGE_ERROR,
    MQRC_REMOTE_Q_NAME_ERROR,
    MQRC_UNKNOWN_DEF_XMIT_Q,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
    MQRC_UNKNOWN_XMIT_Q,
    MQRC_XMIT_Q_TYPE_ERROR,
    MQRC_XMIT_Q_USAGE_ERROR,
)
from ternmq.codec.headers.mqdh import DistributionHeader
from ternmq.codec.headers.mqmde import extension_before
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property_header import as_put
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.requests import REPLY_QMGR_AT, REPLY_QUEUE_AT
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.copying import tenths_of
from ternmq.values.entry import REPORTS, Entry, packed_descriptor

if TYPE_CHECKING:
    from ternmq.kernel.connection import Handle

NAME_BYTES: Final = REPLY_QMGR_AT - REPLY_QUEUE_AT
HEADERS_BYTES_MAX: Final = mq.MQXQH_CURRENT_LENGTH + mq.MQMDE_LENGTH_2


@final
class Route:
    """Where a message goes in the end, and the local queue that takes it."""

    __slots__ = ("list_header", "remote_qmgr", "remote_queue", "transmission")

    def __init__(self, remote_queue: str, remote_qmgr: str, transmission: Definition) -> None:
        self.remote_queue = remote_queue
        self.remote_qmgr = remote_qmgr
        self.transmission = transmission
        # of a message for several queues: which these are
        self.list_header: DistributionHeader | None = None


def resolved_names(handle: Handle, options: i64, qmgr_name: str) -> tuple[str, str]:
    """ResolvedQName and ResolvedQMgrName of an open or a put. For a queue of another queue manager
    they name that one, or the transmission queue here if MQOO_RESOLVE_LOCAL_Q, which is the same
    bit as MQPMO_RESOLVE_LOCAL_Q, asks for the local queue."""
    route = handle.route
    if route is None:
        return handle.resolved_name, qmgr_name
    if options & mq.MQOO_RESOLVE_LOCAL_Q:
        return route.transmission.name, qmgr_name
    return handle.resolved_name, route.remote_qmgr


def route_of_definition(kernel: Kernel, definition: Definition, verb: str) -> Route:
    """By a local definition of a remote queue."""
    queue = definition.text("remote_queue")
    manager = definition.text("remote_qmgr")
    named = definition.text("transmission_queue")
    if not queue:
        raise mq_error(
            MQRC_REMOTE_Q_NAME_ERROR, verb=verb, object=definition.name, detail="RNAME is blank"
        )
    if not named and manager in ("", kernel.name):
        detail = f"RQMNAME({manager or ' '}) without XMITQ leads to no other queue manager"
        raise mq_error(MQRC_UNKNOWN_REMOTE_Q_MGR, verb=verb, object=definition.name, detail=detail)
    return Route(queue, manager, transmission_queue(kernel, named, manager, verb))


def transmission_names(catalog: Catalog, definition: Definition) -> list[str]:
    """The names that can be a QREMOTE's transmission queue, whether there are such queues or not:
    a queue of the queue manager's name comes before the default one as soon as it is made."""
    named = definition.text("transmission_queue")
    if named:
        return [named]
    return [definition.text("remote_qmgr"), str(catalog.qmgr["default_transmission_queue"])]


def is_this_manager(kernel: Kernel, manager: str) -> bool:
    """Whether a name is this queue manager's, or an alias for it: then its queues are those
    here."""
    if manager in ("", kernel.name):
        return True
    alias = kernel.catalog.definitions.get(manager)
    if alias is None or alias.object_type != REMOTE or alias.text("remote_queue"):
        return False
    return alias.text("remote_qmgr") == kernel.name and not alias.text("transmission_queue")


def route_of_manager(kernel: Kernel, queue: str, manager: str, verb: str) -> Route | None:
    """By the name of a queue manager; None if that is another name for this one."""
    if is_this_manager(kernel, manager):
        return None
    alias = kernel.catalog.definitions.get(manager)
    if alias is None or alias.object_type != REMOTE or alias.text("remote_queue"):
        return Route(queue, manager, transmission_queue(kernel, "", manager, verb))
    named = alias.text("transmission_queue")
    remote = alias.text("remote_qmgr") or manager
    return Route(queue, remote, transmission_queue(kernel, named, remote, verb))


def transmission_queue(kernel: Kernel, named: str, manager: str, verb: str) -> Definition:
    """The one that is named, that of the queue manager's name, or the default one."""
    catalog: Catalog = kernel.catalog
    default = str(catalog.qmgr["default_transmission_queue"])
    name = named or (manager if manager in catalog.definitions else default)
    if not name:
        raise mq_error(MQRC_UNKNOWN_REMOTE_Q_MGR, verb=verb, object=manager)
    is_default = not named and name == default and name != manager
    definition = catalog.definitions.get(name)
    if definition is None:
        reason = MQRC_UNKNOWN_DEF_XMIT_Q if is_default else MQRC_UNKNOWN_XMIT_Q
        raise mq_error(reason, verb=verb, object=name)
    if definition.object_type != LOCAL:
        reason = MQRC_DEF_XMIT_Q_TYPE_ERROR if is_default else MQRC_XMIT_Q_TYPE_ERROR
        raise mq_error(reason, verb=verb, object=name)
    if definition.number("usage") != mq.MQUS_TRANSMISSION:
        reason = MQRC_DEF_XMIT_Q_USAGE_ERROR if is_default else MQRC_XMIT_Q_USAGE_ERROR
        raise mq_error(reason, verb=verb, object=name, detail="USAGE(NORMAL)")
    return definition


def with_reply_place(kernel: Kernel, base: bytes) -> bytes:
    """A descriptor that names a queue for replies, with the queue manager where that is: this one,
    or what a local definition of a remote queue says, whose name was then a mere alias."""
    field = base[REPLY_QUEUE_AT:REPLY_QMGR_AT]
    manager = kernel.name
    alias = kernel.catalog.definitions.get(field.rstrip(b" \0").decode("latin-1"))
    if alias is not None and alias.object_type == REMOTE:
        named = alias.text("remote_queue")
        if named:
            field = named.encode("ascii").ljust(NAME_BYTES)
        manager = alias.text("remote_qmgr") or manager
    place = manager.encode("ascii").ljust(NAME_BYTES)
    return base[:REPLY_QUEUE_AT] + field + place + base[REPLY_QMGR_AT + NAME_BYTES :]


def as_transmitted(kernel: Kernel, route: Route, entry: Entry) -> Entry:
    """The message as it is on the transmission queue."""
    own = Descriptor.unpack(packed_descriptor(entry))
    own.expiry = int(tenths_of(entry))  # CAPEXPRY may have shortened it
    outer = own.copy()
    data = entry.data
    if entry.properties:
        data, base = as_put(entry.properties, data, entry.base)
        said = Descriptor.unpack(base)
        own.format = said.format
        own.ccsid = said.ccsid
        own.encoding = said.encoding
    if route.list_header is not None:
        data = _list_before(kernel, route.list_header, own) + data
    data = extension_before(own) + data
    header = TransmissionHeader(
        remote_queue=route.remote_queue, remote_qmgr=route.remote_qmgr, descriptor=own
    )
    data = header.pack() + data
    outer.report = mq.MQRO_NONE
    outer.msg_type = mq.MQMT_DATAGRAM
    outer.feedback = mq.MQFB_NONE
    outer.encoding = mq.MQENC_NATIVE
    outer.ccsid = kernel.number("ccsid")
    outer.format = mq.MQFMT_XMIT_Q_HEADER
    outer.reply_to_queue = ""
    outer.reply_to_qmgr = ""
    outer.msg_seq_number = 1
    outer.offset = 0
    outer.msg_flags = 0
    outer.original_length = mq.MQOL_UNDEFINED
    flags = entry.flags
    if not own.report & mq.MQRO_EXPIRATION:
        flags &= ~REPORTS  # the others are made where it arrives
    return Entry(
        0,
        entry.priority,
        flags,
        entry.put_ns,
        entry.expiry_at,
        kernel.new_id(),
        entry.msg_id,
        bytes(24),
        outer.pack(),
        data,
        len(data),
    )


def _list_before(kernel: Kernel, header: DistributionHeader, md: Descriptor) -> bytes:
    """The MQDH of a message for several queues; the descriptor then describes the MQDH."""
    header.encoding = md.encoding
    header.ccsid = md.ccsid
    header.format = md.format
    md.encoding = mq.MQENC_NATIVE
    md.ccsid = kernel.number("ccsid")
    md.format = mq.MQFMT_DIST_HEADER
    return header.pack()
