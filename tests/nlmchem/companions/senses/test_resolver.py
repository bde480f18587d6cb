"""What undefined short forms mean: the text of the article decides, and uncertain answers are not given."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from small_world import CELLS, TUMOURS, articles, text, using

from corpora.datasets.articles import article
from corpora.errors import ConfigurationError, ResourceError
from corpora.model.document import definitions
from corpora.model.metadata import is_english, word_counts
from corpora.model.short_forms import inferred_long_forms
from nlmchem.abbreviations import annotate, define
from nlmchem.companions.senses.building import BuildingOptions, read_records
from nlmchem.companions.senses.making import make_folder
from nlmchem.companions.senses.resolver import FILES, ExpandStage, Resolver, expand, open_resolver


def ignored(sentence: str) -> None:
    pass


def test_the_article_decides_the_sense(resolver: Resolver) -> None:
    for topic, sense in ((CELLS, "endoplasmic reticulum"), (TUMOURS, "estrogen receptor")):
        [answer] = resolver.resolve(using(topic, 900))
        assert (answer.form, answer.long_form) == ("ER", sense)
        assert answer.score > 0.8
        [(_, other)] = answer.alternatives
        assert answer.score + other < 1, "the rest is the probability of a sense outside the dictionary"


def test_a_form_that_the_dictionary_does_not_have_gets_no_answer(resolver: Resolver) -> None:
    [answer] = resolver.resolve(using(CELLS, 901, "The XQZ was seen."))
    assert (answer.form, answer.long_form, answer.score) == ("XQZ", None, 0.0)


def test_a_defined_form_is_not_resolved(resolver: Resolver) -> None:
    assert resolver.resolve(articles(1)[0]) == []


def test_expansions_are_annotations_that_never_count_as_definitions(resolver: Resolver) -> None:
    document = using(CELLS, 902, "The ER was seen.", "Then the ER grew, and a fatty acid (FA) was found.")
    annotate(document)
    before = list(definitions(document))
    assert expand(document, resolver) == 1
    assert list(definitions(document)) == before
    assert "ER" not in {one.short_form for one in definitions(document)}
    found = list(inferred_long_forms(document))
    assert [(one.short_form, one.long_form) for one in found] == [("ER", "endoplasmic reticulum")] * 2
    assert [one.alternatives[0][0] for one in found] == ["estrogen receptor"] * 2
    infons = next(a.infons for a in document.passages[0].annotations if "long_form" in a.infons)
    assert (infons["type"], infons["strategy"]) == ("ABBR", "Dictionary")
    assert all(len(passage.relations) == 0 for passage in document.passages[:1]), "no relation"


def test_a_second_run_replaces_the_expansions(resolver: Resolver) -> None:
    document = using(CELLS, 903)
    ExpandStage(resolver)([document])
    ExpandStage(resolver)([document])
    assert len(list(inferred_long_forms(document))) == 1


def test_below_the_threshold_nothing_is_written(resolver: Resolver) -> None:
    document = using(CELLS, 904)
    assert expand(document, resolver, threshold=1.0) == 0
    assert list(inferred_long_forms(document)) == []


def test_an_article_in_another_language_is_reported_and_skipped(resolver: Resolver) -> None:
    german = "Die ER wurde in allen Zellen gesehen, und die Werte der Gruppe waren nicht anders als bei uns. " * 9
    document = using(CELLS, 905, german * 4)
    document.passages = document.passages[:1]
    told: list[str] = []
    assert not is_english(word_counts(document))
    assert expand(document, resolver, report=told.append) == 0
    assert told == ["article 905 is not in English; its short forms are not expanded"]


def test_a_dictionary_without_background_answers_by_frequency_in_articles(tmp_path: Path) -> None:
    path = tmp_path / "dictionary.json"
    path.write_text(json.dumps({"ER": [["estrogen receptor", 30], ["endoplasmic reticulum", 9]]}))
    document = using(CELLS, 906, "The ER was seen in all of the samples.", text(CELLS, 1, 9))
    [answer] = open_resolver(path).resolve(document)
    assert (answer.long_form, answer.score) == ("estrogen receptor", pytest.approx(30 / 40))
    [same] = open_resolver(tmp_path).resolve(document)
    assert same.score == answer.score, "a folder of `corpora dictionary` is accepted"


def test_in_a_sentence_the_embedded_dictionary_helps_another_one(tmp_path: Path) -> None:
    path = tmp_path / "dictionary.json"
    path.write_text(json.dumps({"ER": [["estrogen receptor", 9], ["endoplasmic reticulum", 9]]}))
    resolver = open_resolver(path)
    for sentence, sense in (
        ("Misfolded proteins accumulate in the ER lumen and the Golgi.", "endoplasmic reticulum"),
        ("Hormone therapy of ER positive breast tumours with tamoxifen.", "estrogen receptor"),
    ):
        [answer] = resolver.resolve(article("1", [(sentence, None, "paragraph")]))
        assert answer.long_form == sense
    embedded = open_resolver()
    senses, counts = resolver.inventory.senses("ER"), word_counts(article("1", [(sentence, None, "paragraph")]))
    assert answer.score == pytest.approx(max(embedded.probabilities("ER", counts, senses)))
    assert embedded._model is not None
    weights = [embedded._model.weights(short=True, foreign=foreign) for foreign in (False, True)]
    assert weights[0] is not weights[1]
    assert resolver.version.endswith(embedded.version), "a run that continues must not mix two embedded dictionaries"


def test_an_acronym_with_300_senses_is_cut_off_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "dictionary.json"
    path.write_text(json.dumps({"ER": [[f"sense {number}", 301 - number] for number in range(1, 301)]}))
    told: list[str] = []
    [answer] = open_resolver(path, told.append).resolve(using(CELLS, 907))
    assert answer.long_form == "sense 1"
    assert len(told) == 1
    assert "1 short form has more than 64 senses (ER has 300); only the 64 most frequent" in told[0]


@pytest.mark.parametrize("name", FILES)
def test_a_missing_or_torn_file_is_one_sentence(trained: Path, tmp_path: Path, name: str) -> None:
    torn = tmp_path / "torn"
    shutil.copytree(trained, torn)
    path = torn / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ResourceError) as raised:
        open_resolver(torn)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)
    path.unlink()
    with pytest.raises(ResourceError, match=r"there is no (file|dictionary)|cannot be read"):
        open_resolver(torn if name != "dictionary.tsv.gz" else path)


def test_files_of_two_dictionaries_are_refused(trained: Path, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed"
    shutil.copytree(trained, mixed)
    records = read_records(articles(60)[:1] + articles(60), lambda document: define(document).definitions)
    first = records.records[0]
    records.records[0] = replace(first, document="x", pairs=(*first.pairs, ("NEW", "new word", 1)), year=None, names=())
    make_folder(records, tmp_path / "other", ignored, options=BuildingOptions(words=500, terms=20, width=8))
    shutil.copy(tmp_path / "other" / "dictionary.tsv.gz", mixed)
    with pytest.raises(ResourceError, match=r"belongs to a dictionary of 2 senses, not of 3; keep files together"):
        open_resolver(mixed)


def test_training_gives_the_same_bytes_again(trained: Path, tmp_path: Path) -> None:
    records = read_records(articles(), lambda document: define(document).definitions)
    made = make_folder(records, tmp_path, ignored, options=BuildingOptions(words=500, terms=20, width=8))
    for path in sorted(trained.iterdir()):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    assert made.scores.of_reachable > made.scores.popularity_of_reachable


def test_too_few_articles_are_refused(tmp_path: Path) -> None:
    records = read_records(articles(5), lambda document: define(document).definitions)
    with pytest.raises(ConfigurationError, match="5 articles are too few for a dictionary"):
        make_folder(records, tmp_path / "none", ignored)
    assert not (tmp_path / "none").exists()


def test_senses_beyond_the_cut_off_count_for_the_share_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "dictionary.json"
    path.write_text(json.dumps({"ER": [[f"sense {number}", 2] for number in range(100)]}))
    document = using(CELLS, 908, "The ER was seen in all of the samples.", text(CELLS, 1, 9))
    [answer] = open_resolver(path, ignored).resolve(document)
    assert answer.score == pytest.approx(2 / 201)
