"""The strategies of Ab3P, and the alignment of a short form with a window that a strategy accepts.

Source: Sohn, Comeau, Kim, Wilbur 2008, BMC Bioinformatics 9:402, "Strategies" and "Pseudo-precision". An alignment
assigns each letter and digit of the short form to one of the window.
"""

from __future__ import annotations

from dataclasses import dataclass

from nlmchem.abbreviations.ab3p.candidates import MatchingCharacter, TokenWindow


@dataclass(frozen=True, slots=True)
class Strategy:
    """The conditions for an alignment."""

    name: str
    gap: int = 0
    """The maximum number of skipped tokens between hits, and after the last hit."""
    widest: int = 0
    """There is a gap of this many tokens."""
    starts: bool = False
    """All hits are start hits."""
    stops: bool = False
    """Skipped tokens are stop words."""
    words: bool = False
    """The rest of a token from a hit inside it is a known word."""
    begun: bool = False
    """Tokens with hits have start hits."""
    behind_mark: bool = False
    """A start hit follows punctuation."""
    inside: bool = False
    """A hit is inside a word."""
    touching: bool = False
    """Two hits are adjacent."""


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("FirstLetGen", starts=True, behind_mark=True),
        Strategy("FirstLetGen2", starts=True),
        Strategy("FirstLetGenStp", gap=1, widest=1, starts=True, stops=True),
        Strategy("FirstLetGenStp2", gap=2, widest=2, starts=True, stops=True),
        Strategy("FirstLetGenSkp", gap=1, widest=1, starts=True),
        Strategy("WithinWrdWrd", words=True, inside=True),
        Strategy("WithinWrdFWrd", words=True, begun=True, inside=True),
        Strategy("WithinWrdFWrdSkp", gap=1, widest=1, words=True, begun=True, inside=True),
        Strategy("WithinWrdLet", inside=True),
        Strategy("WithinWrdFLet", begun=True, inside=True),
        Strategy("WithinWrdFLetSkp", gap=1, widest=1, begun=True, inside=True),
        Strategy("ContLet", begun=True, touching=True),
        Strategy("ContLetSkp", gap=1, widest=1, begun=True, touching=True),
        Strategy("AnyLet", gap=1),
        Strategy("FirstLetGenWideStp", gap=3, starts=True, stops=True),
        Strategy("FirstLetGenWide", gap=2, starts=True),
    )
}


def aligned(strategy: str, characters: str, window: TokenWindow) -> MatchingCharacter | None:
    """The position of the first character in the alignment by a strategy of `STRATEGIES`, or by FirstLet."""
    if strategy == "FirstLet":
        return first_letters(characters, window)
    return align(characters, window, STRATEGIES[strategy])


def first_letters(characters: str, window: TokenWindow) -> MatchingCharacter | None:
    """Strategy FirstLet: the characters are the first characters of the last tokens of the window."""
    begin = len(window.tokens) - len(characters)
    if begin < 0:
        return None
    tokens = window.tokens[begin:]
    if any(token[0] != character for token, character in zip(tokens, characters, strict=True)):
        return None
    return MatchingCharacter(window.starts[begin], begin, True, True)


def align(characters: str, window: TokenWindow, strategy: Strategy) -> MatchingCharacter | None:
    """The position of the first character in the first alignment that the strategy accepts; None if there is none.

    `characters`: the folded letters and digits of a short form. Alignments are tried from right to left, nearest
    first (Sohn et al. 2008). A partial alignment that failed is not tried again, so the time is bounded by the product
    of the lengths.
    """
    places = [window.hits(character) for character in characters]
    places[0] = tuple(hit for hit in places[0] if hit.start)
    if not all(places):
        return None
    return _Search(places, window, strategy).place(len(places) - 1, None, 0)


# Properties of a partial alignment.
_BEGUN, _WIDE, _INSIDE, _BEHIND, _TOUCHING = 1, 2, 4, 8, 16


