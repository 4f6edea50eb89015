"""Listeners that are not objects: what runmqlsr starts in the queue manager's process and endmqlsr
ends. DISPLAY LSSTATUS does not show them."""

from __future__ import annotations

import os
from typing import Any, Final

from ternmq.network.edge.tcp_listener import Network

START: Final = "start"
STOP: Final = "stop"
STATUS: Final = "status"
_PREFIX: Final = "runmqlsr "


def ad_hoc_listener(network: Network | None, given: dict[str, Any]) -> dict[str, Any]:
    """Start one, end one or all, or list them; `why` says why not."""
    if network is None:
        return {"why": "it has no network"}
    there = [name for name in network.listeners if name.startswith(_PREFIX)]
    action = given["action"]
    wanted = given.get("name", "")
    if action == STOP:
        for name in there:
            if not wanted or name == wanted:
                network.listeners[name].close()
                network.log_message("AMQ5027I", name, os.getpid())
    elif action == START:
        address = given.get("address", "")
        port = given.get("port", 0) or network.settings.port
        try:
            made = network.listen(address, port, "", given.get("backlog", 0))
        except OSError as error:
            network.log_message("AMQ9218E", port, address or "*", error.strerror)
            return {"why": f"port {port} cannot be had: {error.strerror}"}
        network.rename(made, f"{_PREFIX}{address or '*'}({made.port})")
        network.log_message("AMQ5026I", made.name, os.getpid())
        return {"name": made.name, "port": made.port}
    return {"names": there}
