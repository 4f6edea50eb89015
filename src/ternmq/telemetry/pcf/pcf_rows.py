"""What PCF statistics and accounting messages hold: the one table, for writing and for amqsmon.

    message or group, number of the parameter, name, kind, sources as in `source` with | between

Kinds: n MQCFIN, l MQCFIL, L MQCFIL64, s and a width MQCFST, b MQCFBS; a ? behind leaves the
parameter out where it says nothing. A source with * ahead is a list as it is. Names are those that
MQ's sample amqsmon prints. Sources start from the views in `measurement_messages`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ternmq.telemetry.source import Source

MQI_STATISTICS: Final = 164
QUEUE_STATISTICS: Final = 165
CHANNEL_STATISTICS: Final = 166
MQI_ACCOUNTING: Final = 167
QUEUE_ACCOUNTING: Final = 168
QUEUE_ACCOUNTING_GROUP: Final = 8010
QUEUE_STATISTICS_GROUP: Final = 8011
CHANNEL_STATISTICS_GROUP: Final = 8012

NUMBER: Final = "n"
LIST: Final = "l"
LIST64: Final = "L"
TEXT: Final = "s"
BYTES: Final = "b"

_TABLE: Final = """
OPENING 2015 QueueManager s48 qmgr_name
OPENING 2711 IntervalStartDate s12 start_date
OPENING 2712 IntervalStartTime s8 start_time
OPENING 2707 IntervalEndDate s12 end_date
OPENING 2708 IntervalEndTime s8 end_time
OPENING 31 CommandLevel n command_level

164 712 ConnCount n figures.connects
164 749 ConnFailCount n figures.failed_connects
164 713 ConnHighwater n figures.connections_high
164 714 DiscCount l *figures.disconnects
164 733 OpenCount l *figures.opens
164 751 OpenFailCount l *figures.failed_opens
164 709 CloseCount l *figures.closes
164 757 CloseFailCount l *figures.failed_closes
164 727 InqCount l *figures.inquires
164 752 InqFailCount l *figures.failed_inquires
164 744 SetCount l *figures.sets
164 753 SetFailCount l *figures.failed_sets
164 735 PutCount l traffic.plain_puts.count | traffic.persistent_puts.count
164 754 PutFailCount n traffic.failed_puts
164 734 Put1Count l traffic.plain_put1s.count | traffic.persistent_put1s.count
164 755 Put1FailCount n traffic.failed_put1s
164 748 PutBytes L $PUT_BYTES
164 722 GetCount l traffic.plain_gets.count | traffic.persistent_gets.count
164 747 GetBytes L traffic.plain_gets.total | traffic.persistent_gets.total
164 725 GetFailCount n traffic.failed_gets
164 705 BrowseCount l traffic.plain_browses.count | traffic.persistent_browses.count
164 745 BrowseBytes L traffic.plain_browses.total | traffic.persistent_browses.total
164 708 BrowseFailCount n traffic.failed_browses
164 710 CommitCount n figures.commits
164 711 CommitFailCount n figures.failed_commits
164 704 BackCount n figures.backouts
164 758 ExpiredMsgCount n figures.expired
164 760 PurgeCount n figures.purged
164 764 DurableSubscribeCount l $DURABLE
164 765 NonDurableSubscribeCount l $OTHER
164 766 SubscribeFailCount n topics.failed_subscribes
164 786 DurableUnsubscribeCount l topics.durable_kept | topics.durable_removed | 0 | 0
164 787 NonDurableUnsubscribeCount l topics.other_kept | topics.other_removed | 0 | 0
164 788 UnsubscribeFailCount n topics.failed_removals
164 767 SubRqCount n topics.requests
164 768 SubRqFailCount n topics.failed_requests
164 769 CbCount l *figures.callbacks
164 770 CbFailCount n figures.failed_callbacks
164 771 CtlCount l *figures.controls
164 772 CtlFailCount n figures.failed_controls
164 773 StatCount n figures.statuses
164 774 StatFailCount n figures.failed_statuses
164 775 DurableSubscriptionHighWater l *marks.durable.high
164 776 DurableSubscriptionLowWater l *marks.durable.lows
164 777 NonDurableSubscriptionHighWater l *marks.other.high
164 778 NonDurableSubscriptionLowWater l *marks.other.lows
164 779 PutTopicCount l topics.plain_puts | topics.persistent_puts
164 780 PutTopicFailCount n topics.failed_puts
164 781 Put1TopicCount l topics.plain_put1s | topics.persistent_put1s
164 782 Put1TopicFailCount n topics.failed_put1s
164 783 PutTopicBytes L topics.plain_bytes | topics.persistent_bytes
164 784 PublishMsgCount l topics.published_plain | topics.published_persistent
164 785 PublishMsgBytes L topics.published_plain_bytes | topics.published_persistent_bytes

