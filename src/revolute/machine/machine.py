"""`Machine`: the base class of everything with compiled functions. Each function is declared once."""

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import UNLABELLED, by_names, instance, nearest, with_tuples
from revolute.arguments.foreign import require_plain
from revolute.compiler.bound import note
from revolute.compiler.collection import no_garbage_collection
from revolute.compiler.kernel import Kernel, compiled, real_dtype, type_for
from revolute.compiler.signature import Signature
from revolute.errors import DtypeError, InputError, ModelError, UnknownNameError
from revolute.graph import RULES, STRUCTURE, Counts, count
from revolute.machine.declare import method_of
from revolute.machine.function import Function, MachineData
from revolute.machine.ways_out import WaysOut
from revolute.model.identity import exact_text
from revolute.model.other_libraries import answer
from revolute.model.symbols import counted_with

Array = NDArray[Any]
Out = Array | None  # array that receives the result; None creates a new array
Threads = int | None  # number of threads for a large batch; None selects all cores if that is faster than one

LinkWrenches = Mapping[str, ArrayLike] | None
"""{link name: (..., 6)} wrenches (m, f) [N m, N] that the environment exerts, in the frame of the link."""

Point = ArrayLike | str | None
"""A point (..., 3) in a link's frame [m], or "com" for the link's centre of mass; None for the origin of the frame."""

Counting = Literal["source", "traced"]
_RULES = {"source": STRUCTURE, "traced": RULES}


class _MachineType(ABCMeta):
    def __getattr__(cls, name: str) -> Any:
        raise _missing(name, cls, cls)


