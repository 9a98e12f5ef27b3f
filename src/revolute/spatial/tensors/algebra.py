"""The algebra of second-order Cartesian tensors. BP ch. 3."""

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from revolute.errors import InputError
from revolute.spatial.scalar import Scalar, sqrt
from revolute.spatial.tensors.operands import as_numbers, as_tensor, as_vector, has_shape
from revolute.spatial.vectors import IDENTITY, Matrix, Vector, dot, tilde

Tensor = Sequence[Sequence[Scalar]]

ROUNDING = 1e-9
"""Maximum error of a unit vector's length; and of a tensor's symmetry or skew-symmetry, relative to its entries."""

DELTA: Matrix = IDENTITY
"""The Kronecker tensor, also called the unit tensor 1. BP 3.2.7, 3.3.3."""

EPSILON: tuple[Matrix, Matrix, Matrix] = tuple(tilde(e).T for e in IDENTITY)  # type: ignore[assignment]
"""The Levi-Civita tensor: `EPSILON[i][j][k]` is 1, -1 or 0. BP 3.3.4."""


def tensor_product(u: Sequence[Scalar], v: Sequence[Scalar]) -> Matrix:
    """The tensor product of two vectors, u v^T. BP 3.2.3, 3.2.5, 3.2.16-3.2.17, 3.4.12, 3.4.14, 3.4.32.

    (NumPy calls it the outer product. BP's outer product is `wedge`.)

    Example:
        >>> from revolute import tensors
        >>> tensors.tensor_product((1, 2, 0), (0, 0, 3))
        ((0, 0, 3), (0, 0, 6), (0, 0, 0))
    """
    b = as_vector("v", v)
    return Matrix(b * x for x in as_vector("u", u))


def wedge(u: Sequence[Scalar], v: Sequence[Scalar]) -> Matrix:
    """The wedge, exterior or outer product of two vectors, u v^T - v u^T; u x v = dual(wedge(v, u)). BP 3.3.9.

    See also BP 3.4.26-3.4.27, 3.4.30.

    Example:
        >>> from revolute import tensors
        >>> tensors.dual(tensors.wedge((0, 1, 0), (1, 0, 0)))
        (0, 0, 1)
    """
    return tensor_product(u, v) - tensor_product(v, u)


def trace(T: Tensor) -> Scalar:
    """The contraction of a tensor, the sum of its diagonal entries. BP section 3.2.3, 3.4.16, 3.4.39.

    Example:
        >>> from revolute import tensors
        >>> tensors.trace(tensors.DELTA)
        3
    """
    T = as_tensor("T", T)
    return T[0][0] + T[1][1] + T[2][2]


def double_dot(T: Tensor, S: Tensor) -> Scalar:
    """The double dot product T : S = tr(T S). BP 3.2.30, Prop. 3.6-3.7, 3.4.15, 3.4.17.

    Example:
        >>> from revolute import tensors
        >>> tensors.double_dot(tensors.DELTA, ((1, 2, 3), (4, 5, 6), (7, 8, 9)))
        15
    """
    a, b, c = map(dot, as_tensor("T", T), as_tensor("S", S).T)
    return a + b + c


def norm(T: Tensor) -> Scalar:
    """The Frobenius norm, the square root of T : T^T. BP 3.2.31-3.2.32.

    Example:
        >>> from revolute import tensors
        >>> tensors.norm(((1, 0, 0), (0, 2, 0), (0, 0, 2)))
        3.0
    """
    T = as_tensor("T", T)
    return sqrt(double_dot(T, T.T))


