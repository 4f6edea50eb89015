"""Texts that others chose, made harmless for the terminal of the reader.

What users, applications and partners call themselves is theirs to choose. It must not steer the
terminal of an administrator, nor look like a line of its own where lines mean something.
"""

from __future__ import annotations

import re
from typing import Final

# Control characters (C0 but tab and line ends, DEL, C1), line separators, and what turns the
# direction of writing.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
_LINE_ENDS: Final = re.compile("[\t\n\r]")


def visible(value: object) -> str:
    """Without control characters; tabs and line ends stay, for callers that handle them."""
    return _UNSEEN.sub(_escaped, str(value))


def visible_in_line(value: object) -> str:
    """The same for a value inside a line, which it must not end."""
    return _LINE_ENDS.sub(_escaped, visible(value))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
