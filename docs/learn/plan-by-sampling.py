# ---
# title: Plan by sampling
# order: 15
# minutes: 10
# extras: plot
# learn: Control an arm by a thousand random plans in each instant (MPPI), choose noise and temperature, and compare with plans by derivatives.
# ---

# %% [markdown]
# Derivatives find the least cost in few steps, where costs are smooth. Where they are not, sample: draw a thousand
# random plans, and take their mean, with large weights for those of low cost. This is MPPI (Williams and others, 2017):
#
# $$\tau \leftarrow \tau + \sum_k w_k\,\epsilon_k, \qquad w_k \propto \exp\left(-\frac{J_k - \min J}{\lambda}\right)$$
#
# with random torques $\epsilon_k$ and the costs $J_k$ of their motions.

# %%
import matplotlib.pyplot as plt
import numpy as np
import revolute
from revolute.optimal import TorqueCost, OptimalControl, Sampling, StateCost

robot = revolute.robots.planar(2)
costs, end = [StateCost([50, 50, 1, 1]), TorqueCost(1e-4)], [StateCost([5, 5, 1, 1])]
problem = OptimalControl(robot, costs, terminal=end, steps=25, dt=0.02)
goal = {"state": [0.4, -0.3, 0.0, 0.0]}
start, still = np.zeros(2), np.zeros(2)

# %% [markdown]
# With `elapsed=0`, a call improves the last torques without shifting them. The cost of its best sample falls towards
# the least one, that of `solve`:

# %% alt="The cost of the best sample over a hundred calls on a logarithmic scale, which falls towards a line: the least cost by derivatives"
sampler = Sampling(problem, samples=1024, noise=1.0, temperature=0.01, rng=0)
tau, found = np.zeros(2), []
for _ in range(100):
    sampler.step(start, still, goal, out=tau, elapsed=0.0)
    found.append(sampler.cost)
least = float(problem.solve(start, goal=goal).cost)
print("least cost:", round(least, 4), "| by sampling:", round(found[-1], 4))

figure, axes = plt.subplots()
axes.semilogy(found, label="best of 1024 samples")
axes.axhline(least, linestyle=":", color="black", label="least cost")
axes.set(xlabel="call", ylabel="cost")
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)

# %% [markdown]
# ## Noise and temperature
#
# Too little noise finds nothing new; with too much, no sample is good. A low temperature takes the best sample alone, a
# high one the mean of all.

# %%
for noise in (0.1, 1.0, 10.0):
    for temperature in (0.001, 0.1):
        options = {"noise": noise, "temperature": temperature}
        trial = Sampling(problem, samples=1024, rng=0, **options)
        for _ in range(30):
            trial.step(start, still, goal, out=tau, elapsed=0.0)
        print(f"noise {noise:4} N m, temperature {temperature:5}: {trial.cost:.3f}")

# %% [markdown]
# ## In a loop
#
# In each control step, the torques are shifted by one step and improved by one call.

# %% alt="Angles of both joints over two seconds, which move to their goal and stay there"
loop = Sampling(problem, samples=512, noise=2.0, temperature=0.05, rng=1)
real = robot.stepper(0.02, "semi_implicit_euler")
q, qd, way = np.zeros(2), np.zeros(2), []
for _ in range(100):
    loop.step(q, qd, goal, out=tau)
    real.step(q, qd, tau)
    way.append(q.copy())
print("away at the end:", np.abs(q - [0.4, -0.3]).max().round(2), "rad")
figure, axes = plt.subplots()
axes.plot(np.arange(100) * 0.02, way, label=["shoulder", "elbow"])
axes.set(xlabel="time [s]", ylabel="angle [rad]")
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)

# %% [markdown]
# ## A cost with a step
#
# Costs need not be smooth. This one is 1 wherever the tip is below a shelf, and 0 elsewhere: it has no slope that a solver
# could follow.

# %%
from revolute.dynamics.kinematics import frame_pose
from revolute.optimal import Residual
from revolute.spatial.scalar import select

def under_the_shelf(model, q, qd, tau, p):
    return [select(frame_pose(model, q, "tip").p[1] < p[0], 1.0, 0.0)]

careful = OptimalControl(
    robot, [*costs, Residual(under_the_shelf, 100.0, goal=[-0.005])], terminal=end,
    steps=25, dt=0.02,
)
for name, task in {"without": problem, "with the shelf": careful}.items():
    sampler = Sampling(task, samples=1024, noise=1.0, temperature=0.01, rng=0)
    for _ in range(60):
        sampler.step(start, still, goal, out=tau, elapsed=0.0)
    held = np.vstack([sampler.tau, sampler.tau[-1:]])
    motion = robot.simulate(start, still, held, task.t, "semi_implicit_euler")
    lowest = robot.forward_kinematics(motion.q, "tip")[:, 1, 3].min()
    print(f"{name}: the tip comes down to {1e3 * lowest:.0f} mm")

# %% [markdown]
# ## Exercises
#
# **Exercise 1.** How much do more samples help?

# %% tags=["answer"]
for samples in (16, 64, 256, 1024):
    trial = Sampling(problem, samples=samples, noise=1.0, temperature=0.01, rng=0)
    for _ in range(60):
        trial.step(start, still, goal, out=tau, elapsed=0.0)
    print(samples, "samples:", round(trial.cost - least, 3), "above the least cost")

# %% [markdown]
# **Exercise 2.** A second time with the same seed, does the sampler find the same torques?

# %% tags=["answer"]
torques = []
for _ in range(2):
    trial = Sampling(problem, samples=256, noise=1.0, temperature=0.01, rng=3)
    trial.step(start, still, goal, out=tau, elapsed=0.0)
    torques.append(trial.tau.copy())
print(np.array_equal(*torques))
