"""Inertias of solids and meshes against closed forms; a centre of mass given in place of the first moment."""

import gzip
import sys
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises

import revolute
from revolute import Inertia, InputError, MissingExtraError, Transform
from revolute.errors import ModelWarning
from revolute.io.solids import solid_of
from revolute.model.parameters import from_vector, implausibility, to_vector
from revolute.model.shapes import Shape
from revolute.spatial import Matrix, Vector

POSE = Transform.from_rpy((0.3, -0.2, 0.1), (0.4, 1.1, -0.7))


def vector(inertia: Inertia) -> np.ndarray:
    return np.array([float(x) for x in to_vector(inertia)])


def box_mesh(size: tuple[float, float, float], at: tuple[float, float, float] = (0, 0, 0)) -> tuple[Any, Any]:
    """Corners and twelve triangles that look outwards."""
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * size + at
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])


def test_what_almost_nothing_weighs_may_have_no_inertia_about_its_centre() -> None:
    """h^2 / m overflows: no number is left to judge."""
    speck = Inertia(1e-300, Vector((1e10, 0, 0)), Matrix(((1, 0, 0), (0, 1, 0), (0, 0, 1))))
    with np.errstate(over="ignore", invalid="ignore"):
        assert implausibility(speck) == "its inertia about the centre of mass is not finite"



def test_poses_move_solids() -> None:
    for solid in (lambda pose: Inertia.box(2, (1, 2, 3), pose), lambda pose: Inertia.cylinder(2, 1, 3, pose)):
        np.testing.assert_array_equal(vector(solid(POSE)), vector(POSE @ solid(None)))
    assert Inertia.sphere(2, 1, Transform(p=(1, 0, 0))).com() == (1, 0, 0)


def test_a_box_is_two_halves() -> None:
    halves = [Inertia.box(1, (0.5, 2, 3), POSE @ Transform(p=(x, 0, 0))) for x in (-0.25, 0.25)]
    whole = Inertia.box(2, (1, 2, 3), POSE)
    np.testing.assert_allclose(vector(halves[0] + halves[1]), vector(whole), rtol=0, atol=1e-14)
    np.testing.assert_allclose(vector(whole - halves[0]), vector(halves[1]), rtol=0, atol=1e-14)


def test_solids_of_symbols() -> None:
    m, r = sympy.symbols("m r", positive=True)
    assert sympy.simplify(Inertia.sphere(m, r).I[0][0] - sympy.Rational(2, 5) * m * r**2) == 0


@pytest.mark.parametrize("at", [(0, 0, 0), (10, -20, 30)])
def test_a_mesh_is_its_solid(at: tuple[float, float, float]) -> None:
    """To 1e-13 of its parameters about the origin, where 30 m are ten times the size of the box."""
    size = (1.0, 2.0, 3.0)
    box = vector(Inertia.box(12, size, Transform(p=at)))
    for mesh in (Inertia.mesh(box_mesh(size, at), mass=12), Inertia.mesh(box_mesh(size, at), density=2)):
        assert np.abs(vector(mesh) - box).max() <= 1e-13 * np.abs(box).max()
    corners, faces = box_mesh(size, at)
    turned = Inertia.mesh((corners * 1000, faces[:, ::-1]), mass=12, scale=0.001)  # in mm, looking inwards
    assert np.abs(vector(turned) - box).max() <= 1e-13 * np.abs(box).max()
    placed = vector(Inertia.mesh((corners, faces), mass=12, pose=POSE))
    assert np.abs(placed - vector(POSE @ Inertia.box(12, size, Transform(p=at)))).max() <= 1e-12 * np.abs(box).max()


def test_repeated_vertices_are_one() -> None:
    """As STL has them."""
    corners, faces = box_mesh((1, 2, 3))
    loose = (corners[faces].reshape(-1, 3), np.arange(36).reshape(-1, 3))
    np.testing.assert_allclose(vector(Inertia.mesh(loose, mass=1)), vector(Inertia.box(1, (1, 2, 3))), atol=1e-15)


