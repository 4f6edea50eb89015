"""G8: what lies on the disk is not what was written: a flipped bit, two bytes changed over, a
sector of zeros, an old block, files changed over, cut or gone.

The outcome is found and named (the start is refused, or one queue is), or without effect. Wrong
data, given as if it were right, is a failure; so is a complaint that does not name the file.
Two images: one of a small workload with every kind of file, one of a queue with 256 KiB in its
segments. The control file proves the log to its end, because a flip behind that is what a torn
write looks like.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from ternmq.base.errors import IntegrityError, MQError
from ternmq.base.reasons import MQRC_OBJECT_DAMAGED
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import State, body_of, name_of_message
from ternmq.testing.second_part import kind_for
from ternmq.testing.sim_disk import SECTOR_BYTES, Image, SimDisk
from ternmq.testing.workload import Workload
from tests.proof.goal import Goal, Point, mine

BLOCK = 4096
STRIDES = {1: 211, 2: 1, 3: 1}
IMAGES = {1: 2, 2: 2, 3: 10}
BODY = 1000

Spoil = Callable[[bytes], bytes]


class Stage:
    """A disk before it is damaged, what is on it, and how it was some time before."""

    def __init__(self, image: Image, expected: State, earlier: Image, damaged: str = "") -> None:
        self.image = image
        self.expected = expected
        self.earlier = earlier
        self.damaged = damaged  # only files below this folder are


@functools.lru_cache(maxsize=2)
def stage(number: int) -> Stage:
    return queue_file(number // 2) if number % 2 else all_files(number // 2)


def all_files(seed: int) -> Stage:
    """A workload's files, all of them durable."""
    run = Workload(seed * 2, LogParameters(CIRCULAR, 3, 1, 6, seed % 3 == 2))
    run.go(90)
    earlier = run.disk.image()
    run.go(40)
    prove_log(run.machine)
    return Stage(run.disk.image(), run.snapshots[-1].state, earlier)


def queue_file(seed: int) -> Stage:
    """Queue A has 256 KiB and more in segments, B has two messages; the log has none of A."""
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 32, False))
    machine = Machine(disk)
    machine.define("A", 40_000 + 9_000 * seed)
    machine.define("B")
    names = [f"a{number}" for number in range(270)]
    earlier = disk.image()
    for number, name in enumerate(names):
        machine.put("A", body_of(name, BODY, kind_for(name)))
        if number == 150:
            machine.checkpoint(full=True)
            earlier = disk.image()
    machine.put("B", body_of("b0", 10))
    machine.checkpoint(full=True)
    machine.checkpoint(full=True)
    machine.put("B", body_of("b1", 10))
    prove_log(machine)
    return Stage(disk.image(), ({"A": names, "B": ["b0", "b1"]}, {}), earlier, "queues/")


def prove_log(machine: Machine) -> None:
    machine.settle()
    engine = machine.engine
    engine.opened.control.note_forced(engine.log)
    engine.opened.control.save(machine.disk)


# ---- what is done to a file


def flip(at: int) -> Spoil:
    """One bit, which one depends on the place."""
    return lambda data: data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]


def swap(at: int) -> Spoil:
    return lambda data: data[:at] + data[at + 1 : at + 2] + data[at : at + 1] + data[at + 2 :]


def zero_sector(at: int) -> Spoil:
    return lambda data: data[:at] + bytes(min(SECTOR_BYTES, len(data) - at)) + data[at + 512 :]


def cut(at: int) -> Spoil:
    return lambda data: data[:at]


def old_block(at: int, older: bytes) -> Spoil:
    return lambda data: data[:at] + older[at : at + BLOCK] + data[at + BLOCK :]


def damages(shown: Stage, tier: int) -> Iterator[tuple[str, str, Spoil]]:
    """Path, what is done, and how."""
    image = shown.image
    for path, key in sorted(image.names.items()):
        if not path.startswith(shown.damaged):
            continue
        content = image.contents[key]
        size = len(content)
        stride = STRIDES[tier]
        for at in range(size % stride, size, stride):
            yield path, f"bit of byte {at}", flip(at)
        for at in range(0, size - 1, stride * 16 + 1):
            if content[at] != content[at + 1]:
                yield path, f"bytes {at} and {at + 1} changed over", swap(at)
        for at in range(0, size, SECTOR_BYTES * (9 if tier == 1 else 1)):
            yield path, f"zeros at {at}", zero_sector(at)
            yield path, f"cut at {at}", cut(at)
        yield from old_blocks(shown, path, content)


def old_blocks(shown: Stage, path: str, content: bytes) -> Iterator[tuple[str, str, Spoil]]:
    """Blocks that are as they were earlier, where that was something else."""
    key = shown.earlier.names.get(path)
    older = b"" if key is None else shown.earlier.contents[key]
    for at in range(0, min(len(older), len(content)), BLOCK):
        block = older[at : at + BLOCK]
        if len(block) == len(content[at : at + BLOCK]) and block != content[at : at + BLOCK]:
            yield path, f"old block at {at}", old_block(at, older)


