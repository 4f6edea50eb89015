"""Snapshots for people and monitoring: what the calls about status answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from ternmq.values.xid import XID

PREPARED: Final = "prepared"


@dataclass(frozen=True)
class LogStatus:
    """What the recovery log has done since the start; `used` is of now."""

    records_replayed: int  # read by the restart that began this run
    records: int  # appended
    written_bytes: int  # padding included, one copy
    forces: int  # datasyncs that callers waited for
    checkpoints: int
    commits: int
    backouts: int
    victims: int  # units of work backed out because the log was full
    used: float  # what restart would need, as a part of the primary files; may exceed 1

    @property
    def records_per_force(self) -> float:
        """How much group commit saves."""
        return self.records / self.forces if self.forces else 0.0


@dataclass(frozen=True)
class LogExtents:
    """Names of files in `log/active` (and `log/active2`, if there are two copies).

    A name that is empty stands for none: a circular log has no media log, and the files of one have
    no order by name.
    """

    current: str  # the one that is being written
    restart: str  # the oldest that a restart needs
    media: str  # the oldest that media recovery needs
    media_object: str  # whose image keeps it; "(catalog)" stands for all definitions
    stored: tuple[str, ...]  # all that are there
    archivable: tuple[str, ...]  # full: they will not change and can be copied
    superfluous: tuple[str, ...]  # full, and needed neither for restart nor for media recovery


@dataclass(frozen=True)
class StorageStatus:
    """Where the messages of one queue are; counts are since the queue was loaded."""

    queue: str
    depth: int
    in_memory: int  # messages that a get may take at once
    swept: int  # messages in segment files alone
    memory_bytes: int
    segments: int  # files, those whose messages are in memory, too, included
    file_bytes: int
    gets: int
    sweeps: int  # segments written by the sweeper or because a buffer was full
    sweeps_aborted: int  # the queue moved on while a segment was written
    messages_swept: int
    unsweeps: int  # segments brought back
    last_failure: str  # of a sweep, empty after one that went well


class ObjectFile(NamedTuple):
    """One object and its place under the queue manager's folder."""

    type: int  # the bit of base.object_types
    noun: str
    name: str
    path: str


class UnitInDoubt(NamedTuple):
    """A prepared unit, or one that an operator ended and its transaction manager does not know."""

    xid: XID
    state: str  # prepared, committed, backed out


class BatchOutcome(NamedTuple):
    """What became of a batch."""

    committed: bool  # False: it was in the ledger already, and the repetition is backed out
    backed_out: tuple[XID, ...]  # units of a repetition, and orphans of the owner


class Bounds(NamedTuple):
    """What a numbered stream has: messages with numbers from `earliest` to before `next`."""

    incarnation: int  # another one: other messages, whatever their numbers
    earliest: int
    next: int  # the number that the next message will have, or a lower one
    bytes: int  # that the stream takes, in memory and in files
    cursors: int
    whole: int  # lower numbers are there if they were on the queue when the stream was filled
    lying: int  # no message on the queue has a lower number


class CursorPosition(NamedTuple):
    """A cursor as it stands."""

    name: str
    queue: str
    incarnation: int
    position: int  # the number of the first message that it has not passed
    owner: str  # the user who defined it


@dataclass(frozen=True)
class GroupFigures:
    """How much of a group is on its queue, for a get: not what is in a unit of work."""

    serial: int  # groups that came later have higher ones
    group_id: str  # hexadecimal
    messages: int
    complete: int  # logical messages of which all segments are there
    first: int  # the lowest MsgSeqNumber
    last: int  # the highest one
    is_whole: bool  # all of the group is there


@dataclass(frozen=True)
class SMFRead:
    """Records of an in-memory stream, each with its RDW: where to go on, and how many were gone
    before they could be read."""

    records: list[bytes]
    next: int
    missed: int


@dataclass(frozen=True)
class SMFStatus:
    """How one destination of SMF records is doing."""

    name: str
    kind: str
    place: str  # folder; empty in memory
    written: int  # records
    written_bytes: int
    lost: int
    lost_bytes: int
    why: str  # of the loss that goes on; empty: none does
