"""Logs that can be read once, and files that are read ahead: the same fit as of samples in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import revolute
from revolute import InputError, TrajectoryError
from revolute.identification import ForceModel, Samples, read_log
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.forces.base_parameters import base_columns
from revolute.identification.log.passes import SAMPLES, Passes
from revolute.io.ahead import ahead

ARM = revolute.robots.planar(1)


def samples(count: int = 6000) -> Samples:
    t = np.arange(count) / 500
    q, qd, qdd = (f[:, None] for f in (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)))
    noise = np.random.default_rng(0).normal(0, 0.05, q.shape)
    return Samples(t, q, qd, qdd, ARM.inverse_dynamics(q, qd, qdd) + noise)


def blocks(whole: Samples) -> Iterator[Samples]:
    return (whole[k : k + 1000] for k in range(0, len(whole), 1000))


@pytest.mark.parametrize("estimator", ["weighted", "huber"])
def test_an_iterator_gives_the_fit_of_its_samples(estimator: str) -> None:
    whole = samples()
    once = revolute.identify(ARM, blocks(whole), estimator=estimator)
    np.testing.assert_array_equal(once.values, revolute.identify(ARM, [*blocks(whole)], estimator=estimator).values)


def test_regressors_that_are_not_kept_are_computed_anew() -> None:
    model = ForceModel(ARM)
    rows = BaseEquations(model, base_columns(model), blocks(samples()), kept=1)
    first, again = ([chunk.Y for chunk in rows] for _ in range(2))
    np.testing.assert_array_equal(np.concatenate(first), np.concatenate(again))


def test_iterators_that_fill_the_memory_are_refused() -> None:
    with pytest.raises(InputError, match="has more than 256 MB of samples"):
        list(Passes(blocks(samples()), 1000 * 8 * 5))  # a block has 1000 rows of 5 numbers


def test_passes_may_end_early() -> None:
    again = Passes(blocks(samples()), SAMPLES)
    assert len(next(iter(again))) == 1000
    assert [len(block) for block in again] == [len(block) for block in again] == [1000] * 6


def test_errors_of_what_is_read_ahead_come_through() -> None:
    def source() -> Iterator[int]:
        yield from (1, 2, 3)
        raise TrajectoryError("line 5")

    with ahead(source()) as numbers:
        assert next(numbers) == 1
        with pytest.raises(TrajectoryError, match="line 5"):
            list(numbers)


def test_a_reader_that_ends_early_leaves_no_thread(tmp_path: Path) -> None:
    import threading

    t = np.arange(100_000) / 1000
    text = "t,q1,tau1\n" + "".join(f"{x:.3f},{np.sin(x):.6f},{np.cos(x):.6f}\n" for x in t)
    (tmp_path / "a.csv").write_text(text)
    before = threading.active_count()
    rows = read_log(ARM, tmp_path / "a.csv").rows(1000)
    assert len(next(rows)) == 1000
    rows.close()
    assert threading.active_count() == before
