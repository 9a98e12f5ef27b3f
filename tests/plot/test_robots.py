"""Pictures and films of robots: what stands in them is read back, and all is compared with pictures/*.png.

`python tests/plot/test_robots.py` draws these anew, to be looked at.
"""

import base64
import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray
from PIL import Image

import revolute
from revolute import Inertia, Joint, Link, Robot, ShapeError, UnknownNameError, plot
from revolute.errors import DtypeError, InputError, MissingExtraError
from revolute.plot.animation import _ffmpeg
from revolute.plot.robots import AXES, LINK
from revolute.plot.skeleton import Skeleton, ball, half_axes, motion_plane, normals, span, tube

Array = NDArray[Any]
PICTURES = Path(__file__).parent / "pictures"
REACH = np.array([0.0, -1.2, 1.3, -0.6, -1.57, 0.4])
TURN = np.array([1.5, 0.5, -0.8, 0.5, 0.0, 0.0])
UR5, STANFORD, PLANAR = revolute.robots.ur5(), revolute.robots.stanford(), revolute.robots.planar(2)


def branched() -> Robot:
    """A floating body with a slide, a ball joint and links of known shapes."""
    joints = [
        Joint("slide", "hull", "rod", revolute.Prismatic((0, 0, 1)), revolute.Transform.from_rpy((0.3, 0, 0))),
        Joint("ball", "hull", "tail", revolute.Spherical(), revolute.Transform.from_rpy((-0.3, 0, 0))),
    ]
    links = [
        Link("hull", Inertia.box(3.0, (0.5, 0.3, 0.1))),
        Link("rod", Inertia.cylinder(1.0, 0.05, 0.4, revolute.Transform.from_rpy((0, 0, 0.2)))),
        Link("tail", Inertia.sphere(0.5, 0.1, revolute.Transform.from_rpy((-0.3, 0, 0)))),
    ]
    return Robot.from_links("branched", links, joints, base="free")


def swing() -> plot.Animation:
    motion = PLANAR.simulate([0.2, 0.9], [0.0, 0.0], None, np.linspace(0, 1, 101))
    return PLANAR.animate(motion.q, motion.t, trace="tip")


DRAWN: dict[str, Callable[[], Figure]] = {
    "ur5": lambda: UR5.plot(REACH, frames=["base_link", "tool0"]),
    "ur5-neutral": UR5.plot,
    "ur5-efforts": lambda: UR5.plot(REACH, UR5.gravity_forces(REACH)),
    "ur5-fan": lambda: UR5.plot(REACH + np.linspace(0, 1, 50)[:, None] * TURN, trace="tool0"),
    "puma-ellipsoids": lambda: revolute.robots.puma560().plot([0.3, -0.5, 0.4, 0.1, 0.5, 0.0], ellipsoids=True),
    "stanford": lambda: STANFORD.plot([0.3, -1.0, 0.5, 0.0, 0.4, 0.0], [0.0, 5.0, -9.0, 1.0, 0.0, 0.0]),
    "planar": lambda: PLANAR.plot([0.4, 0.6]),
    "branched": lambda: branched().plot([0, 0, 0.5, 0, 0, 0, 1, 0.1, 0, 0.6, 0, 0.8], ellipsoids=True),
    "swing": lambda: swing().figure(0.5),
}


