"""`lagrange`: from coordinates and energies to a system with equations of motion."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set, Sized
from functools import partial
from typing import Any

import sympy

from revolute.arguments import instances
from revolute.errors import InputError
from revolute.machine.lagrangian.symbols import (
    Expression,
    Symbol,
    coordinate_symbols,
    derivative,
    expression,
    look_up,
    named,
    without_functions,
)
from revolute.machine.lagrangian.system import System


def lagrange(
    coordinates: Sequence[Any], kinetic: Any, potential: Any = 0, dissipation: Any = 0,
    forces: Mapping[Any, Any] | Sequence[Any] | None = None, *, point_forces: Sequence[tuple[Any, Any]] = (),
    velocities: Sequence[Any] | None = None, name: str = "system",
) -> System:
    """The system whose motion follows from its energies. LP 9.3, 9.11-9.12; BP A.2; JIN 27-28; SHV 6.6, 6.56-6.62.

    See also BP 5.2.6, 6.3.32, A.5.

        d/dt dL/d(dq) - dL/dq + dD/d(dq) = Q + tau,    L = T - U

    Any independent coordinates are allowed: joint angles, motor angles, lengths, charges. No joints, links or
    recursions are used here, so these equations can check those of a `Robot`.

    A coordinate is a SymPy symbol or a function of time. The velocity of a function is its derivative, `q(t).diff(t)`.
    The velocity of a symbol is another symbol, named as in `Robot.equations`: dq1 for q1, dx for x. Results contain
    only symbols, such as ddq1 for an acceleration. Time-dependent energies and forces require coordinates that are
    functions of time: with symbols, t is an ordinary parameter.

    Args:
        coordinates: n independent coordinates [m, rad, ...].
        kinetic: kinetic energy T of coordinates, rates, parameters and time [J].
        potential: potential energy U, independent of rates [J].
        dissipation: Rayleigh's function D of the rates [W], half of the dissipated power if it is
            quadratic: `B * dq**2 / 2` for a viscous damper.
        forces: generalised forces Q in addition to tau, {coordinate: force} or one for every coordinate [N, N m];
            positive along the coordinate. They may depend on coordinates, velocities, time and further symbols.
        point_forces: forces at points, which add to Q by their virtual work, Q_j = sum_i F_i . dr_i/dq_j
            (SHV 6.31): a list of pairs (r, F) of a point and a force in the same frame, as sequences of
            expressions; or pairs of an angle and a moment.
        velocities: the symbols of the velocities, if their names are not these.
        name: name of the system, for messages.

    Returns:
        the system, with its equations M, C, g, christoffel and tau in SymPy and in machine code.

    Raises:
        InputError: an argument is not a SymPy expression, the kinetic energy depends on no rate, the
            potential energy or a point depends on a rate, a point depends on no coordinate, or two
            symbols have the same name. The message names the symbol, or the pair.
        UnknownNameError: a force or a velocity is given for a name that is not a coordinate.

    Example:
        >>> import sympy
        >>> m, g, x, dx = sympy.symbols("m g x dx")
        >>> particle = revolute.lagrange([x], m * dx**2 / 2, m * g * x, name="particle")
        >>> particle.tau[0]
        ddx*m + g*m
        >>> particle.inverse_dynamics([0.0], [0.0], [2.0], values={m: 3, g: 9.81})
        array([35.43])
    """
    q, time = coordinate_symbols(coordinates)
    energies = [
        expression(value, what)
        for what, value in (("kinetic", kinetic), ("potential", potential), ("dissipation", dissipation))
    ]
    named_forces = _forces(q, forces)
    free = sorted(set().union(*(x.free_symbols for x in (*energies, *named_forces))), key=str)
    qd = tuple(named(f"d{x.name}", x, free) for x in q) if velocities is None else _velocities(q, velocities)
    qdd = tuple(named(f"dd{x.name}", x, free) for x in q)
    in_symbols = partial(without_functions, q, qd, time)
    T, U, D, *Q = (in_symbols(x) for x in (*energies, *named_forces))
    work = generalized_forces(q, (*qd, *qdd), point_forces, in_symbols)
    Q = [a + b for a, b in zip(Q, work, strict=True)]
    _check(q, qd, qdd, T, U, (D, *Q))
    return System(name, q, qd, qdd, T, U, D, tuple(Q), forces is not None or any(work), time)


def _forces(q: tuple[Symbol, ...], forces: Mapping[Any, Any] | Sequence[Any] | None) -> list[Expression]:
    if forces is None:
        return [sympy.S.Zero] * len(q)
    if isinstance(forces, Mapping):
        force_on = {look_up(x, q, "forces: coordinate"): expression(f, f"force on {x}") for x, f in forces.items()}
        return [force_on.get(x, sympy.S.Zero) for x in q]
    if isinstance(forces, (str, sympy.Basic)) or not isinstance(forces, Sized) or len(forces) != len(q):
        raise InputError(f"forces must be {len(q)} expressions, one for each coordinate, or {{coordinate: force}}")
    return [expression(f, f"force on {x}") for x, f in zip(q, forces, strict=True)]


def _velocities(q: tuple[Symbol, ...], velocities: Sequence[Any]) -> tuple[Symbol, ...]:
    symbols = instances("velocities", velocities, object)
    if len(symbols) != len(q) or not all(isinstance(x, sympy.Symbol) for x in symbols):
        raise InputError(f"velocities must be {len(q)} SymPy symbols, one for each coordinate, not {velocities!r}")
    return symbols


def _check(q: Any, qd: Any, qdd: Any, T: Expression, U: Expression, others: Sequence[Expression]) -> None:
    for what, x in (("kinetic energy", T), ("potential energy", U), *(("dissipation or a force", x) for x in others)):
        odd = x.free_symbols & set(qdd)
        if odd:
            raise InputError(f"the {what} depends on the acceleration '{min(odd, key=str)}'")
    symbols = set().union(q, qd, qdd, *(x.free_symbols for x in (T, U, *others)))
    for x in symbols:
        if sum(x.name == y.name for y in symbols) > 1:
            raise InputError(f"two different symbols are called '{x.name}'; do their assumptions differ?")
    if len(symbols & {*q, *qd, *qdd}) < 3 * len(q):
        raise InputError(f"coordinates {q}, velocities {qd} and accelerations {qdd} must be different symbols")
    if not T.free_symbols & set(qd):
        wanted = ", ".join(f"'{x}'" for x in qd)
        raise InputError(f"the kinetic energy {T} depends on no velocity; the velocities are called {wanted}")
    if U.free_symbols & set(qd):
        odd = min(U.free_symbols & set(qd), key=str)
        raise InputError(f"the potential energy depends on the velocity '{odd}'; move such terms to the kinetic energy")


def generalized_forces(
    q: Sequence[Symbol], rates: Iterable[Symbol], loads: Any, in_symbols: Callable[[Expression], Expression]
) -> list[Expression]:
    """Q_j = sum_i F_i . dr_i/dq_j, from sum_i F_i . delta r_i = sum_j Q_j delta q_j. SHV 6.30-6.31.

    A virtual displacement takes no time: it excludes the partial derivative dr/dt. A pair of an angle and a moment is
    treated like a point and a force. Points must not depend on `rates`; `in_symbols` replaces functions of time by
    symbols.
    """
    pairs = list(loads) if isinstance(loads, Set) else _items(loads)  # the sum of contributions needs no order
    if pairs is None:
        raise InputError(f"point_forces must be pairs (point, force), not {loads!r}")
    total = [sympy.S.Zero] * len(q)
    for number, load in enumerate(pairs, 1):
        what = f"point_forces: pair {number}"
        parts = None if isinstance(load, sympy.MatrixBase) else _items(load)  # a matrix is a vector, not a pair
        if parts is None or len(parts) != 2:
            raise InputError(f"{what} must be (point, force), not {load!r}")
        r, F = (_components(f"{what}: {name}", part) for name, part in zip(("point", "force"), parts, strict=True))
        if len(r) != len(F):
            raise InputError(f"{what}: the point has {len(r)} components, but the force has {len(F)}")
        r = [in_symbols(x) for x in r]
        _check_point(what, r, q, rates)
        for x, f in zip(r, map(in_symbols, F), strict=True):
            total = [Q + f * derivative(x, y) for Q, y in zip(total, q, strict=True)]
    return total


def _components(what: str, x: Any) -> list[Expression]:
    parts = _items(x)
    return [expression(part, what) for part in ([x] if parts is None else parts)]


def _items(x: Any) -> list[Any] | None:
    """The items of a sequence, an array or a matrix; None for other types."""
    if not isinstance(x, (Iterable, sympy.MatrixBase)) or isinstance(x, (str, Mapping, Set)):
        return None
    try:
        return list(x)
    except TypeError:  # a zero-dimensional array has no items
        return None


def _check_point(what: str, r: Sequence[Expression], q: Sequence[Symbol], rates: Iterable[Symbol]) -> None:
    """Raise `InputError` unless a point depends on a coordinate and on no rate."""
    symbols = set().union(*(x.free_symbols for x in r))
    point = f"{what}: the point ({', '.join(map(str, r))})"
    if odd := symbols & set(rates):
        raise InputError(f"{point} depends on the rate '{min(odd, key=str)}'; give positions only")
    if not symbols & set(q):
        raise InputError(
            f"{point} depends on none of the coordinates {', '.join(map(str, q))}; "
            "give a list of pairs, [(point, force)]"
        )
