"""Short peptides with protecting groups, in one-letter codes: `Z-VAD-FMK`, `Ac-DEVD-pNA`.

Inhibitors and substrates of proteases are sold under such codes. MeSH writes the residues out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sieves.chemistry.amino_acids import ACYLS

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
    rf"(?P<front>{'|'.join(_FRONT)}|z)[- ]?(?P<letters>[{''.join(ACYLS)}]{{2,6}})(?:\(OMe\))?[- ]{{1,2}}"
    rf"(?P<end>{'|'.join(_END)}|cho)",
    re.I,
)


def protected(text: str) -> Iterator[str]:
    """Names of a peptide code between a protecting group and an end group.

    >>> list(protected("Ac-DEVD-pNA"))[1], list(protected("Ac-LEHD-CHO"))
    ('acetyl-aspartyl-glutamyl-valyl-aspartic acid p-nitroanilide', ['acetyl-leucyl-glutamyl-histidyl-aspartal'])
    """
    match = _CODE.fullmatch(text)
    if match is None or not match["letters"].isupper():
        return
    letters, end = match["letters"], match["end"].lower()
    residues = [_FRONT[match["front"].capitalize()], *(ACYLS[letter] for letter in letters[:-1])]
    last = ACYLS[letters[-1]]
    if end == "cho":
        yield "-".join([*residues, f"{last.removesuffix('yl')}al"])
        return
    # Some names of MeSH end in the acyl group of the last residue, others in the acid.
    for form in (last, _ACID.get(letters[-1])):
        if form:
            yield f"{'-'.join([*residues, form])} {_END[end]}"
