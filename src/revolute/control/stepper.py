"""`LawStepper`: a control law for a real-time loop, in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.compiler.kernel import Kernel
from revolute.control.reference import as_row, needed
from revolute.errors import InputError, ShapeError

__all__ = ["LawStepper"]

POSE = (7,)
"""The shape of a position and a quaternion."""


class LawStepper:
    """A control law with a period, created by a controller's `stepper`. Each loop needs its own instance.

    Attributes:
        state: {name: array} the state of the law, which every call replaces.
    """

    def __init__(
        self, name: str, kernel: Kernel, order: int, numbers: Mapping[str, Array], state: Mapping[str, Array]
    ) -> None:
        self._name, self._kernel, self._order = name, kernel, order
        self._numbers = dict(numbers)
        self.state = {label: np.array(x) for label, x in state.items()}
        self._next = {label: np.empty_like(x) for label, x in self.state.items()}
        given = {**self._numbers, **self.state}
        self._poses = kernel.inputs[2].shape == POSE
        self._still = [np.zeros(x.shape) for x in kernel.inputs[2 : 2 + order]]
        self._constants = [given[x.name] for x in kernel.inputs[2 + order :]]
        self._places = [[x.name for x in kernel.inputs[2 + order :]].index(label) for label in self.state]

    def step(self, q: Array, qd: Array, *reference: Any, out: Array) -> Array:
        """Compute the forces of a state, advance the law's own state by one step, and return `out`.

        With float64 arrays a call takes a fraction of a microsecond and allocates no memory.

        Args:
            q, qd: (nq,), (nv,) the state [rad, m, s].
            *reference: q_ref, qd_ref and qdd_ref, as many as the law has; omitted ones are zero. For a link frame they
                are pose, twist and the twist's time derivative; the pose is (7,) position [m] and quaternion x y z w,
                which is fastest, a `Transform`, or (4, 4).
            out: (nv,) array for the forces [N m, N].

        Raises:
            InputError: there are no or too many references, or a matrix is not a pose.
            ShapeError, DtypeError: an array does not fit.
        """
        if len(reference) != self._order:
            reference = self._completed(reference)
        if self._poses and getattr(reference[0], "shape", None) != POSE:
            reference = (self._row(reference[0]), *reference[1:])
        if not self.state:
            return self._kernel(q, qd, *reference, *self._constants, out=out)  # type: ignore[no-any-return]
        following = self._next
        self._kernel(q, qd, *reference, *self._constants, out=(out, *following.values()))
        self.state, self._next = following, self.state
        for place, x in zip(self._places, following.values(), strict=True):
            self._constants[place] = x
        return out

    def _completed(self, reference: tuple[Any, ...]) -> tuple[Any, ...]:
        """The reference, with zeros for omitted velocities and accelerations."""
        if not 1 <= len(reference) <= self._order:
            names = ", ".join(x.name for x in self._kernel.inputs[2 : 2 + self._order])
            raise InputError(f"{self._name}: step takes {names} after q and qd, not {len(reference)} arrays")
        return (*reference, *self._still[len(reference) :])

    def _row(self, pose: Any) -> Any:
        """A pose as seven numbers; raise `ShapeError` if it is not a pose."""
        what = f"{self._name}: reference"
        row = as_row(what, pose, *POSE)
        if np.shape(row)[-1:] != POSE:
            raise ShapeError(f"{what} has shape {np.shape(row)}, but {needed(*POSE)}")
        return row

    def __repr__(self) -> str:
        return f"<LawStepper: {self._name} of '{self._kernel.robot_name}'>"
