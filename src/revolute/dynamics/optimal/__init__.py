"""Optimal control by Newton's method over a horizon, for any scalar type: node, Riccati step, policy step."""
