"""What a report message contains: its descriptor, data and properties, from the message that it is
about.

`report_descriptor` has the rules for most fields. The others:

    Feedback             MQFB_COA, MQFB_COD, MQFB_EXPIRATION or, of an exception, the reason
    Expiry               of an expiration with MQRO_PASS_DISCARD_AND_EXPIRY: 60 seconds
    ReplyToQ             blank; ReplyToQMgr is this queue manager, as in all messages without one
    identity context     the original's
    origin context       MQAT_QMGR, the queue manager, now

Each kind of report has three options in bits side by side: no data, data, full data.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.user_names import whole_name
from ternmq.codec.headers.chain import headers_of
from ternmq.codec.headers.transmitted import transmitted_message
from ternmq.codec.mqi.mqmd import REPORT_AT, Descriptor
from ternmq.codec.property_area import pack_area, read_properties
from ternmq.store.copying import NANOSECONDS_A_TENTH
from ternmq.values.entry import PERSISTENT, Entry, packed_descriptor
from ternmq.values.put_properties import merged_properties
from ternmq.values.report_descriptor import report_descriptor

DATA_BYTES: Final = 100  # of application data that MQRO_*_WITH_DATA asks for
EXPIRY_OF_EXPIRATION: Final = 600  # tenths of a second
_DATA: Final = 1  # shifts from the option for a report without data
_FULL_DATA: Final = 2
_REPORT: Final = struct.Struct("<i")


def asks_for(entry: Entry, option: int) -> bool:
    """Whether a message asks for a kind of report: MQRO_COA, say, with data or without."""
    report: int = _REPORT.unpack_from(entry.base, REPORT_AT)[0]
    return report & option != 0


@final
class ReportMessage:
    """A report, and where it is to go."""

    __slots__ = ("data", "descriptor", "is_own", "properties", "queue", "queue_manager", "user")

    def __init__(self, about: Descriptor, descriptor: Descriptor) -> None:
        self.descriptor = descriptor
        self.data = b""
        self.properties = b""  # an area
        self.is_own = False  # for a queue of the queue manager's own: no authority is needed
        self.queue = about.reply_to_queue
        self.queue_manager = about.reply_to_qmgr
        # whose authority is asked for
        self.user = whole_name(about.user_id, about.appl_identity_data)

    @property
    def may_be_lost(self) -> bool:
        """Whether it is discarded where it cannot be delivered."""
        return self.descriptor.report & mq.MQRO_DISCARD_MSG != 0


def report_about(
    entry: Entry, option: int, feedback: int, qmgr_name: str, now_ns: i64
) -> ReportMessage | None:
    """The report that a message asks for; None if it asks for none of this kind."""
    about = Descriptor.unpack(packed_descriptor(entry))
    data = entry.data
    length = len(data)
    if about.format == mq.MQFMT_XMIT_Q_HEADER:
        try:
            about, data = transmitted_message(data)
        except MQError:
            return None  # its own descriptor is not there
        # Nobody has checked that descriptor. These two are in the entry as well.
        about.persistence = int(entry.flags & PERSISTENT)
        about.priority = int(entry.priority)
        length = len(data) - _headers_length(data, about)  # properties are such a header
    if not about.report & option or not about.reply_to_queue:
        return None
    made = ReportMessage(about, _descriptor(about, entry, length, feedback, qmgr_name, now_ns))
    if about.report & (option << _FULL_DATA):
        made.data = data
    elif about.report & (option << _DATA):
        made.data = data[: _headers_length(data, about) + DATA_BYTES]
    else:
        return made
    made.properties = _properties(entry.properties)
    return made


def _headers_length(data: bytes, about: Descriptor) -> int:
    chain = headers_of(data, about.pack())
    return chain[-1].end if chain else 0


def _descriptor(
    about: Descriptor, entry: Entry, length: int, feedback: int, qmgr_name: str, now_ns: i64
) -> Descriptor:
    about.expiry = mq.MQEI_UNLIMITED
    if feedback == mq.MQFB_EXPIRATION:
        about.expiry = EXPIRY_OF_EXPIRATION
    elif entry.expiry_at:
        about.expiry = max(int((entry.expiry_at - now_ns) // NANOSECONDS_A_TENTH), 1)
    made = report_descriptor(about, feedback, length)
    made.reply_to_qmgr = qmgr_name
    made.user_id = about.user_id
    made.accounting_token = about.accounting_token
    made.appl_identity_data = about.appl_identity_data
    made.put_appl_type = mq.MQAT_QMGR
    made.put_appl_name = qmgr_name[: mq.MQ_PUT_APPL_NAME_LENGTH]
    return made


def _properties(area: bytes) -> bytes:
    """Those with MQCOPY_REPORT, which all have unless their maker said otherwise."""
    if not area:
        return area
    all_of_them = read_properties(area)
    copied = merged_properties(all_of_them, [], mq.MQACTP_REPORT)
    return area if len(copied) == len(all_of_them) else pack_area(copied)
