"""Rules after the model: boundaries, votes, abbreviations, proteins, the lexicon; several models as one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from bioc import BioCDocument
from hypothesis import given
from hypothesis import strategies as st

from corpora.errors import ConfigurationError, ResourceError
from corpora.model.document import Definition, mentions
from nlmchem.tagging.inference.scoring import ScoredPassage
from nlmchem.tagging.inference.spans import Find, PassageFinds
from nlmchem.tagging.inference.voting import vote
from nlmchem.tagging.lexicon.votes import LexiconVotes
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.rules.boundaries import repair, trim
from nlmchem.tagging.rules.post_processing import PostProcessing, post_process
from nlmchem.tagging.rules.proteins import part_of_protein
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions
from nlmchem.tagging.tokenization.word_pieces import Encoded
from nlmchem.tagging.training.scores import bare


def marked(text: str) -> PassageFinds:
    """A passage whose mentions are given between « and »: the model is sure of those, and of nothing else."""
    finds: list[Find] = []
    plain = ""
    for part in re.split("(«[^»]*»)", text):
        inside = part.strip("«»") if part.startswith("«") else None
        if inside is not None:
            finds.append(Find(len(plain), len(plain) + len(inside), 1.0))
        plain += part if inside is None else inside
    return PassageFinds(plain, [], finds)


def shown(passage: PassageFinds) -> str:
    text = passage.text
    for find in sorted(passage.finds, key=lambda find: -find.start):
        text = f"{text[: find.start]}«{text[find.start : find.end]}»{text[find.end :]}"
    return text


def only(name: str) -> PostProcessing:
    return PostProcessing.parse(name)


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
def test_edges_are_mended(given_span: str, expected: str | None) -> None:
    passage = marked(given_span)
    post_process([passage], only("boundaries"))
    if expected is not None:
        assert shown(passage) == expected
    else:
        assert all(passage.text[find.start : find.end].strip("() ") for find in passage.finds)


@given(st.text(alphabet="ab(){}[] -+.Cl", max_size=30), st.data())
def test_a_mended_span_lies_where_text_is_and_mending_ends(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for rule in (trim, repair):
        span = rule(text, (start, end))
        if span is not None:
            assert 0 <= span[0] < span[1] <= len(text)
            assert text[span[0] : span[1]].strip() == text[span[0] : span[1]]
            assert trim(text, span) == span


def test_a_list_of_formulae_is_several_mentions() -> None:
    passages = [marked("with «Cl- and SO4 2-», «Na+/K+», «O2, OH- and H2O»; «N and P fertilizer» and «N,N-dimethyl»")]
    post_process(passages, only("boundaries"))
    assert shown(passages[0]) == (
        "with «Cl-» and «SO4 2-», «Na+»/«K+», «O2», «OH-» and «H2O»; «N and P fertilizer» and «N,N-dimethyl»"
    )


def test_a_word_that_opens_a_sentence_is_no_symbol() -> None:
    passages = [marked("«As» both are toxic. «As» rose. Soil with «As» and more: «In» rats, «As»(III) fell.")]
    post_process(passages, PostProcessing())
    assert shown(passages[0]) == "As both are toxic. As rose. Soil with «As» and more: In rats, «As»(III) fell."


def test_a_surface_with_half_of_the_support_is_tagged_in_all_places() -> None:
    passages = [marked("«DHA» rose. DHA fell. XDHA"), marked("DHA and «DHA»; «docosahexaenoic DHA acid».")]
    post_process(passages, only("vote"))
    assert [shown(p) for p in passages] == [
        "«DHA» rose. «DHA» fell. XDHA",
        "«DHA» and «DHA»; «docosahexaenoic DHA acid».",
    ]


def test_a_surface_with_less_is_tagged_in_none() -> None:
    (passage,) = passages = [marked("«PBS» PBS PBS «NaCl»")]
    post_process(passages, only("vote"))
    assert shown(passage) == "PBS PBS PBS «NaCl»"


def test_places_that_the_model_nearly_tagged_count_for_the_surface() -> None:
    encoded = Encoded(
        np.array([5, 6, 7], np.int32), np.array([0, 4, 8], np.int32), np.array([3, 7, 11], np.int32), np.zeros(3, bool)
    )
    nearly = np.array([[0.1, 0.9, 0], [0.6, 0.4, 0], [0.6, 0.4, 0]], np.float32)
    scored = ScoredPassage(encoded, nearly, np.array([1, 0, 0]))
    passage = PassageFinds("DHA DHA DHA", [scored], [Find(0, 3, 0.9)])
    post_process([passage], only("vote"))
    assert shown(passage) == "«DHA» «DHA» «DHA»"
    assert [round(find.score, 4) for find in passage.finds] == [0.9, 0.5667, 0.5667]


def test_single_letters_are_not_spread() -> None:
    (passage,) = passages = [marked("«C» and panel C")]
    post_process(passages, only("vote"))
    assert shown(passage) == "«C» and panel C"


def test_proteins_names_say_nothing_of_the_chemical_in_them() -> None:
    """The model rightly leaves `xanthine oxidase` alone; of xanthine by itself it marks one of two."""
    text = "xanthine oxidase, xanthine oxidase, xanthine oxidase. «xanthine» and xanthine"
    (passage,) = passages = [marked(text)]
    post_process(passages, PostProcessing.parse("proteins,vote"))
    assert shown(passage) == "xanthine oxidase, xanthine oxidase, xanthine oxidase. «xanthine» and «xanthine»"
    (passage,) = passages = [marked(text)]
    post_process(passages, only("vote"))
    assert "«" not in shown(passage)


def test_an_abbreviation_goes_with_its_long_form() -> None:
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
def test_chemicals_in_proteins_names_are_dropped(text: str, protein: bool) -> None:
    passage = marked(text)
    (find,) = passage.finds
    assert part_of_protein(passage.text, find.start, find.end) is protein
    post_process([passage], only("proteins"))
    assert bool(passage.finds) is not protein


@pytest.mark.parametrize(
    "text",
    [
        "the «Ser»326«Cys» variant, «Ser»/«Cys» and «Glu»-597",
        "«Asp» 12 of pSer9 and Sec61, HisA1 or Pro",
        "«Lys»4 and CAPS-Myc-His, CAPS-Myc-His; «His»6",
    ],
)
@pytest.mark.parametrize("rules", ["residues", "residues,vote"])
def test_residues_with_their_place_stand(text: str, rules: str) -> None:
    (passage,) = passages = [marked(re.sub("[«»]", "", text))]
    post_process(passages, PostProcessing.parse(rules))
    assert shown(passage) == text


def test_a_residue_that_the_model_took_with_its_place_is_cut() -> None:
    (passage,) = passages = [marked("at «Cys797» and «Cys797 of EGFR»")]
    post_process(passages, only("residues"))
    assert shown(passage) == "at «Cys»797 and «Cys797 of EGFR»"


def test_what_an_article_calls_a_gene_is_no_chemical() -> None:
    (passage,) = passages = [marked("the «AMO» gene, «AMO» proteins and «AMO»; the «GSH» gene, «GSH»")]
    post_process(passages, only("proteins"))
    assert shown(passage) == "the AMO gene, AMO proteins and AMO; the «GSH» gene, «GSH»"


def test_what_an_article_calls_a_compound_is_one_in_all_places() -> None:
    passages = [marked("the analog XY99 was given"), marked("cells under XY99 died, with HEK293")]
    post_process(passages, PostProcessing.parse("codes,vote"))
    assert [shown(passage) for passage in passages] == [
        "the analog «XY99» was given",
        "cells under «XY99» died, with HEK293",
    ]


def test_an_abbreviation_s_long_form_has_half_of_the_say() -> None:
    known = [Definition("FF", "follicular fluid", (0, 2), (0, 16))]
    (passage,) = passages = [marked("follicular fluid (FF): «FF», «FF», «FF» and «FF» rose")]
    post_process(passages, PostProcessing.parse("vote,abbreviations"), known)
    assert shown(passage) == "follicular fluid (FF): FF, FF, FF and FF rose"


class Names:
    """A lexicon that knows NaCl."""

    def find(self, text: str) -> list[tuple[int, int, object]]:
        return [(match.start(), match.end(), None) for match in re.finditer("NaCl", text)]


def believed(text: str, support: float) -> PassageFinds:
    """A passage that a model gives the same small support everywhere, and finds nothing in."""
    words = list(re.finditer(r"\S+", text))
    starts, ends = (np.array([place(w) for w in words], np.int32) for place in (re.Match.start, re.Match.end))
    encoded = Encoded(np.full(len(words), 5, np.int32), starts, ends, np.zeros(len(words), bool))
    row = np.array([1 - support, support, 0], np.float32)
    return PassageFinds(text, [ScoredPassage(encoded, np.tile(row, (len(words), 1)), np.zeros(len(words), np.int64))])


@pytest.mark.parametrize(
    ("weight", "support", "found"), [(0.5, 0.0, True), (0.3, 0.1, False), (0.3, 0.25, True), (0.0, 0.4, False)]
)
@pytest.mark.parametrize("rules", ["lexicon", "lexicon,vote"])
def test_a_lexicon_adds_its_vote_to_the_model_s(weight: float, support: float, found: bool, rules: str) -> None:
    passage = believed("x NaCl", support)
    post_process([passage], PostProcessing.parse(rules), lexicons=[LexiconVotes(Names(), weight)])
    assert shown(passage) == ("x «NaCl»" if found else "x NaCl")
    assert [find.score for find in passage.finds] == [pytest.approx(support + weight)] * found


def test_of_two_lexicons_the_weightier_counts_and_no_support_exceeds_one() -> None:
    passage = believed("NaCl NaCl", 0.9)
    post_process([passage], PostProcessing(), lexicons=[LexiconVotes(Names(), weight) for weight in (0.3, 0.5, 0.3)])
    assert passage.named == {(0, 4): 0.5, (5, 9): 0.5}
    assert [find.score for find in passage.finds] == [1.0, 1.0]


def test_a_single_letter_has_no_vote_of_the_lexicon() -> None:
    class Carbon:
        def find(self, text: str) -> list[tuple[int, int, object]]:
            return [(match.start(), match.end(), None) for match in re.finditer("C", text)]

    passage = believed("panel C", 0.2)
    post_process([passage], PostProcessing(), lexicons=[LexiconVotes(Carbon(), 0.5)])
    assert passage.finds == []


def test_what_is_added_never_overlaps_what_is_there() -> None:
    passage = marked("«aa bb» cc")
    passage.add([Find(3, 8, 0.9), Find(6, 8, 0.5), Find(6, 7, 0.5)])
    assert [(find.start, find.end) for find in passage.finds] == [(0, 5), (6, 8)]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=40))
def test_additions_leave_finds_apart_and_in_order(drawn: list[tuple[int, int]]) -> None:
    passage = PassageFinds("x" * 80, [], [])
    passage.add(Find(start, start + size, 0.5) for start, size in drawn)
    for before, after in pairwise(passage.finds):
        assert before.end <= after.start
    assert bool(passage.finds) == bool(drawn)


def test_switches_have_names() -> None:
    assert PostProcessing.parse("vote,boundaries") == PostProcessing(True, False, False, False, False, True, False)
    assert all(getattr(PostProcessing.parse("all"), field.name) for field in fields(PostProcessing))
    assert PostProcessing.parse("default") == PostProcessing()
    with pytest.raises(ConfigurationError, match="no post-processing is called 'votes'"):
        PostProcessing.parse("votes")


def test_spans_of_half_of_the_models_stand() -> None:
    one, two, three = [Find(0, 5, 0.9), Find(10, 12, 0.6)], [Find(0, 5, 0.7), Find(9, 12, 0.8)], [Find(9, 12, 0.4)]
    assert vote([one, two, three]) == [Find(0, 5, pytest.approx(1.6 / 3)), Find(9, 12, pytest.approx(0.4))]
    assert vote([[], [], []]) == []


def test_models_of_one_vocabulary_are_averaged_others_voted(
    make_model: Callable[..., Path], articles: list[BioCDocument]
) -> None:
    one, two, other = (load_model(make_model(a, seed=s)) for a, s in (("bert", 1), ("bert", 2), ("roberta", 3)))

    def spans(*models: object) -> list[tuple]:
        copies = [bare(document) for document in articles]
        NeuralTagger(models, TaggerOptions(post_processing=PostProcessing.parse("none")))(copies)  # type: ignore[arg-type]
        return [(d.id, m.spans, m.evidence.score, m.annotator) for d in copies for m in mentions(d)]

    together = spans(one, two)
    assert together
    assert together != spans(one)
    assert "tiny-bert+tiny-bert@" in together[0][3]
    # The order of the models changes no span and no score.
    assert [row[:3] for row in spans(one, two, other)] == [row[:3] for row in spans(other, one, two)]
    assert [row[:3] for row in spans(one, one)] == [row[:3] for row in spans(one)]


def test_min_score_leaves_out_the_less_sure(make_model: Callable[..., Path], articles: list[BioCDocument]) -> None:
    model = load_model(make_model("bert"))
    every, sure = [bare(document) for document in articles], [bare(document) for document in articles]
    NeuralTagger([model])(every)
    threshold = float(np.median([m.evidence.score for d in every for m in mentions(d)]))
    NeuralTagger([model], TaggerOptions(min_score=threshold))(sure)
    kept = {(d.id, m.spans) for d in sure for m in mentions(d)}
    assert kept == {(d.id, m.spans) for d in every for m in mentions(d) if m.evidence.score >= threshold}


def test_a_bias_against_o_finds_more_and_decides_about_the_version(
    make_model: Callable[..., Path], articles: list[BioCDocument]
) -> None:
    folder = make_model("bert")

    def marked_characters() -> int:
        copies = [bare(document) for document in articles]
        NeuralTagger([load_model(folder)], TaggerOptions(post_processing=PostProcessing.parse("none")))(copies)
        return sum(end - start for d in copies for m in mentions(d) for start, end in m.spans)

    plain, version = marked_characters(), load_model(folder).version
    (folder / "nlmchem.json").write_text('{"outside_bias": 1.5}')
    assert marked_characters() > plain
    assert load_model(folder).version != version
    (folder / "nlmchem.json").write_text('{"outside_bias": "much"}')
    with pytest.raises(ResourceError, match="has the outside_bias 'much'"):
        load_model(folder)


def test_skipped_sections_are_not_tagged(make_model: Callable[..., Path], articles: list[BioCDocument]) -> None:
    document = bare(articles[0])
    document.passages[1].infons["section_type"] = "REF"
    NeuralTagger([load_model(make_model("bert"))], TaggerOptions(skip_sections=frozenset({"ref"})))([document])
    assert {id(m.passage) for m in mentions(document)} <= {id(document.passages[0]), id(document.passages[2])}
    assert list(mentions(document))
