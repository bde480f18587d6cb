"""Acronym dictionaries: counting, merging, samples that do not contain the answer, and pairs of linked articles."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pytest
from bioc import BioCDocument

from corpora.datasets import open_corpus
from corpora.datasets.acronyms import AcronymSense, read_dictionary
from corpora.datasets.articles import article
from corpora.model.document import Definition, add_mention, fresh_ids, set_identifiers
from nlmchem.abbreviations import define
from nlmchem.abbreviations.dictionary import (
    Builder,
    Defined,
    build,
    dumps,
    key_of,
    linked_pairs,
    make,
    merged,
    observations,
    part_of,
)
from nlmchem.tagging.tokenization.tokens import sentences


def paper(id: str, *lines: str) -> BioCDocument:
    return article(id, [(line, None, "paragraph") for line in lines])


def detect(document: BioCDocument) -> Iterable[Definition]:
    return define(document).definitions


def defined(*documents: BioCDocument) -> list[Defined]:
    return list(observations(documents, detect, sentences))


def rare(word: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("reactive oxygen species", "Reactive Oxygen Species"),
        ("estrogen receptors", "estrogen receptor"),
        ("tumour necrosis factor", "tumor necrosis factor"),
        ("interferon-γ", "interferon gamma"),
        ("analysis of the variance", "analysis of variance"),
        ("generalised linear model", "generalized linear models"),
    ],
)
def test_spellings_of_the_same_words_have_one_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


def test_the_most_frequent_form_represents_all() -> None:
    counts = {"estrogen receptor": 5, "Estrogen receptors": 9, "estrogen recptor": 1, "endoplasmic reticulum": 30}
    kept = merged(counts, rare)
    assert kept["estrogen recptor"] == kept["estrogen receptor"] == "Estrogen receptors"
    assert kept["endoplasmic reticulum"] == "endoplasmic reticulum"


def test_of_equally_frequent_forms_the_first_in_sort_order_is_used() -> None:
    assert set(merged({"zinc fingers": 2, "Zinc finger": 2}, rare).values()) == {"Zinc finger"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("interleukin 1 receptor", "interleukin 2 receptor"),
        ("methylbenzylamine", "ethylbenzylamine"),
        ("nitrate", "nitrite"),
    ],
    ids=["digits differ", "another first letter", "too short for an edit"],
)
def test_forms_with_another_meaning_are_not_merged(one: str, other: str) -> None:
    assert merged({one: 5, other: 1}, rare) == {one: one, other: other}


def test_a_frequent_word_is_not_a_misspelling() -> None:
    counts = {"plasma nitrate reductase": 5, "plasma nitrite reductase": 1}
    assert len(set(merged(counts, rare).values())) == 1
    assert len(set(merged(counts, {"nitrat", "nitrit"}.__contains__).values())) == 2


ER1 = paper(
    "1",
    "The endoplasmic reticulum (ER) was seen.",
    "The ER was swollen in all cells. Cells without ER died early.",
)
ER2 = paper("2", "An estrogen receptor (ER) was cloned.", "Binding to the ER was weak in these cells.")
ER3 = paper("3", "We saw endoplasmic reticulum (ER) stress, and endoplasmic reticulum (ER) loss.")


def test_a_pair_counts_once_per_article() -> None:
    builder = Builder()
    for one in defined(ER1, ER2, ER3):
        builder.add(one)
    dictionary = builder.dictionary(builder.forms())
    assert dictionary == {"ER": (AcronymSense("endoplasmic reticulum", 2), AcronymSense("estrogen receptor", 1))}
    assert builder.dictionary(builder.forms(), least=2) == {"ER": (AcronymSense("endoplasmic reticulum", 2),)}


def test_other_sentences_of_the_article_are_samples() -> None:
    [one] = defined(ER1)
    assert [(s.short_form, s.long_form, s.tokens[s.position]) for s in one.samples] == [
        ("ER", "endoplasmic reticulum", "ER"),
        ("ER", "endoplasmic reticulum", "ER"),
    ]
    assert " ".join(one.samples[0].tokens) == "The ER was swollen in all cells ."


def test_samples_do_not_contain_or_guess_the_answer() -> None:
    gives = paper("4", "The endoplasmic reticulum (ER) was seen.", "This ER, the endoplasmic reticulum, was swollen.")
    twice = paper("5", "The endoplasmic reticulum (ER) and an estrogen receptor (ER) rose.", "Then the ER fell again.")
    inside = paper("6", "The endoplasmic reticulum (ER) was seen.", "We counted HER2 and ERK in all of them.")
    assert [one.samples for one in defined(gives, twice, inside)] == [(), (), ()]


def test_samples_of_a_pair_are_spread_over_the_article() -> None:
    lines = [f"In case number {place} the ER was swollen." for place in range(30)]
    [one] = observations(
        [paper("7", "The endoplasmic reticulum (ER) was seen.", *lines)], detect, sentences, per_pair=3
    )
    assert [sample.tokens[3] for sample in one.samples] == ["0", "10", "20"]


def test_definitions_may_come_from_any_detector() -> None:
    def own(document: BioCDocument) -> list[Definition]:
        return [Definition("XY", "x ray", (0, 2), (3, 8))]

    [one] = observations([paper("8", "anything")], own, None)
    assert (one.pairs, one.samples) == ((("XY", "x ray"),), ())


def test_samples_have_the_merged_form_and_their_parts() -> None:
    more = [paper(str(n), "Endoplasmic reticula (ER) were seen.", "So the ER was swollen.") for n in (11, 12, 13)]
    out = io.StringIO()
    with tempfile.TemporaryFile("w+") as spool:
        dictionary, summary = build(defined(ER1, ER2, *more), spool, out)
    assert [sense.popularity for sense in dictionary["ER"]] == [4, 1]
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(rows) == summary.samples == 6
    assert {row["long_term"] for row in rows} == {sense.long_form for sense in dictionary["ER"]}
    assert (summary.articles, summary.defining, summary.ambiguous, summary.merged) == (5, 5, 1, 1)
    assert len({row["by_acronym"] for row in rows}) == 1, "no acronym is in two parts"
    by_pair: dict[str, set[str]] = {}
    for row in rows:
        by_pair.setdefault(row["long_term"], set()).add(row["by_pair"])
    assert all(len(parts) == 1 for parts in by_pair.values()), "no pair is in two parts"


def test_acronyms_with_one_sense_need_no_samples() -> None:
    out = io.StringIO()
    with tempfile.TemporaryFile("w+") as spool:
        _, summary = build(defined(ER1, ER3), spool, out)
    assert (summary.samples, out.getvalue()) == (0, "")


def test_parts_have_the_right_shares_and_are_fixed() -> None:
    parts = [part_of(f"key {n}", 0) for n in range(4000)]
    shares = {part: parts.count(part) / 4000 for part in ("train", "dev", "test")}
    assert shares == pytest.approx({"train": 0.7, "dev": 0.1, "test": 0.2}, abs=0.03)
    assert part_of("ER", 0) == part_of("ER", 0)


def test_the_files_are_read_as_gladis(tmp_path: Path) -> None:
    make(defined(ER1, ER2), tmp_path)
    dictionary = read_dictionary((tmp_path / "dictionary.json").read_text(), "here")
    assert dictionary["ER"] == (AcronymSense("endoplasmic reticulum", 1), AcronymSense("estrogen receptor", 1))
    names = {"samples.jsonl": "biomedical-train.json", "dictionary.json": "bio_umls_dict.json"}
    for made, published in names.items():
        (tmp_path / made).rename(tmp_path / published)
    (tmp_path / "biomedical-dev.json").write_text("")
    samples = list(open_corpus("gladis", tmp_path).read("train"))
    assert {sample.long_form for sample in samples} == {"endoplasmic reticulum", "estrogen receptor"}
    assert all(len(sample.candidates) == 2 for sample in samples)


def test_the_same_articles_give_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    forwards, backwards = defined(ER1, ER2, ER3), defined(ER3, ER2, ER1)
    make(forwards, tmp_path / "a")
    make(backwards, tmp_path / "b")
    assert (tmp_path / "a" / "dictionary.json").read_bytes() == (tmp_path / "b" / "dictionary.json").read_bytes()


def test_a_failed_run_leaves_no_partial_files(tmp_path: Path) -> None:
    def fails() -> Iterable[Defined]:
        yield from defined(ER1)
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        make(fails(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_special_characters_are_kept() -> None:
    raw = dumps({'A"β': (AcronymSense("alpha \\ β", 2),)})
    assert read_dictionary(raw.decode(), "here") == {'A"β': (AcronymSense("alpha \\ β", 2),)}


@pytest.mark.realdata
def test_real_articles_define_well_known_acronyms(shared_data: Path, tmp_path: Path) -> None:
    documents = islice(open_corpus("plain-text", shared_data / "text").read(report=lambda sentence: None), 60)
    summary = make(observations(documents, detect, sentences), tmp_path)
    dictionary = read_dictionary((tmp_path / "dictionary.json").read_text(), "here")
    assert summary.articles == 60
    assert summary.defining > 50
    assert dictionary["ANOVA"][0].long_form.casefold() == "analysis of variance"
    assert summary.samples > 20


def linked(text: str, **concepts: str) -> BioCDocument:
    """An article with mentions of words (blanks written as `_`) and their concepts."""
    document = article("1", [(text, None, "paragraph")])
    ids = fresh_ids(document, "T")
    for word, concept in concepts.items():
        name = word.rstrip("0").replace("_", " ")
        start = -1
        while (start := text.find(name, start + 1)) >= 0:
            mention = add_mention(
                document.passages[0], [(start, start + len(name))], id=next(ids), annotator=None
            )  # fmt: skip
            set_identifiers(mention, concept.split(","))
    return document


def pairs(document: BioCDocument) -> list[tuple[str, str]]:
    return [(one.short_form, one.long_form) for one in linked_pairs(document)]


def test_an_acronym_means_the_name_of_its_concept() -> None:
    document = linked("We gave docosahexaenoic acid. The DHA rose.", docosahexaenoic_acid="MESH:D1", DHA="MESH:D1")
    assert pairs(document) == [("DHA", "docosahexaenoic acid")]
    [one] = linked_pairs(document)
    assert (one.short_span, one.long_span, one.strategy) == ((34, 37), (8, 28), "Linked")


def test_names_of_other_concepts_and_other_letters_do_not_count() -> None:
    assert pairs(linked("Glucose and DHA.", Glucose="MESH:D2", DHA="MESH:D1")) == []
    assert pairs(linked("Cervonic acid and DHA.", Cervonic_acid="MESH:D1", DHA="MESH:D1")) == []


def test_an_acronym_of_two_concepts_has_no_sense() -> None:
    document = linked("Docosahexaenoic acid and DHA.", Docosahexaenoic_acid="MESH:D1", DHA="MESH:D1")
    again = add_mention(document.passages[0], [(25, 28)], id="X", annotator=None)
    set_identifiers(again, ["MESH:D9"])
    assert pairs(document) == []
