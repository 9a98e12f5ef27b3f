"""Machines with compiled functions: robots, including driven, constrained and elastic robots, and Lagrangian
systems."""
