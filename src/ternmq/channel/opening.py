"""How two queue managers agree before messages flow: initial data in either role, from a channel's
settings and back to what an agent goes by.

The sender's side of a channel may be the initiator or, if a requester has called, the acceptor.
What cannot be agreed on raises SegmentError with the code of STATUS_DATA.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.object_types import CLUSRCVR, CLUSSDR, RECEIVER, REQUESTER, SENDER, SERVER
from ternmq.channel.settings import ChannelSettings
from ternmq.codec.charset import UTF8, is_ascii_based, is_known, is_wide
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.initial_data import (
    HEADER_COMPRESSIONS_MAX,
    MESSAGE_COMPRESSIONS_MAX,
    InitialData,
    bytes_of_level,
    compression_bytes,
    compressions_in,
)
from ternmq.wire.fap.negotiation import (
    FAP_LEVEL_MIN,
    Offer,
    accepted,
    answer,
    heartbeat_taken,
    revised,
)
from ternmq.wire.fap.segment import Header, SegmentError

FAP_LEVEL: Final = 13
_SENDING: Final = SENDER | SERVER | CLUSSDR
_RECEIVING: Final = RECEIVER | REQUESTER | CLUSRCVR
_BASIC: Final = fap.CAP_MESSAGE_SEQUENCE | fap.CAP_CONVERSION | fap.CAP_SPLIT_MESSAGE
_ALWAYS_2: Final = fap.CAP_DISTRIBUTION_LISTS | fap.CAP_RESPONDER_CONVERSION | fap.CAP_TRACE_ROUTE
_ALWAYS_3: Final = fap.CAP_PROPERTIES | fap.CAP_PROPERTIES_SEPARATE


@final
class Terms:
    """What both ends hold to."""

    def __init__(self, agreed: InitialData, partner: InitialData) -> None:
        self.fap_level: Final = agreed.fap_level
        self.batch_messages: Final = agreed.batch_messages_max
        self.segment_bytes_max: Final = agreed.segment_bytes_max
        self.message_bytes_max: Final[i64] = agreed.message_bytes_max
        self.heartbeat_s: Final = agreed.heartbeat_s
        self.is_fast: Final = agreed.capabilities_2 & fap.CAP_FAST_MESSAGES != 0
        self.has_lists: Final = agreed.capabilities_2 & fap.CAP_DISTRIBUTION_LISTS != 0
        self.traces: Final = agreed.capabilities_2 & fap.CAP_TRACE_ROUTE != 0
        self.pipelines: Final = agreed.capabilities_2 & fap.CAP_PIPELINES != 0
        self.has_properties: Final = agreed.capabilities_3 & fap.CAP_PROPERTIES != 0
        self.has_security: Final = agreed.capabilities_1 & fap.CAP_REQUEST_SECURITY != 0
        self.header_compressions: Final = compressions_in(agreed.header_compressions)
        self.message_compressions: Final = compressions_in(agreed.message_compressions)
        self.header_compression: Final = self.header_compressions[0]
        self.message_compression: Final = self.message_compressions[0]
        self.partner_qmgr: Final = partner.qmgr_name
        self.partner_id: Final = partner.qmgr_id
        self.partner_product: Final = partner.product_id
        self.partner_ccsid: Final = partner.ccsid


def header_ccsid(settings: ChannelSettings) -> int:
    """The character set of what this end writes: the queue manager's, if it is based on ASCII as
    names here are."""
    ccsid = settings.ccsid
    usable = is_known(ccsid) and is_ascii_based(ccsid) and not is_wide(ccsid)
    return ccsid if usable else UTF8


def data_ccsid(settings: ChannelSettings) -> int:
    """The character set that the queue manager has for data: a sender with CONVERT(YES) converts to
    it."""
    usable = is_known(settings.ccsid) and not is_wide(settings.ccsid)
    return settings.ccsid if usable else UTF8


def batch_limit(settings: ChannelSettings) -> int:
    """BATCHSZ, bounded by MAXUMSGS."""
    return max(min(settings.batch_messages, settings.uncommitted_max, 0xFFFF), 1)


def wishes(settings: ChannelSettings, has_security: bool) -> InitialData:
    """The initiator's initial data."""
    made = InitialData(FAP_LEVEL)
    made.capabilities_1 = _BASIC
    if settings.kind & _RECEIVING:
        made.capabilities_1 |= fap.CAP_REQUEST_INITIATION
    if has_security:
        made.capabilities_1 |= fap.CAP_REQUEST_SECURITY
    made.capabilities_2 = _capabilities_2(settings)
    made.capabilities_3 = _ALWAYS_3
    made.batch_messages_max = batch_limit(settings)
    made.segment_bytes_max = settings.segment_bytes_max
    made.message_bytes_max = settings.message_bytes_max
    made.sequence_wrap = settings.sequence_wrap
    made.heartbeat_s = settings.heartbeat_s
    made.channel_name = settings.name
    made.ccsid = data_ccsid(settings)
    made.qmgr_name = settings.qmgr_name
    made.qmgr_id = settings.qmgr_id
    made.product_id = settings.product_id
    made.process_id = settings.process_id
    made.thread_id = settings.number
    made.header_compressions = compression_bytes(
        settings.header_compression, HEADER_COMPRESSIONS_MAX
    )
    made.message_compressions = compression_bytes(
        settings.message_compression, MESSAGE_COMPRESSIONS_MAX
    )
    made.extended_length = made.has_bytes - bytes_of_level(FAP_LEVEL_MIN)
    return made


