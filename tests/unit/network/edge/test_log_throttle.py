"""The error log is not flooded by strangers: so many of a message in an interval, the rest
counted.
"""

from __future__ import annotations

from ternmq.network.edge.log_throttle import INTERVAL_S, MESSAGES_MAX, LogThrottle


class Log:
    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []
        self.now = 0.0

    def tell(self, *words: object) -> None:
        self.told.append(words)


def test_a_message_is_told_so_often_and_the_rest_counted() -> None:
    log = Log()
    tell = LogThrottle(log.tell, lambda: log.now)
    for number in range(MESSAGES_MAX + 30):
        tell("AMQ9207E", number)
    tell("AMQ9519E", "another is not held up")
    assert len(log.told) == MESSAGES_MAX + 1
    log.now = INTERVAL_S
    tell("AMQ9207E", "again")
    assert log.told[-2:] == [
        ("AMQ9492E", "AMQ9207E came 30 times more, which was not written"),
        ("AMQ9207E", "again"),
    ]


def test_a_message_that_comes_now_and_then_is_always_told() -> None:
    log = Log()
    tell = LogThrottle(log.tell, lambda: log.now)
    for _ in range(3 * MESSAGES_MAX):
        tell("AMQ9207E")
        log.now += INTERVAL_S / MESSAGES_MAX
    assert len(log.told) == 3 * MESSAGES_MAX


def test_what_an_operator_causes_is_always_told() -> None:
    log = Log()
    tell = LogThrottle(log.tell, lambda: log.now)
    for _ in range(2 * MESSAGES_MAX):
        tell("AMQ5026I", "L", 1)
    assert len(log.told) == 2 * MESSAGES_MAX


def test_at_the_end_what_was_counted_is_told_once() -> None:
    log = Log()
    tell = LogThrottle(log.tell, lambda: log.now)
    for _ in range(MESSAGES_MAX + 1):
        tell("AMQ9207E")
    tell.close()
    tell.close()
    assert [one[0] for one in log.told].count("AMQ9492E") == 1
