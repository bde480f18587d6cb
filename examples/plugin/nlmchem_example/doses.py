"""A step: notes in each passage how many doses stand in it, such as `5 mg/kg`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bioc import BioCDocument

from corpora.commands.options import option
from nlmchem.run.step import Context, Stage, Step

_NUMBER = r"\d+(?:\.\d+)?\s?"


@dataclass(frozen=True)
class DoseOptions:
    """The options of the step."""

    units: tuple[str, ...] = option(("mg/kg", "mg"), "Units of doses, joined by commas.", metavar="UNIT,...")


def _stage(options: DoseOptions, context: Context) -> Stage:
    dose = re.compile(_NUMBER + f"(?:{'|'.join(map(re.escape, options.units))})")

    def count(documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            for passage in document.passages:
                passage.infons["doses"] = str(len(dose.findall(passage.text or "")))

    return count


def _count(document: BioCDocument) -> dict[str, int]:
    return {"doses": sum(int(passage.infons["doses"]) for passage in document.passages)}


STEP = Step("doses", DoseOptions, _stage, after="abbreviate", count=_count)
