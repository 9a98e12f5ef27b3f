"""What a kernel's key stands for determines its code: no model gets the machine code of another."""

import itertools
import math
import pickle
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import partialmethod, wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from processes import printed

import revolute
from revolute import Drive, Helical, Inertia, Limits, PointClosure, Prismatic, Revolute, Robot, Transform
from revolute.dynamics import closures, drivetrain
from revolute.dynamics.drivetrain import Drivetrain
from revolute.graph import Graph, Input, graph_text, trace
from revolute.model.body import Body, DriveField, Frame, Mimic
from revolute.model.identity import digest, exact_text
from revolute.model.joints import (
    Composite,
    Cylindrical,
    Fixed,
    FreeEuler,
    JointType,
    OneAxis,
    SphericalEuler,
    Universal,
)
from revolute.model.shapes import Shape
from revolute.spatial import Matrix, Rotation, Twist, Vector, Wrench

ARM = revolute.robots.planar(2)

CLOSURE = """
import revolute
for K in {numbers}:
    class Ratio(revolute.Closure):
        def error(self, robot, q, K=K): return [q[0] - K * q[1]]
        def row_names(self): return ["ratio"]
        def __repr__(self): return "Ratio()"
        def __eq__(self, other): return isinstance(other, Ratio)
        def __hash__(self): return 1
    arm = revolute.robots.planar(2).with_closures(Ratio())
    print(*arm.error([1.0, 1.0]), *arm.jacobian([1.0, 1.0])[0], arm.kernel("error").from_cache)
"""

JOINT = """
import revolute
from revolute import Inertia, Joint, Link, Prismatic, Robot, Transform
class Cam(revolute.Prismatic):
    def transform(self, q): return Transform(p=self.axis * (q[0] * {K}))
    def velocity(self, qd): return super().velocity([qd[0] * {K}])
    def force(self, F): return (super().force(F)[0] * {K},)
    def __repr__(self): return "Cam()"
links = [Link("base"), Link("rod", Inertia.from_com(1.0))]
arm = Robot.from_links("cam", links, [Joint("slide", "base", "rod", Cam((0, 0, 1)))])
print(arm.potential_energy([1.0]), arm.kernel("potential_energy").from_cache, arm.digest)
"""


def said(code: str, folder: Path) -> list[str]:
    """What a new process with that cache folder prints."""
    return printed(code, REVOLUTE_CACHE_DIR=str(folder / "cache")).split()


def test_the_key_of_a_users_closure_depends_on_what_it_computes(tmp_path: Path) -> None:
    first, later = (said(CLOSURE.format(numbers=numbers), tmp_path) for numbers in ([2], [5, 2]))
    assert first == ["-1.0", "1.0", "-2.0", "False"]
    assert later == ["-4.0", "1.0", "-5.0", "False", "-1.0", "1.0", "-2.0", "True"]


def test_the_key_of_a_users_joint_depends_on_what_it_computes(tmp_path: Path) -> None:
    first, second = (said(JOINT.format(K=K), tmp_path) for K in (1, 3))
    assert [float(x[0]) for x in (first, second)] == pytest.approx([9.81, 29.43], rel=1e-15)
    assert [x[1:] for x in (first, second)] == [["False", "None"], ["False", "None"]]


class Scaled(revolute.Closure):
    """A closure whose constant is neither in its repr nor in its equality."""

    K: float = 2.0

    def error(self, robot: Robot, q: Any) -> list[Any]:
        return [q[0] - self.K * q[1]]

    def row_names(self) -> list[str]:
        return ["scaled"]

    def __repr__(self) -> str:
        return "Scaled()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scaled)

    def __hash__(self) -> int:
        return 1


def test_a_constant_that_changes_within_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    before, closure = ARM.with_closures(Scaled()), Scaled()
    assert before.error([1.0, 1.0]) == [-1.0]
    closure.K = 3.0
    assert ARM.with_closures(closure).error([1.0, 1.0]) == [-2.0]
    monkeypatch.setattr(Scaled, "K", 5.0)
    assert ARM.with_closures(Scaled()).error([1.0, 1.0]) == [-4.0]
    assert before.error([1.0, 1.0]) == [-1.0]
    assert "5" in str(ARM.with_closures(Scaled()).kernel("error").graph)