165 732 ObjectCount n object_count
8011 2016 QueueName s48 queue.name
8011 2004 CreateDate s12 created_date
8011 2005 CreateTime s8 created_time
8011 20 QueueType n 1
8011 7 QueueDefinitionType n queue.definition_type
8011 740 QMinDepth n figures.depth_low
8011 739 QMaxDepth n figures.depth_high
8011 703 AverageQueueTime L plain_lay_mean :us | persistent_lay_mean :us
8011 735 PutCount l traffic.plain_puts.count | traffic.persistent_puts.count
8011 754 PutFailCount n traffic.failed_puts
8011 734 Put1Count l traffic.plain_put1s.count | traffic.persistent_put1s.count
8011 755 Put1FailCount n traffic.failed_put1s
8011 748 PutBytes L $PUT_BYTES
8011 722 GetCount l traffic.plain_gets.count | traffic.persistent_gets.count
8011 747 GetBytes L traffic.plain_gets.total | traffic.persistent_gets.total
8011 725 GetFailCount n traffic.failed_gets
8011 705 BrowseCount l traffic.plain_browses.count | traffic.persistent_browses.count
8011 745 BrowseBytes L traffic.plain_browses.total | traffic.persistent_browses.total
8011 708 BrowseFailCount n traffic.failed_browses
8011 759 NonQueuedMsgCount n traffic.handed_over_puts + traffic.handed_over_put1s
8011 758 ExpiredMsgCount n figures.expired
8011 760 PurgeCount n figures.purged
8011 1414070287 SelectorLookedCount n? figures.selector_looked
8011 1414070288 SelectorMatchedCount n? figures.selector_matched

166 732 ObjectCount n object_count
8012 3501 ChannelName s20 channel.name
8012 1511 ChannelType n channel.channel_type
8012 2017 RemoteQMgr s48 channel.remote_name
8012 3506 ConnName s264 channel.connection_name
8012 728 MsgCount l plain_messages | channel.persistent_messages
8012 746 TotalBytes L plain_bytes | channel.persistent_bytes
8012 731 NetMinTime n net_shortest_ns :us
8012 729 NetMinAverage n net_mean_ns :us
8012 730 NetMaxTime n channel.net_longest_ns :us
8012 719 ExitMinTime n exit_shortest_ns :us
8012 717 ExitMinAverage n exit_mean_ns :us
8012 718 ExitMaxTime n channel.exit_longest_ns :us
8012 720 FullBatchCount n channel.full_batches
8012 726 IncmplBatchCount n channel.batches - channel.full_batches
8012 702 AverageBatchSize n batch_size_mean
8012 738 PutRetryCount n channel.put_retries

TASK 7006 ConnectionId b identity.tag
TASK 1079 SeqNumber n record.sequence
TASK 3024 ApplicationName s28 identity.application
TASK 1024 ApplicationPid n identity.process_id
TASK 1025 ApplicationTid n identity.thread_id
TASK 3025 UserId s12 identity.user

