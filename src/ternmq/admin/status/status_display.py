"""DISPLAY of status: a table says what can be shown, a source gives the values.

A `StatusDisplay` walks over its subjects (queues, handles, connections ...), a bounded number a
step, asks for the values of each and shows those that were asked for and fit the filter. The
sources are in `queue_status` and `qmgr_status`.
"""

from __future__ import annotations

from typing import Final

from ternmq.admin.command_authority import kind_of, not_displayed
from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.display import wants_everything
from ternmq.admin.commands.filters import fits
from ternmq.admin.execution import STEP_OBJECTS, Execution
from ternmq.admin.status.status_attributes import status_attributes
from ternmq.base import reasons as rc
from ternmq.base.attributes import Value
from ternmq.base.command_reasons import MQRCCF_COMMAND_FAILED
from ternmq.base.ids import put_stamp
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.values.command import Answer, Command, Item

Values = dict[str, Value]
# What MONITOR stands for.
MONITORED: Final[dict[str, tuple[str, ...]]] = {
    "QSTATUS": ("LGETDATE", "LGETTIME", "LPUTDATE", "LPUTTIME", "MONQ", "MSGAGE", "QTIME"),
    "CHSTATUS": (
        "COMPRATE",
        "COMPTIME",
        "EXITTIME",
        "MONCHL",
        "NETTIME",
        "XBATCHSZ",
        "XQMSGSA",
        "XQTIME",
    ),
}
BARE: Final = ("CURRENT", "SAVED")  # shown without brackets
NOT_FOUND: Final[dict[str, tuple[str, int]]] = {
    "QSTATUS": ("AMQ8565E", rc.MQRC_UNKNOWN_OBJECT_NAME),
    "CONN": ("AMQ8461I", rc.MQRC_HCONN_ERROR),
    "CHSTATUS": ("AMQ8420I", rc.MQRC_UNKNOWN_OBJECT_NAME),
    "POLICY": ("AMQ9087I", rc.MQRC_UNKNOWN_OBJECT_NAME),
    "CLUSQMGR": ("AMQ8423E", rc.MQRC_UNKNOWN_OBJECT_NAME),
    "CHLAUTH": ("AMQ8884E", rc.MQRC_UNKNOWN_OBJECT_NAME),
    "AUTHREC": ("AMQ8919I", rc.MQRC_UNKNOWN_OBJECT_NAME),
    "APSTATUS": ("AMQ8459E", rc.MQRC_UNKNOWN_OBJECT_NAME),
    "TRACE": ("AMQ8974E", MQRCCF_COMMAND_FAILED),
    "CURSOR": ("AMQ8986E", rc.MQRC_UNKNOWN_OBJECT_NAME),
    "LEDGER": ("AMQ8989E", rc.MQRC_UNKNOWN_OBJECT_NAME),
}


def date_of(ns: int) -> str:
    """2025-04-22; "" for never."""
    stamp = put_stamp(ns).decode("ascii")
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}" if ns else ""


def time_of(ns: int) -> str:
    """03.01.08; "" for never."""
    stamp = put_stamp(ns).decode("ascii")
    return f"{stamp[8:10]}.{stamp[10:12]}.{stamp[12:14]}" if ns else ""


def yes(condition: bool) -> str:
    """YES or NO."""
    return "YES" if condition else "NO"


class StatusDisplay(Execution):
    """The walk that all DISPLAYs of status share; a subclass says over what."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._subjects: list[str] | None = None
        self._next = 0
        self._left_out = ""

    # ---- for the subclass

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        """The keys of what there is, in order; names that do not fit are left out."""
        raise NotImplementedError

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        """What is known of a subject now, one or several answers of it; None: parked."""
        raise NotImplementedError

    def allowed(self, kernel: Kernel, link: Link, subject: str) -> bool:
        """Whether the user may see it."""
        return True

    def guard(self, kernel: Kernel, subject: str) -> str:
        """The name of the object whose authority counts for it."""
        return subject

    def everything(self) -> bool:
        """Whether all that is known is shown."""
        return wants_everything(self.command)

    # ---- the walk

    def step(self, kernel: Kernel, link: Link) -> bool:
        subjects = self._subjects
        if subjects is None:
            subjects = self.subjects(kernel, link)
            self._subjects = subjects
        last = min(self._next + STEP_OBJECTS, len(subjects))
        while self._next < last:
            subject = subjects[self._next]
            if not self.allowed(kernel, link, subject):
                self._left_out = subject
            else:
                found = self.values(kernel, link, subject)
                if found is None:
                    return False
                for values in found:
                    self._show(values)
            self._next += 1
        if self._next < len(subjects):
            link.again = True
            return False
        if self.answers:
            return True
        if self._left_out:
            guard = self.guard(kernel, self._left_out)
            mqot = kind_of(self.row)
            raise not_displayed(kernel, link, self.command, self.row, mqot, guard)
        message, reason = NOT_FOUND.get(self.row.noun, ("AMQ8147E", rc.MQRC_UNKNOWN_OBJECT_NAME))
        if not subjects and message == "AMQ8565E":
            message = "AMQ8147E"
        return self.refuse(message, self.command.name or self.verb, reason=reason)

    def _show(self, values: Values) -> None:
        command = self.command
        where = command.where
        if where is not None:
            if where.keyword not in values or not fits(where, values[where.keyword]):
                return
        monitored = MONITORED.get(self.row.noun, ()) if "MONITOR" in command.given else ()
        everything = self.everything() and not monitored
        asked = bool(command.wanted or monitored)
        answer = Answer(self.row.message)
        kind = values.get("TYPE", "")
        for one in status_attributes(self.row.noun, str(kind)):
            keyword = one.keyword
            if keyword not in values:
                continue
            wanted = one.always or keyword in command.wanted or keyword in monitored
            wanted = wanted or (everything and not one.by_name) or (one.unasked and not asked)
            if wanted or (where is not None and where.keyword == keyword):
                answer.items.append(Item(keyword, values[keyword], keyword in BARE))
        self.answers.append(answer)
