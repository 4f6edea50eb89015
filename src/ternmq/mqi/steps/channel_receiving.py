"""The wants of the receiving end of a channel, as steps."""

from __future__ import annotations

from typing import final

from ternmq.base.errors import IntegrityError
from ternmq.channel import agent
from ternmq.kernel import channel_receiving as receiving
from ternmq.kernel.channel_work import ChannelWork, reset_sequence
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.mqi.received_message import read_message
from ternmq.mqi.steps.step import Step


def receiving_step(work: ChannelWork, want: agent.Want) -> Step:
    """The step that carries a want out. `durable_at` of the connection says afterwards whether the
    log must be forced before `done`."""
    return ReceivingStep(work, want)


@final
class ReceivingStep(Step):
    """One want. A message is read before the engine's lock is taken."""

    def __init__(self, work: ChannelWork, want: agent.Want) -> None:
        super().__init__(agent.WANT_NAMES[want.kind])
        self.work = work
        self.want = want
        self._placing = work.placing
        if want.kind == agent.PLACE and self._placing is None:
            head = want.head or b""
            self._placing = read_message(head, want.is_fast, work.last_read, want.body)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        work = self.work
        want = self.want
        if want.kind == agent.PLACE and self._placing is not None:
            return receiving.place_message(kernel, link, work, want, self._placing)
        if want.kind == agent.COMMIT:
            return receiving.commit_batch(kernel, link, work, want)
        if want.kind == agent.BACK_OUT:
            return receiving.back_out_batch(kernel, link, work, want)
        if want.kind == agent.READ_STATE:
            return receiving.open_channel(kernel, link, work, want)
        if want.kind == agent.RESET:
            return reset_sequence(kernel, link, work, want)
        raise IntegrityError(f"{self.verb} is not for a receiving end")
