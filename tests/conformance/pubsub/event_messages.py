"""Event messages of a bed: taken from SYSTEM.ADMIN.QMGR.EVENT and read as PCF."""

from __future__ import annotations

from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from tests.conformance.pubsub.bed import Bed


class Event:
    """One event."""

    def __init__(self, message: PCFMessage) -> None:
        self.message = message
        self.reason = message.reason

    def has(self, parameter: int) -> bool:
        return self.message.find(parameter) is not None

    def text(self, parameter: int) -> str:
        found = self.message.find(parameter)
        assert found is not None, f"no parameter {parameter}"
        return found.text

    def number(self, parameter: int) -> int:
        found = self.message.find(parameter)
        assert found is not None, f"no parameter {parameter}"
        return found.number

    def names(self, parameter: int) -> list[str]:
        found = self.message.find(parameter)
        assert found is not None, f"no parameter {parameter}"
        return [one.rstrip() for one in found.texts]


def events_of(bed: Bed, reason: int) -> list[Event]:
    """All of one kind that are there, in order; others are gone, too."""
    name = "SYSTEM.ADMIN.QMGR.EVENT"
    with bed.connect("embedded") as connection, connection.queue(name) as queue:
        found = [Event(unpack_pcf(message.data)) for message in queue]
    return [one for one in found if one.reason == reason]
