"""Results of the dynamics of constrained robots."""

from dataclasses import dataclass

from revolute.machine.machine import Array


@dataclass(frozen=True, eq=False)
class ReducedDynamics:
    """The equations of motion in independent coordinates y: M ydd + bias = T^T tau.

    Attributes:
        M: (..., k, k) mass matrix.
        bias: (..., k) velocity-dependent and gravity forces.
        T: (..., nv, k) matrix with qd = T yd.
        drift: (..., nv) accelerations with qdd = T ydd + drift.
        independent: indices of the k coordinates in qd.
    """

    M: Array
    bias: Array
    T: Array
    drift: Array
    independent: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ConstrainedLinearModel:
    """The linear model d/dt x = A x + B dtau of small deviations that keep the loops closed, x = (dy, dyd).

    Attributes:
        A: (..., 2 k, 2 k); with a time step, x[i+1] = A x[i] + B dtau[i].
        B: (..., 2 k, nv), a column for each joint force of the tree.
        C: (..., 2 nv, 2 k) with (dq, dqd) = C x: deviations of all joints.
        independent: indices of the k coordinates y in qd.
    """

    A: Array
    B: Array
    C: Array
    independent: tuple[int, ...]
