"""The metal lead, as opposed to the verb and the other nouns: which places of the word mean the metal.

Of 6,661 places in 8,225 open articles most are verbs, so the word alone is no evidence. The metal shows by its
neighbours: what is measured (`blood lead`, `lead exposure`, `toxicity of lead`), another element in the same list
(`cadmium, lead and zinc`), its symbol (`lead (Pb)`), a hyphen (`lead-induced`). In an article that shows it, the other
places count as well, unless their neighbours belong to another meaning (`may lead`, `lead author`, `lead II`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from corpora.model.document import Span
from sieves.chemistry.elements import ELEMENTS

WORD = "lead"
_LEAD = re.compile(r"(?<![\w-])(?:[Ll]ead|LEAD)(?![^\W_])")
_HEADS = (
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
    sorted({name for name in ELEMENTS.values() if name != WORD} | {"aluminium", "caesium", "heavy metals", "asbestos"})
)
_SYMBOLS = "|".join(sorted(symbol for symbol in ELEMENTS if len(symbol) == 2))
_ELEMENT = rf"(?:(?i:{_METALS})s?|(?:{_SYMBOLS})(?:\d?\+)?)(?![^\W_])"
_LIST = r"(?:, (?:and |or )?| and | or |/| & |, as well as | plus |; )"
_MEASURED = (
    "absorption|accumulation|adsorption|amounts?|bioavailability|concentrations?|content|determination|distribution|doses?"
    "|effects?|excretion|exposure|ingestion|inhalation|intake|levels?|neurotoxicity|removal|sources?|toxicity|traces?|uptake"
)
_AFTER = re.compile(
    rf"[ -](?:{_HEADS})(?![^\W_])|[-‐‑–](?:{_ADJECTIVES})(?![^\W_])|[ ]?\((?:Pb|II\b|IV\b)|, ?Pb\b| \[Pb\b| ?= ?Pb\b"
    rf"|(?:,|:| ?=)? ?\d+(?:\.\d+)? ?(?:[mnµμ]g|pp[bm])(?![^\W_])"
    rf"|{_LIST}{_ELEMENT}",
    re.IGNORECASE,
)
_COMPOUND = re.compile(
    r" (?:(?:sub)?acetate|azide|bromide|carbonate|chloride|chromate|citrate|halides?|iodide|nitrate|oxide|perovskites?"
    r"|phosphate|stearate|sul(?:f|ph)(?:ate|ide)|titanate|zirconate)s?(?![^\W_])",
    re.IGNORECASE,
)
"""A name that is longer than `lead`, which taggers find as a whole."""
_BEFORE = re.compile(
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
_OBJECT = re.compile(r" (?:to|the|us|them|an?)(?![^\W_])", re.IGNORECASE)
"""What follows the verb."""
_REACH = 40
"""Characters before and after the word that are read."""


def metal_places(texts: Sequence[str]) -> list[list[Span]]:
    """For each text of one article: the places of the word that mean the metal, outside of names of compounds."""
    shown = [list(_places(text)) for text in texts]
    sure = [[span for span in spans if _is_shown(text, span)] for text, spans in zip(texts, shown, strict=True)]
    if not any(sure):
        return sure
    return [
        [span for span in spans if span in known or not has_other_meaning(text, span)]
        for text, spans, known in zip(texts, shown, sure, strict=True)
    ]


def is_lead(text: str) -> bool:
    """Whether a text is the word, in any case."""
    return text.casefold() == WORD


def _places(text: str) -> Iterable[Span]:
    return (match.span() for match in _LEAD.finditer(text) if not _COMPOUND.match(text, match.end()))


def _is_shown(text: str, span: Span) -> bool:
    """Whether the neighbours of the word show that it is the metal."""
    if _AFTER.match(text, span[1], span[1] + _REACH):
        return True
    before = _BEFORE.search(text, max(0, span[0] - _REACH), span[0])
    return before is not None and not _OBJECT.match(text, span[1])


def has_other_meaning(text: str, span: Span) -> bool:
    """Whether the neighbours of the word belong to another meaning, and none shows the metal."""
    if _is_shown(text, span):
        return False
    before = _OTHER_BEFORE.search(text, max(0, span[0] - _REACH), span[0])
    return before is not None or _OTHER_AFTER.match(text, span[1], span[1] + _REACH) is not None
