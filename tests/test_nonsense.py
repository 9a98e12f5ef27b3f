"""Nonsense in place of any argument of any public constructor and method gives our own errors, or none at all."""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises

import revolute
from revolute import Fixed, Inertia, Joint, Link, Revolute, Robot
from revolute.errors import RevoluteError
from revolute.io.dh import DHRow

NONSENSE = [
    None, "abc", b"x", "", 0.035, -1, True, float("nan"), object(), {"a": 1}, {}, (), (1, 2), [None], ["a", "b", "c"],
    [[1, 2], [3]], np.zeros((2, 2, 2)), len, int,
]  # fmt: skip

ARM = revolute.robots.planar(2)
ZERO = np.zeros(2)
X, Y, DX = sympy.symbols("x y dx")
OTHERS = {
    "space": ARM.operational_space("tip", rows=(3, 4)),
    "closed": ARM.with_closures(revolute.PointClosure("tip", at_b=(1.0, 0.5, 0.0))),
    "driven": ARM.with_drives(),
    "elastic": ARM.with_elastic_joints(1e3, 0.1),
    "converted": revolute.conventions.mujoco(ARM),
    "system": revolute.lagrange([X], DX**2 / 2),
    "held": revolute.lagrange([X, Y], sympy.sympify("dx**2 + dy**2")).with_constraints([X - Y]),
}
"""Objects that robots, and energies, lead to."""

