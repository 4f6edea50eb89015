"""What the agents of message channels record about messages that they pass on: activity reports,
activities in trace-route messages, trace-route replies.

    Report has MQRO_ACTIVITY   an activity report, if ACTIVREC allows: MSG to ReplyToQ, QUEUE to
                               SYSTEM.ADMIN.ACTIVITY.QUEUE
    trace-route message        counts go up; the activity is added if it accumulates and ROUTEREC is
                               not DISABLED. Its end makes a reply if that is asked for: MSG to
                               ReplyToQ, QUEUE to SYSTEM.ADMIN.TRACE.ROUTE.QUEUE

A trace-route message is discarded, with a feedback, when it has more activities than it may have,
for a partner that knows nothing of trace-routes unless it is to be forwarded to all, and on arrival
at a local queue unless it is to be delivered. `channel_sending` and `channel_placing` call this for
messages that `may_be_traced`; what has to be put is put by `Tracing.go_on`, in the unit of work of
the batch, or for a fast message in one of its own.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.transmitted import transmitted_message
from ternmq.codec.mqi.mqmd import FORMAT_AT, REPORT_AT, Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.trace_route import (
    TraceRoute,
    activity,
    activity_report,
    message_group,
    name_of,
    operation,
    read_trace_route,
)
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.report_message import ReportMessage
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.transmission import Route
from ternmq.values.entry import Entry, packed_descriptor
from ternmq.values.report_descriptor import report_descriptor

SENDING_AGENT: Final = "Sending Message Channel Agent"
RECEIVING_AGENT: Final = "Receiving Message Channel Agent"
APPL_NAME: Final = "ternmq"
ACTIVITY_QUEUE: Final = "SYSTEM.ADMIN.ACTIVITY.QUEUE"
ROUTE_QUEUE: Final = "SYSTEM.ADMIN.TRACE.ROUTE.QUEUE"
TRACE_FEEDBACKS: Final = (mq.MQFB_MAX_ACTIVITIES, mq.MQFB_NOT_FORWARDED, mq.MQFB_NOT_DELIVERED)
_DISABLED: Final = 0
_QUEUE: Final = 1
_UNSUPPORTED: Final = 0xFFFF0000  # bits of Forward and Deliver that must be known
_IN_XQH: Final = 104
_FORMATS: Final = (b"MQHEPCF ", b"MQADMIN ")


@final
class Hop:
    """One end of a channel, as activities name it."""

    __slots__ = ("channel", "channel_type", "partner_qmgr", "partner_traces", "transmission_queue")

    def __init__(
        self,
        channel: str,
        channel_type: int,
        partner_qmgr: str,
        transmission_queue: str = "",
        partner_traces: bool = True,
    ) -> None:
        self.channel = channel
        self.channel_type = channel_type  # MQCHT_
        self.partner_qmgr = partner_qmgr
        self.transmission_queue = transmission_queue
        self.partner_traces = partner_traces  # TRACE_ROUTE_CAPABLE


@final
class Tracing:
    """A message whose activity was recorded: what it is now, and what has to be put."""

    __slots__ = ("feedback", "message", "reports")

    def __init__(self, message: bytes) -> None:
        self.message = message  # as it goes on; on arrival, its data
        self.feedback = 0  # why it is discarded
        self.reports: list[ReportMessage] = []

    def keep_within(self, bytes_max: int, before: bytes) -> None:
        """A message that would become too long goes on as it was before."""
        if len(self.message) > bytes_max:
            self.message = before

    def go_on(self, kernel: Kernel, connection: Connection, is_fast: bool) -> bool:
        """Put the reports; False: parked."""
        while self.reports:
            unit = None if is_fast else kernel.unit_of(connection, "MQPUT")
            if not kernel.reports.of_activity(connection, unit, self.reports[0]):
                return False
            del self.reports[0]
        return True


def may_be_traced(base: bytes, at: int = 0) -> bool:
    """Whether a message with the descriptor there may be one to record activities of."""
    if base[at + REPORT_AT] & mq.MQRO_ACTIVITY:
        return True
    return base[at + FORMAT_AT : at + FORMAT_AT + 8] in _FORMATS


def sent_may_be_traced(message: bytes) -> bool:
    """The same of one that begins with an MQXQH."""
    return may_be_traced(message, _IN_XQH)


# ---- the two ends


def trace_sending(kernel: Kernel, hop: Hop, entry: Entry, message: bytes) -> Tracing | None:
    """A message of a transmission queue that is about to be sent; None: nothing is recorded."""
    about, data = transmitted_message(message)
    trace = _trace_of(about, data)
    if trace is None and not about.report & mq.MQRO_ACTIVITY:
        return None
    outer = Descriptor.unpack(packed_descriptor(entry))
    described = message_group(len(message), outer, about)
    queue = hop.transmission_queue
    names = [
        name_of(mq.MQCA_Q_NAME, queue),
        name_of(mq.MQCACF_RESOLVED_Q_NAME, queue),
    ]
    tracing = Tracing(message)
    now_ns = kernel.clock.now_ns()
    operations = [operation(mq.MQOPER_GET, now_ns, kernel.name, described, names)]
    if trace is not None:
        tracing.feedback = _feedback_of_sending(hop, trace)
    if tracing.feedback:
        more = [pcf.integer(mq.MQIACF_FEEDBACK, tracing.feedback)]
        if tracing.feedback == mq.MQFB_NOT_FORWARDED:
            more.append(name_of(mq.MQCA_REMOTE_Q_MGR_NAME, hop.partner_qmgr))
        operations.append(operation(mq.MQOPER_DISCARD, now_ns, kernel.name, described, more))
    else:
        more = _of_channel(hop)
        more.append(pcf.string(mq.MQCACH_XMIT_Q_NAME, queue, mq.MQ_Q_NAME_LENGTH))
        more.append(name_of(mq.MQCA_REMOTE_Q_MGR_NAME, hop.partner_qmgr))
        operations.append(operation(mq.MQOPER_SEND, now_ns, kernel.name, described, more))
    done = activity(APPL_NAME, mq.MQAT_QMGR, SENDING_AGENT, operations)
    _record(kernel, tracing, about, trace, done, tracing.feedback != 0)
    if trace is not None:
        tracing.message = message[: len(message) - len(data)] + trace.pack()
    return tracing


def trace_arrival(
    kernel: Kernel,
    hop: Hop,
    request: PutRequest,
    data: bytes,
    queue: str,
    resolved: str,
    route: Route | None,
    reason: int = 0,
) -> Tracing | None:
    """A message that was received for `queue` and is about to be put on the local queue `resolved`;
    with a reason, that is the dead-letter queue. None: nothing is recorded."""
    about = _described(request)
    trace = _trace_of(about, data)
    if trace is None and not about.report & mq.MQRO_ACTIVITY:
        return None
    described = message_group(len(data), about, None)
    tracing = Tracing(data)
    now_ns = kernel.clock.now_ns()
    more = _of_channel(hop)
    more.append(name_of(mq.MQCA_REMOTE_Q_MGR_NAME, hop.partner_qmgr))
    operations = [operation(mq.MQOPER_RECEIVE, now_ns, kernel.name, described, more)]
    if trace is not None:
        if not hop.partner_traces:
            trace.discontinuities += 1
        tracing.feedback = _feedback_of_arrival(trace, route, reason)
    lost = tracing.feedback
    if reason and about.report & mq.MQRO_DISCARD_MSG:
        lost = reason
    if lost:
        more = [pcf.integer(mq.MQIACF_FEEDBACK, lost), name_of(mq.MQCA_Q_NAME, queue)]
        operations.append(operation(mq.MQOPER_DISCARD, now_ns, kernel.name, described, more))
    else:
        more = _of_put(queue, resolved, route)
        if reason:
            more.append(pcf.integer(mq.MQIACF_FEEDBACK, reason))
        operations.append(operation(mq.MQOPER_PUT, now_ns, kernel.name, described, more))
    done = activity(APPL_NAME, mq.MQAT_QMGR, RECEIVING_AGENT, operations)
    is_last = tracing.feedback != 0 or route is None
    _record(kernel, tracing, about, trace, done, is_last)
    if trace is not None:
        tracing.message = trace.pack()
    return tracing


def _trace_of(about: Descriptor, data: bytes) -> TraceRoute | None:
    """A trace-route message; its replies look the same, and are not traced themselves."""
    if about.msg_type in (mq.MQMT_REPLY, mq.MQMT_REPORT):
        return None
    return read_trace_route(about.format, data, about.encoding, about.ccsid)


def _described(request: PutRequest) -> Descriptor:
    md = Descriptor.unpack(request.base)
    md.msg_id = request.msg_id
    md.correl_id = request.correl_id
    md.group_id = request.group_id
    return md


def _of_channel(hop: Hop) -> list[Parameter]:
    return [
        pcf.string(mq.MQCACH_CHANNEL_NAME, hop.channel, mq.MQ_CHANNEL_NAME_LENGTH),
        pcf.integer(mq.MQIACH_CHANNEL_TYPE, hop.channel_type),
    ]


def _of_put(queue: str, resolved: str, route: Route | None) -> list[Parameter]:
    more = [name_of(mq.MQCA_Q_NAME, queue), name_of(mq.MQCACF_RESOLVED_Q_NAME, resolved)]
    if route is not None:
        more.append(name_of(mq.MQCA_REMOTE_Q_NAME, route.remote_queue))
        more.append(name_of(mq.MQCA_REMOTE_Q_MGR_NAME, route.remote_qmgr))
    return more


# ---- whether it goes on


def _is_too_much(trace: TraceRoute) -> bool:
    return trace.activities_max > 0 and trace.count + 1 > trace.activities_max


def _feedback_of_sending(hop: Hop, trace: TraceRoute) -> int:
    if _is_too_much(trace):
        return mq.MQFB_MAX_ACTIVITIES
    if trace.forwarding & _UNSUPPORTED:
        return mq.MQFB_NOT_FORWARDED
    if not hop.partner_traces and trace.forwarding & mq.MQROUTE_FORWARD_IF_SUPPORTED:
        return mq.MQFB_NOT_FORWARDED
    return 0


def _feedback_of_arrival(trace: TraceRoute, route: Route | None, reason: int) -> int:
    if _is_too_much(trace):
        return mq.MQFB_MAX_ACTIVITIES
    if route is not None or reason:
        return 0
    refused = trace.delivery & (_UNSUPPORTED | mq.MQROUTE_DELIVER_NO)
    return mq.MQFB_NOT_DELIVERED if refused else 0


# ---- what is written


def _record(
    kernel: Kernel,
    tracing: Tracing,
    about: Descriptor,
    trace: TraceRoute | None,
    done: Parameter,
    is_last: bool,
) -> None:
    """Write an activity wherever it belongs."""
    is_wanted = trace is None or trace.detail >= mq.MQROUTE_DETAIL_MEDIUM
    recording = kernel.number("activity_recording")
    reports = is_wanted and about.report & mq.MQRO_ACTIVITY != 0 and recording != _DISABLED
    if trace is not None:
        routing = kernel.number("route_recording")
        adds = is_wanted and trace.accumulates and routing != _DISABLED
        if adds:
            trace.activities.append(done)
        if adds or reports:
            trace.recorded += 1
        else:
            trace.unrecorded += 1
        if is_last and trace.replies and routing != _DISABLED:
            place = ROUTE_QUEUE if routing == _QUEUE else ""
            _add(kernel, tracing, about, _reply_to(about), trace.message_bytes(), place)
    if reports:
        place = ACTIVITY_QUEUE if recording == _QUEUE else ""
        data = activity_report(done, trace)
        _add(kernel, tracing, about, _report_on(about), data, place)


def _report_on(about: Descriptor) -> Descriptor:
    made = report_descriptor(about, mq.MQFB_ACTIVITY, 0)
    if about.report & (mq.MQRO_DISCARD_MSG | mq.MQRO_PASS_DISCARD_AND_EXPIRY):
        made.report = mq.MQRO_DISCARD_MSG
    made.format = mq.MQFMT_EMBEDDED_PCF
    made.encoding = mq.MQENC_NATIVE
    made.ccsid = UTF8
    return made


def _reply_to(about: Descriptor) -> Descriptor:
    made = _report_on(about)
    made.msg_type = mq.MQMT_REPLY
    made.feedback = mq.MQFB_NONE
    made.format = mq.MQFMT_ADMIN
    made.encoding = about.encoding
    made.ccsid = about.ccsid
    return made


def _add(
    kernel: Kernel, tracing: Tracing, about: Descriptor, md: Descriptor, data: bytes, place: str
) -> None:
    """One more message to put, on ReplyToQ or on a queue of the queue manager's own."""
    if not place and not about.reply_to_queue:
        return
    md.reply_to_qmgr = kernel.name
    md.user_id = about.user_id
    md.accounting_token = about.accounting_token
    md.appl_identity_data = about.appl_identity_data
    md.put_appl_type = mq.MQAT_QMGR
    md.put_appl_name = kernel.name[: mq.MQ_PUT_APPL_NAME_LENGTH]
    report = ReportMessage(about, md)
    report.data = data
    if place:
        report.queue = place
        report.queue_manager = ""
        report.is_own = True
    tracing.reports.append(report)
