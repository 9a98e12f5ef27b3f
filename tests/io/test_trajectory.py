"""Trajectories: files, columns, derivatives."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from comparing import EPS, assert_raises
from files import written
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from processes import printed
from robots import every, one_joint
from scipy.interpolate import make_lsq_spline

import revolute
from revolute.errors import MissingExtraError, TrajectoryError
from revolute.io import trajectory
from revolute.io.trajectory import spline
from revolute.io.trajectory.rates import continuous, rates
from revolute.io.trajectory.spline import fit

ARM = revolute.robots.planar(2)
TREE = revolute.robots.random_tree(3, 7, base="free")
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def swing(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n, 2) positions, velocities and accelerations of two swinging joints."""
    w, phase = np.array([2.0, 5.0]), np.array([0.0, 1.0])
    x = np.multiply.outer(t, w) + phase
    return np.sin(x), w * np.cos(x), -(w**2) * np.sin(x)


NAMES = [*trajectory.position_names(ARM), *trajectory.rate_names(ARM, "qd"), *trajectory.rate_names(ARM, "qdd")]


def swing_file(path: Path, n: int, rate: int, *more: str) -> np.ndarray:
    """Times of the positions that are written; more columns have the times, too."""
    t = np.arange(n) / rate
    trajectory.write(path, ["t", "joint1", "joint2", *more], t, swing(t)[0], *[t] * len(more))
    return t


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@every(arrays(float, st.tuples(st.integers(1, 20), st.just(3)), elements=FINITE), examples=30)
def test_numbers_come_back_bit_for_bit(suffix: str, tmp_path_factory: Any, values: np.ndarray) -> None:
    path = tmp_path_factory.mktemp("table") / f"numbers{suffix}"
    trajectory.write(path, ["a", "b,c", 'd"'], values)
    table = trajectory.open_table(path)
    assert table.columns == ("a", "b,c", 'd"')
    found = np.concatenate([rows for _, rows in table.blocks(table.columns[::-1], rows=7)])
    assert found[:, ::-1].tobytes() == values.tobytes()