class Machine(WaysOut, metaclass=_MachineType):
    """An object with compiled functions: a robot, also with drives, springs or closed loops; or a Lagrangian system."""

    _kind = "robot"
    """Name of this class of machines in messages."""

    _elsewhere = ""
    """End of the error message about an unknown function."""

    _table: ClassVar[Mapping[str, Function]]

    _parts: ClassVar[tuple[Function, ...]] = ()
    """Declarations of the internal functions of this class."""

    @abstractmethod
    def _machine_data(self, function: Function, options: Mapping[str, Any]) -> MachineData:
        """The data of the machine for a function. Raise an error if the machine does not support the function."""

    def _countable(self) -> Self:
        """The machine with numbers in place of symbols, to count operations."""
        return self

    @classmethod
    def functions(cls) -> Mapping[str, Function]:
        """All compiled functions by name: methods, and internal functions that methods use.

        Example:
            >>> revolute.Robot.functions()["forward_dynamics"].inverts
            True
        """
        found: dict[str, Function] = {}
        for base in cls.__mro__:
            for function in _declarations(base):
                found.setdefault(function.name, function)
        return found

    @classmethod
    def _declares(cls, group: type, function: Function) -> bool:
        """Whether a function is declared in the class `group`, or in a class that derives from it."""
        return any(function in _declarations(base) for base in cls.__mro__ if issubclass(base, group))

    def kernel(self, function: str | Function, *, dtype: Any = np.float64, **options: Any) -> Kernel:
        """The compiled form of a function: its graph, operation counts, IR and compile time.

        Args:
            function: name of a compiled method, such as "inverse_dynamics".
            dtype: float64 or float32.
            **options: options of the function's signature: `frame="tool0"` for forward kinematics, also
                `reference="body"` for Jacobians; `wrenches=("tool0",)` and `base_motion=True` for inverse dynamics.
                `parameters="inertial"`, if a function has this option, makes the inertial parameters (..., n, 10) the
                kernel's last input, so that one kernel serves robots that differ in mass: see `inertial_parameters`.
                The robot's own values may be symbols. With drives this input is all `parameters`, (..., 10 n + d).

        Raises:
            UnknownNameError: the function does not exist.
            InputError: the function does not have an option, or the machine has symbols.
            ModelError: the mass matrix has no inverse in any state, and this function needs it.
            DtypeError: the dtype is neither float64 nor float32.

        Example:
            >>> revolute.robots.ur5().kernel("inverse_dynamics").count().multiplications < 250
            True
        """
        return self._kernel(self._function(function), dtype, with_tuples(options))

    def prepare(self, *functions: str | Function, dtype: Any = np.float64, **options: Any) -> None:
        """Compile functions, and return when all code for calls in a control loop is loaded.

        Otherwise the first call compiles. Then, for some seconds, calls of a long function (derivatives of a humanoid)
        take up to four times as long, while its final code, and code for single states, is compiled in the background.
        Long compilations show a progress line.

        Args:
            functions: names of compiled methods, such as "inverse_dynamics".
            dtype, **options: the dtype and options of the later calls: see `kernel`, also for errors.

        Example:
            >>> robot = revolute.robots.ur5()
            >>> robot.prepare("inverse_dynamics", "mass_matrix")
            >>> robot.prepare("jacobian", frame="tool0", reference="body")
        """
        for function in functions:
            self.kernel(function, dtype=dtype, **options).prepare()

    def count(
        self, function: str | Function = "inverse_dynamics", *, counting: Counting = "traced", **options: Any
    ) -> Counts:
        """Number of scalar operations of one evaluation of a function.

        Counts are exact, from the equations of this machine; nothing is compiled. Symbols of a robot count as constants
        of generic value: expressions that contain only symbols, without q, qd ..., cost nothing.

        Args:
            function: name of a compiled method ("forward_dynamics"); for robots also an algorithm of the
                literature, which `revolute.published.counting.formulation` returns by name.
            counting: "traced" counts the simplified graph, without structural zeros and ones, operations on constants,
                repeated terms and unused results: this library evaluates this graph. "source" counts as books do:
                it also counts every written product and sum of constants that could be merged.
            **options: options of the function: see `kernel`.

        Returns:
            numbers of multiplications, additions (with subtractions), divisions, calls (sines, cosines and
            square roots) and other operations.

        Raises:
            UnknownNameError: the function does not exist.
            InputError: the function does not have an option, or the counting method does not exist.
            ModelError: the function does not apply to this robot.

        Example:
            >>> print(revolute.robots.planar(1).count("mass_matrix"))
            0 mul + 0 add, 0 div, 0 calls
        """
        if not isinstance(counting, str) or counting not in _RULES:
            raise InputError(f"counting must be 'source' or 'traced', not {counting!r}")
        machine = self._countable()
        try:
            with no_garbage_collection():
                graph = machine._signature(function, options).graph(_RULES[counting])
                counts = count(graph)
                graph.forget()
                return counts
        except ModelError as error:
            if machine is self:
                raise
            raise counted_with(error, getattr(self, "symbols", ())) from None

    def _run(
        self, function: Function, arrays: tuple[Any, ...], out: Any, threads: Threads, options: Mapping[str, Any],
        own: Mapping[int, Array] = MappingProxyType({}),
    ) -> Any:
        """Call the kernel of a function, for a method that returns the result unchanged."""
        # Later calls with the same options may go directly to the kernel: see `BoundFunction`. `own` are the machine's
        # own arrays, by their indices in `arrays`.
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
        self, name: str, arrays: Sequence[Any], threads: Threads = None, options: Mapping[str, Any] | None = None
    ) -> Any:
        """Call the kernel of a function, for a method that processes the result."""
        function = self._function(name)
        if any([type(x) not in UNLABELLED for x in arrays]):
            arrays = self._without_labels(function, tuple(arrays), options or {})
        return self._kernel(function, type_for(arrays), options or {})(*arrays, threads=threads)

    def _labels(self) -> Mapping[str, Sequence[str]]:
        """Names of the entries along an axis of each size, such as "nv": the columns of tables have these names."""
        return {}

    def _without_labels(
        self, function: Function, arrays: tuple[Any, ...], options: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """Replace labelled tables by arrays. Raise `DtypeError` if an array is a text or a dict."""
        names = self._labels()
        chosen = function.shaping(options)
        plain = list(arrays)
        for k, (name, sizes) in enumerate(function.arrays(**chosen).inputs[: len(arrays)]):
            x, what = arrays[k], f"{function.name}: {name}"
            if isinstance(x, Mapping):
                hint = "; robot.configuration(...) converts it to an array" if sizes == ("nq",) else ""
                raise DtypeError(f"{what} must be an array, not a dict{hint}")
            if isinstance(x, str):
                other = [option for option, value in chosen.items() if not isinstance(value, (str, bool))]
                hint = f"; {name} and {other[0]} seem to be swapped" if other else ""
                raise DtypeError(f"{what} must hold real numbers, not '{x}'{hint}")
            require_plain(what, x, function.name)
            plain[k] = by_names(what, x, names.get(sizes[0]) if len(sizes) == 1 else None, f"{name}.")
        return tuple(plain)

    def _kernel(self, function: Function, dtype: Any, options: Mapping[str, Any]) -> Kernel:
        """The kernel of a function of this class or of a base class."""
        key = (function, dtype, tuple(sorted(options.items())) if options else ())
        try:
            kernel: Kernel | None = self._kernels.get(key)
        except TypeError:  # options are not hashable
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
        """Attributes can be set only once, because kernels store the data that they were created from."""
        if name in self.__dict__ or hasattr(type(self), name):
            raise AttributeError(f"{name} of a {self._kind} cannot be changed; create a new one")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        raise _missing(name, type(self), self)

    def _function(self, name: str | Function) -> Function:
        """The declaration with that name; a declaration is returned unchanged."""
        if isinstance(name, Function):
            return name
        kind = type(self)
        table: Mapping[str, Function] = kind.__dict__.get("_table", {})  # not inherited: subclasses have more
        if instance("a function's name", name, str) not in table:
            kind._table = table = kind.functions()
        if name not in table:
            public = (x for x, function in table.items() if not function.internal)
            hint = answer(name, kind._kind.split()[0], kind) or nearest(name, public)
            raise UnknownNameError(f"no function '{name}' of a {self._kind}; {hint}{self._elsewhere}")
        return table[name]

    def _signature(self, name: str | Function, options: Mapping[str, Any]) -> Signature:
        return self._traceable(self._function(name), options)[1]

    def _traceable(self, function: Function, options: Mapping[str, Any]) -> tuple[MachineData, Signature]:
        """The data of the machine that a function uses, and the function, ready to be traced."""
        function.check_options(options)
        subject = self._machine_data(function, options)
        return subject, self._form(function, subject, options)

    def _form(self, function: Function, subject: MachineData, options: Mapping[str, Any]) -> Signature:
        return function.signature(subject, options)

    def _compiled(self, function: Function, dtype: np.dtype[Any], options: Mapping[str, Any]) -> Kernel:
        subject, form = self._traceable(function, options)
        declared = self.functions().get(function.name) is function
        again = partial(self.kernel, function.name if declared else function, dtype=dtype, **options)
        return compiled(self._kind, subject.name, form, dtype, _identity(subject, function, options), again)

    def _identified(self, name: str, options: Mapping[str, Any]) -> tuple[Signature, str | None, str]:
        """A function, ready to be traced; the exact text that determines it, if any; the owner's name."""
        function = self._function(name)
        subject, form = self._traceable(function, options)
        return form, _identity(subject, function, options), subject.name

    @cached_property
    def _loops(self) -> dict[Any, Any]:
        """Time loops of simulations in use, by method, options and feedback law."""
        return {}


def _missing(name: str, kind: Any, owner: object) -> AttributeError:
    """The error for an attribute that a class of machines lacks; the message names its counterpart, if there is one."""
    word, hint = kind._kind.split()[0], None
    if not name.startswith("_"):
        hint = f'write {word}.kernel("{name}")' if method_of(kind, name) else answer(name, word, kind)
    message = f"a {kind._kind} has no attribute '{name}'"
    # without a counterpart, Python suggests the name of an attribute of `obj`
    return AttributeError(f"{message}; {hint}", name=name) if hint else AttributeError(message, name=name, obj=owner)


def _identity(subject: MachineData, function: Function, options: Mapping[str, Any]) -> str | None:
    """The exact text that determines a machine, a function and its options; None if these include other code."""
    if subject.content is None or function.known_as is None:
        return None
    return exact_text((subject.content, function.known_as, tuple(sorted(options.items()))))


def _declarations(group: type) -> list[Function]:
    members = (*vars(group).values(), *vars(group).get("_by_kernel", {}).values())
    methods = (getattr(x, "function", None) for x in members)
    return [x for x in (*methods, *vars(group).get("_parts", ())) if isinstance(x, Function)]
