"""What a copy says about its publication, in the form that PSPROP of the subscription asks for.

    MSGPROP  properties  mqps.Top  STRING   MQTopicString   the topic string
                         mqps.Sud  STRING   MQSubUserData   only if the subscription has user data
                         mqps.Ret  BOOLEAN  MQIsRetained    only in a retained one, sent later
                         mqps.Pub  INT32    MQPubOptions    only if there are any: MQPUBO_
                         mqps.Pbl  INT32    MQPubLevel
    NONE     nothing
    RFH2     an MQRFH2 before the data with a folder psc: Command Publish, PubOpt, Topic ...
    COMPAT   an MQRFH before the data: MQPSCommand Publish, MQPSPubOpts, MQPSTopic ...; if the data
             is PCF, parameters behind its own: MQCACF_TOPIC, MQIACF_PUBLICATION_OPTIONS

Properties of the publisher are in all copies, but for those without MQCOPY_PUBLISH.
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
from ternmq.codec.property import Property
from ternmq.codec.property_area import (
    HAS_JMS_FOLDER,
    area_flags,
    pack_area,
    read_properties,
)

if TYPE_CHECKING:
    from ternmq.pubsub.delivery_plan import Style

TOPIC_STRING: Final = "mqps.Top"
USER_DATA: Final = "mqps.Sud"
IS_RETAINED: Final = "mqps.Ret"
OPTIONS: Final = "mqps.Pub"
LEVEL: Final = "mqps.Pbl"
OWN_PROPERTIES_MAX: Final = 5  # that a copy gets
_COPIED: Final = mq.MQCOPY_PUBLISH | mq.MQCOPY_ALL
_FOLDER: Final = "mqps."
_COUNT_AT: Final = 32  # ParameterCount in an MQCFH
_FIELDS: Final = struct.Struct("<ii8s")


def published_properties(area: bytes) -> bytes:
    """The publisher's properties that copies have."""
    if not area:
        return area
    given = read_properties(area)
    kept = [one for one in given if one.copy_options & _COPIED and not one.name.startswith(_FOLDER)]
    return area if len(kept) == len(given) else pack_area(kept)


def publication_area(
    published: bytes, topic_string: str, user_data: str, options: i64, level: i64, is_retained: bool
) -> bytes:
    """The properties of a copy with PSPROP(MSGPROP); `published` are those of the publisher, and
    `options` are MQPUBO_."""
    own = [Property(TOPIC_STRING, mq.MQTYPE_STRING, topic_string)]
    if user_data:
        own.append(Property(USER_DATA, mq.MQTYPE_STRING, user_data))
    if is_retained:
        own.append(Property(IS_RETAINED, mq.MQTYPE_BOOLEAN, True))
    if options:
        own.append(Property(OPTIONS, mq.MQTYPE_INT32, int(options)))
    own.append(Property(LEVEL, mq.MQTYPE_INT32, int(level)))
    if not published:
        return pack_area(own)
    is_for_jms = area_flags(published) & HAS_JMS_FOLDER != 0
    return pack_area(read_properties(published) + own, None, False, is_for_jms)


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
