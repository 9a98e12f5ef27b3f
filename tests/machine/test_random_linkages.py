"""Accelerations of random linkages beside a system of 50 digits at the closed state, with its rank."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest

import revolute
from revolute import AxisClosure, FrameClosure, Inertia, Joint, Link, PointClosure, Prismatic, Revolute, Transform
from revolute.dynamics.constrained import DAMPING, ROUNDS
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import bias_forces
from revolute.machine.functions import closures as recursions
from revolute.model.model import Closure

REDUNDANT = 1e-10
"""Singular value, relative to the largest, of a redundant row: loops are closed to rounding."""


@dataclass
class Linkage:
    robot: revolute.Robot
    closures: list[Closure]
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray
    way: np.ndarray


def body(rng: np.random.Generator, name: str) -> Link:
    """A rod-like link of random mass."""
    mass, half = rng.uniform(0.3, 3), rng.uniform(-0.3, 0.3, 3)
    inertia = np.diag(rng.uniform(0.5, 1, 3)) * mass * 0.05
    return Link(name, Inertia.from_com(mass, tuple(half), inertia))


def linkage(seed: int) -> Linkage:
    """A loop in the plane or in space, on a fixed, turning or free base; with rows given twice, or nearly so."""
    rng = np.random.default_rng(seed)
    planar, base = bool(rng.integers(2)), ("fixed", "turning", "free")[rng.integers(3)]
    links, joints, parent = [body(rng, "ground")], [], "ground"
    if base == "turning":
        links, axis = [Link("world"), *links], rng.standard_normal(3)
        joints.append(Joint("turn", "world", "ground", Revolute(tuple(axis / np.linalg.norm(axis)))))
    turn = Transform.from_rpy((0, 0, 0), tuple(rng.uniform(-2, 2, 3)))  # the plane of the loop
    for k in range(int(rng.integers(3, 6) if planar else rng.integers(5, 8))):
        axis = np.array([0, 0, 1.0]) if planar else rng.standard_normal(3)
        at = np.append(rng.uniform(-1, 1, 2), 0) if planar else rng.uniform(-1, 1, 3)
        slides = k and rng.random() < 0.15
        if slides and planar:
            axis = np.append(rng.standard_normal(2), 0)
        axis = tuple(axis / np.linalg.norm(axis))
        place = Transform(p=tuple(at)) if k else turn @ Transform(p=tuple(at))
        joints.append(Joint(f"joint{k}", parent, f"link{k}", Prismatic(axis) if slides else Revolute(axis), place))
        links.append(body(rng, parent := f"link{k}"))
    robot = revolute.Robot.from_links("linkage", links, joints, base="free" if base == "free" else "fixed")
    q = rng.uniform(-1.5, 1.5, robot.nq)
    if base == "free":
        q[3:7] /= np.linalg.norm(q[3:7])
    kind = (PointClosure, AxisClosure, FrameClosure)[rng.integers(3)]
    tip = Transform(p=tuple(np.append(rng.uniform(-0.5, 0.5, 2), 0)))
    closures = [robot.hold(parent, q, kind, link_b="ground", at=tip)]
    more = rng.integers(3)
    if more == 1:
        closures *= 2
    if more == 2:  # a second point beside the first: nearly dependent rows
        beside = Transform(p=tuple(np.array(tip.p) + 10.0 ** -rng.uniform(1, 5) * np.eye(3)[0]))
        closures.append(robot.hold(parent, q, PointClosure, link_b="ground", at=beside))
    J = np.array(recursions.jacobian(robot, recursions.Loops(tuple(closures)), q.tolist()), float)
    qd = rng.standard_normal(robot.nv)
    qd -= np.linalg.pinv(J, rcond=REDUNDANT) @ J @ qd
    return Linkage(robot, closures, q, qd, *rng.standard_normal((2, robot.nv)))


def exact(case: Linkage, q: Any, qd: Any, tau: Any) -> tuple[mpmath.matrix, float, float]:
    """Accelerations; of the rows that are not redundant, in the metric of M, the condition and the smallest eigenvalue
    over the mean of the diagonal."""
    loops = recursions.Loops(tuple(case.closures))
    M, J = (mpmath.matrix(x) for x in (mass_matrix(case.robot, q), recursions.jacobian(case.robot, loops, q)))
    load = mpmath.matrix([t - b for t, b in zip(tau, bias_forces(case.robot, q, qd), strict=True)])
    inverse = M**-1
    A = J * inverse * J.T
    values, E = mpmath.eigsy(A)
    missing = E.T * (-mpmath.matrix(recursions.drift(case.robot, loops, q, qd)) - J * inverse * load)
    kept = [s > REDUNDANT**2 * max(values) for s in values]
    forces = mpmath.matrix([x / s if yes else 0 for x, s, yes in zip(missing, values, kept, strict=True)])
    smallest = min(s for s, yes in zip(values, kept, strict=True) if yes)
    mean = sum(values) / len(values)
    return inverse * (load + J.T * (E * forces)), float(mpmath.sqrt(max(values) / smallest)), float(smallest / mean)


def digits(*arrays: np.ndarray) -> list[list[mpmath.mpf]]:
    return [[mpmath.mpf(float(x)) for x in array] for array in arrays]


def found(case: Linkage, opening: float) -> np.ndarray:
    """Accelerations of a state that is open by about this distance, by the recursion that is compiled."""
    q = case.robot.integrate(case.q, opening * case.way)
    arrays = (x.tolist() for x in (q, case.qd, case.tau))
    return np.array(recursions.forward_dynamics(case.robot, recursions.Loops(tuple(case.closures)), *arrays))


@pytest.fixture(autouse=True)
def fifty_digits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("sin", "cos", "sqrt"):
        monkeypatch.setattr(mpmath.mpf, name, getattr(mpmath, name), raising=False)
    with mpmath.workdps(50):
        yield


def check(seed: int) -> None:
    """Errors left by rounding, by the rounds that end, and by the opening."""
    case = linkage(seed)
    expected, condition, smallest = exact(case, *digits(case.q, case.qd, case.tau))
    closed = np.array([float(x) for x in expected])
    left = (DAMPING / (smallest + DAMPING)) ** ROUNDS
    assert condition > 1e3 or left < 1e-9
    for opening in (0, 1e-9, 1e-6):
        error = np.abs(found(case, opening) - closed).max() / max(1, np.abs(closed).max())
        assert error < 1e-9 + 100 * left + 1e3 * opening, (seed, opening, condition)


@pytest.mark.parametrize("seed", range(12))
def test_accelerations_of_linkages_equal_those_of_fifty_digits(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(12, 1000, 76))
def test_accelerations_of_a_thousand_linkages(block: int) -> None:
    for seed in range(block, block + 76):
        check(seed)


@pytest.mark.parametrize("seed", [6, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 207))])
def test_partials_of_linkages_are_slopes_of_fifty_digits(seed: int) -> None:
    """Along changes that keep loops closed; compiled accelerations are those of the recursion."""
    case, h = linkage(seed), mpmath.mpf(10) ** -16
    closed = case.robot.with_closures(case.closures)
    x = case.q, case.qd, case.tau
    np.testing.assert_allclose(closed.forward_dynamics(*x), found(case, 0.0), rtol=0, atol=1e-9)
    _, s, Vt = np.linalg.svd(closed.jacobian(case.q))
    tangents = Vt[(s > 1e-8 * s[0]).sum() :]
    for kind, slopes in enumerate(closed.forward_dynamics_partials(*x)):
        for way in np.eye(case.robot.nv) if kind == 2 else tangents:
            ends = [digits(*x) for _ in range(2)]
            for sign, end in zip((1, -1), ends, strict=True):
                end[kind] = [a + sign * h * float(b) for a, b in zip(end[kind], way, strict=True)]
            first, last = (exact(case, *end)[0] for end in ends)
            expected = np.array([float(a) for a in (first - last) / (2 * h)])
            np.testing.assert_allclose(slopes @ way, expected, rtol=0, atol=1e-7 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("closure", [PointClosure, AxisClosure, FrameClosure])
@pytest.mark.parametrize("links", [("b_link2", "link2"), ("b_link1", "ground"), ("link0", "b_link2"), ("link2", None)])
def test_rows_are_derivatives_of_the_errors(closure: Any, links: tuple[str, str | None]) -> None:
    """In a state that is not closed, by differences of fifty digits: between branches, and along one, both ways."""
    first, second = (next(x for x in map(linkage, range(k, k + 40)) if x.robot.nq == x.robot.nv) for k in (0, 40))
    robot = first.robot.attach(second.robot, "link0", prefix="b_")
    rng = np.random.default_rng(7)
    places = [Transform.from_rpy(tuple(rng.uniform(-1, 1, 3)), tuple(rng.uniform(-1, 1, 3))) for _ in "ab"]
    loops, h = recursions.Loops((closure(*links, *places),)), mpmath.mpf(10) ** -12
    q, qd = digits(*rng.standard_normal((2, robot.nv)))
    before, now, after = (
        mpmath.matrix(recursions.error(robot, loops, [x + k * h * v for x, v in zip(q, qd, strict=True)]))
        for k in (-1, 0, 1)
    )
    J = mpmath.matrix(recursions.jacobian(robot, loops, q))
    assert mpmath.norm(J * mpmath.matrix(qd) - (after - before) / (2 * h)) < 1e-12
    drift = mpmath.matrix(recursions.drift(robot, loops, q, qd))
    assert mpmath.norm(drift - (after - 2 * now + before) / h**2) < 1e-12
