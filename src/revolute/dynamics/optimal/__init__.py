"""Optimal control by Newton's method over a horizon, for any scalar type: a node, a Riccati step, a policy step."""
