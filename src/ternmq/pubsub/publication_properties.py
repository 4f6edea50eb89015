"""What a copy says about its publication, in the form that PSPROP of the subscription asks for.

    MSGPROP  properties  mqps.Top  STRING   MQTopicString   the topic string
                         mqps.Sud  STRING   MQSubUserData   only if the subscription has user data
                         mqps.Ret  BOOLEAN  MQIsRetained    only in a retained one, sent later
                         mqps.Pub  INT32    MQPubOptions    only if there are any: MQPUBO_
                         mqps.Pbl  INT32    MQPubLevel
    NONE     nothing
    RFH2     an MQRFH2 before the data with a folder psc: Command Publish, PubOpt, Topic
    COMPAT   an MQRFH before the data: MQPSCommand Publish, MQPSPubOpts, MQPSTopic

Properties of the publisher are in all copies, but for those without MQCOPY_PUBLISH.
"""

from __future__ import annotations

import struct
from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.mqrfh import RulesHeader, RulesHeader2
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT
from ternmq.codec.property import Property
from ternmq.codec.property_area import (
    HAS_JMS_FOLDER,
    area_flags,
    pack_area,
    read_properties,
)
from ternmq.codec.property_folders import escaped

TOPIC_STRING: Final = "mqps.Top"
USER_DATA: Final = "mqps.Sud"
IS_RETAINED: Final = "mqps.Ret"
OPTIONS: Final = "mqps.Pub"
LEVEL: Final = "mqps.Pbl"
_COPIED: Final = mq.MQCOPY_PUBLISH | mq.MQCOPY_ALL
_FOLDER: Final = "mqps."
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
    form: i64, data: bytes, base: bytes, topic_string: str, is_retained: bool, options: i64
) -> tuple[bytes, bytes]:
    """Data and descriptor of a copy with PSPROP(RFH2) or PSPROP(COMPAT)."""
    encoding, ccsid, format = _FIELDS.unpack_from(base, ENCODING_AT)
    kind = format.decode("latin-1").rstrip(" \0")
    words = _option_words(options, is_retained)
    if form == mq.MQPSPROP_RFH2:
        shown = "".join([f"<PubOpt>{word}</PubOpt>" for word in words])
        folder = (
            f"<psc><Command>Publish</Command>{shown}<Topic>{escaped(topic_string)}</Topic></psc>"
        )
        header = RulesHeader2(encoding=encoding, ccsid=ccsid, format=kind, folders=[folder]).pack()
        name = mq.MQFMT_RF_HEADER_2
    else:
        text = "MQPSCommand Publish "
        if words:
            text += f"MQPSPubOpts {' '.join(words)} "
        text += f"MQPSTopic {_quoted(topic_string)}"
        rules = RulesHeader(encoding=encoding, ccsid=ccsid, format=kind, name_values=text)
        header = rules.pack(LITTLE, UTF8)
        name = mq.MQFMT_RF_HEADER_1
    fields = _FIELDS.pack(mq.MQENC_NATIVE, UTF8, name.encode("ascii").ljust(8))
    return header + data, base[:ENCODING_AT] + fields + base[FORMAT_AT + 8 :]


def _option_words(options: i64, is_retained: bool) -> list[str]:
    words: list[str] = []
    if options & mq.MQPUBO_RETAIN_PUBLICATION:
        words.append("RetainPub")
    if is_retained:
        words.append("IsRetainedPub")
    return words


def _quoted(value: str) -> str:
    """A value of an MQRFH string: in quotation marks if it has blanks or such marks."""
    if value and " " not in value and '"' not in value:
        return value
    doubled = value.replace('"', '""')
    return f'"{doubled}"'
