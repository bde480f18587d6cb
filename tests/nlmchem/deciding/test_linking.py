"""The probability that a text has the right concepts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nlmchem
from corpora.datasets.articles import article
from corpora.errors import ResourceError
from corpora.model.document import Evidence, add_mention, mentions, set_identifiers
from nlmchem.deciding import linking
from nlmchem.deciding.linking import ConceptLink, columns_of, link_of, probabilities_of

ASPIRIN, ION = ("MESH:D001241",), ("MESH:D002118",)


def test_what_a_sieve_guesses_is_less_probable_than_a_name() -> None:
    name, guess, tail = (ConceptLink("aspirin", ASPIRIN, sieve) for sieve in ("exact", "edit", "bare"))
    found = probabilities_of([name, guess, tail])
    assert found[name] > 0.95 > found[guess] > found[tail] > 0


def test_a_short_form_is_more_probable_if_the_article_writes_the_name_out() -> None:
    short, long = ConceptLink("ASA", ASPIRIN, "shorthand"), ConceptLink("acetylsalicylic acid", ASPIRIN, "exact")
    assert probabilities_of([short, long])[short] > probabilities_of([short])[short]


def test_the_features_of_an_article() -> None:
    links = [
        ConceptLink("ASA", ASPIRIN, "shorthand"),
        ConceptLink("aspirin", ASPIRIN, "exact"),
        ConceptLink("Ca2+", (*ION, "X:1"), "ion"),
    ]
    columns = columns_of(links)
    assert columns["short form"].tolist() == [1, 0, 0]
    assert columns["short form alone"].tolist() == [0, 0, 0]
    assert columns_of(links[:1])["short form alone"].tolist() == [1]
    assert columns["several concepts"].tolist() == [0, 0, 1]
    assert [columns[f"sieve {name}"].tolist() for name in ("exact", "ion")] == [[0, 1, 0], [0, 0, 1]]


def test_mentions_without_concept_or_sieve_have_no_link() -> None:
    assert link_of("x", (), Evidence("exact")) is None
    assert link_of("x", ASPIRIN, Evidence()) is None
    assert probabilities_of([None]) == probabilities_of([]) == {}


def test_a_sieve_without_examples_has_no_probability() -> None:
    assert probabilities_of([ConceptLink("x", ASPIRIN, "dense"), ConceptLink("x", ASPIRIN, "sieve of a plugin")]) == {}


def test_the_step_writes_it_for_the_identifiers_that_it_finds() -> None:
    made = article("1", [("Aspirin, dexamethasone, Dex and foo", "TITLE", "front")])
    given, *found = [
        add_mention(made.passages[0], [span], id=str(span[0]), annotator=None)
        for span in ((0, 7), (9, 22), (24, 27), (32, 35))
    ]
    set_identifiers(given, ["MESH:D001241"], Evidence("exact"))
    nlmchem.load(steps="normalize", existing="keep")(made)
    rows = [one.annotation.infons for one in mentions(made)]
    assert [row.get("identifier_probability") is not None for row in rows] == [False, True, True, False]
    name, short = (float(row["identifier_probability"]) for row in rows[1:3])
    assert 0.8 < short < name < 1
    assert [one.evidence.identifier_probability for one in found[:2]] == [name, short]
    nlmchem.load(steps="normalize", existing="replace")(made)
    assert next(mentions(made)).evidence.identifier_probability is not None


def test_a_damaged_model_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.loads(linking.EMBEDDED.read_text("utf-8"))
    content["linear"]["linking"]["features"]["colour"] = {"mean": 0, "scale": 1, "weight": 1}
    (tmp_path / "linking.json").write_text(json.dumps(content), "utf-8")
    monkeypatch.setattr(linking, "EMBEDDED", tmp_path / "linking.json")
    linking.embedded.cache_clear()
    try:
        with pytest.raises(ResourceError, match="no feature 'colour'"):
            probabilities_of([ConceptLink("aspirin", ASPIRIN, "exact")])
    finally:
        linking.embedded.cache_clear()


def test_evidence_of_a_damaged_file_is_no_error() -> None:
    link = link_of("", ASPIRIN, Evidence(["exact"]))  # type: ignore[arg-type]
    assert probabilities_of([link]) == {}
