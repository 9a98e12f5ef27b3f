"""What is wrong with a log is told by `identify` itself, so that no model of a bad log comes out in silence."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from recorded import arm, named, noisy, truth

import revolute
from revolute import InputError, ModelWarning
from revolute.identification import ForceModel, read_log

Arrays = dict[str, np.ndarray]


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


def test_damaged_logs_are_told() -> None:
    log = noisy(truth())
    swapped = messages(log | {"tau": log["tau"][:, [0, 2, 1, 3, 4, 5]]})
    assert "forces of 'shoulder_lift_joint' and 'elbow_joint' seem to be exchanged" in swapped


def test_a_good_log_is_fitted_in_silence(tmp_path: Path) -> None:
    assert messages(noisy(truth())) == "" == messages(write(tmp_path / "log.csv", noisy(truth())))


def test_samples_blocks_and_iterators_are_looked_at() -> None:
    samples = truth()
    turned = replace(samples, tau=samples.tau * [1, 1, -1, 1, 1, 1])
    blocks = [turned[k : k + 300] for k in range(0, len(turned), 300)]
    for log in (turned, blocks, iter(blocks)):
        with pytest.warns(ModelWarning, match="samples: friction of 'elbow_joint' accelerates it"):
            fit = revolute.identify(arm(), log)
        assert fit.rows == 6 * len(samples)
    quiet = revolute.identify(arm(), turned, check=False)
    np.testing.assert_allclose(quiet.values, fit.values, rtol=1e-9, atol=1e-9)  # sums in another order


def test_robots_without_joints_are_refused() -> None:
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    table = revolute.load(
        f'<robot name="table"><link name="top"><inertial><mass value="1"/>{inertia}</inertial></link></robot>'
    )
    with pytest.raises(InputError, match="robot 'table' has no moving joint"):
        ForceModel(table)
    with pytest.raises(InputError, match="robot 'table' has no moving joint"):
        revolute.identify(table, "log.csv")
    with pytest.raises(InputError, match="robot 'table' has no moving joint"):
        read_log(table, {"t": np.arange(3.0)})


@pytest.mark.parametrize("log", [3, [3], {"t": np.arange(3.0)}, None])
def test_what_is_no_log_is_refused(log: object) -> None:
    with pytest.raises(InputError, match="a log"):
        revolute.identify(revolute.robots.planar(1), log)  # type: ignore[arg-type]
