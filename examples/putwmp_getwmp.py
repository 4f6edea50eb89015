"""Large messages with properties where a queue manager does not split both together: the pattern of
a reference message, as the programs putwmp and getwmp have it.

A small message carries the properties and says which group the data comes in; the data follows
without properties, and may be split. Here it is not needed: TernMQ splits a message with its
properties (see large_file_by_segments.py). It works all the same, for a program that must also run
with other queue managers.

python examples/putwmp_getwmp.py
"""

import os

import ternmq
from ternmq import constants as mq

LIMIT = 64 * 1024  # the shortest MAXMSGL on the way
PROPERTIES_MAX = 2048  # bytes that properties take at most


def putwmp(connection: ternmq.Connection, queue: ternmq.Queue, name: str, data: bytes) -> None:
    """Put a file: as one message if that fits, else as reference and data, both or none."""
    properties = {"FileName": name, "MessageSize": str(len(data))}
    if len(data) + PROPERTIES_MAX <= LIMIT:
        queue.put(data, properties=properties)
        return
    group_id = os.urandom(mq.MQ_GROUP_ID_LENGTH)
    with connection.unit_of_work():
        queue.put(b"", properties={**properties, "MessageGroupId": group_id.hex()})
        md = ternmq.Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED, group_id=group_id)
        queue.put(data, descriptor=md)


def getwmp(named: ternmq.Queue, any_queue: ternmq.Queue) -> tuple[str, bytes, str] | None:
    """Get the next file: by the handle whose selector wants properties, then the data by its
    group."""
    message = named.try_get()
    if message is None:
        return None
    name = str(message.properties["FileName"])
    group_id = message.properties.get("MessageGroupId")
    if group_id is None:
        return name, message.data, "in one message"
    size = int(str(message.properties["MessageSize"]))
    whole = any_queue.get(
        group_id=bytes.fromhex(str(group_id)), options=mq.MQGMO_COMPLETE_MSG, max_length=size
    )
    return name, whole.data, "by reference"


def main() -> None:
    files = {"note.txt": b"short " * 100, "year.csv": b"2025,1,2,3\n" * 40_000, "end.txt": b"end"}
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("FILES", max_message_length=LIMIT)
        with qmgr.connect() as connection, connection.queue("FILES") as queue:
            for name, data in files.items():
                putwmp(connection, queue, name, data)
            print(f"{len(files)} files are {queue.depth} messages")
        arrived: dict[str, bytes] = {}
        with (
            qmgr.queue("FILES", selector="FileName IS NOT NULL") as named,
            qmgr.queue("FILES") as any_queue,
        ):
            while (found := getwmp(named, any_queue)) is not None:
                name, data, how = found
                arrived[name] = data
                print(f"{name}: {len(data)} bytes, {how}")
            print(f"left: {any_queue.depth}")
        print(f"all as they were sent: {arrived == files}")


if __name__ == "__main__":
    main()
