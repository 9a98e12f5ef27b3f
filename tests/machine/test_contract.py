"""What every function that runs machine code promises: one suite over all cells of `everything.py`."""

import copy
import functools
import inspect
import pickle
import pydoc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_close, assert_each, assert_raises
from everything import CELLS, FOUND, LEFT_OUT, MACHINES, OWNERS, ROWS, Case, arm, forgotten, table
from machine_code import fast_calls
from robots import signature

import revolute
from revolute import DtypeError, InputError, RevoluteError, ShapeError
from revolute.graph import verify
from revolute.targets.numpy import evaluate

TOGETHER = ("driven", "elastic floating")
"""Machines that put together what others have."""


def every(cells: Any, *slow: Any) -> Any:
    """Cells, one after the other with all tests, which share its kernels; some, or a machine's, in `make test-all`."""
    marks = {True: pytest.mark.slow, False: ()}
    params = [pytest.param(m, n, id=f"{m}-{n}", marks=marks[m in slow or (m, n) in slow]) for m, n in cells]
    return pytest.mark.parametrize(("machine", "name"), params, scope="module")


METHODS = [(m, n) for m, n in FOUND if hasattr(type(OWNERS[m]()), n)]
INTO_OUT = [
    (m, n) for m, n in CELLS if m in MACHINES and "out" in Case.taken(type(OWNERS[m]()), m, n)
]
EVERY, EVERY_METHOD = every(CELLS, *TOGETHER), every(METHODS, *TOGETHER)


def new(machine: str) -> Any:
    """A machine that nobody has called yet."""
    return copy.copy(MACHINES[machine]())


def same(found: Any, expected: Any) -> None:
    """To the last bit."""
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(a, b)


