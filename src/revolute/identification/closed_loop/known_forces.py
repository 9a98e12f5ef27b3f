"""Controllers minus joint forces that are known before the motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.graph import Input
from revolute.identification.samples import Array
from revolute.simulate.feedback import Feedback, Law, Plant

__all__ = ["reduced_by"]


def reduced_by(controller: Any, forces: Array, t: Array) -> Any:
    """A controller of `simulate`, minus (T, nv) forces that depend only on time and change at the instants t (T,)."""
    if isinstance(controller, Law):
        return _Reduced(controller, forces)
    torque = getattr(controller, "torque", controller)

    def less(time: float, q: Array, qd: Array) -> Array:
        row = max(int(np.searchsorted(t, time, side="right")) - 1, 0)
        return np.asarray(np.asarray(torque(time, q, qd)) - forces[row])

    return less


@dataclass(frozen=True, eq=False)
class _Reduced(Law):
    """A law minus forces, compiled into the loop like the law."""

    law: Law
    forces: Array

    def _feedback(self, plant: Plant) -> Feedback:
        inner = self.law._feedback(plant)
        form, kernel = _reduced(inner.form)
        arrays = {**inner.arrays, _NAME: plant.table("forces of terms", self.forces, plant.n)}
        return Feedback(inner.name, form, arrays, kernel, plant, {name: x[0] for name, x in inner.state.items()})


_NAME = "forces of terms"


@cache
def _reduced(form: Signature) -> tuple[Signature, Kernel]:
    """A law minus the forces of its last input, and its kernel."""
    n = form.outputs[0][1]

    def body(*given: Any) -> Sequence[Any]:
        results = form.body(*given[:-1])
        forces, *state = results if len(form.outputs) > 1 else (results,)
        less = [x - y for x, y in zip(forces, given[-1], strict=True)]
        return [less, *state] if state else less

    less = Signature(f"{form.name}_less_terms", (*form.inputs, Input(_NAME, n)), form.outputs, body)
    return less, compiled("robot", "any", less, np.float64, None, partial(_kernel, form))


def _kernel(form: Signature) -> Kernel:
    return _reduced(form)[1]
