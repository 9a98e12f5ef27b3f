# ---
# title: Identify a real arm
# order: 5
# minutes: 25
# extras: plot,identify
# learn: Go from the log of a real UR10 to a model with error bars, see what the log does not determine, test the model on another part of the log, and weigh a tool.
# ---

# %% [markdown]
# The file that describes a robot has the lengths of its links, but rarely their masses, and hardly ever how much
# friction its gears have. A controller or a simulation that relies on it has the same errors. What the robot weighs
# can be measured without taking it apart: move it, write down positions and torques, and ask which masses and which
# friction explain them.
#
# The log here is real. The Automatic Control Group of the University of Salerno recorded it on a UR10 and published it
# with *inverse-dynamics-solver* (Petrone, Ferrentino, Chiacchio, 2025). We have every second row of it, and the robot's
# description. The notebook writes both into a folder `data/ur10`. To follow along without it, start Python in the folder
# `docs/learn` of the checkout, or put them there yourself: [log.csv](data/ur10/log.csv),
# [ur10_robot.urdf](data/ur10/ur10_robot.urdf), [their source](data/ur10/SOURCE.txt) and [licence](data/ur10/LICENSE).
#
# ## Read the log

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np
import revolute
from revolute.identification import ForceModel, Samples, payload
from revolute.identification import read_log, save_report, validate

warnings.simplefilter("ignore", revolute.ModelWarning)  # of meshes and limits
robot = revolute.load("data/ur10/ur10_robot.urdf")
log = read_log(robot, "data/ur10/log.csv")
joints = [name.removesuffix("_joint") for name in robot.joint_names]

print(f"a row every {1000 * log.step:.0f} ms; {robot.n_joints} joints")
print(f"advised cut-off: {log.advised_cutoff:.1f} Hz")

# %% [markdown]
# The robot measures positions, but masses act through accelerations. Differentiating twice multiplies noise, so
# positions pass a low-pass first. Its cut-off frequency is chosen from the spectrum of the motion. `samples` filters,
# differentiates and returns what a fit needs.
#
# We fit the first 18 s and keep the rest for a test.

# %% alt="Above, positions of shoulder lift and elbow swing between -2.4 and 1.7 rad, the second half a mirror image of the first. Below, their measured torques, up to 140 N m. A line at 18 s divides both"
samples = log.samples()
first, rest = samples[samples.t < 18], samples[samples.t >= 18]

figure, (above, below) = plt.subplots(2, sharex=True, figsize=(7, 4.5))
above.plot(samples.t, samples.q[:, 1:3], label=joints[1:3])
below.plot(samples.t, samples.tau[:, 1:3])
for axes in (above, below):
    axes.axvline(18, color="black", linewidth=1)
above.set(ylabel="position [rad]")
below.set(xlabel="time [s]", ylabel="torque [N m]")
above.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3);

# %% [markdown]
# ## Fit
#
# Joint torques are linear in masses, first moments, inertias and friction: $\tau = Y(q, \dot q, \ddot q)\, \pi$. So
# this is linear least squares, with two additions in `identify`: it finds which combinations of parameters torques
# determine, and it weights each joint by its own noise.

# %%
fit = revolute.identify(robot, first)
full = robot.inertial_parameters.size + 4 * robot.n_joints
print(f"{full} parameters, {len(fit.names)} sums that are determined")
for joint, residual, signal in zip(joints, fit.residual_rms, fit.signal_rms):
    print(f"{joint:14} {residual:5.1f} of {signal:5.1f} N m unexplained")

# %% [markdown]
# The full set has ten parameters for each link, and rotor inertia, viscous friction, Coulomb friction and offset for
# each joint. The mass of the last link and the first moments of those before it, for example, act alike, so only
# their sum can be identified.
#
# ## Error bars, and what the log does not determine
#
# Each value has a standard error. Some are small; some are larger than the value.

# %% tags=["cover"] alt="Coulomb friction of the six joints with error bars. The three large joints have 7 to 15 N m, the wrist joints about 2.5 N m. The bar of the last wrist joint is far the longest in proportion"
values = dict(zip(fit.names, fit.values))
errors = dict(zip(fit.names, fit.standard_errors))
names = [f"{name}.friction" for name in robot.joint_names]

figure, axes = plt.subplots(figsize=(7, 3))
axes.errorbar(joints, [values[n] for n in names],
              2 * np.array([errors[n] for n in names]), fmt="o", capsize=5)
axes.set(ylabel="Coulomb friction [N m]", ylim=(0, None))
axes.tick_params(axis="x", labelrotation=20);

# %% [markdown]
# The bars are two standard errors. No data sheet has these numbers. For all parameters there are three verdicts:

# %%
for verdict in sorted(set(fit.verdicts)):
    print(f"{verdict:15} {list(fit.verdicts).count(verdict):3}")

