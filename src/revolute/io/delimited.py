"""Lines of comma-separated values (RFC 4180), also with semicolons or tabs between the cells."""

import csv


def separator(header: str) -> str:
    """The most frequent separator in the first line of a table; among equals no comma, which names may contain."""
    return max(";\t,", key=header.count)


def cells(line: str, between: str) -> list[str]:
    """The cells of a line; `ValueError` for a broken line, for example if a quote is not closed."""
    try:
        return next(csv.reader([line], delimiter=between, skipinitialspace=True), [])
    except csv.Error as error:
        raise ValueError(str(error)) from None
