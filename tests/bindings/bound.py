"""Connections by the bindings under test: programs of pymqi on the machine, of ibmmq through a
channel, and IBM's Java client."""

from __future__ import annotations

import getpass
import os
import signal
import sys
import threading
from collections.abc import Iterable
from typing import Any, NoReturn
from unittest import mock

import pytest
from _pytest.mark import ParameterSet

import ternmq
from ternmq.compat import ibmmq, pymqi
from tests.bindings.compat_verbs import CompatVerbs
from tests.bindings.java_bridge import USER as USER
from tests.bindings.java_bridge import bridge
from tests.bindings.transport import BindingTransport
from tests.bindings.verbs import Verbs
from tests.unit.api.networked import CHANNEL, Networked, NetworkedQueueManager

COMPAT = ("pymqi", "ibmmq")
JAVA = "java"
JAVA_TIMEOUT_S = 120
APPLICATION = "battery"
BINDINGS = (*COMPAT, JAVA)
_SETTING = threading.Lock()  # the environment of the process, while one of its threads connects


def as_parameters(names: Iterable[str]) -> list[ParameterSet]:
    """Names of bindings, for tests: the first that wants Java waits for its start. Their transport
    is a class of the tests, which the compiled build cannot call, so they run on plain files."""
    waits = pytest.mark.timeout(JAVA_TIMEOUT_S)
    return [
        pytest.param(name, marks=[waits] if name == JAVA else [])
        for name in names
        if name not in BINDINGS or not ternmq.build_info().compiled
    ]


def need(binding: str) -> None:
    """Skip a test that this machine cannot run, before it has started anything."""
    if binding == JAVA:
        bridge()


def kill_all(binding: str) -> NoReturn:
    """End this process as kill -9 does, and the Java process that works for it before."""
    if binding == JAVA:
        bridge().kill()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("it has ended")


def user_of(binding: str) -> str:
    """As whom it works: programs of pymqi and ibmmq as the user of their process, for they cannot
    name another one without a password."""
    return USER if binding == JAVA else getpass.getuser()


def verbs_of(binding: str, served: Networked, channel: str, application: str) -> Verbs:
    """One more connection to the queue manager; pymqi has it on the machine, unless a channel has
    to say who it is."""
    if binding == JAVA:
        from tests.bindings.java_verbs import JavaVerbs

        return JavaVerbs(served.name, channel, served.conn, application)
    # These programs are called after their file, and have no other way to say so.
    place = mock.patch.dict(os.environ, {"TERNMQ_DATA": str(served.data)})
    with _SETTING, place, mock.patch.object(sys, "argv", [application]):
        if binding == "ibmmq":
            return CompatVerbs(ibmmq, served.name, channel, served.conn)
        way = () if channel == CHANNEL else (channel, served.conn)
        return CompatVerbs(pymqi, served.name, *way)


def connect(
    binding: str, served: Networked, channel: str = CHANNEL, application: str = APPLICATION
) -> ternmq.Connection:
    """The same, as our API has it."""
    verbs = verbs_of(binding, served, channel, application)
    return ternmq.Connection(BindingTransport(verbs, served.connect))


class BoundQueueManager(NetworkedQueueManager):
    """A connection that ends its queue manager with itself."""

    def __init__(self, served: Networked, binding: str) -> None:
        ternmq.Connection.__init__(self, connect(binding, served).transport)
        self.binding = binding
        self.served = served
        self.started = served.started

    def connect(self, **options: Any) -> ternmq.Connection:
        assert not options, f"the binding has no {options}"
        return connect(self.binding, self.served)
