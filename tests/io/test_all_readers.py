"""Every function that reads a file, new ones too, answers nonsense with an error of ours that names the file."""

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import revolute
from revolute.errors import RevoluteError
from revolute.io.source import opened

ROOT = Path(revolute.__file__).parent
ARM = revolute.robots.planar(2)
FILE = ("path", "source", "where", "file")
"""Names of parameters for the file."""
OTHERS = dict.fromkeys(("robot", "model", "machine", "problem"), ARM) | {"base": "fixed", "remark": print}
OTHERS["writer"] = "Simulation.save"
"""Arguments of all other parameters without a default."""
NOT_OF_FILES = {"read_urdf", "read_mjcf", "read_mujoco", "read_sdf"}
"""Functions whose input has been parsed."""
CONTENTS = [
    b"", b"\0\xff\xfe",
    b"{", b"[1,", b"{}", b"null", b'"', b"<a>", b"<robot/>", b"<sdf", b"t,q.joint1\n1,x\n", b"t = [",
    b'{"format": 1}', b'format = "revolute robot 1"', b"[" * 5000, b"1" * 5000, b"<a>" * 5000, b"PAR1", b"PK\3\4",
]  # fmt: skip
SUFFIXES = (".json", ".toml", ".urdf", ".xml", ".sdf", ".xacro", ".csv", ".parquet", ".npz", ".srdf", "")


def readers() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions and class methods named read, load or open that take a file."""
    for file in sorted(ROOT.rglob("*.py")):
        name = file.relative_to(ROOT.parent).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        if name.startswith(("revolute.compiler", "revolute.cli", "revolute.texts")):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for owner in (tree, *(x for x in tree.body if isinstance(x, ast.ClassDef) and x.name[0] != "_")):
            for x in owner.body:
                if isinstance(x, ast.FunctionDef) and x.name.startswith(("read", "load", "open")):
                    names = [y.arg for y in x.args.args]
                    if set(FILE) & set(names) and x.name not in NOT_OF_FILES:
                        module = importlib.import_module(name)
                        holder = getattr(module, owner.name) if isinstance(owner, ast.ClassDef) else module
                        yield f"{name}.{x.name}", getattr(holder, x.name)


READERS = dict(readers())


def used(read: Callable[..., Any], path: Path) -> None:
    """Read a file; of tables, all columns."""
    parameters = inspect.signature(read).parameters
    (place,) = set(FILE) & set(parameters)
    needed = {x for x, y in parameters.items() if y.default is y.empty and y.kind is not y.VAR_KEYWORD} - {place}
    assert needed <= set(OTHERS), f"say in OTHERS what {read.__qualname__} takes as {needed - set(OTHERS)}"
    source: Any = opened(path) if "Source" in str(parameters[place].annotation) else str(path)
    found = read(**{place: source}, **{x: OTHERS[x] for x in needed})
    if hasattr(found, "rows") and hasattr(found, "columns"):
        found.rows(found.columns)


def test_readers_are_found() -> None:
    some = {"revolute.files.load", "revolute.io.trajectory.states.read", "revolute.simulate.result.load"}
    assert some <= set(READERS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_nonsense_is_refused_by_name(tmp_path: Path, name: str) -> None:
    if "Writer" in str(inspect.signature(READERS[name]).return_annotation):
        pytest.skip("a writer")
    (tmp_path / "folder").mkdir()
    paths = [tmp_path / "folder", tmp_path / "none.json", tmp_path / "none"]
    for suffix in SUFFIXES:
        for k, content in enumerate(CONTENTS[:2] if suffix == ".xacro" else CONTENTS):  # each starts a process
            path = tmp_path / f"{k}{suffix}"
            path.write_bytes(content)
            paths.append(path)
    for path in paths:
        try:
            used(READERS[name], path)
        except RevoluteError as error:
            assert path.name in str(error), error
        except Exception as error:
            raise AssertionError(f"{path.name}: {type(error).__name__} comes through: {error}") from error
