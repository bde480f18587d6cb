"""Where the name of a chemical means something else: suppliers, persons, products, places, studies, planets, idioms.

`(Waters, Milford, MA, USA)`, `Gold et al.`, `Gold C, Lead H.`, `Silver Spring`, `the IRON trial`, `iron curtain`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from corpora.model.document import Span
from corpora.words.english import word_counts
from sieves.chemistry.elements import ELEMENTS

_WORD = r"[A-Z][\w&.'’-]*"
_NAME = rf"{_WORD}(?: (?:(?:and|of|&) )?{_WORD}){{1,4}}"
_TOWN = rf"{_WORD}(?: {_WORD}){{0,2}}"
_STATE = (
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]"
    r"|W[AIVY])(?![\w-])"
)
_COUNTRY = (
    r"(?:USA|U\.S\.A|UK|U\.K|United (?:States|Kingdom)|England|Scotland|Germany|Japan|China|P\. ?R\. ?China|France"
    r"|Switzerland|Sweden|Italy|Australia|Canada|India|Israel|Spain|Denmark|(?:The )?Netherlands|Belgium|Austria"
    r"|(?:South )?Korea|Taiwan|Brazil|Finland|Norway|Ireland|Poland|Czech Republic|Hungary|Portugal|New Zealand)(?!\w)"
)
_PLACE = re.compile(rf", (?:{_STATE}|{_COUNTRY})")
_IN_STATE = rf"{_TOWN}, {_STATE}"
_SUPPLIERS = re.compile(
    rf"(?=[A-Z])(?:(?<=[(\[])|(?<=[,;:] )|(?<=from )|(?<=by )|(?<=all ))"
    rf"(?:{_NAME}(?:, {_TOWN})?(?:, {_STATE})?, (?:{_STATE}|{_COUNTRY})"
    rf"|(?<=from )(?:{_NAME}|[A-Z][a-z]{{3,}}) \((?:{_IN_STATE}|{_TOWN}, {_COUNTRY})"
    rf"|[A-Z][a-z]+, (?:{_IN_STATE}|{_COUNTRY})"
    rf"|(?<=\(){_TOWN}, {_STATE}, {_COUNTRY})"
)


def suppliers_in(text: str) -> list[Span]:
    """The spans of the names and places of suppliers: `(Waters, Milford, MA, USA)`, `(Agar Scientific, UK)`.

    A name of one word counts only before a country, or before a town with its state: in `(Ethanol, Merck, Germany)` the
    first word is a chemical. After `from` it counts before a place in brackets: `from Waters (Milford, MA)`.

    >>> text = "obtained from Avanti Polar Lipids (Alabaster, AL, USA)"
    >>> [text[start:end] for start, end in suppliers_in(text)]
    ['Avanti Polar Lipids (Alabaster, AL']
    """
    # Few passages have a place, and this search is faster.
    return [match.span() for match in _SUPPLIERS.finditer(text)] if _PLACE.search(text) else []


_SURNAME = r"[A-Z][a-z]{2,20}(?:-[A-Z][a-z]{2,20})?"
_INITIALS = r"[A-Z]{1,3}(?:-[A-Z])?"
_DOTTED = r"(?:[A-Z]\.[ -]?){1,3}"
_AUTHOR = rf"(?:{_SURNAME},? (?:{_INITIALS}|{_DOTTED})|{_DOTTED} ?{_SURNAME})"
_TITLES = (
    "Capt(?:ain)?|Col(?:onel)?|Dame|Drs?|Judge|Justice|Lady|Lord|Miss|Mrs?|Ms|Nurse|Prof(?:essor)?|Rev(?:erend)?"
    "|Senator|Ser(?:gean|jean)t|Sir"
)
_PERSONS = re.compile(
    # All begin with a capital letter; to test this first is three times as fast.
    r"(?=[A-Z])(?:"
    # The authors at the start of a reference, `12. Smith AB, Gold C`; citations; titles.
    rf"(?:^|(?<=\n)|(?<=[\].)\d] )){_AUTHOR}(?:(?:,|;| and| &|, and|, &) {_AUTHOR})+(?=[.,;: ]|$)"
    rf"|(?<![\w-]){_SURNAME},? et al\b"
    rf"|(?<![\w-]){_SURNAME} (?:and|&) {_SURNAME},? \(?(?:19|20)\d\d[a-z]?(?=[;),])"
    rf"|(?<=\(){_SURNAME},? (?:19|20)\d\d(?=[a-z]?[;),])"
    rf"|(?<![\w-])(?:{_TITLES})\.? (?:{_DOTTED} ?)?{_SURNAME}"
    rf"|(?<=\(){_DOTTED} ?{_SURNAME}(?=[),;])"
    # Two persons with initials: after one initial alone a new sentence may begin, `vitamin A. Iron ...`.
    rf"|(?<![\w.-]){_DOTTED} ?{_SURNAME}(?:(?:,|;| and| &|, and) {_DOTTED} ?{_SURNAME})+)"
)
_NAMES = "|".join(sorted(name.upper() for name in ELEMENTS.values()))
_STUDIES = re.compile(
    rf"(?=[A-Z][A-Z-])(?<![\w-])(?:[A-Z]+-)?(?:{_NAMES})(?:-[A-Z\d]{{1,6}})?"
    r"(?= (?:[Cc]ohort|[Rr]egistry|[Ss]tud(?:y|ies)|[Tt]rials?)(?!\w))"
)
_IN_ALLOYS = re.compile(rf"(?<![\w-])(?i:{_NAMES})(?=[- ]steels?(?!\w))")
"""`carbon steel` is a steel; the steel itself is a chemical."""
_CAPITALIZED = "|".join(sorted(name.capitalize() for name in ELEMENTS.values()))
_NAMED = re.compile(rf"(?=[A-Z][a-z])(?<![\w-])(?P<first>[A-Z][a-z]{{2,14}}) (?:[A-Z]\. )?(?:{_CAPITALIZED})(?![\w-])")
"""A person or a product: `Freddie Mercury`, `Hypersil Gold`."""
_RADICAL = re.compile(r"\w+(?:ic|ous|yl)")
_FEW = 150
"""Places in 8,225 open articles. Names are rarer than the words that stand before elements (`Elemental Mercury`)."""
_MOST_CAPITALS = 0.5
"""Share of words with a capital from which a text is a title."""
_LONG_WORD = re.compile(r"(?<![^\W_])[A-Za-z][a-z]{3,}")
_OTHER_PLANETS = "(?:Venus|Earth|Mars|Jupiter|Saturn|Uranus|Neptune)"
_PLANETS = re.compile(
    rf"(?<![\w-])Mercury(?=(?:,|,? and|,? or) {_OTHER_PLANETS})|(?<=planet )Mercury"
    rf"|(?<![\w-]){_OTHER_PLANETS}(?:,|,? and|,? or) Mercury(?![\w-])"
)
_ORGANISMS = re.compile(
    r"(?=[GSWsw])(?<![\w-])(?:(?i:sugar[ -]?beets?|salt ?cedars?|silver (?:birch(?:es)?|eels?|firs?|maples?|perch)"
    r"|water (?:beetles?|boatm[ae]n|lil(?:y|ies)|mites?|mou?lds?|scorpions?|shrews?|striders?|voles?))(?!\w)"
    r"|Glycine (?:(?:canescens|clandestina|gracilis|soja|tabacina|tomentella)(?!\w)|spp?\.))"
)
"""Names of organisms that MeSH does not have."""
_FRUITS = re.compile(
    r"(?=[Ll]ime)(?<![\w-])(?i:limes(?!\w)|(?<=lemons and )lime|(?<=lemon and )lime|lime(?= (?:juice|peels?|fruits?)))"
)
_COLOURS = re.compile(
    r"(?=[DLPdlp])(?i:(?<![\w-])(?:dark|light|pale) (?:blue|green|red|yellow))(?!\w| (?:SF|stain|dye))"
)
_BONDS = re.compile(
    r"(?=[CNOPS])(?<![\w-])(?:[CNOPS]\d{0,2}'?[-‐‑–=≡]H|[CNOPS]\d{0,2}'?[=≡][CNOPS]\d{0,2}'?"
    r"|[NOPS]\d{1,2}'?[-‐‑–][CNOPS]\d{1,2}'?|C\d{1,2}'?[-‐‑–][NOPS]\d{1,2}'?"
    r"|[CNOPS](?:[-‐‑–][CNOPS]){1,2}(?= (?:bond|linkage|stretch|vibration)))(?![\w-])"
)
"""Bonds, and atoms at two positions of a molecule: `C-H`, `N9-C1`. CHEMDNER marks them, NLM-Chem does not.

