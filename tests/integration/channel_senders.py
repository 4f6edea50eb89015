"""Channels for tests: one name, and queues and a target of that name; channel events."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.codec.pcf.structures import unpack_pcf
from tests.integration.channel_pair import QMA, QMB, ChannelPair

EVENTS: Final = "SYSTEM.ADMIN.CHANNEL.EVENT"


def sender(pair: ChannelPair, name: str, given: str = "", port: int = 0) -> None:
    """A channel, its queues and its target, all with names of their own."""
    pair.mqsc(
        QMA,
        f"DEFINE QLOCAL({name}.X) USAGE(XMITQ)",
        f"DEFINE QREMOTE({name}.R) RNAME({name}.T) RQMNAME(QMB) XMITQ({name}.X)",
        f"DEFINE CHANNEL({name}) CHLTYPE(SDR) XMITQ({name}.X) {given} "
        f"CONNAME('127.0.0.1({port or pair.ports[QMB]})')",
    )
    pair.mqsc(QMB, f"DEFINE QLOCAL({name}.T)", f"DEFINE CHANNEL({name}) CHLTYPE(RCVR)")


def gone(pair: ChannelPair, *names: str) -> None:
    """End channels, so that they count no more."""
    for name in names:
        pair.operators[QMA].mqsc(f"STOP CHANNEL({name}) MODE(FORCE)")
        pair.becomes(QMA, "STOPPED", name)
        pair.mqsc(QMA, f"DELETE CHANNEL({name})")


def events(pair: ChannelPair, name: str = QMA) -> list[tuple[int, str, int, int]]:
    """Reason, channel, qualifier and ErrorIdentifier of all channel events, which are taken."""
    found: list[tuple[int, str, int, int]] = []
    with pair.operators[name].queue(EVENTS) as queue:
        while (message := queue.try_get(wait=0)) is not None:
            event = unpack_pcf(message.data)
            values = {one.parameter: one.value for one in event.parameters}
            found.append(
                (
                    event.reason,
                    str(values[mq.MQCACH_CHANNEL_NAME]).rstrip(),
                    int(str(values.get(mq.MQIACF_REASON_QUALIFIER, 0))),
                    int(str(values.get(mq.MQIACF_ERROR_IDENTIFIER, 0))),
                )
            )
    return found
