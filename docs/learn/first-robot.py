# ---
# title: Your first robot
# order: 1
# minutes: 10
# extras: plot
# learn: Load a robot, look at it, and ask for the torques that hold it and that move it, of one state or of a hundred thousand.
# ---

# %% [markdown]
# A robot arm that stands still works hard: its motors hold up the weight of every link beyond them. How hard depends on
# where the arm is. We take a real arm, look at it, ask for these torques, and see in one picture why some poses are
# tiring. Then we move.
#
# ## Load a robot
#
# Robots come from files: URDF, MJCF, SDF. The library has some ready made. This is a UR5, an arm with six joints. We
# write it to a file and load that, as you would do with your own.

# %%
import numpy as np
import revolute

revolute.save(revolute.robots.ur5(), "ur5.urdf")
robot = revolute.load("ur5.urdf")

print(repr(robot))
limits = zip(robot.joint_names, robot.velocity_limits, robot.effort_limits)
for name, speed, torque in limits:
    print(f"{name:20} at most {speed:.2f} rad/s and {torque:3.0f} N m")

# %% [markdown]
# `nq` is the number of joint positions, `nv` that of joint velocities. They differ only for joints with quaternions,
# and this robot has none. `print(robot)` shows the tree of links with their masses.
#
# ## Look at it
#
# A *configuration* `q` says where each joint stands: six numbers, in radians, in the order of `joint_names`. You can give
# them by name, too. All joints that you leave out stay at zero.

# %% alt="A UR5 bent at the elbow. Its links are thin tubes, coloured by the torque that gravity asks for"
bent = robot.configuration({
    "shoulder_lift_joint": -60 * revolute.deg,
    "elbow_joint": 75 * revolute.deg,
    "wrist_1_joint": -35 * revolute.deg,
})
robot.plot(bent, robot.gravity_forces(bent), frames=["tool0"])

# %% [markdown]
# Colours show joint torques; the next section explains them. The picture needs no mesh: it is drawn from the model
# itself.
#
# ## Hold it still
#
# Newton's law for the whole arm is
#
# $$M(q)\,\ddot q + C(q, \dot q)\,\dot q + g(q) = \tau$$
#
# Here $\tau$ are the torques of the motors. If nothing moves, $\dot q = \ddot q = 0$, and what is left is $\tau = g(q)$:
# the motors carry the weight.

# %%
hold = robot.gravity_forces(bent)
for name, torque, limit in zip(robot.joint_names, hold, robot.effort_limits):
    share = abs(torque) / limit
    print(f"{name:20} {torque:8.2f} N m, {share:4.0%} of its limit")

# %% [markdown]
# The first joint turns about a vertical axis. Weight has no moment about that axis, so this joint has nothing to
# hold. The second carries nearly all of the arm.
#
# A number alone is easy to get wrong, so we check it in a second way. Gravity's torque about a joint is the slope of the
# potential energy: turn the joint by a little, and see how much higher the arm is.

# %%
step = 1e-6 * np.eye(robot.nv)
higher = robot.potential_energy(bent + step)
lower = robot.potential_energy(bent - step)
slope = (higher - lower) / 2e-6
print(np.abs(slope - hold).max() < 1e-6)

# %% [markdown]
# Look at `bent + step`: that is an array of six configurations, a row each, and one call gave six energies. Every function
# takes rows in this way.
#
# ## Ask a thousand questions at once
#
# Which poses are tiring? We turn the shoulder and the elbow over a grid and ask for the torque of the shoulder in each.

# %% alt="Map of the shoulder's torque over the angles of shoulder and elbow. It is largest, nearly 60 N m, where the arm is stretched out level, and zero where it is upright"
import matplotlib.pyplot as plt

shoulder = np.linspace(-np.pi, 0, 181)
elbow = np.linspace(-np.pi, np.pi, 361)
poses = np.zeros((181, 361, robot.nq))
poses[..., 1] = shoulder[:, None]
poses[..., 2] = elbow
torque = robot.gravity_forces(poses)[..., 1]

figure, axes = plt.subplots()
levels = np.linspace(-60, 60, 13)
degrees = np.degrees(elbow), np.degrees(shoulder)
colours = axes.contourf(*degrees, torque, levels, cmap="RdBu_r")
axes.set(xlabel="elbow [°]", ylabel="shoulder lift [°]")
figure.colorbar(colours, label="torque of the shoulder [N m]")

