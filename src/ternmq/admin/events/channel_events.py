"""Channel events (CHLEV, CHADEV) and SSL events (SSLEV): message channels that start, end or wait,
channels that were defined by a call, and partners that were refused.

Channels of clients have no event for their start and end, as in IBM MQ. A channel that never ran
has no event for its end. ErrorIdentifier is the number of the AMQ message, as hexadecimal digits
behind 2000.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base import object_types as types
from ternmq.base import reasons as rc
from ternmq.channel.agent import NORMAL, End
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.security.chlauth import Partner
from ternmq.store.catalog import Definition


def blocked_event(
    qmgr_name: str,
    qualifier: int,
    partner: Partner,
    user: str,
    application: str,
    warned: bool,
) -> PCFMessage:
    """Channel Blocked."""
    parameters = _head(qmgr_name, qualifier)
    if qualifier != mq.MQRQ_CHANNEL_BLOCKED_ADDRESS:  # then no channel is known yet
        parameters.append(_channel(partner.channel))
    if qualifier == mq.MQRQ_CHANNEL_BLOCKED_USERID:
        parameters.append(pcf.string(mq.MQCACF_USER_IDENTIFIER, user, mq.MQ_USER_ID_LENGTH))
    parameters.append(_address(partner.address))
    if qualifier == mq.MQRQ_CHANNEL_BLOCKED_NOACCESS:
        if partner.qmgr_name:
            width = mq.MQ_Q_MGR_NAME_LENGTH
            parameters.append(pcf.string(mq.MQCA_REMOTE_Q_MGR_NAME, partner.qmgr_name, width))
        parameters += _certificate(partner.ssl_peer, partner.ssl_issuer)
        if partner.client_user:
            width = mq.MQ_CLIENT_USER_ID_LENGTH
            parameters.append(pcf.string(mq.MQCACH_CLIENT_USER_ID, partner.client_user, width))
    if application:
        parameters.append(pcf.integer(mq.MQIA_APPL_TYPE, mq.MQAT_UNIX))
        width = mq.MQ_APPL_NAME_LENGTH
        parameters.append(pcf.string(mq.MQCACF_APPL_NAME, application[-width:], width))
    reason = rc.MQRC_CHANNEL_BLOCKED_WARNING if warned else rc.MQRC_CHANNEL_BLOCKED
    return _event(reason, parameters)


def tls_event(
    qmgr_name: str, qualifier: int, channel: str, address: str, ssl_peer: str, ssl_issuer: str
) -> PCFMessage:
    """Channel SSL Error."""
    parameters = _head(qmgr_name, qualifier)
    if channel:
        parameters.append(_channel(channel))
    parameters.append(_address(address))
    if qualifier == mq.MQRQ_SSL_PEER_NAME_ERROR:
        parameters += _certificate(ssl_peer, ssl_issuer)
    return _event(rc.MQRC_CHANNEL_SSL_ERROR, parameters)


def started_event(qmgr_name: str, instance: ChannelInstance) -> PCFMessage:
    """Channel Started."""
    parameters = [_qmgr(qmgr_name), _channel(instance.name)]
    parameters += _ends(instance.channel, instance.address)
    return _event(rc.MQRC_CHANNEL_STARTED, parameters)


def stopped_event(
    qmgr_name: str, instance: ChannelInstance, qualifier: int, end: End
) -> PCFMessage:
    """Channel Stopped."""
    is_error = end.kind != NORMAL
    numbers = [one for one in end.inserts if isinstance(one, int)] if is_error else []
    texts = [one for one in end.inserts if isinstance(one, str)] if is_error else []
    parameters = [*_head(qmgr_name, qualifier), _channel(instance.name)]
    error = error_identifier(end.message_id) if is_error else 0
    parameters.append(pcf.integer(mq.MQIACF_ERROR_IDENTIFIER, error))
    for at, selector in enumerate((mq.MQIACF_AUX_ERROR_DATA_INT_1, mq.MQIACF_AUX_ERROR_DATA_INT_2)):
        parameters.append(pcf.integer(selector, _word(numbers[at]) if at < len(numbers) else 0))
    for at, selector in enumerate(_TEXTS):
        parameters.append(pcf.string(selector, texts[at][:_TEXT_BYTES] if at < len(texts) else ""))
    parameters += _ends(instance.channel, instance.address)
    return _event(rc.MQRC_CHANNEL_STOPPED, parameters)


def stopped_by_user_event(qmgr_name: str, name: str) -> PCFMessage:
    """Channel Stopped By User."""
    parameters = [*_head(qmgr_name, mq.MQRQ_CHANNEL_STOPPED_DISABLED), _channel(name)]
    return _event(rc.MQRC_CHANNEL_STOPPED_BY_USER, parameters)


def place_event(qmgr_name: str, definition: Definition, waits: bool) -> PCFMessage:
    """Channel Not Activated, Channel Activated."""
    parameters = [_qmgr(qmgr_name)]
    if waits:
        parameters = _head(qmgr_name, mq.MQRQ_MAX_ACTIVE_CHANNELS)
    parameters.append(_channel(definition.name))
    parameters += _ends(definition, definition.text("connection_name"))
    reason = rc.MQRC_CHANNEL_NOT_ACTIVATED if waits else rc.MQRC_CHANNEL_ACTIVATED
    return _event(reason, parameters)


def defined_event(
    qmgr_name: str, name: str, channel_type: int, address: str, failed: int, feedback: int
) -> PCFMessage:
    """Channel Auto-definition OK, Channel Auto-definition Error."""
    parameters = [_qmgr(qmgr_name), _channel(name)]
    parameters.append(pcf.integer(mq.MQIACH_CHANNEL_TYPE, channel_type))
    if failed:
        parameters.append(pcf.integer(mq.MQIACF_ERROR_IDENTIFIER, failed))
    parameters.append(_address(address))
    if feedback:
        parameters.append(pcf.integer(mq.MQIACF_AUX_ERROR_DATA_INT_1, feedback))
    reason = rc.MQRC_CHANNEL_AUTO_DEF_ERROR if failed else rc.MQRC_CHANNEL_AUTO_DEF_OK
    return _event(reason, parameters)


def error_identifier(message_id: str) -> int:
    """AMQ9202E as X'20009202'."""
    digits = "".join(one for one in message_id if one.isdecimal())
    return int(f"2000{digits}", 16) if len(digits) == _DIGITS else 0


_DIGITS: Final = 4
_TEXT_BYTES: Final = 256
_TEXTS: Final = (
    mq.MQCACF_AUX_ERROR_DATA_STR_1,
    mq.MQCACF_AUX_ERROR_DATA_STR_2,
    mq.MQCACF_AUX_ERROR_DATA_STR_3,
)


def _word(number: int) -> int:
    """What fits a PCF integer."""
    return number if abs(number) <= 0x7FFFFFFF else 0


def _ends(channel: Definition, address: str) -> list[Parameter]:
    """Transmission queue of a sending type, and the other end where it is known."""
    parameters: list[Parameter] = []
    if channel.object_type & (types.SENDER | types.SERVER):
        name = channel.text("transmission_queue")
        parameters.append(pcf.string(mq.MQCACH_XMIT_Q_NAME, name, mq.MQ_Q_NAME_LENGTH))
    if address:
        parameters.append(_address(address))
    return parameters


def _qmgr(name: str) -> Parameter:
    return pcf.string(mq.MQCA_Q_MGR_NAME, name, mq.MQ_Q_MGR_NAME_LENGTH)


def _head(qmgr_name: str, qualifier: int) -> list[Parameter]:
    return [
        _qmgr(qmgr_name),
        pcf.integer(mq.MQIACF_REASON_QUALIFIER, qualifier),
    ]


def _channel(name: str) -> Parameter:
    return pcf.string(mq.MQCACH_CHANNEL_NAME, name, mq.MQ_CHANNEL_NAME_LENGTH)


def _address(address: str) -> Parameter:
    return pcf.string(mq.MQCACH_CONNECTION_NAME, address, mq.MQ_CONN_NAME_LENGTH)


def _certificate(ssl_peer: str, ssl_issuer: str) -> list[Parameter]:
    if not ssl_peer:
        return []
    return [
        pcf.string(mq.MQCACH_SSL_PEER_NAME, ssl_peer),
        pcf.string(mq.MQCACH_SSL_CERT_ISSUER_NAME, ssl_issuer),
    ]


def _event(reason: int, parameters: list[Parameter]) -> PCFMessage:
    return PCFMessage(
        mq.MQCFT_EVENT, mq.MQCMD_CHANNEL_EVENT, parameters, comp=mq.MQCC_WARNING, reason=reason
    )
