"""A motion as an object: one line, parts, other times, files, tables, pictures."""

import pickle
import signal
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
import sympy
from comparing import assert_raises
from motions import arrays

import revolute
from revolute import InputError, Robot, ShapeError, Simulation, TrajectoryError
from revolute.io import trajectory


def same(a: Simulation, b: Simulation) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(arrays(a), arrays(b), strict=True))


@pytest.fixture(scope="module")
def arm() -> Robot:
    return revolute.robots.planar(2)


@pytest.fixture(scope="module")
def fall(arm: Robot) -> Simulation:
    return arm.simulate([0.0, 0.5], [0.0, 0.0], [1.0, -0.5], np.linspace(0, 2, 201))


KINDS = ("robot", "free", "driven", "closed", "elastic", "system")


@cache
def machines() -> dict[str, tuple[Any, Simulation]]:
    """A machine of each kind, and a motion of it."""
    arm, t = revolute.robots.planar(2), np.linspace(0, 0.5, 51)
    driven = arm.with_drives({"joint1": revolute.Drive(armature=(0.3,))})
    pinned = revolute.robots.planar(3).with_closures(revolute.PointClosure("tip", at_b=(1.5, 0.5, 0.0)))
    elastic = arm.with_elastic_joints(100.0, rotor_inertia=0.1)
    k, x, dx = sympy.symbols("k x dx")
    spring = revolute.lagrange([x], dx**2 / 2, k * x**2 / 2)
    free = revolute.robots.random_tree(2, rng=1, base="free")
    still = np.zeros(2)
    q, _ = pinned.project(np.array([0.3, 1.0, -1.5]), np.zeros(3))
    return {
        "robot": (arm, arm.simulate(still, still, None, t)),
        "free": (free, free.simulate(free.neutral(), np.ones(free.nv), None, t)),
        "driven": (driven, driven.simulate(still, still, None, t)),
        "closed": (pinned, pinned.simulate(q, np.zeros(3), None, t)),
        "elastic": (elastic, elastic.simulate(still, still, still, still, None, t)),
        "system": (spring, spring.simulate([1.0], [0.0], None, t, values={"k": 4})),
    }


def test_a_motion_is_one_line(arm: Robot) -> None:
    t = np.linspace(0, 2, 2001)
    one = arm.simulate([0.0, 0.5], [0.0, 0.0], None, t)
    assert repr(one) == "<Simulation of 'planar2': 2,001 instants, t from 0 to 2 s, q (2001, 2), qd (2001, 2)>"
    batch = arm.simulate(np.zeros((3, 4, 2)), np.zeros(2), None, t[:11])
    shapes = "q (3, 4, 11, 2), qd (3, 4, 11, 2)"
    assert repr(batch) == f"<Simulation of 'planar2': 12 motions, 11 instants, t from 0 to 0.01 s, {shapes}>"
    assert "1 instant, t from 2 to 2 s" in repr(one[-1])


def test_parts_of_a_motion(fall: Simulation) -> None:
    part = fall[10:20]
    assert len(part) == 10 and part.t[0] == fall.t[10]
    assert np.array_equal(part.energy, fall.energy[10:20]) and np.shares_memory(part.q, fall.q)
    assert same(fall[-1], fall[200:]) and same(fall[::10][2:4], fall[20:40:10])
    assert len(list(fall)) == 201
    with pytest.raises(IndexError, match="out of range"):
        fall[201]
    for wrong in ([1, 2], 0.5, slice(None, None, -1), True):
        with pytest.raises(InputError, match=r"motion\[...\]"):
            fall[wrong]  # type: ignore[index]


def test_rows_of_a_batch_are_motions(arm: Robot, tmp_path: Path) -> None:
    starts, t = np.arange(12.0).reshape(2, 3, 2) / 10, np.linspace(0, 1, 101)
    batch = arm.simulate(starts, np.zeros(2), None, t)
    assert same(batch.row((1, -1)), arm.simulate(starts[1, 2], np.zeros(2), None, t))
    assert batch[5:].q.shape == (2, 3, 96, 2)
    batch.save(tmp_path / "a.npz")
    assert same(Simulation.load(tmp_path / "a.npz", arm), batch)
    for wrong in (0, (2, 0), (0, 0, 0), (0, 0.5)):
        assert_raises(InputError, "row", batch.row, wrong)
    for method in (batch.to_dataframe, batch.plot, lambda: batch.save("a.csv")):
        assert_raises(InputError, r"row\(k\)", method)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz"])
