"""A large file goes through a queue that takes 4 MB a message: the queue manager splits it into
segments and joins them again. Properties go with it.

python examples/large_file_by_segments.py
"""

import hashlib
import tempfile
from pathlib import Path

import ternmq
from ternmq import constants as mq

MEGABYTE = 1 << 20


def send(qmgr: ternmq.QueueManager, path: Path) -> None:
    """One put. The flag allows the queue manager to split the message."""
    data = path.read_bytes()
    allowed = ternmq.Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)
    properties = {"file": path.name, "sha256": hashlib.sha256(data).hexdigest()}
    qmgr.put("FILES", data, descriptor=allowed, properties=properties)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ternmq.memory("QM1") as qmgr:
        path = Path(folder) / "ledger.bin"
        path.write_bytes(bytes(range(256)) * (21 * MEGABYTE // 256))

        qmgr.define_queue("FILES", max_message_length=4 * MEGABYTE)
        send(qmgr, path)
        with qmgr.queue("FILES") as files:
            print(f"{path.stat().st_size} bytes are {files.depth} messages on the queue:")
            for segment in files.browse():
                md = segment.descriptor
                named = f", with {len(segment.properties)} properties" if segment.properties else ""
                print(f"  at {md.offset:>8}: {segment.length} bytes{named}")

            # One get. Without MQGMO_COMPLETE_MSG it would be six, each of one segment.
            message = files.get(options=mq.MQGMO_COMPLETE_MSG)
            name = str(message.properties["file"])
            print(f"got {name}, {message.length} bytes; left: {files.depth}")
            same = hashlib.sha256(message.data).hexdigest() == message.properties["sha256"]
            print(f"as it was sent: {same}")

            # Without the flag it is refused as a whole.
            try:
                files.put(path.read_bytes())
            except ternmq.MQError as error:
                print(f"in one piece: {error.reason_name}")


if __name__ == "__main__":
    main()
