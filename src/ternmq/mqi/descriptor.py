"""The checks of an MQMD on put, and the context that a message gets."""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.limits import (
    APPLICATION_NAME_BYTES_MAX,
    SEGMENT_OFFSET_BYTES_MAX,
    SEQUENCE_NUMBER_MAX,
    SEQUENCE_NUMBER_MIN,
    USER_ID_BYTES_MAX,
    USER_NAME_BYTES_MAX,
)
from ternmq.base.reasons import (
    MQRC_EXPIRY_ERROR,
    MQRC_FEEDBACK_ERROR,
    MQRC_MD_ERROR,
    MQRC_MISSING_REPLY_TO_Q,
    MQRC_MSG_FLAGS_ERROR,
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_MSG_TYPE_ERROR,
    MQRC_OFFSET_ERROR,
    MQRC_PERSISTENCE_ERROR,
    MQRC_PRIORITY_ERROR,
    MQRC_REPORT_OPTIONS_ERROR,
    MQRC_WRONG_MD_VERSION,
)
from ternmq.base.user_names import carried_name, identity_data_of
from ternmq.codec.mqi.mqmd import Descriptor

_IN_GROUP: Final = mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP
_SEGMENT: Final = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT
_KNOWN_FLAGS: Final = _IN_GROUP | _SEGMENT | mq.MQMF_SEGMENTATION_ALLOWED
_REPORTS: Final = (
    mq.MQRO_EXCEPTION_WITH_FULL_DATA
    | mq.MQRO_EXPIRATION_WITH_FULL_DATA
    | mq.MQRO_COA_WITH_FULL_DATA
    | mq.MQRO_COD_WITH_FULL_DATA
    | mq.MQRO_PAN
    | mq.MQRO_NAN
    | mq.MQRO_ACTIVITY
)
_KINDS: Final = (
    (mq.MQRO_EXCEPTION, "EXCEPTION"),
    (mq.MQRO_EXPIRATION, "EXPIRATION"),
    (mq.MQRO_COA, "COA"),
    (mq.MQRO_COD, "COD"),
)
_KNOWN_REPORTS: Final = (
    _REPORTS
    | mq.MQRO_PASS_CORREL_ID
    | mq.MQRO_PASS_MSG_ID
    | mq.MQRO_DISCARD_MSG
    | mq.MQRO_PASS_DISCARD_AND_EXPIRY
)
_REJECT_UNKNOWN: Final = mq.MQRO_REJECT_UNSUP_MASK


def _refuse(reason: int, verb: str, detail: str) -> None:
    raise mq_error(reason, verb=verb, detail=detail)


def check_descriptor(md: Descriptor, verb: str) -> None:
    """Every field that the queue manager answers for."""
    if md.version not in (1, 2):
        _refuse(MQRC_MD_ERROR, verb, f"version {md.version}")
    if md.report:
        _check_report(md.report, verb)
    if not (
        1 <= md.msg_type <= mq.MQMT_SYSTEM_LAST
        or mq.MQMT_APPL_FIRST <= md.msg_type <= mq.MQMT_APPL_LAST
    ):
        _refuse(MQRC_MSG_TYPE_ERROR, verb, f"MsgType {md.msg_type}")
    if md.expiry != mq.MQEI_UNLIMITED and md.expiry <= 0:
        _refuse(MQRC_EXPIRY_ERROR, verb, f"Expiry {md.expiry}")
    if not (0 <= md.feedback <= mq.MQFB_APPL_LAST):
        _refuse(MQRC_FEEDBACK_ERROR, verb, f"Feedback {md.feedback}")
    if md.priority < mq.MQPRI_PRIORITY_AS_Q_DEF:
        _refuse(MQRC_PRIORITY_ERROR, verb, f"Priority {md.priority}")
    if md.persistence not in (0, 1, 2):
        _refuse(MQRC_PERSISTENCE_ERROR, verb, f"Persistence {md.persistence}")
    if not md.reply_to_queue and (md.msg_type == mq.MQMT_REQUEST or md.report & _REPORTS):
        _refuse(MQRC_MISSING_REPLY_TO_Q, verb, "a request or a report needs ReplyToQ")
    _check_group(md, verb)


