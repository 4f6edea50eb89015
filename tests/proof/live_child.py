"""The process that is killed at a system call: one thread, verbs from a seed, every answer told.

Usage: python live_child.py DATA SEED STEPS. Before a change it writes "T" and what the change does,
after its answer "A"; a verb that is refused writes "R" and the reason. The lines go to standard
output with plain write calls, so what was written is there after a kill. `live_ledger` reads them.
"""

import json
import os
import random
import sys

import ternmq

QUEUES = ("A", "B")
SIZES = (10, 300, 2_000, 9_000, 9_000)


def log_message(kind: str, what: object = None) -> None:
    os.write(1, f"{kind} {json.dumps(what)}\n".encode("ascii"))


class Child:
    """One queue manager and what is done to it."""

    def __init__(self, data: str, seed: int) -> None:
        self.chance = random.Random(seed)
        self.qmgr = ternmq.embedded(data, "QM1")
        self.queues = {name: self.qmgr.queue(name) for name in QUEUES}
        self.count = 0
        self.life = seed
        log_message("S")

    def message(self) -> tuple[str, bytes]:
        self.count += 1
        name = f"m{self.life}.{self.count}"
        return name, f"{name} ".encode("ascii") + bytes(self.chance.choice(SIZES))

    def put(self) -> None:
        queue = self.chance.choice(QUEUES)
        name, data = self.message()
        log_message("T", [["put", queue, name]])
        self.queues[queue].put(data, persistent=True)
        log_message("A")

    def get(self) -> None:
        queue = self.chance.choice(QUEUES)
        log_message("T", [["get", queue]])
        self.queues[queue].try_get(syncpoint=False)
        log_message("A")

    def unit(self) -> None:
        """Puts and a get together, or not at all."""
        changes = []
        self.qmgr.begin()
        for _ in range(self.chance.randrange(1, 4)):
            queue = self.chance.choice(QUEUES)
            name, data = self.message()
            self.queues[queue].put(data, persistent=True)
            changes.append(["put", queue, name])
        queue = self.chance.choice(QUEUES)
        message = self.queues[queue].try_get()
        if message is not None:
            own = ["put", queue, bytes(message.data).partition(b" ")[0].decode()]
            if own in changes:  # the queue had no other message: nothing is left of this one
                changes.remove(own)
            else:
                changes.insert(0, ["get", queue])
        if self.chance.random() < 0.25:
            self.qmgr.backout()
            return
        log_message("T", changes)
        self.qmgr.commit()
        log_message("A")

    def step(self) -> None:
        kind = self.chance.random()
        if kind < 0.4:
            self.put()
        elif kind < 0.6:
            self.get()
        elif kind < 0.9:
            self.unit()
        else:
            self.qmgr.checkpoint()


def main() -> None:
    data, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    child = Child(data, seed)
    for _ in range(steps):
        try:
            child.step()
        except ternmq.MQError as error:
            log_message("R", error.reason)
    child.qmgr.close()
    log_message("E")


if __name__ == "__main__":
    main()
