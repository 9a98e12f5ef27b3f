"""The ways out of NumPy: `python -m bench.bridges` writes BRIDGES.md, with the rows of the packages that are installed.

JAX, PyTorch and CasADi are large: each may be installed in a place of its own, and its rows measured again by
`--only jax`; the other rows stay.
"""

from __future__ import annotations

import importlib.util
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import revolute
from bench.casadi_rnea import rnea
from bench.jaxsim_peer import inverse_dynamics
from bench.parquet import dask_rows
from bench.robots import CASES
from bench.tables import cells, machine, table, yes

__all__ = ["PARTS", "page"]

PAGE = Path(__file__).with_name("BRIDGES.md")
HEADER = ("part", "figure", "target", "measured", "met")
TEXT = """# Bridges

Written by `python -m bench.bridges`. Times are medians of calls that take turns. CasADi's C is generated from
Pinocchio's recursive Newton-Euler algorithm, written in SX with common terms eliminated; gcc -O3 compiles both C files.
jaxsim loads the arm as SDF; its time includes its cache of kinematics, which its inverse dynamics needs. Dask writes
and reads 14 GB: 100 files of a million rows, 18 columns of float64 each.
"""

RACE = """
#include <stdio.h>
#include <time.h>
#include "ours.h"
int rnea(const double **arg, double **res, long long *iw, double *w, int mem);
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * t.tv_sec + t.tv_nsec; }
static double q[%(n)d], qd[%(n)d], qdd[%(n)d], tau[%(n)d], w[%(w)d];
int main(void)
{
    const double *arg[3] = {q, qd, qdd};
    double *res[1] = {tau};
    for (int i = 0; i < %(n)d; i++) q[i] = 0.2 + 0.1 * i, qd[i] = 0.3 - 0.02 * i, qdd[i] = 0.5;
    for (int turn = 0; turn < 25; turn++) {
        double begin = now(), ours, theirs;
        for (int k = 0; k < 20000; k++) q[0] += 1e-9, ours_inverse_dynamics(q, qd, qdd, tau);
        ours = (now() - begin) / 20000;
        begin = now();
        for (int k = 0; k < 20000; k++) q[0] += 1e-9, rnea(arg, res, 0, w, 0);
        theirs = (now() - begin) / 20000;
        printf("%%f %%f\\n", ours, theirs);
    }
    return 0;
}
"""

Row = tuple[str, str, str, bool]


