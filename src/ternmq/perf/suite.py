"""The workloads: the regression suite of IBM's performance reports for MQ on z/OS, on this machine.

The order is theirs, and so are the numbers of tasks, queues and bytes. What z/OS does with several
machines (queue sharing groups, bridges) has no counterpart here, and there are no clusters and no
protection of messages yet. A task of theirs, a batch job or a CICS transaction, is a connection
over the local socket; a client is one over TCP; workloads of channels have two queue managers.
"""

from __future__ import annotations

from typing import Final

from ternmq.perf.channel_suite import CHANNEL_COMPRESSION, CHANNEL_SCALING
from ternmq.perf.queues import (
    AHEAD,
    BEST_EFFORT,
    COPY,
    DATA,
    LOGGED,
    LOGGED_TWICE,
    MUST_DUPLICATE,
    PAIRS_MAX,
    PLAIN,
    REPLY,
    REQUEST,
    STREAMED,
    STREAMED_MAX,
    TASK,
)
from ternmq.perf.topic_suite import MANY_COPIES, TWO_COPIES
from ternmq.perf.workload import (
    ACCOUNTING,
    BYTES,
    FROM_APPLICATIONS,
    FROM_MEMORY,
    GETTER,
    IDLE,
    KB,
    LOCAL,
    LOG_BYTES,
    LOOPER,
    MB,
    NOTHING,
    PUTS,
    PUTTER,
    REQUESTER,
    SERVER,
    SHARED,
    SHORT,
    SINGLE,
    STATISTICS,
    TRACE,
    UNSHARED,
    USUAL,
    Crew,
    Point,
    Workload,
    size_text,
)

PRIVATE: Final = "Private queue"
STREAMING: Final = "Streaming queues"
CLIENTS: Final = "Client channels"
MEASUREMENT: Final = "Statistics, accounting and trace"
STORAGE: Final = "Storage"

SIZES: Final = (2 * KB, 64 * KB, 4 * MB)
LARGE_PAIRS_MAX: Final = 6  # of 4 MB messages
LOG_SIZES: Final = (1 * KB, 4 * KB, 16 * KB, 64 * KB, 256 * KB, 1 * MB, 4 * MB)
PUT_SIZES: Final = tuple(number * KB for number in (2, 4, 8, 16, 32, 64, 128))
STREAMED_COUNTS: Final = (1, 2, 4, 6, 8, STREAMED_MAX)
CLIENT_COUNTS: Final = (1, 2, 4, 6, 8, 10)
CLIENT_SIZES: Final = (2 * KB, 64 * KB)
MEASURED_PAIRS: Final = (1, 5, 10, PAIRS_MAX)
TRACED_CLIENTS: Final = (1, 4, 8)
SHORT_COUNTS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
CONNECTIONS: Final = 500
QUICK_PAIRS: Final = (1, 5)


def pair(
    size: int = 2 * KB,
    *,
    requesters: int,
    servers: int,
    each: bool = False,
    inside: bool = False,
    persistent: bool = False,
    queue: str = REQUEST,
) -> tuple[Crew, ...]:
    """Requesters and servers. Only persistent requesters work inside syncpoint themselves."""
    asks = Crew(
        REQUESTER,
        requesters,
        queue,
        REPLY,
        each_its_own=each,
        size=size,
        persistent=persistent,
        syncpoint=persistent,
    )
    serves = Crew(
        SERVER,
        servers,
        queue,
        REPLY,
        each_its_own=each,
        size=size,
        persistent=persistent,
        syncpoint=inside,
        is_counted=False,
    )
    return asks, serves


def single(name: str, title: str, inside: bool) -> Workload:
    """One pair of queues, 5 requesters, 4 servers."""
    where = "in" if inside else "out of"
    return Workload(
        name,
        PRIVATE,
        title,
        "5 requesters share a request and a reply queue with 4 servers; each requester waits for"
        f" the reply to its own request. Non-persistent; servers get and put {where} syncpoint.",
        "message size",
        tuple(
            Point(
                size_text(size),
                pair(size, requesters=5, servers=4, inside=inside),
                REPLY,
                quick=size == 2 * KB,
            )
            for size in SIZES
        ),
    )


def scaling(name: str, size: int, inside: bool) -> Workload:
    """One requester and one server for each pair of queues, 1 to 15 pairs."""
    where = "in" if inside else "out of"
    most = LARGE_PAIRS_MAX if size >= 4 * MB else PAIRS_MAX
    quick = QUICK_PAIRS if size == 2 * KB else (1,)
    return Workload(
        name,
        PRIVATE,
        f"Scaling over pairs of queues, {where} syncpoint, {size_text(size)}",
        "One requester and one server for each pair of queues. Non-persistent;"
        f" servers get and put {where} syncpoint.",
        "pairs of queues",
        tuple(
            Point(
                str(count),
                pair(size, requesters=count, servers=count, each=True, inside=inside),
                REPLY,
                quick=count in quick,
            )
            for count in range(1, most + 1)
        ),
    )