def test_the_code_of_a_kernel_is_that_of_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tracing again, after a constant changed, would show other code than that which runs."""
    monkeypatch.setattr(Scaled, "K", 6.0)
    found = ARM.with_closures(Scaled()).kernel("error")
    monkeypatch.setattr(Scaled, "K", 7.0)
    assert "6" in str(found.graph) and "7" not in str(found.graph)
    assert found([1.0, 1.0]) == [-5.0]


def turned(self: Any, q: Any) -> Any:
    return Prismatic((1, 0, 0)).transform(q)


CHANGES: dict[str, Callable[[pytest.MonkeyPatch], Any]] = {
    "method": lambda patch: patch.setattr(Revolute, "transform", turned),
    "method of its base": lambda patch: patch.setattr(JointType, "columns", turned),
    "property": lambda patch: patch.setattr(Revolute, "angles", property(turned)),
    "wrapped method": lambda patch: patch.setattr(Revolute, "transform", wraps(Revolute.transform)(turned)),
    "partial method": lambda patch: patch.setattr(Revolute, "transform", partialmethod(Revolute.transform)),
    "constant": lambda patch: patch.setattr(PointClosure, "_turns", ((0, 1),)),
    "method of a closure": lambda patch: patch.setattr(PointClosure, "error", turned, raising=False),
    "attribute of an object": lambda patch: patch.setitem(vars(ARM.bodies[1].joint), "transform", turned),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_class_of_ours_that_somebody_changed_is_not_ours(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = replace(ARM, closures=(PointClosure("tip"),))
    before = robot.digest
    CHANGES[change](monkeypatch)
    changed = replace(robot).digest
    assert before is not None and changed != before and (changed is None) == (change != "constant")
    monkeypatch.undo()
    assert replace(robot).digest == before


def test_a_subclass_of_ours_is_not_ours() -> None:
    @dataclass(frozen=True)
    class Point(PointClosure):
        pass

    assert replace(ARM, closures=(Point("tip"),)).digest is None
    assert replace(ARM, closures=(PointClosure("tip"),)).digest is not None


def test_other_processors_have_other_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A shared home must not give one machine the code of another: every property of the host counts."""
    from revolute.compiler import kernel, stored

    asked: list[str] = []
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored.cache, "read", asked.append)
    monkeypatch.setattr(kernel, "_kernels", {})
    monkeypatch.setattr(kernel, "compile_told", lambda *_: (None, {"operations": 0, "seconds": 0.0}))
    own = stored.host()
    changes: dict[str, Any] = {"triple": "sparc-unknown", "cpu": "other", "features": "+other", "fma": not own.fma}
    changes |= {name: 2 * getattr(own, name) for name in ("vector_bits", "second_cache")}
    assert changes.keys() == {field.name for field in fields(own)}
    for machine in (own, own, *(replace(own, **{name: value}) for name, value in changes.items())):
        monkeypatch.setattr(stored, "host", lambda machine=machine: machine)
        replace(ARM).kernel("gravity_forces")
    assert len(asked) == len(set(asked)) == 7


class Loud(float):
    """A float that prints as another."""

    def __repr__(self) -> str:
        return "-9.81"


def everything() -> tuple[Robot, Drivetrain]:
    """A robot with an object of every class, and a number, another in each place, in every field."""
    values = iter(range(1, 1000))

    def numbers(count: int) -> tuple[float, ...]:
        return tuple(next(values) / 7 for _ in range(count))

    def pose() -> Transform:
        return Transform(Rotation.from_rpy(*numbers(3)), Vector(numbers(3)))

    kinds = [Revolute, Prismatic, Helical, revolute.Planar, revolute.Spherical, revolute.Free]
    joints = [Fixed(), Helical((1, 2, 2), 0.1), Revolute((3, 4, 5)), *(kind() for kind in kinds)]
    bodies = []
    for k, joint in enumerate(joints):
        nq, nv = joint.nq, joint.nv
        limits = Limits()
        if k < 3:
            restitution = tuple(x / 1000 for x in numbers(nv))
            limits = Limits(*(numbers(n) for n in (nq, nq, nv, nv)), restitution, numbers(nv), numbers(nv))
        columns = {name: numbers(nv) for name in Drive().columns() if k in (1, 2)}
        drive = Drive(**columns, mimic=Mimic("joint1", *numbers(2)) if k == 2 else None)
        xx, yy, zz, xy, xz, yz = numbers(6)
        inertia = Inertia(numbers(1)[0], Vector(numbers(3)), Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))
        bodies.append(Body(f"link{k}", k - 1, f"joint{k}" if k else "", joint, pose(), inertia, limits, drive))
    shapes = [(Shape("mesh", numbers(3), pose(), (0.1, 0.2, 0.3, 0.4), "arm.stl", "/tmp", "arm"),) for _ in range(2)]
    frames = tuple(Frame(body.name, k, pose(), *(() if k else shapes)) for k, body in enumerate(bodies))
    closures = (
        PointClosure("link1", "link2", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)),
        revolute.AxisClosure("link1", None, pose(), pose()),
        revolute.FrameClosure("link3", "link4", pose()),
        revolute.JointClosure("joint1", "joint2", numbers(3)),
    )
    robot = Robot("all", tuple(bodies), frames, Vector((0.1, 0.2, -9.81)), closures)
    rows = (((0, 1), (1, 0.5)), ((1, -2.5),))
    return robot, Drivetrain((bodies[1], bodies[2]), rows, (0.25, -0.5), (True, False), 0.125)


