"""The beginning and the end of a queue's stream, and its terms: RETAIN, RETAGE, RETSIZE.

    RETAIN   NONE     a stream as long as there are cursors; what all have passed leaves the stream
             CURSORS  the same, also without cursors, and it leaves the queue as well
             AGE      what was put more than RETAGE seconds ago leaves stream and queue
             SIZE     the oldest leaves both when the stream has more than RETSIZE megabytes

Called by the catalog, which knows definitions and cursors.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.attributes import Value
from ternmq.store.queue import Queue
from ternmq.store.stream.numbered_stream import Stream

RETAIN_NONE: Final = 0
RETAIN_CURSORS: Final = 1
RETAIN_AGE: Final = 2
RETAIN_SIZE: Final = 3

_NANOSECONDS: Final = 1_000_000_000
_MEGABYTE: Final = 1 << 20


def _number(attributes: dict[str, Value], name: str) -> int:
    value = attributes.get(name, 0)
    return value if isinstance(value, int) else 0


def keeps_stream(attributes: dict[str, Value], temporary: bool) -> bool:
    """Whether a queue of these attributes has a stream without a cursor."""
    return not temporary and _number(attributes, "retain") != RETAIN_NONE


def begin_stream(queue: Queue, incarnation: int, begin: int = 0) -> Stream:
    """The stream of a queue begins, with its next message or the number that the log gives."""
    end_stream(queue)
    first = queue.next_sequence if begin == 0 else begin
    stream = Stream(queue.queue_id, queue.folder, incarnation, first)
    stream.next_file = queue.numbering.next_file
    queue.stream = stream
    queue.numbering.had_stream = True
    queue.touched = True
    return stream


def end_stream(queue: Queue) -> None:
    """The stream ends; its files go after the next checkpoint."""
    stream = queue.stream
    if stream is None:
        return
    queue.stream = None
    queue.numbering.waste.extend(stream.drop_all())
    queue.numbering.next_file = stream.next_file
    queue.touched = True


def set_terms(stream: Stream, attributes: dict[str, Value], floor: int) -> None:
    """What is trimmed, and whether it leaves the queue as well."""
    retain = _number(attributes, "retain")
    stream.purges = retain != RETAIN_NONE
    stream.floor = floor if retain in (RETAIN_NONE, RETAIN_CURSORS) else 0
    stream.age_ns_max = 0
    stream.bytes_max = 0
    if retain == RETAIN_AGE:
        stream.age_ns_max = _number(attributes, "retain_age_s") * _NANOSECONDS
    elif retain == RETAIN_SIZE:
        stream.bytes_max = _number(attributes, "retain_megabytes") * _MEGABYTE
    stream.trim()
