"""Newton-Euler equations of one rigid body, in vectors and in tensors. BP section 4.3.4, section 5.3.2."""

from revolute.spatial import Matrix, Scalar, Scalars, Vector, Wrench, cross, tensors

PRINTED = {"vectors": (45, 33), "tensors": (27, 24)}  # printed numbers of multiplications and additions. BP 4.3.4


def by_vectors(m: Scalar, I_c: Matrix, r: Vector, w: Scalars, wd: Scalars, sdd: Vector) -> Wrench:
    """F_c = m rdd_c, M_c = I_c wd + w x I_c w. BP section 4.3.4, section 5.3.2, with rdd_c by 4.2.24.

    See also BP 4.3.1-4.3.2, 5.2.21-5.2.22, 6.3.9-6.3.10.

    Args:
        m: mass [kg].
        I_c: inertia tensor about the centre of mass [kg m^2].
        r: centre of mass, from the body's origin [m].
        w, wd: angular velocity and acceleration [rad/s, rad/s^2].
        sdd: acceleration of the body's origin [m/s^2].

    Returns:
        the moment about the centre of mass, and the force.

    Example:
        >>> from revolute.published.rigid_body import by_vectors
        >>> from revolute.spatial import Vector, tensors
        >>> by_vectors(
        ...     2, tensors.DELTA, Vector((1, 0, 0)), (0, 0, 3), (0, 0, 1), Vector((0, 0, 0))
        ... )
        Wrench(ang=(0, 0, 1), lin=(-18, 2, 0))
    """
    rdd = sdd + cross(wd, r) + cross(w, cross(w, r))
    return Wrench(I_c @ wd + cross(w, I_c @ w), rdd * m)


def by_tensors(m: Scalar, J_c: Matrix, r: Vector, Omega: Matrix, sdd: Vector) -> Wrench:
    """F_c = m rdd_c, dual(M_c) = Omega J_c - (Omega J_c)^T. BP 4.3.44, section 4.3.4, section 5.3.2; rdd_c by 4.2.20.

    Args:
        J_c: Euler tensor about the centre of mass [kg m^2].
        Omega: angular-acceleration tensor [1/s^2], whose operations BP counts with the kinematics.

    For other arguments and the result see `by_vectors`.

    Example:
        >>> from revolute.published.rigid_body import by_tensors
        >>> from revolute.spatial import Vector, tensors
        >>> Omega = tensors.angular_acceleration((0, 0, 3), (0, 0, 1))
        >>> J = tensors.euler_of_inertia(tensors.DELTA)
        >>> by_tensors(2, J, Vector((1, 0, 0)), Omega, Vector((0, 0, 0)))
        Wrench(ang=(0.0, 0.0, 1.0), lin=(-18, 2, 0))
    """
    return Wrench(tensors.euler_moment(Omega, J_c), (sdd + Omega @ r) * m)