def pixels(figure: Figure) -> Array:
    """(height, width, 3) colours from 0 to 255."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(float)


def difference(a: Array, b: Array) -> float:
    """Root mean square of colours, after 4 x 4 pixels have become one: antialiasing and hinting hardly count."""
    assert a.shape == b.shape

    def coarse(x: Array) -> Array:
        height, width, _ = x.shape
        return x[: height // 4 * 4, : width // 4 * 4].reshape(height // 4, 4, width // 4, 4, 3).mean(axis=(1, 3))

    return float(np.sqrt(np.mean((coarse(a) - coarse(b)) ** 2)))


TOLERANCE = 1.0
"""Of 255. The 256 colours of the files give up to 0.7. A joint of the arm that is 2 degrees off gives 4 to 16."""


def stored(name: str) -> Array:
    with Image.open(PICTURES / f"{name}.png") as picture:
        return np.asarray(picture.convert("RGB")).astype(float)


@pytest.mark.parametrize(("inertia", "end"), [
    (Inertia.from_com(2.0, (0.2, 0, 0), np.diag([0, 0.16 / 6, 0.16 / 6])), 0.4),  # a rod of 0.4 m from its joint
    (Inertia.from_com(2.0, (0.2, 0, 0), np.diag([0, 0.01 / 6, 0.01 / 6])), 0.25),  # of 0.1 m about 0.2 m
    (Inertia.from_com(2.0, (0.2, 0, 0)), 0.2),  # a point
    (Inertia.from_com(2.0, (0.2, 0, 0), np.diag([9.0, 9.0, 9.0])), 0.4),  # a wide body ends where a rod would
    (Inertia(), 0.0),
])  # fmt: skip
def test_a_link_without_frames_reaches_to_the_end_of_its_mass(inertia: Inertia, end: float) -> None:
    """In pictures and in the view; the robot is as large as it is drawn."""
    pytest.importorskip("trimesh")
    from revolute.view.surfaces import capsules

    links, turn = [Link("base"), Link("arm", inertia)], revolute.Revolute((0, -1, 0))
    robot = Robot.from_links("arm", links, [Joint("joint", "base", "arm", turn)])
    skeleton, size = Skeleton.of(robot), max(end, 1e-6)
    arm = skeleton.quads[(skeleton.body == 1) & ~skeleton.joint].reshape(-1, 3)
    assert skeleton.span == span(robot) == pytest.approx(size)
    assert (arm[:, 0].max() if end else 0.0) == pytest.approx(end)
    reach = max(part.vertices[:, 0].max() for part in capsules(robot)[1])
    assert reach == pytest.approx(end, abs=0.04 * size)  # its ends are round


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_look_as_they_did_when_someone_looked_at_them(name: str) -> None:
    """All that is drawn leaves a white edge of the picture: nothing is cut off."""
    picture = pixels(DRAWN[name]())
    assert difference(picture, stored(name)) < TOLERANCE
    for edge in (picture[:6], picture[-6:], picture[:, :6], picture[:, -6:]):
        assert (edge == 255).all()


def collections(figure: Figure, kind: str) -> list[Any]:
    return [artist for artist in figure.axes[0].collections if type(artist).__name__ == kind]


def in_space(points: Any) -> Array:
    """(..., 3) points of a picture; those of the plane of x and y get z = 0."""
    found = np.array(points, dtype=float)
    return found if found.shape[-1] == 3 else np.concatenate([found, np.zeros((*found.shape[:-1], 1))], axis=-1)


def triads(figure: Figure) -> list[Array]:
    """(3, 2, 3) axes of frames, from the origin to the tip."""
    found = [x for x in figure.axes[0].collections if "LineCollection" in type(x).__name__ or hasattr(x, "_segments3d")]
    lines = [in_space(x._segments3d if hasattr(x, "_segments3d") else x.get_segments()) for x in found]
    return [x for x in lines if x.shape == (3, 2, 3) and (x[:, 0] == x[0, 0]).all()]


def marks(figure: Figure) -> list[Array]:
    """Places of the markers."""
    flat = [in_space(x.get_offsets()[0]) for x in collections(figure, "PathCollection")]
    solid = [in_space([np.ravel(y)[0] for y in x._offsets3d]) for x in collections(figure, "Path3DCollection")]
    return flat + solid


@pytest.mark.parametrize("name", ["base_link", "forearm_link", "tool0"])
def test_frames_stand_where_the_kinematics_say(name: str) -> None:
    (triad,) = triads(UR5.plot(REACH, frames=[name]))
    pose = UR5.forward_kinematics(REACH, name)
    np.testing.assert_allclose(triad[:, 0], np.tile(pose[:3, 3], (3, 1)), atol=1e-12)
    along = triad[:, 1] - triad[:, 0]
    np.testing.assert_allclose(along / np.linalg.norm(along, axis=1, keepdims=True), pose[:3, :3].T, atol=1e-12)


def test_frames_are_coloured_red_green_blue_and_named() -> None:
    figure = UR5.plot(REACH, frames="tool0")
    (axes,) = [x for x in collections(figure, "Line3DCollection") if len(x._segments3d) == 3]
    np.testing.assert_allclose(axes.get_colors(), [to_rgba(colour) for colour in AXES])
    assert [text.get_text().strip() for text in figure.axes[0].texts] == ["tool0"]


def test_without_names_base_and_ends_have_frames() -> None:
    expected = [np.eye(4), UR5.forward_kinematics(REACH, "tool0")]
    found = triads(UR5.plot(REACH))
    assert len(found) == 2
    for triad, pose in zip(found, expected, strict=True):
        np.testing.assert_allclose(triad[0, 0], pose[:3, 3], atol=1e-12)
    assert triads(UR5.plot(REACH, frames=())) == []


@pytest.mark.parametrize(("robot", "q"), [(UR5, REACH), (STANFORD, [0.3, -1, 0.5, 0, 0.4, 0]), (PLANAR, [0.4, 0.6])])
def test_the_mark_is_the_centre_of_mass(robot: Robot, q: Any) -> None:
    c = robot.center_of_mass(q)
    assert sum(np.allclose(mark, c, atol=1e-12) for mark in marks(robot.plot(q))) == 2  # a circle and a cross
    assert marks(robot.plot(q, com=False)) == []


@pytest.mark.parametrize("robot", [UR5, revolute.robots.puma560(), branched()], ids=lambda robot: robot.name)
def test_ellipsoids_have_the_mass_and_the_inertia_of_their_links(robot: Robot) -> None:
    """A uniform ellipsoid has the inertia m/5 (tr(A A^T) 1 - A A^T) with its half axes as the columns of A."""
    for i, body in enumerate(robot.bodies[1:], 1):
        inertia, found = body.inertia, half_axes(robot, i)
        assert (found is None) == (not inertia.m > 0)
        middle, A = found or (inertia.com(), np.zeros((3, 3)))
        np.testing.assert_allclose(middle, inertia.com(), atol=1e-15)
        K = A @ A.T * inertia.m / 5
        if np.linalg.eigvalsh(np.array(inertia.euler())).min() >= -1e-12:  # possible
            expected = np.array(inertia.about_com(), dtype=float)
            np.testing.assert_allclose(np.trace(K) * np.eye(3) - K, expected, atol=1e-12 * max(1, abs(expected).max()))


def test_a_link_without_mass_has_no_ellipsoid() -> None:
    def surfaces(robot: Robot, ellipsoids: bool) -> int:
        return len(collections(robot.plot(ellipsoids=ellipsoids), "Poly3DCollection"))

    assert surfaces(UR5, True) == 1 + sum(body.inertia.m > 0 for body in UR5.bodies[1:])
    assert surfaces(UR5, False) == 1


def test_solids_have_their_area_and_normals_that_point_outwards() -> None:
    rod, box = tube((0, 0, 1), (0, 3, 1), 0.5, 5, 64), tube((0, 0, 0), (2, 0, 0), 1, 1, 4)
    sphere = ball((1, 2, 3), 2.0, 64)
    for solid, volume in ((rod, 3 * np.pi / 4), (box, 4.0), (sphere, 32 / 3 * np.pi)):
        across = np.cross(solid[:, 2] - solid[:, 0], solid[:, 3] - solid[:, 1]) / 2
        np.testing.assert_allclose(across.sum(axis=0), 0, atol=1e-9)  # the surface is closed
        assert (solid.mean(axis=1) * across).sum() / 3 == pytest.approx(volume, rel=0.01)  # Gauss: div x = 3
        lengths = np.linalg.norm(normals(solid), axis=1)
        assert (np.isclose(lengths, 1) | (lengths == 0)).all()


def colours_of(figure: Figure, robot: Robot) -> dict[int, Array]:
    """The hue of each body's surfaces: colours over their largest part, which light does not change."""
    (solid,) = collections(figure, "Poly3DCollection")
    skeleton = Skeleton.of(robot)
    colours = np.asarray(solid._original_facecolor if hasattr(solid, "_original_facecolor") else solid._facecolor3d)
    return {i: colours[: len(skeleton.body)][skeleton.body == i][:, :3] for i in range(len(robot.bodies))}


