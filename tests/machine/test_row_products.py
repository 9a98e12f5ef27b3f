"""Products of batches: rows have the bits that they have alone."""

import numpy as np
import pytest

from revolute.machine.row_products import inner, times


@pytest.mark.parametrize("n", [1, 2, 3, 7, 16, 33])
def test_rows_have_their_bits_with_any_strides(n: int) -> None:
    rng = np.random.default_rng(n)
    A, x, y = rng.standard_normal((9, 5, n)), rng.standard_normal((9, n)), rng.standard_normal((9, n))
    each, one = [times(a, b) for a, b in zip(A, x, strict=True)], [times(A[0], b) for b in x]
    products = [inner(a, b) for a, b in zip(x, y, strict=True)]
    for change in (
        np.array, np.asfortranarray, lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
        lambda x: x[..., ::-1].copy()[..., ::-1], lambda x: np.repeat(x, 2, axis=0)[::2],
    ):  # fmt: skip
        np.testing.assert_array_equal(times(change(A), change(x)), each)
        np.testing.assert_array_equal(times(change(A[0]), change(x)), one)
        np.testing.assert_array_equal(inner(change(x), change(y)), products)
