"""How two sides agree by their initial data: pure functions for the server's and the client's role.

The initiator sends what it wishes. The responder answers with what it wants: for each value that
it does not take it sets the bit of that value, for each capability that it refuses it clears the
bit and sets the one of refusal; if anything was refused, the segment has ERROR. The initiator then
takes over the values, drops what was refused and sends again; an answer without ERROR ends it.

    value                       taken                           bit of refusal
    FAP level                   the lower                       yes
    bytes of a segment          the lower                       yes
    bytes of a message          the lower                       yes
    heartbeat interval          the longer; 0 (none) wins       yes
    messages in a batch         the lower                       yes
    compressions                those that both have, in the    yes
                                message sender's order
    TLS key reset count         the initiator's                 -
    conversations of a socket   the lower; none below level 9   none exists: ERROR alone (guess that
                                                                a second round is needed)
    sequence wrap               must be equal, else status 21   -

A responder answers at most ROUNDS_MAX times, so that the rounds end: IBM's Java client
repeats its offer for ever if a value that it does not give up is refused.

Level 10 without sharing, SPI, XA and heartbeats is accepted by IBM's Java client 9.3.5, and so are
sharing with or without MULTIPLEX_SYNCGET. From level 11 on it insists (reason 2594) on a list of
password protections that begins with algorithm 1, though it may send no password.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import RemoteProtocolError
from ternmq.wire.fap.initial_data import (
    LEVEL_PASSWORD_PROTECTION,
    LEVEL_SHARING,
    NO_COMPRESSION_2,
    NO_COMPRESSION_16,
    PROTECTION_NONE,
    InitialData,
    bytes_of_level,
    compression_bytes,
    compressions_in,
)
from ternmq.wire.fap.segment import TSHM_BYTES, SegmentError
from ternmq.wire.fap.vocabulary import (
    CAP_GENERATED_TAG,
    CAP_MQI,
    CAP_MULTIPLEX_SYNCGET,
    CAP_SPI,
    CAP_XA,
    CHANNEL_WRONG_TYPE,
    FAP_LEVEL,
    NEGOTIATION_FAILED,
    REFUSED_BATCH_SIZE,
    REFUSED_FAP_LEVEL,
    REFUSED_HEADER_COMPRESSION,
    REFUSED_HEARTBEAT,
    REFUSED_MESSAGE_COMPRESSION,
    REFUSED_MESSAGE_SIZE,
    REFUSED_SEQUENCE_WRAP,
    REFUSED_TRANSMISSION_SIZE,
    WRAP_VALUE_ERROR,
)

ROUNDS_MAX: Final = 4
SEGMENT_BYTES_USUAL: Final = 32748
# Structures must fit the first segment of an ASYNC_MESSAGE; no partner was seen to ask for less.
SEGMENT_BYTES_MIN: Final = 1024
_BEFORE_DATA_BYTES: Final = 1024  # structures before the message, at most
FAP_LEVEL_MIN: Final = 4  # below, there is no CCSID and no queue manager name


@final
class Offer:
    """What a responder has for an initiator: its channel's attributes and its own."""

    def __init__(
        self,
        *,
        fap_level: int,
        qmgr_name: str = "",
        qmgr_id: str = "",
        product_id: str = "",
        segment_bytes_max: int = SEGMENT_BYTES_USUAL,
        message_bytes_max: int = 4_194_304,
        heartbeat_s: int = 300,
        conversations_max: int = 10,
        capabilities_1: int = 0x27,
        capabilities_2: int = 0x51,
        capabilities_3: int = 0,
        batch_messages_max: int = 0,
        sequence_wrap: int = 0,
        header_compressions: bytes = NO_COMPRESSION_2,
        message_compressions: bytes = NO_COMPRESSION_16,
        sends_messages: bool = False,
        is_mqi: bool = True,
        process_id: int = 0,
        thread_id: int = 0,
        trace_id: int = 0,
        protections: list[int] | None = None,
        random: bytes = bytes(12),
    ) -> None:
        self.fap_level: Final = fap_level
        self.qmgr_name: Final = qmgr_name
        self.qmgr_id: Final = qmgr_id
        self.product_id: Final = product_id
        self.segment_bytes_max: Final = segment_bytes_max
        self.message_bytes_max: Final = message_bytes_max
        self.heartbeat_s: Final = heartbeat_s
        self.conversations_max: Final = conversations_max
        self.capabilities_1: Final = capabilities_1
        self.capabilities_2: Final = capabilities_2
        self.capabilities_3: Final = capabilities_3
        self.batch_messages_max: Final = batch_messages_max
        self.sequence_wrap: Final = sequence_wrap
        self.header_compressions: Final = header_compressions
        self.message_compressions: Final = message_compressions
        self.sends_messages: Final = sends_messages  # the order of its compressions counts
        self.is_mqi: Final = is_mqi
        self.process_id: Final = process_id
        self.thread_id: Final = thread_id
        self.trace_id: Final = trace_id
        self.protections: Final = [PROTECTION_NONE] if protections is None else protections
        self.random: Final = random


