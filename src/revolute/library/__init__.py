"""Robots of the books and of the shop floor, ready made; public as `revolute.robots`."""

from revolute.library.dh_arm import dh_arm
from revolute.library.panda import panda
from revolute.library.planar import planar
from revolute.library.puma560 import puma560
from revolute.library.random_tree import random_tree
from revolute.library.stanford import stanford
from revolute.library.ur5 import ur5

__all__ = ["dh_arm", "panda", "planar", "puma560", "random_tree", "stanford", "ur5"]
