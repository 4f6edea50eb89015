"""Topics that are opened and closed again and again: what stays of closed ones for repairs is
bounded, and a system that has no more sockets is an error of MQ's."""

from __future__ import annotations

import socket

import pytest

from ternmq import MQError
from ternmq.remote.fap.client_channel import MulticastSettings
from ternmq.remote.multicast.group_sockets import receiving_socket, sending_socket
from ternmq.remote.multicast.publisher import LINGERING_MAX, Publisher
from ternmq.remote.multicast.socket_thread import now_ms
from ternmq.values.multicast_terms import MulticastTerms

INTERFACE = "127.0.0.1"
TERMS = MulticastTerms("MC1", "239.77.1.9", 24149, bytes(32))


def test_publishers_when_very_many_are_closed_then_only_the_last_ones_stay_for_repairs() -> None:
    made = [Publisher(TERMS, INTERFACE, MulticastSettings()) for _ in range(LINGERING_MAX + 10)]
    now = now_ms()
    for one in made:
        one.close()
    ended = [one.is_over or one.due_ms() <= now for one in made]
    assert ended == [True] * 10 + [False] * LINGERING_MAX
    for one in made[10:]:
        one.end_now()


def test_socket_when_the_system_has_none_then_an_error_of_mq(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_left(*given: object) -> socket.socket:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(socket, "socket", none_left)
    with pytest.raises(MQError, match="Too many open files"):
        sending_socket(TERMS.group, TERMS.port, INTERFACE, MulticastSettings())
    with pytest.raises(MQError, match="Too many open files"):
        receiving_socket(TERMS.group, TERMS.port, INTERFACE)
