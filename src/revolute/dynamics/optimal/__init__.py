"""Optimal control by Newton's method over a horizon, over any scalar: a node, a Riccati step, a policy step."""
