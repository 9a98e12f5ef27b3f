# ---
# title: A million states
# order: 9
# minutes: 15
# extras: plot
# learn: Compute with a million states in one call, see what threads, single precision, memory layout and `out` are worth on your machine, and step a million arms.
# ---

# %% [markdown]
# Planning, learning and statistics need the dynamics of very many states. Every method takes them as one array: leading
# axes are batches. This tutorial asks how fast that is and what holds it back. Its times were measured when this page
# was made, on two cores that were busy with other work. Yours will differ; run it.
#
# ## One call

# %%
import time
from statistics import median

import matplotlib.pyplot as plt
import numpy as np
import revolute

robot = revolute.robots.panda()
n = 1_000_000
rng = np.random.default_rng(0)
q = robot.random_configuration(n, rng=0)
qd, tau = rng.uniform(-1, 1, (2, n, robot.nv))

qdd = robot.forward_dynamics(q, qd, tau)
qdd.shape

# %% [markdown]
# A loop in Python gives the same numbers. How much longer does it take? We time several runs and take the median, since
# other programs disturb single runs.

# %%
def seconds(work, runs=5):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)


def loop(rows=10_000):
    for k in range(rows):
        robot.forward_dynamics(q[k], qd[k], tau[k])


batch = seconds(lambda: robot.forward_dynamics(q, qd, tau))
print(f"batch: {batch / n * 1e9:6.0f} ns per state, {batch:.2f} s in all")
print(f"loop:  {seconds(loop) / 10_000 * 1e9:6.0f} ns per state")

# %% [markdown]
# The rows are independent, so a processor computes several at once in its wide registers, and several cores share them.
#
# ## Threads, precision, and where results go
#
# You can choose three things:
#
# - `threads=`: how many threads; by default, all cores if that is faster;
# - the type: arrays of `float32` are computed in single precision, twice as many numbers in a register and half the bytes;
# - `out=`: an array for the result, so that no new memory is allocated.

# %%
arrays = q, qd, tau
small = [x.astype(np.float32) for x in arrays]
space, small_space = np.empty((n, 7)), np.empty((n, 7), np.float32)
f = robot.forward_dynamics
cases = {
    "1 thread": lambda: f(*arrays, out=space, threads=1),
    "2 threads": lambda: f(*arrays, out=space, threads=2),
    "float32, 1 thread": lambda: f(*small, out=small_space, threads=1),
    "float32, 2 threads": lambda: f(*small, out=small_space, threads=2),
}
times = {name: seconds(work) for name, work in cases.items()}
for name, s in times.items():
    print(f"{name:20}{s / n * 1e9:6.0f} ns per state")

# %% tags=["cover"] alt="Bars of nanoseconds per state of the Panda's forward dynamics: longest on one thread, shorter on two, and shorter in single precision"
figure, axes = plt.subplots(figsize=(7, 2.6))
axes.barh(list(times), [s / n * 1e9 for s in times.values()])
axes.invert_yaxis()
axes.set(xlabel="nanoseconds per state");

# %% [markdown]
# What does single precision cost? Seven digits instead of sixteen, and a mass matrix whose small pivots lose some more:

# %%
error = np.abs(f(*small) - qdd).max(axis=1) / np.abs(qdd).max(axis=1)
print("median relative error below 1e-5:", bool(np.median(error) < 1e-5))

# %% [markdown]
# ## Layout
#
# A C-ordered array of shape $(n, 7)$ has the seven joints of a state beside each other. In Fortran order each joint
# has its own million numbers. Both are accepted, and so are slices such as every second row.

# %%
columns = [np.asfortranarray(x) for x in arrays]
bool(np.allclose(f(*columns), qdd))

# %%
print(f"rows:    {times['1 thread'] / n * 1e9:.0f} ns per state")
by_columns = seconds(lambda: f(*columns, out=space, threads=1))
print(f"columns: {by_columns / n * 1e9:.0f} ns per state")

# %% [markdown]
# ## Where memory is the limit
#
# Forward dynamics read 21 numbers and write 7: 224 bytes a state, and many operations. A function that computes
# little and writes much waits for memory instead. How fast is memory? Copying a large array gives an estimate.

