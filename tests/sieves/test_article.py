"""The other mentions of an article choose among candidates, and resolve mentions without an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sieves.article import context_of, continue_mention, is_short_form, names_before
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer
from sieves.sieve import ArticleContext, SieveCandidate


@pytest.mark.parametrize(
    ("text", "chemicals", "names"),
    [
        ("urinary fumonisin B1 (UFB1) rose", ["fumonisin B1", "UFB1"], {"UFB1": ("fumonisin B1",)}),
        ("nitrosamine (DEN: 10 mg/kg) in water", ["nitrosamine", "DEN", "water"], {"DEN": ("nitrosamine",)}),
        ("the gibberellins (GAs), and auxin", ["gibberellins", "GAs", "auxin"], {"GAs": ("gibberellins",)}),
        ("methotrexate and leucovorin (MFL)", ["methotrexate", "leucovorin", "MFL"], {}),
        ("mycotoxins (AFB1, ZEN)", ["mycotoxins", "AFB1", "ZEN"], {}),
        ("a glycine histidine (GH) motif", ["glycine", "histidine", "GH"], {}),
        ("vitamins, minerals, and phytonutrients (VMP)", ["phytonutrients", "VMP"], {}),
        ("ADP (A2P), rest and ifosfamide (IFO)", ["ifosfamide", "IFO"], {"IFO": ("ifosfamide",)}),
        ("cisplatin (CDDP) and etoposide (VP16)", ["etoposide", "VP16"], {"VP16": ("etoposide",)}),
    ],
)
def test_a_bracket_after_one_name_has_its_short_form(
    text: str, chemicals: list[str], names: dict[str, tuple[str, ...]]
) -> None:
    spans = [(at, at + len(chemical)) for chemical in chemicals if (at := text.index(chemical)) >= 0]
    assert names_before([(text, spans)]) == names


def candidate(identifier: str, sieve: str, name: str = "x") -> SieveCandidate:
    return SieveCandidate((f"MESH:{identifier}",), sieve, name)


FIRM = {
    "dexamethasone": [candidate("D1", "exact")],
    "phosphatidylserine": [candidate("D2", "folded")],
    "sodium chloride": [candidate("D3", "exact")],
}


def settled(text: str, *told: SieveCandidate, others: tuple[SieveCandidate, ...] = ()) -> SieveCandidate | None:
    return context_of({**FIRM, text: list(told)}).settle(text, told, others or told)


def test_of_several_concepts_the_one_in_the_article_is_chosen() -> None:
    first, second = candidate("D9", "external"), candidate("D1", "external")
    assert settled("glucocorticoid x", first, second) == second
    assert settled("glucocorticoid x", second, first) == second
    assert settled("glucocorticoid x", first, candidate("D8", "external")) == first


def test_candidates_of_rewriting_sieves_keep_their_order() -> None:
    first = candidate("D9", "isotope")
    assert settled("13C", first, candidate("D1", "isotope")) == first


def test_a_short_form_takes_a_candidate_that_the_article_names() -> None:
    polystyrene = candidate("D9", "shorthand")
    found = settled("PS", polystyrene, others=(polystyrene, candidate("D2", "external", "PS")))
    assert found == SieveCandidate(("MESH:D2",), "article", "PS", via="phosphatidylserine")


def test_only_a_text_that_the_name_beside_it_gives_another_concept_is_read_as_that_name() -> None:
    beside, known, other = ("dexamethasone",), candidate("D1", "exact", "DXM"), candidate("D9", "exact")
    assert context_of(FIRM).apposed(beside, [known, other]) == known
    assert context_of(FIRM).apposed(beside, [other, known]) == replace(known, via="dexamethasone")
    assert context_of(FIRM).apposed(beside, [other]) is None


def test_a_short_form_that_nothing_defines_takes_the_concept_of_the_name_beside_it() -> None:
    context = context_of(FIRM)
    spelt_out = replace(candidate("D1", "article"), via="dexamethasone")
    assert context.spelt_out("DXM", ("dexamethasone", "unknown name")) == spelt_out
    assert context.spelt_out("DXM", ("dexamethasone", "phosphatidylserine")) is None
    assert context.spelt_out("dexasone", ("dexamethasone",)) is None
    assert context.spelt_out("DXM", ()) is None


@pytest.mark.parametrize(
    ("text", "beside", "has_concept"),
    [
        ("Pt(NH3)2Cl2", "dexamethasone", True),
        ("AB-12345", "dexamethasone", True),
        ("9-fluoro-11,17,21-trihydroxypregnadiene", "dexamethasone", True),
        ("a fluorinated steroid", "dexamethasone", False),
        ("Pt(NH3)2Cl2", "unknown name", False),
        ("Pt(NH3)2Cl2", "a corticosteroid", False),  # a plural is the preferred name of a class
        ("Pt(NH3)2Cl2", "platinum", False),
    ],
)
def test_a_structure_takes_the_concept_of_the_name_beside_its_bracket(
    text: str, beside: str, has_concept: bool
) -> None:
    names = {
        "dexamethasone": [candidate("D1", "exact")],
        "a corticosteroid": [candidate("D2", "exact")],
        "platinum": [candidate("D3", "exact")],
    }
    preferred = {"MESH:D1": "Dexamethasone", "MESH:D2": "Corticosteroids", "MESH:D3": "Platinum"}
    assert (context_of(names).structure(text, (beside,), preferred.get) is not None) is has_concept


@pytest.mark.parametrize(
    ("text", "short", "has_concept"),
    [("AbA", "ABA", False), ("AbA", "AbAc", True), ("AbA", "XYZ", False), ("Abs", "ABA", True)],
)
def test_a_name_with_another_short_form_is_not_abbreviated_by_its_letters(
    text: str, short: str, has_concept: bool, lexicon: Lexicon
) -> None:
    known = {"abscisic acid": candidate("D1", "exact")}
    found = continue_mention(text, known, lexicon, {short: ("abscisic acid",)})
    assert (found is not None) is has_concept


def test_the_singular_of_a_defined_plural_has_its_concept(lexicon: Lexicon) -> None:
    article = ArticleContext(definitions={"EtOHs": ("ethanol",)})
    assert Cascade(lexicon).candidates("EtOH", article)[0].sieve == "defined"


def test_a_short_form_with_a_concept_of_the_article_is_unchanged() -> None:
    known = candidate("D3", "shorthand")
    assert settled("SC", known, others=(known, candidate("D2", "external"))) == known


def test_a_short_form_can_be_the_beginning_of_a_name() -> None:
    found = settled("Dex", candidate("D9", "external"))
    assert found == SieveCandidate(("MESH:D1",), "article", "x", via="dexamethasone")


@pytest.mark.parametrize(
    ("text", "sieve", "stays"),
    [
        ("AG", "external", False),  # alone, an abbreviation of another terminology says nothing
        ("NDMA", "external", False),
        ("AG", "qualified", False),  # MeSH adds a word to a name that has other meanings
        ("3TC", "external", True),  # a code with a digit is somebody's name
        ("cAMP", "external", True),
        ("AG", "shorthand", True),
        ("AG", "exact", True),
        ("agarose", "external", True),
    ],
)
def test_short_forms_without_support_in_the_article(text: str, sieve: str, stays: bool) -> None:
    known = candidate("D9", sieve)
    assert settled(text, known) == (known if stays else None)


def test_a_short_form_is_not_context_for_others() -> None:
    context = context_of({"DEXA": [candidate("D1", "exact")], "doubtful": [candidate("D2", "edit")]})
    assert (context.firm, context.concepts) == ({}, frozenset())


def test_an_ambiguous_name_is_not_context_for_others() -> None:
    assert not context_of({"promotine": [candidate("D1", "exact"), candidate("D2", "exact")]}).firm


@pytest.mark.parametrize(("text", "short"), [("Dex", True), ("PS", True), ("T-2", True), ("dex", False), ("P", False)])
def test_which_texts_are_short_forms(text: str, short: bool) -> None:
    assert is_short_form(text) is short


def test_the_other_mentions_give_a_concept_that_no_sieve_has(lexicon: Lexicon) -> None:
    assert len(Normalizer(lexicon).answers({"linoleic acid", "LOA"}, ArticleContext())) == 2
    assert not Cascade(lexicon).candidates("LOA", ArticleContext())


KNOWN = {
    "docosahexaenoic acid": SieveCandidate(("MESH:D1",), "exact", "x"),
    "sodium chloride": SieveCandidate(("MESH:D2",), "exact", "y"),
    "silver chloride": SieveCandidate(("MESH:D3",), "exact", "z"),
    "C18:0 ceramide": SieveCandidate(("MESH:D4",), "exact", "c"),
    "dexamethasone phosphate": SieveCandidate(("MESH:D5",), "exact", "d"),
    "tacrolimus": SieveCandidate(("MESH:D6",), "exact", "t"),
}


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("docosahexanoic acid", "MESH:D1"),  # misspelt
        ("DHA", None),  # letters within words: three parts, two words
        ("SOC", "MESH:D2"),  # first letters, and one behind
        ("SC", None),  # two of the article's names have these letters
        ("Dex", "MESH:D5"),  # the beginning of the first word
        ("TAC", "MESH:D6"),
        ("Tacrol", None),  # more than half of the name
        ("Do", None),  # too short to be a beginning
        ("C16:0 ceramide", None),  # another chain is no misspelling
        ("wine", None),
    ],
)
def test_a_mention_without_an_answer_takes_a_concept_of_the_article(
    text: str, identifier: str | None, lexicon: Lexicon
) -> None:
    found = continue_mention(text, KNOWN, lexicon)
    assert (found.identifiers[0] if found else None) == identifier
    assert found is None or found.sieve == "article"
