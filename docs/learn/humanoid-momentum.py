# ---
# title: A humanoid's momentum
# order: 7
# minutes: 20
# extras: plot
# learn: Load a humanoid with a free base, see what its momentum is and who may change it, jump, swing a leg, and turn in the air without anything to push against.
# ---

# %% [markdown]
# An arm is bolted to the floor. A humanoid is not: no motor moves its body as a whole; only gravity and contacts do. So one
# quantity sees through all joints at once: the momentum of all bodies together, about their common centre of mass. It is called
# the *centroidal* momentum (Orin and Goswami, 2008), six numbers, and controllers of walking robots are built on it.
#
# ## A robot with a free base
#
# The robot is Talos of PAL Robotics, 1.75 m tall. Its description comes with the package `example-robot-data`
# (`pip install example-robot-data`). `base="free"` lets it fly.

# %%
import importlib.metadata
import warnings

import matplotlib.pyplot as plt
import numpy as np
import revolute

package = importlib.metadata.distribution("example-robot-data")
urdf = next(f for f in package.files if f.name == "talos_reduced.urdf")
warnings.simplefilter("ignore", revolute.ModelWarning)
robot = revolute.load(urdf.locate(), base="free")

print(f"{robot.mass:.1f} kg, {robot.n_joints} joints, the first one free")
print(f"{robot.nq} positions, {robot.nv} velocities")

# %% [markdown]
# A free joint has seven positions, of the body and its quaternion, and six velocities: the twist $(\omega, v)$ along the
# body's axes. So `q` and `qd` have different lengths, and `robot.integrate(q, step)` adds a step to a position.
#
# We bend knees, hips and elbows a little.

# %% alt="Talos from the side as thin tubes. It stands with bent knees and lowered arms; its centre of mass is marked in the pelvis"
def set_joints(q, **angles):
    for name, angle in angles.items():
        q[robot.q_index[robot.joint_index(name + "_joint")]] = angle


stance = robot.neutral.copy()
for side, out in (("left", 1), ("right", -1)):
    set_joints(stance, **{
        f"leg_{side}_3": -0.4, f"leg_{side}_4": 0.8, f"leg_{side}_5": -0.4,
        f"arm_{side}_2": 0.3 * out, f"arm_{side}_4": -0.6})
robot.plot(stance);
