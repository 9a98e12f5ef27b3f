"""Functions of machines in CasADi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from revolute.bridges.functions import Functions

if TYPE_CHECKING:
    from revolute.bridges.casadi.function import CasadiFunction

__all__ = ["CasadiFunctions"]


class CasadiFunctions(Functions["CasadiFunction"]):
    """Functions of one machine for CasADi."""

    package, library = "casadi", "CasADi"

    def _make(self, function: str, **options: Any) -> CasadiFunction:
        from revolute.bridges.casadi.function import CasadiFunction

        return CasadiFunction(self._machine.signature(function, options))
