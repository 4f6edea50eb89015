"""Goal: folders and name-value strings come back as they were, and no length is trusted.

Method: hypothesis over folders; headers with one length made wrong at a time.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import FormatError
from ternmq.codec.headers.mqrfh import RulesHeader, RulesHeader2, folder_name
from ternmq.codec.mqi.layout import BIG
from tests.unit.codec.structure_samples import CCSIDS, ORDERS

pytestmark = pytest.mark.core

FOLDERS = st.lists(st.text(st.characters(exclude_characters="\0 ", exclude_categories=["Cs"])))
GOLDEN = bytes.fromhex(
    "52464820 00000002 00000050 00000111 000004b8 4d51535452202020 00000000 000004b8"
    "00000010 3c6d63643e3c4d73643e7a3c2f6d6364"  # cut on purpose: folders are kept as text
    "00000014 3c7573723e3c613e313c2f613e3c2f7573723e20"
)  # fmt: skip


@given(FOLDERS, st.sampled_from(ORDERS), st.sampled_from([1208, 1200]), st.sampled_from(CCSIDS))
def test_folders_come_back(folders: list[str], order: str, own: int, ccsid: int) -> None:
    made = RulesHeader2(folders=folders, name_value_ccsid=own, format="MQSTR", ccsid=1208)
    packed = made.pack(order, ccsid)
    assert len(packed) == made.size()
    assert len(packed) % 4 == 0
    read = RulesHeader2.unpack(b"xy" + packed + b"data", 2, order, ccsid)
    assert read == made
    assert read.size() == len(packed)


@given(st.text("abcMQPS \u00e9", max_size=50), st.sampled_from(ORDERS), st.sampled_from(CCSIDS))
def test_string_of_version_1_comes_back(text: str, order: str, ccsid: int) -> None:
    made = RulesHeader(name_values=text.rstrip(" "), format="MQSTR")
    packed = made.pack(order, ccsid)
    assert len(packed) % 4 == 0
    read = RulesHeader.unpack(packed + b"data", 0, order, ccsid)
    assert read == made
    assert read.size() == made.size() == len(packed)


def test_header_has_the_published_form() -> None:
    read = RulesHeader2.unpack(GOLDEN, 0, BIG)
    assert (read.size(), read.encoding, read.ccsid, read.format) == (80, 273, 1208, "MQSTR")
    assert read.folders == ["<mcd><Msd>z</mcd", "<usr><a>1</a></usr>"]
    assert read.pack(BIG) == GOLDEN


def test_folder_is_found_by_name() -> None:
    made = RulesHeader2(folders=["<mcd></mcd>", '<usr dt="x"><a>1</a></usr>', "<jms/>"])
    assert made.folder("usr") == '<usr dt="x"><a>1</a></usr>'
    assert made.folder("jms") == "<jms/>"
    assert made.folder("us") == made.folder("") == ""
    assert folder_name("usr") == folder_name("<usr") == folder_name("") == ""


@pytest.mark.parametrize(
    ("at", "value", "text"),
    [
        (8, 35, "length field is 35"),
        (8, 84, "length field is 84"),
        (8, -1, "length field is -1"),
        (8, 2**31 - 1, "length field"),
        (8, 38, "2 bytes are left over"),
        (8, 40, "a folder has length 16"),
        (36, -4, "a folder has length -4"),
        (36, 15, "a folder has length 15"),
        (36, 44, "a folder has length 44"),
        (36, 2**31 - 4, "a folder has length"),
        (32, 819, "CCSID 819"),
        (32, -2, "CCSID -2"),
    ],
)
def test_length_or_ccsid_that_cannot_be_is_refused(at: int, value: int, text: str) -> None:
    packed = GOLDEN[:at] + value.to_bytes(4, "big", signed=True) + GOLDEN[at + 4 :]
    with pytest.raises(FormatError, match=text) as caught:
        RulesHeader2.unpack(packed, 0, BIG)
    assert caught.value.reason == 2334


def test_every_cut_of_a_header_is_refused() -> None:
    for length in range(len(GOLDEN)):
        with pytest.raises(FormatError):
            RulesHeader2.unpack(GOLDEN[:length], 0, BIG)
    packed = RulesHeader(name_values="A B C").pack()
    for length in range(len(packed)):
        with pytest.raises(FormatError):
            RulesHeader.unpack(packed[:length])


def test_folders_cannot_be_written_in_another_character_set() -> None:
    with pytest.raises(FormatError, match="CCSID 37"):
        RulesHeader2(name_value_ccsid=37).pack()


def test_each_version_refuses_the_other() -> None:
    with pytest.raises(FormatError, match="version 2"):
        RulesHeader.unpack(RulesHeader2().pack())
    with pytest.raises(FormatError, match="version 1"):
        RulesHeader2.unpack(RulesHeader().pack() + bytes(4))


def test_repr_shows_folders_and_not_the_length() -> None:
    made = RulesHeader2(folders=["<usr/>"])
    made.pack()
    assert repr(made) == "RulesHeader2(folders=['<usr/>'])"
    assert repr(RulesHeader(name_values="A 1")) == "RulesHeader(name_values='A 1')"
    assert RulesHeader2() != RulesHeader2(folders=["<usr/>"])