print(f"{torque.size:,} poses, at most {np.abs(torque).max():.1f} N m")
two = [[0, -np.pi / 2, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]
upright, level = robot.gravity_forces(two)
print(f"upright {upright[1]:.1f} N m, stretched out level {level[1]:.1f} N m")

# %% [markdown]
# At $-90°$ of the shoulder and $0°$ of the elbow the arm points straight up, and only the wrist, which stands out to the
# side, asks for a little torque. With both at $0°$ it is stretched out level: the worst case of this map. Fold the elbow and
# it gets easier.
#
# ## Move it
#
# Moving costs more than holding: the links must be accelerated, and those that turn push on each other.
# `inverse_dynamics` includes all of this. It takes positions, velocities and accelerations and gives torques. Let the
# arm swing up from `bent` and back, by half a cosine in two seconds.

# %% alt="Torque of the shoulder's lift joint over two seconds. The torque of the motion is some 6 N m from that of gravity at both ends and in the middle, where the acceleration is largest"
t = np.linspace(0, 2, 201)
reach = np.array([0.8, -0.5, 0.4, 0.0, 0.0, 0.0])
s = (1 - np.cos(np.pi * t)) / 2  # the share of the way
ds = np.pi / 2 * np.sin(np.pi * t)
dds = np.pi**2 / 2 * np.cos(np.pi * t)

q = bent + s[:, None] * reach
qd = ds[:, None] * reach
qdd = dds[:, None] * reach
moving = robot.inverse_dynamics(q, qd, qdd)
holding = robot.gravity_forces(q)

figure, axes = plt.subplots()
axes.plot(t, moving[:, 1], label="moving")
axes.plot(t, holding[:, 1], "--", label="holding each pose")
axes.set(xlabel="time [s]", ylabel="torque of the shoulder [N m]")
axes.legend();

# %% [markdown]
# The other way round is `forward_dynamics`: it takes torques and gives accelerations. What you put in comes out again.

# %%
print(np.allclose(robot.forward_dynamics(q, qd, moving), qdd))

# %% [markdown]
# ## How fast was that?
#
# At the first call a function is compiled into machine code for this one robot, and kept on disk. From then on, a call
# with many rows takes well under a microsecond a row. Your numbers will differ:

# %%
import time

many = robot.random_configuration(100_000, rng=0)
zero = np.zeros((100_000, robot.nv))
robot.inverse_dynamics(many, zero, zero)
start = time.perf_counter()
robot.inverse_dynamics(many, zero, zero)
seconds = time.perf_counter() - start
print(f"{seconds / 100_000 * 1e9:.0f} ns for the torques of one state")

# %% [markdown]
# ## Exercises
#
# **Exercise 1.** How much more must the shoulder hold if the tool carries 3 kg? `robot.with_payload` gives another robot;
# the old one stays as it is.

# %% tags=["answer"]
load = revolute.Inertia.from_com(3.0, (0, 0, 0.05))  # 5 cm before the flange
loaded = robot.with_payload("tool0", load)
print(f"{loaded.gravity_forces(bent)[1] - hold[1]:.2f} N m")

# %% [markdown] tags=["answer"]
# By hand: weight times its horizontal distance from the shoulder's axis, which is along y here.

# %% tags=["answer"]
weight = robot.forward_kinematics(bent, "tool0") @ [0, 0, 0.05, 1]
axis = robot.forward_kinematics(bent, "upper_arm_link")[:, 3]
print(f"{-3.0 * 9.81 * (weight - axis)[0]:.2f} N m")

# %% [markdown]
# **Exercise 2.** Hang the arm from the ceiling. What happens to the torques?

# %% [markdown] tags=["answer"]
# A robot on the ceiling is one whose gravity points the other way in its own frame. All torques change their signs.

# %% tags=["answer"]
ceiling = robot.with_gravity((0, 0, 9.81))
print(np.allclose(ceiling.gravity_forces(bent), -hold))

# %% [markdown]
# **Exercise 3.** In which of 100,000 random poses is the shoulder worst off, and by how much of its limit?

# %% tags=["answer"]
torques = robot.gravity_forces(many)[:, 1]
worst = np.abs(torques).argmax()
share = abs(torques[worst]) / robot.effort_limits[1]
print(f"{torques[worst]:.1f} N m, {share:.0%} of the limit")
print("angles [°]:", np.degrees(many[worst]).round())

# %% [markdown]
# ## Where to go on
#
# [Getting started](../getting-started.md) covers the same ground more broadly, [conventions](../conventions.md)
# explains frames and signs, and [all functions](../functions.md) lists what can be computed.
