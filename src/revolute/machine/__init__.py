"""Machines with compiled functions: rigid, driven, constrained and elastic robots, and Lagrangian systems."""
