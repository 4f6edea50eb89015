"""DISPLAY CHSTATUS: one answer for each instance of a channel that runs, and one for a channel that
was stopped and has none.

There are channels of clients (SVRCONN) alone so far. They have no saved status, as in IBM MQ.
What MONCHL collects is about exits, compression and messages that are sent, which they do not have:
it is shown as zero.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.commands.filters import fits_name
from ternmq.admin.status.status_display import StatusDisplay, Values, date_of, time_of, yes
from ternmq.base import constants as mq
from ternmq.base.attributes import BY_NAME, Value
from ternmq.base.object_types import BY_BIT, SVRCONN
from ternmq.kernel.authority import may_display_named
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.parts import is_stopped

MONITORING_LEVELS: Final[dict[Value, str]] = {
    mq.MQMON_LOW: "LOW",
    mq.MQMON_MEDIUM: "MEDIUM",
    mq.MQMON_HIGH: "HIGH",
}
_STOPPED: Final = "stopped "  # before the name of a channel; others have an instance's number


@final
class ChannelStatus(StatusDisplay):
    """DISPLAY CHSTATUS."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        given = self.command.given
        if "SAVED" in given or given.get("XMITQ"):
            return []  # channels of clients have neither
        pattern = self.command.name
        parts = kernel.parts
        found: list[str] = []
        running: set[str] = set()
        for number in sorted(parts.instances):
            name = parts.instances[number].name
            running.add(name)
            if fits_name(pattern, name):
                found.append(str(number))
        if not given.get("CONNAME"):
            channels = kernel.catalog.table_of(SVRCONN)
            stopped = [name for name in sorted(channels) if is_stopped(channels[name])]
            found += [
                _STOPPED + name
                for name in stopped
                if name not in running and fits_name(pattern, name)
            ]
        return found

    def everything(self) -> bool:
        """Only if it was asked for: the name of a channel alone asks for little."""
        return "ALL" in self.command.wanted

    def allowed(self, kernel: Kernel, link: Link, subject: str) -> bool:
        name = self.guard(kernel, subject)
        return not name or may_display_named(kernel, link, mq.MQOT_CHANNEL, name)

    def guard(self, kernel: Kernel, subject: str) -> str:
        if subject.startswith(_STOPPED):
            return subject[len(_STOPPED) :]
        instance = kernel.parts.instances.get(int(subject))
        return "" if instance is None else instance.name

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        if subject.startswith(_STOPPED):
            return [_stopped_values(subject[len(_STOPPED) :])]
        instance = kernel.parts.instances.get(int(subject))
        if instance is None:
            return []  # gone since the last step
        address = self.command.given.get("CONNAME", "")
        if address and not fits_name(address, instance.address):
            return []
        return [instance_values(instance, monitoring_of(kernel, instance))]


def _stopped_values(name: str) -> Values:
    return {
        "CHANNEL": name,
        "CHLTYPE": "SVRCONN",
        "CONNAME": "",
        "CURRENT": "",
        "STATUS": "STOPPED",
        "SUBSTATE": "",
        "MCASTAT": "NOTRUNNING",
        "STOPREQ": "NO",
    }


def monitoring_of(kernel: Kernel, instance: ChannelInstance) -> str:
    """MONCHL of a channel, or of the queue manager where the channel leaves it to that."""
    default = kernel.number("monitoring_channels")
    if default == mq.MQMON_NONE:
        return "OFF"
    value = instance.channel.attributes.get("monitoring", mq.MQMON_Q_MGR)
    return MONITORING_LEVELS.get(default if value == mq.MQMON_Q_MGR else value, "OFF")


def instance_values(instance: ChannelInstance, monitoring: str = "OFF") -> Values:
    """What is known of an instance now."""
    channel = instance.channel
    keep_alive = BY_NAME[channel.object_type]["KAINT"]
    values: Values = {
        "CHANNEL": instance.name,
        "CHLTYPE": BY_BIT[channel.object_type].noun,
        "BUFSRCVD": int(instance.buffers_received),
        "BUFSSENT": int(instance.buffers_sent),
        "BYTSRCVD": int(instance.bytes_received),
        "BYTSSENT": int(instance.bytes_sent),
        "CHSTADA": date_of(instance.started_ns),
        "CHSTATI": time_of(instance.started_ns),
        "COMPHDR": "NONE,NONE",
        "COMPMSG": "NONE,NONE",
        "COMPRATE": "0,0",
        "COMPTIME": "0,0",
        "CONNAME": instance.address,
        "CURRENT": "",
        "EXITTIME": "0,0",
        "HBINT": instance.heartbeat_s,
        "JOBNAME": f"{instance.process_id:016X}" if instance.process_id else "",
        "KAINT": keep_alive.shown(channel.number("keep_alive_s")),
        "LOCLADDR": instance.local_address,
        "LSTMSGDA": date_of(int(instance.last_message_ns)),
        "LSTMSGTI": time_of(int(instance.last_message_ns)),
        "MCASTAT": "RUNNING",
        "MCAUSER": instance.user,
        "MONCHL": monitoring,
        "MSGS": int(instance.messages),
        "RAPPLTAG": instance.application,
        "STATUS": instance.status,
        "STOPREQ": yes(instance.stop_requested),
        "SUBSTATE": "MQICALL" if instance.calls_under_way > 0 else "RECEIVE",
        "CURSHCNV": int(instance.conversations),
        "MAXSHCNV": instance.conversations_max,
        "RVERSION": instance.version,
        "RPRODUCT": instance.product,
    }
    values.update(_tls_values(instance))
    return values


def _tls_values(instance: ChannelInstance) -> Values:
    """Keys are not reset (see `network/edge/channel_tls`)."""
    return {
        "SECPROT": instance.protocol,
        "SSLCERTI": instance.certificate_issuer,
        "SSLCERTU": instance.certificate_user,
        "SSLCIPH": instance.cipher,
        "SSLKEYDA": "",
        "SSLKEYTI": "",
        "SSLPEER": instance.certificate_subject,
        "SSLRKEYS": 0,
    }
