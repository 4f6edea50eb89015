"""What the trace records of a request on the local socket."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from ternmq.server.trace import Trace
from ternmq.wire import local as wire

if TYPE_CHECKING:
    from ternmq.server.binding import Binding

_VERBS: Final = {
    wire.PUT: "MQPUT",
    wire.PUT1: "MQPUT1",
    wire.PUT_LIST: "MQPUT of a list",
    wire.GET: "MQGET",
    wire.COMMIT: "MQCMIT",
    wire.BACKOUT: "MQBACK",
    wire.DISCONNECT: "MQDISC",
}
_CALLS: Final = {
    "open": "MQOPEN",
    "open_list": "MQOPEN",
    "widen": "MQOPEN",
    "close": "MQCLOSE",
    "inquire": "MQINQ",
    "set": "MQSET",
}
_OF_APPLICATIONS: Final = ("stream_", "cursor_", "commit_batch")
_HANDLE_BYTES: Final = 4


class TracedRequest:
    """One request, looked at before it is served: a close takes the name of its object away."""

    def __init__(self, trace: Trace, binding: Binding | None, frame: wire.Frame) -> None:
        self._trace = trace
        self._verb, self._component, self._facts = _what(binding, frame)
        if binding is not None:
            link = binding.verbs.link
            self._facts["connection"] = link.connection_id
            self._facts["application"] = link.application
            self._facts["user"] = link.user
        self._facts["sent"] = len(frame.body)
        self._began_ns = time.monotonic_ns()

    def answered(self, answer: bytes, tail_bytes: int) -> None:
        """Write it down, with how it ended and how long it took. So many bytes of a long answer
        stand behind what is given."""
        took_us = (time.monotonic_ns() - self._began_ns) // 1000
        self._facts["received"] = max(len(answer) + tail_bytes - wire.HEAD_BYTES, 0)
        self._facts["reason"] = _reason(answer)
        self._trace.record(self._component, self._verb, **self._facts, us=took_us)


def trace_connection(trace: Trace | None, binding: Binding, what: str) -> None:
    """A connection begins or ends."""
    if trace is None or not trace.on:
        return
    link = binding.verbs.link
    trace.record(
        "comms",
        what,
        connection=link.connection_id,
        application=link.application,
        user=link.user,
        tag=link.tag.hex(),
    )


def _what(binding: Binding | None, frame: wire.Frame) -> tuple[str, str, dict[str, Any]]:
    facts: dict[str, Any] = {}
    if frame.kind in (wire.EXTENSION, wire.CALL):
        given = frame.json()
        call = str(given.get("call", ""))
        if call in _CALLS:
            _add_object(facts, binding, given)
            return _CALLS[call], "api", facts
        return call, "api" if call.startswith(_OF_APPLICATIONS) else "commands", facts
    if frame.kind in (wire.PUT, wire.GET) and binding is not None:
        handle = int.from_bytes(frame.body[:_HANDLE_BYTES], "little", signed=True)
        facts["object"] = _handle_name(binding, handle)
    return _VERBS.get(frame.kind, f"frame {frame.kind}"), "api", facts


def _add_object(facts: dict[str, Any], binding: Binding | None, given: dict[str, Any]) -> None:
    od = given.get("od")
    if isinstance(od, dict):
        facts["object"] = str(od.get("object_name", ""))
    elif binding is not None and isinstance(given.get("handle"), int):
        facts["object"] = _handle_name(binding, given["handle"])
    if "options" in given:
        facts["options"] = given["options"]


def _handle_name(binding: Binding, number: int) -> str:
    handle = binding.verbs.link.handles.get(number)
    return "" if handle is None else str(handle.resolved_name)


def _reason(answer: bytes) -> int:
    """0, or the reason of an error."""
    if len(answer) < wire.HEAD_BYTES or answer[wire.LENGTH.size] != wire.ERROR:
        return 0
    error = wire.Frame(wire.ERROR, 0, answer[wire.HEAD_BYTES :]).json()
    reason = error.get("reason", 0)
    return reason if isinstance(reason, int) else 0
