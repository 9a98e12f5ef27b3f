"""`revolute check` tells what no robot can be, and what units and frames were likely meant."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from files import written
from robots import FILES, NO_ROBOT
from typer.testing import CliRunner

import revolute
from revolute import Inertia, Joint, Limits, Link, Prismatic, Revolute, Robot
from revolute.cli.app import app
from revolute.examine import Examination, examine, inertias
from revolute.examine.part import Part
from revolute.io.solids import solid_of
from revolute.model.shapes import Shape

MOMENTS = (0.0271, 0, 0, 0.0271, 0, 0.0009)
BOX = '<box size="0.06 0.04 0.4"/>'
LIMIT = '<limit lower="-1" upper="1" effort="9" velocity="2"/>'


def rod(
    mass: float = 2.0, com: str = "0 0 0.2", inertia: tuple[float, ...] = MOMENTS, solid: str = BOX, limit: str = LIMIT
) -> str:
    """A box of 0.06 x 0.04 x 0.4 m and 2 kg (2083 kg/m^3), hinged at its lower end."""
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    numbers = " ".join(f'{name}="{x}"' for name, x in zip(names, inertia, strict=True))
    return f"""<robot name="arm"><link name="base"/>
      <link name="rod">
        <inertial><origin xyz="{com}"/><mass value="{mass}"/><inertia {numbers}/></inertial>
        <visual><origin xyz="0 0 0.2"/><geometry>{solid}</geometry></visual>
      </link>
      <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>{limit}</joint>
    </robot>"""


def scaled(factor: float) -> tuple[float, ...]:
    return tuple(x * factor for x in MOMENTS)


def test_a_good_rod_has_nothing() -> None:
    found = examine(rod())
    assert found.findings == () and (found.links, found.sized) == (2, 1)


WRONG = {
    "triangle": (rod(inertia=(0.03, 0, 0, 0.03, 0, 0.09)), True, "link 'rod': .*triangle inequality.*order of ixx"),
    "products": (rod(inertia=(0.03, 0.029, 0, 0.03, 0, 0.001)), True, "one is negative|triangle.*check ixy"),
    "grams": (rod(mass=2000, inertia=scaled(1000)), False, "2.083e.06 kg/m.3, above 19300.*grams"),
    "about the origin": (rod(inertia=(0.1071, 0, 0, 0.1071, 0, 0.0009)), False, "about the link's origin; .*centre"),
    "kg mm^2": (rod(inertia=scaled(1e6)), False, "It may be in kg mm.2"),
    "no range": (rod(limit=LIMIT.replace("-1", "1")), False, "both limits are 1"),
    "exchanged": (rod(limit='<limit lower="1" upper="-1" effort="9" velocity="2"/>'), False, "no position between"),
    "no effort": (rod(limit='<limit effort="0" velocity="2"/>'), False, "effort limit is 0.*'unknown'"),
    "no mass": (re.sub(r"<inertial>.*</inertial>", "", rod()), True, "joint 'hinge': it moves no inertia, since link"),
    "on its axis": (rod(com="0 0 0", inertia=(0,) * 6, solid="<mesh/>"), True, "moves no inertia.*on its axis"),
    "axis": (rod().replace('"0 1 0"', '"0 2 0"'), False, "joint 'hinge': <axis> has xyz='0 2 0', whose length is 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name: str) -> None:
    text, impossible, words = WRONG[name]
    found = examine(text).findings
    told = [finding for finding in found if re.search(words, str(finding))]
    assert [finding.impossible for finding in told] == [impossible], "\n".join(map(str, found))


@pytest.mark.parametrize("solid", ['<cylinder radius="0.03" length="0.4"/>', '<sphere radius="0.2"/>'])
def test_solids_have_their_size(solid: str) -> None:
    assert examine(rod(solid=solid)).findings == ()
    told = examine(rod(mass=2e5, inertia=scaled(1e5), solid=solid)).findings
    assert len(told) == 1 and "tungsten" in str(told[0])


def test_turned_boxes_have_the_size_that_they_take_up() -> None:
    """A box along x is too small for the upright rod, and fits when its pose turns it upright."""
    lying = rod(solid='<box size="0.2 0.04 0.06"/>')
    upright = lying.replace('"0 0 0.2"/><geometry>', '"0 0 0.2" rpy="0 1.5707963267948966 0"/><geometry>')
    assert "too far for its shapes" in str(examine(lying).findings) and upright != lying
    assert examine(upright).findings == ()


def test_meshes_have_no_size() -> None:
    found = examine(rod(mass=1e3, inertia=scaled(500), solid='<mesh filename="rod.stl"/>'))
    assert (found.findings, found.sized) == ((), 0)
    assert "may be in grams" in str(examine(rod(mass=2e3, inertia=scaled(1e3), solid='<mesh/>')).findings)
    assert "radius of gyration of 116" in str(examine(rod(inertia=scaled(1e6), solid="<mesh/>")).findings)


def test_random_boxes_have_nothing() -> None:
    """Every uniform box of a usual density passes, wherever it is: no false alarm by construction."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        size, p, rpy = rng.uniform(0.02, 0.5, 3), rng.uniform(-0.5, 0.5, 3), rng.uniform(-3, 3, 3)
        mass, pose = float(size.prod() * rng.uniform(100, 9000)), revolute.Transform.from_rpy(p, rpy)
        box = Part(Link("box", Inertia.box(mass, size, pose)), (solid_of(Shape("box", tuple(size), pose)),))
        assert [finding for rule in (*inertias.RULES, *inertias.SHAPED) for finding in rule(box)] == []


