# ---
# title: Computed torque and LQR on a Panda
# order: 3
# minutes: 20
# extras: plot, control
# learn: Follow a motion with and without a model of the robot, see what a wrong model costs, and choose feedback by what errors and torques are worth.
# ---

# %% [markdown]
# A controller turns errors into torques. Each joint could do that by itself, but the joints of an arm disturb each
# other: a shoulder that accelerates pushes the elbow. A controller that knows the equations of motion can cancel this.
# A Panda, an arm of seven joints, shows the gain in accuracy, the effect of a wrong model, and how to calculate gains
# instead of finding them by trial and error.
#
# ## A motion to follow

# %%
import matplotlib.pyplot as plt
import numpy as np
import revolute
from revolute import trajectory
from revolute.control import LQR, ComputedTorque, PDWithGravity

robot = revolute.robots.panda()
ready = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
goal = ready + np.array([1.2, 0.7, -0.5, 0.9, 0.6, 0.5, 0.0])
move = trajectory.quintic(robot, [ready, goal], 1.5)
t = np.arange(0, 2, 1e-3)
print(move.check(robot).ok)

# %% [markdown]
# `check` confirms that the robot can follow it: all speeds and torques are within its limits. This is how it moves:

# %% alt="A Panda in five configurations from faint to solid, as it turns to the side and stretches forward"
robot.plot(move.q(np.linspace(0, 1.5, 5)), title="from ready to goal")

# %% [markdown]
# ## First try: each joint by itself
#
# A spring and a damper at every joint, and torques against gravity (Takegaki & Arimoto, 1981):
#
# $$\tau = g(q) - K_p\,e - K_d\,(\dot q - \dot q_{ref}), \qquad e = q - q_{ref}$$
#
# A spring of $400\,M_{ii}$ at joint $i$ has, with the inertia $M_{ii}$ that this joint feels, a frequency of
# $\sqrt{400} = 20$ rad/s. The damper is the critical one.

# %%
inertia = np.diag(robot.mass_matrix(ready))
print("inertia of each joint [kg m²]:", inertia.round(3))

pd = PDWithGravity(robot, move, 400 * inertia, 2 * 20 * inertia)
by_pd = robot.simulate(ready, np.zeros(7), pd, t)

# %% [markdown]
# Each step of 1 ms is a sample of the controller: its torque is held until the next one, as in a real loop. Note how
# different the inertias are. The same spring at each joint would be too weak for the shoulder or too stiff for the wrist.
#
# ## With the equations of motion
#
# Computed torque asks which acceleration would make the error vanish, $\ddot q_{ref} - K_d \dot e - K_p e$, and
# has the model say which torques give just that:
#
# $$\tau = M(q)\,(\ddot q_{ref} - K_d\,\dot e - K_p\,e) + C(q, \dot q)\,\dot q + g(q)$$
#
# Put this into $M \ddot q + C \dot q + g = \tau$, and all that is left is $\ddot e + K_d \dot e + K_p e = 0$: a linear equation
# for each joint, the same in every pose. $K_p = 400$ 1/s² is again 20 rad/s.

# %% alt="Largest error of all joints over time on a logarithmic scale. With springs and dampers it is near one degree, with computed torque some eighty times less"
model_based = ComputedTorque(robot, move, 400.0)
by_model = robot.simulate(ready, np.zeros(7), model_based, t)

def error(motion):
    return np.degrees(np.abs(motion.q - move.q(motion.t)).max(axis=1))

figure, axes = plt.subplots()
axes.semilogy(t[1:], error(by_pd)[1:], label="springs, dampers, gravity")
axes.semilogy(t[1:], error(by_model)[1:], label="computed torque")
axes.set(xlabel="time [s]", ylabel="largest error [°]", ylim=(1e-5, 10))
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)

print(f"{error(by_pd).max():.2f}° and {error(by_model).max():.3f}°")
for motion in (by_pd, by_model):
    print("largest torques [N m]:", np.abs(motion.tau).max(axis=0).round(1))

# %% [markdown]
# The torques are nearly the same, but they come earlier. A spring must be stretched before it pulls: its input is an
# error. The model needs no error to know what to do. The error that remains comes from holding torques for 1 ms.
#
# ## When the model is wrong
#
# Now the hand holds 0.5 kg, 10 cm before the flange, and the controller does not know. The simulated robot and the
# controller's model are now different:

# %% alt="Largest error over time of computed torque with a wrong and with the right model. With the wrong model it stays at several degrees"
tool = revolute.Inertia.from_com(0.5, (0, 0, 0.1))
loaded = robot.with_payload("panda_link8", tool)
informed_law = ComputedTorque(loaded, move, 400.0)

surprised = loaded.simulate(ready, np.zeros(7), model_based, t)
informed = loaded.simulate(ready, np.zeros(7), informed_law, t)

figure, axes = plt.subplots()
axes.semilogy(t[1:], error(surprised)[1:], label="model without the load")
axes.semilogy(t[1:], error(informed)[1:], label="model with the load")
axes.set(xlabel="time [s]", ylabel="largest error [°]", ylim=(1e-5, 20))
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)

print("errors at the end [°]:", np.degrees(surprised.q[-1] - goal).round(2))

# %% [markdown]
# The wrist sags. There $M_{ii}$ is small, so $M K_p$ is a soft spring, and a weight that is not known deflects it. At
# rest the law says $M K_p e = -\Delta g$, where $\Delta g$ is the gravity torque that the model lacks:

# %%
end = surprised.q[-1]
unknown = loaded.gravity_forces(end) - robot.gravity_forces(end)
M = robot.mass_matrix(end)
print(np.degrees(-np.linalg.solve(400 * M, unknown)).round(2))

