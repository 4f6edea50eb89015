"""The wants of the sending end of a channel, as steps."""

from __future__ import annotations

from typing import final

from ternmq.base.errors import IntegrityError
from ternmq.channel import agent
from ternmq.codec.conversion_service import ConversionService
from ternmq.kernel import channel_sending as sending
from ternmq.kernel.channel_placing import Placing
from ternmq.kernel.channel_work import ChannelWork, reset_sequence
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.mqi.converted_message import convert_message
from ternmq.mqi.received_message import read_message
from ternmq.mqi.steps.step import Step


def sending_step(work: ChannelWork, want: agent.Want) -> Step:
    """The step that carries a want out. `durable_at` of the connection says afterwards whether the
    log must be forced before `done`: not for a COMMIT. `before_travel` has to be called before
    `done`, without the lock: it converts."""
    return SendingStep(work, want)


@final
class SendingStep(Step):
    """One want."""

    def __init__(self, work: ChannelWork, want: agent.Want) -> None:
        super().__init__(agent.WANT_NAMES[want.kind])
        self.work = work
        self.want = want
        self._conversion: ConversionService | None = None
        self._placing: Placing | None = None
        if want.kind == agent.BURY and want.message is not None:
            self._placing = read_message(want.message, work.got_is_fast)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        work = self.work
        want = self.want
        if want.kind == agent.GET:
            self._conversion = kernel.conversion
            return sending.get_message(kernel, link, work, want)
        if want.kind == agent.PREPARE:
            return sending.prepare_batch(kernel, link, work, want)
        if want.kind == agent.COMMIT:
            return sending.commit_batch(kernel, link, work, want)
        if want.kind == agent.BACK_OUT:
            return sending.back_out_batch(kernel, link, work, want)
        if want.kind == agent.READ_STATE:
            return sending.open_channel(kernel, link, work, want)
        if want.kind == agent.BURY:
            return sending.bury_message(kernel, link, work, want, self._placing)
        if want.kind == agent.RESET:
            return reset_sequence(kernel, link, work, want)
        raise IntegrityError(f"{self.verb} is not for a sending end")

    def before_travel(self) -> None:
        """CONVERT(YES), without the lock."""
        want = self.want
        if want.kind == agent.GET and want.ccsid and want.message is not None and not want.reason:
            want.message, want.reason = convert_message(
                want.message, want.ccsid, want.encoding, int(want.bytes_max), self._conversion
            )
