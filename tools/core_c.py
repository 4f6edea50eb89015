"""Makes the C that mypyc wrote ready for the C compiler: quick to compile, pleasant to use.

mypyc leaves one C file a module, each behind the same megabyte of headers, and an extension module
a module that only asks the shared library for it. Here
  groups      several C files become one that includes them, so that the headers are read 20 times
              and not 270 times;
  doors       one small library holds the entries of many extension modules; build_ext copies it
              under each of their names;
  docstrings  which mypyc drops, go behind the signatures that it writes, so that help() shows them;
  tracebacks  name the installed source file and not the path at build time.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LIBRARY = "ternmq_core"
GROUP_BYTES = (
    2_000_000  # of C in one file for the compiler: seconds, so that all cores end together
)
ENTRY_MODULES = 32

Docs = dict[tuple[str, str], str]  # (class or "", function or "") to its docstring

_TABLE = re.compile(r"static (?:PyMethodDef|PyGetSetDef) (\w+?)_?(?:methods|getseters)\[\]")
_DOC = re.compile(r'PyDoc_STR\("(\w+)(\([^\n]*\\n--\\n\\n)"\)')
_PROPERTY = re.compile(r'(\{"(\w+)",\s+\(getter\)\w+,\s+(?:\(setter\)\w+|NULL),\s+)NULL, NULL\}')
# Where a default cannot be written as text, mypyc gives no signature either.
_NO_DOC = re.compile(r'((?:\{"(\w+)",\s*\(PyCFunction\)\w+,[^{}]*?|\.tp_doc = ))PyDoc_STR\(NULL\)')
_NEW_CODE = "PyCode_NewEmpty(filename, funcname, line)"
_SOURCE_PATH = r"""
// The source file lies beside the extension module, whose place is in its globals.
static const char *
ternmq_source_path(const char *filename, PyObject *globals, char *buffer, size_t size)
{
    PyObject *file = PyDict_GetItemString(globals, "__file__");
    const char *module = file && PyUnicode_Check(file) ? PyUnicode_AsUTF8(file) : NULL;
    const char *folder_end = module ? strrchr(module, '/') : NULL;
    const char *name = strrchr(filename, '/');
    PyErr_Clear();
    if (folder_end == NULL || name == NULL) return filename;
    int length = snprintf(buffer, size, "%.*s%s", (int)(folder_end - module), module, name);
    return length > 0 && (size_t)length < size ? buffer : filename;
}
"""
_ENTRY_CODE = """\
#include <Python.h>

static PyObject *
enter(const char *attribute, const char *name)
{
    // With a fromlist the leaf is looked up in sys.modules, also while a package is half imported.
    PyObject *fromlist = Py_BuildValue("(s)", "*");
    if (fromlist == NULL) return NULL;
    PyObject *library = PyImport_ImportModuleLevel("LIBRARY__mypyc", NULL, NULL, fromlist, 0);
    Py_DECREF(fromlist);
    if (library == NULL) return NULL;
    PyObject *capsule = PyObject_GetAttrString(library, attribute);
    Py_DECREF(library);
    if (capsule == NULL) return NULL;
    void *init = PyCapsule_GetPointer(capsule, name);
    Py_DECREF(capsule);
    return init == NULL ? NULL : ((PyObject *(*)(void))init)();
}
"""


@dataclass(frozen=True)
class EntryFile:
    """A C file with the entries of some extension modules."""

    source: str
    modules: tuple[str, ...]


def docs_of(source: str) -> Docs:
    """The docstrings of a module's classes, functions, methods and properties."""
    found: Docs = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            note(found, (node.name, ""), node)
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                    note(found, (node.name, inner.name), inner)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            note(found, ("", node.name), node)
    return found


def note(
    found: Docs, key: tuple[str, str], node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
) -> None:
    text = ast.get_docstring(node)
    if text:
        found.setdefault(key, text)  # the getter of a property comes before its setter


def c_literal(text: str) -> str:
    """The inside of a C string; octal, because a hexadecimal escape has no end."""
    plain = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("?"): "\\?"}
    return "".join(
        plain.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
        for byte in text.encode()
    )


