"""Folders of an MQRFH2 by chance, most often right ones, some spoiled: a target of the fuzz.

What is read from a folder is what expat reads from it, where both accept it. What a put takes out
of the data comes back byte by byte, and as properties it is written and read the same.
"""

from __future__ import annotations

import struct
from typing import Final
from xml.parsers import expat

from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import BYTES_2, ENCODING_AT, FORMAT_AT
from ternmq.codec.properties import FORMAT
from ternmq.codec.property import Property
from ternmq.codec.property_area import check_area, find_value, read_properties
from ternmq.codec.property_folders import (
    Element,
    folders_of,
    is_element,
    property_of,
    read_folder,
)
from ternmq.codec.property_header import as_put, may_be_split, split
from ternmq.testing.chance import Chance

ENCODINGS: Final = {LITTLE: 546, BIG: 273}
FOLDERS: Final = ("usr", "usr", "jms", "mcd", "mqext", "mq", "mqps", "own", "a$b", "Grösse")
NAMES: Final = ("a", "b", "colour", "Dst", "Dlv", "Cid", "x.y", "$v", "a:b", "Größe", "_", "n1")
TYPES: Final = (
    *("", "", "", "string", "boolean", "bin.hex", "i1", "i2", "i4", "i8", "int", "r4", "r8"),
    *("char", "float", "I4", "?"),
)
TEXTS: Final = (
    *("", "red", "1", "0", "-1", "127", "128", "65536", "3.5", "1e400", "TRUE", "true", "ff"),
    *("FFF", " x ", "a&amp;b", "&lt;", "&#65;", "&#x41;", "&#0;", "&#x110000;", "&unknown;", "&"),
    *("\r\n", "a\rb", "\t", "ü", "\U0001f600", "\ufffe", "9223372036854775808", "NaN", "INF"),
)
ATTRIBUTES: Final = (
    *("", "", "", " xsi:nil='true'", ' xsi:nil="false"', " context='user'", " copy='reply,all'"),
    *(" sr='required'", " sx='local'", " sa=''", ' copy="none"', " other='1'", ' dt="i4"'),
)
PIECES: Final = (
    *("<", ">", "</", "/>", "'", '"', "=", "&", "<a>", "</a>", "<usr>", "</usr>", " ", "\0", "x"),
    *("<!-- c -->", "<![CDATA[x]]>", "<?p x?>", "<!DOCTYPE a>", "]]>", "\u2028", "é", " dt='i4'"),
)


def folder(chance: Chance) -> str:
    """The text of a folder."""
    name = chance.choice(FOLDERS)
    content = chance.choice(("", " content='properties'", ' content = "properties"'))
    inner = "".join(element(chance, 3) for _ in range(chance.randrange(5)))
    text = f"<{name}{content}>{inner}</{name}>"
    if chance.happens(0.4):
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text) + 1)
            cut = chance.choice((0, 0, 1, 4))
            text = text[:at] + chance.choice(PIECES) + text[at + cut :]
    return text


def element(chance: Chance, depth: int) -> str:
    """One element, with elements or a text inside."""
    name = chance.choice(NAMES)
    if depth and chance.happens(0.2):
        inner = "".join(element(chance, depth - 1) for _ in range(chance.randrange(3)))
        return f"<{name}>{inner}</{name}>"
    kind = chance.choice(TYPES)
    attributes = f" dt='{kind}'" if kind else ""
    attributes += chance.choice(ATTRIBUTES)
    if chance.happens(0.1):
        return f"<{name}{attributes}/>"
    return f"<{name}{attributes}>{chance.choice(TEXTS)}</{name}>"


