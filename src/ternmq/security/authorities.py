"""The authorities: one row each, with its word in setmqaut, in MQSC and in PCF, and the kinds of
objects that it can be given for.

An authority is a bit (the MQZAO_ values of MQ's authorization service), so that a set of them is a
number. Kinds of objects are MQOT_ numbers: all queues are one kind, all channels but client
connections are one. The three collective words stand for sets that depend on the kind; none of them
has `crt`, which belongs to the class of objects and is kept under the profile @class.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq

CONNECT: Final = 0x00000001
BROWSE: Final = 0x00000002
GET: Final = 0x00000004
PUT: Final = 0x00000008
INQ: Final = 0x00000010
SET: Final = 0x00000020
PASSID: Final = 0x00000040
PASSALL: Final = 0x00000080
SETID: Final = 0x00000100
SETALL: Final = 0x00000200
ALTUSR: Final = 0x00000400
PUB: Final = 0x00000800
SUB: Final = 0x00001000
RESUME: Final = 0x00002000
CRT: Final = 0x00010000
DLT: Final = 0x00020000
DSP: Final = 0x00040000
CHG: Final = 0x00080000
CLR: Final = 0x00100000
CTRL: Final = 0x00200000
CTRLX: Final = 0x00400000
SYSTEM: Final = 0x02000000

CLASS_PROFILE: Final = "@class"  # authority to make objects of a kind
SELF_PROFILE: Final = "self"  # the queue manager itself


@final
class Kind:
    """One kind of object that authority is given for."""

    __slots__ = ("bit", "mqot", "short", "space", "word")

    def __init__(self, bit: int, mqot: int, word: str, short: str, space: str) -> None:
        self.bit = bit  # in the rows of the authorities
        self.mqot = mqot
        self.word = word  # setmqaut -t; in capitals OBJTYPE in MQSC
        self.short = short  # its short form in setmqaut -t; "" if it has none
        self.space = space  # the space of names of its objects; "" if they are not objects

    @property
    def objtype(self) -> str:
        """OBJTYPE in MQSC."""
        return self.word.upper()


_QUEUE: Final = 1
_QMGR: Final = 2
_PROCESS: Final = 4
_NAMELIST: Final = 8
_TOPIC: Final = 16
_AUTHINFO: Final = 32
_CHANNEL: Final = 64
_CLNTCONN: Final = 128
_LISTENER: Final = 256
_SERVICE: Final = 512
_COMMINFO: Final = 1024
_RQMNAME: Final = 2048
_OBJECTS: Final = 2047  # all but the names of remote queue managers, which are not objects

KINDS: Final[tuple[Kind, ...]] = (
    Kind(_AUTHINFO, mq.MQOT_AUTH_INFO, "authinfo", "", "authinfo"),
    Kind(_CHANNEL, mq.MQOT_CHANNEL, "channel", "chl", "channel"),
    Kind(_CLNTCONN, mq.MQOT_CLNTCONN_CHANNEL, "clntconn", "clcn", "client channel"),
    Kind(_COMMINFO, mq.MQOT_COMM_INFO, "comminfo", "comm", "comminfo"),
    Kind(_LISTENER, mq.MQOT_LISTENER, "listener", "lstr", "listener"),
    Kind(_NAMELIST, mq.MQOT_NAMELIST, "namelist", "nl", "namelist"),
    Kind(_PROCESS, mq.MQOT_PROCESS, "process", "prcs", "process"),
    Kind(_QUEUE, mq.MQOT_Q, "queue", "q", "queue"),
    Kind(_QMGR, mq.MQOT_Q_MGR, "qmgr", "", "qmgr"),
    Kind(_RQMNAME, mq.MQOT_REMOTE_Q_MGR_NAME, "rqmname", "rqmn", ""),
    Kind(_SERVICE, mq.MQOT_SERVICE, "service", "srvc", "service"),
    Kind(_TOPIC, mq.MQOT_TOPIC, "topic", "top", "topic"),
)
KIND_BY_MQOT: Final[dict[int, Kind]] = {kind.mqot: kind for kind in KINDS}
KIND_BY_SPACE: Final[dict[str, Kind]] = {kind.space: kind for kind in KINDS if kind.space}
KIND_BY_WORD: Final[dict[str, Kind]] = {kind.word: kind for kind in KINDS} | {
    kind.short: kind for kind in KINDS if kind.short
}


@final
class Row:
    """One authority."""

    __slots__ = ("bit", "group", "kinds", "mqauth", "text", "word")

    def __init__(self, bit: int, word: str, mqauth: int, group: str, kinds: int, text: str) -> None:
        self.bit = bit
        self.word = word  # in setmqaut; in capitals in MQSC
        self.mqauth = mqauth  # in PCF
        self.group = group  # "mqi" and "adm" belong to allmqi and alladm; "" only to `all`, or none
        self.kinds = kinds
        self.text = text


# In the order in which dspmqaut and dmpmqaut list them.
ROWS: Final[tuple[Row, ...]] = (
    Row(GET, "get", mq.MQAUTH_INPUT, "mqi", _QUEUE, "get messages"),
    Row(BROWSE, "browse", mq.MQAUTH_BROWSE, "mqi", _QUEUE, "browse messages"),
    Row(PUT, "put", mq.MQAUTH_OUTPUT, "mqi", _QUEUE | _RQMNAME, "put messages"),
    Row(
        INQ,
        "inq",
        mq.MQAUTH_INQUIRE,
        "mqi",
        _QUEUE | _QMGR | _PROCESS | _NAMELIST | _AUTHINFO,
        "inquire attributes by MQINQ",
    ),
    Row(
        SET,
        "set",
        mq.MQAUTH_SET,
        "mqi",
        _QUEUE | _QMGR | _PROCESS | _AUTHINFO,
        "set attributes by MQSET",
    ),
    Row(CONNECT, "connect", mq.MQAUTH_CONNECT, "mqi", _QMGR, "connect"),
    Row(
        ALTUSR,
        "altusr",
        mq.MQAUTH_ALT_USER_AUTHORITY,
        "mqi",
        _QMGR,
        "open objects in another user's name",
    ),
    Row(CRT, "crt", mq.MQAUTH_CREATE, "", _OBJECTS, "define objects of this kind"),
    Row(DLT, "dlt", mq.MQAUTH_DELETE, "adm", _OBJECTS, "delete the object"),
    Row(CHG, "chg", mq.MQAUTH_CHANGE, "adm", _OBJECTS, "alter the object"),
    Row(DSP, "dsp", mq.MQAUTH_DISPLAY, "adm", _OBJECTS, "display the object"),
    Row(
        PASSID,
        "passid",
        mq.MQAUTH_PASS_IDENTITY_CONTEXT,
        "mqi",
        _QUEUE | _TOPIC | _RQMNAME,
        "pass identity context",
    ),
    Row(
        PASSALL,
        "passall",
        mq.MQAUTH_PASS_ALL_CONTEXT,
        "mqi",
        _QUEUE | _TOPIC | _RQMNAME,
        "pass all context",
    ),
    Row(
        SETID,
        "setid",
        mq.MQAUTH_SET_IDENTITY_CONTEXT,
        "mqi",
        _QUEUE | _QMGR | _TOPIC | _RQMNAME,
        "set identity context",
    ),
    Row(
        SETALL,
        "setall",
        mq.MQAUTH_SET_ALL_CONTEXT,
        "mqi",
        _QUEUE | _QMGR | _TOPIC | _RQMNAME,
        "set all context",
    ),
    Row(PUB, "pub", mq.MQAUTH_PUBLISH, "mqi", _TOPIC, "publish"),
    Row(SUB, "sub", mq.MQAUTH_SUBSCRIBE, "mqi", _TOPIC, "subscribe"),
    Row(RESUME, "resume", mq.MQAUTH_RESUME, "mqi", _TOPIC, "resume a subscription"),
    Row(CLR, "clr", mq.MQAUTH_CLEAR, "adm", _QUEUE | _TOPIC, "clear the object"),
    Row(
        CTRL,
        "ctrl",
        mq.MQAUTH_CONTROL,
        "adm",
        _CHANNEL | _LISTENER | _SERVICE | _TOPIC | _QMGR,
        "start, stop and ping",
    ),
    Row(
        CTRLX,
        "ctrlx",
        mq.MQAUTH_CONTROL_EXTENDED,
        "adm",
        _CHANNEL,
        "reset and resolve the channel",
    ),
    Row(SYSTEM, "system", mq.MQAUTH_SYSTEM, "", _QMGR, "connect for the queue manager's own work"),
)
BY_WORD: Final[dict[str, Row]] = {row.word: row for row in ROWS}
BY_MQAUTH: Final[dict[int, Row]] = {row.mqauth: row for row in ROWS}

COLLECTIVE: Final[dict[str, int]] = {
    "all": mq.MQAUTH_ALL,
    "alladm": mq.MQAUTH_ALL_ADMIN,
    "allmqi": mq.MQAUTH_ALL_MQI,
    "none": mq.MQAUTH_NONE,
}
_COLLECTIVE_WORDS: Final[dict[int, str]] = {number: word for word, number in COLLECTIVE.items()}


def applicable(kind: Kind) -> int:
    """Every authority that the kind has, `crt` too."""
    bits = 0
    for row in ROWS:
        if row.kinds & kind.bit:
            bits |= row.bit
    return bits


def collective(word: str, kind: Kind) -> int:
    """What all, alladm, allmqi or none stands for with this kind."""
    bits = 0
    for row in ROWS:
        if not row.kinds & kind.bit or row.bit == CRT:
            continue
        if word == "all" or (row.group and word == "all" + row.group):
            bits |= row.bit
    return bits


def bits_of(word: str, kind: Kind) -> int | None:
    """The authorities of a word of setmqaut or MQSC; None if the kind has no such authority."""
    word = word.lower()
    if word in COLLECTIVE:
        return collective(word, kind)
    row = BY_WORD.get(word)
    if row is None or not row.kinds & kind.bit:
        return None
    return row.bit


def word_of_number(number: int) -> str:
    """The word of an MQAUTH_ number; "" if it has none."""
    row = BY_MQAUTH.get(number)
    return _COLLECTIVE_WORDS.get(number, "") if row is None else row.word


def words(bits: int) -> list[str]:
    """The words of a set, as dspmqaut lists them."""
    return [row.word for row in ROWS if row.bit & bits]


def authlist(bits: int) -> str:
    """The words of a set as AUTHLIST in MQSC has them: by their numbers in PCF."""
    numbers = sorted(row.mqauth for row in ROWS if row.bit & bits)
    return ",".join(BY_MQAUTH[number].word.upper() for number in numbers) or "NONE"


def numbers(bits: int) -> list[int]:
    """The MQAUTH_ numbers of a set, for PCF."""
    return sorted(row.mqauth for row in ROWS if row.bit & bits) or [mq.MQAUTH_NONE]