# %% [markdown]
# This agrees with the simulation. So add the load to the model, as above, or let the controller learn it:
# `Adaptive` in [control](../control.md) does.
#
# ## Gains by what things are worth: LQR
#
# We chose 20 rad/s without a reason. Say instead what counts. How much do deviations cost, and how much do torques?
# With $x = (q - q_0, \dot q)$ and $u = \tau - \tau_0$ about a pose at rest, the motion is nearly linear,
# $\dot x = A x + B u$, and there is one feedback $u = -K x$ for which
#
# $$\int_0^\infty (x^T Q x + u^T R u)\, dt$$
#
# is least (Kalman, 1960). With a sample time `dt` it is the sum over all samples instead. A usual choice (Bryson's rule): an error of 1° is as bad as 30 °/s, and as bad as a tenth of the
# rated torque.

# %%
worth = np.radians([1.0] * 7 + [30.0] * 7)  # a deviation that counts as one
Q = 1 / worth**2
R = 1 / (0.1 * robot.effort_limits) ** 2
lqr = LQR(robot, ready, Q, R, dt=1e-3)

print("K has the shape", lqr.K.shape)
print("N m per rad of the joint itself:", np.diag(lqr.K[:, :7]).round())
print("inside the unit circle:", (np.abs(lqr.poles) < 1).all())

# %% [markdown]
# $K$ is a full matrix: a deviation of one joint gives torques at the others, too, where that pays. The `poles`
# within the unit circle say that small deviations die out. Push all joints by 3° and let go:

# %% alt="Deviations of all joints after a push of three degrees. They vanish within a third of a second, with hardly any overshoot"
pushed = ready + np.radians(3)
back = robot.simulate(pushed, np.zeros(7), lqr.torque, t)

figure, axes = plt.subplots()
labels = [f"joint {number}" for number in range(1, 8)]
axes.plot(t, np.degrees(back.q - ready), label=labels)
axes.set(xlabel="time [s]", ylabel="deviation [°]", xlim=(0, 1))
axes.legend(ncols=2);

# %% [markdown]
# The theory also says in advance what this costs: $x^T P x$. Let us add up the actual cost of the nonlinear robot,
# sample by sample, and do the same for computed torque.

# %%
def cost(motion):
    x = np.concatenate([motion.q - ready, motion.qd], axis=1)
    u = motion.tau - lqr.tau
    return (x**2 @ Q + u**2 @ R).sum()

x0 = np.concatenate([pushed - ready, np.zeros(7)])
print(f"foretold by LQR   {x0 @ lqr.P @ x0:7.0f}")
print(f"paid by LQR       {cost(back):7.0f}")

hold = ComputedTorque(robot, ready, 400.0)
by_hold = robot.simulate(pushed, np.zeros(7), hold, t)
print(f"computed torque   {cost(by_hold):7.0f}")

# %% [markdown]
# The predicted and the actual cost agree closely, since 3° is small. By this measure computed torque costs more: it
# makes every joint equally quick, whatever that costs.
#
# Which one to take? LQR for holding a pose, or for robots with fewer motors than joints
# ([an acrobot](../estimation.md#an-acrobot-held-upright)). Computed torque for following large motions, where a linear model
# does not hold.
#
# ## Exercises
#
# **Exercise 1.** How does the sag of the loaded wrist change with $K_p$? Try 100, 400 and 1600 1/s².

# %% tags=["answer"]
for gain in (100.0, 400.0, 1600.0):
    law = ComputedTorque(robot, move, gain)
    motion = loaded.simulate(ready, np.zeros(7), law, t)
    sag = np.degrees(np.abs(motion.q[-1] - goal)).max()
    print(f"{gain:6.0f}: {sag:5.2f}°")

# %% [markdown] tags=["answer"]
# The error is nearly inversely proportional to $K_p$, as $M K_p e = -\Delta g$ says. Gains cannot grow without end, though: see
# exercise 2.

# %% [markdown]
# **Exercise 2.** At a sample time of 1 ms, which $K_d$ is too much? How does the library respond?

# %% [markdown] tags=["answer"]
# Within a sample of $h$ the velocity changes by $-h K_d \dot e$. Beyond $h K_d = 2$ it overshoots zero by more than
# its own size. Critical damping is $K_d = 2\sqrt{K_p}$, so $K_p = 10^6$ 1/s² is just too much:

# %% tags=["answer"]
import textwrap

try:
    robot.simulate(ready, np.zeros(7), ComputedTorque(robot, move, 1e6), t)
except revolute.InputError as problem:
    print(textwrap.fill(str(problem), 70))

# %% [markdown]
# **Exercise 3.** Torques become cheap: make $R$ a hundred times smaller. What happens to the gains, the time that it takes to
# come back, and the torques?

# %% tags=["answer"]
def settled(motion):
    far = np.abs(motion.q - ready).max(axis=1) > np.radians(0.1)
    return motion.t[far][-1]

eager = LQR(robot, ready, Q, R / 100, dt=1e-3)
quick = robot.simulate(pushed, np.zeros(7), eager.torque, t)
for law, motion in ((lqr, back), (eager, quick)):
    share = (np.abs(motion.tau) / robot.effort_limits).max()
    print(f"gain of joint 1 {law.K[0, 0]:5.0f} N m/rad, within 0.1° "
          f"after {settled(motion):.2f} s, {share:4.0%} of a limit")

# %% [markdown] tags=["answer"]
# The second one asks for torques that do not exist. Neither LQR nor the simulation has limits.
# `Limited` in [control](../control.md) holds a law within them.

# %% [markdown]
# ## Where to go on
#
# [Control](../control.md) has all laws and what each needs, [optimal feedback, filters and observers](../estimation.md) has LQR
# along trajectories, and Kalman filters for joints without speed sensors.
