"""What a name means at its place: a part of the name of a protein, or the metal lead.

All taggers use these rules. NLM-Chem does not mark chemicals in the names of proteins: `Na+/K+-ATPase`, `AMP-activated
protein kinase` (Islamaj et al. 2021, Scientific Data 8:91, guidelines). CHEMDNER and DrugProt do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.model.chemical import names_protein
from corpora.model.document import Span
from sieves.chemistry.elements import ELEMENTS

_PARTS = frozenset(
    {
        "antiport", "antiporters", "cluster", "clusters", "finger", "fingers", "px", "sod", "symport", "uniporter",
        "uniporters", "zipper", "zippers",
    }
)  # fmt: skip
"""Words that, after a chemical, name a protein or a part of one (`zinc finger`)."""
_HYPHEN = r"[-‐‑–]"
_ION = r"(?:\d?[A-Z][a-z]?\d{0,2}){1,4}(?:\d?[-+−–⁺⁻]{1,2}|\(\d?[-+]\))?"
# The second partner of `Na+/Ca2+ exchanger`, `serine/threonine kinase`, `Na+,K+-ATPase`, `Na+-K+-2Cl- cotransporter`.
_PARTNER = re.compile(rf"/(?:{_ION}(?![^\W\d_])|[^\W_]{{1,12}})|(?:, ?|{_HYPHEN}){_ION}(?={_HYPHEN}|[ ,/]\S)")
_MOST_PARTNERS = 3
# The rest of the name: `Cu/Zn superoxide dismutase`, `sodium iodide symporter`, `NADPH-cytochrome P450 reductase`.
_SECOND = (
    "ammonia|superoxide|(?:di|tri)?(?:bicarbonate|carboxylate|chloride|iodide|phosphate|sul(?:f|ph)ate)|anion|cation|ester"
    "|nucleotide|[ab](?:/[ab])?"
)
_HYPHENED = "cytochrome|[a-z]{3,14}(?:ate|ide|ine|ol|ose)s?"
_LOCANTS = r"\d{1,2}'?(?:, ?\d{1,2}'?){0,4}(?:[αβ]|[- ](?:alpha|beta))?"
_PLACED = rf"(?:{_HYPHEN}| )(?:{_LOCANTS}{_HYPHEN}|\({_LOCANTS}\){_HYPHEN}? ?)|{_HYPHEN}{{1,2}}"
# `galactose-1-phosphate uridylyltransferase`, `NAD(P)` + `H:quinone oxidoreductase`, `NAD(P)` + `H dehydrogenase`.
_SECOND_PARTNER = re.compile(
    rf" (?:{_SECOND})(?=[ -])|(?:{_PLACED})(?:{_HYPHENED})(?= |{_HYPHEN}\d)"
    r"|(?<=hlorophyll a)-b(?= )"
    r"|(?:(?<=NAD)\(P\)|(?<=\(P\)))H(?=[ :-])|(?:[ -]|: ?)(?:menaq|plastoq|q|ubiq)uinone(?= )|:[a-z][a-z-]{3,20}(?= )"
)
# `glutamate receptor`, `Ca2+ channel`, `glutathione S-transferase`, `dopamine D2 receptor`, `catechol 1,2-dioxygenase`.
_CODE = (
    rf"(?:(?:{_LOCANTS}|[0-9A-Zα-ω]{{1,2}})(?:{_HYPHEN}| )|\({_LOCANTS}\){_HYPHEN}? ?"
    r"|[A-Z](?:-?\d{1,3}[A-Z]?|/[A-Z]) )"
)
# `potassium leak channel`, `bile acid export pump`, `fatty acid binding protein`, `phospholipid transfer protein`.
_ACTIVITY = (
    "(?:binding|carrier|efflux|exchange|export|import|influx|leak|transfer|transport|uptake"
    rf"|(?:voltage|ligand){_HYPHEN}gated)"
)
_NEXT = re.compile(rf"(?: |{_HYPHEN})(?:{_CODE}|{_ACTIVITY} )?([^\W\d_]{{2,40}})")
_SHORT_FORM = r"(?: \([A-Z][\w-]{1,11}\))?"
_ACTING = re.compile(rf"(?: |{_HYPHEN})(?:{_ACTIVITY}{_SHORT_FORM} proteins?|(?i:(?:de)?branching enzymes?))(?!\w)")
# `calmodulin-dependent protein kinase`, `ATP-binding cassette transporter`, `calcium-sensing receptor`.
_ADJECTIVE = re.compile(
    rf"{_HYPHEN}(?:activated|binding|conducting|conjugating|coupled|dependent|gated|permeable|regulated|related"
    r"|responsive|sensing|(?P<sensitive>sensitive)|transporting)(?= )"
)
# `ATP-sensitive K+ channels` is a name; in `glibenclamide-sensitive K+ channels` a drug is given.
_IN_CELLS = re.compile(rf"c?[ACGU][DMT]P|NADP?H?|{_ION}|(?i:calcium|chloride|magnesium|potassium|sodium|zinc)")
_NEXT_WORD = re.compile(rf"{_SHORT_FORM} ([\w+-]{{1,20}})")
_PROTEIN_HEADS = re.compile(
    r"cassettes?|cytokines?|(?:cyto|haemo|hemo)lysins?|lectins?|proteins?|(?:growth|transcription) factors?"
)
_REGULATOR = re.compile(r"[ -](?:response|regulatory|responsive)[- ](?:elements?|factors?)(?!\w)", re.IGNORECASE)
"""A sequence of DNA, a transcription factor: `cAMP response element-binding protein`, `ethylene response factor`."""
_STATE = "(?:dependent|deficient|hypersensitive|induced|inducible|insensitive|regulated|resistant|responsive|sensitive)"
_GENE = re.compile(
    rf"(?:{_HYPHEN}| ){_STATE}(?: [\w/-]+){{0,6}}"
    r"(?: \((?P<code>[A-Za-z][A-Za-z-]{1,8}\d{1,2}(?:\.\d)?)\)|-like \d{1,2} (?:genes?|mutants?|proteins?)(?!\w)"
    r"| gene (?:[IVX]+|\d{1,2})(?!\w))"
)
_GENE_IN_CAPITALS = re.compile(rf"(?:{_HYPHEN}| ){_STATE.upper()}(?!\w)")
"""The rest of a gene's name that begins with a chemical: `ethylene-insensitive 2 (EIN2)`, `AUXIN RESISTANT 1`."""
_NO_NAME = frozenset(
    {
        "after", "and", "as", "at", "by", "during", "for", "from", "in", "is", "of", "on", "or", "the", "to", "via",
        "was", "were", "with",
    }
)  # fmt: skip
_MOST_WORDS = 4
OF_PROTEINS = re.compile(
    r"[ -](?:alleles?|antibod(?:y|ies)|cDNA|genes?|(?:homo|ortho|para)log(?:ue)?s?|isoforms?|locus|mRNAs?|mutants?"
    r"|polymorphisms?|promoters?|proteins?|siRNA|transcripts?)\b"
)
"""What an article writes after a short form of a gene or a protein."""
CELLS = re.compile(r" (?:cells?|(?:cell )?lines?)(?![\w-])")
"""What an article writes after the code of cells."""


