"""What one running channel has of the engine: a connection, and the steps that carry wants out."""

from __future__ import annotations

from ternmq.channel.agent import Want
from ternmq.host.jobs import LoopVerbs
from ternmq.kernel.channel_work import ChannelWork, await_message, stop_awaiting
from ternmq.mqi.steps.channel_receiving import receiving_step
from ternmq.mqi.steps.channel_sending import sending_step
from ternmq.mqi.steps.step import Step
from ternmq.ports.effect import Wakeable


class EngineSide:
    """Carries out the wants of one agent."""

    def __init__(self, verbs: LoopVerbs, work: ChannelWork, is_sending: bool) -> None:
        self.verbs = verbs
        self.work = work
        self._is_sending = is_sending

    def step(self, want: Want, partner_qmgr: str) -> Step:
        """The step of a want."""
        self.work.partner_qmgr = partner_qmgr
        return (
            sending_step(self.work, want) if self._is_sending else receiving_step(self.work, want)
        )

    def watch(self, waker: Wakeable) -> bool:
        """Have it woken when the transmission queue may have a message; False: it may now."""
        shell = self.verbs.shell
        with shell.lock:
            found = await_message(shell.engine.kernel, self.verbs.link, self.work, waker)
            shell.flush()
        return found

    def stop_watching(self) -> None:
        """It need not be woken any more."""
        shell = self.verbs.shell
        with shell.lock:
            stop_awaiting(shell.engine.kernel, self.work)