@pytest.mark.parametrize("name", ["panda", "puma560", "stanford", "ur5"])
def test_robots_of_the_library_have_nothing(name: str) -> None:
    assert examine(getattr(revolute.robots, name)()).findings == ()


def test_models_of_mujoco_are_examined() -> None:
    geom = '<geom type="box" size=".1 .1 .1" density="5e6"/>'
    body = f'<body name="b"><joint name="j" type="free" stiffness="1"/>{geom}</body>'
    said = [str(finding) for finding in examine(f"<mujoco><worldbody>{body}</worldbody></mujoco>").findings]
    assert any("link 'b': 4e+04 kg in 0.008 m^3" in text and "mass may be in grams" in text for text in said)
    assert any("not modelled: the springs of 'j'" in text for text in said) and len(said) == 2


def test_axes_that_meet_need_no_mass_between_them() -> None:
    def universal(offset: float) -> Robot:
        links = [Link("base"), Link("cross"), Link("arm", Inertia.from_com(1, (0, 0, 1), np.eye(3).tolist()))]
        first = Joint("a", "base", "cross", Revolute((1, 0, 0)))
        second = Joint("b", "cross", "arm", Revolute((0, 1, 0)), revolute.Transform.from_rpy((offset, 0, 0)))
        return Robot.from_links("universal", links, [first, second])

    assert examine(universal(0)).findings == ()
    (finding,) = examine(universal(0.1)).findings
    assert str(finding).startswith("suspicious: link 'cross': it moves and has no mass")


@pytest.mark.filterwarnings("error::revolute.ModelWarning")  # they are findings, and not warned of again
def test_all_files_of_robots_are_examined() -> None:
    """What is known to be wrong with them is told; most have nothing impossible."""
    found = {key: examine(FILES[key]) for key in FILES if key not in NO_ROBOT}
    clean = [key for key, result in found.items() if not any(finding.impossible for finding in result.findings)]
    assert len(clean) > len(found) / 2
    said = {key: "\n".join(map(str, result.findings)) for key, result in found.items()}
    # rotors of 0.128 m whose mass would be 0.234 m away from their axis
    assert "'iris__rotor_0': its inertia spreads 0.005 kg by (0.2337" in said["iris_description/iris"]
    assert "'FL_FOOT': it has no mass, but" in said["bolt_description/bolt"]


