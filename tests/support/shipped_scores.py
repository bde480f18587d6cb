"""The scores of the models that ship, on an article of our own, and the scores that were recorded when they were made.

    python tests/support/shipped_scores.py tests/nlmchem/test_shipped_models.py

records the scores of the models of a test again, in `shipped_scores.json` beside it.
"""

from __future__ import annotations

import json
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bioc import BioCDocument

from corpora.datasets.articles import article
from corpora.model.document import add_mention, fresh_ids, set_identifiers
from sieves.lexicon.lexicon import Lexicon

Model = Callable[[Lexicon], dict[str, float]]
"""The scores of a model, in their order."""
FILE = "shipped_scores.json"

NAMES = {"cadmium": "D002104", "zinc": "D015032", "EDTA": "D004492", "glutathione": "D005978", "water": "D014867"}
TEXTS = (
    ("TITLE", "title", "Uptake of cadmium and zinc by rice roots"),
    (
        "ABSTRACT",
        "abstract",
        "Rice roots take up cadmium. With EDTA in the water, the uptake of cadmium by roots fell.",
    ),
    ("INTRO", "paragraph", "Cadmium uptake by rice is a risk. In most plants glutathione (GSH) binds cadmium or zinc."),
    ("METHODS", "paragraph", "Plants grew in water with 2 mM EDTA. GSH was measured by HPLC and RT-PCR; ROS by DCF."),
    (
        "RESULTS",
        "paragraph",
        "EDTA lowered the cadmium uptake of rice roots, and Cd-GSH rose. Zinc uptake was the same.",
    ),
)


def paper(linked: bool = False) -> BioCDocument:
    """The article; `linked`: with mentions."""
    document = article("1", [(text, section, kind) for section, kind, text in TEXTS])
    ids = fresh_ids(document, "C")
    for passage in document.passages if linked else ():
        for found in re.finditer("|".join(NAMES), passage.text):
            span = (passage.offset + found.start(), passage.offset + found.end())
            mention = add_mention(passage, [span], id=next(ids), annotator="test")
            set_identifiers(mention, [f"MESH:{NAMES[found.group()]}"])
    return document


def assert_recorded(test: str, model: Model) -> None:
    """The scores equal those beside the test, up to the last digits of float32, in which processors differ."""
    recorded = json.loads(Path(test).with_name(FILE).read_text("utf-8"))[model.__name__]
    with Lexicon.open() as lexicon:
        scores = model(lexicon)
    assert list(scores) == list(recorded)
    assert scores == pytest.approx(recorded, rel=1e-6, abs=1e-7)


def main() -> None:
    for test in sys.argv[1:]:
        with Lexicon.open() as lexicon:
            scores = {model.__name__: model(lexicon) for model in runpy.run_path(test)["MODELS"]}
        text = json.dumps(scores, indent=1, ensure_ascii=False)
        Path(test).with_name(FILE).write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
