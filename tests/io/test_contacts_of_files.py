"""Contacts in files of robots."""

from typing import Any

from comparing import assert_raises
from robots import one_joint

import revolute
from revolute import Contact, Inertia, InputError, ModelError, Plane


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
    assert_raises(InputError, "contacts are in files of .toml", revolute.load_contacts, "robot.urdf")
    other = tmp_path / "other.toml"
    for text in ("", "a = 1", path.read_text() + "\n[[contact]]\nlink = 'body'\n"):
        other.write_text(text)
        assert_raises(ModelError, "format is None|'contact' is unknown", revolute.load_contacts, other)
    path.write_text(path.read_text() + '\n[[contacts]]\nlink = "hand"\n')
    assert_raises(revolute.UnknownNameError, "hand", revolute.load_contacts, path)
