"""What every bridge promises: all functions, all machines, NumPy's numbers; derivatives; clear errors."""

from __future__ import annotations

import ctypes
import importlib.util
import pickle
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from machine_code import MACHINES, functions

import revolute
from revolute.compiler.linearized import adjoint, tangent
from revolute.targets.numpy import evaluate

BRIDGES = {"jax": "jax", "jax without machine code": "jax", "torch": "torch", "dask": "dask"}
"""Those that take arrays of any number of rows, and their packages."""
STATES = ("c", "object")
"""Those that take one state: C, and the object file, with sines of our own."""
LARGEST = 1500
"""Nodes of a graph that XLA compiles here without our machine code: it takes minutes for more. That leaves out 16
functions of the floating robot, of its partial derivatives and regressors. All other bridges have all functions."""
USUAL = {
    *("inverse_dynamics", "forward_dynamics", "mass_matrix", "kinetic_energy", "velocity", "jacobian", "error"),
    "contact_step",
}
"""Functions of the run without slow tests."""

Call = Callable[..., Any]


def functions_of(machine: Any, bridge: str) -> Any:
    """All functions of a bridge."""
    pytest.importorskip(bridge)
    if bridge == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
    return getattr(machine, bridge)


def of_bridge(machine: Any, bridge: str, name: str, options: dict[str, Any]) -> Call:
    """A function of a bridge, with NumPy arrays out."""
    if bridge == "casadi":
        state, outputs = functions_of(machine, bridge)(name, **options), machine.kernel(name, **options).outputs

        def of_state(*arrays: np.ndarray) -> Any:
            results = state(*arrays) if len(outputs) > 1 else (state(*arrays),)
            shaped = tuple(np.array(x).reshape(shape) for x, (_, shape) in zip(results, outputs, strict=True))
            return shaped if len(outputs) > 1 else shaped[0]

        return of_rows(of_state)
    package = BRIDGES[bridge]
    function = functions_of(machine, package)(name, **options, **{} if package == bridge else {"native": False})

    def call(*arrays: np.ndarray) -> Any:
        found = function(*arrays)
        return tuple(map(np.asarray, found)) if isinstance(found, tuple) else np.asarray(found)

    return call


def of_rows(state: Call) -> Call:
    """A function of one state as one of three."""

    def call(*arrays: np.ndarray) -> Any:
        rows = [state(*[x[k] for x in arrays]) for k in range(3)]
        return tuple(map(np.stack, zip(*rows, strict=True))) if isinstance(rows[0], tuple) else np.stack(rows)

    return call


def of_c(machine: Any, bridge: str, chosen: dict[str, dict[str, Any]], folder: Path) -> Callable[[str], Call]:
    """Functions of one library, which gcc makes of the C code or of the object file."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    own = {"target": "native", "sincos": "own"} if bridge == "object" else {}
    machine.to_c(list(chosen), folder / "m.c", test=False, options=chosen, **own)
    source = "m.o" if bridge == "object" else "m.c"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", "m.so", source, "-lm"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "m.so"))

    def function(name: str) -> Call:
        kernel = machine.kernel(name, **chosen[name])

        def call(*arrays: np.ndarray) -> Any:
            results = tuple(np.full(shape, np.nan) for _, shape in kernel.outputs)
            given = [np.ascontiguousarray(x) for x in arrays]
            library[f"m_{name}"](*[ctypes.c_void_p(x.ctypes.data) for x in (*given, *results) if x.size])
            return results if len(results) > 1 else results[0]

        return of_rows(call)

    return function


@pytest.mark.parametrize("bridge", [*BRIDGES, *STATES])
@pytest.mark.parametrize(
    ("kind", "all_of_them"),
    [("arm", False), ("closed", False), *(pytest.param(kind, True, marks=pytest.mark.slow) for kind in MACHINES)],
)
def test_every_function_gives_numpys_numbers(bridge: str, kind: str, all_of_them: bool, tmp_path: Path) -> None:
    """Bit for bit where the machine code is NumPy's. Else it is the same operations, some fused, and other sines."""
    machine, rng = MACHINES[kind](), np.random.default_rng(5)
    chosen = {name: options for name, options in functions(machine).items() if all_of_them or name in USUAL}
    if kind == "closed" and bridge not in ("jax", "torch", "dask"):  # roundings decide which impulses it has
        chosen.pop("impact", None)
    if bridge == "jax without machine code":
        chosen = {x: o for x, o in chosen.items() if len(machine._signature(x, o).graph().nodes) <= LARGEST}
    c = of_c(machine, bridge, chosen, tmp_path) if bridge in ("c", "object") else None
    for name, options in chosen.items():
        function = c(name) if c else of_bridge(machine, bridge, name, options)
        kernel = machine.kernel(name, **options)
        arrays = [rng.uniform(0.2, 0.9, (3, *x.shape)) for x in kernel.inputs]
        wanted, found = kernel(*arrays), function(*arrays)
        pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
        for ours, theirs in pairs:
            if bridge in ("jax", "torch", "dask"):
                np.testing.assert_array_equal(ours, theirs, err_msg=name)
            else:
                scale = max(1.0, np.abs(theirs).max(initial=0))
                np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * scale, err_msg=name)
    assert len(chosen) > 1


