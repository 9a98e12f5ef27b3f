"""Every attribute of MuJoCo's schema is read, told of, or without effect on the equations; checked with MuJoCo."""

import contextlib
import re
import warnings
from fnmatch import fnmatch
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

import revolute
from revolute import ModelError, ModelWarning
from revolute.dynamics.drive_forces import spring_forces
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler

TABLE = """
compiler               read  alignfree angle assetdir autolimits balanceinertia boundinertia boundmass coordinate
compiler               read  discardvisual eulerseq fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir
compiler               read  passthrough saveinertial settotalmass strippath texturedir usethread conflict
compiler               none  savecanonical savecompiled
compiler/lengthrange   none  *
option                 read  gravity
option                 told  density viscosity
option                 none  actuatorgroupdisable apirate ccd_iterations ccd_tolerance cone impratio integrator
option                 none  iterations jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance
option                 none  noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints
option                 none  sdf_iterations sleep_tolerance solver timestep tolerance wind
option/flag            read  constraint damper equality frictionloss gravity limit passive spring
option/flag            none  actuation autoreset clampctrl contact diagexact energy eulerdamp filterparent fwdinv
option/flag            none  invdiscrete ipc island midphase multiccd nativeccd override refsafe sensor sleep
option/flag            none  speculative warmstart
size                   none  *
statistic              none  *
visual*                none  *
default                read  class
custom*                none  *
extension*             none  *
sensor*                none  *
contact*               none  *
pair                   none  *
asset/mesh*            read  builtin class content_type face file inertia material maxhullvert name normal params
asset/mesh*            read  plugin instance key value refpos refquat scale smoothnormal texcoord vertex
asset/mesh*            read  octree_maxdepth
mesh                   read  inertia maxhullvert scale
asset/model            read  content_type file name
asset/*                none  *
texture                none  *
material*              none  *
body                   read  axisangle childclass euler fuse mocap name pos quat simple xyaxes zaxis
body                   told  gravcomp
body                   none  sleep user
body/inertial          read  axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis
*joint                 read  armature axis class damping frictionloss limited name pos ref springdamper springref
*joint                 read  stiffness type actuatorfrclimited align
*joint                 told  actuatorfrcrange range springyield
*joint                 none  actuatorgravcomp group margin solimpfriction solimplimit solreffriction solreflimit user
*freejoint             read  align name
*freejoint             none  group
body/geom/plugin*      none  *
*geom                  read  axisangle class conaffinity contype density euler fitscale fromto group hfield mass
*geom                  read  material mesh name pos quat rgba shellinertia size type xyaxes zaxis
*geom                  none  adhesion castshadow condim fluidcoef fluidshape friction gap margin priority solimp solmix
*geom                  none  solref surfacevel user
*site                  read  axisangle class euler fromto name pos quat xyaxes zaxis
*site                  none  group material mesh rgba size type user
*camera                none  *
*light                 none  *
body/attach            read  body frame model prefix
body/plugin*           told  *
body/flexcomp*         told  *
body/composite*        told  *
deformable/flex*       told  *
deformable/skin*       none  *
tendon/*/*             told  *
tendon*                told  actuatorfrclimited actuatorfrcrange armature damping frictionloss limited range
tendon*                told  springlength springyield stiffness
tendon*                none  class group margin material name rgba solimpfriction solimplimit solreffriction
tendon*                none  solreflimit user width
equality               read  active
equality               none  solimp solref
equality/tendon        told  *
equality/flex*         told  *
equality/*             read  active anchor body1 body2 class joint1 joint2 name polycoef relpose site1 site2
equality/*             none  solimp solref torquescale
keyframe/key           read  name qpos
keyframe/key           told  qvel
keyframe/key           none  act ctrl mpos mquat plastic time
actuator/plugin/config none  *
actuator/*             read  armature class damping gear joint jointinparent name
actuator/*             told  body cranksite refsite site slidersite tendon
actuator/*             none  actdim actearly actlimited actrange area bias biasprm biastype cogging controller
actuator/*             none  cranklength ctrllimited ctrlrange dampratio delay diameter dynprm dyntype ffrange force
actuator/*             none  forcelimited forcerange fpmax fvmax gain gainprm gaintype group imax inductance
actuator/*             none  inheritrange input instance interp ki kp kv lengthrange lmax lmin lugre motorconst nominal
actuator/*             none  nsample plugin posrange range resistance saturation scale slewmax tausmooth thermal
actuator/*             none  timeconst user velrange vmax
"""
"""Elements, with * for any; how the reader treats attributes; attributes, with * for all.

read: the robot is the one that MuJoCo compiles, with this attribute. told: a warning names what the robot leaves out.
none: no effect on the equations: drawing, sensors, contacts, solvers, and forces of actuators, which are inputs.
"""
ROWS = [line.split(None, 2) for line in TABLE.strip().splitlines()]
ACTUATORS = "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor"