def damage(tier: int, shard: int, shards: int) -> Iterator[Point]:
    number = 0
    for at in range(IMAGES[tier]):
        shown = stage(at)
        for path, what, how in damages(shown, tier):
            if mine(number, shard, shards):
                yield Point(f"image {at}, {path}: {what}", partial(spoilt, at, path, how))
            number += 1
        for first, second in pairs(shown.image):
            if mine(number, shard, shards):
                yield Point(f"image {at}, {first} for {second}", partial(other, at, first, second))
                yield Point(f"image {at}, {second} gone", partial(other, at, "", second))
            number += 1
        for part in parts(shown):
            if mine(number, shard, shards):
                yield Point(f"image {at}, {part} as it was earlier", partial(old_part, at, part))
            number += 1


def pairs(image: Image) -> list[tuple[str, str]]:
    """Files of one folder and kind, each with its neighbour."""
    paths = sorted(path for path in image.names if path != "lock")
    return [
        (first, second)
        for first, second in pairwise(paths)
        if first.rpartition("/")[0] == second.rpartition("/")[0]
    ]


def parts(shown: Stage) -> list[str]:
    """Folders, and the catalog, that have changed: what an incomplete restore brings back."""
    image, earlier = shown.image, shown.earlier
    found = {"catalog", "log/", "queues/"}
    found.update(f"{path.rpartition('/')[0]}/" for path in image.names if "~" in path)
    return sorted(part for part in found if files_below(image, part) != files_below(earlier, part))


def files_below(image: Image, part: str) -> dict[str, bytes]:
    return {path: image.contents[key] for path, key in image.names.items() if path.startswith(part)}


def old_part(number: int, part: str) -> str:
    """One part of the folder is of an earlier time than the rest."""
    shown = stage(number)
    names = {path: key for path, key in shown.image.names.items() if not path.startswith(part)}
    contents = {key: shown.image.contents[key] for key in names.values()}
    for path, content in files_below(shown.earlier, part).items():
        names[path] = max(contents) + 1
        contents[names[path]] = content
    disk = SimDisk(Image(names, contents, shown.image.folders | shown.earlier.folders))
    if part == "log/":
        # Whatever file is compared with the log is named.
        return outcome(disk, shown.expected, ["log/active", *files_below(shown.image, "")])
    return outcome(disk, shown.expected, [part, *files_below(shown.image, part)])


def spoilt(number: int, path: str, how: Spoil) -> str:
    shown = stage(number)
    image = shown.image
    key = image.names[path]
    contents = {**image.contents, key: how(image.contents[key])}
    return outcome(SimDisk(Image(image.names, contents, image.folders)), shown.expected, [path])


def other(number: int, first: str, second: str) -> str:
    """Two files changed over, or one gone."""
    shown = stage(number)
    names = dict(shown.image.names)
    if first:
        names[first], names[second] = names[second], names[first]
    else:
        del names[second]
    disk = SimDisk(Image(names, shown.image.contents, shown.image.folders))
    return outcome(disk, shown.expected, [path for path in (first, second) if path])


# ---- what comes of it


def outcome(disk: SimDisk, expected: State, paths: list[str]) -> str:
    """One of "refused", "confined", "no effect"; anything else is a failure."""
    try:
        machine = Machine(disk)
    except (IntegrityError, FileNotFoundError) as error:
        return named(str(error), paths, "refused")
    found = damaged_queues(machine)
    for name, names in expected[0].items():
        if name not in found:
            text = read_queue(machine, name, names)
            if text:
                found[name] = text
    for name, text in found.items():
        named(text, paths, "confined")
        assert f"/{name}~" in " ".join(paths), f"{name} is damaged, but {paths} was"
    if found:
        return "confined"
    assert set(machine.kernel.catalog.queue_names()) >= set(expected[0])
    return "no effect"


def read_queue(machine: Machine, name: str, names: list[str]) -> str:
    """Get everything; how damage was told, if it was."""
    try:
        got = [name_of_message(one) for one in machine.take_all(name)]
    except MQError as error:
        if error.reason != MQRC_OBJECT_DAMAGED:
            raise
        return str(error)
    except IntegrityError as error:
        return str(error)
    assert got == names, f"{name}: {got}, expected {names}"
    return ""


def damaged_queues(machine: Machine) -> dict[str, str]:
    """Queues that were found damaged, and how that is told."""
    catalog = machine.kernel.catalog
    return {
        definition.name: catalog.damaged[definition.object_id]
        for definition in catalog.definitions.values()
        if definition.object_id in catalog.damaged
    }


def named(text: str, paths: list[str], how: str) -> str:
    """A complaint must name one of the files, or its folder."""
    names = [*paths, *(path.rpartition("/")[0] for path in paths if "/" in path)]
    if any(path.startswith("log/control") for path in paths):
        names.append("log control file")
    assert any(name in text for name in names), f"{paths} not named: {text}"
    return how


GOAL = Goal(
    "G8",
    "flipped bits, zeroed sectors, old blocks or folders, files cut, changed over or gone: named",
    ("P6",),
    shards={1: 8, 2: 96, 3: 480},
    needed={1: 3_000, 2: 327_680, 3: 1_638_400},
    points=damage,
    unit="damages",
)
