# ---
# title: C for a microcontroller
# order: 10
# minutes: 20
# extras: plot
# learn: Write a UR5's inverse dynamics as C in single precision, count and check it, make an object for a Cortex-M4, and close a computed-torque loop around it.
# ---

# %% [markdown]
# The controller of an arm runs on a small processor: no Python, no operating system, perhaps 200 kB of memory, single
# precision only. What it needs of the model is a C function: positions, velocities and accelerations in, torques out.
#
# A general library would carry a tree of links and loop over it. We have the robot in advance, so the code can be the
# equations of this one robot, with every zero and every constant worked out.
#
# ## Write the code

# %%
import ctypes
import shutil
import subprocess
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import revolute

robot = revolute.robots.ur5()
files = robot.to_c("inverse_dynamics", "arm.c", dtype="float32")
print([file.name for file in files])

# %% [markdown]
# The header documents what each array contains, and how many operations a call takes. `count` gives these numbers, too:

# %%
robot.count("inverse_dynamics")

# %% [markdown]
# The code is a sequence of assignments: no loops, no branches, no memory allocation. So it takes the same time for
# every state, which suits a control loop.

# %%
code = Path("arm.c").read_text().splitlines()
body = [line for line in code if "const float v" in line and len(line) < 70]
print("\n".join(body[:14]))

# %% [markdown]
# `0.13585f` is an offset of the UR5's shoulder, `9.81f` is gravity. A name `v4` stands for what is used more than once.
#
# ## Compile it and compare
#
# `arm_test.c` checks the code wherever it is compiled. Here we want more: to call it from Python with any state. So we make
# a shared library and open it with `ctypes`. Without a C compiler the same function, compiled by Revolute itself in single
# precision, takes its place in what follows.

# %%
compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
pointer = np.ctypeslib.ndpointer(np.float32, flags="C_CONTIGUOUS")


def open_library(path, *sources):
    flags = ["-std=c99", "-O2", "-Wall", "-fPIC", "-shared"]
    command = [compiler, *flags, *sources, "-lm", "-o", path]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path)


def as_python(function):
    function.argtypes, function.restype = [pointer] * 4, None

    def call(q, qd, qdd):
        tau = np.empty(6, np.float32)
        function(*(np.array(x, np.float32) for x in (q, qd, qdd)), tau)
        return tau

    return call


# %%
if compiler:
    in_c = as_python(open_library("./arm.so", "arm.c").arm_inverse_dynamics)
    print("compiled by", Path(compiler).name)
else:
    kernel = robot.kernel("inverse_dynamics", dtype="float32")
    in_c = lambda *x: kernel(*(np.array(a, np.float32) for a in x))
    print("there is no C compiler here: Revolute's own kernel is used")

# %% [markdown]
# A thousand random states, against double precision:

# %%
rng = np.random.default_rng(0)
q = robot.random_configuration(1000, rng=0)
qd, qdd = rng.uniform(-2, 2, (2, 1000, 6))

exact = robot.inverse_dynamics(q, qd, qdd)
single = np.array([in_c(*state) for state in zip(q, qd, qdd)])
error = np.abs(single - exact)
print("largest torque [N m]:", np.abs(exact).max().round())
print("largest error below 1e-4 N m:", bool(error.max() < 1e-4))

# %% alt="Histogram of the errors of single precision on a logarithmic axis, for shoulder lift, elbow and last wrist joint. Those of the shoulder lie around two millionths of a newton metre, those of the last wrist some hundred times lower"
figure, axes = plt.subplots(figsize=(7, 3))
bins = np.logspace(-11, -4, 60)
for joint, name in ((1, "shoulder lift"), (2, "elbow"), (5, "wrist 3")):
    axes.hist(error[:, joint], bins, alpha=0.6, label=name)
axes.set(xscale="log", xlabel="error [N m]", ylabel="states")
axes.legend();

# %% [markdown]
# No torque sensor is nearly as accurate. Single precision is enough for the torques of an arm.
#
# ## An object for a Cortex-M4
#
# With `target=`, LLVM inside Revolute also writes an object file. No cross compiler is needed; the linker of your
# firmware takes it as it is.

# %%
Path("m4").mkdir(exist_ok=True)
*_, made = robot.to_c(
    "inverse_dynamics", "m4/arm.c", dtype="float32", target="cortex-m4")
