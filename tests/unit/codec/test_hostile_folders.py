"""Goal: a folder of an MQRFH2, whatever an application writes into it, is read in time that grows
with its length alone: puts read folders, and everybody's wait for one.
Method: folders of a megabyte, each made to trap a reader that looks back or searches again.
"""

from __future__ import annotations

import time

import pytest

from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property_header import as_put, split
from tests.unit.codec.test_properties import header

pytestmark = pytest.mark.core

SIZE = 1 << 20
SECONDS_MAX = 2.0  # each took at most 0.11 s when this was written
BASE = Descriptor(format="MQHRF2", encoding=546, ccsid=1208).pack()
GROUP = b"g" * 3000

HOSTILE: dict[str, bytes] = {
    "blanks behind content": b"<x content" + b" " * SIZE + b"><a>1</a></x>",
    "content again and again": b"<x " + b"content " * (SIZE // 8) + b"><a>1</a></x>",
    "content without a value": b"<x " + b"content=" * (SIZE // 8) + b"><a>1</a></x>",
    "first tag without an end": b"<usr " + b"a" * SIZE,
    "beginnings of tags": b"<" * SIZE,
    "name of a folder": b"<" + b"a" * SIZE + b">",
    "name of an attribute": b"<usr><a " + b"b" * SIZE + b"></a></usr>",
    "blanks before an attribute": b"<usr><a " + b" " * SIZE + b"x></a></usr>",
    "attributes": b"<usr><a" + b" b='c'" * (SIZE // 6) + b">1</a></usr>",
    "attributes, and no end": b"<usr><a" + b" b='c'" * (SIZE // 6) + b" >1</a ></usr",
    "attributes without values": b"<usr><a" + b" b=" * (SIZE // 3) + b">1</a></usr>",
    "quotes in a value": b"<usr><a b='" + b'"' * SIZE + b"></a></usr>",
    "ampersands": b"<usr><a>" + b"&" * SIZE + b"</a></usr>",
    "entities": b"<usr><a>" + b"&amp;" * (SIZE // 5) + b"</a></usr>",
    "beginnings of entities": b"<usr><a>" + b"&#" * (SIZE // 2) + b"</a></usr>",
    "deep": b"<usr>" + b"<a>" * (SIZE // 7) + b"</a>" * (SIZE // 7) + b"</usr>",
    "many": b"<usr>" + b"<a>1</a>" * (SIZE // 8) + b"</usr>",
    "many in a group of a long name": (
        b"<x content='properties'><" + GROUP + b">" + b"<a/>" * 8000 + b"</" + GROUP + b"></x>"
    ),
    "digits": b"<usr><a dt='i8'>" + b"9" * SIZE + b"</a></usr>",
    "digits of a fraction": b"<usr><a dt='r8'>" + b"9" * SIZE + b"</a></usr>",
    "digits of an exponent": b"<usr><a dt='r8'>1e" + b"9" * SIZE + b"</a></usr>",
    "hexadecimal digits": b"<usr><a dt='bin.hex'>" + b"F" * SIZE + b"</a></usr>",
    "name of a type": b"<usr><a dt='" + b"x" * SIZE + b"'>1</a></usr>",
    "blanks in a boolean": b"<usr><a dt='boolean'>" + b" " * SIZE + b"1</a></usr>",
    "words of copy": b"<usr><a copy='" + b"all," * (SIZE // 4) + b"'>1</a></usr>",
    "blanks": b"<usr>" + b" " * SIZE + b"</usr>",
    "ends of lines": b"<usr><a>" + b"\r" * SIZE + b"</a></usr>",
    "blanks in an end": b"<usr><a>1</a" + b" " * SIZE + b"</usr>",
    "blanks before a folder": b" " * SIZE + b"x",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_folder_when_made_to_trap_its_reader_then_it_takes_little_time(name: str) -> None:
    folder = HOSTILE[name]
    data = header(folder + b" " * (-len(folder) % 4)) + b"x"
    begun = time.thread_time()
    parts = split(data, BASE)
    if parts is not None:
        assert as_put(parts.area, parts.data, BASE)[0] == data
    assert time.thread_time() - begun < SECONDS_MAX


def test_headers_when_there_are_very_many_then_they_take_little_time() -> None:
    one = header(b"<usr><a>1</a></usr>  ", format=b"MQHRF2  ")
    data = one * (SIZE // len(one))
    begun = time.thread_time()
    assert split(data, BASE) is not None
    assert time.thread_time() - begun < SECONDS_MAX
