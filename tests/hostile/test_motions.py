"""Motions under torque functions that misbehave, and from states and times of every wrong kind, on all machines."""

import itertools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from motions import arrays

import revolute
from revolute import Drive, DtypeError, InputError, PointClosure, SimulationError, SimulationInterrupt
from revolute.simulate import ADAPTIVE, FIXED

T = np.array([0.0, 0.01, 0.02, 0.03])
SOME = (*FIXED, "DOP853", "Radau")
"""Adaptive methods call a torque alike: an explicit and an implicit one stand for all, but for a robot."""
RUNS = [
    *(("robot", method) for method in FIXED + ADAPTIVE),
    *((machine, method) for machine in ("floating", "driven", "elastic") for method in SOME),
    *(("constrained", method) for method in ("runge_kutta_4", *SOME[-2:])),
]
FIRST = [("robot", "runge_kutta_4"), ("floating", "DOP853"), ("driven", "semi_implicit_euler"),
         ("constrained", "runge_kutta_4"), ("elastic", "DOP853")]


@cache
def machine(name: str) -> tuple[Any, tuple[np.ndarray, ...], int]:
    """What is simulated, the arrays of its first state, and its number of joint forces."""
    arm = revolute.robots.planar(3)
    q, qd = np.array([0.3, 0.5, -0.4]), np.array([0.1, -0.2, 0.3])
    if name == "floating":
        tree = revolute.robots.random_tree(1, rng=3, base="free")
        return tree, (tree.random_configuration(rng=1), np.linspace(-0.3, 0.3, tree.nv)), tree.nv
    if name == "driven":
        return arm.with_drives({"joint1": Drive(armature=(0.3,), damping=(0.2,))}), (q, qd), 3
    if name == "constrained":
        pin = arm.forward_kinematics(q, "tip")[:3, 3]
        held = arm.with_closures(PointClosure("tip", at_b=tuple(pin.tolist())))
        return held, held.project(q, qd), 3
    if name == "elastic":
        return arm.with_elastic_joints(500.0, rotor_inertia=0.2), (q, q + 0.01, qd, qd), 3
    return arm, (q, qd), 3


def simulate(name: str, method: str, torque: Any, t: Any = T, state: Any = None) -> Any:
    robot, first, _ = machine(name)
    return robot.simulate(*(first if state is None else state), torque, t, method=method)


def same(a: Any, b: Any) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(arrays(a), arrays(b), strict=True))


def law(name: str) -> Callable[..., np.ndarray]:
    """A torque that depends on time and on the last array of the state."""
    return lambda t, *state: 0.5 - state[-1] + t * np.arange(machine(name)[2])


@pytest.mark.parametrize("name, method", RUNS)
def test_a_torque_function_cannot_write_to_the_state(name: str, method: str) -> None:
    for which in range(len(machine(name)[1])):

        def torque(t: float, *state: np.ndarray, which: int = which) -> np.ndarray:
            state[which].__isub__(1.0)
            return np.zeros(machine(name)[2])

        assert_raises(SimulationError, r"raised ValueError: .*read-only: change a copy", simulate, name, method, torque)


@pytest.mark.parametrize("name, method", RUNS)
def test_arguments_that_are_made_writeable_are_copies(name: str, method: str) -> None:
    def torque(t: float, *state: np.ndarray) -> np.ndarray:
        tau = law(name)(t, *state)
        for array in state:
            array.flags.writeable = True
            array[...] = 1e3
        return tau

    assert same(simulate(name, method, torque), simulate(name, method, law(name)))


