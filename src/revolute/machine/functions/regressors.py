"""Recursions of regressors: forces, momenta and energies as linear functions of inertial parameters."""

from collections.abc import Callable
from dataclasses import replace

from revolute.compiler.signature import flat
from revolute.dynamics.driven_regressor import driven_regressor
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.goa_coriolis import goa_regressor
from revolute.dynamics.regressor import regressor
from revolute.graph import Node, gradient
from revolute.machine.functions.traced import gradient_by_positions
from revolute.model.model import Model
from revolute.spatial import ZERO, Scalars, Tree

OF_KINDS = {"christoffel": regressor, "goa": goa_regressor}
"""Functions for Slotine and Li's regressor, by the kind of Coriolis matrix."""


def of_kind(recursion: Callable[..., Tree]) -> Callable[..., Tree]:
    """Add the option `kind` to a recursion whose last argument is the function for Slotine and Li's regressor."""
    return lambda *arrays, kind="christoffel": recursion(*arrays, OF_KINDS[kind])


def regressor_gradient(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, weights: Scalars) -> Tree:
    """Derivatives of the sum of weights * Y with respect to q, qd and qdd, with a weight for each entry of Y."""
    return _gradient(model, regressor(model, q, qd, qd, qdd), q, qd, qdd, weights)


def driven_regressor_gradient(tree: Model, drives: Drivetrain, *state: Scalars) -> Tree:
    """`regressor_gradient` for links and drives, with respect to the independent coordinates."""
    return _gradient(drives.space, flat(driven_regressor(tree, drives, *state[:3])), *state)


def _gradient(space: Model, Y: Scalars, q: Scalars, qd: Scalars, qdd: Scalars, weights: Scalars) -> Tree:
    """The gradient by reverse mode, whose cost does not grow with the number of coordinates."""
    weighted = sum(w * y for w, y in zip(weights, Y, strict=True) if isinstance(y, Node))
    by_rates = (gradient(weighted, x) if isinstance(weighted, Node) else [0] * len(x) for x in (qd, qdd))
    return gradient_by_positions(space, weighted, q), *by_rates


def momentum_regressor(model: Model, q: Scalars, qd: Scalars) -> Tree:
    """Y with M qd = Y pi: the regressor for accelerations qd, at rest and without gravity."""
    zeros = (0,) * model.nv
    return regressor(replace(model, gravity=ZERO), q, zeros, zeros, qd)
