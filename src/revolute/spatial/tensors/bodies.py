"""The tensors of rigid bodies: angular velocity and acceleration, inertia, momentum and torque. BP ch. 4."""

from collections.abc import Sequence

from revolute.arguments import scalar
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors.algebra import Tensor, bracket, trace, vect
from revolute.spatial.tensors.operands import as_tensor, as_vector
from revolute.spatial.vectors import Matrix, Vector, tilde


def angular_velocity(R: Tensor, Rd: Tensor) -> Vector:
    """Angular velocity of a rotation tensor R with the rate Rd: tilde(w) = Rd R^T. BP 4.2.1-4.2.6; SHV 6.47, 6.139.

    Args:
        R: (3, 3) rotation from the body frame to the fixed frame.
        Rd: (3, 3) its time derivative [1/s].

    Returns:
        w [rad/s], expressed in the fixed frame.

    Example:
        >>> from revolute import tensors
        >>> tensors.angular_velocity(tensors.DELTA, tensors.dual((0, 0, 2)))
        (0.0, 0.0, 2.0)
    """
    return vect(as_tensor("Rd", Rd) @ as_tensor("R", R).T)


def angular_acceleration(w: Sequence[Scalar], wd: Sequence[Scalar]) -> Matrix:
    """The angular-acceleration tensor Omega = tilde(wd) + tilde(w) tilde(w): rdd = Omega r. BP 4.2.7-4.2.13, 4.2.22.

    As tilde(w) tilde(w) is symmetric, Omega takes 6 multiplications and 9 additions (BP section 5.3.2).

    See also BP B.5, C.2.

    Args:
        w, wd: angular velocity [rad/s] and acceleration [rad/s^2].

    Example:
        >>> from revolute import tensors
        >>> # a point on a wheel
        >>> tensors.angular_acceleration((0, 0, 2), (0, 0, 1)) @ (1, 0, 0)
        (-4, 1, 0)
    """
    w, wd = as_vector("w", w), as_vector("wd", wd)
    xx, yy, zz = (x * x for x in w)
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return Matrix((
        (-(yy + zz), xy - wd[2], xz + wd[1]),
        (xy + wd[2], -(xx + zz), yz - wd[0]),
        (xz - wd[1], yz + wd[0], -(xx + yy)),
    ))


def euler_of_inertia(I: Tensor) -> Matrix:
    """The Euler tensor J = tr(I)/2 1 - I, the integral of r r^T dm. BP 3.4.39, 4.3.4, 4.3.6, 4.3.12-4.3.13, 5.3.28.

    Args:
        I: (3, 3) inertia tensor [kg m^2], about any point.

    Returns:
        J [kg m^2], about the same point.

    Example:
        >>> from revolute import tensors
        >>> tensors.euler_of_inertia(((5, 0, 0), (0, 4, 0), (0, 0, 3)))
        ((1.0, 0, 0), (0, 2.0, 0), (0, 0, 3.0))
    """
    I = as_tensor("I", I)
    return _isotropic(trace(I) * 0.5) - I


def inertia_of_euler(J: Tensor) -> Matrix:
    """The inertia tensor I = tr(J) 1 - J. BP 4.3.7, 4.3.14.

    Example:
        >>> from revolute import tensors
        >>> tensors.inertia_of_euler(((1, 0, 0), (0, 2, 0), (0, 0, 3)))
        ((5, 0, 0), (0, 4, 0), (0, 0, 3))
    """
    J = as_tensor("J", J)
    return _isotropic(trace(J)) - J


def point_inertia(m: Scalar, r: Sequence[Scalar]) -> Matrix:
    """Inertia tensor of a point mass, -m tilde(r) tilde(r) = m (r.r 1 - r r^T). BP 4.3.8-4.3.9.

    The parallel-axis theorem adds this term to an inertia tensor, and m r r^T to an Euler tensor (BP 4.3.10).

    Args:
        m: mass [kg].
        r: position [m].

    Example:
        >>> from revolute import tensors
        >>> tensors.point_inertia(2, (0, 0, 3))
        ((18, 0, 0), (0, 18, 0), (0, 0, 0))
    """
    (x, y, z), m = as_vector("r", r), scalar("m", m)
    square = x * x + y * y + z * z
    xy, xz, yz = (0 - x * y) * m, (0 - x * z) * m, (0 - y * z) * m
    rows = ((square - x * x) * m, xy, xz), (xy, (square - y * y) * m, yz), (xz, yz, (square - z * z) * m)
    return Matrix(rows)


def turning_rate(w: Sequence[Scalar], T: Tensor) -> Matrix:
    """Time derivative tilde(w) T - T tilde(w) of a tensor that rotates with a body. BP 4.3.16-4.3.19.

    The derivatives of the inertia tensor I and of the Euler tensor J, in the fixed frame, are opposite (BP 4.3.18).

    Args:
        w: angular velocity of the body [rad/s].
        T: (3, 3) tensor that is constant in the body frame.

    Example:
        >>> from revolute import tensors
        >>> tensors.turning_rate((0, 0, 1), ((1, 0, 0), (0, 2, 0), (0, 0, 3)))
        ((0, -1, 0), (-1, 0, 0), (0, 0, 0))
    """
    return bracket(tilde(as_vector("w", w)), T)


