"""The step that writes down what has become of a channel: STOPPED, RETRYING, its queue."""

from __future__ import annotations

from typing import final

from ternmq.base.object_types import SENDER
from ternmq.kernel.channel_kept import keep
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.mqi.steps.step import Step


@final
class KeepChannel(Step):
    """Keep the state of one channel; a channel that was deleted has none."""

    def __init__(self, name: str) -> None:
        super().__init__("CHANNEL")
        self._name = name

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        link.begin_verb()
        channel = kernel.catalog.find(SENDER, self._name)
        if channel is None:
            return True
        return keep(kernel, link, channel, not kernel.parts.control.is_running(self._name))
