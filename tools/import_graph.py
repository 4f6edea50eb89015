"""Which file of the repository imports which: read from the sources, nothing is run.

tools/quick.py asks what a change reaches. Imports anywhere in a file count, also inside functions.
So do strings that name a module (tables of commands, `pytest_plugins`) or a file (pages, samples).
What a package's `__init__` imports for type checkers alone is a list of names that it hands on:
who takes such a name depends on the module that it comes from, and not on all of them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

# folder of sources, and what stands before the names of its modules
ROOTS: Final = (
    ("src", ""),
    ("tests", "tests."),
    ("tools", "tools."),
    ("benchmarks", "benchmarks."),
)
_DOTTED: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
_FILE: Final = re.compile(r"[\w./ -]*\w\.[a-z]{1,6}")
# folders of which somebody reads every file: to name the folder is to name them all
_READ_WHOLE: Final = ("docs", "examples")


@dataclass
class Source:
    """One file: what it imports, as `module` or `module:name`, and strings that may name files."""

    path: str
    module: str
    imports: set[str] = field(default_factory=set)
    handed_on: dict[str, str] = field(default_factory=dict)  # name: `module:name`
    strings: set[str] = field(default_factory=set)

    @property
    def package(self) -> str:
        """The module that a relative import starts from."""
        if self.path.endswith("__init__.py"):
            return self.module
        return self.module.rpartition(".")[0]


def module_of(path: str) -> str | None:
    """`src/ternmq/base/names.py` is ternmq.base.names."""
    for folder, before in ROOTS:
        if path.startswith(folder + "/") and path.endswith(".py"):
            name = path[len(folder) + 1 : -len(".py")].replace("/", ".")
            return before + name.removesuffix(".__init__")
    return None


class _Reader(ast.NodeVisitor):
    """Fills a Source from its tree."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._is_package = source.path.endswith("__init__.py")
        self._bound: dict[str, str] = {}  # names of whole modules in this file
        self._types_only = False

    def visit_If(self, node: ast.If) -> None:
        test = node.test
        named = test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")
        if self._is_package and named == "TYPE_CHECKING":
            self._types_only = True
            for child in node.body:
                self.visit(child)
            self._types_only = False
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._source.imports.add(alias.name)
            self._bound[alias.asname or alias.name] = alias.name

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = node.module or ""
        if node.level:
            parts = self._source.package.split(".")
            above = parts[: len(parts) - node.level + 1]
            base = ".".join([*above, base] if base else above)
        for alias in node.names:
            found = f"{base}:{alias.name}"
            if self._types_only:
                self._source.handed_on[alias.asname or alias.name] = found
            else:
                self._source.imports.add(found)
                self._bound[alias.asname or alias.name] = f"{base}.{alias.name}"

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in self._bound:
            self._source.imports.add(f"{self._bound[node.value.id]}:{node.attr}")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        text = node.value
        if isinstance(text, str) and len(text) < 200:
            if text in _READ_WHOLE or _DOTTED.fullmatch(text) or _FILE.fullmatch(text):
                self._source.strings.add(text)


def read(root: Path, path: str) -> Source | None:
    """What `path` imports; None if it is no module, or cannot be read as Python."""
    module = module_of(path)
    if module is None:
        return None
    source = Source(path, module)
    try:
        tree = ast.parse((root / path).read_bytes())
    except SyntaxError:
        return source  # pytest says it better
    _Reader(source).visit(tree)
    return source


class Graph:
    """The files, and for each those that import or name it."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self.sources: dict[str, Source] = {}
        self._by_module: dict[str, Source] = {}
        for path in paths:
            source = read(root, path)
            if source is not None:
                self.sources[path] = source
                self._by_module[source.module] = source
        self._importers: dict[str, set[str]] = {}
        self._namers: dict[str, set[str]] = {}
        for source in self.sources.values():
            for found in self._targets(source):
                self._importers.setdefault(found, set()).add(source.path)
            for text in source.strings:
                self._namers.setdefault(text.rpartition("/")[2], set()).add(source.path)

    def _targets(self, source: Source) -> Iterator[str]:
        for wanted in source.imports:
            yield from self._resolve(wanted)
        for text in () if source.handed_on else source.strings:
            for name in (text, f"{source.package}.{text}"):
                found = self._by_module.get(name)
                if found is not None:
                    yield found.path
        if source.path.startswith("tests/"):
            yield from self._conftests(source.path)

    def _resolve(self, wanted: str) -> Iterator[str]:
        """The files behind `module` or `module:name`, with the packages that stand above."""
        module, _, name = wanted.partition(":")
        whole = self._by_module.get(f"{module}.{name}") if name else None
        found = whole or self._by_module.get(module)
        if found is None:
            return
        yield found.path
        home = found.handed_on.get(name) if whole is None else None
        if home is not None:
            yield from self._resolve(home)
        parts = found.module.split(".")
        for count in range(1, len(parts)):
            above = self._by_module.get(".".join(parts[:count]))
            if above is not None:
                yield above.path

    def _conftests(self, path: str) -> Iterator[str]:
        """Those that pytest loads for this file. What the first of them imports, every test would
        reach: it counts only when it changes itself."""
        folder = path.rpartition("/")[0]
        while folder:
            conftest = f"{folder}/conftest.py"
            if conftest in self.sources and conftest != path:
                yield conftest
            folder = folder.rpartition("/")[0]

    def importers(self, path: str) -> set[str]:
        """Who imports this module, or names this file."""
        if module_of(path) is not None:
            return self._importers.get(path, set())
        folder, _, name = path.rpartition("/")
        return self._namers.get(name, set()) | (
            self._namers.get(folder, set()) if folder in _READ_WHOLE else set()
        )

    def reached(self, changed: Iterable[str], ends: Iterable[str] = ()) -> dict[str, list[str]]:
        """Each file that a change reaches, with the way to it: [it, ..., the changed file].

        Ways are shortest ones, and files come in the order of their length. A file of `ends` is
        reached, and nothing through it, unless it has changed itself.
        """
        ways = {path: [path] for path in sorted(set(changed))}
        stops = set(ends) - set(ways)
        row = list(ways)
        while row:
            following: list[str] = []
            for path in row:
                if path in stops:
                    continue
                for importer in sorted(self.importers(path)):
                    if importer not in ways:
                        ways[importer] = [importer, *ways[path]]
                        following.append(importer)
            row = following
        return ways
