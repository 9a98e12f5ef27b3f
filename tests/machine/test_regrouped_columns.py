"""Columns of a regressor that span all others: the first ones that can, whatever the order of the rest."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from revolute.machine.base_parameters import regrouped


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(0, 12), st.integers(0, 20))
def test_each_column_found_is_independent_of_those_before_it(seed, rank, others, rows):
    """As ranks of the first columns tell, one more of them each time."""
    rng = np.random.default_rng(seed)
    free = rng.standard_normal((rank + rows, rank)) * 10 ** rng.uniform(-3, 3, rank)
    sums = free @ rng.integers(-2, 3, (rank, others))
    Y = np.hstack([free, sums])[:, rng.permutation(rank + others)]
    scaled = Y / np.maximum(np.linalg.norm(Y, axis=0), 1e-300)
    columns, matrix = regrouped(scaled, 1e-9)
    ranks, coarse, fine = (
        [np.linalg.matrix_rank(scaled[:, :k], tol=tolerance) for k in range(Y.shape[1] + 1)]
        for tolerance in (1e-7, 1e-5, 1e-12)
    )
    assume(ranks == coarse == fine)  # no column is so nearly a sum of others that rounding decides
    assert columns.tolist() == np.flatnonzero(np.diff(ranks)).tolist()
    # the columns chosen may be nearly dependent: coefficients are as large as that allows
    assert np.allclose(scaled[:, columns] @ matrix, scaled, atol=1e-9 * max(np.abs(matrix).max(initial=1), 1))


def test_a_short_diagonal_entry_hides_no_column():
    """The second column is zero, and takes the direction with it that only the third one has."""
    Y = np.array([[1.0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]])
    columns, matrix = regrouped(Y, 1e-9)
    assert columns.tolist() == [0, 2]
    assert matrix == pytest.approx(np.array([[1.0, 0, 0], [0, 0, 1]]))


def test_no_column_is_found_where_all_are_zero():
    columns, matrix = regrouped(np.zeros((5, 3)), 1e-9)
    assert columns.tolist() == []
    assert matrix.shape == (0, 3)