def _capabilities_2(settings: ChannelSettings) -> int:
    found = _ALWAYS_2
    if settings.is_fast:
        found |= fap.CAP_FAST_MESSAGES
    if settings.pipelines:
        found |= fap.CAP_PIPELINES
    return found


def check_pairing(asked: InitialData, kind: int) -> None:
    """Whether a channel of this type can answer that call: a sender or server answers requesters, a
    receiver or requester answers senders and servers."""
    is_request = asked.capabilities_1 & fap.CAP_REQUEST_INITIATION != 0
    fits = kind & _SENDING if is_request else kind & _RECEIVING
    if not fits or asked.capabilities_1 & fap.CAP_MQI:
        text = f"channel '{asked.channel_name}' is of another type than this call needs"
        raise SegmentError(text, fap.CHANNEL_WRONG_TYPE)


def check_ccsid(header: Header, ccsid: int) -> None:
    """Headers must be readable."""
    for one in (header.ccsid, ccsid):
        if one and (not is_known(one) or is_wide(one)):
            text = f"CCSID {one} is not supported for headers"
            raise SegmentError(text, fap.CCSID_NOT_SUPPORTED)


def answered(
    settings: ChannelSettings, asked: InitialData, header: Header
) -> tuple[InitialData, bool]:
    """The acceptor's role: what to answer, and whether another round is needed."""
    check_pairing(asked, settings.kind)
    check_ccsid(header, asked.ccsid)
    offer = Offer(
        fap_level=FAP_LEVEL,
        qmgr_name=settings.qmgr_name,
        qmgr_id=settings.qmgr_id,
        product_id=settings.product_id,
        segment_bytes_max=settings.segment_bytes_max,
        message_bytes_max=settings.message_bytes_max,
        heartbeat_s=settings.heartbeat_s,
        conversations_max=0,
        capabilities_1=_BASIC | fap.CAP_REQUEST_INITIATION | fap.CAP_REQUEST_SECURITY,
        capabilities_2=_capabilities_2(settings),
        capabilities_3=_ALWAYS_3,
        batch_messages_max=batch_limit(settings),
        sequence_wrap=settings.sequence_wrap,
        header_compressions=compression_bytes(settings.header_compression, HEADER_COMPRESSIONS_MAX),
        message_compressions=compression_bytes(
            settings.message_compression, MESSAGE_COMPRESSIONS_MAX
        ),
        sends_messages=settings.kind & _SENDING != 0,
        is_mqi=False,
        process_id=settings.process_id,
        thread_id=settings.number,
    )
    made, again = answer(asked, offer)
    made.ccsid = data_ccsid(settings)
    if made.batch_messages_max < 1 or made.message_bytes_max < 1:
        raise SegmentError("a batch has at least one message", fap.NEGOTIATION_FAILED)
    return made, again


def revised_wishes(own: InitialData, refused: InitialData) -> InitialData:
    """The initiator's role: what to send after a refusal."""
    if refused.refused_1 & fap.REFUSED_SEQUENCE_WRAP:
        text = f"SEQWRAP is {own.sequence_wrap} here and {refused.sequence_wrap} there"
        raise SegmentError(text, fap.WRAP_VALUE_ERROR)
    if refused.refused_1 & fap.REFUSED_CCSID:
        raise SegmentError(f"CCSID {own.ccsid} was refused", fap.CCSID_NOT_SUPPORTED)
    needed = _BASIC | fap.CAP_REQUEST_INITIATION
    if own.capabilities_1 & refused.refused_capabilities_1 & needed & ~fap.CAP_CONVERSION:
        raise SegmentError("the partner refuses what a channel needs", fap.NEGOTIATION_FAILED)
    return revised(own, refused)


def agreed_terms(own: InitialData, final_answer: InitialData, header: Header) -> Terms:
    """The initiator's role: what an answer without a refusal agrees to."""
    check_ccsid(header, final_answer.ccsid)
    if final_answer.sequence_wrap != own.sequence_wrap:
        text = f"SEQWRAP is {own.sequence_wrap} here and {final_answer.sequence_wrap} there"
        raise SegmentError(text, fap.WRAP_VALUE_ERROR)
    accepted(own, final_answer)
    made = final_answer.copy()
    made.message_bytes_max = min(own.message_bytes_max, final_answer.message_bytes_max)
    made.batch_messages_max = min(own.batch_messages_max, final_answer.batch_messages_max)
    made.heartbeat_s = heartbeat_taken(own.heartbeat_s, final_answer.heartbeat_s)
    made.capabilities_1 &= own.capabilities_1
    made.capabilities_2 &= own.capabilities_2
    made.capabilities_3 &= own.capabilities_3
    if made.batch_messages_max < 1 or made.message_bytes_max < 1:
        raise SegmentError("a batch has at least one message", fap.NEGOTIATION_FAILED)
    for theirs, ours in (
        (made.header_compressions, own.header_compressions),
        (made.message_compressions, own.message_compressions),
    ):
        if any(kind and kind not in ours for kind in compressions_in(theirs)):
            raise SegmentError("a compression that was not offered", fap.NEGOTIATION_FAILED)
    return Terms(made, final_answer)
