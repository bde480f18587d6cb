"""Training, the model file, the ranker and the stage."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bioc import BioCDocument

from corpora.errors import ArticleError, ConfigurationError, ResourceError
from corpora.model.passages import passage_text
from nlmchem.companions.keyphrases import frequencies
from nlmchem.companions.keyphrases.candidates import key_of
from nlmchem.companions.keyphrases.commands import as_object, explanation_as_object, explanation_as_text, tsv_lines
from nlmchem.companions.keyphrases.keyphrase import (
    Keyphrase,
    KeyphraseStage,
    add_keyphrases,
    keyphrases,
    remove_keyphrases,
)
from nlmchem.companions.keyphrases.model import (
    DEFAULT,
    KeyphraseModel,
    KeyphraseRanker,
    open_model,
    open_ranker,
    read,
    write,
)
from nlmchem.companions.keyphrases.training import KeyphraseTraining, label, label_with, train

Make = Callable[..., BioCDocument]
OPTIONS = KeyphraseTraining(trees=20)


@pytest.fixture
def model(labelled_documents: list[BioCDocument]) -> KeyphraseModel:
    return train(label(labelled_documents), frequencies.read(), OPTIONS, report=lambda _: None)


@pytest.fixture
def ranker() -> KeyphraseRanker:
    return open_ranker(number=5)


@pytest.fixture
def zinc(article: Make) -> BioCDocument:
    return article(
        [
            ("TITLE", "Zinc uptake in wheat roots"),
            ("ABSTRACT", "Zinc uptake of wheat depends on membrane transporters. We measured zinc uptake in roots."),
            ("RESULTS", "Membrane transporters were active. Zinc uptake was high in wheat."),
        ],
        keywords=["Zinc uptake"],
    )


def test_a_key_is_stemmed_like_a_candidate() -> None:
    assert key_of("Real-Time systems, (distributed)") == "real-time system distribut"


def test_articles_without_keywords_are_counted(labelled_documents: list[BioCDocument], article: Make) -> None:
    reports: list[str] = []
    found = label([*labelled_documents, article([("TITLE", "Zinc")])], reports.append)
    assert len(found) == 24
    assert reports == ["left out: 1 article without separate keywords of the authors"]
    assert found[0].gold == (("zinc uptak",),)


def test_keys_of_readers_come_from_a_file(labelled_documents: list[BioCDocument]) -> None:
    found = label_with(labelled_documents, {"3": [["Soil water", "water in soil"]]}, lambda _: None)
    assert [article.gold for article in found] == [(("soil water", "water in soil"),)]


def test_what_is_trained_ranks_the_topic_first(model: KeyphraseModel, article: Make) -> None:
    unseen = article(
        [
            ("TITLE", "Studies of iron storage"),
            ("ABSTRACT", "We measured iron storage in samples. Soil water was high."),
        ]
    )
    assert KeyphraseRanker(model, number=1)(unseen)[0].stem == "iron storag"


def test_the_same_training_gives_the_same_bytes(
    model: KeyphraseModel, labelled_documents: list[BioCDocument], tmp_path: Path
) -> None:
    again = train(label(labelled_documents[::-1]), frequencies.read(), OPTIONS, report=lambda _: None)
    for name, one in (("a", model), ("b", again)):
        write(tmp_path / name, one)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_model_ranks_the_same_after_writing(model: KeyphraseModel, zinc: BioCDocument, tmp_path: Path) -> None:
    write(tmp_path / "model.json", model)
    before, after = (KeyphraseRanker(one, number=5)(zinc) for one in (model, read(tmp_path / "model.json")))
    assert [one.stem for one in before] == [one.stem for one in after]
    assert [one.score for one in before] == pytest.approx([one.score for one in after], abs=1e-3)


def test_contributions_add_up_to_the_score(ranker: KeyphraseRanker, zinc: BioCDocument) -> None:
    found = ranker.explain(zinc)
    assert found.candidates[0].chosen
    for candidate in found.candidates:
        log_odds = found.base + sum(item.contribution or 0.0 for item in candidate.contributions)
        assert candidate.score == pytest.approx(1 / (1 + np.exp(-log_odds)))


def test_training_needs_ten_articles(labelled_documents: list[BioCDocument]) -> None:
    with pytest.raises(ConfigurationError, match="9 articles with keyphrases, but training needs 10"):
        train(label(labelled_documents[:9]), frequencies.read(), OPTIONS)


def test_training_needs_keys_that_occur(labelled_documents: list[BioCDocument]) -> None:
    for document in labelled_documents:
        document.passages[0].infons["kwd_0"] = "quantum gravity"
    with pytest.raises(ConfigurationError, match="no keyphrase occurs in its article"):
        train(label(labelled_documents), frequencies.read(), OPTIONS)


def test_a_broken_model_is_one_sentence(tmp_path: Path) -> None:
    content = json.loads(DEFAULT.read_text("utf-8"))
    prior = {**content["values"]["prior"], "words": {"a": float("inf")}}
    for change, problem in (({"prior": {}}, "prior has no 'phrases'"), ({"prior": prior}, "a prior is not finite")):
        broken = {**content, "values": {**content["values"], **change}}
        (tmp_path / "model.json").write_text(json.dumps(broken), "utf-8")
        with pytest.raises(ResourceError, match=problem):
            read(tmp_path / "model.json")


def test_the_embedded_files_are_small() -> None:
    assert DEFAULT.stat().st_size + frequencies.DEFAULT.stat().st_size < 5_000_000
    assert "CC BY" in open_model(None).card["data"]
    assert "CC BY" in frequencies.read().notes["licence"]
    assert open_model(None).threshold > 0


def test_places_are_the_spans_of_the_phrase(ranker: KeyphraseRanker, zinc: BioCDocument) -> None:
    found = {one.stem: one for one in ranker(zinc)}["zinc uptak"]
    text = "\n".join(passage_text(passage) for passage in zinc.passages)
    assert [text[start:end] for start, end in found.places] == [
        "Zinc uptake",
        "Zinc uptake",
        "zinc uptake",
        "Zinc uptake",
    ]


def test_the_keywords_of_the_authors_are_not_used(ranker: KeyphraseRanker, zinc: BioCDocument) -> None:
    before = ranker(zinc)
    zinc.passages[0].infons["kwd_0"] = "membrane transporters"
    zinc.passages[0].infons["kwd"] = "membrane transporters"
    assert ranker(zinc) == before


def test_a_number_or_a_threshold(zinc: BioCDocument) -> None:
    assert [one.rank for one in open_ranker(number=3)(zinc)] == [1, 2, 3]
    assert open_ranker(threshold=1.0)(zinc) == []
    scores = [one.score for one in open_ranker(threshold=0.1)(zinc)]
    assert all(score is not None and score >= 0.1 for score in scores)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"number": 3, "threshold": 0.5}, "cannot be used together"),
        ({"number": 0}, "give 1 or more"),
        ({"threshold": 1.5}, "from 0 to 1"),
    ],
)
def test_wrong_options(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        open_ranker(**options)


@pytest.mark.parametrize(
    "sections",
    [
        [],
        [("TITLE", "")],
        [("", "One sentence about zinc uptake without a section or a title.")],
        [("ABSTRACT", "An article without a title has zinc uptake.")],
        [("TITLE", "Aufnahme von Zink"), ("ABSTRACT", "Die Aufnahme von Zink in Wurzeln wurde gemessen.")],
        [("TITLE", "锌的吸收"), ("ABSTRACT", "锌 锌 锌")],
    ],
    ids=["no passage", "empty title", "one sentence", "no title", "German", "Chinese"],
)
def test_bad_input_gives_a_list(sections: list[tuple[str, str]], article: Make, ranker: KeyphraseRanker) -> None:
    document = article(sections)
    found = ranker(document)
    assert [one.rank for one in found] == list(range(1, len(found) + 1))
    assert len(ranker.explain(document).candidates) >= len(found)


def test_keyphrases_are_annotations_without_location(ranker: KeyphraseRanker, zinc: BioCDocument) -> None:
    KeyphraseStage(ranker)([zinc])
    annotation = zinc.passages[0].annotations[0]
    assert (annotation.id, annotation.infons["type"], annotation.infons["rank"]) == ("KP1", "Keyphrase", "1")
    assert not annotation.locations
    again = list(keyphrases(zinc))
    assert [(one.stem, one.places) for one in again] == [(one.stem, one.places) for one in ranker(zinc)]
    assert remove_keyphrases(zinc) == 5
    assert list(keyphrases(zinc)) == []


def test_existing_keyphrases(ranker: KeyphraseRanker, zinc: BioCDocument) -> None:
    add_keyphrases(zinc, [Keyphrase("old", "old", 1)])
    KeyphraseStage(ranker, "keep")([zinc])
    assert [one.phrase for one in keyphrases(zinc)] == ["old"]
    with pytest.raises(ArticleError, match="1 keyphrases already"):
        KeyphraseStage(ranker, "error")([zinc])
    KeyphraseStage(ranker, "replace")([zinc])
    assert len(list(keyphrases(zinc))) == 5


def test_a_stage_accepts_an_article_without_passages(ranker: KeyphraseRanker, article: Make) -> None:
    document = article([])
    KeyphraseStage(ranker)([document])
    assert document.passages == []


def test_broken_infons_of_keyphrases_are_read(article: Make) -> None:
    document = article([("TITLE", "Zinc")])
    add_keyphrases(document, [Keyphrase("zinc", "zinc", 7, 0.5, ((0, 4),))])
    document.passages[0].annotations[0].infons |= {"rank": "x", "score": "nan", "places": "a-b 1-2"}
    assert list(keyphrases(document)) == [Keyphrase("zinc", "zinc", 1, None, ((1, 2),))]


def test_lines_for_people_and_programs(ranker: KeyphraseRanker, zinc: BioCDocument) -> None:
    found = ranker(zinc)
    value = as_object("1", found)
    assert value["keyphrases"][0]["phrase"] == found[0].phrase
    assert next(tsv_lines("a\tb", found)).split("\t")[:2] == ["a b", "1"]
    explanation = ranker.explain(zinc)
    lines = list(explanation_as_text(explanation, candidates=2, reasons=1))
    assert len(lines) == 3
    assert lines[1].startswith("-> ")
    assert explanation_as_object(explanation)["candidates"][0]["chosen"] is True