PERSISTENT: Final = Workload(
    "persistent",
    PRIVATE,
    "Persistent, in syncpoint, one pair of queues",
    "60 requesters and 10 servers on one pair of queues; persistent messages, everything in"
    " syncpoint, one get and one put for each commit of a server.",
    "message size",
    tuple(
        Point(
            size_text(size),
            pair(size, requesters=60, servers=10, inside=True, persistent=True),
            REPLY,
            quick=size == 2 * KB,
        )
        for size in (2 * KB, 64 * KB)
    ),
)


def loopers(size: int, queue: str) -> tuple[Crew, ...]:
    """One task with messages of 1 KB, two with messages of the size."""
    return (
        Crew(LOOPER, 1, queue, size=1 * KB, persistent=True),
        Crew(LOOPER, 2, queue, size=size, persistent=True),
    )


LOG_BOUND: Final = Workload(
    "log-bound",
    PRIVATE,
    "Upper bound of the log",
    "3 tasks put and get persistent messages on one queue: one with messages of 1 KB, two with"
    " messages of the size. The rate is that of the log.",
    "message size",
    tuple(
        Point(size_text(size), loopers(size, LOGGED), LOGGED, LOG_BYTES, quick=size in (KB, MB))
        for size in LOG_SIZES
    ),
    "MB/s of log",
    "CPU µs/MB of log",
)
SHORT_TASKS: Final = Workload(
    "short-tasks",
    PRIVATE,
    "Many short tasks",
    "Each transaction is a task of its own, as in CICS: it connects, opens a queue, puts and gets"
    " 2 KB, closes and disconnects.",
    "tasks at once",
    tuple(
        Point(str(count), (Crew(SHORT, count, TASK),), TASK, quick=count in (1, 16))
        for count in SHORT_COUNTS
    ),
)


def put_cost(size: int, series: str, queue: str) -> Point:
    """One task that puts; others take the messages and their copies away."""
    drains = [Crew(GETTER, 1, queue, size=size, is_counted=False)]
    if queue == STREAMED:
        drains.append(Crew(GETTER, 1, COPY, size=size, is_counted=False))
    crews = (Crew(PUTTER, 1, queue, size=size), *drains)
    quick = size == 2 * KB
    return Point(size_text(size), crews, queue, PUTS, series, quick=quick, cost_of_putters=True)


STREAMED_PUTS: Final = Workload(
    "streamed-puts",
    STREAMING,
    "Cost of a put with a streaming queue",
    "One task puts non-persistent messages to a queue without and with STREAMQ. The cost is that of"
    " the task that puts.",
    "message size",
    tuple(
        put_cost(size, series, queue)
        for series, queue in (("without", PLAIN), ("with streaming queue", STREAMED))
        for size in PUT_SIZES
    ),
    "puts/s",
    "CPU µs/put",
)


def streamed_pairs(count: int, series: str, queue: str) -> Point:
    """Pairs of queues whose requests are copied, with a getter that takes the copies."""
    crews = pair(requesters=count, servers=count, each=True, queue=queue)
    if queue != REQUEST:
        crews += (Crew(GETTER, count, COPY, each_its_own=True, is_counted=False),)
    return Point(str(count), crews, REPLY, series=series, quick=count == 1)


STREAMED_REPLIES: Final = Workload(
    "streamed-requests",
    STREAMING,
    "Request and reply with streaming queues",
    "One requester and one server for each pair of queues, and a task that takes the copies of"
    " the requests. Non-persistent, 2 KB, out of syncpoint.",
    "pairs of queues",
    tuple(
        streamed_pairs(count, series, queue)
        for series, queue in (
            ("without", REQUEST),
            ("best effort", BEST_EFFORT),
            ("must duplicate", MUST_DUPLICATE),
        )
        for count in STREAMED_COUNTS
    ),
)


def streamed_log(size: int, series: str, queue: str) -> Point:
    """The bound of the log without and with copies."""
    crews = loopers(size, queue)
    if queue == LOGGED_TWICE:
        crews += (Crew(GETTER, 1, COPY, size=size, is_counted=False),)
    return Point(size_text(size), crews, queue, LOG_BYTES, series, quick=size == 64 * KB)


STREAMED_LOG: Final = Workload(
    "streamed-log",
    STREAMING,
    "Upper bound of the log with a streaming queue",
    "The workload of the log's upper bound, without and with a copy of every message.",
    "message size",
    tuple(
        streamed_log(size, series, queue)
        for series, queue in (("without", LOGGED), ("with streaming queue", LOGGED_TWICE))
        for size in LOG_SIZES
    ),
    "MB/s of log",
    "CPU µs/MB of log",
)


def client_pairs(count: int, size: int, binding: str, queue: str) -> tuple[Crew, ...]:
    """A client that puts and one that gets for each queue."""
    ahead = queue == AHEAD
    return (
        Crew(PUTTER, count, queue, "", True, size, binding=binding, is_counted=False),
        Crew(GETTER, count, queue, "", True, size, binding=binding, ahead=ahead),
    )


