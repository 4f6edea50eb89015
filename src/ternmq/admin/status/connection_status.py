"""DISPLAY CONN and APSTATUS: who is connected, with what open, in which unit of work."""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.commands.filters import fits_name
from ternmq.admin.status.status_attributes import status_keywords
from ternmq.admin.status.status_display import StatusDisplay, Values, date_of, time_of
from ternmq.base import constants as mq
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.log.archive import extent_name
from ternmq.pubsub.publish_subscribe import SubscriptionInUse
from ternmq.pubsub.subscription import Subscription
from ternmq.txn.unit import ACTIVE, PREPARED

_STEM_BYTES: Final = 16
_OPEN_OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    ("MQOO_INPUT_AS_Q_DEF", mq.MQOO_INPUT_AS_Q_DEF),
    ("MQOO_INPUT_SHARED", mq.MQOO_INPUT_SHARED),
    ("MQOO_INPUT_EXCLUSIVE", mq.MQOO_INPUT_EXCLUSIVE),
    ("MQOO_BROWSE", mq.MQOO_BROWSE),
    ("MQOO_OUTPUT", mq.MQOO_OUTPUT),
    ("MQOO_INQUIRE", mq.MQOO_INQUIRE),
    ("MQOO_SET", mq.MQOO_SET),
    ("MQOO_SAVE_ALL_CONTEXT", mq.MQOO_SAVE_ALL_CONTEXT),
    ("MQOO_PASS_IDENTITY_CONTEXT", mq.MQOO_PASS_IDENTITY_CONTEXT),
    ("MQOO_PASS_ALL_CONTEXT", mq.MQOO_PASS_ALL_CONTEXT),
    ("MQOO_SET_IDENTITY_CONTEXT", mq.MQOO_SET_IDENTITY_CONTEXT),
    ("MQOO_SET_ALL_CONTEXT", mq.MQOO_SET_ALL_CONTEXT),
    ("MQOO_ALTERNATE_USER_AUTHORITY", mq.MQOO_ALTERNATE_USER_AUTHORITY),
    ("MQOO_FAIL_IF_QUIESCING", mq.MQOO_FAIL_IF_QUIESCING),
)
_CONNECT_OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    ("MQCNO_HANDLE_SHARE_NONE", mq.MQCNO_HANDLE_SHARE_NONE),
    ("MQCNO_HANDLE_SHARE_BLOCK", mq.MQCNO_HANDLE_SHARE_BLOCK),
    ("MQCNO_HANDLE_SHARE_NO_BLOCK", mq.MQCNO_HANDLE_SHARE_NO_BLOCK),
    ("MQCNO_RECONNECT", mq.MQCNO_RECONNECT),
    ("MQCNO_SHARED_BINDING", mq.MQCNO_SHARED_BINDING),
    ("MQCNO_ISOLATED_BINDING", mq.MQCNO_ISOLATED_BINDING),
    ("MQCNO_LOCAL_BINDING", mq.MQCNO_LOCAL_BINDING),
    ("MQCNO_CLIENT_BINDING", mq.MQCNO_CLIENT_BINDING),
)
_UNIT_STATES: Final = {ACTIVE: "ACTIVE", PREPARED: "PREPARED"}
_OBJECT_TYPES: Final = {mq.MQOT_Q: "QUEUE", mq.MQOT_Q_MGR: "QMGR", mq.MQOT_TOPIC: "TOPIC"}


def option_names(options: int, known: tuple[tuple[str, int], ...]) -> str:
    """MQI options by name, joined by commas."""
    return ",".join([name for name, bit in known if options & bit])


def handle_is_active(kernel: Kernel, handle: Handle) -> bool:
    """Whether a verb of the handle is under way: a get that waits."""
    return handle.key in kernel.waiting


def thread_of(link: Link) -> str | int:
    """The thread that connected; * if any may use the connection."""
    return link.thread_id if link.thread_id else "*"


def unit_name(link: Link) -> str:
    """QMURID: 0.0 while nothing was done in a unit of work."""
    return "0.0" if link.unit is None else f"0.{int(link.unit.unit_id)}"


def connection_id(link: Link) -> str:
    """The half of its 24 bytes that differs within the queue manager."""
    return link.tag[_STEM_BYTES:].hex().upper()


def full_connection_id(link: Link) -> str:
    """All 24 bytes of it, as other displays have it."""
    return link.tag.hex().upper()