GIVEN: dict[str, dict[str, Any]] = {
    "save": {"robot": ARM, "path": "none.xml"},
    "load": {"source": "none.urdf"},
    "Link": {"name": "a"},
    **{f"{x}.inverse_kinematics": {"pose": np.eye(4)} for x in ("Robot", "driven", "closed", "elastic")},
    "identify": {"robot": ARM, "log": np.zeros((3, 2))},
    "Shape": {"kind": "sphere", "size": (1.0,)},
    "Joint": {"name": "j", "parent": "a", "child": "b"},
    "Inertia.from_com": {"mass": 1.0},
    "Inertia.box": {"mass": 1.0, "size": (1, 1, 1)},
    "Inertia.cylinder": {"mass": 1.0, "radius": 1.0, "length": 1.0},
    "Inertia.sphere": {"mass": 1.0, "radius": 1.0},
    "Inertia.particles": {"masses": [1.0], "places": [(1, 0, 0)]},
    "Inertia.from_density": {"density": lambda x, y, z: 1.0, "sphere": 1.0, "degree": 0},
    "Inertia.mesh": {"mesh": ([], []), "mass": 1.0},
    "Rotation.about": {"axis": (0, 0, 1), "c": 1.0, "s": 0.0},
    "Rotation.from_quaternion": {"quaternion": (0, 0, 0, 1)},
    "Rotation.from_rpy": {"roll": 0.0, "pitch": 0.0, "yaw": 0.0},
    "Rotation.from_matrix": {"matrix": np.eye(3)},
    "Transform.exp": {"twist": np.ones(6)},
    "Transform.from_matrix": {"matrix": np.eye(4)},
    "Transform.from_quaternion": {"quaternion": (0, 0, 0, 1)},
    "Mimic": {"joint": "j"},
    "Body": {"name": "b", "parent": -1, "joint_name": "j", "joint": Fixed()},
    "Frame": {"name": "f", "body": 0},
    "Robot": {"name": "r", "bodies": ARM.bodies, "frames": ARM.frames},
    "Composite": {"joints": (Revolute(),)},
    "AxisClosure": {"link_a": "tip", "at_a": (1, 0, 0)},
    "JointClosure": {"follower": "joint2", "leader": "joint1"},
    "PointClosure": {"link_a": "tip"},
    "FrameClosure": {"link_a": "tip"},
    "Contact": {"link": "tip"},
    "Simulation": dict.fromkeys(("t", "q", "qd", "qdd", "tau", "kinetic_energy", "potential_energy"), np.zeros(1)),
    "ConstrainedRobot": {"robot": ARM, "closures": [revolute.PointClosure("tip", at_b=(1.0, 0.5, 0.0))]},
    "lagrange": {"coordinates": [X, Y], "kinetic": DX**2},
    "robots.dh_arm": {"joints": 2},
    "robots.random_tree": {"n": 2, "rng": 0},
    "robots.shv": {"name": "elbow"},
    "DrivenRobot": {"robot": ARM},
    "StateFeedback": {"position_gains": (1.0, 1.0)},
    "ElasticRobot": {"robot": ARM},
    "Rotor": {"coordinate": "joint1"},
    "Robot.from_model": {"model": ARM},
    "Robot.from_links": {
        "name": "r",
        "links": [Link("a"), Link("b", Inertia.from_com(1.0, (1, 0, 0)))],
        "joints": [Joint("j", "a", "b", Revolute())],
    },
    "Robot.from_dict": {"data": ARM.to_dict()},
    "Robot.from_dh": {"table": [DHRow(a=1.0, inertia=Inertia.from_com(1.0))]},
    "Robot.from_screws": {"S": np.eye(6)[:, 2:3], "M": [np.eye(4), np.eye(4)], "G": [np.eye(6)]},
    **{
        f"closed.{x}": {"independent": ["joint1"]}
        for x in ("assemble", "frame_jacobian", "linearize", "reduced_dynamics")
    },
    **{f"{x}.latex_of": {"x": X} for x in ("system", "held")},
    **{f"{x}.save": {"path": "/dev/null/none.tex"} for x in ("system", "held")},
    **{f"{x}.with_constraints": {"constraints": [X]} for x in ("system", "held")},
    "system.simulate": {"q0": [0.0], "qd0": [0.0], "torque": None, "t": [0.0, 0.01]},
    **{f"{x}.with_inertial_parameters": {"parameters": {}} for x in ("Robot", *OTHERS)},
    "driven.with_parameters": {"parameters": {}},
    **{
        f"{kind}.{x}": {"contacts": [revolute.Contact("tip")], **given}
        for kind in ("Robot", "driven", "closed")
        for x, given in {
            "impact": {}, "contact_forces": {}, "contact_step": {"h": 1e-3},
            "contact_step_differential": {"h": 1e-3, "dtau": ZERO},
        }.items()
    },
    **{f"elastic.{x}": {"contacts": [revolute.Contact("tip")]} for x in ("impact", "contact_forces")},
    "Robot.joint_index": {"name": "joint1"},
    "Robot.frame": {"name": "tip"},
    "Robot.joint": {"name": "joint1"},
    "Robot.with_frame": {"name": "pen"},
    "Robot.rebased": {"link": "tip"},
    "Robot.to_base": {"base": "free"},
    "Robot.attach": {"other": ARM, "prefix": "other_"},
    "Robot.with_configurations": {"source": {}},
    **{f"{kind}.link_wrench": {"q": ZERO, "wrench": np.zeros(6), "frame": "tip"} for kind in ("Robot", "driven")},
    "Robot.operational_space": {"task": "tip"},
    **{f"conventions.{x}": {"robot": ARM} for x in ("drake", "mujoco", "pinocchio")},
}
"""Arguments that are fine, for those that have no default."""

COMMON: dict[str, Any] = {
    "functions": "inverse_dynamics", "path": "/dev/null/none.c", "weights": np.zeros((2, 20)),
    **dict.fromkeys(("q", "qd", "qdd", "qddd", "qdddd", "qdr", "qddr", "tau", "d", "q0", "q1", "qd0"), ZERO),
    **dict.fromkeys(("dq", "dqd", "dqdd"), ZERO),
    **dict.fromkeys(("momentum", "joint_positions", "theta", "thetad", "theta0", "thetad0"), ZERO),
    "frame": "tip", "link": "tip", "inertia": Inertia.from_com(1.0), "gravity": (0, 0, -9.81), "positions": {},
    "function": "gravity_forces", "values": {}, "stiffness": 1.0, "rotor_inertia": 1.0, "torque": None,
    "t": [0.0, 0.1, 0.2], "dt": 0.01, "acceleration": np.zeros(6), "v": ZERO, "a": ZERO, "bias": ZERO,
    "M": np.eye(2), "J": np.eye(2),
}  # fmt: skip

