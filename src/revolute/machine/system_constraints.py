"""States that satisfy the constraints of a Lagrangian system, and messages about states that do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.errors import InputError
from revolute.machine.lagrangian.constraints import dependent_rows, describe
from revolute.machine.machine import Array

if TYPE_CHECKING:
    from revolute.machine.lagrangian.system import System

__all__ = ["Projection", "timed"]

Timed = Callable[..., Any]
"""A kernel as a function of time and of its arrays."""

START = 1e-6
"""Maximum correction of an initial coordinate or velocity, relative to the largest one, or to 1."""

NEWTON = 1e-9
"""Relative length below which a Newton step is the last one: its error is the square."""

SINGULAR = 1e-6
"""Singular value below which unit rows count as dependent, near a state without multipliers."""


def timed(system: System, name: str, numbers: Mapping[Any, Any]) -> Timed:
    """A function of the system with numbers for its parameters, and time as its first argument.

    If the numbers have the time, or the function does not depend on it, that argument is ignored.
    """
    function, kernel = system._function(name), system.kernel(name)
    symbols, runs = system._symbols(function), {} if system.time is None else {system.time: 0.0}
    fixed = {str(x) for x in numbers}
    runs = {t: zero for t, zero in runs.items() if t in symbols and t.name not in fixed}
    constants = system._values(function, {**numbers, **runs})
    if not runs:
        return lambda time, *arrays: kernel(*arrays, *constants)
    at = symbols.index(system.time)
    before, after = constants[:at], constants[at + 1 :]
    return lambda time, *arrays: kernel(*arrays, *before, time, *after)


class Projection:
    """The nearest states that satisfy the constraints, in the metric of the kinetic energy.

    Args:
        system: with constraints.
        numbers: values of its parameters.
        most: maximum number of Newton steps.
    """

    def __init__(self, system: System, numbers: Mapping[Any, Any], most: int = 50) -> None:
        self.system, self.most = system, most
        holonomic = any(x.holonomic for x in system.constraints)
        self._position = timed(system, "position_correction", numbers) if holonomic else None
        self._velocity, self._error, self._rates, self._jacobian = (
            timed(system, name, numbers)
            for name in ("velocity_correction", "constraint_error", "constraint_rates", "constraint_jacobian")
        )

    def __call__(self, time: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """The state near this one that satisfies the constraints.

        Raises:
            InputError: no such state is found, or constraints are dependent.
        """
        for _ in range(self.most if self._position else 0):
            step = self._finite(time, q, self._position(time, q, qd))  # type: ignore[misc]
            q = q + step
            if (np.abs(step) <= NEWTON * _size(q)).all():
                break
        else:
            if self._position:
                name, error, where = self._largest(self._error(time, q))
                raise InputError(
                    f"found no state near this one that satisfies the constraints of '{self.system.name}'; "
                    f"'{name}' is still violated by {error:.3g}{where}; start nearer to one"
                )
        return q, qd + self._finite(time, q, self._velocity(time, q, qd))

    def require_obeyed(self, time: float, q: Array, qd: Array) -> None:
        """Raise `InputError` if a first state violates a constraint; the message names it and its error."""
        advice = "; `project` returns the nearest state that satisfies all of them"
        step = self._finite(time, q, self._position(time, q, qd)) if self._position else np.zeros(1)
        if (np.abs(step) > START * _size(q)).any():
            name, error, where = self._largest(self._error(time, q))
            what = f"q0 violates the constraint '{name}' of '{self.system.name}'"
            raise InputError(f"{what} by {error:.6g}{where}{advice}")
        if (np.abs(self._finite(time, q, self._velocity(time, q, qd))) > START * _size(qd)).any():
            name, error, where = self._largest(self._rates(time, q, qd))
            raise InputError(
                f"qd0 violates the constraint '{name}' of '{self.system.name}': its rate is {error:.6g}{where}{advice}"
            )

    def dependent(self, time: float, q: Array) -> str | None:
        """Describe constraints that depend on each other at one of the positions; None if there are none."""
        A = np.broadcast_to(self._jacobian(time, q), (*q.shape[:-1], len(self.system.constraints), q.shape[-1]))
        for rows, position in zip(A.reshape(-1, *A.shape[-2:]), q.reshape(-1, q.shape[-1]), strict=True):
            if np.isfinite(rows).all() and (dependent := dependent_rows(rows, SINGULAR)).any():
                text = np.array2string(position, precision=4, threshold=20)
                return f"{describe(self.system.constraints, dependent)} at q = {text}"
        return None

    def _finite(self, time: float, q: Array, correction: Array) -> Array:
        """The correction. Raise `InputError` if it is not finite."""
        if np.isfinite(correction).all() or not np.isfinite(q).all():
            return correction
        reason = self.dependent(time, q) or "the mass matrix has no inverse there, or a parameter is not finite"
        raise InputError(f"'{self.system.name}' has no constraint forces: {reason}")

    def _largest(self, errors: Array) -> tuple[str, float, str]:
        """Name and error of the constraint that is violated most, and its place in the batch."""
        place = np.unravel_index(int(np.argmax(np.abs(errors))), errors.shape)
        where = f" in row {tuple(map(int, place[:-1]))}" if errors.ndim > 1 else ""
        return self.system.constraints[place[-1]].name, float(errors[place]), where


def _size(x: Array) -> Array:
    size: Array = np.maximum(np.abs(x).max(axis=-1, keepdims=True), 1.0)
    return size
