"""The metrics that Prometheus can scrape: the one table, in names for which MQ people have boards.

    what it is about, whose name it is, type, name, unit, source as in `source`; behind ; what it is

Names: E those of the mq_prometheus exporter of mq-metric-samples, C those of MQ's container image,
T our own (ternmq_). All of E and C begin with ibmmq_ and what they are about. Unit: 1 as it is,
s nanoseconds that are shown in seconds. A metric that both have under one name is shown once, with
the labels of E. Counters count from the start of the queue manager, and while metrics are on.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ternmq.telemetry.source import Source

QMGR: Final = "qmgr"
QUEUE: Final = "queue"
CHANNEL: Final = "channel"
EXPORTER: Final = "E"
CONTAINER: Final = "C"
OWN: Final = "T"
SECONDS: Final = "s"

_TABLE: Final = """
qmgr E gauge status 1 status ; status of the queue manager, 2 is running
qmgr E gauge uptime 1 uptime_s ; seconds since the start
qmgr E gauge connection_count 1 connections ; connections now
qmgr E gauge active_listeners 1 listeners ; listeners that run
qmgr E gauge active_services 1 services ; services that run
qmgr E gauge command_server_status 1 command_server ; status of the command server, 2 is running
qmgr E gauge channel_initiator_status 1 initiator ; whether channels are served, 2 is running
qmgr E gauge max_channels 1 channels_max ; limit on channels
qmgr E gauge max_active_channels 1 active_max ; limit on channels at once
qmgr E counter mqconn_mqconnx_count 1 figures.connects ; connections begun
qmgr C counter mqconn_mqconnx_total 1 figures.connects ; connections begun
qmgr E counter failed_mqconn_mqconnx_count 1 figures.failed_connects ; connections refused
qmgr C counter failed_mqconn_mqconnx_total 1 figures.failed_connects ; connections refused
qmgr E counter mqdisc_count 1 figures.disconnects ; connections ended
qmgr C counter mqdisc_total 1 figures.disconnects ; connections ended
qmgr E gauge concurrent_connections_high_water_mark 1 figures.connections_high ; most connections
qmgr E counter mqopen_count 1 figures.opens ; MQOPEN calls that worked
qmgr C counter mqopen_total 1 figures.opens ; MQOPEN calls that worked
qmgr E counter failed_mqopen_count 1 figures.failed_opens ; MQOPEN calls refused
qmgr C counter failed_mqopen_total 1 figures.failed_opens ; MQOPEN calls refused
qmgr E counter mqclose_count 1 figures.closes ; MQCLOSE calls that worked
qmgr C counter mqclose_total 1 figures.closes ; MQCLOSE calls that worked
qmgr E counter failed_mqclose_count 1 figures.failed_closes ; MQCLOSE calls refused
qmgr C counter failed_mqclose_total 1 figures.failed_closes ; MQCLOSE calls refused
qmgr E counter mqinq_count 1 figures.inquires ; MQINQ calls that worked
qmgr C counter mqinq_total 1 figures.inquires ; MQINQ calls that worked
qmgr E counter failed_mqinq_count 1 figures.failed_inquires ; MQINQ calls refused
qmgr C counter failed_mqinq_total 1 figures.failed_inquires ; MQINQ calls refused
qmgr E counter mqset_count 1 figures.sets ; MQSET calls that worked
qmgr C counter mqset_total 1 figures.sets ; MQSET calls that worked
qmgr E counter failed_mqset_count 1 figures.failed_sets ; MQSET calls refused
qmgr C counter failed_mqset_total 1 figures.failed_sets ; MQSET calls refused
qmgr E counter persistent_message_mqput_count 1 $PPUT ; persistent messages by MQPUT
qmgr C counter persistent_message_mqput_total 1 $PPUT ; persistent messages by MQPUT
qmgr E counter persistent_message_mqput1_count 1 $PPUT1 ; persistent messages by MQPUT1
qmgr C counter persistent_message_mqput1_total 1 $PPUT1 ; persistent messages by MQPUT1
qmgr E counter non_persistent_message_mqput_count 1 $NPUT ; non-persistent messages by MQPUT
qmgr C counter non_persistent_message_mqput_total 1 $NPUT ; non-persistent messages by MQPUT
qmgr E counter non_persistent_message_mqput1_count 1 $NPUT1 ; non-persistent messages by MQPUT1
qmgr C counter non_persistent_message_mqput1_total 1 $NPUT1 ; non-persistent messages by MQPUT1
qmgr E counter interval_mqput_mqput1_total_count 1 $PUTS ; messages put
qmgr C counter mqput_mqput1_total 1 $PUTS ; messages put
qmgr E counter interval_mqput_mqput1_total_bytes 1 $PUT_BYTES ; bytes put
qmgr C counter mqput_mqput1_bytes_total 1 $PUT_BYTES ; bytes put
qmgr E counter put_persistent_messages_bytes 1 $PPUT_BYTES ; bytes of persistent messages put
qmgr C counter persistent_message_put_bytes_total 1 $PPUT_BYTES ; bytes of persistent messages put
qmgr E counter put_non_persistent_messages_bytes 1 $NPUT_BYTES ; bytes of other messages put
qmgr C counter non_persistent_message_put_bytes_total 1 $NPUT_BYTES ; bytes of other messages put
qmgr E counter failed_mqput_count 1 traffic.failed_puts ; MQPUT calls refused
qmgr C counter failed_mqput_total 1 traffic.failed_puts ; MQPUT calls refused
qmgr E counter failed_mqput1_count 1 traffic.failed_put1s ; MQPUT1 calls refused
qmgr C counter failed_mqput1_total 1 traffic.failed_put1s ; MQPUT1 calls refused
qmgr E counter mqstat_count 1 figures.statuses ; MQSTAT calls
qmgr C counter mqstat_total 1 figures.statuses ; MQSTAT calls
qmgr E counter persistent_message_destructive_get_count 1 $PGET ; persistent messages got
qmgr C counter persistent_message_destructive_get_total 1 $PGET ; persistent messages got
qmgr E counter non_persistent_message_destructive_get_count 1 $NGET ; other messages got
qmgr C counter non_persistent_message_destructive_get_total 1 $NGET ; other messages got
qmgr E counter interval_destructive_get_total_count 1 traffic.gets ; messages got
qmgr C counter destructive_get_total 1 traffic.gets ; messages got
qmgr E counter interval_destructive_get_total_bytes 1 $GET_BYTES ; bytes got
qmgr C counter destructive_get_bytes_total 1 $GET_BYTES ; bytes got
qmgr E counter got_persistent_messages_bytes 1 $PGET_BYTES ; bytes of persistent messages got
qmgr C counter persistent_message_get_bytes_total 1 $PGET_BYTES ; bytes of persistent messages got
qmgr E counter got_non_persistent_messages_bytes 1 $NGET_BYTES ; bytes of other messages got
qmgr C counter non_persistent_message_get_bytes_total 1 $NGET_BYTES ; bytes of other messages got
qmgr E counter failed_mqget_count 1 traffic.failed_gets ; destructive gets refused
qmgr C counter failed_mqget_total 1 traffic.failed_gets ; destructive gets refused
qmgr E counter persistent_message_browse_count 1 $PBROWSE ; persistent messages browsed
qmgr C counter persistent_message_browse_total 1 $PBROWSE ; persistent messages browsed
qmgr E counter non_persistent_message_browse_count 1 $NBROWSE ; other messages browsed
qmgr C counter non_persistent_message_browse_total 1 $NBROWSE ; other messages browsed
qmgr E counter persistent_message_browse_bytes 1 $PBROWSE_BYTES ; their bytes
qmgr C counter persistent_message_browse_bytes_total 1 $PBROWSE_BYTES ; their bytes
qmgr E counter non_persistent_message_browse_bytes 1 $NBROWSE_BYTES ; their bytes
qmgr C counter non_persistent_message_browse_bytes_total 1 $NBROWSE_BYTES ; their bytes
qmgr E counter failed_browse_count 1 traffic.failed_browses ; browses refused
qmgr C counter failed_browse_total 1 traffic.failed_browses ; browses refused
qmgr E counter expired_message_count 1 figures.expired ; messages expired
qmgr C counter expired_message_total 1 figures.expired ; messages expired
qmgr E counter purged_queue_count 1 figures.purged ; messages purged
qmgr C counter purged_queue_total 1 figures.purged ; messages purged
qmgr E counter mqcb_count 1 figures.callbacks ; MQCB calls
qmgr C counter mqcb_total 1 figures.callbacks ; MQCB calls
qmgr E counter failed_mqcb_count 1 figures.failed_callbacks ; MQCB calls refused
qmgr C counter failed_mqcb_total 1 figures.failed_callbacks ; MQCB calls refused
qmgr E counter mqctl_count 1 figures.controls ; MQCTL calls
qmgr C counter mqctl_total 1 figures.controls ; MQCTL calls
qmgr E counter topic_mqput_mqput1_interval_total 1 topics.puts + topics.put1s ; publications
qmgr C counter topic_mqput_mqput1_total 1 topics.puts + topics.put1s ; publications
qmgr E counter interval_topic_put_total 1 $TOPIC_BYTES ; their bytes
qmgr C counter topic_put_bytes_total 1 $TOPIC_BYTES ; their bytes
qmgr E counter non_persistent_topic_mqput_mqput1_count 1 $NTOPIC ; publications, not persistent
qmgr C counter non_persistent_topic_mqput_mqput1_total 1 $NTOPIC ; publications, not persistent
qmgr E counter persistent_topic_mqput_mqput1_count 1 $PTOPIC ; publications, persistent
qmgr C counter persistent_topic_mqput_mqput1_total 1 $PTOPIC ; publications, persistent
qmgr E counter failed_topic_mqput_mqput1_count 1 $FTOPIC ; publications refused
qmgr C counter failed_topic_mqput_mqput1_total 1 $FTOPIC ; publications refused
qmgr E counter published_to_subscribers_message_count 1 topics.published ; copies to subscribers
qmgr C counter published_to_subscribers_message_total 1 topics.published ; copies to subscribers
qmgr E counter published_to_subscribers_bytes 1 topics.published_bytes ; their bytes
qmgr C counter published_to_subscribers_bytes_total 1 topics.published_bytes ; their bytes
qmgr E counter create_durable_subscription_count 1 topics.durable_created ; durable ones made
qmgr C counter durable_subscription_create_total 1 topics.durable_created ; durable ones made
qmgr E counter alter_durable_subscription_count 1 topics.durable_altered ; altered
qmgr C counter durable_subscription_alter_total 1 topics.durable_altered ; altered
qmgr E counter resume_durable_subscription_count 1 topics.durable_resumed ; resumed
qmgr C counter durable_subscription_resume_total 1 topics.durable_resumed ; resumed
qmgr E counter delete_durable_subscription_count 1 topics.durable_removed ; removed
qmgr C counter durable_subscription_delete_total 1 topics.durable_removed ; removed
qmgr E counter create_non_durable_subscription_count 1 topics.other_created ; other ones made
qmgr C counter non_durable_subscription_create_total 1 topics.other_created ; other ones made
qmgr E counter delete_non_durable_subscription_count 1 topics.other_removed ; removed
qmgr C counter non_durable_subscription_delete_total 1 topics.other_removed ; removed
qmgr E counter failed_create_alter_resume_subscription_count 1 $FSUB ; MQSUB refused
qmgr C counter failed_subscription_create_alter_resume_total 1 $FSUB ; MQSUB refused
qmgr E counter subscription_delete_failure_count 1 topics.failed_removals ; removals refused
qmgr C counter failed_subscription_delete_total 1 topics.failed_removals ; removals refused
qmgr E counter mqsubrq_count 1 topics.requests ; MQSUBRQ calls that worked
qmgr C counter mqsubrq_total 1 topics.requests ; MQSUBRQ calls that worked
qmgr E counter failed_mqsubrq_count 1 topics.failed_requests ; MQSUBRQ calls refused
qmgr C counter failed_mqsubrq_total 1 topics.failed_requests ; MQSUBRQ calls refused
qmgr E gauge durable_subscriber_high_water_mark 1 marks.durable.all_high ; most at once
qmgr E gauge durable_subscriber_low_water_mark 1 marks.durable.all_low ; fewest at once
qmgr E gauge non_durable_subscriber_high_water_mark 1 marks.other.all_high ; most at once
qmgr E gauge non_durable_subscriber_low_water_mark 1 marks.other.all_low ; fewest at once
qmgr T gauge topic_nodes 1 topic_nodes ; nodes of the topic tree
qmgr T gauge durable_subscriptions 1 durable_subscriptions ; durable subscriptions now
qmgr T gauge other_subscriptions 1 other_subscriptions ; other subscriptions now
qmgr E counter commit_count 1 figures.commits ; units of work committed
qmgr C counter commit_total 1 figures.commits ; units of work committed
qmgr E counter rollback_count 1 figures.backouts ; units of work backed out
qmgr C counter rollback_total 1 figures.backouts ; units of work backed out
qmgr E counter log_logical_written_bytes 1 log.record_bytes ; bytes of log records
qmgr C counter log_logical_written_bytes_total 1 log.record_bytes ; bytes of log records
qmgr E counter log_physical_written_bytes 1 log_physical_bytes ; bytes written to the log
qmgr C counter log_physical_written_bytes_total 1 log_physical_bytes ; bytes written to the log
qmgr E gauge log_write_latency_seconds s log_latency_ns ; mean time of a log write since the start
qmgr C gauge log_write_latency_seconds s log_latency_ns ; mean time of a log write since the start
qmgr E gauge log_write_size_bytes 1 log_write_bytes ; mean size of a log write since the start
qmgr C gauge log_write_size_bytes 1 log_write_bytes ; mean size of a log write since the start
qmgr C gauge log_slowest_write_since_restart_seconds s log.longest_ns ; longest log write
qmgr C gauge log_slowest_write_timestamp_seconds s log.longest_at_ns ; when that was
qmgr E gauge log_current_primary_space_in_use_percentage 1 log_used_percent ; use of the log
qmgr C gauge log_primary_space_in_use_percentage 1 log_used_percent ; use of the log
qmgr T counter log_writes_total 1 log.writes ; log writes
qmgr T counter log_write_seconds_total s log.io_ns ; time of all log writes
qmgr T counter log_checkpoints_total 1 log.checkpoints ; checkpoints
qmgr T counter streamed_messages_total 1 figures.streamed ; copies put to streaming queues
qmgr T gauge message_buffer_bytes 1 storage.plain_bytes + storage.persistent_bytes ; in memory
qmgr T gauge segment_bytes 1 storage.segment_bytes ; of messages in files