def test_files_bring_every_machines_motion_back(kind: str, suffix: str, tmp_path: Path) -> None:
    machine, motion = machines()[kind]
    path = tmp_path / f"motion{suffix}"
    motion.save(path)
    assert same(Simulation.load(path, machine), motion)
    for again in (Simulation.load(path), pickle.loads(pickle.dumps(motion))):
        assert same(again, motion) and again.owner.columns() == motion.owner.columns()


@pytest.mark.parametrize("kind", KINDS)
def test_tables_have_a_column_for_every_number(kind: str, tmp_path: Path) -> None:
    _, motion = machines()[kind]
    table = motion.to_dataframe()
    motion.save(tmp_path / "a.csv")
    motion.save(tmp_path / "a.parquet")
    pandas.testing.assert_frame_equal(pandas.read_csv(tmp_path / "a.csv"), table, rtol=1e-15, atol=0)
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "a.parquet"), table)
    assert np.array_equal(table.filter(regex=r"^q\.").to_numpy(), motion.q)
    assert np.array_equal(table["energy"], motion.energy)


def test_a_saved_motion_is_a_trajectory(arm: Robot, fall: Simulation, tmp_path: Path) -> None:
    fall.save(tmp_path / "a.csv")
    read = trajectory.read(arm, tmp_path / "a.csv")
    assert np.array_equal(read.qdd, fall.qdd)
    assert np.allclose(arm.inverse_dynamics(read.q, read.qd, read.qdd), fall.tau, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "t,q.joint1\n0,1\n", r"no column qd.\*, qdd.\*, tau.\*, kinetic_energy"),
        ("a.csv", "", "empty"),
        ("a.npz", "t,q.joint1\n0,1\n", "damaged"),
        ("a.npz", "", "damaged|no .npz"),
        ("none.npz", None, "no such file"),
        ("none.csv", None, "no such file"),
    ],
)
def test_files_that_are_no_motions(name: str, content: str | None, words: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    assert_raises(TrajectoryError, words, Simulation.load, tmp_path / name)


def test_damaged_motions(arm: Robot, fall: Simulation, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    fall.save(path)
    with np.load(path) as file:
        data = dict(file)
    for change in ({"q": data["q"][:5]}, {"t": data["t"][::-1]}, {"names of q": data["names of q"][:1]}):
        np.savez(path, **{**data, **change})
        assert_raises(TrajectoryError, r"shape|increase", Simulation.load, path)
    fall.save(path)
    path.write_bytes(path.read_bytes()[:-200])
    assert_raises(TrajectoryError, "damaged", Simulation.load, path)
    fall.save(path)
    assert_raises(ShapeError, r"'joint3' there|has nothing", Simulation.load, path, revolute.robots.planar(3))


def test_paths_and_machines_that_do_not_fit_are_named(fall: Simulation, tmp_path: Path) -> None:
    fall.save(tmp_path / "a.npz")
    assert_raises(InputError, "save: path", fall.save, 3)
    assert_raises(InputError, "load: path", Simulation.load, 3)
    assert_raises(InputError, "a robot or a system is needed, not 3", Simulation.load, tmp_path / "a.npz", 3)
    assert_raises(TrajectoryError, r"csv, \.parquet, \.pq, \.npz, by the suffix", fall.save, tmp_path / "a.mat")
    assert_raises(TrajectoryError, "no folder", fall.save, tmp_path / "none" / "a.npz")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz"])
def test_a_full_disk_leaves_the_motion_and_the_old_file(suffix: str, fall: Simulation, tmp_path: Path) -> None:
    """Files that may not grow stand for a disk that is full: writing fails in its middle."""
    resource = pytest.importorskip("resource")
    path = tmp_path / f"a{suffix}"
    fall[:3].save(path)
    old, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9000, limits[1]))
    try:
        assert_raises(TrajectoryError, "cannot be written", fall.save, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == old and [x.name for x in tmp_path.iterdir()] == [path.name]
    fall.save(path)
    assert same(Simulation.load(path), fall)


@pytest.mark.parametrize("kind", KINDS)
def test_resampling_at_the_instants_gives_the_same(kind: str) -> None:
    _, motion = machines()[kind]
    for x, y in zip(arrays(motion), arrays(motion.resample(motion.t)), strict=True):
        assert np.allclose(x, y, rtol=0, atol=1e-14 * max(1, abs(x).max()))


def test_order_of_resampling() -> None:
    """Positions of order 4, velocities 3, all else 2, on quaternions too: each halving of the span shows it."""
    robot, rng = revolute.robots.random_tree(2, rng=3, base="free"), np.random.default_rng(0)
    start = robot.random_configuration(rng=rng), rng.standard_normal(robot.nv)
    fine = robot.simulate(*start, None, np.linspace(0, 0.2, 801), "DOP853", rtol=1e-12, atol=1e-13)
    errors = []
    for step in (100, 50, 25):
        coarse = fine[::step].resample(fine.t)
        assert abs(np.linalg.norm(coarse.q[:, 3:7], axis=1) - 1).max() < 1e-15
        errors.append([
            abs(robot.difference(coarse.q, fine.q)).max(),
            abs(coarse.qd - fine.qd).max(),
            abs(coarse.qdd - fine.qdd).max(),
            abs(coarse.kinetic_energy - fine.kinetic_energy).max(),
        ])
    assert np.all(abs(np.log2(np.array(errors[:-1]) / errors[1:]) - [4, 3, 2, 2]) < 0.25)


def test_a_constant_twist_is_met_between_far_instants() -> None:
    """Half a turn, and a screw: a cubic in the entries of a quaternion would be far off."""
    body = revolute.robots.random_tree(1, rng=0, base="free")
    twist, times = np.array([0.3, -1.0, 2.0, 0.5, 1.5, -0.7, 0.0]), np.linspace(0, 1.2, 13)
    exact = body.integrate(body.neutral(), twist * times[:, None])
    qd, still = np.broadcast_to(twist, (2, 7)), np.zeros((2, 7))
    motion = Simulation(times[::12], exact[::12], qd, still, still, np.zeros(2), np.zeros(2), owner=body._owner)
    between = motion.resample(times)
    assert np.allclose(body.difference(between.q, exact), 0, atol=1e-13) and np.allclose(between.qd, qd[0], atol=1e-13)


def test_a_motion_without_names_cannot_be_named(fall: Simulation, tmp_path: Path) -> None:
    bare = replace(fall, owner=None)
    save = partial(bare.save, tmp_path / "bare.csv")
    calls: dict[str, Any] = {"save": save, "to_dataframe": bare.to_dataframe, "plot": bare.plot}
    for name, call in calls.items():
        assert_raises(InputError, f"{name}: the motion has no column names", call)
    assert "201 instants" in repr(bare) and bare.energy.shape == (201,)


def test_times_that_cannot_be_had(fall: Simulation, tmp_path: Path) -> None:
    for wrong, words in (([1.0, 1.0], "increas"), ([0.0, 3.0], "from 0 to 2 s"), ([np.nan], "finite"), (1.0, "row")):
        assert_raises(InputError, words, fall.resample, wrong)
    assert len(fall.resample([])) == 0
    assert fall[-1].resample([2.0]).q.tolist() == fall.q[-1:].tolist()
    assert_raises(InputError, "from 2 to 2 s", fall[-1].resample, [1.0])
    machines()["free"][1].save(tmp_path / "a.npz")
    assert_raises(InputError, "quaternions", Simulation.load(tmp_path / "a.npz").resample, [0.1])


@pytest.mark.parametrize("kind", KINDS)
def test_every_machines_motion_is_a_picture(kind: str) -> None:
    _, motion = machines()[kind]
    panels = motion.plot("words").axes
    assert panels[-1].get_title("left") == "energy" and panels[0].figure.get_suptitle() == "words"
    assert np.array_equal(panels[-2].lines[0].get_ydata(), motion.q[:, -1])
    if motion.theta is not None:
        assert np.array_equal(panels[-2].lines[-1].get_ydata(), motion.theta[:, -1])
    assert_raises(InputError, "no instant", motion[:0].plot)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "system"])
def test_motions_of_robots_are_viewed(kind: str) -> None:
    machine, motion = machines()[kind]
    calls = {}

    class Shown:
        def view(self, q: Any, **options: Any) -> str:
            calls.update(options, q=q)
            return "shown"

    moved = replace(motion, owner=replace(motion.owner, machine=Shown()))
    assert moved.view(port=1) == "shown" and calls["q"] is motion.q and calls["t"] is motion.t and calls["port"] == 1
    assert hasattr(machine, "view") or hasattr(machine.robot, "view")


def test_a_system_cannot_be_viewed() -> None:
    assert_raises(InputError, "no robot to show", machines()["system"][1].view)
