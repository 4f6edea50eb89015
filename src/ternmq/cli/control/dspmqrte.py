"""dspmqrte -q QUEUE: shows the route that a message takes to a queue.

It puts a trace-route message and shows what the queue managers on the way record about it: by
activity reports, or by activities that the message collects. With -i it shows what is on a queue
about a message that was put earlier.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.cli import attach
from ternmq.cli.control import route_display
from ternmq.cli.control.route_arguments import DETAILS, parsed
from ternmq.cli.output import write_error, write_json, write_now
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.trace_route import (
    TraceRoute,
    activity,
    message_group,
    name_of,
    operation,
    read_report,
    read_trace_route,
)

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue
    from ternmq.values.message import Message

FAILED: Final = 1
INCOMPLETE: Final = 10
MODEL_QUEUE: Final = "SYSTEM.DEFAULT.MODEL.QUEUE"
DESCRIPTION: Final = "DISPLAY ROUTE"


def main(argv: list[str]) -> int:
    """Run the command."""
    asked = parsed(argv)
    try:
        connection = attach.attach(asked.m, "dspmqrte", asked.u, asked.c)
    except MQError as failure:
        write_error(f"dspmqrte: {failure}")
        return FAILED
    with connection:
        if not asked.json:
            options = " ".join(one for one in argv if one != "--json")
            write_now(message_line("AMQ8653I", (options,)))
        try:
            status = _collected(connection, asked) if asked.i else _traced(connection, asked)
        except MQError as failure:
            write_error(f"dspmqrte: {failure}")
            return FAILED
    if not asked.json:
        write_now(message_line("AMQ8652I"))
    return status


# ---- the message


@dataclass
class Route:
    """What is known of a trace-route message."""

    msg_id: bytes
    activities: dict[int, Parameter] = field(default_factory=dict)  # by their numbers
    trace: Parameter | None = None  # the last group TraceRoute
    is_whole: bool = False  # a message that has them all has come

    def take(self, message: Message) -> None:
        """A report or a reply."""
        md = message.descriptor
        trace = read_trace_route(md.format, message.data, md.encoding, md.ccsid)
        if trace is not None:
            for number, done in enumerate(_activities(trace), 1):
                self.activities[number] = done
            self.trace = trace.group()
            self.is_whole = True
            return
        report = read_report(message.data, md.encoding, md.ccsid)
        one = None if report is None else report.find(mq.MQGACF_ACTIVITY)
        if report is None or one is None:
            return
        group = report.find(mq.MQGACF_TRACE_ROUTE)
        number = len(self.activities) + 1
        if group is not None:
            number = route_display.number_of(group, mq.MQIACF_RECORDED_ACTIVITIES)
            if not self.activities or number > max(self.activities):
                self.trace = group
        self.activities[number] = one

    def ordered(self) -> list[Parameter]:
        """The activities, the first one first."""
        return [self.activities[number] for number in sorted(self.activities)]

    def is_complete(self) -> bool:
        """Whether the end was reached, and nothing is missing before it but the first put, which
        only its own command knows."""
        if self.is_whole:
            return True
        last = max(self.activities, default=0)
        if not last or not route_display.is_end(self.activities[last]):
            return False
        return all(number in self.activities for number in range(2, last))


def _activities(trace: TraceRoute) -> list[Parameter]:
    return [one for one in trace.activities if one.parameter == mq.MQGACF_ACTIVITY]


def _traced(connection: Connection, asked: argparse.Namespace) -> int:
    """Put the message, and show its route."""
    with (
        connection.queue(asked.q, qmgr=asked.qm, options=_output(asked)) as target,
        _reply_queue(connection, asked) as replies,
    ):
        route = _put(connection, asked, target, replies)
        if not asked.n:
            asks = asked.ar or asked.report & mq.MQRO_ACTIVITY
            return _shown(replies if asks else None, route, asked)
    if asked.json:
        write_json({"MsgId": route.msg_id.hex()})
    else:
        write_now(message_line("AMQ8654I", (route.msg_id.hex().upper(),)))
    return 0


def _output(asked: argparse.Namespace) -> int:
    """The options of MQOPEN for the target."""
    return mq.MQOO_OUTPUT | (mq.MQOO_BIND_NOT_FIXED if asked.o else 0)


def _reply_queue(connection: Connection, asked: argparse.Namespace) -> Queue:
    options = mq.MQOO_BROWSE if asked.b else mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE
    if not asked.rq or asked.n:
        return connection.queue(asked.rq or MODEL_QUEUE)
    return connection.queue(asked.rq, options=options)


def _trace(asked: argparse.Namespace) -> TraceRoute:
    trace = TraceRoute()
    trace.detail = DETAILS[asked.t]
    trace.activities_max = asked.s
    if asked.ac:
        trace.accumulation = mq.MQROUTE_ACCUMULATE_IN_MSG
    if asked.ar:
        trace.accumulation = mq.MQROUTE_ACCUMULATE_AND_REPLY
    if asked.f == "yes":
        trace.forwarding = mq.MQROUTE_FORWARD_ALL
    if asked.d == "yes":
        trace.delivery = mq.MQROUTE_DELIVER_YES
    return trace


def _put(connection: Connection, asked: argparse.Namespace, target: Queue, replies: Queue) -> Route:
    """The trace-route message, whose first activity is this put."""
    with connection.queue(
        asked.q, qmgr=asked.qm, options=_output(asked) | mq.MQOO_RESOLVE_LOCAL_Q
    ) as local:
        taken_by = local.resolved_name
    md = Descriptor(
        report=asked.report | (mq.MQRO_PASS_DISCARD_AND_EXPIRY if asked.xp == "yes" else 0),
        msg_type=mq.MQMT_DATAGRAM,
        expiry=asked.xs * 10 if asked.xs else mq.MQEI_UNLIMITED,
        format=mq.MQFMT_ADMIN,
        persistence=int(asked.l == "yes"),
        priority=mq.MQPRI_PRIORITY_AS_Q_DEF if asked.p is None else asked.p,
        reply_to_queue=asked.rq or replies.name,
        reply_to_qmgr=asked.rqm,
    )
    trace = _trace(asked)
    is_local = target.resolved_qmgr == connection.name
    is_kept = is_local and asked.d == "no"
    done = _own_activity(connection, asked, target, taken_by, md, is_kept)
    trace.recorded = 1
    if trace.accumulates:
        trace.activities.append(done)
    route = Route(b"")
    route.activities[1] = done
    route.trace = trace.group()
    if is_kept:  # it has arrived, and is not to be delivered
        return route
    route.msg_id = target.put(trace.pack(), descriptor=md)
    if not asked.json:
        write_now(message_line("AMQ8659I", (taken_by, connection.name)))
    return route


def _own_activity(
    connection: Connection,
    asked: argparse.Namespace,
    target: Queue,
    taken_by: str,
    md: Descriptor,
    is_kept: bool,
) -> Parameter:
    more = [name_of(mq.MQCA_Q_NAME, asked.q)]
    kind = mq.MQOPER_PUT
    if is_kept:
        kind = mq.MQOPER_DISCARD
        more.insert(0, pcf.integer(mq.MQIACF_FEEDBACK, mq.MQFB_NOT_DELIVERED))
    else:
        more.append(name_of(mq.MQCACF_RESOLVED_Q_NAME, taken_by))
    if target.resolved_qmgr != connection.name:
        more.append(name_of(mq.MQCA_REMOTE_Q_NAME, target.resolved_name))
        more.append(name_of(mq.MQCA_REMOTE_Q_MGR_NAME, target.resolved_qmgr))
    described = message_group(0, md, None)
    one = operation(kind, time.time_ns(), connection.name, described, more)
    return activity("dspmqrte", mq.MQAT_DEFAULT, DESCRIPTION, [one])


# ---- what comes back


def _collected(connection: Connection, asked: argparse.Namespace) -> int:
    """Show what is on a queue about a message that was put earlier."""
    options = mq.MQOO_BROWSE if asked.b else mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE
    with connection.queue(asked.q, qmgr=asked.qm, options=options) as queue:
        return _shown(queue, Route(asked.id), asked)


def _shown(queue: Queue | None, route: Route, asked: argparse.Namespace) -> int:
    """Wait for reports and show the route; INCOMPLETE if its end is not known."""
    if queue is not None and route.msg_id:
        if not asked.json and asked.w:
            write_now(message_line("AMQ8674I"))
        _await(queue, route, asked)
    is_complete = route.is_complete()
    if asked.json:
        write_json(
            {
                "MsgId": route.msg_id.hex(),
                "Complete": is_complete,
                "Activities": [route_display.as_json(one) for one in route.ordered()],
                "TraceRoute": {} if route.trace is None else route_display.as_json(route.trace),
            }
        )
    else:
        _write(route, asked)
        if not is_complete:
            write_now(message_line("AMQ8673W", (f"{asked.w:g}",)))
    return 0 if is_complete else INCOMPLETE


def _await(queue: Queue, route: Route, asked: argparse.Namespace) -> None:
    if asked.b:
        for message in queue.browse():
            if message.correl_id == route.msg_id:
                route.take(message)
        return
    deadline = time.monotonic() + asked.w
    while not route.is_complete():
        left = max(deadline - time.monotonic(), 0)
        found = queue.try_get(correl_id=route.msg_id, wait=left or None)
        if found is None:
            return
        route.take(found)


def _write(route: Route, asked: argparse.Namespace) -> None:
    if asked.v == "none":
        return
    for one in route.ordered():
        if asked.v == "summary":
            for line in route_display.summary(one):
                write_now(line)
            continue
        write_now(route_display.RULE)
        for line in route_display.lines(one, asked.words, asked.v == "all"):
            write_now(line)
    if asked.v != "summary" and route.trace is not None:
        for line in route_display.lines(route.trace, asked.words, asked.v == "all"):
            write_now(line)