def angular_momentum(w: Sequence[Scalar], J: Tensor) -> Matrix:
    """The angular-momentum tensor tilde(L) = J tilde(w) - (J tilde(w))^T, with dual(tilde(L)) = I w. BP 4.3.28-4.3.32.

    Args:
        w: angular velocity [rad/s].
        J: (3, 3) Euler tensor [kg m^2], about the centre of mass or a point at rest.

    Example:
        >>> from revolute import tensors
        >>> J = tensors.euler_of_inertia(((5, 0, 0), (0, 4, 0), (0, 0, 3)))
        >>> tensors.dual(tensors.angular_momentum((1, 1, 1), J))
        (5.0, 4.0, 3.0)
    """
    product: Matrix = as_tensor("J", J) @ tilde(as_vector("w", w))
    return product - product.T


def torque(Omega: Tensor, J: Tensor) -> Matrix:
    """The torque tensor, Euler's generalised equation tilde(M) = Omega J - (Omega J)^T. BP 4.3.41-4.3.44, 5.3.29.

    See also BP 5.3.4-5.3.5.

    Args:
        Omega: (3, 3) angular-acceleration tensor [1/s^2]: see `angular_acceleration`.
        J: (3, 3) Euler tensor [kg m^2], about the centre of mass or a point at rest.

    Example:
        >>> from revolute import tensors
        >>> J = tensors.euler_of_inertia(((5, 0, 0), (0, 4, 0), (0, 0, 3)))
        >>> tensors.dual(
        ...     tensors.torque(tensors.angular_acceleration((0, 0, 0), (1, 1, 1)), J)
        ... )
        (5.0, 4.0, 3.0)
    """
    product: Matrix = as_tensor("Omega", Omega) @ as_tensor("J", J)
    return product - product.T


def euler_moment(Omega: Tensor, J: Tensor) -> Vector:
    """The vector of the torque tensor, dual(Omega J - (Omega J)^T) = I wd + w x I w. BP 4.3.35-4.3.39, 4.3.44, 5.3.29.

    As J is symmetric, this takes 15 multiplications and 15 additions (BP section 4.3.4, section 5.3.2).

    See also BP 5.3.4-5.3.5, 5.3.15, 5.3.19-5.3.20, 5.4.9, B.1, B.4.

    Args:
        Omega: (3, 3) angular-acceleration tensor [1/s^2]: see `angular_acceleration`.
        J: (3, 3) Euler tensor [kg m^2], about the centre of mass or a point at rest; symmetric.

    Returns:
        the moment [N m] that produces this motion, about the point of J.

    Example:
        >>> from revolute import tensors
        >>> J = tensors.euler_of_inertia(((5, 0, 0), (0, 4, 0), (0, 0, 3)))
        >>> tensors.euler_moment(tensors.angular_acceleration((1, 1, 0), (0, 0, 0)), J)
        (0.0, 0.0, -1.0)
    """
    O, J = as_tensor("Omega", Omega), as_tensor("J", J)
    return Vector((
        J[1][1] * O[2][1] - J[2][2] * O[1][2] + J[1][2] * (O[2][2] - O[1][1]) + J[0][1] * O[2][0] - J[0][2] * O[1][0],
        J[2][2] * O[0][2] - J[0][0] * O[2][0] + J[0][2] * (O[0][0] - O[2][2]) + J[1][2] * O[0][1] - J[0][1] * O[2][1],
        J[0][0] * O[1][0] - J[1][1] * O[0][1] + J[0][1] * (O[1][1] - O[0][0]) + J[0][2] * O[1][2] - J[1][2] * O[0][2],
    ))


def twice_symmetric(a: Sequence[Scalar], b: Sequence[Scalar]) -> Matrix:
    """The sum of tilde(a) tilde(b) and its transpose: 9 multiplications and 9 additions. BP 3.4.10, section 6.4.

    Multiplied by -m, it is the term that a shift by a adds to the inertia of a mass m at b (BP 6.3.6).

    Example:
        >>> from revolute import tensors
        >>> tensors.twice_symmetric((1, 0, 0), (1, 0, 0))
        ((0, 0, 0), (0, -2, 0), (0, 0, -2))
    """
    a, b = as_vector("a", a), as_vector("b", b)
    half = [x * y for x, y in zip(a, b, strict=True)]
    xx, yy, zz = (x + x for x in half)
    xy, xz, yz = (a[i] * b[j] + a[j] * b[i] for i, j in ((0, 1), (0, 2), (1, 2)))
    return Matrix(((-(yy + zz), xy, xz), (xy, -(xx + zz), yz), (xz, yz, -(xx + yy))))


def _isotropic(x: Scalar) -> Matrix:
    return Matrix(((x, 0, 0), (0, x, 0), (0, 0, x)))
