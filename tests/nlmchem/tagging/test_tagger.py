"""The tagging stage: several models, minimum scores, skipped sections."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from bioc import BioCDocument

from corpora.errors import ResourceError
from corpora.model.document import mentions
from nlmchem.tagging.inference.spans import ScoredSpan
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions, vote
from nlmchem.tagging.training.scores import bare


def test_spans_of_half_of_the_models_are_kept() -> None:
    one, two, three = (
        [ScoredSpan(0, 5, 0.9), ScoredSpan(10, 12, 0.6)],
        [ScoredSpan(0, 5, 0.7), ScoredSpan(9, 12, 0.8)],
        [ScoredSpan(9, 12, 0.4)],
    )
    assert vote([one, two, three]) == [ScoredSpan(0, 5, pytest.approx(1.6 / 3)), ScoredSpan(9, 12, pytest.approx(0.4))]
    assert vote([[], [], []]) == []


def test_models_with_one_vocabulary_are_averaged_and_others_vote(
    make_model: Callable[..., Path], articles: list[BioCDocument]
) -> None:
    one, two, other = (load_model(make_model(a, seed=s)) for a, s in (("bert", 1), ("bert", 2), ("roberta", 3)))

    def spans(*models: object) -> list[tuple]:
        copies = [bare(document) for document in articles]
        NeuralTagger(models, TaggerOptions(rules=Rules.parse("none")))(copies)  # type: ignore[arg-type]
        return [(d.id, m.spans, m.evidence.score, m.annotator) for d in copies for m in mentions(d)]

    together = spans(one, two)
    assert together
    assert together != spans(one)
    assert "tiny-bert+tiny-bert@" in together[0][3]
    # The order of the models changes no span and no score.
    assert [row[:3] for row in spans(one, two, other)] == [row[:3] for row in spans(other, one, two)]
    assert [row[:3] for row in spans(one, one)] == [row[:3] for row in spans(one)]


def test_mentions_below_the_minimum_score_are_left_out(
    make_model: Callable[..., Path], articles: list[BioCDocument]
) -> None:
    model = load_model(make_model("bert"))
    every, sure = [bare(document) for document in articles], [bare(document) for document in articles]
    NeuralTagger([model])(every)
    threshold = float(np.median([m.evidence.score for d in every for m in mentions(d)]))
    NeuralTagger([model], TaggerOptions(min_score=threshold))(sure)
    kept = {(d.id, m.spans) for d in sure for m in mentions(d)}
    assert kept == {(d.id, m.spans) for d in every for m in mentions(d) if m.evidence.score >= threshold}


def test_an_outside_bias_adds_mentions_and_changes_the_version(
    make_model: Callable[..., Path], articles: list[BioCDocument]
) -> None:
    folder = make_model("bert")

    def marked_characters() -> int:
        copies = [bare(document) for document in articles]
        NeuralTagger([load_model(folder)], TaggerOptions(rules=Rules.parse("none")))(copies)
        return sum(end - start for d in copies for m in mentions(d) for start, end in m.spans)

    plain, version = marked_characters(), load_model(folder).version
    (folder / "nlmchem.json").write_text('{"outside_bias": 1.5}')
    assert marked_characters() > plain
    assert load_model(folder).version != version
    (folder / "nlmchem.json").write_text('{"outside_bias": "much"}')
    with pytest.raises(ResourceError, match="has the outside_bias 'much'"):
        load_model(folder)


def test_skipped_sections_are_not_tagged(make_model: Callable[..., Path], articles: list[BioCDocument]) -> None:
    document = bare(articles[0])
    document.passages[1].infons["section_type"] = "REF"
    NeuralTagger([load_model(make_model("bert"))], TaggerOptions(skip_sections=frozenset({"REF"})))([document])
    assert {id(m.passage) for m in mentions(document)} <= {id(document.passages[0]), id(document.passages[2])}
    assert list(mentions(document))
