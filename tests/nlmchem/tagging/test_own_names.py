"""Names of the user in articles: they become mentions after any tagger; blocked names do not."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import nlmchem
from corpora.datasets.articles import article
from corpora.model.document import add_mention, mentions
from nlmchem.tagging.own_names import OwnNamesMarker
from sieves.lexicon.lexicon import Lexicon

NAMES = "compound 17\tLAB:17\tHousamine\nfox\tLAB:2\nlead\t-\naspirin\tLAB:3\n"


@pytest.fixture
def names(tmp_path: Path) -> Path:
    path = tmp_path / "my.tsv"
    path.write_text(NAMES, encoding="utf-8")
    return path


def marked(names: Path, text: str, *spans: tuple[int, int], kept: int = 0) -> list[str]:
    """The texts of the mentions after marking; the first `kept` of `spans` are annotations of the input."""
    document = article("1", [(text, None, "front")])
    ids = [
        id(add_mention(document.passages[0], [span], id=f"x{number}", annotator="a").annotation)
        for number, span in enumerate(spans)
    ]
    with Lexicon.open("starter", names=[names]) as lexicon:
        assert lexicon.own is not None
        OwnNamesMarker(lexicon.own)(document, ids[:kept])
    return [mention.text for mention in mentions(document)]


def test_a_name_becomes_a_mention_in_the_order_of_the_text(names: Path) -> None:
    text = "The fox and ethanol, Compound  17, compounds"
    assert marked(names, text, (12, 19)) == ["fox", "ethanol", "Compound  17"]


def test_a_name_replaces_parts_of_it_and_stays_a_part_of_a_longer_mention(names: Path) -> None:
    assert marked(names, "compound 17", (9, 11)) == ["compound 17"]
    assert marked(names, "fox acetate", (0, 11)) == ["fox acetate"]
    assert marked(names, "red fox", (0, 5)) == ["fox"]


def test_a_blocked_name_is_no_mention_but_a_part_of_one(names: Path) -> None:
    assert marked(names, "lead and lead acetate", (0, 4), (9, 21)) == ["lead acetate"]


def test_annotations_of_the_input_stay(names: Path) -> None:
    assert marked(names, "lead and fox", (0, 4), kept=1) == ["lead", "fox"]


def test_a_mention_with_the_same_bounds_keeps_its_tagger(names: Path) -> None:
    document = article("1", [("fox", None, "front")])
    add_mention(document.passages[0], [(0, 3)], id="x", annotator="tagger", score=0.5)
    with Lexicon.open("starter", names=[names]) as lexicon:
        assert lexicon.own is not None
        OwnNamesMarker(lexicon.own)(document, ())
    [mention] = mentions(document)
    assert (mention.annotator, mention.evidence.score) == ("tagger", 0.5)


@pytest.mark.parametrize("tagger", ["lexicon", "default"])
def test_a_pipeline_marks_links_and_explains_them(names: Path, tagger: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "nlmchem"):
        nlp = nlmchem.load(tagger, names=names, steps="tag,normalize")
    assert "2 of your names mean another concept" in caplog.text
    found = nlp("The fox got compound 17, aspirin, lead and ethanol.")
    by_text = {mention.text: (mention.identifier, mention.name) for mention in found.mentions}
    assert by_text["fox"] == ("LAB:2", "fox")
    assert by_text["compound 17"] == ("LAB:17", "Housamine")
    assert by_text["aspirin"] == ("LAB:3", "aspirin")
    assert by_text["ethanol"] == ("MESH:D000431", "Ethanol")
    assert "lead" not in by_text
    rows = {row.text: (row.stands, row.why) for row in nlp.explain("The fox and lead")}
    assert rows["fox"] == (1, "it is one of your names")
    assert rows["lead"] == (0, "left out: it is one of the names that you block")


def test_lookup_and_define_see_them(names: Path) -> None:
    [first, *_] = nlmchem.lookup("compound 17", names=names)
    assert (first.identifier, first.name) == ("LAB:17", "Housamine")
    assert nlmchem.lookup("lead", names=[names]) == []
    assert nlmchem.define("LAB:17", names=names).synonyms == ("compound 17",)


def test_they_are_part_of_the_fingerprint(names: Path, tmp_path: Path) -> None:
    from nlmchem.run.plan import Configuration

    first = Configuration.of(names=(str(names),)).parse().fingerprint()
    copy = tmp_path / "copy.tsv"
    copy.write_text(NAMES, encoding="utf-8")
    # The content counts, not the path.
    assert Configuration.of(names=(str(copy),)).parse().fingerprint() == first
    copy.write_text("fox\tLAB:9\n", encoding="utf-8")
    assert Configuration.of(names=(str(copy),)).parse().fingerprint() != first
    assert Configuration.of().parse().fingerprint() != first
