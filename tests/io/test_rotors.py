"""Gears and rotors in extensions of URDF and SDF: Drake's names, and transmissions of ROS."""

import numpy as np
import pytest
from comparing import assert_raises, assert_warns

import revolute
from revolute import ModelError, ModelWarning

LINK = """<inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>"""
ROTOR = '<drake:rotor_inertia value="0.0001321"/><drake:gear_ratio value="160"/>'
DECLARED = 'xmlns:drake="http://drake.mit.edu"'
SDF = """<sdf version="1.9" {}><model name="m"><link name="b"/><link name="l"><inertial><pose>0.5 0 0 0 0 0</pose>
<mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial></link><joint name="j"
 type="revolute"><parent>b</parent><child>l</child><axis><xyz>0 1 0</xyz></axis>
<drake:gear_ratio>160.0</drake:gear_ratio>
<drake:rotor_inertia>0.0001321</drake:rotor_inertia></joint></model></sdf>"""


def urdf(transmissions: str, declared: str = DECLARED) -> str:
    joint = '<joint name="j" type="continuous"><parent link="b"/><child link="l"/><axis xyz="0 1 0"/></joint>'
    return f'<robot name="m" {declared}><link name="b"/><link name="l">{LINK}</link>{joint}{transmissions}</robot>'


def transmission(actuator: str, joint: str = "j", more: str = "") -> str:
    return f'<transmission><joint name="{joint}">{more}</joint><actuator name="a">{actuator}</actuator></transmission>'


def inertia(text: str, **options: bool) -> float:
    return float(revolute.load(text, drives=True, **options).mass_matrix([0.0])[0, 0])  # type: ignore[call-overload]


WITHOUT, WITH = 2 + 2 * 0.5**2, 2 + 2 * 0.5**2 + 160**2 * 0.0001321
"""About the hinge, of the link, and with a rotor that turns 160 times as fast."""


@pytest.mark.filterwarnings("ignore:.*<inertial>")
def test_names_of_drake() -> None:
    for text in (urdf(transmission(ROTOR)), SDF.format(DECLARED)):
        np.testing.assert_allclose(inertia(text), WITH, rtol=1e-14)
        assert revolute.load(text).mass_matrix([0.0])[0, 0] == pytest.approx(WITHOUT, rel=1e-14)
    for text in (urdf(transmission(ROTOR), ""), SDF.format("")):
        with pytest.warns(ModelWarning, match='no xmlns declares drake:; add xmlns:drake="http://drake.mit.edu"'):
            assert inertia(text) == pytest.approx(WITH, rel=1e-14)
        assert_raises(ModelError, "no xmlns declares drake:", revolute.load, text, strict=True)


@pytest.mark.parametrize("place", ["actuator", "joint"])
def test_transmissions_of_ros(place: str) -> None:
    reduction = "<mechanicalReduction>50</mechanicalReduction>"
    inside = transmission(*((reduction, "j") if place == "actuator" else ("", "j", reduction)))
    assert revolute.load(urdf(inside), strict=True).bodies[1].drive.gear_ratio == (50.0,)
    geared = inertia(urdf(inside + transmission("<mechanicalReduction>7</mechanicalReduction>", "other")))
    assert geared == pytest.approx(WITHOUT, rel=1e-14)  # a gear alone has no inertia
    both = transmission(f"{reduction}{ROTOR.partition('<drake:gear')[0]}")
    assert inertia(urdf(both)) == pytest.approx(WITHOUT + 50**2 * 0.0001321, rel=1e-14)


@pytest.mark.parametrize("word", ["many", "0", "inf", ""])
def test_numbers_that_are_none(word: str) -> None:
    text = urdf(transmission(f"<mechanicalReduction>{word}</mechanicalReduction>"))
    with pytest.warns(ModelWarning, match=f"<mechanicalReduction> is '{word}', not a nonzero number; it is ignored"):
        assert inertia(text) == pytest.approx(WITHOUT, rel=1e-14)
    assert_raises(ModelError, "mechanicalReduction", revolute.load, text, strict=True)


def test_a_gear_may_turn_the_other_way_but_no_inertia_is_negative() -> None:
    ratio, rotor = '<drake:gear_ratio value="-160"/>', '<drake:rotor_inertia value="{}"/>'
    assert inertia(urdf(transmission(ratio + rotor.format(0.0001321))), strict=True) == pytest.approx(WITH, rel=1e-14)
    with pytest.warns(ModelWarning, match="joint 'j': <rotor_inertia> is '-1', not zero or a positive number"):
        assert inertia(urdf(transmission(ratio + rotor.format(-1)))) == pytest.approx(WITHOUT, rel=1e-14)


def test_a_transmission_of_several_joints_is_told() -> None:
    several = '<transmission name="wrist"><joint name="j"/><joint name="k"/><actuator name="a"/></transmission>'
    for text in (urdf(several), urdf(f"<ros2_control>{several}</ros2_control>")):
        with pytest.warns(ModelWarning, match="not modelled: transmissions without exactly one .* actuator: 'wrist'"):
            assert inertia(text, strict=True) == pytest.approx(WITHOUT, rel=1e-14)


def test_reductions_of_ros2_control() -> None:
    """The simple transmission of ROS 2 takes that of its joint, and ignores that of its actuator."""
    simple = (
        '<ros2_control name="c" type="system"><transmission name="t"><plugin>SimpleTransmission</plugin>'
        '<joint name="j" role="j"><mechanical_reduction>50</mechanical_reduction></joint>'
        '<actuator name="m" role="m">{}</actuator></transmission></ros2_control>'
    )
    assert revolute.load(urdf(simple.format("")), strict=True).bodies[1].drive.gear_ratio == (50.0,)
    idle = simple.format("<mechanical_reduction>{}</mechanical_reduction>")
    assert revolute.load(urdf(idle.format(1))).bodies[1].drive.gear_ratio == (50.0,)
    with pytest.warns(ModelWarning, match="actuator 'm': line 2: <mechanical_reduction> in <actuator> is not modelled"):
        assert revolute.load(urdf(idle.format(3))).bodies[1].drive.gear_ratio == (50.0,)


@pytest.mark.parametrize("form", ["<{0}>{1}</{0}>", '<{0} value="{1}"/>'])
def test_springs_of_gazebo(form: str) -> None:
    """As libsdformat: the spring of the joint's axis. Several <gazebo> elements may speak of one joint."""
    text = urdf(
        f'<gazebo reference="j">{form.format("springStiffness", 30)}</gazebo>'
        f'<gazebo reference="j"><implicitSpringDamper>1</implicitSpringDamper>{form.format("springReference", -0.2)}'
        f'</gazebo><gazebo reference="l">{form.format("springStiffness", 7)}</gazebo>'
    )
    robot = revolute.load(text, strict=True)
    assert (robot.bodies[1].drive.stiffness, robot.bodies[1].drive.rest_position) == ((30.0,), (-0.2,))
    forces = [each.inverse_dynamics([0.1], [0.0], [0.0])[0] for each in (robot.with_drives(), robot)]
    assert forces[0] - forces[1] == pytest.approx(30 * 0.3, rel=1e-13)
    for word, name in (("-3", "springStiffness"), ("soft", "springReference")):
        wrong = text.replace("30" if name == "springStiffness" else "-0.2", word)
        assert_warns(ModelWarning, f"joint 'j': <{name}> is '{word}', not .*; it is ignored", revolute.load, wrong)
