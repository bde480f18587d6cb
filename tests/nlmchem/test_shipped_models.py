"""The models that ship give the scores that were recorded when they were made, on an article of our own.

After another training, `python tests/nlmchem/test_shipped_models.py` records the scores again.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from bioc import BioCDocument

from corpora.datasets.document_builder import article
from corpora.model.document import add_mention, fresh_ids, set_identifiers
from corpora.pairs.pair import ContextPair
from indexing.terms.registry import open_indexer
from nlmchem.companions.keyphrases.ranker import open_ranker
from nlmchem.companions.pairs.features import open_features
from nlmchem.companions.pairs.solver import Solver
from nlmchem.companions.senses.resolver import open_resolver
from nlmchem.deciding.registry import open_decision
from nlmchem.tagging.inference.scoring import ScoredPassage
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.tokenization.word_pieces import Encoded
from sieves.lexicon.lexicon import Lexicon

RECORDED = Path(__file__).with_name("shipped_scores.json")
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


def tagged(document: BioCDocument) -> list[PassageSpans]:
    """Each word is a piece; capitals and short names are probable mentions."""
    made = []
    for passage in document.passages:
        pieces = [match.span() for match in re.finditer(r"\S+", passage.text)]
        inside = [0.9 if re.search("[A-Z]{2}|admium", passage.text[slice(*span)]) else 0.05 for span in pieces]
        rows = np.array([(1 - share, share * 0.75, share * 0.25) for share in inside], np.float32)
        zeros = np.zeros(len(pieces), np.int32)
        starts, ends = np.array(pieces, np.int32).T
        scored = ScoredPassage(Encoded(zeros, starts, ends, zeros.astype(bool)), rows, zeros.astype(np.int64))
        spans = [
            ScoredSpan(*span, 0.75)
            for span, share in zip(pieces, inside, strict=True)
            if share > 0.5 and passage.text[span[1] - 1].isalpha()
        ]
        made.append(PassageSpans(passage.text, [scored], spans))
    return made


def index_terms(lexicon: Lexicon) -> dict[str, float]:
    found = open_indexer(None, lexicon).explain(paper(linked=True))
    return {candidate.identifier: candidate.score for candidate in found.candidates}


def keyphrases(_: Lexicon) -> dict[str, float]:
    return {candidate.stem: candidate.score for candidate in open_ranker().explain(paper()).candidates}


def senses(_: Lexicon) -> dict[str, float]:
    answers = open_resolver().resolve(paper())
    named = ((answer.form, ((answer.long_form, answer.score), *answer.alternatives)) for answer in answers)
    return {f"{form}: {long}": score for form, own in named for long, score in own}


def decision(lexicon: Lexicon) -> dict[str, float]:
    document = paper()
    considered = open_decision("learnt", lexicon).consider(document, tagged(document))
    spans = considered.features.spans
    return {" ".join(map(str, span)): float(score) for span, score in zip(spans, considered.log_odds, strict=True)}


def pairs(lexicon: Lexicon) -> dict[str, float]:
    sentences = [text for _, _, text in TEXTS]
    terms = (("cadmium", 1, "Cd", 4), ("EDTA", 1, "EDTA", 4), ("glutathione", 2, "GSH", 3), ("cadmium", 0, "zinc", 2))
    make = open_features(lexicon)
    model = Solver(make).model
    scores = {}
    for term, first, other, second in terms:
        one, two = sentences[first], sentences[second]
        spans = [(text.index(own), text.index(own) + len(own)) for own, text in ((term, one), (other, two))]
        pair = ContextPair(term, other, one, two, spans[0], spans[1], "", None, "1")
        scores[f"{term}, {other}"] = float(model.probabilities(model.values(make.of(pair))))
    return scores


MODELS: tuple[Callable[[Lexicon], dict[str, float]], ...] = (index_terms, keyphrases, senses, decision, pairs)


@pytest.mark.parametrize("model", MODELS)
def test_the_scores_are_those_that_were_recorded(model: Callable[[Lexicon], dict[str, float]]) -> None:
    """Up to the last digits of float32, in which processors differ."""
    recorded = json.loads(RECORDED.read_text("utf-8"))[model.__name__]
    with Lexicon.open() as lexicon:
        found = model(lexicon)
    assert list(found) == list(recorded)
    assert found == pytest.approx(recorded, rel=1e-6, abs=1e-7)


if __name__ == "__main__":
    with Lexicon.open() as opened:
        scores = {model.__name__: model(opened) for model in MODELS}
    text = json.dumps(scores, indent=1, ensure_ascii=False)
    (Path(sys.argv[1]) if len(sys.argv) > 1 else RECORDED).write_text(f"{text}\n", "utf-8")
