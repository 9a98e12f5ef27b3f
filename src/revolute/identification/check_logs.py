"""The logs of a fit, looked at before they are used."""

from __future__ import annotations

from collections.abc import Iterable

from revolute.identification.equations import check_samples
from revolute.identification.force_model import ForceModel
from revolute.identification.log import Log
from revolute.identification.plausibility import first_blocks, warn_of_doubts
from revolute.identification.samples import Samples

__all__ = ["check_logs"]


def check_logs(sources: list[Log | Samples] | Iterable[Samples], model: ForceModel) -> None:
    """Warn of each doubt about the sources of a fit.

    Samples of a list are parts of one log, so they are looked at together, and so are blocks.

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
    beginning = first_blocks(blocks)
    for block in beginning:
        check_samples(model, block)
    if beginning and any(map(len, beginning)):
        warn_of_doubts(model.robot, Samples.joined(beginning), model)