def schema() -> list[tuple[str, str]]:
    """Elements and attributes of the installed MuJoCo, as "body/joint" and "axis"."""
    pairs, path = [], list[str]()
    for line in mujoco.mj_printSchema(False, False).splitlines():
        if element := re.match(r"( *)(\S+) \(.\)(.*)", line):
            path = [*path[: len(element[1]) // 3], element[2].replace("(world)", "")]
            line = element[3]
        names = path[1:]
        while names[:1] == ["default"] and len(names) > 1:
            names = ["actuator", *names[1:]] if names[1] in ACTUATORS.split() else names[1:]
        pairs += [("/".join(names), attribute) for attribute in line.split()]
    return [pair for pair in dict.fromkeys(pairs) if pair != ("", "model")]


def treatment(element: str, attribute: str) -> str:
    """How the first row that fits treats an attribute; "" if none does."""
    for pattern, how, attributes in ROWS:
        if fnmatch(element, pattern) and (attributes == "*" or attribute in attributes.split()):
            return how
    return ""


def test_every_attribute_has_a_row() -> None:
    pairs = schema()
    assert len(pairs) > 1000
    assert [pair for pair in pairs if not treatment(*pair)] == []


MODEL = f"""<mujoco><compiler angle="radian"/><option><flag contact="disable"/></option>
  <worldbody><body name="a" pos=".1 .2 .3">
    <joint name="j" axis="1 2 3" range="-1 1" damping=".2" stiffness="3" frictionloss=".1" armature=".3"/>
    <geom type="box" size=".1 .2 .3" pos=".2 0 .1"/><site name="s" pos=".1 .2 .3"/>
    <body name="b" pos=".4 0 0"><joint name="k" type="slide" axis="1 0 0"/>
      <inertial pos=".1 0 0" mass="1" diaginertia=".1 .1 .1"/><site name="t"/>
      <body name="c" pos="0 0 .3"><joint name="l" type="ball" damping=".1"/><geom size=".1" pos="0 .1 .1"/></body>
    </body>
  </body></worldbody>
  <tendon><spatial name="cable"><site site="s"/><site site="t"/></spatial>
    <fixed name="belt"><joint joint="j" coef="1"/><joint joint="k" coef="-1"/></fixed></tendon>
  <equality><connect body1="a" body2="c" anchor="0 0 0"/><weld body1="a" body2="c"/>
    <joint joint1="j" joint2="k"/></equality>
  <actuator>{"".join(f'<{x} joint="j"/>' for x in ("general", "motor", "position", "velocity", "pid", "cylinder"))}
    <general joint="l" gear="1 2 3"/><motor tendon="belt"/><damper joint="k" ctrlrange="0 1"/></actuator>
  <keyframe><key name="home"/></keyframe></mujoco>"""
VALUES = ("disable", "true", "false", ".3", "1", "0 .4", "-1 3", ".1 .2 .3", ".1 .2 .3 .4", ".1 .2 .3 .4 .5 .6")
DYNAMIC = "option option/flag body body/inertial body/joint body/geom body/site tendon/spatial tendon/fixed"
DYNAMIC += "".join(f" equality/{x}" for x in ("connect", "weld", "joint")) + " keyframe/key"
DYNAMIC += "".join(f" actuator/{x}" for x in ("general", "motor", "position", "velocity", "pid", "damper", "cylinder"))


def places(element: str) -> list[int]:
    """The numbers of all elements of a kind in `MODEL`."""
    kind = element.rpartition("/")[2]
    inside = {"body": "worldbody"}.get(element.partition("/")[0], element.partition("/")[0])
    root = ElementTree.fromstring(MODEL)
    section = {id(x) for x in root.find(inside).iter()}  # type: ignore[union-attr]
    return [k for k, x in enumerate(root.iter()) if x.tag == kind and id(x) in section]


def variants(element: str, attribute: str) -> list[tuple[str, Any]]:
    """Texts in which an element of `MODEL` has this attribute, and MuJoCo's models: three each."""
    models, usual = [], content(mujoco.MjModel.from_xml_string(MODEL))
    for place in places(element):
        left = 3
        for value in VALUES:
            root = ElementTree.fromstring(MODEL)
            list(root.iter())[place].set(attribute, value)
            text = ElementTree.tostring(root, encoding="unicode")
            with contextlib.suppress(ValueError):
                model = mujoco.MjModel.from_xml_string(text)
                if content(model) != usual:
                    left -= 1
                    models.append((text, model))
            if not left:
                break
    return models


def content(model: Any) -> bytes:
    """All data of a compiled model."""
    data = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    return data.tobytes()


def agrees(robot: Any, model: Any, seed: int) -> bool:
    """Whether mass matrix, bias and passive forces, friction and ranges of joints are those of MuJoCo."""
    if (robot.nq, robot.nv) != (model.nq, model.nv):
        return False
    rng, data = np.random.default_rng(seed), mujoco.MjData(model)
    data.qvel[:] = rng.standard_normal(robot.nv)
    q = np.concatenate([rng.uniform(-1, 1, 2), (x := rng.standard_normal(4)) / np.linalg.norm(x)])
    data.qpos[:] = q[[0, 1, 5, 2, 3, 4]]
    mujoco.mj_forward(model, data)
    M = np.zeros((robot.nv, robot.nv))
    for row, unit in zip(M, np.eye(robot.nv), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    drives = robot.drives
    ours = np.array(mass_matrix(robot, q.tolist()), dtype=float) + np.diag(drives.armature)
    bias = np.array(newton_euler(robot, q.tolist(), data.qvel.tolist(), [0.0] * robot.nv), dtype=float)
    passive = -drives.damping * data.qvel - np.array(spring_forces(robot, q.tolist()), dtype=float)
    friction = [k for k, kind in enumerate(data.efc_type) if kind == mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF]
    rubbing = np.zeros(robot.nv)
    rubbing[data.efc_id[friction]] = data.efc_frictionloss[friction]
    off = model.opt.disableflags & (mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    limited = [bool(model.jnt_limited[k] and not off) for k in range(2)]
    ranges = np.where(np.array(limited)[:, None], model.jnt_range[:2], [-np.inf, np.inf])
    return all([
        np.allclose(ours, M, rtol=1e-8, atol=1e-9),
        np.allclose(bias - passive, data.qfrc_bias - data.qfrc_passive, rtol=1e-8, atol=1e-8),
        np.allclose(drives.friction, rubbing),
        np.array_equal(np.column_stack([robot.lower_limits, robot.upper_limits])[:2], ranges),
    ])  # fmt: skip


def load(text: str) -> tuple[Any, set[str]]:
    """The robot, and what warnings call not modelled or omitted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = revolute.load(text)
    said = [str(x.message) for x in caught if issubclass(x.category, ModelWarning)]
    return robot, {x for x in said if "not modelled" in x or "omitted" in x}


@pytest.mark.parametrize("element", DYNAMIC.split())
def test_attributes_are_read_or_told(element: str) -> None:
    """Whatever value an attribute has, the robot agrees with MuJoCo, or a warning says what it leaves out."""
    usual, accepted = load(MODEL)[1], 0
    for name, attribute in schema():
        if name != element:
            continue
        told = 0
        for text, model in variants(element, attribute):
            accepted += 1
            try:
                robot, said = load(text)
            except ModelError:  # a negative damping
                continue
            assert agrees(robot, model, accepted) or said - usual, (attribute, text, said)
            told += bool(said - usual)
            assert treatment(element, attribute) != "none" or not said - usual, (attribute, said - usual)
        how = treatment(element, attribute)
        assert told or how != "told" or attribute in UNTOLD.split(), attribute
    assert accepted > 3


UNTOLD = "actuatorfrclimited body cranksite limited refsite site slidersite springlength tendon"
"""Attributes that `VALUES` has no value for, or that act with others only."""
