"""The cascade: the first sieve with an answer wins, and answers are cached; its order can be learnt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage
from small_mesh import descriptor, supplement, write_descriptors, write_supplements

from corpora.errors import ConfigurationError
from sieves import registry
from sieves.cascade import DEFAULT_ORDER, Cascade, learned_order
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon
from sieves.lookup.short_forms import CLASS_WORDS, LAB_SHORTHAND, read_shorthand
from sieves.normalizer import Normalizer
from sieves.registry import SIEVES, checked_order, facts
from sieves.sieve import NOTHING, ArticleContext, Needs, PartResolver, SieveCandidate


@pytest.fixture
def cascade(lexicon: Lexicon) -> Cascade:
    return Cascade(lexicon)


@pytest.mark.parametrize(
    ("text", "sieve", "identifiers"),
    [
        ("linoleic acid", "exact", "D000005"),
        ("17β-estradiol", "folded", "D000019"),
        ("wax", "number", "D000018"),
        ("NaCl", "formula", "D000008"),
        ("Ca2+", "ion", "D000007"),
        ("EtOH", "shorthand", "D000002"),
        ("Ser473", "residue", "D000020"),
        ("18:2n-6", "lipid", "D000005"),
        ("[3H]dopamine", "label", "D000016 D000017"),
        ("[3H]beta hydroxytyramine", "label", "D000016 D000017"),  # a name in other punctuation
        ("dopamine hydrochloride", "salt", "D000017"),
        ("dopamine solution", "bare", "D000017"),
        ("linoleate", "stem", "D000005"),
        ("6-nitro-2-chloro-4-methylpyridine", "-", ""),
        ("4-methyl-2-chloro-6-nitropyridine", "words", "C000005"),
        ("2-methyl-4-chloro-6-nitropyridine", "-", ""),
        ("acid linoleic", "words", "D000005"),
        ("1-linoleic acid", "locants", "D000005"),
        ("Alcohol Compound", "number", "D000001"),
        ("alcohol", "shorthand", "D000002"),
        ("poly-dopamine", "-", ""),
        ("V/dopamine", "-", ""),
        ("C/N", "-", ""),
        ("vitamins A and C", "composite", "D000003 D000004"),
        ("linoleic and linolenic acids", "composite", "D000005 D000006"),
        ("NaCl/dopamine", "composite", "D000008 D000017"),
        ("DHA", "shorthand", "D000010"),
        ("Physiological Saline", "shorthand", "D000008"),  # long forms in any case
        ("alcohol derivative", "bare", "D000001"),  # of the class, not of the one compound
        ("wine", "-", ""),
        ("nobody and nothing", "-", ""),
    ],
)
def test_the_first_sieve_with_an_answer_wins(cascade: Cascade, text: str, sieve: str, identifiers: str) -> None:
    found = cascade.resolve(text)
    assert (found.sieve if found else "-") == sieve
    assert (found.identifiers if found else ()) == tuple(f"MESH:{id}" for id in identifiers.split())


def test_definitions_of_the_article_come_first(cascade: Cascade) -> None:
    article = ArticleContext({"NaCl": ("linoleic acid",), "LA": ("Linoleic Acids",)})
    found = cascade.resolve("NaCl", article)
    assert found == SieveCandidate(("MESH:D000005",), "defined", "Linoleic Acid", "mesh", via="linoleic acid")
    assert cascade.resolve("LAs", article) is not None
    assert cascade.resolve("NaCl").sieve == "formula"  # type: ignore[union-attr]


def test_a_long_form_that_contains_its_short_form_terminates(cascade: Cascade) -> None:
    assert cascade.resolve("XY", ArticleContext({"XY": ("XY thing",)})) is None


def test_short_forms_inside_a_mention_are_expanded(cascade: Cascade) -> None:
    found = cascade.resolve("ethyl DA", ArticleContext({"DA": ("alcohol",)}))
    assert found is not None
    assert (found.sieve, found.identifiers) == ("expanded", ("MESH:D000002",))


@pytest.mark.parametrize("text", ["", " ", "·+-()", "x" * 10_000, "a, " * 3_000, "(" * 500, "and and and", "-" * 50])
def test_odd_texts_have_no_concept(cascade: Cascade, text: str) -> None:
    assert cascade.resolve(text) is None


def test_no_sieve_after_the_last_one_wanted_is_tried(cascade: Cascade) -> None:
    article = ArticleContext({"DPA": ("dopamine",)})
    for known in (ArticleContext(), article):
        assert cascade.candidates("dopamine solution", known, last="number") == ()
        assert [one.sieve for one in cascade.candidates("dopamine solution", known)] == ["bare"]
        assert cascade.candidates("dopamine solution", known, last="number") == ()
        assert [one.sieve for one in cascade.candidates("dopamine", known, last="exact")] == ["exact"]
    assert [one.sieve for one in cascade.candidates("DPA", article, last="defined")] == ["defined"]
    assert [one.sieve for one in cascade.candidates("dopamine solution", last="plugin")] == ["bare"]


def test_an_order_can_leave_sieves_out() -> None:
    others = tuple(name for name in DEFAULT_ORDER if name != "edit")
    assert checked_order("default,-edit") == others
    assert checked_order("default,-edit,edit") == (*others, "edit")
    with pytest.raises(ConfigurationError, match=r"^the order of sieves removes 'edit', which is not before it; write"):
        checked_order("-edit,default")


@pytest.mark.parametrize("removed", ["parts", "congener"])
def test_a_sieve_that_is_gone_is_refused_with_the_names_of_the_others(removed: str) -> None:
    with pytest.raises(
        ConfigurationError, match=rf"^there is no sieve '{removed}'; choose from default, defined, class,"
    ):
        checked_order(f"default,{removed}")
    with pytest.raises(
        ConfigurationError, match=rf"^there is no sieve '{removed}'; choose from default, defined, class,"
    ):
        checked_order(f"default,-{removed}")


def test_explain_lists_every_sieve(cascade: Cascade) -> None:
    explained = dict(cascade.explain("NaCl"))
    assert tuple(explained) == DEFAULT_ORDER
    assert next(name for name, found in explained.items() if found) == "formula"


def test_a_long_text_is_looked_up_as_it_is(tmp_path: Path) -> None:
    name = "very " * 90 + "long acid"
    descriptors = write_descriptors(tmp_path / "desc2024.xml", [descriptor("D000001", name)])
    build_mesh_lexicon(Sources((descriptors,)), tmp_path / "x.sqlite")
    cascade = Cascade(Lexicon.open(tmp_path / "x.sqlite"))
    assert cascade.resolve(name) == SieveCandidate(("MESH:D000001",), "exact", name, "mesh")
    assert cascade.resolve(f"{name} solution") is None
    assert {sieve for sieve, found in cascade.explain(name) if found} == {"exact"}


@pytest.mark.parametrize("text", ["SER/ARG", "pS-1473", "free SER"])
def test_the_other_mentions_count_for_texts_of_any_length(cascade: Cascade, text: str) -> None:
    assert cascade.resolve(text) is None
    found = cascade.resolve(text, ArticleContext(surfaces=frozenset({"Arg12", "LYS", "GLU", text})))
    assert found is not None
    assert "MESH:D000020" in found.identifiers
    assert cascade.resolve(text) is None


@dataclass(frozen=True, slots=True)
class CountsMentions:
    """A sieve that answers with the number of mentions of the article."""

    name: str
    needs: Needs

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        return [SieveCandidate((str(len(article.surfaces)),), self.name, text)]


@pytest.mark.parametrize(
    ("needs", "answers"), [(Needs(surfaces=re.compile("many")), ["2", "1"]), (Needs(), ["0", "0"])]
)
def test_a_sieve_receives_what_it_needs_and_nothing_else(
    lexicon: Lexicon, monkeypatch: pytest.MonkeyPatch, needs: Needs, answers: list[str]
) -> None:
    entry = registry.SieveEntry(lambda name, by: CountsMentions(name, needs))
    monkeypatch.setitem(registry.SIEVES.built_in, "counts", entry)  # type: ignore[arg-type]
    cascade = Cascade(lexicon, ["exact", "counts"])
    articles = [ArticleContext(surfaces=frozenset(surfaces)) for surfaces in ({"a", "b"}, {"a"})]
    found = [cascade.resolve("how many mentions", article) for article in articles]
    assert [candidate.identifiers[0] for candidate in found if candidate] == answers


@dataclass(frozen=True, slots=True)
class Lazy:
    """A sieve that is a generator, and resolves the text without its first word when it is asked for an answer."""

    name: str
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> Iterator[SieveCandidate]:
        inner = resolve(text.partition(" ")[2])
        if inner is not None:
            yield SieveCandidate(inner.identifiers, self.name, inner.matched_name)


def test_a_sieve_can_be_a_generator(lexicon: Lexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, a generator without an answer ended the search, and its parts were resolved by the sieves after it."""
    entry = registry.SieveEntry(lambda name, by: Lazy(name))  # type: ignore[arg-type,return-value]
    monkeypatch.setitem(registry.SIEVES.built_in, "lazy", entry)  # type: ignore[arg-type]
    cascade = Cascade(lexicon, ["exact", "lazy", "formula"])
    found = [cascade.resolve(text) for text in ("pure sodium chloride", "NaCl", "pure NaCl")]
    assert [None if one is None else one.sieve for one in found] == ["lazy", "formula", None]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (("exact", "exact"), "names 'exact' more than once"),
        ("default,exact", "names 'exact' more than once"),
        (("exact", "magic"), "no sieve 'magic'; choose from default, defined, class"),
        ("exact,,ion", "no sieve ''"),
        ((), "the order of sieves is empty"),
        ("", "the order of sieves is empty"),
    ],
)
def test_a_wrong_order_is_refused(lexicon: Lexicon, order: str | tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Normalizer(lexicon, order)


def test_only_the_sieves_of_the_order_are_tried(lexicon: Lexicon) -> None:
    assert Cascade(lexicon, "defined, exact").resolve("NaCl") is None


def test_every_sieve_has_its_name_in_the_registry(lexicon: Lexicon) -> None:
    order = tuple(registry.SIEVES.built_in)
    assert tuple(sieve.name for sieve in Cascade(lexicon, order).sieves) == order


@pytest.mark.parametrize(("path", "fewest"), [(LAB_SHORTHAND, 100), (CLASS_WORDS, 10)])
def test_shorthand_files_are_well_formed(path: Path, fewest: int) -> None:
    assert len(read_shorthand(path).entries) >= fewest


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("PBS", ("phosphates", "sodium chloride")),
        ("Phosphate-Buffered Saline", ("phosphates", "sodium chloride")),
        ("fatty acid methyl esters", ("fatty acids", "esters")),
        ("DPPH ·", ("1,1-diphenyl-2-picrylhydrazyl",)),
        ("pbs", None),  # of short forms the case counts
        ("ALCOHOLS", ("alcohols",)),
    ],
)
def test_shorthand_can_be_written_in_several_ways(text: str, names: tuple[str, ...] | None) -> None:
    assert read_shorthand().meaning(text) == names


