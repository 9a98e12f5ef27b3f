"""Machines, things with compiled functions: robots, also driven, constrained or elastic; Lagrangian systems."""