queue E gauge depth 1 sample.depth ; messages on the queue
queue E gauge attribute_max_depth 1 max_depth ; MAXDEPTH
queue E gauge attribute_usage 1 usage ; 0 normal, 1 transmission queue
queue E gauge input_handles 1 sample.open_input ; handles open for input
queue E gauge output_handles 1 sample.open_output ; handles open for output
queue E gauge oldest_message_age 1 sample.oldest_age_s ; seconds that the oldest message has waited
queue E gauge uncommitted_messages 1 sample.is_uncommitted ; 1 if a unit of work is open on it
queue E gauge qtime_short 1 sample.short_lay_ns :us ; recent time on the queue, microseconds
queue E gauge qtime_long 1 sample.long_lay_ns :us ; the same over a longer time
queue E gauge time_since_put 1 since_put_s ; seconds since the last put
queue E gauge time_since_get 1 since_get_s ; seconds since the last get
queue E gauge qfile_current_size 1 file_megabytes ; megabytes that its messages take
queue E gauge qfile_max_size 1 file_megabytes_max ; MAXFSIZE in force, megabytes
queue E gauge hi_depth 1 figures.depth_high ; highest depth
queue E counter mqput_mqput1_count 1 $PUTS ; messages put
queue E counter mqput_bytes 1 $PUT_BYTES ; bytes put
queue E counter mqput_persistent_message_count 1 $PPUT ; persistent messages by MQPUT
queue E counter mqput_non_persistent_message_count 1 $NPUT ; other messages by MQPUT
queue E counter mqput1_persistent_message_count 1 $PPUT1 ; persistent messages by MQPUT1
queue E counter mqput1_non_persistent_message_count 1 $NPUT1 ; other messages by MQPUT1
queue E counter mqget_count 1 traffic.gets ; messages got
queue E counter mqget_bytes 1 $GET_BYTES ; bytes got
queue E counter destructive_mqget_persistent_message_count 1 $PGET ; persistent messages got
queue E counter destructive_mqget_non_persistent_message_count 1 $NGET ; other messages got
queue E counter destructive_mqget_fails 1 traffic.failed_gets ; gets refused
queue E counter $NO_MESSAGE 1 figures.gets_without_message ; gets that found nothing
queue E counter mqget_browse_persistent_message_count 1 $PBROWSE ; persistent messages browsed
queue E counter mqget_browse_non_persistent_message_count 1 $NBROWSE ; other messages browsed
queue E counter mqget_browse_fails 1 traffic.failed_browses ; browses refused
queue E counter expired_messages 1 figures.expired ; messages expired
queue E counter queue_purged_count 1 figures.purged ; messages purged
queue E counter rolled_back_mqput_count 1 figures.backed_out_puts ; puts backed out
queue E counter rolled_back_mqget_count 1 figures.backed_out_gets ; gets backed out
queue E counter mqopen_count 1 figures.opens ; opens
queue E counter mqclose_count 1 figures.closes ; closes
queue E counter mqinq_count 1 figures.inquires ; inquiries
queue E counter mqset_count 1 figures.sets ; sets
queue E gauge average_queue_time_seconds s lay_mean_ns ; mean time on the queue since the start
queue T counter streamed_messages_total 1 figures.streamed ; copies put to its streaming queues
queue T counter selector_looked_total 1 figures.selector_looked ; messages that selectors looked at
queue T counter selector_matched_total 1 figures.selector_matched ; those of them that matched

