"""What every compiled function of every machine promises: one suite over all of them."""

import copy
import functools
import inspect
import pickle
import pydoc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_close, assert_each, assert_raises
from machine_code import fast_calls
from robots import signature

import revolute
from revolute import AxisClosure, DtypeError, InputError, ShapeError
from revolute.compiler.bound import _Compiled
from revolute.graph import verify
from revolute.targets.numpy import evaluate

ROWS = 5


@functools.cache
def arm() -> revolute.Robot:
    return revolute.robots.planar(2)


@functools.cache
def floating() -> revolute.Robot:
    return revolute.robots.random_tree(1, rng=1, base="free")


@functools.cache
def cart() -> Any:
    x, a, dx, da, m = sympy.symbols("x a dx da m")
    kinetic = m * dx**2 / 2 + (dx**2 + da**2 + 2 * dx * da * sympy.cos(a)) / 2
    return revolute.lagrange([x, a], kinetic, 9.81 * sympy.cos(a) + x**2).subs({"m": 2.0})


MACHINES: dict[str, Callable[[], Any]] = {
    "arm": arm,
    "floating": floating,
    "driven": lambda: arm().with_drives({"joint1": revolute.Drive(damping=(0.5,), armature=(0.1,))}),
    "closed": lambda: revolute.robots.planar(3).with_closures(AxisClosure("tip", at_b=(1.5, 0.0, 0.0))),
    "elastic": lambda: arm().with_elastic_joints([100.0, 80.0], rotor_inertia=0.2, damping=0.5),
    "elastic floating": lambda: floating().with_elastic_joints([100.0], rotor_inertia=0.2, damping=0.5),
    "system": cart,
    "constrained system": lambda: cart().with_constraints([sympy.sympify("x - sin(a) / 2")]),
}
FUNCTIONS = [
    (machine, name)
    for machine, make in MACHINES.items()
    for name in sorted({n for kind in type(make()).__mro__ for n, x in vars(kind).items() if isinstance(x, _Compiled)})
]


def every(*slow: str) -> Any:
    """All functions, one after the other with all tests, which share its kernels; some machines' in `make test-all`."""
    params = [pytest.param(m, n, id=f"{m}-{n}", marks=[pytest.mark.slow] * (m in slow)) for m, n in FUNCTIONS]
    return pytest.mark.parametrize(("machine", "name"), params, scope="module")


TOGETHER = ("driven", "elastic floating")
"""Machines that put together what others have."""

EVERY = every(*TOGETHER)


def new(machine: str) -> Any:
    """A machine that nobody has called yet."""
    return copy.copy(MACHINES[machine]())


class Case:
    """A function with states for its arrays, and options."""

    def __init__(self, machine: str, name: str) -> None:
        self.machine, self.name = new(machine), name
        self.function = getattr(self.machine, name)
        parameters = inspect.signature(self.function).parameters.values()
        needed = [p.name for p in parameters if p.default is p.empty]
        frame = {"frame": self.machine.link_names[-1]} if "frame" in needed else {}
        self.options = frame
        self.kernel = self.machine.kernel(name, **frame)
        given = [p.name for p in parameters]
        self.inputs = [x for x in self.kernel.inputs if x.name in given]  # a machine may have arrays of its own
        self.shapes = [x.shape for x in self.inputs]
        self.arrays = self.state(7)

    def state(self, seed: int) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        return [rng.uniform(-1, 1, (ROWS, *shape)) for shape in self.shapes]

    def __call__(self, *arrays: Any, **named: Any) -> tuple[np.ndarray, ...]:
        found = self.function(*arrays, **self.options, **named)
        return found if isinstance(found, tuple) else (found,)

    def rows(self) -> Iterator[list[np.ndarray]]:
        for k in range(ROWS):
            yield [x[k].copy() for x in self.arrays]


def same(found: Any, expected: Any) -> None:
    """To the last bit."""
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(a, b)


@EVERY
def test_a_batch_is_its_rows(machine: str, name: str) -> None:
    case = Case(machine, name)
    whole = case(*case.arrays)
    for k, row in enumerate(case.rows()):
        for _ in range(3):  # by Python, and by machine code
            same(case(*row), [y[k] for y in whole])
    assert fast_calls(case.function) == 1
    same(case(*case.arrays, threads=2), whole)