def check(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["check", *arguments])
    return done.exit_code, done.output


def test_strict_checks_fail_on_suspicious_findings_too(tmp_path: Path) -> None:
    good, doubtful = (str(written(tmp_path / f"{k}.urdf", text)) for k, text in enumerate((rod(), WRONG["kg mm^2"][0])))
    assert check(good) == (0, f"{good}: 2 links (1 of them with known shapes), 1 joints: nothing found\n")
    code, output = check(doubtful)
    assert code == 0 and "0 impossible, 1 suspicious\n- suspicious: link 'rod': its inertia spreads" in output
    assert check("--strict", doubtful)[0] == 1 and check("--strict", good, "ur5")[0] == 0


def model(geom: str, inertial: str = "", asset: str = "") -> str:
    body = f'<body name="rod"><joint axis="0 1 0"/>{inertial}{geom}</body>'
    return f'<mujoco><compiler angle="radian"/>{asset}<worldbody>{body}</worldbody></mujoco>'


ROD = '<geom type="box" size=".03 .02 .2" pos="0 0 .2"/>'
INERTIAL = '<inertial pos="0 0 .2" mass="{}" diaginertia="{} {} .0009"/>'

GEOMS = {
    "good": (model(ROD), None),
    "capsule": (model('<geom type="capsule" size=".03" fromto="0 0 0 0 0 .4"/>'), None),
    "ellipsoid": (model('<geom type="ellipsoid" size=".03 .03 .2" euler=".3 0 0"/>'), None),
    "cylinder": (model('<geom type="cylinder" size=".03 .2"/><geom type="sphere" size=".03" pos="0 0 .2"/>'), None),
    "about the origin": (model(ROD, INERTIAL.format(2, 0.1071, 0.1071)), "'rod'.*be about the link's origin"),
    "drawn only": (model(ROD + '<geom type="sphere" size="9" contype="0" conaffinity="0" mass="0"/>'), None),
}


@pytest.mark.parametrize("name", GEOMS)
def test_geoms_of_mujoco_have_their_size(name: str) -> None:
    text, words = GEOMS[name]
    found = examine(text)
    assert (found.links, found.sized) == (1, 1)
    assert [bool(re.search(words or "", str(finding))) for finding in found.findings] == ([True] if words else [])


def test_meshes_of_mujoco_have_their_size() -> None:
    corners = " ".join(f"{x} {y} {z}" for x in (-0.03, 0.03) for y in (-0.02, 0.02) for z in (0, 0.4))
    asset = f'<asset><mesh name="m" vertex="{corners}"/></asset>'
    for mass, words in ((2.0, ""), (0.02, "2 kg in 0.00096 m.3 are 20.8. kg/m.3, below 40")):
        moments = mass * 0.0135
        inertial = f'<inertial pos="0 0 .2" mass="{mass}" diaginertia="{moments} {moments} {mass * 4e-4}"/>'
        found = examine(model('<geom type="mesh" mesh="m"/>', inertial, asset)).findings
        assert bool(found) == bool(words) and all(re.search(words, str(finding)) for finding in found)


def test_links_between_joints_of_one_body_need_no_mass() -> None:
    assert examine(model(ROD).replace("<joint", '<joint name="a" axis="1 0 0" pos="0 0 .1"/><joint')).findings == ()


def boxes(folder: Path) -> None:
    """A closed box of 0.06 x 0.04 x 0.4 m, and one with a hole, in millimetres."""
    corners = [f"v {x} {y} {z}" for x in (-30, 30) for y in (-20, 20) for z in (-200, 200)]
    numbers = "124 143 578 586 156 162 348 387 137 175 268 284"
    faces = [f"f {' '.join(face)}" for face in numbers.split()]
    for name, kept in (("box", faces), ("open", faces[1:])):
        (folder / f"{name}.obj").write_text("\n".join(corners + kept))


