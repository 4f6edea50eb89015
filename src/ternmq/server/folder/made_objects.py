"""strmqm -c: the default objects of a queue manager that is down are recreated."""

from __future__ import annotations

from typing import NamedTuple

from ternmq.admin.default_objects import default_objects
from ternmq.api import definitions
from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.base.object_types import CHLAUTH
from ternmq.ports.os_disk import OsDisk
from ternmq.remote.local.folder_lookup import Place
from ternmq.runtime.embedded import QueueManager
from ternmq.runtime.starting import log_parameters, start


class Made(NamedTuple):
    """What came of it."""

    created: int
    replaced: int
    failed: list[str]


def replace_default_objects(place: Place) -> Made:
    """Each becomes what it was at the creation of the queue manager. Rules of channel
    authentication stay as they are: without a rule, connections that it blocks would get in."""
    parameters = log_parameters("circular", 3, 2, 64, False)  # what is there counts
    disk = OsDisk(place.folder)
    try:
        started = start(disk, place.name, False, parameters, None, "strmqm")
        with QueueManager(started) as queue_manager:
            return _replace_all(queue_manager)
    finally:
        disk.close()


def _replace_all(queue_manager: QueueManager) -> Made:
    catalog = queue_manager.started.shell.engine.kernel.catalog
    created = replaced = 0
    failed: list[str] = []
    for object_type, name, given in default_objects():
        if object_type == CHLAUTH:
            continue
        there = catalog.find(object_type, name) is not None
        try:
            call = queue_manager.run(definitions.define(object_type, name, given, True))
            definitions.check_done(call, name)
        except MQError as error:
            failed.append(message_line("AMQ8049E", (name, error)))
            continue
        created += not there
        replaced += there
    return Made(created, replaced, failed)