@pytest.mark.parametrize("text", [
    "t,q.joint1,q.joint2\n0,1,2\n1,3,4\n",
    "\ufefft;q.joint1;q.joint2\r\n0;1;2\r\n1;3;4\r\n\r\n",
    "# q.joint2\ttime\tjoint1\n2\t0\t1\n4\t1\t3",
    '"t", "joint1", "joint2", "note"\n0, 1, 2, "a, b"\n\n1, 3, 4, none\n',
])  # fmt: skip
def test_dialects_and_orders_of_columns_mean_the_same(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8", newline="")
    table = trajectory.open_table(path)
    columns = trajectory.match(ARM, table.columns, "a.csv")
    found = np.concatenate([rows for _, rows in table.blocks(columns.used)])
    assert found.tolist() == [[0, 1, 2], [1, 3, 4]]


@pytest.mark.parametrize("name", ["t", "time", "Time", "t [s]", "Time (s)", "time_s", "seconds", "SEC"])
def test_a_column_of_seconds_is_known_by_any_of_its_names(name: str) -> None:
    assert trajectory.match(ARM, ["joint1", name, "joint2", "timestamp"], "a.csv").time == name


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_blocks_have_the_rows_asked_for_and_say_how_far_they_are(tmp_path: Path, suffix: str) -> None:
    t = swing_file(path := tmp_path / f"a{suffix}", 3000, 1000)
    done, values = zip(*trajectory.open_table(path).blocks(["t", "joint2"], rows=700), strict=True)
    assert [len(block) for block in values] == [700, 700, 700, 700, 200]
    assert np.array_equal(np.concatenate(values), np.column_stack([t, swing(t)[0][:, 1]]))
    # CSV is read ahead by some kilobytes
    np.testing.assert_allclose(done, [7 / 30, 14 / 30, 0.7, 28 / 30, 1], rtol=0, atol=0.15)
    assert sorted(done) == list(done) and done[-1] == 1


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "old")
    with pytest.raises(RuntimeError, match="half way"), trajectory.open_writer(path, ["a"]) as writer:
        writer.add(np.ones((1, 1)))
        raise RuntimeError("half way")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("text", "said"), [
    ("", "the file is empty"),
    ("\n1,2\n", "the first line is empty"),
    ("0,1,2\n1,2,3\n", "line 1 has only numbers"),
    ("t,joint1,joint2\n", "no rows"),
    ("t,joint1,t\n0,1,2\n", "duplicate column 't'"),
    ("t,time,joint1,joint2\n0,0,1,2\n", "columns 't', 'time' are all time columns"),
    ("t,joint1,q.joint1,joint2\n0,0,1,2\n", "'q.joint1' and 'joint1' belong to one joint"),
    ("t,joint1,Joint2\n0,1,2\n", "'q.joint2' of robot 'planar2'.*did you mean 'Joint2'"),
    ("t;q,joint1;q,joint2\n0,0;0,1;0,2\n", r"did you mean 'q,joint1'\? .* decimal commas: write points, .* 0\.5"),
    ("q,joint1;q,joint2\n0,1;0,2\n", r"decimal commas: write points, .* 0\.5"),
    ("t;q.joint1;q.joint2\n0,0;0,1;0,2\n", "'0,0' is not a finite number: write decimals with points, not commas"),
    ("joint1,joint2\n0,1\n", "no time column"),
    ("stamp,joint1,joint2\n0,0,1\n", "name it t, time, seconds, sec, t_s or time_s .columns not used: 'stamp'"),
    ("t,joint1,joint2,qd.joint1\n0,1,2,3\n", "'qd.joint2'; give qd"),
    ("t,joint1,joint2\n0,1,2\n1,x,2\n", "line 3, column 'joint1': 'x' is not a finite number"),
    ("t,joint1,joint2\n0,1,2\n1,2,\n", "line 3, column 'joint2': the cell is empty"),
    ("t,joint1,joint2\n0,nan,2\n", "line 2, column 'joint1': 'nan'"),
    ("t,joint1,joint2\n0,1,2\n\n1,inf,2\n", "line 4, column 'joint1': 'inf'"),
    ("t,joint1,joint2\n0,1,2\n1,2\n", "line 3 has 2 cells, but there are 3 columns"),
    ("t,joint1,joint2\n0,1,5,2\n", "line 2 has 4 cells"),
    ("t,joint1,joint2\n0,1,2\n1,1,2\n1,1,2\n", "line 4 has 1 s after 1 s"),
    ("t,joint1,joint2\n0,1,2\n\n1,1,2\n \n1,1,2\n", "line 6 has 1 s after 1 s"),
    ("t,joint1,joint2\n0,1,2\n1,1,2\n", "at least 10 rows, not 2"),
    ("t,joint1,joint2\n0,1,2\n1,'" + "x" * 200_000 + "',2\n", "line 3 is not valid CSV: field larger than"),
    ("t,joint1,joint2\n0,1,2\n1," + "x" * 90_000 + ",2\n", r"line 3, column 'joint1': 'xxx.* \.\.\. xxx"),
    ("t," + "x" * 200_000 + ",joint2\n0,1,2\n", "line 1 is not valid CSV: field larger than"),
    ("PAR1\0\0", "not CSV text: it is Parquet; give it the suffix .parquet"),
    ("PK\x03\x04\x14", "not CSV text: it is a zip archive or spreadsheet"),
    ("t\x1a\n0\n", "not CSV text: it is binary"),
])  # fmt: skip
def test_what_is_wrong_with_a_file_is_said_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path / "broken.csv", text)
    with pytest.raises(TrajectoryError, match=said) as caught:
        trajectory.read(ARM, path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 4000


OVERFLOW = "(no spline can be|velocities and accelerations overflow, or a quaternion is zero)"


@pytest.mark.parametrize(
    ("robot", "rates", "entry"), [(ARM, (), 1e308), (ARM, ("qd",), 1e308), (TREE, (), 1e160), (TREE, (), 0.0)]
)
def test_derivatives_that_overflow_are_refused(tmp_path: Path, robot: Any, rates: Any, entry: float) -> None:
    """Also those of a quaternion of zeros."""
    names = [*trajectory.position_names(robot), *(name for x in rates for name in trajectory.rate_names(robot, x))]
    table = np.random.default_rng(0).standard_normal((20, len(names)))
    table[10], table[11] = entry, -entry
    trajectory.write(tmp_path / "a.csv", ["t", *names], np.arange(20) * 1e-3, table * bool(entry))
    assert_raises(TrajectoryError, rf"a\.csv: {OVERFLOW}", trajectory.read, robot, tmp_path / "a.csv")


def test_time_and_cells_are_checked_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = trajectory.open_table(written(tmp_path / "cells.csv", "a\n1\n2\n3\n4\nfive\n"))
    assert_raises(TrajectoryError, r"line 6\b", list, cells.blocks(["a"], rows=2))
    t = np.array([0.0, 1.0, 2.0, 2.0, 3.0])
    trajectory.write(tmp_path / "a.csv", ["t", *NAMES], t, *swing(t))
    table = trajectory.open_table(tmp_path / "a.csv")
    blocks = table.blocks
    monkeypatch.setattr(table, "blocks", lambda used: blocks(used, rows=3))
    assert_raises(TrajectoryError, "line 5 has 2 s after 2 s", list, trajectory.States(ARM, table).blocks())
    trajectory.write(tmp_path / "a.parquet", ["t", *NAMES], t, *swing(t))
    assert_raises(TrajectoryError, "row 4 has 2 s after 2 s", trajectory.read, ARM, tmp_path / "a.parquet")


def test_missing_files_false_parquet_and_utf_16_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,joint1\n0,1\n", encoding="utf-16")
    assert_raises(TrajectoryError, "UTF-16; save it as UTF-8", trajectory.open_table, tmp_path / "a.csv")
    assert_raises(TrajectoryError, "no such file", trajectory.read, ARM, tmp_path / "none.csv")
    assert_raises(TrajectoryError, "not a file", trajectory.read, ARM, tmp_path)
    (tmp_path / "a.parquet").write_text("t,joint1\n")
    assert_raises(TrajectoryError, "not a Parquet file", trajectory.read, ARM, tmp_path / "a.parquet")
    assert_raises(TrajectoryError, "cannot be written", trajectory.write, tmp_path / "no" / "a.csv", ["a"], np.ones(1))


def test_parquet_with_text_or_empty_cells_is_refused(tmp_path: Path) -> None:
    for cells, said in (["a", "b"], "column 'joint2' must be numbers"), ([1.0, None], "row 2, column 'joint2'"):
        columns = {"t": [0.0, 1.0], "joint1": [0, 1], "joint2": cells}
        pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
        assert_raises(TrajectoryError, said, trajectory.read, ARM, tmp_path / "a.parquet")


def test_damaged_parquet_never_gives_other_numbers(tmp_path: Path) -> None:
    """What is written here has checksums: wherever a bit of a page flips, PyArrow sees it, and the message is ours."""
    path = tmp_path / "a.parquet"
    numbers = np.random.default_rng(0).standard_normal((64, 2))
    trajectory.write(path, ["a", "b"], numbers)
    whole, said = path.read_bytes(), []
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for k in (*range(0, footer, 4), *range(footer, len(whole))):
        damaged = bytearray(whole)
        damaged[k] ^= 1 << k % 8
        path.write_bytes(damaged)
        try:
            found = np.concatenate([rows for _, rows in trajectory.open_table(path).blocks(["a", "b"])])
        except TrajectoryError as error:
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
            said.append(str(error))
        else:
            assert np.array_equal(found, numbers), k
    for reason in (
        "not a Parquet file, or a damaged one; write it again, or use another copy: Invalid flatbuffers message",
        "the file is damaged; write it again, or use another copy: could not verify page integrity, CRC checksum",
        r"it has 0 rows, but its header declares 64$",
        r"it has 64 rows, but its header declares \d+$",
    ):
        assert any(re.search(reason, message) for message in said), reason


PEAK = """
import resource, sys
from revolute.errors import TrajectoryError
from revolute.io import trajectory

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

before = 0.0
for path in sys.argv[1:]:
    try:
        list(trajectory.open_table(path).blocks([f"q{k}" for k in range(8)]))
        sys.exit("read")
    except TrajectoryError:
        before = before or peak()  # PyArrow is loaded now
print(peak() - before)
"""


def test_damaged_parquet_takes_little_memory(tmp_path: Path) -> None:
    """Where bytes are lost, PyArrow takes numbers for the headers of pages. Read through a buffer, some took 3 GB."""
    pytest.importorskip("resource")
    path = tmp_path / "whole.parquet"
    columns = np.random.default_rng(0).integers(0, 5, (8, 4200)).astype(float)
    table = pyarrow.table({f"q{k}": column for k, column in enumerate(columns)})
    pyarrow.parquet.write_table(table, path, data_page_version="2.0", write_page_checksum=True)
    whole, paths = path.read_bytes(), []
    for k in (100, *range(30, len(whole) - 900, 37)):
        paths.append(tmp_path / f"{k}.parquet")
        paths[-1].write_bytes(whole[:k] + whole[k + 2 :])
    assert float(printed(PEAK, *paths)) < 50


def test_a_missing_package_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    t = swing_file(tmp_path / "q.csv", 20, 20)
    trajectory.write(tmp_path / "all.csv", ["t", *NAMES], t, *swing(t))
    monkeypatch.setitem(sys.modules, "scipy.interpolate", None)
    assert_raises(MissingExtraError, r"SciPy.*\.\[scipy\]", trajectory.read, ARM, tmp_path / "q.csv")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"PyArrow.*\.\[trajectory\]"):
        trajectory.write(tmp_path / "a.parquet", ["a"], np.ones(1))
    assert len(trajectory.read(ARM, tmp_path / "all.csv").q) == 20  # a file with everything needs neither


