"""Whose turn it is on a connection to another process: as `connection_session` has it in
process.

A connection is used by one caller at a time, a thread or a task. Unless MQCNO options say
otherwise, a unit of work belongs to the caller that began it: anything else is
MQRC_CALL_IN_PROGRESS.
"""

from __future__ import annotations

import threading

from ternmq.base.errors import (
    CONNECTION_ENDED,
    UNIT_OF_ANOTHER,
    USED_BY_ANOTHER,
    MQError,
    mq_error,
)
from ternmq.base.reasons import MQRC_CALL_IN_PROGRESS, MQRC_CONNECTION_BROKEN, MQRC_HCONN_ERROR
from ternmq.mqi.sharing import ALONE, BLOCK, BY_UNIT, CONSUMED, not_its_turn
from ternmq.remote.remote_verbs import RemoteVerbs


class Turns:
    """Which caller uses the connection, and whether it can be used at all."""

    def __init__(self, verbs: RemoteVerbs, share: int, caller: int) -> None:
        self._verbs = verbs
        self._share = share
        self._owner = caller if share == ALONE else 0
        self._before = (share, 0)  # while callbacks are started: who may use it otherwise
        self._turn = threading.Lock()
        self._broken: MQError | None = None

    @property
    def busy(self) -> bool:
        """A verb is under way."""
        return self._turn.locked()

    @property
    def is_anyones(self) -> bool:
        """Whether any caller may use it just now for something outside syncpoint, and need not take
        it: no other caller can come between."""
        verbs = self._verbs
        return (
            self._share == BY_UNIT
            and not verbs.in_unit
            and not verbs.has_changes
            and self._broken is None
            and verbs.link.connected
            and not self._turn.locked()
        )

    def take(self, caller: int, verb: str) -> None:
        """Take the connection for a verb of `caller`, a thread or task."""
        name = self._verbs.name
        if self._owner != caller and self._share in (ALONE, CONSUMED):
            raise not_its_turn(self._share, verb, name)
        if not self._turn.acquire(self._share == BLOCK):
            raise mq_error(MQRC_CALL_IN_PROGRESS, verb=verb, object=name, detail=USED_BY_ANOTHER)
        try:
            self._check(caller, verb)
        except MQError:
            self._turn.release()
            raise

    def _check(self, caller: int, verb: str) -> None:
        verbs = self._verbs
        if self._broken is not None:
            raise self.broken_error(verb)
        if not verbs.link.connected:
            raise mq_error(MQRC_HCONN_ERROR, verb=verb, object=verbs.name, detail=CONNECTION_ENDED)
        if self._owner != caller:
            if self._share == BY_UNIT and self._owner and (verbs.in_unit or verbs.has_changes):
                raise mq_error(
                    MQRC_CALL_IN_PROGRESS,
                    verb=verb,
                    object=verbs.name,
                    detail=UNIT_OF_ANOTHER,
                )
            self._owner = caller

    def consume_by(self, caller: int) -> None:
        """MQCTL has started callbacks, which `caller` runs: others are refused until `release`."""
        self.take(self._owner, "MQCTL")
        self._before = (self._share, self._owner)
        self._share = CONSUMED
        self._owner = caller
        self._turn.release()

    def release(self) -> None:
        """The callbacks have ended. Their unit of work, if one is open, is the next caller's."""
        share, owner = self._before
        if self._share == CONSUMED:
            self._share = share
            self._owner = owner if share == ALONE else 0

    def give_back(self) -> None:
        """The verb has ended."""
        self._turn.release()

    def break_off(self, reason: int = MQRC_CONNECTION_BROKEN, detail: str = "") -> None:
        """The connection is gone, and its unit of work with it; the first reason counts."""
        if self._broken is None:
            self._broken = mq_error(reason, object=self._verbs.name, detail=detail)
        self._verbs.link.connected = False
        self._verbs.in_unit = False
        self._verbs.has_changes = False

    def broken_error(self, verb: str) -> MQError:
        """What to raise. Why the queue manager ended is raised once; after that it is just
        gone."""
        broken = self._broken
        if broken is None:
            return mq_error(MQRC_CONNECTION_BROKEN, verb=verb, object=self._verbs.name)
        self._broken = mq_error(MQRC_CONNECTION_BROKEN, object=self._verbs.name)
        return mq_error(broken.reason, verb=verb, object=broken.object, detail=broken.detail)