@final
class Agreement:
    """What both sides hold to once negotiation is over."""

    def __init__(self, final: InitialData) -> None:
        self.fap_level: Final = final.fap_level
        self.segment_bytes_max: Final = final.segment_bytes_max
        self.reserved_bytes = 0  # of each segment that is sent, for send exits
        self.message_bytes_max: Final = final.message_bytes_max
        self.heartbeat_s: Final = final.heartbeat_s
        has_sharing = final.fap_level >= LEVEL_SHARING
        self.conversations_max: Final = max(final.conversations_max, 0) if has_sharing else 0
        self.is_shared: Final = self.conversations_max > 0
        self.has_spi: Final = final.capabilities_2 & CAP_SPI != 0
        self.has_xa: Final = final.capabilities_2 & CAP_XA != 0
        self.has_shared_get: Final = final.capabilities_3 & CAP_MULTIPLEX_SYNCGET != 0
        protections = final.protections if final.fap_level >= LEVEL_PASSWORD_PROTECTION else []
        # The first of the responder's is the one that is used.
        self.protection: Final = protections[0] if protections else PROTECTION_NONE
        self.header_compressions: Final = (
            compressions_in(final.header_compressions) if has_sharing else []
        )
        self.message_compressions: Final = (
            compressions_in(final.message_compressions) if has_sharing else []
        )

    @property
    def is_compressed(self) -> bool:
        """Whether anything is to be compressed: the first of a list is used."""
        first = self.header_compressions[:1] + self.message_compressions[:1]
        return any(one != mq.MQCOMPRESS_NONE for one in first)


def heartbeat_taken(one_s: int, other_s: int) -> int:
    """The less frequent of two intervals; 0 at either end turns heartbeats off."""
    return max(one_s, other_s) if one_s and other_s else 0


def answer(asked: InitialData, offer: Offer) -> tuple[InitialData, bool]:
    """The server's role: what to answer, and whether the segment has ERROR (another round).

    SegmentError, with the status to refuse with, if there is nothing to negotiate.
    """
    _refuse_impossible(asked, offer)
    level = min(asked.fap_level, offer.fap_level)
    made = InitialData(level)
    made.channel_name = asked.channel_name
    made.ccsid = asked.ccsid
    made.qmgr_name = offer.qmgr_name
    made.qmgr_id = offer.qmgr_id
    made.product_id = offer.product_id
    made.process_id = offer.process_id
    made.thread_id = offer.thread_id
    made.trace_id = offer.trace_id
    made.key_reset_count = asked.key_reset_count
    made.protections = _common_protections(asked, offer)
    made.random = offer.random
    if level != asked.fap_level:
        made.refused_1 |= REFUSED_FAP_LEVEL
    _answer_values(asked, offer, made)
    _answer_capabilities(asked, offer, made)
    has_sharing = level >= LEVEL_SHARING
    made.conversations_max = 0
    if has_sharing:
        made.conversations_max = max(min(asked.conversations_max, offer.conversations_max), 0)
    # Below level 9 the field is not there, so its loss needs no other round.
    fewer = has_sharing and made.conversations_max != asked.conversations_max
    made.has_bytes = bytes_of_level(level)
    return made, made.is_refusal or fewer


