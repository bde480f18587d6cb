"""Synthetic articles: replaced mentions, valid offsets, and the same result for the same seed."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCSentence
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.datasets.articles import article
from corpora.errors import ArticleError, ConfigurationError
from corpora.formats import biocjson
from corpora.model.document import (
    Definition,
    add_definition,
    add_mention,
    definitions,
    fresh_ids,
    mentions,
    set_identifiers,
)
from corpora.model.invariant import check
from corpora.model.passages import passage_text
from corpora.tools.leaks import fingerprint, leaks
from nlmchem.companions.studies.augmentation import (
    MODES,
    Augmenter,
    Replacement,
    ReplacementNames,
    replace,
    replaceable,
)

ZINC, WATER, PBS = "MESH:D015032", "MESH:D014867", "MESH:D010710,MESH:D012965"
NAMES = ReplacementNames.of(
    [
        ("Zinc", ZINC),
        ("zinc atom", ZINC),
        ("Water", WATER),
        ("dihydrogen oxide", WATER),
        ("Oxides, Dihydrogen", WATER),
        ("saline", PBS),
    ],
    "0" * 64,
)


def marked(text: str, *places: tuple[str, Sequence[str]], id: str = "77") -> BioCDocument:
    """A document with one passage per line. The first occurrence of each given text is a mention."""
    document = article(id, [(line, None, "paragraph") for line in text.split("\n")])
    for number, (wanted, identifiers) in enumerate(places):
        for passage in document.passages:
            start = passage_text(passage).find(wanted)
            if start >= 0:
                span = (passage.offset + start, passage.offset + start + len(wanted))
                mention = add_mention(passage, [span], id=str(number), annotator="gold")
                set_identifiers(mention, identifiers)
                break
    return document


def texts(document: BioCDocument) -> list[str]:
    return [passage_text(passage) for passage in document.passages]


def test_a_synonym_keeps_the_concept() -> None:
    document = marked("Zinc in rats\nZinc fell; water rose.", ("Zinc", [ZINC]), ("water", [WATER]))
    made, number = Augmenter("synonym", NAMES)(document)
    assert number == 2
    assert texts(made) == ["Zinc atom in rats", "Zinc fell; dihydrogen oxide rose."], "a first capital is kept"
    assert [(m.text, m.identifiers) for m in mentions(made)] == [("Zinc atom", (ZINC,)), ("dihydrogen oxide", (WATER,))]
    assert check(made) == []


def test_another_chemical_replaces_the_concept() -> None:
    made, _ = Augmenter("other", NAMES)(marked("Zinc fell.", ("Zinc", [ZINC])))
    [mention] = mentions(made)
    assert mention.identifiers == (WATER,), "mixtures and the concept itself are not used"
    assert mention.text.casefold() in ("water", "dihydrogen oxide"), "inverted headings are not used"


def test_a_random_string_has_the_same_shape_and_no_concept() -> None:
    made, _ = Augmenter("random", ReplacementNames.of([], ""), seed=4)(
        marked("We saw Zn2+-EDTA.", ("Zn2+-EDTA", [ZINC]))
    )
    [mention] = mentions(made)
    shape = "".join("A" if c.isupper() else "a" if c.isalpha() else "9" if c.isdigit() else c for c in mention.text)
    assert (shape, mention.identifiers) == ("Aa9+-AAAA", ())
    assert mention.text != "Zn2+-EDTA"


def test_equal_mentions_get_the_same_replacement() -> None:
    document = marked("water and lead\nwater and zinc", ("water", [WATER]))
    add_mention(document.passages[1], [(15, 20)], id="9", annotator="gold")
    set_identifiers(list(mentions(document))[1], [WATER])
    made, number = Augmenter("random", NAMES)(document)
    one, two = mentions(made)
    assert number == 2
    assert one.text == two.text


def test_a_mention_without_another_name_does_not_change() -> None:
    document = marked("argon and PBS and x", ("argon", ["MESH:D1"]), ("PBS", PBS.split(",")), ("x", []))
    made, number = Augmenter("synonym", NAMES)(document)
    assert number == 0
    assert texts(made) == texts(document)


def test_rate_is_the_share_of_distinct_mentions() -> None:
    words = [f"{a}{b}ine" for a in "bcdfgklmnp" for b in "aeiou"]
    document = marked(" ".join(words), *((word, ["MESH:D1"]) for word in words))
    numbers = [Augmenter("random", NAMES, seed=seed, rate=0.5)(document)[1] for seed in range(8)]
    assert 15 < sum(numbers) / 8 < 35
    assert Augmenter("random", NAMES)(document)[1] == len(words)


def test_the_original_does_not_change() -> None:
    document = marked("Zinc fell.", ("Zinc", [ZINC]))
    before = biocjson.dumps(document, print)
    Augmenter("synonym", NAMES)(document)
    assert biocjson.dumps(document, print) == before


def test_the_same_seed_gives_the_same_copy() -> None:
    document = marked("Zinc fell; water rose.", ("Zinc", [ZINC]), ("water", [WATER]))
    once, again = (biocjson.dumps(Augmenter("random", NAMES, seed=3)(document, 2)[0], print) for _ in range(2))
    assert once == again
    other = biocjson.dumps(Augmenter("random", NAMES, seed=4)(document, 2)[0], print)
    assert other != once


def test_a_copy_names_its_original_and_the_leakage_check_finds_it() -> None:
    document = marked("Zinc fell.", ("Zinc", [ZINC]))
    made, _ = Augmenter("random", NAMES, seed=3)(document)
    assert made.id == "77-random-1"
    assert made.infons["augmented"] == "random, seed 3, copy 1, of 77"
    assert next(mentions(made)).annotation.infons["replaced"] == "Zinc"
    assert [leak.by for leak in leaks([fingerprint(document)], [fingerprint(made)])] == ["id"]


def test_overlapping_mentions_are_not_replaced() -> None:
    document = marked(
        "zinc sulfate and water and 5 mM zinc", ("zinc sulfate", [ZINC]), ("sulfate", []), ("water", [WATER])
    )
    assert [mention.text for mention in replaceable(document)] == ["water"]
    definition = Definition("DHO", "water", (0, 4), (17, 22))
    add_definition(document.passages[0], definition, fresh_ids(document, "A"))
    assert replaceable(document) == [], "replacing a long form would break the definition"


def test_definitions_move_with_the_text() -> None:
    document = marked("zinc helps mean arterial pressure (MAP).", ("zinc", [ZINC]))
    definition = Definition("MAP", "mean arterial pressure", (35, 38), (11, 33))
    add_definition(document.passages[0], definition, fresh_ids(document, "A"))
    made, _ = Augmenter("synonym", NAMES)(document)
    [moved] = definitions(made)
    assert (moved.short_form, moved.long_form, moved.long_span) == ("MAP", "mean arterial pressure", (16, 38))
    assert check(made) == []


def test_discontinuous_and_document_level_annotations_move_too() -> None:
    document = marked("zinc in free or bound water\nand water", ("zinc", [ZINC]))
    add_mention(document.passages[0], [(8, 12), (22, 27)], id="8", annotator="gold")
    outside = BioCAnnotation()
    outside.id, outside.text = "9", "water"
    outside.add_location(BioCLocation(32, 5))
    document.add_annotation(outside)
    assert check(document) == []
    made, _ = Augmenter("synonym", NAMES)(document)
    assert [m.text for m in mentions(made)] == ["zinc atom", "free water"]
    assert made.annotations[0].locations[0].offset == 37
    assert check(made) == []


def test_the_text_of_sentences_is_rewritten() -> None:
    document = marked("Zinc fell. It rose to 5 mM.", ("Zinc", [ZINC]))
    passage = document.passages[0]
    for offset, text in ((0, "Zinc fell."), (11, "It rose to 5 mM.")):
        sentence = BioCSentence()
        sentence.offset, sentence.text = offset, text
        passage.add_sentence(sentence)
    passage.text = ""
    made, _ = Augmenter("synonym", NAMES)(document)
    assert texts(made) == ["Zinc atom fell. It rose to 5 mM."]
    assert [(s.offset, s.text) for s in made.passages[0].sentences] == [
        (0, "Zinc atom fell."),
        (16, "It rose to 5 mM."),
    ]
    assert check(made) == []


def test_overlapping_passages_are_rejected() -> None:
    document = marked("Zinc fell.\nIt rose.", ("Zinc", [ZINC]))
    document.passages[1].offset = 3
    with pytest.raises(ArticleError, match="begins before an earlier passage ends"):
        Augmenter("synonym", NAMES)(document)


@pytest.mark.parametrize(
    ("mode", "rate", "message"),
    [("shuffle", 1.0, "choose one of synonym"), ("random", 0.0, "the rate is 0.0"), ("random", 1.5, "the rate is 1.5")],
)
def test_wrong_options_are_reported_before_any_work(mode: str, rate: float, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Augmenter(mode, NAMES, rate=rate)


def test_a_lexicon_without_usable_names_is_rejected() -> None:
    with pytest.raises(ConfigurationError, match="no name that can be used"):
        Augmenter("synonym", ReplacementNames.of([("Acids, Acyclic", "MESH:D1")], ""))


TEXT = st.text(st.sampled_from("ab é\U0001f9ea2+-"), min_size=1, max_size=30)


@st.composite
def annotated(draw: st.DrawFn) -> BioCDocument:
    """Passages with gaps of any width, and mentions anywhere, also overlapping and discontinuous ones."""
    document = article("1", [(text, None, "paragraph") for text in draw(st.lists(TEXT, min_size=1, max_size=4))])
    shift = 0
    number = 0
    for passage in document.passages:
        shift += draw(st.integers(0, 3))
        passage.offset += shift
        for _ in range(draw(st.integers(0, 4))):
            cuts = sorted(draw(st.lists(st.integers(0, len(passage.text)), min_size=2, max_size=4, unique=True)))
            spans = [(passage.offset + a, passage.offset + b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
            number += 1
            mention = add_mention(passage, spans, id=str(number), annotator="gold")
            set_identifiers(mention, draw(st.sampled_from([[], [ZINC], [WATER]])))
    return document


@settings(max_examples=150, deadline=None)
@given(annotated(), st.sampled_from(MODES), st.integers(0, 5))
def test_offsets_are_valid_for_any_text(document: BioCDocument, mode: str, seed: int) -> None:
    assert check(document) == []
    made, number = Augmenter(mode, NAMES, seed)(document)
    assert check(made) == []
    before, after = list(mentions(document)), list(mentions(made))
    assert len(before) == len(after)
    changed = [new for new in after if "replaced" in new.annotation.infons]
    assert len(changed) == number
    for old, new in zip(before, after, strict=True):
        if "replaced" not in new.annotation.infons:
            assert new.text == old.text


@settings(max_examples=100, deadline=None)
@given(annotated(), st.lists(TEXT, min_size=12, max_size=12))
def test_undoing_all_replacements_restores_the_document(document: BioCDocument, news: list[str]) -> None:
    there = [
        Replacement(mention.spans[0], new, mention.identifiers)
        for mention, new in zip(replaceable(document), news, strict=False)
    ]
    made = replace(document, there)
    wanted = {id_of(mention.annotation): mention.text for mention in replaceable(document)[: len(there)]}
    back = [
        Replacement(mention.spans[0], wanted[id_of(mention.annotation)], mention.identifiers)
        for mention in mentions(made)
        if id_of(mention.annotation) in wanted
    ]
    again = replace(made, back)
    expected = copy.deepcopy(document)
    for annotation in (a for passage in again.passages for a in passage.annotations):
        annotation.infons.pop("replaced", None)
    assert biocjson.dumps(again, print) == biocjson.dumps(expected, print)


def id_of(annotation: BioCAnnotation) -> str:
    return str(annotation.id)
