"""Goal: what is compressed comes back, and a hostile body is refused before it is expanded.
Method: every algorithm over fixed and random data; bodies that are cut, too long, or not agreed.
"""

from __future__ import annotations

import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base import constants as mq
from ternmq.ports.os_clock import OsClock
from ternmq.wire.fap import compression_lists as lists
from ternmq.wire.fap.compression import (
    Expander,
    Packer,
    available_headers,
    available_messages,
    compress,
    expand,
)
from ternmq.wire.fap.initial_data import compression_bytes, compressions_in
from ternmq.wire.fap.negotiation import chosen_compression
from ternmq.wire.fap.segment import Header, SegmentError, read_segment, segment
from ternmq.wire.fap.segment_compression import SegmentCompression
from ternmq.wire.fap.vocabulary import HEADER_COMPRESSED, MESSAGE_COMPRESSED, MQPUT

KINDS = available_messages()
NONE = mq.MQCOMPRESS_NONE
SYSTEM = mq.MQCOMPRESS_SYSTEM
RLE = mq.MQCOMPRESS_RLE
ZLIB = mq.MQCOMPRESS_ZLIBFAST


@pytest.mark.core
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("data", [b"", b"x", bytes(70_000), b"abc" * 9000, bytes(range(256)) * 3])
def test_compress_when_expanded_then_the_same(kind: int, data: bytes) -> None:
    assert expand(kind, compress(kind, data), len(data)) == data


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.binary(max_size=3000), run=st.integers(0, 40_000))
def test_compress_when_runs_and_noise_then_the_same(kind: int, data: bytes, run: int) -> None:
    whole = data + b"\0" * run + data
    assert expand(kind, compress(kind, whole), len(whole)) == whole


@pytest.mark.parametrize("kind", KINDS)
def test_expand_when_it_would_be_too_long_then_refused(kind: int) -> None:
    packed = compress(kind, bytes(1_000_000))
    with pytest.raises(SegmentError):
        expand(kind, packed, 999_999)


def test_expand_when_a_bomb_then_no_memory_is_taken() -> None:
    bomb = zlib.compress(bytes(64 << 20), 9)
    tracemalloc.start()
    try:
        with pytest.raises(SegmentError, match="more than 100000"):
            expand(ZLIB, bomb, 100_000)
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.binary(max_size=200))
def test_expand_when_arbitrary_bytes_then_bounded_or_refused(kind: int, data: bytes) -> None:
    try:
        assert len(expand(kind, data, 5000)) <= 5000
    except SegmentError:
        pass


@pytest.mark.parametrize(
    "data", [b"\x00", b"\x00\x05ab", b"\x80\x00a", b"\x00\x00a", b"\x80\x05", b"\x00\x01"]
)
def test_expand_when_run_lengths_are_invalid_then_refused(data: bytes) -> None:
    with pytest.raises(SegmentError):
        expand(RLE, data, 100)


def test_compress_when_run_lengths_then_short() -> None:
    assert len(compress(RLE, bytes(100_000))) == 12
    assert len(compress(RLE, b"order 1" + b" " * 90 + b"end")) == 2 + 7 + 3 + 2 + 3


def test_expand_when_zlib_is_cut_or_longer_then_refused() -> None:
    packed = compress(ZLIB, b"hello" * 100)
    for data in (packed[:-1], packed + b"x"):
        with pytest.raises(SegmentError):
            expand(ZLIB, data, 500)


def test_expand_when_the_algorithm_is_unknown_then_refused() -> None:
    with pytest.raises(SegmentError):
        expand(77, b"abc", 10)
    with pytest.raises(ValueError, match="SYSTEM"):
        compress(SYSTEM, b"abc")


# ---- bodies


@pytest.mark.core
@pytest.mark.parametrize("message_kind", [NONE, *KINDS])
@pytest.mark.parametrize("header_kind", [NONE, SYSTEM])
def test_packer_when_messages_follow_then_all_expand(header_kind: int, message_kind: int) -> None:
    packer = Packer(header_kind, message_kind)
    expander = Expander([header_kind], [message_kind])
    for number in range(20):
        body = b"XQH " + b"TARGET".ljust(96) + b"%08d" % number + bytes(320)
        body += (b"data %d " % number) * number * 3
        sent, flags = packer.pack(body, 428)
        assert expander.expand(sent, flags, 10_000) == body
        if header_kind == SYSTEM and number:
            assert flags & HEADER_COMPRESSED
            assert len(sent) < len(body) - 300


def test_packer_when_a_body_is_not_shorter_then_goes_as_it_is() -> None:
    packer = Packer(SYSTEM, ZLIB)
    body = bytes(range(256)) * 2
    for data in (b"short", zlib.compress(bytes(range(256)) * 20, 9)[:300]):
        sent, flags = packer.pack(data, 0)
        assert (sent, flags) == (data, 0)
    assert packer.last_message_kind == NONE
    assert packer.pack(body, 0)[1] == MESSAGE_COMPRESSED
    assert packer.last_message_kind == ZLIB


