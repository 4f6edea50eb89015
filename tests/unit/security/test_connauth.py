"""Goal: CONNAUTH asks for a password when it should, and only then.

Method: the whole table of modes, and what the catalog of a queue manager says.
"""

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.security.connauth import CHECK, PASS, REFUSE, WORDS, decide, in_force

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    ("mode", "has_password", "is_administrator", "expected"),
    [
        (mq.MQCHK_NONE, False, False, PASS),
        (mq.MQCHK_NONE, False, True, PASS),
        (mq.MQCHK_NONE, True, False, PASS),
        (mq.MQCHK_NONE, True, True, PASS),
        (mq.MQCHK_OPTIONAL, False, False, PASS),
        (mq.MQCHK_OPTIONAL, False, True, PASS),
        (mq.MQCHK_OPTIONAL, True, False, CHECK),
        (mq.MQCHK_OPTIONAL, True, True, CHECK),
        (mq.MQCHK_REQUIRED, False, False, REFUSE),
        (mq.MQCHK_REQUIRED, False, True, REFUSE),
        (mq.MQCHK_REQUIRED, True, False, CHECK),
        (mq.MQCHK_REQUIRED, True, True, CHECK),
        (mq.MQCHK_REQUIRED_ADMIN, False, False, PASS),
        (mq.MQCHK_REQUIRED_ADMIN, False, True, REFUSE),
        (mq.MQCHK_REQUIRED_ADMIN, True, False, CHECK),
        (mq.MQCHK_REQUIRED_ADMIN, True, True, CHECK),
    ],
)
def test_every_mode(mode: int, has_password: bool, is_administrator: bool, expected: int) -> None:
    assert decide(mode, has_password, is_administrator) == expected


def test_what_is_in_force_follows_the_definitions() -> None:
    with ternmq.memory("QM1") as qm:
        catalog = qm.started.shell.engine.kernel.catalog
        rules = in_force(catalog)
        assert WORDS[rules.mode(False)] == "OPTIONAL"
        assert WORDS[rules.mode(True)] == "REQDADM"
        assert (rules.adopt_context, rules.failure_delay_s) == (True, 1)
        for text in (
            "DEFINE AUTHINFO(MINE) AUTHTYPE(IDPWOS) CHCKLOCL(REQUIRED) CHCKCLNT(NONE) "
            "ADOPTCTX(NO) FAILDLAY(5)",
            "ALTER QMGR CONNAUTH(MINE)",
        ):
            assert all(answer.ok for answer in qm.mqsc(text)), text
        rules = in_force(catalog)
        assert WORDS[rules.mode(False)] == "REQUIRED"
        assert WORDS[rules.mode(True)] == "NONE"
        assert (rules.adopt_context, rules.failure_delay_s) == (False, 5)
        qm.mqsc("ALTER QMGR CONNAUTH(' ')")
        assert WORDS[in_force(catalog).mode(False)] == "NONE"
        qm.mqsc("ALTER QMGR CONNAUTH('NO.SUCH.OBJECT')")
        assert WORDS[in_force(catalog).mode(True)] == "NONE"
