"""Costs of optimal control, as errors over scalars with a weight and a goal."""