def _refuse_impossible(asked: InitialData, offer: Offer) -> None:
    if (asked.capabilities_1 & CAP_MQI != 0) != offer.is_mqi:
        kind = "an MQI channel" if offer.is_mqi else "a message channel"
        raise SegmentError(f"channel '{asked.channel_name}' is {kind}", CHANNEL_WRONG_TYPE)
    if asked.fap_level < FAP_LEVEL_MIN:
        raise SegmentError(f"FAP level {asked.fap_level}; {FAP_LEVEL_MIN} is needed", FAP_LEVEL)
    if asked.segment_bytes_max < SEGMENT_BYTES_MIN:
        raise SegmentError(
            f"segments of {asked.segment_bytes_max} bytes; {SEGMENT_BYTES_MIN} are needed",
            NEGOTIATION_FAILED,
        )
    if not offer.is_mqi and asked.sequence_wrap != offer.sequence_wrap:
        raise SegmentError(
            f"SEQWRAP is {asked.sequence_wrap} there and {offer.sequence_wrap} here",
            WRAP_VALUE_ERROR,
        )


def _answer_values(asked: InitialData, offer: Offer, made: InitialData) -> None:
    made.segment_bytes_max = min(asked.segment_bytes_max, offer.segment_bytes_max)
    if made.segment_bytes_max != asked.segment_bytes_max:
        made.refused_1 |= REFUSED_TRANSMISSION_SIZE
    made.message_bytes_max = min(asked.message_bytes_max, offer.message_bytes_max)
    if made.message_bytes_max != asked.message_bytes_max:
        made.refused_1 |= REFUSED_MESSAGE_SIZE
    made.heartbeat_s = heartbeat_taken(asked.heartbeat_s, offer.heartbeat_s)
    if made.heartbeat_s != asked.heartbeat_s:
        made.refused_1 |= REFUSED_HEARTBEAT
    made.batch_messages_max = min(asked.batch_messages_max, offer.batch_messages_max)
    if made.batch_messages_max != asked.batch_messages_max:
        made.refused_1 |= REFUSED_BATCH_SIZE
    made.sequence_wrap = offer.sequence_wrap
    if made.sequence_wrap != asked.sequence_wrap:
        made.refused_1 |= REFUSED_SEQUENCE_WRAP
    if made.fap_level >= LEVEL_SHARING:
        _answer_compressions(asked, offer, made)


def _answer_compressions(asked: InitialData, offer: Offer, made: InitialData) -> None:
    made.header_compressions = chosen_compression(
        asked.header_compressions, offer.header_compressions, offer.sends_messages
    )
    if made.header_compressions != asked.header_compressions:
        made.refused_2 |= REFUSED_HEADER_COMPRESSION
    made.message_compressions = chosen_compression(
        asked.message_compressions, offer.message_compressions, offer.sends_messages
    )
    if made.message_compressions != asked.message_compressions:
        made.refused_2 |= REFUSED_MESSAGE_COMPRESSION


def chosen_compression(asked: bytes, offered: bytes, is_our_order: bool) -> bytes:
    """The compressions that both have, in the order of the message sender, or none."""
    first, second = (offered, asked) if is_our_order else (asked, offered)
    both = [kind for kind in compressions_in(first) if kind in second]
    return compression_bytes(both, len(asked))


def _answer_capabilities(asked: InitialData, offer: Offer, made: InitialData) -> None:
    made.capabilities_1 = asked.capabilities_1 & offer.capabilities_1
    made.refused_capabilities_1 = asked.capabilities_1 & ~offer.capabilities_1
    made.capabilities_2 = asked.capabilities_2 & offer.capabilities_2
    made.refused_capabilities_2 = asked.capabilities_2 & ~offer.capabilities_2
    if made.fap_level >= LEVEL_SHARING:
        made.capabilities_3 = asked.capabilities_3 & offer.capabilities_3
        # IBM's Java client goes on offering this one after a refusal, for ever: it is left out of
        # the answer and not refused.
        refused = asked.capabilities_3 & ~offer.capabilities_3
        made.refused_capabilities_3 = refused & ~CAP_GENERATED_TAG


