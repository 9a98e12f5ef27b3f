"""Which room of the house may import which: dynamics know no graph, targets know no robot.

A room is a module or folder right under `revolute`. What it imports when it is loaded must be
in its row of `ROOMS`; what it imports inside of a function, or for the type checker only, may
be in its row of `LATER` as well. A new room needs a row.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import revolute
from revolute.cache import SOURCES

ROOT = Path(revolute.__file__).parent

_DESCRIPTION = "errors arguments plain_numbers scalar vectors spatial joints body robot parameters"
_PUBLIC = "revolute errors joints body robot spatial"

ROOMS = {
    "printable": "",
    "errors": "printable",
    "whole_file": "",
    "arguments": "errors plain_numbers",
    "plain_numbers": "",
    "scalar": "",
    "vectors": "errors arguments plain_numbers scalar",
    "spatial": "errors arguments plain_numbers scalar vectors",
    "solids": "errors spatial",
    "joints": "errors arguments plain_numbers scalar vectors spatial",
    "body": "joints plain_numbers spatial",
    "checks": "errors arguments body joints plain_numbers spatial",
    "identity": "vectors",
    "robot": "errors spatial body checks face identity plain_numbers vectors",
    "face": "errors arguments",
    "parameters": "errors scalar vectors spatial joints",
    "describe": f"{_DESCRIPTION} printable",
    "reduce": _DESCRIPTION,
    "assemble": _DESCRIPTION,
    "edit": f"{_DESCRIPTION} assemble",
    "io": f"{_DESCRIPTION} assemble dynamics reduce solids whole_file",
    "library": f"{_DESCRIPTION} assemble io lagrangian",
    "dynamics": _DESCRIPTION,
    "formulations": f"{_DESCRIPTION} dynamics",
    "graph": "errors",
    "targets": "errors forks graph",
    "cached_files": "",
    "cache": "errors cached_files printable",
    "progress": "",
    "forks": "",
    "batch": "errors arguments memory",
    "memory": "",
    "ufunc": "errors targets",
    "hold": "errors arguments",
    "relaxation": "",
    "inertia_bounds": "errors joints robot",
    "passivity": "errors arguments robot",
    "task_space": "errors arguments",
    "configurations": "errors arguments joints robot",
    "base_parameters": f"{_DESCRIPTION} dynamics symbols",
    "symbols": "errors scalar spatial joints body robot",
    "symbolic": f"{_DESCRIPTION} dynamics reduce symbols graph targets whole_file printable",
    "by_equation": "scalar formulations graph library",
    "counting": f"{_DESCRIPTION} assemble formulations functions graph symbols",
    "functions": f"{_DESCRIPTION} reduce dynamics formulations graph",
    "compile": "errors robot symbols functions graph identity targets ufunc batch cache progress",
    "revolute": f"{_DESCRIPTION} assemble io compile constrained dynamics",
    "constrained": "errors arguments robot dynamics simulate",
    "lagrangian": "errors arguments dynamics graph functions identity symbolic",
    "driven": f"{_DESCRIPTION} dynamics simulate symbols",
    "elastic": "errors arguments relaxation robot simulate",
    "trajectory": f"{_PUBLIC} whole_file",
    "examine": f"{_DESCRIPTION} assemble io dynamics printable",
    "demo": f"{_PUBLIC} trajectory library",
    "commands": f"{_PUBLIC} examine trajectory simulate library demo units cache cached_files formulations counting "
    "printable whole_file",
    "units": f"{_PUBLIC} printable",
    "simulate": "errors arguments robot",
    "plot": f"{_PUBLIC} trajectory simulate units whole_file printable",
    "cli": f"{_PUBLIC} trajectory library commands counting printable",
    "__main__": "cli",
}

LATER = {
    "spatial": "solids",
    "face": "base_parameters body compile configurations constrained counting driven dynamics edit elastic graph hold "
    "inertia_bounds io parameters passivity robot simulate spatial symbolic symbols task_space",
    "robot": "assemble describe dynamics symbols",
    "parameters": "body",
    "checks": "robot",
    "batch": "compile graph",
    "revolute": "library lagrangian",
    "plot": "counting",
    "lagrangian": "compile",
    "driven": "compile functions hold symbolic",
    "simulate": "compile",
    "commands": "plot",  # which needs matplotlib
}

SPECIALISTS = {
    "llvmlite": "targets",
    "sympy": "identity targets library symbols symbolic lagrangian",
    "defusedxml": "io",
    "mujoco": "io",
    "trimesh": "solids",
    "pyarrow": "trajectory",
    "scipy": "trajectory simulate",
    "matplotlib": "plot",
    "typer": "commands cli",
    "rich": "commands cli symbolic",
}
"""Packages that only these rooms know."""


@dataclass(frozen=True)
class Import:
    """An import statement's target, and whether it waits until a function is called."""

    module: str
    line: int
    later: bool

    @property
    def room(self) -> str | None:
        """The room that it enters; None for other packages."""
        house, _, inside = self.module.partition(".")
        if house != "revolute":
            return None
        return _room(inside.partition(".")[0])


