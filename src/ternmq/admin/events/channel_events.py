"""Channel events (CHLEV) and SSL events (SSLEV): partners that were refused.

Channels of clients have no event for their start and end, as in IBM MQ.
"""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.security.chlauth import Partner


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


def _head(qmgr_name: str, qualifier: int) -> list[Parameter]:
    return [
        pcf.string(mq.MQCA_Q_MGR_NAME, qmgr_name, mq.MQ_Q_MGR_NAME_LENGTH),
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