def test_links_are_coloured_by_the_share_of_the_rated_effort() -> None:
    figure = UR5.plot(REACH, UR5.effort_limits * [0.0, 0.25, 0.5, 0.75, 1.0, 1.5])
    scale = figure.axes[1]
    assert scale.get_title() == "joint force, share of the rated effort [%]" and scale.get_xlim() == (0, 100)
    hues = [colours.mean(axis=0) for colours in colours_of(figure, UR5).values()][1:]
    darkness = [3 - hue.sum() for hue in hues]
    assert darkness == sorted(darkness)  # fine in print without colours


def test_without_rated_efforts_colours_are_sizes_with_their_unit() -> None:
    scale = revolute.robots.planar(2).plot([0, 0], [3.0, -12.0]).axes[1]
    assert scale.get_title() == "joint force [N m]" and scale.get_xlim() == (0, 12)


def test_joints_of_several_coordinates_stay_grey() -> None:
    robot = branched()
    colours = colours_of(robot.plot(tau=np.arange(robot.nv)), robot)
    grey = np.array(to_rgba(LINK)[:3])
    for i, body in enumerate(robot.bodies[1:], 1):
        same = np.allclose(colours[i] / colours[i].max(axis=1, keepdims=True), grey / grey.max(), atol=0.05)
        assert same == (body.joint.nv > 1)