`C10-C16` is a range of chains, and `C-N metabolism` is that of two elements.
"""
_GIVEN_NAMES = "Er|Hao|He|Ho|Li|Lu|Mo|Na|Ni|Os|Pu|Ru|Si|Sm|Ti|Tm|Yb"
_CHINESE_NAMES = re.compile(
    rf"(?<![\w-])(?:{_GIVEN_NAMES}) (?:Chen|Gao|Guo|Hu|Huang|Liu?|Lin|Luo|Ma|Sun|Wang|Wu|Xu|Yang|Zhang|Zhao|Zhou|Zhu)"
    r"(?![\w-])"
)
_NUMBERED_LABELS = re.compile(
    r"(?<![\w-])(?:(?:[Dd]ata(?:sets?)?|[Ff]igs?\.?|[Ff]igures?|[Ff]iles?|[Mm]ovies?|[Tt]ables?|[Tt]exts?) "
    r"S\d{1,2}[A-Za-z]?(?:(?:, | and |, and |[-–])S?\d{1,2}[A-Za-z]?)*"
    r"|(?:TLA|TLS|SW|Ti)[- ]?\d{2,3}(?:\.\d)?(?:[- ]?Ti)?(?= (?:fixed[- ]angle |swinging[- ]bucket )?rotors?))(?!\w)"
)
"""A part of the supplement, a rotor of a centrifuge."""
_GEOGRAPHY = (
    "Bay|Beach|Butte|Canyon|City|Coast|County|Creek|Falls|Gulch|Harbou?r|Hills?|Islands?|Lakes?|Mountains?|Park|Ridge"
    "|Rivers?|Springs?|Street|Valley"
)
_PLACES = re.compile(rf"(?=[A-Z][a-z])(?<![\w-])[A-Z][a-z]{{1,15}} (?:{_GEOGRAPHY})(?!\w)")
_ORGANIZATIONS = re.compile(
    r"(?=[A-Z][a-z])(?<![\w-])(?:[A-Z][a-z]+ ){1,3}(?:Academy|Association|Biosciences?|Biotech\w*|College|Corporation"
    r"|Council|Foundation|Fund|GmbH|Hospital|Inc|Institute|LLC|Laborator(?:y|ies)|Ltd|Ministry|Museum"
    r"|Pharma(?:ceuticals?)?|School|Scientific|Society|Technologies|Therapeutics|Trust|University|Co\.,? Ltd)(?!\w)"
)
_EMPTY_CELLS = re.compile(r"(?<=\t)N[ADRST](?=[\t\n]|$)")
"""What tables have in place of a value. The first row has names."""
_NOT = "[:=,]? (?:data )?no[nt][ -]"
_NO_VALUES = re.compile(
    rf"(?=N)(?<![\w-])N(?:A(?={_NOT}(?:an?alys|appli|assess|avail))|D(?={_NOT}(?:detec|deter|done))|R(?={_NOT}re)|S(?={_NOT}si)"
    rf"|T(?={_NOT}te))"
)
"""The note of a table that explains it: `NA: data not available`."""
_GRADE = "(?:bronze|gold|platinum|silver)"
"""Metals that are grades and prizes."""
_IDIOMS = re.compile(
    r"(?=[bcdghilnprstwz])(?<![\w-])(?:bronze age|carbon (?:cop(?:y|ies)|footprints?)|cast[ -]iron|copper beech"
    r"|don['’]t|gold(?: coins?| diggers?| mines?| rush|[ -]standards?)"
    r"|(?:copper-bottomed|iron-?(?:clad|fisted|willed)|lead-footed|neon-lit|silver-tongued|tin-?pot)"
    r"|I/O|S[:/]N|(?:heart|pot)s? of gold|(?:strik(?:es?|ing)|struck) gold|weight in gold"
    r"|iron (?:age|curtain|fist|grip|horse|lad(?:y|ies)|lungs?|maiden|m[ae]n|rule)"
    r"|(?:while|when) the iron is hot|irons? in the fire"
    r"|radon transforms?|pump(?:s|ed|ing)? iron(?! (?:across|from|in|into|out|through|to)\b)"
    r"|neon (?:lights?|signs?|tetras?)|nerves of steel|nickel and dime|platinum blondes?"
    r"|salt (?:and pepper|flats?|lakes?|marsh(?:es)?|of the earth)|(?:grain|pinch) of salt"
    r"|worth (?:his|her|its|their) salt|(?:German|nickel) silver"
    r"|silver (?:age|bullets?|carp|economy|fox(?:es)?|jubilee|linings?|screen|spoon|standard|surfers?|tongue"
    r"|tsunami)"
    r"|tin (?:cans?|drum|ears?|gods?|hats?|m[ae]n|pan|soldiers?)|zinc (?:fingers?|whiskers)"
    rf"|{_GRADE}[ -](?:awards?|cards?|cups?|level(?= (?:insurance|member|plan|sponsor|status))"
    r"|medals?|medall?ists?|members?(?:hip)?|open access|plans?|prizes?|ratings?|sponsors?|stars?|tiers?"
    r"|troph(?:y|ies)))(?!\w)",
    re.IGNORECASE,
)
"""Compounds and idioms of general dictionaries in which the name of an element or a substance has another meaning."""
_DOSING = re.compile(
    r"(?<=\d)[  ]?(?:[mµμ]?c?g|IU|m[lL]|U|tab\w*|caps?\w*) (?:BD|BID|OD|PRN|QDS?|QID|TDS|TID)(?![\w-])"
)
"""How often a dose is taken: `500 mg TDS`."""
_PRIZE = rf"(?:(?:an?|the|individual|Olympic|team) ){{0,2}}{_GRADE}(?:(?:, | and | or |, and ){_GRADE})*"
_FOR_ITSELF = (
    r"(?=$|[.,;:!?)]| (?:after|again|ahead|and|as|at|before|behind|but|by|during|for|from|in|last|on|or|this|to|twice"
    r"|when|while|with)(?!\w))"
)
"""What follows a prize. After the metal a noun may follow: `aim for gold nanoparticles`."""
_PRIZES = re.compile(
    r"(?<![\w-])(?:(?:aim|battl|compet|contend|fight|go|play|rac|row|shoot|skat|ski|swim|train|vy)(?:e?s|ed?|m?ing)?"
    rf"|bids?|fought|ran|running|runs|shot|swam|vied?|went) for {_PRIZE}{_FOR_ITSELF}"
    rf"|(?<![\w-])w(?:on|ins?|inning) {_PRIZE}{_FOR_ITSELF}",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    r"(?<![\w-])(?:bag(?:s|ged)|claim(?:s|ed|ing)|clinch(?:es|ed)|earn(?:s|ed|ing)|secur(?:es|ed|ing)|tak(?:es?|ing)|took)"
    rf" {_PRIZE}{_FOR_ITSELF}",
    re.IGNORECASE,
)
_CONTEST = re.compile(
    r"(?<!\w)(?:athletes?|awards?|champions?(?:hips?)?|competitors?|finals?|Games|marathons?|medals?|Olympi\w+|races?|rowers?"
    r"|runners?|skaters?|sprint(?:s|ers?)?|swimmers?|teams?|tournaments?|troph(?:y|ies))(?!\w)"
)
"""A text about a contest, in which what is taken may be a prize and not a drug."""


def no_chemicals_in(text: str) -> list[Span]:
    """The spans of a text inside which no name means a chemical: suppliers, persons, places, studies, idioms.

    >>> text = "Gold et al. used the gold standard in Silver Spring."
    >>> [text[start:end] for start, end in no_chemicals_in(text)]
    ['Gold et al', 'gold standard', 'Silver Spring']
    """
    # Few passages name the planet, and this search is faster.
    planets = (_PLANETS,) if "Mercury" in text else ()
    prizes = (_PRIZES, _TAKEN) if _CONTEST.search(text) else (_PRIZES,)
    alloys = (_IN_ALLOYS,) if "steel" in text else ()
    patterns = (
        *(_PERSONS, _CHINESE_NAMES, _PLACES, _ORGANIZATIONS, _STUDIES, _DOSING, _NUMBERED_LABELS, _BONDS),
        *(_ORGANISMS, _FRUITS, _COLOURS, *planets, *alloys, _IDIOMS, *prizes, _NO_VALUES),
    )
    found = [*suppliers_in(text), *(match.span() for pattern in patterns for match in pattern.finditer(text))]
    if "\n" in text:
        found += (match.span() for match in _EMPTY_CELLS.finditer(text, text.index("\n")))
    for match in _NAMED.finditer(text):
        first = match["first"]
        is_rare = word_counts().get(first.lower(), 0) < _FEW and not _RADICAL.fullmatch(first)
        if is_rare and not is_title(text, match.span()):
            found.append(match.span())
    return sorted(found)


_LABEL_JOIN = r"(?:, ?(?:and |or )?| and | or | to | ?[-–/&] ?)"
_TWO_LETTERS = "|".join(symbol for symbol in ELEMENTS if len(symbol) == 2)
_FORMULA_LIKE = rf"(?!CO|NO|R[be]|SO)(?:{_TWO_LETTERS}|[BCFHKNOPSUVWY]{{2}})"
_SERIES = re.compile(rf"(?=[A-Z][A-Za-z]1)(?<![\w-])(?P<stem>{_FORMULA_LIKE})1(?:{_LABEL_JOIN}(?P=stem)?\d)+(?![\w+-])")
"""Labels that look like formulae, counted from 1: `models Cu1, Cu2 and Cu3`. `Rb1` and `Re1` are saponins."""


def label_stems(texts: Iterable[str]) -> frozenset[str]:
    """The letters of the labels that the texts of one article count: `CS` of `cases CS1, CS2 and CS3`."""
    return frozenset(match["stem"] for text in texts for match in _SERIES.finditer(text))


def is_title(text: str, span: Span) -> bool:
    """Whether most words of a text beside this span have a capital, or it has no other words."""
    words = [*_LONG_WORD.findall(text, 0, span[0]), *_LONG_WORD.findall(text, span[1])]
    return not words or sum(word[0].isupper() for word in words) >= len(words) * _MOST_CAPITALS


def is_inside(span: Span, others: Sequence[Span]) -> bool:
    """Whether a span lies in one of the others."""
    return any(start <= span[0] and span[1] <= end for start, end in others)