def median(calls: dict[str, Callable[[], Any]], number: int, repeats: int = 15) -> dict[str, float]:
    """Microseconds of one call each, in turn."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(repeats):
        for name, call in calls.items():
            begin = time.perf_counter()
            for _ in range(number):
                result = call()
            getattr(result, "block_until_ready", lambda: None)()
            found[name].append((time.perf_counter() - begin) / number)
    return {name: 1e6 * statistics.median(x) for name, x in found.items()}


def ur5_states(rows: int) -> Any:
    """q, qd and qdd."""
    return np.random.default_rng(0).standard_normal((3, rows, 6))


def jax_rows() -> Iterator[Row]:
    """JAX: single calls, a loop inside of XLA, batches."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    ur5 = next(x for x in CASES if x.key == "ur5").robot
    f, many = ur5.jax.inverse_dynamics, ur5_states(4096)
    jitted = jax.jit(lambda *x: f(*x))
    one = [jnp.asarray(x[0]) for x in many]
    us = median({"one": lambda: jitted(*one)}, 300)["one"]
    yield "UR5, jitted single call", "≤ 6 µs", f"{us:.1f} µs", us <= 6

    @jax.jit
    def loop(q: Any, qd: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            q, qd = state
            return (q + 1e-3 * qd, qd - 1e-5 * f(q, qd, jnp.zeros(6))), None

        return jax.lax.scan(step, (q, qd), None, length=1000)[0][0]

    us = median({"loop": lambda: loop(*one[:2])}, 5)["loop"] / 1000
    yield "UR5, a step in `lax.scan`", "≤ 1 µs", f"{us:.2f} µs", us <= 1
    batch = [jnp.asarray(x) for x in many]
    both = median({"jax": lambda: jitted(*batch), "numpy": lambda: ur5.inverse_dynamics(*many)}, 20)
    ratio = both["jax"] / both["numpy"]
    yield "UR5, 4096 rows, against NumPy's batch", "≤ 1.3 ×", f"{ratio:.2f} ×", ratio <= 1.3
    yield from _against_frax(jax)
    yield from _against_jaxsim(jax)


def _against_frax(jax: Any) -> Iterator[Row]:
    """A Panda beside frax, the same URDF."""
    if importlib.util.find_spec("frax") is None:
        return
    from frax.robots.franka_panda import FRANKA_ASSETS_DIR, load_panda  # type: ignore[import-not-found]

    theirs, panda = load_panda(), revolute.load(str(FRANKA_ASSETS_DIR / "panda.urdf"))
    gravity = jax.numpy.array([0, 0, 9.81, 0, 0, 0])
    batch = [jax.numpy.asarray(x) for x in np.random.default_rng(0).uniform(-1, 1, (3, 4096, 7))]

    def rnea_of_frax(*x: Any) -> Any:
        return theirs.rnea(*x, gravity, None)

    f, ours = jax.jit(jax.vmap(rnea_of_frax)), jax.jit(lambda *x: panda.jax.inverse_dynamics(*x))
    assert float(abs(f(*batch) - ours(*batch)).max()) < 1e-9
    both = median({"frax": lambda: f(*batch), "ours": lambda: ours(*batch)}, 5)
    ratio = both["frax"] / both["ours"]
    yield "Panda, 4096 rows of inverse dynamics, frax 0.1 against ours", "≥ 20 ×", f"{ratio:.0f} ×", ratio >= 20


def _against_jaxsim(jax: Any) -> Iterator[Row]:
    """A Panda beside jaxsim."""
    if importlib.util.find_spec("jaxsim") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "panda.urdf")
        revolute.save(revolute.robots.panda(), file)
        f, panda = inverse_dynamics(file), revolute.load(file)
    batch = [jax.numpy.asarray(x) for x in np.random.default_rng(0).uniform(-1, 1, (3, 4096, 7))]
    ours = jax.jit(lambda *x: panda.jax.inverse_dynamics(*x))
    assert float(abs(f(*batch) - ours(*batch)).max()) < 1e-9
    both = median({"jaxsim": lambda: f(*batch).block_until_ready(), "ours": lambda: ours(*batch)}, 5, 7)
    ratio = both["jaxsim"] / both["ours"]
    yield "Panda, 4096 rows of inverse dynamics, jaxsim 0.9 against ours", "≥ 20 ×", f"{ratio:.0f} ×", ratio >= 20


def torch_rows() -> Iterator[Row]:
    """PyTorch: single calls beside an operator that does nothing, batches."""
    import torch

    ur5, many = next(x for x in CASES if x.key == "ur5").robot, ur5_states(4096)
    f, one = ur5.torch.inverse_dynamics, [np.ascontiguousarray(x[0]) for x in many]
    tensors, row = [torch.tensor(x) for x in many], [torch.tensor(x) for x in one]
    schema = "(Tensor q, Tensor qd, Tensor qdd) -> Tensor"
    bare = torch.library.custom_op("bench::bare", lambda *x: torch.empty(6), mutates_args=(), schema=schema)
    bare.register_fake(lambda *x: torch.empty(6))
    calls = {"f": lambda: f(*row), "bare": lambda: bare(*row), "numpy": lambda: ur5.inverse_dynamics(*one)}
    us = median(calls, 500)
    ratio = us["f"] / (us["bare"] + us["numpy"])
    figure = "UR5, single call, against a custom operator that does nothing and our call"
    yield figure, "≤ 1.2 ×", f"{ratio:.2f} ×: {us['f']:.1f} µs", ratio <= 1.2
    both = median({"torch": lambda: f(*tensors), "numpy": lambda: ur5.inverse_dynamics(*many)}, 50)
    ratio = both["torch"] / both["numpy"]
    yield "UR5, 4096 rows, against NumPy's batch", "≤ 1.3 ×", f"{ratio:.2f} ×", ratio <= 1.3


