"""Functions of machines in other libraries and languages: CasADi, JAX, PyTorch, Dask, and C."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from revolute.arguments import instance, instances, with_tuples
from revolute.compiler.kernel import Kernel, real_dtype
from revolute.compiler.signature import Signature
from revolute.errors import InputError
from revolute.machine.declare import method_of
from revolute.machine.function import Function

if TYPE_CHECKING:
    from revolute.bridges.casadi import CasadiFunctions
    from revolute.bridges.dask import DaskFunctions, Labels
    from revolute.bridges.jax import JaxFunctions
    from revolute.bridges.source import BridgeSource
    from revolute.bridges.torch.functions import TorchFunctions


class WaysOut:
    """Methods of `Machine` that export its functions to other libraries and languages."""

    if TYPE_CHECKING:  # declared by `Machine`
        _kind: ClassVar[str]

        @classmethod
        def functions(cls) -> Mapping[str, Function]: ...

        def kernel(self, function: str, *, dtype: Any = np.float64, **options: Any) -> Kernel: ...

        def _function(self, name: str) -> Function: ...

        def _signature(self, name: str, options: Mapping[str, Any]) -> Signature: ...

        def _identified(self, name: str, options: Mapping[str, Any]) -> tuple[Signature, str | None, str]: ...

        def _labels(self) -> Mapping[str, Sequence[str]]: ...

    @cached_property
    def casadi(self) -> CasadiFunctions:
        """Functions for CasADi: `robot.casadi.forward_dynamics(q, qd, tau)`; `robot.casadi("jacobian", frame="tool0")`.

        Each is a `casadi.Function` of SX with the equations, simplified for this machine. CasADi differentiates it and
        uses it in solvers. Inputs and outputs have the names of this library; there are no batches. An array (n,)
        becomes a column, an array (n, m, k) the matrix (n, m k). Results are sparse: entries that are zero in every
        state are not stored. With `parameters="inertial"` the inertial parameters are an input.

        Raises:
            MissingExtraError: CasADi is not installed.

        Example:
            >>> f = revolute.robots.panda().casadi.forward_dynamics  # doctest: +SKIP
            >>> f  # doctest: +SKIP
            Function(forward_dynamics:(q[7],qd[7],tau[7])->(qdd[7]) SXFunction)
        """
        from revolute.bridges.casadi import CasadiFunctions

        return CasadiFunctions(Bridged(self))

    @cached_property
    def jax(self) -> JaxFunctions:
        """Functions for JAX: `robot.jax.inverse_dynamics(q, qd, qdd)`, or `robot.jax("jacobian", frame="tool0")`.

        They support `jit`, `vmap`, `grad`, `jvp` and `scan`. On a CPU, XLA calls the same machine code as NumPy,
        without Python; derivatives of every order are machine code, too. On other devices, or with `native=False`,
        functions consist of plain `jax.numpy` operations.

        Raises:
            MissingExtraError: JAX is not installed.
        """
        from revolute.bridges.jax import JaxFunctions

        return JaxFunctions(Bridged(self))

    @cached_property
    def torch(self) -> TorchFunctions:
        """Functions for PyTorch: `robot.torch.inverse_dynamics(q, qd, qdd)`; `robot.torch("jacobian", frame="tool0")`.

        They accept and return CPU tensors without copies, with gradients of any order from machine code, and support
        `torch.func.vmap` and `torch.compile`. See `revolute.torch.InertialParameters` for learning.

        Raises:
            MissingExtraError: PyTorch is not installed.
        """
        from revolute.bridges.torch.functions import TorchFunctions

        return TorchFunctions(Bridged(self))

    @cached_property
    def dask(self) -> DaskFunctions:
        """Functions for Dask and xarray: `robot.dask.mass_matrix(q)`; `robot.dask("jacobian", frame="tip")`.

        They accept Dask arrays, xarray arrays, or one Dask data frame with columns `q.<joint>`, `qd.<joint>` ..., and
        return the same kind, evaluated lazily. Workers receive the robot and load machine code from their disk cache.

        Raises:
            MissingExtraError: Dask is not installed.
        """
        from revolute.bridges.dask import DaskFunctions

        return DaskFunctions(Bridged(self))

    def to_c(
        self, functions: str | Kernel | Sequence[str | Kernel], path: str | os.PathLike[str], *,
        dtype: Any = np.float64, layout: str = "row", sincos: str = "math.h", batch: bool = False, test: bool = True,
        casadi: bool = False, cpp: bool = False, target: str | None = None,
        options: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> list[Path]:
        """Write functions as C99 code that needs only `<math.h>` and no heap; it contains loops only for iterations.

        `ur5_test.c`, beside `ur5.c` and `ur5.h`, compares results with reference results. The code belongs to you.

        Args:
            functions: names of compiled methods, such as "inverse_dynamics"; or kernels, such as that of a control law.
            path: the .c file, whose stem prefixes all names in the code; or a folder for files named after the machine.
            dtype: float64 or float32.
            layout: layout of matrices: "row" by row, or "column" by column.
            sincos: "math.h" for sines and cosines of the C library, "own" for Revolute's.
            batch: also write a loop over states for each function.
            test: write the test program.
            casadi: also write functions for `casadi.external`, in a separate file.
            cpp: also write a header for C++ with fixed-size arrays.
            target: a processor to write an object file for: "cortex-m4", "cortex-m7", "cortex-m33", "aarch64", "armv7",
                "riscv32", "riscv64", "x86-64", "x86-64-v3" or "native". The object file calls sines and cosines of the
                C library, unless `sincos` is "own". "wasm32" writes a module that a browser runs directly.
            options: {name of a function: its options}: see `kernel`.

        Returns:
            the files.

        Raises:
            UnknownNameError: a function does not exist.
            InputError: an option or folder does not exist, or the file name is not a name in C.
            CompileError: a file cannot be written.

        Example:
            >>> import pathlib, tempfile
            >>> folder = pathlib.Path(tempfile.mkdtemp())
            >>> files = revolute.robots.ur5().to_c("inverse_dynamics", folder / "arm.c")
            >>> sorted(file.name for file in files)
            ['arm.c', 'arm.h', 'arm_test.c']
        """
        from revolute.machine.c_code import CCode, Written, write_c

        alone = isinstance(functions, (str, Kernel))
        chosen: Sequence[Any] = [functions] if alone else instances("to_c: functions", functions, (str, Kernel))
        for name in instance("to_c: options", options, Mapping):
            instance(f"to_c: options of '{name}'", options[name], Mapping)
        if unknown := options.keys() - {*chosen}:
            raise InputError(f"to_c: options of '{min(unknown)}', which is not one of the functions")
        written = []
        for name in dict.fromkeys(chosen):
            if isinstance(name, Kernel):
                written.append(Written(name.name, name.graph, ""))
                continue
            graph = self._signature(name, with_tuples(options.get(name, {}))).graph()
            written.append(Written(name, graph, getattr(method_of(type(self), name), "__doc__", None) or ""))
        sizes = {x.upper(): getattr(self, x) for x in ("nq", "nv") if hasattr(self, x)}
        names = self._labels().get("nv", ())
        notes = [f"Order of velocities and forces: {', '.join(names)}."] if names else []
        code = CCode(real_dtype(dtype), layout, sincos, batch, test, casadi, cpp, target)
        return write_c(path, Bridged(self).display_name, written, sizes, notes, code)


class Bridged:
    """The interface of a machine for bridges to other libraries."""

    def __init__(self, machine: WaysOut) -> None:
        self._machine, self.kernel = machine, machine.kernel

    def signature(self, name: str, options: Mapping[str, Any]) -> Signature:
        """A function, ready to be traced."""
        return self._machine._signature(name, options)

    def needs_options(self, name: str) -> bool:
        """Whether a function has options without a default. Raise `UnknownNameError` if it does not exist."""
        return bool(self._machine._function(name).needed)

    def axis_labels(self, name: str, options: Mapping[str, Any]) -> tuple[Labels, Labels]:
        """Names of the entries along each axis of a function's inputs and outputs, None for axes without names."""
        names, function = self._machine._labels(), self._machine._function(name)
        arrays = function.arrays(**function.shaping(options))
        both = arrays.inputs, arrays.outputs
        inputs, outputs = ({x: [names.get(size) for size in sizes] for x, sizes in side} for side in both)
        return inputs, outputs

    @property
    def display_name(self) -> str:
        """The machine's name, for messages."""
        return getattr(self._machine, "name", self._machine._kind)

    def read_call(
        self, name: str, options: Mapping[str, Any], args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], tuple[Any, ...]]:
        """Options and arrays of a call of a method, some of whose options the bridge has already fixed."""
        # Bridges do not support methods with a body, which accept only arrays.
        method = method_of(type(self._machine), name)
        assert method is not None, name
        parameters = inspect.signature(method).parameters
        if hasattr(method, "has_no_body"):
            known = {x: value for x, value in options.items() if x in parameters and x != "wrenches"}
            chosen, arrays = method(_Reader(self._machine), *args, **{**known, **named})
            return {**options, **chosen}, arrays
        for x in named:
            if x not in parameters:
                raise TypeError(f"{method.__qualname__}() got an unexpected keyword argument '{x}'")
        raise InputError(f"{name}: a call accepts only arrays; fix options before: ('{name}', frame='tip')")

    def public_names(self) -> list[str]:
        """Names of all compiled functions that are methods."""
        return [name for name, function in self._machine.functions().items() if not function.internal]

    def source(self, name: str, options: Mapping[str, Any]) -> BridgeSource:
        """The signature, identity and owner of a function, for a bridge to another library."""
        from revolute.bridges.source import BridgeSource

        form, identity, owner = self._machine._identified(name, options)
        return BridgeSource(self._machine._kind, owner, form, identity, again=partial(self.kernel, name, **options))


class _Reader:
    """Stands in for a machine: its `_run` returns the options and arrays of a call."""

    def __init__(self, machine: WaysOut) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def _run(
        self, function: Function, arrays: tuple[Any, ...], out: Any, threads: Any, options: Mapping[str, Any],
        own: Mapping[int, Any] = MappingProxyType({}),
    ) -> tuple[Mapping[str, Any], tuple[Any, ...]]:
        """Options, and arrays including the machine's own; see `Machine._run`."""
        if out is not None or threads is not None:
            raise InputError(f"{function.name}: out and threads require NumPy arrays")
        called = [x for k, x in enumerate(arrays) if k not in own]
        single = all([str(getattr(x, "dtype", "")).endswith("float32") for x in called])
        constants = {k: x.astype(np.float32) if single else x for k, x in own.items()}
        return options, tuple([constants.get(k, x) for k, x in enumerate(arrays)])
