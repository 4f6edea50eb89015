"""DISPLAY of objects: queues, channels, topics and all the others, and the queue manager itself.

What is shown of an object follows from its type and from what was asked, so it is worked out once a
type (`Columns`). A step shows a bounded number of objects. What needs a queue's messages to be in
memory (its depth) parks until they are.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_authority import guard_of, may_display, not_displayed
from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.filters import fits, fits_name
from ternmq.admin.execution import STEP_OBJECTS, Execution
from ternmq.base import attributes as schema
from ternmq.base import object_types as types
from ternmq.base import reasons as rc
from ternmq.base.attributes import Attribute, Value, attributes_of
from ternmq.base.constants import MQCC_FAILED
from ternmq.base.errors import Damaged, mq_error
from ternmq.base.object_types import BY_BIT, LOCAL, QMGR
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.inquire import queue_manager_value, shown_value
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.store.catalog import Definition
from ternmq.values.command import Answer, Command, Item

SECRET: Final = "********"
OF_MESSAGES: Final = ("current_depth", "open_input_count", "open_output_count")
# Filters that let everything through; PCF has MQSUBTYPE_ALL, MQSUBTYPE_USER and MQSUB_DURABLE_ALL.
ANY_OF_THEM: Final = ("ALL", "USER", "-1", "-2")
# TYPE of what has only one kind here.
_ONLY_TYPE: Final = {types.TOPIC: "LOCAL", types.COMMINFO: "MULTICAST"}
_GROUPS: Final = {
    "SYSTEM": (),
    "CHINIT": ("CHAD", "CHADEV", "CHADEXIT", "IPADDRV", "MONACLS", "MONCHL", "STATACLS", "STATCHL"),
    "CLUSTER": ("CLWLDATA", "CLWLEXIT", "CLWLLEN", "CLWLMRUC", "CLWLUSEQ", "MONACLS", "QMID",
                "REPOS", "REPOSNL"),
    "EVENT": ("AUTHOREV", "CHADEV", "CHLEV", "CMDEV", "CONFIGEV", "INHIBTEV", "LOCALEV",
              "LOGGEREV", "PERFMEV", "REMOTEEV", "SSLEV", "STRSTPEV"),
    "PUBSUB": ("PARENT", "PSCLUS", "PSMODE", "PSNPMSG", "PSNPRES", "PSRTYCNT", "PSSYNCPT",
               "TREELIFE"),
}  # fmt: skip


@final
class Column:
    """One attribute that is shown, ready for speed."""

    __slots__ = ("bare", "keyword", "name", "row", "shown_only", "words")

    def __init__(self, row: Attribute) -> None:
        self.row = row
        self.name = row.name
        self.keyword = row.keyword
        self.bare = row.kind == schema.BARE
        self.shown_only = row.shown_only
        self.words: dict[Value, str] = {}
        if not row.text:
            for word, number in row.words.items():
                self.words.setdefault(number, word)

    def item(self, value: Value) -> Item:
        """The attribute with its value as it is shown."""
        word = self.words.get(value)
        if word is not None:
            return Item(word, "", True) if self.bare else Item(self.keyword, word)
        if self.row.secret and value != "":
            return Item(self.keyword, SECRET)
        return Item(self.keyword, value)


@final
class Columns:
    """What is shown of the objects of one type."""

    def __init__(self, object_type: int, command: Command, everything: bool) -> None:
        kind = BY_BIT[object_type]
        self.object_type = object_type
        self.name_keyword = kind.name_keyword
        self.type_keyword = kind.type_keyword
        self.type_word = _ONLY_TYPE.get(object_type, kind.noun)
        wanted = set(command.wanted)
        where = command.where
        if where is not None:
            wanted.add(where.keyword)
        if object_type == types.SUB:
            wanted.add("SUBID")  # two may have the same name on other queue managers
        self.columns: list[Column] = []
        self.filtered: Column | None = None
        for row in attributes_of(object_type):
            column = Column(row)
            if everything or row.keyword in wanted:
                self.columns.append(column)
            if where is not None and row.keyword == where.keyword:
                self.filtered = column
        self.needs_queue = object_type == LOCAL and any(
            column.name in OF_MESSAGES for column in self.columns
        )


def wants_everything(command: Command) -> bool:
    """ALL was asked for; or one object, and nothing in particular of it."""
    if "ALL" in command.wanted:
        return True
    named = command.name and not command.name.endswith("*")
    return bool(named) and not command.wanted and command.where is None


def objects_of(kernel: Kernel, bits: int, pattern: str) -> list[Definition]:
    """The objects of some types whose names fit, each space of names in order."""
    found: list[Definition] = []
    spaces: list[str] = []
    for kind in types.OBJECT_TYPES:
        if not kind.bit & bits or kind.space in spaces or kind.bit == QMGR:
            continue
        spaces.append(kind.space)
        table = kernel.catalog.table_of(kind.bit)
        if pattern.endswith("*"):
            names = sorted([name for name in table if fits_name(pattern, name)])
        else:
            names = [pattern] if pattern in table else []
        found.extend([table[name] for name in names if table[name].object_type & bits])
    return found


def queue_in_memory(kernel: Kernel, link: Link, definition: Definition) -> LocalQueue | None:
    """The queue if it is in use; None if it never had messages, or if it is not loaded yet, and
    then the connection is parked."""
    catalog = kernel.catalog
    if definition.object_id in catalog.queues or definition.object_id in catalog.with_state:
        return kernel.local_queue(link, definition)
    if definition.object_id in catalog.damaged:
        damage = catalog.damaged[definition.object_id]
        raise mq_error(rc.MQRC_OBJECT_DAMAGED, object=definition.name, detail=damage)
    return None


class DisplayObjects(Execution):
    """DISPLAY QLOCAL, QUEUE, CHANNEL ..."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._columns: dict[int, Columns] = {}
        self._objects: list[Definition] | None = None
        self._next = 0
        self._left_out: Definition | None = None  # an object that the user may not see

    def step(self, kernel: Kernel, link: Link) -> bool:
        objects = self._objects
        if objects is None:
            objects = objects_of(kernel, self._bits(), self.command.name)
            self._objects = objects
        last = min(self._next + STEP_OBJECTS, len(objects))
        while self._next < last:
            definition = objects[self._next]
            if not self._show(kernel, link, definition):
                return False  # parked: the same object again
            self._next += 1
        if self._next < len(objects):
            link.again = True
            return False
        if self.answers:
            return True
        self.refuse_left_out(kernel, link)
        name = self.command.name
        return self.refuse("AMQ8147E", name, reason=rc.MQRC_UNKNOWN_OBJECT_NAME)

    def refuse_left_out(self, kernel: Kernel, link: Link) -> None:
        """Nothing was shown, because the user may not see what there is."""
        if self._left_out is not None:
            mqot, guard = guard_of(self._left_out)
            raise not_displayed(kernel, link, self.command, self.row, mqot, guard)

    def _bits(self) -> int:
        """The types that are asked for."""
        bits = self.row.types
        for keyword in ("TYPE", "CHLTYPE", "AUTHTYPE"):
            word = self.command.given.get(keyword, "ALL")
            kind = types.BY_NOUN.get(word)
            if kind is not None:
                bits &= kind.bit
            elif word in ("CLUSTER", "QCLUSTER"):
                bits = 0  # nothing is known of other queue managers yet
        return bits

    def _show(self, kernel: Kernel, link: Link, definition: Definition) -> bool:
        """One object; False if it has to wait."""
        if kernel.catalog.find(definition.object_type, definition.name) is not definition:
            return True  # deleted since the last step
        columns = self._columns_of(definition.object_type)
        local: LocalQueue | None = None
        if columns.needs_queue:
            try:
                local = queue_in_memory(kernel, link, definition)
            except Damaged as error:
                self.answers.append(_damaged(definition.name, error.detail))
                return True
            if link.park is not None:
                return False
            if local is not None:
                link.depends_on(local.queue.last_lsn)
        self.show(kernel, link, definition, local)
        return True

    def show(
        self, kernel: Kernel, link: Link, definition: Definition, local: LocalQueue | None
    ) -> None:
        """An object, if the user may see it and it is one of those that are asked for."""
        if not may_display(kernel, link, definition):
            self._left_out = definition
            return
        columns = self._columns_of(definition.object_type)
        if self._fits(definition, local, columns):
            self.answers.append(self._answer(definition, local, columns))

    def _columns_of(self, object_type: int) -> Columns:
        columns = self._columns.get(object_type)
        if columns is None:
            columns = Columns(object_type, self.command, wants_everything(self.command))
            self._columns[object_type] = columns
        return columns

    def _fits(self, definition: Definition, local: LocalQueue | None, columns: Columns) -> bool:
        for keyword in ("SUBTYPE", "DURABLE", "SUBID", "TRPTYPE"):
            word = self.command.given.get(keyword, "ALL")
            if word in ANY_OF_THEM:
                continue
            if word != _shown(definition, local, columns.object_type, keyword):
                return False
        where = self.command.where
        if where is None:
            return True
        column = columns.filtered
        if column is not None:
            item = column.item(value_of(definition, local, column))
            return fits(where, item.keyword if item.bare else item.value)
        if where.keyword == columns.type_keyword:
            return fits(where, columns.type_word)
        return False

    def _answer(self, definition: Definition, local: LocalQueue | None, columns: Columns) -> Answer:
        answer = Answer(self.row.message, object_type=columns.object_type)
        items = answer.items
        items.append(Item(columns.name_keyword, definition.name))
        if columns.type_keyword:
            items.append(Item(columns.type_keyword, columns.type_word))
        attributes = definition.attributes
        for column in columns.columns:
            if column.shown_only:
                value = shown_value(definition, local, column.row)
            else:
                value = attributes[column.name]
            items.append(column.item(value))
        return answer


