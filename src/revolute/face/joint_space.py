"""Methods of `Robot`: mass, Coriolis and gravity terms in joint space."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.face.base import Array, Face

__all__ = ["JointSpace"]


class JointSpace(Face):
    """Mass, Coriolis and gravity terms in joint space."""

    def mass_matrix(self, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """The mass matrix M of tau = M qdd + C qd + g, and of the kinetic energy qd^T M qd / 2. LP 9.61, BP 6.2.

        It is symmetric in full, and positive definite if every joint moves mass. Row i tells
        the force at joint i that each acceleration takes; a free joint has six rows, which
        belong to its twist (w, v). Joints on different branches have zeros. Rotors of motors
        are not part of it.

        Args:
            q: (..., nq) joint positions [rad, m].
            out, threads: see `inverse_dynamics`.

        Returns:
            (..., nv, nv) mass matrices [kg m^2, kg m, kg].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)  # rods of 1 kg and 1 m
            >>> robot.mass_matrix([0.0, 0.0]).round(3)
            array([[2.667, 0.833],
                   [0.833, 0.333]])
        """
        M: Array = self._run("mass_matrix", (q,), out, threads, {})
        return M
