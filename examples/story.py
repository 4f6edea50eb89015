"""From applications at work to a page about them: the second half of `make run`.

Two queue managers in processes of their own. Shops put orders at TOWN, and a channel takes them to
SHOP: to a warehouse that answers and has a bad quarter of a minute, and publishes how far it is, to
a board that joins late; beside a biller, a mailer, and a program that polls; a streaming queue that
keeps a copy of every order and answer; statistics every second. Then Spark: the pipeline makes
tables of the records and of the copies, and the report makes a page of the tables.

    python examples/story.py [--seconds 20] [--page build/tour/report.html] [--no-spark]

Needs `ternmq[spark]` and Java 17. Everything but the page is in a temporary folder.
"""

import argparse
import asyncio
import json
import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import ternmq

CHAPTERS = 4
NAME = "SHOP"
SENDER = "TOWN"
SHOPS = 4
BODY = b"x" * 1024
OBJECTS = [
    "DEFINE QLOCAL(COPIES) MAXDEPTH(1000000)",
    "DEFINE QLOCAL(ORDERS) STREAMQ(COPIES) STATQ(ON) ACCTQ(ON)",
    "DEFINE QLOCAL(CONFIRMATIONS) STREAMQ(COPIES) STATQ(ON) ACCTQ(ON)",
    "DEFINE QLOCAL(INVOICES) DEFPSIST(YES) STATQ(ON) ACCTQ(ON)",
    "DEFINE QLOCAL(NOTHING.YET) STATQ(ON) ACCTQ(ON)",
    "DEFINE CHANNEL(TOWN.TO.SHOP) CHLTYPE(RCVR) TRPTYPE(TCP)",
    "SET SYSTEM STATIME(0.01) ACCTIME(0.01)",
    "START TRACE(STAT) CLASS(1,5)",
    "START TRACE(ACCTG) CLASS(3)",
]
SENDING = [
    "DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(SHOP) XMITQ(SHOP)",
    "DEFINE QLOCAL(SHOP) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA(TOWN.TO.SHOP)",
    "DEFINE CHANNEL(TOWN.TO.SHOP) CHLTYPE(SDR) TRPTYPE(TCP) XMITQ(SHOP) +",
    "       CONNAME('127.0.0.1({port})')",
]
ENDING = ["STOP TRACE(STAT)", "STOP TRACE(ACCTG)"]
DESTINATION = """\
SMFDestination:
   Name=SMF
   Type=DataSet
   Path={path}
"""
IS_TERMINAL = sys.stdout.isatty() and "NO_COLOR" not in os.environ
WIDTH = min(shutil.get_terminal_size((88, 24)).columns, 88)


# ---- how it speaks --------------------------------------------------------------------------


