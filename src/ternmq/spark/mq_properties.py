"""Message properties: what an MQRFH2 before the data says, and the data without it.

A header is a fixed part of 36 bytes (codec.mqrfh) and folders, each a length and XML:

    <usr><colour>red</colour><size dt='i4'>4</size></usr>
    <jms><Dst>queue:///ORDERS</Dst></jms>

A folder holds properties if MQ gives it to them or it says content='properties'; others belong to
the application and stay in the body. A property of folder usr has its plain name, one of another
folder `folder.name`, and elements inside elements are joined by dots too. Its type is the word of
dt, `string` without one; xsi:nil='true' is a null. A header or folder that is not sound is left
where it is: nothing is guessed.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from xml.parsers import expat

from ternmq.base.errors import MQError
from ternmq.codec.layout import byte_order
from ternmq.codec.mqrfh import RulesHeader2
from ternmq.server.net_properties import is_property_folder

FORMAT: Final = b"MQHRF2  "
FOLDER_USER: Final = "usr"
_PLAIN: Final = "string"

Property = tuple[str, str, str | None]  # name, type, value


class Headed(NamedTuple):
    """A message whose data began with an MQRFH2."""

    properties: list[Property]
    body: bytes
    format: str
    encoding: int
    ccsid: int


def without_header(data: bytes, encoding: int, ccsid: int) -> Headed | None:
    """The properties of a message and what is behind them; None if there is no sound header."""
    order = byte_order(encoding)
    outer_ccsid = ccsid if ccsid > 0 else 1208
    try:
        header = RulesHeader2.unpack(data, order=order, ccsid=outer_ccsid)
    except (MQError, ValueError):
        return None
    properties: list[Property] = []
    kept: list[str] = []
    for folder in header.folders:
        found = properties_of(folder) if is_property_folder(folder) else None
        if found is None:
            kept.append(folder)
        else:
            properties += found
    body = data[header.structure_length :]
    if kept:
        header.folders = kept
        return Headed(
            properties, header.pack(order, outer_ccsid) + body, FORMAT.decode(), encoding, ccsid
        )
    inner = header.ccsid if header.ccsid > 0 else ccsid
    return Headed(properties, body, header.format, header.encoding, inner)


def properties_of(folder: str) -> list[Property] | None:
    """The properties of one folder; None if it is not sound."""
    if "<!" in folder:  # declarations are not for folders, and could be bombs
        return None
    reader = FolderReader()
    try:
        reader.parser.Parse(folder.encode(), True)
    except (expat.ExpatError, ValueError):
        return None
    return reader.found


def bytes_of(kind: str, value: str | None) -> bytes | None:
    """A value as Kafka's headers have it: bytes as they are, all else as text."""
    if value is None:
        return None
    if kind == "bin.hex":
        try:
            return bytes.fromhex(value)
        except ValueError:
            pass  # it is no bytes, whatever its type says
    return value.encode()


class FolderReader:
    """Collects the leaves of a folder as the XML parser meets them."""

    def __init__(self) -> None:
        # Without namespaces: folders say xsi:nil and do not say what xsi is.
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.found: list[Property] = []
        self._path: list[str] = []
        self._parts: list[str] = []
        self._kind = _PLAIN
        self._is_nil = False
        self._is_leaf = False

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        self._parts.clear()
        self._kind = attributes.get("dt", _PLAIN)
        self._is_nil = attributes.get("xsi:nil") == "true"
        self._is_leaf = len(self._path) > 1

    def _text(self, text: str) -> None:
        self._parts.append(text)

    def _end(self, name: str) -> None:
        if self._is_leaf:
            path = self._path[1:] if self._path[0] == FOLDER_USER else self._path
            value = None if self._is_nil else "".join(self._parts)
            self.found.append((".".join(path), self._kind, value))
        self._is_leaf = False
        self._path.pop()
