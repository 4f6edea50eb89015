"""What a workload is: points to be measured one after the other, each with its applications.

A point is one mark on a chart: which crews of tasks work, on which queues, with messages of which
size, and what is counted as a transaction. It says nothing about how it is carried out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

KB: Final = 1024
MB: Final = 1024 * KB

# Roles of tasks: see tasks.ROLES.
REQUESTER: Final = "requester"
SERVER: Final = "server"
GETTER: Final = "getter"
PUTTER: Final = "putter"
LOOPER: Final = "looper"
SHORT: Final = "short"
IDLE: Final = "idle"

# Ways to the queue manager: its local socket, or a channel of one of these.
LOCAL: Final = ""
UNSHARED: Final = "PERF.SHARECNV.0"
SINGLE: Final = "PERF.SHARECNV.1"
SHARED: Final = "PERF.SHARECNV.10"

# What the queue manager measures meanwhile.
USUAL: Final = "usual"  # statistics and accounting, as the report's systems have them
NOTHING: Final = "nothing"
STATISTICS: Final = "statistics"
ACCOUNTING: Final = "accounting"
TRACE: Final = "trace"

# Where rates and costs come from.
FROM_SMF: Final = "smf"
FROM_APPLICATIONS: Final = "applications"
FROM_MEMORY: Final = "memory"
FROM_PAIR: Final = "pair"  # as FROM_APPLICATIONS, of two queue managers with channels

# What is counted of the counted queues.
GETS: Final = "gets"
PUTS: Final = "puts"
BYTES: Final = "bytes"
LOG_BYTES: Final = "log bytes"


@dataclass(frozen=True)
class Crew:
    """Tasks that do the same, each with a connection of its own."""

    role: str
    count: int
    queue: str  # a family of queues; a task works on the first, or each on its own
    reply: str = ""
    each_its_own: bool = False
    size: int = 2 * KB
    persistent: bool = False
    syncpoint: bool = False
    binding: str = LOCAL
    ahead: bool = False  # puts without an answer, messages before they are asked for
    is_counted: bool = True  # among what the applications say they have done
    after: int = 0  # the numbers of its queues begin behind this one
    is_random: bool = False  # a message has random bytes, but for the part that can be compressed
    compressible: int = 0  # that part in percent
    any_reply: bool = False  # a requester takes the next message of its reply queue

    def to_dict(self) -> dict[str, Any]:
        """For the process that carries it out."""
        return dict(vars(self))


@dataclass(frozen=True)
class Point:
    """One measurement."""

    x: str
    crews: tuple[Crew, ...]
    counted: str  # the family of queues whose traffic is transactions
    counts: str = GETS
    series: str = ""
    mode: str = USUAL
    quick: bool = False  # also part of a short run
    cost_of_putters: bool = False  # only tasks that put are paid for
    channels: int = 0  # each way, between two queue managers
    attributes: str = ""  # of both ends of the channels
    key_reset_bytes: int = 0

    @property
    def tasks(self) -> int:
        """How many connections work."""
        return sum(crew.count for crew in self.crews)


@dataclass(frozen=True)
class Workload:
    """Points that belong on one pair of charts: a rate and a cost."""

    name: str
    chapter: str
    title: str
    about: str
    x_name: str
    points: tuple[Point, ...]
    rate_unit: str = "transactions/s"
    cost_unit: str = "CPU µs/transaction"
    source: str = FROM_SMF

    def chosen(self, quick: bool) -> tuple[Point, ...]:
        """The points of a run, all or those of a short one."""
        return tuple(point for point in self.points if point.quick or not quick)


def size_text(size: int) -> str:
    """2 KB, 4 MB."""
    return f"{size // MB} MB" if size >= MB else f"{size // KB} KB"
