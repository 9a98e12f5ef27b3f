# ---
# title: Simulate, and see what happens
# order: 4
# minutes: 15
# extras: plot, view, trajectory
# learn: Let an arm fall, check the simulation by its energy, choose an integrator, stop at an event, and keep the motion as a picture, a film and a page that opens without any software.
# ---

# %% [markdown]
# The power goes off and the arm falls. How fast does it hit the table? Nobody wants to try it, so we simulate. A
# simulation always gives numbers, also wrong ones. So we first learn how to check them, and then look at the motion
# in several ways.
#
# ## Let it fall
#
# `simulate` takes a start, the torques and the times at which we want the state. Torques may be a controller, a
# function, or `None`: no torque at all.

# %%
import matplotlib.pyplot as plt
import numpy as np
import revolute

robot = revolute.robots.ur5()
start = np.array([0.0, -1.2, 1.3, -0.6, -1.57, 0.4])
rest = np.zeros(robot.nv)
t = np.linspace(0, 3, 3001)

fall = robot.simulate(start, rest, None, t)
print(len(fall), "instants;", "q", fall.q.shape, "qd", fall.qd.shape)

# %% [markdown]
# `fall.plot()` draws everything. Here we draw only the height of the tool:

# %% alt="Height of the tool over three seconds. It falls from 0.3 m to minus 0.7 m within half a second and swings on, without any order"
height = robot.forward_kinematics(fall.q, "tool0")[:, 2, 3]

figure, axes = plt.subplots()
axes.plot(fall.t, height)
axes.set(xlabel="time [s]", ylabel="height of the tool [m]");

# %% [markdown]
# The tool swings below the base: there is no table yet. It swings without order, as a double pendulum does.
#
# ## Can we trust it?
#
# Without friction and motors the energy of the arm cannot change: what is lost in height is won in speed. So the energy
# is a test for the simulation that costs nothing. Every motion records it.

# %% alt="Kinetic and potential energy over time. Both swing by some 90 J, and their sum is a level line"
figure, axes = plt.subplots()
axes.plot(fall.t, fall.kinetic_energy, label="kinetic")
potential = fall.potential_energy - fall.potential_energy[0]
axes.plot(fall.t, potential, label="potential")
axes.plot(fall.t, fall.energy - fall.energy[0], "k", label="sum")
axes.set(xlabel="time [s]", ylabel="energy since the start [J]")
axes.legend()

drift = np.ptp(fall.energy) / np.ptp(fall.kinetic_energy)
print(f"the sum changes by {drift:.0e} of what goes to and fro")

# %% [markdown]
# ## Which integrator?
#
# An integrator advances the state in time steps, and makes a small error in each. A method has *order* $p$ if half the
# step makes the error $2^p$ times smaller. We need no theory for that, only a log-log plot.

# %% alt="Error of the energy over the length of the step, for three methods. On logarithmic axes they are lines of slopes 1, 2 and 4"
steps = 1e-3 * 2.0 ** -np.arange(-1, 4)
methods = "semi_implicit_euler", "variational_midpoint", "runge_kutta_4"

figure, axes = plt.subplots()
for method in methods:
    errors = []
    for h in steps:
        instants = np.arange(round(1 / h) + 1) * h
        motion = robot.simulate(start, rest, None, instants, method)
        errors.append(np.ptp(motion.energy))
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    print(f"{method:21} slope {slope:.1f}, {errors[1]:.0e} J at 1 ms")
    axes.loglog(1e3 * steps, errors, "o-", label=method)
axes.set_xticks(1e3 * steps, [f"{1e3 * h:g}" for h in steps])
axes.set_xticks([], minor=True)
axes.set(xlabel="step [ms]", ylabel="change of energy [J]")
axes.legend();

# %% [markdown]
# The slopes are 1, 2 and 4: the orders of these methods. `runge_kutta_4` is the default, and right for most motions.
# If you want a tolerance instead of a step, take an adaptive method such as `DOP853`.
# [Integrators](../integrators.md) says what each is for.
#
# ## Stop at the table
#
# Now the table: a plane 10 cm below the base. As an event, a `Contact` ends a motion when a point of a link reaches a
# plane.

# %%
table = revolute.Contact("tool0", surface=revolute.Plane(offset=-0.1))
hit = robot.simulate(start, rest, None, t, events=[table])

