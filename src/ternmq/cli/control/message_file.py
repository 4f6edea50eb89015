r"""Files of messages, as dmpmqmsg writes and reads them: lines that people can read and change.

    * a comment, anywhere
    A VER 2                   an attribute of MQMD: three letters and a value
    A FMT MQSTR               characters as they are, blanks at the end do not count; with control
                              characters in hexadecimal, X'...'
    A MSI 414D5120...         bytes in hexadecimal; X'414D...' is read as well
    X 48656C6C6F              data in hexadecimal; blanks between are left out, and so is what
                              follows a <
    S "Hello \"you\""         data as text; \" and \\ stand for themselves
    T Hello                   data as text, to the end of the line, which is not a part of it
    N                         instead of attributes: the message has no descriptor of its own

A message is its A lines, or N, and then its X, S and T lines in any mixture. The next message
begins with the next A or N line. A message without data has an empty S line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ternmq.base.visible_text import visible_in_line
from ternmq.base.words import count_text
from ternmq.codec.mqi.mqmd import Descriptor

NUMBER: Final = "number"
TEXT: Final = "text"
BYTES: Final = "bytes"

# three letters, field of the descriptor, kind, length
ATTRIBUTES: Final[tuple[tuple[str, str, str, int], ...]] = (
    ("VER", "version", NUMBER, 4),
    ("RPT", "report", NUMBER, 4),
    ("MST", "msg_type", NUMBER, 4),
    ("EXP", "expiry", NUMBER, 4),
    ("FDB", "feedback", NUMBER, 4),
    ("ENC", "encoding", NUMBER, 4),
    ("CCS", "ccsid", NUMBER, 4),
    ("FMT", "format", TEXT, 8),
    ("PRI", "priority", NUMBER, 4),
    ("PER", "persistence", NUMBER, 4),
    ("MSI", "msg_id", BYTES, 24),
    ("COI", "correl_id", BYTES, 24),
    ("BOC", "backout_count", NUMBER, 4),
    ("RTQ", "reply_to_queue", TEXT, 48),
    ("RTM", "reply_to_qmgr", TEXT, 48),
    ("USR", "user_id", TEXT, 12),
    ("ACC", "accounting_token", BYTES, 32),
    ("AID", "appl_identity_data", TEXT, 32),
    ("AIX", "appl_identity_data", BYTES, 32),
    ("PAT", "put_appl_type", NUMBER, 4),
    ("PAN", "put_appl_name", TEXT, 28),
    ("PTD", "put_date", TEXT, 8),
    ("PTT", "put_time", TEXT, 8),
    ("AOD", "appl_origin_data", TEXT, 4),
    ("AOX", "appl_origin_data", BYTES, 4),
    ("GRP", "group_id", BYTES, 24),
    ("MSQ", "msg_seq_number", NUMBER, 4),
    ("OFF", "offset", NUMBER, 4),
    ("MSF", "msg_flags", NUMBER, 4),
    ("ORL", "original_length", NUMBER, 4),
)
_BY_ID: Final = {row[0]: row for row in ATTRIBUTES}
_AS_BYTES: Final = ("AIX", "AOX")  # character fields that are written in hexadecimal by default
_AS_TEXT: Final = ("AID", "AOD")
_HEX_BEGINS: Final = "X'"

HEX: Final = "X"
STRING: Final = "S"  # where the data can be printed; hexadecimal between
LINE: Final = "T"
WIDTH_DEFAULT: Final = 25


class MessageFileError(Exception):
    """A file that cannot be read: which line, and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line


class FiledMessage:
    """A message of a file; without a descriptor if the file gives none."""

    def __init__(self, descriptor: Descriptor | None, data: bytes) -> None:
        self.descriptor = descriptor
        self.data = data


def descriptor_lines(md: Descriptor, *, characters: bool = False) -> list[str]:
    """The A lines of a descriptor; `characters` for application data as text."""
    left_out = _AS_BYTES if characters else _AS_TEXT
    lines: list[str] = []
    for letters, field, kind, length in ATTRIBUTES:
        if letters in left_out:
            continue
        value = getattr(md, field)
        if kind == BYTES:
            raw = value if isinstance(value, bytes) else str(value).encode()
            pad = b"\0" if isinstance(value, bytes) else b" "
            value = raw.ljust(length, pad).hex().upper()
        elif kind == TEXT:
            value = _in_line(str(value))
        lines.append(f"A {letters} {value}")
    return lines


def _in_line(text: str) -> str:
    """A name as it is, unless it would end its line or steer a terminal: its sender chose it."""
    if text != visible_in_line(text) or text.startswith(_HEX_BEGINS):
        return f"{_HEX_BEGINS}{text.encode('utf-8', 'surrogateescape').hex().upper()}'"
    return text


