"""Properties of messages as the sink writes them: an MQRFH2 ahead of the data.

A property stands in the folder that its name begins with if that is one of MQ's (`jms.Dst`), else
in `usr`; further points are elements inside elements, where XML has such elements, else a part of
the name. property_types has the words of MQRFH2 (boolean, i4, bin.hex ...); what is not named there
is a string, and a property without value is null. What XML cannot have in a name or a value is
refused, as nobody could read it, and so is a number that its type cannot have. So all names that
the source can give are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, final
from xml.sax.saxutils import escape

from ternmq.base import constants as mq
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.property_folders import FOLDERS, is_element

TYPES: Final = ("string", "boolean", "bin.hex", "i1", "i2", "i4", "i8", "r4", "r8")
CACHED_MAX: Final = 1024
_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_RETURN: Final = {"\r": "&#13;"}  # as it is, it would be read as the end of a line
_NIL: Final = ' xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_VALUES: Final = {
    "boolean": re.compile(r"[01]|true|false"),
    "bin.hex": re.compile(r"(?:[0-9A-Fa-f]{2})*"),
    **dict.fromkeys(("i1", "i2", "i4", "i8"), re.compile(r"[+-]?[0-9]{1,40}")),
    **dict.fromkeys(
        ("r4", "r8"),
        re.compile(
            r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|"
            r"-?Infinity|NaN"
        ),
    ),
}
_HIGHEST: Final = {f"i{size}": (1 << (8 * size - 1)) - 1 for size in (1, 2, 4, 8)}
_NOT_FINITE: Final = ("Infinity", "-Infinity", "NaN")
_TOO_LARGE: Final = {"r4": 3.4028235677973366e38, "r8": float("inf")}  # rounded to infinity


def folders_of(properties: Mapping[str, str | None], types: Mapping[str, str]) -> list[str]:
    """Folders of an MQRFH2; ValueError names a property that cannot be."""
    trees: dict[str, list[str]] = {}
    for name, value in properties.items():
        folder, path = place_of(name)
        element = element_of(path, name, value, types.get(name, "string"))
        trees.setdefault(folder, []).append(element)
    return [f"<{name}>{''.join(parts)}</{name}>" for name, parts in trees.items()]


def unfit_in(
    properties: Mapping[str, str | None], types: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Those properties that cannot be, and why."""
    for name, value in properties.items():
        try:
            folders_of({name: value}, types)
        except ValueError as error:
            yield name, str(error)


@lru_cache(maxsize=CACHED_MAX)
def place_of(name: str) -> tuple[str, list[str]]:
    """The folder of a property, and its elements there, one inside the other."""
    first, _, rest = name.partition(".")
    folder, inside = (first, rest) if rest and first in FOLDERS else ("usr", name)
    path = inside.split(".")
    if all(is_element(part) for part in path):
        return folder, path
    if is_element(name):
        return "usr", [name]
    raise ValueError(f"a property of a message cannot have the name {name!r}")


def element_of(path: list[str], name: str, value: str | None, kind: str) -> str:
    """One property as XML."""
    if kind not in TYPES:
        raise ValueError(f"property {name} is of type {kind!r}; it may be {', '.join(TYPES)}")
    if value is not None and kind in _VALUES:
        check_value(name, kind, value)
    if value is not None and _NO_XML.search(value):
        raise ValueError(f"property {name} is {value!r}, of which XML cannot have a character")
    attribute = f' dt="{kind}"' if kind != "string" else ""
    if value is None:
        attribute = _NIL
    text = "" if value is None else escape(value, _RETURN)
    for part in reversed(path):
        text = f"<{part}{attribute}>{text}</{part}>"
        attribute = ""
    return text


def check_value(name: str, kind: str, value: str) -> None:
    """ValueError if a value is not of its type."""
    if not _VALUES[kind].fullmatch(value):
        raise ValueError(f"property {name} of type {kind} is {value!r}")
    highest = _HIGHEST.get(kind, 0)
    if highest and not -highest - 1 <= int(value) <= highest:
        raise ValueError(
            f"property {name} of type {kind} is {value}; it is from {-highest - 1} to {highest}"
        )
    if value in _NOT_FINITE:
        return
    if kind in _TOO_LARGE and abs(float(value)) >= _TOO_LARGE[kind]:
        raise ValueError(f"property {name} of type {kind} is {value}, which is too large for it")


@final
class Headers:
    """Headers of messages; those that are alike are made once."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], bytes] = {}

    def header(
        self,
        properties: Mapping[str, str | None],
        types: Mapping[str, str],
        of_data: tuple[str, int, int],
    ) -> bytes:
        """The header; `of_data` is format, encoding and CCSID of what follows it."""
        key = (tuple(properties.items()), tuple(types.items()), of_data)
        made = self._made.get(key)
        if made is None:
            format, encoding, ccsid = of_data
            header = RulesHeader2(
                encoding=encoding,
                ccsid=ccsid or mq.MQCCSI_INHERIT,
                format=format,
                folders=folders_of(properties, types),
            )
            made = header.pack()
            if len(self._made) >= CACHED_MAX:
                self._made.clear()
            self._made[key] = made
        return made
