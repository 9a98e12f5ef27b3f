"""PyTorch's operators of functions: compiled, batched, differentiated either way, for all functions of robots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from machine_code import MACHINES, functions

import revolute
from revolute.machine.ways_out import Bridged

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:`torch.jit:{kind}") for kind in ("FutureWarning", "DeprecationWarning")
]  # torch's own

FEW = ("inverse_dynamics", "forward_dynamics_partials")
"""Functions of the run without slow tests: one result, and several."""


ROBOTS = {kind: MACHINES[kind]() for kind in ("arm", "floating", "driven")}
EACH = [(kind, name) for kind, robot in ROBOTS.items() for name in functions(robot)]
CASES = [
    pytest.param("arm", FEW, id="few"),
    *(pytest.param(kind, (name,), id=f"{kind}-{name}", marks=pytest.mark.slow) for kind, name in EACH),
]


def some(kind: str, chosen: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Some functions of a robot. A planar arm has task-space dynamics in the two coordinates that it can move."""
    robot = ROBOTS[kind]
    for name in chosen:
        rows = {"rows": (3, 4)} if kind != "floating" and "rows" in type(robot).functions()[name].options else {}
        yield name, robot.torch(name, **functions(robot)[name], **rows)


def arrays(function: Any, *batch: int, seed: int = 5) -> list[Any]:
    """Arguments between 0.2 and 0.9, where every function exists."""
    rng = np.random.default_rng(seed)
    return [torch.tensor(rng.uniform(0.2, 0.9, (*batch, *x.shape))) for x in function.inputs]


def several(results: Any) -> tuple[Any, ...]:
    return (results,) if isinstance(results, torch.Tensor) else tuple(results)


def close(ours: Any, theirs: Any, name: str, tolerance: float = 0.0) -> None:
    """Equal within a share of the largest entry."""
    for x, y in zip(several(ours), several(theirs), strict=True):
        scale = max(1.0, float(y.detach().nan_to_num().abs().max())) if y.numel() else 1.0
        torch.testing.assert_close(
            x, y, rtol=0, atol=tolerance * scale, equal_nan=True, msg=lambda text: f"{name}: {text}"
        )


# --- torch.compile ---------------------------------------------------------------------------


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize(("kind", "chosen"), CASES)
def test_compiled_whole_for_any_batch(kind: str, chosen: tuple[str, ...], dynamic: bool | None) -> None:
    """From the second batch size on, or at once if asked for, shapes are symbols."""
    for name, f in some(kind, chosen):
        torch.compiler.reset()
        backend = "eager" if chosen is FEW else "aot_eager"
        whole = torch.compile(lambda *a, f=f: several(f(*a)), fullgraph=True, backend=backend, dynamic=dynamic)
        for rows in (3, 5):
            x = arrays(f, rows)
            close(whole(*x), f(*x), name)
        if chosen is not FEW and len(f.inputs) > 1:
            x = [a if k else a[0] for k, a in enumerate(arrays(f, 4))]  # one state among several
            close(whole(*x), f(*x), name)


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", [None, True])
def test_gradients_and_transformations_are_compiled_whole(dynamic: bool | None) -> None:
    """Every transformation, inside of what is compiled: forward derivatives are no zeros."""
    f, func = MACHINES["arm"]().torch.inverse_dynamics, torch.func
    q, qd, qdd = torch.rand(3, 2, dtype=torch.float64)
    rows = torch.rand(4, 2, dtype=torch.float64)

    def energy(q: Any) -> Any:
        return f(q, qd, qdd).square().sum()

    of_fixed_shape = [  # of symbols PyTorch does not compile these, of its own functions either
        (torch.vmap(func.jacfwd(energy)), rows),
        (lambda q: func.jvp(energy, (q,), (qd,)), q),
    ]
    for transformed, x in (
        (func.grad(energy), q),
        (func.jacrev(lambda q: f(q, qd, qdd)), q),
        (func.jacfwd(lambda q: f(q, qd, qdd)), q),
        (func.hessian(energy), q),
        *([] if dynamic else of_fixed_shape),
    ):
        torch.compiler.reset()
        whole = torch.compile(transformed, fullgraph=True, backend="aot_eager", dynamic=dynamic)
        close(whole(x), transformed(x), "", 1e-13)


