"""Counting publications and subscriptions, for statistics and accounting. Called in the step that
makes them, and only while `Kernel.measured` is not 0, but for `subscriptions_changed`; refusals are
counted in `refusals`.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base.topic_counters import TopicCounts
from ternmq.kernel.call_trace import PUT, PUT1, SUB, SUBRQ, trace
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.meter import STATISTICS, TRACED
from ternmq.kernel.metering import account_of, book
from ternmq.values.entry import PERSISTENT, Entry

_SYSTEM_ROOT: Final = "$SYS/"
CREATED: Final = 0
ALTERED: Final = 1
RESUMED: Final = 2


def subscriptions_changed(kernel: Kernel, is_durable: bool, sub_type: int, by: int) -> None:
    """There is a subscription more, or one less."""
    meter = kernel.meter
    meter.subscriptions.change(is_durable, sub_type, by)
    if kernel.measured & STATISTICS:
        meter.figures.topics.see(meter.subscriptions)


def have_expired(kernel: Kernel, subscriptions: int) -> None:
    """Subscriptions are gone because their time was over."""
    if kernel.measured & STATISTICS:
        kernel.meter.figures.topics.expired += subscriptions


def was_sent(kernel: Kernel, copy: Entry) -> None:
    """A copy of a publication is on a queue, which counts it as a put: no application made that
    call."""
    if kernel.measured & STATISTICS:
        figures = kernel.meter.figures
        is_persistent = copy.flags & PERSISTENT
        (figures.persistent_copies if is_persistent else figures.plain_copies).add(copy.length)


def was_published(
    kernel: Kernel, handle: Handle, length: i64, is_persistent: bool, entry: Entry | None = None
) -> None:
    """MQPUT or MQPUT1 by an application has published a message."""
    connection = handle.connection
    if connection.connection_id == 0:  # the queue manager's own
        return
    if kernel.measured & TRACED:
        trace(kernel, connection, PUT1 if handle.is_put1 else PUT, handle, entry)
    if kernel.measured & STATISTICS:
        _add_publication(kernel.meter.figures.topics.counts, handle.is_put1, length, is_persistent)
    task = handle.connection.account
    if task is None:
        return
    _add_publication(task.topics, handle.is_put1, length, is_persistent)
    task.put_sizes.add(length)
    account = account_of(kernel, handle)
    if account is not None:
        traffic = account.traffic
        if handle.is_put1:
            (traffic.persistent_put1s if is_persistent else traffic.plain_put1s).add(length)
        else:
            (traffic.persistent_puts if is_persistent else traffic.plain_puts).add(length)
        book(handle.connection, account.put1 if handle.is_put1 else account.put)
    else:
        book(handle.connection, task.other)


def _add_publication(counts: TopicCounts, is_put1: bool, length: i64, is_persistent: bool) -> None:
    if is_persistent:
        counts.persistent_bytes += length
        if is_put1:
            counts.persistent_put1s += 1
        else:
            counts.persistent_puts += 1
    else:
        counts.plain_bytes += length
        if is_put1:
            counts.plain_put1s += 1
        else:
            counts.plain_puts += 1


def went_to_subscribers(
    kernel: Kernel, handle: Handle | None, copies: i64, length: i64, is_persistent: bool
) -> None:
    """So many copies of a publication have gone to subscribers; `handle` put the message, to the
    topic or to a queue that streams to it. None: the queue manager published it."""
    if kernel.measured & STATISTICS:
        topics = kernel.meter.figures.topics
        counts = topics.counts
        if is_persistent:
            counts.published_persistent += copies
            counts.published_persistent_bytes += copies * length
        else:
            counts.published_plain += copies
            counts.published_plain_bytes += copies * length
        if copies == 0:
            topics.unmatched += 1
        elif copies > topics.most_copies:
            topics.most_copies = copies
    if handle is not None and handle.connection.account is not None:
        account = account_of(kernel, handle)
        if account is not None:
            account.published += copies


def was_delivered(kernel: Kernel, handle: Handle, published: Entry, copies: i64) -> None:
    """A publication is complete: so many copies have gone to subscribers. What the queue manager
    publishes about itself does not count: who looks changes nothing."""
    topic = handle.topic
    if handle.connection.connection_id == 0 and topic is not None:
        if topic.topic_string.startswith(_SYSTEM_ROOT):
            return
    is_persistent = published.flags & PERSISTENT != 0
    was_published(kernel, handle, published.length, is_persistent, published)
    went_to_subscribers(kernel, handle, copies, published.length, is_persistent)


def was_subscribed(
    kernel: Kernel,
    connection: Connection,
    is_durable: bool,
    how: int,
    handle: Handle | None = None,
) -> None:
    """MQSUB, or a command, has made, altered or resumed a subscription."""
    if kernel.measured & TRACED:
        trace(kernel, connection, SUB, handle)
    if kernel.measured & STATISTICS:
        _add_subscription(kernel.meter.figures.topics.counts, is_durable, how)
    task = connection.account
    if task is not None:
        _add_subscription(task.topics, is_durable, how)
        clock = connection.clock
        if clock is not None:
            clock.booked = None  # what opened its queue was a part of it
        book(connection, task.subscribe)


def _add_subscription(counts: TopicCounts, is_durable: bool, how: int) -> None:
    if how == CREATED:
        if is_durable:
            counts.durable_created += 1
        else:
            counts.other_created += 1
    elif how == ALTERED:
        if is_durable:
            counts.durable_altered += 1
        else:
            counts.other_altered += 1
    elif is_durable:
        counts.durable_resumed += 1
    else:
        counts.other_resumed += 1


def was_unsubscribed(
    kernel: Kernel, connection: Connection, is_durable: bool, is_removed: bool
) -> None:
    """MQCLOSE of a subscription has worked, or a command has deleted it."""
    if kernel.measured & STATISTICS:
        _add_end(kernel.meter.figures.topics.counts, is_durable, is_removed)
    task = connection.account
    if task is not None:
        _add_end(task.topics, is_durable, is_removed)


def _add_end(counts: TopicCounts, is_durable: bool, is_removed: bool) -> None:
    if is_durable:
        if is_removed:
            counts.durable_removed += 1
        else:
            counts.durable_kept += 1
    elif is_removed:
        counts.other_removed += 1
    else:
        counts.other_kept += 1


def were_requested(kernel: Kernel, connection: Connection, handle: Handle | None = None) -> None:
    """MQSUBRQ has worked."""
    if kernel.measured & TRACED:
        trace(kernel, connection, SUBRQ, handle)
    if kernel.measured & STATISTICS:
        kernel.meter.figures.topics.counts.requests += 1
    task = connection.account
    if task is not None:
        task.topics.requests += 1
        book(connection, task.request)
