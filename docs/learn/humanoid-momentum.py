# ---
# title: A humanoid's momentum
# order: 7
# minutes: 20
# extras: plot, robots
# learn: Load a humanoid with a free base, see who may change its momentum, jump, and turn in the air with nothing to push against.
# ---

# %% [markdown]
# An arm is bolted to the floor. A humanoid is not: no motor moves its body as a whole. Only gravity and contacts do. One
# quantity shows this for all joints at once: the momentum of all bodies together, about their common centre of mass. It
# is called the *centroidal* momentum (Orin and Goswami, 2008). It has six numbers, and controllers of walking robots
# are built on it.
#
# ## A robot with a free base
#
# The robot is Talos of PAL Robotics. It is one of the [robots by name](../robot-files.md#robots-by-name), from the package
# `example-robot-data`, which the extra `robots` installs (420 MB). `base="free"` lets it fly.

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np
import revolute

warnings.simplefilter("ignore", revolute.ModelWarning)
talos = revolute.load("talos", base="free")

print(f"{talos.mass:.1f} kg; {talos.nq} positions, {talos.nv} velocities")

# %% [markdown]
# A free joint has seven positions (a point and a quaternion) and six velocities: the twist $(\omega, v)$ along the
# body's axes. So `q` and `qd` differ in length, and `robot.integrate(q, step)` adds a step to a position.
#
# We spread the arms a little, and look.

# %% alt="Talos in three dimensions as tubes: two legs, a trunk, two arms that are spread, and the centre of mass in the pelvis"
def place(name):
    return talos.q_index[talos.joint_index(name)].start

pose = talos.neutral()
pose[place("arm_left_2_joint")], pose[place("arm_right_2_joint")] = 0.4, -0.4
talos.plot(pose)

# %% [markdown]
# ## Momentum is a matrix times velocities
#
# $$h = A(q)\,\dot q$$
#
# `centroidal_momentum_matrix` gives $A$, six rows and a column for each velocity. The first three numbers of $h$ are the
# angular momentum, the last three the linear momentum. The linear one is mass times velocity of the centre of mass:

# %%
rng = np.random.default_rng(0)
q = talos.integrate(pose, 0.1 * rng.standard_normal(talos.nv))
qd = rng.standard_normal(talos.nv)

h = talos.centroidal_momentum(q, qd)
A = talos.centroidal_momentum_matrix(q)
print("h = A qd:", np.allclose(A @ qd, h))
print("linear = m v:", np.allclose(h[3:], talos.mass * talos.com_velocity(q, qd)))

# %% [markdown]
# ## Who may change it
#
# The rate of $h$ is the sum of all wrenches from outside, about the centre of mass. In the air that is gravity alone.
# It has no moment about the centre of mass, whatever the motors do. So we apply random motor torques:

# %%
tau = np.zeros(talos.nv)
tau[6:] = 20 * rng.standard_normal(talos.nv - 6)  # no motor acts on the base
qdd = talos.forward_dynamics(q, qd, tau)
rate = talos.centroidal_momentum_rate(q, qd, qdd)
print("rate of the angular momentum:", np.abs(rate[:3]).max() < 1e-6)
print("rate of the linear one [N]:", rate[3:].round(3) + 0.0)
print("weight [N]:", round(-9.81 * talos.mass, 3))

# %% [markdown]
# ## A jump
#
# Talos leaves the ground at 1.5 m/s. In the air its hips swing both legs forward. The trunk bows towards them, since the
# angular momentum of the legs must come from the rest of the body: the sum stays zero. The pelvis is not where it
# would be without the swing, but the centre of mass follows its parabola.

# %%
t = np.linspace(0.0, 0.3, 301)
start = np.zeros(talos.nv)
start[5] = 1.5  # velocity of the base upwards [m/s]
swing = np.zeros(talos.nv)
for name, force in (("leg_left_3_joint", -20.0), ("leg_right_3_joint", -20.0)):
    swing[talos.v_index[talos.joint_index(name)]] = force

def torque(time, q, qd):
    return swing - damping * qd

damping = np.full(talos.nv, 2.0)  # of the joints [N m s/rad]
damping[:6] = 0.0  # the air has none
motion = talos.simulate(pose, start, torque, t)
height = talos.center_of_mass(motion.q)[:, 2]
momentum = talos.centroidal_momentum(motion.q, motion.qd)
c0 = talos.com_velocity(pose, start)[2]
parabola = height[0] + c0 * t - 9.81 / 2 * t**2
print("a parabola, within [mm]:", 1000 * np.abs(height - parabola).max() < 0.01)
print("angular momentum [kg m²/s] below 1e-4:", np.abs(momentum[:, :3]).max() < 1e-4)

