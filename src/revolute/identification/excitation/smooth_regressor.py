"""The smooth regressor of a model of forces, and its derivatives contracted with weights."""

import numpy as np

from revolute.errors import InputError
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.friction import smoothed
from revolute.identification.forces.terms import Constant, Term
from revolute.identification.samples import Array

STEP = np.finfo(float).eps ** (1 / 3)
"""Step of central differences; the truncation error is about the square of the step."""


class SmoothRegressor:
    """Y(q, qd, qdd) of a `ForceModel`, with dry friction of `robot` smoothed over a small speed [rad/s, m/s].

    Derivatives of the columns of links and drives are exact: one compiled kernel computes them in reverse mode. Those
    of terms, which may be arbitrary functions, are central differences, accurate to about 1e-10 of their scale.
    """

    def __init__(self, model: ForceModel, smoothing: float) -> None:
        self.robot = model.robot if model.robot.drivetrain.smoothing else smoothed(model.robot, smoothing)
        places = {name.partition(":")[0]: k for k, name in enumerate(self.robot.parameter_names)}
        terms = {term.name: term for term in model.terms}
        if unknown := [name for name in model.names if name not in places and name not in terms]:
            raise InputError(f"excite: the parameter '{unknown[0]}' belongs to no link, drive or term")
        self._size, self.width = len(places), len(model.names)
        own = [k for k, name in enumerate(model.names) if name in places]
        self._own, self._columns = _places(own), _places([places[model.names[k]] for k in own])
        listed = [(k, terms[name]) for k, name in enumerate(model.names) if name not in places]
        self._offsets = [(k, term.factor.k) for k, term in listed if isinstance(term.factor, Constant)]
        self._terms = [(k, term) for k, term in listed if not isinstance(term.factor, Constant)]

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """The (T, nv, p) regressor of (T, nv) motions."""
        Y = np.empty((*qd.shape, self.width))
        Y[..., self._own] = self.robot.regressor(q, qd, qdd)[..., self._columns]
        for k, joint in self._offsets:
            Y[..., k] = np.arange(qd.shape[1]) == joint
        for k, term in self._terms:
            Y[..., k] = term._forces(q, qd, qdd)
        return Y

    def gradient(self, q: Array, qd: Array, qdd: Array, weights: Array) -> tuple[Array, Array, Array]:
        """(T, nv) derivatives with respect to q, qd and qdd of the sum of weights * Y, for (T, nv, p) weights."""
        full = np.zeros((*qd.shape, self._size))
        full[..., self._columns] = weights[..., self._own]
        slopes = self.robot.regressor_gradient(q, qd, qdd, full)
        for k, term in self._terms:
            for slope, own in zip(slopes, _differences(term, (q, qd, qdd), weights[..., k]), strict=True):
                slope += own
        return slopes


def _places(columns: list[int]) -> slice | list[int]:
    """The columns, as a slice if they are consecutive: NumPy indexes slices faster."""
    first = columns[0] if columns else 0
    together = columns == list(range(first, first + len(columns)))
    return slice(first, first + len(columns)) if together else columns


def _differences(term: Term, motion: tuple[Array, ...], weights: Array) -> list[Array]:
    """Derivatives of the weighted term, by central differences along each coordinate."""
    slopes = []
    for place, x in enumerate(motion):
        slope = np.zeros_like(x)
        for j in range(x.shape[1]):
            h = STEP * np.maximum(np.abs(x[:, j]), 1.0)
            ends = []
            for sign in (1, -1):
                moved = [y.copy() for y in motion]
                moved[place][:, j] += sign * h
                ends.append(term._forces(*moved))
            slope[:, j] = (weights * (ends[0] - ends[1])).sum(axis=1) / (2 * h)
        slopes.append(slope)
    return slopes
