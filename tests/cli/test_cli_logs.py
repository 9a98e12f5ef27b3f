"""Logs of other numbering, rate, sign and clock: what `revolute identify` says of them is what mends them."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cli.calling import ARM, NOISE, TRUE, run, sines, table
from comparing import assert_raises

import revolute
from revolute.errors import InputError
from revolute.identification import read_log, validate


def log(path: Path, seed: int = 0, rate: float = 200.0, late: float = 0.0, q: object = 1, tau: object = 1) -> Path:
    """20 s of sines up to 1 Hz, with signs of positions and forces; forces are recorded `late` seconds after."""
    t, at = np.arange(round(20 * rate)) / rate, sines(seed, 2 * np.pi * 0.2 * np.arange(1, 6), 0.4)
    forces = TRUE.inverse_dynamics(*at(t - late)) + np.random.default_rng(100 + seed).normal(0, NOISE, (len(t), 2))
    return table(path, "t,q1,q2,tau1,tau2", t, q * at(t)[0], tau * forces)


identify = partial(run, "identify", "--no-physical")


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """A description with other masses and no friction."""
    revolute.save(ARM.with_inertial_parameters(1.2 * ARM.inertial_parameters), tmp_path / "arm.toml")
    return tmp_path / "arm.toml"


def test_columns_with_the_names_of_joints_are_not_listed(arm: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "log.csv")
    assert "joint1 is q1, tau1; joint2 is q2, tau2\n" in identify(arm, path)[0]
    path.write_text(path.read_text().replace("q1,q2,tau1,tau2", "q.joint1,q.joint2,tau.joint1,tau.joint2", 1))
    assert "joint1 is" not in identify(arm, path)[0]


@pytest.mark.parametrize("rates", [(1000, 33), (33, 1000)])
def test_a_fit_at_one_rate_is_validated_at_another(arm: Path, tmp_path: Path, rates: tuple[int, int]) -> None:
    own, other = (log(tmp_path / f"{rate}.csv", rate=rate, seed=rate) for rate in rates)
    said, _ = identify(arm, own, "--validate", other)
    assert f"Validation log {other.name}: good: residuals of all 2 joints are below 10%" in said


def test_a_log_that_is_too_short_for_its_decimation_is_told(tmp_path: Path) -> None:
    samples = read_log(ARM, log(tmp_path / "a.csv")).samples(5.0, every=1)
    fit = revolute.identify(ARM, samples)
    needs = "no stretch without gaps has more than 10000 samples, which a decimation by 500 needs"
    assert_raises(InputError, needs, validate, fit, samples, decimate=500)


@pytest.mark.parametrize(("signs", "flip"), [
    ({"tau": [1, -1]}, "joint2"), ({"tau": [-1, 1]}, "joint1"), ({"tau": [-1, -1]}, "all"),
    ({"q": [1, -1]}, "q.joint2"),
])  # fmt: skip
def test_a_flipped_log_is_mended_by_what_the_message_says(
    arm: Path, tmp_path: Path, signs: dict[str, list[int]], flip: str
) -> None:
    right, wrong = log(tmp_path / "right.csv"), log(tmp_path / "wrong.csv", **signs)
    said, warned = identify(arm, wrong)
    assert ": good: " not in said and "; the log of the fit contradicts the robot: reversed\n" in said
    assert "reversed" in warned or "wrong sign" in warned
    (advice,) = set(re.findall(r"--flip (\S+)", warned))
    assert advice == flip and "read_log" not in warned
    mended, left = identify(arm, wrong, "--flip", advice)
    assert left == "" and mended.replace("wrong.csv", "right.csv") == identify(arm, right)[0]


def test_a_late_log_is_mended_by_what_the_message_says(arm: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "late.csv", late=0.0123)
    warned = identify(arm, path)[1]
    (advice,) = re.findall(r"--delay (\S+),", warned)
    assert float(advice) == pytest.approx(0.0123, abs=5e-4) and "samples(" not in warned
    for option in (advice, "auto"):
        said, left = identify(arm, path, "--delay", option)
        assert left == "" and "forces are read 12." in said and ": good: " in said
    assert identify(arm, log(tmp_path / "right.csv"), "--delay", "auto")[1] == ""


@pytest.mark.parametrize(("noise", "effort", "word"), [
    (0.08, None, "poor"), (0.08, 0.5, "poor"), (0.08, 2.0, "usable"), (0.08, 5.0, "usable"),
    (0.02, None, "usable"), (0.02, 1.0, "good"),
])  # fmt: skip
def test_a_residual_is_small_beside_the_rated_effort_too(
    tmp_path: Path, noise: float, effort: float | None, word: str
) -> None:
    """Some 70 % and 20 % of the signal after the low-pass. Of the rated effort, 1 % is good only below 30 %."""
    link = revolute.Link("rod", revolute.Inertia.from_com(0.1, (0, 0, 0), np.diag([0.01, 0.01, 0.005])))
    limits = revolute.Limits(effort=(effort,) if effort else ())
    connection = revolute.Joint("axle", "base", "rod", revolute.Revolute((0, 0, 1)), limits=limits)
    robot = revolute.Robot.from_links("rotor", [revolute.Link("base"), link], [connection])
    revolute.save(robot, tmp_path / "arm.toml")
    for seed, name in enumerate(("a.csv", "b.csv")):
        t = np.arange(3000) / 100
        tau = -0.005 * 9 * np.sin(3 * t) + np.random.default_rng(seed).normal(0, noise, len(t))
        table(tmp_path / name, "t,q.axle,tau.axle", t, np.sin(3 * t), tau)
    said, _ = identify(tmp_path / "arm.toml", tmp_path / "a.csv", "--validate", tmp_path / "b.csv")
    assert f"Validation log b.csv: {word}: " in said
    assert ("30% if below 1% of the rated effort" in said) == (word == "good")
    row = next(line.split() for line in said.splitlines() if line.split()[:1] == ["axle"])
    assert all(0.25 < float(x) / noise < 0.6 for x in row[1:3])  # on this log, and on that of the fit
    assert row[5] == (f"{float(row[1]) / effort:.1%}" if effort else "–")


def test_known_combinations_are_named_with_their_values(arm: Path, tmp_path: Path) -> None:
    said, _ = identify(arm, log(tmp_path / "a.csv"))
    assert "Known combinations of parameters" in said and "poorly excited" not in said
    line = next(line for line in said.splitlines() if line.split()[:1] == ["joint1.friction"])
    assert float(line.split()[1]) == pytest.approx(1.0, abs=0.1)
