"""Counting verbs that were refused, for statistics and accounting.

Called where the application is answered, with the engine's lock, only while `Kernel.measured` is
not 0. An MQGET that ends without a message was not refused: `metering` counts it.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.accounts import TaskAccount, TaskQueueAccount, VerbTime
from ternmq.base.constants import MQOT_Q
from ternmq.base.counters import QmgrFigures, Traffic
from ternmq.base.topic_counters import TopicCounts
from ternmq.kernel.call_trace import trace_refusal
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.meter import STATISTICS
from ternmq.kernel.metering import account_of, book, figures_of
from ternmq.kernel.metering_calls import place_of

BROWSE: Final = "MQGET, browse"  # distinguishes it from a get
_OF_SUBSCRIPTIONS: Final = ("MQSUB", "MQSUBRQ")
_PUTS: Final = ("MQPUT", "MQPUT1")
_OF_OBJECTS: Final = ("MQOPEN", "MQCLOSE", "MQINQ", "MQSET")


def refused(
    kernel: Kernel, connection: Connection, verb: str, handle: Handle | None, reason: int = 0
) -> None:
    """A verb was refused; `handle` is what it was for, if that is known."""
    trace_refusal(kernel, connection, verb, handle, reason)
    is_closed = handle is not None and handle.is_put1 and handle.local is None
    if handle is not None and is_closed and handle.route is None:
        handle.local = kernel.locals.get(handle.resolved_name)  # an MQPUT1 has closed it already
    _count(kernel, connection, verb, handle)
    if handle is not None and is_closed:
        handle.local = None


def _count(kernel: Kernel, connection: Connection, verb: str, handle: Handle | None) -> None:
    place = MQOT_Q if handle is None else place_of(handle)
    task = connection.account
    if _is_of_topics(verb, handle):
        if kernel.measured & STATISTICS:
            _fail_topic(kernel.meter.figures.topics.counts, verb)
        if task is not None:
            _fail_topic(task.topics, verb)
            _book_topic(kernel, connection, task, verb, handle)
        return
    if kernel.measured & STATISTICS:
        totals = kernel.meter.figures
        local = None if handle is None else handle.local
        traffic = totals.traffic if local is None else figures_of(kernel, local).traffic
        if not _fail_message(traffic, verb):
            _fail_other(totals, verb, place)
    if task is None:
        return
    if verb in _OF_OBJECTS:
        _refusals(task, verb)[place] += 1
    account = None if handle is None else account_of(kernel, handle)
    booked = _of_task(task, verb) if account is None else _of_queue(account, verb)
    booked.failed += 1
    book(connection, booked)


def _is_of_topics(verb: str, handle: Handle | None) -> bool:
    """A publication, or a call about subscriptions."""
    if verb in _OF_SUBSCRIPTIONS:
        return True
    if handle is None:
        return False
    if verb == "MQCLOSE":
        return handle.subscription is not None
    return handle.topic is not None and verb in _PUTS


def _fail_topic(counts: TopicCounts, verb: str) -> None:
    if verb == "MQPUT":
        counts.failed_puts += 1
    elif verb == "MQPUT1":
        counts.failed_put1s += 1
    elif verb == "MQSUB":
        counts.failed_subscribes += 1
    elif verb == "MQSUBRQ":
        counts.failed_requests += 1
    else:
        counts.failed_removals += 1


def _book_topic(
    kernel: Kernel, connection: Connection, task: TaskAccount, verb: str, handle: Handle | None
) -> None:
    account = account_of(kernel, handle) if handle is not None and verb in _PUTS else None
    if account is not None:
        booked = account.put1 if verb == "MQPUT1" else account.put
    elif verb == "MQSUB":
        booked = task.subscribe
    else:
        booked = task.request if verb == "MQSUBRQ" else task.other
    booked.failed += 1
    book(connection, booked)


def _fail_message(traffic: Traffic, verb: str) -> bool:
    if verb == "MQPUT":
        traffic.failed_puts += 1
    elif verb == "MQPUT1":
        traffic.failed_put1s += 1
    elif verb == "MQGET":
        traffic.failed_gets += 1
    elif verb == BROWSE:
        traffic.failed_browses += 1
    else:
        return False
    return True


def _fail_other(totals: QmgrFigures, verb: str, place: int) -> None:
    if verb == "MQOPEN":
        totals.failed_opens[place] += 1
    elif verb == "MQCLOSE":
        totals.failed_closes[place] += 1
    elif verb == "MQINQ":
        totals.failed_inquires[place] += 1
    elif verb == "MQSET":
        totals.failed_sets[place] += 1
    elif verb == "MQCMIT":
        totals.failed_commits += 1
    elif verb == "MQCONN":
        totals.failed_connects += 1
    elif verb == "MQSTAT":
        totals.failed_statuses += 1


def _refusals(task: TaskAccount, verb: str) -> list[int]:
    if verb == "MQOPEN":
        return task.failed_opens
    if verb == "MQCLOSE":
        return task.failed_closes
    return task.failed_inquires if verb == "MQINQ" else task.failed_sets


def _of_task(task: TaskAccount, verb: str) -> VerbTime:
    if verb == "MQCMIT":
        return task.commit
    if verb == "MQBACK":
        return task.back_out
    if verb == "prepare":
        return task.prepare
    return task.status if verb == "MQSTAT" else task.other


def _of_queue(account: TaskQueueAccount, verb: str) -> VerbTime:
    if _fail_message(account.traffic, verb):
        if verb == "MQPUT":
            return account.put
        return account.put1 if verb == "MQPUT1" else account.get
    if verb == "MQCLOSE":
        return account.close
    return account.inquire if verb == "MQINQ" else account.set
