"""Trainable inertial parameters that are physically consistent for all values of the module's variables.

Each body's pseudo-inertia [[S, h], [h^T, m]], with S = tr(I)/2 1 - I, is U U^T. The diagonal of the upper triangle U
contains exponentials: log-Cholesky parameters (Rucker & Wensing, IEEE RA-L 7(2), 2022).
"""

from typing import Any

import numpy as np
import torch

from revolute.errors import InputError, UnknownNameError
from revolute.model.pseudo_inertia import pseudo_inertia, to_log_cholesky


class InertialParameters(torch.nn.Module):
    """Inertial parameters of a robot as a module, whose `forward()` returns (n, 10) as in `inertial_parameters`.

        bodies = InertialParameters(robot)
        f = robot.torch("inverse_dynamics", parameters="inertial")
        loss = (f(q, qd, qdd, bodies()) - measured).square().mean()

    Gradient descent changes ten unconstrained variables per body; all their values yield physically consistent
    parameters.

    Args:
        robot: a robot, whose inertial parameters are the initial values.
        bodies: names of the trainable links; all by default.

    Attributes:
        theta: (k, 10) log-Cholesky parameters a, d1, d2, d3, s12, s23, s13, t1, t2, t3 of each trainable body.

    Raises:
        InputError: the parameters of a body are not strictly physically consistent.
        UnknownNameError: a link does not exist.
    """

    def __init__(self, robot: Any, bodies: Any = None) -> None:
        super().__init__()
        if not hasattr(robot, "bodies"):  # robots with drives have further kinds of parameters
            raise InputError(f"InertialParameters needs a robot without drives, not {robot!r}; pass driven.robot")
        names = [body.name for body in robot.bodies[1:]]
        chosen = range(len(names)) if bodies is None else [_place(name, names) for name in bodies]
        parameters = robot.inertial_parameters
        self.register_buffer("_fixed", torch.tensor(parameters))
        self.register_buffer("_chosen", torch.tensor(list(chosen)))
        rows = [_log_cholesky(parameters[k], names[k]) for k in chosen]
        self.theta = torch.nn.Parameter(torch.tensor(np.array(rows).reshape(-1, 10)))

    def forward(self) -> torch.Tensor:
        """(n, 10) inertial parameters of all moving bodies."""
        alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = self.theta.unbind(-1)
        scale = torch.exp(alpha)
        one, zero = torch.ones_like(alpha), torch.zeros_like(alpha)
        U = scale[:, None, None] * torch.stack([
            torch.stack([torch.exp(d1), s12, s13, t1], -1),
            torch.stack([zero, torch.exp(d2), s23, t2], -1),
            torch.stack([zero, zero, torch.exp(d3), t3], -1),
            torch.stack([zero, zero, zero, one], -1),
        ], -2)
        P = U @ U.transpose(-1, -2)
        xx, yy, zz = P[:, 0, 0], P[:, 1, 1], P[:, 2, 2]
        learned = torch.stack([
            P[:, 3, 3], P[:, 0, 3], P[:, 1, 3], P[:, 2, 3],
            yy + zz, xx + zz, xx + yy, -P[:, 0, 1], -P[:, 0, 2], -P[:, 1, 2],
        ], -1)
        fixed: torch.Tensor = self._fixed
        index: torch.Tensor = self._chosen
        return fixed.to(learned.dtype).index_copy(0, index, learned)


def _place(name: str, names: list[str]) -> int:
    """Index of a link among the moving bodies."""
    if name not in names:
        raise UnknownNameError(f"InertialParameters: no moving link '{name}'; available: {', '.join(names)}")
    return names.index(name)


def _log_cholesky(p: Any, name: str) -> Any:
    """The ten log-Cholesky parameters of a body with these inertial parameters."""
    try:
        return to_log_cholesky(pseudo_inertia(p))
    except np.linalg.LinAlgError:
        raise InputError(
            f"InertialParameters: link '{name}' has parameters that are physically inconsistent, or on the boundary; "
            "omit the link from bodies=[...], or give it another inertia"
        ) from None
