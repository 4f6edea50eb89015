"""mqclient.ini: what an administrator says about clients, and the variables that count more.

It is looked for at MQCLNTCF, else as `mqclient.ini` in the current folder, the data folder and the
user's home; the first that is there is the one. A variable of the environment counts more than the
attribute of the same meaning:

    MQSERVER              CHANNELS ServerConnectionParms     channel/TCP/host(port)
    MQCCDTURL             -                                  where the CCDT is
    MQCHLLIB, MQCHLTAB    CHANNELS ChannelDefinitionDirectory, ChannelDefinitionFile
    MQSSLKEYR             SSL SSLKeyRepository
    MQCERTLABL            SSL CertificateLabel

Also read: CHANNELS DefRecon, ReconDelay and MQReconnectTimeout; TCP Connect_Timeout and KeepAlive;
SSL OutboundSNI and SSLKeyRepositoryPassword; MessageBuffer MaximumSize; Multicast Interface,
SocketTTL, Loop and HeartbeatTimeout. Exits are code that this client cannot run: PreConnect is
refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from ternmq.base import constants as mq
from ternmq.base.ini import IniError, IniFile
from ternmq.remote.fap.client_channel import (
    ClientChannel,
    MulticastSettings,
    addresses_of,
    checked_name,
    config_error,
)
from ternmq.remote.fap.client_dialogue import WINDOW_BYTES_USUAL
from ternmq.remote.fap.endpoint import CONNECT_S_USUAL, TlsSettings
from ternmq.remote.local.folder_lookup import data_folder, read_ini

NAME: Final = "mqclient.ini"
TABLE_USUAL: Final = "AMQCLCHL.TAB"
RECONNECT_S_USUAL: Final = 1800.0
_RECONNECTS: Final[dict[str, int]] = {
    "NO": 0,
    "YES": mq.MQCNO_RECONNECT,
    "QMGR": mq.MQCNO_RECONNECT_Q_MGR,
    "DISABLED": mq.MQCNO_RECONNECT_DISABLED,
}
_DELAY: Final = re.compile(r"\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")


class Delay(NamedTuple):
    """How long to wait before another try: so many milliseconds and up to so many more."""

    ms: int
    random_ms: int


# The delays that IBM MQ documents: 1, 2, 4, 8, 16 and from then on 25 seconds.
DELAYS_USUAL: Final = (
    Delay(1000, 200),
    Delay(2000, 200),
    Delay(4000, 1000),
    Delay(8000, 2000),
    Delay(16_000, 4000),
    Delay(25_000, 6000),
)


class ClientSettings(NamedTuple):
    """What is set for all clients of this environment."""

    server: ClientChannel | None = None  # MQSERVER
    table: str = ""  # where the CCDT is
    tls: TlsSettings = TlsSettings()
    certificate_label: str = ""
    connect_s: float = CONNECT_S_USUAL
    keep_alive: bool = False
    reconnect: int | None = None  # DefRecon
    delays: tuple[Delay, ...] = DELAYS_USUAL
    reconnect_s: float = RECONNECT_S_USUAL
    window_bytes: int = WINDOW_BYTES_USUAL
    multicast: MulticastSettings = MulticastSettings()
    exits_folder: str = ""


def client_ini(environment: Mapping[str, str]) -> IniFile:
    """The file that counts; empty if there is none."""
    given = environment.get("MQCLNTCF", "")
    if given:
        path = given.removeprefix("file://")
        if not os.path.exists(path):
            raise config_error(f"MQCLNTCF: there is no {path}")
        return read_ini(path)
    for folder in (os.curdir, data_folder(), os.path.expanduser("~")):
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            return read_ini(path)
    return IniFile("", NAME)


def client_settings(environment: Mapping[str, str] | None = None) -> ClientSettings:
    """The settings of an environment; MQRC_CHANNEL_CONFIG_ERROR if they cannot be."""
    env = os.environ if environment is None else environment
    try:
        return _settings(env, client_ini(env))
    except IniError as error:
        raise config_error(str(error)) from error


def _settings(env: Mapping[str, str], ini: IniFile) -> ClientSettings:
    if ini.first("PreConnect") is not None:
        raise config_error(f"{ini.file}: PreConnect exits cannot be run")
    server = env.get("MQSERVER", "") or _get(ini, "CHANNELS", "ServerConnectionParms")
    keys = env.get("MQSSLKEYR", "") or _get(ini, "SSL", "SSLKeyRepository")
    sni = _get(ini, "SSL", "OutboundSNI").upper() or "CHANNEL"
    tls = TlsSettings(
        keys,
        env.get("MQKEYRPWD", "") or _get(ini, "SSL", "SSLKeyRepositoryPassword"),
        _one_of(ini, "OutboundSNI", sni, ("CHANNEL", "HOSTNAME")) == "HOSTNAME",
    )
    recon = _get(ini, "CHANNELS", "DefRecon").upper()
    keep_alive = _get(ini, "TCP", "KeepAlive").upper() or "NO"
    buffer_kb = _number(ini, "MessageBuffer", "MaximumSize", WINDOW_BYTES_USUAL >> 10)
    return ClientSettings(
        server_channel(server) if server else None,
        _table(env, ini),
        tls,
        env.get("MQCERTLABL", "") or _get(ini, "SSL", "CertificateLabel"),
        float(_number(ini, "TCP", "Connect_Timeout", 0)) or CONNECT_S_USUAL,
        _one_of(ini, "KeepAlive", keep_alive, ("YES", "NO")) == "YES",
        _RECONNECTS[_one_of(ini, "DefRecon", recon, tuple(_RECONNECTS))] if recon else None,
        delays_of(_get(ini, "CHANNELS", "ReconDelay"), ini.file),
        float(_number(ini, "CHANNELS", "MQReconnectTimeout", int(RECONNECT_S_USUAL))),
        max(buffer_kb, 1) << 10,
        _multicast(ini, max(buffer_kb, 1) << 10),
        _exits_folder(ini),
    )


def _exits_folder(ini: IniFile) -> str:
    """ClientExitPath; else the folder `exits` in the data folder."""
    stanza = "ClientExitPath"
    given = _get(ini, stanza, "ExitsDefaultPath64") or _get(ini, stanza, "ExitsDefaultPath")
    return given or os.path.join(data_folder(), "exits")


def _multicast(ini: IniFile, buffer_bytes: int) -> MulticastSettings:
    usual = MulticastSettings()
    ttl = _number(ini, "Multicast", "SocketTTL", usual.ttl)
    if not 0 <= ttl <= 255:
        raise config_error(f"{ini.file}: SocketTTL={ttl} is not in 0 to 255")
    return MulticastSettings(
        _get(ini, "Multicast", "Interface"),
        ttl,
        _number(ini, "Multicast", "Loop", int(usual.loop)) != 0,
        _number(ini, "Multicast", "HeartbeatTimeout", usual.timeout_ms),
        buffer_bytes,
    )


def _get(ini: IniFile, stanza: str, name: str) -> str:
    found = ini.first(stanza)
    return "" if found is None else found.get(name).strip()


def _number(ini: IniFile, stanza: str, name: str, otherwise: int) -> int:
    text = _get(ini, stanza, name)
    if not text:
        return otherwise
    if not text.isdecimal():
        raise config_error(f"{ini.file}: {name}={text} is not a number")
    return int(text)


def _one_of(ini: IniFile, name: str, value: str, words: tuple[str, ...]) -> str:
    if value not in words:
        raise config_error(f"{ini.file}: {name}={value} is not one of {', '.join(words)}")
    return value


def _table(env: Mapping[str, str], ini: IniFile) -> str:
    url = env.get("MQCCDTURL", "")
    folder = env.get("MQCHLLIB", "") or _get(ini, "CHANNELS", "ChannelDefinitionDirectory")
    name = env.get("MQCHLTAB", "") or _get(ini, "CHANNELS", "ChannelDefinitionFile")
    if url:
        return url
    if not folder and not name:
        return ""
    name = name or TABLE_USUAL
    if "://" in folder:
        return folder.rstrip("/") + "/" + name
    return os.path.join(folder or data_folder(), name)


def server_channel(text: str) -> ClientChannel:
    """MQSERVER: channel/TCP/connection name."""
    name, _, rest = text.partition("/")
    transport, slash, conn = rest.partition("/")
    if not slash or transport.upper() != "TCP":
        raise config_error(f"MQSERVER={text} is not channel/TCP/host(port)")
    return ClientChannel(checked_name(name), addresses_of(conn, name))


def delays_of(text: str, file: str = NAME) -> tuple[Delay, ...]:
    """ReconDelay: (ms, random ms) one after the other."""
    if not text:
        return DELAYS_USUAL
    found = _DELAY.findall(text)
    if not found or _DELAY.sub("", text).strip():
        raise config_error(f"{file}: ReconDelay={text} is not (delay,random)(delay,random)...")
    return tuple(Delay(int(one), int(more or 0)) for one, more in found)
