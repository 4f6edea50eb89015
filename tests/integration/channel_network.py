"""Several queue managers of their own processes, with channels between any two of them."""

from __future__ import annotations

import ternmq
from ternmq import constants as mq
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from tests.battery.places import until
from tests.integration.channel_pair import ChannelPair

WAIT_S = 15
Header = tuple[str, str]  # queue and queue manager of an MQXQH


class Network(ChannelPair):
    """Queue managers by their names."""

    def link(self, source: str, target: str, queue: str = "", channel: str = "") -> str:
        """A transmission queue at one queue manager and a channel to another, not started."""
        queue = queue or target
        channel = channel or f"{source}.TO.{queue}"
        self.mqsc(
            source,
            f"DEFINE QLOCAL('{queue}') USAGE(XMITQ) REPLACE",
            f"DEFINE CHANNEL('{channel}') CHLTYPE(SDR) XMITQ('{queue}') REPLACE "
            f"CONNAME('127.0.0.1({self.ports[target]})')",
        )
        self.mqsc(target, f"DEFINE CHANNEL('{channel}') CHLTYPE(RCVR) REPLACE")
        return channel

    def run_channel(self, name: str, channel: str) -> None:
        """Start a channel and wait for it, if it does not run already."""
        if self.status(name, channel) == "RUNNING":
            return
        self.mqsc(name, f"START CHANNEL('{channel}')")
        self.becomes(name, "RUNNING", channel)

    def headers(self, name: str, queue: str, count: int) -> list[Header]:
        """The destinations of the messages on a transmission queue, once there are so many."""
        until(lambda: len(self.waiting(name, queue)) >= count)
        return self.waiting(name, queue)

    def waiting(self, name: str, queue: str) -> list[Header]:
        """The same, as it is now: what is not committed is not there."""
        with self.operators[name].queue(queue) as outgoing:
            found = [TransmissionHeader.unpack(message.data) for message in outgoing.browse()]
        return [(one.remote_queue, one.remote_qmgr) for one in found]

    def put_at(self, name: str, queue: str, text: str, qmgr: str = "") -> None:
        """A persistent message for a queue, of another queue manager if that is named."""
        with self.operators[name].queue(queue, qmgr=qmgr) as target:
            target.put(text, persistent=True)

    def got(self, name: str, queue: str, count: int = 1) -> list[str]:
        """The messages of a queue, once there are so many."""
        return [message.text for message in self.messages(name, queue, count)]

    def messages(self, name: str, queue: str, count: int = 1) -> list[ternmq.Message]:
        """The same as messages."""
        with self.operators[name].queue(queue) as target:
            return [target.get(wait=WAIT_S) for _ in range(count)]


def origin(md: Descriptor) -> tuple[object, ...]:
    """All that a message keeps on its way."""
    return (
        md.report & ~mq.MQRO_ACTIVITY,
        md.msg_type,
        md.feedback,
        md.encoding,
        md.ccsid,
        md.format,
        md.priority,
        md.persistence,
        md.msg_id,
        md.correl_id,
        md.reply_to_queue,
        md.reply_to_qmgr,
        md.user_id,
        md.accounting_token,
        md.appl_identity_data,
        md.put_appl_type,
        md.put_appl_name,
        md.put_date,
        md.put_time,
        md.appl_origin_data,
        md.group_id,
        md.msg_seq_number,
        md.offset,
        md.msg_flags,
    )
