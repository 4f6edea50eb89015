"""The process that the kill loop kills: one queue manager, 4 putters and 4 getters in threads.

Usage: python kill_child.py DATA REPORT LIFE SEED. Each thread has its own append-only file in
REPORT and writes there what it is about to do and what was acknowledged, before its next verb,
with plain write calls; so what it wrote is there after a kill. The lines are explained in
`kill_ledger`. First the queues are browsed and their content is written to the inventory of this
life. With LIFE "drain" everything is got.
"""

import os
import random
import sys
import threading
import traceback
import zlib
from collections.abc import Callable

import ternmq
from ternmq.base import reasons

QUEUES = ("KILL.A", "KILL.B")
# Every ending of a verb that is no fault: full, log full, backed out for the log.
BUSY = (reasons.MQRC_Q_FULL, reasons.MQRC_RESOURCE_PROBLEM, reasons.MQRC_Q_SPACE_NOT_AVAILABLE)
SIZES = (0, 20, 200, 200, 700, 2_000, 2_000, 5_000, 12_000, 30_000)


class Report:
    """An append-only file of lines, each written at once."""

    def __init__(self, folder: str, name: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self.descriptor = os.open(os.path.join(folder, name), flags, 0o600)

    def __call__(self, *words: object) -> None:
        line = " ".join(str(word) for word in words) + "\n"
        os.write(self.descriptor, line.encode("ascii"))


def body_of(name: str, size: int) -> bytes:
    """The data of a message: its name, and bytes that follow from it."""
    head = f"{name} {size} ".encode("ascii")
    block = zlib.crc32(head).to_bytes(4, "little") * (size // 4 + 1)
    return head + block[:size]


def name_of(data: bytes) -> str:
    """The name of a message; it must have the very bytes that were put."""
    name, size, _ = data.split(b" ", 2)
    if data != body_of(name.decode("ascii"), int(size)):
        raise RuntimeError(f"message {name!r} has other bytes than were put")
    return name.decode("ascii")


class Worker(threading.Thread):
    """One application thread with its own connection."""

    def __init__(
        self, qmgr: ternmq.QueueManager, folder: str, life: str, role: str, seed: int
    ) -> None:
        super().__init__(name=role, daemon=True)
        self.report = Report(folder, f"{life}.{role}")
        self.connection = qmgr.connect()
        self.queues = [self.connection.queue(name) for name in QUEUES]
        self.chance = random.Random(seed)
        self.life = life
        self.role = role
        self.count = 0
        self.units = 0
        self.pause = threading.Event()

    def run(self) -> None:
        steps: dict[str, Callable[[], None]] = {
            "p0": self.put_alone,
            "p1": self.put_in_units,
            "p2": self.put_mixed,
            "p3": self.put_mixed,
            "g0": self.get_alone,
            "g1": self.get_in_units,
            "g2": self.get_by_id,
            "g3": self.move,
        }
        step = steps[self.role]
        try:
            while True:
                step()
        except BaseException:
            self.report("!", repr(traceback.format_exc()))
            os._exit(3)

    # ---- puts -----------------------------------------------------------------------------------

    def put(self, unit: int) -> None:
        """One put, in a unit of work or alone (0)."""
        queue = self.chance.randrange(2)
        priority = self.chance.choice((0, 0, 4))
        self.count += 1
        name = f"{self.role}:{self.life}:{self.count}:{priority}"
        data = body_of(name, self.chance.choice(SIZES))
        self.report("P", name, queue, unit)
        inside = unit != 0
        given = self.queues[queue].put(data, persistent=True, priority=priority, syncpoint=inside)
        if unit == 0:
            self.report("+", name)
        elif self.chance.random() < 0.2:
            self.get_own(queue, given, name, unit)

    def get_own(self, queue: int, msg_id: bytes, name: str, unit: int) -> None:
        """Get what the same unit of work has just put."""
        message = self.queues[queue].get(msg_id=msg_id, syncpoint=True)
        if name_of(message.data) != name:
            raise RuntimeError(f"got {name_of(message.data)}, not {name}")
        self.report("o", name, unit)

    def put_alone(self) -> None:
        try:
            self.put(0)
        except ternmq.MQError as error:
            self.refused(error)

    def put_in_units(self) -> None:
        self.unit(self.put_some)

    def put_some(self, unit: int) -> None:
        for _ in range(self.chance.randrange(1, 6)):
            self.put(unit)

    def put_mixed(self) -> None:
        if self.chance.random() < 0.5:
            self.put_alone()
        else:
            self.put_in_units()

    def refused(self, error: ternmq.MQError) -> None:
        """A verb that was refused did nothing; wait a little for those who make room."""
        if error.reason not in BUSY:
            raise error
        self.report("x", error.reason)
        self.pause.wait(0.002)

    # ---- units of work --------------------------------------------------------------------------

    def unit(self, work: Callable[[int], object]) -> None:
        """One unit of work, now and then backed out."""
        self.units += 1
        unit = self.units
        try:
            work(unit)
            if self.chance.random() < 0.15:
                self.report("R", unit)
                self.connection.backout()
                return
            self.report("C", unit)
            self.connection.commit()
            self.report("K", unit)
        except ternmq.BackedOut:
            self.report("R", unit)
        except ternmq.MQError as error:
            self.report("R", unit)
            self.refused(error)
            self.connection.backout()

    # ---- gets -----------------------------------------------------------------------------------

    def get_alone(self) -> None:
        """Any message, waiting for it, outside a unit of work."""
        self.report("g", "?")
        try:
            message = self.queues[self.chance.randrange(2)].try_get(wait=0.01, syncpoint=False)
        except ternmq.MQError as error:
            self.refused(error)
            return
        self.report("-", "" if message is None else name_of(message.data))

    def get_some(self, unit: int, queue: int, most: int) -> list[str]:
        names = []
        for _ in range(self.chance.randrange(1, most + 1)):
            message = self.queues[queue].try_get(wait=0.005, syncpoint=True)
            if message is not None:
                names.append(name_of(message.data))
                self.report("s", names[-1], unit)
        return names

    def get_in_units(self) -> None:
        self.unit(lambda unit: self.get_some(unit, self.chance.randrange(2), 5))

    def get_by_id(self) -> None:
        """Browse for a message, then get that one."""
        queue = self.queues[self.chance.randrange(2)]
        skip = self.chance.choice((0, 0, 1, 5, 60))
        found = None
        for message in queue.browse():
            found = message
            skip -= 1
            if skip < 0:
                break
        if found is None:
            self.pause.wait(0.002)
            return
        message = found
        self.report("g", name_of(message.data))
        try:
            got = queue.try_get(msg_id=message.msg_id, syncpoint=False)
        except ternmq.MQError as error:
            self.refused(error)
            return
        self.report("-", "" if got is None else name_of(got.data))

    def move(self) -> None:
        """From the first queue to the second, in one unit of work."""
        self.unit(self.move_some)

    def move_some(self, unit: int) -> None:
        for name in self.get_some(unit, 0, 3):
            self.count += 1
            moved = f"{self.role}:{self.life}:{self.count}:0:{name}"
            self.report("P", moved, 1, unit)
            self.queues[1].put(body_of(moved, 300), persistent=True, priority=0, syncpoint=True)


def inventory(qmgr: ternmq.QueueManager, report: Report) -> None:
    """What a restart has left, in the order it would be got."""
    for number, name in enumerate(QUEUES):
        with qmgr.queue(name) as queue:
            found = [name_of(message.data) for message in queue.browse()]
            for message_name in found:
                report("I", number, message_name)
            if queue.depth != len(found):
                report("!", f"{name}:depth_{queue.depth}_but_{len(found)}_messages")
    report("E")


def drain(qmgr: ternmq.QueueManager, report: Report) -> None:
    """Get everything that is left."""
    for number, name in enumerate(QUEUES):
        with qmgr.queue(name) as queue:
            for message in queue:
                report("D", number, name_of(message.data))
            if queue.depth:
                report("!", f"{name}:depth_{queue.depth}_after_the_last_message")
    report("E")


def main() -> None:
    data, folder, life, seed = sys.argv[1:]
    report = Report(folder, f"{life}.inventory")
    qmgr = ternmq.embedded(
        data,
        "QM1",
        create=True,
        log_primary_files=3,
        log_secondary_files=2,
        log_file_pages=32,
        dual_log=int(seed) % 2 == 1,
    )
    if life == "0":
        for name in QUEUES:
            qmgr.define_queue(
                name, max_depth=700, persistent_buffer=1 << 16, nonpersistent_buffer=1 << 16
            )
    report("#", *qmgr.report()[0].split()[:1])
    inventory(qmgr, report)
    if life == "drain":
        drain(qmgr, report)
        qmgr.close()
        return
    chance = random.Random(int(seed))
    roles = [f"{kind}{number}" for kind in "pg" for number in range(4)]
    workers = [Worker(qmgr, folder, life, role, chance.randrange(1 << 30)) for role in roles]

    def end(fault: threading.ExceptHookArgs) -> None:
        report("!", repr(fault.exc_value))
        os._exit(3)

    threading.excepthook = end
    for worker in workers:
        worker.start()
    print("started", flush=True)
    while True:
        workers[0].join(0.05)
        keeper = qmgr.started.shell.engine.keeper
        report("k", keeper.checkpoints, keeper.space.ready)


if __name__ == "__main__":
    main()
