"""Robots in the view: nodes are where the kinematics has links, sliders keep loops closed, hostile meshes are told."""

import base64
import json
import re
import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import run
from comparing import assert_raises, assert_warns
from sympy import Symbol

import revolute
from revolute import (
    Inertia,
    InputError,
    Joint,
    Link,
    ModelWarning,
    PointClosure,
    Revolute,
    Robot,
    Shape,
    Transform,
)  # fmt: skip
from revolute.errors import MissingExtraError, ShapeError, UnknownNameError
from revolute.io import trajectory

viser = pytest.importorskip("viser")

from revolute.arguments import MOST_SHOWN  # noqa: E402
from revolute.plot.html import picture  # noqa: E402
from revolute.view import View, mesh_files  # noqa: E402
from revolute.view.mesh_files import surfaces, thinned  # noqa: E402
from revolute.view.motion import ViewedMotion  # noqa: E402
from revolute.view.panel import Sliders, torque_table  # noqa: E402
from revolute.view.surfaces import link_surfaces  # noqa: E402

Q = [0, -1.2, 1.3, -0.6, -1.57, 0.4]


def five_bar() -> Any:
    """Two motors on the base, whose arms meet in a pin."""
    z = Revolute((0, 0, 1))
    near, far = (Inertia.from_com(1.0, (x / 2, 0, 0), np.diag([0.001, 0.02, 0.02])) for x in (0.3, 0.5))
    tree = Robot.from_links(
        "five-bar",
        [Link("base"), Link("left", near), Link("left_far", far), Link("right", near), Link("right_far", far)],
        [
            Joint("left_motor", "base", "left", z),
            Joint("left_elbow", "left", "left_far", z, Transform(p=(0.3, 0, 0))),
            Joint("right_motor", "base", "right", z, Transform(p=(0.4, 0, 0))),
            Joint("right_elbow", "right", "right_far", z, Transform(p=(0.3, 0, 0))),
        ],
        gravity=(0, -9.81, 0),
    )
    return tree.with_closures(PointClosure("left_far", "right_far", (0.5, 0, 0), (0.5, 0, 0)))


@pytest.fixture
def views() -> Iterator[Any]:
    """Opens views, and closes them."""
    opened: list[View] = []

    def open_view(robot: Any, *args: Any, **options: Any) -> View:
        opened.append(robot.view(*args, **options))
        return opened[-1]

    yield open_view
    for view in opened:
        view.close()


def matrices(view: View, robot: int = 0, sample: int = -1) -> np.ndarray[Any, Any]:
    """(links, 4, 4) poses of the nodes of a robot's links."""
    from viser.transforms import SE3, SO3

    nodes = view._shown[robot].figures[sample].links
    return np.array([SE3.from_rotation_and_translation(SO3(x.wxyz), x.position).as_matrix() for x in nodes])


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_nodes_are_where_the_kinematics_has_the_links(views: Any, base: str) -> None:
    robot = revolute.robots.random_tree(5, rng=3, base=base)
    q = robot.random_configuration(rng=1)
    view = views(robot, q)
    for seed in (2, 3):
        np.testing.assert_allclose(matrices(view), robot.forward_kinematics(q), atol=1e-12)
        view.q = q = robot.random_configuration(rng=seed)


def test_a_slider_moves_the_links_and_the_torques(views: Any) -> None:
    robot = revolute.robots.ur5()
    view = views(robot, Q)
    panel = view._shown[0].panel
    before = panel.table.content
    panel.handles[1].value = -0.5
    q = np.array(Q)
    q[1] = -0.5
    np.testing.assert_allclose(view.q, q, atol=1e-12)
    np.testing.assert_allclose(matrices(view), robot.forward_kinematics(q), atol=1e-12)
    assert panel.table.content == torque_table(robot._movable(), robot.gravity_forces(q)) != before


def test_sliders_and_positions_are_inverses() -> None:
    robot = revolute.robots.random_tree(4, rng=5, base="free")
    sliders = Sliders.of(robot._movable())
    for seed in range(20):
        q = robot.random_configuration(rng=seed)
        np.testing.assert_allclose(robot.difference(q, sliders.positions(sliders.numbers(q), robot.nq)), 0, atol=1e-9)


def test_sliders_end_at_the_limits() -> None:
    robot = revolute.robots.panda()
    sliders = Sliders.of(robot._movable())
    np.testing.assert_array_equal(sliders.low, robot.lower_limits)
    np.testing.assert_array_equal(sliders.high, robot.upper_limits)


