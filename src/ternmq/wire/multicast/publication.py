"""A publication as it travels by multicast: what the packets of a transmitter carry, joined.

Big endian:

     0   1  version    1
     1   1  level      PubLevel, 0 to 9
     2   2  flags      1: it is to be retained (MQPMO_RETAIN)
     4   8  own        who published with MQPMO_NOT_OWN_SUBS, as a number; 0: everybody gets it
    12   2  topic      bytes of the topic string
    14   2  descriptor bytes of the MQMD: 364
    16   4  area       bytes of the properties
    20      the topic string in UTF-8; the MQMD, version 2, as the queue manager keeps it; the
            properties (docs/internals/format/property_area.md); the data

Validity: version and the length of the MQMD are as above, the lengths are inside the publication,
the topic string is UTF-8, not empty and has at most 255 characters, and the properties can be read.
Whatever is not valid is ignored: content can never make a get fail.

MCPROP of the COMMINFO object says which fields of the MQMD and whether properties travel. Format,
Encoding and CodedCharSetId describe the data and always do.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from ternmq.base import constants as mq
from ternmq.base.errors import IntegrityError, MQError
from ternmq.codec.mqi.mqmd import BYTES_2, Descriptor
from ternmq.codec.property_area import check_area

RETAINED: Final = 1
TOPIC_CHARACTERS_MAX: Final = 255
_VERSION: Final = 1
_HEAD: Final = struct.Struct(">BBHQHHI")
_REPLY_FIELDS: Final = (
    "msg_type",
    "msg_id",
    "correl_id",
    "reply_to_queue",
    "reply_to_qmgr",
    "report",
)
_DATA_FIELDS: Final = ("format", "encoding", "ccsid")


class Publication(NamedTuple):
    """One publication."""

    topic: str
    descriptor: bytes  # packed, as the queue manager keeps it
    area: bytes
    data: bytes
    level: int = 9
    flags: int = 0
    own: int = 0  # whose subscriptions do not get it

    def pack(self) -> bytes:
        """As it travels."""
        topic = self.topic.encode("utf-8")
        sizes = len(topic), len(self.descriptor), len(self.area)
        head = _HEAD.pack(_VERSION, self.level, self.flags, self.own, *sizes)
        return b"".join((head, topic, self.descriptor, self.area, self.data))


def unpack_publication(data: bytes) -> Publication | None:
    """What travelled; None if it is not valid."""
    if len(data) < _HEAD.size:
        return None
    version, level, flags, own, topic_bytes, descriptor_bytes, area_bytes = _HEAD.unpack_from(data)
    topic_end = _HEAD.size + topic_bytes
    descriptor_end = topic_end + descriptor_bytes
    area_end = descriptor_end + area_bytes
    if version != _VERSION or descriptor_bytes != BYTES_2 or area_end > len(data):
        return None
    area = data[descriptor_end:area_end]
    try:
        topic = data[_HEAD.size : topic_end].decode("utf-8")
        Descriptor.unpack(data[topic_end:descriptor_end])
        if area:
            check_area(area)
    except (UnicodeError, MQError, IntegrityError, ValueError, struct.error):
        return None
    if not 0 < len(topic) <= TOPIC_CHARACTERS_MAX or level > 9:
        return None
    descriptor = data[topic_end:descriptor_end]
    return Publication(topic, descriptor, area, data[area_end:], level, flags, own)


def narrowed(publication: Publication, properties: int) -> Publication:
    """What MCPROP lets travel: ALL and COMPAT everything, REPLY the properties of the publisher
    and what a reply needs, USER the properties alone, NONE neither."""
    if properties in (mq.MQMCP_ALL, mq.MQMCP_COMPAT):
        return publication
    full = Descriptor.unpack(publication.descriptor)
    made = Descriptor(persistence=mq.MQPER_NOT_PERSISTENT, priority=0)
    kept = _REPLY_FIELDS if properties == mq.MQMCP_REPLY else ()
    for name in _DATA_FIELDS + kept:
        setattr(made, name, getattr(full, name))
    area = b"" if properties == mq.MQMCP_NONE else publication.area
    return publication._replace(descriptor=made.pack(), area=area)