def test_packer_when_one_message_has_its_own_algorithm_then_the_expander_follows() -> None:
    packer = Packer(NONE, ZLIB)
    expander = Expander([NONE], [ZLIB, RLE])
    body = bytes(5000)
    sent, flags = packer.pack_with(body, 428, NONE, RLE)
    assert expander.expand(sent, flags, 5000) == body
    assert expander.last_message_kind == RLE
    sent, flags = packer.pack_with(body, 428, NONE, NONE)
    assert (sent, flags) == (body, 0)


def test_expander_when_not_agreed_then_refused() -> None:
    body = bytes(5000)
    sent, flags = Packer(SYSTEM, ZLIB).pack(body, 428)
    with pytest.raises(SegmentError, match="was not agreed"):
        Expander([SYSTEM], [RLE]).expand(sent, flags, 5000)
    with pytest.raises(SegmentError, match="was not agreed"):
        Expander([NONE], [ZLIB]).expand(sent, flags, 5000)


def test_expander_when_longer_than_allowed_then_refused() -> None:
    sent, flags = Packer(NONE, ZLIB).pack(bytes(5000), 428)
    with pytest.raises(SegmentError, match="more than 4999"):
        Expander([NONE], [ZLIB]).expand(sent, flags, 4999)


@given(st.data())
def test_expander_when_a_body_is_damaged_then_refused_or_bounded(data: st.DataObject) -> None:
    sent, flags = Packer(SYSTEM, ZLIB).pack(bytes(600) + b"abc" * 100, 428)
    at = data.draw(st.integers(0, len(sent) - 1))
    changed = sent[:at] + bytes([data.draw(st.integers(0, 255))]) + sent[at + 1 :]
    cut = changed[: data.draw(st.integers(0, len(changed)))]
    try:
        found = Expander([SYSTEM], [ZLIB]).expand(cut, flags, 2000)
    except SegmentError:
        return
    assert len(found) <= 2000


def test_rates_when_messages_shrink_then_per_cent_and_time() -> None:
    packer = Packer(NONE, ZLIB, OsClock())
    for _ in range(10):
        packer.pack(bytes(100_000), 0)
    short, long = packer.rates.rate_percent()
    assert 98 <= short <= 100
    assert 98 <= long <= 100
    assert packer.rates.time_us()[0] > 0
    assert packer.rates.messages == 10
    assert packer.rates.plain_bytes == 1_000_000


# ---- lists


def test_named_when_any_then_all_that_are_available() -> None:
    assert lists.named("ANY", KINDS) == KINDS
    assert lists.named("NONE", KINDS) == [NONE]
    assert lists.named("ZLIBHIGH,RLE", KINDS) == [mq.MQCOMPRESS_ZLIBHIGH, RLE]
    assert lists.named("LZ4FAST", [RLE]) == [NONE]
    assert lists.named("SYSTEM", available_headers()) == [SYSTEM]


def test_chosen_compression_when_both_have_lists_then_the_sender_orders() -> None:
    def chosen(asked: list[int], offered: list[int], is_our_order: bool) -> list[int]:
        lists_of_bytes = compression_bytes(asked, 16), compression_bytes(offered, 16)
        return compressions_in(chosen_compression(*lists_of_bytes, is_our_order))

    assert chosen([ZLIB, RLE], [RLE, ZLIB], False) == [ZLIB, RLE]
    assert chosen([ZLIB, RLE], [RLE, ZLIB], True) == [RLE, ZLIB]
    assert chosen([RLE], [ZLIB, NONE], False) == [NONE]
    assert chosen([RLE, NONE], [NONE], False) == [NONE]


def test_packed_when_a_list_then_bytes_of_initial_data() -> None:
    assert compression_bytes([NONE], 2) == b"\x00\xff"
    assert compression_bytes([], 16) == b"\x00" + b"\xff" * 15
    assert compressions_in(compression_bytes([ZLIB, RLE], 16)) == [ZLIB, RLE]


# ---- segments of a client


def test_segments_when_compressed_then_the_other_end_sees_what_was_sent() -> None:
    one = SegmentCompression([SYSTEM], [ZLIB], 32_748)
    other = SegmentCompression([SYSTEM], [ZLIB], 32_748)
    plain = b"".join(
        segment(Header(MQPUT, variant=variant, conversation=3), b"MD  " + bytes(900) + b"x" * size)
        for variant in ("TSH ", "TSHM", "TSHC")
        for size in (0, 1, 5000, 31_000)
    )
    wire = one.packed(plain)
    assert len(wire) < len(plain) // 10
    found = b"".join(other.expanded(wire[at : at + 7]) for at in range(0, len(wire), 7))
    assert found == plain


def test_segments_when_one_expands_beyond_a_segment_then_refused() -> None:
    one = SegmentCompression([NONE], [ZLIB], 200_000)
    wire = one.packed(segment(Header(MQPUT), bytes(150_000)))
    assert read_segment(wire).header.flags_2 == MESSAGE_COMPRESSED
    with pytest.raises(SegmentError, match="more than 32748"):
        SegmentCompression([NONE], [ZLIB], 32_748).expanded(wire)
