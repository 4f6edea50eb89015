"""DISPLAY QMSTATUS, LSSTATUS, SVSTATUS: the queue manager and what belongs to it.

Channels have theirs in `channel_status`, topics in `topic_status`. Policies and clusters have no
status before their functions are there: `NoStatus` answers that nothing was found.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.commands.display import Column, value_of
from ternmq.admin.commands.filters import fits_name
from ternmq.admin.status.status_display import StatusDisplay, Values, date_of, time_of
from ternmq.base import constants as mq
from ternmq.base import object_types as types
from ternmq.base.attributes import attributes_of
from ternmq.kernel.authority import may_display_named
from ternmq.kernel.channel_instance import RUNNING, STARTING
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import STATUS_NAMES, Kernel
from ternmq.kernel.parts import LISTENERS, SERVICES, RunningPart
from ternmq.log.archive import extent_name
from ternmq.store.catalog import Definition
from ternmq.txn.media.extent_needs import extent_needs

_PAGE_KIB: Final = 4
_MEGABYTE: Final = 1 << 20
# What is not counted here.
_UNKNOWN: Final = ("ARCHLOG", "ARCHSZ", "DATFSSZ", "DATFSUSE", "LOGFSSZ",
                   "LOGFSUSE", "MEDIASZ", "QMFSSZ", "QMFSUSE", "RECSZ", "REUSESZ",
                   "UNICLUS")  # fmt: skip


@final
class QueueManagerStatus(StatusDisplay):
    """DISPLAY QMSTATUS."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        kind = self.command.given.get("TYPE", "QMGR")
        return [kernel.name] if kind in ("QMGR", "ALL") else []

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        values: Values = {
            "QMNAME": kernel.name,
            "TYPE": "QMGR",
            "STATUS": STATUS_NAMES[kernel.status],
            "AUTOCLUS": "NONE",
            "CHINIT": _initiator(kernel),
            "CHKPTCNT": int(kernel.keeper.checkpoints),
            "CMDSERV": "STOPPED",
            "CONNS": len(kernel.connections),
            "DATPATH": "",
            "HOSTNAME": "",
            "INSTDESC": "",
            "INSTNAME": "",
            "INSTPATH": "",
            "LDAPCONN": "INACTIVE",
            "LOGPATH": "",
            "STANDBY": "NOPERMIT",
            "STARTDA": date_of(kernel.started_ns),
            "STARTTI": time_of(kernel.started_ns),
        }
        for keyword in _UNKNOWN:
            values[keyword] = ""
        _add_log(kernel, values)
        values.update(kernel.environment)  # what the shell knows better
        return [values]


def _initiator(kernel: Kernel) -> str:
    """RUNNING if any channel initiator does."""
    statuses = set(kernel.parts.control.initiators.values())
    if RUNNING in statuses:
        return RUNNING
    return STARTING if statuses else "STOPPED"


def _add_log(kernel: Kernel, values: Values) -> None:
    keeper = kernel.keeper
    parameters = keeper.control.parameters
    end_lsn = int(kernel.coordinator.log.end_lsn)
    used = round(100 * keeper.space.used_fraction(end_lsn))
    log = kernel.coordinator.log
    values["CHKPTOPS"] = int(log.records - keeper.records_then)
    values["CHKPTSZ"] = (end_lsn - int(keeper.lsn_then)) // _MEGABYTE
    values["LOGEXTSZ"] = parameters.pages * _PAGE_KIB
    values["LOGINUSE"] = used
    values["LOGPRIM"] = parameters.primary
    values["LOGSEC"] = parameters.secondary
    values["LOGSTRDA"] = date_of(kernel.started_ns)
    values["LOGSTRTI"] = time_of(kernel.started_ns)
    values["LOGSTRL"] = f"<0:0:{end_lsn >> 16}:{end_lsn & 0xFFFF}>"
    values["LOGTYPE"] = "LINEAR" if parameters.is_linear else "CIRCULAR"
    values["LOGUTIL"] = used
    if parameters.is_linear:
        needs = extent_needs(keeper)
        values["CURRLOG"] = extent_name(needs.current)
        values["RECLOG"] = extent_name(needs.restart)
        values["MEDIALOG"] = "" if needs.media < 0 else extent_name(needs.media)


class PartStatus(StatusDisplay):
    """LSSTATUS and SVSTATUS: what runs, with its definition's attributes."""

    def space(self) -> str:
        """The space of names."""
        return LISTENERS if self.row.noun == "LSSTATUS" else SERVICES

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        running = kernel.parts.running[self.space()]
        return sorted([name for name in running if fits_name(self.command.name, name)])

    def allowed(self, kernel: Kernel, link: Link, subject: str) -> bool:
        mqot = mq.MQOT_LISTENER if self.row.noun == "LSSTATUS" else mq.MQOT_SERVICE
        return may_display_named(kernel, link, mqot, subject)

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        part = kernel.parts.running[self.space()].get(subject)
        if part is None:
            return []
        is_listener = self.row.noun == "LSSTATUS"
        values: Values = {"LISTENER" if is_listener else "SERVICE": subject}
        definition = kernel.catalog.find(types.LISTENER if is_listener else types.SERVICE, subject)
        if definition is not None:
            _add_definition(definition, values)
        _add_part(part, values)
        return [values]


def _add_part(part: RunningPart, values: Values) -> None:
    values["STATUS"] = part.status
    values["PID"] = part.process_id
    values["STARTDA"] = date_of(part.started_ns)
    values["STARTTI"] = time_of(part.started_ns)
    if part.port:  # of a listener: as it listens
        values["PORT"] = part.port
        values["IPADDR"] = part.address or "*"
        values["BACKLOG"] = part.backlog


def _add_definition(definition: Definition, values: Values) -> None:
    for row in attributes_of(definition.object_type):
        column = Column(row)
        values[row.keyword] = column.item(value_of(definition, None, column)).value


@final
class NoStatus(StatusDisplay):
    """POLICY, CLUSQMGR: there is nothing yet that could have one."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        return []
