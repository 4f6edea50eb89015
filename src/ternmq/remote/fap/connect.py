"""Connecting over MQ's client protocol: from what an application says to a connection."""

from __future__ import annotations

import os
from typing import Any, Final, NamedTuple, TypedDict

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.ini import IniError
from ternmq.base.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_NOT_AUTHORIZED,
    MQRC_OPTIONS_ERROR,
)
from ternmq.base.user_names import user_name_fault
from ternmq.remote.fap.ccdt import read_table, without_password
from ternmq.remote.fap.channel_choice import CHOICES, asked_name, matching
from ternmq.remote.fap.client_channel import (
    HEADER_COMPRESSIONS,
    MESSAGE_COMPRESSIONS,
    ClientChannel,
    addresses_of,
    checked_compression,
    checked_name,
    system_user,
)
from ternmq.remote.fap.client_dialogue import ConnectParameters
from ternmq.remote.fap.client_ini import ClientSettings, client_settings
from ternmq.remote.fap.endpoint import FapEndpoint, TlsSettings
from ternmq.remote.fap.reconnect import WORDS, EventListener, Plan, reconnecting
from ternmq.remote.local.folder_lookup import cannot_connect, data_folder, default_name, places


class ClientArguments(TypedDict, total=False):
    """The arguments of `connect` that are about the network; see `Way`."""

    channel: str | None
    conn: str | None
    ccdt: str | os.PathLike[str] | None
    cipher: str | None
    peer_name: str | None
    key_repository: str | os.PathLike[str] | None
    key_password: str | None
    certificate_label: str | None
    reconnect: bool | str | None
    on_event: EventListener | None
    connect_timeout: float | None
    heartbeat: int | None
    sharing: int | None
    header_compression: str | None
    message_compression: str | None


class ClientOptions(NamedTuple):
    """What an application says about the way to its queue manager; None: as is set elsewhere."""

    channel: str | None = None
    conn: str | None = None
    ccdt: str | os.PathLike[str] | None = None
    cipher: str | None = None
    peer_name: str | None = None
    key_repository: str | os.PathLike[str] | None = None
    key_password: str | None = None
    certificate_label: str | None = None
    reconnect: bool | str | None = None
    on_event: EventListener | None = None
    connect_timeout: float | None = None
    heartbeat: int | None = None
    sharing: int | None = None
    header_compression: str | None = None
    message_compression: str | None = None

    @property
    def is_given(self) -> bool:
        """Whether the application wants the network."""
        return self.channel is not None or self.conn is not None or self.ccdt is not None


def client_options_of(given: ClientArguments) -> ClientOptions:
    """What an application has given; TypeError for an argument that `connect` does not have."""
    known = ("name", "user", "password", "application", "options", "data", *ClientOptions._fields)
    for name in given:
        if name not in ClientOptions._fields:
            from ternmq.base.similar import did_you_mean  # few make a mistake

            hint = did_you_mean(name, known) or f"It has {', '.join(known)}."
            raise TypeError(f"connect has no argument '{name}'. {hint}")
    return ClientOptions(**given)


_PATH: Final = (str, os.PathLike)
_NUMBER: Final = (int, float)
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "options": (int,),
    "data": _PATH,
    "ccdt": _PATH,
    "key_repository": _PATH,
    "reconnect": (bool, str),
    "on_event": (object,),
    "connect_timeout": _NUMBER,
    "heartbeat": (int,),
    "sharing": (int,),
}


def check_types(
    name: str,
    user: str | None,
    password: str | None,
    application: str | None,
    options: int | None,
    data: str | os.PathLike[str] | None,
    client_options: ClientOptions,
) -> None:
    """TypeError for an argument of another type, before it is used anywhere: what is sent in its
    place would be refused with a reason that does not name it."""
    given: dict[str, object] = {
        "name": name,
        "user": user,
        "password": password,
        "application": application,
        "options": options,
        "data": data,
        **client_options._asdict(),
    }
    for argument, value in given.items():
        if value is None and argument != "name":
            continue
        if not isinstance(value, _TYPES.get(argument, (str,))):
            from ternmq.api.wrong_arguments import connect_error  # few make a mistake

            raise connect_error(argument, value)


NO_CLIENT_OPTIONS: Final = ClientOptions()
_NOT_STANDARD: Final = (
    mq.MQCNO_FASTPATH_BINDING
    | mq.MQCNO_SHARED_BINDING
    | mq.MQCNO_ISOLATED_BINDING
    | mq.MQCNO_LOCAL_BINDING
    | mq.MQCNO_CLIENT_BINDING
)


def goes_by_network(
    name: str,
    client_options: ClientOptions,
    options: int | None,
    data: str | os.PathLike[str] | None,
) -> bool:
    """Whether a queue manager is to be reached over the network.

    What the application says counts first, then MQ_CONNECT_TYPE; else a queue manager of that name
    in the data folder is the one, and if there is none, the environment's channels are tried.
    """
    if client_options.is_given:
        return True
    given = options or 0
    kind = os.environ.get("MQ_CONNECT_TYPE", "").upper()
    if given & _NOT_STANDARD:
        kind = ""  # which is for standard bindings alone
    if given & mq.MQCNO_CLIENT_BINDING or kind == "CLIENT":
        return True
    if given & mq.MQCNO_LOCAL_BINDING or kind in ("LOCAL", "STANDARD") or data is not None:
        return False
    if _is_here(name):
        return False
    return has_channels()


def _is_here(name: str) -> bool:
    folder = data_folder()
    try:
        wanted = name or default_name(folder)
        return any(place.name == wanted for place in places(folder))
    except (OSError, IniError) as error:
        raise cannot_connect(name, error) from error


