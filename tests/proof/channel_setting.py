"""What the cells of the matrix of channels begin with: shapes of batches, settings, disks."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

from ternmq.api import definitions
from ternmq.base import object_types as kinds
from ternmq.channel.settings import ChannelSettings
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.channel_node import define_channel, define_remote
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import Image, SimDisk
from tests.proof.channel_steps import Step

CHANNEL: Final = "QM1.QM2"
SENDER: Final = "QM1"
RECEIVER: Final = "QM2"
PAIR: Final = {SENDER: RECEIVER, RECEIVER: SENDER}
TARGET: Final = "TARGET"
DEAD: Final = "DEAD"
REMOTE: Final = "REMOTE"


@dataclass(frozen=True)
class Shape:
    """Which messages a batch has."""

    name: str
    messages: int
    size: int
    mixed: bool = False
    log_pages: int = 16
    wrap: int = 999_999_999

    def is_persistent(self, number: int) -> bool:
        return not self.mixed or number % 2 == 0

    def is_counted(self, number: int) -> bool:
        """Whether it is sent under syncpoint: others are fast, and may be lost."""
        return self.is_persistent(number)


SHAPES: Final = (
    Shape("one message", 1, 100),
    # Sequence numbers wrap with each batch, so that only LUWIDs tell one from another.
    Shape("full batch", 5, 100, wrap=5),
    Shape("one segmented message", 1, 200_000, log_pages=64),
    Shape("persistent and not", 6, 100, mixed=True),
)
LONG: Final = Shape("one segmented message of 4 MB", 1, 4_190_000, log_pages=1024)
PLAIN: Final = Shape("plain", 3, 10)
# Types of the two ends, and whether the sending one calls.
KINDS: Final = {
    "sender-receiver": (kinds.SENDER, kinds.RECEIVER, True),
    "requester-server": (kinds.SERVER, kinds.REQUESTER, False),
    "server-receiver": (kinds.SERVER, kinds.RECEIVER, True),
}


def settings_for(name: str, kind: int, qmgr_name: str, shape: Shape, step: Step) -> ChannelSettings:
    """The values of one end. What a step does not need does not happen."""
    settings = ChannelSettings(name, kind, qmgr_name)
    settings.qmgr_id = f"{qmgr_name}_ID"
    settings.product_id = "MQMM09040000"
    settings.ccsid = 1208
    settings.batch_messages = 5
    settings.heartbeat_s = 2
    settings.disconnect_s = 0
    settings.sequence_wrap = shape.wrap
    settings.message_retries = 2
    settings.message_retry_ms = 50
    settings.message_bytes_max = 8 << 20
    settings.segment_bytes_max = 32_748
    if step is Step.BATCH_HEARTBEAT:
        # The batch is held open for longer than the partner may be silent.
        settings.batch_heartbeat_ms = 100
        settings.batch_interval_ms = 300
        settings.batch_messages = 50
    if step is Step.DISCONNECT:
        settings.disconnect_s = 1
        settings.heartbeat_s = 10
    return settings


@functools.lru_cache(maxsize=8)
def images(kind: str, log_pages: int) -> dict[str, Image]:
    """The disks of two queue managers with their queues and the channel."""
    sender, receiver, _ = KINDS[kind]
    return {
        SENDER: _image(SENDER, sender, log_pages),
        RECEIVER: _image(RECEIVER, receiver, log_pages),
    }


def _image(name: str, kind: int, log_pages: int) -> Image:
    partner = PAIR[name]
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, log_pages, False), name)
    machine = Machine(disk)
    for queue in (TARGET, DEAD):
        machine.define(queue, max_message_length=100 << 20)
    machine.define(partner, usage="XMITQ", max_message_length=100 << 20)
    for call in (
        define_remote(REMOTE, TARGET, partner),
        definitions.alter_qmgr(name, {"dead_letter_queue": DEAD}),
        define_channel(CHANNEL, kind, partner),
    ):
        machine.drive(machine.verbs.run(machine.link, call))
    machine.checkpoint()
    return disk.settled().image()
