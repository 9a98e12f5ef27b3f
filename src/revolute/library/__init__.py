"""Robots of the books and of industry; public as `revolute.robots`."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from revolute.arguments import nearest
from revolute.library.dh_arm import dh_arm
from revolute.library.panda import panda
from revolute.library.planar import planar
from revolute.library.puma560 import puma560
from revolute.library.random_tree import random_tree
from revolute.library.shv import shv
from revolute.library.stanford import stanford
from revolute.library.ur5 import ur5
from revolute.library.ur_e import ur5e, ur10e

__all__ = ["dh_arm", "panda", "planar", "puma560", "random_tree", "shv", "stanford", "ur5", "ur5e", "ur10e"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> ModuleType:
        """Import the textbooks' `examples`, which need SymPy; for other names, raise an error that suggests robots."""
        if name == "examples":
            return import_module("revolute.library.examples")
        near = f"write revolute.robots.{name.lower()}" if name.lower() in __all__ else nearest(name, __all__)
        load = f'revolute.load(path) reads a file, revolute.load("{name.lower()}") finds one in packages of robots'
        raise AttributeError(f"module 'revolute.robots' has no robot {name!r}; {near}; {load}", name=name, obj=None)
