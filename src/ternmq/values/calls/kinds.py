"""The fields of the calls: which each call has, and how a value of each kind travels as JSON.

    a row     name of the call, its arguments, and after -> its results; each is field:kind. A row
              goes on in lines that are indented

A value that does not fit its kind raises TypeError or ValueError with what is wanted: on the queue
manager's side that ends the connection of the sender.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ternmq.codec.mqi.layout import CHARS, I32
from ternmq.codec.mqi.mqod import LAYOUT as OBJECT_LAYOUT
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.command import Answer, Command
from ternmq.values.command_json import answer_from, answer_value, command_from, command_value
from ternmq.values.handle import ObjectHandle
from ternmq.values.status import (
    Bounds,
    CursorPosition,
    GroupFigures,
    LogExtents,
    LogStatus,
    ObjectFile,
    SMFRead,
    SMFStatus,
    StorageStatus,
    UnitInDoubt,
)
from ternmq.values.xid import XID, check_xid, xid_from_json, xid_to_json

if TYPE_CHECKING:  # few use lists or subscribe
    from ternmq.codec.mqi.list_records import Destination, PutRecord
    from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
    from ternmq.values.distribution import Outcome

HANDLES_MAX: Final = 4096  # that one call names

_ROWS: Final = """
await_messages      handles:handles connection:text wait_ms:number
    -> ready:integers is_stale:flag
back_out
begin
checkpoint
close               handle:handle options:integer -> warning:integer
command             commands:commands text:text -> answers:answers
commit
commit_batch        owner:text batch:number xids:new_xids -> committed:flag backed_out:xids
cursor_advance      cursor:text position:number incarnation:number -> found:cursor
cursor_delete       cursor:text -> found:cursor
cursor_open         cursor:text queue:text start:position expiry_m:number -> found:cursor
cursor_reset        cursor:text position:position -> found:cursor
delete_log_extents  -> names:texts
disconnect
end_prepared        xid:xid commit:flag heuristic:flag
forget              xid:xid
get
groups              handle:handle after:position incomplete:flag -> groups:groups next:position
inquire             handle:handle selectors:integers -> values:values inapplicable:integers
log_extents         -> found:log_extents
log_status          -> found:log_status
multicast           handle:handle
multicast_report    handle:handle figures:numbers
object_files        -> files:object_files
open                od:object options:integer as_needed:flag exclusive:flag selector:text
    object_string:text
open_list           od:object destinations:destinations options:integer
prepare             xid:new_xid -> prepared:flag
put
put1
put_deferred
put1_list
put_list
record_image        object_name:text -> names:texts
recover             -> xids:xids
recreate            object_name:text
report              -> lines:texts
request_publications handle:handle action:integer options:integer -> publications:integer
set                 handle:handle values:settings
similar_queues      object_name:text -> names:texts
smf_read            stream:text first:position wait_ms:number -> found:smf_read ended:flag
smf_status          -> destinations:smf_status
smf_switch          stream:text -> names:texts
status
storage_status      handle:handle -> found:storage_status
stream_bounds       queue:text -> found:bounds
stream_close        queue:text
stream_queues       pattern:text -> queues:texts
stream_read         queue:text incarnation:number first:number end:number messages_max:number
    bytes_max:number skip_lost:flag wait_ms:number selector:text
subscribe           sd:sd object_string:text sub_name:text user_data:text selector:text
    destination:handle
