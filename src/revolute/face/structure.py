"""Methods of `Robot`: properties of its equations that control laws rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from revolute.face.base import Face

if TYPE_CHECKING:
    from revolute.inertia_bounds import InertiaBounds

__all__ = ["Structure"]


class Structure(Face):
    """Properties of the equations that control laws rest on."""

    def inertia_bounds(self, samples: int = 2000, rng: np.random.Generator | int | None = 0) -> InertiaBounds:
        """Bounds of the mass matrix over the joint limits: lambda_m 1 <= M(q) <= lambda_M 1. SHV 6.5.

        Eigenvalues of M at random configurations, the best of which are improved along
        gradients: values that M does have. Beside them stands a proved upper bound, often a
        few times larger. Units of M are mixed where there are revolute and prismatic joints,
        and so are its eigenvalues.

        Args:
            samples: how many random configurations (see `random_configuration`: within the
                limits; slides without limits within +-1 m, where no bound exists).
            rng: a NumPy generator, or a seed for one.

        Returns:
            lowest, highest, where they are, and the proved ceiling: a
            `revolute.inertia_bounds.InertiaBounds`.

        Raises:
            InputError: samples that are no positive number, or a robot without joints.

        Example:
            >>> import revolute
            >>> bounds = revolute.robots.planar(2).inertia_bounds()
            >>> round(bounds.lowest, 4), round(bounds.highest, 4), round(bounds.ceiling, 4)
            (0.0663, 2.9337, 3.0)
        """
        from revolute.inertia_bounds import inertia_bounds

        return inertia_bounds(self, samples, rng)  # type: ignore[arg-type]  # a face is a robot
