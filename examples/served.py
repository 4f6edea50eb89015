"""A queue manager in a process of its own: made, started, used by threads and tasks, ended.

The commands are those of a shell: crtmqm, strmqm, dspmq, endmqm, dltmqm.
"""

import asyncio
import os
import subprocess
import sys
import tempfile

import ternmq


def command(*words: str) -> str:
    """A control command, as it would be typed."""
    arguments = [sys.executable, "-m", "ternmq.cli", *words]
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


async def consume(expected: int) -> list[str]:
    """A task that waits for orders; the queue manager is elsewhere, and the API the same."""
    async with ternmq.aio.connect("SHOP") as connection, connection.queue("ORDERS") as orders:
        return [(await orders.get(wait=10)).text for _ in range(expected)]


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ["TERNMQ_DATA"] = data
        print(command("crtmqm", "SHOP").splitlines()[0])
        print(command("strmqm", "SHOP").splitlines()[-1])
        try:
            with ternmq.connect("SHOP") as connection:
                connection.define_queue("ORDERS", default_persistence="YES")
                with connection.unit_of_work():
                    for bird in ("puffin", "tern", "gannet"):
                        connection.put("ORDERS", bird)
            print("got:", ", ".join(asyncio.run(consume(3))))
            print(" ".join(command("dspmq", "-m", "SHOP").split()))
        finally:
            print(command("endmqm", "-i", "SHOP").splitlines()[-1])
        try:
            ternmq.connect("SHOP")
        except ternmq.Unavailable as error:
            print("after its end:", error.reason_name)
        print(command("dltmqm", "SHOP").rstrip())


if __name__ == "__main__":
    main()
