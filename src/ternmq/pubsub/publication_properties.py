"""What a copy says about its publication, in the form that PSPROP of the subscription asks for.

MSGPROP  properties: see `codec.publication_area`
NONE     nothing
RFH2     an MQRFH2 before the data with a folder psc: Command Publish, PubOpt, Topic ...
COMPAT   an MQRFH before the data: MQPSCommand Publish, MQPSPubOpts, MQPSTopic ...; if the data
         is PCF, parameters behind its own: MQCACF_TOPIC, MQIACF_PUBLICATION_OPTIONS
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.pubsub_publication import (
    publication_format,
    publication_header,
    published_fields,
)
from ternmq.codec.mqi.layout import LITTLE, byte_order
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT
from ternmq.codec.pcf.parameter import PCFError, integer, string
from ternmq.codec.pcf.structures import unpack_pcf

if TYPE_CHECKING:
    from ternmq.pubsub.delivery_plan import Style

_COUNT_AT: Final = 32  # ParameterCount in an MQCFH
_FIELDS: Final = struct.Struct("<ii8s")


def with_header(
    style: Style, data: bytes, base: bytes, area: bytes, topic_string: str, options: i64
) -> tuple[bytes, bytes]:
    """Data and descriptor of a copy with PSPROP(RFH2) or PSPROP(COMPAT); `area` has the
    publisher's properties."""
    encoding, ccsid, format = _FIELDS.unpack_from(base, ENCODING_AT)
    kind = format.decode("latin-1").rstrip(" \0")
    form = int(style.form)
    shown = int(options)
    if style.registration and not style.registration & mq.MQREGO_INFORM_IF_RETAINED:
        shown &= ~mq.MQPUBO_IS_RETAINED_PUBLICATION
    if form == mq.MQPSPROP_COMPAT and kind == mq.MQFMT_PCF:
        extended = _with_parameters(data, byte_order(encoding), ccsid, topic_string, shown)
        if extended:
            return extended, base
    more = published_fields(area)
    if style.user_data:
        more.append(("SubUserData", style.user_data))
    if style.stream:
        more.append(("StreamName", style.stream))
    header = publication_header(form, topic_string, shown, more, encoding, ccsid, kind)
    name = publication_format(form).encode("ascii").ljust(8)
    fields = _FIELDS.pack(mq.MQENC_NATIVE, UTF8, name)
    return header + data, base[:ENCODING_AT] + fields + base[FORMAT_AT + 8 :]


def _with_parameters(data: bytes, order: str, ccsid: int, topic_string: str, options: int) -> bytes:
    """A PCF message with what a publication adds; b"" if the data is not one."""
    try:
        message = unpack_pcf(data, order, ccsid)
        added = [string(mq.MQCACF_TOPIC, topic_string)]
        if options:
            added.append(integer(mq.MQIACF_PUBLICATION_OPTIONS, options))
        packed = [one.pack(order, ccsid) for one in added]
    except (PCFError, MQError, UnicodeError):
        return b""
    count = len(message.parameters) + len(added)
    number = count.to_bytes(4, "little" if order == LITTLE else "big")
    parts = [data[:_COUNT_AT], number, data[_COUNT_AT + 4 :]]
    return b"".join(parts + packed)
