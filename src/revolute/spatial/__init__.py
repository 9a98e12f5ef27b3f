"""Three-vectors, rotations, and the spatial quantities built on them, over any scalar type.

Twists and wrenches have their angular part first, (w, v) and (m, f), as LP and RBDA write
them. 6x6 matrices are not used: a rotation and a vector replace them with fewer operations.

Glossary of the letters used in `spatial/`, `model/joints/` and `dynamics/`:

    q, qd, qdd, tau   joint positions, velocities, accelerations, forces
    R, p              rotation and position of a child frame: x_parent = R x_child + p
    X                 the transform (R, p)
    w, v              angular and linear velocity
    wd, a             angular acceleration, acceleration of the body origin
    Omega             angular-acceleration tensor, tilde(wd) + tilde(w) tilde(w)   BP section 4.2
    V, A, F           twist (w, v), its rate, wrench (m, f)
    m, h, I           mass, first moment m r, inertia matrix about the body origin
    K                 Euler tensor of a body, tr(I)/2 1 - I                        BP 4.3.6
    g                 gravity
"""

from revolute.spatial import tensors
from revolute.spatial.inertia import Inertia
from revolute.spatial.loop import Tree, converged, mapped, repeated
from revolute.spatial.motion import Twist, Wrench
from revolute.spatial.rotation import Rotation
from revolute.spatial.scalar import Expression, Rows, Scalar, Scalars, Wrenches, mirrored, select, sqrt, transposed
from revolute.spatial.transform import Transform
from revolute.spatial.vectors import IDENTITY, ZERO, Matrix, Vector, cross, dot, outer, tilde

__all__ = [
    "IDENTITY", "ZERO", "Expression", "Inertia", "Matrix", "Rotation", "Rows", "Scalar", "Scalars", "Transform",
    "Tree", "Twist", "Vector", "Wrench", "Wrenches", "converged", "cross", "dot", "mapped", "mirrored", "outer",
    "repeated", "select", "sqrt", "tensors", "tilde", "transposed",
]
