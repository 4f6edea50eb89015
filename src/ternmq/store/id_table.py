"""IdTable: from the hash of an id to the places that may hold it, for messages not in memory.

A multi-map of (62-bit hash, 30-bit value) pairs in 8 bytes each: 33 bits of the scrambled hash and
the value. Pairs are in small pages of bytes, about 32 to a page, found by linear hashing: every 32
new pairs split one page in two, so that a call never moves more than a few hundred pairs, and
objects take 9.6 bytes a pair at every size (12 of resident memory, measured at ten million). As 33
bits of a hash are kept, `candidates` errs once in a thousand calls at ten million pairs; the caller
looks into the message anyway.

A page is `bytes` and not an array because compiled code reads single bytes of those without making
objects: a search through a page takes less time than one access to an `array.array`.

An id that very many messages share would crowd its page; its values get a table of their own, in
which they are spread by value, and which counts them by group (the value without its low bits), so
that a search can go from one segment to the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from mypy_extensions import i64

from ternmq.base.errors import IntegrityError

VALUE_BITS: Final = 30
VALUE_MAX: Final = (1 << VALUE_BITS) - 1

PAIR_BYTES: Final = 8
PAGE_PAIRS: Final = 32  # on average when growing; a page may have a few times as many
PAGE_PAIRS_LOW: Final = 12  # below this average pages are joined
CROWDED_BYTES: Final = 256 * PAIR_BYTES
SHARED_PAIRS: Final = 64  # an id with so many in a crowded page gets its own table
PAGE_OVERHEAD_BYTES: Final = 50  # object header, rounding, slot in the list of pages

GROUP_BITS: Final = 12  # values that differ only in so many low bits are of one group

_HASH_MASK: Final = (1 << 62) - 1
_MARK_SHIFT: Final = 29  # 62 - 33


@final
class IdTable:
    """Pairs of id hash and value; see the head of this file. A secret seed keeps
    chosen ids from gathering in one page; a queue manager's comes from its entropy."""

    __slots__ = (
        "_seed",
        "_is_nested",
        "_pages",
        "_mask",
        "_split",
        "_held",
        "_shared",
        "_shared_count",
        "_groups",
    )

    def __init__(self, seed: int, *, is_nested: bool = False) -> None:
        self._seed: i64 = (seed | 1) & _HASH_MASK
        self._is_nested = is_nested  # the table of one shared id
        self._pages: list[bytes] = [b""]
        # Pages below _split are addressed with one bit of the mark more than _mask has.
        self._mask: i64 = 0
        self._split: i64 = 0
        self._held: i64 = 0
        self._shared: dict[int, IdTable] = {}
        self._shared_count: i64 = 0
        self._groups: dict[int, int] = {}  # of a shared id: how many values each group has

    def __len__(self) -> int:
        return self._held + self._shared_count

    def add(self, id_hash: i64, value: i64) -> None:
        """Remember a pair; one that is added twice must be discarded twice."""
        if value < 0 or value > VALUE_MAX:
            raise IntegrityError(f"value {value} does not fit into an id table")
        mark: i64 = ((id_hash * self._seed) & _HASH_MASK) >> _MARK_SHIFT
        if self._shared_count and mark in self._shared:
            self._shared[mark].add(value, value)
            self._shared_count += 1
            return
        at = self._page_of(mark)
        pair: int = (mark << VALUE_BITS) | value
        page = self._pages[at] + pair.to_bytes(PAIR_BYTES, "big")
        self._pages[at] = page
        self._held += 1
        if self._is_nested:
            group = int(value >> GROUP_BITS)
            self._groups[group] = self._groups.get(group, 0) + 1
        if len(page) & (CROWDED_BYTES - 1) == 0 and not self._is_nested:
            self._relieve(at)
        if self._held > PAGE_PAIRS * (self._mask + 1 + self._split):
            self._grow()

    def candidates(self, id_hash: i64) -> list[int]:
        """The values that may have this hash: all that do, and now and then one that does not."""
        mark: i64 = ((id_hash * self._seed) & _HASH_MASK) >> _MARK_SHIFT
        if self._shared_count and mark in self._shared:
            return self._shared[mark].values()
        page = self._pages[self._page_of(mark)]
        found: list[int] = []
        first: i64 = mark >> 26  # what byte 0 of such a pair holds
        at: i64 = 0
        end: i64 = len(page)
        while at < end:
            if page[at] == first:
                pair = _pair_at(page, at)
                if pair >> VALUE_BITS == mark:
                    found.append(pair & VALUE_MAX)
            at += PAIR_BYTES
        return found

    def discard(self, id_hash: i64, value: i64) -> bool:
        """Forget a pair, once; False if it is not there."""
        mark: i64 = ((id_hash * self._seed) & _HASH_MASK) >> _MARK_SHIFT
        if self._shared_count and mark in self._shared:
            return self._discard_shared(mark, value)
        page_at = self._page_of(mark)
        page = self._pages[page_at]
        pair: i64 = (mark << VALUE_BITS) | value
        first: i64 = mark >> 26
        at: i64 = 0
        end: i64 = len(page)
        while at < end:
            if page[at] == first and _pair_at(page, at) == pair:
                self._pages[page_at] = page[:at] + page[at + PAIR_BYTES :]
                self._held -= 1
                if self._is_nested:
                    self._leave_group(int(value >> GROUP_BITS))
                if self._held < PAGE_PAIRS_LOW * (self._mask + 1 + self._split):
                    self._shrink()
                return True
            at += PAIR_BYTES
        return False

    def drop_value(self, value: int, hashes: Iterable[int]) -> None:
        """Forget the pairs of one value with each of these hashes."""
        for id_hash in hashes:
            self.discard(id_hash, value)

    def is_shared(self, id_hash: i64) -> bool:
        """Whether `candidates` would be long: very many messages have this id."""
        mark: i64 = ((id_hash * self._seed) & _HASH_MASK) >> _MARK_SHIFT
        return self._shared_count > 0 and mark in self._shared

    def groups(self, id_hash: i64) -> dict[int, int]:
        """Of an id that is shared, which groups of values have some of its own, and how many; empty
        if it is not shared. Not to be changed."""
        mark: i64 = ((id_hash * self._seed) & _HASH_MASK) >> _MARK_SHIFT
        if self._shared_count and mark in self._shared:
            return self._shared[mark]._groups
        return {}

    def values(self) -> list[int]:
        """Every value, in no order that means anything."""
        found: list[int] = []
        for page in self._pages:
            at: i64 = 0
            end: i64 = len(page)
            while at < end:
                found.append(_pair_at(page, at) & VALUE_MAX)
                at += PAIR_BYTES
        for table in self._shared.values():
            found.extend(table.values())
        return found

    def memory_bytes(self) -> int:
        """What the table takes, within a few per cent."""
        total: i64 = self._held * PAIR_BYTES + len(self._pages) * PAGE_OVERHEAD_BYTES
        for table in self._shared.values():
            total += table.memory_bytes()
        return total

    def _leave_group(self, group: int) -> None:
        left = self._groups[group] - 1
        if left:
            self._groups[group] = left
        else:
            del self._groups[group]

    def _page_of(self, mark: i64) -> i64:
        at: i64 = mark & self._mask
        if at < self._split:
            at = mark & (self._mask * 2 + 1)
        return at

    def _grow(self) -> None:
        """Split the next page by the next bit of the marks in it."""
        page = self._pages[self._split]
        bit: i64 = self._mask + 1 << VALUE_BITS
        byte_at: i64 = PAIR_BYTES - 1
        while bit > 255:
            bit >>= 8
            byte_at -= 1
        stay: list[bytes] = []
        move: list[bytes] = []
        at: i64 = 0
        end: i64 = len(page)
        while at < end:
            if page[at + byte_at] & bit:
                move.append(page[at : at + PAIR_BYTES])
            else:
                stay.append(page[at : at + PAIR_BYTES])
            at += PAIR_BYTES
        self._pages[self._split] = b"".join(stay)
        self._pages.append(b"".join(move))
        self._split += 1
        if self._split > self._mask:
            self._mask = self._mask * 2 + 1
            self._split = 0

    def _shrink(self) -> None:
        """Undo the last split."""
        if self._split == 0:
            if self._mask == 0:
                return
            self._mask >>= 1
            self._split = self._mask + 1
        self._split -= 1
        self._pages[self._split] += self._pages.pop()

    def _relieve(self, crowded: i64) -> None:
        """Give the id that fills most of this page, if there is one, a table of its own."""
        page = self._pages[crowded]
        counts: dict[int, int] = {}
        for at in range(0, len(page), PAIR_BYTES):
            mark = _pair_at(page, at) >> VALUE_BITS
            counts[mark] = counts.get(mark, 0) + 1
        most = max(counts, key=counts.__getitem__)
        if counts[most] < SHARED_PAIRS:
            return
        table = IdTable(int(self._seed), is_nested=True)
        stay: list[bytes] = []
        for at in range(0, len(page), PAIR_BYTES):
            pair = _pair_at(page, at)
            if pair >> VALUE_BITS == most:
                table.add(pair & VALUE_MAX, pair & VALUE_MAX)
            else:
                stay.append(page[at : at + PAIR_BYTES])
        self._pages[crowded] = b"".join(stay)
        self._held -= counts[most]
        self._shared[most] = table
        self._shared_count += counts[most]

    def _discard_shared(self, mark: i64, value: i64) -> bool:
        table = self._shared[mark]
        if not table.discard(value, value):
            return False
        self._shared_count -= 1
        if len(table) == 0:
            del self._shared[mark]
        return True


def seed_of(secret: bytes) -> int:
    """A seed from random bytes that are not shown."""
    return int.from_bytes(secret[:8], "little")


def _pair_at(page: bytes, at: i64) -> i64:
    pair: i64 = page[at]
    pair = pair << 8 | page[at + 1]
    pair = pair << 8 | page[at + 2]
    pair = pair << 8 | page[at + 3]
    pair = pair << 8 | page[at + 4]
    pair = pair << 8 | page[at + 5]
    pair = pair << 8 | page[at + 6]
    return pair << 8 | page[at + 7]
