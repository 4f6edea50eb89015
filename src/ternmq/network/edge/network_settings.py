"""What qm.ini says about the network: the stanzas Channels, TCP and SSL."""

from __future__ import annotations

from dataclasses import dataclass

from ternmq.base.ini import IniFile
from ternmq.ports.os_exit_files import exits_path

DEFAULT_PORT = 1414
CONNECT_S_USUAL = 30.0
ADOPT_CHECKS = ("NAME", "ADDRESS", "QM")
ADOPTABLE = ("SVR", "SDR", "RCVR", "CLUSRCVR")


@dataclass
class NetworkSettings:
    """As if qm.ini said nothing."""

    port: int = DEFAULT_PORT  # of a listener with PORT(0)
    backlog: int = 1024  # of a listener with BACKLOG(0); the system may allow less
    keep_alive: bool = False
    channels_max: int = 0  # MaxChannels, those that are current; 0: as file descriptors allow
    active_max: int = 0  # MaxActiveChannels; 0: as MaxChannels
    initiators_max: int = 3  # MaxInitiators; more than three are never allowed
    adopts_early: bool = True  # ChlauthEarlyAdopt: CHLAUTH sees the user of the password
    allows_tls_1_3: bool = True
    connect_s: float = CONNECT_S_USUAL  # Connect_Timeout; 0 is as if it were not there
    pipelines: bool = False  # PipeLineLength is above 1
    adopts: frozenset[str] = frozenset()  # AdoptNewMCA: types of channels
    adopt_checks: frozenset[str] = frozenset(ADOPT_CHECKS)
    adopt_s: int = 60  # AdoptNewMCATimeout
    exits_path: str = ""  # ExitPath: the folder for exits; "": in the queue manager's own


def read_network_settings(ini: IniFile) -> NetworkSettings:
    """The settings of a queue manager."""
    made = NetworkSettings()
    tcp = ini.first("TCP")
    if tcp is not None:
        port = tcp.get("Port")
        made.port = int(port) if port else made.port  # 0: one that the system chooses
        made.backlog = int(tcp.get("ListenerBacklog") or made.backlog)
        made.connect_s = float(tcp.get("Connect_Timeout") or 0) or made.connect_s
        made.keep_alive = tcp.get("KeepAlive").lower() == "yes"
    channels = ini.first("Channels")
    if channels is not None:
        made.channels_max = int(channels.get("MaxChannels") or 0)
        made.active_max = int(channels.get("MaxActiveChannels") or 0)
        made.initiators_max = int(channels.get("MaxInitiators") or made.initiators_max)
        made.adopts_early = channels.get("ChlauthEarlyAdopt").upper() != "N"
        made.pipelines = int(channels.get("PipeLineLength") or 1) > 1
        made.adopts = _chosen(channels.get("AdoptNewMCA"), ADOPTABLE, frozenset())
        made.adopt_checks = _chosen(
            channels.get("AdoptNewMCACheck"), ADOPT_CHECKS, made.adopt_checks
        )
        made.adopt_s = int(channels.get("AdoptNewMCATimeout") or made.adopt_s)
    made.exits_path = exits_path(ini)
    tls = ini.first("SSL")
    if tls is not None:
        made.allows_tls_1_3 = tls.get("AllowTLSV13").upper() not in ("NO", "N", "FALSE")
    return made


def _chosen(text: str, words: tuple[str, ...], usual: frozenset[str]) -> frozenset[str]:
    """The words of a list; ALL is all of them, NO or NONE is nothing."""
    given = {one.strip().upper() for one in text.split(",") if one.strip()}
    if not given:
        return usual
    return frozenset(words) if "ALL" in given else frozenset(given.intersection(words))
