# ---
# title: Learning inertia in PyTorch
# order: 11
# minutes: 15
# extras: plot,torch
# learn: Learn masses and inertias by gradient descent that stay those of real bodies at every step, and compare them with least squares.
# ---

# %% [markdown]
# Torques are linear in masses and inertias, so least squares find them in one step. Why learn them by gradient
# descent? Because least squares know no physics: with noise and few samples they give negative masses, or inertias
# that no body has. A simulation with such a robot may explode. And a loss in PyTorch may have nonlinear parts, such
# as a network for friction.
#
# `revolute.torch.InertialParameters` is a module of PyTorch whose values are those of real bodies whatever an optimizer
# does to it. It needs `pip install ".[torch]"`.
#
# ## Few samples, much noise
#
# The true arm is a UR5 whose links are 20 % heavier than its description says. We measure 60 states.

# %%
import matplotlib.pyplot as plt
import numpy as np
import revolute
import torch

robot = revolute.robots.ur5()
true = robot.with_inertial_parameters(1.2 * robot.inertial_parameters)

rng = np.random.default_rng(0)
q, qd, qdd = rng.uniform(-2, 2, (3, 60, 6))
tau = true.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.5, (60, 6))

# %% [markdown]
# ## Least squares
#
# The regressor $Y$ has a column for each of the 60 parameters. Some act alike, so `lstsq` takes the shortest solution of all.

# %%
Y = robot.regressor(q, qd, qdd)
scale = tau.std(axis=0)  # joints count alike
A, b = Y / scale[:, None], tau / scale
solution = np.linalg.lstsq(A.reshape(-1, 60), b.ravel(), rcond=1e-9)[0]
squares = solution.reshape(6, 10)
print("masses [kg]:", squares[:, 0].round(1) + 0.0)


# %% [markdown]
# Are these bodies? Mass, first moments and inertia of any body form a matrix of 4 by 4, its pseudo-inertia, that is
# positive definite (Wensing, Kim and Slotine, 2018). If one eigenvalue is negative, no distribution of mass has these
# numbers.

# %%
def least_eigenvalue(p):
    m, h = p[0], p[1:4]
    xx, yy, zz, xy, xz, yz = p[4:]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    second = np.eye(3) * np.trace(inertia) / 2 - inertia
    pseudo = np.block([[second, h[:, None]], [h[None, :], m]])
    return np.linalg.eigvalsh(pseudo)[0]


possible = [bool(least_eigenvalue(p) > 0) for p in squares]
print("bodies that can be:", sum(possible), "of 6")

# %% [markdown]
# ## Gradient descent
#
# The module begins with the description's values. Ten free numbers a body are the entries of a triangular matrix $U$
# with positive diagonal, and $U U^T$ is the pseudo-inertia (Rucker and Wensing, 2022). So every value of the free
# numbers is a possible body, and the descent needs no constraints.

# %%
bodies = revolute.torch.InertialParameters(robot)
torques = robot.torch("inverse_dynamics", parameters="inertial")
state = [torch.tensor(x) for x in (q, qd, qdd)]
target, weight = torch.tensor(tau), torch.tensor(1 / scale)

optimizer = torch.optim.Adam(bodies.parameters(), lr=0.01)
losses = []
for _ in range(200):
    optimizer.zero_grad()
    loss = ((torques(*state, bodies()) - target) * weight).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

print(f"loss {losses[0]:.2f} -> {losses[-1]:.2f}")

# %% alt="The loss over 200 steps of gradient descent falls quickly in the first fifty steps and then levels out"
figure, axes = plt.subplots(figsize=(7, 3))
axes.plot(losses)
axes.set(xlabel="step", ylabel="loss");

# %% [markdown]
# What is left is noise: for the last joints it is larger than the signal.

# %%
learned = bodies().detach().numpy()
print("masses [kg]:", learned[:, 0].round(1))
print("bodies that can be:", sum(bool(least_eigenvalue(p) > 0) for p in learned))

# %% [markdown]
# ## Which predicts better?
#
# On a thousand new states, without noise:

# %% tags=["cover"] alt="Errors of torque of six joints for the description, least squares and gradient descent. The description is worst by far at shoulder lift and elbow; gradient descent is a little below least squares at every joint"
q2, qd2, qdd2 = rng.uniform(-2, 2, (3, 1000, 6))
truth = true.inverse_dynamics(q2, qd2, qdd2)


def error(parameters):
    estimate = robot.regressor(q2, qd2, qdd2) @ np.ravel(parameters)
    return np.sqrt(((estimate - truth) ** 2).mean(axis=0))


figure, axes = plt.subplots(figsize=(7, 3))
place = np.arange(6)
for k, (label, parameters) in enumerate({
        "description": robot.inertial_parameters,
        "least squares": squares, "gradient descent": learned}.items()):
    axes.bar(place + 0.27 * (k - 1), error(parameters), 0.25, label=label)
axes.set(xlabel="joint", ylabel="rms error [N m]", yscale="log")
axes.set_xticks(place, place + 1)
axes.legend();

# %%
lower = error(learned) < error(squares)
print("gradient descent is better at", lower.sum(), "of 6 joints")

# %% [markdown]
# Least squares need one step, and no start. But where samples are few and noise is large, it helps to know
# that a mass is positive.
#
# ## Exercises
#
# **Exercise 1.** Only the last link changed: it carries a gripper of 1 kg. Learn its ten numbers alone.

# %% tags=["answer"]
gripper = revolute.Inertia.box(1.0, (0.1, 0.1, 0.1))
carrying = robot.with_payload("tool0", gripper)
goal = torch.tensor(carrying.inverse_dynamics(q, qd, qdd))
last = revolute.torch.InertialParameters(robot, ["wrist_3_link"])
optimizer = torch.optim.Adam(last.parameters(), lr=0.02)
for _ in range(300):
    optimizer.zero_grad()
    loss = (torques(*state, last()) - goal).square().mean()
    loss.backward()
    optimizer.step()
more = last()[-1, 0].item() - robot.inertial_parameters[-1, 0]
print(f"{more:.1f} kg more")

# %% [markdown]
# **Exercise 2.** How many samples do least squares need until all bodies are possible ones? Or does that never happen?

# %% [markdown] tags=["answer"]
# It may never happen: the shortest solution divides sums among the links regardless of physics. Even without noise:

# %% tags=["answer"]
clean = true.regressor(q2, qd2, qdd2).reshape(-1, 60)
exact = np.linalg.lstsq(clean, truth.ravel(), rcond=1e-9)[0].reshape(6, 10)
print("bodies that can be:", sum(bool(least_eigenvalue(p) > 0) for p in exact))

# %% [markdown]
# ## Where to go on
#
# [JAX and PyTorch](../jax-and-pytorch.md) has gradients of all functions; [identification](../identification.md) does least
# squares with error bars, and finds the nearest real bodies without gradient descent.
