"""Files that grow: how far each can be read, and what is between two such states.

The state is the length of each file up to which it was read. It is always between two records, so
that a batch that is read again after a crash is the same batch.
"""

from __future__ import annotations

from collections.abc import Iterator

from ternmq.codec.smf.framing import PROBE_BYTES, RECORD_BYTES_MAX, may_become_one
from ternmq.spark.smf.dump_files import Bytes, DumpFile, find_files, open_file
from ternmq.spark.smf.log_segments import is_segment
from ternmq.spark.smf.ranges import LOST_FORM, Range, divided, recognised
from ternmq.spark.smf.record_walk import Walk
from ternmq.spark.smf.smf_options import SmfOptions

Lengths = dict[str, int]


def latest(options: SmfOptions, start: Lengths, bytes_max: int, bound: Lengths | None) -> Lengths:
    """How far files can be read now: at most `bytes_max` more than `start` (0: all), and not
    beyond the lengths of `bound`."""
    files = find_files(options.paths, options.name_pattern, options.recursive)
    end = still_there(start, files)
    room = bytes_max
    for file in files:
        length = file.length if bound is None else min(file.length, bound.get(file.path, 0))
        done = begun(options, start, file)
        if done < 0 or length <= done or (bytes_max and room <= 0):
            continue
        limit = min(length, done + room) if bytes_max else length
        reached = whole_until(options, file, done, limit, length)
        if reached != done:
            end[file.path] = reached
            room -= abs(reached) - done
    return end


def still_there(start: Lengths, files: list[DumpFile]) -> Lengths:
    """The state without segments that are kept no longer: their names never come again, and a log
    stream that is followed for years has many. A dump that was taken away may come back."""
    listed = {file.path for file in files}
    return {path: n for path, n in start.items() if path in listed or not is_segment(path)}


def begun(options: SmfOptions, start: Lengths, file: DumpFile) -> int:
    """Up to where a file was read; negative if there is no going on."""
    done = start.get(file.path, 0)
    if abs(done) <= file.length:
        return done
    if options.fail_on_loss:
        raise ValueError(
            f"{file.path} has {file.length} bytes and was read up to {abs(done)} before:"
            " it is not the same file (failOnDataLoss=false reads it from its beginning)"
        )
    return 0


def whole_until(options: SmfOptions, file: DumpFile, done: int, limit: int, length: int) -> int:
    """Up to where there are only whole records (and blocks), before `limit` if one is; negative if
    the file makes no sense behind them."""
    opened = open_file(file.path)
    try:
        form = recognised(opened, options.form)
        if form == LOST_FORM:
            # The beginning of a first record that is still being written has no form either.
            is_waited_for = may_become_one(opened.read_at(0, PROBE_BYTES))
            return done if is_waited_for else -length
        walk = walked(opened, form, done, limit)
        while walk.boundary == done and not walk.is_lost and limit < length:
            limit = min(length, done + 2 * max(limit - done, RECORD_BYTES_MAX))
            walk = walked(opened, form, done, limit)
    finally:
        opened.close()
    return -length if walk.is_lost else walk.boundary


def walked(opened: Bytes, form: str, start: int, end: int) -> Walk:
    """A walk that has come to its end."""
    walk = Walk(opened.read_at, form, start, end, is_growing=True)
    for _ in walk.pieces():
        pass
    return walk


def ranges_between(options: SmfOptions, start: Lengths, end: Lengths) -> Iterator[Range]:
    """What one batch reads."""
    for path in sorted(end):
        first, last = start.get(path, 0), abs(end[path])
        if end[path] == first:
            continue
        if last < first:  # the file was started again
            first = 0
        try:
            opened = open_file(path)
        except FileNotFoundError:
            if options.fail_on_loss:
                raise ValueError(
                    f"{path} was to be read from {first} to {last}, and is gone"
                    " (failOnDataLoss=false passes over it)"
                ) from None
            continue
        try:
            form = recognised(opened, options.form)
            if form == LOST_FORM:
                yield Range(path, form, first, last)
            else:
                yield from divided(opened, path, form, first, last, options.split_bytes)
        finally:
            opened.close()
