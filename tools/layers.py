"""Reads tools/layers.toml, the one table of packages, for all who need it.

setup.py asks which files mypyc compiles, `make check` and tests/tidy ask for the import contracts
and the rule about effects; docs/internals/build.md and ARCHITECTURE.md carry the table as text.

    python -m tools.layers lint            check the import contracts
    python -m tools.layers compiled        list the files that mypyc compiles
    python -m tools.layers docs [--check]  write (or only compare) the tables in the pages
"""

import ast
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "ternmq"
TABLE = ROOT / "tools" / "layers.toml"
DOCS = ROOT / "docs" / "internals" / "build.md"
OVERVIEW = ROOT / "ARCHITECTURE.md"
DOCS_BEGIN = "<!-- layers: begin -->\n"
DOCS_END = "<!-- layers: end -->\n"


@dataclass(frozen=True)
class Layer:
    name: str
    about: str
    siblings: str
    packages: tuple[str, ...]


@dataclass(frozen=True)
class Package:
    name: str
    compiled: bool = False
    plain: tuple[str, ...] = ()
    hot: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()

    def is_compiled(self, module: str) -> bool:
        """Whether `module`, a dotted name inside the package, is compiled."""
        if module.rpartition(".")[2] == "__init__":
            return False
        if self.compiled:
            return not matches(module, self.plain)
        return matches(module, self.hot)

    def may_have_effects(self, module: str) -> bool:
        return matches(module, self.effects)


@dataclass(frozen=True)
class Table:
    layers: tuple[Layer, ...]
    packages: dict[str, Package]
    root_modules: tuple[str, ...]
    above_root: tuple[str, ...]
    optimised: tuple[str, ...] = ()


def matches(module: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(module, pattern) for pattern in patterns)


