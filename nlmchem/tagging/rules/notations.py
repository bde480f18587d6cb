"""Chemicals that their notation shows: vitamins, isotopes, fatty acids, formulae of salts, lists of elements.

Models miss some of them in short texts, or mark a part. A span of this notation replaces the spans inside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from corpora.model.document import Span
from corpora.words.short_texts import cached
from nlmchem.tagging.inference.spans import MOST, PassageSpans, ScoredSpan
from nlmchem.tagging.rules.boundaries import RESIDUES
from sieves.chemistry.elements import ELEMENTS, METALS, RADIOACTIVE, STABLE, label, labels
from sieves.chemistry.formulae import NUMBERED, salts
from sieves.chemistry.lipids import SPECIES, is_species
from sieves.chemistry.variants import COUNTED_SALT, GRADED
from sieves.lexicon.keys import plain

_SEPARATOR = r"(?:, ?(?:and |or )?| and | or | & |/)"
_LETTER = r"(?:[ACE]|B(?:-?(?:12|[1235679])|\((?:12|[1-9])\))?|D(?:-?[23]|\([23]\))?|K(?:-?[1-3]|\([1-3]\))?)"
_END = r"(?![\w+-]|\. [a-z]| (?:cells?|lymphocytes?|coli)\b)"
_VITAMINS = re.compile(
    rf"(?<![\w-])(?:[Vv]itamins?|VITAMINS?|[Vv]its?\.?)[ -]?{_LETTER}(?!\w)(?:{_SEPARATOR}{_LETTER}{_END})*"
)
_CARBONS = r"\d{1,2}:\d{1,2}"
_CHAINS = re.compile(r"\d:\d")
_PLACE = r"(?:n|ω)[-‐‑–−]?\d{1,2}"
_DERIVED = r" (?:alcohol|aldehyde|alkane|alkene|diol)s?| (?:\d{1,2}-)?(?:OH|[Hh]ydroxy) (?:fatty )?acids?"
"""With these words, a notation of carbons is no fatty acid: `C24:0 alcohol`, `C16:0 2-OH acid`."""
_FATTY_ACIDS = re.compile(
    rf"(?<![\w.:-])(?:C?{_CARBONS} ?(?:\({_PLACE}\)|{_PLACE})|C\d\d:\d(?![- ]?[A-Z]))(?![\w:])"
    rf"(?:(?:{_DERIVED})(?!\w))?"
)
_NUMBERED = re.compile(rf"(?<![\w-]){NUMBERED.pattern}(?![\w-])")
_ONE_STATE = frozenset(["Ba", "Be", "Ca", "Cs", "K", "Li", "Mg", "Na", "Rb", "Sr", "U", "V", "W", "Y"])
_SYMBOLS_OF_STATES = "|".join(symbol for symbol in (*METALS, "As", "Se", "Te", "Th") if symbol not in _ONE_STATE)
_OXIDIZED = re.compile(
    r"(?=[A-Za-z]{1,12}\([IV])(?<![\w-])"
    rf"(?:(?:(?i:{'|'.join(ELEMENTS[symbol] for symbol in (*METALS, 'As', 'Se'))}|aluminium)|{_SYMBOLS_OF_STATES})"
    r"\((?:I{1,3}|IV|VI{0,2})\)|[UVWY]\((?:III|IV|VI?)\))(?![\w(-])"
)
"""A metal with its oxidation state: `lead(II)`, `Cr(VI)`. `Ca(V)` and `K(V)` are channels."""
_LIGAND = (
    r"\((?![IV]+\))(?:(?=[\w,'-]*[A-Z])[A-Za-z][A-Za-z\d,'-]{1,13}"
    r"|acac|bi?py|cod|dba|dmg|dpp[befmpz]|dtc|edta|en|fac|gly|hfac|nta|ox|phen|pic|py|salen|terpy|tfa|tmeda|tpy)\)"
)
"""Groups of atoms have capitals; the others are IUPAC's short names of ligands (Red Book 2005, table VII)."""
_CENTRE = (
    "(?:A[glu]|C[deoru]|Eu|Fe|G[ad]|H[fg]|I[nr]|La|M[gno]|N[di]|Os|P[dt]|R[ehu]|S[mn]|T[bi]|[UVWY]|Yb|Z[nr])"
    r"(?:\((?:I{1,3}|IV|VI?)\))?"
)
_COUNTERIONS = r"(?:(?:Br|Cl)\(?\d?\)?|\([BP]F\(?[46]\)?\)\(?\d?\)?|\d?[-+−]|\(\d?[-+−]\))?"
_COMPLEXES = re.compile(
    rf"(?<![\w(\[\])}}-]){_CENTRE}\(?\d?\)?(?:Br|CO|Cl|F|H|I|O)?\(?\d?\)?{_LIGAND}\(?\d\)?"
    r"(?:(?:Br|Cl|I|[BP]F\(?[46]\)?)\(?\d?\)?)?(?![\w(])"
    rf"|(?<![\w(\[-])(?:(?:\(NH4\)|NH4|Cs|H|K|Li|Na|Rb)\d?\[|\[(?=[^\]]*(?:{_LIGAND}|\]\d?[-+−]))){_CENTRE}(?:\(?\d\)?)?"
    rf"(?:(?:Br|CN|CO|Cl|F|H2O|H|I|N[CO]S|NH3|NO|N3|O[2H]?|SCN|{_LIGAND})(?:\d|\(\d\))?){{1,6}}\]{_COUNTERIONS}(?![\w(])"
)
"""A metal with several equal ligands, or with any ligands in square brackets: `Ni(acac)2`, `[Pt(NH3)2Cl(H2O)]+`.

Without a ligand in brackets a cation before it or a charge shows the complex: `K2[PtCl4]`, `[AuCl4]-`."""
_COUNTED = re.compile(r"[A-Za-z\d]\)\(?\d")
_THIO = re.compile(r"(?<![\w-])d{0,2}[ACGTU][DT]P[- ]?\[?(?:[αβγ]|alpha|beta|gamma)[- ]?S\]?(?!\w)")
"""Nucleotides with a sulfur atom: `ATP-gamma-S`, `GTPγS`."""
_GRADES = re.compile(
    rf"(?<![\w-])(?:{re.sub(r'[?]P<[a-z]+>', '?:', GRADED.pattern)})"
    r"(?![\w%]|[.,:/]\d|[-–]\d| ?(?:%|°|k?Da|kD|[kmnµμ]?[gLlMm]|mmol|mM|times|mesh|ppm|min|h|days?|weeks?|MW)(?!\w))"
)
_SPECIES = re.compile(r"(?<![\w-])(?:(?:iAs|[DM]MA)(?:\((?:III|V)\)|III|V)|iAs|[io]Hg)(?!\w)")
"""Inorganic and methylated arsenic, inorganic and organic mercury."""
_PEPTIDES = re.compile(
    rf"(?=[A-Z][a-z]{{2}}-)(?<![\w-])(?<!triad )(?<!triads )(?<!triad \()"
    rf"(?:{RESIDUES})(?:-(?:{RESIDUES})){{2,}}(?![\w-])"
)
"""The residues of a catalytic triad are no chain."""
_MIXED_SALTS = re.compile(r"(?<![\w-])[A-Za-z][\w()-]{1,20}[·∙•⋅]\d?(?:HBr|HCl|TFA)(?!\w)")
"""`EDC·HCl`. A hyphen would also join a mixture."""
_NUCLIDES = re.compile(
    r"(?<![\w.:/-])(?:(\d{1,3})m?([A-Z][a-z]?)|([A-Z][a-z]?)-?(\d{1,3})m?)(?![\w/]|[-.]\d|[-+−](?!\w))"
)
_BETWEEN = re.compile(r"(?:, ?(?:and |or )?| and | or |/| & )")
"""Between the members of a list."""
_JOINED = re.compile(rf"{_BETWEEN.pattern}|[-–.:·]")
"""Between notations that a tagger marked as one: also in labels, `Ca.Mg-P`."""
_OF_ONE_LETTER = frozenset(["I123", "I124", "I125", "I131", "P32", "P33", "U235", "U238", "Y90"])
"""`35S` is also a promoter, `14C` a temperature. In a list of isotopes they are isotopes."""
_BARE_VITAMIN = "B(?:12|6)"
"""Not `B1` and `B2`, which are cyclins and much else."""
_BARE_VITAMINS = re.compile(
    rf"(?<![\w-]){_BARE_VITAMIN}(?![\w+-]|,\d| (?:cells?|mouse|mice|lymphocytes?|rats?|strains?))"
)
_WITH_VITAMINS = re.compile(
    rf"(?i:(?:biotin|folates?|folic acid|homocysteine|niacin|plasma|riboflavin|serum|thiamine?|vitamins?)"
    rf"(?:,|/| and| or|, and)? ){_BARE_VITAMIN}(?![\w-])"
    rf"|(?<![\w-]){_BARE_VITAMIN} (?:deficien\w+|injections?|intakes?|levels?|status|supplement\w*)(?!\w)"
    rf"|(?<![\w-]){_BARE_VITAMIN}(?:,|/| and| or|, and) ?(?:biotin|folates?|folic acid|homocysteine)(?!\w)"
)
"""Neighbours of the vitamin. `B6` is also a strain of mice, and a label."""
_TWO_LETTERS = "|".join(symbol for symbol in ELEMENTS if len(symbol) == 2)
_ANY = rf"(?:{_TWO_LETTERS}|{'|'.join(symbol for symbol in ELEMENTS if len(symbol) == 1)})"
_LISTED = re.compile(
    rf"(?=[A-Z][a-z]?(?:,|/| [&aot]))(?<![\w.-]){_ANY}(?:(?: to |{_BETWEEN.pattern}){_ANY}(?![\w.-]\w))+(?![\w+-])"
)
_ONE = re.compile(rf"(?<!\w)(?:{_TWO_LETTERS}|[A-Z])(?!\w)")
_LEAST_LISTED = 3
"""Different symbols of two letters in a list; with fewer, its letters may be other things."""
_ISOTOPE_RATIO = re.compile(rf"(?=\d\d)(?<![\w/.])\d{{2,3}}({_TWO_LETTERS}) ?/ ?\d{{2,3}}(?:{_TWO_LETTERS})(?![\w/])")
_RARE = "Ce|Dy|Eu|Gd|Hf|La|Lu|Nb|Nd|Rb|Sc|Sm|Sr|Ta|Tb|Yb|Zr"
"""Elements that few biomedical articles name by their symbols. `Er`, `Ho`, `Pr` and `Tm` are also other things."""
_NO_NAMES = frozenset(_RARE.split("|")) - {"La", "Lu", "Sc", "Ta"}
"""Two of these are a list of elements; the others are also names of persons."""
_WORDS = frozenset({"As", "At", "Be", "He", "In"})
_NO_WORDS = frozenset(_TWO_LETTERS.split("|")) - _WORDS - {"Ac", "Am", "Cm", "Co", "No", "Pa"}
"""Symbols that are not English words. A word such as `As` beside one of them is a symbol, too: `As and Cd`."""
_RARE_ELEMENT = re.compile(
    rf"(?=[A-Z][a-z][- /])(?<![\w/.-])(?:{_RARE})"
    r"(?=[- ](?:isotop\w+|bearing|doped|rich|substituted)(?!\w)|/(?:Ca|Mg)(?!\w))"
)
_RARE_EARTHS = re.compile(r"(?<![\w-])(?:[Rr]are[- ][Ee]arth (?:elements?|metals?)|[HLM]?REEs?)(?![\w-])")
_DATING = "K[-–]Ar|Lu[-–]Hf|Rb[-–]Sr|Re[-–]Os|Sm[-–]Nd|U[-–](?:Th[-–])?Pb"
_METAL_BOUND = "(?:Al|Ca|Fe|Mg)"
_FRACTIONS = re.compile(
    rf"(?=[A-Z][a-z]?[-–.·:/])(?<![\w.:/-])(?:(?P<sure>{_METAL_BOUND}[.·]{_METAL_BOUND}-P|P(?=-fractions?)|(?:C:)?N:P(?::[KS])?|{_DATING})"
    rf"|{_METAL_BOUND}-P|C:N(?::S)?|C:P|C/N(?= ratio))(?![\w:/·]|-\d|\.\w)"
)
"""Labels of soil science and of dating: phosphorus bound to metals (`Ca.Mg-P`), ratios of nutrients (`N:P`), `Sm-Nd`.

The second ones are labels only in texts about soil or living matter, because `Ca-P` is also a coating of implants.
"""
_OF_SOIL = re.compile(r"(?i:fertili[sz]|leaf|leaves|litter|nutrient|plankton|ratio|sediment|soil|stoichiometr)")
_FORMULAE = re.compile(
    r"(?<![\w()-])(?=[A-Za-z(]{0,7}\(?\d)(?:[A-Z][a-z]?(?:\d{1,2}|\(\d{1,2}\))?|\((?:[A-Z][a-z]?\d?){1,4}\)\d){2,8}(?![\w(])"
)
_OF_METALS = re.compile(
    r"(?<![\w()-])(?:(?:Cd|Hg|Pb|Zn)(?:S|Se|Te)|(?:Ga|In)(?:As|N|P|Sb))(?![\w(])"
    rf"|(?=[A-Z][A-Za-z\d.]{{3}})(?<![\w()-])(?=[A-Z\d.]*[A-Z][a-z])(?:(?:{'|'.join(METALS)})\d?(?:\.\d{{1,2}})?){{2,4}}(?:[OS]|Br|Cl|F|I|PO|Se|SiO|Te)\d(?![\w(])"
)
"""Oxides, halides and phosphates of several metals: `LiCoO2`, `CsPbBr3`; semiconductors of two elements: `CdSe/ZnS`."""
_SPACED = re.compile(
    r"(?=[A-Z][A-Za-z]{0,4} \d)(?<![\w-])[A-Z][A-Za-z]{0,4} \d(?: ?[A-Z][A-Za-z]{0,2}(?: \d)?){0,3}"
    r"(?![\w%]|\.\d| ?(?:[kmnµμ]?[gLlMm]|mmol|mol|h|min|ppm|times)(?!\w))"
)
"""A formula whose indexes have spaces: `NaHCO 3`, `H 2 O`."""
_WITHOUT_INDEX = re.compile(r"(?:Ag|Cs|H|K|Li|Na|Rb)(?:Br|Cl|F|I)|[CNHOS]O?")
"""Before a number they are as often an amount: `NaCl 2`, `CO 2`. The model decides."""
_HAS_METAL = re.compile(rf"\(?(?:{'|'.join(METALS)}|NH4|H2O|CO2)")
_CODE = re.compile(r"Os(?!O4)[A-Z][a-z]?\d+|[A-Z][a-z]?(?:F|Cl|Br|I)[7-9]|[A-Z][a-z]?\dH")
"""Genes of rice (`OsC6`), more halides than a metal has (`WF7`, a strain), more metal than hydrogen (`Y2H`)."""
_SYMBOL = r"(?:Na|K|Cl|Ca|Mg|P|Fe|Zn|Cu|Mn|Se|S|Co|Cr|Cd|Pb|Al)"
_AMOUNT = r"(?:[ :=]{1,3})\d+(?:\.\d+)?(?: ?(?:mmol/[Ll]|m[MEgq]+(?:/[Lld]+)?|%))?"
_ELECTROLYTES = re.compile(rf"(?<![\w-]){_SYMBOL}{_AMOUNT}(?:[,;] (?:and )?{_SYMBOL}{_AMOUNT}){{2,}}")
_ELECTROLYTE = re.compile(rf"(?<![\w-]){_SYMBOL}(?={_AMOUNT})")
_UNIT = r"(?:[mnµμu]?(?:g|mol|Eq)|m[EM]q?)(?:/|·| )(?:100 ?)?(?:d?[lL]|g|kg|m[lL])(?![\w])"
_MEASURED = re.compile(rf"(?=[A-Z][a-z]?[ ,])(?<![\w-]){_SYMBOL}(?=(?:, | \(| \[| ){_UNIT})")
"""A row or a column of a table: `K, mmol/L`, `Mg (mg/dL)`. The text has at least two."""
_NUTRIENT_HEADS = (
    "acquisition|applications?|assimilation|availability|concentrations?|contents?|deficien(?:cy|cies|t)"
    "|fertili[sz](?:ers?|ation)|leaching|limitation|losses|minerali[sz]ation|nutrition|recovery|remobili[sz]ation"
    "|sequestration|starvation|stocks?|supply|translocation|uptake|use efficiency"
)
_NUTRIENT_LIST = r"[CKNP](?:(?:, |/| and | or |, and |, or )[CKNP]){0,4}"
_NUTRIENTS = re.compile(
    # A letter alone; to test this first is three times as fast.
    r"(?=[CKNP](?![\w.]))(?<![\w.-])(?:"
    rf"(?<!itamin )(?<!psin )(?<!tein ){_NUTRIENT_LIST}(?= (?:{_NUTRIENT_HEADS})(?!\w))"
    r"|(?:(?<=available )|(?<=exchangeable )|(?<=inorganic )|(?<= organic )|(?<= mineral ))"
    rf"{_NUTRIENT_LIST}(?![\w.=-]| =))"
)
"""Nutrients of plants: of 1,015 places of `N uptake` and the like in 1,500 open articles, all are elements but for
`vitamin C content`."""
_ONE_NUTRIENT = re.compile("[CKNP]")
_LONGEST_PREFIX = 40
_PREFIX = re.compile(r"(?<![\w-])[\w',()+-]*-$")
"""The part of a name before its label: `L-[1-13C]leucine`."""
_NO_COMPOUND = (
    r"(?!(?i:label|enrich|incorporat|based|contain|deplet|deriv|tagg|trac|isotop|uptake|releas|binding|bound|bearing|induc"
    r"|treat|positiv|negativ|avid|load|mediat|spik|exchang|therap|radio)"
    r"|(?:NMR|PET|SPECTA?|CT|RT|HSQC|HMQC|HMBC|COSY|TOCSY|NOESY|DEPT|TROSY|MAS|CPMAS|SIRT|RAI|RIT|RLT|[RW]BCs?|Ig[GM])(?!\w))"
)
"""Behind a label these are no compounds: `[3H]-labelled`, `18F-PET`."""
_COMPOUND = re.compile(
    rf"(?=[\w',-]*(?:[a-z]{{3}}|[A-Z]{{2}}))(?:{_NO_COMPOUND}[\w',]+-)*{_NO_COMPOUND}[\w']*[A-Za-z]\w*(?!-?[(\[])"
)
_TRACER = re.compile(rf"(?=\w*[A-Z]\w*[A-Z&]){_NO_COMPOUND}[A-Z][\w&]+(?:-{_NO_COMPOUND}[A-Z\d&][\w&]*)*(?!-?[(\[])")
"""The code of the compound of a radiotracer: `PSMA-I&S`, `DOTATATE`."""
_REST_OF_CODE = re.compile(rf"(?:&[A-Z])?(?:-{_NO_COMPOUND}(?:\d{{1,4}}|[A-Z][A-Z&]*))*(?!\w)")
_NO_TRACERS = frozenset(["", "13C", "15N", "18O", "35S", "32P", "33P", "3H", "14C", "125I", "131I"])
"""Before a code they are also a promoter, a temperature, the nucleus of a spectrum, or the label of a protein."""
_HYDRATE = re.compile(r"[.·](?:\d{1,2}(?:\.\d)?|[nx])?H2O(?!\w)")
_HALIDE = re.compile(r"[-·•∙⋅](?:\d)?(?:HCl|HBr)(?![\w])")


