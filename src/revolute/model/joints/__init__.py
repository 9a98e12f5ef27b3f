"""Joint types: the only code that depends on how a joint moves.

For any scalar type, a joint computes the pose of its child frame in the joint frame; the twist of the child relative to
the parent and its time derivative, both in the child frame; and the joint forces that balance a wrench on the child.
"""

from revolute.model.joints.composed import Composed, Composite, Cylindrical, FreeEuler, SphericalEuler, Universal
from revolute.model.joints.free import Free, Spherical
from revolute.model.joints.joint import JointType
from revolute.model.joints.one_axis import Fixed, Helical, OneAxis, Prismatic, Revolute
from revolute.model.joints.planar import Planar

__all__ = [
    "Composed", "Composite", "Cylindrical", "Fixed", "Free", "FreeEuler", "Helical", "JointType", "OneAxis", "Planar",
    "Prismatic", "Revolute", "Spherical", "SphericalEuler", "Universal",
]  # fmt: skip
