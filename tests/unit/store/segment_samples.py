"""Messages and segments for the tests of this folder."""

from ternmq.codec.message_image import (
    CORREL_ID_OFFSET,
    GROUP_ID_OFFSET,
    ID_BYTES,
    MQMD_BYTES,
    MSG_ID_OFFSET,
    pack_header,
)
from ternmq.ports.disk import Disk, DiskFile
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.store.segment_file import write_segment
from ternmq.store.segment_format import SegmentBuilder

NO_ID = bytes(ID_BYTES)
PATH = "queues/APP.IN/S0000000003.seg"


class Sample:
    """One message, as a test knows it."""

    def __init__(
        self,
        number: int,
        data: bytes,
        *,
        sequence: int = 0,
        expiry_at: int = 0,
        priority: int = 4,
        flags: int = 1,
        msg_id: bytes = NO_ID,
        correl_id: bytes = NO_ID,
        group_id: bytes = NO_ID,
        properties: bytes = b"",
    ) -> None:
        self.number = number
        self.data = data
        self.properties = properties
        self.sequence = sequence or number + 1000
        self.expiry_at = expiry_at
        self.priority = priority
        self.flags = flags
        self.ids = [msg_id, correl_id, group_id]
        mqmd = bytearray(b"\xa5" * MQMD_BYTES)
        for at, identifier in zip(
            (MSG_ID_OFFSET, CORREL_ID_OFFSET, GROUP_ID_OFFSET), self.ids, strict=True
        ):
            mqmd[at : at + ID_BYTES] = identifier
        self.mqmd = bytes(mqmd)
        self.header = pack_header(
            number,
            self.sequence,
            17,
            expiry_at,
            len(data),
            priority,
            flags,
            0,
            4096,
            len(properties),
        )
        self.head = self.header + self.mqmd + properties
        self.image = self.head + data


def message_id(number: int) -> bytes:
    """As a queue manager makes them: only the last bytes differ."""
    return b"AMQ QM1         " + number.to_bytes(8, "big")


def built(samples: list[Sample], segment_number: int = 3) -> SegmentBuilder:
    builder = SegmentBuilder(77, 5, segment_number, 2)
    for sample in samples:
        msg_id, correl_id, group_id = sample.ids
        builder.add(
            sample.header,
            sample.mqmd,
            sample.properties,
            sample.data,
            sample.number,
            sample.sequence,
            sample.expiry_at,
            sample.priority,
            sample.flags,
            msg_id,
            correl_id,
            group_id,
        )
    return builder


def folder() -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_dir("queues/APP.IN")
    return disk


def written(samples: list[Sample]) -> MemoryDisk:
    disk = folder()
    write_segment(disk, PATH, built(samples).parts())
    return disk


def small_segment() -> list[Sample]:
    """Four messages: shared and missing ids, an empty body, lengths that need padding."""
    return [
        Sample(10, b"alpha", msg_id=message_id(10), correl_id=b"C" * 24),
        Sample(11, b"", msg_id=message_id(11), correl_id=b"C" * 24, expiry_at=99, priority=0),
        Sample(12, b"gamma-gamma", group_id=b"G" * 24, flags=0, properties=b"properties"),
        Sample(15, b"delta123", msg_id=message_id(15), correl_id=b"D" * 24, priority=9),
    ]


def put_file(disk: Disk, path: str, content: bytes) -> None:
    file = disk.create(path)
    file.pwritev(0, [content])
    file.close()


def get_file(disk: Disk, path: str) -> bytes:
    file = disk.open(path)
    content = file.pread(0, file.size())
    file.close()
    return content


class OrderFile(DiskFile):
    """Passes everything on and notes the calls that durability depends on."""

    def __init__(self, file: DiskFile, calls: list[str]) -> None:
        super().__init__(file.path)
        self.file = file
        self.calls = calls

    def pread(self, offset: int, length: int) -> bytes:
        return self.file.pread(offset, length)

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        self.calls.append(f"pwritev {offset}")
        return self.file.pwritev(offset, parts)

    def datasync(self) -> None:
        self.calls.append("datasync")

    def size(self) -> int:
        return self.file.size()

    def close(self) -> None:
        self.file.close()


class OrderDisk(Disk):
    """A disk in memory that notes the order of calls."""

    def __init__(self) -> None:
        self.disk = MemoryDisk()
        self.calls: list[str] = []

    def open(self, path: str) -> DiskFile:
        return OrderFile(self.disk.open(path), self.calls)

    def create(self, path: str) -> DiskFile:
        self.calls.append("create")
        return OrderFile(self.disk.create(path), self.calls)

    def exists(self, path: str) -> bool:
        return self.disk.exists(path)

    def list(self, path: str) -> list[str]:
        return self.disk.list(path)

    def rename(self, source: str, target: str) -> None:
        self.calls.append("rename")
        self.disk.rename(source, target)

    def make_dir(self, path: str) -> None:
        self.disk.make_dir(path)

    def sync_dir(self, path: str) -> None:
        self.calls.append(f"sync_dir {path}")
