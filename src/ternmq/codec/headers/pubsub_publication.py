"""The header before a publication for subscribers that want one: PSPROP(RFH2) an MQRFH2 with a psc
folder, PSPROP(COMPAT) an MQRFH (`pubsub_command` has both formats).

What a publisher has said in such a header travels in properties of folder mqpse: Pts the time of
the publication, Seq its number, Sid the pairs of MQPSStrData, of MQPSIntData and of the publisher's
own names as an MQRFH has them.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.codec.headers.pubsub_command import (
    COMMAND,
    OWN,
    TOPIC,
    CommandError,
    Field,
    fields_header,
    pairs_text,
    read_pairs,
)
from ternmq.codec.headers.pubsub_options import PUBLICATION, option_words
from ternmq.codec.property import Property
from ternmq.codec.property_area import read_properties

PUBLISH: Final = "Publish"
_TIME: Final = "mqpse.Pts"
_SEQUENCE: Final = "mqpse.Seq"
_DATA: Final = "mqpse.Sid"
_DATA_NAMES: Final = ("StrData", "IntData")
_PAIR_NAMES: Final[dict[str, str]] = {"MQPSStrData": "StrData", "MQPSIntData": "IntData"}


def publication_header(
    properties: int,
    topic_string: str,
    options: int,
    more: list[Field],
    encoding: int,
    ccsid: int,
    format: str,
) -> bytes:
    """The header of a publication, by PSPROP (MQPSPROP_RFH2 or MQPSPROP_COMPAT), before data with
    this encoding, CCSID and format. `options` are MQPUBO_; `more` are fields behind the topic:
    SubUserData, and `published_fields`. The message has the format `publication_format`, in
    MQENC_NATIVE and UTF-8."""
    fields: list[Field] = [(COMMAND, PUBLISH)]
    fields.extend([("PubOpt", word) for word in option_words(options, PUBLICATION)])
    fields.append((TOPIC, topic_string))
    fields.extend(more)
    version = 1 if properties == mq.MQPSPROP_COMPAT else 2
    return fields_header(version, fields, encoding, ccsid, format)


def publication_format(properties: int) -> str:
    """The format of a message that begins with that header."""
    return mq.MQFMT_RF_HEADER_1 if properties == mq.MQPSPROP_COMPAT else mq.MQFMT_RF_HEADER_2


def published_fields(area: bytes) -> list[Field]:
    """What a queued publisher has said of a publication, from its properties."""
    found: list[Field] = []
    if b"mqpse" not in area:
        return found
    for one in read_properties(area):
        if one.name == _TIME:
            found.append(("PubTime", str(one.value)))
        elif one.name == _SEQUENCE:
            found.append(("SeqNum", str(one.value)))
        elif one.name == _DATA:
            found.extend(_data_fields(str(one.value)))
    return found


def _data_fields(text: str) -> list[Field]:
    try:
        pairs = read_pairs(text)
    except CommandError:
        return []  # not ours, though it has that name
    found: list[Field] = []
    for name, value in pairs:
        known = _PAIR_NAMES.get(name)
        if known is not None:
            found.append((known, value))
        elif not name.startswith("MQ"):
            found.append((OWN + name, value))
    return found


def published_properties(fields: list[Field]) -> list[Property]:
    """The properties for what a queued publisher says."""
    made: list[Property] = []
    data: list[Field] = []
    for name, value in fields:
        if name == "PubTime":
            made.append(Property(_TIME, mq.MQTYPE_STRING, value))
        elif name == "SeqNum":
            made.append(Property(_SEQUENCE, mq.MQTYPE_STRING, value))
        elif name in _DATA_NAMES or name.startswith(OWN):
            data.append((name, value))
    if data:
        made.append(Property(_DATA, mq.MQTYPE_STRING, pairs_text(data)))
    return made