image = made.read_bytes()
machine = int.from_bytes(image[18:20], "little")  # field of ELF files
print(made.name, "is an ELF file for ARM:", machine == 40)
print("smaller than 4 kB:", len(image) < 4096)

# %% [markdown]
# [C code](../c-code.md) counts 850 instructions for this function. If each took one cycle, they would take 5 µs at 168
# MHz, of the 1000 µs of a period at 1 kHz.
#
# ## A loop around it
#
# Computed torque asks the model for the torques of a wanted acceleration: that of the reference, corrected by errors of
# position and speed. In C these are a few lines of ours around the generated function.

# %%
control = """
#include "arm.h"

void control(const float *q, const float *qd, const float *want, float *tau)
{
    const float kp = 100.0f, kd = 20.0f;  /* both poles at -10 1/s */
    const float *q_r = want, *qd_r = want + 6, *qdd_r = want + 12;
    float a[6];
    for (int i = 0; i < 6; i++)
        a[i] = qdd_r[i] + kp * (q_r[i] - q[i]) + kd * (qd_r[i] - qd[i]);
    arm_inverse_dynamics(q, qd, a, tau);
}
"""
Path("control.c").write_text(control);

# %%
def control_in_python(q, qd, want):
    q_r, qd_r, qdd_r = want.reshape(3, 6)
    return in_c(q, qd, qdd_r + 100 * (q_r - q) + 20 * (qd_r - qd))


controller = control_in_python
if compiler:
    library = open_library("./loop.so", "arm.c", "control.c")
    controller = as_python(library.control)
print("in C" if compiler else "in Python")

# %% [markdown]
# The arm itself is simulated in double precision, with one step per millisecond. It begins 0.2 rad beside the
# reference.

# %% tags=["cover"] alt="Errors of six joints over a second and a half. All begin at 0.2 rad and fall along the same smooth curve to zero within a second"
dt, steps = 1e-3, 1500
t = dt * np.arange(steps)
home = np.array([0.0, -1.2, 1.6, -2.0, -1.57, 0.0])


def reference(t):
    s, c = 0.5 * np.sin(3 * t), 0.5 * np.cos(3 * t)
    return np.concatenate([home + s, np.full(6, 3 * c), np.full(6, -9 * s)])


def track(controller):
    q, qd = home + 0.2, np.full(6, 1.5)
    stepper, errors = robot.stepper(dt, "semi_implicit_euler"), []
    for now in t:
        want = reference(now)
        errors.append(want[:6] - q)
        tau = controller(q, qd, want)
        stepper.step(q, qd, np.asarray(tau, float))
    return np.array(errors)


errors = track(controller)
figure, axes = plt.subplots(figsize=(7, 3))
axes.plot(t, -errors)
axes.set(xlabel="time [s]", ylabel="error [rad]");

# %%
print(f"error at the end: {np.abs(errors[-1]).max():.3f} rad")

# %% [markdown]
# All joints follow one curve: the model cancels their coupling, so each error follows
# $\ddot e + 20 \dot e + 100 e = 0$ by itself.
#
# ## Exercises
#
# **Exercise 1.** A planar arm with three joints needs less. How many operations do its inverse dynamics take, and how
# much smaller is its object for a Cortex-M4?

# %% tags=["answer"]
Path("p").mkdir(exist_ok=True)
planar = revolute.robots.planar(3)
print(planar.count("inverse_dynamics"))
*_, small = planar.to_c(
    "inverse_dynamics", "p/arm.c", dtype="float32", target="cortex-m4")
print("smaller than the UR5's:", small.stat().st_size < len(image))

# %% [markdown]
# **Exercise 2.** The controller's curve should be that of the equation above. Compare with its closed form,
# $e(t) = e_0 (1 + 10 t) e^{-10 t}$.

# %% [markdown] tags=["answer"]
# The difference comes from the step of a millisecond, during which torques are held.

# %% tags=["answer"]
closed = 0.2 * (1 + 10 * t) * np.exp(-10 * t)
print("within 5 mrad:", bool(np.abs(-errors - closed[:, None]).max() < 5e-3))

# %% [markdown]
# ## Where to go on
#
# [C code](../c-code.md) has the other options: several functions, sines of its own, batches, C++ and other processors.
