"""A function of a machine for CasADi."""

from dataclasses import replace

import casadi

from revolute.arguments.foreign import require_unmasked
from revolute.bridges.functions import BridgeFunction, Foreign
from revolute.compiler.signature import Signature
from revolute.targets.c import identifier
from revolute.targets.casadi import function


class CasadiFunction(BridgeFunction, casadi.Function):
    """A `casadi.Function` of SX, with the same argument names as the NumPy methods.

    A call returns one result, or a tuple of several. As in CasADi, `f.call({"q": ...})` returns a dict, and omitted
    arguments are zero.
    """

    _library = "CasADi"

    def __init__(self, form: Signature) -> None:
        casadi.Function.__init__(self, function(form.graph()))
        BridgeFunction.__init__(self, form)
        self.inputs = tuple([replace(x, name=identifier(x.name)) for x in form.inputs])

    def _evaluate(self, *arrays: Foreign) -> Foreign:
        self.checks.require_count(arrays)
        for x, array in zip(self.inputs, arrays, strict=True):
            require_unmasked(f"{self.__name__}: {x.name}", array)
        return casadi.Function.__call__(self, *arrays)

    __repr__ = casadi.Function.__repr__
