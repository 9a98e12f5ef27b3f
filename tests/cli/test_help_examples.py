"""Every example in the help of a command runs."""

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from cli.calling import sines
from typer.testing import CliRunner

import revolute
from revolute.cli.app import app
from revolute.io import trajectory
from revolute.machine.robot import Robot
from revolute.optimal import OptimalControl, StateCost, TorqueCost
from revolute.view import View

SLOW = (
    "count dh_arm", "count puma560", "equations planar", "excite ", "identify arm.urdf log.csv --estimator",
    "identify legs", "identify ur10", "simulate planar", "simulate ur5 --controller", "trajectory ur5 --via waypoints",
    "view ",
)  # fmt: skip
"""Beginnings of examples that take more than a second."""
QUICKER = {"excite": "--starts 1 --harmonics 2 --rate 50"}
"""Options that are added."""


NAMES = [command.callback.__name__ for command in app.registered_commands if command.callback]


def examples() -> list[str]:
    """Lines of help that begin with a command and have arguments, each with its continuation lines."""
    helps = "\n".join(command.callback.__doc__ or "" for command in app.registered_commands if command.callback)
    pattern = rf"^ *revolute ((?:{'|'.join(NAMES)}) \S.*)$"
    return re.findall(pattern, re.sub(r"\\\n\s*", "", helps), re.MULTILINE)


def test_most_commands_have_examples() -> None:
    without = {"info", "robots", "check", "compare", "cache", "demo"}
    assert len(examples()) > 25 and {example.partition(" ")[0] for example in examples()} >= set(NAMES) - without


def test_the_page_has_every_command_and_no_other() -> None:
    page = Path(__file__).parents[2] / "docs" / "command-line.md"
    shown = set(re.findall(r"^(?:\$ )?revolute ([a-z]\w*)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert shown == set(NAMES)


LIMITS = '<limit lower="-3" upper="3" velocity="3" effort="500"/>'


def arm() -> Robot:
    """Three joints j1, j2, j3, and a frame tool0 at the end, as in files of people."""
    text = re.sub(r'"joint(\d)"', r'"j\1"', revolute.robots.dh_arm(3).to_urdf())
    tool = '<link name="tool0"/><joint name="flange" type="fixed"><parent link="link3"/><child link="tool0"/></joint>'
    text = text.replace("</robot>", f"{tool}</robot>").replace('"continuous">', '"revolute">' + LIMITS)
    return revolute.load(text)


def swing(robot: Robot, seed: int) -> list[np.ndarray]:
    """t, q, qd, qdd: sums of sines at 100 Hz."""
    t = np.arange(600) / 100
    return [t, *sines(seed, 2 * np.pi * np.arange(1, 5) / 3, 0.2, robot.nv)(t)]


def names(robot: Robot, *quantities: str) -> list[str]:
    rates = [name for quantity in quantities for name in trajectory.rate_names(robot, quantity)]
    return ["t", *trajectory.position_names(robot), *rates]


def write_logs(folder: Path) -> None:
    """Robots and logs for identify and payload."""
    robot = arm()
    revolute.save(robot, folder / "identified.toml")
    for name in ("arm", "ur10", "tx40"):
        (folder / f"{name}.urdf").write_text(robot.to_urdf())
    load = robot.with_payload("tool0", revolute.Inertia.sphere(2.0, 0.1))
    friction = robot.with_drives({f"j{k}": revolute.Drive(damping=0.5, friction=1.0) for k in (1, 2, 3)})
    for seed, name, machine in (
        (0, "log", friction), (1, "other", friction), (0, "moves", friction), (3, "empty", robot), (3, "with", load),
        (4, "with_tool", load),
    ):  # fmt: skip
        t, q, qd, qdd = swing(robot, seed)
        tau = machine.inverse_dynamics(q, qd, qdd) + np.random.default_rng(9).normal(0, 0.01, q.shape)
        trajectory.write(folder / f"{name}.csv", names(robot, "tau"), t, q, tau)
    trajectory.write(folder / "positions.csv", names(robot), *swing(robot, 0)[:2])
    trajectory.write(folder / "currents.csv", ["t", *trajectory.rate_names(robot, "tau")], t, tau)
    (folder / "tx40.toml").write_text("cutoff = 10\n")


def write_steps(folder: Path) -> None:
    """A leg on a floating base, and the wrench on its foot."""
    text = arm().to_urdf().replace('"tool0"', '"foot"')
    (folder / "legs.urdf").write_text(text)
    legs = revolute.load(text, base="free")
    t, joints, *rates = swing(arm(), 5)
    q = np.concatenate([np.tile(legs.neutral()[:7], (len(t), 1)), joints], axis=1)
    tau, J = legs.inverse_dynamics(q, *(np.pad(x, ((0, 0), (6, 0))) for x in rates)), legs.jacobian(q, "foot")
    wrench = np.linalg.solve(J[..., :6].mT, tau[:, :6, None])  # the base is held by the foot alone
    tau -= (J.mT @ wrench)[..., 0]
    forces = ["foot_mx", "foot_my", "foot_mz", "foot_fx", "foot_fy", "foot_fz"]
    columns = [*names(legs), *trajectory.rate_names(legs, "tau")[6:], *forces]
    trajectory.write(folder / "steps.csv", columns, t, q, tau[:, 6:], wrench[..., 0])


def write_motions(folder: Path) -> None:
    """Motions of the UR5 and the Panda."""
    ur5, panda = revolute.robots.ur5(), revolute.robots.panda()
    (folder / "ur5.urdf").write_text(ur5.to_urdf())
    t, q, qd, qdd = swing(ur5, 0)
    for name in ("motion.csv", "pick.csv"):
        trajectory.write(folder / name, names(ur5, "qd", "qdd"), t, q, qd, qdd)
    trajectory.write(folder / "torques.csv", names(ur5, "tau")[:1] + names(ur5, "tau")[7:], t[:20], 0 * qd[:20])
    trajectory.write(folder / "waypoints.csv", names(ur5)[1:], q[:300:100])
    problem = OptimalControl(ur5, [StateCost(), TorqueCost()], steps=10, dt=0.02)
    problem.solve(ur5.home(), goal={"state": np.r_[ur5.home() + 0.1, np.zeros(6)]}).save(folder / "plan.npz")
    low = panda.home()
    trajectory.write(folder / "elbow.csv", names(panda)[1:], np.stack([low, low + 0.1]))
    poses = panda.forward_kinematics(np.stack([low, low + 0.05]), "panda_link8")[:, :3, 3]
    trajectory.write(folder / "poses.csv", ["x", "y", "z"], poses)
    (folder / "logs").mkdir()
    for k in range(3):
        trajectory.write(folder / "logs" / f"{k}.parquet", names(ur5, "qd", "qdd"), t, q, qd, qdd)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("examples")
    write_logs(place)
    write_steps(place)
    write_motions(place)
    return place


@pytest.fixture
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files, for one example: it may write over those of another."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "example", [pytest.param(x, marks=pytest.mark.slow) if x.startswith(SLOW) else x for x in examples()]
)
@pytest.mark.filterwarnings("ignore::revolute.ModelWarning")
@pytest.mark.usefixtures("folder")
def test_every_example_of_a_help_runs(example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(View, "wait", lambda view: None)
    result = CliRunner().invoke(app, shlex.split(f"{example} {QUICKER.get(example.partition(' ')[0], '')}"))
    assert result.exit_code == 0 and result.exception is None, result.output
