"""Full parameters nearest to those of a description, relative to typical sizes of parameters."""

from __future__ import annotations

import numpy as np

from revolute.identification.forces.base_parameters import BaseColumns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array

__all__ = ["nearest_parameters", "typical_sizes"]

GROUPS = (slice(0, 1), slice(1, 4), slice(4, 10))
"""Mass, first moment, inertia among the ten parameters of a link."""


def typical_sizes(model: ForceModel, parameters: Array) -> Array:
    """(p,) for links the largest mass, moment or inertia in the description; otherwise the largest of a kind.

    Links without mass have the mean of the others.
    """
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
    Q, R = np.linalg.qr((base.matrix * sizes).T)  # the shortest step lies in its rows, which are independent
    step = Q @ np.linalg.solve(R.T, values - base.matrix @ model.values)
    return np.asarray(model.values + sizes * step)
