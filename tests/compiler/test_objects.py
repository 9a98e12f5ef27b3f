"""Objects are looked at before machine code reads them: one that is laid out otherwise sends every call to Python."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from revolute.compiler import objects
from revolute.targets.llvm import objects as at

OTHER = ("FASTCALL_KEYWORDS", "FREE_THREADED", "HEADER", "METHOD_CODE", "METHOD_FLAGS", "UFUNC_NAME", "UFUNC_OWNER")
"""No offsets, offsets in a struct that we make, and two in ufuncs, which are looked at when they are made."""
OFFSETS = [name for name in at.__all__ if name not in OTHER]

CALLS = """
import sys
import numpy as np
from types import BuiltinFunctionType
import revolute
from revolute.compiler import objects
from revolute.targets.llvm import objects as at

if sys.argv[1] == "numpy":
    objects._NUMPY_2 += 1
elif sys.argv[1] == "partial":
    objects.vector_call = lambda bound: None
elif sys.argv[1]:  # as if this interpreter had that part elsewhere
    setattr(at, sys.argv[1], getattr(at, sys.argv[1]) + int(sys.argv[2]))
assert objects.layout_is_known() == (not sys.argv[1])
robot = revolute.robots.planar(3)
q, out = np.array([0.1, -0.2, 0.3]), np.zeros(3)
rows = np.asfortranarray(np.stack([q, q]))
for _ in range(3):
    results = [
        robot.inverse_dynamics(q, q, q), robot.inverse_dynamics(q.tolist(), rows[0], tuple(q)),
        robot.inverse_dynamics(rows, q, q)[1], robot.inverse_dynamics(q, qdd=q, qd=q),
        robot.inverse_dynamics(q, q, q, wrenches={"tip": np.zeros(6)}), robot.inverse_dynamics(q, q, q, out=out),
        robot.jacobian(q, "tip")[5], [robot.potential_energy(q)] * 3,
    ]
fast = isinstance(robot.inverse_dynamics.func, BuiltinFunctionType)
assert fast == isinstance(robot.kernel("inverse_dynamics")._fast, BuiltinFunctionType) == (not sys.argv[1])
print(np.array(results).tobytes().hex())
"""


def results(*change: str) -> str:
    """What calls give, in bytes, in a process whose objects have a part elsewhere."""
    run = subprocess.run([sys.executable, "-c", CALLS, *(change or [""])], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def expected() -> str:
    return results()


@pytest.mark.parametrize("change", [*([name, "8"] for name in OFFSETS), ["numpy"], ["partial"]], ids="".join)
def test_calls_are_right_where_a_part_is_elsewhere(expected: str, change: list[str]) -> None:
    assert results(*change) == expected


def test_this_interpreter_is_known() -> None:
    """All versions of CPython that are supported have the fast way; free-threaded ones too."""
    assert objects.layout_is_known()
    assert ("t" in getattr(sys, "abiflags", "")) == at.FREE_THREADED


def test_offsets_are_found_and_not_guessed() -> None:
    place = objects.vector_call(partial(len))
    assert place is not None and place.value
    assert objects._word(np.zeros(3), at.ARRAY_DESCRIPTOR) == id(np.dtype(float))
