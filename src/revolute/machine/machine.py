"""`Machine`: a thing with compiled functions. Each is declared once, and there is one way to it."""

from __future__ import annotations

import os
from abc import ABCMeta, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import UNLABELLED, by_names, instance, instances
from revolute.compiler.bound import note
from revolute.compiler.kernel import Kernel, compiled, real_dtype, type_for
from revolute.compiler.signature import Signature
from revolute.errors import DtypeError, InputError, ModelError, UnknownNameError
from revolute.graph import RULES, STRUCTURE, Counts, count
from revolute.machine.function import Function, Subject
from revolute.model.identity import exact_text
from revolute.model.other_libraries import FUNCTIONS, REMARKS, answer
from revolute.model.symbols import counted_with

if TYPE_CHECKING:
    from revolute.bridges.dask.functions import DaskFunctions, Labels
    from revolute.bridges.jax import JaxFunctions
    from revolute.bridges.source import Source
    from revolute.bridges.torch.functions import TorchFunctions

__all__ = ["Array", "Convention", "Machine"]

Array = NDArray[Any]
Convention = Literal["source", "traced"]

_RULES = {"source": STRUCTURE, "traced": RULES}


class _MachineType(ABCMeta):
    """The type of machines' classes: they hide names of other libraries, which are there only to be refused."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name not in _OTHER_NAMES]


class Machine(metaclass=_MachineType):
    """A thing with compiled functions: a robot, a robot with drives, springs or closed loops, a Lagrangian system."""

    _kind = "robot"
    """The name of this kind of machine in messages."""

    _elsewhere = ""
    """The end of the message about an unknown function."""

    _table: ClassVar[Mapping[str, Function]]

    _parts: ClassVar[tuple[Function, ...]] = ()
    """Internal functions of this class."""

    @abstractmethod
    def _subject(self, function: Function, options: Mapping[str, Any]) -> Subject:
        """The machine as a function sees it, or an error that says why it cannot have that function."""

    def _countable(self) -> Self:
        """The machine with numbers for its symbols, if it has any, to count operations."""
        return self

    # --- functions -----------------------------------------------------------------------

    @classmethod
    def functions(cls) -> Mapping[str, Function]:
        """All compiled functions by name: methods, and internal parts of them.

        Example:
            >>> import revolute
            >>> revolute.Robot.functions()["forward_dynamics"].inverts
            True
        """
        found: dict[str, Function] = {}
        for base in cls.__mro__:
            for function in _declarations(base):
                found.setdefault(function.name, function)
        return found

    @classmethod
    def _declares(cls, group: type[Machine], function: Function) -> bool:
        """Whether a function is declared in a group of this kind, or in one that derives from it."""
        return any(function in _declarations(base) for base in cls.__mro__ if issubclass(base, group))

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

        Raises:
            UnknownNameError: no such function.
            InputError: an option that the function does not have, or the machine has symbols.
            ModelError: the mass matrix has no inverse in any state, and this function needs it.
            DtypeError: neither float64 nor float32.

        Example:
            >>> import revolute
            >>> kernel = revolute.robots.ur5().kernel("inverse_dynamics")
            >>> kernel.count().multiplications < 250
            True
        """
        return self._kernel(self._function(function), dtype, _with_tuples(options))

    def count(
        self, function: str = "inverse_dynamics", *, convention: Convention = "traced", **options: Any
    ) -> Counts:
        """Scalar operations that one evaluation of a function or a published formulation takes.

        Exact numbers, from the equations of this machine; nothing is compiled. Symbols of a
        robot are constants of any value: what they make up without q, qd ... costs nothing.

        Args:
            function: name of a method that computes ("forward_dynamics"); of robots also of a formulation
                of the literature ("augmented_links": see `revolute.published.FORMULATIONS`).
                Formulations count with the robot's own parameters and frames, not with regrouped ones.
            convention: "traced" has zeros and ones of this robot's structure, constants, common
                terms and what no result needs taken out: of functions of this library that
                is what runs. "source" counts as books do: the same, but every product and
                sum that is written counts, also where constants could be merged.
            **options: of the function: see `kernel`.

        Returns:
            multiplications, additions (with subtractions), divisions, calls (sines, cosines and
            square roots) and others.

        Raises:
            UnknownNameError: neither a function nor a formulation.
            InputError: an option that the function does not have, or no such convention.
            ModelError: the formulation is not for such robots.

        Example:
            >>> import revolute
            >>> print(revolute.robots.planar(1).count("mass_matrix"))
            0 mul + 0 add, 0 div, 0 calls
            >>> puma = revolute.robots.puma560()
            >>> print(puma.count("mass_matrix").arithmetic < puma.count("generalized_links").arithmetic < 240)
            True
        """
        if not isinstance(convention, str) or convention not in _RULES:
            raise InputError(f"operations are counted as in the 'source' or 'traced', not {convention!r}")
        machine = self._countable()
        try:
            return count(machine._signature(function, options).graph(_RULES[convention]))
        except ModelError as error:
            if machine is self:
                raise
            raise counted_with(error, getattr(self, "symbols", ())) from None

    def casadi(self, function: str, **options: Any) -> Any:
        """A function as a `casadi.Function` of SX: its equations, simplified for this machine.

        CasADi differentiates it, and its solvers take it. Inputs and outputs have their names here, without batches: an
        array (n,) is a column, an array (n, m, k) the matrix (n, m k). Entries of results that are zero in every state
        are none of their nonzeros.

        Args:
            function: name of a method that computes: "forward_dynamics".
            **options: see `kernel`. With `parameters="inertial"` the inertial parameters are an input.

        Raises:
            UnknownNameError: no such function.
            InputError: an option that the function does not have, or the machine has symbols.
            ModelError: the mass matrix has no inverse in any state, and this function needs it.
            MissingExtraError: CasADi is not installed.

        Example:
            >>> import revolute
            >>> f = revolute.robots.panda().casadi("forward_dynamics")  # doctest: +SKIP
            >>> f  # doctest: +SKIP
            Function(forward_dynamics:(q[7],qd[7],tau[7])->(qdd[7]) SXFunction)
        """
        from revolute.targets import casadi

        return casadi.function(self._signature(function, _with_tuples(options)).graph())

    @cached_property
    def jax(self) -> JaxFunctions:
        """Functions for JAX: `robot.jax.inverse_dynamics(q, qd, qdd)`, or `robot.jax("jacobian", frame="tool0")`.

        They take part in `jit`, `vmap`, `grad`, `jvp` and `scan`. On a CPU they are the same machine code that NumPy
        gets, called by XLA without Python, and so are derivatives of every order. On other devices, or with
        `native=False`, they are plain `jax.numpy`.

        Raises:
            MissingExtraError: JAX is not installed.
        """
        from revolute.bridges.jax import JaxFunctions

        return JaxFunctions(self._source, self._public_names(), getattr(self, "name", self._kind))

    @cached_property
    def torch(self) -> TorchFunctions:
        """Functions for PyTorch: `robot.torch.inverse_dynamics(q, qd, qdd)`; `robot.torch("jacobian", frame="tool0")`.

        They take and give CPU tensors without copies, with gradients of any order from machine code, and take part in
        `torch.func.vmap` and `torch.compile`. See `revolute.torch.InertialParameters` for learning.

        Raises:
            MissingExtraError: PyTorch is not installed.
        """
        from revolute.bridges.torch.functions import TorchFunctions

        return TorchFunctions(self._source, self._public_names(), getattr(self, "name", self._kind))

    @cached_property
    def dask(self) -> DaskFunctions:
        """Functions for Dask and xarray: `robot.dask.mass_matrix(q)`; `robot.dask("jacobian", frame="tip")`.

        They take Dask arrays, xarray's arrays, or one Dask data frame with columns q.<joint>, qd.<joint> ..., and give
        the same kind, to be computed later. Workers get the robot and take machine code from their disk cache.

        Raises:
            MissingExtraError: Dask is not installed.
        """
        from revolute.bridges.dask.functions import DaskFunctions

        return DaskFunctions(self.kernel, self._axis_labels, self._public_names(), getattr(self, "name", self._kind))

    def _axis_labels(self, name: str, options: Mapping[str, Any]) -> tuple[Labels, Labels]:
        """Names of the entries along the axes of a function's inputs and of its outputs, where they have names."""
        names, function = self._labels(), self._function(name)
        arrays = function.arrays(**_shaping(function, options))
        both = arrays.inputs, arrays.outputs
        inputs, outputs = ({x: [names.get(size) for size in sizes] for x, sizes in side} for side in both)
        return inputs, outputs

    def _public_names(self) -> list[str]:
        """Names of all compiled functions that are methods."""
        return [name for name, function in type(self).functions().items() if not function.internal]

    def _source(self, name: str, options: Mapping[str, Any]) -> Source:
        """A function for a bridge to another library."""
        from revolute.bridges.source import Source

        form, identity, owner = self._identified(name, options)
        return Source(self._kind, owner, form, identity)

    def to_c(
        self,
        functions: str | Sequence[str],
        path: str | os.PathLike[str],
        *,
        dtype: Any = np.float64,
        layout: str = "row",
        sincos: str = "math.h",
        batch: bool = False,
        test: bool = True,
        casadi: bool = False,
        cpp: bool = False,
        target: str | None = None,
        options: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> list[Path]:
        """Write functions as C99: straight code without loops, memory of its own, or libraries but <math.h>.

        `ur5.c` and `ur5.h` come with a program `ur5_test.c` that compares with results of today. The code is yours.

        Args:
            functions: names of methods that compute: "inverse_dynamics".
            path: the file, whose name without .c begins all names; or a folder for files named after the machine.
            dtype: float64 or float32.
            layout: of matrices: "row" by row, or "column" by column.
            sincos: "math.h" for the library's sines and cosines, "own" for code of ours.
            batch: a loop over states beside each function.
            test: the program.
            casadi: functions for `casadi.external`, in a file of their own.
            cpp: a header for C++ whose arrays have sizes.
            target: a processor to write an object file for: "cortex-m4", "cortex-m7", "cortex-m33", "aarch64", "armv7",
                "riscv32", "riscv64", "wasm32", "x86-64", "x86-64-v3" or "native". It calls sines of the C library.
            options: {name of a function: its options}: see `kernel`.

        Returns:
            the files.

        Raises:
            UnknownNameError: no such function.
            InputError: an option that is none, no such folder, or a file's name that is no name in C.
            CompileError: a file cannot be written.

        Example:
            >>> import pathlib, tempfile, revolute
            >>> folder = pathlib.Path(tempfile.mkdtemp())
            >>> files = revolute.robots.ur5().to_c(["inverse_dynamics", "mass_matrix"], folder / "arm.c")
            >>> sorted(file.name for file in files)
            ['arm.c', 'arm.h', 'arm_test.c']
        """
        from revolute.compiler.c_code import CCode, Written, write_c

        names = [functions] if isinstance(functions, str) else instances("to_c: functions", functions, str)
        for name in instance("to_c: options", options, Mapping):
            instance(f"to_c: options of '{name}'", options[name], Mapping)
        if unknown := options.keys() - {*names}:
            raise InputError(f"to_c: options of '{min(unknown)}', which is none of the functions")
        written = []
        for name in dict.fromkeys(names):
            graph = self._signature(name, _with_tuples(options.get(name, {}))).graph()
            written.append(Written(name, graph, getattr(getattr(type(self), name, None), "__doc__", None) or ""))
        sizes = {x.upper(): getattr(self, x) for x in ("nq", "nv") if hasattr(self, x)}
        code = CCode(real_dtype(dtype), layout, sincos, batch, test, casadi, cpp, target)
        return write_c(path, getattr(self, "name", self._kind), written, sizes, self._c_notes(), code)

    def _c_notes(self) -> list[str]:
        """What the head of generated code says of the machine."""
        names = self._labels().get("nv", ())
        return [f"Order of velocities and forces: {', '.join(names)}."] if names else []

    # --- the way of methods to kernels ---------------------------------------------------

    def _run(
        self,
        function: Function,
        arrays: tuple[Any, ...],
        out: Any,
        threads: int | None,
        options: Mapping[str, Any],
        own: Mapping[int, Array] = MappingProxyType({}),
    ) -> Any:
        """Call the kernel of a function, for a method that returns the result unchanged.

        From then on calls like it may go straight to the kernel: see `BoundFunction`.

        Args:
            own: the machine's own arrays, by their places among `arrays`.
        """
        if any([type(x) not in UNLABELLED for x in arrays]):
            arrays = self._without_labels(function, arrays, options)
        called = [x for k, x in enumerate(arrays) if k not in own] if own else arrays
        kernel = self._kernel(function, type_for(called), options)
        constants = {k: x.astype(kernel.dtype, copy=False) for k, x in own.items()}
        if own:
            arrays = tuple([constants.get(k, x) for k, x in enumerate(arrays)])
        result = kernel(*arrays, out=out, threads=threads)
        note(self, function.name, kernel, arrays, result, tuple(constants.values()))
        return result

    def _evaluate(
        self, name: str, arrays: Sequence[Any], threads: int | None = None, options: Mapping[str, Any] | None = None
    ) -> Any:
        """Call the kernel of a function, for a method that works on the result."""
        function = self._function(name)
        if any([type(x) not in UNLABELLED for x in arrays]):
            arrays = self._without_labels(function, tuple(arrays), options or {})
        return self._kernel(function, type_for(arrays), options or {})(*arrays, threads=threads)

    def _labels(self) -> Mapping[str, Sequence[str]]:
        """Names of the entries of arrays, by their sizes in declarations: tables have columns of these names."""
        return {}

    def _without_labels(
        self, function: Function, arrays: tuple[Any, ...], options: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """Arrays in place of tables with labels; errors for names and dicts in place of arrays."""
        names = self._labels()
        chosen = _shaping(function, options)
        plain = list(arrays)
        for k, (name, sizes) in enumerate(function.arrays(**chosen).inputs[: len(arrays)]):
            x, what = arrays[k], f"{function.name}: {name}"
            if isinstance(x, Mapping):
                hint = "; robot.configuration(...) makes an array of it" if sizes == ("nq",) else ""
                raise DtypeError(f"{what} must be an array, not a dict{hint}")
            if isinstance(x, str):
                other = [option for option, value in chosen.items() if not isinstance(value, (str, bool))]
                hint = f"; {name} and {other[0]} seem to be swapped" if other else ""
                raise DtypeError(f"{what} must hold real numbers, not '{x}'{hint}")
            plain[k] = by_names(what, x, names.get(sizes[0]) if len(sizes) == 1 else None, f"{name}.")
        return tuple(plain)

    def _kernel(self, function: Function, dtype: Any, options: Mapping[str, Any]) -> Kernel:
        """The kernel of a function of this class, or of one that it derives from."""
        key = (function, dtype, tuple(sorted(options.items())) if options else ())
        try:
            kernel: Kernel | None = self._kernels.get(key)
        except TypeError:  # no key
            real_dtype(dtype)
            listed = ", ".join(f"{name}={value!r}" for name, value in options.items())
            raise InputError(f"{function.name}: an option must be a name, or a tuple of names, not {listed}") from None
        if kernel is None:
            kernel = self._kernels.setdefault(key, self._compiled(function, real_dtype(dtype), options))
        return kernel

    @cached_property
    def _kernels(self) -> dict[Any, Kernel]:
        """Kernels in use, by function, dtype and options."""
        return {}

    def __setattr__(self, name: str, value: Any) -> None:
        """Attributes are set once: kernels hold what they were made from."""
        if name in self.__dict__ or hasattr(type(self), name):
            raise AttributeError(f"{name} of a {self._kind} cannot be changed; make a new one")
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _OTHER_NAMES]

    # --- tracing -------------------------------------------------------------------------

    def _function(self, name: str) -> Function:
        """The declaration of that name."""
        kind = type(self)
        table: Mapping[str, Function] = kind.__dict__.get("_table", {})  # its own: a subclass may declare more
        if instance("a function's name", name, str) not in table:
            kind._table = table = kind.functions()
        if name not in table:
            listed = ", ".join(x for x, function in table.items() if not function.internal)
            hint = f"{found}; " if (found := answer(name)) else ""
            hint += f"there are: {listed}{self._elsewhere}"
            raise UnknownNameError(f"no function '{name}' of a {self._kind}; {hint}")
        return table[name]

    def _signature(self, name: str, options: Mapping[str, Any]) -> Signature:
        """A function of this machine, ready to be traced."""
        return self._traceable(self._function(name), options)[1]

    def _traceable(self, function: Function, options: Mapping[str, Any]) -> tuple[Subject, Signature]:
        """The machine as a function sees it, and the function, ready to be traced."""
        function.check_options(options)
        subject = self._subject(function, options)
        return subject, self._form(function, subject, options)

    def _form(self, function: Function, subject: Subject, options: Mapping[str, Any]) -> Signature:
        """A function of the machine as it is seen by it."""
        return function.signature(subject, options)

    def _compiled(self, function: Function, dtype: np.dtype[Any], options: Mapping[str, Any]) -> Kernel:
        """A new kernel; equal machines share it."""
        subject, form = self._traceable(function, options)
        again = partial(self.kernel, function.name, dtype=dtype, **options)
        return compiled(self._kind, subject.name, form, dtype, _identity(subject, function, options), again)

    def _identified(self, name: str, options: Mapping[str, Any]) -> tuple[Signature, str | None, str]:
        """A function, ready to be traced; the exact text of all that determines it, if any; the owner's name."""
        function = self._function(name)
        subject, form = self._traceable(function, options)
        return form, _identity(subject, function, options), subject.name

    @cached_property
    def _loops(self) -> dict[Any, Any]:
        """Loops of motions in use, by method and options."""
        return {}


class _OtherName:
    """An attribute that robots of another library have. The error says what it is here.

    Attributes that are not there cost nothing this way; `__getattr__` would make those slower that are.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, machine: Machine | None, kind: type[Machine]) -> Any:
        message = f"a {kind._kind} has no attribute '{self.name}'; {answer(self.name, kind._kind.split()[0], kind)}"
        raise AttributeError(message, name=self.name, obj=None)  # Python would guess another attribute of `obj`


_OTHER_NAMES = frozenset({*REMARKS, *(name for functions in FUNCTIONS.values() for name in functions)})
for _name in _OTHER_NAMES:
    setattr(Machine, _name, _OtherName(_name))


def _with_tuples(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with tuples in place of lists, which are no keys."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}


def _shaping(function: Function, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a function's own arrays depend on; others bring arrays besides."""
    return {x: value for x, value in options.items() if x != "wrenches" and x not in function.optional}


def _identity(subject: Subject, function: Function, options: Mapping[str, Any]) -> str | None:
    """The exact text of a machine, a function and its options."""
    if subject.content is None or function.known_as is None:
        return None
    return exact_text((subject.content, function.known_as, tuple(sorted(options.items()))))


def _declarations(group: type) -> list[Function]:
    """The functions that one class declares."""
    methods = (getattr(x, "function", None) for x in vars(group).values())
    return [x for x in (*methods, *vars(group).get("_parts", ())) if isinstance(x, Function)]
