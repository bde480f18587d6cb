"""`Pipeline.explain`: the texts that stand are the mentions of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from bioc import BioCDocument

import nlmchem
from nlmchem.api.pipeline import Pipeline
from nlmchem.tagging.lexicon_tagger import LexiconTagger


def standing(nlp: Pipeline, text: str) -> set[str]:
    return {row.text for row in nlp.explain(text) if row.stands}


def test_mentions_with_a_low_score_do_not_stand() -> None:
    text = "Rats were given glucose, NO and DHA; docosahexaenoic acid (DHA) lowered LPS and TNF in PBS."
    score, lowest = min((mention.score or 0.0, mention.text) for mention in nlmchem.load()(text).mentions)
    nlp = nlmchem.load(min_score=score + 0.0001)
    assert standing(nlp, text) == {mention.text for mention in nlp(text).mentions} != set()
    (row,) = (row for row in nlp.explain(text) if row.text == lowest)
    assert row.why.endswith("is too low")


@pytest.mark.parametrize("steps", ["tag", "abbreviate,tag"])
def test_short_forms_stand_where_the_pipeline_has_the_step_abbreviate(steps: str) -> None:
    nlp = nlmchem.load(tagger="lexicon", steps=steps)
    text = "Rats had docosahexaenoic acid (DHA)."
    assert standing(nlp, text) == {mention.text for mention in nlp(text).mentions}


@pytest.mark.parametrize("decision", ["learnt", "knowledge"])
def test_what_the_article_defines_stands_with_its_reason(decision: str) -> None:
    text = "Rice had low nitrogen (LN) or high nitrogen. Under LN, roots were longer."
    nlp = nlmchem.load(decision=decision)
    assert standing(nlp, text) == {mention.text for mention in nlp(text).mentions} == {"nitrogen", "LN"}
    (row,) = (row for row in nlp.explain(text) if row.text == "LN")
    assert row.why.endswith("; marked as the short form of 'low nitrogen'")
    assert row.stands == 2


def test_threads_get_the_rows_of_their_own_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    tag, both_tagged = LexiconTagger.__call__, Barrier(2, timeout=60)

    def tag_and_wait(self: LexiconTagger, documents: Sequence[BioCDocument]) -> None:
        tag(self, documents)
        both_tagged.wait()

    nlp = nlmchem.load(lexicon="starter", tagger="lexicon", steps="tag")
    monkeypatch.setattr(LexiconTagger, "__call__", tag_and_wait)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(standing, [nlp, nlp], ["glucose", "zinc"])) == [{"glucose"}, {"zinc"}]