def value_of(definition: Definition, local: LocalQueue | None, column: Column) -> Value:
    """One attribute, stored or of now."""
    if column.shown_only:
        return shown_value(definition, local, column.row)
    return definition.attributes[column.name]


def _shown(
    definition: Definition, local: LocalQueue | None, object_type: int, keyword: str
) -> Value:
    row = schema.BY_NAME[object_type].get(keyword)
    if row is None:
        return "ALL"
    column = Column(row)
    return column.item(value_of(definition, local, column)).value


def _damaged(name: str, detail: str) -> Answer:
    answer = Answer("AMQ8149S", (name,), comp=MQCC_FAILED, reason=rc.MQRC_OBJECT_DAMAGED)
    answer.detail = detail
    return answer


@final
class DisplayQueueManager(Execution):
    """DISPLAY QMGR."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        command = self.command
        wanted = set(command.wanted)
        for group, keywords in _GROUPS.items():
            if group in command.given:
                wanted.update(keywords)
        everything = not wanted or "ALL" in wanted
        answer = Answer(self.row.message, object_type=QMGR)
        answer.add("QMNAME", kernel.name)
        for row in attributes_of(QMGR):
            if everything or row.keyword in wanted:
                answer.items.append(Column(row).item(queue_manager_value(kernel, row)))
        self.answers.append(answer)
        return True