def mark_notations(passage: PassageSpans, places: Sequence[Span]) -> None:
    """Mark the chemicals that their notation shows, with their whole label or salt, in place.

    `places`: the notations in the text of the passage (`notations`).
    """
    joined = list(_joined(plain(passage.text), passage.spans))
    spans = list(_divided(passage.text, joined, places))
    # A notation replaces the spans inside it. One that cuts a span is left out.
    replaced: list[ScoredSpan] = []
    at = 0
    for start, end in places:
        while at < len(spans) and spans[at].end <= start:
            replaced.append(spans[at])
            at += 1
        last = at
        while last < len(spans) and spans[last].start < end:
            last += 1
        inside = spans[at:last]
        if all(start <= span.start and span.end <= end for span in inside):
            replaced.append(ScoredSpan(start, end, max([MOST, *(span.score for span in inside)])))
            at = last
    passage.spans = replaced + spans[at:]


def _divided(text: str, spans: Sequence[ScoredSpan], places: Sequence[Span]) -> Iterator[ScoredSpan]:
    """The spans, and instead of a span that is a list of notations, the notations: `RuCl2(PPh3)3, Pd2(dba)3`."""
    at = 0
    for span in spans:
        while at < len(places) and places[at][0] < span.start:
            at += 1
        last = at
        while last < len(places) and places[last][1] <= span.end:
            last += 1
        listed = places[at:last]
        is_whole = len(listed) > 1 and (span.start, span.end) == (listed[0][0], listed[-1][1])
        if is_whole and all(_JOINED.fullmatch(text, first[1], second[0]) for first, second in pairwise(listed)):
            yield from (replace(span, start=start, end=end) for start, end in listed)
        else:
            yield span


