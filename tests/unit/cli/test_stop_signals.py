"""Goal: a signal ends what a command has begun, whenever it comes.

Method: the process sends itself the signal, before and while the command waits.
"""

from __future__ import annotations

import signal

import pytest

from ternmq.cli.stop_signals import StopSignals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_before_the_wait_then_it_does_not_wait(number: int) -> None:
    def look() -> bool:
        raise AssertionError("it waits")

    with StopSignals() as signals:
        signal.raise_signal(number)
        signals.wait_while(look)


def test_signal_during_the_wait_then_it_ends() -> None:
    def send() -> bool:
        signal.raise_signal(signal.SIGTERM)
        return True

    with StopSignals() as signals:
        signals.wait_while(send)  # would wait for ever


def test_second_signal_then_as_without_a_handler() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    with StopSignals():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


def test_work_that_is_over_then_handlers_are_as_before() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with StopSignals() as signals:
        signals.wait_while(lambda: False)
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
