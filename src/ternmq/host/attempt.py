"""One attempt of a step under the engine's lock: how every driver enters the engine.

Threads (`shell.run`) keep the lock over the attempts of a verb while nothing has to be waited for,
because a signal handler that raises between two of them must not leave half a backout behind.
"""

from __future__ import annotations

from ternmq.host.shell import Shell
from ternmq.kernel.connection import Connection as Link
from ternmq.mqi.steps.step import Step


def attempt(shell: Shell, link: Link, step: Step) -> bool:
    """As much of a step as can be done now; True when it is done."""
    shell.lock.acquire()
    try:
        done = step.attempt(shell.engine.kernel, link)
        if step.is_plain and not link.durable_at and link.unit is None:
            shell.flush()  # as the fast path: nothing was logged, so nothing is due
        else:
            shell.settle()
    except BaseException as failure:
        shell.failed(failure, step.verb)
        raise
    finally:
        shell.lock.release()
    return done