# %%
big = np.ones(20_000_000)
copy = np.empty_like(big)
bandwidth = 2 * big.nbytes / seconds(lambda: np.copyto(copy, big))
print(f"copying moves {bandwidth / 1e9:.0f} GB/s")

for name, numbers in (("gravity_forces", 7 + 7), ("mass_matrix", 7 + 49)):
    g = getattr(robot, name)
    place = np.empty_like(g(q))
    s = seconds(lambda: g(q, out=place, threads=1))
    rate, operations = numbers * 8 * n / s, robot.count(name)
    total = operations.multiplications + operations.additions
    print(f"{name:15} {s / n * 1e9:4.0f} ns, {rate / 1e9:4.1f} GB/s,"
          f" {total / numbers / 8:.1f} operations per byte")

# %% [markdown]
# Near the speed of copying, faster arithmetic does not help. What helps: `float32`; pieces that stay in the cache, used
# before the next piece is computed; or a function that returns what you need in the end, without matrices on the way.
#
# ## Step a million arms
#
# `stepper` changes states in place, so nothing is allocated in the loop. A million Pandas fall for 20 ms:

# %%
arms, speeds = q.copy(), np.zeros_like(q)
nothing = np.zeros_like(q)
stepper = robot.stepper(1e-3, "semi_implicit_euler")
before = robot.total_energy(arms[:1000], speeds[:1000])

start = time.perf_counter()
for _ in range(20):
    stepper.step(arms, speeds, nothing)
spent = time.perf_counter() - start

after = robot.total_energy(arms[:1000], speeds[:1000])
print("energy kept within 1 J:", bool(np.abs(after - before).max() < 1))

# %%
print(f"{20 * n / spent / 1e6:.0f} million steps a second")
print(f"{20e-3 * n / spent:.0f} seconds of robots in a second")

# %% [markdown]
# ## Keep them
#
# A million rows of 7 numbers are 56 MB. A `.npy` file can be memory-mapped: pages are read from disk when they are
# needed, and methods accept it like any array.

# %%
np.save("arms.npy", arms)
from_disk = np.load("arms.npy", mmap_mode="r")
heavy = robot.gravity_forces(from_disk[:1000])
bool((heavy == robot.gravity_forces(arms[:1000])).all())

# %% [markdown]
# For what does not fit on one disk or machine, see [clusters](../clusters.md).
#
# ## Exercises
#
# **Exercise 1.** From how many rows on is a batch worth it? Plot the time a row of the inverse dynamics over the number of rows.

# %% tags=["answer"] alt="Nanoseconds per row over the number of rows, on logarithmic axes. The curve falls steeply up to some hundred rows and is nearly level beyond"
sizes = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 100_000]
each = []
for size in sizes:
    rows = q[:size], qd[:size], tau[:size]
    work = lambda: robot.inverse_dynamics(*rows, threads=1)
    each.append(seconds(work, 15) / size * 1e9)

figure, axes = plt.subplots(figsize=(7, 3))
axes.loglog(sizes, each, "o-")
axes.set(xlabel="rows of a call", ylabel="nanoseconds per row");

# %% [markdown]
# **Exercise 2.** You need the largest torque of gravity of each joint over all states, but not the torques
# themselves. Compute it in pieces of 4000 states, with one array for the results. Is it the same?

# %% tags=["answer"]
piece = np.empty((4000, 7))
largest = np.zeros(7)
for start in range(0, n, 4000):
    robot.gravity_forces(q[start:start + 4000], out=piece)
    np.maximum(largest, np.abs(piece).max(axis=0), out=largest)
whole = np.abs(robot.gravity_forces(q)).max(axis=0)
print(largest.round(1), bool(np.allclose(largest, whole)))

# %% [markdown] tags=["answer"]
# It is, and takes 224 kB for results in place of 56 MB, so that they stay in the cache.

# %% [markdown]
# ## Where to go on
#
# [Speed](../speed.md) shows how time grows with rows, joints and threads, and what the machine allows.
