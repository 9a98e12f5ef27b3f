"""Loops as recursions over scalars: damped Newton, and the backward pass of LQR, among smaller ones."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from revolute.dynamics.damped_least_squares import damped_solution
from revolute.graph import Graph, Input, trace
from revolute.spatial.loop import converged, mapped, repeated
from revolute.spatial.scalar import select, sin

Vector = Sequence[Any]
Matrix = Sequence[Sequence[Any]]


def damped_newton(residual: Callable[[Vector], Vector], jacobian: Callable[[Vector], Matrix], x: Vector) -> Any:
    """Solve residual(x) = 0, with a damping that grows where a step did not help. Levenberg 1944; Marquardt 1963."""

    def step(x: Vector, memory: Vector) -> Any:
        before, damping, count = memory
        r = residual(x)
        size = sum(e * e for e in r)
        damping = select(size > before, damping * 4, damping * 0.25)
        d = damped_solution([list(row) for row in jacobian(x)], r, damping * size)
        return [a - b for a, b in zip(x, d, strict=True)], (size, damping, count + 1), size > 1e-24

    return converged(step, x, (math.inf, 1.0, 0.0), most=40)


def riccati(A: Sequence[Matrix], B: Sequence[Matrix], Q: Matrix, R: Matrix, P: Matrix) -> Any:
    """The backward pass of LQR for one input: u = -K x. P goes from the last step to the first."""

    def step(P: Matrix, A: Matrix, B: Matrix) -> Any:
        PA, PB = product(P, A), product(P, B)
        share = 1 / (R[0][0] + product(transposed(B), PB)[0][0])
        K = [[share * x for x in row] for row in product(transposed(B), PA)]
        return total(Q, product(transposed(A), total(PA, product(PB, K), -1.0))), (K, P)

    return repeated(step, P, (A, B), backward=True)


def product(a: Matrix, b: Matrix) -> Matrix:
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in transposed(b)] for row in a]


def transposed(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]


def total(a: Matrix, b: Matrix, factor: float = 1.0) -> Matrix:
    return [[x + y * factor for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def matrix(scalars: Vector, columns: int) -> Matrix:
    return [list(scalars[k : k + columns]) for k in range(0, len(scalars), columns)]


def flat(tree: Any) -> list[Any]:
    return [x for part in tree for x in flat(part)] if isinstance(tree, (list, tuple)) else [tree]


N = 5
"""Steps of the LQR example."""


def newton_body(goal: Vector) -> Any:
    """x with x0 + sin(x1)/2 = goal0, x1 + x0 x1/4 = goal1; and how many steps it took."""

    def residual(x: Vector) -> Vector:
        return [x[0] + sin(x[1]) * 0.5 - goal[0], x[1] + x[0] * x[1] * 0.25 - goal[1]]

    def jacobian(x: Vector) -> Matrix:
        return [[1.0, sin(x[1] + math.pi / 2) * 0.5], [x[1] * 0.25, x[0] * 0.25 + 1]]

    x, (_, _, count) = damped_newton(residual, jacobian, [0.1, -0.2])
    return [*x, count]


def riccati_body(A: Vector, B: Vector, Q: Vector, R: Vector, P: Vector) -> Any:
    first, (K, Ps) = riccati(
        [matrix(A[4 * k : 4 * k + 4], 2) for k in range(N)], [matrix(B[2 * k : 2 * k + 2], 1) for k in range(N)],
        matrix(Q, 2), matrix(R, 1), matrix(P, 2),
    )  # fmt: skip
    return flat(first), flat(K), flat(Ps)


def newton_graph() -> Graph:
    return trace("newton", lambda goal: [("x", (3,), newton_body(goal))], [Input("goal", (2,))])


def riccati_graph() -> Graph:
    shapes = {"A": (N, 2, 2), "B": (N, 2, 1), "Q": (2, 2), "R": (1, 1), "P": (2, 2)}
    outputs = {"P0": (2, 2), "K": (N, 1, 2), "Ps": (N, 2, 2)}
    return trace(
        "riccati", lambda *x: [(*y, z) for y, z in zip(outputs.items(), riccati_body(*x), strict=True)],
        [Input(*x) for x in shapes.items()],
    )  # fmt: skip


def nested_graph() -> Graph:
    """Sums of a logistic map, each from the last of the one before, until one is small: loops in a loop."""

    def body(x: Vector, r: Vector) -> Any:
        def outer(y: Any, memory: Any) -> Any:
            def inner(z: Any, rate: Any) -> Any:
                z = z * rate * (1 - z)
                return z, (z * x[1],)

            y, (record,) = repeated(inner, y * 0.5, [list(r)])
            return y + sum(record) * 0.125, (memory[0] + 1,), y > 0.3

        y, (count,) = converged(outer, x[0], (0.0,), most=7)
        return [("y", (2,), [y, count])]

    return trace("nested", body, [Input("x", (2,)), Input("r", (4,))])


def waiting_graph() -> Graph:
    """Square roots by Newton's method, only of numbers above 0.55; and the number of steps."""

    def body(x: Vector) -> Any:
        def step(y: Any, count: Any) -> Any:
            return (y + x[0] / y) * 0.5, count + 1, abs(y * y - x[0]) > 1e-6

        return [("y", (2,), converged(step, x[0], 0.0, most=9, first=x[0] > 0.55))]

    return trace("waiting", body, [Input("x", (1,))])


def columns_graph() -> Graph:
    """Products of a matrix and many columns, which lie apart in the result: a loop without a state."""

    def body(a: Vector, b: Vector) -> Any:
        A = matrix(a, 3)
        columns = mapped(lambda x: [sum(p * q for p, q in zip(row, x, strict=True)) for row in A], matrix(b, 3))
        return [("C", (3, 11), flat(transposed(columns))), ("twice", (3,), [2 * x for x in columns[5]])]

    return trace("columns", body, [Input("a", (3, 3)), Input("b", (11, 3))])
