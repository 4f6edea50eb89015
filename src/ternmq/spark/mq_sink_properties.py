"""Properties of messages as the sink writes them: an MQRFH2 ahead of the data.

A property stands in the folder that its name begins with if that is one of MQ's (`jms.Dst`), else
in `usr`; further points are elements inside elements. property_types has the words of MQRFH2
(boolean, i4, bin.hex ...); what is not told there is a string, and a property without value is
null. What XML cannot have in a name or a value is refused, as nobody could read it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, final
from xml.parsers import expat
from xml.sax.saxutils import escape

from ternmq.base import constants as mq
from ternmq.codec.mqrfh import RulesHeader2

# As MQ has them for properties; the same names as those that are looked for when reading.
FOLDERS: Final = ("mcd", "jms", "mqext", "mqps", "mq_usr", "sib", "sib_usr", "sib_context", "usr")
TYPES: Final = ("string", "boolean", "bin.hex", "i1", "i2", "i4", "i8", "r4", "r8")
CACHED_MAX: Final = 1024
_NAME: Final = re.compile(r"[^\W\d][\w\-]*(?:\.[^\W\d][\w\-]*)*")
_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_RETURN: Final = {"\r": "&#13;"}  # as it is, it would be read as the end of a line
_NIL: Final = ' xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_VALUES: Final = {
    "boolean": re.compile(r"[01]|true|false"),
    "bin.hex": re.compile(r"(?:[0-9A-Fa-f]{2})*"),
    **dict.fromkeys(("i1", "i2", "i4", "i8"), re.compile(r"[+-]?\d+")),
    **dict.fromkeys(("r4", "r8"), re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")),
}


def folders_of(properties: Mapping[str, str | None], types: Mapping[str, str]) -> list[str]:
    """Folders of an MQRFH2; ValueError names a property that cannot be."""
    trees: dict[str, list[str]] = {}
    for name, value in properties.items():
        if not is_element(name):
            raise ValueError(f"a property of a message cannot have the name {name!r}")
        first, _, rest = name.partition(".")
        is_told = bool(rest) and first in FOLDERS
        inside = rest if is_told else name
        element = element_of(inside.split("."), name, value, types.get(name, "string"))
        trees.setdefault(first if is_told else "usr", []).append(element)
    return [f"<{name}>{''.join(parts)}</{name}>" for name, parts in trees.items()]


@lru_cache(maxsize=CACHED_MAX)
def is_element(name: str) -> bool:
    """Whether XML takes a name; letters in it are those of any script."""
    if not _NAME.fullmatch(name):
        return False
    try:
        expat.ParserCreate("UTF-8").Parse(f"<{name}/>".encode(), True)
    except (expat.ExpatError, ValueError):
        return False
    return True


def element_of(path: list[str], name: str, value: str | None, kind: str) -> str:
    """One property as XML."""
    if kind not in TYPES:
        raise ValueError(f"property {name} is of type {kind!r}; it may be {', '.join(TYPES)}")
    if value is not None and kind in _VALUES and not _VALUES[kind].fullmatch(value):
        raise ValueError(f"property {name} of type {kind} is {value!r}")
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
