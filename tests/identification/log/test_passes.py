"""Rows of least squares are the same in every pass, wherever they were kept; logs that can be read only once."""

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_raises
from recorded import arm, noisy, sampled, truth

import revolute
from revolute import InputError
from revolute.identification import ForceModel, Samples, read_log
from revolute.identification.fit.equations import BaseEquations, Chunk
from revolute.identification.forces.base_parameters import base_columns
from revolute.identification.log.blocks import Passes


def chunks(count: int) -> Iterator[Chunk]:
    rng = np.random.default_rng(0)
    for k in range(count):
        tau = rng.normal(size=(100 - k, 3))
        tau[::7, k % 3] = np.nan
        yield Chunk(rng.normal(size=(100 - k, 3, 4)), tau, k % 3 != 0)


def kept(in_memory: int, in_file: int, count: int = 10) -> Passes[Chunk]:
    """Chunks after a first pass."""
    found = Passes(lambda: chunks(count), in_memory, in_file)
    assert len(list(found)) == count
    return found


def assert_same(a: Passes[Chunk], b: list[Chunk]) -> None:
    assert [x.continues for x in a] == [x.continues for x in b]
    for x, y in zip(a, b, strict=True):
        assert np.array_equal(x.Y, y.Y)
        assert np.array_equal(x.tau, y.tau, equal_nan=True)


@pytest.mark.parametrize("in_memory", [0, 20_000, 10**6])
def test_chunks_come_back_as_they_were(in_memory: int) -> None:
    found = kept(in_memory, 10**6)
    assert found._store is not None
    for _ in range(2):
        assert_same(found, list(chunks(10)))
    for passes in (found, Passes(lambda: chunks(10), 0, 10**6)):  # side by side: later passes, and both first ones
        pairs = list(zip(passes, passes, strict=True))
        assert all(np.array_equal(x.Y, y.Y) for x, y in pairs) and len(pairs) == 10
        assert_same(passes, list(chunks(10)))


def test_without_room_for_a_file_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert kept(1000, 50_000)._store is None
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    assert kept(1000, 10**6)._store is None
    assert kept(10**6, 10**6)._store is not None


@pytest.mark.parametrize("room", range(106_000, 117_000, 1000))
def test_a_file_that_does_not_get_larger_is_given_up_at_once(room: int) -> None:
    """Not by the next pass, wherever in a chunk the room ends; ten chunks take 117 kB."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        found = kept(0, 10**6)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert found._store is None


@pytest.mark.parametrize("in_memory", [0, 10**9])
def test_decimated_rows_are_computed_once(in_memory: int) -> None:
    """The blocks of the log are asked for once, in spite of three passes."""
    log = read_log(arm(), noisy(truth(20.0)))
    read = []

    class Blocks:
        def __iter__(self) -> Iterator[object]:
            read.append(1)
            return log.blocks(8.0, torque_cutoff=np.inf, every=1)

    model = ForceModel(arm())
    equations = BaseEquations(model, base_columns(model), Blocks(), 5, kept=in_memory)
    first = list(equations)
    for _ in range(2):
        again = list(equations)
        assert all(np.array_equal(x.Y, y.Y) for x, y in zip(first, again, strict=True))
    assert len(read) == 1


ARM = revolute.robots.planar(1).with_drives()


def blocks() -> Iterator[Samples]:
    whole = sampled(ARM, 6000, 0.05, 500.0)
    return (whole[k : k + 1000] for k in range(0, 6000, 1000))


@pytest.mark.parametrize("estimator", ["weighted", "huber"])
def test_an_iterator_gives_the_fit_of_its_samples(estimator: str) -> None:
    once, again = (revolute.identify(ARM, log, estimator=estimator) for log in (blocks(), [*blocks()]))
    np.testing.assert_array_equal(once.values, again.values)


def test_iterators_that_fill_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("revolute.identification.log.blocks.SAMPLES", 2000 * 8 * 5)  # 1000 rows of 5 numbers a block
    assert_raises(InputError, "which can be read only once, and has more than", revolute.identify, ARM, blocks())


def test_a_reader_that_ends_early_leaves_no_thread(tmp_path: Path) -> None:
    t = np.arange(100_000) / 1000
    text = "t,q1,tau1\n" + "".join(f"{x:.3f},{np.sin(x):.6f},{np.cos(x):.6f}\n" for x in t)
    (tmp_path / "a.csv").write_text(text)
    before = threading.active_count()
    rows = read_log(ARM, tmp_path / "a.csv").rows(1000)
    assert len(next(rows)) == 1000
    rows.close()
    assert threading.active_count() == before
