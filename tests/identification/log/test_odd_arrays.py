"""Arrays and files that are no logs: each is refused, and the message names the column or the quantity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import revolute
from revolute import InputError, TrajectoryError
from revolute.identification import ForceModel, Log, Samples, check_log, read_log

ARM = revolute.robots.planar(2)
T = np.arange(400) / 100
Q = np.stack([np.sin(2 * T), np.cos(3 * T)], axis=1)
TAU = np.stack([np.sin(4 * T), np.cos(T)], axis=1)


def log(**changed: Any) -> Log:
    return read_log(ARM, {"t": T, "q": Q, "tau": TAU, **changed})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"t": (1e9 * T).astype("datetime64[ns]")}, "column 't' must be real numbers, not datetime64"),
        ({"t": (1e9 * T).astype("timedelta64[ns]")}, "column 't' must be real numbers, not timedelta64"),
        ({"tau": TAU + 1j}, "column 'tau1' must be real numbers, not complex128"),
        ({"q": [[1.0, 2.0], [3.0]]}, "column 'q' must be numbers"),
        ({"q1": T}, "column 'q1' is a duplicate"),
        ({"q": np.column_stack([Q, T])}, "q has 3 columns, and 'planar2' has 2 coordinates"),
    ],
    ids=["dates", "durations", "complex", "ragged", "twice", "wide"],
)
def test_what_is_no_column_of_numbers_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, TrajectoryError), match=message):
        log(**changed)


def test_masked_cells_are_missing() -> None:
    masked = np.ma.masked_where(np.arange(len(T))[:, None] == [50, 60], TAU)
    (rows,) = log(tau=masked).rows()
    assert np.argwhere(np.isnan(rows.tau)).tolist() == [[50, 0], [60, 1]]


@pytest.mark.parametrize("quantity", ["t", "q", "tau"])
def test_numbers_whose_squares_overflow_are_named(quantity: str) -> None:
    values = {"t": T, "q": Q, "tau": TAU}[quantity] * 1e160
    with pytest.raises(InputError, match=rf"{quantity} reaches .*e\+1\d\d, whose square is infinite: check its units$"):
        log(**{quantity: values}).samples(5.0)
    with pytest.raises(InputError, match="Samples: tau reaches 1e\\+200"):
        Samples(T[:1], Q[:1], Q[:1], Q[:1], [[1e200, np.nan]])


def test_forces_too_small_for_squares_are_none() -> None:
    found = check_log(ARM, log(tau=1e-300 * TAU))
    assert ("joint1", "joint2") in [doubt.names for doubt in found if doubt.kind == "empty"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: x.samples(cutoff=1e-300), "too low for"),
        (lambda x: x.samples(cutoff=-1.0), "cutoff must be a positive number"),
        (lambda x: x.samples(every=2.5), "every must be a whole number"),
        (lambda x: x.samples(gap="1 s"), "gap must be a positive number"),
        (lambda x: x.samples(delay="1 s"), "delay must be a"),
        (lambda x: x.samples(use=3), "use"),
        (lambda x: x.samples(delay=1e300), "shorter than the log"),
        (lambda x: next(x.rows(0)), "rows: size"),
        (lambda x: next(x.blocks(window=1.5)), "blocks: window"),
    ],
)
def test_options_of_logs_are_checked(call: Callable[[Log], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(log())


def test_a_clock_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="rate must be a positive number of rows per second, not inf"):
        read_log(ARM, {"q": Q, "tau": TAU}, rate=np.inf)


def test_a_log_too_short_for_its_decimation_says_so() -> None:
    samples = Samples(T[:30], Q[:30], Q[:30], Q[:30], TAU[:30])
    with pytest.raises(InputError, match="too short to keep one row of 5"):
        revolute.identify(ARM, samples, decimate=5, check=False)


def test_files_in_other_spellings_say_what_to_do(tmp_path: Path) -> None:
    latin, comma = tmp_path / "latin.csv", tmp_path / "comma.csv"
    latin.write_bytes("t;größe1\n0,1;2\n".encode("latin-1"))
    comma.write_text("t;q1;q2;tau1;tau2\n" + "0,1;1;1;1;1\n")
    with pytest.raises(TrajectoryError, match=r"latin\.csv: line 1 is not UTF-8"):
        read_log(ARM, latin)
    with pytest.raises(TrajectoryError, match=r"line 2, column 't': '0,1' .* decimals with points"):
        next(read_log(ARM, comma).rows())


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