@cached(4096)
def is_notation(text: str) -> bool:
    """Whether a span is a notation as a whole, a labelled compound, or a name with its salt: it is not divided."""
    shown = plain(text)
    if _HALIDE.search(shown) and not shown.startswith(("Tris", "tris")):
        return True
    salt = COUNTED_SALT.search(shown, 1)
    if salt is not None and salt.end() == len(shown):
        return True
    return _is_labelled(shown) or (0, len(shown)) in notations(shown)


def _is_labelled(text: str) -> bool:
    """Whether a text is one compound with its label."""
    first = next(labels(text), None)
    return first is not None and " " not in text[: first[0]] and label(text) is not None


def notations(text: str) -> list[Span]:
    """The spans in a text in plain characters, from left to right."""
    finders = (_whole, _nuclides, _formulae, _electrolytes, _elements, _labelled)
    kept: list[Span] = []
    found = chain.from_iterable(find(text) for find in finders)
    # Of two with the same start, the longer.
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _whole(text: str) -> Iterator[Span]:
    patterns = [_VITAMINS]
    # Few passages have these characters, and this search is faster.
    if ":" in text:
        patterns.append(_FATTY_ACIDS)
        if _CHAINS.search(text):
            yield from (match.span() for match in SPECIES.finditer(text) if is_species(match[0]))
    if "(I" in text or "(V" in text:
        patterns += (_NUMBERED, _OXIDIZED)
    if "[" in text or _COUNTED.search(text):
        patterns.append(_COMPLEXES)
    patterns += (_THIO, _GRADES)
    if "HCl" in text or "HBr" in text or "TFA" in text:
        patterns.append(_MIXED_SALTS)
    if "-" in text:
        patterns.append(_PEPTIDES)
    if "As" in text or "Hg" in text or "MA" in text:
        patterns.append(_SPECIES)
    if _BARE_VITAMINS.search(text) and _WITH_VITAMINS.search(text):
        patterns.append(_BARE_VITAMINS)
    yield from (match.span() for pattern in patterns for match in pattern.finditer(text))


