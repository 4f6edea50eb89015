"""The arguments of the calls: one table, checked before a call is served.

What does not fit the table is the other side's fault and ends its connection. So whatever a call
itself raises beyond MQError is a fault of this side, and is told and reported as one.

    a row     name of the call, then argument:kind; an argument with ? may be missing
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ternmq.admin.command import Command
from ternmq.base.errors import RemoteProtocolError
from ternmq.client.local_answers import command_from
from ternmq.codec.layout import CHARS, I32
from ternmq.codec.mqod import LAYOUT as OBJECT_LAYOUT
from ternmq.codec.mqod import ObjectDescriptor
from ternmq.kernel.two_phase import check_xid
from ternmq.txn.unit import XID

Arguments = dict[str, Any]
_INTEGER_MIN: Final = -(1 << 31)
_INTEGER_MAX: Final = (1 << 31) - 1

_ROWS: Final = """
alter               name:text attributes:attributes
alter_qmgr          attributes:attributes
attributes          name:text
begin
checkpoint
clear               name:text
close               handle:integer options:integer
command             command:command
define              type:integer name:text attributes:attributes replace:flag
delete              name:text purge:flag
delete_log_extents
end_prepared        xid:xid commit:flag heuristic:flag
forget              xid:xid
inquire             handle:integer selectors:integers
log_extents
log_status
mqsc                text:text
object_files
open                od:object options:integer as_needed:flag? exclusive:flag?
prepare             xid:new_xid
qmgr_attributes
queue_names
record_image        name:text
recover
recreate            name:text
report
set                 handle:integer values:settings
smf_read            name:text first:number wait_ms:number
smf_status
smf_switch          name:text
storage_status      handle:integer
type_of             name:text
units_in_doubt
"""

_CONTROL_ROWS: Final = """
command_server      action:text
listener            action:text name:text? address:text? port:integer? backlog:integer?
status
stop                mode:text reconnect:flag? switch:flag? issued:text?
"""


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("a whole number")
    if not _INTEGER_MIN <= value <= _INTEGER_MAX:
        raise ValueError("a whole number of 32 bits")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("a whole number")
    if not 0 <= value < 1 << 63:
        raise ValueError("a whole number of 63 bits")
    return value


def _position(value: object) -> int:
    return value if value in (-1, -2) and isinstance(value, int) else _number(value)


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


def _integers(value: object) -> list[int]:
    return [_integer(one) for one in _list(value)]


def _settings(value: object) -> dict[int, Any]:
    pairs = [_list(one) for one in _list(value)]
    if any(len(one) != 2 for one in pairs):
        raise ValueError("pairs of selector and value")
    return {_integer(selector): setting for selector, setting in pairs}


def _command(value: object) -> Command:
    return command_from(_mapping(value))


def _xid(value: object) -> XID:
    parts = _list(value)
    if len(parts) != 3:
        raise ValueError("format, global and branch part of an XID")
    format_id, global_id, branch = parts
    return XID(_integer(format_id), bytes.fromhex(_text(global_id)), bytes.fromhex(_text(branch)))


def _xids(value: object) -> list[XID]:
    return [_new_xid(one) for one in _list(value)]


def _new_xid(value: object) -> XID:
    xid = _xid(value)
    check_xid(xid)
    return xid


def object_descriptor(value: object) -> ObjectDescriptor:
    """The MQOD of an open or MQPUT1: numbers and texts travel, nothing else."""
    given = _mapping(value)
    for name, one in given.items():
        check = _OBJECT_FIELDS.get(name)
        if check is None:
            raise ValueError(f"fields of MQOD, and {name} is none that travels")
        check(one)
    return ObjectDescriptor(**given)


_OBJECT_FIELDS: Final[dict[str, Callable[[object], Any]]] = {
    field.name: _integer if field.kind == I32 else _text
    for field in OBJECT_LAYOUT.fields
    if field.kind in (I32, CHARS)
}

KINDS: Final[dict[str, Callable[[object], Any]]] = {
    "attributes": _mapping,
    "command": _command,
    "flag": _flag,
    "integer": _integer,
    "integers": _integers,
    "new_xid": _new_xid,
    "number": _number,
    "object": object_descriptor,
    "position": _position,
    "settings": _settings,
    "text": _text,
    "xid": _xid,
    "xids": _xids,
}


class Argument:
    """One argument of a call."""

    def __init__(self, row: str) -> None:
        self.name, _, kind = row.partition(":")
        self.needed = not kind.endswith("?")
        self.convert = KINDS[kind.rstrip("?")]


def argument_table(rows: str) -> dict[str, tuple[Argument, ...]]:
    """The arguments of each call, in the order of the rows."""
    found = [row.split() for row in rows.strip().split("\n")]
    return {row[0]: tuple(Argument(one) for one in row[1:]) for row in found}


CALL_ARGUMENTS: Final = argument_table(_ROWS)
CONTROL_ARGUMENTS: Final = argument_table(_CONTROL_ROWS)


def checked(table: dict[str, tuple[Argument, ...]], given: Arguments) -> tuple[str, Arguments]:
    """The name of the call that is asked for, and its arguments as the call takes them."""
    name = given.get("call")
    arguments = table.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or arguments is None:
        raise RemoteProtocolError(f"there is no call {name!r}")
    result: Arguments = {}
    for argument in arguments:
        if argument.name not in given:
            if argument.needed:
                raise RemoteProtocolError(f"call {name}: {argument.name} is missing")
            continue
        try:
            result[argument.name] = argument.convert(given[argument.name])
        except (TypeError, ValueError) as error:
            raise RemoteProtocolError(f"call {name}: {argument.name} is {error}") from error
    return name, result
