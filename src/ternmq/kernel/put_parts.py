"""The two parts of a put: properties in MQRFH2 headers before its data become its property area.
Done before the put's step, outside the engine's lock.

Only a request whose Format says that such headers may be there is asked (`PutRequest.splits`). What
an application gives beside the data counts more than what the headers say of the same name.
"""

from __future__ import annotations

from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_PROPERTIES_TOO_BIG
from ternmq.codec.property import Property
from ternmq.codec.property_area import COUNT_MAX, original_of, pack_area, read_properties
from ternmq.codec.property_header import split
from ternmq.kernel.requests import PutRequest


def in_parts(request: PutRequest, data: bytes) -> tuple[PutRequest, bytes]:
    """The request and the body of a message whose data may begin with headers."""
    parts = split(data, request.base)
    if parts is None:
        return request, data
    area = parts.area
    if request.properties:
        area = merged(area, request.properties)
    return request.with_parts(area, parts.fields), parts.data


def merged(area: bytes, more: bytes) -> bytes:
    """An area with the properties of both; those of the second replace others of their name."""
    own = read_properties(more)
    names = {one.name for one in own}
    found: list[Property] = [one for one in read_properties(area) if one.name not in names]
    if len(found) + len(own) > COUNT_MAX:
        detail = f"{len(found) + len(own)} properties with those in the MQRFH2"
        raise mq_error(
            MQRC_PROPERTIES_TOO_BIG, verb="MQPUT", detail=f"{detail}; {COUNT_MAX} are the most"
        )
    return pack_area(found + own, original_of(area), False)
