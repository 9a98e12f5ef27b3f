# ---
# title: The five-bar, a closed loop
# order: 6
# minutes: 20
# extras: plot
# learn: Build a linkage whose links form a loop, derive its equations, make two motors independent of each other by moving one mass, and find the force in a pin.
# ---

# %% [markdown]
# In most arms each motor sits on the link before its own and is carried about. A five-bar linkage has both motors at
# the base, and a parallelogram of links takes the second one's motion to where it is needed. So the moving links can
# be light. And there is a surprise: with the right masses the two motors do not feel each other at all (Spong,
# Hutchinson & Vidyasagar, *Robot Modeling and Control*, 6.4). We find that condition with symbols, build the linkage,
# and check it.
#
# ## What it looks like
#
# Links 1 and 3 are parallel, and so are links 2 and 4. So two angles say where everything is: $q_1$ of links 1 and 3,
# and $q_2$ of links 2 and 4. Link 4 goes on beyond the parallelogram; its end is the hand.

# %% alt="A parallelogram of four links with both motors in one corner at the base. Link 4 goes on beyond the parallelogram to the hand"
import matplotlib.pyplot as plt
import numpy as np
import revolute
import sympy
from revolute import Joint, Inertia, Link, PointClosure
from revolute import Revolute, Transform
from revolute.library import examples

l1, l2, l4 = 0.5, 0.3, 0.4  # lengths [m]; l4 from link 1 to the hand

def along(angle, length):
    return length * np.array([np.cos(angle), np.sin(angle)])

q1, q2 = 0.4, 1.9
base, A, B = np.zeros(2), along(q1, l1), along(q2, l2)
C, hand = A + B, A - along(q2, l4)

figure, axes = plt.subplots(figsize=(5.5, 4.5))
ends = (base, A), (base, B), (B, C), (hand, C)
for number, (start, end) in enumerate(ends, 1):
    axes.plot(*zip(start, end), "o-", lw=5, ms=10, label=f"link {number}")
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
axes.legend();

# %% [markdown]
# ## Equations, by Lagrange
#
# With two angles that are free, Lagrange's equations need nothing but the energies. The library has them ready, in
# the letters of the book: mass $m_i$, inertia $I_i$, and distance $l_{ci}$ from the joint to the centre of mass. These are the
# entries $M_{11}$, $M_{12}$ and $M_{22}$ of the mass matrix:

# %%
symbolic = examples.five_bar()
sympy.Matrix([symbolic.M[0, 0], symbolic.M[0, 1], symbolic.M[1, 1]])

# %% [markdown]
# Look at $M_{12}$. It couples the two motors, and its factor has a difference in it:
#
# $$m_3 l_2 l_{c3} - m_4 l_1 l_{c4}$$
#
# If that vanishes, the mass matrix is diagonal. It is constant then, too, so the Coriolis matrix vanishes with it:

# %%
ideal = examples.balanced(symbolic)  # m3 l2 lc3 = m4 l1 lc4
print(ideal.M[0, 1], ideal.C)

# %% [markdown]
# A machine of four links now has two separate equations, $M_{11} \ddot q_1 + g_1(q_1) = \tau_1$ and
# $M_{22} \ddot q_2 + g_2(q_2) = \tau_2$.

# %% [markdown]
# ## The same as a robot with a loop
#
# Nobody derives Lagrange's equations of a large machine by hand. The other way is general: cut the loop somewhere, so
# that a tree is left, build the tree, and say what the cut joint held together. We cut the pin at C, between links 3
# and 4.

# %%
mass = [2.0, 1.0, 1.2, 1.5]  # [kg]
centre = [0.25, 0.15, 0.25, -0.2]  # from the joint along the link [m]
inertia = [0.04, 0.01, 0.03, 0.03]  # about the centre of mass [kg m²]

def linkage(mass, centre, inertia):
    links, turning = [Link("base")], Revolute((0, 0, 1))
    for i, (m, c, I) in enumerate(zip(mass, centre, inertia), 1):
        body = Inertia.from_com(m, (c, 0, 0), np.diag([0, I, I]))
        links.append(Link(f"link{i}", body))
    joints = [
        Joint("motor1", "base", "link1", turning),
        Joint("pin4", "link1", "link4", turning, Transform(p=(l1, 0, 0))),
        Joint("motor2", "base", "link2", turning),
        Joint("pin3", "link2", "link3", turning, Transform(p=(l2, 0, 0))),
    ]
    weight = (0, -9.81, 0)
    tree = revolute.Robot.from_links("five-bar", links, joints, gravity=weight)
    pin = PointClosure("link3", "link4", (l1, 0, 0), (l2, 0, 0))
    return tree.with_closures(pin)

five_bar = linkage(mass, centre, inertia)
print(five_bar)

# %% [markdown]
# The centre of mass of link 4 is at $-0.2$ m: on the side of the hand, away from the parallelogram. Book and code
# count it with opposite signs.
#
# The tree has four joint angles, each counted from the link before. They must fit each other. `assemble` takes those of
# the motors and finds the others:

# %%
motors = ["motor1", "motor2"]
near = [q1, 1.5, q2, -1.5]
q, qd = five_bar.assemble(near, motors, [1.0, 0.0, 0.5, 0.0])

print("joints:", five_bar.robot.joint_names)
print("q  =", q)
print("qd =", qd)
print("mobility:", five_bar.mobility(q))

