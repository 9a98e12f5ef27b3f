"""The same log from any source, layout and unit gives the same samples; what cannot be read is told by name."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest
from comparing import assert_raises, assert_warns
from pyarrow import parquet
from recorded import arm, motion, named, noisy, truth

import revolute
from revolute import InputError, ModelWarning, ShapeError, TrajectoryError
from revolute.identification import ForceModel, Log, MotorSide, Samples, check_log, read_log
from revolute.identification.log.sources import in_step, open_table
from revolute.io import trajectory

Columns = dict[str, np.ndarray]
CUTOFF = 8.0
RATIOS = np.diag([100.0, 120, -101, 101, 101, 101])
RATIOS[5, 4] = 30.0
OFFSET = np.array([0.1, -np.pi / 2, 0, 0.2, 0, 0])


@pytest.fixture(scope="module")
def columns() -> Columns:
    return named(noisy(truth(4.0)))


@pytest.fixture(scope="module")
def samples(columns: Columns) -> Samples:
    return read_log(arm(), columns).samples(CUTOFF)


def assert_same(a: Samples, b: Samples, tolerance: float = 1e-12) -> None:
    for name in ("t", "q", "qd", "qdd", "tau"):
        x, y = getattr(a, name), getattr(b, name)
        assert x.shape == y.shape and np.abs(x - y).max() <= tolerance * np.abs(y).max()


def as_file(columns: Columns, path: Path) -> Path:
    trajectory.write(path, list(columns), *columns.values())
    return path


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_frames_and_arrays_are_the_same(columns: Columns, samples: Samples, tmp_path: Path, suffix: str) -> None:
    assert_same(read_log(arm(), as_file(columns, tmp_path / f"log{suffix}")).samples(CUTOFF), samples)
    assert_same(read_log(arm(), pandas.DataFrame(columns)).samples(CUTOFF), samples)
    arrays = {name: np.stack([columns[f"{name}.{x}"] for x in arm().coordinate_names], axis=1) for name in ("q", "tau")}
    assert_same(read_log(arm(), {"t": columns["t"], **arrays}).samples(CUTOFF), samples)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_blocks_of_a_file_have_the_rows_asked_for(columns: Columns, tmp_path: Path, suffix: str) -> None:
    """Row groups of 7, or an empty line after 7 rows, do not end a block."""
    path = tmp_path / f"log{suffix}"
    parquet.write_table(pyarrow.table(columns), path, row_group_size=7)
    if suffix == ".csv":
        lines = as_file(columns, path).read_text().splitlines()
        path.write_text("\n".join(line + "\n" * (k % 7 == 0) for k, line in enumerate(lines)))
    blocks = [block for (block,) in in_step([open_table(path)], [["t"]], 10)]
    assert {len(block) for block in blocks[:-1]} == {10} and 0 < len(blocks[-1]) <= 10
    np.testing.assert_array_equal(np.concatenate(blocks)[:, 0], columns["t"])


def test_a_file_for_each_quantity(columns: Columns, samples: Samples, tmp_path: Path) -> None:
    names = arm().coordinate_names
    for quantity, word in (("q", "position"), ("tau", "effort")):
        part = {"t": columns["t"]} | {f"- {x}_{word}": columns[f"{quantity}.{x}"] for x in names}
        as_file(part, tmp_path / f"{quantity}.csv")
    log = read_log(arm(), {"q": tmp_path / "q.csv", "tau": str(tmp_path / "tau.csv")})
    assert_same(log.samples(CUTOFF), samples)


@pytest.mark.parametrize("kind", ["pattern", "list", "mapping"])
def test_columns_of_any_names(columns: Columns, samples: Samples, kind: str) -> None:
    names = arm().coordinate_names
    angles = {name: f"angle {k}" for k, name in enumerate(names, 1)}
    currents = {name: f"current of {name}" for name in names}
    chosen: dict[str, Any] = {
        "pattern": {"q": "angle {n}", "tau": "current of {name}"},
        "list": {"q": list(angles.values()), "tau": list(currents.values())},
        "mapping": {"q": angles, "tau": currents, "t": "clock"},
    }[kind]
    table = {"clock" if "t" in chosen else "time": columns["t"], "unused": 0 * columns["t"]}
    table |= {angles[name]: columns[f"q.{name}"] for name in names}
    table |= {currents[name]: columns[f"tau.{name}"] for name in names}
    assert_same(read_log(arm(), table, chosen).samples(CUTOFF), samples)


def numbered(columns: Columns, first: int, *quantities: str) -> Columns:
    """The log with columns q_0 or q_1 ..."""
    names = arm().coordinate_names
    parts = {f"{x}_{k}": columns[f"{x}.{name}"] for x in quantities for k, name in enumerate(names, first)}
    return {"t": columns["t"], **parts}


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_count_from_0_where_there_is_a_0(columns: Columns, samples: Samples, first: int) -> None:
    """One more column, as of a gripper, shifts nothing, and is named."""
    more = numbered(columns, first, "q", "tau") | {f"q_{6 + first}": 7 + columns["t"]}
    log = assert_warns(ModelWarning, f"no joint for 'q_{6 + first}', which is not read", read_log, arm(), more)
    assert log.columns == {
        name: {"q": f"q_{k}", "tau": f"tau_{k}"} for k, name in enumerate(arm().coordinate_names, first)
    }
    assert_same(log.samples(CUTOFF), samples)


@pytest.mark.parametrize(("spelling", "more", "unread"), [
    ("{q}{n}", (), "'q3', 'tau3'"),
    ("{q}.{name}", (), "'q.joint3', 'tau.joint3'"),
    ("{name}_{word}", ("temperature", "q.ref", "tcp_force"), "'joint3_position', 'joint3_effort'"),
])  # fmt: skip
def test_columns_of_a_joint_that_the_robot_lacks_are_named(spelling: str, more: tuple[str, ...], unread: str) -> None:
    words = {"q": "position", "tau": "effort"}
    table = {"t": T} | {
        spelling.format(q=q, word=words[q], n=k + 1, name=f"joint{k + 1}"): np.sin(T) for q in words for k in range(3)
    }
    named = f"'planar2' has no joint for {unread}, which are not read"
    found = assert_warns(ModelWarning, named, read_log, ARM, table | dict.fromkeys(more, T))
    assert {*found.columns} == {"joint1", "joint2"}
    chosen = {q: [x for x in table if x.startswith(q) or x.endswith(words[q])][:2] for q in words}
    assert read_log(ARM, table, chosen).columns.keys() == found.columns.keys()  # the choice is explicit


def test_quantities_that_count_from_different_numbers_are_told(columns: Columns) -> None:
    """Positions from 0 and forces from 1 may be forces whose first is missing: they are not guessed."""
    mixed = numbered(columns, 0, "q") | numbered(columns, 1, "tau")
    assert_raises(TrajectoryError, "no column of tau for 'shoulder_pan_joint'", read_log, arm(), mixed)
    chosen = read_log(arm(), mixed, {"q": "q_{n0}", "tau": "tau_{n}"})
    assert chosen.columns["elbow_joint"] == {"q": "q_2", "tau": "tau_3"}


def test_degrees_milliseconds_and_motors(columns: Columns, samples: Samples) -> None:
    """q_motor = R (q - b), tau = R^T tau_motor: power is the same on both sides."""
    q, tau = (np.stack([columns[f"{x}.{name}"] for name in arm().coordinate_names], axis=1) for x in ("q", "tau"))
    gains = np.array([0.1, 0.12, 0.1, 0.05, 0.05, 0.05])
    source = {"t": 1e3 * columns["t"], "q": np.degrees((q - OFFSET) @ RATIOS.T)}
    source["tau"] = tau @ np.linalg.inv(RATIOS) / gains
    units = {"q": "deg", "t": "ms", "tau": "A"}
    log = read_log(arm(), source, units=units, motor_side=MotorSide(RATIOS, OFFSET, gains))
    assert_same(log.samples(CUTOFF), samples, 1e-10)  # second differences of q: 1e-16 * 3 rad * 200^2 / 4 by 10
    assert not log.amperes and read_log(arm(), source, units=units, motor_side=MotorSide(gains="unknown")).amperes


def test_a_motor_without_torque_spoils_what_it_moves_alone() -> None:
    """Motor 5 moves joint 5, motor 6 joints 5 and 6: row 6 of the ratios has both."""
    motors, torques = MotorSide(RATIOS, OFFSET), np.ones((2, 6))
    torques[0, 4], torques[1, 5] = np.nan, np.nan
    assert np.isnan(motors.forces(torques)).tolist() == [[k == 4 for k in range(6)], [k in (4, 5) for k in range(6)]]
    assert np.isnan(motors.rates(torques)).tolist() == [[k in (4, 5) for k in range(6)], [k == 5 for k in range(6)]]


def test_sliding_joints_have_no_degrees() -> None:
    robot = revolute.robots.stanford()
    assert isinstance(robot.bodies[3].joint, revolute.Prismatic)
    q = np.random.default_rng(0).normal(size=(50, 6))
    rows = next(read_log(robot, {"q": q, "tau": q}, units="deg", rate=100).rows())
    assert np.allclose(rows.q, np.where(np.arange(6) == 2, q, np.radians(q)), rtol=1e-15)


def test_a_log_without_times_has_a_rate(columns: Columns, samples: Samples) -> None:
    table = {name: column for name, column in columns.items() if name != "t"}
    assert_same(read_log(arm(), table, rate=200.0).samples(CUTOFF), samples, 1e-11)
    assert_same(read_log(arm(), columns, {"t": None}, rate=200.0).samples(CUTOFF), samples, 1e-11)


def test_velocities_of_the_log_are_used_on_request(columns: Columns) -> None:
    log = read_log(arm(), columns | named({"t": columns["t"], "qd": truth(4.0).qd}))
    told, derived = log.samples(CUTOFF, use=("qd",)), log.samples(CUTOFF)
    near = motion(told.t).qd
    assert np.abs(told.qd - near).max() < np.abs(derived.qd - near).max() < 0.01
    assert_raises(InputError, "'qdd' is not measured", log.samples, use=("qdd",))


@pytest.mark.parametrize("together", [True, False])
def test_velocities_not_used_are_not_read(columns: Columns, samples: Samples, tmp_path: Path, together: bool) -> None:
    """Their gaps leave no rows out."""
    rates = {f"qd.{name}": np.where(columns["t"] < 2.0, np.nan, 0.0) for name in arm().coordinate_names}
    if together:
        source: Any = as_file({**columns, **rates}, tmp_path / "log.parquet")
    else:
        both = as_file(columns, tmp_path / "log.csv")
        source = {"q": both, "tau": both, "qd": as_file(rates, tmp_path / "rates.csv")}
    log = read_log(arm(), source)
    assert "qd" in log.measured
    assert_same(log.samples(CUTOFF), samples)
    assert len(log.samples(CUTOFF, use="qd")) < len(samples)


def test_some_forces_may_be_unmeasured(columns: Columns, samples: Samples) -> None:
    names = arm().coordinate_names
    chosen = {"tau": [None if k == 4 else f"tau.{name}" for k, name in enumerate(names)]}
    found = read_log(arm(), columns, chosen).samples(CUTOFF)
    expected = np.where(np.arange(6) == 4, np.nan, samples.tau)
    assert np.array_equal(found.tau, expected, equal_nan=True)


def without(*names: str) -> Callable[[dict[str, Any]], Any]:
    return lambda columns: {name: column for name, column in columns.items() if name not in names}


def with_time(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[dict[str, Any]], Any]:
    return lambda columns: columns | {"t": change(columns["t"])}


@pytest.mark.parametrize(("change", "options", "message"), [
    (without("q.elbow_joint"), {}, "no column of q for 'elbow_joint'.*robot.lock"),
    (without("tau.elbow_joint"), {}, "no column of tau for 'elbow_joint'"),
    (without("t"), {}, "no time column"),
    (without("t"), {"rate": np.inf}, "rate must be a positive number of rows per second, not inf"),
    (lambda c: {"t": c["t"]}, {}, "no columns of positions"),
    (lambda c: c, {"rate": 100.0}, "it has a time column, so omit rate"),
    (lambda c: c, {"columns": {"q": "joint_{n}"}}, "has no column 'joint_1' for q"),
    (lambda c: c, {"columns": {"q": "joint"}}, "needs {n} .from 1., {n0} .from 0. or {name}"),
    (lambda c: c, {"columns": {"x": "a{n}"}}, "unknown quantity 'x'"),
    (lambda c: c, {"columns": {"q": ["t"]}}, "q needs 6 columns"),
    (lambda c: c, {"columns": {"q": {"elbow": "t"}}}, "unknown coordinate 'elbow'"),
    (lambda c: c, {"columns": {"q": {"elbow_joint": "t"}}}, "no positions for 'shoulder_pan_joint'"),
    (lambda c: c, {"columns": {"tau": ["t"] * 6}}, "has the duplicate column 't'"),
    (lambda c: c, {"units": "grad"}, "not 'grad'"),
    (lambda c: c, {"units": {"q": "gon"}}, "units: q must be in rad, deg, rev, not 'gon'"),
    (lambda c: c, {"units": {"tau": "A"}}, "forces are currents: give the gains"),
    (lambda c: c, {"motor_side": MotorSide([2.0, 3.0])}, "MotorSide: ratios has shape"),
    (lambda c: c | {"t": c["t"][:-1]}, {}, "column 't' has 799 rows"),
    (lambda c: 7, {}, "a log is a path"),
    (lambda c: "no/such/file.csv", {}, "no such file"),
    (lambda c: {"q": "a.csv", "tau": c["t"]}, {}, "must have paths for all"),
    (lambda c: {"position": "a.csv"}, {}, "unknown quantity 'position'"),
    (lambda c: c | {"position shoulder_pan_joint": c["t"]}, {}, "may both be q of 'shoulder_pan_joint'"),
])  # fmt: skip
def test_logs_that_cannot_be_opened(columns: Columns, change: Any, options: dict[str, Any], message: str) -> None:
    assert_raises((InputError, TrajectoryError, ShapeError), message, read_log, arm(), change(columns), **options)


@pytest.mark.parametrize(("change", "message"), [
    (with_time(lambda t: t[::-1]), "time must increase, but row 2 has"),
    (with_time(lambda t: np.round(t, 1)), "clock is too coarse"),
    (with_time(lambda t: np.where(t == t[5], np.nan, t)), "row 6"),
    (lambda c: {name: column[:2] for name, column in c.items()}, "2 rows are too few"),
    (lambda c: {name: column[:40] for name, column in c.items()}, "no piece without gaps"),
    (lambda c: {name: column[:0] for name, column in c.items()}, "there are no rows"),
    (lambda c: c | {"q.elbow_joint": ["a"] * 800}, "'q.elbow_joint' must be numbers"),
    (lambda c: c | {"q.elbow_joint": np.full(800, np.nan)}, "no piece without gaps"),
])  # fmt: skip
def test_logs_that_cannot_be_sampled(columns: Columns, change: Callable[..., Any], message: str) -> None:
    assert_raises(TrajectoryError, message, read_log(arm(), change(columns)).samples, CUTOFF)
    holed = read_log(arm(), columns | {"q.elbow_joint": np.full(800, np.nan)})
    assert_raises(TrajectoryError, r"hardly any row has all positions; check 'q\.elbow_joint'", holed.samples)


def test_files_of_different_lengths_are_told(columns: Columns, tmp_path: Path) -> None:
    q, tau = as_file(columns, tmp_path / "q.csv"), tmp_path / "tau.csv"
    as_file({name: column[:-3] for name, column in columns.items()}, tau)
    files = {"q": q, "tau": tau}
    assert_raises(TrajectoryError, r"tau\.csv has 797 rows, but .*q\.csv has more", read_log(arm(), files).samples)


@pytest.mark.parametrize(
    "options", [{"ratios": 0.0}, {"ratios": np.ones((2, 2))}, {"gains": "many"}, {"offset": np.nan}]
)
def test_motors_that_cannot_be(options: dict[str, Any]) -> None:
    assert_raises(InputError, "MotorSide: ", MotorSide, **options)
    assert_raises(InputError, "robot must be a Robot or DrivenRobot", read_log, "ur5", {})


ARM = revolute.robots.planar(2)
T = np.arange(400) / 100
Q = np.stack([np.sin(2 * T), np.cos(3 * T)], axis=1)
TAU = np.stack([np.sin(4 * T), np.cos(T)], axis=1)


def log(**changed: Any) -> Log:
    return read_log(ARM, {"t": T, "q": Q, "tau": TAU, **changed})


@pytest.mark.parametrize(("changed", "message"), [
    ({"t": (1e9 * T).astype("datetime64[ns]")}, "column 't' must be real numbers, not datetime64"),
    ({"t": (1e9 * T).astype("timedelta64[ns]")}, "column 't' must be real numbers, not timedelta64"),
    ({"tau": TAU + 1j}, "column 'tau1' must be real numbers, not complex128"),
    ({"q": [[1.0, 2.0], [3.0]]}, "column 'q' must be numbers"),
    ({"q1": T}, "column 'q1' is a duplicate"),
    ({"q": np.column_stack([Q, T])}, "q has 3 columns, and 'planar2' has 2 coordinates"),
    ({"tau": np.column_stack([TAU, T]).tolist()}, "tau has 3 columns, and 'planar2' has 2 coordinates"),
], ids=["dates", "durations", "complex", "ragged", "twice", "wide", "wide list"])  # fmt: skip
def test_what_is_no_column_of_numbers_is_named(changed: dict[str, Any], message: str) -> None:
    assert_raises((InputError, TrajectoryError), message, log, **changed)


def test_masked_cells_are_missing() -> None:
    (rows,) = log(tau=np.ma.masked_where(np.arange(len(T))[:, None] == [50, 60], TAU)).rows()
    assert np.argwhere(np.isnan(rows.tau)).tolist() == [[50, 0], [60, 1]]


@pytest.mark.parametrize("quantity", ["t", "q", "tau"])
def test_numbers_whose_squares_overflow_are_named(quantity: str) -> None:
    large = log(**{quantity: {"t": T, "q": Q, "tau": TAU}[quantity] * 1e160})
    words = rf"{quantity} reaches .*e\+1\d\d, more than 1e100: check its units$"
    assert_raises(InputError, words, large.samples, 5.0)
    assert_raises(InputError, "Samples: tau reaches 1e\\+200", Samples, T[:1], Q[:1], Q[:1], Q[:1], [[1e200, np.nan]])


def test_forces_too_small_for_squares_are_none() -> None:
    found = check_log(ARM, log(tau=1e-300 * TAU))
    assert ("joint1", "joint2") in [doubt.names for doubt in found if doubt.kind == "empty"]


@pytest.mark.parametrize(("call", "message"), [
    (lambda x: x.samples(cutoff=1e-300), "too low for"),
    (lambda x: x.samples(cutoff=-1.0), "cutoff must be a positive number"),
    (lambda x: x.samples(every=2.5), "every must be a whole number"),
    (lambda x: x.samples(gap="1 s"), "gap must be a positive number"),
    (lambda x: x.samples(delay="1 s"), "delay must be a"),
    (lambda x: x.samples(use=3), "use"),
    (lambda x: x.samples(delay=1e300), "finite number of seconds, at most"),
    (lambda x: next(x.rows(0)), "rows: size"),
    (lambda x: next(x.blocks(window=1.5)), "blocks: window"),
])  # fmt: skip
def test_options_of_logs_are_checked(call: Callable[[Log], Any], message: str) -> None:
    assert_raises(InputError, message, call, log())
    samples, options = Samples(T[:30], Q[:30], Q[:30], Q[:30], TAU[:30]), {"decimate": 5, "check": False}
    assert_raises(InputError, "too short to keep one row of 5", revolute.identify, ARM, samples, **options)


def test_files_in_other_spellings_say_what_to_do(tmp_path: Path) -> None:
    latin, comma = tmp_path / "latin.csv", tmp_path / "comma.csv"
    latin.write_bytes("t;größe1\n0,1;2\n".encode("latin-1"))
    comma.write_text("t;q1;q2;tau1;tau2\n" + "0,1;1;1;1;1\n")
    assert_raises(TrajectoryError, r"latin\.csv: line 1 is not UTF-8", read_log, ARM, latin)
    rows = read_log(ARM, comma).rows()
    assert_raises(TrajectoryError, "line 2, column 't': '0,1' .* decimals with points", next, rows)


def test_joints_that_mimic_others_are_not_in_a_log() -> None:
    """The log has the leading joint alone; what it moves counts with the ratio."""
    base, first, second = ARM.bodies
    follows = replace(second, drive=revolute.Drive(mimic=revolute.Mimic("joint1", -2.0)))
    robot = replace(ARM, bodies=(base, first, follows))
    t = np.arange(3000) / 200
    q, qd, qdd = (f[:, None] for f in (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)))
    tau = robot.with_drives().inverse_dynamics(q, qd, qdd) + np.random.default_rng(0).normal(0, 0.05, q.shape)
    log = read_log(robot, {"t": t, "q": q, "tau": tau})
    assert log.model.nv == 1
    # 5 % of the noise is in the band that decimation passes
    assert (revolute.identify(ForceModel(robot, drives=[]), log).residual_rms < 0.05).all()
