"""Goal: any segment is shown in words that a person can read, and no password ever is.

Method: published segments and their expected words; every type made at random; spoilt bodies.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.wire.fap import vocabulary as v
from ternmq.wire.fap.flow import write_body
from ternmq.wire.fap.segment import TSHM, Header, Segment, read_segment, segment
from ternmq.wire.fap.segment_trace import trace_segment
from tests.unit.wire.fap_samples import BODIES, bodies, headers
from tests.unit.wire.fap_vectors import CLIENT_ID, NO_CHANNEL, OPEN_REPLY

pytestmark = pytest.mark.core


def test_refusal_then_these_lines() -> None:
    assert trace_segment(read_segment(NO_CHANNEL), 13).splitlines() == [
        "STATUS_DATA  TSH 36 bytes, ERROR+CLOSE_CHANNEL, big endian, CCSID 1208, encoding 273",
        "    length 8",
        "    code 1 NO_CHANNEL",
        "    0000  54 53 48 20 00 00 00 24  01 05 0a 00 00 00 00 00  TSH ...$........",
        "    0010  00 00 00 00 00 00 01 11  04 b8 00 00 00 00 00 08  ................",
        "    0020  00 00 00 01                                       ....",
    ]


def test_initial_data_then_by_name() -> None:
    shown = trace_segment(read_segment(CLIENT_ID), 13, 32)
    assert "    capabilities_2 81 DIST_LIST_CAPABLE+XAREQUEST+SPIREQUEST" in shown
    assert "    channel_name 'DEV.APP.SVRCONN'" in shown
    assert "... 236 bytes more" in shown


def test_structures_and_records_then_inside_their_call() -> None:
    shown = trace_segment(read_segment(OPEN_REPLY), 13)
    assert "    object ObjectDescriptor(version=1, object_name='DEV.QUEUE.1')" in shown
    assert "    fopa:\n        version 1\n        length 28\n" in shown


def test_conversation_then_its_ids() -> None:
    header = Header(v.SPI + v.REPLY, variant=TSHM, conversation=3, request=5, flags_2=1)
    values = {"verb": 1, "spqo": {"length": 56, "verbs": [{"verb": 12}, {"verb": 9}]}}
    data = segment(header, write_body(header, values, 13))
    shown = trace_segment(read_segment(data), 13)
    assert "TSHM 132 bytes, conversation 3, request 5, FIRST+LAST, HDRCOMP" in shown
    assert "        verbs 0:\n            verb 12 OPEN\n" in shown
    assert "        verbs 1:\n            verb 9\n" in shown


def test_characters_of_an_ebcdic_partner_then_readable() -> None:
    header = Header(v.USERID_DATA, is_ebcdic=True, ccsid=500)
    data = segment(header, write_body(header, {"user_id": "APPUSER"}, 4))
    shown = trace_segment(read_segment(data), 13)
    assert "CCSID 500 (EBCDIC)" in shown
    assert "UID \n" in shown
    assert "  APPUSER     ****\n" in shown


@pytest.mark.parametrize("level", [13, 17])
def test_password_then_never_shown(level: int) -> None:
    secret = "Sup3rS3cret!"
    user = {"user_id": "app", "password": secret}
    authentication = {"user_id": "app", "password": secret.encode(), "token": secret.encode()}
    if level < 17:
        del authentication["token"]
    for type, values in ((v.USERID_DATA, user), (v.CONAUTH_INFO, authentication)):
        header = Header(type)
        data = segment(header, write_body(header, dict(values), level))
        for cut in (0, 1, 5):
            if cut:
                length = (len(data) - cut).to_bytes(4, "big")
                data = data[:4] + length + data[8 : len(data) - cut]
            shown = trace_segment(read_segment(data), level)
            bare = "".join(shown.split())
            assert secret[:8] not in bare
            assert secret[:4].encode().hex() not in bare
            assert "53757033" not in bare.replace("*", "")
            assert "**" in shown
            assert ("cannot be read" in shown) == bool(cut)


@pytest.mark.parametrize("type", BODIES)
@settings(max_examples=5)
@given(data=st.data())
def test_every_type_then_shown(type: int, data: st.DataObject) -> None:
    header = data.draw(headers([type]))
    body = write_body(header, data.draw(bodies(type)), 17)
    size = data.draw(st.sampled_from([len(body), len(body) // 2]))
    shown = trace_segment(Segment(header, body[:size], 0), 17)
    assert shown.startswith(v.TYPE_NAMES[type])
