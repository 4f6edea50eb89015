"""What the tests of media recovery share: a workload on a linear log that also records images, ways
to spoil a disk, and starting again with everything re-created that has to be."""

from __future__ import annotations

from collections.abc import Callable, Generator

from ternmq.base.errors import IntegrityError, MQError
from ternmq.base.reasons import MQRC_OBJECT_DAMAGED
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.media import ImageOrder, begin_image
from ternmq.kernel.recreate import Recreation
from ternmq.log.parameters import LINEAR, LogParameters
from ternmq.ports.effect import Effect
from ternmq.testing.machine import Machine
from ternmq.testing.model import State, found_state
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.workload import Workload
from ternmq.values.calls import administration as calls

Order = ImageOrder | Recreation
Spoil = Callable[[bytes], bytes]

SINGLE = LogParameters(LINEAR, 3, 0, 8, False)
DUAL = LogParameters(LINEAR, 3, 0, 8, True)


def steps(order: Order, kernel: Kernel, link: Connection) -> Generator[Effect | int, None, None]:
    """An order as the shell takes it to its end."""
    while not order.attempt(kernel, link):
        if link.park is not None:
            yield link.park
    yield int(link.durable_at)


def carry_out(machine: Machine, order: Order) -> None:
    machine.drive(steps(order, machine.kernel, machine.link))


def record(machine: Machine, name: str = "*") -> list[str]:
    call = calls.RecordImage(name)
    machine.drive(machine.verbs.run(machine.link, call, quiet=True))
    return call.names


def recreate(machine: Machine, name: str) -> None:
    machine.drive(machine.verbs.run(machine.link, calls.Recreate(name), quiet=True))


class MediaWorkload(Workload):
    """Now and then somebody records an image, or begins to while work goes on."""

    def __init__(
        self,
        seed: int,
        parameters: LogParameters = SINGLE,
        lazy: bool = False,
        fast: bool = True,
    ) -> None:
        self.images = 0
        super().__init__(seed, parameters, lazy=lazy, fast=fast)

    def rare(self) -> None:
        if self.chance.random() < 0.4:
            self.record_some()
        else:
            super().rare()

    def record_some(self) -> None:
        name = self.chance.choice(("A", "B", "*"))
        machine = self.machine
        self.images += 1
        try:
            if self.chance.random() < 0.5 and name != "*":
                begin_image(machine.kernel, machine.link, name)
                machine.link.park = None
            else:
                record(machine, name)
        except MQError:
            self.images -= 1


# ---- spoiling


def deleted(disk: SimDisk, path: str) -> None:
    del disk.names[path]


def emptied(disk: SimDisk, path: str) -> None:
    disk.spoil(path, lambda data: b"")


def cut(disk: SimDisk, path: str) -> None:
    disk.spoil(path, lambda data: data[: len(data) * 2 // 3])


def cut_short(disk: SimDisk, path: str) -> None:
    disk.spoil(path, lambda data: data[:-700])  # of a journal the seal and the end of a batch


def flipped(disk: SimDisk, path: str) -> None:
    """Every 97th byte, so that whatever is read of it is wrong."""

    def flip(data: bytes) -> bytes:
        changed = bytearray(data)
        changed[::97] = bytes(byte ^ 0x5A for byte in changed[::97])
        return bytes(changed)

    disk.spoil(path, flip)


def zeroed(disk: SimDisk, path: str) -> None:
    disk.spoil(path, lambda data: bytes(len(data)))


SPOILS = {
    "deleted": deleted,
    "emptied": emptied,
    "cut": cut,
    "cut short": cut_short,
    "flipped": flipped,
    "zeroed": zeroed,
}


def files_of(disk: SimDisk, queue: str, kind: str = "") -> list[str]:
    """The files of a queue: its journal ("state"), its segments (".seg"), or all."""
    return sorted(
        path for path in disk.names if path.startswith(f"queues/{queue}~") and path.endswith(kind)
    )


# ---- starting again


def is_damaged(machine: Machine, queue: str) -> bool:
    """Whether somebody who looks at all of a queue is told of damage."""
    try:
        machine.browse(queue)
    except MQError as error:
        if error.reason != MQRC_OBJECT_DAMAGED:
            raise
        return True
    except IntegrityError:
        return True
    return False


def recovered_state(
    machine: Machine, queues: list[str], *, drain: bool = True
) -> tuple[State, int]:
    """Re-create what turns out to be damaged; what is there then, and how many were."""
    count = 0
    for queue in queues:
        if queue in machine.kernel.catalog.definitions and is_damaged(machine, queue):
            recreate(machine, queue)
            count += 1
    return found_state(machine, drain=drain), count
