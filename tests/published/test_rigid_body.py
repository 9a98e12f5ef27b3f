"""BP 4.3.4: one body's equations in vectors and in tensors are the same, at the printed costs."""

from collections.abc import Callable
from typing import Any

import sympy

from revolute.graph import STRUCTURE, Input, count, trace
from revolute.published.rigid_body import PRINTED, by_tensors, by_vectors
from revolute.spatial import Matrix, Vector, tensors
from tools.pages import operation_counts


def cost(function: Callable[..., Any], *shapes: tuple[int, ...]) -> tuple[int, int]:
    """Multiplications and additions of a function of scalars, vectors and tensors."""
    inputs = [Input(f"x{k}", shape) for k, shape in enumerate(shapes)]
    kinds: dict[int, Callable[..., Any]] = {1: lambda x: x[0], 3: Vector, 9: lambda x: Matrix((x[:3], x[3:6], x[6:]))}

    def flat(*arrays: Any) -> list[tuple[str, tuple[int, ...], Any]]:
        result = function(*(kinds[len(x)](x) for x in arrays))
        entries = result if isinstance(result, Vector) else [*result.ang, *result.lin]
        return [("y", (len(entries),), entries)]

    counts = count(trace("f", flat, inputs, STRUCTURE))
    assert (counts.divisions, counts.calls) == (0, 0)
    return counts.multiplications, counts.additions


def test_costs_are_those_printed() -> None:
    assert cost(by_vectors, (), (3, 3), (3,), (3,), (3,), (3,)) == PRINTED["vectors"] == (45, 33)
    assert cost(by_tensors, (), (3, 3), (3,), (3, 3), (3,)) == PRINTED["tensors"] == (27, 24)


def test_costs_of_the_parts() -> None:
    """Also as printed: 18 + 15 and 9 + 9 for the acceleration, 24 + 18, 18 + 15 and 15 + 15 for the moment."""
    one = Vector((0, 0, 0)), tensors.DELTA
    zero, unit = one[0], Matrix(one[1])
    assert cost(lambda r, w, wd, s: by_vectors(1, unit * 0, r, w, wd, s).lin, (3,), (3,), (3,), (3,)) == (18, 15)
    assert cost(lambda r, O, s: by_tensors(1, unit * 0, r, O, s).lin, (3,), (3, 3), (3,)) == (9, 9)
    assert cost(lambda I, w, wd: by_vectors(0, I, zero, w, wd, zero).ang, (3, 3), (3,), (3,)) == (24, 18)
    assert cost(tensors.euler_moment, (3, 3), (3, 3)) == (15, 15)
    assert cost(lambda O, J: tensors.dual(tensors.torque(O, J)), (3, 3), (3, 3)) == (18, 15)  # without symmetry
    assert cost(lambda w, wd: Vector(map(sum, tensors.angular_acceleration(w, wd))), (3,), (3,)) == (6, 9 + 6)


def test_both_are_the_same_equations() -> None:
    m, *entries = sympy.symbols("m I:6")
    xx, xy, xz, yy, yz, zz = entries
    I = Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    r, w, wd, sdd = (Vector(sympy.symbols(f"{name}1:4")) for name in ("r", "w", "wd", "sdd"))
    Omega = tensors.angular_acceleration(w, wd)
    first, second = by_vectors(m, I, r, w, wd, sdd), by_tensors(m, tensors.euler_of_inertia(I), r, Omega, sdd)
    for x, y in zip((*first.ang, *first.lin), (*second.ang, *second.lin), strict=True):
        assert sympy.expand(sympy.nsimplify(x - y)) == 0


def test_the_page_states_them() -> None:
    assert "| vectors | 45 + 33 | 45 + 33 |" in operation_counts.one_body()