def _common_protections(asked: InitialData, offer: Offer) -> list[int]:
    common = [one for one in offer.protections if one in asked.protections]
    return common or [PROTECTION_NONE]


def revised(own: InitialData, answered: InitialData) -> InitialData:
    """The client's role: what to send after an answer with ERROR.

    RemoteProtocolError if that is what was sent already: going round would never end.
    """
    made = own.copy()
    made.fap_level = min(own.fap_level, answered.fap_level)
    made.segment_bytes_max = min(own.segment_bytes_max, answered.segment_bytes_max)
    made.message_bytes_max = min(own.message_bytes_max, answered.message_bytes_max)
    made.batch_messages_max = min(own.batch_messages_max, answered.batch_messages_max)
    if made.segment_bytes_max < SEGMENT_BYTES_MIN:
        raise RemoteProtocolError(f"segments of {made.segment_bytes_max} bytes are too short")
    made.heartbeat_s = heartbeat_taken(own.heartbeat_s, answered.heartbeat_s)
    made.capabilities_1 &= ~answered.refused_capabilities_1
    made.capabilities_2 &= ~answered.refused_capabilities_2
    made.capabilities_3 &= ~answered.refused_capabilities_3
    if answered.refused_1 & REFUSED_SEQUENCE_WRAP:
        made.sequence_wrap = answered.sequence_wrap
    if answered.refused_2 & REFUSED_HEADER_COMPRESSION:
        made.header_compressions = answered.header_compressions
    if answered.refused_2 & REFUSED_MESSAGE_COMPRESSION:
        made.message_compressions = answered.message_compressions
    has_sharing = made.fap_level >= LEVEL_SHARING
    fewest = max(min(own.conversations_max, answered.conversations_max), 0)
    made.conversations_max = fewest if has_sharing else 0
    made.has_bytes = bytes_of_level(made.fap_level)
    if made.extended_length:
        made.extended_length = max(made.has_bytes - bytes_of_level(FAP_LEVEL_MIN), 0)
    if made == own:
        raise RemoteProtocolError(
            f"channel '{own.channel_name}': the queue manager refuses the initial data and asks "
            "for no change"
        )
    return made


def accepted(own: InitialData, answered: InitialData) -> Agreement:
    """The client's role: what an answer without ERROR agrees to.

    RemoteProtocolError if it raises what was asked for.
    """
    if answered.fap_level > own.fap_level or answered.fap_level < FAP_LEVEL_MIN:
        raise RemoteProtocolError(f"FAP level {answered.fap_level}, {own.fap_level} was asked for")
    low, high = SEGMENT_BYTES_MIN, own.segment_bytes_max
    if not low <= answered.segment_bytes_max <= high:
        raise RemoteProtocolError(f"segments of {answered.segment_bytes_max} bytes, not {high}")
    made = answered.copy()
    made.message_bytes_max = min(own.message_bytes_max, answered.message_bytes_max)
    made.conversations_max = min(own.conversations_max, answered.conversations_max)
    made.capabilities_2 &= own.capabilities_2
    made.capabilities_3 &= own.capabilities_3
    return Agreement(made)


def bytes_of_call_max(agreement: Agreement) -> int:
    """How long a call may be in all its segments: the longest message, and what stands before."""
    return agreement.message_bytes_max + agreement.segment_bytes_max + TSHM_BYTES


def bytes_of_parts_max(agreement: Agreement) -> int:
    """How long properties beside the data and the data may be together, so that the answer to a get
    is no longer than that."""
    return bytes_of_call_max(agreement) - TSHM_BYTES - _BEFORE_DATA_BYTES
