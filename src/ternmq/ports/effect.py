"""Work that leaves a step: the shell runs it outside the engine and brings the completion back as
an input.

A step never waits for a disk. `run` touches only the disk and what the effect owns; `complete` and
`fail` are part of a step. Made by the store, the log's space and checkpoints; run by the shell or
the simulator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from ternmq.base.errors import IntegrityError

if TYPE_CHECKING:
    from ternmq.ports.disk import Disk


@mypyc_attr(allow_interpreted_subclasses=True)
class Wakeable:
    """A waiter outside the engine that is to be woken after the step."""

    def wake(self) -> None:
        """Called by the shell, not inside the step."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Effect:
    """One piece of work for the disk."""

    def __init__(self) -> None:
        self.claimed = False  # a thread runs it
        self.done = False
        self.after_lsn = 0  # ORDER: log before page: run only when the log is forced up to here
        self.on_log = False  # touches the log's files or its control file: never beside a force
        self.waiting: list[Wakeable] = []  # woken when it is done
        self.followers: list[Effect] = []  # begun when it is done

    def run(self, disk: Disk) -> None:
        """Do it; OSError goes to `fail`."""
        raise NotImplementedError

    def complete(self) -> None:
        """Take the result in; part of a step."""
        raise NotImplementedError

    def fail(self, error: OSError) -> None:
        """Take the failure in; part of a step. What cannot go on without it stops the queue
        manager."""
        raise error

    def damage(self, text: str) -> None:
        """What was read cannot be believed; part of a step. Damage is confined to its object
        where it can be."""
        raise IntegrityError(text)


class Outbox:
    """Where the parts of the engine leave their effects for the shell."""

    def __init__(self) -> None:
        self.effects: list[Effect] = []
        self.woken: list[Wakeable] = []

    def add(self, effect: Effect) -> None:
        """Hand work to the shell."""
        self.effects.append(effect)

    def wake(self, waker: Wakeable | None) -> None:
        """Have it woken after this step."""
        if waker is not None:
            self.woken.append(waker)

    def done(self, effect: Effect) -> None:
        """An effect has ended, well or not: all that wait for it are to be woken."""
        effect.done = True
        self.woken.extend(effect.waiting)
        effect.waiting = []
        self.effects.extend(effect.followers)
