"""Least squares of full parameters in scaled variables, with the robot's description as the prior.

The variables of a link are the entries of K, with J = L K L^T and L L^T = J_0, the pseudo-inertia of the description.
So K = 1 is the description, and results do not depend on units or frames.
"""

from dataclasses import dataclass

import numpy as np

from revolute.arguments import positive
from revolute.errors import InputError
from revolute.identification.forces.force_model import DRIVES, ForceModel
from revolute.identification.samples import Array
from revolute.model.pseudo_inertia import from_pseudo_inertia, pseudo_inertia

ROWS, COLUMNS = (np.array(x) for x in zip(*((i, j) for j in range(4) for i in range(j + 1)), strict=True))

BASIS: Array = np.zeros((10, 4, 4))
"""Orthonormal symmetric matrices that map a vector v of ten entries to the matrix M = sum_k v_k BASIS[k]."""
for _k, (_i, _j) in enumerate(zip(ROWS, COLUMNS, strict=True)):
    BASIS[_k, _i, _j] = BASIS[_k, _j, _i] = 1 if _i == _j else np.sqrt(0.5)


def to_vector(M: Array) -> Array:
    """(..., 10) vectors of (..., 4, 4) symmetric matrices."""
    return np.asarray(M[..., ROWS, COLUMNS] * np.where(ROWS == COLUMNS, 1, np.sqrt(2)))


def to_matrix(v: Array) -> Array:
    """(..., 4, 4) symmetric matrices of (..., 10) vectors."""
    return np.asarray(np.einsum("...k,kij->...ij", v, BASIS))


def vectors_to_parameters(L: Array) -> Array:
    """(10, 10) T with parameters = T v, for the body with J = L V L^T, where V is the matrix of v."""
    return np.asarray(from_pseudo_inertia(L @ BASIS @ L.T).T)


LEAST_NOISE = 1e-4  # minimum noise as a fraction of the signal, as no sensor or drive model is more accurate than this

THIN = 0.01
"""Minimum standard deviation of the prior's mass along any axis, as a fraction of the robot's radius of gyration."""


@dataclass(frozen=True, eq=False)
class ScaledProblem:
    """Minimize |S z - c|^2 / 2 + pull * distance(z, z0), with S and c in standard deviations of the noise.

    Parameters are x = fixed + T z.
    """

    # S, c: (k, n) matrix and (k,) right side of the least squares in scaled variables
    S: Array
    c: Array
    # T, fixed: (p, n) and (p,), which map variables to parameters
    T: Array
    fixed: Array
    z0: Array  # (n,) variables of the prior
    # links, prior: links whose parameters are variables, ten entries each, first in z; and (links, 4, 4)
    # pseudo-inertias of the prior
    links: tuple[int, ...]
    prior: Array
    nonnegative: Array  # (n,) whether a variable must not be negative
    pull: float  # weight of the prior, relative to the noise

    @property
    def entries(self) -> int:
        """Number of variables of links; the scalar variables follow them."""
        return 10 * len(self.links)

    def parameters(self, z: Array) -> Array:
        """(p,) parameters from the variables z."""
        return np.asarray(self.fixed + self.T @ z)

    def nearest(self) -> Array:
        """(n,) z of least squares with a quadratic distance from z0, without constraints."""
        root = np.sqrt(self.pull)
        A = np.concatenate([self.S, root * np.eye(len(self.z0))])
        b = np.concatenate([self.c - self.S @ self.z0, np.zeros(len(self.z0))])
        return np.asarray(self.z0 + np.linalg.lstsq(A, b, rcond=None)[0])


