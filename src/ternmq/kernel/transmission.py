"""Messages for other queue managers: which transmission queue takes them, and the header that they
get there.

A name leads to another queue manager by a local definition of a remote queue (QREMOTE), by the name
of a queue manager that is a transmission queue here or a queue manager alias (a QREMOTE without
RNAME), or by the default transmission queue; docs/administration/name-resolution.md has all rules
in a table. On the transmission queue a message is MQXQH, MQMDE where version 2 of its descriptor
says something, MQDH if it is for several queues, MQRFH2 if it has properties, then its data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import ALIAS, LOCAL, REMOTE
from ternmq.base.reasons import (
    MQRC_DEF_XMIT_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_USAGE_ERROR,
    MQRC_REMOTE_Q_NAME_ERROR,
    MQRC_UNKNOWN_DEF_XMIT_Q,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
    MQRC_UNKNOWN_XMIT_Q,
    MQRC_XMIT_Q_TYPE_ERROR,
    MQRC_XMIT_Q_USAGE_ERROR,
    MQRC_XQH_ERROR,
)
from ternmq.codec.headers.mqdh import DistributionHeader
from ternmq.codec.headers.mqmde import NO_EXTENSION, extension_before
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import FORMAT_AT, GROUP_ID_AT, Descriptor
from ternmq.codec.property_header import as_put
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.requests import REPLY_QMGR_AT, REPLY_QUEUE_AT, PutRequest
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.copying import tenths_of
from ternmq.values.entry import OWN_DATE, REPORTS, ZERO_ID, Entry, packed_descriptor

if TYPE_CHECKING:
    from ternmq.kernel.connection import Handle

NAME_BYTES: Final = REPLY_QMGR_AT - REPLY_QUEUE_AT
XQH_BYTES: Final = mq.MQXQH_CURRENT_LENGTH
HEADERS_BYTES_MAX: Final = XQH_BYTES + mq.MQMDE_LENGTH_2
_NO_PLACE: Final = NO_EXTENSION[len(ZERO_ID) :]
_PLACE_AT: Final = GROUP_ID_AT + len(ZERO_ID)
_TRANSMITTED: Final = mq.MQFMT_XMIT_Q_HEADER.encode("ascii").ljust(8)


@final
class Route:
    """Where a message goes in the end, and the local queue that takes it."""

    __slots__ = ("list_header", "named_qmgr", "remote_qmgr", "remote_queue", "transmission")

    def __init__(self, remote_queue: str, remote_qmgr: str, transmission: Definition) -> None:
        self.remote_queue = remote_queue
        self.remote_qmgr = remote_qmgr
        self.transmission = transmission
        self.named_qmgr = ""  # the queue manager that the application has named, if it has
        # of a message for several queues: which these are
        self.list_header: DistributionHeader | None = None


def resolved_names(handle: Handle, options: i64, qmgr_name: str) -> tuple[str, str]:
    """ResolvedQName and ResolvedQMgrName of an open or a put. For a queue of another queue manager
    they name that one, or the transmission queue here if MQOO_RESOLVE_LOCAL_Q, which is the same
    bit as MQPMO_RESOLVE_LOCAL_Q, asks for the local queue."""
    route = handle.route
    if route is None:
        if handle.topic is not None:  # a topic is not a queue
            return "", ""
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
    if manager in ("", kernel.name):  # even with XMITQ
        detail = f"RQMNAME({manager or ' '}) is not another queue manager"
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
    """Whether a name is this queue manager's, or an alias for it: then its queues are those here.
    An alias without RQMNAME stands for no name, which is the same."""
    if manager in ("", kernel.name):
        return True
    alias = _alias_of(kernel, manager)
    return alias is not None and alias.text("remote_qmgr") in ("", kernel.name)


def _alias_of(kernel: Kernel, manager: str) -> Definition | None:
    """The queue manager alias of that name."""
    found = kernel.catalog.definitions.get(manager)
    if found is None or found.object_type != REMOTE or found.text("remote_queue"):
        return None
    return found


def route_of_manager(kernel: Kernel, queue: str, manager: str, verb: str) -> Route | None:
    """By the name of a queue manager; None if that is another name for this one."""
    if is_this_manager(kernel, manager):
        return None
    alias = _alias_of(kernel, manager)
    if alias is not None:
        named = alias.text("transmission_queue")
        remote = alias.text("remote_qmgr")
        route = Route(queue, remote, transmission_queue(kernel, named, remote, verb))
    else:
        found = kernel.catalog.definitions.get(manager)
        if found is not None and found.object_type not in (LOCAL, ALIAS):
            kind = "a QREMOTE with RNAME" if found.object_type == REMOTE else "a model queue"
            detail = f"{manager} is {kind}, no queue manager alias and no transmission queue"
            raise mq_error(MQRC_UNKNOWN_REMOTE_Q_MGR, verb=verb, object=manager, detail=detail)
        route = Route(queue, manager, _of_manager(kernel, manager, found, verb))
    route.named_qmgr = manager
    return route


def _of_manager(kernel: Kernel, manager: str, found: Definition | None, verb: str) -> Definition:
    """The transmission queue for a name that does not define a remote queue. An alias queue of
    that name says nothing about queue managers."""
    if found is not None and found.object_type == ALIAS:
        return _default_queue(kernel, manager, verb)
    return transmission_queue(kernel, "", manager, verb)


def transmission_queue(kernel: Kernel, named: str, manager: str, verb: str) -> Definition:
    """The one that is named, that of the queue manager's name, or the default one."""
    name = named or manager
    definition = kernel.catalog.definitions.get(name)
    if definition is None:
        if named:
            raise mq_error(MQRC_UNKNOWN_XMIT_Q, verb=verb, object=named)
        return _default_queue(kernel, manager, verb)
    if definition.object_type != LOCAL:
        raise mq_error(MQRC_XMIT_Q_TYPE_ERROR, verb=verb, object=name)
    if definition.number("usage") != mq.MQUS_TRANSMISSION:
        raise mq_error(MQRC_XMIT_Q_USAGE_ERROR, verb=verb, object=name, detail="USAGE(NORMAL)")
    return definition