class Leaves:
    """A second reader of folders: names and texts of the leaves, by expat."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []
        self._path: list[str] = []
        self._texts: list[str] = []
        self._is_leaf = False

    def read(self, text: str) -> list[tuple[str, str]] | None:
        """None: it is not XML."""
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._texts.append
        try:
            parser.Parse(text.encode("utf-8", "surrogatepass"), True)
        except expat.ExpatError:
            return None
        return self.found

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        self._texts.clear()
        self._is_leaf = len(self._path) > 1

    def _end(self, name: str) -> None:
        if self._is_leaf:
            path = self._path[1:] if self._path[0] == "usr" else self._path
            self.found.append((".".join(path), "".join(self._texts)))
        self._is_leaf = False
        self._path.pop()
        self._texts.clear()


def shape(found: list[Property]) -> list[tuple[object, ...]]:
    return [(p.name, p.type, repr(p.value), p.support, p.context, p.copy_options) for p in found]


def check_reading(text: str) -> bool:
    """Whether a folder is read; AssertionError if expat reads something else."""
    found: list[Element] | None = read_folder(text)
    if found is None:
        return False
    second = Leaves().read(text)
    ours = [(name, value) for name, _, value in found if value is not None]
    if second is not None:
        nulls = {at for at, one in enumerate(found) if one[2] is None}
        theirs = [one for at, one in enumerate(second) if at not in nulls]
        if len(second) != len(found) or ours != theirs:
            raise AssertionError(f"{found}, and by expat {second}: {text!r}")
    return True


def check_area_of(data: bytes, base: bytes) -> bool:
    """Whether a put takes properties out of it; AssertionError if they do not come back."""
    if not may_be_split(base):
        raise AssertionError("a descriptor with Format MQHRF2 is not looked at")
    parts = split(data, base)
    if parts is None:
        return False
    check_area(parts.area)
    changed = base[:ENCODING_AT] + parts.fields + base[FORMAT_AT + 8 :]
    if as_put(parts.area, parts.data, changed) != (data, base):
        raise AssertionError(f"not given back as it was put: {data!r}")
    found = read_properties(parts.area)
    seen: set[str] = set()
    for one in found:
        if one.name not in seen:
            seen.add(one.name)
            value = find_value(parts.area, one.name.encode("utf-8", "surrogatepass"))
            if repr(value) != repr(one.value):
                raise AssertionError(f"{one.name} is {one.value!r}, found {value!r}")
    return True


def check_writing(text: str) -> None:
    """What was read is written and read the same, where each part of a name can be an element:
    XML allows names such as `x.`, which as a property has an empty part."""
    found = [property_of(one) for one in read_folder(text) or []]
    made = [one for one in found if all(is_element(part) for part in one.name.split("."))]
    again: list[Property] = []
    for folder in folders_of(made):
        elements = read_folder(folder)
        if elements is None:
            raise AssertionError(f"{folder!r}, made of {text!r}, is not read")
        again += [property_of(one) for one in elements]
    if shape(again) != shape(made):
        raise AssertionError(f"{shape(made)} is written and read as {shape(again)}: {text!r}")


def folders_by_chance(chance: Chance) -> str:
    """One message with folders by chance."""
    texts = [folder(chance) for _ in range(chance.choice((1, 1, 2, 3)))]
    outcomes = [check_reading(text) for text in texts]
    for text in texts:
        check_writing(text)
    order = chance.choice((LITTLE, BIG))
    folders = [text.encode("utf-8", "replace").decode() for text in texts]
    header = RulesHeader2(encoding=ENCODINGS[order], ccsid=1208, folders=folders)
    data = header.pack(order, 1208) + chance.randbytes(chance.choice((0, 4, 30)))
    if chance.happens(0.2):
        at = chance.randrange(len(data))
        data = data[:at] + chance.randbytes(chance.choice((0, 1, 4))) + data[at + 1 :]
    base = bytearray(BYTES_2)
    struct.pack_into("<ii8s", base, ENCODING_AT, ENCODINGS[order], 1208, FORMAT)
    is_split = check_area_of(data, bytes(base))
    return "read" if is_split and all(outcomes) else "refused"
