"""Contacts in files: MuJoCo finds those of MJCF, with distances, normals and friction; TOML keeps all but functions."""

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from robots import one_joint

import revolute
from revolute import Contact, Inertia, InputError, Joint, Link, ModelError, ModelWarning, Plane, Robot, Shape, Transform

mujoco = pytest.importorskip("mujoco")


def bodies() -> Robot:
    """A block, with a frame on its side, and a ball, both free."""
    links = [Link("base"), Link("block", Inertia.box(2.0, (0.4, 0.3, 0.1))), Link("ball", Inertia.sphere(1.0, 0.2))]
    joints = [Joint(f"free_{x}", "base", x, revolute.Free()) for x in ("block", "ball")]
    return Robot.from_links("bodies", links, joints).with_frame("side", "block", Transform(p=(0.2, 0, 0)))


@pytest.mark.parametrize("normal", [(0, 0, 1), (0.6, 0, 0.8), (0.48, -0.6, 0.64), (0, 0, -1), (0, 1, 0)])
def test_mujoco_finds_the_contacts_of_a_plane(normal: Any) -> None:
    """One of the sphere, one of the point: distances to 1e-6, normals, friction of the pair."""
    robot, n = bodies(), np.array(normal, float)
    plane = Plane(normal, 0.3)
    contacts = [
        Contact("side", (0.01, 0.02, 0.03), friction=0.4, surface=plane),
        Contact("ball", radius=0.2, friction=0.9, surface=plane),
    ]
    model = mujoco.MjModel.from_xml_string(robot.to_mjcf(contacts))
    data = mujoco.MjData(model)
    q = np.r_[0.299 * n - [0.21, 0.02, 0.03], 0, 0, 0, 1, 0.499 * n, 0, 0, 0, 1]
    data.qpos[:] = np.r_[q[:3], 1, 0, 0, 0, q[7:10], 1, 0, 0, 0]
    mujoco.mj_forward(model, data)
    assert data.ncon == 2 and model.npair == 2
    gaps = robot._gaps(q, contacts)
    for k in range(2):
        contact = data.contact[k]
        np.testing.assert_allclose(contact.dist, gaps[k], rtol=0, atol=2e-6)
        np.testing.assert_allclose(contact.frame[:3], n, rtol=0, atol=1e-12)  # from the plane to the sphere
        np.testing.assert_allclose(contact.friction[:2], contacts[k].friction)
        assert contact.dim == 3
    assert [model.geom(name).type[0] for name in ("plane0", "contact0", "contact1")] == [0, 2, 2]


def test_spheres_that_touch_and_collision_shapes_stay_apart() -> None:
    robot = bodies()
    pair = Contact("side", radius=0.1, friction=0.0, surface=Contact("ball", radius=0.2))
    data = mujoco.MjData(model := mujoco.MjModel.from_xml_string(robot.to_mjcf([pair])))
    data.qpos[:] = [0, 0, 1, 1, 0, 0, 0, 0.49, 0, 1, 1, 0, 0, 0]
    mujoco.mj_forward(model, data)
    assert data.ncon == 1 and abs(data.contact[0].dist + 0.01) <= 1e-12
    assert mujoco.MjModel.from_xml_string(robot.to_mjcf()).ngeom == 0
    assert revolute.load(robot.to_mjcf([pair])).joint_names == robot.joint_names


def test_names_of_the_robot_stay() -> None:
    """Its shapes may have the names of new geoms; a moving link 'world' has another name, also in contacts."""
    names = "contact0", "contact0_surface", "plane0"
    shapes = tuple(Shape("sphere", (0.1,), name=name) for name in names)
    world = Link("world", Inertia.sphere(1.0, 0.2), collisions=shapes)
    links = [Link("base"), world, Link("b", Inertia.sphere(1.0, 0.1))]
    joints = [Joint(f"free_{x.name}", "base", x.name, revolute.Free()) for x in links[1:]]
    robot = Robot.from_links("named", links, joints)
    contacts = [Contact("b", radius=0.1, surface=Contact("world", radius=0.2)), Contact("world", radius=0.2)]
    with pytest.warns(ModelWarning, match="written as 'world_link'"):
        model = mujoco.MjModel.from_xml_string(robot.to_mjcf(contacts))
    geoms = {model.geom(k).name: model.body(model.geom(k).bodyid[0]).name for k in range(model.ngeom)}
    assert geoms == dict.fromkeys((*names, "contact0__surface", "contact1"), "world_link") | {
        "contact0_": "b", "plane0_": "world"
    }