CORNERS, FACES = box_mesh((1, 1, 1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Inertia.box(-1, (1, 1, 1)), "box: its mass must be"),
        (lambda: Inertia.box(1, (1, -1, 1)), "box: its size must be .* not -1"),
        (lambda: Inertia.sphere(1, np.inf), "sphere: its size"),
        (lambda: Inertia.cylinder(1, np.nan, 1), "cylinder: its size"),
        (lambda: Inertia.mesh((CORNERS, FACES)), "either mass"),
        (lambda: Inertia.mesh((CORNERS, FACES), 1, 1), "either mass"),
        (lambda: Inertia.mesh((CORNERS, FACES), mass=-1), "mass must be a positive number, not -1"),
        (lambda: Inertia.mesh((CORNERS, FACES), mass=1, scale=0), "scale must be a positive"),
        (lambda: Inertia.mesh((CORNERS, FACES[1:]), mass=1), "is open, .*: 3 edges"),
        (lambda: Inertia.mesh((CORNERS, [*FACES[1:], FACES[0][::-1]]), mass=1), "are not oriented consistently"),
        (lambda: Inertia.mesh((CORNERS * (1, 1, 0), FACES), mass=1), "mesh: "),
        (lambda: Inertia.mesh((CORNERS[:, :2], FACES), mass=1), "vertices must be"),
        (lambda: Inertia.mesh((CORNERS, FACES * 1.0), mass=1), "faces must be"),
        (lambda: Inertia.mesh((CORNERS, FACES + 1), mass=1), "vertices 1 to 8, but there are 8"),
        (lambda: Inertia.mesh((CORNERS, FACES[:0]), mass=1), "mesh: it has no faces"),
        (lambda: Inertia.mesh((CORNERS * 1e80, FACES), mass=1), "vertices are too far apart, 1e.80 m; check its unit"),
        (lambda: Inertia.mesh((CORNERS * 1e200, FACES), mass=1), "vertices are too far apart, 1e.200 m; check"),
        (lambda: Inertia.mesh(3, mass=1), "not int"),
    ],
)
def test_solids_that_are_none(make: Any, words: str) -> None:
    assert_raises(InputError, words, make)


def test_files_need_trimesh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    assert_raises(MissingExtraError, r"\.\[mesh\]", Inertia.mesh, "part.stl", mass=1)


def test_files(tmp_path: Path) -> None:
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    (tmp_path / "box.obj").write_text("\n".join(lines))
    found = vector(Inertia.mesh(tmp_path / "box.obj", mass=1))
    np.testing.assert_allclose(found, vector(Inertia.box(1, (1, 1, 1))), atol=1e-15)
    (tmp_path / "none.stl").write_text("solid nothing")
    (tmp_path / "open.obj").write_text("\n".join(lines[:-1]))
    (tmp_path / "far.obj").write_text("\n".join(["v 1e300 1e300 1e300", *lines[1:]]))
    reasons = {
        "none.stl": "none.stl: mesh: it has no faces", "missing.stl": "missing.stl' cannot be read",
        "robot.xyzw": "robot.xyzw' cannot be read", "open.obj": "open.obj: mesh: its surface is open",
        "far.obj": "far.obj: mesh: its vertices are too far apart",
    }  # fmt: skip
    (tmp_path / "box.obj.gz").write_bytes(gzip.compress((tmp_path / "box.obj").read_bytes()))
    with zipfile.ZipFile(tmp_path / "box.ZIP", "w") as archive:
        archive.write(tmp_path / "box.obj", "box.obj")
    reasons |= {name: f"mesh: '.*{name}' is an archive" for name in ("box.obj.gz", "box.ZIP", "missing.tar.bz2")}
    for name, words in reasons.items():
        assert_raises(InputError, words, Inertia.mesh, tmp_path / name, mass=1)


