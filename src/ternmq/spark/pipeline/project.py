"""The project of a pipeline: a folder with its spec and definitions, which people may add to.

spark-pipeline.yml            name, storage, settings (see pipeline_settings)
transformations/ternmq.py     defines our tables
transformations/...           more tables, in Python or SQL, that read ours by name
storage/                      checkpoints: how far each stream was read
warehouse/                    the tables
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from ternmq.spark.errors import SparkError
from ternmq.spark.pipeline.settings import PREFIX, Settings

SPEC_NAMES: Final = ("spark-pipeline.yml", "spark-pipeline.yaml")
DEFINITIONS: Final = '''\
"""Tables of the pipeline; the configuration in spark-pipeline.yml says what they are made of.

More tables may be defined beside this file, in Python or SQL; they read these by name.
"""

from ternmq.spark.pipeline.graph import define

define(spark)  # noqa: F821  Spark gives the session to files of definitions
'''
SPEC: Final = """\
# A Spark Declarative Pipeline: `ternmq pipeline run` in this folder, or `spark-pipelines run`.
name: {name}
storage: {storage}
libraries:
  - glob:
      include: transformations/**
configuration:
  spark.sql.shuffle.partitions: "8"
  spark.sql.session.timeZone: UTC
{settings}
"""


class Project(NamedTuple):
    """A project that is there."""

    folder: Path
    spec: Path
    name: str
    storage: str
    configuration: Mapping[str, str]

    @property
    def settings(self) -> Settings:
        return Settings(self.configuration, self.folder)


def create(folder: Path, name: str, settings: Mapping[str, str]) -> Path:
    """Make a project; its spec. SparkError if the folder has one already."""
    spec = folder / SPEC_NAMES[0]
    if any((folder / each).exists() for each in SPEC_NAMES):
        raise SparkError(f"{folder} is a pipeline already ({spec.name})")
    (folder / "transformations").mkdir(parents=True, exist_ok=True)
    storage = folder.resolve() / "storage"
    storage.mkdir(exist_ok=True)
    given = {"warehouse": "warehouse", **settings}
    # JSON's strings are YAML's too.
    lines = [f"  {PREFIX}{key}: {json.dumps(value)}" for key, value in given.items()]
    text = SPEC.format(
        name=json.dumps(name), storage=json.dumps(storage.as_uri()), settings="\n".join(lines)
    )
    (folder / "transformations" / "ternmq.py").write_text(DEFINITIONS, encoding="utf-8")
    spec.write_text(text, encoding="utf-8")
    return spec


def find(place: Path) -> Project:
    """The project of a folder, or of a spec. SparkError if there is none, or it makes no sense."""
    specs = [place / name for name in SPEC_NAMES] if place.is_dir() else [place]
    for spec in specs:
        if spec.is_file():
            return read(spec)
    raise SparkError(
        f"there is no pipeline in {place}: `ternmq pipeline init` makes one ({SPEC_NAMES[0]})"
    )


def read(spec: Path) -> Project:
    from pyspark.errors import PySparkException
    from pyspark.pipelines.cli import load_pipeline_spec
    from yaml import YAMLError

    try:
        given: Any = load_pipeline_spec(spec)
    except (YAMLError, PySparkException, KeyError, TypeError, AttributeError) as error:
        raise SparkError(f"{spec} is not a pipeline spec: {error}") from None
    return Project(spec.parent.resolve(), spec, given.name, given.storage, given.configuration)
