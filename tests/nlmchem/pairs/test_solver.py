"""The solver: evidence, answers with reasons, the model file, training."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from corpora.errors import ConfigurationError, ResourceError
from corpora.model.document import Span
from corpora.pairs.pair import ContextPair
from nlmchem.pairs.evidence import BASE, SENSES, VECTORS, Evidences
from nlmchem.pairs.model import PairModel, read_model, write_model
from nlmchem.pairs.resources import open_evidences
from nlmchem.pairs.solver import Solver, line_of
from nlmchem.pairs.training import fit, learn, usable
from sieves.lexicon.lexicon import Lexicon

LEXICON = (
    "MESH:D000431\tethanol\tethyl alcohol\nMESH:D001241\taspirin\tacetylsalicylic acid\n"
    "MESH:D005978\tglutathione\t\nMESH:D006152\tcyclic GMP\tcGMP\n"
)


@pytest.fixture
def evidences(tmp_path: Path) -> Iterator[Evidences]:
    path = tmp_path / "names.tsv"
    path.write_text(LEXICON, "utf-8")
    with Lexicon.open(path) as lexicon:
        yield Evidences(lexicon)


def pair(term1: str, sentence1: str, term2: str, sentence2: str, id: str = "1") -> ContextPair:
    one, other = sentence1.index(term1), sentence2.index(term2)
    spans = (one, one + len(term1)), (other, other + len(term2))
    return ContextPair(term1, term2, sentence1, sentence2, *spans, "", None, id)


def values(evidences: Evidences, *texts: str) -> dict[str, float]:
    return dict(zip(BASE, evidences.of(pair(*texts)).values.tolist(), strict=True))


def test_synonyms_have_the_same_link(evidences: Evidences) -> None:
    found = values(evidences, "aspirin", "We gave aspirin.", "acetylsalicylic acid", "Then acetylsalicylic acid fell.")
    assert (found["same link"], found["other link"], found["common concept"]) == (1, 0, 1)
    other = values(evidences, "aspirin", "We gave aspirin.", "ethanol", "Mice drank ethanol.")
    assert (other["same link"], other["other link"], other["no common concept"]) == (0, 1, 1)


def test_a_definition_in_the_sentence_decides_what_a_short_form_means(evidences: Evidences) -> None:
    sentence = "Reduced glutathione (GSH) was measured."
    alike = values(evidences, "GSH", sentence, "glutathione", "Plasma glutathione rose.")
    assert alike["defined otherwise"] == 0
    assert alike["same link"] == 1
    one, other = "The celiac disease (CD) cohort.", "A cytoplasmic domain (CD) was cut."
    otherwise = values(evidences, "CD", one, "CD", other)
    assert (otherwise["defined alike"], otherwise["defined otherwise"]) == (0, 1)
    unknown = values(evidences, "CD", one, "CD", "The CD fell.")
    assert (unknown["defined alike"], unknown["defined otherwise"]) == (0, 0)


def test_context_is_counted_without_the_term_itself(evidences: Evidences) -> None:
    apart = values(evidences, "CD", "The CD fell.", "CD", "In CD children ate.")
    near = values(evidences, "CD", "Gluten in CD patients.", "CD", "Patients, gluten: CD.")
    assert apart["common context"] == 0
    assert near["common context"] == near["context, equal short forms"] > 0.9


def test_every_feature_has_a_number(evidences: Evidences) -> None:
    for texts in (("-", "-", "-", "a -"), ("α", "α", "β", "β"), ("3", "in 3", "3", "3 of"), ("a b", "a b", "AB", "AB")):
        found = evidences.of(pair(*texts))
        assert found.values.shape == (len(BASE),)
        assert np.isfinite(found.values).all()


def test_the_evidence_does_not_depend_on_answer_group_or_concepts(evidences: Evidences) -> None:
    one = pair("CD", "The CD fell.", "CD", "In CD children ate.")
    other = replace(one, same=True, group="synonyms", concepts=("MESH:D1", "MESH:D1"), documents=("1", "1"))
    assert (evidences.of(one).values == evidences.of(other).values).all()


def model_of(**weights: float) -> PairModel:
    wanted = {name.replace(" ", "_"): name for name in BASE}
    numbers = {wanted[key]: value for key, value in weights.items()}
    size = len(BASE)
    return PairModel(tuple(BASE), (0.0,) * size, (1.0,) * size, tuple(numbers.get(name, 0.0) for name in BASE), -0.5)


def test_an_answer_has_its_reasons(evidences: Evidences) -> None:
    solver = Solver(evidences, model_of(same_link=3.0, other_link=-2.0, similarity=0.5))
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
    assert json.loads(line_of(no))["label"] == 0


def test_a_word_that_is_not_in_its_sentence_gets_no_answer_and_a_message(evidences: Evidences) -> None:
    good = pair("CD", "The CD fell.", "CD", "In CD children ate.", "good")
    bad = replace(good, id="bad", span2=(0, 2))
    messages: list[str] = []
    found = list(Solver(evidences, model_of())([bad, good], messages.append))
    assert [answer.id for answer in found] == ["good"]
    assert messages == [
        "pair bad has no answer: the term 'CD' is not at 0..2 of its sentence, where the text is 'In'; "
        "correct the span or the sentence"
    ]


class OneVector:
    """An encoder of our own: the vector of a term depends on the length of its sentence."""

    def of(self, sentences: Sequence[str], spans: Sequence[Span]) -> NDArray[np.float32]:
        return np.array([[len(sentence), 1.0] for sentence in sentences], dtype=np.float32)


def test_the_embedded_model_is_read_and_answers(evidences: Evidences) -> None:
    solver = Solver(open_evidences(evidences._lexicon))
    [answer] = solver([pair("aspirin", "We gave aspirin.", "aspirin", "Then aspirin fell.")])
    assert answer.same
    assert answer.reasons


def test_a_model_is_not_used_without_its_resources(evidences: Evidences) -> None:
    size = len(BASE) + 1
    for feature, option in (
        (next(iter(SENSES)), 'leave out dictionary="off"'),
        (next(iter(VECTORS)), 'add encoder="default"'),
    ):
        model = PairModel((*BASE, feature), (0.0,) * size, (1.0,) * size, (0.0,) * size, 0.0)
        with pytest.raises(ConfigurationError, match=option):
            Solver(evidences, model)


def test_the_dictionary_has_the_meanings_of_short_forms(evidences: Evidences, tmp_path: Path) -> None:
    path = tmp_path / "dictionary.json"
    path.write_text('{"CD": [["celiac disease", 3], ["cytoplasmic domain", 1]]}', "utf-8")
    with_senses = open_evidences(evidences._lexicon, path)
    assert with_senses.features == (*BASE, *SENSES)
    one, other = "The CD fell.", "The coeliac disease and the celiac diseases."

    def senses(term: str, sentence: str) -> dict[str, float]:
        found = with_senses.of(pair("CD", one, term, sentence))
        return dict(zip(with_senses.features, found.values.tolist(), strict=True))

    known = senses("celiac diseases", other)
    assert (known["known long form"], known["share of the long form"], known["other long forms"]) == (1, 0.75, 0)
    unknown = senses("car door", "A car door.")
    assert (unknown["known long form"], unknown["other long forms"]) == (0, 1)
    equal = senses("CD", "In CD children ate.")
    assert (equal["senses"], equal["share of the first sense"]) == (pytest.approx(np.log(2)), 0.75)


def test_the_embedded_dictionary_is_used_unless_it_is_off(evidences: Evidences) -> None:
    found = open_evidences(evidences._lexicon)
    assert found.features == (*BASE, *SENSES)
    ros = found.of(pair("ROS", "The ROS fell.", "reactive oxygen species", "Then reactive oxygen species rose."))
    assert dict(zip(found.features, ros.values.tolist(), strict=True))["known long form"] == 1
    assert open_evidences(evidences._lexicon, "off").features == tuple(BASE)


def test_a_broken_dictionary_is_reported(evidences: Evidences, tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="there is no dictionary of short forms"):
        open_evidences(evidences._lexicon, tmp_path / "none.json")
    (tmp_path / "torn.json").write_text('{"CD": [["cel', "utf-8")
    with pytest.raises(ResourceError, match="the JSON is broken"):
        open_evidences(evidences._lexicon, tmp_path / "torn.json")


def test_an_encoder_adds_the_cosine_of_the_vectors(evidences: Evidences) -> None:
    own = Evidences(evidences._lexicon, None, OneVector())
    found = own.of(pair("CD", "The CD fell.", "CD", "In CD children ate."))
    cosine = (12 * 19 + 1) / np.sqrt((12**2 + 1) * (19**2 + 1))
    assert found.values[-2:].tolist() == pytest.approx([cosine, cosine])


# -- model and training -------------------------------------------------------------------------


def made_values(number: int = 200) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    random = np.random.default_rng(1)
    found = random.normal(size=(number, len(BASE)))
    return found, found[:, 2] + 0.3 * random.normal(size=number) > 0


def test_training_finds_the_feature_that_decides() -> None:
    found, same = made_values()
    model = fit(found, same)
    assert int(np.argmax(np.abs(model.weights))) == 2
    assert ((model.probabilities(found) > 0.5) == same).mean() > 0.9


def test_training_agrees_with_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    found, same = made_values()
    model = fit(found, same, penalty=2.0)
    standard = (found - np.array(model.means)) / np.array(model.scales)
    other = linear.LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(standard, same)
    assert np.allclose(model.weights, other.coef_[0], atol=1e-4)
    assert model.intercept == pytest.approx(other.intercept_[0], abs=1e-4)


def test_a_constant_feature_and_separable_pairs_do_no_harm() -> None:
    found = np.zeros((20, len(BASE)))
    found[:10, 0] = 1
    model = fit(found, found[:, 0] > 0)
    assert np.isfinite(model.weights).all()
    assert model.weights[1] == 0


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
    assert messages == ["1 of 2 pairs have no answer, or a term that is not at its span"]


def test_a_model_is_written_and_read_back(tmp_path: Path) -> None:
    found, same = made_values()
    model = fit(found, same, tuple(BASE))
    write_model(tmp_path / "model.json", model)
    again = read_model(tmp_path / "model.json")
    assert np.allclose(again.probabilities(found), model.probabilities(found), atol=1e-4)
    write_model(tmp_path / "again.json", again)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"intercept"', '"interc', "not JSON|damaged"),
        ("nlmchem pairs 1", "nlmchem pairs 0", "not a model for pairs of this version"),
        ('"similarity"', '"likeness"', "no feature 'likeness'"),
        ('"scale": 1.0', '"scale": 0', "not greater than 0"),
        ('"intercept": -0.5', '"intercept": NaN', "not finite"),
        ('"mean": 0.0', '"mean": "x"', "damaged"),
    ],
)
def test_a_damaged_model_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "model.json"
    write_model(path, model_of())
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(ResourceError, match=message):
        read_model(path)


def test_a_missing_model_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="cannot read a model for pairs"):
        read_model(tmp_path / "none.json")
