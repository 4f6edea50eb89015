"""What the control of channels reports: messages for the error log, and channel events."""

from __future__ import annotations

from ternmq.base.object_types import SENDER
from ternmq.kernel.channel_control import WAITS
from ternmq.kernel.events import CHANNEL
from ternmq.kernel.kernel import Kernel


def report_news(kernel: Kernel) -> None:
    """Report what is new, and forget it."""
    control = kernel.parts.control
    if not control.news:
        return
    news = control.news
    control.news = []
    for one in news:
        waits = one.kind == WAITS
        if waits:
            kernel.notices.add("AMQ9573E", (one.name, control.active_max))
        else:
            kernel.notices.add("AMQ9574I", (one.name,))
        definition = kernel.catalog.find(SENDER, one.name)
        if kernel.events & CHANNEL and definition is not None:
            kernel.event_sink.channel_place(definition, waits)