channel E gauge status 1 sample.status ; MQCHS_, 3 is running
channel E gauge status_squash 1 squashed ; 0 stopped, 1 in between, 2 running
channel E counter messages 1 sample.messages ; messages, or MQI calls of a client
channel E counter bytes_sent 1 sample.bytes_sent ; bytes sent
channel E counter bytes_rcvd 1 sample.bytes_received ; bytes received
channel E counter buffers_sent 1 sample.buffers_sent ; buffers sent
channel E counter buffers_rcvd 1 sample.buffers_received ; buffers received
channel E counter batches 1 sample.batches ; batches
channel E gauge nettime_short s network.short ; mean round trip, of the last few
channel E gauge nettime_long s network.long ; mean round trip
channel E gauge xmitq_time_short s on_queue.short ; mean time on the transmission queue, last few
channel E gauge xmitq_time_long s on_queue.long ; mean time on the transmission queue
channel E gauge batchsz_short 1 batch_size.short ; mean size of batches, of the last few
channel E gauge batchsz_long 1 batch_size.long ; mean size of batches
channel E gauge time_since_msg 1 since_message_s ; seconds since the last message or call
channel E gauge start_epoch 1 started_s ; when it began
channel E gauge cur_inst 1 instances ; instances of the channel now
channel E gauge attribute_max_inst 1 instances_max ; MAXINST
channel E gauge attribute_max_instc 1 instances_of_client_max ; MAXINSTC
"""
_SHORT: Final = {
    "$PPUT": "traffic.persistent_puts.count",
    "$PPUT1": "traffic.persistent_put1s.count",
    "$NPUT": "traffic.plain_puts.count",
    "$NPUT1": "traffic.plain_put1s.count",
    "$PUTS": "traffic.puts + traffic.put1s",
    "$PUT_BYTES": (
        "traffic.plain_puts.total + traffic.plain_put1s.total"
        " + traffic.persistent_puts.total + traffic.persistent_put1s.total"
    ),
    "$PPUT_BYTES": "traffic.persistent_puts.total + traffic.persistent_put1s.total",
    "$NPUT_BYTES": "traffic.plain_puts.total + traffic.plain_put1s.total",
    "$PGET": "traffic.persistent_gets.count",
    "$NGET": "traffic.plain_gets.count",
    "$GET_BYTES": "traffic.plain_gets.total + traffic.persistent_gets.total",
    "$PGET_BYTES": "traffic.persistent_gets.total",
    "$NGET_BYTES": "traffic.plain_gets.total",
    "$TOPIC_BYTES": "topics.plain_bytes + topics.persistent_bytes",
    "$FSUB": "topics.failed_subscribes",
    "$NTOPIC": "topics.plain_puts + topics.plain_put1s",
    "$PTOPIC": "topics.persistent_puts + topics.persistent_put1s",
    "$FTOPIC": "topics.failed_puts + topics.failed_put1s",
    "$PBROWSE": "traffic.persistent_browses.count",
    "$NBROWSE": "traffic.plain_browses.count",
    "$PBROWSE_BYTES": "traffic.persistent_browses.total",
    "$NBROWSE_BYTES": "traffic.plain_browses.total",
}
_NAMES: Final = {"$NO_MESSAGE": "destructive_mqget_fails_with_mqrc_no_msg_available"}


class MetricRow(NamedTuple):
    """One metric."""

    about: str
    scheme: str
    kind: str
    name: str  # whole
    unit: str
    source: Source
    help: str


def _parsed() -> list[MetricRow]:
    rows: list[MetricRow] = []
    for line in _TABLE.splitlines():
        if line:
            row, _, help_text = line.partition(" ; ")
            about, scheme, kind, name, unit, source = row.split(maxsplit=5)
            prefix = "ternmq" if scheme == OWN else "ibmmq"
            full = f"{prefix}_{about}_{_NAMES.get(name, name)}"
            text = Source(_SHORT.get(source, source))
            rows.append(MetricRow(about, scheme, kind, full, unit, text, help_text))
    return rows


ROWS: Final = _parsed()
# Counters of a queue that no call has used are left out: of 10,000 queues most are idle.
USED_ONLY: Final = frozenset(
    row.name for row in ROWS if row.about == QUEUE and "figures" in row.source.text
) | frozenset(row.name for row in ROWS if row.about == QUEUE and "traffic" in row.source.text)
