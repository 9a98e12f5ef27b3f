"""Dask and xarray: lazy, with NumPy's numbers, names kept; a cluster of two processes."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")
xarray = pytest.importorskip("xarray")
pandas = pytest.importorskip("pandas")
NAMES = ["joint1", "joint2"]


@pytest.fixture(scope="module")
def arm() -> Any:
    return revolute.robots.planar(2)


@pytest.fixture(scope="module")
def state() -> Any:
    return np.random.default_rng(7).standard_normal((3, 10, 2))


@pytest.fixture
def lazy(state: Any) -> list[Any]:
    return [da.from_array(x, chunks=(4, 2)) for x in state]


@pytest.fixture
def named(state: Any) -> list[Any]:
    coords = {"time": np.arange(10.0), "joint": NAMES}
    return [xarray.DataArray(x, dims=("time", "joint"), coords=coords) for x in state]


@pytest.fixture
def frame(state: Any) -> Any:
    columns = {f"{x}.{n}": state[i][:, k] for i, x in enumerate(("q", "qd", "qdd")) for k, n in enumerate(NAMES)}
    return dd.from_pandas(pandas.DataFrame(columns, index=np.arange(10) * 2), npartitions=3)


def same(found: Any, wanted: Any) -> None:
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for ours, theirs in pairs:
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_array_equal(np.asarray(ours.compute(scheduler="threads")), theirs)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics_partials", "kinetic_energy", "mass_matrix"])
def test_blocks_have_numpys_numbers_shapes_and_types(arm: Any, state: Any, lazy: Any, name: str) -> None:
    count = len(arm.kernel(name).inputs)
    same(arm.dask(name)(*lazy[:count]), arm.kernel(name)(*state[:count]))
    single = [x.astype(np.float32) for x in state[:count]]
    same(arm.dask(name)(*[da.from_array(x) for x in single]), arm.kernel(name, dtype=np.float32)(*single))


def test_options_whole_numbers_and_positions_with_quaternions(arm: Any, state: Any) -> None:
    q = da.from_array(state[0], chunks=(3, 2))
    same(arm.dask("jacobian", frame="tip")(q), arm.jacobian(state[0], "tip"))
    same(arm.dask.mass_matrix(da.ones((4, 2), dtype=int)), arm.mass_matrix(np.ones((4, 2))))
    tree = revolute.robots.random_tree(2, rng=1, base="free")
    x = np.random.default_rng(3).uniform(0.2, 0.9, (5, tree.nq))
    same(tree.dask.mass_matrix(da.from_array(x, chunks=(2, -1))), tree.mass_matrix(x))
    matrix = tree.dask.mass_matrix(xarray.DataArray(x, dims=("row", "joint")))
    assert matrix.dims == ("row", "joint", "joint_2") and list(matrix.joint.values) == list(tree.coordinate_names)


def test_leading_axes_broadcast_whatever_their_chunks(arm: Any, state: Any, lazy: Any) -> None:
    q, qd, qdd = state
    f = arm.dask.inverse_dynamics
    same(f(lazy[0], qd, qdd[0]), arm.inverse_dynamics(q, qd, qdd[0]))
    same(f(lazy[0], lazy[1].rechunk((7, 2)), lazy[2][:1]), arm.inverse_dynamics(q, qd, qdd[:1]))
    both = f(lazy[0][:, None], lazy[1][None], lazy[2][0])
    same(both, arm.inverse_dynamics(q[:, None], qd[None], qdd[0]))
    same(f(*[x[0] for x in lazy]), arm.inverse_dynamics(q[0], qd[0], qdd[0]))


def test_nothing_is_computed_before_it_is_asked_for(arm: Any, lazy: Any, named: Any, frame: Any) -> None:
    labelled, message = [x.chunk(time=3) for x in named], r"computed at once; use the functions of robot\.dask"
    with dask.config.set(scheduler=NotImplemented):  # whoever computes fails
        arm.dask.inverse_dynamics(*lazy)
        arm.dask.inverse_dynamics(frame)
        assert arm.dask.inverse_dynamics(*labelled).chunks == ((3, 3, 3, 1), (2,))
        for arrays in (lazy, labelled, [frame] * 3):
            assert_raises(revolute.DtypeError, message, arm.inverse_dynamics, *arrays)


def test_equal_work_has_one_name(arm: Any, lazy: Any) -> None:
    again = revolute.robots.planar(2)
    assert arm.dask.inverse_dynamics(*lazy).name == again.dask.inverse_dynamics(*lazy).name
    assert (
        arm.dask.inverse_dynamics(*lazy).name != revolute.robots.planar(2, mass=2.0).dask.inverse_dynamics(*lazy).name
    )


def test_a_worker_makes_a_kernel_once(arm: Any, state: Any) -> None:
    from revolute.bridges.dask import arrays

    task = pickle.dumps(arrays.RemoteKernel(arm.kernel("inverse_dynamics")))
    before = arrays._kernel.cache_info().misses
    for _ in range(3):
        np.testing.assert_array_equal(pickle.loads(task)(*state), arm.inverse_dynamics(*state))
    assert arrays._kernel.cache_info().misses <= before + 1


def test_names_and_coordinates_are_kept(arm: Any, state: Any, named: Any) -> None:
    wanted = arm.inverse_dynamics(*state)
    f = arm.dask.inverse_dynamics
    for arrays in (named, [x.chunk(time=4) for x in named]):
        found = f(*arrays)
        assert found.name == "tau" and found.dims == ("time", "joint") and list(found.joint.values) == NAMES
        np.testing.assert_array_equal(found.time, named[0].time)
        np.testing.assert_array_equal(found.values, wanted)
    by_name = f(named[0].isel(joint=[1, 0]), named[1].transpose(), named[2].drop_vars("joint"))
    np.testing.assert_array_equal(by_name.values, wanted)
    partials = arm.dask.forward_dynamics_partials(*named)
    assert [x.name for x in partials] == [name for name, _ in arm.kernel("forward_dynamics_partials").outputs]


def test_columns_by_name(arm: Any, state: Any, frame: Any) -> None:
    shuffled = frame[list(frame.columns)[::-1]]
    found = arm.dask.inverse_dynamics(shuffled)
    assert list(found.columns) == ["tau.joint1", "tau.joint2"] and found.npartitions == 3
    computed = found.compute(scheduler="threads")
    np.testing.assert_array_equal(computed, arm.inverse_dynamics(*state))
    np.testing.assert_array_equal(computed.index, np.arange(10) * 2)
    pandas.testing.assert_frame_equal(found._meta, computed.iloc[:0])
    matrix = arm.dask.mass_matrix(frame)
    assert list(matrix.columns)[:2] == ["M.joint1.joint1", "M.joint1.joint2"]
    np.testing.assert_array_equal(matrix.compute(scheduler="threads"), arm.mass_matrix(state[0]).reshape(10, 4))


def test_what_is_wrong_is_told_before_anything_runs(arm: Any, state: Any, lazy: Any, named: Any, frame: Any) -> None:
    f, (q, qd, qdd), (first, *others) = arm.dask.inverse_dynamics, lazy, named
    unknown = frame[["q.joint1", "q.joint2"]].to_dask_array()
    for kind, message, given in (
        (revolute.InputError, r"q has its core axes.*q\.rechunk\(\{-1: -1\}\)", [q.rechunk((4, 1)), qd, qdd]),
        (revolute.InputError, "unknown lengths", [unknown, qd, qdd]),
        (revolute.ShapeError, r"no column 'q\.joint2'", [frame.drop(columns="q.joint2")]),
        (revolute.DtypeError, r"'qd\.joint1' must hold real numbers", [frame.assign(**{"qd.joint1": "a"})]),
        (revolute.ShapeError, "no dimension 'joint'; it has: time, axis", [first.rename(joint="axis"), *others]),
        (revolute.ShapeError, "the joints a, b, but needs joint1, ", [first.assign_coords(joint=["a", "b"]), *others]),
        (revolute.ShapeError, "the arrays are not compatible", [first.isel(time=slice(3)), *others]),
        (revolute.InputError, "its axes need names", [state[0], *others]),
        (revolute.InputError, "2 chunks", [first.chunk(joint=1, time=4), *others]),
    ):
        assert_raises(kind, message, f, *given)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the cluster: ports that are taken, and the like
def test_a_cluster_of_two_processes(arm: Any, state: Any, lazy: Any, frame: Any, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=tmp_path
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = arm.dask.inverse_dynamics(*lazy).compute()
        np.testing.assert_array_equal(found, arm.inverse_dynamics(*state))
        frame.to_parquet(tmp_path / "in")
        arm.dask.inverse_dynamics(dd.read_parquet(tmp_path / "in")).to_parquet(tmp_path / "out")
        written = pandas.read_parquet(tmp_path / "out")
        np.testing.assert_array_equal(written, found)
        assert list(written.columns) == ["tau.joint1", "tau.joint2"]
        assert len(client.scheduler_info()["workers"]) == 2
