"""The exits that a channel's definition names, for one instance of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.base.object_types import BY_BIT
from ternmq.channel.exit_chain import Exit, Exits
from ternmq.channel.exit_points import ExitChain, ExitEnds
from ternmq.channel.exit_structures import MQCD, data_in, definition_of, names_in
from ternmq.network.channels.definition_settings import compressions_of
from ternmq.ports.clock import Clock
from ternmq.ports.os_exit_files import ExitFiles, NotUsable
from ternmq.store.catalog import Definition
from ternmq.wire.fap.vocabulary import CLOSED_BY_EXIT

# The attributes with names and with data, in the order in which exits are initialized.
_KINDS: Final = (
    (mq.MQXT_CHANNEL_SEC_EXIT, "security_exit", "security_exit_data"),
    (mq.MQXT_CHANNEL_MSG_EXIT, "message_exit", "message_exit_data"),
    (mq.MQXT_CHANNEL_SEND_EXIT, "send_exit", "send_exit_data"),
    (mq.MQXT_CHANNEL_RCV_EXIT, "receive_exit", "receive_exit_data"),
    (mq.MQXT_CHANNEL_MSG_RETRY_EXIT, "retry_exit", "retry_exit_data"),
)


def exits_of(
    files: ExitFiles, channel: Definition, qmgr_name: str, issuer: str, clock: Clock
) -> ExitChain:
    """The chain of a channel; ExitEnds if an exit cannot be loaded."""
    given = channel.attributes
    found: list[Exit] = []
    for exit_id, exits, data in _KINDS:
        names = names_in(given.get(exits))
        values = data_in(given.get(data), len(names))
        for at, name in enumerate(names):
            function = loaded(files, channel.name, name)
            found.append(Exit(exit_id, name, function, values[at], at + 1))
    if not found:
        return ExitChain()
    made = Exits(channel.name, mqcd_of(channel, qmgr_name), found, clock)
    made.partner_issuer = issuer
    return made


def loaded(files: ExitFiles, channel: str, name: str) -> Callable[..., Any]:
    """The function of an exit."""
    try:
        return files.function(name)
    except NotUsable as why:
        raise ExitEnds("AMQ9535E", (channel, name, str(why)), CLOSED_BY_EXIT) from why


def mqcd_of(channel: Definition, qmgr_name: str) -> MQCD:
    """The MQCD of a definition."""
    return definition_of(
        channel.name,
        BY_BIT[channel.object_type].subtype,
        qmgr_name,
        channel.attributes,
        compressions_of(channel, "header_compression"),
        compressions_of(channel, "message_compression"),
    )
