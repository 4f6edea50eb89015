"""`ternmq.connect`: by the local socket or by the network, for threads."""

from __future__ import annotations

import os
from typing import Unpack

from ternmq.api.connection import Connection
from ternmq.mqi.sharing import sharing
from ternmq.remote.application import application_name
from ternmq.remote.fap.connect import (
    ClientArguments,
    check_types,
    client_options_of,
    goes_by_network,
    options_besides,
    plan_for,
)
from ternmq.remote.local.folder_lookup import place_to_connect


def connect(
    name: str = "",
    *,
    user: str | None = None,
    password: str | None = None,
    application: str | None = None,
    options: int | None = None,
    data: str | os.PathLike[str] | None = None,
    **client_options: Unpack[ClientArguments],
) -> Connection:
    """Connect to a queue manager that strmqm has started on this machine, or to one on the network.

    Without a name it is the default one. It is looked for in the data folder: `data`, else
    TERNMQ_DATA, MQ_OVERRIDE_DATA_PATH or the user's own. The system says who the user is; another
    `user` needs its password, except for root and the queue manager's own user. `options` are MQCNO
    options.

    `channel="DEV.APP.SVRCONN", conn="host(1414)"` lead over the network, and so does `ccdt`, or
    what MQSERVER, MQCCDTURL and mqclient.ini say if there is no such queue manager here; for TLS
    there are `cipher`, `key_repository`, `certificate_label` and `peer_name`, for automatic
    reconnection `reconnect` and `on_event`. docs/applications/clients.md has them all.
    MQRC_Q_MGR_NAME_ERROR if there is none of that name, MQRC_Q_MGR_NOT_AVAILABLE if it is not
    running, MQRC_HOST_NOT_AVAILABLE if the host does not answer.
    """
    asked = client_options_of(client_options)
    check_types(name, user, password, application, options, data, asked)
    by_network = goes_by_network(name, asked, options, data)
    share = sharing(options_besides(options) if by_network else options)
    if by_network:
        plan = plan_for(name, asked, user, password, application_name(application), options)
        from ternmq.remote.fap.fap_threads import FapThreads, connected

        line, verbs = connected(plan)
        return Connection(FapThreads(line, verbs, share, plan))
    from ternmq.remote.local.local_threads import LocalThreads, hello

    place = place_to_connect(data, name)
    said = hello(user, password, application_name(application), options)
    return Connection(LocalThreads(place, said, share))
