"""Goal: a channel that was stopped stays so until it is started, whatever happens in between.

Method: STOP CHANNEL, then a restart, a crash, definitions beside it; CHSTATUS tells.
"""

from pathlib import Path

import ternmq


def stopped(qmgr: ternmq.Connection) -> list[str]:
    found = qmgr.mqsc("DISPLAY CHSTATUS(*)")
    return [str(one["CHANNEL"]) for one in found if one.ok and "STATUS" in one.attributes()]


def ids(qmgr: ternmq.Connection, text: str) -> list[str]:
    return [one.message for one in qmgr.mqsc(text)]


def test_stopped_channel_when_restarted_then_stopped_until_it_is_started(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, create=True) as qmgr:
        qmgr.mqsc("DEFINE CHANNEL(ONE) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(TWO) CHLTYPE(SVRCONN)")
        before = qmgr.mqsc("DISPLAY CHANNEL(ONE) ALL")[0].attributes()
        assert ids(qmgr, "STOP CHANNEL(ONE)") == ["AMQ8019I"]
        assert ids(qmgr, "STOP CHANNEL(TWO)\nSTART CHANNEL(TWO)") == ["AMQ8019I", "AMQ8018I"]
        assert stopped(qmgr) == ["ONE"]
        assert qmgr.mqsc("DISPLAY CHANNEL(ONE) ALL")[0].attributes() == before
    with ternmq.embedded(tmp_path) as qmgr:
        assert stopped(qmgr) == ["ONE"]
        assert ids(qmgr, "START CHANNEL(ONE)") == ["AMQ8018I"]
        assert stopped(qmgr) == []
    with ternmq.embedded(tmp_path) as qmgr:
        assert stopped(qmgr) == []


def test_stopped_channel_when_defined_again_then_the_name_counts_and_the_copy_does_not() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.mqsc("DEFINE CHANNEL(ONE) CHLTYPE(SVRCONN)\nSTOP CHANNEL(ONE)")
        qmgr.mqsc("DEFINE CHANNEL(ONE) CHLTYPE(SVRCONN) REPLACE DESCR('other')")
        qmgr.mqsc("ALTER CHANNEL(ONE) CHLTYPE(SVRCONN) MAXINST(3)")
        qmgr.mqsc("DEFINE CHANNEL(TWO) CHLTYPE(SVRCONN) LIKE(ONE)")
        assert stopped(qmgr) == ["ONE"]
        qmgr.mqsc("DELETE CHANNEL(ONE)")
        assert stopped(qmgr) == []
        qmgr.mqsc("DEFINE CHANNEL(ONE) CHLTYPE(SVRCONN)")
        assert stopped(qmgr) == []