def test_columns_of_a_free_joint() -> None:
    names, forces = trajectory.position_names(TREE), trajectory.rate_names(TREE, "tau")
    assert [name.rpartition(".")[2] for name in names[:7]] == ["x", "y", "z", "qx", "qy", "qz", "qw"]
    assert [name.rpartition(".")[2] for name in forces[:6]] == ["wx", "wy", "wz", "vx", "vy", "vz"]
    assert len({*names}) == len(names) == TREE.nq and len(forces) == TREE.nv


def test_unused_columns_are_noted(tmp_path: Path) -> None:
    swing_file(tmp_path / "a.csv", 20, 20, "temperature")
    assert "temperature" in trajectory.open_states(ARM, tmp_path / "a.csv").notes[0]


def test_time_may_be_missing_where_nothing_is_derived(tmp_path: Path) -> None:
    t = np.arange(4) / 4
    trajectory.write(tmp_path / "a.csv", NAMES, *swing(t))
    found = trajectory.read(ARM, tmp_path / "a.csv")
    assert found.t is None and np.array_equal(found.qdd, swing(t)[2])


def bias(knots: float, derivative: float) -> float:
    """Acceleration error of a quintic spline: the remainder of f'' after its cubic Taylor polynomial
    over one knot interval, H^4 max|f^(6)| / 4!."""
    return knots**4 * derivative / 24


