"""Other forms of a name: without salts, waters, stereo prefixes and words of use; another ending, notation or order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import permutations

from sieves.chemistry.composites import of_ellipsis
from sieves.chemistry.elements import ELEMENTS
from sieves.chemistry.formulae import ANION_NAMES, half_written

# -- without parts ------------------------------------------------------------------------------

_COUNTS = "mono|di|tri|tetra|penta|hexa|hepta|octa|nona|deca|dodeca|hemi(?:penta|hepta)?|sesqui|bis|tris"
_ANIONS = (
    "hydrochlorides?|hcl|hydrobromides?|hydroiodides?|(?:bi)?sul(?:f|ph)ates?"
    "|mesylates?|tosylates?|besylates?|(?:camphor|ethane|methane|benzene|toluene)sul(?:f|ph)onates?|is[eo]thionates?"
    "|maleates?|fumarates?|(?:bi)?tartrates?|citrates?|acetates?|succinates?|nitrates?|chlorides?|bromides?|iodides?"
    "|perchlorates?|oxalates?|lactates?|gluconates?|malates?|pamoates?|trifluoroacetates?|formates?|hydroxides?|hydrates?"
)
_METALS = "sodium|potassium|calcium|magnesium|ammonium|lithium|zinc"
_SALTS = (
    rf"(?:{_COUNTS})?[\s-]?(?:{_ANIONS}|phosphates?|anhydrous|base|free base|salts?|esters?"
    rf"|(?:{_METALS})(?: salts?)?)"
)
COUNTED_SALT = re.compile(rf"(?: (?:{_COUNTS})-?(?:{_ANIONS}|{_METALS}|(?<=hemi)phosphates?)(?![^\W_])){{1,2}}", re.I)
"""Salts and water with their numbers after a name: ` hemisulfate`. `Adenosine diphosphate` is no salt of adenosine."""
_SALT_TAIL = re.compile(rf"(?:[\s,·]+|[\s-]+)\(?{_SALTS}\)?$", re.I)
_METAL_HEAD = re.compile(r"(?:(?:di|tri)?sodium|(?:di)?potassium|calcium|magnesium|ammonium|lithium) (?=\S{4})", re.I)
_METAL_COUNT = re.compile(r"^(?:mono|di|tri|tetra)(?=(?:sodium|potassium|calcium|magnesium|ammonium|lithium) )", re.I)
_BASIC_TAIL = re.compile(r"[\s,]+(?:mono|di|tri)basic$", re.I)
_NO_PARENT = re.compile(
    r"(?:di|tri)?(?:sodium|potassium|calcium|magnesium|ammonium|lithium|hydrogen)|(?:an|cat)?ions?|salts?", re.I
)
_WATER_TAIL = re.compile(
    r"[\s·•.]*\(?(?:\d|mono|di|tri|tetra|penta|hexa|hepta|octa|nona|deca|dodeca)?[\s-]?(?:hydrate|H2O)\)?$", re.I
)
_STEREO = re.compile(
    r"^(?:\((?:\d*'?[RSEZ]?[+-]?±?(?:,\s*)?)+\)|[DLdlRSEZ]{1,2}|D,\s?L|\([+±-]\)|\+/-|(?:\d{1,2}'?-)?(?:cis|trans)|rac|meso|all-trans|"
    r"n|sec|tert|iso|i|(?:\d{1,2} ?)?(?:[αβγδ]|alpha|beta|gamma)|\d+[RS](?:,\d+[RS])*)[-\s]+(?=\S{3})"
    r"|^\((?:[RSEZ\d,'+±\s-]|alpha|beta|[αβ])+\)[-\s]*(?=\S{3})",
)
_INNER_STEREO = re.compile(r"(?<=[\s-])(?:[DLdl]|DL|dl|cis|trans|\([RS±+-]\))-(?=[a-z]{4})")
GRADED = re.compile(
    r"(?P<polymer>m?PEG|(?i:macrogols?|poly(?:ethylene|propylene) ?glycol|poly\(ethylene glycol\)))"
    r"[- ]?(?:\d{1,2}[ ,]000|\d{3,5})"
    r"|(?P<dextran>[Dd]extran)[- ]?T?\d{2,3}|(?P<povidone>PVP)[- ]?K[- ]?\d{2}"
    r"|(?P<product>(?i:carbo(?:mer|pol)|poloxamers?|poloxamines?|pluronic|polysorbates?|eudragit|ficoll|kollidon|kolliphor"
    r"|polyquaternium|(?:ceteare|laure|steare)th|(?:nonoxyn|octoxyn)ol)|Brij|Lutrol|Myrj|Span|Synperonic|Tetronic|Triton"
    r"|Tween)"
    r"[®™]?[- ]?(?:[A-Z]{1,2}[- ]?)?\d{1,4}[A-Z]{0,2}"
)
"""A polymer or a surfactant with its grade: `PEG 4000`, `poloxamer 188`."""
_COMPOUND_NUMBER = re.compile(r"\s+\(?\d{1,3}[a-z]?(?:['′])?\)?(?:(?:\s*[-–,]\s*|\s+and\s+)\(?\d{1,3}[a-z]?\)?)*$")
_USES = (
    r"derivatives?|analogu?es?|compounds?|molecules?|solutions?|buffers?|buffered solution|ions?|anions?|"
    r"cations?|radicals?|"
    r"moiet(?:y|ies)|groups?|residues?|rings?|units?|salts?|media|medium|dyes?|stains?|reagents?|gels?|resins?|powders?|"
    r"nanoparticles?|particles?|crystals?|monomers?|dimers?|polymers?|films?|fluorophores?|scaffolds?|backbones?|cores?|"
    r"skeletons?|atoms?|esters?|conjugates?|metabolites?|isomers?|family|class|regimes?|regimens?|oils?|"
    r"extracts?|vapou?rs?|gas|"
    r"standards?|preparations?|tablets?|drugs?|chains?|substrates?|complex(?:es)?|adducts?|species|supplements?|fractions?|"
    r"hydrocarbons"
)
USE_TAIL = re.compile(rf"[\s-]+(?:{_USES})$", re.I)
_KIND = re.compile(
    r"\b(?:(?:sample|loading|running|lysis|assay|reaction|incubation) (?=buffers?$)|(?:in)?complete (?=.*adjuvants?$))",
    re.I,
)
"""Words for a kind of buffer or adjuvant: `Freund's complete adjuvant`."""
_DYE = re.compile(r"(?<=Alexa )Fluor[ -]?(?=\d)", re.I)
"""MeSH has most of these dyes without the word."""
_STATE_HEAD = re.compile(
    r"^(?:total|free|neutral|bound|conjugated|unconjugated|crude|pure|glacial|anhydrous|aqueous|absolute|concentrated|dilute|diluted|"
    r"hydrated|recombinant|synthetic|natural|endogenous|exogenous|labell?ed|radiolabell?ed|high|low|plasma|serum|dietary|inorganic|"
    r"organic|activated|deuterated|fluorescent|ionic|molecular|atomic|elemental|poly-?unsaturated|modified|substituted|"
    r"amorphous|colloidal|(?:micro|nano|poly)?crystalline|glassy|metallic|(?:meso|micro|nano)?porous|vitreous|"
    r"(?:very[\s-])?long[\s-]chain|[NO]-linked|unsubstituted|primary|secondary|tertiary|"
    r"aliphatic|free-|native|reduced|oxidi[sz]ed|soluble|insoluble|dissolved)[\s-]+(?=\S{3})",
    re.I,
)
_CLASS_TAIL = re.compile(r"[\s-]+(?:derivatives?|analogu?es?|compounds?|family|class)$", re.I)
"""Words of a class. The class is looked up first: an aniline derivative is one of the anilines."""
_TRADEMARK = re.compile(r"[®™©]|\((?:R|TM)\)(?=\s|$)")
_BRACKET_TAIL = re.compile(r"\s*\((?!(?<=[A-Z]\()[IV]+\))[^()]*\)$|\s*\[[^\[\]]*\]$")
_DEEPEST = 4

_Peel = tuple[re.Pattern[str], tuple[str, ...]]
"""What is removed, and lower-case texts of which one must occur, because this test is faster than the pattern."""
_PARENT_PEELS: tuple[_Peel, ...] = (
    (_WATER_TAIL, ("hydrate", "h2o")),
    (_SALT_TAIL, ()),
    (_STEREO, ()),
    (_INNER_STEREO, ("-",)),
    (_BASIC_TAIL, ("basic",)),
    (_METAL_COUNT, ("um ",)),
    (_METAL_HEAD, ("um ",)),
)
_BARE_PEELS: tuple[_Peel, ...] = (
    (_TRADEMARK, ()),
    (_COMPOUND_NUMBER, ()),
    (USE_TAIL, ()),
    (_STATE_HEAD, ()),
    (_BRACKET_TAIL, (")", "]")),
    (_KIND, ("buffer", "adjuvant")),
    (_DYE, ("alexa",)),
)


def parent(text: str) -> Iterator[str]:
    """The parent of a salt, hydrate or stereoisomer, the nearest first.

    >>> list(parent("(R)-salbutamol hydrochloride"))
    ['(R)-salbutamol', 'salbutamol hydrochloride', 'salbutamol']
    """
    if of_ellipsis(text):
        # `α-, β-pinene` is no form of the second.
        return
    half, graded = half_written(text), GRADED.fullmatch(text)
    # The parent of a salt of an organic acid is the acid; `Fe hydroxide` is no hydroxide ion.
    if half is not None and half[1].removesuffix("s") not in ANION_NAMES:
        yield half[1]
    if graded is not None:
        yield next(filter(None, graded.groups()))
    # The parent of `potassium gluconate` is the acid, never the metal; `potassium cation` is no cation in general.
    peeled = _peeled(text, _PARENT_PEELS)
    yield from (rest for rest in peeled if not _NO_PARENT.fullmatch(rest))


def bare(text: str) -> Iterator[str]:
    """The name without compound numbers, words of use or state, trademarks, and brackets at the end.

    >>> list(bare("ribose derivative 4"))
    ['ribose compounds', 'riboses', 'ribose derivative', 'ribose']
    """
    peeled = list(_peeled(text, _BARE_PEELS))
    for whole in (text, *peeled):
        head = _CLASS_TAIL.sub("", whole)
        if head != whole:
            yield f"{head} compounds"
            if not head.endswith("s"):
                yield f"{head}s"
    yield from peeled


def _peeled(text: str, peels: tuple[_Peel, ...]) -> Iterator[str]:
    """The distinct texts that remain after one or more removals, those with fewer removals first."""
    seen = {text}
    level = [text]
    for _ in range(_DEEPEST):
        following = []
        for rest in (rest for whole in level for rest in _rests(whole, peels)):
            if len(rest) > 2 and rest not in seen:
                seen.add(rest)
                following.append(rest)
        yield from following
        level = following


def _rests(text: str, peels: tuple[_Peel, ...]) -> Iterator[str]:
    """The text after each single removal."""
    small = text.lower()
    for form, signs in peels:
        if not signs or any(sign in small for sign in signs):
            yield form.sub("", text).strip(" ,-")


_FATTY_STEMS = (
    ("laur", "dodecano"),
    ("myrist", "tetradecano"),
    ("palmit", "hexadecano"),
    ("stear", "octadecano"),
    ("behen", "docosano"),
)
"""Trivial and systematic stems of fatty acids."""
_ENDINGS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    *(
        (re.compile(rf"{stem}(?=ic acids?$|ates?$)"), (other,))
        for pair in _FATTY_STEMS
        for stem, other in (pair, reversed(pair))
    ),
    (re.compile(r"olates?$"), ("ol",)),
    (re.compile(r"ates?$"), ("ic acid", "ate")),
    (re.compile(r"ites?$"), ("ous acid", "ite")),
    (re.compile(r"(?<=.{4})ides?$"), ("ide",)),
    (re.compile(r"[io]c acids?$"), ("ate",)),
    (re.compile(r"oyl$"), ("oic acid", "ic acid")),
    (re.compile(r"(?<=[a-z]{3})yl$"), ("e", "", "ane", "ic acid", "ine")),
    (re.compile(r"(?<=[a-z]{3})ic$"), ("", "e", "ic acid", "s")),
    (re.compile(r"(?<=[a-z]{3})ics$"), ("", "s")),
    (re.compile(r"(?<=[a-z]{3})(?:ylated|ated|ated form)$"), ("ate", "")),
    (re.compile(r"(?<=[a-z]{3})ergic$"), ("e", "ine", "")),
    (re.compile(r"(?<=[a-z]{3})ium$"), ("ia", "ine")),
    (re.compile(r"(?<=[a-z]{4})in$"), ("ine",)),
    (re.compile(r"(?<=[a-z]{4})ine$"), ("in",)),
    (re.compile(r"ph(?=[a-z]{3})"), ("f",)),
    (re.compile(r"(?<=[a-z]{6}[ln])$"), ("e",)),
    (re.compile(r"(?<=\d)-p$"), ("-phosphate",)),
)


_ELEMENTS = frozenset(ELEMENTS.values())


def acids(text: str) -> Iterator[str]:
    """Other forms of the same stem: acid and salt, acid and residue, noun and adjective.

    >>> list(acids("linoleate")), list(acids("ethanolic"))[0]
    (['linoleic acid'], 'ethanol')
    """
    if len(text) < 6:
        return
    folded = text if text[-4:].islower() else text.lower()
    for ending, others in _ENDINGS:
        match = ending.search(folded)
        # `carbonyl` and `sulfuryl` are groups, not forms of the element.
        if match is not None and not (folded.endswith("yl") and folded[: match.start()] in _ELEMENTS):
            for other in others:
                form = folded[: match.start()] + other + folded[match.end() :]
                if form != text:
                    yield form


# -- written in another way ---------------------------------------------------------------------

_QUALIFIERS = ("compounds", "compound", "agents", "peptide", "drug")
"""Words that MeSH adds to ambiguous names: `Sulfonylurea Compounds`, `Ecstasy (Drug)`."""
_DRUGS = re.compile(r"\b(?:drug|medication)(s?)$", re.I)
_LONGEST_QUALIFIED = 60
_SHORTEST_QUALIFIED = 3

# Positions of a benzene ring, and the nitrogen of a ring, have two notations.
_PLACES = (
    (re.compile(r"(?<![A-Za-z])(?:p-(?=[a-z(])|para-?(?=[a-z]{3}))"), "4-"),
    (re.compile(r"(?<![A-Za-z])(?:o-(?=[a-z(])|ortho-?(?=[a-z]{3}))"), "2-"),
    (re.compile(r"(?<![A-Za-z])(?:m-(?=[a-z(])|meta-?(?=[a-z]{3}))"), "3-"),
    (re.compile(r"(?<![A-Za-z0-9,'])4-(?=[a-z(])"), "p-"),
    (re.compile(r"(?<![A-Za-z0-9,'])2-(?=[a-z(])"), "o-"),
    (re.compile(r"(?<![A-Za-z0-9,'])3-(?=[a-z(])"), "m-"),
    (re.compile(r"(?<![A-Za-z,'])N-(?=[a-z])"), "1-"),
)
_VITAMIN = re.compile(r"^vits?(?:\. ?|[ -])(?=[A-Z])", re.IGNORECASE)
_ACTIVE = re.compile(r"^active (?=carbons?$|charcoal$)", re.IGNORECASE)
_GREEK = re.compile(r"([abg]|[Aa]lfa)-(?=[A-Za-z][a-z]{5})")
_GREEK_NAMES = {"a": "alpha", "b": "beta", "g": "gamma", "alfa": "alpha"}
"""A Latin letter for a Greek one, or its name in another language: `a-tocopherol`, `alfa-tocopherol`."""
_CONFIGURATION = re.compile(r"(?:[DL]{1,2}|[dl]{1,2}|D,L|rac|\((?:[RSEZ+±-]|\+/-)\))-(?=[a-z]{4})")
_LEADING_LOCANTS = re.compile(r"^\(?\d+'*(?:,\d+'*)*\)?-(?=[a-z]{4})", re.I)
_SHORTEST_NUMBERED = 8
_MOST_WORDS = 3


def qualified(text: str, begins: Callable[[str], bool] = bool) -> Iterator[str]:
    """The name with each qualifying word of MeSH. `begins`: whether any name of the lexicon begins with a text.

    >>> list(qualified("anti-inflammatory drugs"))[0], list(qualified("BV6"))[1]
    ('anti-inflammatory agents', 'BV6 compound')
    """
    if not _SHORTEST_QUALIFIED <= len(text) <= _LONGEST_QUALIFIED or not any(map(str.isalpha, text)):
        return
    if _DRUGS.search(text):
        yield _DRUGS.sub("agents", text)
    elif begins(text):
        yield from (f"{text} {word}" for word in _QUALIFIERS)


def renumbered(text: str) -> Iterator[str]:
    """The name with each position in the other notation, and without the locants at its start.

    Also with a Greek letter for a Latin one, `vit.` written out, and `activated carbon` for `active carbon`.

    >>> list(renumbered("bis(p-nitrophenyl) phosphate")), list(renumbered("2-thiobarbituric acid"))[-1]
    (['bis(4-nitrophenyl) phosphate'], 'thiobarbituric acid')
    """
    vitamin = _VITAMIN.sub("vitamin ", text)
    if vitamin != text:
        yield vitamin
    if len(text) < _SHORTEST_NUMBERED:
        return
    if _ACTIVE.match(text):
        yield _ACTIVE.sub("activated ", text)
    greek = with_greek_letter(text)
    if greek is not None:
        yield greek
    for form, place in _PLACES:
        other = form.sub(place, text)
        if other != text:
            yield other
    bare = _LEADING_LOCANTS.sub("", text)
    if bare != text:
        yield bare


def with_greek_letter(text: str) -> str | None:
    """The name with the Greek letter that its first letter or word means; None if it does not begin with such a letter.

    >>> with_greek_letter("a-Tocopherol"), with_greek_letter("D-glucose")
    ('alpha-Tocopherol', None)
    """
    greek = _GREEK.match(text)
    return None if greek is None else f"{_GREEK_NAMES[greek[1].lower()]}-{text[greek.end() :]}"


def without_configuration(text: str) -> str | None:
    """The name without the sign of its configuration; None if it has none.

    >>> without_configuration("DL-tyrosine"), without_configuration("(R)-ketamine"), without_configuration("DL-PCB")
    ('tyrosine', 'ketamine', None)
    """
    sign = _CONFIGURATION.match(text)
    return None if sign is None else text[sign.end() :]


def reordered(text: str) -> Iterator[str]:
    """Two or three words in every other order.

    >>> list(reordered("oxide nitric"))
    ['nitric oxide']
    """
    words = text.split(" ")
    if 1 < len(words) <= _MOST_WORDS:
        yield from (" ".join(order) for order in permutations(words) if list(order) != words)