@pytest.mark.slow
def test_gradients_of_compiled_code_at_two_batch_sizes() -> None:
    f = MACHINES["driven"]().torch.forward_dynamics
    torch.compiler.reset()
    whole = torch.compile(lambda *a: f(*a).sin(), fullgraph=True, backend="aot_eager")
    for rows in (3, 5):
        x = [a.requires_grad_() for a in arrays(f, rows)]
        weights = torch.rand(rows, 2, dtype=torch.float64)
        close(torch.autograd.grad(whole(*x), x, weights), torch.autograd.grad(f(*x).sin(), x, weights), "", 1e-14)


def test_calls_by_name_and_plain_lists_are_compiled_whole() -> None:
    f, q = MACHINES["arm"]().torch.inverse_dynamics, torch.rand(3, 2, dtype=torch.float64)
    whole = torch.compile(lambda q: f(q, qdd=[0.0, 1.0], qd=np.ones(2)), fullgraph=True, backend="eager")
    close(whole(q), f(q, [1.0, 1.0], [0.0, 1.0]), "")


def test_what_does_not_fit_raises_our_errors_from_compiled_code() -> None:
    f = MACHINES["arm"]().torch.inverse_dynamics
    compiled, q = torch.compile(lambda *a: f(*a), backend="eager"), torch.rand(3, 2, dtype=torch.float64)
    assert_raises(revolute.ShapeError, "leading axes do not broadcast", compiled, q, q[:2], q)
    assert_raises(revolute.ShapeError, r"qd has shape \(3, 1\)", compiled, q, q[:, :1], q)


@pytest.mark.filterwarnings("ignore:`torch.jit.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:`torch.jit.*:FutureWarning")
@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")  # sizes are tensors to it
def test_what_records_operators_gets_them() -> None:
    """Not the numbers of the call that was recorded."""
    from torch.fx.experimental.proxy_tensor import make_fx

    f, (a, b) = MACHINES["arm"]().torch.gravity_forces, torch.rand(2, 2, dtype=torch.float64)
    for mode in ("real", "fake", "symbolic"):
        close(make_fx(f, tracing_mode=mode)(a)(b), f(b), mode)
    close(torch.jit.trace(f, (a,))(b), f(b), "jit")


def test_an_operators_name_stands_for_its_function() -> None:
    """Caches of compiled graphs hold it: in another process it must not be that of another robot."""
    from revolute.bridges.torch.operator import operator

    def of(robot: Any, name: str) -> Any:
        return operator(Bridged(robot).source(name, {}))

    assert of(MACHINES["arm"](), "mass_matrix") is of(MACHINES["arm"](), "mass_matrix")
    others = [of(revolute.robots.planar(3), "mass_matrix"), of(MACHINES["arm"](), "gravity_forces")]
    others += [operator(Bridged(MACHINES["arm"]()).source("mass_matrix", {}).adjoint)]
    assert of(MACHINES["arm"](), "mass_matrix") not in others


# --- derivatives of batches ------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "chosen"), CASES)
def test_vectorized_jacobians_are_the_others(kind: str, chosen: tuple[str, ...]) -> None:
    """The same kernels, row by row: the same bits. Forward mode sums in another order, some 1e3 operations."""
    for name, f in some(kind, chosen):
        x = tuple(arrays(f))

        def flat(*a: Any, f: Any = f) -> Any:
            return torch.cat([y.reshape(-1) for y in several(f(*a))])

        assert flat(*x).isfinite().all(), name
        jacobian = torch.autograd.functional.jacobian
        plain = jacobian(flat, x)
        close(jacobian(flat, x, vectorize=True), plain, name)
        close(jacobian(flat, x, vectorize=True, strategy="forward-mode"), plain, name, 1e-11)
        leaves = [a.clone().requires_grad_() for a in x]
        y = flat(*leaves)
        eye = torch.eye(len(y), dtype=y.dtype)
        close(torch.autograd.grad(y, leaves, eye, is_grads_batched=True), plain, name)


def test_vectorized_second_derivatives() -> None:
    f, (q, qd, qdd) = MACHINES["arm"]().torch.inverse_dynamics, torch.rand(3, 2, dtype=torch.float64)
    hessian = torch.autograd.functional.hessian

    def energy(q: Any, qd: Any) -> Any:
        return f(q, qd, qdd).square().sum()

    plain = hessian(energy, (q, qd))
    for strategy in ("reverse-mode", "forward-mode"):
        found = hessian(energy, (q, qd), vectorize=True, outer_jacobian_strategy=strategy)
        for ours, theirs in zip(found, plain, strict=True):
            close(tuple(x.detach() for x in ours), theirs, strategy, 1e-12)
    leaves = [x.clone().requires_grad_() for x in (q, qd)]
    first = torch.autograd.grad(energy(*leaves), leaves, create_graph=True)[0]
    rows = torch.autograd.grad(first, leaves, torch.eye(2, dtype=q.dtype), is_grads_batched=True)
    close(rows, plain[0], "batched", 1e-12)


