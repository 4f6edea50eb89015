"""Goal: a program for pymqi or ibmmq learns where a remote queue is, as from IBM MQ: ResolvedQName
and ResolvedQMgrName after MQOPEN and MQPUT, with MQOO_RESOLVE_LOCAL_Q and without; ObjectQMgrName.

Method: both libraries, on the queue manager's machine and through a channel.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.compat.pymqi import CMQC
from tests.compat.conftest import Program

pytestmark = pytest.mark.core
OUTPUT = CMQC.MQOO_OUTPUT


@pytest.fixture
def routes(program: Program) -> Program:
    program.mqsc(
        "DEFINE QLOCAL(QMB) USAGE(XMITQ) REPLACE\n"
        "DEFINE QLOCAL(XQ) USAGE(XMITQ) REPLACE\n"
        "DEFINE QREMOTE(REMOTE) RNAME(FAR) RQMNAME(QMB) XMITQ(XQ) REPLACE\n"
    )
    return program


def opened(program: Program, options: int, name: bytes = b"REMOTE", qmgr: bytes = b"") -> Any:
    od = program.library.OD(
        Version=CMQC.MQOD_VERSION_4, ObjectName=name, ObjectQMgrName=qmgr.ljust(48)
    )
    queue = program.library.Queue(program.qmgr)
    queue.open(od, options)
    return queue, od


def names(structure: Any) -> tuple[bytes, bytes]:
    return structure.ResolvedQName.rstrip(b" \0"), structure.ResolvedQMgrName.rstrip(b" \0")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (OUTPUT, (b"FAR", b"QMB")),
        (OUTPUT | CMQC.MQOO_RESOLVE_LOCAL_Q, (b"XQ", b"QM1")),
        (CMQC.MQOO_INQUIRE, (b"", b"")),
    ],
)
def test_open_of_a_remote_queue_then_the_names_that_it_resolves_to(
    routes: Program, options: int, expected: tuple[bytes, bytes]
) -> None:
    queue, od = opened(routes, options)
    assert names(od) == expected
    queue.close()


@pytest.mark.parametrize("of_open", [0, CMQC.MQOO_RESOLVE_LOCAL_Q])
@pytest.mark.parametrize(
    ("of_put", "expected"),
    [(0, (b"FAR", b"QMB")), (CMQC.MQPMO_RESOLVE_LOCAL_Q, (b"XQ", b"QM1"))],
)
def test_put_to_a_remote_queue_then_its_own_option_decides(
    routes: Program, of_open: int, of_put: int, expected: tuple[bytes, bytes]
) -> None:
    queue, _ = opened(routes, OUTPUT | of_open)
    pmo = routes.library.PMO(Options=of_put | CMQC.MQPMO_NO_SYNCPOINT)
    queue.put(b"data", routes.md(), pmo)
    assert names(pmo) == expected
    queue.close()


def test_open_with_a_queue_manager_then_its_queue(routes: Program) -> None:
    queue, od = opened(routes, OUTPUT, b"QA", b"QMB")
    assert names(od) == (b"QA", b"QMB")
    queue.put(b"data")
    queue.close()
    outgoing = routes.queue("QMB", options=CMQC.MQOO_INPUT_SHARED)
    data = routes.plain(outgoing)
    assert (data[8:56].rstrip(), data[56:104].rstrip(), data[428:]) == (b"QA", b"QMB", b"data")
    outgoing.close()
    assert routes.reason(opened, routes, OUTPUT, b"QA", b"QMZ") == CMQC.MQRC_UNKNOWN_REMOTE_Q_MGR
    assert routes.reason(opened, routes, OUTPUT, b"QA", b"REMOTE") == 2087
