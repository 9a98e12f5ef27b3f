"""Citations in docstrings: "LP 9.44-9.46, 9.53; BP Alg. 5.7"."""

import re

from revolute.texts.row import parts

CITATION = re.compile(r"\b(LP|BP|JIN|GOA|SHV)\b((?:(?!\b(?:LP|BP|JIN|GOA|SHV)\b)[^;:()\"])*)")
_KIND = r"(?:(?:Prop|Alg|Ex|Def)\.|Tables?|Lemma|Theorem|Corollary|Remark|section|appendix)"
_NAME = r"Problems|Algorithm|section VII|Euler integration|Generalized forces|Skew symmetry|appendix(?: [A-D])?"
_PLACE = re.compile(rf"(?:{_KIND} )?(?:[A-D][.–])?\d+(?:\.\d+)*|{_NAME}")


def cited(docstring: str) -> set[tuple[str, str]]:
    """Pairs (text, place) of all citations; a range yields a pair for each of its places."""
    found = set()
    for letters, rest in CITATION.findall(re.sub(r"\s+", " ", docstring.partition("Example")[0])):
        rest = re.split(r"\. (?=\D)", rest.replace("-", "–").strip())[0]
        section = "section " * rest.startswith("sections")
        for item in re.split(r", | and ", rest.removeprefix("sections ")):
            first = _PLACE.match(section + re.sub(r"^(ex\.|remark)", lambda x: x[0].capitalize(), item))
            if first is None:
                break
            last = re.match(rf"{re.escape(first[0])}[a-z]?–((?:[\dA-D]+[.–])*\d+)", item)
            place = f"{first[0]}–{last[1]}" if last else first[0]
            place = re.sub(r"C–(?=\d)", "C-", place.replace("Tables", "Table"))
            found |= {(letters, part) for part in parts(place)}
    return found
