"""PyTorch: gradients of any order, torch.func, torch.compile, and modules that learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute.model.pseudo_inertia import pseudo_inertia

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:`torch.jit:{kind}") for kind in ("FutureWarning", "DeprecationWarning")
]  # torch's own


@pytest.fixture(scope="module")
def arm() -> Any:
    return revolute.robots.random_tree(3, rng=2, branching=0.0, prismatic=0.0)


def state(arm: Any, *batch: int) -> list[Any]:
    return [torch.tensor(x) for x in np.random.default_rng(4).standard_normal((3, *batch, arm.nv))]


def test_tensors_give_the_same_bits_without_copies(arm: Any) -> None:
    x = state(arm, 4, 5)
    found = arm.torch.inverse_dynamics(*x)
    np.testing.assert_array_equal(found.numpy(), arm.inverse_dynamics(*[a.numpy() for a in x]))
    single = arm.torch.mass_matrix(x[0].float())
    assert single.dtype == torch.float32
    np.testing.assert_array_equal(single.numpy(), arm.mass_matrix(x[0].float().numpy()))
    mixed = arm.torch.inverse_dynamics(x[0].float(), *x[1:])
    assert mixed.dtype == torch.float64
    assert arm.torch.inverse_dynamics(x[0].float().requires_grad_(), *x[1:]).dtype == torch.float64
    for ours, theirs in zip(
        arm.torch.forward_dynamics_partials(*x), arm.forward_dynamics_partials(*[a.numpy() for a in x]), strict=True
    ):
        np.testing.assert_array_equal(ours.numpy(), theirs)
    assert arm.torch.inverse_dynamics([0.0] * 3, x[1], x[2]).shape == (4, 5, 3)


def test_gradients_of_first_and_second_order(arm: Any) -> None:
    for function in (arm.torch.inverse_dynamics, arm.torch.forward_dynamics):
        x = [a.requires_grad_() for a in state(arm, 2)]
        assert torch.autograd.gradcheck(function, x, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(function, x, atol=1e-4, rtol=1e-3)


def test_gradients_are_summed_over_what_was_broadcast(arm: Any) -> None:
    q, qd, qdd = state(arm, 6)
    one = qd[0].clone().requires_grad_()
    arm.torch.inverse_dynamics(q, one, qdd).sum().backward()
    full = qd[0].expand(6, 3).clone().requires_grad_()
    arm.torch.inverse_dynamics(q, full, qdd).sum().backward()
    torch.testing.assert_close(one.grad, full.grad.sum(0))


def test_axes_of_vmap(arm: Any) -> None:
    (q, qd, qdd), f = state(arm, 4), arm.torch.inverse_dynamics
    torch.testing.assert_close(torch.vmap(f, (0, None, 1))(q, qd[0], qdd.T), f(q, qd[0], qdd), rtol=0, atol=0)


def test_a_module_learns_masses_of_real_bodies(arm: Any) -> None:
    bodies = revolute.torch.InertialParameters(arm)
    torch.testing.assert_close(bodies(), torch.tensor(arm.inertial_parameters), rtol=1e-12, atol=1e-12)
    f, x = arm.torch("inverse_dynamics", parameters="inertial"), state(arm, 50)
    wanted = f(*x, 1.2 * torch.tensor(arm.inertial_parameters))
    optimizer = torch.optim.Adam(bodies.parameters(), lr=0.05)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = (f(*x, bodies()) - wanted).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]
    learned = bodies().detach().numpy()
    assert (learned[:, 0] > 0).all() and (np.linalg.eigvalsh([pseudo_inertia(p) for p in learned]) > 0).all()


def test_chosen_bodies_alone_may_change(arm: Any) -> None:
    bodies = revolute.torch.InertialParameters(arm, [arm.bodies[2].name])
    assert bodies.theta.shape == (1, 10)
    with torch.no_grad():
        bodies.theta += 0.1
    changed = (bodies() - torch.tensor(arm.inertial_parameters)).abs().amax(1) > 1e-9
    assert changed.tolist() == [False, True, False]
    make, rods = revolute.torch.InertialParameters, revolute.robots.planar(2)  # without thickness
    assert_raises(revolute.InputError, "link 'link1' has parameters that are physically inconsistent", make, rods)
    assert_raises(revolute.InputError, "needs a robot without drives", make, arm.with_drives())
    assert_raises(revolute.UnknownNameError, "no moving link 'nothing'", make, arm, ["nothing"])


def test_tensors_that_numpy_must_not_take_are_refused(arm: Any) -> None:
    f, own = arm.gravity_forces, arm.torch.gravity_forces
    for function, tensor, message in (
        (f, torch.zeros(3, requires_grad=True), r"gravity_forces: q requires a gradient.*robot\.torch"),
        (f, torch.zeros(3, device="meta"), "is on the device meta"),
        (own, torch.zeros(3, device="meta"), "is on the device meta"),
        (torch.vmap(f), torch.zeros(2, 3), r"traced by torch\.func or torch\.compile"),
    ):
        assert_raises(revolute.DtypeError, message, function, tensor)
    np.testing.assert_array_equal(arm.gravity_forces(torch.zeros(3)), arm.gravity_forces(np.zeros(3)))
