"""Methods of `Robot`: kernels, and the way of every other method to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.compiler.bound import note
from revolute.compiler.kernel import Kernel
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
        self, name: str, args: tuple[ArrayLike, ...], out: Any, threads: int | None, options: dict[str, Any]
    ) -> Any:
        result = self._evaluate(name, args, out, threads, options)
        note(self, name, options, args, result)
        return result

    def _evaluate(
        self, name: str, args: tuple[ArrayLike, ...], out: Any, threads: int | None, options: dict[str, Any]
    ) -> Any:
        if options and threads is None:
            try:
                call = self._calls.get((name, *options.items()))
            except TypeError:  # which `kernel` explains
                call = None
            if call is not None:
                return call(*args) if out is None else call(*args, out=out)
        return self._evaluate_kernel(name, args, out, threads, options)

    def _evaluate_kernel(
        self, name: str, args: tuple[ArrayLike, ...], out: Any, threads: int | None, options: dict[str, Any]
    ) -> Any:
        """Call a kernel; if it has options, have it at hand as a fast call from then on."""
        single = all([isinstance(x, np.ndarray) and x.dtype.char == "f" for x in args])
        kernel = self.kernel(name, dtype=np.float32 if single else np.float64, **options)
        key = (name, *options.items())
        if options and not single and key not in self._calls:

            def slow(*args: ArrayLike, out: Any = None) -> Any:
                return self._evaluate_kernel(name, args, out, None, options)

            self._calls[key] = kernel.fast_call(slow)
        return kernel(*args, out=out, threads=threads)

    @cached_property
    def _kernels(self) -> dict[Any, Kernel]:
        """Kernels in use, by function, dtype and options."""
        return {}

    @cached_property
    def _calls(self) -> dict[Any, Callable[..., Any]]:
        """Fast calls of functions with options, by function and options."""
        return {}
