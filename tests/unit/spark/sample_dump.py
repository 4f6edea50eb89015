"""A dump for tests of reports: two queue managers, one with a gap, a spike each, a task of ours."""

from __future__ import annotations

from typing import Final

from ternmq.codec.smf.clock_values import tod_of_ns
from ternmq.codec.smf.record import Stamp, build, correlator, header_values
from ternmq.codec.smf.section_layout import Scalar, Values

S: Final = 1_000_000_000
MS: Final = 1000 * 4096  # a millisecond in units of the clock
BEGIN: Final = 1_790_000_040 * S  # 2026-09-21 14:14:00
INTERVALS: Final = 40
GAP: Final = range(15, 20)  # intervals that the first queue manager lacks
SPIKE: Final = 25  # the interval in which its messages stayed 1.5 s, where 21 ms is usual
WITHOUT_GETS: Final = 7  # every so many intervals nothing is got
PROGRAM: Final = "order-service.py"
OFFSETS: Final = {"QM1": 0, "QM2": 3}  # seconds by which intervals begin later


def stamp(manager: str, n: int) -> Stamp:
    """A minute, of a system two hours east."""
    begun = BEGIN + (n * 60 + OFFSETS[manager]) * S
    return Stamp("SYS1", manager, begun + 60 * S, 7200, begun, 60_000_000)


def record(manager: str, n: int, kind: int, subtype: int, **sections: list[Values]) -> bytes:
    return build(kind, subtype, header_values(kind, subtype, stamp(manager, n)), sections)


def statistics(manager: str, n: int) -> bytes:
    """One interval."""
    stayed = 1_500_000 if manager == "QM1" and n == SPIKE else 21_000
    gets, time = (560, stayed) if n % WITHOUT_GETS else (0, 0)
    queues: list[Values] = [
        {"qqstqnam": "ORDERS", "qqstdpth": 40 * n, "qqstdphi": 40 * n + 5, "qqstputs": 600 + n,
         "qqstgets": gets, "qqstqtst": time, "qqstpsid": 1, "qqstbpid": 1},
        {"qqstqnam": "REPLIES", "qqstdpth": 2, "qqstputs": 300, "qqstgets": 300, "qqstqtst": 900},
    ]  # fmt: skip
    writes: tuple[dict[str, Scalar], ...] = (
        {"qjstiocount": 800, "qjstioci": 800, "qjstiototio": 8_500 * MS, "qjstiomaxio": 21 * MS},
    )
    log: Values = {"qjstwrf": 90 + n, "qjstciwr": 2560, "qjstlogw": 1000, "qjstio": writes}
    calls: Values = {"qmstput": 900 + n, "qmstget": 860, "qmstopen": 12, "qmstclos": 11}
    pool: Values = {"qpstpool": 1, "qpstnbuf": 1000, "qpstcbsl": 500 - n, "qpstcbs": 500}
    return b"".join(
        (
            record(manager, n, 115, 216, QQST=queues),
            record(manager, n, 115, 1, QJST=[log]),
            record(manager, n, 115, 2, QMST=[calls]),
            record(manager, n, 115, 215, QPST=[pool]),
        )
    )


def task() -> bytes:
    """A program of ours without units of work."""
    own: Values = {
        "wtasstrt": tod_of_ns(BEGIN), "wtasmthr": b"0001", "wtaswqct": 1,
        "wtasints": tod_of_ns(BEGIN), "wtasinte": tod_of_ns(BEGIN + 10 * S),
    }  # fmt: skip
    queue: Values = {
        "objname": "ORDERS", "basename": "ORDERS", "correl": correlator(own), "openn": 1,
        "openet": 39 * 4096, "openct": 37 * 4096, "putn": 10, "putet": 110 * 4096,
        "putct": 100 * 4096, "validput": 10, "putbytes": 10_240, "putmaxms": 1024, "putminms": 1024,
    }  # fmt: skip
    name = PROGRAM.encode().ljust(28, b"\0")
    who: Values = {
        "wtidccn": PROGRAM[:8], "wtidopid": "app", "wtidatyp": 2, "wtidnid": name[:16],
        "wtidcori": name[16:],
    }  # fmt: skip
    return record("QM1", 0, 116, 1, WTID=[who], WTAS=[own], WQ=[queue])


def sample(managers: tuple[str, ...] = ("QM1", "QM2")) -> bytes:
    """All records."""
    records = [
        statistics(manager, n)
        for manager in managers
        for n in range(INTERVALS)
        if manager != "QM1" or n not in GAP
    ]
    return b"".join(records) + task()