def test_torques_beyond_their_limits_are_red() -> None:
    movable = revolute.robots.ur5()._movable()
    calm, red = torque_table(movable, np.zeros(6)), torque_table(movable, np.array([0, 151.0, 0, 0, 0, 0]))
    assert "#c0392b" not in calm and "#c0392b" in red and "151.0 of 150.0 N m" in red


def test_a_slider_of_a_closed_loop_keeps_it_closed(views: Any) -> None:
    linkage = five_bar()
    view = views(linkage, [2.0, -1.2, 1.0, 1.3])
    assert np.abs(linkage.error(view.q)).max() < 1e-8
    handle = view._shown[0].panel.handles[0]
    for angle in (1.9, 1.7, 1.5):
        handle.value = angle
        assert np.abs(linkage.error(view.q)).max() < 1e-8 and view.q[0] == pytest.approx(angle, abs=1e-12)
    view._shown[0].panel.handles[1].value = 3.1  # out of reach for one elbow or the other: nothing opens
    assert np.abs(linkage.error(view.q)).max() < 1e-8


def test_an_open_loop_is_told(views: Any) -> None:
    short = five_bar().robot.with_closures(PointClosure("left", "right", (5.0, 0, 0), (0.1, 0, 0)))
    assert_warns(ModelWarning, "five-bar.*a loop is open", views, short, [2.0, -1.2, 1.0, 1.3])


def test_joints_that_follow_others_and_elastic_joints_show_the_links(views: Any) -> None:
    robot = revolute.robots.planar(2)
    elbow = robot.with_drives(coupling=[[1, 0], [-1, 1]])
    for machine, q in ((elbow, [0.5, 0.75]), (robot.with_elastic_joints([500.0, 300.0], [0.1, 0.1]), [0.5, 0.25])):
        np.testing.assert_allclose(matrices(views(machine, q)), robot.forward_kinematics([0.5, 0.25]), atol=1e-12)


def test_samples_and_robots_at_once(views: Any) -> None:
    robot = revolute.robots.planar(2)
    batch = robot.random_configuration(100, rng=0)
    view = views(robot, batch).add(revolute.robots.ur5(), Q, placement=Transform(p=(2.0, 0, 0)))
    assert [len(shown.figures) for shown in view._shown] == [MOST_SHOWN, 1]
    np.testing.assert_allclose(matrices(view, 0, 0), robot.forward_kinematics(batch[0]), atol=1e-12)
    np.testing.assert_allclose(matrices(view, 0, -1), robot.forward_kinematics(batch[-1]), atol=1e-12)
    assert view._shown[1].figures[0].root.position[0] == 2.0


def test_the_centre_of_mass_and_the_switches(views: Any) -> None:
    robot = revolute.robots.ur5()
    view = views(robot, Q).show(com=True, frames=True, ellipsoids=True, links=False)
    figure = view._shown[0].figures[0]
    np.testing.assert_allclose(figure.com.position, robot.center_of_mass(Q), atol=1e-12)
    assert figure.com.visible and all(x.visible for x in (*figure.axes, *filter(None, figure.ellipsoids)))
    assert not any(x.visible for x in figure.meshes)
    assert_raises(InputError, "com", view.show, com="yes")


def test_wrenches_are_arrows_along_the_links_axes(views: Any) -> None:
    robot = revolute.robots.planar(2)
    q = [0.3, 0.4]
    view = views(robot, q, wrenches={"tip": [0, 0, 2.0, 5.0, 0, 0]})
    T = robot.forward_kinematics(q, "tip")
    arrows = view._shown[0].figures[0].arrows
    for name, axis in (("force", 0), ("moment", 2)):
        start, end = arrows[name].points[0]
        np.testing.assert_allclose(start, T[:3, 3], atol=1e-6)
        np.testing.assert_allclose((end - start) / np.linalg.norm(end - start), T[:3, axis], atol=1e-6)
    assert_raises(UnknownNameError, "tipp", views, robot, q, wrenches={"tipp": np.zeros(6)})


