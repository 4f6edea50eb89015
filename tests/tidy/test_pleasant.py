"""Goal: the compiled build is as pleasant as the plain one: help, signatures, tracebacks, names.

Method: every public class and function of the package shows the docstring and the parameters that
its source file has; a traceback names files that exist and shows their lines; public exceptions
are called ternmq.NoMessage and so on, and can be pickled.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import linecache
import pickle
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
import ternmq.aio
from tools import layers

pytestmark = pytest.mark.core

Function = ast.FunctionDef | ast.AsyncFunctionDef
ERRORS = [
    name
    for name in ternmq.__all__
    if inspect.isclass(getattr(ternmq, name)) and issubclass(getattr(ternmq, name), Exception)
]


def public_objects() -> Iterator[tuple[str, object]]:
    for module in (ternmq, ternmq.aio):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or callable(value):
                yield f"{module.__name__}.{name}", value


PUBLIC = dict(public_objects())


def home_of(value: object) -> Path:
    """The source file in which an object is defined."""
    module = getattr(value, "__module__", "") or ""
    if module in ("ternmq", "ternmq.aio"):  # exceptions; found by name in these
        for home in ("ternmq.base.errors", "ternmq.log.record", module):
            if hasattr(importlib.import_module(home), getattr(value, "__name__", "")):
                module = home
                break
    file = layers.SOURCE.parent / Path(*module.split("."))
    return file.with_suffix(".py") if not file.is_dir() else file / "__init__.py"


def definition_of(value: object) -> ast.ClassDef | Function:
    name = getattr(value, "__name__", "")
    # From the end: overloads come before what they are overloads of.
    for node in reversed(ast.parse(home_of(value).read_text(encoding="utf-8")).body):
        if isinstance(node, ast.ClassDef | Function) and node.name == name:
            return node
    raise LookupError(f"{name} is not in {home_of(value)}")


def parameters(node: Function) -> list[str]:
    given = node.args
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    names += [given.vararg.arg] if given.vararg else []
    names += [one.arg for one in given.kwonlyargs]
    return names + ([given.kwarg.arg] if given.kwarg else [])


def same_doc(value: object, node: ast.ClassDef | Function) -> bool:
    wanted = ast.get_docstring(node)
    return wanted is None or inspect.cleandoc(getattr(value, "__doc__", None) or "") == wanted


def is_property(node: Function) -> bool:
    words = [ast.unparse(one) for one in node.decorator_list]
    return any("property" in word or ".setter" in word for word in words)


def faults_of_method(owner: object, node: Function) -> list[str]:
    value = inspect.getattr_static(owner, node.name)
    found = [] if same_doc(getattr(owner, node.name), node) else [f"{node.name}: docstring"]
    if is_property(node) or isinstance(value, property):
        return found
    shown = list(inspect.signature(getattr(owner, node.name)).parameters)
    wanted = parameters(node)
    if isinstance(value, classmethod) or "classmethod" in map(ast.unparse, node.decorator_list):
        wanted = wanted[1:]
    return found if shown == wanted else [*found, f"{node.name}: {shown}, not {wanted}"]


@pytest.mark.parametrize("name", PUBLIC)
def test_help_of_public_name_then_docstrings_and_parameters_of_its_source(name: str) -> None:
    value = PUBLIC[name]
    node = definition_of(value)
    faults = [] if same_doc(value, node) else ["docstring"]
    if isinstance(node, ast.ClassDef):
        # A TypedDict has the parameters of dict, and no signature.
        if not issubclass(value, Exception | dict):  # type: ignore[arg-type]
            inspect.signature(value)  # type: ignore[arg-type]
        for inner in node.body:
            if isinstance(inner, Function) and not inner.name.startswith("_"):
                faults += faults_of_method(value, inner)
    else:
        shown = list(inspect.signature(value).parameters)  # type: ignore[arg-type]
        faults += [] if shown == parameters(node) else [f"{shown}"]
    assert faults == []


def test_docstrings_when_counted_then_nearly_every_public_name_has_one() -> None:
    without = [name for name, value in PUBLIC.items() if not (getattr(value, "__doc__", "") or "")]
    assert without == []


def test_traceback_of_the_core_when_shown_then_files_exist_and_lines_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a relative path would lead nowhere
    with ternmq.memory() as qmgr:
        qmgr.define_queue("A")
        with pytest.raises(ternmq.NoMessage) as caught, qmgr.queue("A") as queue:
            queue.get()
    frames = traceback.extract_tb(caught.value.__traceback__)
    inside = [frame for frame in frames if frame.filename != __file__]
    assert inside != []
    for frame in inside:
        path = Path(frame.filename)
        assert path.is_absolute()
        assert path.is_file()
        assert path.is_relative_to(Path(ternmq.__file__).parent)
        line = linecache.getline(frame.filename, frame.lineno or 0)
        assert frame.line
        assert frame.line in line


def test_traceback_of_an_argument_of_another_type_then_the_file_exists() -> None:
    """Compiled code checks arguments before the function begins."""
    with ternmq.memory() as qmgr, pytest.raises((TypeError, ternmq.MQError)) as caught:
        qmgr.define_queue(5)  # type: ignore[arg-type]
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.filename for frame in frames if not Path(frame.filename).is_absolute()] == []


@pytest.mark.parametrize("name", ERRORS)
def test_public_exception_then_it_is_named_by_the_package(name: str) -> None:
    kind = getattr(ternmq, name)
    assert (kind.__module__, kind.__qualname__) == ("ternmq", name)
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_traceback_of_no_message_then_it_names_the_package() -> None:
    error = ternmq.NoMessage(2, 2033)
    assert traceback.format_exception_only(error)[0].startswith("ternmq.NoMessage: MQRC_NO_MSG")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.comp, copy.reason) == (ternmq.NoMessage, 2, 2033)
