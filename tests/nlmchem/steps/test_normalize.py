"""The step `normalize`: defaults, options without effect, and identifiers of the input."""

from __future__ import annotations

from typing import Any

import pytest
from bioc import BioCDocument
from plain_articles import plain_article

from corpora.errors import ArticleError, OptionError
from corpora.model.document import add_mention, mentions, set_identifiers
from nlmchem.api.pipeline import build_pipeline
from nlmchem.run.plan import Configuration
from nlmchem.steps.normalize import NormalizeOptions
from sieves.registry import DEFAULT_ORDER

WRONG, ETHANOL = "MESH:D000001", "MESH:D000431"


def checked(**options: Any) -> NormalizeOptions:
    found = Configuration.of(**{"steps": ("normalize",), **options}).parse().options(NormalizeOptions)
    assert found is not None
    return found


def linked(**options: Any) -> BioCDocument:
    """The article after the step; its only mention has a wrong identifier of the input."""
    document = plain_article("Rats drank ethanol.")
    mention = add_mention(document.passages[0], [(11, 18)], id="T1", annotator="people")
    set_identifiers(mention, [WRONG])
    build_pipeline(Configuration.of(steps=("normalize",), lexicon="starter", **options).parse())(document)
    return document


def test_the_default_order_is_the_same_configuration_if_it_is_named() -> None:
    assert checked(sieves=DEFAULT_ORDER).sieves == checked(sieves=("default",)).sieves == ()
    assert checked(sieves=("ion", "exact")).sieves == ("ion", "exact")


def test_off_is_no_dense_encoder() -> None:
    assert checked(dense="off").dense is None
    with pytest.raises(OptionError, match="dense_threshold has no effect without a dense encoder"):
        checked(dense="off", dense_threshold=0.9)


def test_a_device_needs_a_model() -> None:
    assert checked(dense="default", device="cuda:1").device == "cuda:1"
    assert checked(steps=("tag", "normalize"), device="cuda").device == "cuda"
    for steps in (("normalize",), ("repair", "normalize")):
        with pytest.raises(OptionError, match="device has no effect without a model"):
            checked(steps=steps, device="cuda")


def test_after_a_tagger_the_policy_for_the_input_has_had_its_effect() -> None:
    assert checked(existing="replace").existing == "replace"
    assert checked(steps=("tag", "normalize"), existing="replace").existing == "keep"


@pytest.mark.parametrize(("existing", "identifier"), [("keep", WRONG), ("replace", ETHANOL)])
def test_identifiers_of_the_input_are_kept_or_replaced(existing: str, identifier: str) -> None:
    (mention,) = mentions(linked(existing=existing))
    assert mention.identifiers == (identifier,)


def test_mentions_of_the_input_can_be_an_error() -> None:
    with pytest.raises(ArticleError, match="already has 1 chemical mention"):
        linked(existing="error")
