"""The delay header: ahead of the data of every message on SYSTEM.DDELAY.LOCAL.QUEUE; 548 bytes,
little endian. IBM MQ has a header there, too, and does not document it.

    at 0  eye-catcher "TDDH", 4 version u32, 8 length of the header u32, 12 flags of the message
          u32 (as in `values.entry`: 1 persistent, 2 PutDate and PutTime are its own, 16 reports),
          16 due i64, 24 put i64, 32 end of life i64 or 0: nanoseconds since 1970
      40  queue c48, 88 queue manager c48: as they were opened; 136 transmission queue c48, if the
          message was put by the name of another queue manager
     184  the MQMD of the message, version 2, canonical form

Properties of the message are beside the data, as they are on any queue. Instants are those that a
clock of ours can say, and the MQMD is one that a put makes: programs can put messages on that
queue, and what is delivered is not checked again.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import IntegrityError, MQError
from ternmq.codec.mqi.mqmd import BYTES_2, Descriptor
from ternmq.ports.clock import LATEST_NS

FORMAT: Final = "TERNDLAY"  # of the staged message
_EYE: Final = b"TDDH"
_VERSION: Final = 1
_HEAD: Final = struct.Struct("<4sIIIqqq48s48s48s")
NAME_BYTES: Final = 48
HEADER_BYTES: Final = _HEAD.size + BYTES_2
_FLAGS: Final = 1 | 2 | 16
_LIFE_NS_MAX: Final = (1 << 31) * 100_000_000  # Expiry counts tenths of a second in 31 bits
_IN_GROUP: Final = (
    mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP | mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT
)


@final
class DelayHeader:
    """When a message is due, where it goes, and its own descriptor."""

    __slots__ = ("descriptor", "due_ns", "expiry_at", "flags", "put_ns", "qmgr", "queue", "xmitq")

    def __init__(self, queue: str, qmgr: str, xmitq: str, due_ns: i64) -> None:
        self.queue = queue
        self.qmgr = qmgr
        self.xmitq = xmitq
        self.due_ns: i64 = due_ns
        self.put_ns: i64 = 0
        self.expiry_at: i64 = 0
        self.flags: i64 = 0
        self.descriptor = b""

    def pack(self) -> bytes:
        """The bytes of the header."""
        return (
            _HEAD.pack(
                _EYE,
                _VERSION,
                HEADER_BYTES,
                int(self.flags),
                int(self.due_ns),
                int(self.put_ns),
                int(self.expiry_at),
                _packed_name(self.queue),
                _packed_name(self.qmgr),
                _packed_name(self.xmitq),
            )
            + self.descriptor
        )


def _packed_name(name: str) -> bytes:
    """A name of another queue manager's queue may have any characters; none of ours has."""
    return name.encode("latin-1", "replace")[:NAME_BYTES].ljust(NAME_BYTES)


def unpack_delay_header(data: bytes) -> DelayHeader:
    """The header that a message begins with; IntegrityError if it does not."""
    if len(data) < HEADER_BYTES:
        raise IntegrityError(f"a delay header has {HEADER_BYTES} bytes, the message {len(data)}")
    eye, version, size, flags, due_ns, put_ns, expiry_at, *names = _HEAD.unpack_from(data)
    if eye != _EYE or version != _VERSION or size != HEADER_BYTES:
        raise IntegrityError(f"{eye!r}, version {version}, {size} bytes is not a delay header")
    if flags & ~_FLAGS:
        raise IntegrityError(f"a delay header with flags {flags:#x}")
    _check_times(due_ns, put_ns, expiry_at)
    descriptor = data[_HEAD.size : HEADER_BYTES]
    _check_descriptor(descriptor)
    queue, qmgr, xmitq = [one.rstrip(b" \0").decode("latin-1") for one in names]
    header = DelayHeader(queue, qmgr, xmitq, due_ns)
    header.put_ns = put_ns
    header.expiry_at = expiry_at
    header.flags = flags
    header.descriptor = descriptor
    return header


def _check_times(due_ns: int, put_ns: int, expiry_at: int) -> None:
    if not 0 <= put_ns <= due_ns <= LATEST_NS:
        raise IntegrityError(f"a delay header of a message put at {put_ns}, due at {due_ns}")
    if expiry_at and not 0 <= expiry_at - put_ns <= _LIFE_NS_MAX:
        raise IntegrityError(f"a delay header of a message put at {put_ns} until {expiry_at}")


def _check_descriptor(packed: bytes) -> None:
    """Whether a put makes such an MQMD."""
    try:
        md = Descriptor.unpack(packed)
    except MQError as error:
        raise IntegrityError(f"a delay header with no MQMD: {error}") from error
    found = (
        md.version == mq.MQMD_VERSION_2
        and md.priority >= 0
        and md.persistence in (mq.MQPER_NOT_PERSISTENT, mq.MQPER_PERSISTENT)
        and not md.msg_flags & _IN_GROUP
    )
    if not found:
        raise IntegrityError(
            f"a delay header with an MQMD of version {md.version}, Priority {md.priority}, "
            f"Persistence {md.persistence}, MsgFlags {md.msg_flags:#x}"
        )
