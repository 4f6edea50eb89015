"""The values of DISPLAY CHSTATUS: of an instance, of a channel that waits, of a saved state."""

from __future__ import annotations

from typing import Final

from ternmq.admin.status.compression_status import compression_values
from ternmq.admin.status.status_display import Values, date_of, time_of, yes
from ternmq.base import constants as mq
from ternmq.base.attributes import BY_NAME
from ternmq.base.indicator import Indicator
from ternmq.base.object_types import BY_BIT, SENDER, SERVER
from ternmq.channel.agent import Agent
from ternmq.channel.channel_state import NO_LUWID, ChannelState
from ternmq.kernel.channel_control import CurrentChannel
from ternmq.kernel.channel_instance import STOPPED, STOPPING, ChannelInstance
from ternmq.kernel.kernel import Kernel
from ternmq.store.catalog import Definition

SENDING: Final = SENDER | SERVER
_MICROSECOND: Final = 1_000
SUBSTATES: Final[dict[int, str]] = {
    mq.MQCHSSTATE_OTHER: "",
    mq.MQCHSSTATE_END_OF_BATCH: "ENDBATCH",
    mq.MQCHSSTATE_SENDING: "SEND",
    mq.MQCHSSTATE_RECEIVING: "RECEIVE",
    mq.MQCHSSTATE_SERIALIZING: "SERIALIZE",
    mq.MQCHSSTATE_RESYNCHING: "RESYNCH",
    mq.MQCHSSTATE_HEARTBEATING: "HEARTBEAT",
    mq.MQCHSSTATE_IN_SCYEXIT: "SCYEXIT",
    mq.MQCHSSTATE_IN_RCVEXIT: "RCVEXIT",
    mq.MQCHSSTATE_IN_SENDEXIT: "SENDEXIT",
    mq.MQCHSSTATE_IN_MSGEXIT: "MSGEXIT",
    mq.MQCHSSTATE_IN_MREXIT: "MREXIT",
    mq.MQCHSSTATE_IN_CHADEXIT: "CHADEXIT",
    mq.MQCHSSTATE_NET_CONNECTING: "NETCONNECT",
    mq.MQCHSSTATE_SSL_HANDSHAKING: "SSLHANDSHK",
    mq.MQCHSSTATE_NAME_SERVER: "NAMESERVER",
    mq.MQCHSSTATE_IN_MQPUT: "MQPUT",
    mq.MQCHSSTATE_IN_MQGET: "MQGET",
    mq.MQCHSSTATE_IN_MQI_CALL: "MQICALL",
    mq.MQCHSSTATE_COMPRESSING: "COMPRESS",
}


def client_values(instance: ChannelInstance, monitoring: str = "OFF") -> Values:
    """What is known of an instance of a client's channel now."""
    values = _instance_values(instance, monitoring)
    values.update(
        {
            "BUFSRCVD": int(instance.buffers_received),
            "BUFSSENT": int(instance.buffers_sent),
            "BYTSRCVD": int(instance.bytes_received),
            "BYTSSENT": int(instance.bytes_sent),
            "EXITTIME": "0,0",
            "LSTMSGDA": date_of(int(instance.last_message_ns)),
            "LSTMSGTI": time_of(int(instance.last_message_ns)),
            "MSGS": int(instance.messages),
            "SUBSTATE": "MQICALL" if instance.calls_under_way > 0 else "RECEIVE",
            "CURSHCNV": int(instance.conversations),
            "MAXSHCNV": instance.conversations_max,
        }
    )
    values.update(compression_values(instance.packer, instance.expander, monitoring != "OFF"))
    return values


def message_values(kernel: Kernel, instance: ChannelInstance, monitoring: str) -> Values:
    """What is known of an instance of a message channel now."""
    channel = instance.channel
    values = _instance_values(instance, monitoring)
    values["NPMSPEED"] = _speed(channel.number("nonpersistent_speed") == mq.MQNPMS_FAST)
    values["SUBSTATE"] = "NETCONNECT"
    if channel.object_type & SENDING:
        values["XMITQ"] = channel.text("transmission_queue")
        values.update(_retries(channel, kernel.parts.control.channels.get(channel.name)))
    agent = instance.agent
    if agent is None:
        return values
    values["NPMSPEED"] = _speed(agent.is_fast)
    values["RQMNAME"] = agent.partner_qmgr
    values["SUBSTATE"] = SUBSTATES.get(agent.substate, "")
    values["BATCHSZ"] = agent.batch_messages
    values["HBINT"] = agent.heartbeat_s
    values.update(_counts(kernel, agent))
    values.update(_batch_values(agent))
    values.update(_monitored(kernel, channel, agent, monitoring != "OFF"))
    if agent.batches > 0 and channel.object_type & SENDING:
        values.update(_retries(channel, None))  # what was confirmed gives the counts back
    return values


