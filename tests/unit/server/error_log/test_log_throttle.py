"""The error log is not flooded by strangers: so many of a message in an interval, the rest
counted.
"""

from __future__ import annotations

from ternmq.server.error_log.log_throttle import INTERVAL_S, MESSAGES_MAX, LogThrottle


class Log:
    def __init__(self) -> None:
        self.logged: list[tuple[object, ...]] = []
        self.now = 0.0

    def log_message(self, *words: object) -> None:
        self.logged.append(words)


def test_a_message_is_reported_so_often_and_the_rest_counted() -> None:
    log = Log()
    log_message = LogThrottle(log.log_message, lambda: log.now)
    for number in range(MESSAGES_MAX + 30):
        log_message("AMQ9207E", number)
    log_message("AMQ9519E", "another is not held up")
    assert len(log.logged) == MESSAGES_MAX + 1
    log.now = INTERVAL_S
    log_message("AMQ9207E", "again")
    assert log.logged[-2:] == [
        ("AMQ9492E", "AMQ9207E came 30 times more, which was not written"),
        ("AMQ9207E", "again"),
    ]


def test_a_message_that_comes_now_and_then_is_always_reported() -> None:
    log = Log()
    log_message = LogThrottle(log.log_message, lambda: log.now)
    for _ in range(3 * MESSAGES_MAX):
        log_message("AMQ9207E")
        log.now += INTERVAL_S / MESSAGES_MAX
    assert len(log.logged) == 3 * MESSAGES_MAX


def test_what_an_operator_causes_is_always_reported() -> None:
    log = Log()
    log_message = LogThrottle(log.log_message, lambda: log.now)
    for _ in range(2 * MESSAGES_MAX):
        log_message("AMQ5026I", "L", 1)
    assert len(log.logged) == 2 * MESSAGES_MAX


def test_at_the_end_what_was_counted_is_reported_once() -> None:
    log = Log()
    log_message = LogThrottle(log.log_message, lambda: log.now)
    for _ in range(MESSAGES_MAX + 1):
        log_message("AMQ9207E")
    log_message.close()
    log_message.close()
    assert [one[0] for one in log.logged].count("AMQ9492E") == 1
