"""Removes parts of names: salts, waters, stereo prefixes, compound numbers, words of use and state."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sieves.chemistry.formulae import half_written

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
_CATION = re.compile(r"(?:di|tri)?(?:sodium|potassium|calcium|magnesium|ammonium|lithium|hydrogen)", re.I)
_WATER_TAIL = re.compile(
    r"[\s·•.]*\(?(?:\d|mono|di|tri|tetra|penta|hexa|hepta|octa|nona|deca|dodeca)?[\s-]?(?:hydrate|H2O)\)?$", re.I
)
_STEREO = re.compile(
    r"^(?:\((?:\d*'?[RSEZ]?[+-]?±?(?:,\s*)?)+\)|[DLdlRSEZ]{1,2}|D,\s?L|\([+±-]\)|\+/-|cis|trans|rac|meso|all-trans|"
    r"n|sec|tert|iso|i|(?:\d{1,2} ?)?(?:[αβγδ]|alpha|beta|gamma)|\d+[RS](?:,\d+[RS])*)[-\s]+(?=\S{3})"
    r"|^\((?:[RSEZ\d,'+±\s-]|alpha|beta|[αβ])+\)[-\s]*(?=\S{3})",
)
_INNER_STEREO = re.compile(r"(?<=[\s-])(?:[DLdl]|DL|dl|cis|trans|\([RS±+-]\))-(?=[a-z]{4})")
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
_BRACKET_TAIL = re.compile(r"\s*\([^()]*\)$|\s*\[[^\[\]]*\]$")
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
    half = half_written(text)
    if half is not None:
        yield half[1]
    # The parent of `potassium gluconate` is the acid, never the metal.
    peeled = _peeled(text, _PARENT_PEELS)
    yield from (rest for rest in peeled if not _CATION.fullmatch(rest))


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
        if match is not None:
            for other in others:
                form = folded[: match.start()] + other + folded[match.end() :]
                if form != text:
                    yield form
