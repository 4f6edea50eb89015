"""The buffers of queues, shown and set while the queue manager is down: what qtune does.

Each local or model queue has two: bytes of persistent and of non-persistent messages that are kept
in memory before the newest go to a segment. They are attributes (PBUFFER, NPBUFFER). Setting them
starts the queue manager without any application, alters the queues, and stops it cleanly: so the
change is in the log, and in the catalog's media images, like any other.
"""

from __future__ import annotations

import json
import os
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, cast, final

from ternmq.base.attributes import BY_NAME, LOCAL, MODEL, Value
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_SELECTOR_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from ternmq.inspect.folder import Folder, find_root
from ternmq.inspect.overlay import Overlay
from ternmq.inspect.text import table
from ternmq.log.opened import open_log
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.os_disk import OsDisk
from ternmq.runtime.embedded import QueueManager
from ternmq.runtime.starting import start
from ternmq.store.catalog import Catalog, Definition
from ternmq.txn.media.catalog_recovery import CatalogRedo, find_catalog

if TYPE_CHECKING:
    from ternmq.values.queue_attributes import QueueAttributes

PERSISTENT: Final = "persistent_buffer"
NONPERSISTENT: Final = "nonpersistent_buffer"
_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@final
class QueueBuffers:
    """The two buffers of one queue, in bytes."""

    def __init__(self, name: str, kind: str, persistent: int, nonpersistent: int) -> None:
        self.name = name
        self.kind = kind
        self.persistent = persistent
        self.nonpersistent = nonpersistent

    def values(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "queue": self.name,
            "type": self.kind,
            PERSISTENT: self.persistent,
            NONPERSISTENT: self.nonpersistent,
        }


def size_in_bytes(text: str) -> int:
    """A number of bytes, or with K, M or G behind it; ValueError if it is neither."""
    word = text.strip().upper().removesuffix("B").removesuffix("I")
    unit = _UNITS.get(word[-1:], 1)
    digits = word[:-1] if unit > 1 else word
    if not digits.isdecimal():
        raise ValueError(f"{text!r} is not a size: a number of bytes, or one with K, M or G")
    return int(digits) * unit


def show_buffers(
    path: str | os.PathLike[str], name: str | None = None, pattern: str = "*"
) -> list[QueueBuffers]:
    """The buffers of the queues whose names match, as the next start will have them."""
    with Folder(path, name) as folder:
        catalog = definitions_now(folder.overlay())
    return [_buffers(one) for one in _matching(catalog, pattern)]


def definitions_now(disk: Overlay) -> Catalog:
    """Every definition as the next start will have it: the catalog file, and the log since."""
    opened = open_log(disk)
    try:
        catalog = find_catalog(disk, opened)[0]
        redo = CatalogRedo(disk, catalog)
        for record in opened.reader.records(opened.control.redo_lsn):
            redo.take(record)
    finally:
        opened.close()
    return catalog


def set_buffers(
    path: str | os.PathLike[str],
    name: str | None = None,
    *,
    pattern: str,
    persistent: int | None = None,
    nonpersistent: int | None = None,
) -> list[QueueBuffers]:
    """Set the buffers of the queues whose names match; the sizes that are not given stay. Refused
    with MQRC_Q_MGR_NOT_AVAILABLE while the queue manager runs."""
    given: dict[str, Value] = {}
    for attribute, size in ((PERSISTENT, persistent), (NONPERSISTENT, nonpersistent)):
        if size is not None:
            given[attribute] = _checked(attribute, size)
    with Folder(path, name) as folder:
        catalog = definitions_now(folder.overlay())
        wanted = [one.name for one in _matching(catalog, pattern)]
        called = str(catalog.facts["name"])
    if not wanted:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="buffers", object=pattern)
    parameters = LogParameters(CIRCULAR, 2, 0, 64, False)  # only for a log that is made
    disk = OsDisk(find_root(path, name))
    started = start(disk, called, False, parameters, None, "ternmq.inspect")
    with QueueManager(started) as qmgr:
        for queue in wanted:
            qmgr.alter_queue(queue, **cast("QueueAttributes", given))
        kernel = started.shell.engine.kernel
        return [_buffers(kernel.catalog.definitions[queue]) for queue in wanted]


def _checked(attribute: str, size: int) -> Value:
    try:
        return BY_NAME[LOCAL][attribute].checked(size)
    except ValueError as error:
        raise mq_error(MQRC_SELECTOR_ERROR, verb="buffers", detail=str(error)) from error


def _matching(catalog: Catalog, pattern: str) -> list[Definition]:
    names = [one for one in catalog.names(LOCAL | MODEL) if fnmatchcase(one, pattern)]
    return [catalog.definitions[one] for one in names]


def _buffers(definition: Definition) -> QueueBuffers:
    kind = "local" if definition.object_type == LOCAL else "model"
    return QueueBuffers(
        definition.name, kind, definition.number(PERSISTENT), definition.number(NONPERSISTENT)
    )


def buffers_json(rows: list[QueueBuffers]) -> str:
    """One JSON array."""
    return json.dumps([one.values() for one in rows], indent=2)


def buffers_lines(rows: list[QueueBuffers]) -> list[str]:
    """A table."""
    return table(
        ("queue", "type", "persistent bytes", "non-persistent bytes"),
        [(one.name, one.kind, one.persistent, one.nonpersistent) for one in rows],
    )
