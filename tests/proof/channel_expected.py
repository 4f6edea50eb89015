"""What must have become of a batch after each fault at each step of the protocol: the table that
the matrix of message channels is held against.

A frame travels ten times as long as a force takes, so the order is: the sender gets all messages of
the batch and sends them, prepares and asks for the confirm, before the first of them has arrived.

    on the queue           not in doubt, not arrived: sent again
    in doubt, not arrived  the partner's answer backs it out, and it is sent again
    in doubt, arrived      the partner's answer commits it
    arrived                and nothing is in doubt
    goes on                the connection was not lost, and it has arrived

Reviewed by hand. Rules that it follows from:

  - before the record of the sender that prepares the batch is forced, it is on the queue; the
    sender hears at once of a cut, and 10 ms later of a receiver that was killed (it is in doubt by
    then), and of one without power only by its silence;
  - it has arrived once the commit of the receiver is forced, however the sender learns of it;
  - a want that has begun, or that is about to begin, is carried out although the connection is
    lost, so a confirm request that has come in leads to the commit;
  - a receiver that cannot store a message says so, and has not committed: the sender backs out;
  - the sender's commit is not forced: a power loss takes it back, until something else is forced;
  - a full disk of the receiver stops nothing here: the log is allocated, and messages of this size
    stay in memory until the next checkpoint.
"""

from __future__ import annotations

from typing import Final

from tests.proof.channel_steps import Fault, Step

GOES_ON: Final = "goes on"
ON_QUEUE: Final = "on the queue"
BACKED_OUT: Final = "in doubt, not arrived"
COMMITTED: Final = "in doubt, arrived"
ARRIVED: Final = "arrived"

_WORDS: Final = {
    "g": GOES_ON,
    "q": ON_QUEUE,
    "b": BACKED_OUT,
    "c": COMMITTED,
    "a": ARRIVED,
}

# Cells that cannot be, and why.
NO_FRAME: Final = "no frame is cut: the step is one of the engine, or has no bytes"
NO_OLD_CONNECTION: Final = "no frame of an old connection: this is the first one"
IMPOSSIBLE: Final[dict[tuple[Step, Fault], str]] = {
    (Step.CONNECT, Fault.CUT_INSIDE): NO_FRAME,
    (Step.CONNECT, Fault.LATE): NO_OLD_CONNECTION,
    (Step.GET, Fault.CUT_INSIDE): NO_FRAME,
    (Step.PREPARE, Fault.CUT_INSIDE): NO_FRAME,
    (Step.PLACE, Fault.CUT_INSIDE): NO_FRAME,
    (Step.COMMIT, Fault.CUT_INSIDE): NO_FRAME,
    (Step.SETTLE, Fault.CUT_INSIDE): NO_FRAME,
}

# In the order of Fault: cut before, after, inside; sender before, after; receiver before, after;
# both; late; silence; disk full; no place. A dash: impossible.
_ROWS: Final[dict[Step, str]] = {
    Step.CONNECT: "qq- qq qq q - q g q",
    Step.NEGOTIATE: "qqq qq qq q q q g q",
    Step.RESYNC: "ccc cc cc c c c g g",
    Step.GET: "qq- qq bb q q b g q",
    Step.SEND: "qbb qb bb q b b g q",
    Step.BATCH_HEARTBEAT: "qqq qq qq q q q g g",
    Step.PREPARE: "bb- qb bb q b b g q",
    Step.REQUEST: "bcb bc bb b c b g q",
    Step.PLACE: "bb- bb bb b b b g q",
    Step.COMMIT: "cc- cc bc b c c g g",
    Step.CONFIRM: "cac cc ca c a c g g",
    Step.SETTLE: "aa- ca aa c a a g g",
    Step.IDLE_HEARTBEAT: "aaa ca aa c a a g g",
    Step.DISCONNECT: "aaa ca aa c a a a a",
    Step.STOP: "aaa ca aa c a a a a",
}


def _table() -> dict[tuple[Step, Fault], str]:
    table: dict[tuple[Step, Fault], str] = {}
    for step, row in _ROWS.items():
        letters = row.replace(" ", "")
        assert len(letters) == len(Fault), step
        for fault, letter in zip(Fault, letters, strict=True):
            if letter == "-":
                assert (step, fault) in IMPOSSIBLE, (step, fault)
            else:
                table[step, fault] = _WORDS[letter]
    return table


EXPECTED: Final = _table()
