# ---
# title: Follow a moving goal
# order: 14
# minutes: 15
# extras: plot
# learn: Plan anew in every instant, follow a goal that moves by a robot that is heavier than its model, and see what happens when a measurement is lost.
# ---

# %% [markdown]
# A plan is made once. Where the goal moves, or the robot is not quite its model, plan again and again: from the
# measured state, a short time ahead, and do the first step only. This is predictive control. It needs a new plan in
# each control step, within a millisecond.

# %%
import matplotlib.pyplot as plt
import numpy as np
import revolute
from revolute.optimal import (
    TorqueCost, OptimalControl, PointCost, Predictive, StateCost,
)

robot = revolute.robots.ur5()
start = np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3])
point, state = PointCost("tool0", 1e4), StateCost([1e-2] * 6 + [1.0] * 6)
problem = OptimalControl(
    robot, [point, state, TorqueCost(1e-3)], terminal=[point, state],
    steps=20, dt=0.01,
)

# %% [markdown]
# The horizon is 0.2 s. `stepper` makes a loop that works in place: each call shifts the last plan, starts it at the
# measured state, and improves it by one iteration.

# %% alt="Distance of the tool from a goal that moves on a circle, on a logarithmic scale over two seconds: it falls within half a second to some millimetres and stays there"
def goal(t):
    turned = np.array([np.sin(2 * t), np.cos(2 * t), 0])
    return np.array([0.4, 0.3, 0.5]) + 0.05 * turned

loop, real = problem.stepper(), robot.stepper(0.01, "semi_implicit_euler")
q, qd, tau, away = start.copy(), np.zeros(6), np.zeros(6), []
t = np.arange(200) * 0.01
for now in t:
    loop.step(q, qd, goal(now), out=tau)
    real.step(q, qd, tau)
    tip = robot.forward_kinematics(q, "tool0")[:3, 3]
    away.append(np.linalg.norm(tip - goal(now)))
print("calls that failed:", loop.failures)
print("away at the end:", round(1e3 * away[-1], 1), "mm")

figure, axes = plt.subplots()
axes.semilogy(t, away)
axes.set(xlabel="time [s]", ylabel="distance from the goal [m]")

# %% [markdown]
# ## How long a call takes

# %%
import time

spent = []
for now in t:
    before = time.perf_counter()
    loop.step(q, qd, goal(now), out=tau)
    spent.append(time.perf_counter() - before)
    real.step(q, qd, tau)
print("half of the calls take less than", round(1e6 * np.median(spent)), "µs")

# %% [markdown]
# ## What is to come
#
# A goal may be an array with a row for each node: then the loop knows where the goal will be, and does not lag behind.

# %%
ahead = np.arange(21) * 0.01
loop.reset()
q, qd, knowing = start.copy(), np.zeros(6), []
for now in t:
    loop.step(q, qd, np.array([goal(now + dt) for dt in ahead]), out=tau)
    real.step(q, qd, tau)
    tip = robot.forward_kinematics(q, "tool0")[:3, 3]
    knowing.append(np.linalg.norm(tip - goal(now + 0.01)))
means = [(1e3 * np.mean(x[100:])).round(1) for x in (away, knowing)]
print(f"on average in the second half: {means[0]} mm without, {means[1]} mm with it")

# %% [markdown]
# ## A robot that is not its model
#
# `Predictive` is the same loop as a controller for `simulate`. The simulated robot carries 0.5 kg that the model lacks.

# %% alt="Distance of the tool from its goal over one second with an unknown payload"
heavy = robot.with_payload("tool0", revolute.Inertia(m=0.5))
times = np.arange(101) * 0.01
law = Predictive(problem, goal)
motion = heavy.simulate(start, np.zeros(6), law, times, "semi_implicit_euler")
tips = robot.forward_kinematics(motion.q, "tool0")[:, :3, 3]
distance = np.linalg.norm(tips - np.array([goal(x) for x in times]), axis=1)
print("calls that failed:", law.stepper.failures, "| away at the end:",
      (1e3 * distance[-1]).round(1), "mm")
figure, axes = plt.subplots()
axes.semilogy(times[1:], distance[1:])
axes.set(xlabel="time [s]", ylabel="distance from the goal [m]")

# %% [markdown]
# ## Lost measurements
#
# A call whose state is not finite keeps the last plan, and reports this. The arm continues along its plan.

# %%
loop.reset()
q, qd = start.copy(), np.zeros(6)
for k, now in enumerate(t):
    measured = q * np.nan if 50 <= k < 53 else q
    loop.step(measured, qd, goal(now), out=tau)
    if k == 52:
        print(loop.failed, "|", loop.reason)
    real.step(q, qd, tau)
tip = robot.forward_kinematics(q, "tool0")[:3, 3]
print(loop.failures, "calls failed | away at the end:",
      (1e3 * np.linalg.norm(tip - goal(t[-1]))).round(1), "mm")

# %% [markdown]
# ## Exercises
#
# **Exercise 1.** Let torques have bounds: half of those of the robot. Does the tool still reach the circle?

# %% tags=["answer"]
bounded = OptimalControl(
    robot, [point, state, TorqueCost(1e-3)], terminal=[point, state],
    steps=20, dt=0.01, effort_limits=robot.effort_limits / 2,
)
slow = Predictive(bounded, goal)
motion = robot.simulate(start, np.zeros(6), slow, times, "semi_implicit_euler")
tip = robot.forward_kinematics(motion.q[-1], "tool0")[:3, 3]
away = 1e3 * np.linalg.norm(tip - goal(times[-1]))
print("away at the end:", away.round(1), "mm")

# %% [markdown]
# **Exercise 2.** Take a horizon of four nodes in place of twenty. What changes?

# %% tags=["answer"]
short = OptimalControl(
    robot, [point, state, TorqueCost(1e-3)], terminal=[point, state],
    steps=4, dt=0.01,
)
hasty = Predictive(short, goal)
motion = robot.simulate(start, np.zeros(6), hasty, times, "semi_implicit_euler")
tips = robot.forward_kinematics(motion.q, "tool0")[:, :3, 3]
apart = np.linalg.norm(tips - np.array([goal(x) for x in times]), axis=1)
print("away after half a second:", (1e3 * apart[50]).round(1), "mm, at the end:",
      (1e3 * apart[-1]).round(1), "mm")
