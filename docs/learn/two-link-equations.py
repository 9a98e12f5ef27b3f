# ---
# title: Equations of two links, by hand and by machine
# order: 8
# minutes: 25
# extras: plot
# learn: Derive the equations of a two-link arm by Lagrange, have the library derive them, and understand what the Coriolis matrix is, why there are several, and what one of them is good for.
# ---

# %% [markdown]
# Two links in a plane are the smallest arm that has everything: inertia that depends on the pose, centrifugal and Coriolis
# forces, gravity. Every course derives its equations once. We do it by hand with Lagrange and SymPy, then let the library do
# it by a quite different way, and compare. Then we take the equations apart.
#
# ## The arm
#
# Two equal uniform rods of length $l$ and mass $m$ in a vertical plane. $q_1$ is the angle of the first to the
# horizontal, $q_2$ that of the second to the first.

# %% alt="Two rods in a plane. The first rises at the angle q1 from the horizontal, the second turns on by q2 from the direction of the first"
import matplotlib.pyplot as plt
import numpy as np
import revolute
import sympy

a, b = np.radians([30, 40])
x = np.cumsum([0, np.cos(a), np.cos(a + b)])
y = np.cumsum([0, np.sin(a), np.sin(a + b)])

figure, axes = plt.subplots(figsize=(4.5, 4))
axes.plot(x, y, "o-", linewidth=5, markersize=10)
axes.plot(0.4 * np.cos(np.linspace(0, a)), 0.4 * np.sin(np.linspace(0, a)), "k")
turn = np.linspace(a, a + b)
axes.plot(x[1] + 0.4 * np.cos(turn), y[1] + 0.4 * np.sin(turn), "k")
axes.plot([0, 0.6], [0, 0], "k:")
axes.plot([x[1], x[1] + 0.6 * np.cos(a)], [y[1], y[1] + 0.6 * np.sin(a)], "k:")
axes.text(0.42, 0.08, "$q_1$")
axes.text(1.2, 0.78, "$q_2$")
axes.set(xlabel="x / l", ylabel="y / l", aspect="equal");

# %% [markdown]
# ## By hand
#
# Lagrange needs the kinetic energy $T$ and the potential energy $U$. A rod moves with its centre of mass and turns about
# it, with the inertia $m l^2 / 12$:

# %%
t, l, m, g = sympy.symbols("t l m g", positive=True)
q1, q2 = sympy.Function("q1")(t), sympy.Function("q2")(t)

def along(angle, length):
    return length * sympy.Matrix([sympy.cos(angle), sympy.sin(angle)])

r1 = along(q1, l / 2)
r2 = along(q1, l) + along(q1 + q2, l / 2)
T = U = 0
for r, angle in ((r1, q1), (r2, q1 + q2)):
    v = r.diff(t)
    T += m * v.dot(v) / 2 + m * l**2 / 12 * angle.diff(t) ** 2 / 2
    U += m * g * r[1]

# %% [markdown]
# Lagrange's equations then are mechanical: differentiate and collect (Lynch & Park, *Modern Robotics*, 8.1):
#
# $$\tau_i = \frac{d}{dt}\frac{\partial L}{\partial \dot q_i} - \frac{\partial L}{\partial q_i}, \qquad L = T - U$$

# %%
L = T - U
tau = [(L.diff(q.diff(t)).diff(t) - L.diff(q)) for q in (q1, q2)]

# letters in place of functions of time: accelerations first
names = sympy.symbols("ddq1 ddq2 dq1 dq2 q1 q2")
functions = [q1.diff(t, 2), q2.diff(t, 2), q1.diff(t), q2.diff(t), q1, q2]
letters = list(zip(functions, names))
by_hand = sympy.Matrix([x.subs(letters).expand().simplify() for x in tau])
by_hand[1]

# %% [markdown]
# This way always works, and it does not scale: for six joints SymPy would fill pages and take its time.
#
# ## By machine
#
# The library runs its numerical recursions on symbols instead of numbers: Newton's and Euler's equations, link by
# link. Any length, mass or gravity of a robot may be a symbol.

# %%
from revolute import Joint, Inertia, Link, Revolute, Transform

about_centre = sympy.diag(0, m * l**2 / 12, m * l**2 / 12)
rod = Inertia.from_com(m, (l / 2, 0, 0), about_centre.tolist())
onwards = Transform(p=(l, 0, 0))
arm = revolute.Robot.from_links(
    "arm",
    [Link("base"), Link("link1", rod), Link("link2", rod), Link("tip")],
    [
        Joint("joint1", "base", "link1", Revolute((0, 0, 1))),
        Joint("joint2", "link1", "link2", Revolute((0, 0, 1)), onwards),
        Joint("flange", "link2", "tip", placement=onwards),
    ],
    gravity=(0, -g, 0),
)
equations = arm.equations()
print(equations)

# %% [markdown]
# Are they the same as those by hand? The difference must vanish for every motion:

# %%
print(sympy.simplify(by_hand - equations.tau))

# %% [markdown]
# For a paper there is LaTeX, whole or in parts, and `equations.save("arm.tex")`. With numbers, such as those of the arm of
# 1 m and 1 kg that the library has:

# %%
print(revolute.robots.planar(2).equations().latex("M"))

# %% [markdown]
# ## What the terms mean
#
# **Inertia.** $M_{11}$ is what the first motor feels, and it depends on $q_2$: stretched out, the arm is hard to turn, folded
# it is easy.

# %%
M11 = equations.M[0, 0]
stretched, folded = (M11.subs("q2", angle) for angle in (0, sympy.pi))
print("stretched:", stretched.simplify(), "  folded:", folded.simplify())