@EVERY
def test_machine_code_computes_what_the_graph_says(machine: str, name: str) -> None:
    """As NumPy evaluates it: to some thousand roundings, times conditions of up to 1e3."""
    case = Case(machine, name)
    graph = verify(signature(case.machine, name, case.options).graph())
    arrays = {x.name: getattr(case.machine, x.name, None) for x in graph.inputs}  # a machine may have arrays of its own
    arrays |= {x.name: array for x, array in zip(case.inputs, case.arrays, strict=True)}
    assert_each(assert_close, case(*case.arrays), evaluate(graph, arrays).values(), 1e-9)


@EVERY
def test_early_is_late(machine: str, name: str) -> None:
    case = Case(machine, name)
    early, row = case.function, next(case.rows())
    stored = functools.partial(early, *row, **case.options)

    def facts() -> list[Any]:
        names = [early.__name__, early.__qualname__, early.__module__, early.__doc__, repr(early)]
        texts = [str(inspect.signature(early)), pydoc.plain(pydoc.render_doc(early))]
        return [*names, *texts, early.__self__ is case.machine]

    before = facts()
    assert before[0] == name and before[-1] and hasattr(case.machine, name) and fast_calls(early) == 0
    for _ in range(3):
        case(*row)
    assert getattr(case.machine, name) is early is stored.func and facts() == before and fast_calls(early) == 1
    found = stored()
    same(found if isinstance(found, tuple) else (found,), case(*row))


@EVERY
def test_results_go_where_they_are_wanted(machine: str, name: str) -> None:
    """From the first call on."""
    case, other = Case(machine, name), Case(machine, name)
    for arrays, batch in ((case.arrays, (ROWS,)), (next(case.rows()), ())):
        out = tuple(np.full((*batch, *shape), np.nan) for _, shape in case.kernel.outputs)
        expected = other(*arrays)
        for _ in range(3):
            found = case.function(*arrays, **case.options, out=out if len(out) > 1 else out[0])
            assert found is out if len(out) > 1 else found is out[0]
            same(out, [np.asarray(y) for y in expected])
        with pytest.raises(DtypeError, match="out"):
            case(*arrays, out=tuple(y.astype("f") for y in out) if len(out) > 1 else out[0].astype("f"))


@EVERY
def test_arrays_of_every_layout_and_broadcast(machine: str, name: str) -> None:
    case = Case(machine, name)
    expected = case(*case.arrays)
    for change in (
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: x.tolist(),
        lambda x: x[None],
    ):
        found = case(*[change(x) for x in case.arrays])
        same([y.reshape(z.shape) for y, z in zip(found, expected, strict=True)], expected)
    first = [x[:1] for x in case.arrays]
    same(case(case.arrays[0], *first[1:]), case(case.arrays[0], *[np.repeat(x, ROWS, axis=0) for x in first[1:]]))


@every(*TOGETHER, "arm")
def test_single_precision(machine: str, name: str) -> None:
    """Within what rounding of the inputs and of some hundred operations makes of it, where results are not singular.

    A floating robot has all functions of an arm.
    """
    case = Case(machine, name)
    halves = [x.astype(np.float32) for x in case.arrays]
    found = case(*halves)
    same(found, case(*halves, threads=2))
    assert {y.dtype.name for y in found} == {"float32"}
    for k in range(ROWS):
        row = [x[k].copy() for x in halves]
        for _ in range(3):
            same(case(*row), [y[k] for y in found])
    for y, z in zip(found, case(*[x.astype(float) for x in halves]), strict=True):
        assert np.abs(y - z).max(initial=0) <= 1e-3 * max(np.abs(z).max(initial=0), 1)


@EVERY
def test_errors_name_the_function_and_the_array(machine: str, name: str) -> None:
    case = Case(machine, name)
    for arrays in (case.arrays, next(case.rows())):
        for _ in range(2):
            for k, x in enumerate(case.inputs):
                wrong = [*arrays]
                if x.shape:
                    wrong[k] = arrays[k][..., :-1]
                    assert_raises(ShapeError, f"^{name}: {x.name} has shape", case, *wrong)
                wrong[k] = arrays[k] + 0j
                assert_raises(DtypeError, f"{x.name} must hold real numbers, not complex128", case, *wrong)
            case(*arrays)
    with pytest.raises(ShapeError, match=r"out must have shape|out for"):
        out = tuple(np.empty((1, *shape)) for _, shape in case.kernel.outputs)
        case(*next(case.rows()), out=out if len(out) > 1 else out[0])
    assert_raises(TypeError, "unexpected keyword", case, *case.arrays, nonsense=1)
    assert_raises(InputError, "threads must be a positive number", case, *case.arrays, threads=0)


