"""A connection for tasks to a queue manager in another process."""

from __future__ import annotations

import os
from typing import Unpack

from ternmq.api.aio import Connection
from ternmq.api.aio_opening import Opening
from ternmq.mqi.options import refuse
from ternmq.mqi.sharing import BLOCK, sharing
from ternmq.remote.application import application_name
from ternmq.remote.fap.connect import (
    NO_CLIENT_OPTIONS,
    ClientArguments,
    ClientOptions,
    check_types,
    client_options_of,
    goes_by_network,
    options_besides,
    plan_for,
)
from ternmq.remote.local.folder_lookup import place_to_connect


async def open_connection(
    name: str,
    user: str | None,
    password: str | None,
    application: str | None,
    options: int | None,
    data: str | os.PathLike[str] | None,
    client_options: ClientOptions = NO_CLIENT_OPTIONS,
) -> Connection:
    """A connection for tasks to a queue manager in another process."""
    by_network = goes_by_network(name, client_options, options, data)
    share = sharing(options_besides(options) if by_network else options)
    if share == BLOCK:
        refuse("MQCONNX", "a task does not wait for another's verb: MQCNO_HANDLE_SHARE_BLOCK")
    if by_network:
        plan = plan_for(
            name, client_options, user, password, application_name(application), options
        )
        from ternmq.remote.fap.fap_tasks import FapTasks, connected_task

        line, fap_verbs = await connected_task(plan)
        return Connection(FapTasks(line, fap_verbs, share, plan))
    from ternmq.remote.local.local_tasks import LocalTasks, opened_stream, said_hello
    from ternmq.remote.local.local_threads import hello
    from ternmq.remote.local.local_verbs import LocalVerbs

    place = place_to_connect(data, name)
    stream = await opened_stream(place)
    try:
        said = hello(user, password, application_name(application), options)
        verbs = LocalVerbs(await said_hello(stream, said, place.name))
    except BaseException:
        stream.close()
        raise
    return Connection(LocalTasks(stream, verbs, share))


def connect(
    name: str = "",
    *,
    user: str | None = None,
    password: str | None = None,
    application: str | None = None,
    options: int | None = None,
    data: str | os.PathLike[str] | None = None,
    **client_options: Unpack[ClientArguments],
) -> Opening[Connection]:
    """A connection by the name of a queue manager, with `async with` or `await`; arguments as those
    of `ternmq.connect`."""
    asked = client_options_of(client_options)
    check_types(name, user, password, application, options, data, asked)
    return Opening(open_connection(name, user, password, application, options, data, asked))
