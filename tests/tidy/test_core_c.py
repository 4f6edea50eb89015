"""Goal: what mypyc wrote reaches the C compiler with docstrings, in few files, with all entries.

Method: the functions of tools/core_c.py on small pieces of C in mypyc's form.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tools import core_c

SOURCE = '''
class Queue:
    """A queue that is \\\\ open."""

    def put(self, data):
        """Put a "message".

        Second line: 5 µs, what??/
        """

    @property
    def depth(self):
        """How many messages."""

    @property
    def state(self):
        """Whether it is open."""

    @depth.setter
    def depth(self, value):
        """Not this one."""


class Quiet:
    def put(self):
        pass


def connect(name):
    """Connect."""
'''
TABLES = """\
static PyGetSetDef api___queue___Queue_getseters[] = {
    {"depth",
     (getter)api___queue___Queue_get_depth, (setter)api___queue___Queue_set_depth,
     NULL, NULL},
    {"name",
     (getter)api___queue___Queue_get_name,
    NULL, NULL, NULL},
    {"state",
     (getter)api___queue___Queue_get_state,
    NULL, NULL, NULL},
};
static PyMethodDef api___queue___Queue_methods[] = {
    {"put",
     (PyCFunction)CPyPy_api___queue___Queue___put,
     METH_FASTCALL | METH_KEYWORDS, PyDoc_STR("put($self, data)\\n--\\n\\n")},
};
    .tp_doc = PyDoc_STR("Queue(name)\\n--\\n\\n"),
static PyMethodDef api___queue___Quiet_methods[] = {
     METH_FASTCALL | METH_KEYWORDS, PyDoc_STR("put($self)\\n--\\n\\n")},
};
    .tp_doc = PyDoc_STR("Quiet()\\n--\\n\\n"),
static PyMethodDef api___queuemodule_methods[] = {
    {"connect", (PyCFunction)CPyPy_connect, 0, PyDoc_STR("connect(name)\\n--\\n\\n") /* doc */},
};
"""


def test_docstrings_when_put_into_c_then_each_behind_its_own_signature() -> None:
    text = core_c.with_docs(TABLES, core_c.docs_of(SOURCE))
    assert 'PyDoc_STR("Queue(name)\\n--\\n\\nA queue that is \\\\ open.")' in text
    assert 'PyDoc_STR("connect(name)\\n--\\n\\nConnect.")' in text
    assert 'PyDoc_STR("put($self, data)\\n--\\n\\nPut a \\"message\\".\\n\\nSecond line: 5 ' in text
    assert "5 \\302\\265s, what\\?\\?/" in text
    assert 'PyDoc_STR("put($self)\\n--\\n\\n")' in text  # Quiet.put has none
    assert '_set_depth,\n     PyDoc_STR("How many messages."), NULL}' in text
    assert '_get_state,\n    NULL, PyDoc_STR("Whether it is open."), NULL}' in text
    assert "get_name,\n    NULL, NULL, NULL}" in text


def test_docstring_when_mypyc_has_no_signature_then_it_stands_alone() -> None:
    text = core_c.with_docs(
        TABLES.replace('"Queue(name)\\n--\\n\\n"', "NULL"), core_c.docs_of(SOURCE)
    )
    assert '.tp_doc = PyDoc_STR("A queue that is \\\\ open.")' in text


def test_docstrings_when_there_are_none_then_the_c_is_as_it_was() -> None:
    assert core_c.with_docs(TABLES, {}) == TABLES


def test_traceback_code_when_it_is_the_known_one_then_the_path_is_looked_up() -> None:
    new_code = "PyCodeObject *code_obj = PyCode_NewEmpty(filename, funcname, line);"
    known = f"void CPy_AddTraceback(x) {{\n    {new_code}\n}}"
    changed = core_c.with_source_paths(known)
    assert changed is not None
    assert "PyCode_NewEmpty(ternmq_source_path(filename, globals," in changed
    assert changed.index("ternmq_source_path(const char") < changed.index("void CPy_AddTraceback(")
    assert core_c.with_source_paths("void CPy_AddTraceback(x) { other(); }") is None


def test_groups_when_made_then_every_file_once_and_none_far_over_the_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_c, "GROUP_BYTES", 1000)
    sources = [tmp_path / f"{number}.c" for number in range(9)]
    for number, source in enumerate(sources):
        source.write_text("x" * (100 + 100 * number))
    groups = core_c.grouped(sources, tmp_path / "groups")
    included = [line for path, _ in groups for line in path.read_text().splitlines()]
    assert sorted(included) == [f'#include "../{number}.c"' for number in range(9)]
    assert sum(size for _, size in groups) == sum(source.stat().st_size for source in sources)
    assert max(size for _, size in groups) <= 1000


def test_entry_files_when_made_then_every_module_has_one_and_names_do_not_meet(
    tmp_path: Path,
) -> None:
    modules = [f"ternmq.p{number}.same" for number in range(3)]
    modules += [f"ternmq.base.m{number}" for number in range(2 * core_c.ENTRY_MODULES)]
    entry_files = core_c.entry_files(modules, tmp_path)
    assert sorted(name for entry_file in entry_files for name in entry_file.modules) == sorted(
        modules
    )
    for entry_file in entry_files:
        lasts = [name.rpartition(".")[2] for name in entry_file.modules]
        assert len(set(lasts)) == len(lasts) <= core_c.ENTRY_MODULES
        text = Path(entry_file.source).read_text()
        assert all(f"PyInit_{last}(void)" in text for last in lasts)
        assert all(f'"init_{name.replace(".", "___")}"' in text for name in entry_file.modules)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_literal_when_the_c_compiler_reads_it_then_the_same_text(tmp_path: Path) -> None:
    text = 'a "b" \\ ??/ \n\t µ 7\x017'
    program = tmp_path / "a.c"
    program.write_text(
        f'#include <stdio.h>\nint main(void) {{ fputs("{core_c.c_literal(text)}", stdout); }}\n'
    )
    subprocess.run(["cc", str(program), "-o", str(tmp_path / "a")], check=True)
    done = subprocess.run([str(tmp_path / "a")], capture_output=True, check=True)
    assert done.stdout.decode() == text