def angle(T: Tensor, S: Tensor) -> float:
    """The angle between two tensors of numbers [rad], 0 ... pi: cos = T : S^T / (|T| |S|). BP 3.2.33-3.2.34.

    Raises:
        InputError: a tensor is zero, or has entries that are not finite real numbers.

    Example:
        >>> from revolute import tensors
        >>> # symmetric and skew: orthogonal
        >>> tensors.angle(tensors.DELTA, tensors.wedge((1, 0, 0), (0, 1, 0)))
        1.5707963267948966
    """
    units = []
    for name, x in (("T", T), ("S", S)):
        numbers = as_numbers(name, x)
        largest = np.abs(numbers).max()
        if largest == 0:
            raise InputError(f"angle: {name} is zero, so its angle to other tensors is undefined")
        scaled = numbers / largest  # squares of unscaled entries may overflow or underflow
        units.append(scaled / np.linalg.norm(scaled))
    # the arctangent is accurate for small angles too, whereas the arccosine is not
    return 2 * math.atan2(float(np.linalg.norm(units[0] - units[1])), float(np.linalg.norm(units[0] + units[1])))


def symmetric_part(T: Tensor) -> Matrix:
    """(T + T^T) / 2, the symmetric part of the Cartesian decomposition. BP 3.3.7-3.3.8.

    Example:
        >>> from revolute import tensors
        >>> tensors.symmetric_part(((1, 2, 0), (0, 1, 0), (0, 0, 1)))
        ((1.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    """
    T = as_tensor("T", T)
    return (T + T.T) * 0.5


def skew_part(T: Tensor) -> Matrix:
    """(T - T^T) / 2, the skew-symmetric part of the Cartesian decomposition. BP 3.3.7-3.3.8.

    Example:
        >>> from revolute import tensors
        >>> tensors.skew_part(((1, 2, 0), (0, 1, 0), (0, 0, 1)))
        ((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    """
    T = as_tensor("T", T)
    return (T - T.T) * 0.5


def projection(e: Sequence[Scalar]) -> Matrix:
    """P_e = e e^T, the projection along a unit vector. BP 3.3.10-3.3.11, 3.3.13, 3.3.15-3.3.16.

    Raises:
        InputError: e is numeric and does not have length one.

    Example:
        >>> from revolute import tensors
        >>> tensors.projection((0.6, 0, 0.8)) @ (1, 0, 0)
        (0.36, 0.0, 0.48)
    """
    e = as_vector("e", e)
    if all(isinstance(x, Real) for x in e) and not abs(math.hypot(*e) - 1) <= ROUNDING:
        raise InputError(f"projection: e must have length one, not {math.hypot(*e):.10g}; divide it by its length")
    return tensor_product(e, e)


def plane_projection(e: Sequence[Scalar]) -> Matrix:
    """P^e = 1 - e e^T, the projection onto the plane perpendicular to a unit vector. BP 3.3.12, 3.3.14.

    Raises:
        InputError: see `projection`.

    Example:
        >>> from revolute import tensors
        >>> tensors.plane_projection((0, 0, 1)) @ (1, 2, 3)
        (1, 2, 0)
    """
    return DELTA - projection(e)


def spectral_decomposition(T: Tensor) -> tuple[tuple[float, Matrix], ...]:
    """Eigenvalues and their projections, T = sum lambda_k P_k, of a symmetric tensor. BP 3.3.17, 3.4.37-3.4.38.

    Returns:
        three pairs (lambda_k, P_k), in ascending order of lambda_k. P_k = e e^T projects along the k-th eigenvector.

    Raises:
        InputError: T is not symmetric, or has entries that are not finite real numbers; an eigenvalue is too large for
            a float.

    Example:
        >>> from revolute import tensors
        >>> parts = tensors.spectral_decomposition(((2, 1, 0), (1, 2, 0), (0, 0, 5)))
        >>> [round(value, 12) for value, P in parts]
        [1.0, 3.0, 5.0]
    """
    numbers = as_numbers("T", T)
    exponent = math.frexp(np.abs(numbers).max())[1]
    numbers = np.ldexp(numbers, -exponent)  # exact scaling, because sums may overflow
    if np.abs(numbers - numbers.T).max() > ROUNDING * np.abs(numbers).max():
        raise InputError("spectral_decomposition: T must be symmetric; use its symmetric_part")
    values, vectors = np.linalg.eigh((numbers + numbers.T) / 2)
    try:
        eigenvalues = [math.ldexp(x, exponent) for x in values]
    except OverflowError:
        raise InputError("spectral_decomposition: an eigenvalue of T is too large for a float; scale T") from None
    return tuple((x, projection(e)) for x, e in zip(eigenvalues, vectors.T.tolist(), strict=True))


