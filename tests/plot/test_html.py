"""A robot in a notebook: everything is there, and names from files are text."""

import base64
import io
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
import sympy
from PIL import Image
from processes import printed

import revolute
from revolute import Inertia, Joint, Limits, Link, Robot
from revolute.model.describe import tree


class Page:
    """Elements, texts of cells, and the text of a page; a page whose elements are not closed is an error."""

    def __init__(self, text: str) -> None:
        root = fromstring(f"<page>{text}</page>")
        self.tags = [(x.tag, x.attrib) for x in root.iter()]
        self.cells = [[cell.text for cell in row] for row in root.iter("tr")]
        self.text = "".join(root.itertext())


def crane(name: str = "crane", hinge: str = "hinge", jib: str = "jib") -> Robot:
    limits = Limits((-0.5,), (0.25,), (2.0,), (40.0,))
    joints = [
        Joint("rail", "base", "cart", revolute.Prismatic((1, 0, 0))),
        Joint(hinge, "cart", jib, revolute.Revolute((0, 1, 0)), limits=limits),
    ]
    mass = Inertia.sphere(1.0, 0.1, revolute.Transform.from_rpy((0, 0, 0.5)))
    return Robot.from_links(name, [Link("base"), Link("cart", mass), Link(jib, mass)], joints)


def test_a_robot_shows_its_picture_its_joints_and_its_tree() -> None:
    robot = crane()
    page = Page(robot._repr_html_())
    assert page.cells == [
        ["joint", "type", "from", "to", "lower", "upper", "speed", "effort"],
        ["rail", "prismatic along x", "base", "cart", "–", "–", "–", "–"],
        ["hinge", "revolute about y", "cart", "jib", "-0.500", "0.250", "2.000", "40.00"],
    ]
    for line in tree(robot).split("\n"):
        assert line in page.text
    (image,) = [attributes for tag, attributes in page.tags if tag == "img"]
    start = "data:image/png;base64,"
    assert image["src"].startswith(start)
    with Image.open(io.BytesIO(base64.b64decode(image["src"][len(start) :]))) as picture:
        colours = np.asarray(picture.convert("RGB")).reshape(-1, 3)
    assert 0.01 < np.mean((colours < 200).any(axis=1)) < 0.5  # something is drawn


@pytest.mark.parametrize(
    "strange", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a&lt;b", "x\x1b[1m\n'"]
)
def test_names_from_files_are_text(strange: str) -> None:
    plain, page = Page(crane()._repr_html_()), Page(crane(strange, strange, strange + "2")._repr_html_())
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in plain.tags]
    assert [sorted(attributes) for _, attributes in page.tags] == [sorted(attributes) for _, attributes in plain.tags]
    shown = revolute.errors.printable(strange)
    assert page.cells[2][0] == shown and page.cells[2][3] == shown + "2"
    assert page.text.count(shown) >= 4
    assert "\x1b" not in page.text


@pytest.mark.parametrize("robot", [
    revolute.robots.random_tree(6, rng=3, base="free"),
    Robot.from_links("stone", [Link("stone", Inertia.sphere(1.0, 0.1))], []),
    Robot.from_links("point", [Link("a"), Link("b")], [Joint("j", "a", "b", revolute.Spherical())]),
], ids=lambda robot: robot.name)  # fmt: skip
def test_every_robot_shows_itself(robot: Robot) -> None:
    page = Page(robot._repr_html_())
    assert len(page.cells) == (robot.n_joints + 1 if robot.n_joints else 0)
    assert [tag for tag, _ in page.tags].count("img") == 1


def test_robots_with_symbols_have_no_picture() -> None:
    page = Page(crane().with_gravity((0, 0, -sympy.Symbol("g")))._repr_html_())
    assert "img" not in [tag for tag, _ in page.tags] and len(page.cells) == 3


def test_without_matplotlib_there_is_no_picture() -> None:
    code = "import sys; sys.modules['matplotlib'] = None; import revolute; "
    page = Page(printed(f"{code}print(revolute.robots.planar(2)._repr_html_())"))
    assert "img" not in [tag for tag, _ in page.tags] and len(page.cells) == 3
