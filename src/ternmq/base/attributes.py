"""The attribute schema: one table for every attribute of every object type that the queue manager
has so far.

It drives define and alter (validation, defaults), MQINQ and MQSET (selectors), and the reference
pages. A row: Python name, MQSC keyword, selector, default, lowest and highest value (or greatest
length), the words that stand for integers, the object types that have it, whether MQSET may change
it, and whether it has a function yet: an attribute without one is stored, checked and shown, and
listed as inert.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.limits import (
    BACKOUT_THRESHOLD_MAX,
    HANDLES_DEFAULT,
    HANDLES_MAX,
    HANDLES_MIN,
    MESSAGE_BYTES_DEFAULT,
    MESSAGE_BYTES_MAX,
    OBJECT_NAME_BYTES_MAX,
    PRIORITY_MAX,
    PRIORITY_MIN,
    QUEUE_DEPTH_MESSAGES_DEFAULT,
    QUEUE_DEPTH_MESSAGES_MAX,
    TRIGGER_DEPTH_MESSAGES_MAX,
    TRIGGER_DEPTH_MESSAGES_MIN,
    UNCOMMITTED_MESSAGES_DEFAULT,
    UNCOMMITTED_MESSAGES_MAX,
    UNCOMMITTED_MESSAGES_MIN,
)

LOCAL: Final = 1
MODEL: Final = 2
ALIAS: Final = 4
QMGR: Final = 8

TYPE_NAMES: Final = {
    LOCAL: "local queue",
    MODEL: "model queue",
    ALIAS: "alias queue",
    QMGR: "queue manager",
}
Value = int | str


@final
class Attribute:
    """One row of the schema."""

    __slots__ = (
        "default",
        "highest",
        "inert",
        "keyword",
        "lowest",
        "name",
        "selector",
        "set_by_mqset",
        "text",
        "types",
        "words",
    )

    def __init__(
        self,
        name: str,
        keyword: str,
        selector: int,
        types: int,
        default: Value,
        lowest: int,
        highest: int,
        words: dict[str, int] | None = None,
        set_by_mqset: bool = False,
        inert: bool = False,
    ) -> None:
        self.name = name
        self.keyword = keyword
        self.selector = selector
        self.types = types
        self.default: Value = default
        self.lowest = lowest
        self.highest = highest
        self.words: dict[str, int] = {} if words is None else words
        self.set_by_mqset = set_by_mqset
        self.inert = inert
        self.text = isinstance(default, str)

    def checked(self, value: object) -> Value:
        """The value as it is stored; ValueError says what is wrong with it."""
        if self.text:
            if not isinstance(value, str):
                raise ValueError(f"{self.keyword} takes text, not {value!r}")
            if len(value.encode("utf-8")) > self.highest:
                raise ValueError(f"{self.keyword} takes at most {self.highest} bytes")
            return value.rstrip(" ")
        if isinstance(value, str):
            word = value.strip().upper()
            if word not in self.words:
                raise ValueError(f"{self.keyword} does not know {value!r}{self._choices()}")
            return self.words[word]
        if not isinstance(value, int):
            raise ValueError(f"{self.keyword} takes a whole number, not {value!r}")
        number = int(value)
        if number in self.words.values():
            return number
        if self.words and self.highest <= self.lowest:
            raise ValueError(f"{self.keyword} does not know {number}{self._choices()}")
        if number < self.lowest or number > self.highest:
            raise ValueError(f"{self.keyword} is {self.lowest} to {self.highest}, not {number}")
        return number

    def _choices(self) -> str:
        return f"; it is one of {', '.join(self.words)}" if self.words else ""

    def shown(self, value: Value) -> str:
        """The value as MQSC prints it."""
        if isinstance(value, int):
            for word, number in self.words.items():
                if number == value:
                    return word
        return str(value)


_L: Final = LOCAL
_LM: Final = LOCAL | MODEL
_LMA: Final = LOCAL | MODEL | ALIAS
_ENABLED: Final = {"ENABLED": 0, "DISABLED": 1}
_YES: Final = {"NO": 0, "YES": 1}
_LIMIT: Final = 999_999_999

ATTRIBUTES: Final[tuple[Attribute, ...]] = (
    Attribute("description", "DESCR", mq.MQCA_Q_DESC, _LMA, "", 0, 64),
    Attribute("put", "PUT", mq.MQIA_INHIBIT_PUT, _LMA, 0, 0, 0, _ENABLED, set_by_mqset=True),
    Attribute("get", "GET", mq.MQIA_INHIBIT_GET, _LMA, 0, 0, 0, _ENABLED, set_by_mqset=True),
    Attribute(
        "default_priority", "DEFPRTY", mq.MQIA_DEF_PRIORITY, _LMA, 0, PRIORITY_MIN, PRIORITY_MAX
    ),
    Attribute("default_persistence", "DEFPSIST", mq.MQIA_DEF_PERSISTENCE, _LMA, 0, 0, 0, _YES),
    Attribute(
        "max_depth",
        "MAXDEPTH",
        mq.MQIA_MAX_Q_DEPTH,
        _LM,
        QUEUE_DEPTH_MESSAGES_DEFAULT,
        0,
        QUEUE_DEPTH_MESSAGES_MAX,
    ),
    Attribute(
        "max_message_length",
        "MAXMSGL",
        mq.MQIA_MAX_MSG_LENGTH,
        _LM,
        MESSAGE_BYTES_DEFAULT,
        0,
        MESSAGE_BYTES_MAX,
    ),
    Attribute(
        "delivery",
        "MSGDLVSQ",
        mq.MQIA_MSG_DELIVERY_SEQUENCE,
        _LM,
        mq.MQMDS_PRIORITY,
        0,
        0,
        {"PRIORITY": mq.MQMDS_PRIORITY, "FIFO": mq.MQMDS_FIFO},
    ),
    Attribute(
        "shareable",
        "SHARE",
        mq.MQIA_SHAREABILITY,
        _LM,
        mq.MQQA_SHAREABLE,
        0,
        0,
        {"SHARE": mq.MQQA_SHAREABLE, "NOSHARE": mq.MQQA_NOT_SHAREABLE},
    ),
    Attribute(
        "default_input_open",
        "DEFSOPT",
        mq.MQIA_DEF_INPUT_OPEN_OPTION,
        _LM,
        mq.MQOO_INPUT_SHARED,
        0,
        0,
        {"SHARED": mq.MQOO_INPUT_SHARED, "EXCL": mq.MQOO_INPUT_EXCLUSIVE},
    ),
    Attribute(
        "harden_backout",
        "HARDENBO",
        mq.MQIA_HARDEN_GET_BACKOUT,
        _LM,
        mq.MQQA_BACKOUT_HARDENED,
        0,
        0,
        {"HARDENBO": mq.MQQA_BACKOUT_HARDENED, "NOHARDENBO": mq.MQQA_BACKOUT_NOT_HARDENED},
    ),
    Attribute(
        "backout_threshold", "BOTHRESH", mq.MQIA_BACKOUT_THRESHOLD, _LM, 0, 0, BACKOUT_THRESHOLD_MAX
    ),
    Attribute(
        "backout_queue", "BOQNAME", mq.MQCA_BACKOUT_REQ_Q_NAME, _LM, "", 0, OBJECT_NAME_BYTES_MAX
    ),
    Attribute(
        "nonpersistent_class",
        "NPMCLASS",
        mq.MQIA_NPM_CLASS,
        _LM,
        mq.MQNPM_CLASS_NORMAL,
        0,
        0,
        {"NORMAL": mq.MQNPM_CLASS_NORMAL, "HIGH": mq.MQNPM_CLASS_HIGH},
    ),
    Attribute(
        "max_file_megabytes",
        "MAXFSIZE",
        mq.MQIA_MAX_Q_FILE_SIZE,
        _LM,
        mq.MQQFS_DEFAULT,
        20,
        267_386_880,
        {"DEFAULT": mq.MQQFS_DEFAULT},
    ),
    Attribute("usage", "USAGE", mq.MQIA_USAGE, _LM, 0, 0, 0, {"NORMAL": 0, "XMITQ": 1}, inert=True),
    Attribute(
        "definition_type",
        "DEFTYPE",
        mq.MQIA_DEFINITION_TYPE,
        MODEL,
        mq.MQQDT_TEMPORARY_DYNAMIC,
        0,
        0,
        {"PERMDYN": mq.MQQDT_PERMANENT_DYNAMIC, "TEMPDYN": mq.MQQDT_TEMPORARY_DYNAMIC},
    ),
    Attribute("target", "TARGET", mq.MQCA_BASE_OBJECT_NAME, ALIAS, "", 0, OBJECT_NAME_BYTES_MAX),
    Attribute(
        "trigger",
        "TRIGGER",
        mq.MQIA_TRIGGER_CONTROL,
        _LM,
        0,
        0,
        0,
        {"NOTRIGGER": 0, "TRIGGER": 1},
        set_by_mqset=True,
        inert=True,
    ),
    Attribute(
        "trigger_type",
        "TRIGTYPE",
        mq.MQIA_TRIGGER_TYPE,
        _LM,
        mq.MQTT_FIRST,
        0,
        0,
        {"NONE": 0, "FIRST": 1, "EVERY": 2, "DEPTH": 3},
        set_by_mqset=True,
        inert=True,
    ),
    Attribute(
        "trigger_depth",
        "TRIGDPTH",
        mq.MQIA_TRIGGER_DEPTH,
        _LM,
        1,
        TRIGGER_DEPTH_MESSAGES_MIN,
        TRIGGER_DEPTH_MESSAGES_MAX,
        set_by_mqset=True,
        inert=True,
    ),
    Attribute(
        "trigger_priority",
        "TRIGMPRI",
        mq.MQIA_TRIGGER_MSG_PRIORITY,
        _LM,
        0,
        0,
        9,
        set_by_mqset=True,
        inert=True,
    ),
    Attribute(
        "trigger_data",
        "TRIGDATA",
        mq.MQCA_TRIGGER_DATA,
        _LM,
        "",
        0,
        64,
        set_by_mqset=True,
        inert=True,
    ),
    Attribute(
        "initiation_queue",
        "INITQ",
        mq.MQCA_INITIATION_Q_NAME,
        _LM,
        "",
        0,
        OBJECT_NAME_BYTES_MAX,
        inert=True,
    ),
    Attribute(
        "process", "PROCESS", mq.MQCA_PROCESS_NAME, _LM, "", 0, OBJECT_NAME_BYTES_MAX, inert=True
    ),
    Attribute(
        "distribution_lists",
        "DISTL",
        mq.MQIA_DIST_LISTS,
        _LM,
        0,
        0,
        0,
        _YES,
        set_by_mqset=True,
        inert=True,
    ),
    Attribute("depth_high", "QDEPTHHI", mq.MQIA_Q_DEPTH_HIGH_LIMIT, _LM, 80, 0, 100, inert=True),
    Attribute("depth_low", "QDEPTHLO", mq.MQIA_Q_DEPTH_LOW_LIMIT, _LM, 20, 0, 100, inert=True),
    Attribute(
        "service_interval",
        "QSVCINT",
        mq.MQIA_Q_SERVICE_INTERVAL,
        _LM,
        _LIMIT,
        0,
        _LIMIT,
        inert=True,
    ),
    Attribute("retention_hours", "RETINTVL", mq.MQIA_RETENTION_INTERVAL, _LM, _LIMIT, 0, _LIMIT),
    Attribute(
        "image_recover",
        "IMGRCOVQ",
        mq.MQIA_MEDIA_IMAGE_RECOVER_Q,
        _LM,
        mq.MQIMGRCOV_AS_Q_MGR,
        0,
        0,
        {
            "YES": mq.MQIMGRCOV_YES,
            "NO": mq.MQIMGRCOV_NO,
            "QMGR": mq.MQIMGRCOV_AS_Q_MGR,
        },
    ),
    # ours: the two buffers of a queue, which IBM's product keeps in the queue file (what qtune
    # sets)
    Attribute("persistent_buffer", "PBUFFER", 0, _LM, 1 << 20, 1 << 16, 1 << 40),
    Attribute("nonpersistent_buffer", "NPBUFFER", 0, _LM, 1 << 20, 1 << 16, 1 << 40),
    # the queue manager
    Attribute("description", "DESCR", mq.MQCA_Q_MGR_DESC, QMGR, "", 0, 64),
    Attribute(
        "dead_letter_queue",
        "DEADQ",
        mq.MQCA_DEAD_LETTER_Q_NAME,
        QMGR,
        "",
        0,
        OBJECT_NAME_BYTES_MAX,
        inert=True,
    ),
    Attribute("ccsid", "CCSID", mq.MQIA_CODED_CHAR_SET_ID, QMGR, 1208, 1, 65535),
    Attribute(
        "max_handles",
        "MAXHANDS",
        mq.MQIA_MAX_HANDLES,
        QMGR,
        HANDLES_DEFAULT,
        HANDLES_MIN,
        HANDLES_MAX,
    ),
    Attribute(
        "max_message_length",
        "MAXMSGL",
        mq.MQIA_MAX_MSG_LENGTH,
        QMGR,
        MESSAGE_BYTES_DEFAULT,
        32_768,
        MESSAGE_BYTES_MAX,
    ),
    Attribute(
        "max_uncommitted",
        "MAXUMSGS",
        mq.MQIA_MAX_UNCOMMITTED_MSGS,
        QMGR,
        UNCOMMITTED_MESSAGES_DEFAULT,
        UNCOMMITTED_MESSAGES_MIN,
        UNCOMMITTED_MESSAGES_MAX,
    ),
    Attribute(
        "mark_interval_ms",
        "MARKINT",
        mq.MQIA_MSG_MARK_BROWSE_INTERVAL,
        QMGR,
        5000,
        0,
        _LIMIT,
        {"NOLIMIT": -1},
    ),
    Attribute(
        "expiry_interval_s",
        "EXPRYINT",
        mq.MQIA_EXPIRY_INTERVAL,
        QMGR,
        300,
        1,
        99_999_999,
        {"OFF": 0},
    ),
    Attribute(
        "image_schedule",
        "IMGSCHED",
        mq.MQIA_MEDIA_IMAGE_SCHEDULING,
        QMGR,
        mq.MQMEDIMGSCHED_MANUAL,
        0,
        0,
        {"MANUAL": mq.MQMEDIMGSCHED_MANUAL, "AUTO": mq.MQMEDIMGSCHED_AUTO},
    ),
    Attribute(
        "image_interval_minutes",
        "IMGINTVL",
        mq.MQIA_MEDIA_IMAGE_INTERVAL,
        QMGR,
        60,
        1,
        _LIMIT,
        {"OFF": mq.MQMEDIMGINTVL_OFF},
    ),
    Attribute(
        "image_log_megabytes",
        "IMGLOGLN",
        mq.MQIA_MEDIA_IMAGE_LOG_LENGTH,
        QMGR,
        mq.MQMEDIMGLOGLN_OFF,
        1,
        _LIMIT,
        {"OFF": mq.MQMEDIMGLOGLN_OFF},
    ),
    Attribute(
        "image_recover_objects",
        "IMGRCOVO",
        mq.MQIA_MEDIA_IMAGE_RECOVER_OBJ,
        QMGR,
        mq.MQIMGRCOV_YES,
        0,
        0,
        _YES,
    ),
    Attribute(
        "image_recover_queues",
        "IMGRCOVQ",
        mq.MQIA_MEDIA_IMAGE_RECOVER_Q,
        QMGR,
        mq.MQIMGRCOV_YES,
        0,
        0,
        _YES,
    ),
)


def attributes_of(object_type: int) -> list[Attribute]:
    """The rows of one object type, in the order of the table."""
    return [row for row in ATTRIBUTES if row.types & object_type]


def _by(object_type: int) -> dict[str, Attribute]:
    rows: dict[str, Attribute] = {}
    for row in attributes_of(object_type):
        rows[row.name] = row
        rows[row.keyword] = row
    return rows


BY_NAME: Final[dict[int, dict[str, Attribute]]] = {
    kind: _by(kind) for kind in (LOCAL, MODEL, ALIAS, QMGR)
}


def defaults_of(object_type: int) -> dict[str, Value]:
    """Every attribute of a type with its default."""
    return {row.name: row.default for row in attributes_of(object_type)}


def checked_attributes(object_type: int, given: dict[str, object]) -> dict[str, Value]:
    """Given values under their Python names, each checked; ValueError names the attribute."""
    rows = BY_NAME[object_type]
    result: dict[str, Value] = {}
    for name, value in given.items():
        row = rows.get(name) or rows.get(name.upper())
        if row is None:
            known = ", ".join(sorted({one.name for one in rows.values()}))
            raise ValueError(
                f"a {TYPE_NAMES[object_type]} has no attribute {name!r}; it has {known}"
            )
        result[row.name] = row.checked(value)
    return result
