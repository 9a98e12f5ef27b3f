"""Methods of `Robot`: linear models about a state."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.compiler.bound import compiled
from revolute.dynamics import driven
from revolute.dynamics import linear_models as recursions
from revolute.machine.declare import has_kernel
from revolute.machine.function import WithDrives
from revolute.machine.linear_models import linear_model
from revolute.machine.robot.base import Array, LinkWrenches, Shared, Threads
from revolute.model.reduce import reduced

__all__ = ["LinearModels"]


class LinearModels(Shared):
    """Linear models about a state."""

    @compiled
    @has_kernel(
        recursions.linearize, "q qd tau -> A: 2nv 2nv; B: 2nv nv", on=reduced, inverts=True, options=("wrenches",),
        driven=WithDrives(driven.driven_linearize, smooth=True),
    )
    def linearize(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, step: ArrayLike | None = None,
        wrenches: LinkWrenches = None, out: tuple[Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """The linear model x' = A x + B u of small deviations from a motion. BP 7.2.2, 7.2.3.

            x = (dq, dqd),    u = dtau

        dq is along joint velocities, nv numbers. For a free joint it is a small motion (w, v) of its body in the body
        frame, q exp(w, v). Because this frame rotates, the upper left block of A is -ad of the body's twist instead of
        zero. The model is that of `forward_dynamics`, with wrenches that rotate with their links. The state need not be
        at rest: deviations from a motion through it follow A and B as long as these hardly change.

        Args:
            step: (...) length h of a time step [s], for the discrete-time model
                x[k+1] = A x[k] + B u[k] with constant u during the step: the exact solution by the matrix exponential,
                with constant A and B. None for continuous time.
            out: two arrays for the results in continuous time.

        Returns:
            A (..., 2 nv, 2 nv) and B (..., 2 nv, nv).

        Raises:
            InputError: the step is not positive, or is combined with `out`.

        Example:
            >>> import revolute
            >>> pendulum = revolute.robots.planar(1)
            >>> A, B = pendulum.linearize([1.5708], [0.0], [0.0])
            >>> A.round(3), B.round(3)
            (array([[ 0.   ,  1.   ],
                   [14.715,  0.   ]]), array([[0.],
                   [3.]]))
            >>> A, B = pendulum.linearize([1.5708], [0.0], [0.0], step=0.01)
            >>> A.round(5)
            array([[1.00074, 0.01   ],
                   [0.14719, 1.00074]])
        """
        return linear_model(self, (q, qd, tau), wrenches, step, out, threads)