167 2703 ConnDate s12 connected_date
167 2704 ConnTime s8 connected_time
167 3506 ConnName s264? identity.connection_name
167 3501 ChannelName s20? identity.channel_name
167 3561 RemoteProduct s4? identity.remote_product
167 3560 RemoteVersion s8? identity.remote_version
167 2705 DiscDate s12? disconnected_date
167 2706 DiscTime s8? disconnected_time
167 716 DiscType n record.ended_how
167 733 OpenCount l *account.opens
167 751 OpenFailCount l *account.failed_opens
167 709 CloseCount l *account.closes
167 757 CloseFailCount l *account.failed_closes
167 735 PutCount l traffic.plain_puts.count | traffic.persistent_puts.count
167 754 PutFailCount n traffic.failed_puts
167 734 Put1Count l traffic.plain_put1s.count | traffic.persistent_put1s.count
167 755 Put1FailCount n traffic.failed_put1s
167 748 PutBytes L $PUT_BYTES
167 722 GetCount l traffic.plain_gets.count | traffic.persistent_gets.count
167 725 GetFailCount n traffic.failed_gets
167 747 GetBytes L traffic.plain_gets.total | traffic.persistent_gets.total
167 705 BrowseCount l traffic.plain_browses.count | traffic.persistent_browses.count
167 708 BrowseFailCount n traffic.failed_browses
167 745 BrowseBytes L traffic.plain_browses.total | traffic.persistent_browses.total
167 710 CommitCount n account.commit.calls - account.commit.failed
167 711 CommitFailCount n account.commit.failed
167 704 BackCount n account.back_out.calls
167 727 InqCount l *account.inquires
167 752 InqFailCount l *account.failed_inquires
167 744 SetCount l *account.sets
167 753 SetFailCount l *account.failed_sets
167 764 DurableSubscribeCount l $DURABLE
167 765 NonDurableSubscribeCount l $OTHER
167 766 SubscribeFailCount n topics.failed_subscribes
167 786 DurableUnsubscribeCount l topics.durable_kept | topics.durable_removed | 0 | 0
167 787 NonDurableUnsubscribeCount l topics.other_kept | topics.other_removed | 0 | 0
167 788 UnsubscribeFailCount n topics.failed_removals
167 767 SubRqCount n topics.requests
167 768 SubRqFailCount n topics.failed_requests
167 769 CbCount l account.callback.calls - account.callback.failed | 0 | 0 | 0
167 770 CbFailCount n account.callback.failed
167 771 CtlCount l account.control.calls - account.control.failed | 0 | 0 | 0
167 772 CtlFailCount n account.control.failed
167 773 StatCount n account.status.calls - account.status.failed
167 774 StatFailCount n account.status.failed
167 779 PutTopicCount l topics.plain_puts | topics.persistent_puts
167 780 PutTopicFailCount n topics.failed_puts
167 781 Put1TopicCount l topics.plain_put1s | topics.persistent_put1s
167 782 Put1TopicFailCount n topics.failed_put1s
167 783 PutTopicBytes L topics.plain_bytes | topics.persistent_bytes

