"""Two-phase commit: one transfer over two queue managers, with a crash at the worst moment.

A transaction manager prepares both branches, writes its decision down, and then commits them.
Here it "crashes" after the decision: both queue managers are stopped and started again with the
branches in doubt. Recovery asks each what is in doubt and finishes what was decided. Nothing is
guessed and nothing is lost.

    python examples/two_phase_commit.py
"""

import os
import tempfile
from pathlib import Path

import ternmq

FORMAT = 0x5445524E  # names this transaction manager in its XIDs


class Decisions:
    """What the transaction manager decided to commit, on disk before anybody learns of it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def commit(self, transfer: bytes) -> None:
        with self._path.open("a", encoding="ascii") as file:
            file.write(transfer.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())

    def has(self, transfer: bytes) -> bool:
        return self._path.exists() and transfer.hex() in self._path.read_text().split()


def open_bank(folder: str, name: str) -> ternmq.QueueManager:
    bank = ternmq.embedded(folder, name, create=True)
    bank.define_queue("MONEY", replace=True, default_persistence="YES")
    return bank


def depth(bank: ternmq.QueueManager) -> int:
    with bank.queue("MONEY") as money:
        return len(list(money.browse()))


def transfer(source: ternmq.QueueManager, target: ternmq.QueueManager, name: bytes) -> None:
    """Move one message from one queue manager to the other, as far as prepared."""
    with source.queue("MONEY") as here, target.queue("MONEY") as there:
        source.begin()
        target.begin()
        there.put(here.get().data)
        source.prepare(ternmq.XID(FORMAT, name, source.name.encode()))
        target.prepare(ternmq.XID(FORMAT, name, target.name.encode()))


def recover(bank: ternmq.QueueManager, decisions: Decisions) -> None:
    """Finish what was in doubt: commit what was decided, back out the rest."""
    for xid in bank.in_doubt():
        if decisions.has(xid.global_id):
            bank.commit_prepared(xid)
            print(f"  {bank.name}: {xid.global_id.decode()} committed")
        else:
            bank.backout_prepared(xid)
            print(f"  {bank.name}: {xid.global_id.decode()} backed out")


def main(folder: str) -> None:
    decisions = Decisions(Path(folder) / "decisions")
    with open_bank(folder, "NORTH") as north, open_bank(folder, "SOUTH") as south:
        for coin in ("a penny", "a crown"):
            north.put("MONEY", coin)
        print(f"at first:           NORTH {depth(north)}   SOUTH {depth(south)}")
        transfer(north, south, b"transfer-1")
        decisions.commit(b"transfer-1")
        transfer(north, south, b"transfer-2")  # never decided
        print(f"prepared:           NORTH {depth(north)}   SOUTH {depth(south)}")

    print("both stop and start again")
    with open_bank(folder, "NORTH") as north, open_bank(folder, "SOUTH") as south:
        print(f"in doubt:           {len(north.in_doubt())} and {len(south.in_doubt())}")
        recover(north, decisions)
        recover(south, decisions)
        print(f"recovered:          NORTH {depth(north)}   SOUTH {depth(south)}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(temporary)
