"""The rules after the model: boundaries, votes, abbreviations, proteins, residues, the lexicon."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.errors import ConfigurationError
from corpora.model.document import Definition
from nlmchem.tagging.inference.scoring import ScoredPassage
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.rules.boundaries import repair, trim
from nlmchem.tagging.rules.meanings import part_of_protein
from nlmchem.tagging.rules.post_processing import LexiconVotes, Rules, post_process
from nlmchem.tagging.tokenization.word_pieces import Encoded


def marked(text: str) -> PassageSpans:
    """A passage with spans between « and ». The model predicts these with probability 1 and no others."""
    spans: list[ScoredSpan] = []
    plain = ""
    for part in re.split("(«[^»]*»)", text):
        inside = part.strip("«»") if part.startswith("«") else None
        if inside is not None:
            spans.append(ScoredSpan(len(plain), len(plain) + len(inside), 1.0))
        plain += part if inside is None else inside
    return PassageSpans(plain, [], spans)


def shown(passage: PassageSpans) -> str:
    text = passage.text
    for span in sorted(passage.spans, key=lambda span: -span.start):
        text = f"{text[: span.start]}«{text[span.start : span.end]}»{text[span.end :]}"
    return text


def only(name: str) -> Rules:
    return Rules.parse(name)


@pytest.mark.parametrize(
    ("given_span", "expected"),
    [
        ("level of «glucose.» It", "level of «glucose». It"),
        ("an «auxin‐» and x‐responsive gene", "an «auxin»‐ and x‐responsive gene"),
        ("of «Cl-» and", "of «Cl-» and"),
        ("of «SO4» 2- and", "of «SO4 2-» and"),
        ("of «HCO3» - was", "of «HCO3 -» was"),
        ("free «Ca» 2+ rose", "free «Ca 2+» rose"),
        ("«AMPH» + saline", "«AMPH» + saline"),
        ("«NaCl» - or not", "«NaCl» - or not"),
        ("made «PI»(4,5)P2 there", "made «PI(4,5)P2» there"),
        ("the «SpO2» and", "the SpO2 and"),
        ("of «VO2max» in", "of VO2max in"),
        ("films of «VO2» on", "films of «VO2» on"),
        ("«Fe»(III) salts", "«Fe»(III) salts"),
        ("« glucose » it", " «glucose»  it"),
        ("(«DHA) and»", None),
        ("acid «(DHA» was", "acid («DHA» was"),
        ("acid («DHA)» was", "acid («DHA») was"),
        ("«poly(I:C») was", "«poly(I:C)» was"),
        ("«(R)-warfarin» was", "«(R)-warfarin» was"),
        ("«2,4-D» and", "«2,4-D» and"),
        ("«Ca2»+ rose", "«Ca2+» rose"),
        ("«Na»+/K+ pump", "«Na+»/K+ pump"),
        ("the «Cl»- channel", "the «Cl-» channel"),
        ("«Ca2+-»dependent", "«Ca2+»-dependent"),
        ("«Cl-»induced", "«Cl»-induced"),
        ("«ethanol-»treated", "«ethanol»-treated"),
        ("«( )» x", None),
        ("«ethanol»+methanol", "«ethanol»+methanol"),
        ("of «BKM»120 and", "of «BKM120» and"),
        ("«Ca»2+ rose", "«Ca2+» rose"),
        ("«carbon and» water", "«carbon» and water"),
        ("«Co2+ <» 5", "«Co2+» < 5"),
        ("an «IC50» of", "an IC50 of"),
        ("at «OD600»", "at OD600"),
        ("at 40 «Pa CO2»", "at 40 Pa «CO2»"),
        ("«mg» of «Mg»", "mg of «Mg»"),
        ("(mM): «NaCl 126», «KCl 2.5», «D-glucose 10»", "(mM): «NaCl» 126, «KCl» 2.5, «D-glucose» 10"),
        ("«polysorbate 80», «PEG 400»", "«polysorbate 80», «PEG 400»"),
        ("genes «Zm00001d002489» and «AT5G12345»", "genes Zm00001d002489 and AT5G12345"),
        ("with «SB203580» and", "with «SB203580» and"),
        ("the «PI»(4,5)«P2» pool", "the «PI(4,5)P2» pool"),
        ("«glucose» (5 mM) «ATP»", "«glucose» (5 mM) «ATP»"),
        ("fine «Ca10»(«PO4)6»(OH)2 was", "fine «Ca10(PO4)6(OH)2» was"),
        ("«Ca(NO3)2 and (NH4)2HPO4»", "«Ca(NO3)2» and «(NH4)2HPO4»"),
        ("on («OH»)2 groups of «NAD»(P)H", "on «(OH)2» groups of «NAD»(P)H"),
        ("«Zn\tFe»\t0.2", "«Zn»\t«Fe»\t0.2"),
        ("67«Gallium» scan", "«67Gallium» scan"),
        ("«Ser»326 and 326«Cys»", "«Ser»326 and 326«Cys»"),
    ],
)
def test_boundaries_are_corrected(given_span: str, expected: str | None) -> None:
    passage = marked(given_span)
    post_process([passage], only("boundaries"))
    if expected is not None:
        assert shown(passage) == expected
    else:
        assert all(passage.text[span.start : span.end].strip("() ") for span in passage.spans)


@given(st.text(alphabet="ab(){}[] -+.Cl", max_size=30), st.data())
def test_corrected_spans_are_inside_the_text_and_stable(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for rule in (trim, repair):
        span = rule(text, (start, end))
        if span is not None:
            assert 0 <= span[0] < span[1] <= len(text)
            assert text[span[0] : span[1]].strip() == text[span[0] : span[1]]
            assert trim(text, span) == span


def test_a_list_of_formulae_becomes_several_spans() -> None:
    passages = [marked("with «Cl- and SO4 2-», «Na+/K+», «O2, OH- and H2O»; «N and P fertilizer» and «N,N-dimethyl»")]
    post_process(passages, only("boundaries"))
    assert shown(passages[0]) == (
        "with «Cl-» and «SO4 2-», «Na+»/«K+», «O2», «OH-» and «H2O»; «N and P fertilizer» and «N,N-dimethyl»"
    )


def test_a_word_at_the_start_of_a_sentence_is_not_a_symbol() -> None:
    passages = [marked("«As» both are toxic. «As» rose. Soil with «As» and more: «In» rats, «As(III)» fell.")]
    post_process(passages, Rules())
    assert shown(passages[0]) == "As both are toxic. As rose. Soil with «As» and more: In rats, «As(III)» fell."


def test_a_surface_with_support_of_one_half_is_tagged_everywhere() -> None:
    passages = [marked("«DHA» rose. DHA fell. XDHA"), marked("DHA and «DHA»; «docosahexaenoic DHA acid».")]
    post_process(passages, only("vote"))
    assert [shown(p) for p in passages] == [
        "«DHA» rose. «DHA» fell. XDHA",
        "«DHA» and «DHA»; «docosahexaenoic DHA acid».",
    ]


def test_a_surface_with_less_support_is_tagged_nowhere() -> None:
    (passage,) = passages = [marked("«PBS» PBS PBS «NaCl»")]
    post_process(passages, only("vote"))
    assert shown(passage) == "PBS PBS PBS «NaCl»"


def test_probabilities_below_the_threshold_count_in_the_vote() -> None:
    encoded = Encoded(
        np.array([5, 6, 7], np.int32), np.array([0, 4, 8], np.int32), np.array([3, 7, 11], np.int32), np.zeros(3, bool)
    )
    nearly = np.array([[0.1, 0.9, 0], [0.6, 0.4, 0], [0.6, 0.4, 0]], np.float32)
    scored = ScoredPassage(encoded, nearly, np.array([1, 0, 0]))
    passage = PassageSpans("DHA DHA DHA", [scored], [ScoredSpan(0, 3, 0.9)])
    post_process([passage], only("vote"))
    assert shown(passage) == "«DHA» «DHA» «DHA»"
    assert [round(span.score, 4) for span in passage.spans] == [0.9, 0.5667, 0.5667]


def test_there_is_no_vote_on_single_letters() -> None:
    (passage,) = passages = [marked("«C» and panel C")]
    post_process(passages, only("vote"))
    assert shown(passage) == "«C» and panel C"


def test_occurrences_in_protein_names_do_not_count_in_the_vote() -> None:
    """The model is right not to mark `xanthine oxidase`. It marks one of two occurrences of xanthine alone."""
    text = "xanthine oxidase, xanthine oxidase, xanthine oxidase. «xanthine» and xanthine"
    (passage,) = passages = [marked(text)]
    post_process(passages, Rules.parse("proteins,vote"))
    assert shown(passage) == "xanthine oxidase, xanthine oxidase, xanthine oxidase. «xanthine» and «xanthine»"
    (passage,) = passages = [marked(text)]
    post_process(passages, only("vote"))
    assert "«" not in shown(passage)


@pytest.mark.parametrize(
    "text",
    [
        "«Na» in the Na(+), K(+)-ATPase",
        "«Ca» and the Ca2+-ATPase, «Ca»",
        "«Ca» and the «Ca2+» ratio",
    ],
)
def test_a_surface_before_its_charge_is_part_of_an_ion(text: str) -> None:
    (passage,) = passages = [marked(text)]
    post_process(passages, Rules.parse("boundaries,proteins,vote"))
    assert shown(passage) == text


def test_an_abbreviation_and_its_long_form_vote_together() -> None:
    known = [Definition("DHA", "docosahexaenoic acid", (0, 3), (0, 20))]
    (passage,) = passages = [marked("«docosahexaenoic acid» (DHA). «docosahexaenoic acid». x «NaCl» NaCl")]
    post_process(passages, only("abbreviations"), known)
    assert shown(passage) == "«docosahexaenoic acid» («DHA»). «docosahexaenoic acid». x «NaCl» NaCl"
    few = [marked("«DHA» docosahexaenoic acid, DHA, DHA, docosahexaenoic acid")]
    post_process(few, only("abbreviations"), known)
    assert shown(few[0]) == "DHA docosahexaenoic acid, DHA, DHA, docosahexaenoic acid"


@pytest.mark.parametrize(
    ("text", "protein"),
    [
        ("«glutamate» receptor", True),
        ("«Ca2+»-ATPase", True),
        ("«glutathione» S-transferase", True),
        ("«xanthine» oxidase", True),
        ("«ATP»‐sulfurylase", True),
        ("«serine»/threonine kinase", True),
        ("«serine»/threonine ratio", False),
        ("«dopamine» release", False),
        ("«glucose» in phases", False),
        ("«cocaine» use", False),
        ("«cocaine» disease", False),
    ],
)
def test_chemicals_in_protein_names_are_removed(text: str, protein: bool) -> None:
    passage = marked(text)
    (span,) = passage.spans
    assert part_of_protein(passage.text, span.start, span.end) is protein
    post_process([passage], only("proteins"))
    assert bool(passage.spans) is not protein


@pytest.mark.parametrize(
    "text",
    [
        "the «Ser»326«Cys» variant, «Ser»/«Cys» and «Glu»-597",
        "«Asp» 12 of pSer9 and Sec61, HisA1 or Pro",
        "«Lys»4 and CAPS-Myc-His, CAPS-Myc-His; «His»6",
        "a «Leu» to «Pro» change, «Gly»→«Asp», «Val»>«Met» and «Ser»-to-«Ala»; Pro to Con",
    ],
)
@pytest.mark.parametrize("rules", ["residues", "residues,vote"])
def test_residues_with_a_position_are_always_tagged(text: str, rules: str) -> None:
    (passage,) = passages = [marked(re.sub("[«»]", "", text))]
    post_process(passages, Rules.parse(rules))
    assert shown(passage) == text


def test_the_position_is_removed_from_the_span_of_a_residue() -> None:
    (passage,) = passages = [marked("at «Cys797» and «Cys797 of EGFR»")]
    post_process(passages, only("residues"))
    assert shown(passage) == "at «Cys»797 and «Cys797 of EGFR»"


def test_a_short_form_that_an_article_calls_a_gene_is_removed() -> None:
    (passage,) = passages = [marked("the «AMO» gene, «AMO» proteins and «AMO»; the «GSH» gene, «GSH»")]
    post_process(passages, only("proteins"))
    assert shown(passage) == "the AMO gene, AMO proteins and AMO; the «GSH» gene, «GSH»"
    (passage,) = passages = [marked("«BYM15» homologs and «BYM15» orthologues repress, «BYM15» binds")]
    post_process(passages, only("proteins"))
    assert shown(passage) == "BYM15 homologs and BYM15 orthologues repress, BYM15 binds"


def test_a_code_that_an_article_calls_a_strain_is_removed() -> None:
    (passage,) = passages = [marked("yeast strain «BH209», strains «BH209», «BH209»; strain «ATP», strain «ATP»")]
    post_process(passages, only("proteins"))
    assert shown(passage) == "yeast strain BH209, strains BH209, BH209; strain «ATP», strain «ATP»"


def test_a_code_that_an_article_calls_a_compound_is_tagged_everywhere() -> None:
    passages = [marked("the analog XY99 was given"), marked("cells under XY99 died, with HEK293")]
    post_process(passages, Rules.parse("codes,vote"))
    assert [shown(passage) for passage in passages] == [
        "the analog «XY99» was given",
        "cells under «XY99» died, with HEK293",
    ]


def test_a_long_form_has_the_same_weight_as_its_abbreviation() -> None:
    known = [Definition("FF", "follicular fluid", (0, 2), (0, 16))]
    (passage,) = passages = [marked("follicular fluid (FF): «FF», «FF», «FF» and «FF» rose")]
    post_process(passages, Rules.parse("vote,abbreviations"), known)
    assert shown(passage) == "follicular fluid (FF): FF, FF, FF and FF rose"


class Names:
    """A lexicon with the name NaCl."""

    def __init__(self, name: str = "NaCl") -> None:
        self._name = re.compile(name)

    def find(self, texts: Sequence[str]) -> list[list[tuple[int, int, object]]]:
        return [[(*match.span(), None) for match in self._name.finditer(text)] for text in texts]


def believed(text: str, support: float) -> PassageSpans:
    """A passage in which all pieces have the same low probability, so the model predicts no span."""
    words = list(re.finditer(r"\S+", text))
    starts, ends = (np.array([place(w) for w in words], np.int32) for place in (re.Match.start, re.Match.end))
    encoded = Encoded(np.full(len(words), 5, np.int32), starts, ends, np.zeros(len(words), bool))
    row = np.array([1 - support, support, 0], np.float32)
    return PassageSpans(text, [ScoredPassage(encoded, np.tile(row, (len(words), 1)), np.zeros(len(words), np.int64))])


@pytest.mark.parametrize(
    ("weight", "support", "found"), [(0.5, 0.0, True), (0.3, 0.1, False), (0.3, 0.25, True), (0.0, 0.4, False)]
)
@pytest.mark.parametrize("rules", ["lexicon", "lexicon,vote"])
def test_a_lexicon_adds_support_to_that_of_the_model(weight: float, support: float, found: bool, rules: str) -> None:
    passage = believed("x NaCl", support)
    post_process([passage], Rules.parse(rules), lexicons=[LexiconVotes(Names(), weight)])
    assert shown(passage) == ("x «NaCl»" if found else "x NaCl")
    assert [span.score for span in passage.spans] == [pytest.approx(support + weight)] * found


def test_the_larger_weight_of_two_lexicons_counts_and_scores_are_at_most_one() -> None:
    passage = believed("NaCl NaCl", 0.9)
    post_process([passage], Rules(), lexicons=[LexiconVotes(Names(), weight) for weight in (0.3, 0.5, 0.3)])
    assert passage.bonus == {(0, 4): 0.5, (5, 9): 0.5}
    assert [span.score for span in passage.spans] == [1.0, 1.0]


def test_a_lexicon_adds_no_support_to_single_letters() -> None:
    passage = believed("panel C", 0.2)
    post_process([passage], Rules(), lexicons=[LexiconVotes(Names("C"), 0.5)])
    assert passage.spans == []


def test_added_spans_do_not_overlap_existing_ones() -> None:
    passage = marked("«aa bb» cc")
    passage.add([ScoredSpan(3, 8, 0.9), ScoredSpan(6, 8, 0.5), ScoredSpan(6, 7, 0.5)])
    assert [(span.start, span.end) for span in passage.spans] == [(0, 5), (6, 8)]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=40))
def test_spans_stay_in_order_without_overlaps(drawn: list[tuple[int, int]]) -> None:
    passage = PassageSpans("x" * 80, [], [])
    passage.add(ScoredSpan(start, start + size, 0.5) for start, size in drawn)
    for before, after in pairwise(passage.spans):
        assert before.end <= after.start
    assert bool(passage.spans) == bool(drawn)


def test_rules_are_switched_by_name() -> None:
    assert Rules.parse("vote,boundaries") == Rules(
        boundaries=True,
        notations=False,
        proteins=False,
        residues=False,
        codes=False,
        lexicon=False,
        lead=False,
        vote=True,
        abbreviations=False,
    )
    assert all(getattr(Rules.parse("all"), field.name) for field in fields(Rules))
    assert Rules.parse("default") == Rules()
    with pytest.raises(ConfigurationError, match="there is no rule 'votes'"):
        Rules.parse("votes")
