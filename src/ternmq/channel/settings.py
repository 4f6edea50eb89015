"""What an agent needs of its channel's definition and of its queue manager, as plain values."""

from __future__ import annotations

from typing import final

from ternmq.ports.clock import Clock


@final
class ChannelSettings:
    """One end's own values, before both ends agree. The names are those of the attributes."""

    def __init__(self, name: str, kind: int, qmgr_name: str) -> None:
        self.name = name
        self.kind = kind  # of base.object_types: SENDER, SERVER, RECEIVER, REQUESTER
        self.qmgr_name = qmgr_name
        self.qmgr_id = ""
        self.product_id = ""
        self.process_id = 0
        self.number = 0  # of the instance
        self.address = ""  # of the partner, for messages
        self.started_s = 0  # seconds since 1970 when this instance was made, for LUWIDs
        self.ccsid = 0
        self.uncommitted_max = 10_000  # MAXUMSGS of the queue manager
        self.pipelines = False  # PipeLineLength is above 1
        self.batch_messages = 50  # BATCHSZ
        self.batch_kilobytes = 5000  # BATCHLIM; 0: no limit
        self.batch_interval_ms = 0  # BATCHINT
        self.batch_heartbeat_ms = 0  # BATCHHB
        self.disconnect_s = 6000  # DISCINT; 0: never
        self.heartbeat_s = 300  # HBINT
        self.sequence_wrap = 999_999_999  # SEQWRAP
        self.message_bytes_max = 4_194_304  # MAXMSGL
        self.segment_bytes_max = 32_748
        self.is_fast = True  # NPMSPEED(FAST)
        self.converts = False  # CONVERT(YES)
        self.property_control = 0  # PROPCTL, MQPROP_
        self.header_compression: list[int] = []  # MQCOMPRESS_, the preferred one first
        self.message_compression: list[int] = []
        self.message_retries = 10  # MRRTY
        self.message_retry_ms = 1000  # MRTMR
        self.clock: Clock | None = None  # for COMPTIME and EXITTIME
        self.callback_only = False  # a sender that a requester has called: it calls back
