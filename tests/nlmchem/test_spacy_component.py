"""The spaCy component: spans with ids, found by the name `nlmchem`."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest

spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")

OPTIONS = {"tagger": "lexicon", "lexicon": "starter"}
TEXT = "Rats were given glucose(aq) and Ca2+."


def test_the_component_sets_spans_with_ids() -> None:
    from nlmchem import spacy_component  # noqa: F401 (registers the component, as the entry point does)

    nlp = spacy.blank("en")
    nlp.add_pipe("nlmchem", config={"options": OPTIONS, "set_ents": True})
    docs = list(nlp.pipe([TEXT, "Nothing.", TEXT]))
    found = [(span.text, span.label_, span.kb_id_) for span in docs[0].spans["nlmchem"]]
    # spaCy's tokenizer does not divide "glucose(aq": the span grows to the whole token.
    assert found == [("glucose(aq", "Chemical", "MESH:D005947"), ("Ca2+", "Chemical", "MESH:D002118")]
    assert [span.kb_id_ for span in docs[2].spans["nlmchem"]] == ["MESH:D005947", "MESH:D002118"]
    assert [ent.kb_id_ for ent in docs[2].ents] == ["MESH:D005947", "MESH:D002118"]
    assert list(docs[1].spans["nlmchem"]) == []


def test_a_stored_pipeline_is_loaded_again(tmp_path: Path) -> None:
    from nlmchem import spacy_component  # noqa: F401

    nlp = spacy.blank("en")
    nlp.add_pipe("nlmchem", config={"options": OPTIONS})
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    doc = again(TEXT)
    assert [span.kb_id_ for span in doc.spans["nlmchem"]] == ["MESH:D005947", "MESH:D002118"]


def test_the_entry_point_names_the_component() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, function = project["entry-points"]["spacy_factories"]["nlmchem"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))
