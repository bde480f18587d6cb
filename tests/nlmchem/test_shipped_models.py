"""The models that ship give the scores that were recorded when they were made, on an article of our own.

To record the scores again after another training:

    python tests/support/shipped_scores.py tests/nlmchem/test_shipped_models.py
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from bioc import BioCDocument
from shipped_scores import Model, assert_recorded, paper

from indexing.terms.registry import open_indexer
from nlmchem.deciding.decision import open_decision
from nlmchem.tagging.inference.scoring import ScoredPassage
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.tokenization.word_pieces import Encoded
from sieves.lexicon.lexicon import Lexicon


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


def decision(lexicon: Lexicon) -> dict[str, float]:
    document = paper()
    candidates = open_decision("learnt", lexicon).score(document, tagged(document))
    spans, log_odds = candidates.features.spans, candidates.choice.log_odds
    return {" ".join(map(str, span)): float(score) for span, score in zip(spans, log_odds, strict=True)}


MODELS = (
    index_terms,
    decision,
)


@pytest.mark.parametrize("model", MODELS)
def test_the_scores_are_those_that_were_recorded(model: Model) -> None:
    assert_recorded(__file__, model)
