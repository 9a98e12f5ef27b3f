"""Targets into which graphs are translated, one per module."""
