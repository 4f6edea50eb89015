"""Goal: a command about an object that is not there names those that may have been meant, and no
object that the user may not display; what is wrong with a value says which values there are.

Method: MQSC on a queue manager in memory, with and without security.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq.admin.similar_objects import NAMES_A_STEP

NOT_FOUND = "AMQ8147E: TernMQ object {} not found."


def answer(qmgr: ternmq.Connection, command: str) -> str:
    (one,) = qmgr.mqsc(command)
    return str(one)


@pytest.mark.parametrize(
    ("command", "name", "meant"),
    [
        ("DISPLAY QLOCAL(ORDERZ)", "ORDERZ", "ORDERS"),
        ("DISPLAY QUEUE(ORDERZ)", "ORDERZ", "ORDERS"),
        ("DISPLAY QSTATUS(ORDERZ)", "ORDERZ", "ORDERS"),
        ("ALTER QLOCAL(ORDERZ) MAXDEPTH(3)", "ORDERZ", "ORDERS"),
        ("CLEAR QLOCAL(ORDERZ)", "ORDERZ", "ORDERS"),
        ("DELETE QLOCAL(ORDERZ)", "ORDERZ", "ORDERS"),
        ("DELETE QLOCAL('orders')", "orders", "ORDERS"),
        ("DISPLAY CHANNEL(SYSTEM.DEF.SVRCON)", "SYSTEM.DEF.SVRCON", "SYSTEM.DEF.SVRCONN"),
        ("DELETE TOPIC(SYSTEM.BASE.TOPIK)", "SYSTEM.BASE.TOPIK", "SYSTEM.BASE.TOPIC"),
    ],
)
def test_command_when_the_name_is_mistyped_then_a_similar_one(
    command: str, name: str, meant: str
) -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("ORDERS")
        assert answer(qmgr, command) == f"{NOT_FOUND.format(name)} Did you mean {meant}?"


@pytest.mark.parametrize("command", ["DISPLAY QUEUE(ORDERZ*)", "DISPLAY QALIAS(ORDERZ)"])
def test_command_when_nothing_is_near_then_no_hint(command: str) -> None:
    """A generic name is not mistyped, and a queue of another type was not meant."""
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("ORDERS")
        name = command.split("(")[1].rstrip(")")
        assert answer(qmgr, command) == NOT_FOUND.format(name)


def test_command_when_there_are_many_objects_then_all_are_looked_at() -> None:
    with ternmq.memory("QM1") as qmgr:
        for number in range(NAMES_A_STEP + 10):
            qmgr.define_queue(f"FILLER.{number:04}")
        qmgr.define_queue("ORDERS")
        assert answer(qmgr, "CLEAR QLOCAL(ORDERZ)").endswith("Did you mean ORDERS?")


def test_command_when_the_user_may_not_display_an_object_then_it_is_not_named() -> None:
    with ternmq.memory("QM1", security={"admin": ("mqm",), "fred": ()}, user="admin") as qmgr:
        qmgr.define_queue("ORDERS")
        qmgr.define_queue("ORDERZ1")
        for grant in (
            "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('fred') AUTHADD(CONNECT,DSP)",
            "SET AUTHREC PROFILE('ORDERZ*') OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(DSP,CLR)",
        ):
            assert qmgr.mqsc(grant)[0].ok
        with qmgr.connect(user="fred") as fred:
            assert answer(fred, "CLEAR QLOCAL(ORDERZ)").endswith("Did you mean ORDERZ1?")
        assert answer(qmgr, "CLEAR QLOCAL(ORDERZ)").endswith("Did you mean ORDERS or ORDERZ1?")


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            "DISPLAY QLOCAL(*) WHERE(CURDPTH GT 0)",
            "QLOCAL has no attribute CURDPTH. Did you mean CURDEPTH?",
        ),
        (
            "DEFINE CHANNEL(A) CHLTYPE(SVRCON)",
            "CHLTYPE does not know 'SVRCON'. Did you mean SVRCONN?",
        ),
        (
            "DEFINE CHANNEL(A) CHLTYPE(X)",
            "CHLTYPE does not know 'X'. It is one of SDR, SVR, RCVR, RQSTR, SVRCONN, CLNTCONN, "
            "CLUSSDR, CLUSRCVR, AMQP",
        ),
        (
            "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) SSLCIPH(TLS_RSA_WITH_AES_128_CBC_SHA)",
            "AMQ8242E: SSLCIPH definition wrong. 'TLS_RSA_WITH_AES_128_CBC_SHA' is not a "
            "CipherSpec that can be used here. Did you mean TLS_RSA_WITH_AES_128_CBC_SHA256?",
        ),
        (
            "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) SSLCIPH(NONE_OF_THEM)",
            "'NONE_OF_THEM' is not a CipherSpec that can be used here. Use ANY_TLS12_OR_HIGHER.",
        ),
        (
            "STOP CONN(12)",
            "AMQ8155E: Connection identifier error. 12 is not 16 hexadecimal digits of CONN, nor "
            "48 of EXTCONN and CONN; DISPLAY CONN(*) shows them",
        ),
        (
            "DISPLAZ QLOCAL(A)",
            "AMQ8405I: Syntax error detected at or near end of command segment below:- DISPLAZ: "
            "there is no command DISPLAZ. Did you mean DISPLAY?",
        ),
        ("STOP CONN(0123456789ABCDEF)", "AMQ8155E: Connection identifier error."),
    ],
)
def test_command_when_a_value_is_wrong_then_which_there_are(command: str, text: str) -> None:
    with ternmq.memory("QM1") as qmgr:
        assert answer(qmgr, command).endswith(text)


def test_answer_when_it_shows_an_object_then_its_text_has_the_attributes() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("ORDERS")
        (shown,) = qmgr.mqsc("DISPLAY QLOCAL(ORDERS) MAXDEPTH SHARE")
        assert shown.text == "AMQ8409I: Display Queue details."
        assert str(shown) == f"{shown.text} QUEUE(ORDERS) TYPE(QLOCAL) MAXDEPTH(5000) SHARE"
        assert repr(shown) == "<Answer AMQ8409I QUEUE(ORDERS) TYPE(QLOCAL) MAXDEPTH(5000) SHARE>"
