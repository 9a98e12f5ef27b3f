"""Targets of graphs, one per module."""