def _nuclides(text: str) -> Iterator[Span]:
    nuclides = [(match.span(), f"{match[2] or match[3]}{match[1] or match[4]}") for match in _NUCLIDES.finditer(text)]
    # `C13` and `N15` are atoms of a molecule, or labels.
    nuclides = [
        (span, name) for span, name in nuclides if name in RADIOACTIVE or (name in STABLE and text[span[0]].isdigit())
    ]
    listed = {
        place
        for place, ((nuclide, name), (other, next_name)) in enumerate(pairwise(nuclides))
        # Not `35S, 35S terminator`, which is a promoter.
        if name != next_name and _BETWEEN.fullmatch(text, nuclide[1], other[0])
    }
    for place, (span, name) in enumerate(nuclides):
        in_brackets = text[span[0] - 1 : span[0]] == "[" and text[span[1] : span[1] + 1] == "]"
        sure = in_brackets or name in STABLE or name in _OF_ONE_LETTER or name[:2].isalpha()
        if sure or place in listed or place - 1 in listed:
            yield span


def _labelled(text: str) -> Iterator[Span]:
    """Compounds directly behind a label in brackets, and codes of tracers: `[methyl-3H]thymidine`, `177Lu-PSMA-617`."""
    for start, end, isotope in labels(text):
        form = _COMPOUND if text[start] == "[" or (text[start] == "(" and not isotope) else _TRACER
        compound = form.match(text, end) if form is _COMPOUND or isotope not in _NO_TRACERS else None
        if compound is not None:
            rest = _REST_OF_CODE.match(text, compound.end())
            yield _with_prefix(text, start), compound.end() if rest is None else rest.end()