def test_a_word_for_a_class_is_not_the_compound_of_that_name(tmp_path: Path) -> None:
    descriptors = write_descriptors(tmp_path / "desc2024.xml", [descriptor("D000001", "Purines", "D03.633")])
    supplements = write_supplements(tmp_path / "supp2024.xml", [supplement("C000001", "purine")])
    build_mesh_lexicon(Sources((descriptors,), (supplements,)), tmp_path / "x.sqlite")
    found = Cascade(Lexicon.open(tmp_path / "x.sqlite")).resolve("Purine")
    assert found is not None
    assert (found.sieve, found.identifiers) == ("class", ("MESH:D000001",))


def test_a_list_with_a_shared_word_is_no_combination(tmp_path: Path) -> None:
    descriptors = write_descriptors(tmp_path / "desc2024.xml")
    combination = supplement("C000001", "linoleic acid, linolenic acid drug combination")
    supplements = write_supplements(tmp_path / "supp2024.xml", [combination])
    build_mesh_lexicon(Sources((descriptors,), (supplements,)), tmp_path / "x.sqlite")
    cascade = Cascade(Lexicon.open(tmp_path / "x.sqlite"))
    wanted = {"linoleic acid/linolenic acid": 1, "linoleic and linolenic acid": 2}
    assert {text: len(cascade.resolve(text).identifiers) for text in wanted} == wanted  # type: ignore[union-attr]


