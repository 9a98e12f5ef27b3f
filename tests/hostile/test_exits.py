"""Processes that end, and garbage that is collected, while robots are in use: nothing is read after it was freed.

Every child runs with `MALLOC_PERTURB_`, by which glibc overwrites memory as soon as it is freed.
"""

from pathlib import Path

import pytest
from processes import printed

START = """
import atexit, copy, functools, gc, pickle, sys, threading
import numpy as np
import revolute
from revolute.compiler import batch, calls, pool
batch.PAYS = calls.PAYS = calls.ALONE = 0  # short batches use threads, too
batch.PIECE = 1
robot = revolute.robots.ur5()
q = np.linspace(-1.0, 1.0, 6)
many = np.random.default_rng(1).standard_normal((2000, 6))
for _ in range(5):
    tau, J = robot.inverse_dynamics(q, q, q), robot.jacobian(q, "tool0", "world")
"""


def run(program: str, **environment: str) -> str:
    """What a child prints."""
    return printed(START + program, **{"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "90"} | environment)


def test_a_process_may_end_in_the_middle_of_any_call() -> None:
    """Robots, kernels, ufuncs and methods, pickled, copied, dropped, and kept where they are freed last."""
    program = """
drive = revolute.Drive(armature=(0.1,))
for k in range(8):
    planar = pickle.loads(pickle.dumps(revolute.robots.planar(2)))
    driven = planar.with_drives({"joint1": drive})
    for _ in range(3):
        planar.inverse_dynamics(*np.zeros((3, 2))), planar.jacobian(np.zeros(2), "tip"), planar.mass_matrix(np.zeros(2))
        driven.inverse_dynamics(*np.zeros((3, 2))), driven.mass_matrix(np.zeros((3, 2)))
    method = pickle.loads(pickle.dumps(planar.inverse_dynamics))
    if k % 3 == 0:
        gc.collect()
tip = functools.partial(planar.jacobian, frame="tip")
sys.kept = [method, tip, driven.kernel("mass_matrix").ufunc, driven.mass_matrix]
sys.result = robot.mass_matrix(many)
threading.kernel = robot.kernel("inverse_dynamics")
np.kept = copy.deepcopy(threading.kernel)
print(method(*np.zeros((3, 2))).round(3))
raise SystemExit(0)
"""
    assert run(program) == "[19.62   4.905]\n"


@pytest.mark.parametrize(
    ("joints", "variables"),
    [(3, {}), pytest.param(25, {"PYTHONMALLOC": "default", "MALLOC_PERTURB_": "0"}, marks=pytest.mark.slow)],
)
def test_a_cold_cache(joints: int, variables: dict[str, str], tmp_path: Path) -> None:
    """Large modules, compiled one after the other: what was freed too early is often in other use by then."""
    tmp_path.chmod(0o700)
    program = f"""
tree = revolute.robots.random_tree({joints}, 3)
x = np.zeros(tree.nq)
for _ in range(2):
    tree.kernel("equations_of_motion_rates")(x, x, x), tree.equations_of_motion(x, x)
print(tree.nv)
"""
    assert run(program, REVOLUTE_CACHE_DIR=str(tmp_path), **variables) == f"{joints}\n"


FINALIZERS = """
class Owner:
    def __init__(self):
        self.me, self.arm = self, arm

    def __del__(self):
        kernel = self.arm.kernel("inverse_dynamics")
        results = self.arm.inverse_dynamics(q, q, q), kernel(q, q, q), kernel.ufunc(q, q, q)
        print([bool(np.array_equal(x, tau)) for x in results])

arm = revolute.robots.planar(6)
older = Owner()
for _ in range(3):
    tau = arm.inverse_dynamics(q, q, q)
younger = Owner()
"""


def test_finalizers_call_a_robot() -> None:
    """The collector finalizes the parts of a cycle in any order: machine code must outlive its last caller.

    The first robot is collected at once, the second as garbage when the process ends, and the third is in use then.
    """
    collected = f"{FINALIZERS}del arm, older, younger\ngc.collect()\nprint('collected')"
    assert run(collected + 2 * FINALIZERS) == "[True, True, True]\n" * 2 + "collected\n" + "[True, True, True]\n" * 4


def test_batches_at_exit_are_computed_by_the_caller() -> None:
    program = """
expected = robot.inverse_dynamics(many, many, many, threads=%s)
assert bool(pool._pools) == (%s > 1 and revolute.targets.llvm.cores() > 1)

def last(name):
    results = [robot.inverse_dynamics(many, many, many, threads=n) for n in (1, 2, 5, None)]
    print(name, [bool(np.array_equal(expected, x)) for x in results])

class Last:
    def __del__(self):
        last("finalizer")

last_of_all = Last()
last_of_all.me = last_of_all
atexit.register(last, "atexit")
"""
    for threads in (1, 2):  # there never was a pool; there was one
        same = "[True, True, True, True]"
        assert run(program % (threads, threads)) == f"atexit {same}\nfinalizer {same}\n"


def test_daemon_threads_compute_while_the_process_ends() -> None:
    program = """
started = threading.Barrier(4)

def work(threads):
    started.wait()
    while True:
        robot.inverse_dynamics(many, many, many, threads=threads)
        robot.inverse_dynamics(q, q, q)

for threads in (1, 1, 2):
    threading.Thread(target=work, args=(threads,), daemon=True).start()
started.wait()
print("end")
"""
    assert run(program) == "end\n"
