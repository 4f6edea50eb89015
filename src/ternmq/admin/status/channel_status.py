"""DISPLAY CHSTATUS: CURRENT, one answer for each instance of a channel that runs and one for each
channel that waits (STARTING, RETRYING, STOPPED); SAVED, one for each partner whose state is kept.

An instance of a message channel shows what its agent has counted. Channels of clients have no
saved status, as in IBM MQ. What MONCHL collects is shown where it is on.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.filters import fits_name
from ternmq.admin.status.message_channel_status import (
    client_values,
    message_values,
    saved_values,
    waiting_values,
)
from ternmq.admin.status.status_display import StatusDisplay, Values
from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.object_types import CHANNELS, MESSAGE_CHANNELS, SENDER
from ternmq.channel.channel_state import ChannelState
from ternmq.kernel.authority import may_display_named
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.kernel.channel_states import StateListing
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.parts import is_stopped
from ternmq.values.command import Command

MONITORING_LEVELS: Final[dict[Value, str]] = {
    mq.MQMON_LOW: "LOW",
    mq.MQMON_MEDIUM: "MEDIUM",
    mq.MQMON_HIGH: "HIGH",
}
# Before the name of a channel without an instance, and before the place of a saved state; others
# have the number of an instance.
_WAITING: Final = "waiting "
_SAVED: Final = "saved "


@final
class ChannelStatus(StatusDisplay):
    """DISPLAY CHSTATUS."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._listing: StateListing | None = None
        self._states: list[ChannelState] | None = None

    def step(self, kernel: Kernel, link: Link) -> bool:
        if "SAVED" in self.command.given and self._states is None:
            listing = self._listing
            if listing is None:
                listing = StateListing()
                self._listing = listing
            if not listing.go_on(kernel, link, self.verb):
                return False
            listing.close(kernel)
            self._states = sorted(listing.states, key=lambda one: (one.channel, one.partner_qmgr))
        return super().step(kernel, link)

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        pattern = self.command.name
        states = self._states
        if states is not None:
            return [
                f"{_SAVED}{at}"
                for at, state in enumerate(states)
                if fits_name(pattern, state.channel)
            ]
        instances = kernel.parts.instances
        found = [str(at) for at in sorted(instances) if fits_name(pattern, instances[at].name)]
        running = {one.name for one in instances.values()}
        found += [
            _WAITING + name
            for name in waiting_names(kernel)
            if name not in running and fits_name(pattern, name)
        ]
        return found

    def everything(self) -> bool:
        """Only if it was asked for: the name of a channel alone asks for little."""
        return "ALL" in self.command.wanted and "SHORT" not in self.command.given

    def allowed(self, kernel: Kernel, link: Link, subject: str) -> bool:
        name = self.guard(kernel, subject)
        return not name or may_display_named(kernel, link, mq.MQOT_CHANNEL, name)

    def guard(self, kernel: Kernel, subject: str) -> str:
        if subject.startswith(_WAITING):
            return subject[len(_WAITING) :]
        if subject.startswith(_SAVED):
            return self._state(subject).channel
        instance = kernel.parts.instances.get(int(subject))
        return "" if instance is None else instance.name

    def _state(self, subject: str) -> ChannelState:
        states = self._states
        assert states is not None
        return states[int(subject[len(_SAVED) :])]

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        found = self._values(kernel, subject)
        if found is None:
            return []  # gone since the last step
        given = self.command.given
        for keyword in ("CONNAME", "XMITQ"):
            wanted = given.get(keyword, "")
            if wanted and not fits_name(wanted, str(found.get(keyword, ""))):
                return []
        return [found]

    def _values(self, kernel: Kernel, subject: str) -> Values | None:
        if subject.startswith(_SAVED):
            state = self._state(subject)
            return saved_values(state, kernel.catalog.find(SENDER, state.channel))
        if subject.startswith(_WAITING):
            channel = kernel.catalog.find(SENDER, subject[len(_WAITING) :])
            if channel is None:
                return None
            one = kernel.parts.control.channels.get(channel.name)
            return waiting_values(channel, one)
        instance = kernel.parts.instances.get(int(subject))
        if instance is None:
            return None
        monitoring = monitoring_of(kernel, instance)
        if instance.channel.object_type & MESSAGE_CHANNELS:
            return message_values(kernel, instance, monitoring)
        return client_values(instance, monitoring)


def waiting_names(kernel: Kernel) -> list[str]:
    """Channels that are current and may have no instance, by name."""
    names = {name for name, one in kernel.parts.control.channels.items() if not one.number}
    for name, channel in kernel.catalog.table_of(SENDER).items():
        if channel.object_type & CHANNELS and is_stopped(channel):
            names.add(name)
    return sorted(names)


def monitoring_of(kernel: Kernel, instance: ChannelInstance) -> str:
    """MONCHL of a channel, or of the queue manager where the channel leaves it to that."""
    default = kernel.number("monitoring_channels")
    if default == mq.MQMON_NONE:
        return "OFF"
    value = instance.channel.attributes.get("monitoring", mq.MQMON_Q_MGR)
    return MONITORING_LEVELS.get(default if value == mq.MQMON_Q_MGR else value, "OFF")
