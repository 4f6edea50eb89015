"""MQSD as JSON, for the call `subscribe`."""

from __future__ import annotations

from typing import Any, Final

from ternmq.codec.mqi.layout import BYTES, CHARS, I32
from ternmq.codec.mqi.mqsd import LAYOUT, SubscriptionDescriptor
from ternmq.values.calls.kinds import KINDS


def sd_from_json(value: object) -> SubscriptionDescriptor:
    """The MQSD of an MQSUB: numbers, texts and identifiers travel, nothing else."""
    if not isinstance(value, dict):
        raise TypeError("an object")
    given: dict[str, Any] = dict(value)
    for name, one in given.items():
        kind = _SD_KINDS.get(name)
        if kind is None:
            raise ValueError(f"fields of MQSD, and {name} is not one that travels")
        if kind == BYTES:
            given[name] = bytes.fromhex(KINDS["text"].from_json(one))
        elif kind == I32:
            KINDS["integer"].from_json(one)
        else:
            KINDS["text"].from_json(one)
    return SubscriptionDescriptor(**given)


def sd_to_json(sd: SubscriptionDescriptor) -> dict[str, Any]:
    """The same, on its way: what differs from an empty MQSD."""
    found: dict[str, Any] = {}
    for name, kind in _SD_KINDS.items():
        value = getattr(sd, name)
        if value != getattr(_EMPTY_SD, name):
            found[name] = value.hex() if kind == BYTES else value
    return found


_SD_KINDS: Final[dict[str, int]] = {
    "version": I32,
    **{field.name: field.kind for field in LAYOUT.fields if field.kind in (I32, CHARS, BYTES)},
}
_EMPTY_SD: Final = SubscriptionDescriptor()
