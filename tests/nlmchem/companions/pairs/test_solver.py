"""The solver: evidence, answers with reasons, the model file, training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from corpora.errors import ConfigurationError, ResourceError
from corpora.model.document import Span
from indexing.learning.linear import Linear
from nlmchem.companions.pairs.features import BASE, SENSES, VECTORS, PairFeatureMaker, open_features
from nlmchem.companions.pairs.pair import ContextPair
from nlmchem.companions.pairs.solver import (
    PairModel,
    Solver,
    by_source,
    learn,
    read_model,
    usable,
    write_model,
)
from sieves.lexicon.lexicon import Lexicon

LEXICON = (
    "MESH:D000431\tethanol\tethyl alcohol\nMESH:D001241\taspirin\tacetylsalicylic acid\n"
    "MESH:D005978\tglutathione\t\nMESH:D006152\tcyclic GMP\tcGMP\n"
)


@pytest.fixture
def features(tmp_path: Path) -> Iterator[PairFeatureMaker]:
    path = tmp_path / "names.tsv"
    path.write_text(LEXICON, "utf-8")
    with Lexicon.open(path) as lexicon:
        yield PairFeatureMaker(lexicon)


def pair(term1: str, sentence1: str, term2: str, sentence2: str, id: str = "1") -> ContextPair:
    one, other = sentence1.index(term1), sentence2.index(term2)
    spans = (one, one + len(term1)), (other, other + len(term2))
    return ContextPair(term1, term2, sentence1, sentence2, *spans, "", None, id)


def values(features: PairFeatureMaker, *texts: str) -> dict[str, float]:
    return features.of(pair(*texts))[0]


def test_synonyms_have_the_same_link(features: PairFeatureMaker) -> None:
    found = values(features, "aspirin", "We gave aspirin.", "acetylsalicylic acid", "Then acetylsalicylic acid fell.")
    assert (found["same link"], found["other link"], found["no common concept"]) == (1, 0, 0)
    other = values(features, "aspirin", "We gave aspirin.", "ethanol", "Mice drank ethanol.")
    assert (other["same link"], other["other link"], other["no common concept"]) == (0, 1, 1)


def test_a_definition_in_the_sentence_decides_what_a_short_form_means(features: PairFeatureMaker) -> None:
    sentence = "Reduced glutathione (GSH) was measured."
    alike = values(features, "GSH", sentence, "glutathione", "Plasma glutathione rose.")
    assert alike["defined otherwise"] == 0
    assert alike["same link"] == 1
    one, other = "The celiac disease (CD) cohort.", "A cytoplasmic domain (CD) was cut."
    otherwise = values(features, "CD", one, "CD", other)
    assert (otherwise["defined alike"], otherwise["defined otherwise"]) == (0, 1)
    unknown = values(features, "CD", one, "CD", "The CD fell.")
    assert (unknown["defined alike"], unknown["defined otherwise"]) == (0, 0)


def test_context_is_counted_without_the_term_itself(features: PairFeatureMaker) -> None:
    apart = values(features, "CD", "The CD fell.", "CD", "In CD children ate.")
    near = values(features, "CD", "Gluten in CD patients.", "CD", "Patients, gluten: CD.")
    assert apart["common context"] == 0
    assert near["common context"] == near["context, equal short forms"] > 0.9


def test_every_feature_has_a_number(features: PairFeatureMaker) -> None:
    for texts in (("-", "-", "-", "a -"), ("α", "α", "β", "β"), ("3", "in 3", "3", "3 of"), ("a b", "a b", "AB", "AB")):
        found, _ = features.of(pair(*texts))
        assert tuple(found) == tuple(BASE)
        assert np.isfinite(list(found.values())).all()


def test_the_evidence_does_not_depend_on_answer_group_or_concepts(features: PairFeatureMaker) -> None:
    one = pair("CD", "The CD fell.", "CD", "In CD children ate.")
    other = replace(one, same=True, group="synonyms", concepts=("MESH:D1", "MESH:D1"), documents=("1", "1"))
    assert features.of(one)[0] == features.of(other)[0]


def model_of(**weights: float) -> PairModel:
    wanted = {name.replace(" ", "_"): name for name in BASE}
    numbers = {wanted[key]: value for key, value in weights.items()}
    return PairModel(Linear.of({name: (0.0, 1.0, numbers.get(name, 0.0)) for name in BASE}, -0.5))


def test_an_answer_has_its_reasons(features: PairFeatureMaker) -> None:
    solver = Solver(features, model_of(same_link=3.0, other_link=-2.0, similarity=0.5))
    yes, no = solver(
        [
            pair("aspirin", "We gave aspirin.", "acetylsalicylic acid", "Acetylsalicylic: acetylsalicylic acid.", "a"),
            pair("aspirin", "We gave aspirin.", "ethanol", "Mice drank ethanol.", "b"),
        ]
    )
    assert (yes.id, yes.same, no.id, no.same) == ("a", True, "b", False)
    assert yes.reasons[0] == "both are linked to MESH:D001241 (acetylsalicylic acid) (+3.00)" or (
        yes.reasons[0] == "both are linked to MESH:D001241 (aspirin) (+3.00)"
    )
    assert no.reasons == ("linked to MESH:D001241 (aspirin) and MESH:D000431 (ethanol) (-2.00)",)
    assert no.as_object() == {"id": "b", "label": 0, "score": no.score, "reasons": list(no.reasons)}


def test_a_word_that_is_not_in_its_sentence_gets_no_answer_and_a_message(features: PairFeatureMaker) -> None:
    good = pair("CD", "The CD fell.", "CD", "In CD children ate.", "good")
    bad = replace(good, id="bad", span2=(0, 2))
    messages: list[str] = []
    found = list(Solver(features, model_of())([bad, good], messages.append))
    assert [answer.id for answer in found] == ["good"]
    assert messages == [
        "pair bad has no answer: the term 'CD' is not at 0..2 of its sentence, where the text is 'In'; "
        "correct the span or the sentence"
    ]


class OneVector:
    """An encoder of our own: the vector of a term depends on the length of its sentence."""

    def of(self, sentences: Sequence[str], spans: Sequence[Span]) -> NDArray[np.float32]:
        return np.array([[len(sentence), 1.0] for sentence in sentences], dtype=np.float32)


def test_the_embedded_model_is_read_and_answers(features: PairFeatureMaker) -> None:
    solver = Solver(open_features(features._lexicon))
    [answer] = solver([pair("aspirin", "We gave aspirin.", "aspirin", "Then aspirin fell.")])
    assert answer.same
    assert answer.reasons


def test_a_model_is_not_used_without_its_resources(features: PairFeatureMaker) -> None:
    without, with_default = 'leave out dictionary="off"', 'add encoder="default"'
    for feature, option in ((next(iter(SENSES)), without), (next(iter(VECTORS)), with_default)):
        model = PairModel(Linear.of(dict.fromkeys((*BASE, feature), (0.0, 1.0, 0.0))))
        with pytest.raises(ConfigurationError, match=option):
            Solver(features, model)


def test_the_dictionary_has_the_meanings_of_short_forms(features: PairFeatureMaker, tmp_path: Path) -> None:
    path = tmp_path / "dictionary.json"
    path.write_text('{"CD": [["celiac disease", 3], ["cytoplasmic domain", 1]]}', "utf-8")
    with_senses = open_features(features._lexicon, path)
    assert with_senses.features == (*BASE, *SENSES)
    one, other = "The CD fell.", "The coeliac disease and the celiac diseases."

    def senses(term: str, sentence: str) -> dict[str, float]:
        return with_senses.of(pair("CD", one, term, sentence))[0]

    known = senses("celiac diseases", other)
    assert (known["known long form"], known["share of the long form"], known["other long forms"]) == (1, 0.75, 0)
    unknown = senses("car door", "A car door.")
    assert (unknown["known long form"], unknown["other long forms"]) == (0, 1)
    equal = senses("CD", "In CD children ate.")
    assert (equal["senses"], equal["share of the first sense"]) == (pytest.approx(np.log(2)), 0.75)


def test_the_embedded_dictionary_is_used_unless_it_is_off(features: PairFeatureMaker) -> None:
    found = open_features(features._lexicon)
    assert found.features == (*BASE, *SENSES)
    ros, _ = found.of(pair("ROS", "The ROS fell.", "reactive oxygen species", "Then reactive oxygen species rose."))
    assert ros["known long form"] == 1
    assert open_features(features._lexicon, "off").features == tuple(BASE)


def test_a_broken_dictionary_is_reported(features: PairFeatureMaker, tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="there is no dictionary of short forms"):
        open_features(features._lexicon, tmp_path / "none.json")
    (tmp_path / "torn.json").write_text('{"CD": [["cel', "utf-8")
    with pytest.raises(ResourceError, match="the JSON is broken"):
        open_features(features._lexicon, tmp_path / "torn.json")


def test_an_encoder_adds_the_cosine_of_the_vectors(features: PairFeatureMaker) -> None:
    own = PairFeatureMaker(features._lexicon, None, OneVector())
    found, _ = own.of(pair("CD", "The CD fell.", "CD", "In CD children ate."))
    cosine = (12 * 19 + 1) / np.sqrt((12**2 + 1) * (19**2 + 1))
    assert [found[name] for name in VECTORS] == pytest.approx([cosine, cosine])


# -- model and training -------------------------------------------------------------------------


def test_pairs_without_both_answers_cannot_train() -> None:
    one = pair("CD", "The CD fell.", "CD", "In CD children ate.")
    with pytest.raises(ConfigurationError, match="both answers"):
        learn([replace(one, same=True)], np.zeros((1, len(BASE))), tuple(BASE))
    two = [replace(one, same=True), replace(one, same=False)]
    with pytest.raises(ConfigurationError, match="fewer than 5 groups"):
        learn(two, np.zeros((2, len(BASE))), tuple(BASE))


def test_pairs_that_cannot_train_are_reported() -> None:
    one = pair("CD", "The CD fell.", "CD", "In CD children ate.")
    messages: list[str] = []
    assert usable([one, replace(one, same=True)], messages.append) == [replace(one, same=True)]
    assert messages == ["1 of 2 pairs without an answer, or with a term that is not at its span"]


def test_each_source_is_predicted_from_the_others() -> None:
    # In the first two sources the feature speaks for "same", in the third one against it.
    rising = np.linspace(-1, 1, 40)
    values, sources = np.tile(rising, 3)[:, None], ["a"] * 40 + ["b"] * 40 + ["c"] * 40
    same = np.concatenate([rising > 0, rising > 0, rising < 0])
    found = by_source(values, same, ["similarity"], sources)
    assert list(found) == ["a", "b", "c"]
    assert found["c"] < 0.1
    assert by_source(values[:80], same[:80], ["similarity"], sources[:80]) == {"a": 1.0, "b": 1.0}


def test_training_finds_the_feature_that_decides_and_the_model_is_written_and_read_back(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    found = random.normal(size=(200, len(BASE)))
    # Each pair has its own sentences and terms, so that no two are of one group.
    pairs = [
        replace(pair(f"CD{at}", f"A{at} CD{at}.", f"EF{at}", f"B{at} EF{at}."), same=bool(value > 0))
        for at, value in enumerate(found[:, 2] + 0.3 * random.normal(size=200))
    ]
    messages: list[str] = []
    model = learn(pairs, found, tuple(BASE), card={"files": []}, report=messages.append)
    assert int(np.argmax(np.abs(model.linear.weights))) == 2
    assert model.card["cross-validated accuracy"] > 0.8
    assert "5-fold cross-validation" in messages[0]
    write_model(tmp_path / "model.json", model)
    again = read_model(tmp_path / "model.json")
    assert np.allclose(again.probabilities(found), model.probabilities(found), atol=1e-4)
    write_model(tmp_path / "again.json", again)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