@pytest.mark.parametrize("name", ["box", "cylinder", "ellipsoid", "capsule"])
def test_shapes_of_files_know_their_volume_place_and_spread(name: str) -> None:
    """By the midpoint rule on a grid of 80 cells each way, which is right to the share of cells that are cut."""
    half = (0.3, 0.2, 0.4)
    size, inside, reach = {
        "box": ((0.6, 0.4, 0.8), lambda x, y, z: x == x, half),
        "cylinder": ((0.3, 0.8), lambda x, y, z: np.hypot(x, y) < 0.3, (0.3, 0.3, 0.4)),
        "ellipsoid": (half, lambda x, y, z: (x / 0.3) ** 2 + (y / 0.2) ** 2 + (z / 0.4) ** 2 < 1, half),
        "capsule": (
            (0.2, 0.4), lambda x, y, z: x**2 + y**2 + np.maximum(abs(z) - 0.2, 0) ** 2 < 0.04, (0.2, 0.2, 0.4)
        ),
    }[name]
    axes = [(np.arange(80) + 0.5) / 40 * r - r for r in reach]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points = grid[inside(*grid.T)]
    share = len(points) / len(grid)
    R = np.array(POSE.R.matrix(), dtype=float)
    shape = solid_of(Shape(name, size, POSE))
    assert shape is not None
    assert shape.volume == pytest.approx(share * 8 * np.prod(reach), rel=1e-2)
    np.testing.assert_allclose(shape.centre, POSE.p, atol=1e-12)
    np.testing.assert_allclose(shape.spread, R @ (points.T @ points / len(points)) @ R.T, atol=1e-3)
    turned = points @ R.T + np.array(POSE.p, dtype=float)
    np.testing.assert_allclose(shape.lower, turned.min(axis=0), atol=0.02)
    np.testing.assert_allclose(shape.upper, turned.max(axis=0), atol=0.02)


ROD = np.diag([1e-4, 0.007, 0.007])
"""About the centre of a rod of 0.4 m and 0.5 kg."""


def bodies(count: int) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
    """Sums of point masses: all that bodies can be, from needles and plates to balls, far from the origin and near.

    Every other one is rounded to 4 ... 16 digits.
    """
    rng = np.random.default_rng(0)
    for k in range(count):
        points = int(rng.integers(1, 6))
        reach = 10.0 ** rng.uniform(-3, 1, 3) * (rng.random(3) < 0.8)
        at = rng.standard_normal((points, 3)) * reach + rng.standard_normal(3) * 10.0 ** rng.uniform(-3, 1)
        body = Inertia.particles(rng.random(points) * 10.0 ** rng.uniform(-3, 3), at)
        digits = int(rng.integers(4, 17)) if k % 2 else 17
        rounded = np.vectorize(lambda x, digits=digits: float(f"{x:.{digits}g}"))
        yield float(rounded(body.m)), rounded(body.h), rounded(body.I)


def test_a_centre_of_mass_is_told_with_what_to_write() -> None:
    with pytest.warns(ModelWarning, match=r"h is mass times centre of mass \[kg m\].*Inertia\.from_com") as caught:
        Inertia(0.5, (0.2, 0, 0), ROD)
    assert caught[0].filename == __file__
    # with 50 kg the same numbers are those of a body: nothing tells that they were meant otherwise
    for args in ((50.0, (0.2, 0, 0), ROD), (0.5, (0.1, 0, 0), ROD + 0.02 * np.diag([0, 1, 1]))):
        Inertia(*args)


def test_bodies_are_never_told() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for m, h, I in bodies(2000):
            Inertia(m, h, I)
    assert caught == []


def test_other_impossible_parameters_and_symbols_are_not_told() -> None:
    """No centre of mass at h makes them those of a body, or there is nothing to decide."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Inertia(0.5, (0.2, 0, 0), np.diag([1.0, 0.1, 0.1]))  # against the triangle inequality everywhere
        Inertia(0.5, (0.2, 0, 0), -ROD)
        Inertia(0.0, (0.2, 0, 0), ROD)
        Inertia(-1.0, (0.2, 0, 0), ROD)
        Inertia(sympy.Symbol("m"), (0.2, 0, 0), ROD)
        Inertia(0.5, (np.nan, 0, 0), ROD)
    assert caught == []


def test_results_of_the_library_are_not_told() -> None:
    """Fitted and regrouped parameters, and what is left when a load is taken away, may be no body's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mistaken = from_vector([0.5, 0.2, 0, 0, *np.diag(ROD), 0, 0, 0])
        replace(mistaken, m=0.4)
        mistaken + mistaken
        revolute.robots.planar(1).with_payload("tip", mistaken)
    assert caught == []
