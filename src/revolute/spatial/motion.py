"""Twists and wrenches. LP sections 3.3-3.4, 9.2; RBDA 2."""

from __future__ import annotations

from typing import Self

from revolute.arguments import instance, scalar
from revolute.records import dataclass
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, Vector, cross, dot, vector


@dataclass(frozen=True)
class _SpatialVector:
    """An angular and a linear vector: a motion or a force. RBDA 2.2."""

    ang: Vector = ZERO
    lin: Vector = ZERO

    def __post_init__(self) -> None:
        for name in ("ang", "lin"):
            part = getattr(self, name)
            if type(part) is not Vector:
                object.__setattr__(self, name, vector(f"{type(self).__name__}: {name}", part))

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return type(self)(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return type(self)(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Self:
        return type(self)(-self.ang, -self.lin)

    def __mul__(self, s: Scalar) -> Self:
        scalar(f"a factor of a {type(self).__name__}", s)
        return type(self)(self.ang * s, self.lin * s)

    __rmul__ = __mul__


@dataclass(frozen=True)
class Twist(_SpatialVector):
    """A twist (w, v) or its time derivative, over any scalar type. LP 9.22, section 3.3.

    `X @ V` with a `Transform` X expresses it in the parent frame (LP Ad).

    Attributes:
        ang: angular velocity w [rad/s].
        lin: velocity v of the frame's origin [m/s].

    Raises:
        InputError: a part is not three numbers or symbols.

    Example:
        A wheel of 0.5 m radius rolls along x. Its lowest point, the origin of the second frame, is at rest:

        >>> from revolute import Twist, Transform
        >>> rolling = Twist(ang=(0, 4, 0), lin=(2, 0, 0))  # at the axle
        >>> Transform(p=(0, 0, 0.5)) @ rolling  # the axle is 0.5 m above the lowest point
        Twist(ang=(0, 4, 0), lin=(0.0, 0.0, 0))
    """

    def cross(self, other: Twist) -> Twist:
        """ad_V W, the Lie bracket [V, W]: the time derivative of a motion W that moves with this twist V. LP 9.27-9.30.

        See also LP Def. 9.1, 9.66-9.67; BP 5.2.29; GOA Prop. 3-4, 17-23, appendix.

        Example:
            >>> from revolute import Twist
            >>> Twist(ang=(0, 0, 2)).cross(Twist(ang=(1, 0, 0), lin=(0, 0, 3)))
            Twist(ang=(0, 2, 0), lin=(0, 0, 0))
        """
        instance("cross: other", other, Twist)
        w, v = self.ang, self.lin
        return Twist(cross(w, other.ang), cross(w, other.lin) + cross(v, other.ang))

    def cross_force(self, F: Wrench) -> Wrench:
        """V x* F: the time derivative of a wrench F that moves with this twist V. LP -ad_V^T.

        See also LP 9.26, Def. 9.2, 9.31-9.33; BP 5.2.29.

        Example:
            >>> from revolute import Wrench, Twist
            >>> Twist(lin=(1, 0, 0)).cross_force(Wrench(lin=(0, 1, 0)))
            Wrench(ang=(0, 0, 1), lin=(0, 0, 0))
        """
        instance("cross_force: F", F, Wrench)
        return Wrench(cross(self.ang, F.ang) + cross(self.lin, F.lin), cross(self.ang, F.lin))

    def power(self, F: Wrench) -> Scalar:
        """V . F, the power of a wrench [W]. BP 5.2.28.

        Example:
            >>> from revolute import Wrench, Twist
            >>> Twist((0, 0, 2), (1, 0, 0)).power(Wrench((0, 0, 5), (3, 0, 0)))
            13
        """
        instance("power: F", F, Wrench)
        return dot(self.ang, F.ang) + dot(self.lin, F.lin)


@dataclass(frozen=True)
class Wrench(_SpatialVector):
    """A wrench (m, f), over any scalar type. LP 9.22, section 3.4.

    `X @ F` with a `Transform` X expresses it in the parent frame (LP Ad^T of the inverse).

    Attributes:
        ang: moment m about the frame's origin [N m].
        lin: force f [N].

    Raises:
        InputError: a part is not three numbers or symbols.

    Example:
        >>> from revolute import Wrench, Transform
        >>> Transform(p=(2, 0, 0)) @ Wrench(lin=(0, 3, 0))
        Wrench(ang=(0, 0, 6), lin=(0, 3, 0))
    """
