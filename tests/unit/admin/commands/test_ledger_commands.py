"""Goal: DISPLAY LEDGER and DELETE LEDGER show and forget what owners have committed, as MQSC and as
PCF, for those who may.

Method: batches without units of work, then commands; by PCF through the command server.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ternmq
from ternmq.base import own_constants as own
from ternmq.base.constants import MQCA_ALTERATION_DATE, MQCACF_USER_IDENTIFIER
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME

pytestmark = pytest.mark.core


def test_rows_are_shown_chosen_and_deleted() -> None:
    with ternmq.memory("QM1", user="fred") as qmgr:
        for batch in (0, 1, 2, 7):
            qmgr.commit_batch("query-1", batch, [])
        qmgr.commit_batch("query-2", 2**40, [])
        shown = qmgr.mqsc("DISPLAY LEDGER(*) ALL")
        assert [
            (one["LEDGER"], one["BATCH"], one["BATCHES"], one["FLOOR"], one["USERID"])
            for one in shown
        ] == [("query-1", 7, 4, 0, "fred"), ("query-2", 2**40, 1, 0, "fred")]
        assert all(one["ALTDATE"] and one["ALTTIME"] for one in shown)
        (one,) = qmgr.mqsc("DISPLAY LEDGER('query*') WHERE(BATCH GT 7)")
        assert one["LEDGER"] == "query-2"
        (reported,) = qmgr.mqsc("DELETE LEDGER('query-1')")
        assert (reported.message, reported.ok) == ("AMQ8988I", True)
        assert [one["LEDGER"] for one in qmgr.mqsc("DISPLAY LEDGER(*)")] == ["query-2"]
        # What is forgotten can happen again.
        assert qmgr.commit_batch("query-1", 1, []).committed


def test_an_owner_that_is_not_there_is_named() -> None:
    with ternmq.memory("QM1") as qmgr:
        for text in ("DISPLAY LEDGER('nobody')", "DELETE LEDGER('nobody')"):
            (reported,) = qmgr.mqsc(text)
            assert (reported.message, reported.inserts) == ("AMQ8989E", ("nobody",))
            assert reported.reason == MQRC_UNKNOWN_OBJECT_NAME
        (reported,) = qmgr.mqsc("DELETE LEDGER('nobody') IGNSTATE(YES)")
        assert reported.ok


def test_deleted_rows_stay_deleted_after_a_restart(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        qmgr.commit_batch("gone", 1, [])
        qmgr.commit_batch("kept", 1, [])
        qmgr.mqsc("DELETE LEDGER('gone')")
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        assert [one["LEDGER"] for one in qmgr.mqsc("DISPLAY LEDGER(*)")] == ["kept"]


def test_pcf_has_numbers_of_its_own() -> None:
    with ternmq.memory("QM1", user="fred") as qmgr:
        qmgr.start_command_server()
        qmgr.commit_batch("query", 2**40, [])
        with ternmq.PCFExecute(qmgr) as pcf:
            (row,) = pcf.MQCMD_INQUIRE_LEDGER({own.MQCACF_LEDGER_OWNER: "*"})
            assert row[own.MQCACF_LEDGER_OWNER] == "query"
            assert row[own.MQIACF_LEDGER_BATCH] == 2**40
            assert row[MQCACF_USER_IDENTIFIER] == "fred"
            assert MQCA_ALTERATION_DATE in row
            wanted = {
                own.MQCACF_LEDGER_OWNER: "query",
                own.MQIACF_LEDGER_ATTRS: [own.MQIACF_LEDGER_BATCHES],
            }
            (row,) = pcf.MQCMD_INQUIRE_LEDGER(wanted)
            assert row == {own.MQCACF_LEDGER_OWNER: "query", own.MQIACF_LEDGER_BATCHES: 1}
            pcf.MQCMD_DELETE_LEDGER({own.MQCACF_LEDGER_OWNER: "query"})
            with pytest.raises(ternmq.MQError):
                pcf.MQCMD_INQUIRE_LEDGER({own.MQCACF_LEDGER_OWNER: "query"})
