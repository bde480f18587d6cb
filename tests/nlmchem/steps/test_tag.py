"""The step `tag`: defaults, options without effect, and mentions of the input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument
from plain_articles import plain_article

from corpora.errors import ArticleError, OptionError
from corpora.model.document import add_mention, mentions
from nlmchem import deciding
from nlmchem.api.pipeline import build_pipeline
from nlmchem.run.plan import Configuration
from nlmchem.steps.tag import TagOptions, is_calibrated
from nlmchem.tagging.models.folders import DEFAULT, folder_of, version_of

TEXT = "Rats drank glucose and ethanol."


def checked(**options: Any) -> TagOptions:
    found = Configuration.of(**{"steps": ("tag",), **options}).parse().options(TagOptions)
    assert found is not None
    return found


def annotated(**options: Any) -> BioCDocument:
    """The article after the step, with `ethanol` as a mention of the input."""
    document = plain_article(TEXT)
    start = TEXT.index("ethanol")
    add_mention(document.passages[0], [(start, start + 7)], id="T1", annotator="people")
    plan = Configuration.of(steps=("tag",), tagger="lexicon", lexicon="starter", **options).parse()
    build_pipeline(plan)(document)
    return document


def test_the_embedded_tagger_has_the_learnt_decision_and_others_that_of_the_lexicon() -> None:
    assert (checked().decision, checked(tagger="lexicon").decision) == ("learnt", "knowledge")
    assert checked(tagger="default,lexicon").decision == "knowledge"


def test_folders_become_absolute_and_names_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    assert checked(tagger="model,lexicon").tagger == f"{tmp_path / 'model'},lexicon"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("guidelines", "bc5cdr"),
        ("labels", ("O",)),
        ("min_score", 0.5),
        ("target_precision", 0.9),
        ("rules", "all"),
        ("arithmetic", "int8"),
    ],
)
def test_options_of_models_are_refused_with_the_lexicon_tagger(name: str, value: object) -> None:
    with pytest.raises(OptionError, match=f"{name} has no effect with the lexicon tagger"):
        checked(tagger="lexicon", **{name: value})


def test_a_device_needs_a_model_in_one_of_the_steps() -> None:
    with pytest.raises(OptionError, match="device has no effect with the lexicon tagger"):
        checked(tagger="lexicon", device="cuda", steps=("tag", "normalize"), dense="off")
    with_encoder = checked(tagger="lexicon", device="cuda", steps=("tag", "normalize"), dense="default")
    assert with_encoder.device == "cuda"


def test_mentions_of_the_input_are_an_error_by_default() -> None:
    with pytest.raises(ArticleError, match="document '1' already has 1 chemical mention"):
        annotated()


@pytest.mark.parametrize(("existing", "annotators"), [("keep", {"people"}), ("replace", set())])
def test_mentions_of_the_input_are_kept_or_replaced(existing: str, annotators: set[str]) -> None:
    """Kept mentions lose nothing, and no new mention overlaps them."""
    found = list(mentions(annotated(existing=existing)))
    assert sorted(mention.text for mention in found) == ["ethanol", "glucose"]
    assert {str(mention.annotation.infons["annotator"]) for mention in found} & {"people"} == annotators


def test_the_calibration_of_a_decision_holds_for_the_tagger_that_it_was_measured_with(tmp_path: Path) -> None:
    content = json.loads((Path(deciding.__file__).parent / "default.json").read_text("utf-8"))
    content["card"] = {"tagger 1": version_of(folder_of(DEFAULT))}
    own = tmp_path / "own.json"
    own.write_text(json.dumps(content), "utf-8")
    assert is_calibrated(checked(decision=str(own)))
    assert checked(decision=str(own), target_precision=0.9).target_precision == 0.9
    assert not is_calibrated(checked(decision=str(own), rules="none"))
    assert not is_calibrated(checked(decision=str(own), tagger="lexicon"))
    assert not is_calibrated(checked(decision=str(own), tagger="default,lexicon"))
    with pytest.raises(OptionError, match="has made for your tagger"):
        checked(decision=str(own), tagger="default,lexicon", target_precision=0.9)
    assert is_calibrated(checked())
    assert not is_calibrated(checked(tagger="default,lexicon", decision="learnt"))