def part_of_protein(text: str, start: int, end: int) -> bool:
    """Whether the words after a span make it part of the name of a protein.

    >>> part_of_protein("Na+/K+-ATPase", 0, 3), part_of_protein("Na+/K+ ratio", 0, 3)
    (True, False)
    """
    at = end
    for _ in range(_MOST_PARTNERS + 1):
        if _is_protein_at(text, start, at):
            return True
        partner = _PARTNER.match(text, at) or _SECOND_PARTNER.match(text, at)
        if partner is None:
            return False
        at = partner.end()
    return False


def _is_protein_at(text: str, start: int, at: int) -> bool:
    if _REGULATOR.match(text, at) or _ACTING.match(text, at):
        return True
    gene = _GENE.match(text, at)
    if gene is not None and (gene["code"] is None or gene["code"][0].lower() == text[start].lower()):
        return True
    if text[start:at].isupper() and _GENE_IN_CAPITALS.match(text, at) and not text.isupper():
        return True
    following = _NEXT.match(text, at)
    if following is not None and (following[1].lower() in _PARTS or names_protein(following[1].lower())):
        return True
    adjective = _ADJECTIVE.match(text, at)
    if adjective is None or (adjective["sensitive"] and not _IN_CELLS.fullmatch(text, start, at)):
        return False
    return _is_protein_phrase(text, adjective.end())


