"""The functions of a machine for another library, each as an attribute, or from a call with options."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from revolute.arguments import common_batch, swap_hint, with_tuples
from revolute.arguments.foreign import require_plain_entries, require_unmasked
from revolute.compiler.signature import Signature
from revolute.errors import DtypeError, InputError, MissingExtraError, ShapeError

Foreign = Any  # an array, a tensor or a data frame of another library, or what NumPy reads as an array
Function = TypeVar("Function", bound="BridgeFunction")


class BridgeFunction(ABC):
    """A function of one machine for another library.

    Attributes:
        inputs: names and core shapes of the arguments, in order.
        outputs: names and core shapes of the results.
    """

    _library: ClassVar[str]

    def __init__(self, form: Signature) -> None:
        self.__name__, self.inputs, self.outputs = form.name, form.inputs, form.outputs
        self.checks = Checks(form)
        self._as_method: Callable[..., Any] | None = None
        """The library function with the signature of the NumPy method."""

    @abstractmethod
    def _evaluate(self, *arrays: Foreign) -> Foreign:
        """Results for arrays in the order of `inputs`."""

    def __call__(self, *arrays: Foreign, **named: Any) -> Foreign:
        """Evaluate the function.

        Args:
            *arrays: arrays in the order of `inputs`.
            **named: the remaining arrays by name; or all arguments of the NumPy method: `frame="tip"`, or
                `wrenches={"tip": array}`.

        Raises:
            InputError: the number of arrays is wrong.
            TypeError: an argument name is unknown to the NumPy method, or missing.
            ShapeError: an array does not fit, or leading axes do not broadcast.
            DtypeError: an array does not contain real numbers, or the library cannot compute with it.
        """
        if not named:
            return self._evaluate(*arrays)
        others = [x.name for x in self.inputs[len(arrays) :]]
        if len(named) == len(others) and all([x in named for x in others]):
            return self._evaluate(*arrays, *[named[x] for x in others])
        assert self._as_method is not None
        return self._as_method(*arrays, **named)

    def __repr__(self) -> str:
        names = ", ".join(x.name for x in self.inputs)
        return f"<{self.__name__}({names}) for {self._library}>"


class Functions(ABC, Generic[Function]):
    """Functions of one machine: `robot.jax.inverse_dynamics`, or `robot.jax("jacobian", frame="tool0")`.

    Args:
        machine: the robot or system whose functions are provided, a `machine.ways_out.Bridged`.

    Raises:
        MissingExtraError: the library is not installed.
    """

    package: ClassVar[str]
    """Name of the library's package, and of this project's optional extra that installs the package."""
    library: ClassVar[str]
    """Name of the library, for messages."""

    def __init__(self, machine: Any) -> None:
        if find_spec(self.package) is None:
            raise MissingExtraError(f"functions for {self.library} need {self.library}", self.package)
        self._machine = machine
        self._made: dict[Any, Function] = {}

    @abstractmethod
    def _make(self, function: str, **options: Any) -> Function:
        """Create a function with its options."""

    def __call__(self, function: str, **options: Any) -> Function:
        """Return a function for these options: see `Machine.kernel`. The same options return the same object.

        Raises:
            UnknownNameError: the function does not exist.
            InputError: the function does not have one of the options.
        """
        plain = with_tuples(options)
        key = function, tuple(sorted(plain.items()))
        if not all(isinstance(value, Hashable) for value in plain.values()):
            return self._make(function, **plain)  # the check raises an error, since no option has a value of this type
        if key not in self._made:
            made = self._made[key] = self._make(function, **plain)
            made._as_method = partial(self._called, function, plain)
        return self._made[key]

    def _called(self, function: str, options: Mapping[str, Any], *args: Any, **named: Any) -> Any:
        """Call a function with the arguments and options of the NumPy method."""
        chosen, arrays = self._machine.read_call(function, options, args, named)
        return self(function, **chosen)(*arrays)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the function with that name. Its calls accept the options of the NumPy method."""
        if name.startswith("_"):
            raise AttributeError(name)
        if self._machine.needs_options(name):
            return partial(self._called, name, {})
        return self(name)

    def __dir__(self) -> list[str]:
        return sorted(self._machine.public_names())

    def __repr__(self) -> str:
        return f"<functions of {self._machine.display_name!r} for {self.library}>"


class Checks:
    """Argument checks of one function."""

    def __init__(self, form: Signature) -> None:
        self._name, self._inputs = form.name, form.inputs

    def checked(self, arrays: tuple[Any, ...], take: Callable[[str, Any], Any] | None = None) -> list[Any]:
        """Return the checked arrays; lists and numbers become NumPy arrays. Errors: see `BridgeFunction.__call__`.

        `take(label, array)` converts each argument to an array of the library.
        """
        self.require_count(arrays)
        name = self._name
        given, batches = [], []
        for x, array in zip(self._inputs, arrays, strict=True):
            value = self.array(x.name, array) if take is None else take(x.name, array)
            shape, axes = tuple(value.shape), len(value.shape) - len(x.shape)
            if axes < 0 or shape[axes:] != x.shape:
                labels, sizes = [y.name for y in self._inputs], [y.shape for y in self._inputs]
                hint = swap_hint(labels, [tuple(getattr(a, "shape", ())) for a in arrays], sizes)
                core = ", ".join(map(str, ("...", *x.shape)))
                raise ShapeError(f"{name}: {x.name} has shape {shape}, but ({core}) is needed{hint}")
            given.append(value)
            batches.append(shape[:axes])
        if any([batch != batches[0] for batch in batches]):
            common_batch(f"{name}: leading axes", (x.name for x in self._inputs), batches)
        return given

    def require_count(self, arrays: tuple[Any, ...]) -> None:
        """Raise `InputError` unless there is one array per input."""
        if len(arrays) != len(self._inputs):
            listed = ", ".join(x.name for x in self._inputs)
            raise InputError(f"{self._name} takes {len(self._inputs)} arrays ({listed}), not {len(arrays)}")

    def array(self, label: str, given: Foreign) -> Foreign:
        """An array of any library, or lists as a NumPy array; `DtypeError` if masked or without real numbers."""
        what = f"{self._name}: {label}"
        if hasattr(given, "shape") and hasattr(given, "dtype"):
            require_unmasked(what, given)
            return given
        require_plain_entries(what, given)
        try:
            array = np.asarray(given)
        except (ValueError, TypeError) as error:
            raise DtypeError(f"{what} must hold real numbers: {error}") from None
        self.require_real(label, array.dtype, array.dtype.kind in "fiub")
        return array

    def require_real(self, label: str, kind: Any, is_real: bool) -> None:
        """Raise `DtypeError` unless the type of an array's entries is real."""
        if not is_real:
            raise DtypeError(f"{self._name}: {label} must hold real numbers, not {kind}")
