"""Listeners, services, channels and connections: what the shell runs for a queue manager beside it.

The kernel only asks: `start` and `stop` answer "" or why not, and `running` says what runs. A queue
manager inside an application has none of it, which is what this class does; the server has its own.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr

from ternmq.kernel.channel_control import ChannelControl
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.ports.effect import Effect
from ternmq.store.catalog import Definition

LISTENERS: Final = "listener"
SERVICES: Final = "service"


@final
class RunningPart:
    """One listener or service that runs."""

    __slots__ = ("address", "backlog", "port", "process_id", "started_ns", "status")

    def __init__(self, status: str, process_id: int, started_ns: int) -> None:
        self.status = status  # RUNNING, STARTING, STOPPING, RETRYING
        self.process_id = process_id
        self.started_ns = started_ns
        # of a listener: where it listens, which its definition may leave open
        self.port = 0
        self.address = ""
        self.backlog = 0


# Kept with a channel's definition, so that they last; no command shows or sets them as attributes.
STOPPED_BY_COMMAND: Final = "stopped_by_command"  # or by an error that no retry heals
RETRIES_LEFT: Final = "retries_left"  # short and long, of a RETRYING channel
QUEUE_BEFORE: Final = "queue_before"  # name, GET and TRIGGER of the queue of a STOPPED channel
RESET_SEQUENCE: Final = "reset_sequence"  # RESETSEQ of DISPLAY CHANNEL, until the partner has it
RESOLVED_TOPIC: Final = "resolved_topic"  # of a subscription, as it was when it was defined
KEPT: Final = (STOPPED_BY_COMMAND, RETRIES_LEFT, QUEUE_BEFORE, RESET_SEQUENCE, RESOLVED_TOPIC)


@final
class Pinging(Effect):
    """PING CHANNEL under way: the network runs it, no thread of the shell does."""

    def __init__(self) -> None:
        super().__init__()
        self.claimed = True
        self.message_id = ""  # AMQ message that says why it failed; "": it is well
        self.inserts: tuple[object, ...] = ()


@mypyc_attr(allow_interpreted_subclasses=True)
class Parts:
    """What can be started and stopped here: nothing."""

    def __init__(self) -> None:
        # by space of names (listener, service), then by name
        self.running: dict[str, dict[str, RunningPart]] = {LISTENERS: {}, SERVICES: {}}
        self.instances: dict[int, ChannelInstance] = {}  # of channels, by their number
        self.control = ChannelControl(self.instances)
        self.has_channels = False  # whether channels between queue managers can be run here

    def start(self, space: str, definition: Definition) -> str:
        """Begin to start it; "" or why that is not possible."""
        return f"a queue manager inside an application has no {space}s"

    def stop(self, space: str, name: str) -> str:
        """Begin to stop it; "" or why that is not possible."""
        return f"a queue manager inside an application has no {space}s"

    def end_connection(self, connection_id: int) -> str:
        """Begin to cut a connection off; "" or why that is not possible."""
        return "a connection inside the application is ended by it"

    def stop_instances(self, instances: list[ChannelInstance], mode: int) -> None:
        """Begin to end instances of channels, with QUIESCE, FORCE or TERMINATE."""

    def look_at_channels(self) -> None:
        """`control` has something to be carried out."""

    def ping(self, channel: Definition, data: bytes) -> Pinging | None:
        """Begin to ping the other end; None: there is no network here."""
        return None

    def start_initiator(self, queue_name: str) -> None:
        """Begin to start a channel initiator; `control` lists it."""

    def stop_initiator(self, queue_name: str) -> None:
        """Begin to stop a channel initiator."""

    def refresh_tls(self) -> None:
        """Read certificates and keys again for the channels that start from now on."""


def is_stopped(channel: Definition) -> bool:
    """Whether STOP CHANNEL was the last word on it: it cannot be started, also after a restart."""
    return channel.attributes.get(STOPPED_BY_COMMAND) == 1
