"""The disks that a power loss may leave.

`Wreck` walks the history of a `SimDisk` and keeps, at each place, what is durable and what is
pending. Each pending write has a *fate*: kept, dropped, cut at a 512-byte edge from the front or
from the back, zeroed, noise, or some of its sectors. Each pending change of a name is kept or lost,
whatever became of those before it. `crashes` lists the outcomes of one place: all combinations of
kept and dropped up to eight pending operations, with the other fates for each write in turn;
above that the named corners and seeded samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ternmq.ports.disk import parent_dir
from ternmq.testing.chance import Chance
from ternmq.testing.operations import (
    Content,
    Naming,
    Operation,
    Sync,
    SyncFailed,
    SyncFolder,
    Truncate,
    Write,
    changed,
    written,
)
from ternmq.testing.sim_disk import SECTOR_BYTES, Image, SimDisk

ALL_COMBINATIONS_MAX: Final = 8
SAMPLES: Final = 200

# The pieces of a pending write that got to the disk, as (offset in the write, bytes).
Pieces = list[tuple[int, bytes]]
Fate = Callable[[bytes], Pieces]
Pending = Write | Truncate | Naming


def kept(data: bytes) -> Pieces:
    return [(0, data)]


def dropped(data: bytes) -> Pieces:
    return []


def zeroed(data: bytes) -> Pieces:
    return [(0, bytes(len(data)))]


def first_half(data: bytes) -> Pieces:
    """Torn: the front got there."""
    return [(0, data[: _middle(data)])]


def second_half(data: bytes) -> Pieces:
    """Torn: the back got there first."""
    cut = _middle(data)
    return [(cut, data[cut:])]


def all_but_last_sector(data: bytes) -> Pieces:
    return [(0, data[: (len(data) - 1) // SECTOR_BYTES * SECTOR_BYTES])]


def front(count: int) -> Fate:
    """Torn: exactly so many bytes got there."""
    return lambda data: [(0, data[:count])]


def noise(chance: Chance) -> Fate:
    """Something else is there now."""
    return lambda data: [(0, chance.randbytes(len(data)))]


def any_fate(chance: Chance) -> Fate:
    """Each write has a fate of its own."""

    def fate(data: bytes) -> Pieces:
        kind = chance.randrange(6)
        if kind == 0:
            return kept(data)
        if kind == 1:
            return dropped(data)
        if kind == 2:
            return zeroed(data)
        if kind == 3:
            return [(0, chance.randbytes(len(data)))]
        starts = range(0, len(data), SECTOR_BYTES)
        return [(at, data[at : at + SECTOR_BYTES]) for at in starts if chance.random() < 0.6]

    return fate


FATES: Final[dict[str, Fate]] = {
    "kept": kept,
    "dropped": dropped,
    "first half": first_half,
    "second half": second_half,
    "last sector missing": all_but_last_sector,
    "zeroed": zeroed,
}


class Wreck:
    """What is durable and what is pending at one place of a disk's history; `advance` goes on."""

    def __init__(self, disk: SimDisk) -> None:
        self.history = disk.history
        self.lives = disk.lives
        self.at = 0
        # Bytes are shared with disks that were made here, a bytearray is not.
        self.durable: dict[int, Content] = dict(disk.base.contents)
        self.names = dict(disk.base.names)
        self.folders = set(disk.base.folders)
        self.pending: list[Pending] = []  # in the order they were made

    def advance(self, place: int) -> Wreck:
        """Go on to the place before this operation of the history."""
        for operation in self.history[self.at : place]:
            self._take(operation)
        self.at = place
        return self

    def finish(self) -> Wreck:
        """Go on to the end of the history."""
        return self.advance(len(self.history))

    def _take(self, operation: Operation) -> None:
        if isinstance(operation, (Write, Truncate, Naming)):
            self.pending.append(operation)
        elif isinstance(operation, Sync):
            self._force_content(operation.key)
        elif isinstance(operation, SyncFolder):
            self._force_names(operation.path)
        elif isinstance(operation, SyncFailed):
            self._drop_content(operation.key)

    def _force_content(self, key: int) -> None:
        content: Content = self.durable.get(key, b"")
        for one in self.pending:
            if one.key == key and not isinstance(one, Naming):
                content = changed(content, one)
        self.durable[key] = content
        self._drop_content(key)

    def _drop_content(self, key: int) -> None:
        self.pending = [one for one in self.pending if one.key != key or isinstance(one, Naming)]

    def _force_names(self, folder: str) -> None:
        left: list[Pending] = []
        for one in self.pending:
            if isinstance(one, Naming) and one.forced_by(folder):
                one.change(self.names, self.folders)
            else:
                left.append(one)
        self.pending = left

    @property
    def is_settled(self) -> bool:
        """Nothing is pending: there is one outcome only."""
        return not self.pending

    # ---- outcomes

    def disk(self, fate: Fate, keeps_name: Callable[[], bool]) -> SimDisk:
        """The disk after a power loss here, with one fate for all writes and a toss for each
        name."""
        return self.disk_of(
            [
                fate if not isinstance(one, Naming) else (kept if keeps_name() else dropped)
                for one in self.pending
            ]
        )

    def disk_of(self, fates: Sequence[Fate], pending: list[Pending] | None = None) -> SimDisk:
        """The disk after a power loss here, with a fate for each pending operation, which may be
        given in another order. Names and cuts have no middle: they are kept if anything of a write
        with that fate would be."""
        names, folders = self.names, self.folders
        contents: dict[int, Content] = {}
        renamed = False
        for one, fate in zip(pending or self.pending, fates):
            if isinstance(one, Naming):
                if fate(b"?"):
                    if not renamed:
                        names, folders, renamed = dict(names), set(folders), True
                    one.change(names, folders)
                continue
            before = contents.get(one.key)
            if before is None:
                before = self._shared(one.key)
            contents[one.key] = _survived(before, one, fate)
        after = SimDisk(self._reachable(names, folders, contents))
        after.lives = self.lives
        return after

    def _reachable(
        self, names: dict[str, int], folders: set[str], contents: dict[int, Content]
    ) -> Image:
        """What can still be found: a file whose folder was lost is lost with it."""
        reachable = {path for path in folders if _is_reachable(path, folders)}
        found = {path: key for path, key in names.items() if parent_dir(path) in reachable}
        left: dict[int, bytes] = {}
        for key in found.values():
            content = contents.get(key)
            left[key] = self._shared(key) if content is None else bytes(content)
        return Image(found, left, reachable)

    def _shared(self, key: int) -> bytes:
        """What is durable of a file, for all to keep."""
        content = self.durable.get(key, b"")
        if isinstance(content, bytearray):
            content = self.durable[key] = bytes(content)
        return content