_CLIENT_OPTIONS: Final = (
    mq.MQCNO_CLIENT_BINDING
    | mq.MQCNO_RECONNECT
    | mq.MQCNO_RECONNECT_Q_MGR
    | mq.MQCNO_CD_FOR_OUTPUT_ONLY
    | mq.MQCNO_USE_CD_SELECTION
)


def options_besides(options: int | None) -> int | None:
    """MQCNO options without those about the network, which other connections refuse."""
    return None if options is None else options & ~_CLIENT_OPTIONS


def has_channels() -> bool:
    """Whether the environment says where queue managers are."""
    settings = client_settings()
    return settings.server is not None or settings.table != ""


def connect_parameters(
    qmgr_name: str,
    user: str | None,
    password: str | None,
    application: str,
    options: int | None,
) -> ConnectParameters:
    """The user that connects; without a password it is claimed, not proved."""
    system = system_user()
    fault = user_name_fault(user or "")
    if fault:
        raise mq_error(MQRC_NOT_AUTHORIZED, verb="MQCONN", object=qmgr_name, detail=fault)
    if password is None:
        return ConnectParameters(qmgr_name, user or system, "", None, application, options or 0)
    return ConnectParameters(qmgr_name, system, user or system, password, application, options or 0)


def planned(name: str, client_options: ClientOptions, parameters: ConnectParameters) -> Plan:
    """The definitions to try, and everything about each."""
    settings = client_settings()
    found = definitions(name, client_options, settings)
    options = parameters.options | reconnect_options(client_options.reconnect)
    ordered = CHOICES.order(name, found) if len(found) > 1 else found
    tls = settings.tls
    if client_options.key_repository is not None:
        tls = TlsSettings(
            os.fspath(client_options.key_repository),
            client_options.key_password or "",
            tls.is_host_named,
        )
    connect_s = (
        settings.connect_s
        if client_options.connect_timeout is None
        else client_options.connect_timeout
    )
    parameters = parameters._replace(
        window_bytes=settings.window_bytes, multicast=settings.multicast
    )
    shares = not options & mq.MQCNO_NO_CONV_SHARING
    endpoints = tuple(
        FapEndpoint(
            _completed(one, client_options, settings),
            parameters,
            tls,
            connect_s,
            shares and one.exits.is_empty,
        )
        for one in ordered
    )
    reconnect = reconnecting(options, ordered[0], settings)
    return Plan(
        endpoints,
        settings,
        reconnect,
        client_options.on_event,
        lambda channel: CHOICES.failed(name, found, channel),
    )


def definitions(
    name: str, client_options: ClientOptions, settings: ClientSettings
) -> list[ClientChannel]:
    """The channels that a name and a way lead to."""
    if client_options.channel is not None and client_options.conn is not None:
        channel = checked_name(client_options.channel)
        return [ClientChannel(channel, addresses_of(client_options.conn, channel))]
    if client_options.ccdt is None and (
        client_options.channel is not None or client_options.conn is not None
    ):
        lacking = "conn='host(port)'" if client_options.conn is None else "channel='NAME'"
        detail = f"channel and conn go together: give {lacking} as well, or neither"
        raise mq_error(MQRC_CHANNEL_CONFIG_ERROR, verb="MQCONN", detail=detail)
    if client_options.ccdt is None and settings.server is not None:
        return [settings.server]
    table = settings.table if client_options.ccdt is None else os.fspath(client_options.ccdt)
    if not table:
        raise mq_error(
            MQRC_CHANNEL_CONFIG_ERROR,
            verb="MQCONN",
            object=name,
            detail="neither a channel nor MQSERVER nor a CCDT says where it is",
        )
    found = read_table(table)
    if client_options.channel is not None:
        found = [one for one in found if one.name == client_options.channel]
    return matching(found, name, without_password(table))


def _completed(
    channel: ClientChannel, client_options: ClientOptions, settings: ClientSettings
) -> ClientChannel:
    """A definition with what the application or mqclient.ini says beside."""
    changes: dict[str, Any] = {
        field: given
        for field, given in (
            ("cipher", client_options.cipher),
            ("peer_name", client_options.peer_name),
            ("certificate_label", client_options.certificate_label),
            ("heartbeat_s", client_options.heartbeat),
            ("sharing", client_options.sharing),
            (
                "header_compression",
                checked_compression(client_options.header_compression, HEADER_COMPRESSIONS),
            ),
            (
                "message_compression",
                checked_compression(client_options.message_compression, MESSAGE_COMPRESSIONS),
            ),
        )
        if given is not None
    }
    if not channel.certificate_label and client_options.certificate_label is None:
        changes["certificate_label"] = settings.certificate_label
    if settings.keep_alive:
        changes["keep_alive"] = True
    if not channel.exits.is_empty:
        changes["exits"] = channel.exits._replace(folder=settings.exits_folder)
        changes["sharing"] = min(changes.get("sharing", channel.sharing), 1)
    return channel._replace(**changes)


def reconnect_options(given: bool | str | None) -> int:
    """The argument as MQCNO options."""
    if given is None:
        return 0
    if isinstance(given, bool):
        return mq.MQCNO_RECONNECT if given else mq.MQCNO_RECONNECT_DISABLED
    if given not in WORDS:
        detail = f"reconnect is {given!r}, not one of {', '.join(WORDS)}"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQCONNX", detail=detail)
    return WORDS[given]


def plan_for(
    name: str,
    client_options: ClientOptions,
    user: str | None,
    password: str | None,
    application: str,
    options: int | None,
) -> Plan:
    """All about a connection that an application asks for."""
    parameters = connect_parameters(asked_name(name), user, password, application, options)
    return planned(name, client_options, parameters)