@EVERY
def test_what_is_no_number_stays_in_its_row(machine: str, name: str) -> None:
    case = Case(machine, name)
    expected = case(*case.arrays)
    for value in (np.nan, np.inf):
        arrays = [x.copy() for x in case.arrays]
        for x in arrays:
            x[2] = value
        for y, z in zip(case(*arrays), expected, strict=True):
            np.testing.assert_array_equal(np.delete(y, 2, axis=0), np.delete(z, 2, axis=0))


@EVERY
def test_pickles_and_copies_compute_the_same(machine: str, name: str) -> None:
    case = Case(machine, name)
    row = next(case.rows())
    expected = case(*row)
    assert copy.copy(case.function) is case.function
    for again in (pickle.loads(pickle.dumps(case.function)), getattr(pickle.loads(pickle.dumps(case.machine)), name)):
        found = again(*row, **case.options)
        same(found if isinstance(found, tuple) else (found,), expected)


def machines(*names: str) -> Any:
    """The machines that have all these functions."""
    found = [m for m, make in MACHINES.items() if type(make()).functions().keys() >= {*names}]
    assert len(found) >= 2
    return pytest.mark.parametrize("machine", found)


def motion(machine: str, seed: int = 3) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """A machine, and positions, velocities and accelerations of some rows; motors' velocities of elastic ones."""
    made, rng = new(machine), np.random.default_rng(seed)
    kernel = made.kernel("kinetic_energy" if "elastic" in machine else "inverse_dynamics")
    return made, *(rng.uniform(-1, 1, (ROWS, *x.shape)) for x in kernel.inputs[:3])


@machines("mass_matrix", "kinetic_energy")
def test_the_mass_matrix_is_symmetric_and_positive(machine: str) -> None:
    made, q, qd, thetad = motion(machine)
    M, velocities = made.mass_matrix(q), [qd, *([thetad] if "elastic" in machine else [])]
    np.testing.assert_allclose(M, np.swapaxes(M, -1, -2), atol=1e-14 * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0
    whole = np.concatenate(velocities, axis=-1)
    energy = np.einsum("...i,...ij,...j", whole, M, whole) / 2
    np.testing.assert_allclose(made.kinetic_energy(q, *velocities), energy, rtol=1e-12)


@machines("inverse_dynamics", "forward_dynamics")
def test_accelerations_need_the_forces_that_make_them(machine: str) -> None:
    """FD o ID is the identity, to rounding times the condition of M, which is below 1e4 here."""
    made, q, qd, qdd = motion(machine)
    assert np.linalg.cond(getattr(made, "robot", made).mass_matrix(q)).max() < 1e4
    if machine in ("constrained system", "closed"):  # accelerations that obey its constraints
        qdd = made.forward_dynamics(q, qd, qdd)
    np.testing.assert_allclose(made.forward_dynamics(q, qd, made.inverse_dynamics(q, qd, qdd)), qdd, atol=1e-10)


def declared() -> Iterator[Any]:
    """All functions, internal ones too, with the options that they need."""
    reach = {
        "operational": lambda: arm().operational_space("tip", "ZYX", rows=(3, 4)),
        "quaternion": lambda: revolute.robots.panda().operational_space("panda_link8", "quaternion"),
    }
    for machine, make in {**MACHINES, **reach}.items():
        for name, function in type(make()).functions().items():
            refused = (machine, name) in (("floating", "linearize_task"), ("quaternion", "linearize"))  # redundant
            if not function.needed - {"frame"} and not refused:
                yield pytest.param(make, name, id=f"{machine}-{name}")


@pytest.mark.parametrize(("make", "name"), [*declared()])
def test_a_recursion_is_the_same_on_numbers(make: Any, name: str) -> None:
    """On floats beside the graph, whose rules order operations anew: 1e-9 for matrices of condition below 1e5."""
    machine, rng = make(), np.random.default_rng(3)
    function = type(machine).functions()[name]
    needed = {"frame": machine.link_names[-1]} if "frame" in function.needed else {}
    needed |= {"rows": (3, 4)} if needed and "rows" in function.options else {}  # those that a plane leaves
    form = machine._signature(name, needed)
    arrays = [rng.uniform(0.1, 1, x.size).tolist() for x in form.inputs]
    found = form.body(*arrays) if len(form.outputs) > 1 else [form.body(*arrays)]
    wanted = evaluate(form.graph(), {x.name: np.reshape(y, x.shape) for x, y in zip(form.inputs, arrays, strict=True)})
    for y, expected in zip(found, wanted.values(), strict=True):
        size = np.abs(expected).max(initial=1e-3)
        np.testing.assert_allclose(y, expected.ravel(), rtol=0, atol=1e-9 * size)
