"""The least squares of figaroh 1.0: by its own functions if it is installed, else the same by Pinocchio and NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bench.robots import Array
from revolute.identification import Samples
from revolute.identification.log.decimation import Decimation

__all__ = ["Figaroh"]


class Figaroh:
    """Regressor row by row, columns that are not zero, base parameters by two QRs, ordinary least squares.

    Attributes:
        name: what computes.
    """

    def __init__(self, urdf: Path) -> None:
        import pinocchio

        self.model = pinocchio.buildModelFromUrdf(str(urdf))
        self.data = self.model.createData()
        try:
            import figaroh.tools.qrdecomposition
            import figaroh.tools.regressor  # noqa: F401

            self.name = "figaroh"
        except ImportError:
            self.name = "figaroh's algorithm, by Pinocchio and NumPy"

    def fit(self, samples: Samples, every: int = 1) -> tuple[Array, list[str], Array]:
        """Values and names of base parameters, and their relative standard deviations [%].

        One row of `every` is kept, by our filter: so both solve the same equations.
        """
        W, tau = self.regressor(samples.q, samples.qd, samples.qdd), samples.tau
        if every > 1:
            n = self.model.nv
            Y, tau = Decimation(every).add(W.reshape(n, -1, W.shape[1]).transpose(1, 0, 2), tau)
            W = Y.transpose(1, 0, 2).reshape(-1, W.shape[1])
        right = tau.T.ravel()
        names = self.names()
        if self.name == "figaroh":
            return self._by_figaroh(W, right, names)
        kept = np.flatnonzero(np.einsum("ij,ij->j", W, W) >= 1e-6)
        We = W[:, kept]
        R = np.linalg.qr(We, mode="r")
        base = np.flatnonzero(np.abs(np.diag(R)) > 1e-8)
        others = np.setdiff1d(np.arange(len(kept)), base)
        Q, R = np.linalg.qr(np.c_[We[:, base], We[:, others]])
        R1, R2 = R[: len(base), : len(base)], R[: len(base), len(base) :]
        beta = np.linalg.solve(R1, R2)
        values = np.linalg.solve(R1, Q[:, : len(base)].T @ right)
        Wb = Q[:, : len(base)] @ R1
        sums = [
            " + ".join(
                [
                    names[kept[i]],
                    *(f"{b:.15g}*{names[kept[j]]}" for b, j in zip(row, others, strict=True) if abs(b) > 1e-6),
                ]
            )
            for i, row in zip(base, beta, strict=True)
        ]
        return values, sums, _percent(Wb, values, right)

    def regressor(self, q: Array, qd: Array, qdd: Array) -> Array:
        """(nv T, 14 nv) rows joint by joint: links, then damping, friction, armature and offsets."""
        n, rows = self.model.nv, len(q)
        if self.name == "figaroh":
            from figaroh.tools.regressor import build_regressor_basic

            switches = dict.fromkeys(("has_friction", "has_actuator_inertia", "has_joint_offset"), True)
            config: dict[str, Any] = {**switches, "is_joint_torques": True, "act_idxv": range(n)}
            return np.asarray(build_regressor_basic(self, q, qd, qdd, config))
        import pinocchio

        W = np.zeros((n * rows, 14 * n))
        for i in range(rows):
            W[i::rows, : 10 * n] = pinocchio.computeJointTorqueRegressor(self.model, self.data, q[i], qd[i], qdd[i])
        for j in range(n):
            own = slice(j * rows, (j + 1) * rows)
            for k, column in enumerate((qd[:, j], np.sign(qd[:, j]), qdd[:, j], 1.0)):
                W[own, 10 * n + k * n + j] = column
        return W

    def names(self) -> list[str]:
        """Names of the columns, as ours."""
        order = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
        joints = list(self.model.names)[1:]
        links = [f"{joint}:{kind}" for joint in joints for kind in order]
        return [
            *links,
            *(f"{joint}.{kind}" for kind in ("damping", "friction", "armature", "offset") for joint in joints),
        ]

    def _by_figaroh(self, W: Array, right: Array, names: list[str]) -> tuple[Array, list[str], Array]:
        from figaroh.identification.identification_tools import relative_stdev
        from figaroh.tools.qrdecomposition import QRDecomposer
        from figaroh.tools.regressor import eliminate_non_dynaffect

        We, kept = eliminate_non_dynaffect(W, dict.fromkeys(names, 0.0))
        Wb, _, sums, values = QRDecomposer().double_decomposition(right, We, kept)
        return np.asarray(values), list(sums), np.asarray(relative_stdev(Wb, values, right))


def _percent(W: Array, values: Array, right: Array) -> Array:
    """Relative standard deviations of white noise [%]."""
    freedom = len(W) - W.shape[1]
    variance = np.sum((right - W @ values) ** 2) / freedom
    covariance = variance * np.linalg.inv(W.T @ W)
    return np.asarray(100 * np.sqrt(np.diag(covariance)) / np.abs(values))
