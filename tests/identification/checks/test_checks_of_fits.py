"""What is wrong with a log is told by `identify` itself, so that no model of a bad log comes out in silence."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from recorded import arm, named, noisy, truth

import revolute
from revolute import InputError, ModelWarning
from revolute.identification import ForceModel, read_log

Arrays = dict[str, np.ndarray]


def degrees(x: Arrays) -> Arrays:
    return x | {"q": np.degrees(x["q"])}


def swapped(x: Arrays) -> Arrays:
    return x | {"tau": x["tau"][:, [0, 2, 1, 3, 4, 5]]}


def reversed_sign(x: Arrays) -> Arrays:
    return x | {"tau": x["tau"] * [1, 1, -1, 1, 1, 1]}


def amperes(x: Arrays) -> Arrays:
    return x | {"tau": x["tau"] / 20}


def two_clocks(x: Arrays) -> Arrays:
    return {"t": x["t"][8:], "q": x["q"][8:], "tau": x["tau"][:-8]}


def holes(x: Arrays) -> Arrays:
    q = x["q"].copy()
    q[100:120, 2] = np.nan
    return x | {"q": q}


def short(x: Arrays) -> Arrays:
    return {name: values[:400] for name, values in x.items()}


def at_rest(x: Arrays) -> Arrays:
    return x | {"q": x["q"] * [1, 1, 1, 1, 0, 1]}


DAMAGES = {
    degrees: "units='deg'",
    swapped: "forces of 'shoulder_lift_joint' and 'elbow_joint' seem to be exchanged",
    reversed_sign: "'elbow_joint' drives it",
    amperes: "if they are currents",
    two_clocks: "late",
    holes: "% of 'q.elbow_joint' are missing",
    short: "too few for",
    at_rest: "'wrist_2_joint' moved by less than",
}


def messages(log: Arrays | Path) -> str:
    """What `identify` warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        revolute.identify(arm(), log if isinstance(log, Path) else read_log(arm(), log))
    assert all(each.category is ModelWarning and each.filename == __file__ for each in caught)
    return "\n".join(str(each.message) for each in caught)


def write(path: Path, arrays: Arrays) -> Path:
    columns = named(arrays)
    rows = np.column_stack(list(columns.values()))
    np.savetxt(path, rows, "%.12g", ",", header=",".join(columns), comments="")
    return path


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda x: x.__name__)
def test_damaged_logs_are_told(damage: Callable[[Arrays], Arrays]) -> None:
    assert DAMAGES[damage] in messages(damage(noisy(truth())))


def test_a_good_log_is_fitted_in_silence(tmp_path: Path) -> None:
    assert messages(noisy(truth())) == "" == messages(write(tmp_path / "log.csv", noisy(truth())))


def test_samples_blocks_and_iterators_are_looked_at() -> None:
    samples = truth()
    turned = replace(samples, tau=samples.tau * [1, 1, -1, 1, 1, 1])
    blocks = [turned[k : k + 300] for k in range(0, len(turned), 300)]
    for log in (turned, blocks, iter(blocks)):
        with pytest.warns(ModelWarning, match="samples: friction of 'elbow_joint' drives it"):
            fit = revolute.identify(arm(), log)
        assert fit.rows == 6 * len(samples)
    quiet = revolute.identify(arm(), turned, check=False)
    np.testing.assert_allclose(quiet.values, fit.values, rtol=1e-9, atol=1e-9)  # sums in another order


def test_robots_without_joints_are_refused() -> None:
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    table = revolute.load(
        f'<robot name="table"><link name="top"><inertial><mass value="1"/>{inertia}</inertial></link></robot>'
    )
    with pytest.raises(InputError, match="robot 'table' has no joint that moves"):
        ForceModel(table)
    with pytest.raises(InputError, match="robot 'table' has no joint that moves"):
        revolute.identify(table, "log.csv")
    with pytest.raises(InputError, match="robot 'table' has no joint that moves"):
        read_log(table, {"t": np.arange(3.0)})


@pytest.mark.parametrize("log", [3, [3], {"t": np.arange(3.0)}, None])
def test_what_is_no_log_is_refused(log: object) -> None:
    with pytest.raises(InputError, match="a log"):
        revolute.identify(revolute.robots.planar(1), log)  # type: ignore[arg-type]
