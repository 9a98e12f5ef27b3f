"""Regions that hold mass: any distribution of masses in a region satisfies its inequalities, and few others do."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from hypothesis import strategies as st
from robots import every
from test_nonsense import NONSENSE

import revolute
from revolute import Inertia, InputError, Joint, Link, ModelWarning, Revolute, Robot, Shape, Transform
from revolute.errors import RevoluteError
from revolute.identification import ForceModel, Region, Samples, collision_thresholds, payload
from revolute.identification.bodies.physical import physical
from revolute.model.pseudo_inertia import from_pseudo_inertia, pseudo_inertia

LOW, HIGH = np.array([-0.1, 0.0, 0.2]), np.array([0.1, 0.3, 0.5])
POSE = Transform.from_rpy(xyz=(0.1, 0.2, -0.1), rpy=(0.3, -0.5, 0.8))
HALF = np.array([0.1, 0.2, 0.3])


@every(st.integers(0, 10**6), st.integers(1, 8), examples=50)
def test_masses_inside_are_held(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    masses = rng.uniform(0.1, 1, count).tolist()
    assert Region.box(LOW, HIGH).holds(Inertia.particles(masses, rng.uniform(LOW, HIGH, (count, 3)).tolist()))
    ball = rng.standard_normal((count, 3))
    ball *= rng.uniform(0, 1, (count, 1)) / np.linalg.norm(ball, axis=1, keepdims=True)
    places = ball * HALF @ np.array(POSE.R.matrix(), dtype=float).T + np.array(POSE.p)
    assert Region.ellipsoid((0, 0, 0), HALF, POSE).holds(Inertia.particles(masses, places.tolist()))


def test_masses_outside_are_not() -> None:
    """A dumbbell on the surface is held, one a little longer is not: of a box along each axis and each diagonal."""
    box, ellipsoid = Region.box(-HALF, HALF), Region.ellipsoid((0, 0, 0), HALF)
    for direction in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [-1, 1, 1]):
        for region, end in ((box, HALF * direction), (ellipsoid, HALF * direction / np.linalg.norm(direction))):
            on, beyond = (Inertia.particles([1, 1], [(s * end).tolist(), (-s * end).tolist()]) for s in (1, 1.01))
            assert region.holds(on) and not region.holds(beyond)
    assert not box.holds(Inertia.from_com(1.0, (0.101, 0, 0)))
    assert not box.holds(Inertia.from_com(1.0, inertia=np.diag([1e-3, 1e-3, 3e-3]).tolist()))  # no body at all


def arm(*shapes: Shape, fixed: tuple[Shape, ...] = ()) -> Robot:
    links = [Link("base"), Link("arm", Inertia.from_com(1.0), visuals=shapes), Link("tool", collisions=fixed)]
    hinge = Joint("hinge", "base", "arm", Revolute((0, 0, 1)))
    mount = Joint("mount", "arm", "tool", placement=Transform(p=(1.0, 0, 0)))
    return Robot.from_links("arm", links, [hinge, mount])


@pytest.mark.parametrize("shape, low, high", [
    (Shape("box", (0.2, 0.4, 0.6)), (-0.1, -0.2, -0.3), (0.1, 0.2, 0.3)),
    (Shape("sphere", (0.2,)), (-0.2,) * 3, (0.2,) * 3),
    (Shape("cylinder", (0.1, 0.6)), (-0.1, -0.1, -0.3), (0.1, 0.1, 0.3)),
    (Shape("capsule", (0.1, 0.6)), (-0.1, -0.1, -0.4), (0.1, 0.1, 0.4)),
    (Shape("ellipsoid", (0.1, 0.2, 0.3)), (-0.1, -0.2, -0.3), (0.1, 0.2, 0.3)),
    (Shape("box", (0.2, 0.4, 0.6), Transform.from_rpy(rpy=(0, 0, np.pi / 2))), (-0.2, -0.1, -0.3), (0.2, 0.1, 0.3)),
], ids=lambda x: getattr(x, "kind", ""))  # fmt: skip
def test_bounds_are_those_of_shapes(shape: Shape, low: tuple[float, ...], high: tuple[float, ...]) -> None:
    region = Region.of_shapes(arm(shape))["arm"]
    np.testing.assert_allclose(region.Q, Region.box(low, high).Q, atol=1e-12)


def test_links_fixed_to_a_body_belong_to_its_region() -> None:
    whole = arm(Shape("sphere", (0.1,)), Shape("plane", (0, 0)), fixed=(Shape("sphere", (0.2,)),))
    own, wider = Region.of_shapes(whole)["arm"], Region.of_shapes(whole, margin=0.1)["arm"]
    np.testing.assert_allclose(own.Q, Region.box((-0.1, -0.2, -0.2), (1.2, 0.2, 0.2)).Q, atol=1e-12)
    np.testing.assert_allclose(wider.Q, Region.box((-0.23, -0.24, -0.24), (1.33, 0.24, 0.24)).Q, atol=1e-12)
    assert Region.of_shapes(arm()) == {}


def test_meshes_have_bounds(tmp_path: Any) -> None:
    pytest.importorskip("trimesh")
    text = "v 0 0 0;v 1 0 0;v 0 2 0;v 0 0 3;f 1 3 2;f 1 2 4;f 1 4 3;f 2 3 4"
    (tmp_path / "part.obj").write_text(text.replace(";", "\n"))
    part = Shape("mesh", (0.1, 0.1, 0.1), file=str(tmp_path / "part.obj"))
    region = Region.of_shapes(arm(part))["arm"]
    np.testing.assert_allclose(region.Q, Region.box((0, 0, 0), (0.1, 0.2, 0.3)).Q, atol=1e-12)
    with pytest.warns(ModelWarning, match=r"link 'arm': its mesh 'gone\.stl' cannot be read"):
        assert Region.of_shapes(arm(Shape("mesh", (1, 1, 1), file="gone.stl"))) == {}


def test_regions_of_flat_shapes_have_some_thickness() -> None:
    assert Region.of_shapes(arm(Shape("box", (0.2, 0.4, 0.0))))["arm"].holds(Inertia.box(1.0, (0.2, 0.4, 0.0)))


@pytest.mark.parametrize("call, arguments, text", [
    (Region.box, (HIGH, LOW), "must be below upper"),
    (Region.box, ((0, 0), (1, 1)), "three finite numbers"),
    (Region.ellipsoid, ((0, 0, np.nan), HALF), "three finite numbers"),
    (Region.ellipsoid, ((0, 0, 0), (0.1, 0.1, 0)), "half_axes must be positive"),
    (Region.box, ("low", "high"), "must be real numbers"),
    (Region.of_shapes, (3,), "needs a robot, not int"),
    (Region.of_shapes, (revolute.robots.planar(1), -0.1), "margin must be zero or more"),
])  # fmt: skip
def test_broken_regions_are_refused(call: Any, arguments: Any, text: str) -> None:
    assert_raises(InputError, text, call, *arguments)


ARM = revolute.robots.planar(2)
MODEL = ForceModel(ARM, drives=["damping"])
LOG = Samples(np.arange(300) / 100, *np.random.default_rng(0).standard_normal((4, 300, 2)))
ROWS = np.random.default_rng(0).standard_normal((60, len(MODEL.names) + 1))


def bounded(pull: Any, regions: Any) -> np.ndarray:
    return physical(ROWS, MODEL, pull=pull, regions=regions)


GOOD: dict[Callable[..., Any], dict[str, Any]] = {
    bounded: {"pull": 1.0, "regions": None},
    Region.of_shapes: {"model": ARM},
    Region.box: {"lower": (0, 0, 0), "upper": (1, 1, 1)},
    Region.ellipsoid: {"centre": (0, 0, 0), "half_axes": (1, 1, 1)},
    payload: {"robot": ARM, "log": LOG, "link": "tip"},
    collision_thresholds: {"robot": ARM, "log": LOG, "time_constant": 0.02},
    pseudo_inertia: {"parameters": np.ones(10)},
    from_pseudo_inertia: {"J": np.eye(4)},
}


@pytest.mark.parametrize("function", GOOD, ids=lambda f: f.__qualname__)
def test_nonsense_is_refused_by_errors_of_ours(function: Callable[..., Any]) -> None:
    for name in inspect.signature(function).parameters:
        for nonsense in NONSENSE:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    function(**{**GOOD[function], name: nonsense})
                except RevoluteError as error:
                    assert str(error)
