"""Acronym identification: labels the acronyms and long forms in a tokenized sentence.

Task and labels: Veyseh et al. 2020, COLING, "What does this acronym mean?" (SciAI).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from corpora.model.document import Span
from nlmchem.abbreviations.ab3p.detector import detect

SHORT, LONG = "short", "long"

# At least two capitals, in a token of letters, digits and `&/+-`: `GANs`, `IoT`, `QoE`, but not `H.264`.
_ACRONYM = re.compile(r"(?=(?:[^A-Z]*[A-Z]){2})[A-Za-z][A-Za-z0-9&/+-]{1,11}")
_HYPHENS = frozenset("-–‐")
# Numbers of sections and tables. CC, IL and CL are not numbers that occur.
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
# `3D`, `6DOF`: a number before capitals. `5 GHz` is not written so.
_NUMBERED = re.compile(r"[1-9][A-Z]{1,5}s?")


def looks_like_acronym(token: str) -> bool:
    """Whether a token has the form of an acronym: two to twelve characters, mostly capitals, not a Roman numeral.

    >>> [looks_like_acronym(word) for word in ("GANs", "IoT", "VII", "DeepMind", "the")]
    [True, True, False, False, False]
    """
    if not _ACRONYM.fullmatch(token) or _ROMAN.fullmatch(token):
        return False
    stem = token.removesuffix("s")
    return 2 * sum(map(str.isupper, stem)) >= len(stem)


def identify(tokens: Sequence[str]) -> list[str]:
    """A label for each token: `B-short`, `I-short`, `B-long`, `I-long` or `O`.

    Definitions come from the detector. All other tokens with the form of an acronym are short forms, too.
    """
    labels = ["O"] * len(tokens)
    starts: list[int] = []
    reached = 0
    for token in tokens:
        starts.append(reached)
        reached += len(token) + 1
    for definition in detect(" ".join(tokens)):
        _mark(labels, starts, definition.long_span, LONG)
        _mark(labels, starts, definition.short_span, SHORT)
    for first, after in _acronyms(tokens):
        if all(label == "O" for label in labels[first:after]):
            labels[first:after] = [f"B-{SHORT}"] + [f"I-{SHORT}"] * (after - first - 1)
    return labels


def _acronyms(tokens: Sequence[str]) -> Iterator[Span]:
    """The tokens, as spans, that form acronyms by themselves or joined by a hyphen: `TF - IDF`, `R - CNN`."""
    index = 0
    while index < len(tokens):
        after = index + 1
        if _is_part(tokens[index]):
            while after + 1 < len(tokens) and tokens[after] in _HYPHENS and _is_part(tokens[after + 1]):
                after += 2
        if any(map(looks_like_acronym, tokens[index:after])) or _NUMBERED.fullmatch(tokens[index]):
            yield index, after
        index = after


def _is_part(token: str) -> bool:
    return looks_like_acronym(token) or (len(token) == 1 and token.isupper())


def _mark(labels: list[str], starts: Sequence[int], span: Span, kind: str) -> None:
    first = bisect_right(starts, span[0]) - 1
    after = bisect_left(starts, span[1])
    if any(label != "O" for label in labels[first:after]):
        return
    labels[first:after] = [f"B-{kind}"] + [f"I-{kind}"] * (after - first - 1)
