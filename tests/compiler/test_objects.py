"""Objects are looked at before machine code reads them: one that is laid out otherwise sends every call to Python."""

import sys

from processes import printed

from revolute.compiler import objects
from revolute.targets.llvm import objects as at

OTHER = ("FASTCALL_KEYWORDS", "FREE_THREADED", "HEADER", "UFUNC_NAME", "UFUNC_OWNER")
"""No offsets, and two in ufuncs, which are looked at when they are made."""
OFFSETS = [name for name in at.__all__ if name not in OTHER]

CALLS = """
import sys
import numpy as np
from types import BuiltinFunctionType
import revolute
from revolute.compiler import kernel, objects
from revolute.targets.llvm import objects as at

q, out = np.array([0.1, -0.2, 0.3]), np.zeros(3)
rows = np.asfortranarray(np.stack([q, q]))

def calls(known):
    objects.layout_is_known.cache_clear()
    kernel._kernels.clear()
    assert objects.layout_is_known() == known
    robot = revolute.robots.planar(3)
    for _ in range(3):
        results = [
            robot.inverse_dynamics(q, q, q), robot.inverse_dynamics(q.tolist(), rows[0], tuple(q)),
            robot.inverse_dynamics(rows, q, q)[1], robot.inverse_dynamics(q, qdd=q, qd=q),
            robot.inverse_dynamics(q, q, q, wrenches={"tip": np.zeros(6)}), robot.inverse_dynamics(q, q, q, out=out),
            robot.jacobian(q, "tip")[5], [robot.potential_energy(q)] * 3,
        ]
    fast = isinstance(robot.inverse_dynamics.func, BuiltinFunctionType)
    assert fast == isinstance(robot.kernel("inverse_dynamics")._fast, BuiltinFunctionType) == known
    return np.array(results).tobytes()

expected = calls(True)
changes = [(at, name, getattr(at, name) + 8) for name in sys.argv[1:]]  # as if it had that part elsewhere
changes += [(objects, "_NUMPY_2", objects._NUMPY_2 + 1)]
for place, name, value in changes:
    print(name, end=": ", flush=True)
    usual = getattr(place, name)
    setattr(place, name, value)
    print(calls(False) == expected, flush=True)
    setattr(place, name, usual)
assert calls(True) == expected
"""


def test_calls_are_right_where_objects_have_another_layout() -> None:
    assert printed(CALLS, *OFFSETS).splitlines() == [f"{name}: True" for name in (*OFFSETS, "_NUMPY_2")]


def test_this_interpreter_is_known() -> None:
    """All versions of CPython that are supported have the fast way; free-threaded ones too."""
    assert objects.layout_is_known()
    assert ("t" in getattr(sys, "abiflags", "")) == at.FREE_THREADED
