"""Lagrange's equations: equations of motion of any system, from its energies. LP 9.3; JIN 27-46; SHV 6.6, 6.56-6.62."""

from revolute.machine.lagrangian.constrained_system import ConstrainedSystem
from revolute.machine.lagrangian.forms import Hamiltonian
from revolute.machine.lagrangian.lagrange import lagrange
from revolute.machine.lagrangian.system import System

__all__ = ["ConstrainedSystem", "Hamiltonian", "System", "lagrange"]