# %% [markdown]
# *Near zero* means known to be small: the error is large beside the value, but small beside other parameters. *Poorly
# excited* means unknown: this motion does not determine the value. A rotor's inertia acts on fast joints only, and
# most inertias of links need greater accelerations than this log has. Gravity and friction of the large joints, which
# make most of the torques, are known within some ten percent.
#
# ## A model that a real body could have
#
# Least squares do not know that masses are positive. `physical=True` takes, of all parameters that fit about as
# well, those nearest to the description that real bodies can have. Parameters that the log does not determine keep the
# values of the description.

# %%
model = revolute.identify(robot, first, physical=True)
identified = model.robot().robot
print(f"mass: {robot.mass:.1f} kg in the file, {identified.mass:.1f} kg identified")
print("all masses positive:", bool((identified.inertial_parameters[:, 0] > 0).all()))

# %% [markdown]
# These masses are not what a scale would show. Where only a sum is identified, it is divided among the links as in
# the description.
#
# ## Does it hold?
#
# A model is judged by samples that were not used in the fit: the last nine seconds. Look at the first figure, though: the
# motion is a mirror image in time, about 13.7 s. The last nine seconds go backwards through poses of the first nine. Friction is
# reversed, but weight and accelerations are the same. So this is a mild test; another motion would be a better one.

# %% alt="Torques of the elbow over nine seconds that the fit has not seen, between -50 and 65 N m. The model's line follows the measured one, with steps where the joint turns back; the line of the file, without friction, is off by more than 20 N m"
trial = validate(model, rest)
prediction = model.predict(rest)
of_file = robot.inverse_dynamics(rest.q, rest.qd, rest.qdd)

figure, axes = plt.subplots(figsize=(7, 3))
axes.plot(rest.t, rest.tau[:, 2], "0.6", linewidth=3, label="measured")
axes.plot(rest.t, prediction[:, 2], label="identified")
axes.plot(rest.t, of_file[:, 2], "--", linewidth=1, label="file")
axes.set(xlabel="time [s]", ylabel="torque of the elbow [N m]")
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3);

# %%
def rms(x):
    return np.sqrt(np.mean(x**2, axis=0))


print("unexplained     file   identified")
for k, joint in enumerate(joints):
    share = rms((of_file - rest.tau)[:, k]), rms((prediction - rest.tau)[:, k])
    share = np.array(share) / rms(rest.tau[:, k])
    print(f"{joint:14}{share[0]:6.0%}{share[1]:13.0%}")

# %% [markdown]
# The validation has its own verdict, and says in words what is wrong with single joints:

# %%
import textwrap

print(textwrap.fill(trial.verdict, 78))
for note in trial.notes[:2]:
    print(textwrap.fill(f"- {note}", 78))

# %% [markdown]
# Much of the rest is friction: that of real gears is more than a constant and a part that grows with speed. The whole
# report, with plots, goes into one HTML file:

# %%
save_report("report.html", model, {"Last nine seconds": trial});

# %% [markdown]
# ## Weigh a tool
#
# With a good model, a short log with a load is enough to identify what hangs on the flange. Nobody recorded one with
# this arm, so we make one: to the measured torques of the last nine seconds, with their noise and unmodelled
# friction, we add the torques of a load of 4 kg.

# %%
tool = revolute.Inertia.from_com(4.0, (0.02, 0.0, 0.08), 0.01 * np.eye(3))
motion = rest.q, rest.qd, rest.qdd
extra = identified.with_payload("ee_link", tool).inverse_dynamics(*motion)
extra -= identified.inverse_dynamics(*motion)
loaded = Samples(rest.t, *motion, rest.tau + extra)

load = payload(model.robot(), loaded, "ee_link", offsets=True)
print(f"{load.mass:.2f} kg")

# %% [markdown]
# ## Exercises
#
# **Exercise 1.** How long must the log be? Fit the first 6, 12 and 18 s and look at the errors of the elbow's friction.

# %% [markdown] tags=["answer"]
# Errors should fall about as the root of the length, if the motion is as rich all the time.

# %% tags=["answer"]
for seconds in (6, 12, 18):
    part = revolute.identify(robot, samples[samples.t < seconds], check=False)
    place = list(part.names).index("elbow_joint.friction")
    value, error = part.values[place], part.standard_errors[place]
    print(f"{seconds:2} s: {value:.1f} ± {error:.1f} N m")

# %% [markdown]
# **Exercise 2.** The notes blame friction. Let it differ by direction, with `ForceModel(robot, asymmetric=True)`. Do residuals on the rest of
# the log shrink?

# %% tags=["answer"]
model = ForceModel(robot, asymmetric=True)
two_sided = revolute.identify(model, first, check=False)
better = validate(two_sided, rest)
plain = validate(fit, rest)
for joint, before, after in zip(joints, plain.rms, better.rms):
    print(f"{joint:14} {before:.1f} -> {after:.1f} N m")

# %% [markdown] tags=["answer"]
# Another term always improves the fit, but not always the prediction. Only a part of the log that was not fitted can
# show whether the term is worth having.

# %% [markdown]
# ## Where to go on
#
# [Identification](../identification.md) has all options, and the warnings that the library gives about bad logs;
# [excitation](../excitation.md) plans better motions.