def _default_queue(kernel: Kernel, manager: str, verb: str) -> Definition:
    """DEFXMITQ, for a queue manager that has no transmission queue."""
    catalog: Catalog = kernel.catalog
    name = str(catalog.qmgr["default_transmission_queue"])
    if not name:
        raise mq_error(MQRC_UNKNOWN_REMOTE_Q_MGR, verb=verb, object=manager)
    definition = catalog.definitions.get(name)
    if definition is None:
        raise mq_error(MQRC_UNKNOWN_DEF_XMIT_Q, verb=verb, object=name)
    if definition.object_type != LOCAL:
        raise mq_error(MQRC_DEF_XMIT_Q_TYPE_ERROR, verb=verb, object=name)
    if definition.number("usage") != mq.MQUS_TRANSMISSION:
        raise mq_error(MQRC_DEF_XMIT_Q_USAGE_ERROR, verb=verb, object=name, detail="USAGE(NORMAL)")
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


def extension_bytes(request: PutRequest) -> i64:
    """The length of the MQMDE that a message gets on a transmission queue."""
    if request.base[_PLACE_AT:] == _NO_PLACE and not request.new_group_id:
        if request.group_id == ZERO_ID:
            return 0
    return mq.MQMDE_LENGTH_2


def segment_header_bytes(handle: Handle) -> i64:
    """What a segment gets on a transmission queue: its place needs an MQMDE."""
    return handle.header_bytes + mq.MQMDE_LENGTH_2 if handle.header_bytes else 0


def check_header(local_name: str, base: bytes, data: bytes) -> None:
    """MQRC_XQH_ERROR for a message that an application puts on a transmission queue and whose data
    is not what its Format says."""
    if base[FORMAT_AT : FORMAT_AT + len(_TRANSMITTED)] != _TRANSMITTED:
        return
    try:
        TransmissionHeader.unpack(data)
    except MQError as invalid:
        raise mq_error(
            MQRC_XQH_ERROR, verb="MQPUT", object=local_name, detail=invalid.detail
        ) from None


def as_transmitted(kernel: Kernel, route: Route, entry: Entry) -> Entry:
    """The message as it is on the transmission queue."""
    own = Descriptor.unpack(packed_descriptor(entry))
    own.expiry = int(tenths_of(entry))  # CAPEXPRY may have shortened it
    outer = _separate(kernel, own)
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
    flags = entry.flags & ~OWN_DATE  # the date is that of its arrival here
    if not own.report & mq.MQRO_EXPIRATION:
        flags &= ~REPORTS  # the others are made where it arrives
    return Entry(
        0,
        entry.priority,
        flags,
        kernel.clock.now_ns() if entry.flags & OWN_DATE else entry.put_ns,
        entry.expiry_at,
        kernel.new_id(),
        entry.msg_id,
        ZERO_ID,
        outer.pack(),
        data,
        len(data),
    )


def _separate(kernel: Kernel, own: Descriptor) -> Descriptor:
    """The descriptor beside a message on a transmission queue; its own one is in the MQXQH.
    Identity context and all that decides how it is kept are the message's."""
    outer = own.copy()
    outer.report &= ~mq.MQRO_ACCEPT_UNSUP_IF_XMIT_MASK  # no COA and COD on the way
    outer.encoding = mq.MQENC_NATIVE
    outer.ccsid = kernel.number("ccsid")
    outer.format = mq.MQFMT_XMIT_Q_HEADER
    outer.put_appl_type = mq.MQAT_QMGR
    outer.put_appl_name = kernel.name[: mq.MQ_PUT_APPL_NAME_LENGTH]
    outer.appl_origin_data = ""
    outer.msg_seq_number = 1
    outer.offset = 0
    outer.msg_flags = mq.MQMF_NONE
    outer.original_length = mq.MQOL_UNDEFINED
    return outer


def _list_before(kernel: Kernel, header: DistributionHeader, md: Descriptor) -> bytes:
    """The MQDH of a message for several queues; the descriptor then describes the MQDH."""
    header.encoding = md.encoding
    header.ccsid = md.ccsid
    header.format = md.format
    md.encoding = mq.MQENC_NATIVE
    md.ccsid = kernel.number("ccsid")
    md.format = mq.MQFMT_DIST_HEADER
    return header.pack()
