"""Goal: every field lies where the published structures have it, on the wire and in memory.

Method: the sizes of every version and the offsets of every field, written down here a second time.
"""

import pytest

from ternmq.base.errors import FormatError
from ternmq.codec.headers import mqdlh, mqmde, mqrfh, mqtm, mqtmc, mqxqh
from ternmq.codec.mqi import mqcno, mqcsp, mqgmo, mqmd, mqod, mqpmo, mqsd, mqsts
from ternmq.codec.mqi.layout import BIG, LITTLE, Layout, byte_order
from tests.unit.codec.structure_samples import versions

pytestmark = pytest.mark.core

SIZES = [
    (mqmd.LAYOUT, [324, 364], [324, 364]),
    (mqmde.LAYOUT, [72], [72]),
    (mqod.LAYOUT, [168, 200, 336, 400], [168, 208, 344, 424]),
    (mqpmo.LAYOUT, [128, 152, 176], [128, 160, 184]),
    (mqgmo.LAYOUT, [72, 80, 100, 112], [72, 80, 100, 112]),
    (
        mqcno.LAYOUT,
        [12, 20, 148, 156, 188, 208, 240, 252],
        [12, 24, 152, 168, 200, 224, 256, 272],
    ),
    (mqcsp.LAYOUT, [48, 68, 88], [56, 80, 104]),
    (mqsts.LAYOUT, [224, 272], [224, 280]),
    (mqsd.LAYOUT, [312], [344]),
    (mqxqh.LAYOUT, [428], [428]),
    (mqdlh.LAYOUT, [172], [172]),
    (mqrfh.LAYOUT_1, [32], [32]),
    (mqrfh.LAYOUT_2, [36], [36]),
    (mqtm.LAYOUT, [684], [684]),
    (mqtmc.LAYOUT, [684, 732], [684, 732]),
]
MD = [
    8, 12, 16, 20, 24, 28, 32, 40, 44, 48, 72, 96, 100, 148, 196, 208, 240, 272, 276, 304, 312, 320,
    324, 348, 352, 356, 360,
]  # fmt: skip
MDE = [8, 12, 16, 20, 28, 32, 56, 60, 64, 68]
GMO = [8, 12, 16, 20, 24, 72, 76, 77, 78, 79, 80, 96, 100, 104]
DLH = [8, 12, 60, 108, 112, 116, 124, 128, 156, 164]
TM = [8, 56, 104, 168, 172, 428, 556]
OFFSETS = [
    (mqmd.LAYOUT, MD, MD),
    (mqmde.LAYOUT, MDE, MDE),
    (mqgmo.LAYOUT, GMO, GMO),
    (mqdlh.LAYOUT, DLH, DLH),
    (mqtm.LAYOUT, TM, TM),
    (mqtmc.LAYOUT, [*TM, 684], [*TM, 684]),
    (mqxqh.LAYOUT, [8, 56, 104], [8, 56, 104]),
    (mqrfh.LAYOUT_2, [8, 12, 16, 20, 28, 32], [8, 12, 16, 20, 28, 32]),
    (
        mqod.LAYOUT,
        [8, 12, 60, 108, 156, 168, 172, 176, 180, 184, 188, 192, 196, 200, 240, 288, 336, 356, 376,
         396],
        [8, 12, 60, 108, 156, 168, 172, 176, 180, 184, 188, 192, 200, 208, 248, 296, 344, 368, 392,
         416],
    ),
    (
        mqpmo.LAYOUT,
        [8, 12, 16, 20, 24, 28, 32, 80, 128, 132, 136, 140, 144, 148, 152, 160, 168, 172],
        [8, 12, 16, 20, 24, 28, 32, 80, 128, 132, 136, 140, 144, 152, 160, 168, 176, 180],
    ),
    (
        mqcno.LAYOUT,
        [8, 12, 16, 20, 148, 152, 156, 180, 184, 188, 192, 196, 200, 208, 236, 240, 244, 248],
        [8, 12, 16, 24, 152, 160, 164, 188, 192, 200, 208, 212, 216, 224, 252, 256, 264, 268],
    ),
    (
        mqcsp.LAYOUT,
        [8, 12, 16, 20, 24, 28, 36, 40, 44, 48, 56, 60, 64, 68, 76, 80, 84],
        [8, 12, 16, 24, 28, 32, 40, 48, 52, 56, 64, 72, 76, 80, 88, 96, 100],
    ),
    (
        mqsts.LAYOUT,
        [8, 12, 16, 20, 24, 28, 32, 80, 128, 176, 224, 244, 264, 268],
        [8, 12, 16, 20, 24, 28, 32, 80, 128, 176, 224, 248, 272, 276],
    ),
    (
        mqsd.LAYOUT,
        [8, 12, 60, 72, 112, 116, 136, 156, 176, 200, 204, 236, 268, 288, 292],
        [8, 12, 60, 72, 112, 120, 144, 168, 192, 216, 220, 252, 288, 312, 320],
    ),
]  # fmt: skip


def name(value: object) -> str:
    return value.name if isinstance(value, Layout) else ""


@pytest.mark.parametrize(("layout", "wire", "native"), SIZES, ids=name)
def test_versions_have_the_published_sizes(
    layout: Layout, wire: list[int], native: list[int]
) -> None:
    assert [layout.size(version) for version in versions(layout)] == wire
    assert [layout.size(version, native=True) for version in versions(layout)] == native


@pytest.mark.parametrize(("layout", "wire", "native"), OFFSETS, ids=name)
def test_fields_lie_at_the_published_offsets(
    layout: Layout, wire: list[int], native: list[int]
) -> None:
    last = layout.version_max
    assert list(layout.plan(last, LITTLE, False).offsets.values()) == wire
    assert list(layout.plan(last, BIG, True).offsets.values()) == native


@pytest.mark.parametrize(("layout", "wire", "native"), SIZES, ids=name)
def test_version_that_does_not_exist_is_refused(
    layout: Layout, wire: list[int], native: list[int]
) -> None:
    for version in (layout.version_min - 1, layout.version_max + 1):
        with pytest.raises(FormatError) as caught:
            layout.size(version)
        assert caught.value.reason == layout.reason


def test_named_offsets_of_the_descriptor_are_those_of_its_layout() -> None:
    offsets = mqmd.LAYOUT.plan(2, LITTLE, False).offsets
    for field, offset in offsets.items():
        assert getattr(mqmd, f"{field.upper()}_AT") == offset
    assert (mqmd.BYTES_1, mqmd.BYTES_2) == (324, 364)


def test_encoding_reports_the_byte_order() -> None:
    assert byte_order(273) == byte_order(785) == BIG
    assert byte_order(546) == LITTLE
