# ---
# title: A torque budget for pick and place
# order: 2
# minutes: 15
# extras: plot
# learn: Plan a cycle through poses, compute every motor's torque, speed and power along it, compare them with rated limits, and find how much faster or heavier it may become.
# ---

# %% [markdown]
# Will this arm do that job, how fast, and with how much in its hand? A torque budget answers before anything is bought or
# broken. For each motor it compares three numbers with what the motor can give:
#
# - the **peak** torque, which the drive must deliver for a moment;
# - the **rms** torque, which heats the motor, since the heat of a winding grows with the square of its torque;
# - the **peak power**, torque times speed, which the supply must have.
#
# Our job: a UR5 takes parts of 2 kg from one place and puts them down on another, half a metre away.
#
# ## Where the tool must be
#
# The tool points down. Four poses are enough: over the part, at the part, over the target, at the target. Inverse
# kinematics finds joint positions; all four in one call. An arm of six joints has several ways to reach a pose, with the
# elbow up or down. `path=True` begins each search at the solution before, so that the arm stays as it is.

# %%
import matplotlib.pyplot as plt
import numpy as np
import revolute
from revolute import trajectory

robot = revolute.robots.ur5()

places = np.array([[0.45, -0.25, 0.30], [0.45, -0.25, 0.12],
                   [0.45, 0.25, 0.30], [0.45, 0.25, 0.12]])
down = np.diag([1.0, -1.0, -1.0])  # z of the tool points to the floor
poses = np.tile(np.eye(4), (4, 1, 1))
poses[:, :3, :3] = down
poses[:, :3, 3] = places

start = [-0.5, -1.2, 1.6, -2.0, -1.57, 0.0]  # elbow up: solutions near here
found = robot.inverse_kinematics(poses, "tool0", q0=start, path=True)
over_part, at_part, over_target, at_target = found.q

print(found.converged)
print(np.degrees(found.q).round())

# %% [markdown]
# All four converged, and neighbours are near each other: the shoulder turns, the elbow stays up. That is worth a look each
# time (exercise 3 shows why).
#
# ## The cycle
#
# The arm goes down, grips, goes up, over, down, lets go, and comes back. From point to point we let every joint
# accelerate, run and brake as fast as its limits allow, all joints together: `trapezoid`. Limits of speed come with the
# robot. For the acceleration we take 10 rad/s² for now.
#
# On its way there the hand is empty; from the part to the target it carries 2 kg. So there are two motions, and two robots.

# %%
part = revolute.Inertia.from_com(2.0, (0, 0, 0.06))  # 6 cm before the flange
loaded = robot.with_payload("tool0", part)

there = [at_part, over_part, over_target, at_target]
back = there[::-1]
carry = trajectory.trapezoid(robot, there, acceleration=10.0)
come_back = trajectory.trapezoid(robot, back, acceleration=10.0)

cycle = carry.duration + come_back.duration
print(f"{carry.duration:.2f} s there, {come_back.duration:.2f} s back")
print(f"{60 / cycle:.0f} parts a minute, without the time of the gripper")

# %% [markdown]
# Does the tool go where it should? A straight line of the joints is a curve of the tool, so we look.

# %% alt="Way of the tool, seen from the front. It rises straight up from the part, crosses level and goes straight down to the target"
rows = carry.sample(0.002)
tool = robot.forward_kinematics(rows.q, "tool0")[:, :3, 3]

figure, axes = plt.subplots(figsize=(7, 3))
axes.plot(tool[:, 1], tool[:, 2])
axes.plot(places[:, 1], places[:, 2], "o")
axes.set(xlabel="y of the tool [m]", ylabel="z of the tool [m]")
axes.set_aspect("equal");

# %% [markdown]
# ## Torques
#
# `inverse_dynamics` takes the whole motion at once, one row for each sample. While the arm carries the part, we ask the
# loaded robot; on the way back, the empty one.

# %% tags=["cover"] alt="Torques of shoulder pan, shoulder lift and elbow over one cycle. The shoulder lift takes up to 51 N m with the part and 36 N m without; all torques jump where accelerations do"
rows_back = come_back.sample(0.002)
tau_carry = loaded.inverse_dynamics(rows.q, rows.qd, rows.qdd)
tau_back = robot.inverse_dynamics(rows_back.q, rows_back.qd, rows_back.qdd)

t = np.concatenate([rows.t, carry.duration + rows_back.t])
tau = np.concatenate([tau_carry, tau_back])
qd = np.concatenate([rows.qd, rows_back.qd])

figure, axes = plt.subplots()
axes.plot(t, tau[:, :3], label=["shoulder pan", "shoulder lift", "elbow"])
axes.axvspan(0, carry.duration, color="#eeeeee", zorder=0)
axes.set(xlabel="time [s]", ylabel="torque [N m]")
axes.set_title("grey: with the part", loc="right")
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3);

# %% [markdown]
# The shoulder lift joint holds the weight all the time; the pan joint works only while it accelerates and brakes.
# Torques jump where accelerations do. A real drive cannot follow these jumps; `trajectory.jerk_limited` avoids them.
#
# ## The budget

# %%
rms = np.sqrt(np.trapezoid(tau**2, t, axis=0) / t[-1])
peak = np.abs(tau).max(axis=0)
speed = np.abs(qd).max(axis=0)
power = (tau * qd).max(axis=0)

print("joint           rms      peak    of limit   speed   of limit   power")
for i, name in enumerate(robot.joint_names):
    name = name.removesuffix("_joint")
    share = peak[i] / robot.effort_limits[i]
    quick = speed[i] / robot.velocity_limits[i]
    print(f"{name:14}{rms[i]:5.1f}{peak[i]:8.1f} N m{share:8.0%}"
          f"{speed[i]:8.2f} rad/s{quick:6.0%}{power[i]:8.0f} W")