def _check_report(report: int, verb: str) -> None:
    """Bits that must be understood; and of each kind of report, the option without data is a part
    of that with data, and both are parts of that with full data."""
    shown = f"Report 0x{report & 0xFFFFFFFF:08X}"
    if report & ~_KNOWN_REPORTS & _REJECT_UNKNOWN:
        _refuse(MQRC_REPORT_OPTIONS_ERROR, verb, shown)
    for option, name in _KINDS:
        if (report // option) & 7 not in (0, 1, 3, 7):
            detail = f"{shown}: use one of MQRO_{name}, _WITH_DATA and _WITH_FULL_DATA"
            _refuse(MQRC_REPORT_OPTIONS_ERROR, verb, detail)


def _check_group(md: Descriptor, verb: str) -> None:
    if md.version < 2:
        return
    # Others are for later queue managers, some of them only on the way to one (`put_position`).
    if md.msg_flags & ~_KNOWN_FLAGS & mq.MQMF_REJECT_UNSUP_MASK:
        _refuse(MQRC_MSG_FLAGS_ERROR, verb, f"MsgFlags 0x{md.msg_flags & 0xFFFFFFFF:08X}")
    if (
        md.msg_flags & _IN_GROUP
        and not SEQUENCE_NUMBER_MIN <= md.msg_seq_number <= SEQUENCE_NUMBER_MAX
    ):
        _refuse(MQRC_MSG_SEQ_NUMBER_ERROR, verb, f"MsgSeqNumber {md.msg_seq_number}")
    if md.msg_flags & _SEGMENT and not 0 <= md.offset <= SEGMENT_OFFSET_BYTES_MAX:
        _refuse(MQRC_OFFSET_ERROR, verb, f"Offset {md.offset}")


def in_group_or_segment(md: Descriptor) -> bool:
    """Whether GroupId, MsgSeqNumber and Offset of the message mean anything."""
    return md.version >= 2 and md.msg_flags & _KNOWN_FLAGS != 0


def canonical(md: Descriptor) -> Descriptor:
    """A version 2 copy in which fields of groups and segments are neutral where the message is in
    no group, or no segment."""
    copy = md.copy()
    copy.version = 2
    flags = md.msg_flags if md.version >= 2 else 0
    copy.msg_flags = flags
    if not flags & _KNOWN_FLAGS:
        copy.group_id = mq.MQGI_NONE
    if not flags & _IN_GROUP:
        copy.msg_seq_number = 1
    if not flags & _SEGMENT:
        copy.offset = 0
        copy.original_length = mq.MQOL_UNDEFINED
    return copy


def in_logical_order(md: Descriptor, options: int, verb: str) -> Descriptor:
    """The descriptor of a put. With MQPMO_LOGICAL_ORDER the queue manager decides what GroupId,
    MsgSeqNumber and Offset are, whatever the application has left there."""
    if not options & mq.MQPMO_LOGICAL_ORDER:
        return md
    if md.version < mq.MQMD_VERSION_2:
        detail = f"MQPMO_LOGICAL_ORDER needs MQMD version 2, and this is version {md.version}"
        _refuse(MQRC_WRONG_MD_VERSION, verb, detail)
    copy = md.copy()
    copy.group_id = mq.MQGI_NONE
    copy.msg_seq_number = 1
    copy.offset = 0
    return copy


# ---- context: UserIdentifier to ApplIdentityData is identity, PutApplType to ApplOriginData is
# origin ----------

IDENTITY_AT: Final = 196
ORIGIN_AT: Final = 272
CONTEXT_END: Final = 324
_UNIX_TOKEN: Final = b"\x06"  # MQACTT_UNIX_NUMERIC_ID
_NO_IDENTITY: Final = b" " * 12 + bytes(32) + b" " * 32
_NO_ORIGIN: Final = struct.pack("<i", mq.MQAT_NO_CONTEXT) + b" " * 48


def default_context(user: str, application: str, number: int) -> bytes:
    """Identity and origin of a connection; PutDate and PutTime are filled in for each message.
    `number` is the system's of the user, -1 if it knows none."""
    identity = (
        carried_name(user).encode("utf-8", "replace").ljust(USER_ID_BYTES_MAX)
        + _accounting_token(number)
        + identity_data_of(user).encode("utf-8", "replace").ljust(USER_NAME_BYTES_MAX)
    )
    name = application.encode("utf-8", "replace")[-APPLICATION_NAME_BYTES_MAX:].ljust(
        APPLICATION_NAME_BYTES_MAX
    )
    return identity + struct.pack("<i", mq.MQAT_UNIX) + name + b" " * 20


def _accounting_token(number: int) -> bytes:
    """A length byte, the user's number as text, and the token's type in the last byte. Without a
    number there is nothing to account to."""
    if number < 0:
        return mq.MQACT_NONE
    text = str(number).encode("ascii")
    return (bytes([len(text)]) + text).ljust(31, b"\0") + _UNIX_TOKEN


def no_context() -> bytes:
    """MQPMO_NO_CONTEXT."""
    return _NO_IDENTITY + _NO_ORIGIN


def with_context(base: bytes, context: bytes) -> bytes:
    """A packed descriptor with its context replaced."""
    return base[:IDENTITY_AT] + context + base[CONTEXT_END:]