def test_a_batch_is_a_fan_of_24_at_most_with_the_last_solid() -> None:
    q = REACH + np.linspace(0, 1, 50)[:, None] * TURN
    figure = UR5.plot(q)
    robots = collections(figure, "Poly3DCollection")
    assert len(robots) == 24 and figure.get_suptitle() == "ur5: 50 configurations, 24 drawn"
    chosen = np.unique(np.linspace(0, 49, 24).round().astype(int))
    for c in UR5.center_of_mass(q[chosen]):
        assert any(np.allclose(c, mark, atol=1e-12) for mark in marks(figure))
    assert len(collections(UR5.plot(q[:5]), "Poly3DCollection")) == 5
    assert len(collections(UR5.plot(q[:6].reshape(2, 3, 6)), "Poly3DCollection")) == 6


def test_the_path_goes_through_the_positions_of_the_link() -> None:
    q = REACH + np.linspace(0, 1, 30)[:, None] * TURN
    (line,) = [x for x in UR5.plot(q, trace="tool0").axes[0].lines if x.get_label() == "path of tool0"]
    np.testing.assert_allclose(np.array(line.get_data_3d()).T, UR5.forward_kinematics(q, "tool0")[:, :3, 3], atol=1e-12)


def flat(axis: Any, along: Any, turned: Any = (0, 0, 0)) -> Robot:
    """A hinge and a slide across it."""
    joints = [
        Joint("a", "base", "one", revolute.Revolute(axis), revolute.Transform.from_rpy((0, 0, 0), turned)),
        Joint("b", "one", "two", revolute.Prismatic(along)),
    ]
    mass = Inertia.sphere(1.0, 0.1, revolute.Transform.from_rpy(0.3 * np.array(along)))
    return Robot.from_links("flat", [Link("base"), Link("one", mass), Link("two", mass)], joints)


X, Y, Z = np.eye(3)
ASIDE = np.sqrt(0.5) * (X - Y)
PLANES: dict[str, tuple[Robot, str, str, Any, Any]] = {
    "z": (flat(Z, X), "x [m]", "y [m]", X, Y),
    "y": (flat(Y, X), "x [m]", "z [m]", X, Z),
    "x": (flat(X, Z), "y [m]", "z [m]", Y, Z),
    "-z": (flat(-Z, X), "x [m]", "y [m]", X, Y),
    "upright": (flat(np.sqrt(0.5) * (X + Y), Z), "along (0.71, -0.71, 0) [m]", "z [m]", ASIDE, Z),
    "rounded": (flat(Z, X, (1.5708, 0, 0)), "x [m]", "z [m]", X, Z),  # a right angle as files write it
}
"""Robots, the names of both axes, and the directions of these."""


