"""Links and joints that are no tree: the message names those that are to blame."""

import numpy as np
import pytest

from revolute import Connection, Inertia, InputError, Link, ModelError, Robot


def robot(links: str, joints: str) -> Robot:
    """Links by their names, joints as parent-joint>child."""
    connections = [
        Connection(name, parent, child)
        for parent, name, child in (joint.replace(">", "-").split("-") for joint in joints.split())
    ]
    return Robot.from_links("r", [Link(name) for name in links.split()], connections)


@pytest.mark.parametrize(
    ("links", "joints", "words"),
    [
        ("a b c d", "a-x>b b-y>c c-z>a a-w>d", "cycle: 'a' -x-> 'b', 'b' -y-> 'c', 'c' -z-> 'a'; remove one of them"),
        ("a b c d", "b-x>c c-y>b a-w>d", "cycle: 'b' -x-> 'c', 'c' -y-> 'b'; remove"),
        ("d a b", "a-x>b b-y>a b-z>d", "cycle: 'b' -y-> 'a', 'a' -x-> 'b'; remove"),
        ("a b", "a-x>a", "joint 'x': its parent and its child are one link, 'a'"),
        ("a b c", "a-x>b", "roots, links that are no joint's child: 'a' (1 link on it), 'c' (alone); connect"),
        ("a b c d e", "a-x>b d-y>e b-z>c", "2 roots, links that are no joint's child: 'a' (2 links on it), 'd' (1"),
        ("a b c d e f g", "", "7 roots, links that are no joint's child: 'a' (alone), 'b' (alone), 'c' (alone)"),
        ("a b", "a-x>b b-y>b", "joint 'y': its parent and its child are one link, 'b'"),
    ],
)
def test_the_culprit_is_named(links: str, joints: str, words: str) -> None:
    with pytest.raises(ModelError) as caught:
        robot(links, joints)
    assert words in str(caught.value)


def test_long_cycles_are_cut() -> None:
    n = 5000
    with pytest.raises(ModelError, match=r"'l0' -j0-> 'l1', .* \.\.\. 4992 more \.\.\., 'l4999' -j4999-> 'l0'; remove"):
        robot(" ".join(f"l{k}" for k in range(n)), " ".join(f"l{k}-j{k}>l{(k + 1) % n}" for k in range(n)))


def test_links_may_come_in_any_order() -> None:
    names = [f"l{k}" for k in range(50)]
    joints = " ".join(f"l{k}-j{k}>l{k + 1}" for k in range(49))
    assert robot(" ".join(names[::-1]), joints).link_names[0] == "l0"


def test_placements_of_a_wrong_type_are_told_in_one_line() -> None:
    with pytest.raises(InputError, match=r"joint 'j': placement must be of the type Transform, not array\(") as said:
        Connection("j", "a", "b", placement=np.eye(4))  # type: ignore[arg-type]
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("mass", [-1, -1e-9, np.float64(-2)])
def test_negative_masses_are_refused_at_once(mass: float) -> None:
    with pytest.raises(InputError, match=f"mass is {mass:g} kg; it must be positive or zero"):
        Inertia.from_com(mass, (0, 0, 0.1))
