"""Clients on the network: a queue manager with a listener, and programs that reach it by TCP.

Puts that are not answered one by one (MQPMO_ASYNC_RESPONSE), gets that read ahead, a listener with
a callback, a pool of connections, and a connection that comes back by itself.

    python examples/network_client.py
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from typing import Any

import ternmq
from ternmq import constants as mq

SCRIPT = """
DEFINE QLOCAL(BIRDS)
DEFINE QLOCAL(COUNTED)
DEFINE CHANNEL(SHOP.APP) CHLTYPE(SVRCONN)
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')
DEFINE LISTENER(LOOPBACK) TRPTYPE(TCP) IPADDR(127.0.0.1)
START LISTENER(LOOPBACK)
"""


def command(*words: str) -> str:
    """A control command, as it would be typed."""
    arguments = [sys.executable, "-m", "ternmq.cli", *words]
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


async def stream(way: dict[str, Any], count: int) -> int:
    """One connection puts without waiting for answers, another reads ahead."""
    async with ternmq.aio.connect("SHOP", **way) as sender, sender.queue("BIRDS") as birds:
        for number in range(count):
            await birds.put(f"tern {number}", options=mq.MQPMO_ASYNC_RESPONSE)
        status = await sender.status()
        print("not answered:", status.put_success_count, "failed:", status.put_failure_count)
    ahead = mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD
    taking = ternmq.aio.connect("SHOP", **way)
    async with taking as taker, taker.queue("BIRDS", options=ahead) as birds:
        return len([await birds.get(wait=10) for _ in range(count)])


def count_letters(way: dict[str, Any]) -> str:
    """A callback that answers, in one unit of work with the get; the connection comes back by
    itself if it breaks. Another connection, from a pool, asks."""
    with ternmq.connect("SHOP", **way, reconnect=True) as connection:

        def count(message: ternmq.Message) -> None:
            connection.put("COUNTED", f"{message.text} has {len(message.data)} letters")

        with (
            ternmq.listen(connection, "BIRDS", count),
            ternmq.Pool("SHOP", size=2, **way) as pool,
            pool.connection() as asker,
        ):
            asker.put("BIRDS", "puffin")
            return asker.queue("COUNTED").get(wait=10).text


def use(way: dict[str, Any]) -> None:
    """What programs elsewhere would do."""
    print("read ahead:", asyncio.run(stream(way, 500)))
    print("the callback says:", count_letters(way))
    try:
        ternmq.connect("SHOP", channel="NOT.THERE", conn=way["conn"])
    except ternmq.MQError as error:
        print("another channel:", error.reason_name)


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ["TERNMQ_DATA"] = data
        command("crtmqm", "SHOP")
        with open(os.path.join(data, "qmgrs", "SHOP", "qm.ini"), "a") as ini:
            ini.write("TCP:\n   Port=0\n")  # a port that is free
        command("strmqm", "SHOP")
        try:
            with ternmq.connect("SHOP") as local:
                local.mqsc(SCRIPT)
                (listener,) = local.mqsc("DISPLAY LSSTATUS(LOOPBACK) PORT")
            use({"channel": "SHOP.APP", "conn": f"127.0.0.1({listener['PORT']})"})
        finally:
            command("endmqm", "-i", "SHOP")
        command("dltmqm", "SHOP")


if __name__ == "__main__":
    main()
