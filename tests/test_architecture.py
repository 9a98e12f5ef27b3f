"""Which room of the house may import which: dynamics know no graph, targets know no robot.

A room is a module or folder right under `revolute`. It imports from rooms before it in `ROOMS` alone. Imports inside
of functions and for the type checker count like all others. There are no exceptions.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import revolute
from revolute.compiler.sources import SOURCES

ROOT = Path(revolute.__file__).parent

ROOMS = (
    "errors", "plain_numbers", "records", "arguments", "whole_file", "spatial", "model", "dynamics", "graph",
    "targets", "compiler", "bridges", "symbolic", "io", "plot", "trajectory", "view", "simulate", "machine",
    "control", "conventions", "optimal", "identification", "library", "files", "published", "texts", "revolute",
    "examine", "cli", "__main__",
)  # fmt: skip
"""In their order; `revolute` is `revolute/__init__.py`: the public names."""

APART = {
    "dynamics": "graph targets compiler machine",
    "graph": "spatial model dynamics published",
    "targets": "spatial model dynamics published machine",
    "compiler": "dynamics published symbolic machine",
}
"""Rooms that must not be reached from a room, directly or not."""

IDENTIFICATION = (
    "samples", "forces", "log", "fit", "closed_loop", "bodies", "checks", "validation", "excitation", "report",
    "fitting", "identification",
)  # fmt: skip
"""Rooms of `identification`, in their order; the last two are the door and the public names."""

COMPUTED = "a computed name"

SPECIALISTS = {
    COMPUTED: "revolute",  # which imports the same by name for the type checker
    "llvmlite": "targets",
    "platformdirs": "compiler",
    "casadi": "bridges targets",
    "jax": "bridges",
    "torch": "bridges",
    "dask": "bridges",
    "xarray": "bridges",
    "cloudpickle": "bridges",
    "sympy": "model targets library symbolic machine",
    "mujoco": "io",
    "trimesh": "spatial view",
    "robot_descriptions": "library",
    "xacro": "io",
    "collada": "view",
    "viser": "view",
    "pyarrow": "io",
    "pandas": "bridges simulate",
    "scipy": "spatial io simulate trajectory control identification",
    "clarabel": "control identification",
    "daqp": "control",
    "toppra": "trajectory",
    "ruckig": "trajectory",
    "matplotlib": "plot",
    "PIL": "plot",
    "imageio_ffmpeg": "plot",
    "typer": "cli",
    "rich": "cli symbolic",
}
"""Packages that only these rooms know."""


@dataclass(frozen=True)
class Import:
    """An import statement's target."""

    module: str
    line: int

    @property
    def room(self) -> str | None:
        """The room that it enters; None for other packages."""
        house, _, inside = self.module.partition(".")
        return _room(inside.partition(".")[0]) if house == "revolute" else None


@cache
def _room(name: str) -> str:
    """The room of that name; a name that is no room is one of the public names."""
    is_room = name not in ("", "__init__") and ((ROOT / name).is_dir() or (ROOT / f"{name}.py").exists())
    return name if is_room else "revolute"


@cache
def imports(source: str) -> tuple[Import, ...]:
    """All imports of a module, wherever they stand, those by name included."""
    return tuple(_imports(source))


