"""Records of options: one command parameter per record, one option per field."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_origin, get_type_hints

__all__ = ["with_records"]


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each record replaced by options: fields with an `Annotated` type; other fields have defaults."""
    hints = get_type_hints(command, include_extras=True)
    records = {name: _options(kind) for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, own in inspect.signature(command).parameters.items():
        parameters += records.get(name) or [own.replace(annotation=hints[name], kind=own.KEYWORD_ONLY)]

    @wraps(command)
    def with_options(**given: Any) -> None:
        made = {name: hints[name](**{x.name: given.pop(x.name) for x in own}) for name, own in records.items()}
        command(**made, **given)

    with_options.__annotations__ = {x.name: x.annotation for x in parameters}
    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return with_options


def _options(record: Any) -> list[inspect.Parameter]:
    """One parameter for each field that is an option."""
    hints, kind = get_type_hints(record, include_extras=True), inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(x.name, kind, default=_default(x), annotation=hints[x.name])
        for x in fields(record)
        if get_origin(hints[x.name]) is Annotated
    ]


def _default(field: Any) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