def results(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def unless_refused(case: Case, *arrays: Any) -> tuple[Any, ...]:
    """Results; none, if there is an error of ours that names one of the arrays."""
    try:
        return case(*arrays)
    except RevoluteError as error:
        assert re.search("|".join(case.names), str(error))
        return ()


@EVERY
def test_a_batch_is_its_rows(machine: str, name: str) -> None:
    """Or part of it, or none; where batches are refused, calls have the bits of the first."""
    case = Case(machine, name)
    if "batches" in case.refused:
        same(case(*case.row(0)), case(*case.row(0)))
        assert_raises(ShapeError, "shape", case, *[x[None] for x in case.arrays])
        return
    whole = case(*case.arrays)
    for k in range(ROWS):
        for _ in range(3):  # by Python, and by machine code
            same(case(*case.row(k)), [y[k] for y in whole])
    same(case(*[x[1:3] for x in case.arrays]), [y[1:3] for y in whole])
    assert (machine, name) not in METHODS or fast_calls(case.function) == 1
    if "threads" in case.takes:
        same(case(*case.arrays, threads=2), whole)
    for y, z in zip(unless_refused(case, *[x[:0] for x in case.arrays]), whole, strict=False):
        assert y.shape == (0, *z.shape[1:])


@every(FOUND, *TOGETHER)
def test_machine_code_computes_what_the_graph_says(machine: str, name: str) -> None:
    """As NumPy evaluates it: to some thousand roundings, times conditions of up to 1e3."""
    case = Case(machine, name, new=False)
    frame = {x: y for x, y in {"frame": case.frame}.items() if y}
    graph = verify(signature(case.machine, name, frame).graph())
    arrays = {x.name: getattr(case.machine, x.name, None) for x in graph.inputs}  # a machine may have arrays of its own
    arrays |= dict(zip(case.names, case.arrays, strict=True))
    assert_each(assert_close, case(*case.arrays), evaluate(graph, arrays).values(), 1e-9)


@EVERY_METHOD
def test_early_is_late(machine: str, name: str) -> None:
    case = Case(machine, name)
    early, row = case.function, case.row(0)
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
    same(results(stored()), case(*row))


@every(INTO_OUT, *TOGETHER)
def test_results_go_where_they_are_wanted(machine: str, name: str) -> None:
    """From the first call on."""
    case, other = Case(machine, name), Case(machine, name)
    for arrays in (case.arrays, case.row(0)):
        expected = other(*arrays)
        if "contacts" in case.options and "stops" not in case.options:
            expected = (*expected[:-2], expected[-1])  # no array for the impulses of no stops
        out = tuple(np.full_like(y, np.nan) for y in expected)
        for _ in range(3):
            found = results(case.function(*arrays, **case.options, out=out if len(out) > 1 else out[0]))
            assert {*map(id, out)} <= {*map(id, found)}
            same(out, expected)
        with pytest.raises(DtypeError, match="out"):
            case(*arrays, out=tuple(y.astype("f") for y in out) if len(out) > 1 else out[0].astype("f"))
        with pytest.raises(ShapeError, match=r"out must have shape|out for"):
            case(*arrays, out=tuple(y[None] for y in out) if len(out) > 1 else out[0][None])


@EVERY
def test_arrays_of_every_layout_and_broadcast(machine: str, name: str) -> None:
    case = Case(machine, name, new=False)
    arrays = case.row(0) if "batches" in case.refused else case.arrays
    expected = case(*arrays)
    for change in (np.asfortranarray, lambda x: np.repeat(x, 2, axis=0)[::2], lambda x: x[::-1].copy()[::-1]):
        same(case(*[change(x) for x in arrays]), expected)
    for change in (lambda x: x.tolist(), lambda x: x.astype(">f8")):
        if "other arrays" in case.refused:
            assert_raises(DtypeError, "in place", case, *map(change, arrays))
        else:
            same(case(*map(change, arrays)), expected)
    if "batches" not in case.refused:
        same([y[0] for y in case(*[x[None] for x in arrays])], expected)
    first = [x[:1] for x in arrays]
    if "broadcasting" in case.refused:
        assert_raises(RevoluteError, "shape|batch|row", case, arrays[0], *first[1:])
    elif "batches" not in case.refused:
        same(case(arrays[0], *first[1:]), case(arrays[0], *[np.repeat(x, ROWS, axis=0) for x in first[1:]]))


@every(CELLS, *TOGETHER, *[cell for cell in METHODS if cell[0] == "arm"])
def test_single_precision(machine: str, name: str) -> None:
    """Within what rounding of the inputs and of some hundred operations makes of it, where results are not singular.

    Or results are float64, and have the bits of those of the same numbers in float64. A floating robot has all methods
    of an arm.
    """
    case = Case(machine, name)
    halves = [x.astype(np.float32) for x in (case.row(0) if "batches" in case.refused else case.arrays)]
    if "other arrays" in case.refused:
        assert_raises(DtypeError, "in place", case, *halves)
        return
    found, wanted = case(*halves), case(*[x.astype(float) for x in halves])
    kinds = {y.dtype.name for y in found} - {"bool"}
    if kinds != {"float32"}:
        assert (machine, name) not in METHODS
        same(found, wanted)
        return
    if "threads" in case.takes:
        same(found, case(*halves, threads=2))
    for k in range(ROWS):
        for _ in range(3):
            same(case(*[x[k].copy() for x in halves]), [y[k] for y in found])
    for y, z in zip(found, wanted, strict=True):
        assert np.abs(1.0 * y - z).max(initial=0) <= 1e-3 * max(np.abs(z).max(initial=0), 1)


@EVERY
def test_errors_name_the_function_and_the_array(machine: str, name: str) -> None:
    case, method = Case(machine, name), (machine, name) in METHODS
    for arrays in (case.row(0), *([] if "batches" in case.refused else [case.arrays])):
        for _ in range(2):
            for k, (label, shape) in enumerate(zip(case.names, case.shapes, strict=True)):
                wrong = [(DtypeError, arrays[k] + 0j), (DtypeError, ["a"] * 3), (DtypeError, [None, {}])]
                wrong += [(ShapeError, arrays[k][..., :-1])] if shape and label != "pose" else []
                for kind, x in (*wrong, (ShapeError, [[1.0], [1.0, 2.0]])):
                    start = f"^{name}: " if method else ""
                    kinds = kind if method else RevoluteError
                    with pytest.raises(kinds, match=rf"{start}.*\b({label}|reference)\b"):
                        case(*arrays[:k], x, *arrays[k + 1 :])
            case(*arrays)
    if method:
        assert_raises(TypeError, "unexpected keyword", case, *case.arrays, nonsense=1)
    if "threads" in case.takes:
        assert_raises(InputError, "threads must be a positive number", case, *case.arrays, threads=0)


@EVERY
def test_what_is_no_number_stays_in_its_row(machine: str, name: str) -> None:
    """Or it is refused, by name."""
    case = Case(machine, name, new=False)
    if "batches" in case.refused:
        return
    expected = case(*case.arrays)
    for value in (np.nan, np.inf):
        arrays = [x.copy() for x in case.arrays]
        for x in arrays:
            x[2] = value
        for y, z in zip(unless_refused(case, *arrays), expected, strict=False):
            np.testing.assert_array_equal(np.delete(y, 2, axis=0), np.delete(z, 2, axis=0))


@EVERY
def test_pickles_and_copies_compute_the_same(machine: str, name: str) -> None:
    case = Case(machine, name)
    row = case.row(0)
    expected = case(*row)
    if "pickles" in case.refused:
        errors = AttributeError, ValueError, pickle.PicklingError
        assert_raises(errors, "pickle|local object", pickle.dumps, case.machine)
        return
    if (machine, name) in METHODS:
        assert copy.copy(case.function) is case.function
    functions = [case.function] if (machine, name) in FOUND else []
    for again in (*map(pickle.loads, map(pickle.dumps, functions)), case.of(pickle.loads(pickle.dumps(case.machine)))):
        same(case.results(again(*row, **case.options)), expected)


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


def test_every_method_that_takes_arrays_is_in_a_cell_or_left_out_for_a_reason() -> None:
    missing = forgotten()
    assert not {x for x in missing if x.rpartition(".")[2] not in LEFT_OUT}
    rooms = {"identification", "simulate", "trajectory"}
    assert {x.rpartition(".")[2] for x in missing} == LEFT_OUT.keys() - rooms, "each is still there"


def test_the_page_on_reliability_has_what_is_left_out() -> None:
    """`python tests/everything.py` prints the table."""
    page = (Path(__file__).parents[2] / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert "\n".join(table()) in page
