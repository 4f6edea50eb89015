"""Goal: the layers of the architecture hold, and the core never touches the operating system.

Method: import-linter over the contracts derived from tools/layers.toml, and a walk over the trees.
"""

import ast

import pytest

from tests.tidy.sources import Source, package_sources
from tools import layers

# What a deterministic core must be given through a port.
EFFECTS = {
    "asyncio", "concurrent", "fcntl", "mmap", "multiprocessing", "os", "pathlib", "random",
    "secrets", "select", "selectors", "shutil", "signal", "socket", "ssl", "subprocess",
    "tempfile", "threading", "time", "uuid",
}  # fmt: skip
WALL_CLOCK = {"now", "today", "utcnow"}
TABLE = layers.load()


def imported(node: ast.AST) -> list[str]:
    """The dotted names that an import statement reaches for."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def effects(source: Source) -> list[str]:
    """What in a file reaches past the ports."""
    found = []
    for node in ast.walk(source.tree):
        reached = [name for name in imported(node) if name.partition(".")[0] in EFFECTS]
        if isinstance(node, ast.AsyncFunctionDef):
            reached.append(f"async def {node.name}")
        if isinstance(node, ast.Call):
            reached += effects_call(node.func)
        found += [f"{source.name}:{getattr(node, 'lineno', 0)} {name}" for name in reached]
    return found


def effects_call(function: ast.expr) -> list[str]:
    if isinstance(function, ast.Name) and function.id == "open":
        return ["open()"]
    if isinstance(function, ast.Attribute) and function.attr in WALL_CLOCK:
        owner = function.value
        if isinstance(owner, ast.Name) and owner.id in ("date", "datetime"):
            return [f"{owner.id}.{function.attr}()"]
    return []


def test_layers_hold(capfd: pytest.CaptureFixture[str]) -> None:
    status = layers.lint()
    assert status == 0, capfd.readouterr().out


def test_every_package_stands_in_the_table() -> None:
    assert sorted(layers.existing_packages() - set(TABLE.packages)) == []


def test_every_root_module_stands_in_the_table() -> None:
    roots = {
        module for package, module in map(layers.place_of, layers.source_files()) if not package
    }
    assert sorted(roots - set(TABLE.root_modules)) == []


@pytest.mark.timeout(120)  # it parses every file of the package
def test_core_has_no_effects() -> None:
    found = []
    for source in package_sources():
        name, module = source.place
        package = TABLE.packages.get(name)
        if package is not None and not package.may_have_effects(module):
            found += effects(source)
    assert found == []


def test_nothing_below_imports_the_public_face() -> None:
    """A core module that says `import ternmq` would reach up to the client through it."""
    below = [s for s in package_sources() if s.place[0] not in ("", *TABLE.above_root)]
    packages = {f"ternmq.{name}" for name in TABLE.packages}
    found = [
        f"{source.name}:{getattr(node, 'lineno', 0)} {name}"
        for source in below
        for node in ast.walk(source.tree)
        for name in imported(node)
        if name == "ternmq" or (name.startswith("ternmq.") and not is_inside(name, packages))
    ]
    assert found == []


def is_inside(name: str, packages: set[str]) -> bool:
    return ".".join(name.split(".")[:2]) in packages


def test_docs_show_the_table() -> None:
    assert layers.docs(check=True) == 0, "python -m tools.layers docs"
