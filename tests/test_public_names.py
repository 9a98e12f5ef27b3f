"""The public names, and what `import revolute` costs: changing either is a decision."""

import ast
from collections import defaultdict
from dataclasses import is_dataclass
from pathlib import Path

import pytest
from processes import printed

import revolute

NAMES = [
    "AxisClosure", "Body", "Closure", "CompileError", "Composite", "ConstrainedRobot", "Contact",
    "Cylindrical", "Drive", "DrivenRobot", "DtypeError", "ElasticRobot", "Event", "Fixed", "Frame", "FrameClosure",
    "Free", "FreeEuler", "GraphError", "Helical", "Inertia", "InputError", "Joint", "JointClosure", "Kernel",
    "Limits", "Link", "Mimic", "MissingExtraError", "ModelError", "ModelWarning", "Planar", "Plane", "PointClosure",
    "Prismatic", "Revolute", "RevoluteError", "Robot", "Rotation", "Rotor", "Shape", "ShapeError", "Simulation",
    "SimulationError", "SimulationInterrupt", "SimulationWarning", "SingularityError", "Spherical",
    "SphericalEuler", "StateFeedback", "TrajectoryError", "Transform", "Twist", "Universal", "UnknownNameError",
    "UnknownNameWarning", "Wrench", "control", "conventions", "deg", "identification", "identify", "lagrange", "load",
    "load_contacts", "optimal", "robots", "save", "show_versions", "tensors", "texts", "torch", "trajectory",
]

HEAVY = {
    "matplotlib", "mujoco", "pandas", "pinocchio", "pyarrow", "rich", "scipy", "sympy", "trimesh", "typer", "viser",
}


def test_public_names_are_these() -> None:
    assert revolute.__all__ == NAMES and set(NAMES) <= set(dir(revolute))


@pytest.mark.parametrize("name", [name for name in NAMES if is_dataclass(getattr(revolute, name))])
def test_data_do_not_change(name: str) -> None:
    assert getattr(revolute, name).__dataclass_params__.frozen


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'torques'"):
        revolute.torques  # noqa: B018


def modules(statement: str) -> set[str]:
    """Modules that a fresh interpreter has after a statement."""
    return set(printed(f"{statement}\nimport sys; print(*sys.modules)").split())


def imported_by(statement: str) -> set[str]:
    """Top-level packages that a fresh interpreter has after a statement."""
    return {name.partition(".")[0] for name in modules(statement)}


def test_import_loads_nothing_heavy() -> None:
    assert imported_by("import revolute; revolute.Robot") & HEAVY == set()


AS_COMMAND = "import sys; sys.argv[0] = '/usr/bin/revolute'; import revolute"


def test_commands_load_neither_numpy_nor_llvm_before_they_need_them() -> None:
    assert imported_by(AS_COMMAND) & {"numpy", "llvmlite"} == set()
    assert "llvmlite" not in imported_by(f"{AS_COMMAND}; revolute.errors.InputError")
    assert "numpy" in imported_by(f"{AS_COMMAND}; revolute.spatial.Inertia")


@pytest.mark.parametrize("statement", ["", "revolute.Robot", "revolute.load", "revolute.robots"])
def test_robots_come_with_llvm(statement: str) -> None:
    """It is loaded before the first call of a control loop, which would have to wait for it."""
    assert "llvmlite" in imported_by(f"{AS_COMMAND if statement else 'import revolute'}; {statement}")


def test_the_first_torques_load_nothing_heavy() -> None:
    call = "import revolute; revolute.robots.planar(2).inverse_dynamics([0, 0], [0, 0], [0, 0])"
    assert imported_by(call) & HEAVY == set()


def test_a_robot_of_the_library_loads_neither_random_numbers_nor_what_prints_machine_code() -> None:
    """Few robots need the first, and the second only those whose kernels are not in the disk cache."""
    names = modules("import revolute; revolute.robots.ur5()")
    assert "revolute.library.ur5" in names
    assert names & {"numpy.random", "revolute.targets.llvm.module", "difflib"} == set()


def test_a_urdf_loads_no_readers_of_other_formats() -> None:
    text = '<robot name="arm"><link name="base"/></robot>'
    readers = {x for x in modules(f"import revolute; revolute.load({text!r})") if x.startswith("revolute.io.")}
    assert "revolute.io.urdf" in readers
    assert {name for name in readers if "sdf" in name or "mjcf" in name or "dh" in name or "solids" in name} == set()


def test_import_loads_neither_thread_pools_nor_what_compiles() -> None:
    late = {"concurrent.futures", "logging", "revolute.compiler.recurrence", "revolute.targets.llvm.module"}
    assert modules("import revolute; revolute.Robot") & late == set()


def test_import_compiles_no_methods_of_dataclasses_but_those_that_it_calls() -> None:
    """`dataclasses` writes and compiles six methods of each class: that took a third of the import."""
    code = """
import revolute, sys
revolute.Robot, revolute.Kernel, revolute.AxisClosure
kinds = {x for name in list(sys.modules) if name.startswith("revolute.") for x in vars(sys.modules[name]).values()
         if isinstance(x, type) and "__dataclass_fields__" in vars(x)}
written = {f"{kind.__name__}.{name}" for kind in kinds for name, x in vars(kind).items()
           if name in ("__init__", "__repr__", "__eq__", "__hash__")
           and getattr(getattr(x, "__code__", None), "co_filename", "") == "<string>"}
print(len(kinds) > 30, len(written) < 15, all(x.endswith("__init__") for x in written))
"""
    assert printed(code) == "True True True\n"


def test_a_class_name_stands_for_one_class() -> None:
    found = defaultdict(list)
    for path in sorted(Path(revolute.__file__).parent.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path.name)
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
    assert len(found) > 300
