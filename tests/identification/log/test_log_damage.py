"""Jitter, missing rows and cells, wrapped angles: samples stay near the truth, and blocks give those of the whole."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_warns
from recorded import RATE, arm, motion, noisy
from robots import one_joint

from revolute import Free, ModelWarning, robots
from revolute.identification import Log, Samples, read_log

Arrays = dict[str, np.ndarray]
CUTOFF = 8.0
T = np.arange(int(8 * RATE)) / RATE


def nothing(arrays: Arrays) -> None:
    """No damage."""


def log_of(t: np.ndarray, change: Callable[[Arrays], None] = nothing) -> Log:
    arrays = noisy(motion(t))
    change(arrays)
    return read_log(arm(), arrays)


def errors(samples: Samples) -> np.ndarray:
    """Largest distances of q, qd and qdd from the truth."""
    true = motion(samples.t)
    return np.array([np.abs(getattr(samples, x) - getattr(true, x)).max() for x in ("q", "qd", "qdd")])


def test_samples_are_near_the_truth() -> None:
    """Differences lose (2 pi 0.8 Hz / 200 Hz)^2 / 6 = 1e-4 of 6 rad/s, and four times that share of 15 rad/s^2."""
    assert (errors(log_of(T).samples(CUTOFF)) < [1e-5, 6e-4, 0.01]).all()


def test_jitter_is_resampled() -> None:
    """Clocks that scatter by a tenth of a step would spoil accelerations: qd / 10 step by 2 pi 8 Hz and filters."""
    uneven = T + np.random.default_rng(1).uniform(-0.3, 0.3, len(T)) / RATE
    log = log_of(uneven)
    samples = log.samples(CUTOFF)
    assert 0.1 < log.jitter < 0.3
    assert np.abs(np.diff(samples.t, 2)).max() < 1e-12  # equal steps
    assert (errors(samples) < [1e-5, 6e-4, 0.02]).all()
    naive = read_log(arm(), {**noisy(motion(uneven)), "t": T}).samples(CUTOFF)
    assert errors(naive)[2] > 1.0


def drop_cells(arrays: Arrays) -> None:
    holes = np.random.default_rng(2).random(arrays["q"].shape) < 0.01
    arrays["q"][holes] = np.nan
    arrays["tau"][holes[:, ::-1]] = np.nan


def drop_block(arrays: Arrays) -> None:
    arrays["q"][700:760, 2] = np.nan


def drop_force(arrays: Arrays) -> None:
    arrays["tau"][500:900, 3] = np.inf


def wrap(arrays: Arrays) -> None:
    arrays["q"][:, 0] = (arrays["q"][:, 0] + 3.0 + np.pi) % (2 * np.pi) - np.pi - 3.0


def test_short_gaps_are_filled() -> None:
    samples = log_of(T, drop_cells).samples(CUTOFF)
    assert len(samples) >= len(log_of(T).samples(CUTOFF)) - 2  # the first row has a hole, and nothing before it
    assert np.isfinite(samples.tau).all()
    assert (errors(samples) < [2e-4, 5e-3, 0.15]).all()  # lines over some steps: (step)^2 qdd / 8, at 8 Hz


def test_long_gaps_split_the_log() -> None:
    samples = log_of(T, drop_block).samples(CUTOFF)
    assert np.diff(samples.t).max() > 60 / RATE
    assert (errors(samples) < [1e-5, 6e-4, 0.01]).all()


def test_a_gap_in_one_force_leaves_the_others() -> None:
    samples, whole = log_of(T, drop_force).samples(CUTOFF), log_of(T).samples(CUTOFF)
    lost = np.isnan(samples.tau)
    assert lost[:, 3].any() and not lost[:, [0, 1, 2, 4, 5]].any()
    assert not lost[(samples.t < 2.1) | (samples.t > 4.9), 3].any()
    assert np.array_equal(samples.tau[:, 0], whole.tau[:, 0])
    # its ends are left out until 1e-3 of the transients are left, of forces of some 10 N m
    assert np.nanmax(np.abs(samples.tau - whole.tau)) < 0.05


@pytest.mark.parametrize(("rows", "pieces"), [(slice(400, 404), 1), (slice(400, 460), 2)])
def test_missing_rows_are_seen_by_the_clock(rows: slice, pieces: int) -> None:
    samples = log_of(np.delete(T, rows)).samples(CUTOFF)
    steps = np.diff(samples.t)
    assert (steps > 1.5 * np.median(steps)).sum() == pieces - 1
    assert (errors(samples) < [2e-4, 5e-3, 0.15]).all()


def test_steps_that_change_are_told() -> None:
    """Equal steps for longer than the beginning that the log is judged by, then scatter."""
    t = np.arange(140_000) / RATE
    t[135_000:] += np.random.default_rng(0).uniform(0, 0.7, 5000) / RATE
    arrays = {"t": t, "q": np.sin(t)[:, None], "tau": np.cos(t)[:, None]}
    log = read_log(robots.planar(1), arrays)
    assert_warns(ModelWarning, "time steps change from row 13500", log.samples, CUTOFF)


def test_wrapped_angles_are_continuous() -> None:
    whole, wrapped = log_of(T).samples(CUTOFF), log_of(T, wrap).samples(CUTOFF)
    assert np.ptp(wrapped.q[:, 0] - whole.q[:, 0]) < 1e-9
    np.testing.assert_allclose([wrapped.qd, wrapped.qdd], [whole.qd, whole.qdd], rtol=0, atol=1e-9)


@pytest.mark.parametrize("jitter", [0.0, 0.2])
@pytest.mark.parametrize("damage", [nothing, drop_cells, drop_block, drop_force, wrap])
@pytest.mark.parametrize("every", [1, 7])
def test_blocks_give_the_samples_of_the_whole(jitter: float, damage: Callable[[Arrays], None], every: int) -> None:
    """Filters of blocks overlap until 1e-14 of a transient is left; that of accelerations is 1e3 times larger."""
    t = np.arange(int(20 * RATE)) / RATE
    t = t + jitter * np.random.default_rng(1).uniform(-1, 1, len(t)) / RATE
    log = log_of(np.delete(t, slice(2500, 2560)), damage)
    whole = log.samples(CUTOFF, every=every, delay=0.0031)
    plan = log.preparation(CUTOFF, every=every)
    blocks = list(log.blocks(CUTOFF, every=every, delay=0.0031, window=100))
    assert len(blocks) >= len(t) // (4 * plan.overlap)
    joined = Samples.joined(blocks)
    for name in ("t", "q", "qd", "qdd", "tau"):
        x, y = getattr(joined, name), getattr(whole, name)
        assert x.shape == y.shape and np.array_equal(np.isnan(x), np.isnan(y))
        assert np.nanmax(np.abs(x - y)) <= 1e-9 * np.nanmax(np.abs(y))


def test_empty_cells_of_files_are_missing(tmp_path: Path) -> None:
    names = arm().coordinate_names
    lines = ["t," + ",".join([f"q.{x}" for x in names] + [f"tau.{x}" for x in names])]
    lines += [f"{k}," + ",".join(["", "nan", " ", "1", "2", "3", "inf", "5", "6", "7", "8", ""]) for k in range(3)]
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n")
    rows = next(read_log(arm(), tmp_path / "log.csv").rows())
    assert np.array_equal(np.isnan(rows.q), np.tile([True] * 3 + [False] * 3, (3, 1)))
    assert np.array_equal(np.isnan(rows.tau), np.tile([True] + [False] * 4 + [True], (3, 1)))
    assert rows.tau[:, 1].tolist() == [5.0, 5.0, 5.0]


def test_quaternions_of_a_floating_body() -> None:
    """A body that turns evenly about a fixed axis, with signs of its quaternions at random, and jitter."""
    robot = one_joint(Free())
    rng = np.random.default_rng(0)
    t = T + 0.2 * rng.uniform(-1, 1, len(T)) / RATE
    w = np.array([0.4, -0.3, 0.8])
    half = np.linalg.norm(w) * t / 2
    quaternion = np.column_stack([np.sin(half)[:, None] * w / np.linalg.norm(w), np.cos(half)])
    quaternion *= rng.choice([-1, 1], len(t))[:, None]
    q = np.column_stack([np.zeros((len(t), 3)), quaternion])
    samples = read_log(robot, {"t": t, "q": q, "tau": np.zeros((len(t), 6))}).samples(CUTOFF)
    assert np.abs(np.linalg.norm(samples.q[:, 3:], axis=1) - 1).max() < 1e-12
    assert np.abs(samples.qd[:, :3] - w).max() < 1e-4 and np.abs(samples.qdd).max() < 1e-2
