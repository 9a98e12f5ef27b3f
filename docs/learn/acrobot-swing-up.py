# ---
# title: Swing up an acrobot
# order: 13
# minutes: 15
# extras: plot
# learn: Plan a motion of a robot with fewer motors than joints, from bounded torques, and hold its end by the gains of the plan.
# ---

# %% [markdown]
# An acrobot is a double pendulum whose shoulder is free: only its elbow has a motor. It cannot stand up by force; it must
# swing. You give no path: costs set the state at the end, and the solver finds the swings.

# %%
import matplotlib.pyplot as plt
import numpy as np
import revolute
from revolute.optimal import TorqueCost, OptimalControl, StateCost

robot = revolute.robots.planar(2)
down, top = np.array([-np.pi / 2, 0.0]), np.array([np.pi / 2, 0.0, 0.0, 0.0])
problem = OptimalControl(
    robot,
    [StateCost(1e-3), TorqueCost(1e-3)],
    terminal=[StateCost(100.0)],
    steps=150,
    dt=0.02,
    actuated=["joint2"],
    effort_limits=[0.0, 6.0],
)
plan = problem.solve(down, goal={"state": top}, iterations=500)
print(plan.report())

# %% [markdown]
# `actuated` names the joints with a motor. The force of the shoulder is exactly zero, and that of the elbow stays
# within its bounds of 6 N m, a little more than the torque that holds the outer link out straight.

# %% alt="Angles of both joints over three seconds, which swing until the arm stands, and the torque of the elbow below them, which stays within its bounds"
figure, (above, below) = plt.subplots(2, 1, sharex=True)
above.plot(plan.t, plan.q, label=["shoulder", "elbow"])
above.set(ylabel="angle [rad]")
above.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
below.step(plan.t[:-1], plan.tau[:, 1], where="post")
below.set(xlabel="time [s]", ylabel="torque [N m]")

# %% [markdown]
# Inverse dynamics confirms that the plan uses only the motor: the torque that the motion needs at the shoulder is zero,
# except for rounding.

# %%
needed = robot.inverse_dynamics(plan.q[:-1], plan.qd[:-1], plan.qdd)
print("at the shoulder:", f"{np.abs(needed[:, 0]).max():.0e}", "N m")

# %% [markdown]
# ## From plan to motion
#
# A plan is a motion of a model. Give the real acrobot a push of a tenth of a radian per second, and the torques of the plan
# alone lead it elsewhere: a double pendulum is chaotic. The gains of the plan bring it back.

# %%
def swing(with_gains):
    step = robot.stepper(0.02, "semi_implicit_euler")
    q, qd = down.copy(), np.array([0.1, 0.0])
    for k in range(problem.steps):
        dx = np.r_[q - plan.q[k], qd - plan.qd[k]] if with_gains else np.zeros(4)
        tau = plan.tau[k] + plan.gains[k] @ dx
        step.step(q, qd, np.clip(tau, -6.0, 6.0) * [0, 1])
    return np.abs(q - top[:2]).max()

print("away from the top:", swing(False).round(2), "rad without gains,",
      swing(True).round(2), "rad with them")

# %% [markdown]
# ## A cart and a pole
#
# The same works for another classic, a pole on a cart, whose motor drives the cart along a rail. The Runge–Kutta method
# allows longer steps.

# %% alt="Position of the cart and angle of the pole over two seconds: the cart moves to and fro, and the pole turns from hanging to standing"
from revolute import Joint, Inertia, Link, Prismatic, Revolute, Robot

pole = Inertia.from_com(0.3, (0, 0, -0.25), np.diag([6.25e-3, 6.25e-3, 1e-5]))
links = [Link("rail"), Link("cart", Inertia(m=1.0)), Link("pole", pole)]
joints = [
    Joint("slide", "rail", "cart", Prismatic((1, 0, 0))),
    Joint("swing", "cart", "pole", Revolute((0, 1, 0))),
]
cart = OptimalControl(
    Robot.from_links("cart_pole", links, joints),
    [StateCost(1e-3), TorqueCost(1e-3)],
    terminal=[StateCost(100.0)],
    steps=50,
    dt=0.04,
    actuated=["slide"],
    method="runge_kutta_4",
)
up = cart.solve([0, 0], goal={"state": [0, np.pi, 0, 0]}, iterations=500)
print(up.reason)
figure, axes = plt.subplots()
axes.plot(up.t, up.q, label=["cart [m]", "pole [rad]"])
axes.set(xlabel="time [s]")
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)

# %% [markdown]
# ## Exercises
#
# **Exercise 1.** How weak may the elbow be? Try 5 N m, in three seconds and in four. What does `reason` say?

# %% tags=["answer"]
for nodes in (150, 200):
    weak = OptimalControl(
        robot, [StateCost(1e-3), TorqueCost(1e-3)], terminal=[StateCost(100.0)],
        steps=nodes, dt=0.02, actuated=["joint2"], effort_limits=[0.0, 5.0],
    )
    print(nodes, weak.solve(down, goal={"state": top}, iterations=500).reason)

# %% [markdown]
# **Exercise 2.** Move the motor from the elbow to the shoulder: a pendubot. How does its cost compare?

# %% tags=["answer"]
pendubot = OptimalControl(
    robot, [StateCost(1e-3), TorqueCost(1e-3)], terminal=[StateCost(100.0)],
    steps=150, dt=0.02, actuated=["joint1"],
)
other = pendubot.solve(down, goal={"state": top}, iterations=500)
print(other.reason, "| cost", other.cost.round(3), "in place of", plan.cost.round(3))
