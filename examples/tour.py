"""The tour that `make run` shows: what the queue manager does, seen from outside.

Only the public API is used. Everything happens in a temporary folder and is gone afterwards. With
--whole the story follows: applications, the pipeline on Spark, and a page that stays. With --quick
it measures speed for a fifth of the time.

    python examples/tour.py [--whole] [--quick]
"""

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import ternmq

STOPS = 12
MEASURE_S = 0.2 if "--quick" in sys.argv[1:] else 1.0
BODY = b"x" * 2048
CALLERS = 16
REQUESTERS = 8
CHANNEL = "DEV.APP.SVRCONN"
PASSWORD = "tour"  # of both users, for as long as the tour lasts
UNIT = 100

COPYING = [
    "DEFINE QLOCAL(COPIES)",
    "DEFINE QLOCAL(ORDERS) STREAMQ(COPIES) STRMQOS(MUSTDUP) STATQ(ON)",
]
MEASURING = ["SET SYSTEM STATIME(0.01)", "START TRACE(STAT) CLASS(1,5)"]

IS_TERMINAL = sys.stdout.isatty() and "NO_COLOR" not in os.environ
WIDTH = min(shutil.get_terminal_size((88, 24)).columns, 88)


# ---- how it speaks --------------------------------------------------------------------------


