"""Tangent and adjoint functions for automatic differentiation; they are linear in the tangents or in the weights."""

import math
from collections.abc import Sequence
from typing import Any

from revolute.compiler.signature import Shape, Signature
from revolute.graph import Input, gradient, pushforward


def tangent(form: Signature) -> Signature:
    """The function that computes tangents of results; its arguments are the inputs, then a tangent of each input.

    dy = sum_k df/dx_k dx_k, by forward mode. Derivatives are with respect to array entries: four for a quaternion.
    """
    d = _prefix("d", form)
    rates = tuple(Input(d + x.name, x.shape, x.of) for x in form.inputs)
    outputs = tuple((d + name, shape) for name, shape in form.outputs)

    def body(*arrays: Sequence[Any]) -> Any:
        n = len(form.inputs)
        given, directions = arrays[:n], arrays[n:]
        pairs = [pair for xs, rates in zip(given, directions, strict=True) for pair in zip(xs, rates, strict=True)]
        along = {x: {0: rate} for x, rate in pairs}
        results = _results(form, given)
        # the derivatives of constant results are zero and are omitted
        nodes = [y for ys in results for y in ys if hasattr(y, "builder")]
        rate = dict(zip(nodes, pushforward(nodes, along), strict=True))
        return _as_body(form.outputs, [[rate.get(y, {}).get(0, 0.0) for y in ys] for ys in results])

    return Signature(f"tangent of {form.name}", (*form.inputs, *rates), outputs, body)


def adjoint(form: Signature) -> Signature:
    """The function that computes gradients with respect to inputs; its arguments are the inputs, then result weights.

    bar x_k = sum (df/dx_k)^T bar y, by reverse mode.
    """
    bar = _prefix("bar", form)
    weights = tuple(Input(bar + name, shape) for name, shape in form.outputs)
    outputs = tuple((bar + x.name, x.shape) for x in form.inputs)

    def body(*arrays: Sequence[Any]) -> Any:
        n = len(form.inputs)
        given, bars = arrays[:n], arrays[n:]
        # the adjoint is the gradient of the weighted sum of the results
        terms = [
            y * weight
            for ys, weights in zip(_results(form, given), bars, strict=True)
            for y, weight in zip(ys, weights, strict=True)
            if hasattr(y, "builder")
        ]
        inputs = [x for xs in given for x in xs]
        found = iter(gradient(sum(terms[1:], terms[0]), inputs) if terms and inputs else [0.0] * len(inputs))
        return _as_body(outputs, [[next(found) for _ in range(x.size)] for x in form.inputs])

    return Signature(f"adjoint of {form.name}", (*form.inputs, *weights), outputs, body)


def _prefix(letters: str, form: Signature) -> str:
    """A prefix with which no input name begins, so that derivatives of derivatives get new names."""
    prefix = f"{letters}_"
    while any(x.name.startswith(prefix) for x in form.inputs):
        prefix = f"{letters[0]}{prefix}"
    return prefix


def _results(form: Signature, arrays: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    results = form.body(*arrays)
    return [results] if len(form.outputs) == 1 else list(results)


def _as_body(outputs: Sequence[tuple[str, Shape]], results: list[list[Any]]) -> Any:
    assert all(len(x) == math.prod(shape) for x, (_, shape) in zip(results, outputs, strict=True))
    return results[0] if len(outputs) == 1 else results