@pytest.mark.parametrize("rate", [20, 50, 200, 1000])
def test_noise_free_positions_give_the_analytic_derivatives(rate: int) -> None:
    t = np.arange(10 * rate) / rate
    q, qd, qdd = swing(t)
    (_, first, second), said = fit(t, q)
    for k, w in enumerate([2.0, 5.0]):
        h = said.every[k] / rate
        # Second differences of what `spline.ROUNDING` calls rounding, at most 4 / h^2 of it; a factor of
        # 10 for the normal equations.
        rounding = 8 * EPS * 40 / h**2
        error = abs(second[:, k] - qdd[:, k])
        end = 3 * said.every[k]
        assert error[end:-end].max() <= bias(h, w**6) + rounding
        # One-sided formulas weigh rounding by 53 / h^2, central ones by 4 / h^2; and the last
        # interval is up to two knots wide.
        last = bias(2 * h, w**6) + 53 / 4 * rounding
        assert error.max() <= last
        assert abs(first[:, k] - qd[:, k]).max() <= last * 2 * h


def test_the_origin_of_time_does_not_matter() -> None:
    unix = np.arange(500) / 100 + 1.7e9
    q = swing(unix - 1.7e9)[0]
    late, early = fit(unix, q)[0], fit(unix - unix[0], q)[0]
    assert all(np.array_equal(x, y) for x, y in zip(late, early, strict=True))


