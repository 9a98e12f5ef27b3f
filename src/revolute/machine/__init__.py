"""Machines, which have compiled functions: robots, also driven, constrained or elastic; Lagrangian systems."""
