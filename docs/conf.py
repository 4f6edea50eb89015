"""How `make docs` builds the site: Sphinx reads every page of the repository where it is.

The source folder is the repository, not docs/, so that one relative link works in an editor, in a
web view of the repository and on the site. Navigation comes from the lists of the index pages: an
item `- [Title](page.md): ...` of an `index.md` is an entry, in that order, with that title.
"""

import importlib
import re
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from ternmq.base.product import VERSION

ROOT = Path(__file__).resolve().parent.parent

project = "TernMQ"
author = "the TernMQ developers"
release = VERSION
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/**.md",
    "src/ternmq/**/README.md",
    "tests/*.md",
    "examples/**/README.md",
]
exclude_patterns = ["build", "dist", ".*", "**/__pycache__", "tools", "proof", "benchmarks"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]
nitpicky = False
show_warning_types = True

# Headings are targets by the rules of GitHub, down to the deepest that pages use.
myst_heading_anchors = 5
myst_enable_extensions = ["colon_fence"]

html_theme = "furo"
html_title = "TernMQ"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_dark_style = "github-dark"  # underlines no names of modules

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
maximum_signature_line_length = 80
default_role = "obj"
highlight_language = "text"
add_module_names = False

# Classes that programs make themselves; methods return the others, and their arguments are ours.
MADE_BY_PROGRAMS = {
    "Backup",
    "Descriptor",
    "PCFExecute",
    "Pool",
    "PutRecord",
    "SMFDestination",
    "XID",
}

ITEM = re.compile(r"^\s*- \[([^\]]+)\]\(([^)#\s]+)\.md\)", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)\)")
OPTIONS = re.compile(r"<!-- options: (\S+)\.(\w+) -->")


def with_navigation(page: str, text: str) -> str:
    """An index page with a hidden table of contents: its list, as the sidebar shows it."""
    if Path(page).name != "index":
        return text
    entries = "\n".join(f"{title} <{target}>" for title, target in ITEM.findall(text))
    return f"{text}\n\n```{{toctree}}\n:hidden:\n:titlesonly:\n\n{entries}\n```\n"


def without_folders(page: str, text: str) -> str:
    """A link to a folder of sources means nothing outside the repository: only its text stays."""
    folder = (ROOT / page).parent

    def one(found: re.Match[str]) -> str:
        is_folder = "://" not in found.group(2) and (folder / found.group(2)).is_dir()
        return found.group(1) if is_folder else found.group(0)

    return LINK.sub(one, text)


def with_options(text: str) -> str:
    """Tables of the options of Spark's source and sink, from those that check them."""

    def one(found: re.Match[str]) -> str:
        options = getattr(importlib.import_module(found.group(1)), found.group(2))
        rows = [f"| `{row.name}` | {row.default or '-'} | {row.about} |" for row in options]
        return "\n".join(["| option | default | what |", "| --- | --- | --- |", *rows])

    return OPTIONS.sub(one, text)


def read_page(_: Sphinx, page: str, source: list[str]) -> None:
    source[0] = with_options(with_navigation(page, without_folders(page, source[0])))


def as_restructured(*event: Any) -> None:
    """Docstrings are plain text: MQCBDO_ begins names, it is not a link; docs/x/y.md is a page."""
    lines: list[str] = event[-1]
    lines[:] = [re.sub(r"(\w)_(?![\w`])", r"\1\_", line) for line in lines]
    lines[:] = [re.sub(r"\b(docs/[\w/-]+)\.md\b", r":doc:`/\1`", line) for line in lines]


def signature(
    _: Sphinx, kind: str, name: str, __: object, ___: object, arguments: str, result: str
) -> tuple[str, str] | None:
    """Nothing behind the name of a class that a program does not make."""
    is_ours = kind in ("class", "exception") and name.rpartition(".")[2] not in MADE_BY_PROGRAMS
    return ("", result) if is_ours and arguments else None


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", read_page)
    app.connect("autodoc-process-docstring", as_restructured)
    app.connect("autodoc-process-signature", signature)
    app.add_lexer("mqsc", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