def leaves(x: Any, path: str = "") -> Iterator[tuple[str, Any, Callable[[Any], Any]]]:
    """Every number, string and tuple in there, its place, and what makes the whole with another in its stead."""
    if is_dataclass(x):
        for field in fields(x):
            for place, value, put in leaves(getattr(x, field.name), f"{path}.{field.name}"):
                yield place, value, lambda new, x=x, name=field.name, put=put: with_field(x, name, put(new))
        return
    if isinstance(x, tuple):
        for k, item in enumerate(x):
            for place, value, put in leaves(item, f"{path}[{k}]"):
                yield place, value, lambda new, x=x, k=k, put=put: tuple.__new__(
                    type(x), (*x[:k], put(new), *x[k + 1 :])
                )
        if type(x) is not tuple:
            return
    yield path, x, lambda new: new


def with_field(x: Any, name: str, value: Any) -> Any:
    """A copy with another value in a field, whatever the class would say of it."""
    made = object.__new__(type(x))
    made.__dict__.update({field.name: getattr(x, field.name) for field in fields(x)}, **{name: value})
    return made


def others(x: Any) -> list[Any]:
    """Values that a key must tell from x, the nearest ones among them."""
    if isinstance(x, bool) or x is None:
        return [not x, int(bool(x)), str(x)]
    if isinstance(x, int):
        return [x + 1, -x - 1, float(x), str(x)]
    if isinstance(x, float):
        return [math.nextafter(x, math.inf), -x, str(x)]
    if isinstance(x, str):
        return [x + " ", x[:-1] if x else "0", f"{x}\x00"]
    return [x[:-1] if x else (0.0,), (*x, ())]


def test_every_part_of_a_model_is_in_its_text() -> None:
    """A change of any field, by a bit, changes the text, and no two changes give the same one; but shapes do not."""
    model = everything()
    own = exact_text(model)
    assert own is not None and exact_text(pickle.loads(pickle.dumps(model))) == exact_text(everything()) == own
    texts = {own: "as it is"}
    for place, value, put in leaves(model):
        for other in others(value):
            text = exact_text(put(other))
            assert text is not None
            if ".visuals" in place or ".collisions" in place:
                assert text == own, place
                continue
            assert texts.setdefault(text, f"{place} = {other!r}") == f"{place} = {other!r}", place


def test_the_model_of_everything_has_everything() -> None:
    """Objects of all dataclasses that models are made of; a field that is new must be filled there."""
    rooms = (revolute.model.body, revolute.model.joints, closures, drivetrain, revolute.spatial)
    pairs = [(room.__name__, x) for room in rooms for x in vars(room).values() if is_dataclass(x)]
    known = {x for room, x in pairs if x.__module__.startswith(room) and not x.__name__.startswith("_")}
    abstract = {OneAxis, Composite, Cylindrical, FreeEuler, SphericalEuler, Universal, Twist, Wrench, DriveField}
    seen, waiting = set(), [*everything()]
    while waiting:
        x = waiting.pop()
        seen.add(type(x))
        if is_dataclass(x):
            waiting += [getattr(x, field.name) for field in fields(x)]
        elif isinstance(x, tuple):
            waiting += x
    assert known - abstract <= seen
    filled = {place.rpartition(".")[2] for place, value, _ in leaves(everything()) if value not in ((), None)}
    for kind in seen & known:
        assert {field.name for field in fields(kind)} <= {x.partition("[")[0] for x in filled} | INNER


INNER = {"joint", "placement", "inertia", "limits", "drive", "mimic", "R", "visuals", "collisions"}
"""Fields whose objects are walked in turn."""

