"""Messages from a mainframe: text in EBCDIC, a dead letter, and a record of its own format.

Everything was put in CCSID 500 and with the byte order of System z. Gets with MQGMO_CONVERT have it
in UTF-8 and the byte order of this machine: the queue manager knows text and MQ's headers, an exit
knows the record. What nobody knows comes as it is, with a warning.

python examples/ebcdic.py
"""

import struct

import ternmq
from ternmq import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader

CCSID = 500
ENCODING = mq.MQENC_INTEGER_NORMAL | mq.MQENC_FLOAT_S390


def record(mqdxp: ternmq.ExitParameters) -> bytes:
    """The exit for ITEM: a number of four bytes, and a name."""
    (number,) = struct.unpack_from(">i", mqdxp.data)
    return struct.pack("<i", number) + mqdxp.text(mqdxp.data[4:])


def put_from_host(queue: ternmq.Queue) -> None:
    """What the mainframe sends."""

    def put(format: str, data: bytes) -> None:
        md = ternmq.Descriptor(format=format, ccsid=CCSID, encoding=ENCODING)
        queue.put(data, descriptor=md)

    name = "Küstenseeschwalbe".encode("cp500")
    put("MQSTR", name)
    letter = DeadLetterHeader(reason=mq.MQRC_Q_FULL, destination_queue="BIRDS", format="ITEM")
    letter.ccsid, letter.encoding = CCSID, ENCODING
    put("MQDEAD", letter.pack(">", CCSID) + struct.pack(">i", 7) + name)
    put("OTHER", b"\x00\x07")


def main() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.register_conversion("ITEM", record)
        qmgr.define_queue("FROM.HOST")
        with qmgr.queue("FROM.HOST") as queue:
            put_from_host(queue)
            message = queue.get(options=mq.MQGMO_CONVERT)
            print(f"text: {message.data.decode()}, CCSID {message.descriptor.ccsid}")

            message = queue.get(options=mq.MQGMO_CONVERT)
            letter = DeadLetterHeader.unpack(message.data)
            item = message.data[letter.size() :]
            (number,) = struct.unpack_from("<i", item)
            print(f"dead letter for {letter.destination_queue}: {letter.reason}")
            print(f"its item, in CCSID {letter.ccsid}: {number} {item[4:].decode()}")

            message = queue.get(options=mq.MQGMO_CONVERT)
            print(f"of a format that nobody knows: {message.data!r}, warning {message.warning}")
            print(f"nothing is left: {queue.depth == 0}")


if __name__ == "__main__":
    main()
