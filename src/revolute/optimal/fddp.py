"""Iterations of differential dynamic programming with multiple shooting, row by row. Mastalli et al. 2020 (FDDP).

All rows pass through the nodes together; each row proceeds independently. The decisions of a row are functions of its
`FIELDS`, which are named numbers. Machine code calls them between the passes: see `kernels.driver`.
"""

from collections.abc import Mapping, Sequence

from revolute.spatial.scalar import Scalar, select

VACANT, RUNNING, CONVERGED, EXHAUSTED, STUCK, VIOLATED, UNBOUNDED, SINGULAR, UNDEFINED = range(-1, 8)

REASONS = {
    RUNNING: "not yet converged",
    CONVERGED: "converged",
    EXHAUSTED: "the iteration limit was reached; allow more iterations",
    STUCK: "no step along the search direction lowers the cost; the initial plan may be far from any good one",
    VIOLATED: "hard costs do not vanish: no motion satisfies them all, or the initial penalty weight is too small",
    UNBOUNDED: "states or costs of the first plan are not finite, or too large; use a better plan, or shorten dt",
    SINGULAR: "the costs have no curvature along some forces, so there is no unique optimum; add a cost such as "
    "TorqueCost(1e-6) to the nodes",
    UNDEFINED: "a derivative of costs or steps is not finite at a node, such as that of sqrt(x) at x = 0; change the "
    "cost, or start from another plan",
}
"""Messages for the termination reasons."""

LEAST, MOST = 1e-9, 1e9
"""Smallest and largest nonzero regularization of the Hessian by controls, relative to its largest entry."""

SHARES = tuple(2.0**-k for k in range(10))  # step lengths of the line search, relative to a full step
FREE = 2  # number of first iterations whose policies ignore force bounds; their rollouts show which bounds are active

ENOUGH, RISE = 0.1, 2.0
"""Required fraction of the expected cost decrease, and allowed multiple of an expected increase while gaps close."""

LARGEST = 1e60  # maximum cost and gap of an initial plan; larger values would overflow
TOLERANCE = 1e-9  # tolerance of predictive control: see `OptimalControl.solve`
CLOSED = 1e-12  # gap below which gaps count as closed

FIELDS = (
    "state", "left", "mu", "cost", "gap", "reached", "tolerance", "better", "count", "scale",
    "damping", "free", "again", "share", "waiting", "taken",
)  # fmt: skip
"""Progress of the problem in a row of the arrays.

`state` is RUNNING, the termination reason, or VACANT. `left` iterations are allowed with these multipliers, and `count`
are done; `mu` is the regularization, `scale` the largest entry of the Hessian by controls, and `reached` the cost
when `mu` was last set to zero. `better` is 1 if a step was accepted since the start. The others belong to an iteration:
`damping`, added to the Hessian; whether bounds of forces are ignored (`free`); whether the Riccati pass must be
repeated (`again`); the step length (`share`); whether the row is `waiting` for a step, -1 if none was acceptable;
whether the last step was `taken`.
"""

Fields = Mapping[str, Scalar]


def begin(row: Fields) -> Fields:
    """Begin an iteration."""
    running = abs(row["state"]) <= RUNNING
    damping = select(running, row["mu"] * row["scale"], 1.0)  # numbers of other rows stay finite
    return {"waiting": flag(running), "share": 1.0, "free": flag(row["count"] < FREE), "damping": damping}


def directed(row: Fields, expected: Sequence[Scalar]) -> Fields:
    """After a Riccati pass: repeat it with more regularization where Hessians are not positive definite."""
    _, _, excess, largest = expected
    scale = select(largest < 0, -largest, row["scale"])
    good = select(row["waiting"] > 0, flag(excess > 0), 1.0)
    mu = more(row["mu"])
    # Hessians of costs are positive semidefinite, so those of the first iteration need no regularization
    hopeless = select(row["count"] + row["mu"] <= 0, 1.0, flag(mu >= MOST))
    again = select(good > 0, 0.0, 1 - hopeless)
    lost = select(good > 0, 0.0, hopeless) > 0
    return {
        "scale": scale, "again": again, "mu": select(good > 0, row["mu"], mu),
        "state": select(lost, SINGULAR, row["state"]), "waiting": select(lost, 0.0, row["waiting"]),
        "damping": select(lost, 1.0, select(again > 0, mu * scale, row["damping"])),
    }  # fmt: skip


def take(row: Fields, expected: Sequence[Scalar], scored: Sequence[Scalar]) -> Fields:
    """After a rollout: accept the step, or halve its length; a row that accepts it may have converged."""
    cost, _, _, gap = scored
    share, mu, tolerance = row["share"], row["mu"], row["tolerance"]
    margin, whole = progress(expected, scored, row["cost"], share, tolerance)
    near = tolerance + rounding(row["cost"], tolerance)
    good = flag(margin > 0)
    ended = good * flag(row["gap"] <= CLOSED) * flag(abs(whole) < near)
    converged = ended * select(mu <= 0, 1.0, flag(row["reached"] - cost < near)) > 0
    # regularization makes steps small: where the expected change is small, try again without it
    other = select(share > 0.5, select(mu > LEAST, mu / 10, 0.0), select(share <= 0.01, more(mu), mu))
    found = {
        "state": select(converged, CONVERGED, row["state"]), "count": row["count"] + select(converged, 1.0, 0.0),
        "mu": select(ended > 0, 0.0, other), "reached": select(ended > 0, cost, row["reached"]),
        "cost": cost, "gap": gap, "better": 1.0, "waiting": 0.0, "taken": 1.0,
    }  # fmt: skip
    later = {"share": 0.5 * share, "waiting": select(share > SHARES[-1], 1.0, -1.0)}
    old = {**row, "taken": 0.0}
    asked, good = row["waiting"] > 0, good > 0
    return {name: select(asked, select(good, found.get(name, x), later.get(name, x)), x) for name, x in old.items()}


def finish(row: Fields) -> Fields:
    """End an iteration."""
    mu, left = select(row["waiting"] < 0, more(row["mu"]), row["mu"]), row["left"] - 1
    state = select(mu >= MOST, STUCK, select(left <= 0, EXHAUSTED, RUNNING))
    found = {"state": state, "mu": mu, "left": left, "count": row["count"] + 1}
    return {name: select(abs(row["state"]) <= RUNNING, x, row[name]) for name, x in found.items()}


def progress(
    expected: Sequence[Scalar], scored: Sequence[Scalar], cost: Scalar, share: Scalar, tolerance: Scalar
) -> tuple[Scalar, Scalar]:
    """Decrease of the cost beyond the required one (-1 if states were abandoned), and expected change for a full step.

    `expected` and `scored` are outputs of `riccati_node` and `policy_node`.
    """
    reached, way, lost, _ = scored
    slope, bend = expected[0] + way, expected[1] - 2 * way
    want = share * (slope + 0.5 * share * bend)
    margin = cost - reached - select(want >= 0, ENOUGH, RISE) * want + rounding(cost, tolerance)
    return select(lost > 0, -1.0, margin), slope + 0.5 * bend


def rounding(cost: Scalar, tolerance: Scalar) -> Scalar:
    """Change of a cost that counts as a rounding error, which can hide a decrease."""
    return 1e-14 * cost + 1e-3 * tolerance


def more(mu: Scalar) -> Scalar:
    """The next larger regularization."""
    return (10.0 * mu).maximum(LEAST)


def flag(condition: Scalar) -> Scalar:
    """1 if a comparison holds, else 0."""
    return select(condition, 1.0, 0.0)
