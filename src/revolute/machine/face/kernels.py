"""Methods of `Robot`: kernels, and the way of every other method to them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.compiler.bound import note
from revolute.compiler.kernel import Kernel, type_for
from revolute.errors import InputError
from revolute.machine.face.base import Face
from revolute.machine.kernels import kernel

__all__ = ["Kernels"]


class Kernels(Face):
    """Compiled functions, and calls of them."""

    def kernel(self, function: str, *, dtype: Any = np.float64, **options: Any) -> Kernel:
        """The compiled form of a function: its graph, operation counts, IR and compile time.

        Args:
            function: name of a method that computes: "inverse_dynamics", "jacobian".
            dtype: float64 or float32.
            **options: what the function's signature depends on: `frame="tool0"` for
                forward kinematics, and `reference="body"` too for Jacobians;
                `wrenches=("tool0",)` and `base_motion=True` for inverse dynamics.
                `parameters="inertial"`, where a function has it, makes the inertial
                parameters (..., n, 10) the kernel's last input, so that one kernel serves
                robots that differ in mass: see `inertial_parameters`. They may be symbols of the robot.

        Example:
            >>> import revolute
            >>> kernel = revolute.robots.ur5().kernel("inverse_dynamics")
            >>> kernel.count().multiplications < 250
            True
        """
        if "closures" in options or "drives" in options:  # equal ones may give other code: 0.0 == -0.0
            return kernel(self._robot, function, dtype, options)
        key = (function, dtype, tuple(sorted(options.items())) if options else ())
        try:
            found: Kernel | None = self._kernels.get(key)
        except TypeError:  # no key
            listed = ", ".join(f"{name}={value!r}" for name, value in options.items())
            raise InputError(f"{function}: an option must be a name, or a tuple of names, not {listed}") from None
        if found is None:
            found = self._kernels.setdefault(key, kernel(self._robot, function, dtype, options))
        return found

    def _run(
        self,
        name: str,
        args: tuple[ArrayLike, ...],
        out: Any,
        threads: int | None,
        options: dict[str, Any],
        constants: tuple[Any, ...] = (),
    ) -> Any:
        kernel = self._kernel_of(name, args, options)
        result = kernel(*args, out=out, threads=threads)
        note(self, name, kernel, args, result, constants)
        return result

    def _evaluate(
        self, name: str, args: tuple[ArrayLike, ...], out: Any, threads: int | None, options: dict[str, Any]
    ) -> Any:
        return self._kernel_of(name, args, options)(*args, out=out, threads=threads)

    def _kernel_of(self, name: str, args: tuple[ArrayLike, ...], options: dict[str, Any]) -> Kernel:
        return self.kernel(name, dtype=type_for(args), **options)

    @cached_property
    def _kernels(self) -> dict[Any, Kernel]:
        """Kernels in use, by function, dtype and options."""
        return {}
