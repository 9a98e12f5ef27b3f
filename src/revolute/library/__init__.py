"""Robots of the books and of the shop floor, ready made; public as `revolute.robots`."""

from revolute.library.planar import planar
from revolute.library.random_tree import random_tree
from revolute.library.ur5 import ur5

__all__ = ["planar", "random_tree", "ur5"]