@pytest.mark.parametrize("noise", [1e-6, 1e-4])
def test_noise_is_smoothed_down_to_what_the_knots_resolve(noise: float) -> None:
    rng, rate = np.random.default_rng(5), 1000
    t = np.arange(10 * rate) / rate
    q, _, qdd = swing(t)
    (_, _, second), said = fit(t, q + noise * rng.standard_normal(q.shape))
    for k, w in enumerate([2.0, 5.0]):
        m, h = said.every[k], said.every[k] / rate
        # White noise in the band that the knots pass, |frequency| < pi / H: sigma (pi / H)^2 / sqrt(5 m);
        # a factor of 5 for the ends, where the curve has data on one side only.
        passed = noise * (np.pi / h) ** 2 / np.sqrt(5 * m)
        error = np.sqrt(np.mean((second[:, k] - qdd[:, k]) ** 2))
        assert error <= 5 * passed + bias(h, w**6)
        assert error < 1e-3 * np.sqrt(6) * noise * rate**2  # central differences have sqrt(6) sigma / h^2
    assert max(said.residual) == pytest.approx(noise, rel=0.1)


@pytest.mark.parametrize(
    ("w", "noise", "chosen"),
    [(110, 0.02, 2), (100, 0.02, 4), (130, 0.1, 2), (130, 0.2, 4), (60, 0.2, 8), (65, 0.2, 8), (27, 0.05, 16)],
)
def test_knots_are_those_of_generalized_cross_validation(w: float, noise: float, chosen: int) -> None:
    """Craven & Wahba's (RSS / n) / (1 - p / n)^2 of SciPy's splines: the widest knots within a standard error."""
    n, t = 400, np.arange(400) / 200
    y = np.sin(w * t) + noise * np.random.default_rng(2).standard_normal(n)
    scores = {}
    for m in (2, 4, 8, 16, 32, 64, 128):
        knots = np.concatenate([np.repeat(t[0], 6), t[m:-m:m], np.repeat(t[-1], 6)])
        residual = y - make_lsq_spline(t, y, knots, 5)(t)
        scores[m] = residual @ residual / n / (1 - (len(knots) - 6) / n) ** 2
    limit = min(scores.values()) * (1 + np.sqrt(2 / n))
    assert max(m for m, score in scores.items() if score <= limit) == chosen
    assert fit(t, y[:, None])[1].every == (chosen,)


def test_half_of_the_samples_may_lie_between_knots() -> None:
    """Then there is no knot inside, and the curve is one polynomial: the choice for noise about a cubic."""
    t = np.arange(256) / 100
    y = (t**3 + 0.1 * np.random.default_rng(4).standard_normal(256))[:, None]
    for knots in (None, 128):
        (values, _, _), said = fit(t, y, knots)
        assert said.every == (128,)
        expected = np.polynomial.Polynomial.fit(t, y[:, 0], 5)(t)
        np.testing.assert_allclose(values[:, 0], expected, rtol=0, atol=1e-11)


