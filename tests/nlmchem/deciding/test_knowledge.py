"""Decisions by knowledge: what is no chemical, joined names, labels, suppliers, words and signs beside a name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bioc import BioCDocument
from marked_passages import document_of, marked, shown

import nlmchem
from corpora.errors import ConfigurationError
from corpora.model.document import Definition, add_definition, fresh_ids, mentions
from nlmchem.deciding.candidates import candidates_of
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.meanings import Meanings
from nlmchem.deciding.other_meanings import suppliers_in
from nlmchem.explaining.explanation import explain
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.sieve import ArticleContext


def decided(text: str, lexicon: Lexicon) -> str:
    """A text after the pieces of knowledge."""
    passage = marked(text)
    Knowledge(lexicon)(document_of(passage), [passage])
    return shown(passage)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("given «anticonvulsants» daily", "given anticonvulsants daily"),
        ("serum «ferritin» and «cisplatin»", "serum ferritin and «cisplatin»"),
        # A steroid is a hormone, too: it has another branch.
        ("serum «estrazol» rose", "serum «estrazol» rose"),
        ("given «zintraxol» daily", "given «zintraxol» daily"),
        ("the new «compound X»", "the new «compound X»"),
    ],
)
def test_mentions_that_only_mean_a_role_or_a_protein_are_left_out(text: str, expected: str, kinds: Lexicon) -> None:
    assert decided(text, kinds) == expected


def test_a_short_form_is_left_out_if_its_long_form_is_a_protein(kinds: Lexicon) -> None:
    passage = marked("the ferritin (FTN) level; «FTN» rose")
    document = document_of(passage)
    add_definition(document.passages[0], Definition("FTN", "ferritin", (14, 17), (4, 12)), fresh_ids(document, "A"))
    Knowledge(kinds)(document, [passage])
    assert shown(passage) == "the ferritin (FTN) level; FTN rose"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("with «gemcitabine/cisplatin» for", "with «gemcitabine»/«cisplatin» for"),
        ("with «gemcitabine-cisplatin» for", "with «gemcitabine»-«cisplatin» for"),
        ("with «gemcitabine–cisplatin/estrazol» for", "with «gemcitabine»–«cisplatin»/«estrazol» for"),
        # The lexicon has the whole name.
        ("in «Tris-borate» buffer", "in «Tris-borate» buffer"),
        # It does not have a part.
        ("with «gemcitabine-loxatin» for", "with «gemcitabine-loxatin» for"),
        # Ferritin is no chemical, a class stands for a part of a name, an isotope belongs to its compound.
        ("with «cisplatin-ferritin» for", "with «cisplatin-ferritin» for"),
        ("a «sodium-ion» battery", "a «sodium-ion» battery"),
        ("with «3H-estrazol» for", "with «3H-estrazol» for"),
    ],
)
def test_two_names_that_were_marked_as_one_are_divided(text: str, expected: str, kinds: Lexicon) -> None:
    assert decided(text, kinds) == expected


def test_the_parts_of_a_name_have_its_score(kinds: Lexicon) -> None:
    passage = marked("with «gemcitabine/cisplatin» for", score=0.75)
    Knowledge(kinds)(document_of(passage), [passage])
    assert [span.score for span in passage.spans] == [0.75, 0.75]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("protons at «C(12)» and", "protons at «C»(12) and"),
        ("the fullerene «C(60)» and «O(2)»", "the fullerene «C(60)» and «O(2)»"),
        ("the «indole derivatives 7b» were", "the «indole derivatives» 7b were"),
        ("the «indole derivatives (7a)» were", "the «indole derivatives» (7a) were"),
        ("given «XQ12 50» daily; «XQ12» was", "given «XQ12» 50 daily; «XQ12» was"),
        # Nothing is known about the name without the number.
        ("given «XQ 12» daily", "given «XQ 12» daily"),
        ("«7»", "«7»"),
    ],
)
def test_labels_of_atoms_and_compounds_are_trimmed(text: str, expected: str, kinds: Lexicon) -> None:
    assert decided(text, kinds) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seeds of «Indole» max, milk of «sodium» buffaloes", "seeds of Indole max, milk of sodium buffaloes"),
        ("«borate» carrier ferritin and «borate»", "borate carrier ferritin and «borate»"),
        ("«cisplatin» poisoning, bacteria fixing «sodium»", "«cisplatin» poisoning, bacteria fixing «sodium»"),
        ("the models «Na1», «Na2» and «Na3»", "the models Na1, Na2 and Na3"),
    ],
)
def test_a_longer_name_of_an_organism_or_a_protein_wins(text: str, expected: str, kinds: Lexicon) -> None:
    assert decided(text, kinds) == expected


def test_a_lexicon_without_tree_numbers_removes_nothing(tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text("OWN:1\tferritin\t\nOWN:2\tcisplatin\t\n", "utf-8")
    with Lexicon.open(tmp_path / "own.tsv") as own:
        assert decided("«ferritin» with «ferritin/cisplatin»", own) == "«ferritin» with «ferritin»/«cisplatin»"


def test_the_result_does_not_depend_on_earlier_articles(kinds: Lexicon) -> None:
    decide = Knowledge(kinds)
    first, second = marked("«XQ12» was given"), marked("given «XQ12 50» daily")
    decide(document_of(first), [first])
    decide(document_of(second), [second])
    assert shown(second) == "given «XQ12 50» daily"


def test_a_text_is_looked_up_once_for_an_article(kinds: Lexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    cascade = Cascade(kinds)
    meanings = Meanings(cascade, kinds, ArticleContext())
    assert meanings.of("cisplatin").kind == "chemical"
    monkeypatch.setattr(Cascade, "candidates", lambda *_: pytest.fail("looked up again"))
    assert meanings.of(" cisplatin").sieve == "exact"


def test_whether_a_text_is_a_known_chemical_is_found_with_fewer_sieves(kinds: Lexicon) -> None:
    texts = ("cisplatin", "cisplatins", "ferritin", "cisplatin solution", "loxatin", "XQ", "")
    article = ArticleContext({"XQ": ("cisplatin",)})
    whole, quick = (Meanings(Cascade(kinds), kinds, article) for _ in range(2))
    assert [quick.is_known_chemical(text) for text in texts] == [whole.of(text).is_known_chemical for text in texts]
    assert [quick.of(text) for text in texts] == [whole.of(text) for text in texts]
    assert [whole.is_known_chemical(text) for text in texts] == [quick.of(text).is_known_chemical for text in texts]


# -- the option ---------------------------------------------------------------------------------


def annotated(text: str, **options: object) -> list[str]:
    document = document_of(marked(text))
    annotate = nlmchem.load(steps=["tag"], tagger="lexicon", **options)  # type: ignore[arg-type]
    (result,) = annotate([document])
    return [mention.text for mention in mentions(result)]


def test_the_decision_is_made_by_default_and_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.tsv").write_text("OWN:1\tcisplatin\t\n", "utf-8")

    def nothing(self: Knowledge, document: BioCDocument, passages: list) -> None:
        for passage in passages:
            passage.spans = []

    monkeypatch.setattr(Knowledge, "__call__", nothing)
    assert annotated("given cisplatin", lexicon=tmp_path / "own.tsv") == []
    assert annotated("given cisplatin", lexicon=tmp_path / "own.tsv", decision="rules") == ["cisplatin"]


def test_an_unknown_decision_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="decision must be knowledge, learnt, rules or the path of a model"):
        nlmchem.load(decision="wisdom")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a column («Waters», Milford, MA, USA)", "a column (Waters, Milford, MA, USA)"),
        ("a detector («Waters», Australia)", "a detector (Waters, Australia)"),
        ("grids («Agar» Scientific, Stansted, UK)", "grids (Agar Scientific, Stansted, UK)"),
        (
            "we bought «cisplatin» from Polar «Lipids» (Austin, TX)",
            "we bought «cisplatin» from Polar Lipids (Austin, TX)",
        ),
        ("a column from «Waters» (Milford, MA)", "a column from Waters (Milford, MA)"),
        ("made from «Zn» (Merck, Germany)", "made from «Zn» (Merck, Germany)"),
        ("«cisplatin» (Merck, Darmstadt, Germany)", "«cisplatin» (Merck, Darmstadt, Germany)"),
        ("an anode («Cisplatin», Merck, Germany)", "an anode («Cisplatin», Merck, Germany)"),
        ("a drug («cisplatin», Sigma, MA, USA)", "a drug («cisplatin», Sigma, MA, USA)"),
        ("a study of «Waters», a lake in Australia", "a study of «Waters», a lake in Australia"),
        ("with («Waters», «Gemcitabine», and others)", "with («Waters», «Gemcitabine», and others)"),
        ("cytokines («Il», «In», IL-10)", "cytokines («Il», «In», IL-10)"),
    ],
)
def test_names_and_places_of_suppliers_are_left_out(text: str, expected: str, kinds: Lexicon) -> None:
    assert decided(text, kinds) == expected


def test_a_learnt_decision_has_no_candidate_in_the_name_of_a_supplier(kinds: Lexicon) -> None:
    passage = marked("«cisplatin» in a column (Cisplatin Systems, Milford, MA, USA)")
    meanings = Meanings(Cascade(kinds), kinds, ArticleContext())
    assert candidates_of(passage, [(0, 9), (23, 32)], meanings) == [(0, 9)]


def test_the_reason_names_the_supplier(kinds: Lexicon) -> None:
    passage = marked("in a column («Sodium» Scientific, Stansted, UK)")
    (row,) = explain(document_of(passage), [passage], Knowledge(kinds))
    assert (row.stands, row.reasons) == (0, "left out: in the name or the place of a supplier")


def test_suppliers_are_found_in_linear_time() -> None:
    for text in ("(" + "Aa " * 20_000, "(" + "Aa, " * 20_000, "from Aa (" * 10_000, "Aa Bb, " * 10_000):
        assert suppliers_in(text) == []


@pytest.fixture(scope="module")
def knowledge() -> Iterator[Knowledge]:
    with Lexicon.open() as lexicon:
        yield Knowledge(lexicon)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # One name in two spans.
        ("fed «alfa»-«tocopherol» daily", "fed «alfa-tocopherol» daily"),
        ("of «piperacillin»/«tazobactam» in", "of «piperacillin/tazobactam» in"),
        ("of «β»-«TCP» and «folate»/«thiamine»", "of «β»-«TCP» and «folate»/«thiamine»"),
        ("the «Cys»/«Cys» genotype", "the «Cys»/«Cys» genotype"),
        ("«silver»/«sulfide», «copper»/«chloride»", "«silver»/«sulfide», «copper»/«chloride»"),
        # The number in brackets.
        ("levels of «CoQ»(10) and «coenzyme Q»(10)", "levels of «CoQ(10)» and «coenzyme Q(10)»"),
        ("with «vanillin»(1), «Fe»(0) and «ADR»(12)", "with «vanillin»(1), «Fe»(0) and «ADR»(12)"),
        # Forms of an element.
        ("on «carbon» black and glassy «carbon»", "on «carbon black» and «glassy carbon»"),
        ("Very low-density lipoprotein «cholesterol»", "«Very low-density lipoprotein cholesterol»"),
        ("by activated «charcoal» or active «carbon»", "by «activated charcoal» or «active carbon»"),
        ("«phosphorus» and red «phosphorus»", "«phosphorus» and «red phosphorus»"),
        (
            "porous «carbon», black «charcoal», reactivated «carbon»",
            "porous «carbon», black «charcoal», reactivated «carbon»",
        ),
        # The salt of what is named.
        ("the hemisulfate «salt» of «adenine»", "the hemisulfate salt of «adenine»"),
        ("as «sodium salt» and «calcium salts»", "as «sodium» salt and «calcium» salts"),
        (
            "«salt» stress, «bile salts» and «trifluoroborate salts»",
            "«salt» stress, «bile salts» and «trifluoroborate salts»",
        ),
        # Lines of cells.
        ("the «CHO» line and «QZW-7» cells", "the CHO line and QZW-7 cells"),
        ("«NaCl» cells and «QZW-7» levels", "«NaCl» cells and «QZW-7» levels"),
        # A letter at the end of another name.
        ("cathepsin «K», protein «C» and «K»", "cathepsin K, protein C and «K»"),
        ("serum «K» and soil «P»", "serum «K» and soil «P»"),
        # Adjectives that share their noun with a name after them.
        ("«nitric» and «sulfuric acid» were", "«nitric and sulfuric acid» were"),
        ("«valproic» and a citric acid", "«valproic» and a citric acid"),
        ("«caffeic» and «p-coumaric acid» were", "«caffeic and p-coumaric acid» were"),
        ("«oleic», «linoleic» and «α-linolenic acids»", "«oleic, linoleic and α-linolenic acids»"),
        # A list that was marked as one; a name with commas and a shared word are no list.
        ("the «PCB-153, 2,3,7,8-TCDD» and", "the «PCB-153», «2,3,7,8-TCDD» and"),
        ("«25(OH)D, 25-OH-D3, 1,25(OH)2D» were", "«25(OH)D», «25-OH-D3», «1,25(OH)2D» were"),
        ("«vitamins A, C and E», «zinc, compound X»", "«vitamins A, C and E», «zinc, compound X»"),
        # Peptides are not divided.
        ("the peptide «Glu-Lys-Val» was", "the peptide «Glu-Lys-Val» was"),
    ],
)
def test_spans_become_names(text: str, expected: str, knowledge: Knowledge) -> None:
    passage = marked(text)
    knowledge(document_of(passage), [passage])
    assert shown(passage) == expected
