"""Joint forces that are an affine function of the state, as a law of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import float_copy
from revolute.dynamics.state_feedback import state_feedback
from revolute.errors import InputError, ShapeError
from revolute.graph import Input

if TYPE_CHECKING:
    from revolute.compiler.kernel import Kernel
    from revolute.compiler.signature import Signature

__all__ = ["Feedback", "StateFeedback", "checked_gains", "law"]

Array = NDArray[Any]
Tables = Callable[..., Array]


@dataclass(frozen=True, eq=False)
class StateFeedback:
    """Joint forces by feedback of the state, for `simulate`: tau - K_p (q - q_ref) - K_d (qd - qd_ref).

    With fixed steps the forces of a step are those at its start. The whole motion then runs in machine code, as it
    does for a table of forces. q - q_ref is a difference of numbers: a robot with quaternions among its positions
    needs a function instead.

    Attributes:
        position_gains: K_p, (nv,) the diagonal, or (nv, nv) [N m/rad, N/m].
        velocity_gains: K_d, (nv,) the diagonal, or (nv, nv) [N m s/rad, N s/m]; zero by default.
        q_ref: (nq,), or (..., T, nq) a row for every instant, held until the next [rad, m]; zero by default.
        qd_ref: (nv,) or (..., T, nv) [rad/s, m/s]; zero by default.
        tau: (nv,) or (..., T, nv) forces to which the feedback is added [N m, N]; zero by default.

    Raises:
        DtypeError: one of them does not hold real numbers.
        InputError: one of them is not finite.

    Example:
        >>> import numpy as np, revolute
        >>> arm, goal = revolute.robots.planar(2), np.array([0.5, -0.3])
        >>> law = revolute.StateFeedback([400.0, 100.0], [80.0, 20.0], goal, tau=arm.gravity_forces(goal))
        >>> motion = arm.simulate([0.0, 0.0], [0.0, 0.0], law, np.linspace(0, 5, 5001), "semi_implicit_euler")
        >>> bool(np.abs(motion.q[-1] - goal).max() < 1e-3)
        True
    """

    position_gains: ArrayLike
    velocity_gains: ArrayLike = 0.0
    q_ref: ArrayLike | None = None
    qd_ref: ArrayLike | None = None
    tau: ArrayLike | None = None

    def __post_init__(self) -> None:
        for name in ("position_gains", "velocity_gains", "q_ref", "qd_ref", "tau"):
            if (given := getattr(self, name)) is None:
                continue
            values = float_copy(f"StateFeedback: {name}", given)
            if not np.isfinite(values).all():
                raise InputError(f"StateFeedback: {name} is not finite")
            values.flags.writeable = False
            object.__setattr__(self, name, values)


class Feedback:
    """A law for the states of one motion: a source of joint forces.

    Attributes:
        form: of the law.
        arrays: its inputs besides the state, by their names; each gives an instant's rows, or is the gains.
    """

    def __init__(self, form: Signature, arrays: dict[str, Any], kernel: Kernel) -> None:
        self.form, self.arrays, self._kernel = form, arrays, kernel

    def __call__(self, k: int, time: float, q: Array, qd: Array) -> Array:
        given = {name: x(k, time) if callable(x) else x for name, x in self.arrays.items()}
        forces: Array = self._kernel(*[{**given, "q": q, "qd": qd}[x.name] for x in self.form.inputs])
        return forces


@cache
def law(n: int, nq: int, nv: int, diagonal: bool) -> tuple[Signature, Kernel]:
    """The law for n forces, with gain matrices or with diagonals alone; and its kernel."""
    from revolute.compiler.kernel import compiled
    from revolute.compiler.signature import Signature

    shapes = [(n,)] * 2 if diagonal else [(n, nq), (n, nv)]
    inputs = (
        Input("feedforward", (n,)),
        Input("position gains", shapes[0]),
        Input("velocity gains", shapes[1]),
        Input("q", (nq,)),
        Input("q_ref", (nq,)),
        Input("qd", (nv,)),
        Input("qd_ref", (nv,)),
    )

    def rows(gains: Sequence[Any], columns: int) -> list[dict[int, Any]]:
        if diagonal:
            return [{k: x} for k, x in enumerate(gains)]
        return [{k: gains[row * columns + k] for k in range(columns)} for row in range(n)]

    def body(tau: Any, K_p: Any, K_d: Any, *state: Any) -> Sequence[Any]:
        return state_feedback(tau, rows(K_p, nq), rows(K_d, nv), *state)

    form = Signature("state_feedback", inputs, (("tau", (n,)),), body)
    return form, compiled("robot", "any", form, np.float64, None, partial(_kernel, n, nq, nv, diagonal))


def _kernel(n: int, nq: int, nv: int, diagonal: bool) -> Kernel:
    return law(n, nq, nv, diagonal)[1]


def checked_gains(given: StateFeedback, n: int, nq: int, nv: int, owner: str) -> tuple[Array, Array]:
    """Both gains as arrays of `law`: matrices, or the diagonals of both.

    Raises:
        InputError: positions are no vector.
        ShapeError: gains do not fit.
    """
    if nq != nv:
        raise InputError(
            f"simulate: StateFeedback is not for {owner}: it has quaternions among its {nq} positions, whose "
            "difference is no vector; give a function of (t, q, qd) that returns the forces"
        )
    gains = [np.asarray(given.position_gains), np.asarray(given.velocity_gains)]
    for k, name in enumerate(("position_gains", "velocity_gains")):
        if gains[k].ndim == 0 and not gains[k]:
            gains[k] = np.zeros(n if n == nv else (n, nv))
        allowed = [(n, nv), *([(n,)] if n == nv else [])]
        if gains[k].shape not in allowed:
            needed = " or ".join(map(str, reversed(allowed)))
            raise ShapeError(f"simulate: {name} has shape {gains[k].shape}, but {owner} needs {needed}")
    if all(x.ndim == 1 for x in gains):
        return gains[0], gains[1]
    K_p, K_d = (np.diag(x) if x.ndim == 1 else x for x in gains)
    return K_p, K_d