def _with_prefix(text: str, start: int) -> int:
    prefix = _PREFIX.search(text, max(0, start - _LONGEST_PREFIX), start)
    return start if prefix is None else prefix.start()


def symbol_lists(text: str) -> Iterator[list[Span]]:
    """The symbols of each list of elements in a text: `As, Cd and Pb`, `P to Pt`."""
    for symbols in _LISTED.finditer(text):
        yield [symbol.span() for symbol in _ONE.finditer(text, *symbols.span())]


def _elements(text: str) -> Iterator[Span]:
    """Symbols in lists of elements, in ratios of isotopes, of rare elements, and in labels of soil science."""
    for found in symbol_lists(text):
        listed = {text[slice(*symbol)] for symbol in found if symbol[1] - symbol[0] == 2}
        if len(listed) >= _LEAST_LISTED or (len(found) > 1 and listed <= _NO_NAMES and len(listed) == len(found)):
            yield from found
        elif listed & _NO_WORDS:
            yield from (symbol for symbol in found if text[slice(*symbol)] in _WORDS)
    yield from (match.span() for match in _ISOTOPE_RATIO.finditer(text))
    yield from (match.span() for match in _RARE_ELEMENT.finditer(text))
    if "are earth" in text or "are-earth" in text or "are Earth" in text:
        yield from (match.span() for match in _RARE_EARTHS.finditer(text))
    for fraction in _FRACTIONS.finditer(text):
        if fraction["sure"] or _OF_SOIL.search(text):
            yield from (symbol.span() for symbol in _ONE.finditer(text, *fraction.span()))


