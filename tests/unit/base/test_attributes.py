"""Goal: the schema is whole and right in itself: every attribute takes its default, its bounds and
its words and refuses what lies beyond; keywords and selectors are unique in a type.

Method: walk over the table; each row makes its own cases.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ternmq.base import attributes as schema
from ternmq.base import constants, constants_all
from ternmq.base.attributes import ATTRIBUTES, BY_NAME, BY_SELECTOR, OF_TYPE, Attribute, Value
from ternmq.base.object_types import BY_BIT, BY_NOUN, CHANNELS, GROUP_BITS, OBJECT_TYPES, ObjectType

pytestmark = pytest.mark.core

ROWS = [(BY_BIT[bit].noun, row) for bit, rows in OF_TYPE.items() for row in rows]
every_row = pytest.mark.parametrize(
    "row", [row for _, row in ROWS], ids=[f"{noun}-{row.keyword}" for noun, row in ROWS]
)


def good_values(row: Attribute) -> list[tuple[object, Value]]:
    """What may be given, and how it is stored."""
    good: list[tuple[object, Value]] = [(row.default, row.default)]
    if row.kind == schema.NUMBER:
        good += [(row.lowest, row.lowest), (str(row.highest), row.highest)]
    if row.kind == schema.TEXT:
        good += [("x" * row.highest, "x" * row.highest), ("trailing  ", "trailing"), ("", "")]
    if row.kind == schema.NAME:
        good += [("A.b/c_%", "A.b/c_%"), ("N" * row.highest, "N" * row.highest), (" ", "")]
    if row.kind == schema.HEX:
        good += [("ab" * (row.highest // 2), "AB" * (row.highest // 2))]
    if row.kind == schema.LIST:
        good += [(["a", "b"], "a,b"), ("a, b ,", "a,b"), ("y" * row.highest, "y" * row.highest)]
    if row.kind == schema.WORDS:
        words = list(row.words)
        good += [(words[:2], ",".join(words[:2])), (",".join(words).lower(), ",".join(words))]
    elif row.words:
        good += [(word, number) for word, number in row.words.items()]
        good += [(word.lower(), number) for word, number in row.words.items()]
        good += [(number, number) for number in row.words.values()]
    return good


def bad_values(row: Attribute) -> list[object]:
    """What must be refused."""
    if row.kind == schema.NUMBER:
        below = row.lowest - 1
        while below in row.words.values():
            below -= 1
        return [below, str(below), row.highest + 1, "NO.SUCH.WORD", 1.5, None, b"1"]
    if row.kind in (schema.TEXT, schema.NAME):
        bad: list[object] = ["x" * (row.highest + 1), 5, None, b"x"]
        return [*bad, "a b", "ä"] if row.kind == schema.NAME else [*bad, "ü" * row.highest]
    if row.kind == schema.HEX:
        return ["G0", "0" * (row.highest + 1), 5]
    if row.kind == schema.LIST:
        return ["x" * (row.highest + 1), ["a"] * (row.items_max + 1), 5, None]
    if row.kind == schema.WORDS:
        return ["NO.SUCH.WORD", 5, None]
    return ["NO.SUCH.WORD", 999_999_998, -77, None, "5"]


@every_row
def test_attribute_when_its_value_is_good_then_it_is_stored(row: Attribute) -> None:
    for given, stored in good_values(row):
        assert row.checked(given) == stored, given
        shown = row.shown(stored)
        assert row.checked(shown) == stored, f"{shown} is not what was shown"


@every_row
def test_attribute_when_its_value_is_bad_then_the_error_names_it(row: Attribute) -> None:
    for given in bad_values(row):
        with pytest.raises(ValueError, match=row.keyword) as refused:
            row.checked(given)
        assert str(refused.value), given


@pytest.mark.parametrize("kind", OBJECT_TYPES, ids=[one.noun for one in OBJECT_TYPES])
def test_type_when_looked_up_then_names_keywords_and_selectors_are_unique(kind: ObjectType) -> None:
    bit = kind.bit
    rows = OF_TYPE[bit]
    assert rows
    for column in ("name", "keyword"):
        counted = Counter(getattr(row, column) for row in rows)
        assert max(counted.values()) == 1, counted.most_common(1)
    selectors = [row.selector for row in rows if row.selector]
    assert len(set(selectors)) == len(selectors)
    for row in rows:
        assert BY_NAME[bit][row.name] is BY_NAME[bit][row.keyword] is row
        if row.selector:
            assert BY_SELECTOR[bit][row.selector] is row
            assert vars(constants)[row.constant] == vars(constants_all)[row.constant]
        assert len(row.keyword) <= 8


def test_selectors_are_missing_only_where_ibm_mq_has_none() -> None:
    assert {row.keyword for row in ATTRIBUTES if not row.selector} == {
        "PBUFFER",
        "NPBUFFER",
        "RETAGE",
        "RETAIN",
        "RETSIZE",
        "STRMCHN",
    }


def test_kinds_of_selectors_fit_their_values() -> None:
    """Integers have MQIA and its like, texts MQCA, bytes MQBA; a list of words is one of
    integers."""
    for row in ATTRIBUTES:
        if row.constant:
            is_text = row.kind in (schema.TEXT, schema.NAME, schema.LIST)
            wanted = "MQBA" if row.kind == schema.HEX else "MQCA" if is_text else "MQIA"
            assert row.constant.startswith(wanted), row.keyword


def test_bare_words_when_given_without_a_value_then_they_are_the_value() -> None:
    local = BY_NOUN["QLOCAL"].bit
    given: dict[str, object] = {"NOSHARE": "", "TRIGGER": "", "harden_backout": 0}
    assert schema.checked_attributes(local, given) == {
        "shareable": 0,
        "trigger": 1,
        "harden_backout": 0,
    }
    alias = BY_NOUN["QALIAS"].bit
    assert schema.checked_attributes(alias, {"TARGQ": "A"}) == {"target": "A"}


def test_shown_only_attributes_are_neither_stored_nor_set() -> None:
    for bit, rows in OF_TYPE.items():
        stored = schema.defaults_of(bit)
        for row in rows:
            assert (row.name in stored) != row.shown_only
            if row.shown_only:
                with pytest.raises(ValueError, match="shown only"):
                    schema.checked_attributes(bit, {row.keyword: row.default})


def test_defaults_when_taken_then_a_copy() -> None:
    bit = BY_NOUN["QLOCAL"].bit
    schema.defaults_of(bit)["max_depth"] = 1
    assert schema.defaults_of(bit)["max_depth"] == 5000


def test_defaults_are_those_that_catalogs_on_disk_were_written_with() -> None:
    """The catalog keeps what differs from the defaults. A default that is changed here would change
    objects that exist: it needs a conversion in `store.catalog` first, then this file is written
    anew."""
    path = Path(__file__).parent / "defaults.json"
    known = json.loads(path.read_text(encoding="utf-8"))
    now = {BY_BIT[bit].noun: schema.defaults_of(bit) for bit in OF_TYPE}
    for noun, values in known.items():
        for name, value in values.items():
            assert now[noun].get(name) == value, f"{noun} {name}"


def test_groups_have_all_their_types() -> None:
    assert GROUP_BITS["CHANNEL"] == CHANNELS
    assert sum(GROUP_BITS.values()) == sum(one.bit for one in OBJECT_TYPES)
    assert {one.name_bytes_max for one in OBJECT_TYPES if one.group == "CHANNEL"} == {20}


# As DISPLAY ... ALL of IBM MQ 9.4.2 on Linux shows them.
ORDERS = {
    "QMGR": """
        ACCTCONO ACCTINT ACCTMQI ACCTQ ACTIVREC ACTVCONO ACTVTRC ADVCAP ALTDATE ALTTIME AMQPCAP
        AUTHOREV CCSID CERTLABL CERTVPOL CHAD CHADEV CHADEXIT CHLEV CHLAUTH CLWLDATA CLWLEXIT
        CLWLLEN CLWLMRUC CLWLUSEQ CMDEV CMDLEVEL COMMANDQ CONFIGEV CONNAUTH CRDATE CRTIME CUSTOM
        DEADQ DEFCLXQ DEFXMITQ DESCR DISTL IMGINTVL IMGLOGLN IMGRCOVO IMGRCOVQ IMGSCHED INHIBTEV
        INITKEY IPADDRV LOCALEV LOGGEREV MARKINT MAXHANDS MAXMSGL MAXPROPL MAXPRTY MAXUMSGS
        MONACLS MONCHL MONQ PARENT PERFMEV PLATFORM PSMODE PSCLUS PSNPMSG PSNPRES PSRTYCNT
        PSSYNCPT QMID REMOTEEV REPOS REPOSNL REVDNS ROUTEREC SCHINIT SCMDSERV SPLCAP SSLCRLNL
        SSLCRYP SSLEV SSLFIPS KEYRPWD SSLKEYR SSLRKEYC STATACLS STATCHL STATINT STATMQI STATQ
        STRSTPEV SUITEB SYNCPT TREELIFE TRIGINT VERSION XRCAP
    """,
    "QLOCAL": """
        ACCTQ ALTDATE ALTTIME BOQNAME BOTHRESH CAPEXPRY CLUSNL CLUSTER CLCHNAME CLWLPRTY CLWLRANK
        CLWLUSEQ CRDATE CRTIME CURDEPTH CUSTOM DEFBIND DEFPRTY DEFPSIST DEFPRESP DEFREADA DEFSOPT
        DEFTYPE DESCR DISTL GET HARDENBO IMGRCOVQ INITQ IPPROCS MAXDEPTH MAXFSIZE MAXMSGL MONQ
        MSGDLVSQ TRIGGER NPMCLASS OPPROCS PROCESS PUT PROPCTL QDEPTHHI QDEPTHLO QDPHIEV QDPLOEV
        QDPMAXEV QSVCIEV QSVCINT RETINTVL SCOPE SHARE STATQ STREAMQ STRMQOS TRIGDATA TRIGDPTH
        TRIGMPRI TRIGTYPE USAGE
    """,
    "SDR": """
        ALTDATE ALTTIME BATCHHB BATCHINT BATCHLIM BATCHSZ CERTLABL COMPHDR COMPMSG CONNAME
        CONVERT DESCR DISCINT HBINT KAINT LOCLADDR LONGRTY LONGTMR MAXMSGL MCANAME MCATYPE
        MCAUSER MODENAME MONCHL MSGDATA MSGEXIT NPMSPEED PASSWORD PROPCTL RCVDATA RCVEXIT
        RESETSEQ SCYDATA SCYEXIT SENDDATA SENDEXIT SEQWRAP SHORTRTY SHORTTMR SSLCIPH SSLPEER
        STATCHL TPNAME TRPTYPE USEDLQ USERID XMITQ
    """,
    "CLUSRCVR": """
        ALTDATE ALTTIME BATCHHB BATCHINT BATCHLIM BATCHSZ CERTLABL CLUSNL CLUSTER CLWLPRTY
        CLWLRANK CLWLWGHT COMPHDR COMPMSG CONNAME CONVERT DESCR DISCINT HBINT KAINT LOCLADDR
        LONGRTY LONGTMR MAXMSGL MCANAME MCATYPE MCAUSER MODENAME MONCHL MRDATA MREXIT MRRTY
        MRTMR MSGDATA MSGEXIT NETPRTY NPMSPEED PROPCTL PUTAUT RCVDATA RCVEXIT RESETSEQ SCYDATA
        SCYEXIT SENDDATA SENDEXIT SEQWRAP SHORTRTY SHORTTMR SSLCAUTH SSLCIPH SSLPEER STATCHL
        TPNAME TRPTYPE USEDLQ
    """,
    "SVRCONN": """
        ALTDATE ALTTIME CERTLABL COMPHDR COMPMSG DESCR DISCINT HBINT KAINT MAXINST MAXINSTC
        MAXMSGL MCAUSER MONCHL RCVDATA RCVEXIT SCYDATA SCYEXIT SENDDATA SENDEXIT SHARECNV
        SSLCAUTH SSLCIPH SSLPEER TRPTYPE
    """,
    "CLNTCONN": """
        AFFINITY ALTDATE ALTTIME CERTLABL CLNTWGHT COMPHDR COMPMSG CONNAME DEFRECON DESCR HBINT
        KAINT LOCLADDR MAXMSGL MODENAME PASSWORD QMNAME RCVDATA RCVEXIT SCYDATA SCYEXIT SENDDATA
        SENDEXIT SHARECNV SSLCIPH SSLPEER TPNAME TRPTYPE USERID
    """,
    "AMQP": """
        ALTDATE ALTTIME CERTLABL DESCR AMQPKA LOCLADDR MAXINST MAXMSGL MCAUSER PORT SSLCAUTH
        SSLCIPH SSLPEER TPROOT TMPMODEL TMPQPRFX USECLTID
    """,
    "LISTENER": """
        CONTROL TRPTYPE PORT IPADDR BACKLOG DESCR ALTDATE ALTTIME
    """,
}
# IBM's are on z/OS only
OURS = {"EXPRYINT", "OTELPCTL", "OTELTRAC", "PBUFFER", "NPBUFFER", "STRMCHN"} | {
    "RETAGE",
    "RETAIN",
    "RETSIZE",
}


@pytest.mark.parametrize("noun", ORDERS)
def test_order_is_that_of_ibm_mq(noun: str) -> None:
    keywords = [row.keyword for row in OF_TYPE[BY_NOUN[noun].bit]]
    assert [one for one in keywords if one not in OURS] == ORDERS[noun].split()