# %% alt="Left: the height of the centre of mass is a parabola with its top after 0.15 s, and the pelvis leaves it. Right: while the hips bend, the pelvis pitches the other way, with zero angular momentum all the time"
pelvis = motion.q[:, 2] - motion.q[0, 2]
x, y, z, w = motion.q[:, 3:7].T
pitch = np.degrees(np.arcsin(2 * (w * y - x * z)))
hip = np.degrees(motion.q[:, place("leg_left_3_joint")])
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
left.plot(t, 100 * (height - height[0]), label="centre of mass")
left.plot(t, 100 * pelvis, "--", label="pelvis")
left.set(xlabel="time [s]", ylabel="height [cm]")
left.legend()
right.plot(t, hip, label="hip")
right.plot(t, pitch, "--", label="pitch of the pelvis")
right.set(xlabel="time [s]", ylabel="angle [°]")
right.legend();

# %% [markdown]
# ## To turn without a push
#
# A cat that falls on its back lands on its feet. Its angular momentum is zero all the time, and still it turns. Talos
# can do so about its vertical axis, in four steps: spread the arms, turn the trunk, lower the arms, turn the trunk
# back. With spread arms the upper body has more inertia, so in the second step the legs turn further than they turn
# back in the fourth.
#
# Let the joints have velocities $\dot q_j$. What the base does follows from $h = 0$, with the columns of the base in $A_b$
# and those of the joints in $A_j$:
#
# $$\dot q_b = -A_b^{-1} A_j\,\dot q_j$$

# %%
def base_velocity(q, joints):
    A = talos.centroidal_momentum_matrix(q)
    return np.linalg.solve(A[:, :6], -A[:, 6:] @ joints)

def rate_of(name, value):
    joints = np.zeros(talos.nv - 6)
    joints[talos.v_index[talos.joint_index(name)].start - 6] = value
    return joints

arms = rate_of("arm_left_2_joint", 1.1) + rate_of("arm_right_2_joint", -1.1)
trunk = rate_of("torso_1_joint", 1.0)
steps = [arms, trunk, -arms, -trunk]

def turned(steps, count=100):
    """Angles of the pelvis about the vertical axis [°] along steps of one second."""
    q, angles = pose.copy(), [0.0]
    for joints in steps:
        for _ in range(count):
            half = np.concatenate([base_velocity(q, joints), joints]) / (2 * count)
            middle = talos.integrate(q, half)
            whole = np.concatenate([base_velocity(middle, joints), joints]) / count
            q = talos.integrate(q, whole)
            z, w = q[5:7]
            angles.append(np.degrees(2 * np.arctan2(z, w)))
    return np.array(angles), q

angles, end = turned(steps)
print("joints are back:", np.allclose(end[7:], pose[7:]))
print(f"the pelvis has turned by {angles[-1]:.1f}°")

# %% alt="The angle of the pelvis over four seconds: it turns one way while the trunk turns with spread arms, and less far back with lowered arms, so that an angle remains" tags=["cover"]
figure, axes = plt.subplots(figsize=(6, 3.5))
axes.plot(np.linspace(0, 4, len(angles)), angles)
for k, name in enumerate(("arms up", "turn", "arms down", "turn back")):
    axes.axvspan(k, k + 1, color="0.9" if k % 2 else "1.0", zorder=0)
    axes.text(k + 0.5, axes.get_ylim()[1], name, ha="center", va="bottom")
axes.set(xlabel="time [s]", ylabel="pelvis about the vertical [°]");

# %% [markdown]
# Every joint is back where it was, but the robot faces another way. A momentum that is conserved does not mean a
# position that is conserved: zero angular momentum is a condition on velocities that cannot be integrated to one on
# positions. It is called *nonholonomic*, like that of a wheel.
#
# ## Exercises
#
# **Exercise 1.** What happens if the four steps are done in the opposite order?

# %% tags=["answer"]
back, _ = turned([-x for x in reversed(steps)])
print(f"{back[-1]:.1f}°")

# %% [markdown] tags=["answer"]
# The joints follow the same path backwards, so the pelvis turns by the same angle the other way.

# %% [markdown]
# **Exercise 2.** And if everything is done at half the speed?

# %% tags=["answer"]
slow, _ = turned(steps, count=200)
half, _ = turned([x / 2 for x in steps for _ in (0, 1)], count=100)
print(f"{half[-1]:.1f}° in twice the time, {slow[-1]:.1f}° in four seconds")

# %% [markdown] tags=["answer"]
# The angle depends on the path of the joints, not on the speed along it: $\dot q_b$ is linear in $\dot q_j$.
