"""The two parts of a put: properties in MQRFH2 headers before its data become its property area.
Done before the put's step, outside the engine's lock.

Only a request whose Format says that such headers may be there is asked, or one that passes the
user context on (`PutRequest.splits`). What an application gives beside the data counts more than
what the headers say of the same name, and both more than what is passed on.
"""

from __future__ import annotations

from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_PROPERTIES_TOO_BIG
from ternmq.codec.property import Property
from ternmq.codec.property_area import COUNT_MAX, original_of, pack_area, read_properties
from ternmq.codec.property_header import split
from ternmq.kernel.requests import PutRequest
from ternmq.values.put_properties import user_context, with_user_context


def in_parts(request: PutRequest, data: bytes) -> tuple[PutRequest, bytes]:
    """The request and the body of a message whose data may begin with headers."""
    saved = request.user_context
    parts = split(data, request.base)
    if parts is None:
        if saved:
            request = request.with_properties(_with_saved(request.properties, saved))
        return request, data
    area = parts.area
    if request.properties:
        area = merged(area, request.properties)
    if saved:
        area = _with_saved(area, saved)
    return request.with_parts(area, parts.fields), parts.data


def user_context_of(area: bytes) -> bytes:
    """The area of the properties that MQOO_SAVE_ALL_CONTEXT saves of a message."""
    return pack_area(user_context(read_properties(area)))


def _with_saved(area: bytes, saved: bytes) -> bytes:
    """The area of a message that MQPMO_PASS_ALL_CONTEXT puts."""
    own = read_properties(area)
    both = with_user_context(own, read_properties(saved))
    if len(both) == len(own):
        return area
    return _packed(both, area)


def merged(area: bytes, more: bytes) -> bytes:
    """An area with the properties of both; those of the second replace others of their name."""
    own = read_properties(more)
    names = {one.name for one in own}
    found: list[Property] = [one for one in read_properties(area) if one.name not in names]
    return _packed(found + own, area)


def _packed(properties: list[Property], area: bytes) -> bytes:
    """These properties with the original of an area that they are not all of."""
    if len(properties) > COUNT_MAX:
        detail = f"{len(properties)} properties with those in the MQRFH2 and the user context"
        raise mq_error(
            MQRC_PROPERTIES_TOO_BIG, verb="MQPUT", detail=f"{detail}; {COUNT_MAX} are the most"
        )
    return pack_area(properties, original_of(area), False)