def test_ten_rows_are_enough() -> None:
    t = np.arange(10) / 10
    np.testing.assert_allclose(fit(t, t[:, None] ** 2)[0][1][:, 0], 2 * t, rtol=0, atol=1e-11)
    assert_raises(TrajectoryError, "needs at least 10 rows, not 9", fit, t[:9], t[:9, None])


def test_knots_are_not_widened_once_that_is_hopeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred times the best score, for all columns: a still one would take any knots."""
    tried: list[int] = []
    solve = spline._least_squares

    def noted(t: np.ndarray, y: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        tried.append(m)
        return solve(t, y, m)

    monkeypatch.setattr(spline, "_least_squares", noted)
    t = np.arange(2000) / 1000
    q = swing(t)[0]
    _, said = fit(t, q)
    assert said.every == (8, 4) and tried == [2, 4, 8, 16]
    tried.clear()
    fit(t, np.column_stack([q, np.zeros(2000)]))
    assert tried == [2, 4, 8, 16, 32, 64, 128, 256, 512]


def test_a_still_joint_stays_still() -> None:
    (values, first, second), _ = fit(np.arange(200) / 100, np.full((200, 1), 0.25))
    assert abs(values - 0.25).max() < 1e-14
    assert abs(first).max() < 1e-11 and abs(second).max() < 1e-9


def test_uneven_times_are_no_hindrance() -> None:
    t = np.cumsum(np.random.default_rng(3).uniform(0.5e-3, 2e-3, 4000))
    q, _, qdd = swing(t)
    (_, _, second), said = fit(t, q)
    for k, w in enumerate([2.0, 5.0]):
        longest = 2e-3 * said.every[k] * 2  # the last knot interval has up to twice the samples
        assert abs(second[:, k] - qdd[:, k]).max() <= bias(longest, w**6) + 8 * EPS * 40 / (0.5e-3 * said.every[k]) ** 2


def test_blocks_of_derived_states_say_how_far_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("revolute.io.trajectory.states.BLOCK", 100)
    swing_file(tmp_path / "a.csv", 250, 100)
    blocks = list(trajectory.open_states(ARM, tmp_path / "a.csv").blocks())
    assert [(len(block.q), block.done) for block in blocks] == [(100, 0.4), (100, 0.8), (50, 1.0)]


@pytest.mark.parametrize(("name", "told"), [("a.txt", ".txt"), ("a", "a")])
def test_outputs_have_a_suffix_that_is_known(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(TrajectoryError, match=f"written as .*, by the suffix, not as '{told}'"):
        trajectory.check_output(tmp_path / name)


def test_knots_can_be_chosen(tmp_path: Path) -> None:
    swing_file(tmp_path / "a.csv", 200, 100)
    opened = trajectory.open_states(ARM, tmp_path / "a.csv", every=8)
    list(opened.blocks())
    assert "knots 80 ms apart (as asked for)" in opened.notes[-1]
    for knots in 1, 101:
        assert_raises(TrajectoryError, "2 to 100 samples apart", trajectory.read, ARM, tmp_path / "a.csv", every=knots)


def test_given_velocities_are_kept_and_accelerations_derived_from_them(tmp_path: Path) -> None:
    t = np.arange(2000) / 1000
    q, qd, qdd = swing(t)
    trajectory.write(tmp_path / "a.csv", ["t", *NAMES[:4]], t, q, qd)
    opened = trajectory.open_states(ARM, tmp_path / "a.csv")
    found = next(iter(opened.blocks()))
    assert np.array_equal(found.q, q) and np.array_equal(found.qd, qd)
    # First derivative of a quintic spline of qd, knots at most 20 ms apart: H^5 max|qd^(6)| / 5!.
    assert abs(found.qdd - qdd).max() <= 0.02**5 * 5.0**7 / 120
    assert "accelerations are not in the file: derived from its velocities" in opened.notes[-1]


def test_wrapped_angles_are_unwrapped(tmp_path: Path) -> None:
    t = np.arange(3000) / 1000
    wrapped = (np.column_stack([4 * t, -3 * t]) + np.pi) % (2 * np.pi) - np.pi
    trajectory.write(tmp_path / "a.csv", ["t", "joint1", "joint2"], t, wrapped)
    opened = trajectory.open_states(ARM, tmp_path / "a.csv")
    block = next(iter(opened.blocks()))
    assert abs(block.qd - [4, -3]).max() < 1e-9  # 8 eps of 12 rad, knots 4 ms or more apart
    assert any("joint1, joint2" in note for note in opened.notes)


def test_body_twist_of_a_free_joint(tmp_path: Path) -> None:
    """A constant twist moves a body along a screw; neither sign nor length of a quaternion turns it."""
    t, twist = np.arange(2000) / 1000, np.array([0.5, -1.0, 2.0, 0.3, 0.2, -0.4, 0.0, 0.0, 0.0])
    q = TREE.integrate(TREE.neutral(), t[:, None] * twist)
    q[:, 3:7] *= np.where(np.arange(2000) // 300 % 2, -1.5, 1.5)[:, None]
    trajectory.write(tmp_path / "a.csv", ["t", *trajectory.position_names(TREE)], t, q)
    found = trajectory.read(TREE, tmp_path / "a.csv")
    # Knots 16 ms apart at most, sixth derivatives below 300: H^4 300 / 4! = 8e-7; the products of the
    # twist multiply that by a few.
    np.testing.assert_allclose(found.qd, np.tile(twist, (2000, 1)), rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.qdd, 0, rtol=0, atol=1e-5)


def test_quaternions_may_change_their_length() -> None:
    """Of s = k u, with u of length one, the rates are those of u: here u turns about an axis by a(t), w = ad n."""
    t, n = np.linspace(0, 2, 21)[:, None], np.array([2.0, -1.0, 2.0]) / 3
    a, ad, add = 3 * np.sin(t), 3 * np.cos(t), -3 * np.sin(t)
    u = np.hstack([np.sin(a / 2) * n, np.cos(a / 2)])
    across = np.hstack([np.cos(a / 2) * n, -np.sin(a / 2)])
    du, ddu = ad / 2 * across, add / 2 * across - ad**2 / 4 * u
    k, dk, ddk = 1 + 0.5 * np.sin(5 * t), 2.5 * np.cos(5 * t), -12.5 * np.sin(5 * t)
    w, wd = rates(one_joint(revolute.Spherical()), k * u, dk * u + k * du, ddk * u + 2 * dk * du + k * ddu)
    np.testing.assert_allclose(w, ad * n, rtol=0, atol=1e-13)
    np.testing.assert_allclose(wd, add * n, rtol=0, atol=1e-12)


@pytest.mark.parametrize("length", [1.0, 0.3])
def test_signs_of_short_quaternions_are_told_too(length: float) -> None:
    ball = one_joint(revolute.Spherical())
    q = length * np.full((3, 4), 0.5) * [[1], [-1], [1]]
    smooth, jumped = continuous(ball, q)
    assert jumped == ("j",) and np.array_equal(smooth, np.abs(q))
    assert continuous(ball, np.abs(q))[1] == ()


def test_a_screw_that_jumps_by_a_turn_has_moved() -> None:
    """A turn moves its nut by one pitch: only joints that are as before after 2 pi are unwrapped."""
    q = np.array([[3.0], [-3.0]])
    assert np.array_equal(continuous(one_joint(revolute.Helical((0, 0, 1), 0.1)), q)[0], q)
    assert continuous(one_joint(revolute.Revolute()), q)[1] == ("j",)


def test_prismatic_joints_are_never_unwrapped() -> None:
    q = np.array([[0.0], [10.0], [0.0]])
    smooth, jumped = continuous(one_joint(revolute.Prismatic()), q)
    assert np.array_equal(smooth, q) and jumped == ()
