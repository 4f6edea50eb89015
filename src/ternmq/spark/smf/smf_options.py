"""The options of the source `mqsmf`, checked; smf_source lists them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, final

from ternmq.codec.smf.framing import FORMS
from ternmq.spark.option_words import check_names, lowered, number, one_of, yes_or_no
from ternmq.spark.smf.dump_files import AUTO
from ternmq.spark.smf.ranges import SPLIT_BYTES
from ternmq.spark.smf.section_columns import RECORDS, REJECTS, SECTION_NAMES, all_columns

PERMISSIVE: Final = "PERMISSIVE"
FAILFAST: Final = "FAILFAST"
SPLIT_BYTES_MIN: Final = 1 << 16
SMF_OPTIONS: Final = (
    "section",
    "columns",
    "path",
    "form",
    "mode",
    "defaultZone",
    "splitBytes",
    "pathGlobFilter",
    "recursiveFileLookup",
    "maxBytesPerTrigger",
    "failOnDataLoss",
)


@final
class SmfOptions:
    """What a user asked for. ValueError says which option is wrong, and what it may be."""

    def __init__(self, given: Mapping[str, str]) -> None:
        check_names(given, SMF_OPTIONS)
        options = lowered(given)
        self.section: Final = section_named(options.get("section", ""))
        self.names: Final = columns_named(self.section, options.get("columns", ""))
        self.paths: Final = paths_given(options)
        self.form: Final = one_of(options, "form", AUTO, (AUTO, *FORMS))
        mode = one_of(options, "mode", PERMISSIVE, (PERMISSIVE, FAILFAST))
        self.is_strict: Final = mode == FAILFAST
        self.default_zone: Final = options.get("defaultzone", "")
        if self.default_zone:
            check_zone(self.default_zone)
        self.split_bytes: Final = number(options, "splitBytes", SPLIT_BYTES, SPLIT_BYTES_MIN)
        self.name_pattern: Final = options.get("pathglobfilter", "")
        self.recursive: Final = yes_or_no(options, "recursiveFileLookup", False)
        self.bytes_per_trigger: Final = number(options, "maxBytesPerTrigger", 0, 1)
        self.fail_on_loss: Final = yes_or_no(options, "failOnDataLoss", True)

    def ddl(self) -> str:
        """The schema in Spark's words."""
        types = dict(all_columns(self.section))
        return ", ".join(f"`{name}` {types[name].upper()}" for name in self.names)


def section_named(section: str) -> str:
    known = (*SECTION_NAMES, REJECTS, RECORDS)
    for name in known:
        if section.upper() == name.upper():
            return name
    if section.upper() == "WQST":
        return "WQ"
    raise ValueError(f"option section is {section!r}; it may be {', '.join(known)}")


def columns_named(section: str, columns: str) -> tuple[str, ...]:
    """Names of columns as they are written here; all if none are given."""
    known = {name.lower(): name for name, _ in all_columns(section)}
    wanted = [name.strip() for name in columns.split(",") if name.strip()]
    for name in wanted:
        if name.lower() not in known:
            raise ValueError(f"option columns: {section} has no column {name}")
    return tuple(dict.fromkeys(known[name.lower()] for name in wanted)) or tuple(known.values())


def paths_given(options: Mapping[str, str]) -> list[str]:
    """One path, or several as load([...]) gives them."""
    if options.get("paths"):
        return [str(path) for path in json.loads(options["paths"])]
    return [options["path"]] if options.get("path") else []


def check_zone(zone: str) -> None:
    from ternmq.spark.smf.moments import check

    check(zone)
