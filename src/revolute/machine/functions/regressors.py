"""Recursions of regressors: forces, momenta and energies as linear functions of inertial parameters."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from revolute.dynamics import regressor as recursions
from revolute.dynamics.driven_regressor import driven_regressor
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from revolute.dynamics.goa_coriolis import goa_regressor
from revolute.dynamics.regressor import regressor
from revolute.graph import Node, gradient
from revolute.machine.functions.traced import gradient_by_positions
from revolute.model.model import Model
from revolute.spatial.scalar import Scalars
from revolute.spatial.vectors import ZERO

OF_KINDS = {"christoffel": regressor, "goa": goa_regressor}
"""Functions for Slotine and Li's regressor, by the kind of Coriolis matrix."""


def of_forces(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> Any:
    """Y with tau = Y pi."""
    return regressor(model, q, qd, qd, qdd)


def regressor_gradient(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, weights: Scalars) -> Any:
    """Derivatives of the sum of weights * Y by q, qd and qdd, for weights as many as entries of Y."""
    return _slopes(model, of_forces(model, q, qd, qdd), (q, qd, qdd), weights)


def driven_regressor_gradient(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, pdd: Scalars, weights: Scalars
) -> Any:
    """`regressor_gradient` for links and drives, with respect to the independent coordinates."""
    Y = [x for row in driven_regressor(model, drives, p, pd, pdd) for x in row]
    return _slopes(drives.space, Y, (p, pd, pdd), weights)


def _slopes(space: Model, Y: Scalars, state: Sequence[Any], weights: Scalars) -> Any:
    """By reverse mode, whose cost does not grow with the number of coordinates."""
    weighted = sum(w * y for w, y in zip(weights, Y, strict=True) if isinstance(y, Node))
    q, qd, qdd = state
    by_rates = (gradient(weighted, x) if isinstance(weighted, Node) else [0] * len(x) for x in (qd, qdd))
    return gradient_by_positions(space, weighted, q), *by_rates


def slotine_li_regressor(
    model: Model, q: Scalars, qd: Scalars, qdr: Scalars, qddr: Scalars, kind: str = "christoffel"
) -> Any:
    """Y with M qddr + C qdr + g = Y pi."""
    return OF_KINDS[kind](model, q, qd, qdr, qddr)


def coriolis_matrix_regressor(model: Model, q: Scalars, qd: Scalars, kind: str = "christoffel") -> Any:
    """dC/dpi."""
    return recursions.coriolis_matrix_regressor(model, q, qd, OF_KINDS[kind])


def gravity_regressor(model: Model, q: Scalars) -> Any:
    """Y with g = Y pi."""
    zeros = (0,) * model.nv
    return regressor(model, q, zeros, zeros, zeros)


def momentum_regressor(model: Model, q: Scalars, qd: Scalars) -> Any:
    """Y with M qd = Y pi: forces of the accelerations qd, at rest and without gravity."""
    zeros = (0,) * model.nv
    return regressor(replace(model, gravity=ZERO), q, zeros, zeros, qd)


def energy_regressor(model: Model, q: Scalars, qd: Scalars) -> Any:
    """Rows that give T and U."""
    return kinetic_energy_regressor(model, q, qd), potential_energy_regressor(model, q)
