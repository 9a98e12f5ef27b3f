"""The function behind a bridge: its description, and its kernels and derivatives, created on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.linearized import adjoint, tangent
from revolute.compiler.signature import Signature
from revolute.compiler.stored import key_of
from revolute.errors import RevoluteError
from revolute.graph import Graph, graph_text


class BridgeSource:
    """A function of one machine for another library, in one of the roles "function", "tangent" or "adjoint".

    `base` is the function whose tangent or adjoint this is; None for the role "function". `again(dtype=dtype)` creates
    the kernel in another process; None if that is impossible.
    """

    def __init__(
        self, kind: str, owner: str, form: Signature, identity: str | None, base: BridgeSource | None = None,
        role: str = "function", again: Callable[..., Kernel] | None = None,
    ) -> None:
        self._kind, self._owner, self._identity, self._again = kind, owner, identity, again
        self.form, self.base, self.role = form, base, role

    def __repr__(self) -> str:
        return f"<{self.form.name} of {self._owner!r}>"

    @cached_property
    def graph(self) -> Graph:
        """The traced function."""
        return self.form.graph()

    @cached_property
    def key(self) -> str:
        """Hexadecimal digits that identify the function in every process."""
        return key_of(self._kind, self._owner, self._identity or graph_text(self.graph))

    @cached_property
    def float64(self) -> Kernel:
        """The kernel in float64."""
        return self._kernel(np.float64)

    @cached_property
    def float32(self) -> Kernel:
        """The kernel in float32."""
        return self._kernel(np.float32)

    @cached_property
    def tangent(self) -> BridgeSource:
        """The tangent function, linear in the second half of its inputs, which are the rates."""
        return self._derived(tangent(self.form), "tangent")

    @cached_property
    def adjoint(self) -> BridgeSource:
        """The adjoint function: gradients with respect to inputs; linear in the last inputs, one weight per result."""
        return self._derived(adjoint(self.form), "adjoint")

    def _derived(self, form: Signature, role: str) -> BridgeSource:
        identity = None if self._identity is None else f"{role} of {self._identity}"
        return BridgeSource(self._kind, self._owner, form, identity, self, role)

    def _kernel(self, dtype: Any) -> Kernel:
        again = partial(self._again, dtype=dtype) if self._again else _not_pickled
        return compiled(self._kind, self._owner, self.form, dtype, self._identity, again)


def _not_pickled() -> Kernel:
    raise RevoluteError("kernels of bridges to other libraries cannot be pickled")
