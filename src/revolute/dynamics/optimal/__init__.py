"""Optimal control by Newton's method over time, over any scalar: a node, a Riccati step, a step of a policy."""