def styled(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if IS_TERMINAL else text


def heading(number: int, title: str) -> None:
    print()
    print(styled(f"{number}/{STOPS}  {title}", "1;36"))


def say(text: str) -> None:
    """An explanation, wrapped."""
    for line in textwrap.wrap(" ".join(text.split()), WIDTH - 5):
        print(f"     {line}")


def show(label: str, value: object) -> None:
    """A fact."""
    room = 34 if WIDTH >= 80 else 0
    print(f"     {styled('>', '32')} {label:<{room}} {value}")


def quote(lines: list[str]) -> None:
    """What the queue manager says itself."""
    for line in lines:
        wrapped = textwrap.wrap(line, WIDTH - 9, subsequent_indent="  ")
        for part in wrapped:
            print(f"     {styled('|', '33')} {part}")


# ---- the stops ------------------------------------------------------------------------------


def stop_create(folder: str) -> ternmq.QueueManager:
    heading(1, "A queue manager in a folder")
    say(
        "ternmq.embedded(folder, 'TOUR', create=True) makes its files and starts it, here in "
        "this process."
    )
    qmgr = ternmq.embedded(folder, "TOUR", create=True)
    quote(qmgr.report())
    qmgr.define_queue("ORDERS", default_persistence="YES", max_depth=1_000_000)
    qmgr.define_queue("INVOICES", default_persistence="YES")
    show("queues we defined", "ORDERS, INVOICES")
    return qmgr


def stop_put_and_get(qmgr: ternmq.QueueManager) -> None:
    heading(2, "Put and get")
    with qmgr.queue("ORDERS") as orders:
        orders.put("three nails")
        orders.put({"item": "ladder", "steps": 12})
        show("depth after two puts", orders.depth)
        message = orders.get()
        show("first out", f"{message.text!r}, {message.format}, persistent {message.persistent}")
        show("its MsgId", message.msg_id.hex())
        show("second out, as JSON", orders.get().json())
        try:
            orders.get()
        except ternmq.NoMessage as nothing:
            show("and then", f"{nothing.reason_name} ({nothing.reason})")
    say("Each put returned only after the message was forced to disk.")


def stop_priority(qmgr: ternmq.QueueManager) -> None:
    heading(3, "Priority")
    with qmgr.queue("ORDERS") as orders:
        for text, priority in (("second class", 2), ("express", 9), ("second class too", 2)):
            orders.put(text, priority=priority)
            show(f"put with priority {priority}", text)
        show("they come out as", ", ".join(message.text for message in orders))


def stop_unit_of_work(qmgr: ternmq.QueueManager) -> None:
    heading(4, "A unit of work that fails")
    with qmgr.queue("ORDERS") as orders, qmgr.queue("INVOICES") as invoices:

        def depths() -> str:
            return f"ORDERS {orders.depth}   INVOICES {invoices.depth}"

        orders.put("a unicorn")
        show("before", depths())
        try:
            with qmgr.unit_of_work():
                order = orders.get()
                invoices.put(f"invoice for {order.text}")
                show("inside the unit of work", depths())
                raise LookupError("no unicorns in stock")
        except LookupError as problem:
            show("backed out", f"{depths()}   ({problem})")
        order = orders.get()
        show("the order is back", f"{order.text!r}, backout count {order.backout_count}")
    say("What was got is back in its place, what was put never was.")


def child(folder: str) -> None:
    """Runs in another process until it is killed: says each acknowledged number."""
    with ternmq.embedded(folder, "TOUR") as qmgr, qmgr.queue("ORDERS") as orders:
        number = 0
        while True:
            number += 1
            orders.put(f"order {number}")
            print(number, flush=True)
            qmgr.begin()
            orders.put("never committed")
            qmgr.backout()


def stop_kill(folder: str) -> ternmq.QueueManager:
    heading(5, "Kill it")
    say(
        "Another process opens the same folder and puts orders as fast as they are acknowledged. "
        "It is killed with SIGKILL, at a moment it cannot choose. Then we open the folder again."
    )
    command = [sys.executable, __file__, "--child", folder]
    acknowledged = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            acknowledged = int(line)
            if acknowledged == 300:
                process.kill()
    show("acknowledged before the kill", f"{acknowledged} orders")
    begun = time.perf_counter()
    qmgr = ternmq.embedded(folder, "TOUR")
    milliseconds = (time.perf_counter() - begun) * 1000
    quote(qmgr.report())
    with qmgr.queue("ORDERS") as orders:
        texts = [message.text for message in orders.browse()]
    kept = texts[:acknowledged] == [f"order {n}" for n in range(1, acknowledged + 1)]
    show("restart took", f"{milliseconds:.0f} ms")
    if not kept:
        raise SystemExit("the tour found a fault: what was acknowledged is not what is there")
    show("of those, found and in order", f"{acknowledged} orders")
    if len(texts) > acknowledged:
        show("forced, but killed before answering", f"{len(texts) - acknowledged} order")
    show("of units never committed", "nothing")
    with qmgr.queue("ORDERS") as orders, qmgr.unit_of_work():
        for _ in orders:
            pass
    return qmgr


def stop_in_doubt(qmgr: ternmq.QueueManager, folder: str) -> ternmq.QueueManager:
    heading(6, "In doubt over a restart")
    say(
        "A transaction manager prepares a unit of work and vanishes before it says what to do. "
        "The queue manager must not guess: it keeps the unit, over a stop and a start."
    )
    xid = ternmq.XID(1, b"tour-transaction", b"TOUR")
    with qmgr.queue("INVOICES") as invoices:
        qmgr.begin()
        invoices.put("one invoice")
        qmgr.prepare(xid)
        show("prepared; messages to get", len(list(invoices.browse())))
    qmgr.close()
    show("queue manager", "stopped and started")
    qmgr = ternmq.embedded(folder, "TOUR")
    show("in doubt", qmgr.in_doubt()[0].global_id.decode())
    qmgr.commit_prepared(xid)
    with qmgr.queue("INVOICES") as invoices:
        show("committed by its XID", invoices.get().text)
    return qmgr


# ---- speed ----------------------------------------------------------------------------------


def rate(work: Callable[[], int]) -> float:
    """How many a second, measured for about MEASURE_S."""
    begun = time.perf_counter()
    done = 0
    elapsed = 0.0
    while elapsed < MEASURE_S:
        done += work()
        elapsed = time.perf_counter() - begun
    return done / elapsed


def bare_forces(folder: str) -> float:
    """What the disk does without us: write 4 KiB, wait until it is safe."""
    block = b"x" * 4096
    descriptor = os.open(Path(folder) / "bare", os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        os.pwrite(descriptor, bytes(1 << 22), 0)
        os.fsync(descriptor)
        at = 0

        def force() -> int:
            nonlocal at
            os.pwrite(descriptor, block, at % (1 << 22))
            os.fdatasync(descriptor)
            at += len(block)
            return 1

        return rate(force)
    finally:
        os.close(descriptor)


def pairs(qmgr: ternmq.QueueManager) -> float:
    """Non-persistent messages, put and got again."""
    with qmgr.queue("FAST") as queue:

        def hundred() -> int:
            for _ in range(100):
                queue.put(BODY, persistent=False)
                queue.get()
            return 100

        return rate(hundred)


def one_caller(qmgr: ternmq.QueueManager) -> float:
    with qmgr.queue("FAST") as queue:

        def one() -> int:
            queue.put(BODY, persistent=True)
            return 1

        return rate(one)


def in_units(qmgr: ternmq.QueueManager) -> float:
    with qmgr.queue("FAST") as queue:

        def unit() -> int:
            with qmgr.unit_of_work():
                for _ in range(UNIT):
                    queue.put(BODY, persistent=True)
            return UNIT

        return rate(unit)


def many_callers(qmgr: ternmq.QueueManager) -> float:
    rates: list[float] = []

    def caller(connection: ternmq.Connection) -> None:
        with connection, connection.queue("FAST") as queue:

            def one() -> int:
                queue.put(BODY, persistent=True)
                return 1

            rates.append(rate(one))

    threads = [threading.Thread(target=caller, args=[qmgr.connect()]) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(rates)


def bars(rows: list[tuple[str, float]]) -> None:
    """A bar for each figure, the longest for the highest."""
    highest = max(figure for _, figure in rows)
    room = max(WIDTH - 5 - 36 - 11, 8)
    for label, figure in rows:
        length = max(1, round(figure / highest * room))
        print(f"     {label:<35} {figure:>9,.0f} {styled('#' * length, '34')}")


def stop_speed(qmgr: ternmq.QueueManager, folder: str) -> None:
    heading(7, "How fast, here and now")
    each = f"{MEASURE_S:g} s on each"
    say(f"Messages of {len(BODY)} bytes, about {each}; a shared machine shows less.")
    qmgr.define_queue("FAST", max_depth=10_000_000)
    figure = pairs(qmgr)
    show("non-persistent, one thread", f"{figure:,.0f} put + get pairs a second")
    say("Persistent, each caller waiting until its message is safe on disk, a second:")
    rows = [("bare write + fdatasync of 4 KiB", bare_forces(folder))]
    rows.append(("puts by one caller", one_caller(qmgr)))
    rows.append((f"puts by {CALLERS} threads", many_callers(qmgr)))
    rows.append((f"puts, {UNIT} in a unit of work", in_units(qmgr)))
    bars(rows)
    with qmgr.queue("FAST") as queue:
        show("depth of the queue now", f"{queue.depth:,}")


def stop_log(qmgr: ternmq.QueueManager, folder: str) -> None:
    heading(8, "What the log did")
    status = qmgr.log_status()
    show("records written", f"{status.records:,}")
    show("bytes written", f"{status.written_bytes / 1e6:,.1f} MB")
    show("forces", f"{status.forces:,}  ({status.records_per_force:.1f} records a force)")
    show("units of work", f"{status.commits:,} committed, {status.backouts:,} backed out")
    show("checkpoints", f"{status.checkpoints:,}")
    show("needed by a restart now", f"{status.used:.0%} of the primary log files")
    files = sorted(Path(folder).rglob("*.LOG"))
    size = sum(file.stat().st_size for file in files)
    show("log files", f"{len(files)} of {size / len(files) / 1e6:.0f} MB, used again and again")
    segments = list(Path(folder).rglob("*.seg"))
    size = sum(file.stat().st_size for file in segments)
    show("messages moved to segments", f"{len(segments)} files, {size / 1e6:,.1f} MB")


def command(data: str, line: str, typed: str = "") -> None:
    """What an administrator types, and what it answers."""
    print(f"     {styled('$', '32')} {styled(line, '1')}")
    environment = {
        **os.environ,
        "TERNMQ_DATA": data,
        "MQ_APP_PASSWORD": PASSWORD,
        "MQ_ADMIN_PASSWORD": PASSWORD,
    }
    done = subprocess.run(
        [sys.executable, "-m", "ternmq.cli", *line.split()],
        input=typed,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    quote([line for line in done.stdout.splitlines() if line.strip()])
    if done.returncode:
        raise SystemExit(f"{line}: it ended with {done.returncode}: {done.stderr}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def stop_administrator(data: str, port: int) -> None:
    heading(9, "The hands of an administrator")
    say("""A queue manager in a process of its own, with the commands that people of IBM MQ type:
        made with the developers' objects and a listener, started, used by a sample, asked.""")
    command(data, f"crtmqm --dev -q -p {port} TOUR")
    command(data, "strmqm TOUR")
    command(data, "amqsput DEV.QUEUE.1 TOUR", "hello\nworld\n")
    asked = "DISPLAY QSTATUS(DEV.QUEUE.1) CURDEPTH IPPROCS UNCOM\nEND\n"
    command(data, "runmqsc -e TOUR", asked)
    say("And a program, over the socket of the queue manager:")
    with ternmq.connect("TOUR", data=data) as connection, connection.queue("DEV.QUEUE.1") as queue:
        show("queue.get().text", repr(queue.get().text))
        show("queue.depth", queue.depth)


def stop_network(data: str, port: int) -> None:
    heading(10, "From another machine")
    say("""The same API over TCP, in MQ's own protocol, which IBM's Java client speaks too: a
        channel, a user and a password. Then with asyncio, eight requesters at once.""")
    conn = f"127.0.0.1({port})"
    show("ternmq.connect(...)", f"TOUR, {CHANNEL}, {conn}, user app")
    try:
        ternmq.connect("TOUR", channel=CHANNEL, conn=conn, user="app", password="a guess")
    except ternmq.MQError as refused:
        show("with a wrong password", f"{refused.reason_name} ({refused.reason})")
    with ternmq.connect(
        "TOUR", channel=CHANNEL, conn=conn, user="app", password=PASSWORD
    ) as connection:
        with connection.queue("DEV.QUEUE.1") as queue:
            show("queue.get().text", repr(queue.get().text))
        show("request and reply", f"{asyncio.run(round_trips(conn)):,.0f} round trips a second")
        command(data, "runmqsc -e TOUR", "DISPLAY CHSTATUS(*) CONNAME MCAUSER MSGS\nEND\n")
    command(data, "endmqm -i TOUR")


def stop_copies(folder: str) -> ternmq.QueueManager:
    heading(11, "A copy of everything, and every message by its number")
    say("""STREAMQ: each order is copied as it is put, in the same log record, so the copy costs
        little. A cursor is a position in the stream of a queue: what was got stays readable until
        every cursor has passed it, over a crash too.""")
    smf = [ternmq.SMFDestination("MAN", path=f"{folder}/smf")]
    qmgr = ternmq.embedded(folder, "TOUR", create=True, smf=smf)
    quote(COPYING)
    for line in COPYING:
        qmgr.mqsc(line)
    cursor = qmgr.cursor("AUDIT", "COPIES")
    with qmgr.queue("ORDERS") as orders, qmgr.queue("COPIES") as copies:
        for item in ("three nails", "a ladder", "a unicorn"):
            orders.put(item, persistent=True)
        show("depth of ORDERS and COPIES", f"{orders.depth} and {copies.depth}")
        copies.get()
        orders.get()
        show("after a get from each", f"{orders.depth} and {copies.depth}")
    found = cursor.read()
    show("numbers the cursor reads", ", ".join(str(number) for number in found.numbers))
    show("which are", ", ".join(message.text for message in found))
    cursor.advance()
    return qmgr


def stop_account(qmgr: ternmq.QueueManager, folder: str) -> None:
    heading(12, "What it reports about itself")
    say("""Statistics every second, in the SMF records of MQ for z/OS: an application that works
        harder each second, and the records of its queue as `ternmq smf` reads them.""")
    quote(MEASURING)
    for line in MEASURING:
        qmgr.mqsc(line)
    done = 0
    with qmgr.queue("ORDERS") as orders:
        for second in range(3):
            end = time.perf_counter() + 1.0
            while time.perf_counter() < end:
                for _ in range(2 + 8 * second):
                    orders.put(BODY)
                    done += 1
                time.sleep(0.02)
    qmgr.close()
    (data_set,) = Path(folder, "smf").iterdir()
    line = "smf json --quiet --section QQST"
    print(f"     {styled('$', '32')} {styled(f'{line} {data_set.name}', '1')}")
    output = subprocess.run(
        [sys.executable, "-m", "ternmq", *line.split(), str(data_set)],
        capture_output=True,
        text=True,
        check=True,
    )
    sections = [json.loads(one)["values"] for one in output.stdout.splitlines()]
    puts = [float(one["qqstputs"]) for one in sections if one["qqstqnam"] == "ORDERS"]
    bars([(f"puts in interval {number}", put) for number, put in enumerate(puts, 1)])
    show("put by the application", f"{done:,}; in the records {sum(puts):,.0f}")
    if done != sum(puts):
        raise SystemExit("the tour found a fault: the records do not have what was put")


async def round_trips(conn: str) -> float:
    """Requesters that wait for their own answer, by its CorrelId, and a server."""
    async with contextlib.AsyncExitStack() as stack:

        async def queues() -> list[ternmq.aio.Queue]:
            connection = ternmq.aio.connect(
                "TOUR", channel=CHANNEL, conn=conn, user="app", password=PASSWORD
            )
            opened = await stack.enter_async_context(connection)
            return [await opened.queue(name) for name in ("DEV.QUEUE.2", "DEV.QUEUE.3")]

        async def serve(requests: ternmq.aio.Queue, replies: ternmq.aio.Queue) -> None:
            while request := await requests.try_get(wait=0.2):
                await replies.put(request.data, correl_id=request.msg_id, persistent=False)

        async def ask(requests: ternmq.aio.Queue, replies: ternmq.aio.Queue) -> int:
            answered = 0
            while time.perf_counter() < end:
                msg_id = await requests.put(BODY, persistent=False)
                await replies.get(wait=5, correl_id=msg_id)
                answered += 1
            return answered

        pairs = [await queues() for _ in range(REQUESTERS + 1)]
        end = time.perf_counter() + MEASURE_S
        server = asyncio.create_task(serve(*pairs.pop()))
        counts = await asyncio.gather(*(ask(*pair) for pair in pairs))
        await server
        return sum(counts) / MEASURE_S


def main() -> None:
    begun = time.perf_counter()
    build = ternmq.build_info()
    kind = "compiled" if build.compiled else "plain Python: several times slower than compiled"
    print(styled(f"TernMQ {ternmq.__version__}", "1"), f"({kind}, Python {build.python})")
    is_whole = "--whole" in sys.argv[1:]
    left = "leaves one page for your browser" if is_whole else "leaves nothing behind"
    length = "twelve stops and a story" if is_whole else "twelve stops"
    say(f"A tour in {length}. It works in a temporary folder and {left}.")
    with tempfile.TemporaryDirectory(prefix="ternmq-tour-") as folder:
        qmgr = stop_create(folder)
        stop_put_and_get(qmgr)
        stop_priority(qmgr)
        stop_unit_of_work(qmgr)
        qmgr.close()
        qmgr = stop_kill(folder)
        qmgr = stop_in_doubt(qmgr, folder)
        stop_speed(qmgr, folder)
        stop_log(qmgr, folder)
        qmgr.close()
        data = str(Path(folder) / "served")
        port = free_port()
        stop_administrator(data, port)
        stop_network(data, port)
        measured = str(Path(folder) / "measured")
        stop_account(stop_copies(measured), measured)
    if is_whole:
        sys.stdout.flush()
        story = Path(__file__).with_name("story.py")
        if subprocess.run([sys.executable, str(story)], check=False).returncode:
            raise SystemExit("the story ended early; what it said is above")
    print()
    print(styled(f"Done in {time.perf_counter() - begun:.0f} s.", "1"), "What to try next:")
    python = os.path.relpath(sys.executable)
    if python.startswith(".."):
        python = "python"
    for command, what in (
        (f"{python} examples/story.py --seconds 60", "a longer story, and a page with more to see"),
        (f"{python} examples/first_queue.py data", "a folder that stays; run it twice"),
        (f"{python} examples/crash_and_restart.py", "the kill again, every message counted"),
        (f"{python} examples/two_phase_commit.py", "two queue managers, one transaction"),
        (f"{python} examples/two_queue_managers.py", "a channel whose other end is killed"),
        (f"{python} examples/spark_lake_replay.py", "lost orders come back from a lake; Java 17"),
        ("crtmqm --dev QM1 && strmqm QM1", "one that goes on running, with DEV.QUEUE.1"),
        ("less docs/index.md", "a short page for each feature"),
        ("make bench", "measured properly, beside baselines"),
    ):
        if WIDTH < 88:
            print(f"     {command}\n         {what}")
        else:
            print(f"     {command:<48} {what}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2])
    else:
        main()
