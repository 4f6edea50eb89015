"""What qm.ini says about the network: the stanzas Channels, TCP and SSL."""

from __future__ import annotations

from dataclasses import dataclass

from ternmq.base.ini import IniFile

DEFAULT_PORT = 1414


@dataclass
class NetworkSettings:
    """As if qm.ini said nothing."""

    port: int = DEFAULT_PORT  # of a listener with PORT(0)
    backlog: int = 1024  # of a listener with BACKLOG(0); the system may allow less
    keep_alive: bool = False
    channels_max: int = 0  # MaxChannels; 0: as file descriptors allow
    adopts_early: bool = True  # ChlauthEarlyAdopt: CHLAUTH sees the user of the password
    allows_tls_1_3: bool = True


def read_network_settings(ini: IniFile) -> NetworkSettings:
    """The settings of a queue manager."""
    made = NetworkSettings()
    tcp = ini.first("TCP")
    if tcp is not None:
        port = tcp.get("Port")
        made.port = int(port) if port else made.port  # 0: one that the system chooses
        made.backlog = int(tcp.get("ListenerBacklog") or made.backlog)
        made.keep_alive = tcp.get("KeepAlive").lower() == "yes"
    channels = ini.first("Channels")
    if channels is not None:
        limits = [channels.get("MaxChannels"), channels.get("MaxActiveChannels")]
        made.channels_max = min((int(one) for one in limits if one), default=0)
        made.adopts_early = channels.get("ChlauthEarlyAdopt").upper() != "N"
    tls = ini.first("SSL")
    if tls is not None:
        made.allows_tls_1_3 = tls.get("AllowTLSV13").upper() not in ("NO", "N", "FALSE")
    return made