@pytest.mark.parametrize("plane", PLANES)
def test_planar_robots_are_drawn_in_plain_axes_with_equal_scales(plane: str) -> None:
    robot, x, y, right, up = PLANES[plane]
    figure = robot.plot([0.3, 0.5])
    axes = figure.axes[0]
    assert not hasattr(axes, "get_zlim") and axes.get_aspect() == 1
    assert (axes.get_xlabel(), axes.get_ylabel()) == (x, y)
    c = robot.center_of_mass([0.3, 0.5])
    for mark in marks(figure):
        np.testing.assert_allclose(mark[:2], [c @ right, c @ up], atol=1e-5)  # of the rounded angle
    (left, end), (low, high) = axes.get_xlim(), axes.get_ylim()
    assert left < end and low < high and 3 <= sum(left <= tick <= end for tick in axes.get_xticks()) <= 12


@pytest.mark.parametrize(
    ("slides", "normal"),
    [(["x"], "y"), (["z"], "y"), (["y"], "x"), (["x", "y"], "z"), (["x", "x", "z"], "y"), (["x", "y", "z"], None)],
)
def test_slides_alone_move_in_a_plane(slides: list[str], normal: str | None) -> None:
    axis = dict(zip("xyz", np.eye(3), strict=True))
    links = [Link("l0"), *(Link(f"l{k}", Inertia.sphere(1.0, 0.1)) for k in range(1, len(slides) + 1))]
    pairs = enumerate(slides)
    joints = [Joint(f"j{k}", f"l{k}", f"l{k + 1}", revolute.Prismatic(axis[name])) for k, name in pairs]
    found = motion_plane(Robot.from_links("gantry", links, joints))
    assert (found is None) == (normal is None)
    assert normal is None or np.allclose(abs(found), axis[normal])  # type: ignore[arg-type]


def boxes(figure: Figure) -> dict[str, Array]:
    """Corners of labels [pixels]."""
    pixels(figure)
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    return {text.get_text(): text.get_window_extent(renderer).get_points() for text in figure.axes[0].texts}


@pytest.mark.parametrize("q", [[0.3, 0.5], [0.0, 0.0], [1.57, 0.0], [-2.0, 2.6], [0.7, -0.9]])
def test_labels_stand_beside_links(q: list[float]) -> None:
    """No label covers a link, a joint, an axis of a frame or another label."""
    figure = PLANAR.plot(q)
    found = boxes(figure)
    assert set(found) == {"base", "link1", "link2", "tip"}
    axes = figure.axes[0]
    (solid,) = collections(figure, "PolyCollection")
    outlines = [path.interpolated(4).vertices for path in solid.get_paths()]
    lines = [path.interpolated(9).vertices for x in collections(figure, "LineCollection") for path in x.get_paths()]
    drawn_points = axes.transData.transform(np.concatenate([*outlines, *lines]))
    whole = axes.get_window_extent().get_points()
    for label, (low, high) in found.items():
        assert not ((drawn_points > low) & (drawn_points < high)).all(axis=1).any(), label
        assert (low > whole[0]).all() and (high < whole[1]).all(), label
        for other, (lower, upper) in found.items():
            assert other == label or (low > upper).any() or (high < lower).any(), (label, other)


def test_labels_of_frames_in_space_stand_beside_links() -> None:
    found = boxes(UR5.plot(REACH, frames=["base_link", "forearm_link", "tool0"]))
    ink = pixels(UR5.plot(REACH, frames=[], com=False))
    dark = (ink.min(axis=2) < 190) & (np.ptp(ink, axis=2) > 8)  # of links and joints; the grid is paler
    for label, (low, high) in found.items():
        rows = slice(len(ink) - round(high[1]), len(ink) - round(low[1]))
        assert not dark[rows, round(low[0]) : round(high[0])].any(), label


def test_only_small_planar_robots_are_labelled_unasked() -> None:
    assert not UR5.plot(REACH).axes[0].texts
    assert not revolute.robots.planar(20).plot().axes[0].texts
    assert not PLANAR.plot([[0, 0], [1, 1]]).axes[0].texts
    assert not PLANAR.plot([0, 0], frames=()).axes[0].texts
    assert [text.get_text() for text in PLANAR.plot([0, 0], frames="link2").axes[0].texts] == ["link2"]


