"""Passages are chosen by reasons that are written down, and not fifty times for one compound."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bioc import BioCDocument

import corpora
from corpora.datasets.articles import article
from corpora.errors import ConfigurationError, InputError, OptionError
from corpora.model.document import Evidence, add_mention, mentions, set_identifiers
from corpora.reporting import ignore
from nlmchem.companions.curation import chosen_for
from nlmchem.companions.curation.selection import (
    UNMEASURED,
    Choice,
    ChosenPassage,
    nearness,
    open_selection,
    select,
    signals_of,
    write_selection,
)
from nlmchem.deciding.linking import ConceptLink, link_of, probabilities_of

TEXTS = ("Zinc is certain.", "Foo is near the threshold.", "Bar has no concept.", "Foo again.", "Nothing here.")


def a_run(*scores: float) -> BioCDocument:
    document = article("1", [(text, None, "paragraph") for text in TEXTS])
    for number, (passage, score) in enumerate(zip(document.passages, scores, strict=False)):
        end = passage.offset + passage.text.index(" ")
        mention = add_mention(passage, [(passage.offset, end)], id=f"T{number}", annotator=None, score=score)
        found = [] if mention.text == "Bar" else ["MESH:D1"]
        set_identifiers(mention, found, Evidence("exact", matched_name="x") if found else None)
    return document


@pytest.fixture
def run(tmp_path: Path) -> str:
    corpora.write([a_run(1.0, 0.5, 0.9, 0.5)], tmp_path / "run.xml")
    return str(tmp_path / "run.xml")


def reasons(chosen: ChosenPassage) -> list[tuple[str, str, float]]:
    return [(one.surface, one.reason, one.points) for one in chosen.signals]


def test_the_most_uncertain_passage_is_first_and_a_text_that_was_chosen_counts_half(run: str) -> None:
    chosen, passages = select([run], Choice(3), ignore)
    assert passages == 5
    assert [TEXTS.index(text) for text in texts(run, chosen)] == [1, 2, 3]
    zinc, foo = (ConceptLink(text, ("MESH:D1",), "exact") for text in ("Zinc", "Foo"))
    wrong = round(1 - probabilities_of([zinc, foo])[foo], 4)
    assert reasons(chosen[0]) == [("Foo", "frequent", 1.0), ("Foo", "threshold", 1.0), ("Foo", "sieve", wrong)]
    assert reasons(chosen[1]) == [("Bar", "no-concept", 1.0), ("Bar", "threshold", 0.2)]
    assert chosen[2].points == pytest.approx(chosen[0].points / 2, abs=1e-4)


def texts(run: str, chosen: list[ChosenPassage]) -> list[str]:
    (document,) = corpora.read(run)
    by_offset = {passage.offset: passage.text for passage in document.passages}
    return [by_offset[one.offset] for one in chosen]


def test_several_runs_give_disagreement(run: str, tmp_path: Path) -> None:
    other = a_run(1.0, 0.5)
    corpora.write([other], tmp_path / "other.xml")
    chosen, _ = select([run, str(tmp_path / "other.xml")], Choice(5), ignore)
    contested = {one.surface for passage in chosen for one in passage.signals if one.reason == "disagreement"}
    assert contested == {"Foo", "Bar"}
    assert [TEXTS.index(text) for text in texts(run, chosen)] == [3, 2, 1, 0]


def test_passages_without_a_reason_are_not_chosen_and_counted(run: str) -> None:
    messages: list[str] = []
    chosen, _ = select([run], Choice(5), messages.append)
    assert len(chosen) == 4
    assert messages == ["only 4 of 5 passages have anything uncertain; the others were not chosen"]


def test_a_random_choice_depends_on_the_seed_alone(run: str) -> None:
    first, again, other = (select([run], Choice(2, seed=seed), ignore)[0] for seed in (1, 1, 2))
    assert first == again != other
    assert first[0].why == "random"


def test_the_folder_has_the_chosen_passages_and_an_account_and_equal_bytes(run: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_selection(tmp_path / name, [run], Choice(2), ignore)
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two
    account = json.loads(one["manifest.json"])
    assert account["reasons"] == {"frequent": 1, "no-concept": 1, "sieve": 1, "threshold": 2}
    assert account["passages"][0]["reasons"][0] == {"reason": "frequent", "text": "Foo", "points": 1.0}
    (document,) = open_selection(tmp_path / "one").values()
    assert [passage.text for passage in document.passages] == [TEXTS[1], TEXTS[2]]
    assert chosen_for(document.passages[1]) == "no-concept: Bar (1.00); threshold: Bar (0.20)"
    assert [one.id for one in corpora.read(tmp_path / "one")] == ["1"]


def test_concepts_by_a_sieve_that_guesses_have_more_points(run: str) -> None:
    (document,) = corpora.read(run)
    (mention, *_) = mentions(document)
    points = []
    for sieve in ("exact", "dense", "bare"):
        set_identifiers(mention, ["MESH:D1"], Evidence(sieve))
        link = link_of(mention.text, mention.identifiers, mention.evidence)
        points += [one.points for one in signals_of(mention, 0.5, probabilities_of([link]).get(link))]
    assert points[0] < points[1] == UNMEASURED < points[2]


def test_nearness_to_a_threshold() -> None:
    assert [nearness(score, 0.4) for score in (0.0, 0.2, 0.4, 0.7, 1.0)] == pytest.approx([0, 0.5, 1, 0.5, 0])


def test_wrong_input_is_one_sentence(run: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="between 0 and 1"):
        Choice(threshold=1.0)
    with pytest.raises(OptionError, match="at least one passage"):
        Choice(0)
    corpora.write([a_run(), a_run()], tmp_path / "twice.xml")
    with pytest.raises(InputError, match="has the document '1' twice"):
        select([str(tmp_path / "twice.xml")], Choice(), ignore)
    corpora.write([a_run()], tmp_path / "certain.xml")
    with pytest.raises(ConfigurationError, match=r"no passage of .* has anything uncertain"):
        select([str(tmp_path / "certain.xml")], Choice(), ignore)
    with pytest.raises(ConfigurationError, match="is no selection"):
        open_selection(tmp_path)


def equal_offsets(name: str) -> BioCDocument:
    """An article whose passages all begin at 0, as some programs write them."""
    document = article(name, [("Zinc fell.", None, "paragraph"), ("Iron rose.", None, "paragraph")])
    for passage in document.passages:
        passage.offset = 0
    return document


def test_an_article_with_equal_offsets_is_left_out_before_people_work_on_it(run: str, tmp_path: Path) -> None:
    corpora.write([equal_offsets("2"), *corpora.read(run)], tmp_path / "both.json")
    messages: list[str] = []
    chosen, _ = select([str(tmp_path / "both.json")], Choice(9, seed=1), messages.append)
    assert {one.document for one in chosen} == {"1"}
    assert any("document '2' was left out: it has several passages at offset 0" in one for one in messages)


def test_a_selection_with_equal_offsets_is_not_exported(run: str, tmp_path: Path) -> None:
    write_selection(tmp_path / "selection", [run], Choice(3), ignore)
    corpora.write([equal_offsets("2")], tmp_path / "other.xml")
    (tmp_path / "selection" / "articles.xml").write_bytes((tmp_path / "other.xml").read_bytes())
    with pytest.raises(ConfigurationError, match="several passages at offset 0"):
        open_selection(tmp_path / "selection")


def test_a_title_without_text_may_share_its_offset(tmp_path: Path) -> None:
    document = equal_offsets("2")
    document.passages[1].text = ""
    corpora.write([document], tmp_path / "run.json")
    write_selection(tmp_path / "selection", [str(tmp_path / "run.json")], Choice(3, seed=1), ignore)
    assert [passage.text for passage in open_selection(tmp_path / "selection")["2"].passages] == ["Zinc fell."]