def test_derivatives_of_third_order_in_every_order_of_modes() -> None:
    f, q = MACHINES["arm"]().torch.potential_energy, torch.rand(2, dtype=torch.float64)
    modes = torch.func.jacrev, torch.func.jacfwd
    wanted = torch.func.jacrev(torch.func.jacrev(torch.func.jacrev(f)))(q)
    assert wanted.abs().max() > 0.1
    for a in modes:
        for b in modes:
            for c in modes:
                close(a(b(c(f)))(q), wanted, f"{a.__name__} {b.__name__} {c.__name__}", 1e-13)


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")
@pytest.mark.parametrize(("kind", "chosen"), CASES)
def test_operators_keep_pytorchs_rules(kind: str, chosen: tuple[str, ...]) -> None:
    """Of the functions, and of their derivatives."""
    for name, f in some(kind, chosen[:1]):
        x = arrays(f, 2)
        weights = [torch.ones_like(y) for y in several(f(*x))]
        source = f._plain.args[0]
        from revolute.bridges.torch.operator import operator

        for made, given in ((source, x), (source.adjoint, [*x, *weights]), (source.tangent, [*x, *x])):
            given = [a.clone().requires_grad_() for a in given]
            assert set(torch.library.opcheck(operator(made), given).values()) == {"SUCCESS"}, name


# --- kinds of tensors ------------------------------------------------------------------------


def test_views_with_signs_to_be_changed() -> None:
    f, numbers = MACHINES["arm"]().torch.inverse_dynamics, torch.rand(2, dtype=torch.complex128, requires_grad=True)
    view, one = numbers.conj().imag, torch.ones(2, dtype=torch.float64)
    assert view.is_neg()
    for q in (view, view.detach()):
        close(f(q, one, one), f(-numbers.imag, one, one), "")
    ours, theirs = (torch.autograd.grad(f(q, one, one).sum(), numbers) for q in (view, -numbers.imag))
    close(ours, theirs, "")
    assert_raises(revolute.DtypeError, "q must hold real numbers, not torch", f, numbers.conj(), one, one)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int32", "bool", "uint8"])
def test_other_numbers_are_computed_with_in_float64(dtype: str) -> None:
    f, kind = MACHINES["arm"]().torch.inverse_dynamics, getattr(torch, dtype)
    q = torch.tensor([[1, 0], [1, 1]]).to(kind)
    assert f(q, q, q).dtype == torch.float64
    close(f(q, q, q), f(*[q.double()] * 3), dtype)
    if kind.is_floating_point:
        x = q.requires_grad_()
        (gradient,) = torch.autograd.grad(f(x, q.detach(), q.detach()).sum(), x)
        assert gradient.dtype == kind


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support:UserWarning")
def test_tensors_that_are_no_batches_are_refused() -> None:
    arm, one = MACHINES["arm"](), torch.ones(2, dtype=torch.float64)
    wrong = [(torch.nested.nested_tensor([one, one], layout=layout), r"q is a nested tensor.*unbind\(\)")
             for layout in (torch.strided, torch.jagged)]  # fmt: skip
    sparse = r"q is a sparse tensor; pass .\.to_dense\(\)"
    for tensor, message in (*wrong, (torch.eye(2).to_sparse(), sparse), (torch.eye(2).to_sparse_csr(), sparse)):
        for f in (arm.torch.gravity_forces, arm.gravity_forces):
            assert_raises(revolute.DtypeError, message, f, tensor)


def test_tensors_that_numpy_cannot_read_are_refused_by_its_methods() -> None:
    arm, z = MACHINES["arm"](), torch.ones(2, dtype=torch.complex128)
    for tensor, message in (
        (z.conj(), "must hold real numbers, not complex"),
        (z.conj().imag, r"x\.resolve_neg\(\)"),
        (torch.ones(2).bfloat16(), r"x\.double\(\).*BFloat16"),
        (torch._efficientzerotensor((2,)), "ZeroTensor"),
    ):
        for given in (tensor, [tensor, tensor]):
            assert_raises(revolute.DtypeError, message, arm.gravity_forces, given)
