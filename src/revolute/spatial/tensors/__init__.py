"""Cartesian tensors over any scalar type: the algebra of BP ch. 3, and the tensors of rigid bodies of BP ch. 4.

A vector is any three scalars, a tensor any three rows of three; SymPy matrices of these shapes are also accepted.
Results are `Vector` and `Matrix`, where `@` is the dot product and `.T` the transpose. Letters are the book's: I and J
are the inertia tensor and Euler tensor, Omega the angular-acceleration tensor. Functions that need numbers say so.

    >>> import sympy
    >>> from revolute import tensors
    >>> x, y, z = sympy.symbols("x y z")
    >>> tensors.dual((x, y, z))
    ((0, -z, y), (z, 0, -x), (-y, x, 0))
"""

from revolute.spatial.tensors.algebra import (
    DELTA,
    EPSILON,
    angle,
    bracket,
    double_dot,
    dual,
    invariants,
    norm,
    plane_projection,
    projection,
    skew_part,
    spectral_decomposition,
    symmetric_part,
    tensor_product,
    trace,
    vect,
    wedge,
)
from revolute.spatial.tensors.bodies import (
    angular_acceleration,
    angular_momentum,
    angular_velocity,
    euler_moment,
    euler_of_inertia,
    inertia_of_euler,
    point_inertia,
    torque,
    turning_rate,
    twice_symmetric,
)

__all__ = [
    "DELTA", "EPSILON", "angle", "angular_acceleration", "angular_momentum", "angular_velocity", "bracket",
    "double_dot", "dual", "euler_moment", "euler_of_inertia", "inertia_of_euler", "invariants", "norm",
    "plane_projection", "point_inertia", "projection", "skew_part", "spectral_decomposition", "symmetric_part",
    "tensor_product", "torque", "trace", "turning_rate", "twice_symmetric", "vect", "wedge",
]
