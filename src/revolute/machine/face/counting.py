"""Methods of `Robot`: what its equations cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from revolute.machine.face.base import Face

if TYPE_CHECKING:
    from revolute.graph import Counts
    from revolute.machine.counting import Convention

__all__ = ["Counting"]


class Counting(Face):
    """What the robot's equations cost."""

    def count(
        self, function: str = "inverse_dynamics", *, convention: Convention = "traced", **options: Any
    ) -> Counts:
        """Scalar operations that one evaluation of a function or a published formulation takes.

        Exact numbers, from the equations of this robot; nothing is compiled. Symbols of the
        robot are constants of any value: what they make up without q, qd ... costs nothing.

        Args:
            function: name of a method that computes ("forward_dynamics"), or of a formulation
                of the literature ("augmented_links": see `revolute.published.FORMULATIONS`).
                Formulations count with the robot's true parameters and frames, as printed.
            convention: "traced" has zeros and ones of this robot's structure, constants, common
                terms and what no result needs taken out: of functions of this library that
                is what runs. "source" counts as books do: the same, but every product and
                sum that is written counts, also where constants could be merged.
            **options: of the function: see `kernel`.

        Returns:
            multiplications, additions (with subtractions), divisions, calls (sines, cosines and
            square roots) and others.

        Raises:
            UnknownNameError: neither a function nor a formulation.
            InputError: an option that the function does not have, or no such convention.
            ModelError: the formulation is not for such robots.

        Example:
            >>> import revolute
            >>> print(revolute.robots.planar(1).count("mass_matrix"))
            0 mul + 0 add, 0 div, 0 calls
            >>> puma = revolute.robots.puma560()
            >>> print(puma.count("mass_matrix").arithmetic < puma.count("generalized_links").arithmetic < 240)
            True
        """
        from revolute.machine.counting import count_operations

        return count_operations(self._robot, function, convention, options)