def with_docs(c_text: str, docs: Docs) -> str:
    """The C of one module with its docstrings behind the signatures."""
    classes = sorted({name for name, _ in docs if name}, key=len, reverse=True)
    lines: list[str] = []
    # Each piece begins with a table, which belongs to a class or to the module.
    ends = [found.start() for found in _TABLE.finditer(c_text)]
    for begin, end in zip([0, *ends], [*ends, len(c_text)], strict=True):
        piece = c_text[begin:end]
        table = _TABLE.match(piece)
        owner = owner_of(table.group(1), classes) if table else ""
        piece = _NO_DOC.sub(lone_doc(docs, owner), _DOC.sub(doc(docs, owner), piece))
        lines.append(_PROPERTY.sub(property_doc(docs, owner), piece))
    return "".join(lines)


def owner_of(table: str, classes: list[str]) -> str | None:
    """The class of a table of methods; "" for the module's; None for one of mypyc's own."""
    if table.endswith("module"):
        return ""
    return next((name for name in classes if table.endswith(f"___{name}")), None)


def doc(docs: Docs, owner: str | None) -> Callable[[re.Match[str]], str]:
    def replaced(found: re.Match[str]) -> str:
        name, signature = found.groups()
        key = (name, "") if name == owner else (owner or "", name)
        text = docs.get(key, "") if owner is not None else ""
        return f'PyDoc_STR("{name}{signature}{c_literal(text)}")'

    return replaced


def lone_doc(docs: Docs, owner: str | None) -> Callable[[re.Match[str]], str]:
    def replaced(found: re.Match[str]) -> str:
        text = docs.get((owner, found.group(2) or ""), "") if owner is not None else ""
        return f'{found.group(1)}PyDoc_STR("{c_literal(text)}")' if text else found.group()

    return replaced


def property_doc(docs: Docs, owner: str | None) -> Callable[[re.Match[str]], str]:
    def replaced(found: re.Match[str]) -> str:
        text = docs.get((owner, found.group(2)), "") if owner else ""
        return f'{found.group(1)}PyDoc_STR("{c_literal(text)}"), NULL}}' if text else found.group()

    return replaced


def with_source_paths(runtime: str) -> str | None:
    """mypyc's exc_ops.c, so that tracebacks name the installed file; None if it is another one."""
    head = "void CPy_AddTraceback("
    if runtime.count(_NEW_CODE) != 1 or runtime.count(head) != 1:
        return None
    path = "ternmq_source_path(filename, globals, path, sizeof path)"
    new_code = f"char path[4096];\n    PyCodeObject *code_obj = {_NEW_CODE}"
    old = f"PyCodeObject *code_obj = {_NEW_CODE}"
    changed = runtime.replace(old, new_code.replace("(filename,", f"({path},"))
    return changed.replace(head, f"{_SOURCE_PATH}\n{head}") if changed != runtime else None


def grouped(sources: list[Path], folder: Path) -> list[tuple[Path, int]]:
    """C files that include the given ones, in their order; with each, its bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    groups: list[list[Path]] = []
    room = 0
    for source in sorted(sources):
        size = source.stat().st_size
        if size > room:
            groups.append([])
            room = GROUP_BYTES
        groups[-1].append(source)
        room -= size
    made = []
    for number, group in enumerate(groups):
        path = folder / f"group_{number:02}.c"
        path.write_text("".join(f'#include "../{source.name}"\n' for source in group), "utf-8")
        made.append((path, sum(source.stat().st_size for source in group)))
    return made


def entry_files(modules: list[str], folder: Path) -> list[EntryFile]:
    """C files with the entries of the extension modules; in one, no two have the same last name."""
    folder.mkdir(parents=True, exist_ok=True)
    open_files: list[dict[str, str]] = []
    for module in sorted(modules):
        last = module.rpartition(".")[2]
        fitting = (d for d in open_files if last not in d and len(d) < ENTRY_MODULES)
        entries = next(fitting, None)
        if entries is None:
            entries = {}
            open_files.append(entries)
        entries[last] = module
    made = []
    for number, entries in enumerate(open_files):
        text = [_ENTRY_CODE.replace("LIBRARY", LIBRARY)]
        for last, module in entries.items():
            attribute = f"init_{module.replace('.', '___')}"
            text.append(
                f"\nPyMODINIT_FUNC\nPyInit_{last}(void)\n{{\n"
                f'    return enter("{attribute}", "{LIBRARY}__mypyc.{attribute}");\n}}\n'
            )
        path = folder / f"door_{number:02}.c"
        path.write_text("".join(text), "utf-8")
        made.append(EntryFile(str(path), tuple(entries.values())))
    return made
