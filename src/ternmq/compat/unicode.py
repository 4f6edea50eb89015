"""Text and bytes: what programs that ran on Python 2 and 3 needed, under the names they know."""

from __future__ import annotations

import struct
from typing import Any, Final

is_py2: Final = False
is_py3: Final = True
MQLONG_TYPE: Final = "i" if struct.calcsize("P") == 8 else "l"
INTEGER64_TYPE: Final = "q"


class default:
    """How text becomes bytes where nothing else is said."""

    ccsid = 1208
    bytes_encoding = "utf8"


def py23long(x: int) -> int:
    """The number as it is."""
    return x


def is_unicode(s: object) -> bool:
    """Whether it is text and not bytes."""
    return isinstance(s, str)


def ensure_not_unicode(value: object) -> None:
    """TypeError if it is text."""
    if isinstance(value, str):
        raise TypeError(f"text where bytes are needed: {value!r}; encode it")


def ensure_bytes(s: Any, encoding: str = "ascii") -> Any:
    """Text as bytes, everything else as it is."""
    return s.encode(encoding) if isinstance(s, str) else s


def padded_count(count: int, boundary: int = 4) -> int:
    """The next multiple of `boundary`."""
    return -(-count // boundary) * boundary