def scaled_problem(R: Array, model: ForceModel, pull: float) -> ScaledProblem:
    """The scaled problem of (k, p + 1) rows [Y tau] of all parameters, in standard deviations of their noise."""
    if not R[:, -1].any():
        raise InputError("physical: all forces are zero, so nothing was measured")
    positive("physical: pull", pull)
    fitted = model.fitted
    A, c = R[:, :-1], R[:, -1]
    J0 = pseudo_inertia(model.values[: model.links].reshape(-1, 10))
    whole = fitted[: model.links].reshape(-1, 10)
    for part in np.flatnonzero(whole.any(axis=1) & ~whole.all(axis=1)):
        link = model.names[10 * int(part)].rpartition(".")[0]
        raise InputError(f"physical: link '{link}' is fitted only in part; fit all or none of its ten parameters")
    links = tuple(k for k, J in enumerate(J0) if J.any() and whole[k].all())
    if not links and whole.any():
        raise InputError(
            "physical: no link has a mass in the description, which is the prior: give links the inertias of uniform "
            "solids of about their mass and size, by robot.with_inertial_parameters"
        )
    scalars = np.flatnonzero(fitted & (np.arange(len(fitted)) >= model.links))
    if not len(links) + len(scalars):
        raise InputError("physical: the model has no parameter to fit")
    prior = _thick(J0[list(links)])
    T = np.zeros((len(model.names), 10 * len(links) + len(scalars)))
    for n, (k, J) in enumerate(zip(links, prior, strict=True)):
        T[10 * k : 10 * k + 10, 10 * n : 10 * n + 10] = vectors_to_parameters(np.linalg.cholesky(J))
    sizes = _sizes(A[:, scalars], c, model.values[scalars])
    T[scalars, 10 * len(links) + np.arange(len(scalars))] = sizes
    z0 = np.concatenate([np.tile(to_vector(np.eye(4)), len(links)), model.values[scalars] / sizes])
    signs = [False] * (10 * len(links)) + [_is_of_drive(model, int(k)) for k in scalars]
    fixed = np.where(T.any(axis=1), 0.0, model.values)
    c = c - A[:, fitted] @ fixed[fitted]
    return ScaledProblem(A @ T, c, T, fixed, z0, links, prior, np.array(signs, dtype=bool), float(pull))


def in_deviations(R: Array, freedom: float) -> Array:
    """Rows [Y tau] divided by the standard deviation of their noise, estimated from `freedom` independent residuals."""
    if freedom <= 0:
        return R
    A, c = R[:, :-1], R[:, -1]
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0] = 1
    residual = c - A / scale @ np.linalg.lstsq(A / scale, c, rcond=1e-10)[0]
    return np.asarray(R / np.sqrt(max(residual @ residual, LEAST_NOISE**2 * (c @ c)) / freedom))


def _is_of_drive(model: ForceModel, k: int) -> bool:
    """Whether a parameter is a nonnegative drive parameter, of one joint or of a motor that moves several joints."""
    kinds = DRIVES if k < len(model.names) - len(model.terms) else ("armature", "damping", "friction")
    return model.names[k].rpartition(".")[2] in kinds


def _sizes(A: Array, c: Array, known: Array) -> Array:
    """Typical sizes of scalars: their known values, or, if larger, the values that would alone explain all forces."""
    lengths = np.linalg.norm(A, axis=0)
    alone = np.divide(np.linalg.norm(c), lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    sizes = np.maximum(np.abs(known), alone)
    return np.where(sizes > 0, sizes, 1.0)


def _thick(J0: Array) -> Array:
    """Raise the small eigenvalues that pseudo-inertias of point masses, rods and inconsistent bodies have."""
    mass = np.maximum(J0[:, 3, 3], 1e-3 * J0[:, 3, 3].max(initial=0)) if len(J0) else J0[:, 3, 3]
    mass = np.where(mass > 0, mass, 1.0)
    com = J0[:, :3, 3] / mass[:, None]
    covariance = J0[:, :3, :3] / mass[:, None, None] - com[:, :, None] * com[:, None, :]
    values, vectors = np.linalg.eigh(covariance)
    squares = np.maximum(values, 0).sum(axis=1) + (com**2).sum(axis=1)
    radius = float(np.sqrt(squares.mean())) if len(J0) and squares.any() else 0.1
    values = np.maximum(values, (THIN * radius) ** 2)
    covariance = np.einsum("kij,kj,klj->kil", vectors, values, vectors)
    thick = np.empty_like(J0)
    thick[:, :3, :3] = mass[:, None, None] * (covariance + com[:, :, None] * com[:, None, :])
    thick[:, :3, 3] = thick[:, 3, :3] = mass[:, None] * com
    thick[:, 3, 3] = mass
    return thick
