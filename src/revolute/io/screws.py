"""Screw axes, home configurations and spatial inertias as a serial arm. LP 9.35-9.53."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.errors import InputError
from revolute.io.directions import SNAP, snap, unit_axis
from revolute.model import Joint, Limits, Link, Model, assemble
from revolute.model.joints import Helical, JointType, Prismatic, Revolute
from revolute.spatial import Inertia, Matrix, Rotation, Scalar, Transform, Vector, cross, dot, tilde
from revolute.spatial.rigid import SLOPPY, rigid


@np.errstate(over="ignore", invalid="ignore")  # overflow yields numbers that are rejected
def screw_arm(
    S: ArrayLike, M: ArrayLike, G: Iterable[Inertia | ArrayLike], frame: str, relative: bool, name: str,
    limits: Iterable[Limits] | None, gravity: Sequence[float],
) -> Model:
    """See `Robot.from_screws`."""
    if not isinstance(frame, str) or frame not in ("space", "body"):
        raise InputError(f"frame must be 'space' or 'body', not {frame!r}")
    screws, poses = _array("S must be", S, (-1, 6)), _array("M must be", M, (-1, 4, 4))
    if not (n := len(screws)):
        raise InputError("S: an arm needs at least one screw axis")
    if len(poses) not in (n, n + 1) or (frame == "body" and len(poses) == n):
        count = f"{n} or {n + 1}" if frame == "space" else f"{n + 1}; S is in the frame of the last, the end-effector"
        raise InputError(f"M: {len(poses)} home configurations for {n} screw axes; give {count}")
    inertias = [_inertia(f"G[{k}]", x) for k, x in enumerate(G)]
    ranges = list(limits) if limits is not None else [Limits()] * n
    for what, values in (("G", inertias), ("limits", ranges)):
        if len(values) != n:
            raise InputError(f"{what}: {len(values)} for {n} screw axes; give one per joint")
    homes = [_pose(f"M[{k}]", T) for k, T in enumerate(poses)]
    if relative:
        for k in range(1, len(homes)):
            homes[k] = (homes[k - 1] @ homes[k]).merged()

    links, joints, mounts = [Link("base")], [], []
    parent = Transform()  # home pose of the parent body in the base
    for k, (home, screw, inertia) in enumerate(zip(homes[:n], screws, inertias, strict=True), 1):
        link_in_S = home if frame == "space" else homes[-1].inverse() @ home
        joint, foot = _joint(f"S[{k - 1}]", *_in_link(link_in_S, screw))
        body = home @ Transform(p=foot)
        links.append(Link(f"link{k}", Transform(p=-foot) @ inertia))
        placement = _unrounded(parent.inverse() @ body)
        joints.append(Joint(f"joint{k}", links[k - 1].name, f"link{k}", joint, placement, ranges[k - 1]))
        mounts.append(Joint(f"frame{k}_mount", f"link{k}", f"frame{k}", placement=Transform(p=-foot)))
        parent = body
    if len(homes) > n:
        flange = _unrounded(parent.inverse() @ homes[n])
        mounts.append(Joint("flange_mount", f"link{n}", "flange", placement=flange))
    links += [Link(mount.child) for mount in mounts]
    return assemble(name, links, [*joints, *mounts], gravity=gravity)


def _pose(name: str, T: Array) -> Transform:
    position = Vector(x if _is_symbolic([x]) else float(x) for x in T[:3, 3])
    if _is_symbolic([*T[:3, :3].ravel(), *T[3]]):
        return _symbolic_pose(name, T, position)
    R = rigid(name, T[:3, :3].astype(float), T[3].astype(float))
    return Transform(Rotation.from_matrix(_snapped(R.tolist())), position)


def _symbolic_pose(name: str, T: Array, position: Vector) -> Transform:
    R = Matrix(row[:3] for row in T[:3].tolist())
    x, y, z = R.T
    shown = [[str(entry) for entry in row] for row in T]
    if T[3].tolist() != [0, 0, 0, 1]:
        raise InputError(f"{name}: its last row must be 0, 0, 0, 1, not {shown[3]}")
    products = {(x, x): 1, (y, y): 1, (z, z): 1, (x, y): 0, (y, z): 0, (z, x): 0, (cross(x, y), z): 1}
    if any(_tidy(dot(a, b)) != product for (a, b), product in products.items()):
        reason = "for all values of its symbols the rotation must be orthogonal and right-handed"
        raise InputError(f"{name}: {reason}: {shown[:3]}")
    return Transform(Rotation.from_matrix(R), position)


def _snapped(rows: Sequence[Sequence[Scalar]]) -> Matrix:
    return Matrix((_tidy(x) if _is_symbolic([x]) else snap(x) for x in row) for row in rows)


def _unrounded(X: Transform) -> Transform:
    """The pose without the rounding errors of matrix products."""
    return Transform(Rotation.from_matrix(_snapped(X.R.matrix())), _unrounded_vector(X.p))


def _unrounded_vector(p: Sequence[Scalar]) -> Vector:
    scale = max([1.0, *(abs(x) for x in p if not _is_symbolic([x]))])
    return Vector(_tidy(x) if _is_symbolic([x]) else 0 if abs(x) < 1e-15 * scale else x for x in p)


def _in_link(home: Transform, screw: Array) -> tuple[Vector, Vector]:
    """A_i = Ad(M_i^-1) S_i. LP 9.40 (9.51 drops the index)."""
    inverse = home.inverse()
    w = inverse.R @ Vector(screw[:3].tolist())
    return w, inverse.R @ Vector(screw[3:].tolist()) + cross(inverse.p, w)


def _joint(name: str, w: Vector, v: Vector) -> tuple[JointType, Vector]:
    """The joint of a unit screw in the link's frame, and the foot of the perpendicular from the origin to its axis."""
    if _is_symbolic([*w, *v]):
        return _symbolic_joint(name, w, v)
    speed, slide = np.linalg.norm(w), np.linalg.norm(v)
    if speed < SNAP and abs(slide - 1) < SLOPPY:
        return Prismatic(_normalized(v)), Vector((0, 0, 0))
    if abs(speed - 1) > SLOPPY:
        raise InputError(
            f"{name}: a screw axis (w, v) needs w of length one, or w = 0 and v of length one; the length of w is "
            f"{speed:.6g} and that of v {slide:.6g}"
        )
    axis = _normalized(w)
    pitch, scale = float(dot(w, v)), max(1.0, float(slide))
    joint = Helical(axis, pitch) if abs(pitch) > SNAP * scale else Revolute(axis)
    return joint, Vector(0 if abs(x) < 1e-15 * scale else float(x) for x in cross(w, v))


