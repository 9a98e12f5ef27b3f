"""Matrices of any size and any scalar type, as tuples of rows, for formulations in matrix form."""

from revolute.spatial import IDENTITY, Inertia, Matrix, Scalar, Scalars, Transform, tilde

Rows = tuple[tuple[Scalar, ...], ...]


def dot(a: Scalars, b: Scalars) -> Scalar:
    """a . b; zero for vectors of length zero."""
    total: Scalar = a[0] * b[0] if a else 0
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def product(A: Rows, B: Rows) -> Rows:
    """A B."""
    columns = transpose(B)
    return tuple(tuple(dot(row, column) for column in columns) for row in A)


def times(A: Rows, x: Scalars) -> tuple[Scalar, ...]:
    """A x."""
    return tuple(dot(row, x) for row in A)


def transpose(A: Rows) -> Rows:
    """A^T."""
    return tuple(zip(*A, strict=True))


def plus(*matrices: Rows) -> Rows:
    """The sum of matrices."""
    first, *others = matrices
    for other in others:
        first = tuple(tuple(a + b for a, b in zip(r, s, strict=True)) for r, s in zip(first, other, strict=True))
    return first


def less(A: Rows, B: Rows) -> Rows:
    """A - B."""
    return tuple(tuple(a - b for a, b in zip(r, s, strict=True)) for r, s in zip(A, B, strict=True))


def blocks(a: Matrix, b: Matrix, c: Matrix, d: Matrix) -> Rows:
    """The 6x6 matrix of four 3x3 blocks: (a, b) above (c, d)."""
    return (*((*x, *y) for x, y in zip(a, b, strict=True)), *((*x, *y) for x, y in zip(c, d, strict=True)))


def adjoint(X: Transform) -> Rows:
    """Ad of a pose: maps twists (w, v) from the child frame to the parent frame. LP 9.54."""
    R = X.R.matrix()
    return blocks(R, tilde((0, 0, 0)), tilde(X.p) @ R, R)


def spatial_inertia(body: Inertia) -> Rows:
    """The 6x6 inertia about the body's origin: maps a twist (w, v) to a momentum (m, f). LP 9.40."""
    h = tilde(body.h)
    return blocks(body.I, h, h.T, IDENTITY * body.m)
