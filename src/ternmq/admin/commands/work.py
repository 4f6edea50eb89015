"""PING, START and STOP; and what cannot be done here, said plainly.

Commands for clusters and publish/subscribe are refused until their function is there.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.commands.filters import fits_name
from ternmq.admin.commands.objects import find
from ternmq.admin.execution import Execution
from ternmq.base import object_types as types
from ternmq.base.command_reasons import MQRCCF_COMMAND_FAILED, MQRCCF_CONNECTION_ID_ERROR
from ternmq.base.constants import MQCC_FAILED
from ternmq.base.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.parts import LISTENERS, SERVICES

DEFAULT_LISTENER: Final = "SYSTEM.DEFAULT.LISTENER.TCP"
_WHY: Final[dict[str, str]] = {
    "later policy": "protection of messages (AMS) is not there yet",
    "later cluster": "clusters are not there yet",
    "clear topic": "publications are retained by this queue manager alone, SCOPE(LOCAL)",
    "other platform": "it belongs to z/OS",
    "set log": "the log is not managed by archiving (LogManagement=Archive)",
    "reset qmgr": "archived logs and publish/subscribe hierarchies are not there yet",
}


@final
class NotHere(Execution):
    """A command that is understood and refused."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        return not_here(self)


def not_here(execution: Execution) -> bool:
    """Refuse a command that is understood."""
    row = execution.row
    why = _WHY[row.runs]
    reason = MQRC_FUNCTION_NOT_SUPPORTED
    return execution.refuse("AMQ8561E", row.action, row.noun, why, reason=reason)


@final
class PingQueueManager(Execution):
    """PING QMGR: an answer shows that commands are carried out."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        return self.succeed(kernel.name)


class PartCommand(Execution):
    """START and STOP of a listener or a service."""

    def space(self) -> str:
        """The space of names."""
        return LISTENERS if self.row.noun == "LISTENER" else SERVICES

    def named(self) -> str:
        """The object; the default listener if none is named."""
        return self.command.name or DEFAULT_LISTENER

    def state(self, message: str) -> bool:
        """It is as it was to become: an error, unless IGNSTATE(YES)."""
        if self.command.given.get("IGNSTATE", "NO") == "YES":
            return self.succeed(self.named())
        return self.refuse(message, self.named(), reason=MQRCCF_COMMAND_FAILED)

    def impossible(self, why: str) -> bool:
        """The shell cannot do it."""
        self.refuse("AMQ8561E", self.row.action, self.row.noun, why)
        answer = self.answers[-1]
        answer.comp = MQCC_FAILED
        answer.reason = MQRCCF_COMMAND_FAILED
        return True


@final
class StopConnection(Execution):
    """STOP CONN: the connection is cut, as if its application had died."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        wanted = self.command.name.upper()
        stem = self.command.given.get("EXTCONN", "*").upper()
        for number, one in kernel.connections.items():
            tag = one.tag.hex().upper()
            if tag.endswith(wanted) and len(wanted) in (16, 48) and fits_name(stem, tag[:32]):
                why = kernel.parts.end_connection(number)
                if not why:
                    return self.succeed()
                return self.refuse("AMQ8458E", wanted, why, reason=MQRCCF_COMMAND_FAILED)
        self.refuse("AMQ8155E", wanted, reason=MQRCCF_CONNECTION_ID_ERROR)
        if len(wanted) not in (16, 48):
            self.answers[-1].detail = (
                f"{wanted} is not 16 hexadecimal digits of CONN, nor 48 of EXTCONN and CONN; "
                "DISPLAY CONN(*) shows them"
            )
        return True


@final
class StartPart(PartCommand):
    """START LISTENER, START SERVICE."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        name = self.named()
        space = self.space()
        bit = types.LISTENER if space == LISTENERS else types.SERVICE
        definition = find(kernel, bit, name, self.verb)
        if name in kernel.parts.running[space]:
            return self.state("AMQ8730W" if space == LISTENERS else "AMQ8735W")
        why = kernel.parts.start(space, definition)
        return self.impossible(why) if why else self.succeed(name)


@final
class StopPart(PartCommand):
    """STOP LISTENER, STOP SERVICE."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        name = self.named()
        space = self.space()
        find(kernel, types.LISTENER if space == LISTENERS else types.SERVICE, name, self.verb)
        if name not in kernel.parts.running[space]:
            return self.state("AMQ8731W" if space == LISTENERS else "AMQ8736W")
        why = kernel.parts.stop(space, name)
        return self.impossible(why) if why else self.succeed(name)
