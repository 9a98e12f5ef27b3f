"""Control laws as compiled functions of a robot: parts of the controllers of `revolute.control`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from revolute.dynamics.control.joint_space import computed_torque, feedforward_pd, pd_with_gravity
from revolute.dynamics.control.passivity import adaptive, passivity_based, sliding_mode
from revolute.dynamics.control.task_space import hybrid, impedance, resolved_acceleration
from revolute.dynamics.mobility import ALL
from revolute.machine.declare import internal
from revolute.machine.function import Function
from revolute.machine.functions.task_space import check
from revolute.model import Model, reduced
from revolute.spatial.loop import Tree
from revolute.spatial.scalar import Scalars, nearest_turn

_POINT = "q qd q_ref[nq] qd_ref[nv]"
_MOTION = f"{_POINT} qdd_ref[nv]"
_SLIDING = f"{_MOTION} slope[nv]"
Rows = tuple[int, ...]


def _law(
    name: str, recursion: Callable[..., Any], inputs: str, gains: tuple[str, ...], outputs: str = "", **flags: Any
) -> Function:
    """Declare a control law of inputs and gains. Gains are diagonals or, with the option `full`, matrices."""
    # The option `wrap` has the indices in q of joints whose reference is taken modulo 2 pi: the nearest one is used.

    @wraps(recursion)
    def of_any_gains(
        model: Model, q: Scalars, qd: Scalars, q_ref: Scalars, *others: Scalars, full: bool = False, wrap: Rows = ()
    ) -> Tree:
        near = [nearest_turn(x, y) if k in wrap else x for k, (x, y) in enumerate(zip(q_ref, q, strict=True))]
        return recursion(model, q, qd, near, *others)

    def arrays(full: bool = False, wrap: tuple[int, ...] = ()) -> str:
        return f"{inputs} {' '.join(f'{x}[nv,nv]' if full else f'{x}[nv]' for x in gains)} -> tau: nv{outputs}"

    return internal(name, of_any_gains, arrays, **flags)


def _task_law(name: str, recursion: Callable[..., Any], *gains: str, wrench: bool = False) -> Function:
    """Declare a law for rows of a link's twist, with `gains` per row; `constant_damping` adds a last input lambda."""

    def arrays(frame: str, rows: Rows = ALL, pushed: Rows = (), constant_damping: bool = False) -> str:
        more = " wrench[6]" if wrench else ""
        of_rows = " ".join(f"{x}[{len(rows)}]" for x in gains)
        last = " singularity_damping[]" if constant_damping else ""
        return f"q qd pose[7] twist[6] rate[6]{more} null_damping[nv] {of_rows}{last} -> tau: nv"

    @wraps(recursion)
    def of_rows(*arrays: Any, frame: str, rows: Rows = ALL, constant_damping: bool = False, **options: Any) -> Tree:
        pushed: dict[str, Any] = {"pushed": ()} if wrench else {}
        if constant_damping:
            (options["damping"],), arrays = arrays[-1], arrays[:-1]
        return recursion(*arrays, frame=frame, rows=rows, **pushed | options)

    def check_frame(model: Model, frame: str, rows: Rows = ALL, **options: Any) -> None:
        check(model, frame, "aligned", rows)

    options = ("frame", "rows", *(["pushed"] if wrench else []), "constant_damping")
    needed = frozenset({"frame"})
    return internal(name, of_rows, arrays, options=options, needed=needed, check=check_frame, on=reduced, inverts=True)


_PD = ("position_gains", "velocity_gains")
_OPTIONS: dict[str, Any] = {"on": reduced, "options": ("full", "wrap", "parameters")}
_LEARNED = "rates[n,10] lower[n,10] upper[n,10] h[] estimates[n,10]"

CONTROL_LAWS: tuple[Function, ...] = (
    _law("pd_with_gravity", pd_with_gravity, _POINT, _PD, **_OPTIONS),
    _law("computed_torque", computed_torque, _MOTION, _PD, **_OPTIONS),
    _law("feedforward_pd", feedforward_pd, _MOTION, _PD, **_OPTIONS),
    _law("passivity_based", passivity_based, _SLIDING, ("gains",), **_OPTIONS),
    _law("sliding_mode", sliding_mode, f"{_SLIDING} bound[nv] boundary[nv]", ("gains",), **_OPTIONS),
    _law("adaptive", adaptive, f"{_SLIDING} {_LEARNED}", ("gains",), "; estimates: n 10", options=("full", "wrap")),
    _task_law("resolved_acceleration", resolved_acceleration, *_PD),
    _task_law("impedance", impedance, "stiffness", "damping"),
    _task_law("hybrid", hybrid, *_PD, "force_damping", wrench=True),
)
"""Declarations of the control laws. The inputs are, in order: state, reference, other inputs of the law, gains."""