def test_meshes_are_opened_where_that_is_wanted(tmp_path: Path) -> None:
    meshes, path = tmp_path / "arm" / "meshes", tmp_path / "arm" / "urdf" / "arm.urdf"
    for folder in (meshes, path.parent):
        folder.mkdir(parents=True)
    boxes(meshes)

    def found(mesh: str, scale: str = 'scale=".001 .001 .001"', **changes: float) -> Examination:
        path.write_text(rod(solid=f'<mesh filename="{mesh}" {scale}/>', **changes))  # type: ignore[arg-type]
        assert examine(path).sized == 0
        return examine(path, meshes=True)

    for name in ("package://arm/meshes/box.obj", "../meshes/box.obj", f"file://{meshes}/box.obj"):
        assert (found(name).sized, found(name).findings) == (1, ())
    assert "shapes may be in millimetres" in str(found("../meshes/box.obj", "").findings)
    assert "below 40, that of balsa" in str(found("../meshes/box.obj", mass=0.03).findings)
    assert "outside of its shapes" in str(found("../meshes/open.obj", com="0 0 .7").findings)  # type: ignore[arg-type]
    assert found("../meshes/open.obj", mass=0.03).sized == 1
    for missing in ("../meshes/none.obj", "package://hand/meshes/box.obj", "arm.urdf"):
        assert found(missing).sized == 0


def test_axes_that_are_left_handed_are_told(tmp_path: Path) -> None:
    robot = revolute.robots.planar(2)
    mirror = revolute.Transform(revolute.Rotation.from_matrix([[1, 0, 0], [0, -1, 0], [0, 0, 1]]))
    loose = revolute.Transform(revolute.Rotation.from_matrix([[1, 0, 0], [0, 1, 0.1], [0, 0, 1]]))
    for pose, words in ((mirror, "left-handed"), (loose, "not of length one at right angles")):
        bodies = (*robot.bodies[:2], replace(robot.bodies[2], placement=pose))
        told = [finding for finding in examine(replace(robot, bodies=bodies)).findings if words in str(finding)]
        assert [finding.place for finding in told] == ["joint 'joint2'"] and told[0].impossible
        frames = (*robot.frames[:-1], replace(robot.frames[-1], placement=pose))
        told = [finding for finding in examine(replace(robot, frames=frames)).findings if words in str(finding)]
        assert [finding.place for finding in told] == ["link 'tip'"]
    revolute.save(replace(robot, frames=frames), tmp_path / "arm.toml")
    code, output = check(str(tmp_path / "arm.toml"))
    assert code == 1 and "cannot be loaded: " in output and "link 'tip': its placement: its rotation is not" in output


def gripper(one: revolute.Drive, two: revolute.Drive) -> Robot:
    """Two fingers, "a" and "b"."""
    block, limits = Inertia.from_com(1.0, (0.1, 0, 0), np.eye(3) * 0.01), Limits((0.0,), (1.0,), (1.0,), (1.0,))
    links = [Link("palm"), Link("left", block), Link("right", block)]
    fingers = (("a", "left", one), ("b", "right", two))
    joints = [Joint(name, "palm", link, Revolute(), limits=limits, drive=drive) for name, link, drive in fingers]
    return Robot.from_links("gripper", links, joints)


@pytest.mark.parametrize(("multiplier", "offset", "told"), [(1, 0, 0), (1, 3, 1), (-1, 0.5, 0), (0.1, -2, 1)])
def test_mimics_that_are_out_of_reach_are_told(multiplier: float, offset: float, told: int) -> None:
    found = examine(gripper(revolute.Drive(), revolute.Drive(mimic=revolute.Mimic("a", multiplier, offset)))).findings
    assert [finding.place for finding in found] == ["joint 'b'"] * told
    assert all("out of reach: as 'a' moves" in str(finding) and finding.impossible for finding in found)


