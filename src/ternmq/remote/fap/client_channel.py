"""A client connection channel as an application, MQSERVER or a CCDT gives it, and its addresses.

conn        host(port), host, several with commas between them; an IPv6 address in brackets or
            as it is. Without a port it is 1414. host:port is taken, too: most products write so
"""

from __future__ import annotations

import getpass
import os
import re
from typing import Final, NamedTuple

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.limits import MESSAGE_BYTES_MAX
from ternmq.base.reasons import MQRC_CHANNEL_CONFIG_ERROR
from ternmq.base.user_names import user_name_fault

PORT_USUAL: Final = 1414
HEARTBEAT_S_USUAL: Final = 300
SHARING_USUAL: Final = 10
HEADER_COMPRESSIONS: Final = ("NONE", "SYSTEM")
MESSAGE_COMPRESSIONS: Final = ("NONE", "RLE", "ZLIBFAST", "ZLIBHIGH", "LZ4FAST", "LZ4HIGH")
_ADDRESS: Final = re.compile(r"\[?([^\[\]()\s]+?)\]?\s*(?:\(\s*(\d+)\s*\))?")
_HOST_PORT: Final = re.compile(r"^([^:()]+|\[[^\[\]]+\]):(\d+)$")  # not a bare IPv6 address
_PORT_MAX: Final = 65_535


class Address(NamedTuple):
    """Where a queue manager listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}({self.port})"


class MulticastSettings(NamedTuple):
    """The Multicast stanza of mqclient.ini, and the buffer of what was not got yet."""

    interface: str = ""  # an address of this machine; empty: that of the connection
    ttl: int = 1  # SocketTTL: how many routers a packet passes, and one more
    loop: bool = True  # whether receivers on this machine get it
    timeout_ms: int = 20_000  # HeartbeatTimeout
    buffer_bytes: int = 4 << 20  # MessageBuffer MaximumSize


class ExitName(NamedTuple):
    """An exit and its data."""

    name: str  # file(function)
    data: str = ""


class ExitNames(NamedTuple):
    """The exits of a channel, each kind in its order, and the folder with their files."""

    security: tuple[ExitName, ...] = ()
    send: tuple[ExitName, ...] = ()
    receive: tuple[ExitName, ...] = ()
    folder: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        return not (self.security or self.send or self.receive)


class ClientChannel(NamedTuple):
    """Everything that is needed to reach a queue manager and to agree with it."""

    name: str
    addresses: tuple[Address, ...]
    qmgr_name: str = ""  # of a CCDT: the name or the group that it is found by
    cipher: str = ""  # CipherSpec by MQ's name; empty: no TLS
    peer_name: str = ""  # SSLPEER: what the queue manager's certificate must say
    certificate_label: str = ""
    heartbeat_s: int = HEARTBEAT_S_USUAL
    sharing: int = SHARING_USUAL
    message_bytes_max: int = MESSAGE_BYTES_MAX
    weight: int = 0
    is_affine: bool = True  # AFFINITY(PREFERRED)
    reconnect: int = 0  # DEFRECON as MQCNO_RECONNECT options
    local_address: str = ""
    keep_alive: bool = True
    header_compression: str = ""  # COMPHDR, words with commas between them; empty: NONE
    message_compression: str = ""  # COMPMSG
    exits: ExitNames = ExitNames()

    @property
    def place(self) -> str:
        """For messages: where it leads."""
        return ",".join(str(one) for one in self.addresses)


def addresses_of(conn: str, channel_name: str = "") -> tuple[Address, ...]:
    """The addresses of a connection name."""
    found: list[Address] = []
    for part in conn.split(","):
        one = _ADDRESS.fullmatch(_HOST_PORT.sub(r"\1(\2)", part.strip()))
        port = int(one.group(2)) if one is not None and one.group(2) else PORT_USUAL
        if one is None or not 1 <= port <= _PORT_MAX:
            fault = f"write host(port) or host:port, with a port from 1 to {_PORT_MAX}"
            raise _not_a_name(conn, fault, channel_name)
        fault = _host_fault(one.group(1))
        if fault:
            raise _not_a_name(conn, fault, channel_name)
        found.append(Address(one.group(1), port))
    return tuple(found)


def _not_a_name(conn: str, fault: str, channel_name: str) -> Exception:
    """Some write a URL here, with a password in it."""
    from ternmq.remote.fap.ccdt import without_password  # few make a mistake

    return config_error(
        f"'{without_password(conn)}' is not a connection name: {fault}", channel_name
    )


def _host_fault(host: str) -> str:
    """Why no system looks such a host up; "" if it can. Python's sockets raise UnicodeError."""
    if "\0" in host:
        return "the host has a character NUL"
    if "/" in host:
        return "it is not a URL; write host(port) or host:port"
    if host.count(":") == 1:  # IPv6 addresses have more
        return "the port after the colon is not a number; write host(port) or host:port"
    try:
        host.encode("idna")
    except UnicodeError:
        return "a part of the host's name, between dots, is empty or longer than 63 characters"
    return ""


def config_error(detail: str, channel_name: str = "") -> Exception:
    """A definition that cannot be used."""
    return mq_error(MQRC_CHANNEL_CONFIG_ERROR, verb="MQCONN", object=channel_name, detail=detail)


def checked_name(name: str) -> str:
    """The name of a channel, at most 20 characters."""
    if not 1 <= len(name) <= mq.MQ_CHANNEL_NAME_LENGTH or not name.isascii():
        raise config_error(f"'{name}' is not a channel name", name)
    return name


def checked_compression(words: str | None, allowed: tuple[str, ...]) -> str | None:
    """COMPHDR or COMPMSG: the words of a list, the preferred one first."""
    if words is None:
        return None
    found = [word.strip().upper() for word in words.split(",") if word.strip()]
    for word in found:
        if word not in allowed:
            raise config_error(f"compression {word} is not one of {', '.join(allowed)}")
    return ",".join(found)


def system_user() -> str:
    """The user of the process; its number where the name cannot be used, empty without one."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = ""
    if name and not user_name_fault(name):
        return name
    return str(os.getuid()) if hasattr(os, "getuid") else ""
