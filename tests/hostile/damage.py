"""Damage that happens to files, or is done to them: seeded, of bytes, of text, and of what the text means."""

import gzip
import random
import re
from collections.abc import Callable

NUMBERS = (
    "", "nan", "-nan", "NaN", "inf", "-inf", "Infinity", "0", "-0", "-0.0", "1e-320", "1e-400", "-1e-320", "1e999",
    "1e308", "-1e308", "1e200", "1e160", "1e50", "-1e20", "1e-200", "1e999999999999", "1e-999999999999", "0x10",
    "010", "1_000", "1,5", "1.5.2", "+-1", "--1", "1e", "e5", ".", "-", "1/2", "3.14 2", "0 0 0",
    "1e200 1e200 1e200", "٣.٥", "１２", "½", "∞", "−1", "9" * 400, "-" + "9" * 400, "0." + "0" * 400 + "1", "9" * 5000,
    "1" + "0" * 309, "500", "1000", "-1", "2147483648", "-2147483649", "18446744073709551616", "True", "None",
    "1+2j", "[1]", "{}",
)  # fmt: skip
"""What may stand where a number stood."""

WORDS = (
    "", " ", "x", "world", "base", "trunk", "__model__", "universe", "é", "名", "a" * 300, "\\", "/", "..",
    "../../etc/x", "'", '"', "<", ">", "&amp;", "&#0;", "&#x1b;", "&#xD800;", "&lol;", "%s%n", "{0}", "${x}", "$(x)",
    "\x01", "\x00", "\x1b[31m", "\u202e", "\x9b", "\ufeff", "\r", "\n", "\t", "true", "nan", "-1", "b1", "joint",
    "x\u0301", "0" * 70,
)  # fmt: skip
"""What may stand where a name or a word stood."""

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
WORD = re.compile(r"[A-Za-z_][\w.:/-]*")
TAG = re.compile(r"<[^<>]*>")
CELL = re.compile(r"[^,;\t\n]+")

LARGEST = 3_000_000
"""Bytes of a file."""
LONG = 100_000
"""Characters of a text that is damaged: patterns take too long to search in longer ones."""

BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)
PROLOGS = (
    BOMB,
    '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
    *(f'<?xml version="1.0" encoding="{name}"?>' for name in ("utf-16", "utf-7", "nonsense")),
    *('<?xml version="1.1"?>', "<!--", "<![CDATA[", "<?x", "\ufeff\ufeff", " \n\t", "<x/>", "garbage"),
)
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "cp1252", "ascii", "utf-7")


def damaged_text(text: str, seed: int) -> bytes:
    """A text with one to three things done to it, mostly one."""
    rng = random.Random(seed)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        if len(text) < LONG:
            text = rng.choice(TEXT)(text, rng)[:LARGEST]
    content = text.encode("utf-8", "replace")
    if rng.random() < 0.04:
        content = text.encode(rng.choice(ENCODINGS), "replace")
    return rng.choice(BYTES)(content, rng) if rng.random() < 0.15 else content