def _is_protein_phrase(text: str, at: int) -> bool:
    """Whether a protein is named within a few words: `protein kinase`, `K+ channels`, `cassette transporter`."""
    before = ""
    for _ in range(_MOST_WORDS):
        word = _NEXT_WORD.match(text, at)
        if word is None or word[1].lower() in _NO_NAME:
            return False
        last = word[1].rpartition("-")[2] or word[1]
        if (
            _PROTEIN_HEADS.fullmatch(last)
            or _PROTEIN_HEADS.fullmatch(f"{before} {last}")
            or names_protein(last.lower())
        ):
            return True
        at, before = word.end(), word[1]
    return False


# The metal lead, as opposed to the verb and the other nouns. Of 6,661 places of the word in 8,225 open articles most
# are verbs, so the word alone is no evidence. The metal shows by its neighbours: what is measured (`blood lead`, `lead
# exposure`, `toxicity of lead`), another element in the same list (`cadmium, lead and zinc`), its symbol (`lead
# (Pb)`), a hyphen (`lead-induced`). In an article that shows it, the other places count as well, unless their
# neighbours belong to another meaning (`may lead`, `lead author`, `lead II`).

_WORD = "lead"
_LEAD = re.compile(r"(?<![\w-])(?:[Ll]ead|LEAD)(?![^\W_])")
_OF_METAL = (
    "absorption|accumulation|acid batter(?:y|ies)|ammunition|bioaccumulation|body burden|bullets?|burden|chelation"
    "|concentrations?|content|contamination|deposition|dust|encephalopathy|excretion|exposures?|glass|hazards?"
    "|ingestion|intake|intoxication|ions?|isotopes?|levels?|load|mines?|mining|mobili[sz]ation|nephropathy"
    "|neurotoxicity|ores?|paint|particles|pellets?|pipes?|poisoning|pollution|removal|salts?|shots?|smelters?|smelting"
    "|solder|status|stress|tolerance|toxicity|toxicosis|uptake"
)
"""What a metal has, causes or is used for; said of `lead` it means the metal."""
_ADJECTIVES = (
    "accumulating|adsorption|associated|based|binding|burdened|chelating|contaminated|containing|exposed|fed|free|glazed"
    "|induced|intoxicated|loaded|poisoned|polluted|resistant|stressed|tolerant|treated"
)
_SAMPLES = (
    "air|airborne|atmospheric|blood|bone|cord|dentine?|dietary|dissolved|enamel|environmental|hair|inorganic|kidney|liver"
    "|metallic|patellar?|plasma|renal|sediment|serum|soil|teeth|tetraethyl|tibial?|tooth|urinary|urine|water"
)
"""What lead is measured in, and its forms."""
_METALS = "|".join(
    sorted({name for name in ELEMENTS.values() if name != _WORD} | {"aluminium", "caesium", "heavy metals", "asbestos"})
)
_SYMBOLS = "|".join(sorted(symbol for symbol in ELEMENTS if len(symbol) == 2))
_ELEMENT = rf"(?:(?i:{_METALS})s?|(?:{_SYMBOLS})(?:\d?\+)?)(?![^\W_])"
_LIST = r"(?:, (?:and |or )?| and | or |/| & |, as well as | plus |; )"
_MEASURED = (
    "absorption|accumulation|adsorption|amounts?|bioavailability|concentrations?|content|determination|distribution|doses?"
    "|effects?|excretion|exposure|ingestion|inhalation|intake|levels?|neurotoxicity|removal|sources?|toxicity|traces?|uptake"
)
_SHOWN_AFTER = re.compile(
    rf"[ -](?:{_OF_METAL})(?![^\W_])|[-‐‑–](?:{_ADJECTIVES})(?![^\W_])|[ ]?\((?:Pb|II\b|IV\b)|, ?Pb\b| \[Pb\b| ?= ?Pb\b"
    rf"|(?:,|:| ?=)? ?\d+(?:\.\d+)? ?(?:[mnµμ]g|pp[bm])(?![^\W_])"
    rf"|{_LIST}{_ELEMENT}",
    re.IGNORECASE,
)
_COMPOUND_OF_LEAD = re.compile(
    r" (?:(?:sub)?acetate|azide|bromide|carbonate|chloride|chromate|citrate|halides?|iodide|nitrate|oxide|perovskites?"
    r"|phosphate|stearate|sul(?:f|ph)(?:ate|ide)|titanate|zirconate)s?(?![^\W_])",
    re.IGNORECASE,
)
"""A name that is longer than `lead`, which taggers find as a whole."""
_SHOWN_BEFORE = re.compile(
    rf"(?:(?<![^\W_])(?:{_SAMPLES}):? |(?<![^\W_])(?:{_MEASURED}) of |(?<![^\W_])expos(?:ed|ure) to "
    rf"|\bPb(?: ?[=:]|\)?,| \() ?|(?<![^\W_]){_ELEMENT}{_LIST})$",
    re.IGNORECASE,
)
_OTHER_AFTER = re.compile(
    r" (?:a|agents?|agency|all|an|apron|authors?|by|candidates?|cells?|clinicians?|coach|compounds?|directly|fields?"
    r"|him|inevitably|insertion|into|investigators?|me|molecules?|national|on to|optimi[sz]ation|organi[sz]ation|people"
    r"|placement|researchers?|roles?|series|singer|SNPs?|structures?|teachers?|the|them|times?|to|up|us|variants?|wires?"
    r"|[IVX]+|V\d|aV[RLF]|ECGs?|electrocardiogra\w+)(?![^\W_])|[-‐‑–](?:author|field|in|like|off|out|SNP|time|up)(?![^\W_])"
)
_OTHER_BEFORE = re.compile(
    r"(?<![^\W_])(?:an?|also|and|can|could|did|do|does|ECG|electrode|eventually|factors|finally|have|I|it|may|might|must"
    r"|not|often|only|pacing|possibly|promising|shall|should|single|take[ns]?|taking|that|the|then|they|thereby|these|thus"
    r"|to|took|ultimately|usually|we|which|who|will|would|you|\d+)[ -]$",
    re.IGNORECASE,
)
_OBJECT_OF_VERB = re.compile(r" (?:to|the|us|them|an?)(?![^\W_])", re.IGNORECASE)
"""What follows the verb."""
_REACH = 40
"""Characters before and after the word that are read."""


