"""UDP sockets of a multicast group: one that receives, one that sends."""

from __future__ import annotations

import socket
import sys
from typing import Final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_MULTICAST_INTERFACE_ERROR
from ternmq.remote.fap.client_channel import MulticastSettings

_BUFFER_BYTES: Final = 4 << 20
_LOOPBACK: Final = "127.0.0.1"
_ANY: Final = "0.0.0.0"  # the system chooses the interface


def interface_of(settings: MulticastSettings, local_host: str) -> str:
    """The address of the interface that multicast goes by: the one that is set, else that of the
    connection to the queue manager."""
    if settings.interface:
        return settings.interface
    host = local_host.removeprefix("::ffff:").partition("%")[0]
    if host == "::1":
        return _LOOPBACK
    return host if host and ":" not in host else _ANY


def receiving_socket(group: str, port: int, interface: str) -> socket.socket:
    """A socket that gets what is sent to the group; others on this machine may have one, too."""
    made = _udp("MQSUB", group, port, interface)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        # Bound to the group, Linux hands over nothing of other groups on the same port.
        made.bind((group if sys.platform == "linux" else "", port))
        member = socket.inet_aton(group) + socket.inet_aton(interface)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        made.setblocking(False)
    except OSError as error:
        made.close()
        raise _unusable("MQSUB", group, port, interface, error) from error
    return made


def sending_socket(
    group: str, port: int, interface: str, settings: MulticastSettings
) -> socket.socket:
    """A socket that sends to the group, and gets what receivers ask for at its own port."""
    made = _udp("MQOPEN", group, port, interface)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(interface))
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, settings.ttl)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, int(settings.loop))
        made.bind((interface, 0))
    except OSError as error:
        made.close()
        raise _unusable("MQOPEN", group, port, interface, error) from error
    return made


def _udp(verb: str, group: str, port: int, interface: str) -> socket.socket:
    try:
        return socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_UDP)
    except OSError as error:  # this process may have no more
        raise _unusable(verb, group, port, interface, error) from error


def _unusable(verb: str, group: str, port: int, interface: str, error: OSError) -> MQError:
    detail = f"group {group}({port}) by interface {interface}: {error.strerror}"
    return mq_error(MQRC_MULTICAST_INTERFACE_ERROR, verb=verb, detail=detail)