def damaged_bytes(content: bytes, seed: int) -> bytes:
    """Bytes with one to three things done to them."""
    rng = random.Random(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(BYTES)(content, rng)
    return content


def _with(text: str, pattern: re.Pattern[str], rng: random.Random, new: str) -> str:
    """The text with something else in place of one match, or at its end."""
    match = rng.choice(list(pattern.finditer(text)) or [None])
    return text[: match.start()] + new + text[match.end() :] if match else text + new


def a_number(text: str, rng: random.Random) -> str:
    return _with(text, NUMBER, rng, rng.choice(NUMBERS))


def all_numbers(text: str, rng: random.Random) -> str:
    """Other units, other signs, other digits."""
    changes: tuple[Callable[[str], str], ...] = (
        *(lambda x, e=e: f"{x}e{e}" for e in (3, 300, -300)),
        lambda x: f"-{x}",
        lambda x: x.replace(".", ","),
        lambda x: "0",
        lambda x: "".join(chr(0x660 + int(c)) if c.isdigit() else c for c in x),
    )
    change = rng.choice(changes)
    return NUMBER.sub(lambda x: change(x[0]), text)


def a_word(text: str, rng: random.Random) -> str:
    """A word becomes garbage, or another word of the file: the name of another link, type or attribute."""
    found = WORD.findall(text)
    return _with(text, WORD, rng, rng.choice(found if found and rng.random() < 0.6 else WORDS))


def one_everywhere(text: str, rng: random.Random) -> str:
    """A number or a word, wherever it stands."""
    pattern, others = rng.choice(((NUMBER, NUMBERS), (WORD, WORDS), (WORD, WORDS)))
    found = pattern.findall(text)
    return text.replace(rng.choice(found), rng.choice((*others, *found))) if found else text


def a_part(text: str, rng: random.Random) -> str:
    """A tag or a cell is lost, comes again and again, or stands in place of another one."""
    pattern = TAG if text.lstrip().startswith("<") else CELL
    found = pattern.findall(text)
    if not found:
        return text
    part = rng.choice(found)
    return _with(text, pattern, rng, part * rng.choice((0, 0, 1, 1, 2, rng.choice((500, 20_000)))))


def an_element_moved(text: str, rng: random.Random) -> str:
    """A whole element, or line, copied or moved to another place."""
    whole = list(re.finditer(r"<(\w+)\b[^<>]*(?:/>|>.*?</\1>)|[^\n]+\n", text, re.DOTALL))
    if not whole:
        return text
    one, other = rng.choice(whole), rng.choice(whole)
    kept = text if rng.random() < 0.5 else text[: one.start()] + text[one.end() :]
    at = min(rng.choice((other.start(), other.end())), len(kept))
    return kept[:at] + one[0] + kept[at:]


def an_attribute_lost(text: str, rng: random.Random) -> str:
    """An attribute, key or column, once or everywhere."""
    found = re.findall(r'[\w.]+ ?= ?(?:"[^"]*"|[^\s,}]+),?', text)
    return text.replace(rng.choice(found), "", rng.choice((1, -1))) if found else text


def a_line(text: str, rng: random.Random) -> str:
    """A line is lost, empty, or in place of another one."""
    lines = text.split("\n")
    k = rng.randrange(len(lines))
    lines[k : k + 1] = rng.choice(([], [""], [rng.choice(lines)], [rng.choice(lines), lines[k]]))
    return "\n".join(lines)


def nested_deep(text: str, rng: random.Random) -> str:
    tags = (("<a>", "</a>"), ("<link>", "</link>"), ("<body>", "</body>"))
    opening, closing = rng.choice((*tags, *("[]", "{}", ("{a=", "}"), '""', "()")))
    depth = rng.choice((10, 300, 3000, 100_000))
    at = rng.randrange(len(text) + 1)
    return text[:at] + opening * depth + (closing * depth if rng.random() < 0.7 else "") + text[at:]


def a_prolog(text: str, rng: random.Random) -> str:
    prolog, entity = rng.choice(PROLOGS), rng.choice("aj")
    return prolog + (a_number(text, rng) if rng.random() < 0.5 else text).replace('name="', f'name="&{entity};', 1)


def text_truncated(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


TEXT: tuple[Callable[[str, random.Random], str], ...] = (
    *(a_number,) * 6, all_numbers, *(a_word,) * 5, *(one_everywhere,) * 5, *(a_part,) * 5, *(an_element_moved,) * 3,
    *(an_attribute_lost,) * 2, *(a_line,) * 2, nested_deep, a_prolog, text_truncated,
)  # fmt: skip
"""What is done to text, the usual often."""


def bits_flipped(content: bytes, rng: random.Random) -> bytes:
    found = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 10, 100)) if found else 0):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def bytes_set(content: bytes, rng: random.Random) -> bytes:
    """One byte or a few in a row, at any place or near the end, where archives keep their directory."""
    size = rng.choice((1, 1, 2, 4, 8))
    at = max(len(content) - rng.randrange(1, 600), 0) if rng.random() < 0.5 else rng.randrange(len(content) + 1)
    value = rng.choice((0, 255, 127, 128, rng.randrange(256)))
    return (content[:at] + bytes([value]) * size + content[at + size :])[: max(len(content), at + size)]


def a_span(content: bytes, rng: random.Random) -> bytes:
    """Bytes in a row are lost, come twice or more, become zeros or follow noise; or none are left on one side."""
    start = rng.randrange(len(content) + 1)
    end = start + rng.choice((1, 8, 50, 1000))
    before, span, after = content[:start], content[start:end], content[end:]
    noise = rng.randbytes(rng.choice((1, 3, 16, 300)))
    changed = rng.choice((b"", span * 2, span * 31, bytes(len(span)), noise + span))
    return rng.choice((before, content[start:], before + changed + after, before + changed + after))


def spans_swapped(content: bytes, rng: random.Random) -> bytes:
    a, b, c, d = sorted(rng.randrange(len(content) + 1) for _ in range(4))
    return content[:a] + content[c:d] + content[b:c] + content[a:b] + content[d:]


def other_wrapping(content: bytes, rng: random.Random) -> bytes:
    begins = [begin + content for begin in (b"PK\x03\x04", b"PAR1", content, b"\xff\xfe", b"\xef\xbb\xbf")]
    return rng.choice((*begins, gzip.compress(content, mtime=0), b"", content.replace(b"\n", b"\r")))


BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(bits_flipped,) * 4, *(bytes_set,) * 4, *(a_span,) * 6, spans_swapped, other_wrapping,
)  # fmt: skip
"""What is done to bytes."""
