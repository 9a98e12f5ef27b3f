"""JAX: transformations, derivatives of any order, types, loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import revolute

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def _double() -> None:
    jax.config.update("jax_enable_x64", True)


@pytest.fixture(scope="module")
def arm() -> Any:
    return revolute.robots.planar(3)


def state(arm: Any, *batch: int) -> np.ndarray:
    return np.random.default_rng(4).standard_normal((3, *batch, arm.nv))


def test_transformations_give_the_same_bits(arm: Any) -> None:
    q, qd, qdd = state(arm, 4, 5)
    f, wanted = arm.jax.inverse_dynamics, arm.inverse_dynamics(q, qd, qdd)
    for found in (f(q, qd, qdd), jax.jit(f)(q, qd, qdd), jax.vmap(jax.vmap(f))(q, qd, qdd)):
        np.testing.assert_array_equal(np.asarray(found), wanted)
    over_columns = jax.vmap(f, in_axes=(1, None, None))(q, qd[:, 0], qdd[:, 0])  # (5, 4, 3)
    np.testing.assert_array_equal(
        np.asarray(over_columns), arm.inverse_dynamics(np.moveaxis(q, 1, 0), qd[:, 0], qdd[:, 0])
    )


def test_derivatives_are_ours_and_consistent_to_second_order(arm: Any) -> None:
    from jax.test_util import check_grads

    x, f = state(arm), arm.jax.inverse_dynamics
    for jacobian in (jax.jacrev, jax.jacfwd):
        for ours, theirs in zip(arm.inverse_dynamics_partials(*x), jacobian(f, (0, 1, 2))(*x), strict=True):
            np.testing.assert_allclose(np.asarray(theirs), ours, atol=1e-12)  # entries up to 1e2
    check_grads(f, tuple(x), order=2, modes=("fwd", "rev"))
    check_grads(arm.jax.forward_dynamics, tuple(x), order=2, modes=("fwd", "rev"), atol=1e-3, rtol=1e-3)
    native, pure = (arm.jax("potential_energy", native=kind) for kind in (True, False))
    np.testing.assert_allclose(jax.hessian(native)(x[0]), jax.hessian(pure)(x[0]), atol=1e-12)


def test_quaternions_are_four_numbers() -> None:
    body = revolute.robots.random_tree(2, rng=3, base="free")
    q = body.random_configuration(rng=0)
    native, pure = (body.jax("potential_energy", native=kind) for kind in (True, False))
    np.testing.assert_allclose(jax.grad(native)(q), jax.grad(pure)(q), atol=1e-12)


def test_a_loop_inside_of_xla(arm: Any) -> None:
    q, qd, _ = state(arm)
    forward, h = arm.jax.forward_dynamics, 1e-3

    @jax.jit
    def fall(q: Any, qd: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            q, qd = state
            qd = qd + h * forward(q, qd, jnp.zeros(3))
            return (q + h * qd, qd), q

        return jax.lax.scan(step, (q, qd), None, length=100)[0]

    found = fall(q, qd)
    wanted = arm.simulate(q, qd, None, h * np.arange(101), "semi_implicit_euler")
    np.testing.assert_allclose(np.asarray(found[0]), wanted.q[-1], atol=1e-12)  # roundings grow


def test_types_and_several_results(arm: Any) -> None:
    q, qd, tau = state(arm)
    partials = arm.jax.forward_dynamics_partials
    found = partials(q, qd, tau)
    for ours, theirs in zip(found, arm.forward_dynamics_partials(q, qd, tau), strict=True):
        np.testing.assert_array_equal(np.asarray(ours), theirs)
    single = arm.jax.mass_matrix(jnp.asarray(q, jnp.float32))
    assert single.dtype == jnp.float32
    np.testing.assert_array_equal(np.asarray(single), arm.mass_matrix(q.astype(np.float32)))
    J = arm.jax("jacobian", frame="tip")
    np.testing.assert_array_equal(np.asarray(J(q)), arm.jacobian(q, "tip"))
    grads = jax.grad(lambda q: partials(q, qd, tau)[2].sum())(q)  # of one result among three
    assert np.isfinite(grads).all() and dir(arm.jax).count("jacobian") == 1
    assert repr(J) == "<jacobian(q) for JAX>" and repr(arm.jax) == "<functions of 'planar3' for JAX>"


def test_learning_inertial_parameters(arm: Any) -> None:
    f = arm.jax("inverse_dynamics", parameters="inertial")
    x = state(arm, 20)
    pi = arm.inertial_parameters
    tau = arm.inverse_dynamics(*x)
    gradient = jax.grad(lambda p: ((f(*x, p) - tau) ** 2).sum())(1.1 * pi)
    Y = arm.regressor(*x).reshape(-1, pi.size)
    np.testing.assert_allclose(gradient.ravel(), 2 * Y.T @ (Y @ (1.1 * pi.ravel()) - tau.ravel()), rtol=1e-9, atol=1e-9)


def test_traced_arrays_are_refused_elsewhere(arm: Any) -> None:
    with pytest.raises(revolute.DtypeError, match=r"gravity_forces: q is traced by JAX; use the functions of"):
        jax.jit(arm.gravity_forces)(jnp.zeros(3))
    np.testing.assert_array_equal(arm.gravity_forces(jnp.zeros(3)), arm.gravity_forces(np.zeros(3)))