def _symbolic_joint(name: str, w: Vector, v: Vector) -> tuple[JointType, Vector]:
    w, v = Vector(map(_tidy, w)), Vector(map(_tidy, v))
    axis, square = (v, dot(v, v)) if tuple(w) == (0, 0, 0) else (w, dot(w, w))
    size = _tidy(square)
    if _is_symbolic([size]) or abs(size - 1) > SLOPPY:
        raise InputError(
            f"{name}: a screw axis (w, v) needs w of length one, or w = 0 and v of length one, for all values of its "
            f"symbols; here w is {tuple(w)} and v is {tuple(v)}"
        )
    axis = axis if _is_symbolic(axis) else _normalized(axis)
    if tuple(w) == (0, 0, 0):
        return Prismatic(axis), Vector((0, 0, 0))
    pitch = _tidy(dot(axis, v))
    return Revolute(axis) if pitch == 0 else Helical(axis, pitch), _unrounded_vector(cross(axis, v))


def _normalized(w: Vector) -> Vector:
    return unit_axis(map(float, np.asarray(w) / np.linalg.norm(w)))


def _inertia(name: str, value: Inertia | ArrayLike) -> Inertia:
    """G of a link about its frame: [[I, tilde(h)], [-tilde(h), m 1]]. LP 9.25, with h = 0 in the book."""
    if isinstance(value, Inertia):
        return value
    G = _array(f"{name} must be an Inertia, or", value, (6, 6))
    symbolic, I = G.dtype == object, G[:3, :3]
    m, *h = [G[3, 3], G[2, 4], G[0, 5], G[1, 3]] if symbolic else G[[3, 2, 0, 1], [3, 4, 5, 3]].tolist()
    across = np.array(tilde(h))
    off = G - np.block([[I.T if symbolic else (I + I.T) / 2, across], [across.T, m * np.eye(3, dtype=int)]])
    if any(_tidy(x) != 0 for x in off.ravel()) if symbolic else np.abs(off).max() > SLOPPY * np.abs(G).max():
        raise InputError(
            f"{name}: not a spatial inertia [[I, tilde(h)], [-tilde(h), m 1]] for (w, v): a symmetric I [kg m^2], "
            "first moment h [kg m] and mass m [kg]"
        )
    if not symbolic and m < 0:
        raise InputError(f"{name}: mass {m:g} kg is negative")
    return Inertia(m, Vector(h), Matrix((I if symbolic else (I + I.T) / 2).tolist()))


# --- numbers and SymPy expressions -----------------------------------------------------------


def _array(what: str, given: ArrayLike, shape: tuple[int, ...]) -> Array:
    """An array of finite numbers, or of objects if there are symbols; -1 in the shape allows any size."""
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        values = _of_objects(given)
    if values.ndim != len(shape) or any(n not in (-1, size) for n, size in zip(shape, values.shape, strict=True)):
        words = ", ".join("n" if n == -1 else str(n) for n in shape)
        raise InputError(f"{what} finite numbers, or expressions, of the shape ({words})")
    if values.dtype != object and not np.isfinite(values).all():
        raise InputError(f"{what} finite numbers")
    return values


def _is_symbolic(scalars: Iterable[Scalar]) -> bool:
    return any(getattr(x, "free_symbols", ()) for x in scalars)


def _tidy(x: Scalar) -> Scalar:
    """Simplify an expression; convert an integer to int."""
    x = x.simplify() if hasattr(x, "simplify") else x
    return int(x) if not _is_symbolic([x]) and x == int(x) else x


def _of_objects(values: Any) -> Array:
    """Convert integers to int and other numbers to float, keep expressions; empty if an entry is neither."""
    try:
        objects = np.array(values, dtype=object)
        scalars = [x if _is_symbolic([x]) and hasattr(x, "is_Add") else _number(x) for x in objects.ravel()]
    except (TypeError, ValueError):
        return np.empty(0)
    return np.array([*scalars, None], dtype=object)[:-1].reshape(objects.shape)


def _number(x: Any) -> Scalar:
    number = float(x)
    if not np.isfinite(number):
        raise ValueError(x)
    return int(number) if number == int(number) else number
