"""Which extents of a linear log are needed, and the removal of the others.

Restart needs the log from the redo LSN of the last checkpoint on. Media recovery needs it from the
lowest media LSN of any recoverable object on. Extents before both are superfluous.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from ternmq.base import constants as mq
from ternmq.log.archive import stored_extents
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.store.catalog import Catalog
from ternmq.store.register import CATALOG_ROW

if TYPE_CHECKING:
    from ternmq.txn.keeper import Keeper

CATALOG_NAME: Final = "(catalog)"  # no object can have this name


@final
class ExtentNeeds:
    """The oldest extent for each purpose; -1 if nothing is needed for it."""

    def __init__(self, current: int, restart: int, media: int, media_object: str) -> None:
        self.current = current
        self.restart = restart
        self.media = media
        self.media_object = media_object  # whose image is the oldest

    @property
    def oldest(self) -> int:
        """The first that is needed for anything."""
        return self.restart if self.media < 0 else min(self.restart, self.media)


def extent_needs(keeper: Keeper) -> ExtentNeeds:
    """What is needed now. An object that is not recoverable any more loses its image."""
    catalog = keeper.catalog
    lsn, name = oldest_image(catalog)
    size = int(keeper.extent_bytes)
    return ExtentNeeds(
        int(keeper.coordinator.log.end_lsn) // size,
        keeper.space.oldest,
        -1 if lsn == 0 else lsn // size,
        name,
    )


def oldest_image(catalog: Catalog) -> tuple[int, str]:
    """The lowest media LSN, and whose it is; 0 if there is no image."""
    lowest = 0
    whose = ""
    names = {one.object_id: one for one in catalog.definitions.values()}
    for number, row in catalog.register.items():
        if row.image_lsn == 0:
            continue
        definition = names.get(number)
        if number == CATALOG_ROW:
            name = CATALOG_NAME
            wanted = catalog.qmgr.get("image_recover_objects") == mq.MQIMGRCOV_YES
        else:
            name = "" if definition is None else definition.name
            wanted = definition is not None and catalog.is_recoverable(definition)
        if not wanted:
            row.image_lsn = 0  # its log may go, so it must not be relied on later
            row.media_lsn = 0
            catalog.unregistered.add(number)
        elif lowest == 0 or row.media_lsn < lowest:
            lowest = row.media_lsn
            whose = name
    return lowest, whose


@final
class ExtentRemoval(Effect):
    """Deletes the files of extents that are not needed."""

    def __init__(self, keeper: Keeper) -> None:
        super().__init__()
        self.on_log = True
        self.keeper = keeper
        self.before = extent_needs(keeper).oldest
        self.removed: list[str] = []
        self.error = ""
        # An image that counts in memory must count after a crash, too.
        self.after_lsn = keeper.coordinator.log.end_lsn

    def run(self, disk: Disk) -> None:
        self.removed = self.keeper.files.remove_before(self.before)

    def complete(self) -> None:
        return

    def fail(self, error: OSError) -> None:
        self.error = str(error)


@final
class ExtentListing(Effect):
    """Finds which extents have a file."""

    def __init__(self, keeper: Keeper) -> None:
        super().__init__()
        self.keeper = keeper
        self.stored: list[int] = []
        self.error = ""

    def run(self, disk: Disk) -> None:
        self.stored = stored_extents(disk, self.keeper.control)

    def complete(self) -> None:
        return

    def fail(self, error: OSError) -> None:
        self.error = str(error)
