"""MJCF models against MuJoCo, which compiled them: positions, M, bias forces, forward dynamics."""

import re
import sys
from contextlib import nullcontext
from importlib.metadata import PackageNotFoundError, distribution
from operator import attrgetter
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from files import written
from robots import loaded, one_joint, state

import revolute
from revolute import InputError, MissingExtraError, ModelError, ModelWarning, Robot
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.io.mjcf_numbers import rotation


def carried(package: str) -> dict[str, Path]:
    """The MJCF files that a wheel brings, if it is installed."""
    try:
        files = distribution(package).files or ()
    except PackageNotFoundError:
        return {}
    return {str(path): Path(str(path.locate())) for path in sorted(files) if path.suffix == ".xml"}


FILES = carried("mujoco") | carried("mujoco-core") | carried("dm_control")


def compiled(source: str | Path) -> Any:
    """MuJoCo's model with rigid bodies, gravity, and what `Drive` has of joints: armature, dampers, springs."""
    text = isinstance(source, str)
    mujoco.set_mju_user_warning(lambda said: None)  # else a log file is written
    model = (mujoco.MjModel.from_xml_string if text else mujoco.MjModel.from_xml_path)(str(source))
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_ACTUATION
    model.opt.density = model.opt.viscosity = 0
    model.jnt_stiffness[model.jnt_type < 1] = 0  # of free joints
    names = "jnt_stiffnesspoly dof_dampingpoly body_gravcomp tendon_stiffness tendon_damping tendon_armature"
    for name in (*names.split(), "tendon_stiffnesspoly", "tendon_dampingpoly"):
        if hasattr(model, name):
            getattr(model, name)[:] = 0
    mujoco.mj_setConst(model, mujoco.MjData(model))  # which keeps some inertias, with the armature
    return model


def qpos(robot: Robot, q: np.ndarray) -> np.ndarray:
    """MuJoCo has the scalar part of quaternions first."""
    parts = []
    for body, at in zip(robot.bodies[1:], robot.q_index[1:], strict=True):
        parts.append(q[at][{7: [0, 1, 2, 6, 3, 4, 5], 4: [3, 0, 1, 2], 1: [0]}[body.joint.nq]])
    return np.concatenate(parts)


def to_qvel(robot: Robot, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """J and Jdot qd of qvel = J qd: MuJoCo's free joint has (v, w) with v along the axes of the world."""
    J, drift = np.eye(robot.nv), np.zeros(robot.nv)
    for body, at, rows in zip(robot.bodies, robot.q_index, robot.v_index, strict=True):
        if body.joint.nq == 7:
            R = np.array(body.joint.transform(q[at].tolist()).R.matrix(), dtype=float)
            w, v = qd[rows][:3], qd[rows][3:]
            J[rows, rows] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
            drift[rows] = [*(R @ np.cross(w, v)), 0, 0, 0]
    return J, drift


def forwarded(robot: Robot, model: Any, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> tuple[Any, Any, Any]:
    """MuJoCo's data in this state, and J and Jdot qd of `to_qvel`."""
    data, (J, drift) = mujoco.MjData(model), to_qvel(robot, q, qd)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos(robot, q), J @ qd, np.linalg.solve(J.T, tau)
    mujoco.mj_forward(model, data)
    return data, J, drift


def assert_agrees(robot: Robot, model: Any, seed: int, tolerance: float = 1e-9) -> None:
    """Poses of bodies and sites, M, bias forces (or M times 1) and accelerations, to 1e-9 of the largest.

    MuJoCo rounds the axes, which it turns by quaternions, some tens of times a joint.
    """
    assert (robot.nq, robot.nv) == (model.nq, model.nv)
    if not model.nv:  # bodies fixed to the world
        return
    rng = np.random.default_rng(seed)
    for speed in (1e-3, 1.0, 30.0):
        q = robot.random_configuration(rng=rng)
        qd, tau = speed * rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
        data, J, drift = forwarded(robot, model, q, qd, tau)
        for k in range(1, model.nbody):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, k)
            if name:
                assert np.abs(frame_pose(robot, q.tolist(), name).p - data.xpos[k]).max() < 1e-9
        for k in range(model.nsite):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SITE, k)
            if name and name not in {body.name for body in robot.bodies} and f"{name}:site" not in robot.link_names:
                pose = frame_pose(robot, q.tolist(), name)
                assert np.abs(np.array(pose.p) - data.site_xpos[k]).max() < 1e-9
                assert np.abs(np.array(pose.R.matrix()).ravel() - data.site_xmat[k]).max() < 1e-9
        M = np.zeros((robot.nv, robot.nv))
        for k, unit in enumerate(np.eye(robot.nv)):
            mujoco.mj_mulM(model, data, M[k], unit)
        theirs = J.T @ M @ J
        ours = np.array(mass_matrix(robot, q.tolist()), dtype=float) + np.diag(robot.drives.armature)
        assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()
        bias = np.array(newton_euler(robot, q.tolist(), qd.tolist(), [0.0] * robot.nv), dtype=float)
        theirs = J.T @ (data.qfrc_bias + (M - np.diag(model.dof_armature)) @ drift)
        assert np.abs(bias - theirs).max() <= tolerance * (np.abs(theirs).max() + np.abs(ours).max())
        passive = -robot.drives.damping * qd
        for body, at, row in zip(robot.bodies, robot.q_index, robot.v_index, strict=True):
            if body.joint.nv == 1:
                passive[row] -= robot.drives.stiffness[row] * (q[at] - robot.drives.rest_position[row])
        theirs = J.T @ data.qfrc_passive
        assert np.abs(passive - theirs).max() <= tolerance * np.abs(theirs).max()
        qdd = np.linalg.solve(J, data.qacc - drift)
        forces = tau + passive - J.T @ (model.dof_armature * data.qacc)  # drift turns a free joint's rotors, too
        scale = np.abs(ours) @ np.abs(qdd) + np.abs(bias) + np.abs(tau) + np.abs(passive)
        residual = np.array(newton_euler(robot, q.tolist(), qd.tolist(), qdd.tolist()), dtype=float) - forces
        assert np.abs(residual).max() <= tolerance * scale.max()
        left = tau + passive - bias - J.T @ (model.dof_armature * drift)
        assert np.abs(np.linalg.solve(ours, left) - qdd).max() <= tolerance * np.abs(qdd).max()


