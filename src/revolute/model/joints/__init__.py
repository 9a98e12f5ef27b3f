"""Joint types: the only place that knows how a joint moves.

Over any scalar, a joint gives the pose of its child frame in its own frame, the twist of
the child relative to the parent and the rate of that twist, both along the child's axes,
and the joint forces that balance a wrench on the child.
"""

from revolute.model.joints.composed import Composed, Composite, Cylindrical, FreeEuler, SphericalEuler, Universal
from revolute.model.joints.free import Free, Spherical
from revolute.model.joints.joint import Joint
from revolute.model.joints.one_axis import Fixed, Helical, OneAxis, Prismatic, Revolute
from revolute.model.joints.planar import Planar

__all__ = [
    "Composed",
    "Composite",
    "Cylindrical",
    "Fixed",
    "Free",
    "FreeEuler",
    "Helical",
    "Joint",
    "OneAxis",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "SphericalEuler",
    "Universal",
]
