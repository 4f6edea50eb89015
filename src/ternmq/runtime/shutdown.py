"""The clean stop of an embedded queue manager."""

from __future__ import annotations

from ternmq.host.shell import Shell
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.store.sweep import keep_in_segment


def shut_down(shell: Shell) -> None:
    """End the calls that wait, back out units of work, keep the messages that must be kept, take a
    last checkpoint."""
    engine = shell.engine
    with shell.lock:
        engine.stop()
        shell.flush()
    shell.return_orphans()
    shell.disconnect_all()
    shell.stop_housekeeper()
    with shell.lock:
        engine.collector.finish()
    shell.deliver()
    if engine.error_for("") is None:
        shell.finish_effects()
        _keep_plain_messages(shell)
        with shell.lock:
            running = engine.keeper.running is not None
        if running:
            shell.finish_effects()
        with shell.lock:
            engine.keeper.begin(False, True)
        shell.finish_effects()
    with shell.forcer.files_lock:  # after a breakdown, a thread may still be writing
        engine.files.close()
        engine.opened.close()
    with shell.lock:
        pubsub_of(engine.kernel).tree.end()
    for companion in shell.companions:
        companion.end()


def _keep_plain_messages(shell: Shell) -> None:
    """NPMCLASS(HIGH): non-persistent messages outlive a clean stop."""
    engine = shell.engine
    for queue in list(engine.kernel.catalog.queues.values()):
        if not queue.keep_plain or queue.temporary:
            continue
        more = True
        while more:
            with shell.lock:
                more = keep_in_segment(queue, engine.outbox, engine.coordinator.in_log)
            if more:
                shell.finish_effects()
                more = queue.service.failure == ""