@pytest.mark.parametrize("name, method", RUNS)
def test_arguments_and_results_that_are_kept_change_nothing(name: str, method: str) -> None:
    """Kept arguments stay as they were; one array of results serves all calls, and is overwritten at last."""
    kept: list[tuple[np.ndarray, ...]] = []
    seen: list[list[np.ndarray]] = []
    result = np.zeros(machine(name)[2])

    def torque(t: float, *state: np.ndarray) -> np.ndarray:
        kept.append(state)
        seen.append([x.copy() for x in state])
        result[:] = law(name)(t, *state)
        return result

    motion = simulate(name, method, torque)
    result[:] = np.nan
    assert same(motion, simulate(name, method, law(name)))
    assert np.ptp(motion.tau, axis=0).min() > 0
    assert all(np.array_equal(x, y) for a, b in zip(kept, seen, strict=True) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("name, method", FIRST)
def test_arguments_of_simulate_that_change_meanwhile_change_nothing(name: str, method: str) -> None:
    state, t = [x.copy() for x in machine(name)[1]], T.copy()

    def torque(time: float, *now: np.ndarray) -> np.ndarray:
        t[:] = 7.0
        for x in state:
            x[:] = 9.0
        return law(name)(time, *now)

    motion = simulate(name, method, torque, t, state)
    assert same(motion, simulate(name, method, law(name)))
    t[:] = 0.0
    assert np.array_equal(motion.t, T)


@pytest.mark.parametrize("name, method", FIRST)
def test_a_torque_function_that_simulates_itself(name: str, method: str) -> None:
    def torque(t: float, *state: np.ndarray) -> np.ndarray:
        simulate(name, method, law(name), T[:2])
        return law(name)(t, *state)

    assert same(simulate(name, method, torque), simulate(name, method, law(name)))


def stopped(name: str, method: str, stop: Callable[[], Any], error: type[BaseException], message: str) -> Any:
    """The error of a motion whose torque stops it after its second instant, which stays."""

    def torque(t: float, *state: np.ndarray) -> Any:
        return stop() if t == T[2] else np.zeros(machine(name)[2])

    with pytest.raises(error, match=message) as caught:
        simulate(name, method, torque)
    assert caught.value.partial.t.tolist() == T[:2].tolist()  # type: ignore[attr-defined]
    return caught.value


WRONG: dict[str, Any] = {
    "NaN": math.nan, "infinity": math.inf, "too large for a float": 10**400, "complex": 1j, "complex, but real": 1 + 0j,
    "too large for float64": np.longdouble("1e4000"), "an object": object(), "text": "1.0", "a function": lambda: 1.0,
    "a time": np.timedelta64(1, "s"),
}  # fmt: skip
"""In place of each number."""
WHOLE: dict[str, Any] = {
    "nothing": None, "a scalar": 1.0, "too many": np.zeros(50), "too deep": np.zeros((1, 1, 1, 1)), "empty": [],
    "ragged": [[1.0], [1.0, 2.0]], "a dict": {"joint1": 1.0}, "a set": {1.0}, "a generator": (x for x in [1.0]),
}  # fmt: skip
"""In place of all of them."""


@pytest.mark.parametrize("wrong", [*WRONG, *WHOLE])
@pytest.mark.parametrize("name, method", FIRST)
def test_results_that_are_no_forces(name: str, method: str, wrong: str) -> None:
    value = WHOLE[wrong] if wrong in WHOLE else [WRONG[wrong]] * machine(name)[2]
    told = r"torque\(t=0\.02 s\) (must be real numbers|has shape|is ragged|is not finite for joint|must hold)"
    found = stopped(name, method, lambda: value, SimulationError, told)
    assert same(found.partial, simulate(name, method, None, T[:2]))


@pytest.mark.parametrize(
    "error", [ValueError, KeyError, ZeroDivisionError, RecursionError, StopIteration, MemoryError, InputError]
)
@pytest.mark.parametrize("name, method", FIRST)
def test_a_torque_function_that_raises(name: str, method: str, error: type[Exception]) -> None:
    def stop() -> Any:
        raise error("gone")

    told = rf"torque\(t=.*\) raised {error.__name__}: .*gone"
    assert isinstance(stopped(name, method, stop, SimulationError, told).__cause__, error)


@pytest.mark.parametrize("name, method", FIRST)
def test_an_interrupt_stays_one_and_keeps_the_motion(name: str, method: str) -> None:
    def stop() -> Any:
        raise KeyboardInterrupt

    found = stopped(name, method, stop, KeyboardInterrupt, r"interrupted after t=0\.01 s of")
    assert isinstance(found, SimulationInterrupt) and not isinstance(found, Exception)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers that give up soon: how long they try is not the point."""
    monkeypatch.setattr("revolute.simulate.adaptive.MOST", 500)


@pytest.mark.parametrize("name, method, size", [*((*run, -1e200) for run in RUNS), *((*run, 1e308) for run in FIRST)])
@pytest.mark.usefixtures("impatient")
def test_forces_beyond_all_measure(name: str, method: str, size: float) -> None:
    """Finite forces, and motions that are not: an error of ours, or a finite record."""
    torque = np.full(machine(name)[2], size)
    try:
        motion = simulate(name, method, torque)
    except SimulationError as error:
        assert str(error).startswith("simulate: ")
        motion = error.partial
    assert np.isfinite(motion.q).all() and np.isfinite(motion.qd).all()


@pytest.mark.parametrize("name, method", FIRST)
def test_complex_numbers_are_refused_everywhere(name: str, method: str) -> None:
    """Warnings are errors here: NumPy's own, of a lost imaginary part, would fail this test too."""
    first, n = machine(name)[1], machine(name)[2]
    for k in range(len(first)):
        state = [x + 1j * (j == k) if j == k else x for j, x in enumerate(first)]
        assert_raises(DtypeError, "must be real numbers, not complex128", simulate, name, method, None, T, state)
    for torque in (np.zeros(n, complex), np.zeros((len(T), n), np.complex64), [1j] * n):
        assert_raises(DtypeError, "torque must be real numbers, not complex", simulate, name, method, torque)
    assert_raises(DtypeError, r"t \[s\] must be real numbers, not complex128", simulate, name, method, None, T + 0j)
    with pytest.raises(SimulationError, match=r"torque\(t=0 s\) must be real numbers, not complex128"):
        simulate(name, method, lambda *state: np.zeros(n, complex))


class OnDevice:
    """Numbers that do not turn into an array by themselves, as those of CuPy."""

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise TypeError("call .get()")


@pytest.mark.parametrize("name, method", FIRST)
def test_exact_numbers_are_numbers(name: str, method: str) -> None:
    n = machine(name)[2]
    expected = simulate(name, method, np.full(n, 0.5), T)
    for half in Fraction(1, 2), Decimal("0.5"), sympy.Rational(1, 2), sympy.sqrt(4) / 4:
        for torque in ([half] * n, lambda *state, half=half: [half] * n):
            assert np.array_equal(simulate(name, method, torque, T).q, expected.q)
    for wrong in (sympy.Symbol("a"), sympy.I, 10**400, "1", None):
        assert_raises(DtypeError, "torque must be real numbers, not", simulate, name, method, [wrong] * n, T)
    with pytest.raises(DtypeError, match=r"torque must be real numbers, not .*OnDevice"):
        simulate(name, method, OnDevice(), T)  # type: ignore[arg-type]


def test_complex_springs_are_refused() -> None:
    arm = revolute.robots.planar(2)
    for wrong in ({"stiffness": 1j}, {"rotor_inertia": [1.0, 1j]}, {"damping": 1 + 0j}):
        with pytest.raises(DtypeError, match=f"{next(iter(wrong))} must be real numbers, not"):
            arm.with_elastic_joints(**{"stiffness": 1.0, "rotor_inertia": 1.0} | wrong)


@pytest.mark.parametrize("name, method", FIRST)
def test_states_of_every_kind_of_real_number(name: str, method: str) -> None:
    """Lists, float32, integers, read-only, backward and strided arrays; what is handed in stays as it is."""
    whole = [np.round(x).astype(int) for x in machine(name)[1]]
    if name == "constrained":
        whole = [np.zeros(3, int), np.zeros(3, int)]
    expected = simulate(name, method, np.ones(machine(name)[2]), T, [x.astype(float) for x in whole])
    forms: list[Callable[[np.ndarray], Any]] = [
        np.ndarray.tolist,
        *(lambda x, kind=kind: x.astype(kind) for kind in (int, np.float32, np.float16, np.longdouble, ">f8")),
        lambda x: np.repeat(x.astype(float), 2)[::2],
        lambda x: x.astype(float)[::-1].copy()[::-1],
    ]
    for form in forms:
        state = [form(x) for x in whole]
        before = [np.array(x) for x in state]
        for x in state:
            if isinstance(x, np.ndarray):
                x.flags.writeable = False
        torque = form(np.ones(machine(name)[2], int))
        assert same(simulate(name, method, torque, T.tolist(), state), expected)
        assert all(np.array_equal(x, y) for x, y in zip(before, state, strict=True))


@pytest.mark.parametrize("name, method", FIRST)
def test_states_that_are_none(name: str, method: str) -> None:
    first = machine(name)[1]
    for k, x in enumerate(first):
        for wrong in (None, "x", x[:-1], x[..., None], np.nan * x, [object()] * len(x), [10**400] * len(x), {}):
            state = [wrong if j == k else y for j, y in enumerate(first)]
            with pytest.raises(InputError, match=r"simulate: (q|qd|theta|thetad)0 (must be|has shape|is not finite)"):
                simulate(name, method, None, T, state)


@pytest.mark.parametrize("name, method", RUNS)
def test_one_instant_is_a_motion(name: str, method: str) -> None:
    motion = simulate(name, method, law(name), [5.0])
    assert motion.t.tolist() == [5.0] and motion.tau.shape == (1, machine(name)[2])
    rounding = 4 * np.finfo(float).eps if name == "constrained" else 0.0  # the state is first projected on the closures
    np.testing.assert_allclose(motion.tau[0], law(name)(5.0, *machine(name)[1]), rounding)


@pytest.mark.parametrize(
    "t", [[], [0.0, 0.0], [0.0, 1.0, 0.5], [0.0, math.nan], [0.0, math.inf], [[0.0, 1.0]], 0.0, None, "now", [None]]
)
@pytest.mark.parametrize("name, method", FIRST)
def test_times_that_are_none(name: str, method: str, t: Any) -> None:
    assert_raises(InputError, r"simulate: t (\[s\] )?must be", simulate, name, method, None, t)


@pytest.mark.parametrize("name, method", RUNS)
@pytest.mark.usefixtures("impatient")
def test_a_span_beyond_all_numbers(name: str, method: str) -> None:
    """From -1e308 to 1e308 there is no length of a step: an error of ours, after the first instant."""
    with pytest.raises(SimulationError, match="simulate: ") as caught:
        simulate(name, method, None, [-1e308, 1e308])
    assert caught.value.partial.t.tolist() == [-1e308]


@pytest.mark.parametrize("name, method", RUNS)
def test_batches_of_no_state(name: str, method: str) -> None:
    _, first, n = machine(name)
    torques = None, np.zeros(n), np.zeros((len(T), n)), lambda t, *state: np.zeros_like(state[-1])
    batches = [(0,), (0, 3), (10**12, 0)] if (name, method) in FIRST else [(0, 3)]
    for batch, torque in itertools.product(batches, torques):
        motion = simulate(name, method, torque, T, [np.empty((*batch, len(x))) for x in first])
        assert motion.q.shape == (*batch, len(T), len(first[0])) and motion.energy.shape == (*batch, len(T))


@pytest.mark.parametrize("method", FIXED + ADAPTIVE)
def test_a_robot_without_joints_stands(method: str) -> None:
    stone = revolute.Robot.from_links("stone", [revolute.Link("stone")], [])
    motion = stone.simulate([], [], lambda t, q, qd: qd, T, method)
    assert motion.q.shape == motion.tau.shape == (len(T), 0) and np.array_equal(motion.energy, np.zeros(len(T)))


@pytest.mark.parametrize("name", ("robot", "floating", "driven", "constrained", "elastic"))
def test_other_arguments_that_are_none(name: str) -> None:
    robot, first, _ = machine(name)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"method": x}, "simulate: no method") for x in ("rk4", "", 4, ["RK45"], b"RK45")
    ]
    for which, wrong in itertools.product(("rtol", "atol"), (0.0, -1.0, math.nan, math.inf, "1", None, 1j, np.ones(2))):
        cases.append(({"method": "DOP853", which: wrong}, f"simulate: {which} must be a positive number"))
    if name in ("robot", "floating"):
        cases.append(({"joint_damping": 0.5}, "simulate: joint_damping must be of the type bool"))
    if name == "constrained":
        cases.append(({"projection": "no"}, "simulate: projection must be of the type bool"))
        cases.append(({"stabilization": math.nan}, "stabilization must be a rate"))
    for options, message in cases:
        assert_raises(InputError, message, robot.simulate, *first, None, T, **options)
