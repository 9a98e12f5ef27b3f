"""The command line, from inside and as a process."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cli.calling import CART, driven_cart, invoke
from files import written
from typer.testing import CliRunner

import revolute
from revolute.cli.app import app
from revolute.cli.commands.robots import named_robot
from revolute.cli.commands.summary import Summary
from revolute.io import trajectory
from revolute.library import packaged


def swing_file(path: Path, robot: revolute.Robot, derivatives: bool = True) -> tuple[np.ndarray, ...]:
    """Write a swinging trajectory of fixed-base robots; (t, q, qd, qdd)."""
    t, w = np.arange(500) / 200, np.linspace(1, 3, robot.nv)
    s, c = 0.5 * np.sin(np.outer(t, w)), 0.5 * np.cos(np.outer(t, w))
    rates = [*trajectory.rate_names(robot, "qd"), *trajectory.rate_names(robot, "qdd")] if derivatives else []
    columns = (t, s, w * c, -(w**2) * s)
    trajectory.write(path, ["t", *trajectory.position_names(robot), *rates], *columns[: 4 if derivatives else 2])
    return columns


@pytest.mark.parametrize("name", revolute.robots.__all__)
def test_every_robot_of_the_library_can_be_named(name: str) -> None:
    made = named_robot(name + {"dh_arm": ":2:right", "planar": ":3", "random_tree": ":4:7", "shv": ":rp"}.get(name, ""))
    expected = {"dh_arm": (2, "right"), "planar": (3,), "random_tree": (4, 7), "shv": ("rp",)}.get(name, ())
    assert made == getattr(revolute.robots, name)(*expected)
    assert named_robot("planar:n=3:length=0.5") == revolute.robots.planar(3, length=0.5)
    assert named_robot("ur5", "free") == revolute.robots.ur5().to_base("free")


def test_robots_are_listed_with_the_command_that_installs_more(monkeypatch: pytest.MonkeyPatch) -> None:
    said = invoke("robots")
    assert all(name in said for name in (*revolute.robots.__all__, "talos", "panda_description", "spot"))
    assert "not installed" not in said
    monkeypatch.setattr(packaged, "folder", lambda: None)
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    said = invoke("robots")
    assert 'In example-robot-data, with meshes, not installed: pip install ".[robots]"' in said
    assert 'fetches on first use, not installed: pip install ".[descriptions]"' in said and "spot" not in said


def test_a_robot_of_a_package_is_named_like_one_of_the_library() -> None:
    assert named_robot("go2", "free").nv == 18


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_torque_computes_inverse_dynamics_of_every_row(tmp_path: Path, suffix: str) -> None:
    robot = revolute.robots.ur5()
    source, out = tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}"
    t, q, qd, qdd = swing_file(source, robot)
    assert "500 rows" in invoke("torque", "ur5", source, "-o", out)
    names = trajectory.rate_names(robot, "tau")
    assert trajectory.open_table(out).columns == ("t", *names)
    assert np.array_equal(trajectory.open_table(out).rows(names), robot.inverse_dynamics(q, qd, qdd))
    assert np.array_equal(trajectory.open_table(out).rows(("t",))[:, 0], t)


@pytest.mark.parametrize("peak", [1, 2, 32_768, 32_769, 40_000])
def test_without_times_a_peak_is_at_its_row(tmp_path: Path, peak: int) -> None:
    """Rows are counted from 1, and on from block to block."""
    rows = np.zeros((40_000, 3))
    rows[peak - 1, 2] = -7.0
    trajectory.write(tmp_path / "in.csv", ["q.joint1", "qd.joint1", "qdd.joint1"], rows)
    revolute.save(revolute.robots.planar(1).with_gravity((0, 0, 0)), tmp_path / "arm.toml")
    said = invoke("torque", tmp_path / "arm.toml", tmp_path / "in.csv").splitlines()
    assert f"{tmp_path / 'in.csv'}: 40,000 rows, no time" in said
    heading, cells = (next(line.split() for line in said if line.split()[:1] == [word]) for word in ("joint", "joint1"))
    assert "row" in heading and cells[2] == str(peak)


def test_positions_alone_are_enough_and_the_output_says_so(tmp_path: Path) -> None:
    cart = written(tmp_path / "cart.urdf", CART)
    robot = revolute.load(cart)
    _, q, qd, qdd = swing_file(tmp_path / "q.csv", robot, derivatives=False)
    said = invoke("torque", cart, tmp_path / "q.csv", "-o", tmp_path / "out.csv")
    assert "velocities and accelerations are not in the file: derived from its positions by a smoothing spline" in said
    assert "cross-validation" in said
    found = trajectory.open_table(tmp_path / "out.csv").rows(trajectory.rate_names(robot, "tau"))
    # Knots 5 ms * 2^k <= 160 ms apart: (2 * 0.16)^4 / 24 * 0.5 * 3^6 = 0.16 rad/s^2 at the very worst; cross-validation
    # keeps them at 40 ms, 16^2 times better. No entry of M is above 3.
    assert abs(found - robot.inverse_dynamics(q, qd, qdd)).max() < 3 * 0.16 / 256


@pytest.fixture
def driven(tmp_path: Path) -> tuple[Path, revolute.DrivenRobot]:
    """A cart with friction, whose pole follows it."""
    path = written(tmp_path / "driven.urdf", driven_cart(2, 0.5, -2))
    with pytest.warns(revolute.ModelWarning, match="mimic"):
        return path, revolute.load(path).with_drives()


@pytest.mark.filterwarnings("ignore::revolute.ModelWarning")
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_torque_with_drives(tmp_path: Path, driven: tuple[Path, revolute.DrivenRobot], suffix: str) -> None:
    path, machine = driven
    source, out = tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}"
    _, p, pd, pdd = swing_file(source, machine.space)
    said = invoke("torque", path, source, "--drives", "-o", out, "--plot", tmp_path / "forces.svg")
    found = trajectory.open_table(out).rows(("tau.rail",))
    assert np.array_equal(found, machine.inverse_dynamics(p, pd, pdd))
    # by hand: the cart's mass, the pole's force through its mimic, and friction
    q, qd, qdd = np.hstack([p, 0.5 - 2 * p]), np.hstack([pd, -2 * pd]), np.hstack([pdd, -2 * pdd])
    tau = machine.robot.inverse_dynamics(q, qd, qdd)
    expected = tau[:, :1] - 2 * tau[:, 1:] + 2 * pd + 0.5 * np.sign(pd)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert "Joint loads of cart with its drives" in said and "hinge" not in said and "no joint has" not in said
    assert "drives" in (tmp_path / "forces.svg").read_text()


def test_joints_that_follow_have_limits_too(tmp_path: Path) -> None:
    """The second joint turns by twice the first, to 2.1 rad, at 2 rad/s."""
    limits = revolute.Limits(lower=(-1.0,), upper=(1.0,), velocity=(1.5,))
    arm = revolute.robots.planar(2)
    follower = replace(arm.bodies[2], limits=limits, drive=revolute.Drive(mimic=revolute.Mimic("joint1", 2.0, 0.1)))
    revolute.save(replace(arm, bodies=(*arm.bodies[:2], follower)), tmp_path / "arm.toml")
    rows = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]])
    trajectory.write(tmp_path / "in.csv", ["t", "q.joint1", "qd.joint1", "qdd.joint1"], rows)
    said = invoke("torque", tmp_path / "arm.toml", tmp_path / "in.csv", "--drives")
    assert "joint 'joint2' leaves its range -1 ... 1: it goes from 0.1 to 2.1" in said
    assert "joint 'joint2' exceeds its speed limit of 1.5: it reaches 2" in said


@pytest.mark.filterwarnings("ignore::revolute.ModelWarning")
def test_columns_of_joints_that_mimic_are_not_needed_with_drives(
    tmp_path: Path, driven: tuple[Path, revolute.DrivenRobot]
) -> None:
    path, _ = driven
    t = np.arange(100) / 100
    trajectory.write(tmp_path / "all.csv", ["t", "rail", "hinge"], t, t * t, 0.5 - 2 * t * t)
    assert "hinge" in invoke("torque", path, tmp_path / "all.csv", "--drives")  # a note: the column is ignored
    trajectory.write(tmp_path / "hinge.csv", ["t", "hinge"], t, t)
    error = invoke("torque", path, tmp_path / "hinge.csv", "--drives", status=1)
    assert "Error: " in error and "hinge.csv" in error and "rail" in error
    assert len([line for line in error.splitlines() if line.startswith("Error: ")]) == 1


def test_drives_of_a_robot_without_any_are_noted(tmp_path: Path) -> None:
    swing_file(tmp_path / "in.csv", revolute.robots.planar(2))
    said = invoke("torque", "planar:2", tmp_path / "in.csv", "--drives")
    assert "- no joint has drive data: these are the forces of the links only" in said


def test_a_summary_does_not_depend_on_the_blocks() -> None:
    robot = revolute.robots.planar(2)
    rng = np.random.default_rng(11)
    t = np.arange(50_000) / 1000
    q, qd, tau = rng.standard_normal((3, len(t), 2))
    whole, parts = Summary(robot), Summary(robot)
    whole.add(t, q, qd, tau)
    for start in range(0, len(t), 777):
        rows = slice(start, start + 777)
        parts.add(t[rows], q[rows], qd[rows], tau[rows])
    for summary in whole, parts:
        assert summary.rows == len(t) and (summary.first, summary.last) == (t[0], t[-1])
        assert np.array_equal(summary.peak_force, abs(tau).max(axis=0))
        assert np.array_equal(summary.peak_at, t[abs(tau).argmax(axis=0)])
        assert np.array_equal(summary.peak_power, abs(tau * qd).max(axis=0))
        assert np.array_equal(summary.speed, abs(qd).max(axis=0))
        assert summary.effective_force == pytest.approx(np.sqrt((tau**2).mean(axis=0)), rel=1e-12)  # sums of 5e4 terms
        x, curves = summary.curves()
        assert len(x) < 20_000 and (np.diff(x) >= 0).all()
        assert np.array_equal(curves.max(axis=0), tau.max(axis=0))
        assert np.array_equal(curves.min(axis=0), tau.min(axis=0))


def test_a_process_tells_errors_and_warnings_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "odd.urdf").write_text(CART.replace('xyz="1 0 0"', 'xyz="2 0 0"', 1))
    failed, warned = (
        subprocess.run([sys.executable, "-m", "revolute", *words], cwd=tmp_path, capture_output=True, text=True)
        for words in (("torque", "ur5", "none.csv"), ("info", "odd.urdf"))
    )
    assert (failed.returncode, failed.stdout, warned.returncode) == (1, "", 0)
    assert failed.stderr == "Error: none.csv: no such file\n"
    assert warned.stderr.startswith("Warning: ") and "rail" in warned.stderr and warned.stderr.count("\n") == 1
    assert invoke("--version") == f"revolute {revolute.__version__}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_reader_that_ends_is_no_error_but_a_full_disk_is() -> None:
    command = [sys.executable, "-m", "revolute", "info", "planar:1", "--json"]
    environment = {name: x for name, x in os.environ.items() if name != "PYTHONUNBUFFERED"}
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as pipe, open("/dev/full", "wb") as disk:
        ends = [subprocess.run(command, env=environment, stdout=x, stderr=subprocess.PIPE) for x in (pipe, disk)]
    assert ends[0].stderr == b"" and ends[0].returncode == 1
    assert ends[1].stderr.startswith(b"Error: [Errno 28] No space left on device") and ends[1].returncode


LIGHT = """
import sys
sys.argv[0] = "revolute"
from revolute.cli.app import app
try:
    app(sys.argv[1:])
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["ik", "--help"], ["identify", "--help"]])
def test_version_and_help_import_no_numbers_and_no_machine_code(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT, *words], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "typer" in loaded and not {"numpy", "llvmlite", "scipy", "sympy", "xml", "rich"} & loaded
    assert words != ["--version"] or "pydantic" not in loaded
    assert done.stdout.startswith("revolute " if words == ["--version"] else "Usage: ")