def _room(name: str) -> str:
    """The room of that name; a name that is no room is one of the public face."""
    is_room = name not in ("", "__init__") and ((ROOT / name).is_dir() or (ROOT / f"{name}.py").exists())
    return name if is_room else "revolute"


def imports(node: ast.AST, later: bool = False) -> Iterator[Import]:
    """All imports below a node of a syntax tree, those by name included."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(name.name, child.lineno, later) for name in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"line {child.lineno}: relative import"
            yield from (Import(f"{child.module}.{name.name}", child.lineno, later) for name in child.names)
        elif isinstance(child, ast.Call) and _called(child) in ("import_module", "__import__"):
            assert isinstance(child.args[0], ast.Constant), f"line {child.lineno}: import of a computed name"
            yield Import(child.args[0].value, child.lineno, later)
        waits = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) or _for_types(child)
        yield from imports(child, later or waits)


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def violations(room: str, source: str) -> list[str]:
    """What a module of a room imports and should not."""
    at_load, later = ROOMS[room].split(), LATER.get(room, "").split()
    wrong = []
    for found in imports(ast.parse(source)):
        if found.room is not None:
            allowed = found.room in (room, *at_load, *(later if found.later else ()))
        else:
            allowed = room in SPECIALISTS.get(found.module.partition(".")[0], room).split()
        if not allowed:
            wrong.append(f"line {found.line}: '{room}' may not import {found.module}")
    return wrong


FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


@pytest.mark.parametrize("file", FILES)
def test_modules_import_only_what_their_room_may(file: str) -> None:
    room = _room(file.partition("/")[0].removesuffix(".py"))
    assert room in ROOMS, f"'{room}' is a new room: say in ROOMS what it may import"
    assert violations(room, (ROOT / file).read_text(encoding="utf-8")) == []


def test_rooms_depend_on_each_other_in_one_direction() -> None:
    order = list(TopologicalSorter({room: row.split() for room, row in ROOMS.items()}).static_order())
    assert set(order) == set(ROOMS)
    assert order.index("graph") < order.index("targets") < order.index("compile")


@pytest.mark.parametrize("forbidden", ["graph", "targets", "compile", "ufunc"])
def test_recursions_do_not_know_who_evaluates_them(forbidden: str) -> None:
    assert forbidden not in reach("dynamics")
    assert forbidden not in reach("formulations")


@pytest.mark.parametrize("forbidden", ["robot", "dynamics", "joints", "spatial"])
@pytest.mark.parametrize("room", ["graph", "targets", "ufunc"])
def test_graphs_and_targets_do_not_know_robots(room: str, forbidden: str) -> None:
    assert forbidden not in reach(room)


def test_the_names_of_kernels_know_every_folder_that_kernels_are_made_by() -> None:
    """Else kernels from the disk cache would outlive a change of the source that they were made by."""
    made_by = {"functions", "lagrangian", "targets"} | reach("functions") | reach("lagrangian") | reach("targets")
    folders = {room for room in made_by if (ROOT / room).is_dir()}
    assert folders - {"face"} == set(SOURCES)  # which hands arrays on


def reach(room: str) -> set[str]:
    """The rooms that are loaded with a room, directly or not, by the table."""
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = set(ROOMS[waiting.pop()].split()) - found
        found |= new
        waiting += new
    return found


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("dynamics", "from revolute.graph import Node"),
        ("dynamics", "import revolute.targets.llvm"),
        ("dynamics", "from revolute import compile"),
        ("dynamics", "import revolute"),
        ("dynamics", "def f():\n    from revolute.graph.node import Node"),
        ("dynamics", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from revolute.graph import Node"),
        ("dynamics", "import importlib\nimportlib.import_module('revolute.graph')"),
        ("dynamics", "import sympy"),
        ("targets", "from revolute.robot import Robot"),
        ("targets", "from revolute.dynamics.newton_euler import newton_euler"),
        ("targets", "from revolute import Robot"),
        ("targets", "class A:\n    def f(self):\n        import revolute.robot as r"),
        ("graph", "from revolute.spatial import Vector"),
        ("graph", "import llvmlite.binding as llvm"),
        ("robot", "from revolute.compile import kernel"),
        ("batch", "from revolute.compile import Kernel"),
    ],
)
def test_this_test_sees_what_is_forbidden(room: str, source: str) -> None:
    assert len(violations(room, source)) == 1


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("dynamics", "import math\nimport numpy as np\nfrom revolute.robot import Robot"),
        ("dynamics", "from revolute.dynamics.kinematics import frame_pose"),
        ("face", "def f():\n    from revolute.compile import kernel"),
        ("batch", "import typing\nif typing.TYPE_CHECKING:\n    from revolute.compile import Kernel"),
        ("targets", "from revolute.graph import Graph\nimport llvmlite.binding as llvm"),
    ],
)
def test_this_test_sees_what_is_allowed(room: str, source: str) -> None:
    assert violations(room, source) == []
