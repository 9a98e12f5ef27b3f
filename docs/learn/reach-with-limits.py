# ---
# title: Reach a point within limits
# order: 12
# minutes: 15
# extras: plot
# learn: Plan the motion of least cost to a point, read what it costs, keep torques, speeds and joints within limits, and check it between nodes.
# ---

# %% [markdown]
# A path planner says where to go. Optimal control says how: you weigh the costs, and it finds the torques whose motion costs
# least. It knows the dynamics of the robot, so it swings a heavy arm instead of pulling it.
#
# ## What costs
#
# A UR5 is to bring its tool to a point within half a second. Three things cost: to be away from the point at the end, to
# be far from the neutral pose, and torque.

# %%
import matplotlib.pyplot as plt
import numpy as np
import revolute
from revolute.optimal import (
    TorqueCost, TorqueRateCost, LimitCost, OptimalControl, PointCost, StateCost,
)

robot = revolute.robots.ur5()
start = np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3])
goal = np.array([0.4, 0.3, 0.5])
end = [PointCost("tool0", 1e4), StateCost(1e-2)]
problem = OptimalControl(
    robot, [StateCost(1e-2), TorqueCost(1e-3)], terminal=end, steps=50, dt=0.01
)
free = problem.solve(start, goal=goal)
print(free.report())

# %% [markdown]
# A problem is solved by Newton's method over the whole horizon: some twenty iterations, each less than a tenth of a
# millisecond. `report` shows what each cost is, and how near torques and speeds come to the limits of the robot.

# %% alt="A UR5 in five configurations from faint to solid, as its tool moves to a point beside it"
robot.plot(free.q[::12], title="the motion of least cost")

# %% [markdown]
# ## Torques within bounds
#
# Let the second and the third motor be weaker: they have 70 % of the torque that the free plan takes. `effort_limits`
# contains bounds that torques never exceed.

# %% alt="Torques of the shoulder lift joint over time. The free plan has a peak, the bounded one stays at its bound for a while"
weak = np.abs(free.tau).max(axis=0) * np.array([1, 0.7, 0.7, 1, 1, 1])
bounded = OptimalControl(
    robot, [StateCost(1e-2), TorqueCost(1e-3)], terminal=end, steps=50, dt=0.01,
    effort_limits=weak,
).solve(start, goal=goal)
print(bounded.reason, "| share of a bound:", np.abs(bounded.tau / weak).max())

figure, axes = plt.subplots()
axes.step(free.t[:-1], free.tau[:, 1], where="post", label="free")
axes.step(free.t[:-1], bounded.tau[:, 1], where="post", label="bounded")
axes.axhline(-weak[1], linestyle=":"), axes.axhline(weak[1], linestyle=":")
axes.set(xlabel="time [s]", ylabel="torque of the second joint [N m]")
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)

# %% [markdown]
# ## Limits of speeds
#
# With `hard=True` a limit holds, to a tolerance: the solver raises its price until it does. Let no joint be faster than
# 1.5 rad/s.

# %%
slow = OptimalControl(
    robot,
    [StateCost(1e-2), TorqueCost(1e-3), LimitCost(1.0, "velocity", hard=True)],
    terminal=end, steps=50, dt=0.01,
)
limits = np.full(6, 1.5)
held = slow.solve(
    start, goal={"point of tool0": goal, "velocity limits": [-limits, limits]}
)
print("largest speed:", np.abs(free.qd).max().round(2), "without the limit,",
      np.abs(held.qd).max().round(4), "with it")

# %% [markdown]
# ## Smooth torques
#
# The torques of the first plan jump at the start. `TorqueRateCost` penalizes changes of torque, starting from the
# torques that hold the robot at rest.

# %% alt="Torques of the second joint over time: with a cost of their rate they begin without a jump"
smooth = OptimalControl(
    robot, [StateCost(1e-2), TorqueCost(1e-3), TorqueRateCost(1e-6)], terminal=end,
    steps=50, dt=0.01,
).solve(start, goal=goal)
figure, axes = plt.subplots()
axes.step(free.t[:-1], free.tau[:, 1], where="post", label="free")
axes.step(free.t[:-1], smooth.tau[:, 1], where="post", label="with a cost of rates")
axes.set(xlabel="time [s]", ylabel="torque of the second joint [N m]")
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)

# %% [markdown]
# ## Between the nodes
#
# A plan has one step of 10 ms from node to node. `check` simulates each with ten finer ones: what the steps get wrong, and
# which limits are exceeded between nodes.

# %%
print(held.check())

# %% [markdown]
# The error is at most a fifth of a degree; a shorter `dt`, or `method="runge_kutta_4"`, reduces it. Gains come with
# every plan, so that a real robot follows it: the torque at a measured state is `plan.tau[k] + plan.gains[k] @ dx`.
#
# ## Exercises
#
# **Exercise 1.** Bring the tool to rest at the point: which cost is missing at the end?

# %% tags=["answer"]
rest = [*end, StateCost([0] * 6 + [10.0] * 6, name="rest")]
still = OptimalControl(
    robot, [StateCost(1e-2), TorqueCost(1e-3)], terminal=rest, steps=50, dt=0.01
).solve(start, goal={"point of tool0": goal})
print("speeds at the end:", np.abs(free.qd[-1]).max().round(2), "and",
      np.abs(still.qd[-1]).max().round(2), "rad/s")

# %% [markdown]
# **Exercise 2.** How much does the same motion cost in half the time, and in twice the time?

# %% tags=["answer"]
for dt in (0.005, 0.01, 0.02):
    plan = OptimalControl(
        robot, [StateCost(1e-2), TorqueCost(1e-3)], terminal=end, steps=50, dt=dt
    ).solve(start, goal=goal)
    print(f"{plan.t[-1]:4.2f} s: cost {plan.cost:.3f}, largest torque",
          np.abs(plan.tau).max().round(), "N m")
