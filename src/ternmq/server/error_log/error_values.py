"""Errors as the other side of a local socket, or an extension of the network, is told of them."""

from __future__ import annotations

from typing import Any

from ternmq.base.errors import MQError, XAError


def error_values(error: MQError) -> dict[str, Any]:
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
