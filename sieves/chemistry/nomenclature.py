"""Systematic names in their parts: locants, multipliers, substituents, parent and suffix, stereo descriptors.

Source: IUPAC, Nomenclature of Organic Chemistry, Recommendations 2013 (P-14 locants, multipliers and order; P-29 and
P-6 substituents; P-91 stereo descriptors). Different spellings of a part (`isopropyl`, `mercapto`, `p-`) become one.

Names are not parsed completely: what is no known part stays as it is. That is enough to compare two names.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from sieves.lexicon.keys import natural_order, relaxed, tidy

_SAME = {
    "hydroxyl": "hydroxy", "mercapto": "sulfanyl", "sulfhydryl": "sulfanyl", "thio": "sulfanyl", "keto": "oxo",
    "carbomethoxy": "methoxy carbonyl", "carboethoxy": "ethoxy carbonyl", "anilino": "phenyl amino",
    "benzyl": "phenyl methyl", "phenethyl": "phenyl ethyl", "methanesulfonyl": "methyl sulfonyl",
    "methanesulfon": "methyl sulfon", "guanyl": "amidino", "ethanesulfonyl": "ethyl sulfonyl",
    "benzenesulfonyl": "phenyl sulfonyl", "tosyl": "methyl phenyl sulfonyl", "mesyl": "methyl sulfonyl",
    "propionyl": "propanoyl", "butyryl": "butanoyl", "propion": "propan", "butyric": "butanoic",
    "valeric": "pentanoic", "valeryl": "pentanoyl", "caproic": "hexanoic", "propan-2-yl": "isopropyl",
    "1-methylethyl": "isopropyl", "1,1-dimethylethyl": "tert-butyl", "t-butyl": "tert-butyl",
    "tertbutyl": "tert-butyl", "aminocarbonyl": "carbamoyl", "methoxyl": "methoxy", "ethoxyl": "ethoxy",
    "sulfuryl": "sulfonyl", "carbonitrile": "nitrile", "ethinyl": "ethynyl", "vinyl": "ethenyl",
    "allyl": "2-propenyl", "amyl": "pentyl", "nonoxy": "nonyloxy", "phenoxy": "phenyl oxy", "acetyloxy": "acetoxy",
}  # fmt: skip
"""Spellings of a part, and the parts (joined by blanks) that stand for them."""
_SUBSTITUENTS = (
    "acetamido acetoxy acetyl acryl allyl amidino amino aza azido azo benzoyl benzyl bromo butenyl butoxy "
    "butyl carbamoyl carbonyl carboxy chloro cyano cyclobutyl cyclohexyl cyclopentyl cyclopropyl cyclo decyl "
    "deoxy deaza dehydro ethenyl ethoxy ethyl ethylene ethynyl fluoro formyl furanyl furyl guanidino heptyl "
    "hexyl hydrazino hydro hydroxy imidazolyl imino indolyl iodo isobutyl isopropyl methoxy methyl methylene "
    "morpholino naphthyl nitro nitroso nonyl nor octyl oxa oxo oxy pentyl phenyl phosphono phospho piperazinyl "
    "piperidinyl piperidino propenyl propoxy propyl propynyl pyridinyl pyridyl pyrimidinyl pyrrolidinyl "
    "sulfanyl sulfinyl sulfonyl sulfon sulfo thia thiazolyl thienyl tert-butyl sec-butyl ureido undecyl "
    "dodecyl"
)
"""Prefixes; their locants belong to them."""
_WORDS = (
    "methan ethan propan butan pentan hexan heptan octan nonan decan dodecan tetradecan hexadecan octadecan "
    "eicosan triazol tetrazol triazin diazepin dioxan dioxolan pentadien hexadien butadien benzen pyridin "
    "pyrimidin pyrazin piperidin piperazin pyrrolidin naphthalen quinolin indol imidazol thiazol oxazol furan "
    "thiophen tetrazolium diazonium pyrrol anthraquinon quinon phenol anilin benzoic benzamid acetamid acetic "
    "pentanoic hexanoic butanoic propanoic octanoic pentanoyl hexanoyl butanoyl propanoyl octanoyl tetradec "
    "hexadec octadec decanoic dodec carboxylic carboxamid carbaldehyd nitrile sulfonic sulfonamid phosphonic "
    "amide amine ester acid"
)
"""Parents and suffixes, without a final e."""
_COUNTS = {
    "mono": 1, "di": 2, "bis": 2, "tri": 3, "tris": 3, "tetra": 4, "tetrakis": 4, "penta": 5, "hexa": 6, "hepta": 7,
    "octa": 8, "nona": 9, "deca": 10,
}  # fmt: skip
_SUFFIXES = "ol|one|al|thiol|amine|amide|imine|nitrile|yl|oic|carboxylic|carboxamid|ene|yne"
"""Suffixes that multipliers stand before (`diol`, `dione`)."""

_KNOWN = sorted({*_SAME, *_SUBSTITUENTS.split(), *_WORDS.split()}, key=lambda word: (-len(word), word))
_PART = "|".join(map(re.escape, _KNOWN))
_IS_SUBSTITUENT = frozenset({*_SUBSTITUENTS.split(), "2-propenyl"})
_COUNT = "|".join(sorted(_COUNTS, key=len, reverse=True))
_STEREO = re.compile(
    r"\((?:\+/?-?|-|±|rac|\d*[a-z]?'?[RSEZrs]\*?(?:[,-]\d*[a-z]?'?[RSEZrs]\*?)*)\)-?"
    r"|(?<![A-Za-z])(?:cis|trans|rac|meso|threo|erythro|endo|exo|DL|[DL]|dl|[dl])-(?=[A-Za-z(\d])"
    r"|(?<=\d)[ -]?(?:alpha|beta)(?![A-Za-z]*ine\b)-?|(?<![A-Za-z])(?:alpha|beta)-(?=[A-Za-z(])"
)
_ORTHO = tuple(
    (re.compile(rf"(?<![A-Za-z])(?:{short}-(?=[a-z(])|{long}-?(?=[a-z]{{3}}))"), f"{place}-")
    for short, long, place in (("o", "ortho", 2), ("m", "meta", 3), ("p", "para", 4))
)
_ESTER = re.compile(r"(.+ acid),? ((?:[\w(),'-]+yl) )ester")
_LOCANT = r"(?:\d+[a-z]?|[NOSCP](?![a-z]))'*(?:\(\d+\))?"
_TOKEN = re.compile(
    rf"(?P<locants>{_LOCANT}(?:[,:] ?{_LOCANT})*)(?![a-z])"
    rf"|(?P<count>{_COUNT})(?=-?\(?(?:{_PART}|{_SUFFIXES}))"
    rf"|(?P<part>{_PART})|(?P<other>[a-z])|(?P<gap>[^a-z])"
)
_ENDS = (("ic acid", "ate"), ("ic acids", "ate"))
_SHORTEST = 10
_LONGEST = 250
_FEWEST = 2


@dataclass(frozen=True, slots=True, order=True)
class NamePart:
    """A part of a name: `count` of it (multiplier), at `locants` (sorted; empty if the name has none for it)."""

    name: str
    count: int = 1
    locants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SystematicName:
    """The parts of a name, sorted. `others`: letters that are no known part, in the order of the name.

    `free`: locants that stand before no substituent. `stereo`: stereo descriptors, sorted.
    """

    parts: tuple[NamePart, ...]
    others: tuple[str, ...]
    free: tuple[str, ...]
    stereo: tuple[str, ...]

    @property
    def skeleton(self) -> str:
        """The same for names that differ in order, locants and stereo descriptors only."""
        return " ".join([*(f"{part.count}{part.name}" for part in self.parts), *sorted(self.others)])


def parts_of(text: str) -> SystematicName | None:
    """The parts of a name; None if it is too short, too long, or has fewer than two parts of a systematic name.

    >>> [part.name for part in parts_of("2-chloro-4-nitrophenol").parts]
    ['chloro', 'nitro', 'phenol']
    >>> parts_of("1,2-propanediol") == parts_of("propane-1,2-diol")
    True
    """
    if not _SHORTEST <= len(text) <= _LONGEST:
        return None
    stereo, written = _without_stereo(text)
    counted: Counter[tuple[str, int, tuple[str, ...]]] = Counter()
    others: list[str] = []
    free: list[str] = []
    locants: list[str] = []
    count, last = 1, 0
    for token in _TOKEN.finditer(written):
        kind = token.lastgroup
        if kind == "locants":
            free += locants
            locants, count = re.split(r"[,:] ?", token[0]), 1
        elif kind == "count":
            count = _COUNTS[token[0]]
        elif kind == "part":
            names = _SAME.get(token[0], token[0]).split()
            at = tuple(sorted(locants)) if names[0] in _IS_SUBSTITUENT else ()
            free += [] if at else locants
            for name in names:
                counted[name, count, at if name == names[0] else ()] += 1
            locants, count = [], 1
        elif kind == "other":
            if others and last == token.start():
                others[-1] += token[0]
            else:
                others.append(token[0])
            last = token.end()
    free += locants
    parts = tuple(sorted(NamePart(name, n * times, at) for (name, n, at), times in counted.items()))
    if len(parts) + bool(free or any(part.locants for part in parts)) < _FEWEST or not parts:
        return None
    return SystematicName(parts, tuple(filter(None, map(_stem, others))), tuple(sorted(free)), stereo)


def _without_stereo(text: str) -> tuple[tuple[str, ...], str]:
    """The stereo descriptors, and the name in small letters without them (locants N, O, S keep their capitals)."""
    name = tidy(text)
    name = re.sub("[α-ωΑ-Ω]", lambda letter: relaxed(letter[0]), natural_order(name) or name)
    ester = _ESTER.fullmatch(name)
    name = f"{ester[2]}{ester[1]}" if ester is not None else name
    stereo = tuple(sorted(match.strip("()- ").lower() for match in _STEREO.findall(name)))
    name = _STEREO.sub("", name)
    for pattern, place in _ORTHO:
        name = pattern.sub(place, name)
    kept = re.sub(r"[A-Z](?![,'\-(\d])|(?<=[A-Za-z])[A-Z]", lambda letter: letter[0].lower(), name)
    kept = kept.replace("sulph", "sulf")
    for old, new in _ENDS:
        kept = kept.removesuffix(old) + new if kept.endswith(old) else kept
    return stereo, kept


def _stem(letters: str) -> str:
    """Letters that are no known part, without a final e, which disappears before a suffix."""
    return letters.removesuffix("e") if len(letters) > 1 else "" if letters == "e" else letters


def similarity(name: SystematicName, other: SystematicName) -> float:
    """How alike the parts of two names with the same skeleton are, 0 to 1. 0 if locants or descriptors contradict.

    Each part counts 1 if its locants are the same, and 0.5 if one of the names does not state them.
    """
    if name.skeleton != other.skeleton or _contradict(name.stereo, other.stereo):
        return 0.0
    values = [1.0] * (len(name.others) or 1)
    if sorted(_places(name)) != sorted(_places(other)):
        for left, right in zip(name.parts, other.parts, strict=True):
            if (left.name, left.count) != (right.name, right.count) or _contradict(left.locants, right.locants):
                return 0.0
            values.append(1.0 if left.locants == right.locants else 0.5)
        if name.free != other.free:
            if name.free and other.free:
                return 0.0
            values.append(0.5)
    elif [part for part in name.parts if len(part.locants) == 1] != [p for p in other.parts if len(p.locants) == 1]:
        return 0.0
    values += [1.0] * len(name.parts)
    if name.stereo != other.stereo:
        values.append(0.5)
    return sum(values) / len(values)


def _places(name: SystematicName) -> list[str]:
    """All locants of a name."""
    return [*name.free, *(locant for part in name.parts for locant in part.locants)]


def _contradict(first: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return bool(first) and bool(other) and first != other
