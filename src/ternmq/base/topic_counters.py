"""What is counted about topics and subscriptions, by the queue manager in an interval or by a task
(164 and 167 of PCF, $SYS STATMQI/SUBSCRIBE and PUBLISH, the topic fields of SMF 116).

Words and units are those of `counters`. *Other* subscriptions are those that are not durable.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

NONE_YET: Final = -1  # fewest of nothing
ALL: Final = 0  # place of the sum in counts by SUBTYPE; the others are MQSUBTYPE_
_API: Final = 1
_ADMIN: Final = 2
_PLACES: Final = 4  # all, API, administrative, proxy


@final
class SubscriptionMarks:
    """Most and fewest subscriptions at once, by SUBTYPE: 164 ...SubscriptionHighWater, LowWater."""

    __slots__ = ("high", "low")

    def __init__(self, now: list[int] | None = None) -> None:
        self.high: list[int] = [0] * _PLACES if now is None else list(now)
        self.low: list[int] = [NONE_YET] * _PLACES if now is None else list(now)

    @property
    def all_high(self) -> int:
        """Of all types."""
        return self.high[ALL]

    @property
    def all_low(self) -> int:
        """Of all types."""
        return max(self.low[ALL], 0)

    @property
    def lows(self) -> list[int]:
        """Fewest, 0 where nothing was seen."""
        return [max(one, 0) for one in self.low]

    def see(self, now: list[int]) -> None:
        """So many there are now."""
        for at in range(_PLACES):
            if now[at] > self.high[at]:
                self.high[at] = now[at]
            if now[at] >= 0 and (self.low[at] < 0 or now[at] < self.low[at]):
                self.low[at] = now[at]

    def merge(self, later: SubscriptionMarks) -> None:
        """Those of the interval that follows."""
        self.see(later.low)
        for at in range(_PLACES):
            if later.high[at] > self.high[at]:
                self.high[at] = later.high[at]


@final
class TopicCounts:
    """Publications and subscriptions."""

    __slots__ = (
        "durable_altered",
        "durable_created",
        "durable_kept",
        "durable_removed",
        "durable_resumed",
        "failed_put1s",
        "failed_puts",
        "failed_removals",
        "failed_requests",
        "failed_subscribes",
        "other_altered",
        "other_created",
        "other_kept",
        "other_removed",
        "other_resumed",
        "persistent_bytes",
        "persistent_put1s",
        "persistent_puts",
        "plain_bytes",
        "plain_put1s",
        "plain_puts",
        "published_persistent",
        "published_persistent_bytes",
        "published_plain",
        "published_plain_bytes",
        "requests",
    )

    def __init__(self) -> None:
        # publications of applications: 164/167 PutTopicCount, Put1TopicCount, PutTopicBytes
        self.plain_puts: i64 = 0
        self.persistent_puts: i64 = 0
        self.plain_put1s: i64 = 0
        self.persistent_put1s: i64 = 0
        self.plain_bytes: i64 = 0
        self.persistent_bytes: i64 = 0
        self.failed_puts: i64 = 0  # 164/167 PutTopicFailCount
        self.failed_put1s: i64 = 0  # 164/167 Put1TopicFailCount
        # copies that went to subscribers: 164 PublishMsgCount, PublishMsgBytes; WQST publishedn
        self.published_plain: i64 = 0
        self.published_persistent: i64 = 0
        self.published_plain_bytes: i64 = 0
        self.published_persistent_bytes: i64 = 0
        # MQSUB and DEFINE, ALTER SUB: 164/167 DurableSubscribeCount, NonDurableSubscribeCount
        self.durable_created: i64 = 0
        self.durable_altered: i64 = 0
        self.durable_resumed: i64 = 0
        self.other_created: i64 = 0
        self.other_altered: i64 = 0
        self.other_resumed: i64 = 0
        self.failed_subscribes: i64 = 0  # 164/167 SubscribeFailCount
        # MQCLOSE of subscriptions, DELETE SUB: 164/167 DurableUnsubscribeCount,
        # NonDurableUnsubscribeCount; kept: closed, and the subscription is still there
        self.durable_kept: i64 = 0
        self.durable_removed: i64 = 0
        self.other_kept: i64 = 0
        self.other_removed: i64 = 0
        self.failed_removals: i64 = 0  # 164/167 UnsubscribeFailCount
        self.requests: i64 = 0  # MQSUBRQ: 164/167 SubRqCount
        self.failed_requests: i64 = 0  # 164/167 SubRqFailCount

    @property
    def puts(self) -> int:
        """Publications by MQPUT."""
        return self.plain_puts + self.persistent_puts

    @property
    def put1s(self) -> int:
        """Publications by MQPUT1."""
        return self.plain_put1s + self.persistent_put1s

    @property
    def durable_subscribes(self) -> int:
        """Requests about durable subscriptions that worked."""
        return self.durable_created + self.durable_altered + self.durable_resumed

    @property
    def subscribes(self) -> int:
        """Requests about all."""
        others = self.other_created + self.other_altered + self.other_resumed
        return self.durable_subscribes + others

    @property
    def published(self) -> int:
        """Copies that went to subscribers."""
        return self.published_plain + self.published_persistent

    @property
    def published_bytes(self) -> int:
        """Their bytes."""
        return self.published_plain_bytes + self.published_persistent_bytes

    def merge(self, later: TopicCounts) -> None:
        """Those of the interval that follows."""
        self.plain_puts += later.plain_puts
        self.persistent_puts += later.persistent_puts
        self.plain_put1s += later.plain_put1s
        self.persistent_put1s += later.persistent_put1s
        self.plain_bytes += later.plain_bytes
        self.persistent_bytes += later.persistent_bytes
        self.failed_puts += later.failed_puts
        self.failed_put1s += later.failed_put1s
        self.published_plain += later.published_plain
        self.published_persistent += later.published_persistent
        self.published_plain_bytes += later.published_plain_bytes
        self.published_persistent_bytes += later.published_persistent_bytes
        self.durable_created += later.durable_created
        self.durable_altered += later.durable_altered
        self.durable_resumed += later.durable_resumed
        self.other_created += later.other_created
        self.other_altered += later.other_altered
        self.other_resumed += later.other_resumed
        self.failed_subscribes += later.failed_subscribes
        self.durable_kept += later.durable_kept
        self.durable_removed += later.durable_removed
        self.other_kept += later.other_kept
        self.other_removed += later.other_removed
        self.failed_removals += later.failed_removals
        self.requests += later.requests
        self.failed_requests += later.failed_requests


@final
class SubscriptionNumbers:
    """How many subscriptions there are, by SUBTYPE: what marks are taken of."""

    __slots__ = ("both", "durable", "other")

    def __init__(self) -> None:
        self.durable: list[int] = [0] * _PLACES
        self.other: list[int] = [0] * _PLACES
        self.both: list[int] = [0] * _PLACES

    def change(self, is_durable: bool, sub_type: int, by: int) -> None:
        """One more, or one less."""
        for counts in (self.durable if is_durable else self.other, self.both):
            counts[ALL] += by
            if 0 < sub_type < _PLACES:
                counts[sub_type] += by


@final
class TopicFigures:
    """The queue manager in one interval (QTST)."""

    __slots__ = ("both", "counts", "durable", "expired", "most_copies", "other", "unmatched")

    def __init__(self, now: SubscriptionNumbers | None = None) -> None:
        self.counts = TopicCounts()
        self.durable = SubscriptionMarks(None if now is None else now.durable)
        self.other = SubscriptionMarks(None if now is None else now.other)
        self.both = SubscriptionMarks(None if now is None else now.both)
        self.expired: i64 = 0  # qtstsexp: subscriptions
        self.most_copies: i64 = 0  # qtstsphw: of one publication
        self.unmatched: i64 = 0  # qtstpnos: publications without a subscriber

    @property
    def api_high(self) -> int:
        """qtstshig1: most that applications had at once."""
        return self.both.high[_API]

    @property
    def api_low(self) -> int:
        """qtstslow1."""
        return max(self.both.low[_API], 0)

    @property
    def admin_high(self) -> int:
        """qtstshig2: most that were defined at once."""
        return self.both.high[_ADMIN]

    @property
    def admin_low(self) -> int:
        """qtstslow2."""
        return max(self.both.low[_ADMIN], 0)

    def see(self, now: SubscriptionNumbers) -> None:
        """So many subscriptions there are now."""
        self.durable.see(now.durable)
        self.other.see(now.other)
        self.both.see(now.both)

    def merge(self, later: TopicFigures) -> None:
        """Those of the interval that follows."""
        self.counts.merge(later.counts)
        self.durable.merge(later.durable)
        self.other.merge(later.other)
        self.both.merge(later.both)
        self.expired += later.expired
        self.unmatched += later.unmatched
        if later.most_copies > self.most_copies:
            self.most_copies = later.most_copies
