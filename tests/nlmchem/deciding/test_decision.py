"""The learnt decision: candidates, features, the best set of spans, model files, reasons; the embedded model."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_passages import document_of, marked, shown

from corpora.errors import ResourceError
from indexing.learning.forest import Forest, Tree
from nlmchem.deciding.candidates import candidates_of, possible
from nlmchem.deciding.decision import (
    LEARNT,
    Decision,
    DecisionModel,
    SpanFeatureMaker,
    _model,
    best_set,
    read_model,
    version_of,
    write_model,
)
from nlmchem.deciding.features import FACTS, FEATURES, MONOTONE, NUMBERS, SpanFeatures
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.meanings import Meanings, TextMeaning, meaning_in_words
from nlmchem.explaining.explanation import explain
from nlmchem.tagging.inference.scoring import ScoredPassage
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.tokenization.word_pieces import Encoded
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.sieve import ArticleContext, SieveCandidate


def on(*features: str, limit: float = 0.5, low: float = -2.0, high: float = 2.0) -> tuple[Tree, ...]:
    """A tree for each feature: low up to the limit, high above it."""
    trees = []
    for name in features:
        at = FEATURES.index(name)
        trees.append(Tree((at, -1, -1), (limit, 0.0, 0.0), (1, -1, -1), (2, -1, -1), (0.0, low, high)))
    return tuple(trees)


def model(*trees: Tree, threshold: float = 0.5, floor: float = 0.01, base: float = 0.0) -> DecisionModel:
    return DecisionModel(Forest(FEATURES, base, trees), threshold, floor)


def rows_of(found: SpanFeatures) -> list[dict[str, float]]:
    return [dict(zip(FEATURES, row, strict=True)) for row in found.matrix().tolist()]


def words(text: str, inside: dict[str, float]) -> PassageSpans:
    """A passage with one piece for each word, and the probability of each word of being (the begin of) a mention."""
    starts, ends, rows, at = [], [], [], 0
    for word in text.split(" "):
        starts.append(at)
        ends.append(at + len(word))
        share = inside.get(word, 0.02)
        rows.append((1 - share, share, 0.0))
        at += len(word) + 1
    zeros = np.zeros(len(starts), dtype=np.int32)
    encoded = Encoded(zeros, np.array(starts, np.int32), np.array(ends, np.int32), zeros.astype(bool))
    return PassageSpans(text, [ScoredPassage(encoded, np.array(rows, np.float32), zeros.astype(np.int64))])


def texts_of(passage: PassageSpans, lexicon: Lexicon, named: tuple[tuple[int, int], ...] = ()) -> list[str]:
    found = candidates_of(passage, named, Meanings(Cascade(lexicon), lexicon, ArticleContext()))
    return [passage.text[start:end] for start, end in found]


def test_candidates_are_spans_of_the_tagger_their_parts_and_its_second_choice(kinds: Lexicon) -> None:
    assert texts_of(marked("with «gemcitabine/cisplatin» for"), kinds) == [
        "gemcitabine",
        "gemcitabine/cisplatin",
        "cisplatin",
    ]
    assert texts_of(words("given loxatin daily", {"loxatin": 0.3}), kinds) == ["loxatin"]
    assert texts_of(words("given loxatin daily", {"loxatin": 0.1}), kinds) == []


def test_misspelt_headings_and_trade_names_are_candidates_that_the_floor_keeps() -> None:
    with Lexicon.open() as lexicon:
        text = "He took asprin and Glucophage with loxatin"
        passage = words(text, {"asprin": 0.1, "Glucophage": 0.001, "loxatin": 0.1})
        found, _ = SpanFeatureMaker(lexicon)(document_of(passage), [passage])
        assert found.texts == ["asprin", "Glucophage"]
        assert found.columns["rare word"].tolist() == [1, 1]
        Decision(lexicon, model(floor=0.6, base=-3.0))(document_of(passage), [passage])
        assert [passage.text_of(span) for span in passage.spans] == ["asprin", "Glucophage"]


def test_a_candidate_is_extended_to_a_name_of_the_lexicon(kinds: Lexicon) -> None:
    assert "indole derivatives" in texts_of(marked("the «indole» derivatives were"), kinds)
    assert "indole results" not in texts_of(marked("the «indole» results were"), kinds)


def test_names_of_the_lexicon_are_candidates(kinds: Lexicon) -> None:
    passage = marked("given cisplatin and nothing")
    found, _ = SpanFeatureMaker(kinds)(document_of(passage), [passage])
    assert found.texts == ["cisplatin"]
    [row] = rows_of(found)
    assert (row["named"], row["known"], row["chemical"], row["marked"]) == (1, 1, 1, 0)


def test_names_of_the_lexicon_are_searched_only_near_pieces_that_the_model_considers(kinds: Lexicon) -> None:
    passage = words("given loxatin and cisplatin today", {"given": 0.001, "cisplatin": 0.001, "today": 0.001})
    within = possible(passage)
    assert within is not None
    assert [passage.text[at] for at in np.flatnonzero(np.diff(within.astype(int)) == 1) + 1] == ["l", "a", "c"]
    assert not within[passage.text.index("today")]
    assert possible(marked("given «cisplatin»")) is None
    sure = words("given cisplatin today", dict.fromkeys(("given", "cisplatin", "today"), 0.001))
    found, _ = SpanFeatureMaker(kinds)(document_of(sure), [sure])
    assert found.spans == []


def test_there_is_a_column_for_each_feature(kinds: Lexicon) -> None:
    passage, other = words("given loxatin and cisplatin", {"loxatin": 0.9}), marked("«cisplatin» receptor")
    found, _ = SpanFeatureMaker(kinds)(document_of(passage, other), [passage, other])
    assert found.matrix().shape == (len(found.spans), len(FEATURES))
    assert np.isfinite(found.matrix()).all()
    assert set(MONOTONE) <= set(FEATURES)
    rows = dict(zip(found.spans, rows_of(found), strict=True))
    assert rows[1, 0, 9]["protein follows"] == 1
    assert rows[1, 0, 9]["share marked"] == 0.5
    assert rows[0, 6, 13]["inside"] == pytest.approx(np.log(9), abs=0.01)
    assert rows[0, 6, 13]["unknown"] == 1


def test_the_best_set_replaces_the_spans_and_scores_are_probabilities(kinds: Lexicon) -> None:
    passage = marked("with «gemcitabine loxatin» and «loxatin»")
    Decision(kinds, model(*on("known")))(document_of(passage), [passage])
    assert shown(passage) == "with «gemcitabine» loxatin and loxatin"
    assert [round(span.score, 4) for span in passage.spans] == [0.8808]
    assert passage.spans[0].reasons == ""


def test_the_floor_keeps_chemicals_of_the_lexicon_that_the_tagger_marks(kinds: Lexicon) -> None:
    for floor, expected in ((0.7, "given «cisplatin»; loxatin"), (0.3, "given cisplatin; loxatin")):
        passage = marked("given «cisplatin»; «loxatin»")
        Decision(kinds, model(base=-2.0, floor=floor))(document_of(passage), [passage])
        assert shown(passage) == expected


def test_in_an_article_about_new_compounds_the_floor_keeps_names_without_a_meaning(kinds: Lexicon) -> None:
    """From 40 places and 30% of the marked texts on; below that a name without a meaning can be rejected."""
    new, known = "«loxatin» or «bomotin»", "«cisplatin», «gemcitabine»"
    for text, kept in (
        ("; ".join([new] * 20), True),
        ("; ".join([new] * 19), False),
        ("; ".join([new] * 20 + [known, "«sodium», «indole», «borate»"]), False),
    ):
        passage = marked(text)
        Decision(kinds, model(base=-2.0, floor=0.7))(document_of(passage), [passage])
        texts = {passage.text_of(span) for span in passage.spans}
        assert ("loxatin" in texts) is kept, text
        assert ("cisplatin" in texts) is ("cisplatin" in text)


def test_a_model_with_fewer_features_reads_the_right_columns(kinds: Lexicon) -> None:
    tree = Tree((1, -1, -1), (0.5, 0.0, 0.0), (1, -1, -1), (2, -1, -1), (0.0, -2.0, 2.0))
    passage = marked("given «cisplatin»; «loxatin»")
    Decision(kinds, DecisionModel(Forest(("length", "unknown"), 0.0, [tree]), 0.5, 0.01))(
        document_of(passage), [passage]
    )
    assert shown(passage) == "given cisplatin; «loxatin»"


def test_reasons_are_words_about_the_text_and_its_three_strongest_features(kinds: Lexicon) -> None:
    passage = marked("given «cisplatin»")
    trees = model(*on("known", "marked", high=1.5), *on("known", high=3.0), *on("named", high=-2.0))
    Decision(kinds, trees, explain=True)(document_of(passage), [passage])
    assert passage.spans[0].reasons == (
        "in MeSH as a chemical; marked by the tagger; "
        "for it: the lexicon has it, the tagger marked exactly this text; "
        "against it: it is exactly a name of the lexicon"
    )


def test_all_features_have_words() -> None:
    assert {*FACTS, *NUMBERS} == set(FEATURES)


def test_a_lexicon_without_tree_numbers_gives_evidence_without_kinds(tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text("OWN:1\tferritin\t\nOWN:2\tcisplatin\t\n", "utf-8")
    passage = marked("given «ferritin» and «loxatin»")
    with Lexicon.open(tmp_path / "own.tsv") as own:
        found, _ = SpanFeatureMaker(own)(document_of(passage), [passage])
        rows = rows_of(found)
        assert [(row["known"], row["chemical"], row["protein"], row["unknown"]) for row in rows] == [
            (1, 0, 0, 0),
            (0, 0, 0, 1),
        ]
        Decision(own, model(*on("known")))(document_of(passage), [passage])
    assert shown(passage) == "given «ferritin» and loxatin"


def test_a_probability_that_was_raised_to_the_floor_is_shown_as_such(kinds: Lexicon) -> None:
    passage = marked("given «cisplatin»")
    Decision(kinds, model(*on("known", high=-3.0), floor=0.6), explain=True)(document_of(passage), [passage])
    assert passage.spans[0].reasons.endswith(
        "against it: the lexicon has it; kept because the lexicon has it or the tagger is sure"
    )


def test_an_empty_article_and_a_passage_without_text(kinds: Lexicon) -> None:
    passage = marked("")
    Decision(kinds, model(*on("known")))(document_of(passage), [passage])
    assert passage.spans == []
    Decision(kinds, model(*on("known")), explain=True)(document_of(), [])


def test_the_order_of_articles_does_not_change_the_result(kinds: Lexicon) -> None:
    decide = Decision(kinds, model(*on("known", "share marked", "chemical")))
    results = []
    for order in ((0, 1), (1, 0)):
        passages = [
            marked("with «gemcitabine-cisplatin» and «loxatin»"),
            marked("«loxatin 50» or cisplatin, «ferritin»"),
        ]
        for at in order:
            decide(document_of(passages[at]), [passages[at]])
        results.append([passage.spans for passage in passages])
    assert results[0] == results[1]


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_model(path, model(*on("known", limit=0.123456789), threshold=0.4, floor=0.7, base=-0.75))
    found = read_model(path)
    assert (found.trees.features, found.trees.base, found.threshold, found.floor) == (FEATURES, -0.75, 0.4, 0.7)
    write_model(path, model(threshold=1.0))
    with pytest.raises(ResourceError, match="has a threshold or a floor of 0 or 1"):
        read_model(path)


# -- explanations -------------------------------------------------------------------------------


def test_the_knowledge_is_explained(kinds: Lexicon) -> None:
    passage = marked("«ferritin» with «gemcitabine/cisplatin» and «loxatin»")
    rows = {row.text: row for row in explain(document_of(passage), [passage], Knowledge(kinds))}
    assert (rows["ferritin"].stands, rows["ferritin"].reasons) == (0, "left out: only means protein")
    assert (rows["cisplatin"].stands, rows["cisplatin"].identifiers) == (1, ("MESH:D100002",))
    assert rows["gemcitabine/cisplatin"].reasons == "divided or trimmed"
    assert rows["loxatin"].reasons == "marked by the tagger; no sieve has an answer"
    assert rows["ferritin"].why == "in MeSH as a protein; marked by the tagger; left out: only means protein"
    assert rows["cisplatin"].why == "in MeSH as a chemical; not marked by the tagger as a whole"
    assert rows["loxatin"].why == "not in the lexicon; marked by the tagger"


def test_a_learnt_decision_is_explained_for_accepted_and_rejected_texts(kinds: Lexicon) -> None:
    passage = marked("«cisplatin» and «loxatin» and «cisplatin»")
    rows = explain(document_of(passage), [passage], Decision(kinds, model(*on("known"))))
    assert [(row.text, row.stands, row.places) for row in rows] == [("cisplatin", 2, 2), ("loxatin", 0, 1)]
    assert rows[1].reasons.startswith("probability 0.1192: known 0 (-2.00)")
    assert rows[0].why == "in MeSH as a chemical; marked by the tagger"
    assert rows[1].why == (
        "not in the lexicon; marked by the tagger; left out: not probable enough (more than 0.50 is needed)"
    )


@pytest.mark.parametrize(("learnt", "shown"), [(True, "0.8808"), (False, "0.9")])
def test_a_text_with_a_low_score_is_left_out(kinds: Lexicon, learnt: bool, shown: str) -> None:
    document, passage = document_of(marked("«cisplatin»")), marked("«cisplatin»")
    decide = Decision(kinds, model(*on("known"))) if learnt else Knowledge(kinds)
    (row,) = explain(document, [passage], decide, min_score=0.95)
    assert (row.stands, row.places, row.identifier_probability) == (0, 1, None)
    assert row.why.endswith(f"by the tagger; left out: its score {shown} is too low")
    # 0.880797 is rounded as in a written mention.
    (row,) = explain(document, [marked("«cisplatin»")], decide, min_score=float(shown))
    assert (row.stands, "min_score" in row.why) == (1, False)


@pytest.mark.parametrize("learnt", [True, False])
def test_the_reason_is_about_the_concept_that_the_mention_gets(kinds: Lexicon, learnt: bool) -> None:
    text = "We dissolved «potassium iodide» («KI») in water and then gave «KI» once."
    document, passage = document_of(marked(text)), marked(text)
    decide = Decision(kinds, model(*on("marked"))) if learnt else Knowledge(kinds)
    (row,) = (row for row in explain(document, [passage], decide) if row.text == "KI")
    assert (row.sieve, row.identifiers) == ("formula", ("MESH:D100014",))
    assert row.why == "read as 'potassium iodide', in MeSH as a chemical; marked by the tagger"
    assert row.identifier_probability is not None
    assert 0.8 < row.identifier_probability < 1


@pytest.mark.parametrize("learnt", [True, False])
def test_reasons_on_request_are_about_the_concept_that_the_mention_gets(kinds: Lexicon, learnt: bool) -> None:
    passage = marked("We dissolved «potassium iodide» («KI») and gave «KI» once.")
    decide = Decision(kinds, model(*on("marked")), explain=True) if learnt else Knowledge(kinds, explain=True)
    decide(document_of(passage), [passage])
    words = "read as 'potassium iodide', in MeSH" if learnt else "marked by the tagger; sieve formula: MESH:D100014"
    assert [span.reasons.startswith(words) for span in passage.spans] == [False, True, True]


@pytest.mark.parametrize(
    ("candidate", "trees", "words"),
    [
        (None, (), "not in the lexicon"),
        (SieveCandidate(("MESH:D1",), "exact", "NO"), ("D01.1",), "in MeSH as a chemical"),
        (SieveCandidate(("MESH:D1",), "exact", "catalase"), ("D08.811.1",), "in MeSH as an enzyme"),
        (SieveCandidate(("MESH:D1",), "exact", "soot"), ("D99.1",), "in MeSH as another substance"),
        (SieveCandidate(("MESH:D1",), "exact", "x"), ("Z01",), "in MeSH as another concept"),
        (SieveCandidate(("X:1",), "exact", "x"), (), "in the lexicon"),
        (SieveCandidate(("MESH:D1",), "formula", "Nitric Oxide", via="nitric oxide"), ("D01.1",),
         "read as 'nitric oxide', in MeSH as a chemical"),
        (SieveCandidate(("MESH:D1",), "edit", "Aspirin"), ("D01.1",), "taken for 'Aspirin', in MeSH as a chemical"),
    ],
)  # fmt: skip
def test_meanings_are_put_into_words(candidate: SieveCandidate | None, trees: tuple[str, ...], words: str) -> None:
    sense = TextMeaning() if candidate is None else TextMeaning((candidate,), (trees,))
    assert meaning_in_words(sense) == words


def test_it_can_be_read_and_states_what_it_was_trained_on() -> None:
    model = _model(LEARNT)
    assert model.trees.features == FEATURES
    assert {"corpora", "tagger", "articles"} <= set(model.card)
    assert version_of(LEARNT) == model.version


def test_monotone_features_have_one_sign() -> None:
    """A higher value of `inside` never lowers the log-odds, whatever the other features are."""
    trees, generator = _model(LEARNT).trees, np.random.default_rng(0)
    values = generator.normal(0, 3, (200, len(FEATURES)))
    for name, sign in MONOTONE.items():
        raised = values.copy()
        raised[:, FEATURES.index(name)] += 2
        assert (sign * (trees.log_odds(raised) - trees.log_odds(values)) >= -1e-9).all(), name


SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6)), max_size=8, unique=True).map(
    lambda found: [(start, start + length) for start, length in found]
)
WEIGHTS = st.integers(-4, 8)


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


@given(SPANS, st.data())
def test_no_other_set_without_overlaps_has_a_larger_sum(spans: list[tuple[int, int]], data: st.DataObject) -> None:
    weights = [float(data.draw(WEIGHTS)) for _ in spans]
    chosen = best_set(spans, weights)
    assert not any(overlap(spans[a], spans[b]) for a, b in combinations(chosen, 2))
    assert all(weights[at] > 0 for at in chosen)
    best = max(
        sum(weights[at] for at in subset)
        for size in range(len(spans) + 1)
        for subset in combinations(range(len(spans)), size)
        if not any(overlap(spans[a], spans[b]) for a, b in combinations(subset, 2))
    )
    assert sum(weights[at] for at in chosen) == best


@given(SPANS, st.data())
def test_the_order_of_the_candidates_does_not_matter(spans: list[tuple[int, int]], data: st.DataObject) -> None:
    weights = [float(data.draw(WEIGHTS)) for _ in spans]
    order = data.draw(st.permutations(range(len(spans))))
    other = best_set([spans[at] for at in order], [weights[at] for at in order])
    assert sorted(spans[at] for at in best_set(spans, weights)) == sorted(spans[order[at]] for at in other)


def test_two_parts_win_over_the_whole_if_they_weigh_more() -> None:
    spans = [(0, 10), (0, 4), (5, 10)]
    assert best_set(spans, [1.5, 1.0, 1.0]) == [1, 2]
    assert best_set(spans, [2.5, 1.0, 1.0]) == [0]
    assert best_set(spans, [-1.0, 0.0, -2.0]) == []
