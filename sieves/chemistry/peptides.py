"""Short peptides with protecting groups, in one-letter codes: `Z-VAD-FMK`, `Ac-DEVD-pNA`.

Inhibitors and substrates of proteases are sold under such codes; MeSH writes their residues out. Source of the
residues' names: IUPAC-IUB JCBN 1984, Eur J Biochem 138:9, "Nomenclature and symbolism for amino acids and peptides".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["protected"]

_RESIDUES = (
    "A alanyl|R arginyl|N asparaginyl|D aspartyl|C cysteinyl|Q glutaminyl|E glutamyl|G glycyl|H histidyl|I isoleucyl|"
    "L leucyl|K lysyl|M methionyl|F phenylalanyl|P prolyl|S seryl|T threonyl|W tryptophyl|Y tyrosyl|V valyl"
)
_ACYL = {row[0]: row[2:] for row in _RESIDUES.split("|")}
_ACID = {"D": "aspartic acid", "E": "glutamic acid"}
_FRONT = {
    "Ac": "acetyl",
    "Z": "benzyloxycarbonyl",
    "Cbz": "benzyloxycarbonyl",
    "Boc": "tert-butyloxycarbonyl",
    "Suc": "succinyl",
    "Bz": "benzoyl",
}
_END = {
    "pna": "p-nitroanilide",
    "fmk": "fluoromethyl ketone",
    "cmk": "chloromethyl ketone",
    "amc": "7-amino-4-methylcoumarin",
    "afc": "7-amino-4-trifluoromethylcoumarin",
}
_CODE = re.compile(
    rf"(?P<front>{'|'.join(_FRONT)}|z)[- ]?(?P<letters>[{''.join(_ACYL)}]{{2,6}})(?:\(OMe\))?[- ]{{1,2}}"
    rf"(?P<end>{'|'.join(_END)}|cho)",
    re.I,
)


def protected(text: str) -> Iterator[str]:
    """Names of a peptide code with a protecting group before and a group behind it.

    >>> list(protected("Ac-DEVD-pNA"))[1], list(protected("Ac-LEHD-CHO"))
    ('acetyl-aspartyl-glutamyl-valyl-aspartic acid p-nitroanilide', ['acetyl-leucyl-glutamyl-histidyl-aspartal'])
    """
    found = _CODE.fullmatch(text)
    if found is None or not found["letters"].isupper():
        return
    letters, end = found["letters"], found["end"].lower()
    residues = [_FRONT[found["front"].capitalize()], *(_ACYL[letter] for letter in letters[:-1])]
    last = _ACYL[letters[-1]]
    if end == "cho":
        yield "-".join([*residues, f"{last.removesuffix('yl')}al"])
        return
    # MeSH has the last residue as an acyl in some names, as the acid in others.
    for form in (last, _ACID.get(letters[-1])):
        if form:
            yield f"{'-'.join([*residues, form])} {_END[end]}"