def load(path: Path = TABLE) -> Table:
    """The table, with its two halves (layers and packages) checked against each other."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    layers = tuple(load_layer(entry) for entry in raw["layer"])
    packages = {name: load_package(name, entry) for name, entry in raw["package"].items()}
    placed = [name for layer in layers for name in layer.packages]
    if sorted(placed) != sorted(packages):
        odd = sorted(set(placed) ^ set(packages)) or "a package in two layers"
        raise ValueError(f"{path.name}: layers and packages do not agree: {odd}")
    root = raw["root"]
    optimised = tuple(raw.get("optimised", {}).get("modules", ()))
    return Table(layers, packages, tuple(root["modules"]), tuple(root["above"]), optimised)


def load_layer(entry: dict[str, Any]) -> Layer:
    siblings = entry["siblings"]
    if siblings not in ("apart", "stacked"):
        raise ValueError(f"{TABLE.name}: siblings = {siblings!r} in {entry['name']}")
    return Layer(entry["name"], entry["about"], siblings, tuple(entry["packages"]))


def load_package(name: str, entry: dict[str, Any]) -> Package:
    unknown = sorted(set(entry) - {"compiled", "plain", "hot", "effects"})
    if unknown:
        raise ValueError(f"{TABLE.name}: unknown keys {unknown} in package {name}")
    patterns = {key: tuple(entry.get(key, ())) for key in ("plain", "hot", "effects")}
    return Package(name, bool(entry.get("compiled", False)), **patterns)


def source_files(source: Path = SOURCE) -> list[Path]:
    return sorted(source.rglob("*.py"))


def place_of(path: Path, source: Path = SOURCE) -> tuple[str, str]:
    """The package ("" for the root) and the dotted module name inside it."""
    parts = path.relative_to(source).with_suffix("").parts
    if len(parts) == 1:
        return "", parts[0]
    return parts[0], ".".join(parts[1:])


def existing_packages(source: Path = SOURCE) -> set[str]:
    return {place_of(path, source)[0] for path in source_files(source)} - {""}


def compiled_files(table: Table, source: Path = SOURCE) -> list[Path]:
    """What mypyc compiles, of the files that exist."""
    found = []
    for path in source_files(source):
        name, module = place_of(path, source)
        package = table.packages.get(name)
        if package is not None and package.is_compiled(module):
            found.append(path)
    return found


def compiled_modules(table: Table, source: Path = SOURCE) -> list[str]:
    """The same as dotted names inside the package, as [optimised] gives them."""
    return [".".join(place_of(path, source)) for path in compiled_files(table, source)]


def optimised_files(table: Table, source: Path = SOURCE) -> set[Path]:
    """Of the compiled files, those that the C compiler is to take its time for."""
    return {
        path
        for path in compiled_files(table, source)
        if matches(".".join(place_of(path, source)), table.optimised)
    }


def core_packages(table: Table) -> list[str]:
    """Packages whose files bear on the compiled code: some of their modules are compiled."""
    return [p.name for p in table.packages.values() if p.compiled or p.hot]


def contract_rows(table: Table, present: set[str]) -> list[str]:
    """The layers as import-linter writes them, highest first, of the packages that are present."""
    rows: list[str] = []
    for layer in table.layers:
        names = [f"ternmq.{name}" for name in layer.packages if name in present]
        if layer.siblings == "stacked":
            rows.extend(names)
        elif names:
            rows.append(" | ".join(names))
    rows.reverse()
    return rows


def contract_text(table: Table, present: set[str]) -> str:
    rows = "".join(f'    "{row}",\n' for row in contract_rows(table, present))
    return (
        '[tool.importlinter]\nroot_package = "ternmq"\n\n'
        '[[tool.importlinter.contracts]]\nname = "a layer imports only what is below it"\n'
        f'type = "layers"\nlayers = [\n{rows}]\n'
    )


def lint() -> int:
    """Run import-linter over the contracts of the table; 0 when they hold."""
    from importlinter.cli import lint_imports

    sys.path.insert(0, str(SOURCE.parent))
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "layers.toml"
        config.write_text(contract_text(load(), existing_packages()), encoding="utf-8")
        return lint_imports(config_filename=str(config), no_cache=True, no_logo=True)


def docs_text(table: Table) -> str:
    """The table for docs/internals/build.md, highest layer first."""
    lines = ["| layer | package | compiled | operating system |\n", "| --- | --- | --- | --- |\n"]
    for layer in reversed(table.layers):
        for name in layer.packages:
            package = table.packages[name]
            row = f"| {layer.name} | `{name}` | {docs_compiled(package)} | "
            lines.append(row + f"{docs_effects(package)} |\n")
    return "".join(lines)


def docs_compiled(package: Package) -> str:
    if not package.compiled:
        return f"only {code_list(package.hot)}" if package.hot else "no"
    return f"yes, but not {code_list(package.plain)}" if package.plain else "yes"


def docs_effects(package: Package) -> str:
    if package.effects == ("*",):
        return "yes"
    return f"only {code_list(package.effects)}" if package.effects else "no"


def code_list(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def overview_text(table: Table) -> str:
    """The table for ARCHITECTURE.md: what each package that exists is for, highest layer first."""
    lines = ["| layer | package | what it owns |\n", "| --- | --- | --- |\n"]
    for layer in reversed(table.layers):
        for name in reversed(layer.packages):
            folder = SOURCE / name
            if (folder / "__init__.py").exists():
                target = f"src/ternmq/{name}"
                link = f"{target}/README.md" if (folder / "README.md").exists() else target
                lines.append(f"| {layer.name} | [`{name}`]({link}) | {about(folder)} |\n")
    return "".join(lines)


def about(folder: Path) -> str:
    """The first sentence of a package's docstring."""
    opening = (folder / "__init__.py").read_text(encoding="utf-8")
    text = ast.get_docstring(ast.parse(opening)) or ""
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")


def with_table(page: Path, table_text: str) -> str:
    """A page as it should be: the table between its marks."""
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(DOCS_BEGIN)
    _, end, after = rest.partition(DOCS_END)
    if not begin or not end:
        raise ValueError(f"{page.name}: the marks of the layer table are missing")
    return before + begin + table_text + end + after


def docs(*, check: bool) -> int:
    table = load()
    status = 0
    for page, text in ((DOCS, docs_text(table)), (OVERVIEW, overview_text(table))):
        wanted = with_table(page, text)
        if wanted == page.read_text(encoding="utf-8"):
            continue
        if check:
            sys.stderr.write(f"{page.name} is not current: python -m tools.layers docs\n")
            status = 1
        else:
            page.write_text(wanted, encoding="utf-8")
    return status


def main(arguments: list[str]) -> int:
    match arguments:
        case ["lint"]:
            return lint()
        case ["compiled"]:
            for path in compiled_files(load()):
                sys.stdout.write(f"{path.relative_to(ROOT)}\n")
            return 0
        case ["docs", *rest]:
            return docs(check=rest == ["--check"])
        case _:
            sys.stderr.write(__doc__ or "")
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
