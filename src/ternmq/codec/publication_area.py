"""The properties of a copy of a publication, with PSPROP(MSGPROP):

    mqps.Top  STRING   MQTopicString   the topic string
    mqps.Sud  STRING   MQSubUserData   only if the subscription has user data
    mqps.Ret  BOOLEAN  MQIsRetained    only in a retained one, sent later
    mqps.Pub  INT32    MQPubOptions    only if there are any: MQPUBO_
    mqps.Pbl  INT32    MQPubLevel

Properties of the publisher are in all copies, but for those without MQCOPY_PUBLISH.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.codec.property import Property
from ternmq.codec.property_area import (
    HAS_JMS_FOLDER,
    HEAD_BYTES,
    EntryHeads,
    add_packed,
    area_flags,
    joined_area,
    pack_area,
    read_properties,
)

TOPIC_STRING: Final = "mqps.Top"
USER_DATA: Final = "mqps.Sud"
IS_RETAINED: Final = "mqps.Ret"
OPTIONS: Final = "mqps.Pub"
LEVEL: Final = "mqps.Pbl"
OWN_PROPERTIES_MAX: Final = 5  # that a copy gets
_COPIED: Final = mq.MQCOPY_PUBLISH | mq.MQCOPY_ALL
_FOLDER: Final = "mqps."
_TOPIC_HEADS: Final = EntryHeads(TOPIC_STRING)
_LEVELS: Final[dict[int, bytes]] = {}  # the property, by its value


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
    if not published and not user_data and not options and not is_retained:
        return _plain_area(topic_string, level)
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


def _plain_area(topic_string: str, level: i64) -> bytes:
    """Topic string and level alone, as most copies have them, from parts that are packed already.
    The same bytes as those of `pack_area`."""
    packed_level = _LEVELS.get(int(level), b"")
    if not packed_level:
        packed_level = pack_area([Property(LEVEL, mq.MQTYPE_INT32, int(level))])[HEAD_BYTES:]
        _LEVELS[int(level)] = packed_level
    parts = [b"", b"", b""]
    size = add_packed(parts, _TOPIC_HEADS, topic_string)
    parts.append(packed_level)
    return joined_area(parts, 2, int(size) + len(packed_level), False)