def test_help_has_the_whole_summary_of_every_command() -> None:
    assert "Usage:" in CliRunner().invoke(app, []).output
    text = " ".join(CliRunner(env={"COLUMNS": "80"}).invoke(app, ["--help"]).stdout.split())
    for command in app.registered_commands:
        assert command.callback is not None and command.callback.__doc__ is not None
        assert f" {command.callback.__name__} {command.callback.__doc__.splitlines()[0]} " in text + " "
    assert "..." not in text.partition("Commands:")[2]


def test_damaged_parquet_is_one_line_of_error(tmp_path: Path) -> None:
    """PyArrow's errors come while the table is read, block by block: as the trajectory, and as joint forces."""
    path, robot = tmp_path / "a.parquet", revolute.robots.planar(2)
    t, x = np.arange(100) / 100, np.random.default_rng(1).standard_normal((100, 2))
    commands = {"q": ["torque", "planar:2", path], "tau": ["simulate", "planar:2", "--tau", path]}
    for quantity, command in commands.items():
        names = trajectory.position_names(robot) if quantity == "q" else trajectory.rate_names(robot, quantity)
        trajectory.write(path, ["t", *names], t, x)
        content = bytearray(path.read_bytes())
        content[len(content) // 3] ^= 255
        path.write_bytes(content)
        said = invoke(*command, status=1)
        assert said.startswith(f"Error: {path}: the file is damaged; write it again") and said.count("\n") == 1


@pytest.mark.parametrize(("name", "terminal"), [(100 * "x", None), ("right_shoulder_pitch_joint", "1")])
def test_tables_do_not_break_names_in_pipes_and_on_terminals(tmp_path: Path, name: str, terminal: str | None) -> None:
    setting = {"COLUMNS": "80", "FORCE_COLOR": terminal, "NO_COLOR": "1"}
    (tmp_path / "cart.urdf").write_text(CART.replace("hinge", name))
    said = CliRunner(env=setting).invoke(app, ["info", str(tmp_path / "cart.urdf")]).stdout
    table = said[said.index("Joints (") :]
    assert name in table and "friction" in table