SPECIAL = (0, 1, -1, 2**53 + 1, 10**400, 0.0, -0.0, 1.0, 5e-324, 1e308, math.inf, -math.inf, math.nan, -math.nan)
TEXTS = ("", "a", "1", "i1 ", "None", "()", "\ud800", "é", "s1:a", "f", "v" + 48 * "0")


def test_texts_of_plain_values_differ() -> None:
    """Values, and pairs and triples of them, vectors too: no text is that of another, and -0.0 is not 0.0."""
    singles = [*SPECIAL, *TEXTS, None, True, False, (), ((),), sympy.Symbol("a"), sympy.Symbol("a", positive=True)]
    singles += [sympy.Float("0.1", 30), sympy.Float("0.1"), sympy.Rational(1, 10), sympy.sin(sympy.Symbol("a"))]
    values = [*singles, *itertools.product(singles, repeat=2), *itertools.product(SPECIAL, repeat=3)]
    values += [Vector(x) for x in itertools.product(SPECIAL, repeat=3)]
    values += [Matrix((x, x, x)) for x in itertools.product(SPECIAL, repeat=3)]
    texts = [exact_text(x) for x in values]
    assert None not in texts and len(set(texts)) == len(values)
    assert exact_text(struct.unpack(">d", bytes.fromhex("7ff8000000000001"))[0]) != exact_text(math.nan)


class Name(str):
    """A string that could compare as it likes."""


class Pair(tuple[Any, ...]):
    """A tuple that could have items of its own."""


UNKNOWN = [np.float64(1.0), np.array(1.0), np.array([1.0]), Loud(1.0), [1.0], {}, {1.0}, 1j, Fraction(1, 2), Name("a")]
UNKNOWN += [Pair((1.0,)), object(), len, Scaled(), sympy.Function("f")(sympy.Symbol("a")), b"a"]


@pytest.mark.parametrize("value", UNKNOWN, ids=lambda value: type(value).__name__)
def test_there_is_no_text_of_what_may_change_or_hide(value: Any) -> None:
    assert exact_text(value) is None
    assert exact_text((1.0, (value,))) is None
    assert digest(value) is None


GRAPHS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: y - x, lambda x, y: x + 1.5, lambda x, y: y + 1.5,
    lambda x, y: 0.0, lambda x, y: -0.0, lambda x, y: math.nextafter(1.5, 2) + x, lambda x, y: math.nan,
    lambda x, y: -math.nan,
]  # fmt: skip


def test_texts_of_graphs_differ() -> None:
    def graph(name: str, function: Callable[[Any, Any], Any], shape: tuple[int, ...] = (), *arrays: str) -> Graph:
        inputs = [Input(x, ()) for x in arrays or ("x", "y")]
        return trace(name, lambda x, y: [("z", shape, [function(x[0], y[0])])], inputs)

    graphs = [graph("f", function) for function in GRAPHS]
    graphs += [graph("g", GRAPHS[0]), graph("f", GRAPHS[0], (1,)), graph("f", GRAPHS[0], (), "x", "t")]
    texts = [graph_text(x) for x in graphs]
    assert len(set(texts)) == len(texts)
    assert graph_text(graph("f", GRAPHS[0])) == texts[0]


def test_a_users_function_in_a_system_is_known_by_what_it_computes() -> None:
    """Its second derivative is the mass: a class that prints alike, with another, is another system."""

    def system(mass: float) -> Any:
        class Energy(sympy.Function):
            def fdiff(self, argindex: int = 1) -> Any:
                return mass * self.args[0]

            def _eval_subs(self, old: Any, new: Any) -> Any:
                return sympy.S.Zero if new == 0 else None

        x, dx = sympy.symbols("x dx")
        return revolute.lagrange([x], Energy(dx))

    two, five = system(2.0), system(5.0)
    assert two.mass_matrix([0.3]).tolist() == [[2.0]]
    assert five.mass_matrix([0.3]).tolist() == [[5.0]]
    assert two.digest is None


def test_systems_of_sympy_have_digests() -> None:
    m, x, dx = sympy.symbols("m x dx")
    spring = revolute.lagrange([x], m * dx**2 / 2, x**2)
    assert spring.digest == revolute.lagrange([x], m * dx**2 / 2, x**2).digest
    real = sympy.Symbol("m", real=True)
    for other in (revolute.lagrange([x], real * dx**2 / 2, x**2), revolute.lagrange([x], m * dx**2 / 2, 1.0 * x**2)):
        assert other.digest != spring.digest
