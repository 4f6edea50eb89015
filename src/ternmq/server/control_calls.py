"""Calls on a control connection, which looks after the queue manager: served even while it ends."""

from __future__ import annotations

import os
from typing import Any, Final

from ternmq.base.errors import RemoteProtocolError
from ternmq.network.edge.ad_hoc_listeners import ad_hoc_listener
from ternmq.server.command_server import ask_command_server
from ternmq.server.host import ENDS, Host

Given = dict[str, Any]
ISSUED_CHARACTERS_MAX: Final = 200  # of a command line that goes into the log
# call: its arguments and their types; those with ? may be missing
_ARGUMENTS: Final[dict[str, dict[str, type]]] = {
    "command_server": {"action": str},
    "listener": {"action": str, "name?": str, "address?": str, "port?": int, "backlog?": int},
    "status": {},
    "stop": {"mode": str, "reconnect?": bool, "switch?": bool, "issued?": str},
}


def _checked(given: Given) -> tuple[str, Given]:
    """The name of the call and its arguments; what does not fit is the other side's fault."""
    name = given.get("call")
    wanted = _ARGUMENTS.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or wanted is None:
        raise RemoteProtocolError(f"there is no call {name!r}")
    found: Given = {}
    for key, kind in wanted.items():
        argument = key.rstrip("?")
        if argument not in given:
            if not key.endswith("?"):
                raise RemoteProtocolError(f"call {name}: {argument} is missing")
            continue
        value = given[argument]
        if type(value) is not kind:  # a flag is not a number
            raise RemoteProtocolError(f"call {name}: {argument} is {kind.__name__}")
        found[argument] = value
    return name, found


async def control(host: Host, given: Given) -> Given:
    """A control connection's call."""
    call, arguments = _checked(given)
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
        return ad_hoc_listener(host.network, arguments)
    return await ask_command_server(host.started, arguments["action"])
