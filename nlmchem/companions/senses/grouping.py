"""Groups the long forms of a short form that name the same thing, beyond the spellings that a dictionary merges.

The merge of `nlmchem.abbreviations.dictionary` keeps `wild-type` and `wildtype` apart, or `functional MRI` and
`functional magnetic resonance imaging`. For a choice among senses they are one sense.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from corpora.words.english import folded
from corpora.words.short_texts import cached
from nlmchem.abbreviations.dictionary import key_of

_SHORT = re.compile(r"[A-Z][A-Z0-9]+(?=s?\b)")
_POSSESSIVE = re.compile(r"['’`´]s?\b|\bs\b")
_SPELLINGS = (("ph", "f"), ("phorous", "phorus"), ("indices", "index"), ("indexes", "index"), ("analyses", "analysis"))
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+")
_GREEK = frozenset("alpha beta gamma delta epsilon kappa lambda mu zeta theta omega i ii iii iv v vi".split())  # noqa: SIM905
DOMINANT = 0.6
"""A short form inside a long form is expanded if its most frequent sense has at least this share."""
FEWEST_WORDS = 2
MOST_EXCESS = 2

Counts = Mapping[str, Mapping[str, int]]
"""For each short form, its long forms with the number of articles."""


@dataclass(slots=True)
class Groups:
    """The keys of long forms. `identify` returns the identifier of a concept with this name, or None."""

    dominant: Mapping[str, str] = field(default_factory=dict)
    identify: Callable[[str], str | None] | None = None

    @classmethod
    def of(cls, counts: Counts, identify: Callable[[str], str | None] | None = None) -> Groups:
        """Groups that expand the unambiguous short forms inside long forms."""
        dominant = {}
        for short, longs in counts.items():
            best = min(longs, key=lambda long: (-longs[long], long))
            if longs[best] > 1 and longs[best] >= DOMINANT * sum(longs.values()):
                dominant[short] = best
        return cls(dominant, identify)

    def keys(self, long_form: str, short_form: str) -> Iterator[str]:
        """The keys of a long form. Long forms with a common key are one sense."""
        plain = self._expanded(long_form, short_form)
        words = words_of(plain)
        yield "joined " + "".join(words)
        # Stems of parts and wholes differ: `post-operative` and `postoperative`.
        yield "letters " + "".join(map(folded, _WORD.findall(_same_spelling(plain))))
        # In short names the order counts.
        if len(words) > 2:
            yield "bag " + " ".join(sorted(words))
        if self.identify is not None:
            for name in dict.fromkeys((long_form, plain)):
                concept = self.identify(name)
                if concept is not None:
                    yield "concept " + concept

    def _expanded(self, long_form: str, short_form: str) -> str:
        def expand(match: re.Match[str]) -> str:
            return self.dominant.get(match[0], match[0]) if match[0] != short_form else match[0]

        return _SHORT.sub(expand, long_form) if len(long_form) > len(short_form) else long_form

    def heads(self, short_form: str, counts: Mapping[str, int]) -> dict[str, str]:
        """For each long form of a short form, the most frequent one of its group."""
        head_of: dict[str, str] = {}
        by_key: dict[str, str] = {}
        heads: list[tuple[str, tuple[str, ...]]] = []
        for long in sorted(counts, key=lambda long: (-counts[long], long)):
            keys = list(self.keys(long, short_form))
            words = words_of(self._expanded(long, short_form))
            head = next((by_key[key] for key in keys if key in by_key), None)
            if head is None:
                numbers = frozenset(_NUMBER.findall(short_form))
                head = next((other for other, head_words in heads if _contains(head_words, words, numbers)), None)
            if head is None:
                head = long
                heads.append((long, words))
            head_of[long] = head
            for key in keys:
                by_key.setdefault(key, head)
        return head_of


@cached(1 << 18)
def words_of(long_form: str) -> tuple[str, ...]:
    """The stems of the words of a long form, with one spelling for variants."""
    text = _same_spelling(long_form)
    # Stemming is repeated: `collisional` becomes `collision`, and `collision` becomes `collis`.
    return tuple(key_of(key_of(text)).split())


def _same_spelling(long_form: str) -> str:
    text = _POSSESSIVE.sub(" ", long_form.lower())
    for written, same in _SPELLINGS:
        text = text.replace(written, same)
    return text


def _contains(words1: tuple[str, ...], words2: tuple[str, ...], numbers: frozenset[str]) -> bool:
    """Whether one long form is the other one with few words before or after it: `... System for rice`.

    `numbers` are those of the short form: SOD1 is `superoxide dismutase` as well as `superoxide dismutase 1`.
    """
    short, long = sorted((words1, words2), key=len)
    if not short or not 0 < len(long) - len(short) <= MOST_EXCESS:
        return False
    if long[: len(short)] == short:
        excess = long[len(short) :]
    elif long[-len(short) :] == short:
        excess = long[: -len(short)]
    else:
        return False
    if numbers and set(excess) == numbers:
        return True
    # `receptor 1` and `receptor alpha` are not `receptor`.
    return len(short) >= FEWEST_WORDS and all(
        len(word) > 2 and word.isalpha() and word not in _GREEK for word in excess
    )


def group_forms(forms: Mapping[str, Mapping[str, str]], counts: Counts, groups: Groups) -> dict[str, dict[str, str]]:
    """The spelling that is kept of each long form (`forms`, from `Builder.forms`), replaced by that of its group."""
    grouped = {}
    for short, kept in forms.items():
        heads = groups.heads(short, counts[short])
        grouped[short] = {long: heads[best] for long, best in kept.items()}
    return grouped
