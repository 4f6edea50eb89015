"""Entries of an error log for the system's own log: a datagram each, to the socket that syslogd or
journald listens on.

    <PRI>Mmm dd hh:mm:ss ident[process]: text      PRI = 8 * facility (user, 1) + severity

The log does not wait for syslog: what that does not take at once is lost, and counted by the log.
"""

from __future__ import annotations

import socket
from typing import Final

from ternmq.server.error_log.log_entry import LogEntry

ADDRESS: Final = "/dev/log"
IDENT_DEFAULT: Final = "ternmq"
_FACILITY: Final = 1
# information, warning, error, severe, terminating: LOG_INFO, WARNING, ERR, ALERT, EMERG
_SEVERITIES: Final = {"I": 6, "W": 4, "E": 3, "S": 1, "T": 0}
_MONTHS: Final = "JanFebMarAprMayJunJulAugSepOctNovDec"


def datagram(entry: LogEntry, ident: str) -> bytes:
    """One entry: its message and its inserts, on one line."""
    when = entry.when.astimezone()
    month = _MONTHS[3 * when.month - 3 : 3 * when.month]  # whatever the language of the machine
    stamp = f"{month} {when.day:2d} {when:%H:%M:%S}"
    inserts = " ".join(f"{name}({value})" for name, value in entry.named_inserts().items())
    origin = entry.origin
    where = f"Program({origin.program}) QMgr({origin.qmgr})" if origin.qmgr else origin.program
    text = " ".join(f"{entry.summary} [{where} {inserts}]".split()).replace(" ]", "]")
    priority = 8 * _FACILITY + _SEVERITIES[entry.severity]
    return f"<{priority}>{stamp} {ident}[{entry.process}]: {text}".encode("utf-8", "replace")


def send(address: str, data: bytes) -> None:
    """Send it; OSError if syslog does not take it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        sender.sendto(data, address)