def invariants(T: Tensor) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """The scalar invariants I_1 ... I_4 of a tensor. BP Remark 3.5, 3.3.18-3.3.24.

    Returns:
        the trace, the sum of the principal minors, the determinant, and the square of the norm. For a symmetric tensor
        the fourth is I_1^2 - 2 I_2.

    Example:
        >>> from revolute import tensors
        >>> tensors.invariants(((1, 0, 0), (0, 2, 0), (0, 0, 3)))
        (6, 11, 6, 14)
    """
    T = as_tensor("T", T)
    (a, b, c), (d, e, f), (g, h, i) = T
    minor = e * i - f * h
    return (
        trace(T),
        minor + (i * a - c * g) + (a * e - b * d),
        a * minor + b * (f * g - d * i) + c * (d * h - e * g),
        double_dot(T, T.T),
    )


def vect(T: Tensor) -> Vector:
    """The vector invariant of a tensor, zero if symmetric. BP 3.3.27-3.3.28; twice the vector is BP 3.3.25-3.3.26.

    t_i = 1/2 e_ijk t_kj, so vect(A^T) = -vect(A), as in BP 3.4.31. See also BP 3.4.32-3.4.33, 4.2.14.

    Example:
        >>> from revolute import tensors
        >>> tensors.vect(((1, 2, 0), (4, 1, 0), (0, 0, 1)))
        (0.0, 0.0, 1.0)
    """
    T = as_tensor("T", T)
    return Vector((T[2][1] - T[1][2], T[0][2] - T[2][0], T[1][0] - T[0][1])) * 0.5


def dual(x: Any) -> Any:
    """The dual operator: the skew-symmetric tensor of a vector, or the vector of such a tensor. BP 3.3.29-3.3.36.

    See also BP Def. 3.4, Prop. 3.1-3.12, 3.4.1-3.4.30, 3.4.33-3.4.36, 3.4.38-3.4.39, 4.2.21, 4.3.27, 4.3.40. The
    operator needs no arithmetic operations. `vect` extends it to all tensors.

    Raises:
        InputError: x is neither a vector nor a tensor, or is a tensor of numbers that is not skew-symmetric.

    Example:
        >>> from revolute import tensors
        >>> tensors.dual((1, 2, 3))
        ((0, -3, 2), (3, 0, -1), (-2, 1, 0))
        >>> tensors.dual(tensors.dual((1, 2, 3)))
        (1, 2, 3)
    """
    if isinstance(x, np.ndarray) and x.shape == (3, 1):
        x = x[:, 0]
    parts = x if isinstance(x, Iterable) else ()
    is_tensor = has_shape(x, (3, 3)) or any(isinstance(part, (Sequence, np.ndarray)) for part in parts)
    if type(x) is Vector or not is_tensor:
        return tilde(as_vector("x", x))
    T = as_tensor("x", x)
    entries = [t for row in T for t in row]
    if all(isinstance(t, Real) for t in entries):
        largest = max(map(abs, entries))
        if any(abs(T[i][j] + T[j][i]) > ROUNDING * largest for i in range(3) for j in range(3)):
            raise InputError("dual: a tensor must be skew-symmetric; use its skew_part, or its vect")
    return Vector((T[2][1], T[0][2], T[1][0]))


def bracket(S: Tensor, T: Tensor) -> Matrix:
    """The Lie bracket, or commutator, S T - T S. BP 3.4.20-3.4.21, 3.4.24, 3.4.26, 3.4.29.

    Example:
        >>> from revolute import tensors
        >>> # x cross y
        >>> tensors.dual(tensors.bracket(tensors.dual((1, 0, 0)), tensors.dual((0, 1, 0))))
        (0, 0, 1)
    """
    S, T = as_tensor("S", S), as_tensor("T", T)
    commutator: Matrix = S @ T - T @ S
    return commutator