def test_what_mjcf_cannot_have() -> None:
    robot = bodies()
    curved = Contact("ball", surface=lambda p: p[2] - p[0] * p[0])
    assert_raises(ModelError, "contact of 'ball': MJCF has no surfaces given by functions", robot.to_mjcf, [curved])
    assert_raises(InputError, "link 'base' of 'bodies' is fixed to the base", robot.to_mjcf, [Contact("base")])
    assert_raises(InputError, "must be of the type Contact", robot.to_mjcf, ["ball"])
    with pytest.warns(ModelWarning, match="restitution and compliance of contacts are left out: 'ball'"):
        robot.to_mjcf([Contact("ball", restitution=0.5)])


def test_the_compliance_of_solref() -> None:
    """On the page of contacts: with elliptic cones, a ball sinks by (1 - d) A / k times its weight."""
    robot, d, k = bodies(), 0.9, 2e4
    text = robot.to_mjcf([Contact("ball", radius=0.2, friction=0.5)])
    model = mujoco.MjModel.from_xml_string(text)
    model.pair_solref[0], model.pair_solimp[0, :2] = (-k, -2e2), (d, d)
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    data = mujoco.MjData(model)
    data.qpos[:] = [0, 0, 9, 1, 0, 0, 0, 0, 0, 0.2, 1, 0, 0, 0]
    for _ in range(500):
        mujoco.mj_step(model, data)
    mobility, weight = 1 / 1.0, 9.81
    np.testing.assert_allclose(0.2 - data.qpos[9], (1 - d) * mobility / k * weight, rtol=1e-3)


def test_toml_keeps_contacts(tmp_path: Any) -> None:
    """Points, spheres, planes, spheres of other links; not functions."""
    robot, path = one_joint(revolute.Prismatic((0, 0, 1)), Inertia(m=2.0)), tmp_path / "robot.toml"
    contacts = (
        Contact("body", (0.1, 0.2, -0.3), 0.05, 0.7, 0.2, 1e-5, 3.0),
        Contact("body", surface=Plane((0, 0.6, 0.8), -0.25)),
        Contact("body", radius=0.1, surface=Contact("base", (1, 0, 0), 0.2)),
    )
    revolute.save(robot, path, contacts)
    assert revolute.load(path) == robot and revolute.load_contacts(path) == contacts
    revolute.save(robot, path)
    assert revolute.load_contacts(path) == ()
    revolute.save(robot, tmp_path / "robot.xml", contacts[1:2])
    assert 'type="plane"' in (tmp_path / "robot.xml").read_text()
    curved = Contact("body", surface=lambda p: p[2] - p[0] ** 2)
    assert_raises(ModelError, "of .body.*cannot be written; give a Plane", revolute.save, robot, path, [curved])
    assert_raises(InputError, "URDF has no contacts", revolute.save, robot, tmp_path / "robot.urdf", contacts)
    assert_raises(InputError, "of the type Contact", revolute.save, robot, path, ["body"])
    assert_raises(InputError, "only .toml files contain contacts", revolute.load_contacts, "robot.urdf")
    other = tmp_path / "other.toml"
    for text in ("", "a = 1", path.read_text() + "\n[[contact]]\nlink = 'body'\n"):
        other.write_text(text)
        assert_raises(ModelError, "format is None|'contact' is unknown", revolute.load_contacts, other)
    path.write_text(path.read_text() + '\n[[contacts]]\nlink = "hand"\n')
    assert_raises(revolute.UnknownNameError, "hand", revolute.load_contacts, path)
