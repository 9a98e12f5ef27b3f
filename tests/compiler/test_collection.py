"""Garbage is not collected while a function is traced, and as before afterwards."""

import gc
from contextlib import suppress

import pytest

from revolute.compiler.collection import no_garbage_collection


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_garbage_collection_is_as_before(before: bool, fails: bool) -> None:
    was = gc.isenabled()
    try:
        (gc.enable if before else gc.disable)()
        with suppress(ZeroDivisionError), no_garbage_collection():
            assert not gc.isenabled()
            1 / (not fails)
        assert gc.isenabled() == before
    finally:
        (gc.enable if was else gc.disable)()