def test_motions_are_shown_at_their_times(views: Any) -> None:
    robot, t = revolute.robots.planar(2), np.linspace(0, 1, 11)
    fall = robot.simulate([0.0, 0.5], [0.0, 0.0], None, t)
    view = views(robot, fall.q, t=t, tau=fall.tau)
    view._player.time.value = 0.55
    np.testing.assert_allclose(view.q, fall.q[5])
    np.testing.assert_allclose(matrices(view), robot.forward_kinematics(fall.q[5]), atol=1e-12)


def test_a_motion_plays_to_its_end(views: Any) -> None:
    robot, t = revolute.robots.planar(1), np.linspace(0, 0.2, 5)
    view = views(robot, np.linspace(0, 1, 5)[:, None], t=t)
    view._player.play()
    for _ in range(600):
        if view._player.button.label == "Play":
            break
        time.sleep(0.05)
    assert view.q[0] == 1.0


@pytest.mark.parametrize(("options", "error", "words"), [
    ({"q": [1, 2, 3]}, ShapeError, "q has shape"),
    ({"q": [1, np.nan]}, InputError, "not finite"),
    ({"q": ["a", "b"]}, InputError, "real numbers"),
    ({"q": np.zeros((0, 2))}, ShapeError, "no row"),
    ({"q": np.zeros((3, 2)), "t": [0, 1]}, ShapeError, r"\(\.\.\., 2, 2\)"),
    ({"q": np.zeros((2, 2)), "t": [1, 1]}, InputError, "increasing"),
    ({"q": np.zeros((2, 2)), "t": [0, 1], "tau": np.zeros((3, 2))}, ShapeError, "tau has shape"),
    ({"q": np.zeros(2), "wrenches": {"tip": np.zeros(3)}}, ShapeError, "wrench on 'tip'"),
])  # fmt: skip
def test_arrays_that_do_not_fit(options: dict[str, Any], error: type[Exception], words: str) -> None:
    movable = revolute.robots.planar(2)._movable()
    assert_raises(error, words, ViewedMotion.of, movable, **options)


def test_only_this_machine_can_open_it_and_it_says_so(views: Any) -> None:
    view = views(revolute.robots.planar(1))
    assert view._server.request_share_url() is None  # the page of a stranger cannot publish the scene
    assert view.url.startswith("http://127.0.0.1:") and view.url in view._repr_html_()
    assert "only this machine can open it" in repr(view)
    _, port = view.url.rsplit(":", 1)
    own = next((x[4][0] for x in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)), "127.0.0.1")
    if not own.startswith("127."):
        with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
            socket.create_connection((own, int(port)), timeout=5).close()
    assert "every machine" in repr(views(revolute.robots.planar(1), host="0.0.0.0"))


