"""The talk of security exits before messages flow. Both ends take turns, the acceptor first; an
exit with nothing to say sends an empty SECURITY_DATA, and two of these in a row end it.

It takes place if the initiator has a security exit. If only the acceptor has one, that exit is
asked once: it cannot send anything, as there is nobody to answer.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.channel.exit_points import SECURITY_OK, ExitChain, SecurityTurn
from ternmq.wire.fap.dialogue import ACCEPTOR
from ternmq.wire.fap.segment import SegmentError
from ternmq.wire.fap.vocabulary import SECURITY_FAILURE

TURNS_MAX: Final = 100


@final
class SecurityTurns:
    """One end's part of the talk."""

    def __init__(self, exits: ExitChain, role: int, is_agreed: bool) -> None:
        self._exits: Final = exits
        self._role: Final = role
        self._is_agreed: Final = is_agreed
        self._began = False
        self._last_was_empty = False
        self._turns = 0
        self.is_over = False

    def begin(self) -> bytes | None:
        """What this end sends now; None if it is the partner's turn, or there is no talk."""
        if not self._is_agreed:
            self.is_over = True
            if self._exits.has_security and self._exits.security(None).kind != SECURITY_OK:
                text = "the security exit has something to say, and the partner has none"
                raise SegmentError(text, SECURITY_FAILURE)
            return None
        return self._own_turn(self._exits.security(None)) if self._role == ACCEPTOR else None

    def _own_turn(self, turn: SecurityTurn) -> bytes:
        self._began = True
        data = b"" if turn.kind == SECURITY_OK else turn.data
        self._last_was_empty = not data
        return data

    def came(self, data: bytes) -> bytes | None:
        """The partner has spoken: what this end answers; None if that was the end."""
        self._turns += 1
        if self._turns > TURNS_MAX:
            raise SegmentError(f"{TURNS_MAX} turns of security exits", SECURITY_FAILURE)
        if not data and self._last_was_empty:
            self.is_over = True
            return None
        if data:
            if not self._exits.has_security:
                text = "the partner's security exit has sent data, and there is none here"
                raise SegmentError(text, SECURITY_FAILURE)
            return self._own_turn(self._exits.security(data))
        answer = b"" if self._began else self._own_turn(self._exits.security(None))
        self._last_was_empty = not answer
        # Their exit is content and so is ours.
        self.is_over = not answer
        return answer