def _survived(content: Content, one: Write | Truncate, fate: Fate) -> Content:
    if isinstance(one, Truncate):
        return changed(content, one) if fate(b"?") else content
    for at, piece in fate(one.data):
        if piece:
            mine = content if isinstance(content, bytearray) else bytearray(content)
            content = written(mine, one.offset + at, piece)
    return content


class Outcome:
    """One disk that a power loss may leave; it is made when it is asked for."""

    def __init__(
        self,
        name: str,
        wreck: Wreck,
        fates: Sequence[Fate],
        pending: list[Pending] | None = None,
    ) -> None:
        self.name = name
        self._wreck = wreck
        self._fates = fates
        self._pending = pending

    def disk(self) -> SimDisk:
        """The disk; to be asked for before the wreck goes on."""
        return self._wreck.disk_of(self._fates, self._pending)


def crashes(wreck: Wreck, chance: Chance, samples: int = SAMPLES) -> Iterator[Outcome]:
    """The disks that a power loss at this place may leave."""
    count = len(wreck.pending)
    if count == 0:
        yield Outcome("settled", wreck, [])
    elif count <= ALL_COMBINATIONS_MAX:
        yield from _combinations(wreck)
        yield from _torn(wreck, chance)
    else:
        yield from _corners(wreck)
        for number in range(samples):
            luck = chance.branch(f"{wreck.at}/{number}")
            fates = [
                any_fate(luck) if not isinstance(one, Naming) else luck.choice((kept, dropped))
                for one in wreck.pending
            ]
            yield Outcome(f"sample {number}", wreck, fates)


def _combinations(wreck: Wreck) -> Iterator[Outcome]:
    """Every subset of the pending operations is kept."""
    count = len(wreck.pending)
    for mask in range(1 << count):
        fates = [kept if mask >> at & 1 else dropped for at in range(count)]
        yield Outcome(f"kept {mask:0{count}b}", wreck, fates)


def _torn(wreck: Wreck, chance: Chance) -> Iterator[Outcome]:
    """Each write is torn in turn, the others kept or dropped."""
    for at, one in enumerate(wreck.pending):
        if not isinstance(one, Write):
            continue
        luck = chance.branch(f"{wreck.at}/torn {at}")
        odd: dict[str, Fate] = {"zeroed": zeroed, "noise": noise(luck)}
        for cut in _cuts(len(one.data), luck):
            odd[f"first {cut} bytes"] = front(cut)
            odd[f"all but the first {cut} bytes"] = _back(cut)
        for name, fate in odd.items():
            for others in (kept, dropped) if len(wreck.pending) > 1 else (kept,):
                fates: list[Fate] = [others] * len(wreck.pending)
                fates[at] = fate
                rest = "" if len(wreck.pending) == 1 else f", others {others.__name__}"
                yield Outcome(f"operation {at} {name}{rest}", wreck, fates)


def _cuts(size: int, chance: Chance) -> list[int]:
    """Sector edges inside a write: the first, the last, some between."""
    edges = list(range(SECTOR_BYTES, size, SECTOR_BYTES))
    if len(edges) > 6:
        middle = edges[1:-1]
        edges = sorted({edges[0], edges[-1], *(chance.choice(middle) for _ in range(4))})
    return edges


def _back(count: int) -> Fate:
    return lambda data: [(count, data[count:])]


def _corners(wreck: Wreck) -> Iterator[Outcome]:
    count = len(wreck.pending)
    corners: dict[str, Sequence[Fate]] = {
        "all kept": [kept] * count,
        "none kept": [dropped] * count,
        "last only": [*([dropped] * (count - 1)), kept],
        "all but the first": [dropped, *([kept] * (count - 1))],
        "all but the last": [*([kept] * (count - 1)), dropped],
        "every second": [kept if at % 2 else dropped for at in range(count)],
    }
    for name, fates in corners.items():
        yield Outcome(name, wreck, fates)
    # In reverse: of two writes to one place the older one is what stays.
    names = [one for one in wreck.pending if isinstance(one, Naming)]
    writes = [one for one in wreck.pending if not isinstance(one, Naming)]
    yield Outcome("in reverse", wreck, [kept] * count, [*names, *reversed(writes)])


def last_of(disk: SimDisk) -> Wreck:
    """The wreck at the end of a disk's history."""
    return Wreck(disk).finish()


def _middle(data: bytes) -> int:
    return len(data) // 2 // SECTOR_BYTES * SECTOR_BYTES


def _is_reachable(path: str, folders: set[str]) -> bool:
    while path:
        if path not in folders:
            return False
        path = parent_dir(path)
    return True