def _instance_values(instance: ChannelInstance, monitoring: str) -> Values:
    """What all types have."""
    channel = instance.channel
    keep_alive = BY_NAME[channel.object_type]["KAINT"]
    return {
        "CHANNEL": instance.name,
        "CHLTYPE": BY_BIT[channel.object_type].noun,
        "CHSTADA": date_of(instance.started_ns),
        "CHSTATI": time_of(instance.started_ns),
        "CONNAME": instance.address,
        "CURRENT": "",
        "HBINT": instance.heartbeat_s,
        "JOBNAME": f"{instance.process_id:016X}" if instance.process_id else "",
        "KAINT": keep_alive.shown(channel.number("keep_alive_s")),
        "LOCLADDR": instance.local_address,
        "MCASTAT": "RUNNING",
        "MCAUSER": instance.user,
        "MONCHL": monitoring,
        "RAPPLTAG": instance.application,
        "STATUS": STOPPING if instance.stop_requested else instance.status,
        "STOPREQ": yes(instance.stop_requested),
        "RVERSION": instance.version,
        "RPRODUCT": instance.product,
        "SECPROT": instance.protocol,
        "SSLCERTI": instance.certificate_issuer,
        "SSLCERTU": instance.certificate_user,
        "SSLCIPH": instance.cipher,
        "SSLKEYDA": date_of(instance.key_reset_ns),
        "SSLKEYTI": time_of(instance.key_reset_ns),
        "SSLPEER": instance.certificate_subject,
        "SSLRKEYS": instance.key_resets,
    }


def _counts(kernel: Kernel, agent: Agent) -> Values:
    last_ns = wall_ns(kernel, int(agent.figures.last_message_ns))
    return {
        "MSGS": int(agent.messages),
        "BATCHES": int(agent.batches),
        "BUFSRCVD": int(agent.buffers_received),
        "BUFSSENT": int(agent.buffers_sent),
        "BYTSRCVD": int(agent.bytes_received),
        "BYTSSENT": int(agent.bytes_sent),
        "LSTMSGDA": date_of(last_ns),
        "LSTMSGTI": time_of(last_ns),
    }


def _batch_values(agent: Agent) -> Values:
    return {
        "CURLUWID": luwid_text(agent.current_luwid),
        "CURMSGS": agent.current_messages,
        "CURSEQNO": agent.current_sequence,
        "INDOUBT": yes(agent.is_in_doubt),
        "LSTLUWID": luwid_text(agent.last_luwid),
        "LSTSEQNO": agent.last_sequence,
    }


def _monitored(kernel: Kernel, channel: Definition, agent: Agent, is_on: bool) -> Values:
    """What MONCHL collects; a receiver has no transmission queue and waits for no answer."""
    figures = agent.figures
    values = compression_values(agent.packer, agent.expander, is_on)
    values["EXITTIME"] = _pair(agent.exit_time, _MICROSECOND, is_on)
    if channel.object_type & SENDING:
        local = kernel.locals.get(channel.text("transmission_queue"))
        depth = 0 if local is None or not is_on else int(local.queue.depth)
        values["NETTIME"] = _pair(figures.network, _MICROSECOND, is_on)
        values["XBATCHSZ"] = _pair(figures.batch_size, 1, is_on)
        values["XQTIME"] = _pair(figures.on_queue, _MICROSECOND, is_on)
        values["XQMSGSA"] = depth
    return values


def _pair(indicator: Indicator, unit: int, is_on: bool) -> str:
    if not is_on:
        return "0,0"
    return f"{int(indicator.short) // unit},{int(indicator.long) // unit}"


def waiting_values(channel: Definition, one: CurrentChannel | None) -> Values:
    """A channel that is current and has no instance."""
    values: Values = {
        "CHANNEL": channel.name,
        "CHLTYPE": BY_BIT[channel.object_type].noun,
        "CONNAME": "",
        "CURRENT": "",
        "STATUS": STOPPED if one is None else one.status,
        "SUBSTATE": "",
        "MCASTAT": "NOTRUNNING",
        "STOPREQ": "NO",
    }
    if one is not None:
        values["CONNAME"] = channel.text("connection_name")
        values["RQMNAME"] = ""
    if channel.object_type & SENDING:
        values["XMITQ"] = channel.text("transmission_queue")
        values.update(_retries(channel, one))
    return values


def saved_values(state: ChannelState, channel: Definition | None) -> Values:
    """What is kept of a channel with one partner."""
    in_doubt = state.is_in_doubt
    kind = "" if channel is None else BY_BIT[channel.object_type].noun
    values: Values = {
        "CHANNEL": state.channel,
        "CHLTYPE": kind or ("SDR" if state.is_sender else "RCVR"),
        "CONNAME": state.partner_address,
        "SAVED": "",
        "RQMNAME": state.partner_qmgr,
        "CURLUWID": luwid_text(state.in_doubt_luwid if in_doubt else NO_LUWID),
        "CURMSGS": state.in_doubt_messages if in_doubt else 0,
        "CURSEQNO": state.in_doubt_sequence if in_doubt else 0,
        "INDOUBT": yes(in_doubt),
        "LSTLUWID": luwid_text(state.last_luwid),
        "LSTSEQNO": state.last_sequence,
    }
    if state.is_sender:
        values["XMITQ"] = state.transmission_queue
    return values


def _retries(channel: Definition, one: CurrentChannel | None) -> Values:
    if one is None:
        return {
            "SHORTRTS": channel.number("short_retries"),
            "LONGRTS": channel.number("long_retries"),
        }
    return {"SHORTRTS": one.short_left, "LONGRTS": one.long_left}


def _speed(is_fast: bool) -> str:
    return "FAST" if is_fast else "NORMAL"


def luwid_text(luwid: bytes) -> str:
    """Sixteen hexadecimal digits."""
    return luwid.hex().upper()


def wall_ns(kernel: Kernel, monotonic_ns: int) -> int:
    """When that was, by the clock on the wall; 0 for never."""
    if not monotonic_ns:
        return 0
    return int(kernel.clock.now_ns()) - (int(kernel.clock.monotonic_ns()) - monotonic_ns)