def styled(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if IS_TERMINAL else text


def heading(number: int, title: str) -> None:
    print()
    print(styled(f"Chapter {number} of {CHAPTERS}  {title}", "1;36"), flush=True)


def say(text: str) -> None:
    for line in textwrap.wrap(" ".join(text.split()), WIDTH - 5):
        print(f"     {line}")


def show(label: str, value: object) -> None:
    print(f"     {styled('>', '32')} {label:<34} {value}", flush=True)


def command(data: str, *words: str, typed: str = "") -> str:
    """What a person types; what it says while it works goes straight to the terminal."""
    print(f"     {styled('$', '32')} {styled(' '.join(map(short, words)), '1')}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "ternmq", *words],
        input=typed,
        env={**os.environ, "TERNMQ_DATA": data},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{words[0]} {words[1]} ended with {done.returncode}: {done.stdout}")
    return done.stdout


def short(word: str) -> str:
    """A word as people would type it: paths by their last part."""
    name, equals, value = word.rpartition("=")
    return f"{name}{equals}{Path(value).name}" if value.startswith("/") else word


# ---- the applications -----------------------------------------------------------------------


class Work:
    """What the applications share: until when, and what they did."""

    def __init__(self, data: str, seconds: float) -> None:
        self.data = data
        self.seconds = seconds
        self.begun = time.monotonic()
        self.all_there = asyncio.Barrier(SHOPS + 6)
        self.shops_open = SHOPS
        self.answered = 0
        self.served = 0
        self.polled = 0
        self.mailed = 0
        self.board_began = ""  # what the board that joined late knew at once
        self.board_seen = 0

    @property
    def at(self) -> float:
        """How far it is, from 0 to 1 and beyond."""
        return (time.monotonic() - self.begun) / self.seconds

    @property
    def is_over(self) -> bool:
        return self.at >= 1

    async def begin(self) -> None:
        """Wait for the others: the clock runs from when all are connected."""
        await self.all_there.wait()
        self.begun = time.monotonic()

    def connect(
        self, application: str, name: str = NAME
    ) -> "ternmq.aio.Opening[ternmq.aio.Connection]":
        return ternmq.aio.connect(name, data=self.data, application=application)


async def shop(work: Work, number: int) -> None:
    """Orders in town, and waits for its own answer; how often goes up and down."""
    async with work.connect("shop", SENDER) as town, work.connect("shop") as connection:
        orders = await town.queue("ORDERS")
        answers = await connection.queue("CONFIRMATIONS")
        out: list[bytes] = []
        await work.begin()
        while not work.is_over:
            out.append(await orders.put(BODY, reply_to="CONFIRMATIONS", persistent=False))
            if len(out) >= 50:
                for asked in out:
                    if await answers.try_get(wait=10, correl_id=asked):
                        work.answered += 1
                out.clear()
            await asyncio.sleep(0.004 + 0.003 * math.sin(work.at * 9 + number))
        for asked in out:
            if await answers.try_get(wait=10, correl_id=asked):
                work.answered += 1
    work.shops_open -= 1


async def warehouse(work: Work) -> None:
    """Answers; in the middle it is slow, and orders pile up until it has caught up."""
    async with work.connect("warehouse") as connection:
        orders = await connection.queue("ORDERS")
        answers = await connection.queue("CONFIRMATIONS")
        await work.begin()
        while work.shops_open:
            order = await orders.try_get(wait=0.2)
            if order is None:
                continue
            reply = ternmq.Descriptor(
                msg_type=ternmq.constants.MQMT_REPLY, correl_id=order.msg_id, persistence=0
            )
            await answers.put(b"confirmed", descriptor=reply)
            work.served += 1
            if work.served % 25 == 0:
                await connection.publish("shop/served", str(work.served), retain=True)
            if 0.45 < work.at < 0.65:
                await asyncio.sleep(0.006)


async def billing(work: Work) -> None:
    """Writes invoices that must not be lost, five in a unit of work."""
    async with work.connect("billing") as connection:
        invoices = await connection.queue("INVOICES")
        await work.begin()
        while not work.is_over:
            async with connection.unit_of_work():
                for _ in range(5):
                    await invoices.put(BODY)
            await asyncio.sleep(0.02)


async def mailer(work: Work) -> None:
    """Takes the invoices, all that there are, twice a second."""
    async with work.connect("mailer") as connection:
        invoices = await connection.queue("INVOICES")
        await work.begin()
        while not work.is_over:
            await asyncio.sleep(0.5)
            while await invoices.try_get():
                work.mailed += 1


async def board(work: Work) -> None:
    """Joins late, has the last figure at once, and then each new one."""
    async with work.connect("board") as connection:
        await work.begin()
        await asyncio.sleep(work.seconds / 2)
        async with connection.subscribe("shop/#") as subscription:
            while work.shops_open:
                figure = await subscription.try_get(wait=0.2)
                if figure is None:
                    continue
                if figure.is_retained:
                    work.board_began = figure.text
                else:
                    work.board_seen += 1


async def poller(work: Work) -> None:
    """Asks a queue on which there is nothing, again and again, instead of waiting."""
    async with work.connect("poller") as connection:
        queue = await connection.queue("NOTHING.YET")
        await work.begin()
        while not work.is_over:
            await queue.try_get()
            work.polled += 1
            await asyncio.sleep(0.005)


async def clock(work: Work) -> None:
    """Shows the time pass."""
    shown = -1
    await work.begin()
    while not work.is_over:
        tenth = int(work.at * 10)
        if IS_TERMINAL:
            bar = "#" * int(work.at * 40)
            print(f"\r     [{bar:<40}] {work.answered:,} orders answered ", end="", flush=True)
        elif tenth % 5 == 0 and tenth != shown:
            show("applications at work", f"{work.at:.0%}, {work.answered:,} orders answered")
        shown = tenth
        await asyncio.sleep(0.2)
    if IS_TERMINAL:
        print("\r" + " " * 78, end="\r")


async def everybody(work: Work) -> None:
    shops = [shop(work, number) for number in range(SHOPS)]
    await asyncio.gather(
        *shops,
        warehouse(work),
        billing(work),
        mailer(work),
        board(work),
        poller(work),
        clock(work),
    )


# ---- the chapters ---------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def typed(data: str, name: str, lines: list[str]) -> None:
    """MQSC, as an administrator types it."""
    for line in lines:
        print(f"     {styled('|', '33')} {line}")
    command(data, "runmqsc", "-e", name, typed="\n".join([*lines, "END", ""]))


def chapter_queue_managers(data: str, smf: Path) -> None:
    heading(1, "Two queue managers, a channel, and measurements")
    port = free_port()
    command(data, "crtmqm", "-q", "-p", str(port), NAME)
    ini = Path(data, "qmgrs", NAME, "qm.ini")
    ini.write_text(ini.read_text(encoding="utf-8") + DESTINATION.format(path=smf), encoding="utf-8")
    command(data, "crtmqm", SENDER)
    for name in (NAME, SENDER):
        command(data, "strmqm", name)
    typed(data, NAME, OBJECTS)
    typed(data, SENDER, [line.format(port=port) for line in SENDING])
    say("""Orders are put at TOWN; the first one starts the channel that takes them to SHOP. Each
        order and each confirmation has a copy on COPIES. An interval is one second.""")


def chapter_applications(data: str, seconds: float) -> None:
    heading(2, f"Applications at work, for {seconds:.0f} seconds")
    work = Work(data, seconds)
    asyncio.run(everybody(work))
    show("orders answered", f"{work.answered:,}")
    with ternmq.connect(SENDER, data=data) as town:
        (channel,) = town.mqsc("DISPLAY CHSTATUS(TOWN.TO.SHOP) ALL")
        show(
            "orders that took the channel",
            f"{channel['MSGS']:,}, in {channel['BATCHES']:,} batches",
        )
    show("invoices mailed", f"{work.mailed:,}")
    show(
        "a board that joined half-way",
        f"knew of {work.board_began} orders at once, then {work.board_seen} figures as they came",
    )
    show("asked in vain by the poller", f"{work.polled:,} times")
    command(data, "runmqsc", "-e", NAME, typed="\n".join([*ENDING, "END", ""]))


def chapter_pipeline(data: str, smf: Path, project: Path) -> Path:
    heading(3, "The pipeline: records and copies become tables")
    say("""A Spark Declarative Pipeline reads the SMF records, and the copies by their numbers, each
        once. What it has read it will not read again, so the next run adds what is new.""")
    output = command(
        data, "pipeline", "init", str(project), "--smf", str(smf), "--queue", "COPIES",
        "--set", f"mq.queueManager={NAME}", "--set", f"mq.path={data}", "--json",
    )  # fmt: skip
    show("project", Path(json.loads(output)["project"]).name)
    done = json.loads(command(data, "pipeline", "run", str(project), "--json"))
    rows = {name: count for name, count in done["rows"].items() if count}
    for name, count in rows.items():
        show(name, f"{count:,} rows")
    return Path(done["warehouse"])


def chapter_page(data: str, tables: Path, page: Path) -> None:
    heading(4, "The page")
    page.parent.mkdir(parents=True, exist_ok=True)
    values = json.loads(
        command(
            data, "report", "html", str(tables), "--output", str(page), "--title",
            "A shop and its queue manager", "--json",
        )
    )  # fmt: skip
    show("sections", ", ".join(values["sections"]))
    show("deserve a look", f"{values['findings']} findings, {values['anomalies']} anomalies")
    print()
    print(f"     Open {styled(page.as_uri(), '1;4')}")


def lacking() -> str:
    """What Spark would need and does not find, with the remedy."""
    from ternmq.spark.errors import SparkError
    from ternmq.spark.java import find_java

    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "PySpark is not installed for this Python: pip install 'ternmq[spark]'"
    try:
        find_java()
    except SparkError as error:
        return str(error)
    return ""


def main() -> None:
    asked = argparse.ArgumentParser(description="From applications at work to a page about them.")
    asked.add_argument("--seconds", type=float, default=20.0)
    asked.add_argument("--page", type=Path, default=Path("build", "tour", "report.html"))
    asked.add_argument("--no-spark", action="store_true", help="only the applications")
    arguments = asked.parse_args()
    begun = time.monotonic()
    missing = "You asked for no Spark." if arguments.no_spark else lacking()
    with tempfile.TemporaryDirectory(prefix="ternmq-story-") as folder:
        data, smf = f"{folder}/data", Path(folder, "smf")
        chapter_queue_managers(data, smf)
        try:
            chapter_applications(data, arguments.seconds)
            if missing:
                print()
                say(f"The other half of the story is left out. {missing}")
                return
            tables = chapter_pipeline(data, smf, Path(folder, "shop-pipeline"))
        finally:
            for name in (SENDER, NAME):
                command(data, "endmqm", "-i", name)
        chapter_page(data, tables, arguments.page.absolute())
    print()
    print(f"     The story took {time.monotonic() - begun:.0f} s.")


if __name__ == "__main__":
    main()
