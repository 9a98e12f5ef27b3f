"""Base parameters, the combinations on which forces depend; and full parameters with given base parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from revolute.errors import InputError
from revolute.identification.forces.floating_bases import floating_bases
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples
from revolute.machine.base_parameters import anywhere, regrouped, sums

TOLERANCE = 1e-9
"""Minimum length of a column's component that is independent of the preceding columns, relative to the column."""

MOST_TRIED = 256
"""Maximum number of random states tried per required state, if force terms are undefined in some states."""


@dataclass(frozen=True, eq=False)
class BaseColumns:
    """A minimal set of parameters with the same forces: Y[..., columns] @ (matrix @ pi) = Y @ pi."""

    columns: Array  # (b,) columns of the regressor that span all others
    matrix: Array  # (b, p) maps parameters to base parameters; its `columns` form the identity
    names: tuple[str, ...]  # (b,) names as sums of the parameters' names
    active: Array  # (nv, b) whether the force of a coordinate can depend on a base parameter

    def __len__(self) -> int:
        return len(self.columns)

    def only(self, at: list[int]) -> BaseColumns:
        """Select some of these parameters; the others are assumed zero."""
        return BaseColumns(self.columns[at], self.matrix[at], tuple(self.names[k] for k in at), self.active[:, at])

    def widened(self, columns: Array, active: Array) -> BaseColumns:
        """Append further columns of a regressor unchanged; `active` (nv, n): the forces that they affect."""
        n = len(columns)
        matrix = np.zeros((len(self) + n, int(max(columns)) + 1))
        matrix[: len(self), : self.matrix.shape[1]] = self.matrix
        matrix[len(self) + np.arange(n), columns] = 1
        names = (*self.names, *(f"column {k}" for k in columns))
        return BaseColumns(np.append(self.columns, columns), matrix, names, np.hstack([self.active, active]))


def base_columns(model: ForceModel, measured: Array | None = None) -> BaseColumns:
    """The base parameters of links, drives, offsets and terms together. Gautier 1991, numerically by QR.

    They are computed at random states, so they are the parameters on which forces can depend, not those that one log
    excites. `measured`: (nv,) whether the force of each coordinate is measured; by default all are.
    """
    nv = model.robot.nv
    rows = np.ones(nv, dtype=bool) if measured is None else np.asarray(measured, dtype=bool)
    Y = _finite(model, 2 * len(model.names) // max(int(rows.sum()), 1) + 30)
    wide = Y[:, rows].reshape(-1, Y.shape[2])
    scale = np.linalg.norm(wide, axis=0)
    scale[(scale <= TOLERANCE * scale.max(initial=0)) | ~model.fitted] = np.inf  # columns that are zero, or known
    columns, scaled = regrouped(wide / scale, TOLERANCE)
    matrix = scaled * np.where(np.isfinite(scale), scale, 0) / scale[columns, None]
    matrix[:, columns] = np.eye(len(columns))
    reach = np.abs(Y[:, :, columns]).max(axis=0, initial=0)
    active = reach > TOLERANCE * reach.max(axis=0, initial=0)
    if model.momentum is not None:  # moments about a point that the base leaves depend on the forces, too
        for base in floating_bases(model.robot):
            active[base.qd] = active[base.qd].any(axis=0)
    return BaseColumns(columns, matrix, sums(matrix, columns, model.names), active & rows[:, None])


def _finite(model: ForceModel, count: int) -> Array:
    """(count or more, nv, p) finite left sides at random states; some terms are undefined at some states."""
    tried = count
    while tried <= MOST_TRIED * count:
        Y = model.left_side(random_samples(model, tried))
        Y = Y[np.isfinite(Y).all(axis=(1, 2))]
        if len(Y) >= count:
            return Y
        tried *= 4
    raise InputError("the forces of a term are finite in hardly any random position: check the terms of the model")


def random_samples(model: ForceModel, count: int) -> Samples:
    """Reproducible random states; half of the velocities span all magnitudes, for friction at low speed."""
    rng = np.random.default_rng(0)
    q = anywhere(model.robot.space, count, rng)
    qd, qdd, tau = rng.standard_normal((3, count, model.robot.nv))
    qd[::2] *= 10 ** rng.uniform(-3, 0.5, qd[::2].shape)
    return Samples(np.arange(count), q, qd, qdd, tau)


GROUPS = (slice(0, 1), slice(1, 4), slice(4, 10))
"""Slices of the mass, the first moments and the inertias in the ten inertial parameters of a link."""


def typical_sizes(model: ForceModel, parameters: Array) -> Array:
    """(p,) typical sizes: for a link its largest mass, moment or inertia; otherwise the largest value of the kind."""
    # Links without mass get the mean of the other links.
    sizes = np.abs(model.values)
    links = sizes[: model.links].reshape(-1, 10)
    for group in GROUPS:
        largest = links[:, group].max(axis=1, initial=0)
        some = largest[largest > 0]
        links[:, group] = np.where(largest > 0, largest, some.mean() if len(some) else 1.0)[:, None]
    kinds = np.array([name.rpartition(".")[2] for name in model.names[model.links :]], dtype=str)
    others = np.maximum(sizes[model.links :], np.abs(parameters[model.links :]))
    for kind in set(kinds):
        others[kinds == kind] = others[kinds == kind].max() or 1.0
    return np.concatenate([links.ravel(), others])


def nearest_parameters(model: ForceModel, base: BaseColumns, values: Array) -> Array:
    """Full parameters with these base parameters, nearest to the description, by distances in `typical_sizes`."""
    sizes = typical_sizes(model, model.values)
    Q, R = np.linalg.qr((base.matrix * sizes).T)  # the shortest step lies in the span of the independent rows
    step = Q @ np.linalg.solve(R.T, values - base.matrix @ model.values)
    return np.asarray(model.values + sizes * step)