twist = robot.velocity(hit.q[-1], hit.qd[-1], "tool0")
print(f"{hit.event.name} after {hit.t[-1]:.3f} s")
print(f"speed of the tool: {np.linalg.norm(twist[3:]):.2f} m/s")

# %% [markdown]
# The time of contact is found to $10^{-12}$ s, between the times that we asked for. So the height there is that of the
# table:

# %%
print(abs(robot.forward_kinematics(hit.q[-1], "tool0")[2, 3] + 0.1) < 1e-9)

# %% [markdown]
# ## See it
#
# Numbers convince nobody that a motion looks right. Five ways to look:
#
# **A picture.** A batch of configurations becomes a fan, from faint to solid.

# %% tags=["cover"] alt="The falling arm in seven configurations, from upright and faint to stretched out and solid"
seven = hit.resample(np.linspace(0, hit.t[-1], 7))
robot.plot(seven.q, title="from the start to the table")

# %% [markdown]
# **A film.** `animate` makes a GIF, or an MP4 with the extra `film`.

# %%
frames = hit.resample(np.arange(0, hit.t[-1], 0.04))
robot.animate(frames.q, frames.t, trace="tool0").save("fall.gif")

# %% [markdown]
# **A view in the browser**, with sliders for the joints. `hit.view()` opens it, and a notebook shows it in place.
#
# **A recording.** One HTML file with robot and motion, which opens from disk in any browser and needs no network.
# Send it to somebody who has no Python.

# %%
with hit.resample(np.arange(0, hit.t[-1], 0.02)).view() as view:
    view.save("fall.html")

# %%
from pathlib import Path

for name in ("fall.gif", "fall.html"):
    print(f"{name}: {Path(name).stat().st_size / 1000:.0f} kB")

# %% [markdown]
# **A table**, for whatever else you use: CSV, Parquet or NPZ. Reading it gives the same numbers, to the last bit.

# %%
hit.save("fall.csv")
again = revolute.Simulation.load("fall.csv", robot)
print((again.q == hit.q).all())

# %% [markdown]
# ## Exercises
#
# **Exercise 1.** Joints have friction: let each have a damping of 2 N m s/rad, and compare how fast the tool hits the table.
# `robot.with_drives({name: drive, ...})` with `drive = revolute.Drive(damping=(2.0,))` is a robot with drives.

# %% tags=["answer"]
drive = revolute.Drive(damping=(2.0,))
damped = robot.with_drives(dict.fromkeys(robot.joint_names, drive))
slower = damped.simulate(start, rest, None, t, events=[table])
twist = robot.velocity(slower.q[-1], slower.qd[-1], "tool0")
print(f"after {slower.t[-1]:.3f} s with {np.linalg.norm(twist[3:]):.2f} m/s")

# %% [markdown]
# **Exercise 2.** Where did the energy go? Compute the work of friction in two ways.

# %% [markdown] tags=["answer"]
# As the change of the energy, and as the integral of $\dot q^T D \dot q$ over time:

# %% tags=["answer"]
lost = slower.energy[0] - slower.energy[-1]
work = np.trapezoid((2.0 * slower.qd**2).sum(axis=1), slower.t)
print(f"{lost:.3f} J and {work:.3f} J")

# %% [markdown]
# **Exercise 3.** Brakes engage 0.1 s after the power went off, and act like a damping of 150 N m s/rad at every joint. Does the tool
# reach the table?

# %% [markdown] tags=["answer"]
# Simulate in two parts: the second starts with the last state of the first.

# %% tags=["answer"]
free = robot.simulate(start, rest, None, np.linspace(0, 0.1, 101))
brake = revolute.Drive(damping=(150.0,))
braked = robot.with_drives(dict.fromkeys(robot.joint_names, brake))
last = free.q[-1], free.qd[-1]
then = np.linspace(0, 2, 2001)
stop = braked.simulate(*last, None, then, "implicit_midpoint")
low = robot.forward_kinematics(stop.q, "tool0")[:, 2, 3]
print(f"lowest point within 2 s: {low.min():.2f} m")

# %% [markdown] tags=["answer"]
# Not yet. Damping alone lets the arm creep on under its weight; real brakes hold by dry friction. See
# [friction that sticks](../drives.md#friction).

# %% [markdown]
# ## Where to go on
#
# [Motions](../motions.md) has events, bounces and files, [seeing a robot](../view.md) the view, and
# [control](../control.md) what to put in place of `None`.
