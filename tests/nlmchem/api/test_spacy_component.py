"""The spaCy component: entities and spans with identifiers, found by the name `nlmchem`."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")

OPTIONS = {"tagger": "lexicon", "lexicon": "starter"}
TEXT = "Rats were given glucose(aq) and Ca2+."


def blank() -> Any:
    import nlmchem.api.spacy_component  # noqa: F401 (registers the component, as the entry point does)

    return spacy.blank("en")


def test_entities_have_identifiers_and_the_values_of_the_mention() -> None:
    nlp = blank()
    nlp.add_pipe("nlmchem", config=OPTIONS)
    doc = nlp(TEXT)
    # spaCy's tokenizer does not divide "glucose(aq": the span grows to the whole token.
    assert [(ent.text, ent.label_, ent.kb_id_) for ent in doc.ents] == [
        ("glucose(aq", "Chemical", "MESH:D005947"), ("Ca2+", "Chemical", "MESH:D002118")
    ]  # fmt: skip
    assert doc.ents[1]._.nlmchem == {
        "section": None, "start": 32, "end": 36, "text": "Ca2+", "identifier": "MESH:D002118", "name": "calcium",
        "identifiers": "MESH:D002118", "score": None, "sieve": "exact", "matched_name": "Ca2+",
        "probability": None, "identifier_probability": pytest.approx(0.97, abs=0.02),
    }  # fmt: skip
    assert doc[0:1]._.nlmchem is None
    assert [span.kb_id_ for span in doc.spans["nlmchem"]] == ["MESH:D005947", "MESH:D002118"]


def test_the_first_of_two_mentions_in_one_token_is_the_entity_with_its_values() -> None:
    nlp = blank()
    nlp.add_pipe("nlmchem", config=OPTIONS)
    doc = nlp("Na+/K+ rose.")
    (entity,) = doc.ents
    assert (entity.text, entity.kb_id_, entity._.nlmchem["identifier"]) == ("Na+/K+", "MESH:D012964", "MESH:D012964")
    assert [span.kb_id_ for span in doc.spans["nlmchem"]] == ["MESH:D012964", "MESH:D011188"]


def test_a_second_component_keeps_the_values_of_entities(tmp_path: Path) -> None:
    (tmp_path / "mine.tsv").write_text("MESH:D000001\tmine\tglucose\n", "utf-8")
    nlp = blank()
    nlp.add_pipe("nlmchem", config=OPTIONS)
    nlp.add_pipe("nlmchem", "mine", config={**OPTIONS, "lexicon": str(tmp_path / "mine.tsv"), "spans_key": "mine"})
    doc = nlp("Rats were given glucose.")
    (entity,) = doc.ents
    assert (entity.kb_id_, entity._.nlmchem["identifier"]) == ("MESH:D005947", "MESH:D005947")
    assert [span.kb_id_ for span in doc.spans["mine"]] == ["MESH:D000001"]


def test_displacy_shows_the_entities() -> None:
    nlp = blank()
    nlp.add_pipe("nlmchem", config=OPTIONS)
    html = spacy.displacy.render(nlp(TEXT), style="ent", jupyter=False)
    assert "Chemical" in html
    assert "MESH:D002118" in html


@pytest.mark.parametrize("processes", [1, 2])
def test_a_pool_of_processes_gives_the_same(processes: int) -> None:
    nlp = blank()
    nlp.add_pipe("nlmchem", config=OPTIONS)
    docs = list(nlp.pipe([TEXT, "Nothing.", "Zinc"] * 5, n_process=processes, batch_size=2))
    found = [[(ent.kb_id_, ent._.nlmchem["identifier"]) for ent in doc.ents] for doc in docs]
    both = [("MESH:D005947", "MESH:D005947"), ("MESH:D002118", "MESH:D002118")]
    assert found == [both, [], [("MESH:D015032", "MESH:D015032")]] * 5


def test_entities_of_earlier_components_stay() -> None:
    nlp = blank()
    nlp.add_pipe("entity_ruler").add_patterns(
        [{"label": "MINE", "pattern": "Ca2"}, {"label": "MINE", "pattern": "Ca2+"}]
    )
    nlp.add_pipe("nlmchem", config=OPTIONS)
    doc = nlp("Rats were given glucose and Ca2+.")
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("glucose", "Chemical"), ("Ca2+", "MINE")]
    assert [span.text for span in doc.spans["nlmchem"]] == ["glucose", "Ca2+"]


def test_entities_are_left_out_on_demand() -> None:
    nlp = blank()
    nlp.add_pipe("nlmchem", config={**OPTIONS, "set_ents": False, "spans_key": "chemicals"})
    doc = nlp(TEXT)
    assert (doc.ents, len(doc.spans["chemicals"])) == ((), 2)


def test_the_former_place_of_the_options_still_works() -> None:
    nlp = blank()
    with pytest.warns(DeprecationWarning, match='without "options" around them'):
        nlp.add_pipe("nlmchem", config={"options": OPTIONS})
    assert [ent.kb_id_ for ent in nlp(TEXT).ents] == ["MESH:D005947", "MESH:D002118"]


def test_wrong_options_are_named() -> None:
    with pytest.raises(ValueError, match="taggr"):
        blank().add_pipe("nlmchem", config={"taggr": "lexicon"})
    with pytest.raises(Exception, match=r"^no tagger 'nowhere'; choose lexicon, default"):
        blank().add_pipe("nlmchem", config={"tagger": "nowhere"})


def test_a_stored_pipeline_is_loaded_again(tmp_path: Path) -> None:
    nlp = blank()
    nlp.add_pipe("nlmchem", config=OPTIONS)
    nlp.to_disk(tmp_path)
    doc = spacy.load(tmp_path)(TEXT)
    assert [ent.kb_id_ for ent in doc.ents] == ["MESH:D005947", "MESH:D002118"]


def test_the_entry_point_names_the_component() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, function = project["entry-points"]["spacy_factories"]["nlmchem"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))
