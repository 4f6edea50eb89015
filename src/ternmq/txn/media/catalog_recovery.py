"""The catalog at a start: from its file, or, if that is damaged, missing or older than the last
checkpoint and the log is linear, from its last media image and the definitions logged since.
"""

from __future__ import annotations

from typing import final

from ternmq.base.errors import IntegrityError, check
from ternmq.log import kinds
from ternmq.log.archive import all_records, reader_from
from ternmq.log.control import Control
from ternmq.log.opened import OpenedLog
from ternmq.log.reader import LogReader
from ternmq.log.record import LogRecord
from ternmq.ports.disk import Disk
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.catalog_file import CATALOG_PATH, CHANGES_PATH, load_catalog, unpack_catalog
from ternmq.store.queue import Queue
from ternmq.store.register import CATALOG_ROW
from ternmq.txn.families.image_records import END, PIECE, ImagePart
from ternmq.txn.families.packing import unpack_json
from ternmq.txn.families.table import kind_of
from ternmq.txn.media.log_survey import last_image
from ternmq.txn.redo import Redo


def last_checkpoint(opened: OpenedLog) -> dict[str, object]:
    """What the last CHECKPOINT record says; empty before the first."""
    control = opened.control
    if not control.checkpoint_lsn:
        return {}
    return unpack_json(opened.reader.record_at(control.checkpoint_lsn).payload)


def register_statement(opened: OpenedLog) -> list[int] | None:
    """How much of the register counts; None before the first checkpoint."""
    control = opened.control
    if control.replayed_checkpoint and control.replayed_checkpoint == control.checkpoint_lsn:
        return control.replayed_register  # the record speaks of another one's files
    statement = last_checkpoint(opened).get("register")
    return statement if isinstance(statement, list) else None


def find_catalog(disk: Disk, opened: OpenedLog) -> tuple[Catalog, str]:
    """The catalog, and what was wrong with its file if it had to be recovered."""
    facts = last_checkpoint(opened)
    try:
        catalog = load_catalog(disk)
        saved = facts.get("catalog_lsn", 0)
        check(
            isinstance(saved, int) and catalog.lsn >= saved,
            f"{CATALOG_PATH} is of LSN {catalog.lsn}, but one of LSN {saved} was written; "
            f"{_describe_changes(disk)}",
        )
        if isinstance(saved, int) and catalog.lsn > saved:
            # No record says that it was forced; so nothing is added to it.
            catalog.changed = True
            catalog.rewrite_file = True
    except IntegrityError as error:
        if not opened.control.parameters.is_linear:
            raise
        try:
            return _recover(disk, opened, facts), str(error)
        except IntegrityError as failure:
            text = f"{error}; it could not be recovered from the log: {failure}"
            raise IntegrityError(text) from failure
    return catalog, ""


def _describe_changes(disk: Disk) -> str:
    there = "is damaged or old" if disk.exists(CHANGES_PATH) else "is missing"
    return f"{CHANGES_PATH} {there}, or belongs to another one"


def _recover(disk: Disk, opened: OpenedLog, facts: dict[str, object]) -> Catalog:
    """The image, and all definitions since."""
    control = opened.control
    image_lsn = facts.get("catalog_image", 0)
    if not isinstance(image_lsn, int) or image_lsn == 0:
        image_lsn = _search(disk, control)
    catalog = _read_image(reader_from(disk, control, image_lsn), image_lsn)
    redo = CatalogRedo(disk, catalog)
    reader = reader_from(disk, control, image_lsn)
    for record in reader.records(image_lsn):
        redo.take(record)
    catalog.lsn = reader.end_lsn
    catalog.changed = True
    catalog.rewrite_file = True
    return catalog


def _search(disk: Disk, control: Control) -> int:
    """No checkpoint says where the image is: read the log."""
    image = last_image(all_records(disk, control), CATALOG_ROW)
    if image is None:
        raise IntegrityError("the log has no media image of the catalog")
    return image.image_lsn


def _read_image(reader: LogReader, image_lsn: int) -> Catalog:
    content: list[bytes] = []
    for record in reader.records(image_lsn):
        if record.kind == kinds.MEDIA_IMAGE:
            part = ImagePart(record)
            if part.object_id == CATALOG_ROW and part.image_lsn == image_lsn:
                if part.part == PIECE:
                    content.append(part.content)
                elif part.part == END:
                    return unpack_catalog(b"".join(content))
    raise IntegrityError(f"the image of the catalog at LSN {image_lsn} is not whole")


@final
class CatalogRedo(Redo):
    """Redo of definitions alone."""

    def __init__(self, disk: Disk, catalog: Catalog) -> None:
        super().__init__(disk, catalog)
        catalog.lsn = 0
        for definition in catalog.all_definitions():
            self.definitions[definition.object_id] = definition

    def load(self, definition: Definition) -> Queue | None:
        return None

    def take(self, record: LogRecord) -> None:
        """Do again what a record did to the catalog."""
        kind_of(record).redo_catalog(self, record)
