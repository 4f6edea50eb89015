"""START CHINIT and STOP CHINIT: channel initiators, each with an initiation queue of its own."""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.commands.objects import find
from ternmq.admin.execution import Execution
from ternmq.base import object_types as types
from ternmq.base.command_reasons import (
    MQRCCF_CHANNEL_INITIATOR_ERROR,
    MQRCCF_NO_CHANNEL_INITIATOR,
    MQRCCF_Q_WRONG_TYPE,
)
from ternmq.base.reasons import MQRC_FUNCTION_NOT_SUPPORTED, MQRC_OBJECT_IN_USE
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel

DEFAULT_INITIATION_QUEUE: Final = "SYSTEM.CHANNEL.INITQ"


class InitiatorCommand(Execution):
    """What both have in common."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        if not kernel.parts.has_channels:
            return self.refuse(
                "AMQ8561E",
                self.row.action,
                self.row.noun,
                "a queue manager inside an application has no channel initiator",
                reason=MQRC_FUNCTION_NOT_SUPPORTED,
            )
        name = self.command.given.get("INITQ") or DEFAULT_INITIATION_QUEUE
        return self.carry_out(kernel, name)

    def carry_out(self, kernel: Kernel, name: str) -> bool:
        """Do it, for the initiation queue of that name."""
        raise NotImplementedError


@final
class StartInitiator(InitiatorCommand):
    """START CHINIT."""

    def carry_out(self, kernel: Kernel, name: str) -> bool:
        control = kernel.parts.control
        queue = find(kernel, types.QUEUES, name, self.verb)
        if queue.object_type != types.LOCAL:
            return self.refuse("AMQ8138E", name, reason=MQRCCF_Q_WRONG_TYPE)
        if name in control.initiators:
            return self.refuse("AMQ8148E", name, reason=MQRC_OBJECT_IN_USE)
        if len(control.initiators) >= control.initiators_max:
            return self.refuse(
                "AMQ8994E", name, control.initiators_max, reason=MQRCCF_CHANNEL_INITIATOR_ERROR
            )
        kernel.parts.start_initiator(name)
        return self.succeed(name)


@final
class StopInitiator(InitiatorCommand):
    """STOP CHINIT: channels go on; triggers and retries wait."""

    def carry_out(self, kernel: Kernel, name: str) -> bool:
        if name not in kernel.parts.control.initiators:
            return self.refuse("AMQ8995E", name, reason=MQRCCF_NO_CHANNEL_INITIATOR)
        kernel.parts.stop_initiator(name)
        return self.succeed(name)