class _Search:
    __slots__ = ("_end", "_failed", "_places", "_strategy", "_wanted", "_window")

    def __init__(self, places: list[tuple[MatchingCharacter, ...]], window: TokenWindow, strategy: Strategy) -> None:
        self._places = places
        self._window = window
        self._strategy = strategy
        self._end = MatchingCharacter(len(window.text) + 1, len(window.tokens), True, True)
        self._failed: set[tuple[int, int, int]] = set()
        self._wanted = (
            (_WIDE if strategy.widest else 0)
            | (_INSIDE if strategy.inside else 0)
            | (_BEHIND if strategy.behind_mark else 0)
            | (_TOUCHING if strategy.touching else 0)
        )

    def place(self, index: int, right: MatchingCharacter | None, shown: int) -> MatchingCharacter | None:
        """Place characters `index`, `index - 1`, ... 0 to the left of `right`; return the position of character 0."""
        strategy = self._strategy
        right = right or self._end
        reach = right.token - 1 - strategy.gap
        for hit in self._places[index]:
            if hit.position >= right.position:
                continue
            if hit.token < reach:
                break
            if strategy.starts and not hit.start:
                continue
            after = self._after(hit, right, shown)
            if after is None:
                continue
            if index == 0:
                if after & self._wanted == self._wanted and (after & _BEGUN or not strategy.begun):
                    return hit
                continue
            key = (index, hit.position, after)
            if key in self._failed:
                continue
            placed = self.place(index - 1, hit, after)
            if placed is not None:
                return placed
            self._failed.add(key)
        return None

    def _after(self, hit: MatchingCharacter, right: MatchingCharacter, shown: int) -> int | None:
        """The properties of the alignment with `hit`; None if the strategy does not allow it."""
        strategy, window = self._strategy, self._window
        if hit.token != right.token:
            if strategy.begun and right is not self._end and not shown & _BEGUN:
                return None
            shown &= ~_BEGUN
            gap = right.token - hit.token - 1
            if gap:
                if strategy.stops and not all(map(window.is_stop, range(hit.token + 1, right.token))):
                    return None
                if gap >= strategy.widest:
                    shown |= _WIDE
        if strategy.words and not hit.first and not window.ends_in_word(hit):
            return None
        if hit.start:
            shown |= _BEGUN if hit.first else _BEGUN | _BEHIND
        else:
            shown |= _INSIDE
        if hit.position + 1 == right.position:
            shown |= _TOUCHING
        return shown