def casadi_rows() -> Iterator[Row]:
    """CasADi: functions of SX; and C beside C."""
    import casadi

    panda, talos = revolute.robots.panda(), next(x for x in CASES if x.key == "talos").robot
    for name, robot, most in (("Panda", panda, 20.0), ("Talos", talos, 200.0)):
        # a robot traces a function once: each call has a new one
        calls = {"sx": lambda robot=robot: revolute.Robot.from_model(robot).casadi("inverse_dynamics")}
        ms = median(calls, 1)["sx"] / 1e3
        yield f"{name}, inverse dynamics as SX, tracing included", f"≤ {most:g} ms", f"{ms:.0f} ms", ms <= most
        f, counts = robot.casadi("inverse_dynamics"), robot.count("inverse_dynamics")
        moves = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST)
        work = sum(f.instruction_id(k) not in moves for k in range(f.n_instructions()))
        ratio = work / (counts.arithmetic + counts.calls + counts.others)
        figure = f"{name}, CasADi's instructions but moves and constants, against our operations"
        yield figure, "within 5 %", f"{100 * (ratio - 1):+.1f} %", abs(ratio - 1) <= 0.05
    if shutil.which("gcc"):
        for key in ("ur5", "talos"):
            yield from _c_beside_c(key)


def _c_beside_c(key: str) -> Iterator[Row]:
    """Time and size of inverse dynamics in C, of CasADi's generator and of ours."""
    case = next(x for x in CASES if x.key == key)
    with tempfile.TemporaryDirectory() as folder:
        theirs, here = rnea(case.file), Path(folder)
        text = theirs.generate("theirs.c", {"with_header": False})
        shutil.move(text, here / "theirs.c")
        case.robot.to_c("inverse_dynamics", here / "ours.c", test=False)
        (here / "race.c").write_text(RACE % {"n": case.robot.nv, "w": max(theirs.sz_w(), 1)})
        sizes = {}
        for name in ("ours", "theirs"):
            subprocess.run(["gcc", "-O3", "-c", f"{name}.c"], cwd=folder, check=True)
            done = subprocess.run(["size", f"{name}.o"], cwd=folder, check=True, capture_output=True, text=True)
            sizes[name] = int(done.stdout.split("\n")[1].split()[0])
        build = ["gcc", "-O2", "-o", "race", "race.c", "ours.o", "theirs.o", "-lm"]
        subprocess.run(build, cwd=folder, check=True)
        found = subprocess.run([here / "race"], check=True, capture_output=True, text=True).stdout.splitlines()
    ours, other = (statistics.median(float(line.split()[k]) for line in found) for k in (0, 1))
    measured = f"{other / ours:.2f} ×: {ours:.0f} against {other:.0f} ns"
    yield f"{case.label}, our C against CasADi's C, gcc -O3", "≥ 1.3 ×", measured, other / ours >= 1.3
    share = sizes["ours"] / sizes["theirs"]
    yield f"{case.label}, text section of our C, of CasADi's", "smaller", f"{share:.2f} ×", share < 1


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "jax": jax_rows, "torch": torch_rows, "casadi": casadi_rows, "dask": dask_rows
}  # fmt: skip


def page(rows: dict[str, list[tuple[str, ...]]]) -> str:
    """The page of these rows, by part."""
    lines = [(part, *row) for part in PARTS for row in rows.get(part, ())]
    return f"{TEXT}\n{table(HEADER, lines)}\n\n{machine()}\n"


def main(only: Annotated[list[str] | None, typer.Option(help="jax, torch, casadi or dask.")] = None) -> None:
    """Measure, and write the table; what is there of other parts stays."""
    rows: dict[str, list[tuple[str, ...]]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else ():
        part, *rest = cells(line)
        if part in PARTS:
            rows.setdefault(part, []).append(tuple(rest))
    for part in only or [x for x in PARTS if importlib.util.find_spec(x)]:
        rows[part] = []
        for figure, target, measured, met in PARTS[part]():
            rows[part].append((figure, target, measured, yes(met)))
            print(" | ".join(rows[part][-1]))
    PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