def data_lines(
    data: bytes, form: str = HEX, width: int = WIDTH_DEFAULT, columns: bool = False
) -> list[str]:
    """The lines of a message's data; `width` bytes in a line of hexadecimal."""
    if form == HEX:
        return _hex_lines(data, width, columns) or ["X "]
    if form == LINE and _is_printable(data):
        return [f"T {data.decode('ascii')}"]
    lines: list[str] = []
    for part, printable in _runs(data):
        lines += _string_lines(part, width) if printable else _hex_lines(part, width, columns)
    return lines or ["S "]


def _runs(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """Pieces that can be printed, and those between that cannot."""
    start = 0
    for at in range(1, len(data) + 1):
        if at == len(data) or _can_print(data[at]) != _can_print(data[start]):
            yield data[start:at], _can_print(data[start])
            start = at


def _can_print(byte: int) -> bool:
    return 32 <= byte < 127


def _is_printable(data: bytes) -> bool:
    return all(_can_print(one) for one in data)


def _hex_lines(data: bytes, width: int, columns: bool) -> list[str]:
    lines: list[str] = []
    for at in range(0, len(data), width):
        part = data[at : at + width]
        line = f"X {part.hex().upper()}"
        if columns:
            seen = "".join(chr(one) if _can_print(one) else "." for one in part)
            line = f"{line:<{2 * width + 4}}<{seen}>"
        lines.append(line)
    return lines


def _string_lines(data: bytes, width: int) -> list[str]:
    lines: list[str] = []
    for at in range(0, len(data), 2 * width - 2):
        part = data[at : at + 2 * width - 2].decode("ascii")
        escaped = part.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'S "{escaped}"')
    return lines


def read_messages(lines: Iterator[str]) -> Iterator[FiledMessage]:
    """The messages of a file, line by line; MessageFileError if it is not one."""
    md: Descriptor | None = None
    data: list[bytes] | None = None  # None before the first data line of a message
    begun = False
    for number, written in enumerate(lines, 1):
        line = written.rstrip("\r\n")
        kind = line[:1]
        if not line.strip() or kind == "*":
            continue
        if kind in ("A", "N"):
            if data is not None:
                yield FiledMessage(md, b"".join(data))
                md, data = None, None
            begun = True
            if kind == "A":
                md = md or Descriptor()
                _take_attribute(md, line, number)
        elif kind in ("X", "S", "T") and begun:
            data = data or []
            data.append(_data_of(kind, line, number))
        else:
            expected = "X, S or T" if begun else "A or N"
            raise MessageFileError(number, f"a line that begins with {expected} was expected")
    if data is not None:
        yield FiledMessage(md, b"".join(data))
    elif begun:
        raise MessageFileError(0, "the last message has no data line")


def _take_attribute(md: Descriptor, line: str, number: int) -> None:
    letters, _, value = line[1:].strip().partition(" ")
    row = _BY_ID.get(letters)
    if row is None:
        raise MessageFileError(number, f"there is no attribute {letters!r}")
    _, field, kind, length = row
    try:
        if kind == NUMBER:
            setattr(md, field, int(value))
        elif kind == BYTES:
            raw = bytes.fromhex(value.removeprefix(_HEX_BEGINS).removesuffix("'"))
            if len(raw) > length:
                raise ValueError(f"more than {count_text(length, 'byte')}")
            if letters in _AS_BYTES:
                setattr(md, field, raw.decode("utf-8", "replace").rstrip(" \0"))
            else:
                setattr(md, field, raw.ljust(length, b"\0"))
        else:
            if value.startswith(_HEX_BEGINS) and value.endswith("'"):
                raw = bytes.fromhex(value[len(_HEX_BEGINS) : -1])
                value = raw.decode("utf-8", "surrogateescape")
            setattr(md, field, value[:length].rstrip())
    except ValueError as error:
        raise MessageFileError(number, f"{letters}: {value!r} is no {kind}: {error}") from error


def _data_of(kind: str, line: str, number: int) -> bytes:
    if kind == "T":
        return line[2:].encode()
    rest = line[1:].strip()
    if kind == "X":
        try:
            return bytes.fromhex(rest.partition("<")[0])
        except ValueError as error:
            raise MessageFileError(number, f"no hexadecimal: {error}") from error
    if not rest:
        return b""
    return _unquoted(rest, number).encode()


def _unquoted(text: str, number: int) -> str:
    if len(text) < 2 or text[0] != '"':
        raise MessageFileError(number, 'text stands between " and "')
    out: list[str] = []
    at = 1
    while at < len(text):
        one = text[at]
        if one == '"':
            if at != len(text) - 1:
                raise MessageFileError(number, 'text goes on behind its "')
            return "".join(out)
        if one == "\\" and at + 1 < len(text):
            at += 1
            one = text[at]
        out.append(one)
        at += 1
    raise MessageFileError(number, 'the " at the end is missing')
