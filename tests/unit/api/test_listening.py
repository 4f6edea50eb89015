"""`ternmq.listen`: every message to a callback, in one unit of work with what the callback does."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import ternmq
from ternmq.base import reasons as rc
from ternmq.remote.fap.fap_threads import FapThreads
from tests.battery.places import until
from tests.unit.api.networked import Networked, in_memory

pytestmark = pytest.mark.core


@pytest.fixture
def served() -> Iterator[Networked]:
    served = in_memory()
    with served:
        with served.connect() as connection:
            connection.define_queue("A")
            connection.define_queue("B")
        yield served


def test_a_callback_gets_every_message_and_its_puts_are_committed(served: Networked) -> None:
    with served.connect() as connection, served.connect() as other:
        seen: list[bytes] = []

        def take(message: ternmq.Message) -> None:
            seen.append(message.data)
            connection.put("B", message.data)

        with ternmq.listen(connection, "A", take) as listening:
            for number in range(20):
                other.put("A", b"%d" % number)
            with other.queue("B") as answers:
                assert [answers.get(wait=5).data for _ in range(20)] == seen
            was_running = listening.is_running
        assert (was_running, listening.is_running) == (True, False)
        assert seen == [b"%d" % number for number in range(20)]


def test_a_callback_that_raises_is_backed_out_and_reported(served: Networked) -> None:
    with served.connect() as connection, served.connect() as other:
        reported: list[Exception] = []

        def fail_once(message: ternmq.Message) -> None:
            connection.put("B", f"{message.text} after {message.backout_count}")
            if not message.backout_count:
                raise ZeroDivisionError("the first time")

        with ternmq.listen(connection, "A", fail_once, on_error=reported.append):
            other.put("A", "x")
            with other.queue("B") as answers:
                assert answers.get(wait=5).data == b"x after 1"
                assert answers.try_get() is None
        assert [type(one) for one in reported] == [ZeroDivisionError]


def test_without_on_error_the_first_failure_ends_it_and_stop_raises_it(
    served: Networked, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(message: ternmq.Message) -> None:
        raise ZeroDivisionError(message.text)

    with served.connect() as connection, served.connect() as other:
        listening = ternmq.listen(connection, "A", fail)
        other.put("A", "x")
        until(lambda: not listening.is_running)
        assert caplog.records[0].name == "ternmq"
        assert "ZeroDivisionError: x" in caplog.text
        with pytest.raises(ZeroDivisionError, match="x"):
            listening.stop()
        with other.queue("A") as queue:
            assert queue.get().backout_count == 1


def test_a_broken_connection_ends_it(served: Networked) -> None:
    reported: list[Exception] = []
    ended = threading.Event()

    def log_message(error: Exception) -> None:
        reported.append(error)
        ended.set()

    connection = served.connect()
    listening = ternmq.listen(connection, "A", lambda message: None, on_error=log_message)
    transport = connection.transport
    assert isinstance(transport, FapThreads)
    until(lambda: transport.verbs.link.handles != {})
    served.cut()
    assert ended.wait(10)
    listening.stop()
    (error,) = reported
    assert isinstance(error, ternmq.MQError)
    assert error.reason == rc.MQRC_CONNECTION_BROKEN