@pytest.mark.filterwarnings("ignore:robot .*URDF does not support gravity")
@pytest.mark.filterwarnings("ignore:robot .*MJCF does not support velocity limits")
def test_couplings_and_rotors_are_no_faults() -> None:
    """What a robot keeps as data passes, and fails where it makes no sense."""
    of_a, of_b = (revolute.Drive(mimic=revolute.Mimic(leader)) for leader in ("a", "b"))
    robot = gripper(revolute.Drive(), of_a)
    assert examine(robot.to_urdf()).findings == examine(robot.to_mjcf()).findings == ()
    told = [str(finding) for finding in examine(gripper(of_b, of_a).to_urdf()).findings]
    assert len(told) == 2 and all(words.startswith("impossible") and "mimics itself" in words for words in told)
    bare = [Link("palm"), Link("left")]
    for drive, impossible in ((revolute.Drive(), True), (revolute.Drive(armature=(0.1,)), False)):
        idle = Robot.from_links("idle", bare, [Joint("a", "palm", "left", Revolute(), drive=drive)], warn=False)
        (finding,) = examine(idle).findings
        assert finding.impossible is impossible and "it moves no inertia" in str(finding)


def test_meshes_need_trimesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boxes(tmp_path)
    path = tmp_path / "arm.urdf"
    path.write_text(rod(solid='<mesh filename="box.obj" scale=".001 .001 .001"/>'))
    monkeypatch.setitem(sys.modules, "trimesh", None)
    assert check(str(path))[0] == 0
    code, output = check("--meshes", str(path))
    assert code == 1 and f"{path}: cannot be loaded: " in output and '".[mesh]"' in output


def part(mass: float, moments: Any, com: Any = (0, 0, 0), size: Any = None) -> Part:
    """A link of principal moments about its centre of mass; its shape is a box of this size about the origin."""
    shapes = () if size is None else (solid_of(Shape("box", size)),)
    return Part(Link("part", Inertia.from_com(mass, com, np.diag(moments))), shapes)


def both(rule: Any, quiet: Any, loud: Any) -> str:
    """What a rule says of a part beyond its limit; of one just within it says nothing."""
    assert not list(rule(quiet))
    (finding,) = rule(loud)
    assert not finding.impossible
    return str(finding)


def solid(density: float, size: Any = (0.1, 0.2, 0.3), com: Any = (0, 0, 0)) -> Part:
    """A uniform box."""
    mass = density * float(np.prod(size))
    return part(mass, mass / 12 * (np.square(size).sum() - np.square(size)), com, size)


def test_masses_and_densities_have_their_limits() -> None:
    assert "may be in grams" in both(inertias.heavy, part(1000, (9, 9, 9)), part(1001, (9, 9, 9)))
    assert not list(inertias.heavy(solid(2e5, (1, 1, 1))))  # its density says more
    assert "below 40, that of balsa" in both(inertias.dense, solid(40, (1, 1, 1)), solid(39.9))
    assert "above 19300, that of tungsten" in both(inertias.dense, solid(19_300, (1, 1, 1)), solid(19_310))


@pytest.mark.parametrize(
    ("density", "cause"),
    [
        (199e3, "Compare"), (201e3, "in grams"), (8999e3, "in grams"), (9001e3, "Compare"),
        (199e-9, "Compare"), (201e-9, "in millimetres"), (8999e-9, "in millimetres"), (9001e-9, "Compare"),
        (199e9, "Compare"), (201e9, "to metres twice"), (8999e9, "to metres twice"), (9001e9, "Compare"),
    ],
)  # fmt: skip
def test_densities_that_a_unit_explains(density: float, cause: str) -> None:
    (finding,) = inertias.dense(solid(density))
    assert cause in str(finding)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [1, -1])
def test_centres_of_mass_may_be_a_quarter_of_the_length_outside(axis: int, sign: int) -> None:
    """Of the longest side, 0.3 m: 0.075 m beyond any face."""
    face, e = (0.05, 0.1, 0.15)[axis], sign * np.eye(3)[axis]
    quiet, loud = (solid(2000, com=tuple((face + x) * e)) for x in (0.0749, 0.0751))
    assert "Check the <origin>" in both(inertias.centred, quiet, loud)
    near, far = (solid(2000, com=tuple(x * e)) for x in (2.99, 3.01))  # twenty times half of the longest side
    assert "Check" in str(*inertias.centred(near)) and "in millimetres" in str(*inertias.centred(far))