# %% [markdown]
# No torque comes near its limit, but the pan joint runs at its rated speed. And the supply? Powers of the motors add up, and a motor that brakes gives power back:

# %% alt="Mechanical power of all motors together over one cycle, with peaks of 82 W where the arm lifts the part, and below zero where it brakes and goes down"
total = (tau * qd).sum(axis=1)
figure, axes = plt.subplots(figsize=(7, 2.6))
axes.fill_between(t, total, where=total > 0, label="taken")
axes.fill_between(t, total, where=total < 0, label="given back")
axes.set(xlabel="time [s]", ylabel="power [W]")
axes.legend()

taken = np.trapezoid(np.maximum(total, 0), t)
print(f"peak {total.max():.0f} W; {taken:.0f} J are taken in a cycle")
print(f"on average {taken / t[-1]:.0f} W, if what is given back is lost")

# %% [markdown]
# This is the mechanics alone. Friction of gears and heat of windings come on top: see [drives](../drives.md) for a robot with
# friction and rotors.
#
# ## How much faster?
#
# A motion that runs $k$ times as fast needs $k^2$ times the torque for its accelerations, and the same torque for its
# weight. So the largest $k$ has a closed form, which `uniform_scaling` finds, limit by limit (Hollerbach, 1984).

# %%
most = trajectory.uniform_scaling(carry, loaded)
print(f"{most.factor:.3f} times as fast; {most.kind} of {most.joint} binds")

# %% [markdown]
# The cycle cannot be faster at all: the pan joint already runs at its rated speed. What would the torques alone allow?

# %%
freer = trajectory.uniform_scaling(carry, loaded, velocity=np.inf)
print(f"{freer.factor:.3f} times as fast; {freer.kind} of {freer.joint} binds")

# %% [markdown]
# So this job is a matter of speed, not of torque. Greater accelerations still help, since they shorten the time until the
# rated speed is reached. `check` shows whether the torques still fit:

# %%
for acceleration in (5, 10, 20, 40):
    faster = trajectory.trapezoid(robot, there, acceleration=acceleration)
    report = faster.check(loaded)
    used = max(row.share for row in report.rows if row.kind == "torque")
    duration = f"{acceleration:3} rad/s²: {faster.duration:.2f} s"
    print(f"{duration}, {used:4.0%} of a torque limit")

# %% [markdown]
# ## Exercises
#
# **Exercise 1.** How heavy may the part be, if no torque is to pass 80 % of its limit at this speed? Torques are linear in
# the mass of the part, so two computations are enough.

# %% [markdown] tags=["answer"]
# With torques $\tau_0$ of the empty arm and $\tau_2$ with 2 kg, a part of $m$ kg (of the same shape) needs
# $\tau_0 + m(\tau_2 - \tau_0)/2$. Each row and joint gives a largest $m$; the least of all counts.

# %% tags=["answer"]
empty = robot.inverse_dynamics(rows.q, rows.qd, rows.qdd)
slope = (tau_carry - empty) / 2.0
limit = 0.8 * robot.effort_limits
with np.errstate(divide="ignore"):
    masses = (np.copysign(limit, slope) - empty) / slope
row, joint = np.unravel_index(masses.argmin(), masses.shape)
name = robot.joint_names[joint]
print(f"{masses.min():.2f} kg; {name} at {rows.t[row]:.2f} s")

# %% [markdown] tags=["answer"]
# And the check, with a part of that mass:

# %% tags=["answer"]
heavy = revolute.Inertia.from_com(masses.min(), (0, 0, 0.06))
heavier = robot.with_payload("tool0", heavy)
torques = heavier.inverse_dynamics(rows.q, rows.qd, rows.qdd)
print(f"{(np.abs(torques) / robot.effort_limits).max():.3f}")

# %% [markdown] tags=["answer"]
# The maker rates this arm at 5 kg. Torques are one limit of several: friction, stopping distances and the life of the
# gears are others.

# %% [markdown]
# **Exercise 2.** The gripper needs half a second at each end, with the arm at rest. How does the rms torque change? Does
# resting help?

# %% [markdown] tags=["answer"]
# Resting costs torque, too: the arm must hold its weight. So the time at the part and at the target adds the square
# of the holding torque:

# %% tags=["answer"]
at_ends = loaded.gravity_forces(at_target), robot.gravity_forces(at_part)
squares = np.trapezoid(tau**2, t, axis=0) + 0.5 * sum(g**2 for g in at_ends)
print("before [N m]:", rms.round(1))
print("after  [N m]:", np.sqrt(squares / (t[-1] + 1.0)).round(1))

# %% [markdown]
# **Exercise 3.** Leave out `path=True`. What happens to the cycle, and why?

# %% [markdown] tags=["answer"]
# Each pose is then searched for by itself, from the same start, and one comes out with the elbow the other way round.
# The arm must swing through half of its workspace to get there. All poses are still reached, so there is no error.
# Only the table and the time of the cycle show it.

# %% tags=["answer"]
alone = robot.inverse_kinematics(poses, "tool0", q0=start).q
order = [1, 0, 2, 3]
flips = trajectory.trapezoid(robot, alone[order], acceleration=10.0)
print(np.degrees(alone[:, 2]).round(), f"{flips.duration:.2f} s")

# %% [markdown]
# ## Where to go on
#
# [Trajectories](../trajectories.md) has smoother and faster motions, time-optimal ones among them, and the same budget from the
# [command line](../command-line.md): `revolute torque ur5 motion.csv`.