def _imports(source: str) -> Iterator[Import]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(name.name, node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            yield from (Import(f"{node.module}.{name.name}", node.lineno) for name in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            name = node.args[-1]  # of a package, where a module in it has a computed name
            yield Import(name.value if isinstance(name, ast.Constant) else COMPUTED, node.lineno)


def violations(room: str, source: str) -> list[str]:
    """What a module of a room imports and should not."""
    before = ROOMS[: ROOMS.index(room) + 1]
    wrong = []
    for found in imports(source):
        if found.room is not None:
            allowed = found.room in before
        else:
            allowed = room in SPECIALISTS.get(found.module.partition(".")[0], room).split()
        if not allowed:
            wrong.append(f"line {found.line}: '{room}' may not import {found.module}")
    return wrong


FILES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}


def room_of(file: str) -> str:
    return _room(file.partition("/")[0].removesuffix(".py"))


def reach(room: str) -> set[str]:
    """The rooms that are loaded with a room, directly or not."""
    direct: dict[str, set[str]] = {name: set() for name in ROOMS}
    for file, source in FILES.items():
        direct[room_of(file)] |= {found.room for found in imports(source) if found.room}
    reached: set[str] = set()
    waiting = [room]
    while waiting:
        new = direct[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


@pytest.mark.parametrize("room", ROOMS)
def test_modules_import_only_from_rooms_before_their_own(room: str) -> None:
    wrong = {file: violations(room, source) for file, source in FILES.items() if room_of(file) == room}
    assert wrong and not any(wrong.values()), wrong


def test_every_room_is_there() -> None:
    assert {room_of(file) for file in FILES} == set(ROOMS), "a room is new, or gone: say in ROOMS where it stands"


def test_tests_stand_in_the_rooms_that_they_are_about() -> None:
    """Those about no room, or all, stand right here; `hostile` tries what should never happen, `docs` the site."""
    folders = {path.parent.name for path in Path(__file__).parent.glob("*/test_*.py")}
    assert folders - {"docs", "hostile"} <= set(ROOMS) and len(folders) > 10


def inner_room(module: str) -> str:
    """The room of `identification` that a module stands in, or that an import enters."""
    name = module.removeprefix("revolute.identification").removeprefix(".").partition(".")[0]
    return name if name in IDENTIFICATION else "identification"


def inner_violations(room: str, source: str) -> list[str]:
    """What a module of a room of `identification` imports from rooms after its own."""
    inside = [found for found in imports(source) if found.module.startswith("revolute.identification")]
    after = IDENTIFICATION[IDENTIFICATION.index(room) + 1 :]
    return [f"line {x.line}: '{room}' may not import {x.module}" for x in inside if inner_room(x.module) in after]


def test_rooms_of_identification_import_only_from_rooms_before_their_own() -> None:
    names = {file: file.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for file in FILES}
    rooms = {file: inner_room(f"revolute.{x}") for file, x in names.items() if x.startswith("identification")}
    assert set(rooms.values()) == set(IDENTIFICATION)
    wrong = {file: inner_violations(room, FILES[file]) for file, room in rooms.items()}
    assert not any(wrong.values()), wrong
    assert inner_violations("forces", "from revolute.identification.fit.fit import Fit") != []
    assert inner_violations("log", "def f():\n    import revolute.identification") != []


def test_identification_has_few_doors() -> None:
    """Files on the ground, public names, and parameters of functions."""
    assert len(list((ROOT / "identification").glob("*.py"))) <= 4
    assert len(revolute.identification.__all__) <= 28
    wide = {
        f"{file}: {node.name}"
        for file, source in FILES.items()
        for node in (ast.walk(ast.parse(source)) if file.startswith("identification/") else ())
        if isinstance(node, ast.FunctionDef) and parameters(node) > 9
    }
    assert wide == set()


def parameters(function: ast.FunctionDef) -> int:
    """Number of parameters, but for `self` and `cls`."""
    own = function.args
    names = [x.arg for x in (*own.posonlyargs, *own.args, *own.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def private_names(tree: ast.Module) -> set[str]:
    """Names with one leading underscore that a module defines, attributes included; not those of named tuples."""
    found: set[str] = set()
    for x in ast.walk(tree):
        if isinstance(x, (ast.FunctionDef, ast.ClassDef)):
            found.add(x.name)
        elif isinstance(x, (ast.Name, ast.Attribute)) and isinstance(x.ctx, ast.Store):
            found.add(x.id if isinstance(x, ast.Name) else x.attr)
    return {name for name in found if name.startswith("_") and not name.startswith("__")} - {"_fields"}


def taken_from_other_rooms() -> list[str]:
    """Private attributes of this library that are read outside of the rooms that define them."""
    trees = {file: ast.parse(source) for file, source in FILES.items()}
    defined: dict[str, set[str]] = {}
    for file, tree in trees.items():
        defined.setdefault(room_of(file), set()).update(private_names(tree))
    return [
        f"{file}:{x.lineno}: {ast.unparse(x)}"
        for file, tree in trees.items()
        for x in ast.walk(tree)
        if isinstance(x, ast.Attribute) and ast.unparse(x.value) not in ("self", "cls", "super()")
        if x.attr not in defined[room_of(file)] and any(x.attr in names for names in defined.values())
    ]


def test_few_private_attributes_are_taken_from_other_rooms() -> None:
    """A room that needs more of another says so there, by a public name."""
    taken = taken_from_other_rooms()
    assert len(taken) <= 8, taken


def test_few_modules_stand_at_the_top() -> None:
    assert len(list(ROOT.glob("*.py"))) < 8


@pytest.mark.parametrize("room", APART)
def test_rooms_that_must_stay_apart(room: str) -> None:
    assert reach(room) & set(APART[room].split()) == set()


def test_published_algorithms_know_no_machine() -> None:
    """They are read beside a book. `counting` alone compiles and counts them, and no room but these imports it."""
    before = {*ROOMS[: ROOMS.index("graph")], "published"}
    for file, source in FILES.items():
        entered = {found.room for found in imports(source) if found.room}
        if room_of(file) != "published":
            assert "published" not in entered or room_of(file) in ("texts", "cli"), file
        elif file != "published/counting.py":
            assert entered <= before, file


def test_the_names_of_kernels_know_every_folder_that_kernels_are_made_by() -> None:
    """Else kernels from the disk cache would outlive a change of the source that they were made by.

    Machines, problems of optimal control, controllers and published algorithms declare what is compiled; what they do
    besides is no part of kernels, so their other imports are left out, and those of motions of Lagrangian systems.
    """
    made_by = {"control", "machine", "optimal", "published"}
    waiting = ["compiler", "conventions", "machine/functions", "machine/lagrangian"]
    waiting += ["dynamics/optimal", "optimal/costs", "optimal/kernels"]
    while waiting:
        folder = waiting.pop()
        made_by.add(folder.partition("/")[0])
        for file, source in FILES.items():
            if file.startswith(f"{folder}/") and file != "machine/lagrangian/motion.py":
                waiting += {found.module.split(".")[1] for found in imports(source) if found.room} - made_by
    assert {folder for folder in made_by if (ROOT / folder).is_dir()} == set(SOURCES)


@pytest.mark.parametrize(("room", "source"), [
    ("dynamics", "from revolute.graph import Node"),
    ("dynamics", "import revolute"),
    ("dynamics", "def f():\n    from revolute.graph.node import Node"),
    ("dynamics", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from revolute.graph import Node"),
    ("dynamics", "import importlib\nimportlib.import_module(name)"),
    ("dynamics", "import sympy"),
    ("model", "from revolute.machine.robot import Robot"),
    ("targets", "class A:\n    def f(self):\n        import revolute.machine.robot as r"),
    ("graph", "import llvmlite.binding as llvm"),
])  # fmt: skip
def test_this_test_sees_what_is_forbidden(room: str, source: str) -> None:
    assert len(violations(room, source)) == 1
