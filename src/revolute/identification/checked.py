"""The logs of a fit, looked at before they are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from revolute.identification.equations import check_samples
from revolute.identification.force_model import ForceModel
from revolute.identification.log import Log
from revolute.identification.plausibility import first_blocks, warn_of_doubts
from revolute.identification.samples import Samples

__all__ = ["checked"]


def checked(
    sources: list[Log | Samples] | Iterable[Samples], model: ForceModel
) -> list[Log | Samples] | Iterable[Samples]:
    """The same sources, after a warning for each doubt about them.

    Samples of a list are parts of one log, so they are looked at together, and so are blocks. What an iterator gave is
    put back before the rest.

    Args:
        sources: of `sources_of`.
        model: that is fitted.

    Raises:
        InputError, ShapeError: samples of another robot.
    """
    logs = [each for each in sources if isinstance(each, Log)] if isinstance(sources, list) else []
    for log in logs:
        warn_of_doubts(model.robot, log, model)
    blocks = [each for each in sources if not isinstance(each, Log)] if isinstance(sources, list) else sources
    once = isinstance(blocks, Iterator)
    beginning = first_blocks(blocks)
    for block in beginning:
        check_samples(model, block)
    if beginning and any(map(len, beginning)):
        warn_of_doubts(model.robot, Samples.joined(beginning), model)
    return chain(beginning, blocks) if once else sources