def test_a_picture_goes_into_axes_of_ones_own() -> None:
    figure = Figure()
    axes = figure.add_subplot(projection="3d")
    assert UR5.plot(REACH, axes=axes) is figure
    low = axes.get_xlim()[0]
    PLANAR.plot([2.5, 0.0], axes=axes)
    assert axes.get_xlim()[0] < low and len(collections(figure, "Poly3DCollection")) == 2
    assert_raises(InputError, "axes must be three-dimensional", UR5.plot, REACH, axes=Figure().add_subplot())


def test_a_planar_robot_goes_into_plain_axes_of_ones_own() -> None:
    figure = Figure()
    axes = figure.subplots()
    assert PLANAR.plot([0.0, 0.0], axes=axes) is figure
    (_, high), (low, _) = axes.get_xlim(), axes.get_ylim()
    PLANAR.plot([-1.5, 0.0], axes=axes)
    assert axes.get_xlim()[1] == high and axes.get_ylim()[0] < low < 0
    assert len(collections(figure, "PolyCollection")) == 2 and axes.get_title() == "planar2"


def frames_of(content: Any) -> tuple[list[Array], list[int]]:
    """The pictures of a film that repeats, and their durations [ms]."""
    pictures, durations = [], []
    with Image.open(content) as film:
        assert film.info["loop"] == 0
        for k in range(film.n_frames):
            film.seek(k)
            pictures.append(np.asarray(film.convert("RGB")).astype(float))
            durations.append(film.info["duration"])
    return pictures, durations


def test_a_gif_shows_the_motion_at_its_speed(tmp_path: Path) -> None:
    swing().save(tmp_path / "swing.gif", rate=4)
    pictures, durations = frames_of(tmp_path / "swing.gif")
    assert len(pictures) == 5 and durations == [250] * 5
    assert difference(pictures[2], stored("swing")) < 2 * TOLERANCE  # 256 colours
    for k in (0, 4):
        assert difference(pictures[k], pixels(swing().figure(k / 4))) < 2 * TOLERANCE
        assert difference(pictures[k], pictures[2]) > 2 * TOLERANCE
    assert (pictures[3][:6] == 255).all()  # white is white
    swing().save(tmp_path / "fast.gif", rate=10, speed=5)
    assert len(frames_of(tmp_path / "fast.gif")[0]) == 3


@pytest.mark.skipif(not (shutil.which("ffmpeg") or find_spec("imageio_ffmpeg")), reason="there is no ffmpeg")
def test_an_mp4_shows_the_motion(tmp_path: Path) -> None:
    swing().save(tmp_path / "swing.mp4", rate=4)
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    command = [_ffmpeg(), "-loglevel", "error", "-i", str(tmp_path / "swing.mp4"), *raw]
    done = subprocess.run(command, check=True, capture_output=True)
    pictures = np.frombuffer(done.stdout, np.uint8).reshape(-1, *stored("swing").shape).astype(float)
    assert len(pictures) == 5
    assert difference(pictures[2], stored("swing")) < 3 * TOLERANCE  # colours of a quarter of the pixels
    assert difference(pictures[0], pictures[2]) > 3 * TOLERANCE


def test_a_notebook_shows_a_film() -> None:
    html = PLANAR.animate(np.zeros((31, 2)), np.linspace(0, 0.3, 31))._repr_html_()
    start = '<img src="data:image/gif;base64,'
    assert html.startswith(start)
    assert len(frames_of(io.BytesIO(base64.b64decode(html[len(start) :].partition('"')[0])))[0]) >= 1


