"""What applications ask for through CALL: one small function each, by name, in one table.

Arguments and results are JSON; `call_arguments` has checked the arguments. A function gets the
connection's binding and its arguments; what it raises as an MQError goes to the caller. `control`
is for connections that only look after the queue manager: they are served even while it ends.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from ternmq.admin.execute import execution_of, mqsc_execution
from ternmq.admin.execution import Execution
from ternmq.admin.inquiries import (
    check_display,
    queue_attributes,
    queue_manager_attributes,
    queue_names,
    queue_type,
)
from ternmq.admin.mqsc_lexer import CommandReader, Source
from ternmq.base import constants as mq
from ternmq.base.errors import RemoteProtocolError, mq_error
from ternmq.base.limits import MQSC_CHARACTERS_MAX
from ternmq.base.reasons import MQRC_BUFFER_LENGTH_ERROR
from ternmq.client import steps
from ternmq.client.aio_thread import in_thread
from ternmq.client.handles import open_options
from ternmq.client.local_answers import answer_value
from ternmq.client.log_extents import log_extents
from ternmq.client.log_status import log_status
from ternmq.client.object_files import object_files
from ternmq.client.storage_status import storage_status
from ternmq.client.units_in_doubt import units_in_doubt
from ternmq.kernel.authority import check_administrator
from ternmq.kernel.transmission import resolved_names
from ternmq.security.authorities import SELF_PROFILE
from ternmq.server.call_arguments import CONTROL_ARGUMENTS, checked
from ternmq.server.command_server import ask_command_server
from ternmq.server.host import ENDS, Host
from ternmq.server.net_loose import loose_listener
from ternmq.txn.unit import XID

if TYPE_CHECKING:
    from ternmq.server.binding import Binding

Given = dict[str, Any]
ISSUED_CHARACTERS_MAX: Final = 200  # of a command line that goes into the log
_LINES_A_TURN: Final = 100
SMF_WAIT_MS_MAX: Final = 10_000  # for the next record of a stream
FROM_NOW: Final = -1


def xid_value(xid: XID) -> list[Any]:
    """An XID as it travels: format, global and branch part in hexadecimal."""
    return [xid.format_id, xid.global_id.hex(), xid.branch_qualifier.hex()]


# ---- objects


async def _open(binding: Binding, given: Given) -> Given:
    od = given["od"]
    options = given["options"]
    verbs = binding.verbs
    if given.get("as_needed"):
        exclusive = given.get("exclusive", False)
        kernel = verbs.engine.kernel
        options = open_options(kernel, od.object_name, exclusive, options) or mq.MQOO_INQUIRE
    handle = await verbs.open(od, options)
    definition = handle.definition
    name = verbs.engine.name
    resolved, manager = resolved_names(handle, handle.options, name)
    return {
        "handle": handle.handle_id,
        "options": int(handle.options),
        "resolved": resolved,
        "resolved_qmgr": manager,
        "local": resolved_names(handle, mq.MQOO_RESOLVE_LOCAL_Q, name)[0],
        "renamed": handle.local is not None and not handle.via,
        "type": 0 if definition is None else int(definition.object_type),
    }


async def _close(binding: Binding, given: Given) -> Given:
    handle = binding.verbs.handle(given["handle"], "MQCLOSE")
    await binding.verbs.close(handle, given["options"])
    return {}


async def _inquire(binding: Binding, given: Given) -> Given:
    handle = binding.verbs.handle(given["handle"], "MQINQ")
    step = steps.Inquire(handle, given["selectors"])
    await binding.verbs.run(step)
    return {"values": step.values, "strange": step.strange}


async def _set(binding: Binding, given: Given) -> Given:
    handle = binding.verbs.handle(given["handle"], "MQSET")
    await binding.verbs.run(steps.Set(handle, given["values"]))  # the other side has warned
    return {}


async def _storage_status(binding: Binding, given: Given) -> Given:
    handle = binding.verbs.handle(given["handle"], "MQINQ")
    return dataclasses.asdict(storage_status(binding.verbs.shell, handle))


# ---- units of work


async def _begin(binding: Binding, given: Given) -> Given:
    await binding.verbs.start_unit()
    return {}


async def _prepare(binding: Binding, given: Given) -> Given:
    return {"prepared": await binding.verbs.prepare(given["xid"])}


async def _end_prepared(binding: Binding, given: Given) -> Given:
    await binding.verbs.end_prepared(given["xid"], given["commit"], given["heuristic"])
    return {}


async def _recover(binding: Binding, given: Given) -> Given:
    return {"xids": [xid_value(xid) for xid in binding.verbs.recover()]}


async def _units_in_doubt(binding: Binding, given: Given) -> Given:
    _administrators_only(binding, "recover")
    with binding.verbs.shell.lock:
        found = units_in_doubt(binding.verbs.engine.kernel)
    return {"units": [[*xid_value(one.xid), one.state, one.xid.owner] for one in found]}


async def _forget(binding: Binding, given: Given) -> Given:
    await binding.verbs.forget(given["xid"])
    return {}


# ---- definitions


async def _define(binding: Binding, given: Given) -> Given:
    step = steps.Define(given["type"], given["name"], given["attributes"], given["replace"])
    await binding.verbs.administer(step)
    return {}


async def _alter(binding: Binding, given: Given) -> Given:
    await binding.verbs.administer(steps.Alter(given["name"], given["attributes"]))
    return {}


async def _alter_qmgr(binding: Binding, given: Given) -> Given:
    await binding.verbs.administer(steps.AlterQueueManager(given["attributes"]))
    return {}


async def _delete(binding: Binding, given: Given) -> Given:
    await binding.verbs.administer(steps.Delete(given["name"], given["purge"]))
    return {}


async def _clear(binding: Binding, given: Given) -> Given:
    await binding.verbs.administer(steps.Clear(given["name"]))
    return {}


async def _mqsc(binding: Binding, given: Given) -> Given:
    text = given["text"]
    if len(text) > MQSC_CHARACTERS_MAX:
        raise mq_error(
            MQRC_BUFFER_LENGTH_ERROR,
            verb="MQSC",
            object=binding.verbs.engine.name,
            detail=f"{len(text)} characters of MQSC, a call takes {MQSC_CHARACTERS_MAX}",
        )
    executions: list[Execution] = []
    reader = CommandReader()
    for number, line in enumerate(text.split("\n")):
        _understand(reader.feed(line), executions)
        if number % _LINES_A_TURN == _LINES_A_TURN - 1:
            await asyncio.sleep(0)  # others have their turn
    _understand(reader.finish(), executions)
    return await _carry_out(binding, executions)


def _understand(sources: list[Source], executions: list[Execution]) -> None:
    executions.extend([mqsc_execution(one.text) for one in sources if one.is_command])


async def _command(binding: Binding, given: Given) -> Given:
    return await _carry_out(binding, [execution_of(given["command"])])


async def _carry_out(binding: Binding, executions: list[Execution]) -> Given:
    if executions:
        await binding.verbs.administer(steps.CarryOut(executions))
    return {"answers": [answer_value(answer) for one in executions for answer in one.answers]}


async def _type_of(binding: Binding, given: Given) -> Given:
    verbs = binding.verbs
    with verbs.shell.lock:
        return {"type": queue_type(verbs.engine.kernel, verbs.link, given["name"])}


async def _attributes(binding: Binding, given: Given) -> Given:
    verbs = binding.verbs
    with verbs.shell.lock:
        found = queue_attributes(verbs.engine.kernel, verbs.link, given["name"])
    return {"attributes": found}


async def _qmgr_attributes(binding: Binding, given: Given) -> Given:
    verbs = binding.verbs
    with verbs.shell.lock:
        return {"attributes": queue_manager_attributes(verbs.engine.kernel, verbs.link)}


async def _queue_names(binding: Binding, given: Given) -> Given:
    verbs = binding.verbs
    with verbs.shell.lock:
        return {"names": queue_names(verbs.engine.kernel, verbs.link)}


# ---- the log and media recovery


def _administrators_only(binding: Binding, verb: str) -> None:
    verbs = binding.verbs
    with verbs.shell.lock:
        check_administrator(verbs.engine.kernel, verbs.link, verb)


def _check_display(binding: Binding) -> None:
    verbs = binding.verbs
    with verbs.shell.lock:
        check_display(verbs.engine.kernel, verbs.link, mq.MQOT_Q_MGR, SELF_PROFILE)


async def _log_status(binding: Binding, given: Given) -> Given:
    _check_display(binding)
    return dataclasses.asdict(log_status(binding.verbs.shell))


async def _log_extents(binding: Binding, given: Given) -> Given:
    _check_display(binding)
    extents, cancelled = await in_thread(lambda: log_extents(binding.verbs.shell))
    if cancelled is not None:
        raise cancelled
    return dataclasses.asdict(extents)


async def _delete_log_extents(binding: Binding, given: Given) -> Given:
    _administrators_only(binding, "delete log extents")
    step = steps.DeleteLogExtents()
    await binding.verbs.administer(step)
    return {"names": step.names}


async def _object_files(binding: Binding, given: Given) -> Given:
    _administrators_only(binding, "DISPLAY")
    with binding.verbs.shell.lock:
        return {"files": object_files(binding.verbs.engine.kernel.catalog)}


async def _checkpoint(binding: Binding, given: Given) -> Given:
    _administrators_only(binding, "checkpoint")
    _, cancelled = await in_thread(binding.host.started.checkpoint)
    if cancelled is not None:
        raise cancelled
    return {}


async def _record_image(binding: Binding, given: Given) -> Given:
    step = steps.RecordImage(given["name"])
    await binding.verbs.administer(step)
    return {"names": step.order.recorded}


async def _recreate(binding: Binding, given: Given) -> Given:
    await binding.verbs.administer(steps.Recreate(given["name"]))
    return {}


# ---- SMF records


async def _smf_status(binding: Binding, given: Given) -> Given:
    _check_display(binding)
    found = binding.host.started.measurement.smf_status()
    return {"destinations": [dataclasses.asdict(one) for one in found]}


async def _smf_switch(binding: Binding, given: Given) -> Given:
    _administrators_only(binding, "smf switch")
    measurement = binding.host.started.measurement
    names, cancelled = await in_thread(lambda: measurement.smf_switch(given["name"]))
    if cancelled is not None:
        raise cancelled
    return {"names": names}


async def _smf_read(binding: Binding, given: Given) -> Given:
    _administrators_only(binding, "smf read")
    wait_s = min(given["wait_ms"], SMF_WAIT_MS_MAX) / 1000
    first = given["first"] or FROM_NOW  # records are numbered from 1
    measurement = binding.host.started.measurement
    found = await measurement.smf_read_soon(first, given["name"], wait_s)
    records = [base64.b64encode(one).decode("ascii") for one in found.records]
    return {"records": records, "next": found.next, "missed": found.missed}


async def _report(binding: Binding, given: Given) -> Given:
    return {"report": list(binding.verbs.engine.report)}


CALLS: Final[dict[str, Callable[[Binding, Given], Awaitable[Given]]]] = {
    "alter": _alter,
    "alter_qmgr": _alter_qmgr,
    "attributes": _attributes,
    "begin": _begin,
    "checkpoint": _checkpoint,
    "clear": _clear,
    "close": _close,
    "command": _command,
    "define": _define,
    "delete": _delete,
    "delete_log_extents": _delete_log_extents,
    "end_prepared": _end_prepared,
    "forget": _forget,
    "inquire": _inquire,
    "log_extents": _log_extents,
    "log_status": _log_status,
    "mqsc": _mqsc,
    "object_files": _object_files,
    "open": _open,
    "prepare": _prepare,
    "qmgr_attributes": _qmgr_attributes,
    "queue_names": _queue_names,
    "record_image": _record_image,
    "recover": _recover,
    "recreate": _recreate,
    "report": _report,
    "set": _set,
    "smf_read": _smf_read,
    "smf_status": _smf_status,
    "smf_switch": _smf_switch,
    "storage_status": _storage_status,
    "type_of": _type_of,
    "units_in_doubt": _units_in_doubt,
}


# ---- control


async def control(host: Host, given: Given) -> Given:
    """A control connection's call."""
    call, arguments = checked(CONTROL_ARGUMENTS, given)
    if call == "status":
        return {
            "name": host.engine.name,
            "state": host.state,
            "pid": os.getpid(),
            "applications": host.applications,
        }
    if call == "stop":
        mode = arguments["mode"]
        if mode not in ENDS:
            raise RemoteProtocolError(f"there is no way to end named {mode!r}")
        issued = " ".join(arguments.get("issued", "").split())[:ISSUED_CHARACTERS_MAX]
        if issued:
            host.engine.kernel.notices.add("AMQ6206I", ("endmqm", issued))
        host.switch = arguments.get("switch", False)
        host.reconnect = arguments.get("reconnect", False) or host.switch
        return {"accepted": host.end(mode), "state": host.state}
    if call == "listener":
        return loose_listener(host, arguments)
    return await ask_command_server(host.started, arguments["action"])