@final
class ConnectionStatus(StatusDisplay):
    """DISPLAY CONN, with TYPE(CONN), TYPE(HANDLE) or both."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        pattern = self.command.name.upper() or "*"
        stem = self.command.given.get("EXTCONN", "*").upper()
        found: list[str] = []
        for number in sorted(kernel.connections):
            one = kernel.connections[number]
            if fits_name(pattern, connection_id(one)) and fits_name(stem, _stem(one)):
                found.append(str(number))
        return found

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        one = kernel.connections.get(int(subject))
        if one is None:
            return []  # gone since the last step
        kind = self.command.given.get("TYPE", "") or self._kind_filtered()
        result: list[Values] = []
        if kind != "HANDLE":
            result.append(_connection_values(kernel, one))
        if kind != "CONN":
            handles = [one.handles[number] for number in sorted(one.handles)]
            result.extend([_handle_values(kernel, one, handle) for handle in handles])
        return result

    def _kind_filtered(self) -> str:
        """Without TYPE, a filter by what only handles have means handles."""
        where = self.command.where
        if where is None or where.keyword in status_keywords("CONN", "CONN"):
            return "CONN"
        return "HANDLE"


def _stem(link: Link) -> str:
    return link.tag[:_STEM_BYTES].hex().upper()


def _connection_values(kernel: Kernel, link: Link) -> Values:
    unit = link.unit
    state = "NONE"
    started_ns = logged_ns = 0
    extent = ""
    if unit is not None and unit.changes:
        state = _UNIT_STATES.get(int(unit.state), "ACTIVE")
        started_ns = int(unit.started_ns)
        if unit.first_lsn:
            logged_ns = started_ns
            if kernel.keeper.control.parameters.is_linear:
                extent = extent_name(int(unit.first_lsn // kernel.keeper.extent_bytes))
    options = option_names(link.connect_options, _CONNECT_OPTIONS)
    return {
        "CONN": connection_id(link),
        "EXTCONN": _stem(link),
        "TYPE": "CONN",
        "PID": link.process_id,
        "TID": thread_of(link),
        "APPLDESC": "",
        "APPLTAG": link.application,
        "APPLTYPE": "USER",
        "ASTATE": "NONE",
        "CHANNEL": link.channel_name,
        "CLIENTID": "",
        "CONNAME": link.connection_name,
        "CONNOPTS": options or "MQCNO_STANDARD_BINDING",
        "USERID": link.user,
        "UOWLOG": extent,
        "UOWSTDA": date_of(started_ns),
        "UOWSTTI": time_of(started_ns),
        "UOWLOGDA": date_of(logged_ns),
        "UOWLOGTI": time_of(logged_ns),
        "URTYPE": "QMGR",
        "EXTURID": "XA_FORMATID[] XA_GTRID[] XA_BQUAL[]",
        "QMURID": unit_name(link),
        "UOWSTATE": state,
        "CONNTAG": f"MQCT{connection_id(link)}",
        "CALLS": "" if link.account is None else int(link.account.verb_total().calls),
        "HANDLES": len(link.handles),
    }


def _handle_values(kernel: Kernel, link: Link, handle: Handle) -> Values:
    definition = handle.definition
    values: Values = {
        "CONN": connection_id(link),
        "EXTCONN": _stem(link),
        "TYPE": "HANDLE",
        "OBJNAME": handle.resolved_name if definition is None else definition.name,
        "OBJTYPE": _OBJECT_TYPES.get(handle.object_type, "QUEUE"),
        "ASTATE": "NONE",
        "HSTATE": "ACTIVE" if handle_is_active(kernel, handle) else "INACTIVE",
        "OPENOPTS": option_names(int(handle.options), _OPEN_OPTIONS),
        "READA": "NO",
    }
    if handle.topic is not None:
        values["TOPICSTR"] = handle.topic.topic_string
    in_use = handle.subscription
    if isinstance(in_use, SubscriptionInUse):
        _add_subscription(kernel, in_use.subscription, values)
    return values


def _add_subscription(kernel: Kernel, subscription: Subscription, values: Values) -> None:
    """What a handle of MQSUB (Hsub) has and no other."""
    values["OBJNAME"] = subscription.terms.topic_object
    values["TOPICSTR"] = subscription.topic_string
    values["SUBNAME"] = subscription.name
    values["SUBID"] = subscription.sub_id.hex().upper()
    values["DEST"] = subscription.destination
    values["DESTQMGR"] = subscription.terms.destination_qmgr or kernel.name


@final
class ApplicationStatus(StatusDisplay):
    """DISPLAY APSTATUS: applications by name, with how many instances of each."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        names = {one.application for one in kernel.connections.values()}
        return sorted([name for name in names if fits_name(self.command.name, name)])

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        links = [one for one in kernel.connections.values() if one.application == subject]
        kind = self.command.given.get("TYPE", "APPL")
        if kind == "LOCAL":
            return [
                {
                    "APPLNAME": subject,
                    "CONNTAG": f"MQCT{connection_id(one)}",
                    "CONNS": 1,
                    "TYPE": "LOCAL",
                }
                for one in links
            ]
        if kind == "QMGR":
            return [
                {
                    "APPLNAME": subject,
                    "QMNAME": kernel.name,
                    "ACTIVE": "YES",
                    "COUNT": len(links),
                    "MOVCOUNT": 0,
                    "BALSTATE": "NOTAPPLIC",
                    "QMID": kernel.identity,
                    "TYPE": "QMGR",
                }
            ]
        values: Values = {"APPLNAME": subject, "CLUSTER": "", "COUNT": len(links)}
        values["MOVCOUNT"] = 0
        values["BALANCED"] = "NOTAPPLIC"
        values["TYPE"] = "APPL"
        return [values]