def test_a_saved_notebook_has_a_picture_and_says_how_to_see_the_view(
    views: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test in a browser shows when it is seen."""
    robot = revolute.robots.planar(2)
    elbow = robot.with_drives(coupling=[[1, 0], [-1, 1]])
    view = views(robot, [0.3, 0.4]).add(elbow, [0.5, 0.75])
    still = re.compile(r'<object data="http://127[^<]*>(<img alt="planar2" [^<]*/>)*<p>This view closed')
    own, other = re.findall(r"<img [^>]*>", view._repr_html_())
    assert own == picture(robot, [0.3, 0.4])[0] and other == picture(robot)[0] != own
    assert still.match(view._repr_html_())
    monkeypatch.setitem(sys.modules, "revolute.plot.shown_figure", None)
    assert "<img" not in view._repr_html_() and still.match(view._repr_html_())


@pytest.mark.parametrize(("host", "port"), [("203.0.113.7", 8080), ("no such host", 8080), ("127.0.0.1", 70000)])
def test_addresses_that_cannot_be_used(host: str, port: int) -> None:
    assert_raises(InputError, "view: ", revolute.robots.planar(1).view, host=host, port=port)


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    assert_raises(MissingExtraError, r'pip install "\.\[view\]"', revolute.robots.planar(1).view)


def test_a_view_can_be_closed_twice() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]  # far from those that views of other processes take
    with revolute.robots.planar(1).view(port=port) as view:
        assert view.url.endswith(f":{port}")
    view.close()
    assert_raises(OSError, "refused", socket.create_connection, ("127.0.0.1", port), timeout=5)


def test_view_needs_numbers_and_robots() -> None:
    assert_raises(InputError, "symbol", revolute.robots.planar(1).with_gravity((0, -Symbol("g"), 0)).view)
    with View() as view, pytest.raises(InputError, match="robot must be a robot, not str"):
        view.add("ur5")  # type: ignore[arg-type]


def test_a_recording_is_one_page_without_addresses(views: Any, tmp_path: Path) -> None:
    view = views(revolute.robots.ur5(), Q)
    view.save(tmp_path / "ur5.html")
    page = (tmp_path / "ur5.html").read_text()
    assert "__VISER_EMBED_DATA__" in page
    assert not re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=[\"']?(?!data:)[^\"' >]+", page)
    assert_raises(InputError, r"recordings are written as \.html", view.save, tmp_path / "ur5.png")
    assert_raises(InputError, "no folder", view.save, tmp_path / "nowhere" / "ur5.html")


def test_a_recording_holds_the_motion(views: Any) -> None:
    import msgspec
    import zstandard

    robot, t = revolute.robots.planar(1), np.linspace(0, 2, 21)
    view = views(robot, np.linspace(0, 1, 21)[:, None], t=t)
    data = re.search(r'__VISER_EMBED_DATA__="([^"]+)"', view.html())
    assert data is not None
    inner = zstandard.ZstdDecompressor().decompress(base64.b64decode(data[1])[8:], max_output_size=1 << 28)
    content = msgspec.msgpack.decode(inner[8 : 8 + int.from_bytes(inner[:8], "little")])
    assert content["durationSeconds"] == pytest.approx(2.0)
    times = {time for time, _ in content["messages"]}
    assert len(times) == 21  # nothing is written where nothing moves
    assert "Slider" not in json.dumps([x.get("type") for _, x in content["messages"]])


def arm(*shapes: Shape) -> Robot:
    links = [Link("base"), Link("arm", Inertia.cylinder(1.0, 0.02, 0.5), visuals=shapes)]
    return Robot.from_links("test", links, [Joint("hinge", "base", "arm", Revolute((0, 0, 1)))])


def stl(path: Path, triangles: np.ndarray[Any, Any]) -> Path:
    """A binary STL file of (k, 3, 3) corners."""
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *map(float, x.ravel()), 0) for x in triangles)
    path.write_bytes(bytes(80) + struct.pack("<I", len(triangles)) + rows)
    return path


CORNER = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 0, 3], [1, 0, 0]]], float)


@pytest.mark.parametrize(("kind", "size", "extent"), [
    ("box", (0.1, 0.2, 0.3), (0.1, 0.2, 0.3)),
    ("sphere", (0.2,), (0.4, 0.4, 0.4)),
    ("cylinder", (0.1, 0.5), (0.2, 0.2, 0.5)),
    ("capsule", (0.1, 0.5), (0.2, 0.2, 0.7)),
    ("ellipsoid", (0.1, 0.2, 0.3), (0.2, 0.4, 0.6)),
    ("plane", (1.0, 2.0), (1.0, 2.0, 0.001)),
])  # fmt: skip
def test_primitives_have_their_sizes_and_places(kind: str, size: tuple[float, ...], extent: tuple[float, ...]) -> None:
    (part,) = link_surfaces(arm(Shape(kind, size, Transform(p=(1, 2, 3)), color=(1, 0, 0, 0.5))))[1]
    np.testing.assert_allclose(np.ptp(part.vertices, axis=0), extent, rtol=0.03)  # round ones are polyhedra
    np.testing.assert_allclose(part.vertices.min(axis=0) / 2 + part.vertices.max(axis=0) / 2, (1, 2, 3), atol=1e-9)
    assert part.color == (1, 0, 0, 0.5)


def test_meshes_are_scaled_and_mirrored(tmp_path: Path) -> None:
    file = stl(tmp_path / "corner.stl", CORNER)
    (part,) = link_surfaces(arm(Shape("mesh", (2, 2, -1), file=str(file))))[1]
    np.testing.assert_allclose(part.vertices.min(axis=0), (0, 0, -3))
    np.testing.assert_allclose(part.vertices.max(axis=0), (2, 2, 0))


def test_a_robot_without_shapes_is_capsules_that_reach_its_joints() -> None:
    assert len(link_surfaces(revolute.robots.ur5())) == 7
    assert max(part.vertices[:, 0].max() for part in link_surfaces(revolute.robots.planar(2))[1]) >= 1.0


def test_collision_shapes() -> None:
    ball, box = Shape("sphere", (0.1,)), Shape("box", (1, 1, 1))
    links = [Link("base", visuals=(box,), collisions=(ball,)), Link("tip", Inertia.cylinder(1, 0.1, 0.1))]
    robot = Robot.from_links("test", links, [Joint("hinge", "base", "tip", Revolute((0, 0, 1)))])
    assert np.ptp(link_surfaces(robot)[0][0].vertices) == pytest.approx(1)
    assert np.ptp(link_surfaces(robot, collisions=True)[0][0].vertices) == pytest.approx(0.2)


def test_hostile_meshes_are_told_and_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = {
        "empty.stl": b"",
        "text.obj": b"root:x:0:0\n",
        "noise.glb": bytes(range(256)) * 4,
        "cut.stl": bytes(80) + struct.pack("<I", 1_000_000_000) + bytes(50),
        "broken.dae": b"<COLLADA><library",
        "bomb.dae": b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA>&a;</COLLADA>',
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.stl").mkdir()
    stl(tmp_path / "nan.stl", CORNER * np.nan)
    stl(tmp_path / "far.stl", CORNER * 1e30)
    for file, words in (
        *((str(tmp_path / name), name) for name in (*contents, "nan.stl", "far.stl")),
        (str(tmp_path / "bomb.dae"), "document type"),
        (str(tmp_path / "folder.stl"), "no such file"),
        ("nowhere.stl", "no such file"),
        ("package://nowhere/arm.stl", "ROS_PACKAGE_PATH"),
        ("package://arm/../../../etc/passwd.stl", "leaves its package"),
        *((name, "must be one of") for name in ("/etc/passwd", "/dev/zero", "bomb.zip")),
    ):
        with pytest.warns(ModelWarning, match=f"link 'arm'.*{re.escape(words)}"):
            found = link_surfaces(arm(Shape("mesh", (1, 1, 1), file=file)))
        assert len(found) == 2  # capsules
    for count, more in ((3, r"nowhere2\.stl'(?!.*more)"), (4, "; and 1 more$")):
        with pytest.warns(ModelWarning, match=more):
            link_surfaces(arm(*(Shape("mesh", (1, 1, 1), file=f"nowhere{k}.stl") for k in range(count))))
    monkeypatch.setattr(mesh_files, "LARGEST", 100)
    with pytest.raises(InputError, match="larger than"):
        surfaces(Shape("mesh", (1, 1, 1), file=str(stl(tmp_path / "corner.stl", CORNER))))


def test_many_triangles_become_fewer_of_the_same_size() -> None:
    from trimesh import creation

    ball = creation.icosphere(subdivisions=6)  # 81920 triangles
    vertices, faces = thinned(np.asarray(ball.vertices), np.asarray(ball.faces), 5000)
    assert 500 < len(faces) <= 5000 and (np.diff(np.sort(faces, axis=1), axis=1) > 0).all()
    corners = vertices[np.unique(faces)]
    assert abs(np.linalg.norm(corners, axis=1) - 1).max() < 0.1 and np.ptp(corners, axis=0).min() > 1.8
    np.testing.assert_array_equal(thinned(vertices, faces, 5000)[1], faces)


def test_names_of_strangers_are_no_code(views: Any) -> None:
    name = "<img src=x onerror=alert(1)>/../x"
    links = [Link("base"), Link(name, Inertia.cylinder(1.0, 0.02, 0.5))]
    robot = Robot.from_links(name, links, [Joint(name + "j", "base", name, Revolute((0, 1, 0)))])
    table = views(robot)._shown[0].panel.table.content
    assert "<img" not in table and "&lt;img" in table


def test_the_command_writes_a_motion_or_a_position_as_a_page(tmp_path: Path) -> None:
    robot, t = revolute.robots.planar(2), np.linspace(0, 0.5, 6)
    trajectory.write(tmp_path / "m.csv", ["t", *trajectory.position_names(robot)], t, np.outer(t, [1, 2]))
    for words in (("planar:2", tmp_path / "m.csv"), ("ur5", "--q", "elbow_joint=1")):
        page = tmp_path / f"{words[0][:3]}.html"
        said, _ = run("view", *words, "--html", page)
        assert "without network" in said and page.stat().st_size > 100_000


def test_the_page_about_views_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "view.md").read_text(encoding="utf-8")
    exec("\n".join(re.findall(r"```py\n(.*?)```", page, re.DOTALL)), {})
    assert (tmp_path / "ur5.html").exists() and (tmp_path / "fall.html").exists()
