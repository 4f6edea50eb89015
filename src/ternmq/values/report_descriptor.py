"""The descriptors of replies and reports: what Report of the message that they are about says of
them, and what the queue manager and applications put in a report.

MsgType, Feedback    MQMT_REPORT; what the report says
MsgId, CorrelId      a new one and the original's MsgId, or as MQRO_PASS_MSG_ID and
                     MQRO_PASS_CORREL_ID say
Report, Expiry       none and unlimited; with MQRO_PASS_DISCARD_AND_EXPIRY the original's
                     MQRO_DISCARD_MSG and what is left of its time
copied               Priority, Persistence, Format, Encoding, CodedCharSetId, GroupId,
                     MsgSeqNumber, Offset, MsgFlags
OriginalLength       of a segment: its OriginalLength, or the length of its data
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor

_SEGMENT: Final = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT


def answer_to(request: Descriptor) -> Descriptor:
    """What Report of a request says about replies and reports."""
    made = Descriptor(
        priority=request.priority,
        persistence=request.persistence,
        correl_id=request.msg_id,
    )
    if request.report & mq.MQRO_PASS_MSG_ID:
        made.msg_id = request.msg_id
    if request.report & mq.MQRO_PASS_CORREL_ID:
        made.correl_id = request.correl_id
    if request.report & mq.MQRO_PASS_DISCARD_AND_EXPIRY:
        made.expiry = request.expiry
        made.report = request.report & mq.MQRO_DISCARD_MSG
    return made


def report_descriptor(about: Descriptor, feedback: int, length: int) -> Descriptor:
    """Of a report on a message with this descriptor and so many bytes of data."""
    made = answer_to(about)
    made.msg_type = mq.MQMT_REPORT
    made.feedback = feedback
    made.encoding = about.encoding
    made.ccsid = about.ccsid
    made.format = about.format
    made.group_id = about.group_id
    made.msg_seq_number = about.msg_seq_number
    made.offset = about.offset
    made.msg_flags = about.msg_flags
    if about.msg_flags & _SEGMENT:
        known = about.original_length != mq.MQOL_UNDEFINED
        made.original_length = about.original_length if known else length
    return made
