"""START CHANNEL and STOP CHANNEL.

START of a sender, server or requester calls the other end; of the other types it only enables again
what was stopped. STOP CHANNEL ends the instances that run, or those of one address (CONNAME) or
queue manager (QMNAME). With STATUS(STOPPED), which it is unless one of these was given, the channel
cannot be used until START CHANNEL, also after a restart of the queue manager; STATUS(INACTIVE)
enables a STOPPED one again without a start.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.commands.filters import fits_name
from ternmq.admin.commands.objects import find, has_room
from ternmq.admin.execution import Execution
from ternmq.base import object_types as types
from ternmq.base.command_reasons import (
    MQRCCF_ATTR_VALUE_ERROR,
    MQRCCF_CHANNEL_IN_USE,
    MQRCCF_CHANNEL_NOT_ACTIVE,
    MQRCCF_COMMAND_FAILED,
    MQRCCF_MISSING_CONN_NAME,
    MQRCCF_WRONG_CHANNEL_TYPE,
)
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from ternmq.kernel.channel_control import FULL, IN_USE, STARTED_HERE
from ternmq.kernel.channel_instance import (
    FORCE,
    INACTIVE,
    QUIESCE,
    STOPPED,
    TERMINATE,
    ChannelInstance,
)
from ternmq.kernel.channel_kept import free_queue, keep
from ternmq.kernel.channel_news import report_news
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.events import CHANNEL
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.parts import is_stopped
from ternmq.store.catalog import Definition

_MODES: Final = {"QUIESCE": QUIESCE, "FORCE": FORCE, "TERMINATE": TERMINATE}


class ChannelCommand(Execution):
    """What commands about one channel have in common: its definition, and that it can run here."""

    allowed = types.CHANNELS & ~types.CLNTCONN & ~types.AMQP  # the types that it is for
    wrong_type = MQRCCF_WRONG_CHANNEL_TYPE

    def step(self, kernel: Kernel, link: Link) -> bool:
        name = self.command.name
        channel = kernel.catalog.find(types.SVRCONN, name)
        if channel is None:
            channel = kernel.catalog.find(types.CLNTCONN, name)
        if channel is None:
            channel = find(kernel, types.CHANNELS & ~types.CLNTCONN, name, self.verb)
        if not channel.object_type & self.allowed:
            return self.refuse("AMQ9502E", name, self.verb, reason=self.wrong_type)
        if channel.object_type == types.CLUSSDR:
            return self.refuse(
                "AMQ8561E",
                self.row.action,
                self.row.noun,
                "clusters are not there yet",
                reason=MQRC_FUNCTION_NOT_SUPPORTED,
            )
        if not kernel.parts.has_channels and channel.object_type & types.MESSAGE_CHANNELS:
            return self.refuse(
                "AMQ8561E",
                self.row.action,
                self.row.noun,
                "this queue manager inside an application has no network (open_network)",
                reason=MQRC_FUNCTION_NOT_SUPPORTED,
            )
        return self.carry_out(kernel, link, channel)

    def carry_out(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        """Do it: the channel is there, and of a type that the command is for."""
        raise NotImplementedError

    def state(self, message: str, reason: int) -> bool:
        """It is as it was to become: an error, unless IGNSTATE(YES)."""
        if self.command.given.get("IGNSTATE", "NO") == "YES":
            return self.succeed()
        return self.refuse(message, self.command.name, reason=reason)


@final
class StartChannel(ChannelCommand):
    """START CHANNEL."""

    def carry_out(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        if not has_room(kernel, link, self.verb, channel):
            return False
        control = kernel.parts.control
        has_address = channel.object_type != types.SERVER or channel.text("connection_name")
        if channel.object_type & STARTED_HERE and has_address:
            return self._start(kernel, link, channel)
        if is_stopped(channel):
            control.stopped.discard(channel.name)
            if channel.object_type == types.SERVER:
                control.forget(channel.name)
            return keep(kernel, link, channel) and self.succeed()
        if not has_address:
            kernel.notices.add("AMQ9502E", (channel.name, "START CHANNEL without CONNAME"))
            return self.refuse(
                "AMQ9502E", channel.name, "START CHANNEL", reason=MQRCCF_MISSING_CONN_NAME
            )
        if control.is_running(channel.name):
            return self.state("AMQ9514E", MQRCCF_CHANNEL_IN_USE)
        return self.succeed()

    def _start(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        if not free_queue(kernel, link, channel, True):
            return False
        why = kernel.parts.control.start(channel)
        if why == IN_USE:
            return self.state("AMQ9514E", MQRCCF_CHANNEL_IN_USE)
        if why == FULL:
            return self.refuse("AMQ9513E", channel.name, reason=MQRCCF_COMMAND_FAILED)
        done = keep(kernel, link, channel)
        report_news(kernel)
        kernel.parts.look_at_channels()
        return done and self.succeed()


@final
class StopChannel(ChannelCommand):
    """STOP CHANNEL."""

    def carry_out(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        given = self.command.given
        chosen = self._chosen(kernel)
        is_part = "CONNAME" in given or "QMNAME" in given
        status = given.get("STATUS", INACTIVE if is_part else STOPPED)
        if status == STOPPED and is_part:
            raise mq_error(
                MQRCCF_ATTR_VALUE_ERROR,
                object=self.command.name,
                detail="STATUS(STOPPED) is for the whole channel: not with CONNAME or QMNAME",
            )
        if not has_room(kernel, link, self.verb, channel):
            return False
        if not self._note(kernel, channel, status, is_part) and not chosen:
            return self.state("AMQ9533W", MQRCCF_CHANNEL_NOT_ACTIVE)
        done = keep(kernel, link, channel, not chosen)
        kernel.parts.stop_instances(chosen, _MODES[given.get("MODE", "QUIESCE")])
        if kernel.events & CHANNEL and channel.object_type & types.MESSAGE_CHANNELS:
            kernel.event_sink.channel_stopped_by_user(channel.name)
        report_news(kernel)
        kernel.parts.look_at_channels()
        return done and self.succeed()

    def _note(self, kernel: Kernel, channel: Definition, status: str, is_part: bool) -> bool:
        """What the channel becomes; False: there is nothing to stop."""
        control = kernel.parts.control
        if is_part:
            return False  # others of it may go on
        if channel.object_type & STARTED_HERE:
            return control.stop(channel, status)
        if status == STOPPED:
            control.stopped.add(channel.name)
            return True
        control.stopped.discard(channel.name)
        return is_stopped(channel)

    def _chosen(self, kernel: Kernel) -> list[ChannelInstance]:
        given = self.command.given
        address = given.get("CONNAME", "*")
        partner = given.get("QMNAME", "")
        return [
            one
            for one in kernel.parts.instances.values()
            if one.name == self.command.name
            and fits_name(address, one.address)
            and (not partner or fits_name(partner, one.partner_qmgr))
        ]