def metal_places(texts: Sequence[str]) -> list[list[Span]]:
    """For each text of one article: the places of the word that mean the metal, outside of names of compounds."""
    shown = [
        [match.span() for match in _LEAD.finditer(text) if not _COMPOUND_OF_LEAD.match(text, match.end())]
        for text in texts
    ]
    sure = [[span for span in spans if _shows_metal(text, span)] for text, spans in zip(texts, shown, strict=True)]
    if not any(sure):
        return sure
    return [
        [span for span in spans if span in known or not has_other_meaning(text, span)]
        for text, spans, known in zip(texts, shown, sure, strict=True)
    ]


def is_lead(text: str) -> bool:
    """Whether a text is the word, in any case."""
    return text.casefold() == _WORD


def _shows_metal(text: str, span: Span) -> bool:
    """Whether the neighbours of the word show that it is the metal."""
    if _SHOWN_AFTER.match(text, span[1], span[1] + _REACH):
        return True
    before = _SHOWN_BEFORE.search(text, max(0, span[0] - _REACH), span[0])
    return before is not None and not _OBJECT_OF_VERB.match(text, span[1])


def has_other_meaning(text: str, span: Span) -> bool:
    """Whether the neighbours of the word belong to another meaning, and none shows the metal."""
    if _shows_metal(text, span):
        return False
    before = _OTHER_BEFORE.search(text, max(0, span[0] - _REACH), span[0])
    return before is not None or _OTHER_AFTER.match(text, span[1], span[1] + _REACH) is not None
