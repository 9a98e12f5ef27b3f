"""Pages for those who come from another library: each row of a table of calls is computed on both sides.

The pages are the source: a page's blocks of Python set the scene, and the first two cells of a row are expressions.
"""

import re

import numpy as np
import pytest
from others import PACKAGE, scene, text

pytestmark = pytest.mark.filterwarnings("ignore:robot .*MJCF does not support velocity limits")

ROW = re.compile(r"^\| `([^`|]+)` \| `([^`|]+)` \|", re.MULTILINE)
SMALL = 1e-9  # both sides sum some hundred terms of at most 1e3 in float64: errors below 1e3 * 1e2 * 1e-16, times 100


def calls(name: str) -> list[tuple[str, str]]:
    return ROW.findall(text(name).partition("## Call by call")[2])


ROWS = [(name, theirs, ours) for name in sorted(PACKAGE) for theirs, ours in calls(name)]


@pytest.mark.parametrize(("name", "theirs", "ours"), ROWS, ids=[f"{name}-{theirs}"[:60] for name, theirs, _ in ROWS])
def test_both_sides_of_a_row_agree(name: str, theirs: str, ours: str) -> None:
    namespace = scene(name)
    one, other = (np.asarray(eval(side, namespace), dtype=float) for side in (theirs, ours))
    assert one.shape == other.shape
    np.testing.assert_allclose(other, one, rtol=SMALL, atol=SMALL)


@pytest.mark.parametrize("name", sorted(PACKAGE))
def test_every_row_of_a_table_of_calls_is_run(name: str) -> None:
    table = [line for line in text(name).partition("## Call by call")[2].splitlines() if line.startswith("| ")]
    assert len(calls(name)) == len(table) - 2 >= 15  # less the head and the rule below it
