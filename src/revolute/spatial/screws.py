"""Poses as products of steps, each a rotation about a coordinate axis and a translation along it. RBDA A.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.records import dataclass
from revolute.spatial.rotation import quarter_turns
from revolute.spatial.transform import Transform


@dataclass(frozen=True)
class Screws(Transform):
    """A pose as the product of steps, from the parent to the child. R and p are computed from the product.

    Transforming a vector by a step needs 4 multiplications for the planar rotation, and 2 for the translation along one
    axis. So two steps reach any line: by the angle and length of the common normal, then by the angle and length along
    the line itself, as in Denavit and Hartenberg (1955). In contrast, p of the product has three components.
    """

    # the steps. The last one is about and along the axis of the joint that the pose belongs to.
    screws: tuple[Transform, ...] = ()

    @classmethod
    def of(cls, screws: Sequence[Transform]) -> Screws:
        """The product of steps."""
        product = Transform()
        for step in screws:
            product = product._after(step)
        return cls(product.R, product.p, tuple(screws))

    @property
    def steps(self) -> tuple[Transform, ...]:
        return self.screws

    def parts(self) -> tuple[Transform, Transform]:
        *constant, last = self.screws
        if all(quarter_turns(step.R.matrix()) for step in constant):  # exact turns keep p as sparse as its terms
            return self, Transform()
        return Screws.of(constant), last

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Transform):  # the transform of a joint
            *before, last = self.screws
            return Screws.of([*before, last._after(other)])
        for step in reversed(self.screws):
            other = step @ other
        return other
