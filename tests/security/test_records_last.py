"""Goal: authority records outlive crashes, and what is refused is an event.

Method: the machine stops at every call on the disk while records are set; an event queue is read.
"""

import threading

import pytest

import ternmq
from ternmq import NotAuthorized
from ternmq.base import constants as mq
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.testing import crash_everywhere
from tests.security.granting import connected, grant, secured

pytestmark = pytest.mark.core
SET = "SET AUTHREC PROFILE('Q{}') OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD({})"


def shown(qm: ternmq.QueueManager) -> dict[str, str]:
    found = [answer for answer in qm.mqsc("DISPLAY AUTHREC PRINCIPAL('fred')") if answer.items]
    return {str(answer["PROFILE"]): str(answer["AUTHLIST"]) for answer in found}


def test_a_record_that_was_answered_is_there_after_a_crash() -> None:
    answered: list[dict[str, str]] = []
    steps: list[dict[str, str]] = [
        {},
        {"Q1": "GET"},
        {"Q1": "GET", "Q2": "PUT"},
        {"Q1": "GET,PUT", "Q2": "PUT"},
        {"Q2": "PUT"},
    ]

    def change(qm: ternmq.QueueManager) -> None:
        answered.clear()
        answered.append(steps[0])
        for number, text in enumerate(
            (
                SET.format(1, "GET"),
                SET.format(2, "PUT"),
                SET.format(1, "PUT"),
                "DELETE AUTHREC PROFILE('Q1') OBJTYPE(QUEUE) PRINCIPAL('fred')",
            )
        ):
            assert qm.mqsc(text)[0].ok
            answered.append(steps[number + 1])

    def check(qm: ternmq.QueueManager) -> None:
        found = shown(qm)
        done = len(answered) - 1
        assert found in steps[done : done + 2], (found, done)
        kernel = qm.started.shell.engine.kernel
        assert len(kernel.authority.records.by_key) == len(found)

    assert crash_everywhere(change, check) >= 12


@pytest.mark.parametrize(
    ("qualifier", "what"),
    [
        (mq.MQRQ_CONN_NOT_AUTHORIZED, "connect"),
        (mq.MQRQ_OPEN_NOT_AUTHORIZED, "open"),
        (mq.MQRQ_CMD_NOT_AUTHORIZED, "command"),
    ],
)
def test_a_refusal_is_an_event_if_it_is_wanted(qualifier: int, what: str) -> None:
    with secured() as qm:
        qm.define_queue("Q")
        fred = connected(qm, "fred")

        def refused() -> None:
            if what == "connect":
                with pytest.raises(NotAuthorized):
                    qm.connect(user="ann")
            elif what == "open":
                with pytest.raises(NotAuthorized):
                    fred.queue("Q", options=mq.MQOO_OUTPUT)
            else:
                assert not fred.mqsc("ALTER QLOCAL(Q) DESCR('x')")[0].ok

        with qm.queue("SYSTEM.ADMIN.QMGR.EVENT") as events:
            while events.depth:
                events.get()
            refused()
            assert events.depth == 0
            qm.mqsc("ALTER QMGR AUTHOREV(ENABLED)")
            grant(qm, "qmgr", "self", "fred", "connect")
            refused()
            event = unpack_pcf(events.get().data)
            assert event.reason == 2035
            values = {one.parameter: one for one in event.parameters}
            assert values[mq.MQIACF_REASON_QUALIFIER].number == qualifier
            assert events.depth == 0


def test_who_waits_for_events_is_woken_by_a_refused_connect() -> None:
    with secured() as qm:
        qm.mqsc("ALTER QMGR AUTHOREV(ENABLED)")
        got: list[int] = []
        events = qm.connect(user="boss").queue("SYSTEM.ADMIN.QMGR.EVENT")
        while events.depth:
            events.get()

        def wait() -> None:
            got.append(unpack_pcf(events.get(wait=10).data).reason)

        waiting = threading.Thread(target=wait)
        waiting.start()
        with pytest.raises(NotAuthorized):
            qm.connect(user="ann")
        waiting.join()
        assert got == [2035]