# %% [markdown]
# Pins 3 and 4 have angles $\pm(q_2 - q_1)$, as the parallelogram says.
#
# ## Do both ways agree?
#
# `reduced_dynamics` projects the force of the pin out: what is left are equations in the two angles of the motors. They must be
# those of Lagrange, with the same numbers in place of the letters.

# %%
values = {"l1": l1, "l2": l2, "g": 9.81}
for i in range(4):
    values |= {f"m{i + 1}": mass[i], f"I{i + 1}": inertia[i]}
    values[f"lc{i + 1}"] = abs(centre[i])
numbers = symbolic.subs(values)

reduced = five_bar.reduced_dynamics(q, qd, motors)
print("mass matrix [kg m²]:")
print(reduced.M.round(5))

by_lagrange = numbers.mass_matrix([q1, q2])
print(np.allclose(reduced.M, by_lagrange))
bias = numbers.inverse_dynamics([q1, q2], [1.0, 0.5], [0, 0])
print(np.allclose(reduced.bias, bias))

# %% [markdown]
# Two derivations that share no line of code agree to rounding.
#
# ## Balance it
#
# The condition asks for $m_3 l_2 l_{c3} = m_4 l_1 l_{c4}$. We may choose $l_{c3}$; or the mass of link 4, or where it is.
# Let us move the centre of mass of link 4, say by a counterweight:

# %%
lc4 = mass[2] * l2 * centre[2] / (mass[3] * l1)
balanced = linkage(mass, [0.25, 0.15, 0.25, -lc4], inertia)
print(f"lc4 = {lc4:.3f} m")
print(balanced.reduced_dynamics(q, qd, motors).M.round(12))

# %% [markdown]
# What does that look like? Motor 1 moves its link to and fro; motor 2 only has to stand still. How much torque does
# that need, apart from the torque for the weight?

# %% alt="Torque of motor 2 while only motor 1 moves: between minus and plus 0.6 N m without balance, and a level line at zero with balance"
t = np.linspace(0, 2, 401)
w = 2 * np.pi
angle = q1 + 0.5 * np.sin(w * t)
speed = 0.5 * w * np.cos(w * t)
acceleration = -0.5 * w**2 * np.sin(w * t)

still = np.zeros_like(t)
closed = np.stack([angle, q2 - angle, still + q2, angle - q2], axis=-1)
rates = np.stack([speed, -speed, still, speed], axis=-1)
changes = np.stack([acceleration, -acceleration, still, acceleration], axis=-1)

def required(machine, factor=1):
    return machine.inverse_dynamics(
        closed, factor * rates, factor * changes, motors=motors)

figure, axes = plt.subplots()
for machine, label in ((five_bar, "as built"), (balanced, "balanced")):
    extra = required(machine)[:, 2] - required(machine, 0)[:, 2]
    axes.plot(t, extra, label=label)
    print(f"{label}: at most {np.abs(extra).max():.3f} N m")
axes.set(xlabel="time [s]", ylabel="torque of motor 2 [N m]")
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3);

# %% [markdown]
# Each motor can now have a simple controller of its own. That is one reason to build such linkages.
#
# ## The force in the pin
#
# A designer also asks how strong the pin must be. Lagrange's equations do not contain this force, since it does no
# work. In the robot with a loop it is the multiplier of the closure.

# %% alt="Force in the pin C over the same motion, of 3 to 11 N; the balanced linkage stays below the other"
loads = {}
for machine, label in ((five_bar, "as built"), (balanced, "balanced")):
    forces = machine.multipliers(closed, rates, required(machine))
    loads[label] = np.linalg.norm(forces, axis=-1)

figure, axes = plt.subplots()
for label, load in loads.items():
    axes.plot(t, load, label=label)
axes.set(xlabel="time [s]", ylabel="force in the pin [N]", ylim=(0, None))
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3);

# %% [markdown]
# ## Exercises
#
# **Exercise 1.** Is energy conserved if the linkage falls freely? Simulate, and check that the loop stays closed.

# %% tags=["answer"]
swing = five_bar.simulate(q, 0 * qd, None, np.linspace(0, 2, 2001))
print("energy changes by less than 1e-6 J:", np.ptp(swing.energy) < 1e-6)
print("the loop opens by less than 1e-9 m:",
      np.abs(five_bar.error(swing.q)).max() < 1e-9)

# %% [markdown]
# **Exercise 2.** Balance link 4 by its mass instead of its place. Which mass does it need with $l_{c4} = 0.2$ m?

# %% [markdown] tags=["answer"]
# The condition solved for $m_4$; SymPy does it:

# %% tags=["answer"]
m4 = sympy.symbols("m4")
corner = symbolic.M[0, 1].subs({k: v for k, v in values.items() if k != "m4"})
print(f"m4 = {float(sympy.solve(corner, m4)[0]):.3f} kg")

# %% [markdown]
# **Exercise 3.** Does the balanced linkage need less torque to hold its own weight?

# %% [markdown] tags=["answer"]
# The condition is about inertia, not about weight: $g_1$ does not change, since $l_{c4}$ is not in it, and $g_2$ grows, as
# link 4 no longer balances link 2.

# %% tags=["answer"]
for row in symbolic.g:
    print(row)
for machine in (five_bar, balanced):
    hold = machine.inverse_dynamics(q, 0 * qd, 0 * qd, motors=motors)
    print(hold[[0, 2]].round(3), "N m")

# %% [markdown]
# ## Where to go on
#
# [Closed loops](../closed-loops.md) has hinges, welds, couplings of joints, loops from files, and linear models;
# [examples of the texts](../examples-of-the-texts.md) has more machines from the books in symbols.