# %% [markdown]
# A stretched arm is one rod of length $2l$ and mass $2m$, which has $\tfrac13 (2m)(2l)^2 = \tfrac83 m l^2$. A check that costs
# nothing.
#
# **Centrifugal and Coriolis forces.** They come from the change of $M$ with the pose. Terms with a square of one velocity
# are centrifugal, terms with a product of two are Coriolis forces:

# %%
velocities = sympy.Matrix(equations.dq)
(equations.C * velocities).expand()

# %% [markdown]
# ## Which Coriolis matrix?
#
# The *forces* $C \dot q$ are unique. The *matrix* $C$ is not: a product $\dot q_1 \dot q_2$ can be split between two columns as
# one likes. One choice is made of Christoffel's symbols,
#
# $$C_{ij} = \sum_k \frac12 \left(\frac{\partial M_{ij}}{\partial q_k} + \frac{\partial M_{ik}}{\partial q_j} -
#   \frac{\partial M_{jk}}{\partial q_i}\right) \dot q_k$$
#
# and is that of the library:

# %%
q, dq, M = equations.q, equations.dq, equations.M

def christoffel(i, j, k):
    return (M[i, j].diff(q[k]) + M[i, k].diff(q[j]) - M[j, k].diff(q[i])) / 2

ours = sympy.Matrix(2, 2, lambda i, j: sum(
    christoffel(i, j, k) * dq[k] for k in range(2)))
print(sympy.simplify(ours - equations.C))

# %% [markdown]
# Why this one? Because then $\dot M - 2C$ is skew-symmetric, so that $\dot q^T (\dot M - 2C)\, \dot q = 0$:

# %%
M_rate = sum((M.diff(q[k]) * dq[k] for k in range(2)), sympy.zeros(2))
skew = sympy.simplify(M_rate - 2 * equations.C)
skew

# %% [markdown]
# Adaptive and passivity-based controllers are proved stable with just that. With another split of the same forces the proof
# fails: exercise 2.
#
# ## Passivity
#
# The physics behind it: the energy of an arm changes only by the work of its motors,
# $E(t) - E(0) = \int \dot q^T \tau\, dt$. Let us see it in a simulation, with numbers for the letters.

# %% alt="Energy of the arm and work of its motors over three seconds: two curves that lie on each other"
robot = arm.subs({l: 0.5, m: 2.0, g: 9.81})

def torque(time, q, qd):
    return np.array([8.0 * np.sin(3 * time), 2.0 * np.cos(5 * time)])

instants = np.linspace(0, 3, 3001)
motion = robot.simulate([-1.0, 0.5], [0.0, 0.0], torque, instants)

steps = np.diff(motion.q, axis=0)
work = np.concatenate([[0], np.cumsum((motion.tau[:-1] * steps).sum(axis=1))])

figure, axes = plt.subplots()
axes.plot(motion.t, motion.energy - motion.energy[0], label="change of energy")
axes.plot(motion.t, work, "--", label="work of the motors")
axes.set(xlabel="time [s]", ylabel="energy [J]")
axes.legend()

gap = np.abs(motion.energy - motion.energy[0] - work).max()
print(gap < 1e-6, np.ptp(motion.energy) > 1)

# %% [markdown]
# In each step of 1 ms the torque is held, as by a real controller; so its work is exactly torque times displacement.
# `robot.passivity_check` computes this balance for logs of real robots, and finds friction and missing forces.
#
# ## Exercises
#
# **Exercise 1.** The second link carries a point mass $m_p$ at its tip. How do $M$ and $g$ change? Predict $M_{22}$ first.

# %% [markdown] tags=["answer"]
# A point mass at distance $l$ from joint 2 adds $m_p l^2$ to $M_{22}$.

# %% tags=["answer"]
m_p = sympy.symbols("m_p", positive=True)
weight = revolute.Inertia.from_com(m_p, (0, 0, 0), np.zeros((3, 3)))
loaded = arm.with_payload("tip", weight).equations()
for i, j in ((0, 0), (0, 1), (1, 1)):
    change = sympy.factor(loaded.M[i, j] - equations.M[i, j])
    print(f"M{i + 1}{j + 1} grows by", change)
print("g2 grows by", sympy.factor(loaded.g[1] - equations.g[1]))

# %% [markdown]
# **Exercise 2.** Find another Coriolis matrix with the same forces whose $\dot M - 2C$ is not skew-symmetric.

# %% [markdown] tags=["answer"]
# Add any matrix $N$ with $N \dot q = 0$, such as one with a row $(\dot q_2, -\dot q_1)$:

# %% tags=["answer"]
s = sympy.Symbol("s")
other = equations.C + sympy.Matrix([[s * dq[1], -s * dq[0]], [0, 0]])
print("same forces:", sympy.simplify((other - equations.C) * velocities).T)
left = M_rate - 2 * other
print("sum with its transpose:", sympy.simplify(left + left.T))

# %% [markdown]
# **Exercise 3.** Which of the three, $m$, $l$ and $g$, can a robot with torque sensors find by itself? Look at the groups in
# which they appear: `arm.equations(grouped=True).parameters()`.

# %% tags=["answer"]
grouped = arm.equations(grouped=True)
for constant, group in grouped.parameters().items():
    print(constant, "=", group)

# %% [markdown] tags=["answer"]
# Torques are linear in these constants, and a measurement determines only them. With equal rods all of them are
# $m l^2$ or $m l$ times a number, so with $g$ known both $m$ and $l$ follow.

# %% [markdown]
# ## Where to go on
#
# [Equations](../equations.md) has larger robots, constants in groups and documents; [the Coriolis matrix](../coriolis.md)
# says what its choice is good for; [operational space](../operational-space.md) writes the equations in coordinates of the tip.
