"""Choosing messages of stream blocks by selectors, where the queue manager is.

A reader that has a selector is sent blocks of the messages that match, so that bodies of the others
are neither cut out nor sent. Head and property area of a message are in its block ahead of all
bodies; no body is looked at. A step looks at a bounded number of messages, as a get does.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.codec.selector.selector import Selector
from ternmq.codec.stream_block_format import (
    BLOCK_HEADER_BYTES,
    HEAD_BYTES,
    area_at,
    unpack_block_header,
)
from ternmq.kernel.selection import HandleSelection
from ternmq.ports.clock import Clock
from ternmq.store.stream.block_cut import block_of
from ternmq.store.stream.range_reading import StreamPart
from ternmq.values.entry_image import entry_from_image

STEP_MESSAGES: Final = 256


@final
class PartSelection:
    """The messages of parts of a stream that match, found step by step."""

    def __init__(self, parts: list[StreamPart], selectors: list[Selector], clock: Clock) -> None:
        self.found: list[StreamPart] = []
        self._parts = parts
        self._selection = HandleSelection(selectors, clock)
        self._part = 0
        self._places: list[int] = []  # of those in the part that match
        self._at = parts[0].start if parts else 0

    def go_on(self) -> bool:
        """Look at some more; whether all have been looked at."""
        selection = self._selection
        last = selection.effort + STEP_MESSAGES
        while self._part < len(self._parts):
            part = self._parts[self._part]
            block = part.block
            count = unpack_block_header(block).count
            while self._at < part.stop:
                if selection.effort >= last:
                    return False
                head = BLOCK_HEADER_BYTES + self._at * HEAD_BYTES
                area = area_at(block, count, self._at)
                image = block[head : head + HEAD_BYTES] + area
                if selection.matches(entry_from_image(image, with_data=False)):
                    self._places.append(self._at)
                self._at += 1
            self._end_part(part)
        return True

    def _end_part(self, part: StreamPart) -> None:
        places = self._places
        if len(places) == part.stop - part.start:
            self.found.append(part)
        elif places:
            block = block_of(part.block, places)
            self.found.append(StreamPart(block, 0, len(places)))
        self._places = []
        self._part += 1
        if self._part < len(self._parts):
            self._at = self._parts[self._part].start
