"""Goal: the table of authorities is whole: every number of PCF has its word, every kind its set.

Method: the table against the constants of MQ, and the words of each kind against what MQ documents.
"""

import pytest

from ternmq.base import constants as mq
from ternmq.security import authorities as auth
from ternmq.security.authorities import KIND_BY_WORD, KINDS, ROWS, bits_of, words

pytestmark = pytest.mark.core


def test_every_authority_of_pcf_has_one_row() -> None:
    numbers = {
        value
        for name, value in vars(mq).items()
        if name.startswith("MQAUTH_") and isinstance(value, int) and value > 0
    }
    assert {row.mqauth for row in ROWS} == numbers
    assert len({row.bit for row in ROWS}) == len(ROWS) == len({row.word for row in ROWS})
    for row in ROWS:
        assert row.bit & (row.bit - 1) == 0
        assert row.kinds, row.word
        assert row.text, row.word


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("queue", "get browse put inq set dlt chg dsp passid passall setid setall clr"),
        ("qmgr", "inq set connect altusr dlt chg dsp setid setall ctrl system"),
        ("process", "inq set dlt chg dsp"),
        ("namelist", "inq dlt chg dsp"),
        ("topic", "dlt chg dsp passid passall setid setall pub sub resume clr ctrl"),
        ("channel", "dlt chg dsp ctrl ctrlx"),
        ("clntconn", "dlt chg dsp"),
        ("listener", "dlt chg dsp ctrl"),
        ("service", "dlt chg dsp ctrl"),
        ("authinfo", "inq set dlt chg dsp"),
        ("comminfo", "dlt chg dsp"),
        ("rqmname", "put passid passall setid setall"),
    ],
)
def test_all_gives_what_the_kind_has_but_not_crt(kind: str, expected: str) -> None:
    row = KIND_BY_WORD[kind]
    given = bits_of("all", row)
    assert given is not None
    assert " ".join(words(given)) == expected
    can_create = bits_of("crt", row)
    assert (can_create is None) == (kind == "rqmname")
    assert auth.applicable(row) == given | (can_create or 0)


def test_all_is_alladm_allmqi_and_system() -> None:
    for kind in KINDS:
        system = bits_of("system", kind) or 0
        parts = auth.collective("alladm", kind) | auth.collective("allmqi", kind) | system
        assert auth.collective("all", kind) == parts, kind.word
        assert auth.collective("none", kind) == 0


def test_an_authority_that_a_kind_does_not_have_is_none() -> None:
    assert bits_of("connect", KIND_BY_WORD["q"]) is None
    assert bits_of("frobnicate", KIND_BY_WORD["q"]) is None
    assert bits_of("PUT", KIND_BY_WORD["queue"]) == auth.PUT


def test_lists_are_ordered_as_mq_orders_them() -> None:
    bits = auth.SETID | auth.GET | auth.BROWSE | auth.PUT | auth.PASSALL | auth.CHG
    assert auth.authlist(bits) == "BROWSE,CHG,GET,PUT,PASSALL,SETID"
    assert words(bits) == ["get", "browse", "put", "chg", "passall", "setid"]
    assert auth.authlist(0) == "NONE"
    assert auth.numbers(bits) == [2, 3, 9, 11, 12, 16]
    assert auth.numbers(0) == [mq.MQAUTH_NONE]


def test_numbers_and_words_lead_back() -> None:
    for row in ROWS:
        assert auth.word_of_number(row.mqauth) == row.word
    assert auth.word_of_number(mq.MQAUTH_ALL_MQI) == "allmqi"
    assert auth.word_of_number(4711) == ""