def _formulae(text: str) -> Iterator[Span]:
    for match in _FORMULAE.finditer(text):
        if (
            _HAS_METAL.match(match[0])
            and not _CODE.fullmatch(match[0])
            and salts(re.sub(r"\((\d+)\)", r"\1", match[0]))
        ):
            water = _HYDRATE.match(text, match.end())
            yield match.start(), match.end() if water is None else water.end()
    yield from (match.span() for match in _OF_METALS.finditer(text))
    for match in _SPACED.finditer(text):
        formula, *rest = match[0].split(" ")
        # `YS 1` is a label.
        is_doubtful = len(rest) == 1 and (len(formula) < 3 or _WITHOUT_INDEX.fullmatch(formula))
        if not is_doubtful and salts(match[0]):
            yield match.span()


def _electrolytes(text: str) -> Iterator[Span]:
    for run in _ELECTROLYTES.finditer(text):
        yield from (match.span() for match in _ELECTROLYTE.finditer(text, *run.span()))
    for nutrients in _NUTRIENTS.finditer(text):
        yield from (match.span() for match in _ONE_NUTRIENT.finditer(text, *nutrients.span()))
    measured = [match.span() for match in _MEASURED.finditer(text)] if "/" in text else []
    if len({text[slice(*span)] for span in measured}) > 1:
        yield from measured


def _joined(text: str, spans: list[ScoredSpan]) -> Iterator[ScoredSpan]:
    """The spans with the label before them and the salt after them, instead of parts."""
    reached = 0
    for span in _with_labels(text, spans):
        if span.start < reached:
            continue
        after = _HALIDE.match(text, span.end)
        if after is None and text[span.end - 1].isalpha():
            after = COUNTED_SALT.match(text, span.end)
        reached = after.end() if after is not None else span.end
        yield ScoredSpan(span.start, reached, span.score)


def _with_labels(text: str, spans: list[ScoredSpan]) -> list[ScoredSpan]:
    for start, end, _ in labels(text):
        gap = text.startswith(" ", end)
        compound = next((span for span in spans if span.start <= end + gap and span.end > end), None)
        if compound is None:
            continue
        first = min(compound.start, _with_prefix(text, start))
        rest = _REST_OF_CODE.match(text, compound.end)
        last = compound.end if rest is None else rest.end()
        parts = [span for span in spans if span.end > first and span.start < last]
        at = spans.index(parts[0])
        whole = ScoredSpan(first, max(last, parts[-1].end), max(part.score for part in parts))
        spans = [*spans[:at], whole, *spans[at + len(parts) :]]
    return spans