@pytest.mark.parametrize("name", FILES)
def test_files_of_wheels_agree_with_mujoco(name: str) -> None:
    """All load, or our error says that MuJoCo itself refuses them, or that they are but parts of models."""
    try:
        model = compiled(FILES[name])
    except ValueError:
        assert_raises(ModelError, r"MuJoCo cannot compile it|the root element is", loaded, FILES[name])
        return
    if model.nbody == 1:
        assert_raises(ModelError, "it has no bodies", loaded, FILES[name])
        return
    assert_agrees(loaded(FILES[name]), model, seed=len(name))


def world(inside: str, before: str = "") -> str:
    return f'<mujoco model="m"><compiler angle="radian"/>{before}<worldbody>{inside}</worldbody></mujoco>'


BOX = '<geom type="box" size=".1 .2 .3" pos=".1 0 .05"/>'

MODELS = {
    "hinges with anchors": world(
        f'<body pos="1 2 3" euler=".1 .2 .3"><joint axis="1 2 3" pos=".1 .2 .3"/>{BOX}'
        f'<body pos=".5 0 0"><joint axis="0 0 1" pos="0 -.1 0" ref=".3"/>{BOX}</body></body>'
    ),
    "slides with references": world(f'<body><joint type="slide" axis="1 1 0" ref=".2" pos="9 9 9"/>{BOX}</body>'),
    "several joints": world(
        f'<body pos="0 0 1"><joint type="slide" axis="1 0 0"/><joint axis="0 1 0" pos="0 0 .3" ref="-.4"/>'
        f'<joint axis="1 0 1" pos=".2 0 0"/>{BOX}<body euler="0 0 1"><joint axis="0 0 1"/>'
        f'<joint type="ball" pos="0 .1 .2"/>{BOX}</body></body>'
    ),
    "free": world(f'<body pos="5 6 7" euler="1 2 3"><freejoint/>{BOX}<body><joint/>{BOX}</body></body>'),
    "ball": world(f'<body pos="5 6 7" euler="1 2 3"><joint type="ball"/>{BOX}</body>'),
    "welded bodies": world(
        f'<body pos="1 0 0"><joint/>{BOX}<body name="tool" pos="0 0 1" quat="1 2 3 4"><site name="tip" pos="1 2 3"/>'
        f'{BOX}<body><joint axis="1 0 0"/>{BOX}</body></body></body><body name="pole">{BOX}</body>'
    ),
    "names that are alike": world(
        f'<body name="a"><joint name="a" pos="0 0 1"/>{BOX}<site name="a" pos="1 0 0"/></body>'
        f'<body name="a:a"><joint name="body3"/>{BOX}</body><body><joint/>{BOX}</body>'
    ),
    "inertia given": world(
        '<body><joint/><inertial pos=".1 .2 .3" mass="2" fullinertia=".5 .6 .7 .01 .02 .03"/></body>'
    ),
    "other gravity": world(f"<body><joint/>{BOX}</body>", '<option gravity="1 2 3"/>'),
    "drives": world(
        f'<body><joint armature=".1" damping=".2" stiffness="3" springref=".4" ref="1"/>{BOX}<body><joint type="slide" '
        f'stiffness="5" damping="6" armature="7"/>{BOX}</body></body><body><freejoint/>{BOX}</body>'
        f'<body><joint type="ball" armature=".5" damping="2"/>{BOX}</body>'
    ),
    "free with a drive": world(f'<body><joint type="free" armature=".3" damping=".4"/>{BOX}</body>'),
    "no gravity": world(f"<body><joint/>{BOX}</body>", '<option><flag gravity="disable"/></option>'),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_agree_with_mujoco(name: str) -> None:
    assert_agrees(loaded(MODELS[name]), compiled(MODELS[name]), seed=1)


@pytest.mark.parametrize("name", ["drives", "several joints", "slides with references"])
def test_driven_robots_agree_with_mujoco(name: str) -> None:
    """Forward dynamics with armature, dampers and springs in them, as one compiled function."""
    robot, model = loaded(MODELS[name]), compiled(MODELS[name])
    q, qd, tau = state(robot, 2)
    data, J, drift = forwarded(robot, model, q, qd, tau)
    qdd = np.linalg.solve(J, data.qacc - drift)
    found = robot.with_drives().forward_dynamics(q, qd, tau)
    assert np.abs(found - qdd).max() <= 1e-9 * np.abs(qdd).max()


def test_names_frames_and_data() -> None:
    robot = revolute.load(MODELS["names that are alike"])
    assert robot.name == "m" and robot.joint_names == ("a", "body3", "joint2")
    assert set(robot.link_names) == {"world", "a", "a:a:", "a:site", "a:a", "body3"}
    assert tuple(revolute.load(MODELS["no gravity"]).gravity) == (0, 0, 0)
    hinge = '<joint name="h" range="-1 2" damping=".1" frictionloss=".2" armature=".3" stiffness=".4" springref=".5" '
    with pytest.warns(ModelWarning) as caught:
        free = f"<body><freejoint/>{BOX}</body>"
        robot = revolute.load(world(f'<body>{hinge}ref=".6" actuatorfrcrange="-5 5"/>{BOX}</body>{free}'))
    said = [str(warning.message) for warning in caught]
    assert len(said) == 2 and "armature of 'h' is stored" in said[0] and "springs of 'h' are stored" in said[1]
    assert (robot.lower_limits[0], robot.upper_limits[0], robot.effort_limits[0]) == (-1, 2, 5)
    columns = {"damping": 0.1, "friction": 0.2, "armature": 0.3, "stiffness": 0.4, "rest_position": 0.5}
    for name, value in columns.items():
        np.testing.assert_array_equal(getattr(robot.drives, name), [value, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(("low", "high"), [(-5, 2), (-2, 5), (-3, -1), (1, 4)])
def test_the_effort_is_the_larger_bound_of_an_asymmetric_range(low: int, high: int) -> None:
    text = world(f'<body><joint name="h" actuatorfrcrange="{low} {high}"/>{BOX}</body>')
    with pytest.warns(ModelWarning, match="the smaller bound of the force ranges of 'h': the larger one is the effort"):
        assert revolute.load(text).effort_limits.tolist() == [max(-low, high)]


def test_what_mujoco_warns_of_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.warns(ModelWarning, match="MJCF text: MuJoCo warns: .*settotalmass.*deprecated"):
        revolute.load(world(f"<body><joint/>{BOX}</body>", '<compiler settotalmass="3"/>'))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "words"), [
    (world(f'<body><joint type="free" name="s" stiffness="2"/>{BOX}</body>'), "springs of 's', which are free"),
    (world(f'<body name="c" gravcomp="1"><joint/>{BOX}</body>'), "gravity compensation of 'c'"),
    (world(f"<body><joint/>{BOX}</body>", '<option density="1"/>'), "drag of a fluid"),
])  # fmt: skip
def test_what_is_not_modelled_is_told(text: str, words: str) -> None:
    assert_warns(ModelWarning, f"MJCF text: not modelled: .*{words}", revolute.load, text)


BROKEN = {
    "unknown element": ("<mujoco><bodies/></mujoco>", "MuJoCo cannot compile it: .*unrecognized element.*'bodies'"),
    "no mass": (world("<body><joint/></body>"), "mass and inertia of moving bodies"),
    "missing mesh": (world("", '<asset><mesh name="m" file="nowhere.stl"/></asset>'), "nowhere.stl"),
    "no bodies": ("<mujoco/>", "MJCF text: it has no bodies; if it is part of a model"),
    "part of a model": ("<mujocoinclude/>", "<mujocoinclude> .a part of MJCF"),
    "broken": ("<mujoco><worldbody></mujoco>", "broken XML at line 1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_models_give_our_errors(name: str) -> None:
    text, words = BROKEN[name]
    assert_raises(ModelError, words, revolute.load, text)


def test_a_base_is_not_for_mjcf(tmp_path: Path) -> None:
    path = written(tmp_path / "m.xml", MODELS["free"])
    assert_raises(InputError, f"{re.escape(str(path))}.*defines its own base", revolute.load, path, base="free")
    assert revolute.load(path) == revolute.load(MODELS["free"])


def test_without_mujoco(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert_raises(MissingExtraError, r"\.\[mjcf\]", revolute.load, MODELS["free"])


def assert_same(ours: Robot, theirs: Robot) -> None:
    """Names, limits and drives, and joint forces to 1e-10: MuJoCo diagonalises inertias by iteration."""
    assert ours.joint_names == theirs.joint_names
    limits, drives = "lower_limits upper_limits effort_limits", "damping friction armature stiffness rest_position"
    for name in (*limits.split(), *(f"drives.{x}" for x in drives.split()), "gravity"):
        np.testing.assert_array_equal(attrgetter(name)(ours), attrgetter(name)(theirs))
    q, qd, qdd = state(ours)
    one, two = (np.array(newton_euler(robot, list(q), list(qd), list(qdd))) for robot in (ours, theirs))
    assert np.abs(one - two).max() <= 1e-10 * np.abs(one).max()
    massive = [i for i, body in enumerate(ours.bodies) if body.inertia.m and i]
    kept = [frame.name for frame in ours.frames if frame.body in massive]
    assert set(kept) <= set(theirs.link_names) and len(kept) >= len(massive)
    for name in kept:
        there, here = (np.array(frame_pose(robot, q.tolist(), name).p) for robot in (ours, theirs))
        assert np.abs(there - here).max() < 1e-10


@pytest.mark.filterwarnings("ignore:robot .*MJCF does not support (velocity limits|base mass)")
@pytest.mark.parametrize("name", ["panda", "puma560", "stanford", "ur5", *(f"random_tree:10:{k}" for k in range(4))])
def test_robots_are_the_same_after_mjcf(name: str, tmp_path: Path) -> None:
    robot = revolute.load(name, "free" if name[-1] in "13" else "fixed")
    revolute.save(robot, tmp_path / "robot.xml")
    assert_same(robot, loaded(tmp_path / "robot.xml"))
    assert_agrees(robot, compiled(tmp_path / "robot.xml"), seed=len(name))


@pytest.mark.parametrize("name", ["several joints", "welded bodies", "ball", "free", "free with a drive"])
def test_models_are_the_same_after_mjcf(name: str) -> None:
    """Links without mass between joints become joints of one body, and links again."""
    robot = loaded(MODELS[name])
    merged = MODELS[name].count('name="pole"') + MODELS[name].count('name="tool"')
    with pytest.warns(ModelWarning, match="base mass and inertia of 'world'") if merged else nullcontext():
        text = robot.to_mjcf()
    assert text.count("<body") == MODELS[name].count("<body") - merged
    assert_same(robot, loaded(text))


@pytest.mark.parametrize("quaternion", [(0, 0, 0, 0), (np.nan, 0, 0, 1), (0, np.inf, 0, 0), (1.7e308, 1.7e308, 0, 0)])
def test_orientations_without_a_direction(quaternion: tuple[float, ...]) -> None:
    with pytest.raises(ModelError, match=r"an orientation has no direction: quaternion .*; give one of length one"):
        rotation(np.array(quaternion, dtype=float))


@pytest.mark.parametrize("effort", [(), (np.inf,), (7.5,)])
def test_efforts_without_a_bound_are_not_written(effort: tuple[float, ...]) -> None:
    text = one_joint(revolute.Prismatic(), limits=revolute.Limits(effort=effort)).to_mjcf()
    assert ("actuatorfrcrange" in text) == (effort == (7.5,))
    assert loaded(text).effort_limits.tolist() == [effort[0] if effort else np.inf]
