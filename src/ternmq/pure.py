"""Forces the plain files of a compiled install; ternmq/__init__.py installs it for TERNMQ_PURE=1.

The finder stands before Python's own and finds only source files, so that neither an extension
module of the package nor the library that they share is ever loaded. Not compiled.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

__all__ = ["install"]

_PREFIX = "ternmq."


class SourceFinder:
    """A meta path finder for the package's modules that looks at nothing but source files."""

    def __init__(self) -> None:
        self._finders: dict[str, FileFinder] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        for folder in path or ():
            finder = self._finders.get(folder)
            if finder is None:
                finder = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES))
                self._finders[folder] = finder
            spec = finder.find_spec(fullname, target)
            if spec is not None and spec.loader is not None:
                return spec
        raise ModuleNotFoundError(f"no source file for {fullname!r}", name=fullname)

    def invalidate_caches(self) -> None:
        for finder in self._finders.values():
            finder.invalidate_caches()


def install() -> None:
    """Put the finder in front, once; too late for modules that are already loaded."""
    if not any(isinstance(finder, SourceFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, SourceFinder())
