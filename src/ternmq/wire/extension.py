"""Calls by their names, over the local socket and over the network alike.

On the local socket they are a kind of frame (`local`), on the network a verb of the system
programming interface (SPI EXTENSION) that the queue manager does not list and serves for our own
clients alone: IBM's clients never see it.

    request   JSON in UTF-8: {"call": name, ...arguments}, as `values.calls.kinds` lists them; on
              the network the "handle" in the header of the call counts, if it is not 0
    answer    u32 little endian length of the JSON, the JSON, then bytes as the call has them
    failure   the answer's JSON is that of ERROR on the local socket: {"comp", "reason", "verb",
              "object", "detail"} and "xa" for an XA code; on the network beside the reason in the
              header of the call

Validity: the JSON is inside the answer and is an object. Everything else is the call's own
(`values.calls`).
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

from ternmq.base.errors import MQError, RemoteProtocolError, XAError

_LENGTH: Final = struct.Struct("<I")


def pack_request(call: str, arguments: dict[str, Any]) -> bytes:
    """A request."""
    return json.dumps({"call": call, **arguments}, separators=(",", ":")).encode("utf-8")


def unpack_request(data: bytes) -> dict[str, Any]:
    """What a request says."""
    return _object(data)


def pack_answer(values: dict[str, Any]) -> bytes:
    """An answer, but for the bytes that follow it."""
    text = json.dumps(values, separators=(",", ":")).encode("utf-8")
    return _LENGTH.pack(len(text)) + text


def unpack_answer(data: bytes) -> tuple[dict[str, Any], int]:
    """What an answer says, and where its bytes begin."""
    if len(data) < _LENGTH.size:
        raise RemoteProtocolError(f"the answer of an extension has {len(data)} bytes")
    end = _LENGTH.size + int(_LENGTH.unpack_from(data, 0)[0])
    if end > len(data):
        raise RemoteProtocolError(f"the answer of an extension has {len(data)} bytes, not {end}")
    return _object(data[_LENGTH.size : end]), end


def error_value(error: MQError) -> dict[str, Any]:
    """An error for the other side."""
    value: dict[str, Any] = {
        "comp": error.comp,
        "reason": error.reason,
        "verb": error.verb,
        "object": error.object,
        "detail": error.detail,
    }
    if isinstance(error, XAError):
        value["xa"] = error.xa
    return value


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (RecursionError, ValueError) as error:
        raise RemoteProtocolError(f"an extension without JSON: {error}") from error
    if not isinstance(value, dict):
        raise RemoteProtocolError("an extension with JSON, but no object")
    return value