units_in_doubt      -> units:units
widen               handle:handle options:integer -> allowed:integer resolved_name:text
"""


class Field(NamedTuple):
    """One field of a call."""

    name: str
    kind: str


class Kind(NamedTuple):
    """How values of one kind become JSON and come back."""

    to_json: Callable[[Any], Any]
    from_json: Callable[[Any], Any]


def _fields(text: str) -> tuple[Field, ...]:
    return tuple(Field(*one.split(":")) for one in text.split())


def _table() -> tuple[dict[str, tuple[Field, ...]], dict[str, tuple[Field, ...]]]:
    arguments: dict[str, tuple[Field, ...]] = {}
    results: dict[str, tuple[Field, ...]] = {}
    for row in _ROWS.strip().replace("\n    ", " ").split("\n"):
        given, _, answered = row.partition("->")
        name, _, rest = given.strip().partition(" ")
        arguments[name] = _fields(rest)
        results[name] = _fields(answered)
    return arguments, results


# ---- from JSON


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("a whole number")
    if not -(1 << 31) <= value < 1 << 31:
        raise ValueError("a whole number of 32 bits")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("a whole number")
    if not 0 <= value < 1 << 63:
        raise ValueError("a whole number of 63 bits")
    return value


def _position(value: object) -> int:
    return value if isinstance(value, int) and value in (-1, -2) else _number(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list")
    return value


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("an object")
    return value


def _handle(value: object) -> ObjectHandle:
    return ObjectHandle(_integer(value), 0)


def _handles(value: object) -> list[ObjectHandle]:
    given = _list(value)
    if len(given) > HANDLES_MAX:
        raise ValueError(f"a list of at most {HANDLES_MAX} handles")
    return [_handle(one) for one in given]


def _settings(value: object) -> dict[int, Any]:
    pairs = [_list(one) for one in _list(value)]
    if any(len(one) != 2 for one in pairs):
        raise ValueError("pairs of selector and value")
    return {_integer(selector): setting for selector, setting in pairs}


def _new_xid(value: object) -> XID:
    xid = xid_from_json(value)
    check_xid(xid)
    return xid


def object_from_json(value: object) -> ObjectDescriptor:
    """The MQOD of an open: numbers and texts travel, nothing else."""
    given = _mapping(value)
    for name, one in given.items():
        check = _OBJECT_FIELDS.get(name)
        if check is None:
            raise ValueError(f"fields of MQOD, and {name} is not one that travels")
        check(one)
    return ObjectDescriptor(**given)


_OBJECT_FIELDS: Final[dict[str, Callable[[object], Any]]] = {
    field.name: _integer if field.kind == I32 else _text
    for field in OBJECT_LAYOUT.fields
    if field.kind in (I32, CHARS)
}


def _sd_from_json(value: object) -> SubscriptionDescriptor:
    from ternmq.values.calls.sd_kind import sd_from_json  # few subscribe

    return sd_from_json(value)


def _sd_to_json(sd: SubscriptionDescriptor) -> dict[str, Any]:
    from ternmq.values.calls.sd_kind import sd_to_json  # few subscribe

    return sd_to_json(sd)


def destinations_from_json(value: object) -> list[Destination]:
    """Names of queues and queue managers."""
    pairs = [_list(one) for one in _list(value)]
    if any(len(one) != 2 for one in pairs):
        raise ValueError("pairs of queue and queue manager")
    from ternmq.codec.mqi.list_records import Destination

    return [Destination(_text(queue), _text(qmgr)) for queue, qmgr in pairs]


def put_record_fields_from_json(value: object) -> int:
    """MQPMRF: what the records have."""
    return _integer(value)


def put_records_from_json(value: object) -> list[PutRecord]:
    """Put message records."""
    rows = [_list(one) for one in _list(value)]
    if any(len(one) != 5 for one in rows):
        raise ValueError("records of MsgId, CorrelId, GroupId, Feedback and AccountingToken")
    from ternmq.codec.mqi.list_records import PutRecord

    found: list[PutRecord] = []
    for msg_id, correl_id, group_id, feedback, token in rows:
        ids = _id(msg_id, 24), _id(correl_id, 24), _id(group_id, 24)
        found.append(PutRecord(ids[0], ids[1], ids[2], _integer(feedback), _id(token, 32)))
    return found


def _id(value: object, size: int) -> bytes:
    found = bytes.fromhex(_text(value))
    if len(found) != size:
        raise ValueError(f"an identifier of {size} bytes")
    return found


def put_records_to_json(records: list[PutRecord]) -> list[list[Any]]:
    """The same, on its way."""
    return [
        [
            one.msg_id.hex(),
            one.correl_id.hex(),
            one.group_id.hex(),
            _integer(one.feedback),
            one.accounting_token.hex(),
        ]
        for one in records
    ]


def outcomes_to_json(outcomes: list[Outcome]) -> list[list[Any]]:
    """What became of the destinations of a list."""
    return [
        [
            one.comp,
            one.reason,
            one.msg_id.hex(),
            one.correl_id.hex(),
            one.group_id.hex(),
        ]
        for one in outcomes
    ]


def outcomes_from_json(value: object, outcomes: list[Outcome]) -> None:
    """The same into the outcomes that are there."""
    for row, one in zip(_list(value), outcomes, strict=True):
        comp, reason, msg_id, correl_id, group_id = _list(row)
        one.comp = _integer(comp)
        one.reason = _integer(reason)
        one.msg_id = bytes.fromhex(_text(msg_id))
        one.correl_id = bytes.fromhex(_text(correl_id))
        one.group_id = bytes.fromhex(_text(group_id))


def _commands(value: object) -> list[Command]:
    return [command_from(_mapping(one)) for one in _list(value)]


def _answers(value: object) -> list[Answer]:
    return [answer_from(_mapping(one)) for one in _list(value)]


def _log_extents(value: object) -> LogExtents:
    given = dict(_mapping(value))
    for name in ("stored", "archivable", "superfluous"):
        given[name] = tuple(given[name])
    return LogExtents(**given)


def _unit(value: object) -> UnitInDoubt:
    format_id, global_id, branch, state, owner = _list(value)
    named = XID(format_id, bytes.fromhex(global_id), bytes.fromhex(branch), str(owner))
    return UnitInDoubt(named, str(state))


def _cursor(value: object) -> CursorPosition:
    name, queue, incarnation, position, owner = _list(value)
    return CursorPosition(str(name), str(queue), int(incarnation), int(position), str(owner))


def _smf_read(value: object) -> SMFRead:
    given = _mapping(value)
    records = [base64.b64decode(one) for one in given["records"]]
    return SMFRead(records, int(given["next"]), int(given["missed"]))


# ---- to JSON


def _same(value: Any) -> Any:
    return value


def object_to_json(od: ObjectDescriptor) -> dict[str, Any]:
    """What differs from an empty MQOD."""
    found: dict[str, Any] = {}
    for name, check in _OBJECT_FIELDS.items():
        value = getattr(od, name)
        if value != getattr(_EMPTY_OBJECT, name):
            found[name] = check(value)
    return found


_EMPTY_OBJECT: Final = ObjectDescriptor()


def _smf_read_json(found: SMFRead) -> dict[str, Any]:
    records = [base64.b64encode(one).decode("ascii") for one in found.records]
    return {"records": records, "next": found.next, "missed": found.missed}


KINDS: Final[dict[str, Kind]] = {
    "answers": Kind(lambda given: [answer_value(one) for one in given], _answers),
    "bounds": Kind(list, lambda value: Bounds(*[int(one) for one in _list(value)])),
    "commands": Kind(lambda given: [command_value(one) for one in given], _commands),
    "cursor": Kind(list, _cursor),
    "destinations": Kind(
        lambda given: [[_text(queue), _text(qmgr)] for queue, qmgr in given],
        destinations_from_json,
    ),
    "flag": Kind(_same, _flag),
    "groups": Kind(
        lambda given: [asdict(one) for one in given],
        lambda value: [GroupFigures(**_mapping(one)) for one in _list(value)],
    ),
    "handle": Kind(lambda given: given.handle_id, _handle),
    "handles": Kind(lambda given: [one.handle_id for one in given], _handles),
    "integer": Kind(int, _integer),
    "integers": Kind(_same, lambda value: [_integer(one) for one in _list(value)]),
    "log_extents": Kind(asdict, _log_extents),
    "log_status": Kind(asdict, lambda value: LogStatus(**_mapping(value))),
    "new_xid": Kind(xid_to_json, _new_xid),
    "new_xids": Kind(
        lambda given: [xid_to_json(one) for one in given],
        lambda value: [_new_xid(one) for one in _list(value)],
    ),
    "number": Kind(_number, _number),
    "numbers": Kind(_same, lambda value: [_number(one) for one in _list(value)]),
    "object": Kind(object_to_json, object_from_json),
    "object_files": Kind(_same, lambda value: [ObjectFile(*one) for one in _list(value)]),
    "position": Kind(_position, _position),
    "sd": Kind(_sd_to_json, _sd_from_json),
    "settings": Kind(lambda given: [list(pair) for pair in given.items()], _settings),
    "smf_read": Kind(_smf_read_json, _smf_read),
    "smf_status": Kind(
        lambda given: [asdict(one) for one in given],
        lambda value: [SMFStatus(**_mapping(one)) for one in _list(value)],
    ),
    "storage_status": Kind(asdict, lambda value: StorageStatus(**_mapping(value))),
    "text": Kind(_text, _text),
    "texts": Kind(_same, lambda value: [_text(one) for one in _list(value)]),
    "units": Kind(
        lambda given: [[*xid_to_json(one.xid), one.state, one.xid.owner] for one in given],
        lambda value: [_unit(one) for one in _list(value)],
    ),
    "values": Kind(_same, _list),
    "xid": Kind(xid_to_json, xid_from_json),
    "xids": Kind(
        lambda given: [xid_to_json(one) for one in given],
        lambda value: [xid_from_json(one) for one in _list(value)],
    ),
}

_TABLE: Final = _table()
ARGUMENTS: Final = _TABLE[0]
RESULTS: Final = _TABLE[1]