# -- the cache ---------------------------------------------------------------------------------


def test_cached_texts_need_no_query(lexicon: Lexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    cascade = Cascade(lexicon)
    texts = ["linoleic acid", "wine and dopamine", "dopamine solution", "nothing"]
    first = [cascade.resolve(text) for text in texts]
    monkeypatch.setattr(Lexicon, "_query", lambda *_: pytest.fail("looked up again"))
    assert [cascade.resolve(text) for text in texts] == first


@pytest.mark.parametrize("texts", [("dopamine solution", "dopamine"), ("dopamine", "dopamine solution")])
def test_a_text_can_be_cached_as_a_part_and_as_a_whole(lexicon: Lexicon, texts: tuple[str, str]) -> None:
    cascade = Cascade(lexicon)
    found = {text: cascade.resolve(text) for text in texts}
    assert {text: candidate.sieve for text, candidate in found.items() if candidate} == {
        "dopamine": "exact",
        "dopamine solution": "bare",
    }


def gold(text: str, identifier: str) -> BioCDocument:
    """An article with one mention."""
    passage = BioCPassage()
    passage.offset, passage.text = 0, text
    annotation = BioCAnnotation()
    annotation.id, annotation.text, annotation.infons = "0", text, {"type": "Chemical", "identifier": identifier}
    annotation.add_location(BioCLocation(0, len(text)))
    passage.add_annotation(annotation)
    document = BioCDocument()
    document.id = "d"
    document.add_passage(passage)
    return document


def test_the_more_precise_sieve_comes_first(lexicon: Lexicon) -> None:
    documents = [gold("Ca2+", "MESH:D000007")] * 20 + [gold("Ethanol", "MESH:D000001")] * 20
    rows, order = learned_order(documents, lexicon)
    known = {row.sieve: (row.answered, row.right) for row in rows}
    assert (known["exact"], known["ion"]) == ((20, 0), (20, 20))
    assert order.index("ion") < order.index("exact")
    assert sorted(order) == sorted(DEFAULT_ORDER)


def test_a_sieve_with_few_answers_keeps_its_place(lexicon: Lexicon) -> None:
    assert learned_order([gold("Ethanol", "MESH:D000001")], lexicon)[1] == DEFAULT_ORDER


def test_a_learned_order_is_an_order_that_the_cascade_accepts(lexicon: Lexicon) -> None:
    order = learned_order([gold("Ethanol", "MESH:D000002")] * 20, lexicon)[1]
    found = Cascade(lexicon, ",".join(order)).resolve("Ethanol")
    assert found is not None
    assert found.identifiers == ("MESH:D000002",)


def test_the_precision_in_the_registry_is_that_of_the_measurements() -> None:
    page = Path(__file__).parents[2] / "docs" / "measurements" / "normalization.md"
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.read_text("utf-8").splitlines()]
    rows = {row[0]: row for row in cells if len(row) == 9 and SIEVES.get(row[0]) is not None}
    for name, row in rows.items():
        # The corpora with texts: BC5CDR test, BioRED test, 30 articles.
        answered = [tuple(map(int, row[at].split(" of "))) for at in (1, 3, 7) if row[at] != "-"]
        right, number = (sum(counts) for counts in zip(*answered, strict=True))
        assert facts(name).precision == round((right + 1) / (number + 2), 2), name
    # These answer with other lexicons and steps only.
    assert set(DEFAULT_ORDER) - set(rows) == {"expanded", "external", "inferred"}


def test_each_sieve_has_words_for_readers_of_pages() -> None:
    assert [name for name in (*SIEVES.names(), "article", "dense") if not facts(name).words] == []