G = sympy.Symbol("g")
WRONG: dict[str, tuple[type[Exception], str, Callable[[Path], Any]]] = {
    "size": (ShapeError, r"plot: robot 'ur5': q has shape \(5,\), but \(..., 6\)", lambda _: UR5.plot([0] * 5)),
    "nan": (InputError, "q has a number that is not finite, in row 1", lambda _: UR5.plot([REACH, REACH * np.nan])),
    "words": (DtypeError, "plot: robot 'ur5': q must be real numbers", lambda _: UR5.plot("home")),
    "empty": (ShapeError, "q has no row", lambda _: UR5.plot(np.zeros((0, 6)))),
    "rows": (ShapeError, "tau has 2 rows, but q has 3", lambda _: UR5.plot(np.zeros((3, 6)), np.zeros((2, 6)))),
    "frame": (UnknownNameError, "no link 'tool'; near: tool0", lambda _: UR5.plot(REACH, frames=["tool"])),
    "trace": (UnknownNameError, "no link 'tool'; near: tool0", lambda _: UR5.plot(REACH, trace="tool")),
    "t": (InputError, r"t must be \(T,\) increasing times", lambda _: PLANAR.animate(np.zeros((2, 2)), [0, 0])),
    "order": (InputError, "increasing times .*; q comes before t", lambda _: PLANAR.animate([0, 1], np.zeros((2, 2)))),
    "t-q": (ShapeError, "q has 2 rows, but t has 3", lambda _: PLANAR.animate(np.zeros((2, 2)), [0, 1, 2])),
    "batch": (ShapeError, "select one from the batch", lambda _: PLANAR.animate(np.zeros((3, 2, 2)), [0, 1])),
    "film": (InputError, "as .gif, .mp4, by the suffix, not as '.avi'", lambda x: swing().save(x / "a.avi")),
    "folder": (InputError, "there is no folder", lambda x: swing().save(x / "none" / "a.gif")),
    "rate": (InputError, "save: rate must be positive and finite, not 0", lambda x: swing().save(x / "a.gif", rate=0)),
    "long": (InputError, "are 100,001 frames, but at most 1,500", lambda x: swing().save(x / "a.gif", speed=2.5e-4)),
    "symbols": (InputError, "plot needs numbers, .* symbols: g", lambda _: PLANAR.with_gravity((0, -G, 0)).plot()),
    "at": (InputError, "2 s is outside the motion, from 0 to 1 s", lambda _: swing().figure(2)),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_drawn_is_told(case: str, tmp_path: Path) -> None:
    kind, message, call = WRONG[case]
    assert_raises(kind, message, call, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_names_are_no_formulas_and_control_characters_are_shown() -> None:
    strange = "el\x1b$x^2$"
    links = [Link("base"), Link(strange, Inertia.sphere(1.0, 0.1))]
    robot = Robot.from_links(strange, links, [Joint("a", "base", strange, revolute.Revolute())])
    figure = robot.plot([0.0], frames=[strange])
    assert figure.get_suptitle() == r"el\x1b$x^2$"
    assert [text.get_text().strip() for text in figure.axes[0].texts] == [r"el\x1b$x^2$"]
    assert not any(text.get_parse_math() for text in (figure._suptitle, *figure.axes[0].texts))  # type: ignore[attr-defined]


def test_a_constrained_layout_of_the_user_is_left_to_his_own_figures() -> None:
    with rc_context({"figure.constrained_layout.use": True}):
        figure = UR5.plot(REACH)
        figure.savefig(io.BytesIO())  # Matplotlib warns of a layout that finds no grid
    assert not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine)
    charts = revolute.robots.planar(1).simulate([0.3], [0.0], None, [0.0, 0.1]).plot()
    assert isinstance(charts.get_layout_engine(), ConstrainedLayoutEngine)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, draw in DRAWN.items():
        picture = Image.fromarray(pixels(draw()).astype(np.uint8))
        picture.quantize(256, Image.Quantize.MEDIANCUT).save(PICTURES / f"{name}.png", optimize=True)


@pytest.mark.parametrize("missing", [("PIL",), ("matplotlib.figure", "matplotlib.backends.backend_agg")])
def test_films_name_what_is_missing(missing: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "revolute.plot.shown_figure", raising=False)
    for package in missing:
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[plot\]"'):
        PLANAR.animate(np.zeros((2, 2)), [0, 1]).save(tmp_path / "swing.gif")
    assert not (tmp_path / "swing.gif").exists()
