"""Goal: a property area that comes over the local socket is believed only if it is sound.

Method: bodies of puts with areas that are whole, cut and changed.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.base.errors import RemoteProtocolError
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.kernel.requests import PutRequest
from ternmq.server.binding import with_properties
from ternmq.wire import local as wire

pytestmark = pytest.mark.core

AREA = pack_area([Property("colour", mq.MQTYPE_STRING, "red")])


def body(area: bytes) -> wire.PutBody:
    return wire.PutBody(wire.put_head(2, 0, 0, Descriptor().pack(), area) + b"data", False)


def request() -> PutRequest:
    return PutRequest(0, Descriptor(version=2).pack(), False)


def test_put_when_its_area_is_sound_then_the_message_has_it() -> None:
    plain = request()
    assert with_properties(plain, body(AREA)).properties == AREA
    assert with_properties(plain, body(b"")) is plain


@pytest.mark.parametrize("area", [AREA[:-1], AREA + b"x", b"\2" + AREA[1:], b"x", AREA[:4]])
def test_put_when_its_area_is_not_sound_then_the_connection_ends(area: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match="a property area"):
        with_properties(request(), body(area))