# The published table of pseudo-precisions, as in the program's public-domain file (145 entries). A value estimates how
# often a strategy that succeeds does not succeed by chance. It was computed without labels, from windows with shuffled
# words.
_TABLE = {
    "Al1": """
        FirstLetOneChSF 0.967224
    """,
    "Al2": """
        FirstLet 0.99818  FirstLetGen 0.994292  WithinWrdFWrd 0.989054  FirstLetGenStp 0.970019  ContLet 0.96935
        WithinWrdFLet 0.941981  FirstLetGenSkp 0.949988  WithinWrdFWrdSkp 0.947364  ContLetSkp 0.877216
        WithinWrdWrd 0.74768  WithinWrdFLetSkp 0.640805
    """,
    "Al3": """
        FirstLet 0.999808  FirstLetGen 0.999408  FirstLetGenS 0.998732  WithinWrdFWrd 0.997824
        FirstLetGenStp 0.997839  FirstLetGenStp2 0.997264  FirstLetGenSkp 0.988583  ContLet 0.987697
        WithinWrdFWrdSkp 0.981107  WithinWrdFLet 0.981322  ContLetSkp 0.968185  WithinWrdWrd 0.9437
        WithinWrdFLetSkp 0.904799  WithinWrdLet 0.663735  AnyLet 0.303503
    """,
    "Al4": """
        FirstLet 0.999964  FirstLetGen 0.99993  FirstLetGenS 0.999811  WithinWrdFWrd 0.999616
        FirstLetGenStp 0.999868  FirstLetGenStp2 0.999948  FirstLetGenSkp 0.998534  ContLet 0.992792
        WithinWrdFWrdSkp 0.997097  WithinWrdFLet 0.992955  ContLetSkp 0.985568  WithinWrdWrd 0.995823
        WithinWrdFLetSkp 0.976873  WithinWrdLet 0.917863  AnyLet 0.696532
    """,
    "Al5": """
        FirstLet 0.999979  FirstLetGen 0.999979  FirstLetGenS 0.999913  WithinWrdFWrd 0.999928
        FirstLetGenStp 0.999989  FirstLetGenStp2 0.999887  FirstLetGenSkp 0.999852  ContLet 0.997596
        WithinWrdFWrdSkp 0.999602  WithinWrdFLet 0.997473  ContLetSkp 0.989703  WithinWrdWrd 0.999812
        WithinWrdFLetSkp 0.986066  WithinWrdLet 0.889324  AnyLet 0.73859
    """,
    "Num2": """
        ContLet 0.975372  ContLetSkp 0.96617  WithinWrdFWrdSkp 0.988426  FirstLetGen2 0.909995
        FirstLetGenStp 0.856401  FirstLetGenSkp 0.858132  WithinWrdFWrd 0.726155  WithinWrdFLetSkp 0.607829
        WithinWrdFLet 0.493922
    """,
    "Num3": """
        FirstLetGen2 0.998497  WithinWrdFWrd 0.99964  FirstLetGenStp 0.998807  FirstLetGenStp2 0.991256
        FirstLetGenSkp 0.991202  ContLet 0.996938  WithinWrdFWrdSkp 0.998821  WithinWrdFLet 0.985676
        ContLetSkp 0.995076  WithinWrdWrd 0.999245  WithinWrdFLetSkp 0.971123  WithinWrdLet 0.819989
        AnyLet 0.797932
    """,
    "Num4": """
        FirstLetGen2 0.99992  WithinWrdFWrd 0.999835  FirstLetGenStp 0.999903  FirstLetGenStp2 0.999936
        FirstLetGenSkp 0.999577  ContLet 0.999555  WithinWrdFWrdSkp 0.999885  WithinWrdFLet 0.9975
        ContLetSkp 0.998578  WithinWrdWrd 0.997703  WithinWrdFLetSkp 0.996501  WithinWrdLet 0.986326
        AnyLet 0.953126
    """,
    "Num5": """
        FirstLetGen2 0.999987  WithinWrdFWrd 0.999922  FirstLetGenStp 0.99998  FirstLetGenStp2 1
        FirstLetGenSkp 0.999901  ContLet 0.999613  WithinWrdFWrdSkp 0.999937  WithinWrdFLet 0.999386
        ContLetSkp 0.999312  WithinWrdWrd 1  WithinWrdFLetSkp 0.998939  WithinWrdLet 0.996068  AnyLet 0.986193
    """,
    "Spec2": """
        FirstLetGen2 0.854368  FirstLetGenStp 0.664622  FirstLetGenSkp 0.657475
    """,
    "Spec3": """
        FirstLetGen2 0.978311  FirstLetGenStp 0.977779  FirstLetGenStp2 0.929197  WithinWrdFWrd 0.930654
        ContLet 0.923911  FirstLetGenSkp 0.904086  WithinWrdFWrdSkp 0.893989  ContLetSkp 0.851583
        WithinWrdFLet 0.712331  WithinWrdFLetSkp 0.64667  WithinWrdWrd 0.428
    """,
    "Spec4": """
        FirstLetGen2 0.99278  FirstLetGenStp 0.98597  FirstLetGenStp2 0.982127  WithinWrdFWrd 0.997649
        ContLet 0.980869  FirstLetGenSkp 0.944843  WithinWrdFWrdSkp 0.985685  ContLetSkp 0.973983
        WithinWrdFLet 0.992773  WithinWrdFLetSkp 0.863247  WithinWrdWrd 0.931745  WithinWrdLet 0.418068
        AnyLet 0.223562
    """,
    "Spec5": """
        FirstLetGen2 0.999701  FirstLetGenStp 0.9999  FirstLetGenStp2 0.999757  WithinWrdFWrd 0.999517
        ContLet 0.994648  FirstLetGenSkp 0.997065  WithinWrdFWrdSkp 0.998513  ContLetSkp 0.992445
        WithinWrdFLet 0.996623  WithinWrdFLetSkp 0.978026  WithinWrdWrd 0.996879  WithinWrdLet 0.862993
        AnyLet 0.745608
    """,
}

TRIALS: dict[str, tuple[tuple[str, float], ...]] = {
    name: tuple(zip(row.split()[::2], map(float, row.split()[1::2]), strict=True)) for name, row in _TABLE.items()
}
"""The strategies for each group of short forms, in the order of trial, with their pseudo-precisions."""

MOVED = "Moved"
NESTED = "Nested"
NOTATION = "Notation"
ROTATED = "Rotated"
SYSTEMATIC = "Systematic"
ADDED = {
    "Concentration": 0.83,
    "Formula": 0.75,
    "Greek": 0.75,
    "Elements": 0.80,
    "Hydroxy": 0.80,
    MOVED: 0.75,
    NESTED: 0.67,
    NOTATION: 0.90,
    "Numbers": 0.73,
    "Repeated": 0.67,
    ROTATED: 0.88,
    SYSTEMATIC: 0.75,
    "Suffix": 0.67,
    "Wide": 0.63,
}
"""The scores of rewritings: (correct + 1) / (found + 2) over both gold corpora (docs/measurements/abbreviations.md).

Greek, Moved and Systematic do not occur in the corpora. Their values are guesses between the others. Notation was
counted over 100 full texts.
"""


def group(short_form: str) -> str:
    """The group of a short form: its kind (letters only, with digits, with other characters) and its length.

    >>> group("DHA"), group("IL-10"), group("TNF-a"), group("NF kB")
    ('Al3', 'Num5', 'Spec5', 'Spec5')
    """
    kind = "Al" if short_form.isalpha() else "Num" if any(map(str.isdigit, short_form)) else "Spec"
    return f"{kind}{min(len(short_form), 5)}"
