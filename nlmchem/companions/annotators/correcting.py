"""A corrected copy of annotations: what `nlmchem verify` found wrong and can correct with certainty.

An identifier that was replaced gets its successor; one that is wrong gets the concept of the sieves, if that one is
sure, else it is removed. Spans and texts are not changed. Each mention gets the reason.
"""

from __future__ import annotations

from collections.abc import Iterable

from corpora.model.document import clear_identifiers, set_identifiers
from nlmchem.companions.annotators import infons
from nlmchem.companions.annotators.verdict import Finding, Verdict

_CORRECTED = (Finding.REPLACED, Finding.DEFINITION, Finding.OTHER_CONCEPT)
_REMOVED = (Finding.FORM, Finding.UNKNOWN, Finding.KIND)


def correct(verdicts: Iterable[Verdict], sure: float) -> int:
    """Correct the mentions of verdicts, and write into each what was found. Returns the number of changes."""
    changed = 0
    for verdict in verdicts:
        changed += _correct(verdict, sure)
    return changed


def _correct(verdict: Verdict, sure: float) -> bool:
    mention, before = verdict.mention, verdict.mention.identifiers
    is_sure = verdict.finding is Finding.REPLACED or (verdict.probability or 0.0) >= sure
    if verdict.suggested and is_sure and verdict.finding in (*_CORRECTED, *_REMOVED):
        after = tuple(dict.fromkeys(verdict.suggested))
    elif verdict.finding in _REMOVED:
        after = ()
    else:
        infons.set_verdict(mention, f"{verdict.finding}: {verdict.reason}")
        return False
    clear_identifiers(mention)
    set_identifiers(mention, after)
    change = f"{','.join(before)} -> {','.join(after) or '-'}"
    infons.set_verdict(mention, f"changed {change}: {verdict.finding}: {verdict.reason}")
    return True