@pytest.mark.parametrize("axis", range(3))
def test_mass_may_spread_a_quarter_of_the_length_beyond_its_shapes(axis: int) -> None:
    """A variance of (size / 2 + 0.075 m)^2 along an axis, as of two points at the ends, and a tenth of a per cent."""
    limit = ((0.05, 0.1, 0.15)[axis] + 0.075) ** 2 * np.eye(3)[axis]

    def spread(share: float) -> Part:
        K = 2.0 * share * limit
        return part(2.0, K.sum() - K, size=(0.1, 0.2, 0.3))

    assert "Compare it with that of a box" in both(inertias.compact, spread(1.0009), spread(1.0011))


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "g m^2"), (1e6, "kg mm^2"), (1e9, "g mm^2")])
def test_units_of_inertia_are_told_where_they_explain_it(factor: float, unit: str) -> None:
    """A cube's variance is 0.03 of what its box with its margin allows, or as much as that, once in another unit."""
    allowed = 0.15**2
    for share, told in ((0.029, False), (0.031, True), (0.999, True), (1.01, False)):
        K = 2.0 * share * allowed * np.ones(3) * factor
        (finding,) = inertias.compact(part(2.0, K.sum() - K, size=(0.2, 0.2, 0.2)))
        assert (f"in {unit}; it should" in str(finding)) is told


def leaning(angle: float, ratio: float = 10.0, size: Any = (0.1, 0.1, 0.5), shape: float = 0.0) -> Part:
    """Mass with variances as 1 : 1 : ratio leans by an angle [deg] about x, and its shape by another."""
    R = np.array(revolute.Rotation.from_rpy(np.radians(angle), 0, 0).matrix(), dtype=float)
    K = 1e-3 * R @ np.diag([1, 1, ratio]) @ R.T
    pose = revolute.Transform(revolute.Rotation.from_rpy(np.radians(shape), 0, 0))
    box = solid_of(Shape("box", size, pose))
    return Part(Link("rod", Inertia.from_com(2.0, (0, 0, 0), np.trace(K) * np.eye(3) - K)), (box,))


def test_principal_axes_have_their_limits() -> None:
    """Thirty degrees, and three times the variance along the next axis, of the mass and of the shape."""
    assert "axis of its inertia is 31 degrees from" in both(inertias.oblique, leaning(29.4), leaning(30.6))
    for angle in (-30.6, -80, 80):
        assert "Check the rpy" in str(*inertias.oblique(leaning(angle)))
    assert "the longest" in both(inertias.oblique, leaning(80, 2.99), leaning(80, 3.01))
    sizes = ((0.1, 0.1, 0.1 * np.sqrt(ratio)) for ratio in (2.99, 3.01))
    assert "the longest" in both(inertias.oblique, *(leaning(80, size=size) for size in sizes))
    flat = (0.5, 0.5, 0.1)
    assert "the shortest principal axis of its inertia is 80" in str(*inertias.oblique(leaning(80, 0.3, flat)))
    assert "the shortest" in both(inertias.oblique, leaning(80, 1 / 2.99, flat), leaning(80, 1 / 3.01, flat))


def test_signs_of_products_are_told_where_they_explain_it() -> None:
    """Mass leans to one side and its shape to the other, by ten degrees more or less."""
    signs = "The signs of ixy, ixz, iyz may be reversed"
    assert signs in both(inertias.oblique, leaning(14.7, shape=-14.7), leaning(15.3, shape=-15.3))
    for off, told in ((-10.3, False), (-9.7, True), (9.7, True), (10.3, False)):
        (finding,) = inertias.oblique(leaning(30, shape=-30 + off))
        assert (signs in str(finding)) is told and ("Check the rpy" in str(finding)) is not told


