"""Costs of optimal control: weighted squares of deviations from goals, written for any scalar type."""
