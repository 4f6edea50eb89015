"""Goal: every verb option and every command is allowed with what it needs, and refused without.

Method: two generated matrices. What each cell needs stands in tables here, written from what MQ
documents and not read from the code under test. For each option or command, on each type of object:

    nothing is granted                              refused
    exactly what is needed                          allowed
    everything but one of the needed authorities    refused, once for each of them
    one authority that is not needed, alone         refused, once for each that the kind has

and all of that twice: granted to the user for the very name, and to a group for a generic profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

import ternmq
from ternmq import NotAuthorized
from ternmq.admin.command_table import COMMANDS, CommandRow
from ternmq.api.connection import Connection
from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.authority_records import put_record
from ternmq.security.authorities import BY_WORD, KIND_BY_WORD, ROWS
from ternmq.security.records import Record
from ternmq.values.command import Command
from tests.mqi import mqi
from tests.security.granting import USERS

pytestmark = pytest.mark.core

Property = Callable[[str, object], None]
Needs = tuple[tuple[str, str, str], ...]  # kind, profile, authority


class Grants:
    """What the user has, changed from cell to cell."""

    def __init__(self, qm: ternmq.QueueManager) -> None:
        self.kernel = qm.started.shell.engine.kernel
        self.cells = 0
        self.wrong: list[str] = []
        self._given: list[tuple[str, str]] = []

    def give(self, wanted: dict[tuple[str, str], set[str]], by_group: bool) -> None:
        """Exactly this; by a group, generic profiles stand for names."""
        for kind, profile in self._given:
            self._put(kind, profile, set(), by_group=False)
            self._put(kind, generic(kind, profile), set(), by_group=True)
        self._given = list(wanted)
        for (kind, profile), words in wanted.items():
            self._put(kind, generic(kind, profile) if by_group else profile, words, by_group)

    def _put(self, kind: str, profile: str, words: set[str], by_group: bool) -> None:
        bits = sum(BY_WORD[word].bit for word in words)
        row = KIND_BY_WORD[kind]
        put_record(
            self.kernel, Record(row, profile, "orders" if by_group else "fred", by_group, bits)
        )

    def cell(self, name: str, allowed: bool, expected: bool) -> None:
        self.cells += 1
        if allowed != expected:
            self.wrong.append(f"{name}: {'allowed' if allowed else 'refused'}")


def generic(kind: str, profile: str) -> str:
    """A generic profile that stands for a name; what is no name stays."""
    if kind == "qmgr" or profile == "@class":
        return profile
    return f"{profile[:2]}*.**" if "." in profile else f"{profile[:2]}*"


def words_of(kind: str) -> list[str]:
    bit = KIND_BY_WORD[kind].bit
    return [row.word for row in ROWS if row.kinds & bit]


class Cell(NamedTuple):
    """One combination of grants."""

    name: str
    grants: dict[tuple[str, str], set[str]]
    by_group: bool
    expected: bool


def cells(subject: str, needs: Needs) -> Iterator[Cell]:
    """Every cell of one option or command."""
    places = sorted({(kind, profile) for kind, profile, _ in needs} | {("qmgr", "self")})
    exact = {
        place: {word for kind, name, word in needs if (kind, name) == place} for place in places
    }
    everything = {place: set(words_of(place[0])) for place in places}
    for by_group in (False, True):
        how = "group" if by_group else "user"
        nothing: dict[tuple[str, str], set[str]] = {place: set() for place in places}
        yield Cell(f"{subject} by {how}: nothing", nothing, by_group, not needs)
        yield Cell(f"{subject} by {how}: exact", exact, by_group, True)
        for kind, profile, word in needs:
            less = {place: set(words) for place, words in everything.items()}
            less[kind, profile].discard(word)
            yield Cell(f"{subject} by {how}: all but {word} on {kind}", less, by_group, False)
        for place in places:
            for word in sorted(everything[place] - exact[place]):
                alone = {one: set[str]() for one in places}
                alone[place] = {word}
                name = f"{subject} by {how}: only {word} on {place[0]}"
                yield Cell(name, alone, by_group, not needs)


@pytest.fixture
def qm() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1", security=USERS) as manager:
        yield manager


def connect(qm: ternmq.QueueManager) -> Connection:
    """A connection that stays whatever is granted later."""
    grants = Grants(qm)
    grants.give({("qmgr", "self"): {"connect"}}, False)
    fred = qm.connect(user="fred")
    grants.give({}, False)
    return fred


# ---- verbs

ON_OBJECT = {
    mq.MQOO_INPUT_AS_Q_DEF: "get",
    mq.MQOO_INPUT_SHARED: "get",
    mq.MQOO_INPUT_EXCLUSIVE: "get",
    mq.MQOO_BROWSE: "browse",
    mq.MQOO_OUTPUT: "put",
    mq.MQOO_INQUIRE: "inq",
    mq.MQOO_SET: "set",
    mq.MQOO_OUTPUT | mq.MQOO_PASS_IDENTITY_CONTEXT: "put passid",
    mq.MQOO_OUTPUT | mq.MQOO_PASS_ALL_CONTEXT: "put passall",
    mq.MQOO_OUTPUT | mq.MQOO_SET_IDENTITY_CONTEXT: "put setid",
    mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT: "put setall",
    mq.MQOO_INPUT_SHARED | mq.MQOO_SAVE_ALL_CONTEXT: "get",
    mq.MQOO_BROWSE | mq.MQOO_CO_OP: "browse",
    mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING: "put",
    mq.MQOO_OUTPUT | mq.MQOO_BIND_ON_OPEN: "put",
    mq.MQOO_OUTPUT | mq.MQOO_BIND_NOT_FIXED: "put",
    mq.MQOO_OUTPUT | mq.MQOO_BIND_ON_GROUP: "put",
    mq.MQOO_OUTPUT | mq.MQOO_RESOLVE_LOCAL_Q: "put",
    mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD: "get",
    mq.MQOO_INPUT_SHARED | mq.MQOO_NO_READ_AHEAD: "get",
    mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE | mq.MQOO_SET: (
        "get put browse inq set"
    ),
}
ON_QMGR = {mq.MQOO_SET_IDENTITY_CONTEXT: "setid", mq.MQOO_SET_ALL_CONTEXT: "setall"}
OUTPUT_ONLY = ["put", "passid", "passall", "setid", "setall"]


class Target(NamedTuple):
    """A type of object to open."""

    title: str
    kind: str
    name: str
    mqot: int = mq.MQOT_Q
    qmgr_name: str = ""
    also: str = ""  # needed whatever is asked
    words: str = ""  # only options that need nothing but these are tried
    profile: str = ""  # whose authority counts, if it is not the name


TARGETS = (
    Target("local queue", "queue", "LO.CAL"),
    Target("alias queue", "queue", "AL.IAS"),
    Target("model queue", "queue", "MO.DEL", also="dsp"),
    Target("permanent dynamic queue", "queue", "DY.NAMIC"),
    Target("remote queue", "queue", "RE.MOTE", words="put passid passall setid setall inq set"),
    Target("transmission queue", "queue", "XM.ITQ"),
    Target("queue manager", "qmgr", "", mq.MQOT_Q_MGR, words="inq", profile="self"),
    Target("process", "process", "PR.OCESS", mq.MQOT_PROCESS, words="inq"),
    Target("namelist", "namelist", "NA.MELIST", mq.MQOT_NAMELIST, words="inq"),
    Target(
        "queue elsewhere",
        "rqmname",
        "Q",
        mq.MQOT_Q,
        "QM.TWO",
        words=" ".join(OUTPUT_ONLY),
        profile="QM.TWO",
    ),
    Target("local queue, queue manager named", "queue", "LO.CAL", mq.MQOT_Q, "QM1"),
    Target("local queue, queue manager alias", "queue", "LO.CAL", mq.MQOT_Q, "QM.SELF"),
)


def define_targets(qm: ternmq.QueueManager) -> None:
    for text in (
        "DEFINE QLOCAL(LO.CAL)",
        "DEFINE QALIAS(AL.IAS) TARGET(LO.CAL)",
        "DEFINE QMODEL(MO.DEL) DEFTYPE(TEMPDYN)",
        "DEFINE QMODEL(PERMANENT) DEFTYPE(PERMDYN)",
        "DEFINE QLOCAL(XM.ITQ) USAGE(XMITQ)",
        "DEFINE QREMOTE(RE.MOTE) RNAME(Q) RQMNAME(QM.TWO) XMITQ(XM.ITQ)",
        "DEFINE QALIAS(QM.TWO) TARGET(LO.CAL)",
        "DEFINE QREMOTE(QM.SELF) RNAME(' ') RQMNAME(QM1)",
        "DEFINE PROCESS(PR.OCESS)",
        "DEFINE NAMELIST(NA.MELIST)",
    ):
        assert all(answer.ok for answer in qm.mqsc(text)), text
    qm.queue("PERMANENT", dynamic_name="DY.NAMIC").close()


def needs_to_open(target: Target, options: int, words: str) -> Needs:
    place = (target.kind, target.profile or target.name)
    needed = words.split() + target.also.split()
    on_qmgr = {word for option, word in ON_QMGR.items() if options & option}
    if target.title == "transmission queue" and "put" in needed:
        needed.append("setall")
        on_qmgr.add("setall")
    needs = [(*place, word) for word in dict.fromkeys(needed)]
    needs += [("qmgr", "self", word) for word in sorted(on_qmgr)]
    return tuple(dict.fromkeys(needs))


def try_open(connection: Connection, od: ObjectDescriptor, options: int) -> bool:
    """Whether authority was enough; what else is wrong does not matter here."""
    try:
        handle = mqi(connection).open(od, options)
    except NotAuthorized:
        return False
    except ternmq.MQError:
        return True
    local = handle.local
    is_temporary = local is not None and local.definition.temporary
    mqi(connection).close(handle, mq.MQCO_DELETE_PURGE if is_temporary else mq.MQCO_NONE)
    return True


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.title)
def test_matrix_of_open_options(
    target: Target, qm: ternmq.QueueManager, record_property: Property
) -> None:
    define_targets(qm)
    fred = connect(qm)
    grants = Grants(qm)
    for options, words in ON_OBJECT.items():
        if target.words and not set(words.split()) <= set(target.words.split()):
            continue
        needs = needs_to_open(target, options, words)
        od = ObjectDescriptor(
            object_type=target.mqot,
            object_name=target.name,
            object_qmgr_name=target.qmgr_name,
            dynamic_queue_name="DYN.*",
        )
        for cell in cells(f"{target.title}, 0x{options:X}", needs):
            grants.give(cell.grants, cell.by_group)
            grants.cell(cell.name, try_open(fred, od, options), cell.expected)
    log_message("open options", target.title, grants, record_property)


def log_message(matrix: str, part: str, grants: Grants, record_property: Property) -> None:
    """The number of cells, for whoever reads the report; none may be wrong."""
    print(f"authority matrix, {matrix}, {part}: {grants.cells} cells, {len(grants.wrong)} wrong")
    record_property("cells", grants.cells)
    assert grants.cells > 0
    assert grants.wrong == []


def test_every_open_option_is_in_the_matrix() -> None:
    from ternmq.mqi.table import OPEN_OPTIONS

    tried = mq.MQOO_ALTERNATE_USER_AUTHORITY  # has a test of its own
    tried |= mq.MQOO_NO_MULTICAST  # is for topics: test_topic_matrix
    for options in ON_OBJECT:
        tried |= options
    assert tried == OPEN_OPTIONS


def test_matrix_of_put1(qm: ternmq.QueueManager, record_property: Property) -> None:
    define_targets(qm)
    fred = connect(qm)
    grants = Grants(qm)
    source = qm.connect(user="boss")
    for option, words, on_qmgr in (
        (mq.MQPMO_NONE, "put", ""),
        (mq.MQPMO_DEFAULT_CONTEXT, "put", ""),
        (mq.MQPMO_NO_CONTEXT, "put", ""),
        (mq.MQPMO_SET_IDENTITY_CONTEXT, "put setid", "setid"),
        (mq.MQPMO_SET_ALL_CONTEXT, "put setall", "setall"),
    ):
        needs = tuple(("queue", "LO.CAL", word) for word in words.split())
        needs += tuple(("qmgr", "self", word) for word in on_qmgr.split())
        pmo = PutOptions(options=option | mq.MQPMO_NO_SYNCPOINT)
        for cell in cells(f"MQPUT1 0x{option:X}", needs):
            grants.give(cell.grants, cell.by_group)
            request = mqi(fred).request_put(Descriptor(), pmo, "MQPUT1")
            try:
                mqi(fred).put1(ObjectDescriptor(object_name="LO.CAL"), request, b"")
                allowed = True
            except NotAuthorized:
                allowed = False
            grants.cell(cell.name, allowed, cell.expected)
        source.mqsc("CLEAR QLOCAL(LO.CAL)")
    log_message("MQPUT1", "context", grants, record_property)


def may_close_and_delete(qm: ternmq.QueueManager) -> bool:
    """Whether a handle of fred, opened by an administrator for him, may delete the queue."""
    handle = mqi(qm).open(ObjectDescriptor(object_name="DY.NAMIC"), mq.MQOO_INQUIRE)
    link = mqi(qm).link
    owner = link.user
    link.user, link.privileged = "fred", False
    try:
        mqi(qm).close(handle, mq.MQCO_DELETE)
    except NotAuthorized:
        mqi(qm).close(handle, mq.MQCO_NONE)
        return False
    finally:
        link.user, link.privileged = owner, True
    return True


def test_matrix_of_connect_alternate_user_and_close(
    qm: ternmq.QueueManager, record_property: Property
) -> None:
    define_targets(qm)
    fred = connect(qm)
    grants = Grants(qm)
    for cell in cells("MQCONN", (("qmgr", "self", "connect"),)):
        grants.give(cell.grants, cell.by_group)
        try:
            qm.connect(user="fred").disconnect()
            allowed = True
        except NotAuthorized:
            allowed = False
        grants.cell(cell.name, allowed, cell.expected)
    alternate = mq.MQOO_ALTERNATE_USER_AUTHORITY
    for options, words in ON_OBJECT.items():
        # The alternate user is an administrator: what is left is the user's own authority.
        od = ObjectDescriptor(object_name="LO.CAL", alternate_user_id="boss")
        for cell in cells(f"alternate user, 0x{options:X} {words}", (("qmgr", "self", "altusr"),)):
            grants.give(cell.grants, cell.by_group)
            grants.cell(cell.name, try_open(fred, od, options | alternate), cell.expected)
    for cell in cells("MQCLOSE", (("queue", "DY.NAMIC", "dlt"),)):
        grants.give(cell.grants, cell.by_group)
        grants.cell(cell.name, may_close_and_delete(qm), cell.expected)
        if "DY.NAMIC" not in qm.queue_names():
            qm.queue("PERMANENT", dynamic_name="DY.NAMIC").close()
    log_message("connect, alternate user, close", "", grants, record_property)


# ---- commands

OBJECTS = {
    "QLOCAL": ("queue", "A.OBJ", {}),
    "QMODEL": ("queue", "M.OBJ", {}),
    "QALIAS": ("queue", "AL.OBJ", {"TARGET": "A.OBJ"}),
    "QREMOTE": ("queue", "R.OBJ", {"RNAME": "Q", "RQMNAME": "QM2"}),
    "QUEUE": ("queue", "A.OBJ", {}),
    "CHANNEL": ("channel", "C.OBJ", {"CHLTYPE": "SVRCONN"}),
    "PROCESS": ("process", "P.OBJ", {}),
    "NAMELIST": ("namelist", "N.OBJ", {}),
    "LISTENER": ("listener", "L.OBJ", {"TRPTYPE": "TCP"}),
    "SERVICE": ("service", "S.OBJ", {}),
    "AUTHINFO": ("authinfo", "AI.OBJ", {"AUTHTYPE": "IDPWOS"}),
    "TOPIC": ("topic", "T.OBJ", {"TOPICSTR": "t"}),
    "COMMINFO": ("comminfo", "CI.OBJ", {}),
    "QSTATUS": ("queue", "A.OBJ", {}),
    "QSTATS": ("queue", "A.OBJ", {}),
    "CHSTATUS": ("channel", "C.OBJ", {}),
    "LSSTATUS": ("listener", "L.OBJ", {}),
    "SVSTATUS": ("service", "S.OBJ", {}),
}
DEFAULTS = {
    "QLOCAL": "SYSTEM.DEFAULT.LOCAL.QUEUE",
    "QMODEL": "SYSTEM.DEFAULT.MODEL.QUEUE",
    "QALIAS": "SYSTEM.DEFAULT.ALIAS.QUEUE",
    "QREMOTE": "SYSTEM.DEFAULT.REMOTE.QUEUE",
    "CHANNEL": "SYSTEM.DEF.SVRCONN",
    "PROCESS": "SYSTEM.DEFAULT.PROCESS",
    "NAMELIST": "SYSTEM.DEFAULT.NAMELIST",
    "LISTENER": "SYSTEM.DEFAULT.LISTENER.TCP",
    "SERVICE": "SYSTEM.DEFAULT.SERVICE",
    "AUTHINFO": "SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
    "TOPIC": "SYSTEM.DEFAULT.TOPIC",
    "COMMINFO": "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
}
# What each action needs on its object.
BY_ACTION = {
    "ALTER": "chg",
    "DELETE": "dlt",
    "DISPLAY": "dsp",
    "CLEAR": "clr",
    "START": "ctrl",
    "STOP": "ctrl",
    "PING": "ctrl",
    "PURGE": "ctrl",
    "RESET": "ctrlx",
    "RESOLVE": "ctrlx",
    "MOVE": "chg",
}
ON_TOPICS = ("SUB", "SBSTATUS", "TPSTATUS", "TOPICSTR")
# Nouns whose commands need chg on the queue manager, or dsp to display.
OF_QMGR = (
    "QMGR", "QMSTATUS", "SECURITY", "LOG", "ARCHIVE", "PUBSUB", "AUTHSERV", "ENTAUTH", "AUTHREC",
    "CONN", "CHLAUTH", "POLICY", "CLUSQMGR", "APSTATUS", "CLUSTER", "CHINIT",
    "QCLUSTER", "TCLUSTER", "TRACE", "SYSTEM", "LEDGER",
)  # fmt: skip
NOTHING_TO_SHOW = ("CHSTATUS", "TPSTATUS", "SBSTATUS", "LSSTATUS", "SVSTATUS", "SUB")
MORE = {
    "AUTHREC": {"OBJTYPE": "QUEUE", "PROFILE": "X", "PRINCIPAL": "x", "AUTHADD": "GET"},
    "ENTAUTH": {"OBJTYPE": "QUEUE", "OBJNAME": "X", "PRINCIPAL": "x"},
}
# Of a stream cursor it is the queue that counts.
CURSOR = "CUR.OBJ"
CURSOR_GIVEN = {"DEFINE": {"QUEUE": "A.OBJ"}, "RESET": {"POSITION": "1"}}


def needs_of_command(row: CommandRow) -> Needs:
    """What the command needs, by the tables above."""
    action, noun = row.action, row.noun
    if noun in OF_QMGR:
        word = "dsp" if action in ("DISPLAY", "PING") else "chg"
        return (("qmgr", "self", word),)
    if noun in ON_TOPICS:
        word = {"DISPLAY": "dsp", "CLEAR": "clr"}.get(action, "sub")
        return (("topic", "SYSTEM.BASE.TOPIC", word),)
    if noun == "CURSOR":
        return (("queue", "A.OBJ", "dsp" if action == "DISPLAY" else "chg"),)
    kind, name, _ = OBJECTS[noun]
    if action == "DEFINE":
        return ((kind, "@class", "crt"), (kind, DEFAULTS[noun], "dsp"))
    if (action, noun) == ("RESET", "QSTATS"):  # it shows what it resets
        return ((kind, name, "chg"), (kind, name, "dsp"))
    return ((kind, name, BY_ACTION[action]),)


def command_of(row: CommandRow) -> Command:
    if row.noun == "CURSOR":
        about = Command(row.action, row.noun, CURSOR)
        about.given.update(CURSOR_GIVEN.get(row.action, {}))
        return about
    name = OBJECTS[row.noun][1] if row.noun in OBJECTS else "A.OBJ" if row.named else ""
    command = Command(row.action, row.noun, name)
    if row.noun in OBJECTS and (row.action == "DEFINE" or row.noun in ("CHANNEL", "AUTHINFO")):
        given = OBJECTS[row.noun][2]
        command.given.update(given if row.action == "DEFINE" else _types(given))
        if row.action == "DEFINE":
            command.name += ".NEW"
    command.given.update(MORE.get(row.noun, {}))
    if row.noun == "AUTHREC" and row.action != "SET":
        command.given.pop("AUTHADD")
    return command


def _types(given: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in given.items() if key in ("CHLTYPE", "AUTHTYPE")}


def prepare(qm: ternmq.QueueManager, row: CommandRow, command: Command) -> None:
    """What the command is about is there, or not there, as it should be."""
    if row.noun == "CURSOR":
        qm.command(Command("DELETE", "CURSOR", CURSOR))
        if row.action != "DEFINE":
            defined = Command("DEFINE", "CURSOR", CURSOR)
            defined.given.update(CURSOR_GIVEN["DEFINE"])
            assert all(answer.ok for answer in qm.command(defined))
        return
    if row.action == "DEFINE" and row.noun in OBJECTS:
        gone = Command("DELETE", row.noun, command.name)
        gone.given.update(_types(command.given))
        qm.command(gone)
    elif row.noun in OBJECTS and row.noun in DEFAULTS:
        made = Command("DEFINE", row.noun, command.name)
        made.given.update(OBJECTS[row.noun][2])
        if row.action == "DELETE":
            qm.command(made)


@pytest.mark.parametrize("action", sorted({row.action for row in COMMANDS.values()}))
def test_matrix_of_commands(
    action: str, qm: ternmq.QueueManager, record_property: Property
) -> None:
    for noun, (_, name, given) in OBJECTS.items():
        if noun in DEFAULTS:
            made = Command("DEFINE", noun, name)
            made.given.update(given)
            assert all(answer.ok for answer in qm.command(made)), noun
    fred = connect(qm)
    grants = Grants(qm)
    for row in COMMANDS.values():
        if row.action != action:
            continue
        needs = needs_of_command(row)
        for cell in cells(f"{row.action} {row.noun}", needs):
            command = command_of(row)
            prepare(qm, row, command)
            grants.give(cell.grants, cell.by_group)
            answers = fred.command(command)
            allowed = all(answer.reason != MQRC_NOT_AUTHORIZED for answer in answers)
            if action == "DISPLAY" and row.noun in NOTHING_TO_SHOW and not cell.expected:
                allowed = any(answer.items for answer in answers)
            grants.cell(cell.name, allowed, cell.expected)
    log_message("commands", action, grants, record_property)


def test_every_verb_and_command_has_an_authority() -> None:
    from ternmq.mqi.table import VERBS

    assert [verb.name for verb in VERBS if not verb.authority] == []
    for row in COMMANDS.values():
        assert row.authority.lower() in BY_WORD, (row.action, row.noun)
        assert needs_of_command(row)