168 732 ObjectCount n object_count
8010 2016 QueueName s48 queue.base_name
8010 2004 CreateDate s12 created_date
8010 2005 CreateTime s8 created_time
8010 20 QueueType n queue.queue_type
8010 7 QueueDefinitionType n queue.definition_type
8010 733 OpenCount n queue.handles_opened
8010 2709 OpenDate s12 opened_date
8010 2710 OpenTime s8 opened_time
8010 2701 CloseDate s12? closed_date
8010 2702 CloseTime s8? closed_time
8010 735 PutCount l traffic.plain_puts.count | traffic.persistent_puts.count
8010 754 PutFailCount n traffic.failed_puts
8010 734 Put1Count l traffic.plain_put1s.count | traffic.persistent_put1s.count
8010 755 Put1FailCount n traffic.failed_put1s
8010 748 PutBytes L $PUT_BYTES
8010 737 PutMinBytes l plain_sizes_put.smallest :floor | persistent_sizes_put.smallest :floor
8010 736 PutMaxBytes l plain_sizes_put.largest | persistent_sizes_put.largest
8010 721 GeneratedMsgCount n queue.generated
8010 722 GetCount l traffic.plain_gets.count | traffic.persistent_gets.count
8010 725 GetFailCount n traffic.failed_gets
8010 747 GetBytes L traffic.plain_gets.total | traffic.persistent_gets.total
8010 724 GetMinBytes l traffic.plain_gets.smallest :floor | traffic.persistent_gets.smallest :floor
8010 723 GetMaxBytes l traffic.plain_gets.largest | traffic.persistent_gets.largest
8010 705 BrowseCount l traffic.plain_browses.count | traffic.persistent_browses.count
8010 708 BrowseFailCount n traffic.failed_browses
8010 745 BrowseBytes L traffic.plain_browses.total | traffic.persistent_browses.total
8010 707 BrowseMinBytes l $BROWSE_LEAST
8010 706 BrowseMaxBytes l traffic.plain_browses.largest | traffic.persistent_browses.largest
8010 743 TimeOnQMin L plain_lay_least :us | persistent_lay_least :us
8010 741 TimeOnQAvg L plain_lay_mean :us | persistent_lay_mean :us
8010 742 TimeOnQMax L traffic.plain_lay.largest :us | traffic.persistent_lay.largest :us
8010 1414070287 SelectorLookedCount n? queue.selector_looked
8010 1414070288 SelectorMatchedCount n? queue.selector_matched
"""
_LONG: Final = {
    "$PUT_BYTES": (
        "traffic.plain_puts.total + traffic.plain_put1s.total"
        " | traffic.persistent_puts.total + traffic.persistent_put1s.total"
    ),
    "$DURABLE": ("topics.durable_created | topics.durable_altered | topics.durable_resumed | 0"),
    "$OTHER": "topics.other_created | topics.other_altered | topics.other_resumed | 0",
    "$BROWSE_LEAST": (
        "traffic.plain_browses.smallest :floor | traffic.persistent_browses.smallest :floor"
    ),
}


class PCFRow(NamedTuple):
    """One parameter."""

    parameter: int
    name: str
    kind: str
    width: int
    optional: bool
    sources: list[Source]
    is_list: bool  # the one source is a list as it is


def _parsed() -> dict[str, list[PCFRow]]:
    rows: dict[str, list[PCFRow]] = {}
    for line in _TABLE.splitlines():
        if line:
            part, parameter, name, kind, source = line.split(maxsplit=4)
            texts = [one.strip() for one in _LONG.get(source, source).split("|")]
            row = PCFRow(
                int(parameter),
                name,
                kind[0],
                int(kind[1:].rstrip("?") or 0),
                kind.endswith("?"),
                [Source(text.removeprefix("*")) for text in texts],
                texts[0].startswith("*"),
            )
            rows.setdefault(part, []).append(row)
    return rows


ROWS: Final = _parsed()
OPENING: Final = "OPENING"
TASK: Final = "TASK"
GROUP_NAMES: Final = {
    QUEUE_ACCOUNTING_GROUP: "QueueAccounting",
    QUEUE_STATISTICS_GROUP: "QueueStatistics",
    CHANNEL_STATISTICS_GROUP: "ChannelStatistics",
}
MESSAGE_NAMES: Final = {
    MQI_STATISTICS: "MQIStatistics",
    QUEUE_STATISTICS: "QueueStatistics",
    CHANNEL_STATISTICS: "ChannelStatistics",
    MQI_ACCOUNTING: "MQIAccounting",
    QUEUE_ACCOUNTING: "QueueAccounting",
}
