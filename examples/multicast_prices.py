"""Prices by IP multicast: one client publishes, others receive, the queue manager sees none of it.

The topic `price` has MCAST(ENABLED) and a group of its own on the loopback interface. A client that
opens a topic below it sends to the group, and clients that subscribed receive from there: one of
them in a task, one that wants cod alone, by a selector. What a subscriber misses it asks the
publisher for.

    python examples/multicast_prices.py
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from typing import Any

import ternmq

SCRIPT = """
DEFINE COMMINFO(PRICES) TYPE(MULTICAST) GRPADDR(239.10.10.1) PORT(24011) MSGHIST(1000)
DEFINE TOPIC(PRICES) TOPICSTR('price') MCAST(ENABLED) COMMINFO(PRICES)
DEFINE CHANNEL(SHOP.APP) CHLTYPE(SVRCONN)
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')
DEFINE LISTENER(LOOPBACK) TRPTYPE(TCP) IPADDR(127.0.0.1)
START LISTENER(LOOPBACK)
"""
COUNT = 200


def command(*words: str) -> str:
    """A control command, as it would be typed."""
    arguments = [sys.executable, "-m", "ternmq.cli", *words]
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


async def watch(way: dict[str, Any], joined: asyncio.Event) -> list[str]:
    """A task that receives every price."""
    async with (
        ternmq.aio.connect("SHOP", **way) as connection,
        connection.subscribe("price/#") as prices,
    ):
        joined.set()
        return [(await prices.get(wait=10)).text for _ in range(2 * COUNT)]


async def use(way: dict[str, Any]) -> None:
    """One publisher and two subscribers, each with a connection of its own."""
    joined = asyncio.Event()
    watching = asyncio.create_task(watch(way, joined))
    await joined.wait()
    async with (
        ternmq.aio.connect("SHOP", **way) as publisher,
        ternmq.aio.connect("SHOP", **way) as other,
        other.subscribe("price/+", selector="item = 'cod'") as cod,
        publisher.topic("price/fish") as fish,
        publisher.topic("price/fruit") as fruit,
    ):
        for number in range(COUNT):
            await fish.put(f"cod {number}", properties={"item": "cod"})
            await fruit.put(f"plum {number}", properties={"item": "plum"})
            await asyncio.sleep(0)
        prices = [(await cod.get(wait=10)).text for _ in range(COUNT)]
        print("cod alone, in order:", prices == [f"cod {number}" for number in range(COUNT)])
        everything = await watching
        plums = [text for text in everything if text.startswith("plum")]
        print("plums of all, in order:", plums == [f"plum {number}" for number in range(COUNT)])


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
                asyncio.run(use({"channel": "SHOP.APP", "conn": f"127.0.0.1({listener['PORT']})"}))
        finally:
            command("endmqm", "-i", "SHOP")
        command("dltmqm", "SHOP")


if __name__ == "__main__":
    main()