def test_a_flat_shape_has_no_density_and_no_axes() -> None:
    flat = part(2.0, (0.0271, 0.0271, 0.0009), size=(0.06, 0.0, 0.4))
    assert [finding for rule in inertias.SHAPED for finding in rule(flat)] == []


def test_parts_without_shapes_have_the_size_of_a_robot() -> None:
    assert "radius of gyration of 10.0" in both(inertias.wide, part(2, [200] * 3), part(2, [2 * 10.01**2] * 3))
    near, far = (part(2, (1, 1, 1), com) for com in ((10, 0, 0), (0, -10.01, 0)))
    assert "10.01 m from its frame" in both(inertias.wide, near, far)
    assert not list(inertias.wide(part(2, [2e4] * 3, (90, 0, 0), (0.1, 0.1, 0.1))))  # other rules look at these


def hinged(joint: Any, low: float, high: float, **drive: Any) -> list[str]:
    """Findings about a joint with limits."""
    links = [Link("base"), Link("arm", Inertia.from_com(1, (0.1, 0, 0.1), np.eye(3)))]
    limits = Limits((low,), (high,), (1.0,), (1.0,))
    made = Joint("j", "base", "arm", joint, limits=limits, drive=revolute.Drive(**drive))
    return [str(finding) for finding in examine(Robot.from_links("a", links, [made], warn=False)).findings]


def test_ranges_have_their_limits() -> None:
    assert hinged(Revolute(), -15.7, 15.7) == [] and "in degrees" in str(hinged(Revolute(), -15.8, 15.7))
    assert "in degrees" in str(hinged(Revolute(), 0, 3600)) and "Make it continuous" in str(hinged(Revolute(), 0, 3601))
    assert hinged(Revolute(), -np.inf, np.inf) == hinged(Prismatic(), -np.inf, 0) == []
    assert hinged(Prismatic(), -10, 10) == [] and "in millimetres" in str(hinged(Prismatic(), -10, 10.1))
    assert all(said.startswith("suspicious") for said in hinged(Revolute(), 0, 4000) + hinged(Revolute(), 1, 1))
    assert hinged(Prismatic(), 1, 0)[0].startswith("impossible: joint 'j': lower limit 1 is above the upper, 0")


def test_steps_between_joints_have_the_size_of_a_robot() -> None:
    arm = revolute.robots.planar(2)
    for way, told in ((10.0, 0), (10.01, 1)):
        moved = replace(arm.bodies[2], placement=revolute.Transform(p=(0, way, 0)))
        findings = examine(replace(arm, bodies=(*arm.bodies[:2], moved))).findings
        assert len(findings) == told and all("it is 10.01 m from the frame of link" in str(x) for x in findings)


def test_links_of_next_to_no_mass_are_not_compared_with_their_shapes() -> None:
    """A thousandth of the mass of all but the heaviest counts as none."""
    for share, told in ((0.99e-3, 0), (1.02e-3, 1)):
        links = "".join(
            f'<body name="b{k}"><joint axis="0 1 0"/><inertial pos="0 0 0" mass="{m}" diaginertia="{d} {d} {d}"/>'
            f'<geom type="box" size="{size}"/></body>'
            for k, (m, d, size) in enumerate(((50, 1, ".1 .1 .1"), (8, 0.1, ".1 .1 .1"), (8 * share, 1e-9, ".1 .1 .1")))
        )
        found = examine(f"<mujoco><worldbody>{links}</worldbody></mujoco>").findings
        assert ["balsa" in str(x) for x in found] == [True] * told


def test_an_examination_prints_as_the_command_does() -> None:
    grams = revolute.robots.ur5().to_urdf().replace('mass value="8.393"', 'mass value="8393"')
    assert str(examine(grams)).split("\n") == [
        "11 links (none with known shapes), 6 joints: 0 impossible, 1 suspicious",
        "- suspicious: link 'upper_arm_link': its mass is 8393 kg. It may be in grams",
    ]
    assert str(examine(revolute.robots.ur5())) == "6 links (none with known shapes), 6 joints: nothing found"