@pytest.mark.parametrize("bridge", ["jax", "torch", "dask", *STATES, "casadi"])
def test_steps_and_their_partials_at_zero_and_beyond(bridge: str, tmp_path: Path) -> None:
    """Rows of a motion that rests, of a tiny and of a large one. Sums of a few numbers of size one round to 1e-14."""
    machine = revolute.robots.random_tree(2, rng=1, base="free", types=("planar",))
    names, rng = ("integrate", "integrate_partials", "difference", "difference_partials"), np.random.default_rng(1)
    q, d = machine.random_configuration(3, rng=1), np.array([[0.0], [1e-9], [1.0]]) * rng.uniform(-1, 1, machine.nv)
    c = of_c(machine, bridge, {name: {} for name in names}, tmp_path) if bridge in STATES else None
    for name in names:
        arrays = (q, d if "integrate" in name else machine.integrate(q, d))
        wanted = getattr(machine, name)(*arrays)
        found = (c(name) if c else of_bridge(machine, bridge, name, {}))(*arrays)
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14, err_msg=name)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning", "ignore:`torch.jit:FutureWarning")
@pytest.mark.parametrize("bridge", ["jax", "torch", "casadi"])
@pytest.mark.parametrize("size", [0.0, 1e-9, 1.0])
def test_derivatives_of_steps_are_their_partials(bridge: str, size: float) -> None:
    """Of the way from a fixed end to what d leads to, difference(end, integrate(q, d)), by d."""
    machine = revolute.robots.random_tree(2, rng=1, base="free", types=("planar",))
    functions, rng = functions_of(machine, bridge), np.random.default_rng(1)
    q, d = machine.random_configuration(rng=1), size * rng.uniform(-1, 1, machine.nv)
    end = machine.integrate(q, d)
    integrate, difference = functions.integrate, functions.difference
    if bridge == "jax":
        import jax

        found = [of(lambda x: difference(end, integrate(q, x)))(d) for of in (jax.jacfwd, jax.jacrev)]
    elif bridge == "torch":
        import torch

        q, d, end = (torch.tensor(x) for x in (q, d, end))
        ways = torch.func.jacfwd, torch.func.jacrev
        found = [of(lambda x: difference(end, integrate(q, x)))(d).numpy() for of in ways]
        q, d = q.numpy(), d.numpy()
    else:
        import casadi

        x = casadi.SX.sym("x", machine.nv)
        found = [casadi.Function("J", [x], [casadi.jacobian(difference(end, integrate(q, x)), x)])(d)]
    for J in found:
        np.testing.assert_allclose(np.array(J), machine.integrate_partials(q, d)[1], rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", ["arm", "floating", "driven"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "potential_energy"])
def test_tangents_are_differences_and_adjoints_their_transposes(kind: str, name: str) -> None:
    form = MACHINES[kind]()._signature(name, {})
    rng, h, (label, shape) = np.random.default_rng(2), 1e-6, form.outputs[0]
    x = {i.name: rng.uniform(0.3, 0.9, i.shape) for i in form.inputs}
    dx = {f"d_{k}": rng.standard_normal(v.shape) for k, v in x.items()}
    plus, minus = (evaluate(form.graph(), {k: v + s * h * dx[f"d_{k}"] for k, v in x.items()})[label] for s in (1, -1))
    rate = evaluate(tangent(form).graph(), x | dx)[f"d_{label}"]
    scale = max(1.0, np.abs(plus).max(), np.abs(rate).max())
    np.testing.assert_allclose(rate, (plus - minus) / (2 * h), atol=1e-7 * scale)  # eps/h + h^2 f'''
    bar = rng.standard_normal(shape)
    found = evaluate(adjoint(form).graph(), x | {f"bar_{label}": bar})
    gradient = sum((found[f"bar_{k}"] * dx[f"d_{k}"]).sum() for k in x)
    assert gradient == pytest.approx((bar * rate).sum(), rel=1e-11, abs=1e-11 * scale)


def test_second_derivatives_are_differences_of_first_ones() -> None:
    form = tangent(revolute.robots.planar(2)._signature("inverse_dynamics", {}))
    for derived, prefix in ((tangent(form), "dd_"), (tangent(adjoint(form)), "d")):
        base = form if derived.name.startswith("tangent of tangent") else adjoint(form)
        rng, h = np.random.default_rng(2), 1e-6
        x = {i.name: rng.standard_normal(i.shape) for i in base.inputs}
        names = [i.name for i in derived.inputs]
        assert len(set(names)) == len(names) and names[len(x)].startswith(prefix)
        rates = {name: rng.standard_normal(i.shape) for name, i in zip(names[len(x) :], base.inputs, strict=True)}
        sides = [
            evaluate(base.graph(), {k: v + s * h * d for (k, v), d in zip(x.items(), rates.values(), strict=True)})
            for s in (1, -1)
        ]
        found = evaluate(derived.graph(), x | rates)
        for (label, value), plus, minus in zip(found.items(), sides[0].values(), sides[1].values(), strict=True):
            np.testing.assert_allclose(value, (plus - minus) / (2 * h), atol=1e-6, err_msg=label)


@pytest.mark.parametrize("bridge", BRIDGES)
def test_what_is_wrong_is_told(bridge: str) -> None:
    arm = MACHINES["arm"]()
    function = of_bridge(arm, bridge, "inverse_dynamics", {})
    good = np.zeros(2)
    shape = r"q has shape \(3,\), but \(\.\.\., 2\) is needed"
    assert_raises(revolute.InputError, "takes 3 arrays", function, good, good)
    assert_raises(revolute.ShapeError, shape, function, np.zeros(3), good, good)
    assert_raises(revolute.ShapeError, "do not broadcast", function, np.zeros((3, 2)), np.zeros((2, 2)), good)
    for wrong in (np.zeros(2, complex), None):
        assert_raises(revolute.DtypeError, "q must hold real numbers", function, wrong, good, good)
    for name, options, message in (
        ("inverse_dynamic", {}, "no function 'inverse_dynamic' of a robot; near: inverse_dyn"),
        ("jacobian", {"frame": {}}, r"no link '\{\}'|must be a name"),
        ("inverse_dynamics", {"colour": 1}, "has no option 'colour'"),
    ):
        assert_raises((revolute.UnknownNameError, revolute.InputError), message, of_bridge, arm, bridge, name, options)


NAMED = ["jax", "torch", "dask", "casadi"]
"""Bridges whose arguments may be named."""


def same(ours: Any, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(np.asarray(ours).reshape(theirs.shape), theirs, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("bridge", NAMED)
def test_arguments_are_named_as_numpys_are(bridge: str) -> None:
    arm, (q, qd, qdd) = MACHINES["arm"](), np.random.default_rng(3).random((3, 2))
    robot, load = functions_of(arm, bridge), np.arange(6.0)
    wanted = arm.inverse_dynamics(q, qd, qdd)
    same(robot.inverse_dynamics(q=q, qd=qd, qdd=qdd), wanted)
    same(robot.inverse_dynamics(qdd=qdd, qd=qd, q=q), wanted)
    same(robot.inverse_dynamics(q, qdd=qdd, qd=qd), wanted)
    same(robot("inverse_dynamics")(q, qd, qdd=qdd), wanted)
    wanted = arm.inverse_dynamics(q, qd, qdd, wrenches={"tip": load})
    same(robot.inverse_dynamics(q, qd, qdd, wrenches={"tip": load}), wanted)
    same(robot("inverse_dynamics", wrenches=["tip"])(q=q, qd=qd, qdd=qdd, wrenches={"tip": load}), wanted)
    same(robot.jacobian(q=q, frame="tip"), arm.jacobian(q, "tip"))
    same(robot.jacobian(q, "tip", reference="world"), arm.jacobian(q, "tip", reference="world"))
    same(robot("jacobian", frame="tip")(q=q), arm.jacobian(q, "tip"))
    same(robot("jacobian", frame="tip")(q, reference="world"), arm.jacobian(q, "tip", reference="world"))
    pi = 2 * arm.inertial_parameters
    f = robot("gravity_forces", parameters="inertial")
    same(f(q, inertial_parameters=pi), 2 * arm.gravity_forces(q))
    same(f(inertial_parameters=pi, q=q), 2 * arm.gravity_forces(q))


@pytest.mark.parametrize("bridge", NAMED)
def test_wrong_names_raise_numpys_errors(bridge: str) -> None:
    arm, q = MACHINES["arm"](), np.zeros(2)
    robot = functions_of(arm, bridge)
    assert not hasattr(robot, "_repr_html_")  # which notebooks ask for
    for args, named in (
        ((q, q), {"qd": q}),
        ((q, q), {"foo": q}),
        ((q, q, q), {"foo": q}),
        ((), {"q": q, "qd": q}),
        ((q, q, q), {"q": q}),
        ((q, q, q, q), {"wrenches": {}}),
    ):
        with pytest.raises(TypeError) as numpys:
            arm.inverse_dynamics(*args, **named)
        assert_raises(TypeError, f"^{re.escape(str(numpys.value))}$", robot.inverse_dynamics, *args, **named)
    task = robot("task_space_dynamics", frame="tip")
    order = r"fix options before: \('task_space_dynamics', frame='tip'\)"
    assert_raises(TypeError, "missing 1 required positional argument: 'frame'", robot.jacobian, q)
    assert_raises(TypeError, "unexpected keyword argument 'foo'", task, q, q, foo=q)
    for message, function, args, named in (
        ("out and threads require NumPy arrays", robot.inverse_dynamics, (q, q, q), {"threads": 2}),
        (order, robot.task_space_dynamics, (q, q), {"frame": "tip"}),
        (r"takes 3 arrays \(q, qd, qdd\), not 2", robot.inverse_dynamics, (q, q), {}),
    ):
        assert_raises(revolute.InputError, message, function, *args, **named)


@pytest.mark.parametrize("bridge", ["jax", "torch"])
def test_a_kernel_that_a_bridge_made_first_is_pickled_like_others(bridge: str) -> None:
    arm = revolute.robots.planar(2).with_gravity((0.0, -1.0, 0.0))  # which no other test has
    functions_of(arm, bridge).mass_matrix([0.1, 0.2])
    kernel = arm.kernel("mass_matrix")
    assert pickle.loads(pickle.dumps(kernel)) is kernel


@pytest.mark.parametrize("bridge", NAMED)
def test_masked_arrays_are_refused(bridge: str) -> None:
    arm, q = MACHINES["arm"](), np.ma.array([1.0, 2.0], mask=[False, True])
    with pytest.raises(revolute.DtypeError, match=r"gravity_forces: q is a masked array.*x\.filled\(np\.nan\)"):
        functions_of(arm, bridge).gravity_forces(q)


@pytest.mark.parametrize("package", ["jax", "torch", "casadi", "dask"])
def test_a_package_that_is_not_there_is_named_with_what_to_install(package: str) -> None:
    if importlib.util.find_spec(package) is not None:
        pytest.skip(f"{package} is installed")
    with pytest.raises(revolute.MissingExtraError, match=rf'pip install "\.\[{package}\]"'):
        machine = revolute.robots.planar(1)
        machine.casadi("mass_matrix") if package == "casadi" else getattr(machine, package).mass_matrix