def clients(name: str, sharing: int, binding: str, queue: str) -> Workload:
    """A putter and a getter for each queue, over TCP."""
    is_ahead = queue == AHEAD
    how = "without answers, gets read ahead" if is_ahead else "and gets are answered one by one"
    return Workload(
        name,
        CLIENTS,
        f"Clients, SHARECNV({sharing})",
        f"A client that puts and one that gets for each queue; puts {how}. Non-persistent.",
        "queues",
        tuple(
            Point(
                str(count),
                client_pairs(count, size, binding, queue),
                queue,
                BYTES,
                size_text(size),
                quick=count in (1, 4) and size == 2 * KB,
            )
            for size in CLIENT_SIZES
            for count in CLIENT_COUNTS
        ),
        "MB/s",
        "CPU µs/MB",
    )


MEASURED: Final = Workload(
    "measurement",
    MEASUREMENT,
    "What measurement costs",
    "One requester and one server for each pair of queues, 2 KB, out of syncpoint, with nothing"
    " measured, with statistics, with accounting, with both, and with trace. Without records there"
    " is nothing to read, so rates are the applications' and costs those of the whole process.",
    "pairs of queues",
    tuple(
        Point(
            str(count),
            pair(requesters=count, servers=count, each=True),
            REPLY,
            series=series,
            mode=mode,
            quick=count == 5,
        )
        for series, mode in (
            ("nothing", NOTHING),
            ("statistics", STATISTICS),
            ("accounting", ACCOUNTING),
            ("both", USUAL),
            ("trace", TRACE),
        )
        for count in MEASURED_PAIRS
    ),
    source=FROM_APPLICATIONS,
)
TRACED: Final = Workload(
    "traced-clients",
    MEASUREMENT,
    "What trace costs clients, SHARECNV(0)",
    "A client that puts and one that gets for each queue, 2 KB, puts and gets answered one by one,"
    " with nothing measured and with trace. Rates are the applications', costs those of the whole"
    " process.",
    "queues",
    tuple(
        Point(
            str(count),
            client_pairs(count, 2 * KB, UNSHARED, DATA),
            DATA,
            BYTES,
            series,
            mode,
            quick=count == 4,
        )
        for series, mode in (("nothing", NOTHING), ("trace", TRACE))
        for count in TRACED_CLIENTS
    ),
    "MB/s",
    "CPU µs/MB",
    FROM_APPLICATIONS,
)
FOOTPRINT: Final = Workload(
    "footprint",
    STORAGE,
    "Footprint of a connection",
    f"{CONNECTIONS} connections to a queue manager that was just started; each has put and got a"
    " message of 2 KB and keeps a queue open. The memory of the queue manager's process.",
    "kind of connection",
    tuple(
        Point(x, (Crew(IDLE, CONNECTIONS, TASK, binding=binding),), TASK, quick=binding == LOCAL)
        for x, binding in (
            ("local socket", LOCAL),
            ("SHARECNV(0)", UNSHARED),
            ("SHARECNV(1)", SINGLE),
            ("SHARECNV(10)", SHARED),
        )
    ),
    "KB/connection",
    "",
    FROM_MEMORY,
)

WORKLOADS: Final[tuple[Workload, ...]] = (
    single("single", "One pair of queues, out of syncpoint", False),
    scaling("scaling", 2 * KB, False),
    single("single-syncpoint", "One pair of queues, servers in syncpoint", True),
    scaling("scaling-syncpoint-2k", 2 * KB, True),
    scaling("scaling-syncpoint-64k", 64 * KB, True),
    scaling("scaling-syncpoint-4m", 4 * MB, True),
    PERSISTENT,
    LOG_BOUND,
    SHORT_TASKS,
    STREAMED_PUTS,
    STREAMED_REPLIES,
    STREAMED_LOG,
    TWO_COPIES,
    MANY_COPIES,
    clients("clients-sharecnv-0", 0, UNSHARED, DATA),
    clients("clients-sharecnv-1", 1, SINGLE, AHEAD),
    MEASURED,
    TRACED,
    CHANNEL_SCALING,
    CHANNEL_COMPRESSION,
    FOOTPRINT,
)
BY_NAME: Final[dict[str, Workload]] = {one.name: one for one in WORKLOADS}


def chosen(names: list[str]) -> list[Workload]:
    """Workloads by name or by the beginning of their names, in the order of the suite; all if none
    is named. ValueError if a name fits nothing."""
    for name in names:
        if not any(one.name.startswith(name) for one in WORKLOADS):
            raise ValueError(f"there is no workload {name!r}; there are {', '.join(BY_NAME)}")
    exact = {name for name in names if name in BY_NAME}
    wanted = [name for name in names if name not in exact]
    return [
        one
        for one in WORKLOADS
        if not names or one.name in exact or any(one.name.startswith(name) for name in wanted)
    ]
