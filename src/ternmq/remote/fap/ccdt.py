"""Client channel definition tables in JSON, as IBM MQ has them since 9.1.2.

    {"channel": [{"name": ..., "type": "clientConnection",
                  "clientConnection": {"connection": [{"host", "port"}], "queueManager": ...},
                  "connectionManagement": {"affinity", "clientWeight", "defaultReconnect",
                                           "heartbeatInterval", "sharingConversations", ...},
                  "transmissionSecurity": {"cipherSpecification", "certificateLabel",
                                           "certificatePeerName"},
                  "compression": {"header": [...], "message": [...]},
                  "exits": {"security": {"name", "userData"}, "send": [...], "receive": [...]},
                  "general": {"maximumMessageLength"}}]}

Names are case sensitive; compressions are MQSC's words in either case. Exits are Python functions,
file(function). What is there and has no function here (LU 6.2, other kinds of exits) is refused if
it asks for something, so that it is not ignored silently. The binary table is refused.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit
from urllib.request import Request, url2pathname, urlopen

from ternmq.base import constants as mq
from ternmq.base.limits import MESSAGE_BYTES_MAX
from ternmq.remote.fap.client_channel import (
    HEADER_COMPRESSIONS,
    HEARTBEAT_S_USUAL,
    MESSAGE_COMPRESSIONS,
    PORT_USUAL,
    SHARING_USUAL,
    Address,
    ClientChannel,
    ExitName,
    ExitNames,
    checked_compression,
    checked_name,
    config_error,
)

TABLE_BYTES_MAX: Final = 16 << 20
_FETCH_S: Final = 30.0
_IDENTITY: Final = re.compile(r"(?<=://)[^/]*@")
CLIENT: Final = "clientConnection"
RECONNECT: Final[dict[str, int]] = {
    "no": 0,
    "yes": mq.MQCNO_RECONNECT,
    "queueManager": mq.MQCNO_RECONNECT_Q_MGR,
    "disabled": mq.MQCNO_RECONNECT_DISABLED,
}
_AFFINITIES: Final = ("none", "preferred")
_WITHOUT_FUNCTION: Final = ("modeName", "transactionProgram")
_EXITS_MAX: Final = 8


def read_table(url: str) -> list[ClientChannel]:
    """The definitions at a path, or at a file, http or https URL."""
    return channels_of(_fetched(url), without_password(url))


def without_password(url: str) -> str:
    """A URL as texts may show it: what stands before the host identifies somebody."""
    return _IDENTITY.sub("", url)


def _fetched(url: str) -> bytes:
    shown = without_password(url)
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https"):
            with urlopen(_request(parts), timeout=_FETCH_S) as answer:
                data: bytes = answer.read(TABLE_BYTES_MAX + 1)
        else:
            path = url2pathname(parts.path) if parts.scheme == "file" else url
            with open(path, "rb") as file:
                data = file.read(TABLE_BYTES_MAX + 1)
    except (OSError, HTTPException, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise config_error(f"the CCDT {shown} cannot be read: {why}") from error
    if len(data) > TABLE_BYTES_MAX:
        raise config_error(f"the CCDT {shown} has more than {TABLE_BYTES_MAX} bytes")
    return data


def _request(parts: SplitResult) -> Request:
    """User and password of the URL go into a header (Basic)."""
    identity, _, place = parts.netloc.rpartition("@")
    request = Request(urlunsplit(parts._replace(netloc=place)))
    if identity:
        coded = b64encode(unquote(identity).encode("utf-8")).decode("ascii")
        request.add_unredirected_header("Authorization", f"Basic {coded}")
    return request


def channels_of(data: bytes, source: str) -> list[ClientChannel]:
    """The client connections of a table."""
    if data[:1].strip() and not data.lstrip()[:1] == b"{":
        raise config_error(f"the CCDT {source} is not JSON; the binary table is not supported")
    try:
        table = json.loads(data)
        rows = table["channel"]
        if not isinstance(rows, list):
            raise TypeError("channel is not an array")
        found = [_channel(row) for row in rows if row.get("type") == CLIENT]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise config_error(f"the CCDT {source}: {error!r}") from error
    return found


def _part(row: dict[str, Any], name: str) -> dict[str, Any]:
    part = row.get(name, {})
    if not isinstance(part, dict):
        raise TypeError(f"{name} is not an object")
    return part


def _channel(row: dict[str, Any]) -> ClientChannel:
    name = checked_name(_text(row, "name"))
    reached = _part(row, CLIENT)
    managed = _part(row, "connectionManagement")
    secured = _part(row, "transmissionSecurity")
    general = _part(row, "general")
    compressed = _part(row, "compression")
    for one in _WITHOUT_FUNCTION:
        if row.get(one):
            raise ValueError(f"channel {name}: {one} has no function here")
    addresses = tuple(_address(one) for one in reached.get("connection", []))
    if not addresses:
        raise ValueError(f"channel {name} has no connection")
    local = managed.get("localAddress", [])
    return ClientChannel(
        name,
        addresses,
        qmgr_name=_text(reached, "queueManager", ""),
        cipher=_text(secured, "cipherSpecification", ""),
        peer_name=_text(secured, "certificatePeerName", ""),
        certificate_label=_text(secured, "certificateLabel", ""),
        heartbeat_s=_number(managed, "heartbeatInterval", HEARTBEAT_S_USUAL, 999_999),
        sharing=_number(managed, "sharingConversations", SHARING_USUAL, 999_999_999),
        message_bytes_max=_number(
            general, "maximumMessageLength", MESSAGE_BYTES_MAX, MESSAGE_BYTES_MAX
        ),
        weight=_number(managed, "clientWeight", 0, 99),
        is_affine=_word(managed, "affinity", _AFFINITIES, "preferred") == "preferred",
        reconnect=RECONNECT[_word(managed, "defaultReconnect", tuple(RECONNECT), "no")],
        local_address=_local(local),
        keep_alive=managed.get("keepAliveInterval", -1) != 0,
        header_compression=_compression(compressed, "header", HEADER_COMPRESSIONS),
        message_compression=_compression(compressed, "message", MESSAGE_COMPRESSIONS),
        exits=_exits(name, _part(row, "exits")),
    )


def _exits(channel: str, row: dict[str, Any]) -> ExitNames:
    for one in row:
        if one not in ("security", "send", "receive") and row[one]:
            raise ValueError(f"channel {channel}: a client has no exits of kind {one}")
    security = _part(row, "security")
    return ExitNames(
        security=(_exit(security),) if security else (),
        send=_exit_list(row, "send"),
        receive=_exit_list(row, "receive"),
    )


def _exit_list(row: dict[str, Any], name: str) -> tuple[ExitName, ...]:
    listed = row.get(name, [])
    if not isinstance(listed, list) or len(listed) > _EXITS_MAX:
        raise TypeError(f"{name} is {listed!r}, not an array of at most {_EXITS_MAX} exits")
    return tuple(_exit(one) for one in listed)


def _exit(row: Any) -> ExitName:
    return ExitName(_text(row, "name"), _text(row, "userData", ""))


def _compression(row: dict[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    words = row.get(name, [])
    if not isinstance(words, list):
        raise TypeError(f"compression {name} is {words!r}, not an array")
    return checked_compression(",".join(str(word) for word in words), allowed) or ""


def _address(row: Any) -> Address:
    return Address(_text(row, "host"), _number(row, "port", PORT_USUAL, 65_535))


def _local(rows: Any) -> str:
    if not rows:
        return ""
    first = rows[0]
    return f"{_text(first, 'host', '')}({_number(first, 'port', 0, 65_535)})"


def _text(row: dict[str, Any], name: str, otherwise: str | None = None) -> str:
    value = row.get(name, otherwise)
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, no text")
    return value


def _number(row: dict[str, Any], name: str, otherwise: int, highest: int) -> int:
    value = row.get(name, otherwise)
    if not isinstance(value, int) or not 0 <= value <= highest:
        raise ValueError(f"{name} is {value!r}, not 0 to {highest}")
    return value


def _word(row: dict[str, Any], name: str, words: tuple[str, ...], otherwise: str) -> str:
    value = row.get(name, otherwise)
    if value not in words:
        raise ValueError(f"{name} is {value!r}, not one of {', '.join(words)}")
    return str(value)
