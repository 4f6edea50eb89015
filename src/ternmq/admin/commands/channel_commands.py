"""START CHANNEL and STOP CHANNEL, for the channels of clients (SVRCONN).

STOP CHANNEL ends the instances that run, or those from one address (CONNAME). With STATUS(STOPPED),
which it is unless an address was given, clients cannot use it until START CHANNEL, also after
a restart of the queue manager. Channels between queue managers are refused so far.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.commands.filters import fits_name
from ternmq.admin.commands.objects import find, has_room
from ternmq.admin.commands.work import NotHere
from ternmq.admin.execution import Execution
from ternmq.base import object_types as types
from ternmq.base.command_reasons import (
    MQRCCF_ATTR_VALUE_ERROR,
    MQRCCF_CHANNEL_IN_USE,
    MQRCCF_CHANNEL_NOT_ACTIVE,
)
from ternmq.base.errors import mq_error
from ternmq.kernel.channel_instance import FORCE, QUIESCE, TERMINATE, ChannelInstance
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.parts import STOPPED_BY_COMMAND, is_stopped
from ternmq.store.catalog import Definition

_MODES: Final = {"QUIESCE": QUIESCE, "FORCE": FORCE, "TERMINATE": TERMINATE}


class ChannelCommand(Execution):
    """What both have in common."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        name = self.command.name
        is_client = kernel.catalog.find(types.CLNTCONN, name) is not None
        definition = kernel.catalog.find(types.SVRCONN, name)
        if definition is None and not is_client:
            find(kernel, types.CHANNELS & ~types.CLNTCONN, name, self.verb)
        if definition is None or definition.object_type != types.SVRCONN:
            other = NotHere(self.command, self.row)
            done = other.step(kernel, link)
            self.answers.extend(other.answers)
            return done
        return self.carry_out(kernel, link, definition)

    def carry_out(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        """Do it: the channel is there, and one of clients."""
        raise NotImplementedError

    def settle(self, kernel: Kernel, link: Link, channel: Definition, stopped: bool) -> bool:
        """Whether it is stopped, from now on; False: parked until the log has room for that."""
        if is_stopped(channel) == stopped:
            return True
        if not has_room(kernel, link, self.verb, channel):
            return False
        channel.attributes[STOPPED_BY_COMMAND] = int(stopped)
        link.depends_on(kernel.coordinator.define(kernel.catalog, channel))
        return True

    def state(self, message: str, reason: int) -> bool:
        """It is as it was to become: an error, unless IGNSTATE(YES)."""
        if self.command.given.get("IGNSTATE", "NO") == "YES":
            return self.succeed()
        return self.refuse(message, self.command.name, reason=reason)


@final
class StartChannel(ChannelCommand):
    """START CHANNEL: clients may use it again. It is clients that start it."""

    def carry_out(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        if is_stopped(channel):
            return self.settle(kernel, link, channel, False) and self.succeed()
        if any(one.name == channel.name for one in kernel.parts.instances.values()):
            return self.state("AMQ9514E", MQRCCF_CHANNEL_IN_USE)
        return self.succeed()


@final
class StopChannel(ChannelCommand):
    """STOP CHANNEL."""

    def carry_out(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        given = self.command.given
        chosen = self._chosen(kernel)
        is_part = "CONNAME" in given or "QMNAME" in given
        status = given.get("STATUS", "INACTIVE" if is_part else "STOPPED")
        if status == "STOPPED":
            if is_part:
                raise mq_error(
                    MQRCCF_ATTR_VALUE_ERROR,
                    object=self.command.name,
                    detail="STATUS(STOPPED) is for the whole channel: not with CONNAME or QMNAME",
                )
            if not self.settle(kernel, link, channel, True):
                return False
        elif not chosen:
            return self.state("AMQ9533W", MQRCCF_CHANNEL_NOT_ACTIVE)
        kernel.parts.stop_instances(chosen, _MODES[given.get("MODE", "QUIESCE")])
        return self.succeed()

    def _chosen(self, kernel: Kernel) -> list[ChannelInstance]:
        address = self.command.given.get("CONNAME", "*")
        if self.command.given.get("QMNAME"):
            return []  # no client is a queue manager
        return [
            one
            for one in kernel.parts.instances.values()
            if one.name == self.command.name and fits_name(address, one.address)
        ]