TENSORS: dict[str, Any] = {
    **dict.fromkeys("uvewabr", (0, 0, 1)), "wd": (0, 0, 1), "m": 1.0,
    **dict.fromkeys(("T", "S", "I", "J", "R", "Rd", "Omega"), np.eye(3)), "x": (1, 2, 3),
}  # fmt: skip
"""Arguments of functions of tensors, by the letters of BP."""

for _name in revolute.tensors.__all__:
    if callable(getattr(revolute.tensors, _name)):
        GIVEN[f"tensors.{_name}"] = {
            letter: TENSORS[letter] for letter in inspect.signature(getattr(revolute.tensors, _name)).parameters
        }


@cache
def publics() -> dict[str, Callable[..., Any]]:
    """Constructors, builders and methods of a robot, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for name in revolute.__all__:
        item = getattr(revolute, name)
        is_error = isinstance(item, type) and issubclass(item, (Exception, Warning))
        if callable(item) and name != "Kernel" and not is_error:
            found[name] = item
    for kind in (revolute.Inertia, revolute.Rotation, revolute.Transform):
        for name in vars(kind):
            if isinstance(vars(kind)[name], classmethod) and not name.startswith("_"):
                found[f"{kind.__name__}.{name}"] = getattr(kind, name)
    found |= {name: getattr(revolute.tensors, name.partition(".")[2]) for name in GIVEN if name.startswith("tensors.")}
    found |= {f"robots.{name}": getattr(revolute.robots, name) for name in revolute.robots.__all__}
    found |= {f"conventions.{name}": getattr(revolute.conventions, name) for name in ("drake", "mujoco", "pinocchio")}
    for owner, it in {"Robot": ARM, **OTHERS}.items():
        for name in dir(type(it)):
            if not name.startswith("_") and callable(getattr(type(it), name)):
                found[f"{owner}.{name}"] = getattr(it, name)
    return found


@pytest.mark.parametrize("name", publics())
def test_wrong_arguments_give_errors_of_ours(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # "" is a path: that of the current folder
    function = publics()[name]
    every = inspect.signature(function).parameters
    parameters = {key: p for key, p in every.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    good = {key: COMMON[key] for key, p in parameters.items() if p.default is p.empty and key in COMMON}
    good |= GIVEN.get(name, {})
    missing = [key for key, p in parameters.items() if p.default is p.empty and key not in good]
    assert not missing, f"{name}: say in GIVEN what {missing} may be"
    owner, _, method = name.partition(".")
    if owner in OTHERS and getattr(type(OTHERS[owner]), method) is getattr(Robot, method, None):
        parameters = {key: p for key, p in parameters.items() if key in COMMON}  # others mean the same to all machines
    for key in parameters:
        for nonsense in NONSENSE:
            if "bool" in str(parameters[key].annotation) and isinstance(nonsense, np.ndarray):
                continue  # which has no truth value, as NumPy says
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    function(**{**good, key: nonsense})
                except RevoluteError as error:
                    assert str(error)
                except Exception as error:
                    raise AssertionError(f"{name}({key}={nonsense!r}): {type(error).__name__}: {error}") from error


def test_every_public_callable_is_tried() -> None:
    assert {"Revolute", "Inertia.box", "load", "robots.planar", "Robot.from_links", "Robot.jacobian"} <= set(publics())
    assert len(publics()) > 100


def test_parts_of_the_wrong_kind_are_named_where_robots_are_made() -> None:
    limited = replace(ARM.bodies[1], limits=revolute.Limits(lower="1"))  # type: ignore[arg-type]
    for kind, message, call, *args in (
        (revolute.InputError, r"robot 'r': links: each must be .* Link, not 'a'", Robot.from_links, "r", ["a"], []),
        (revolute.InputError, "joint 'j': type must be .* Composed, not 'hi", Joint, "j", "a", "b", "hi"),
        (revolute.InputError, r"box: its mass must be a finite number .* not 'a'", Inertia.box, "a", (1, 1, 1)),
        (revolute.ModelError, "a joint axis must be a nonzero vector of three finite numbers", Revolute, "abc"),
        (revolute.ModelError, "joint 'joint1': Limits.lower must be a tuple of numbers, not '1'",
         lambda: replace(ARM, bodies=(ARM.bodies[0], limited, ARM.bodies[2]))),
    ):  # fmt: skip
        assert_raises(kind, message, call, *args)
