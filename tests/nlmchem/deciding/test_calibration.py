"""How probable a mention is, what a target precision leaves out, and what a run reports about it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corpora
import nlmchem
from corpora.datasets.articles import article
from corpora.errors import ConfigurationError, ResourceError
from corpora.model.document import mentions
from corpora.storage.atomic import sha256_of
from indexing.learning.crossfit import Examples
from indexing.learning.linear import Columns, Linear
from nlmchem.deciding.calibration import (
    LOG_ODDS,
    OF_ARTICLES,
    OF_SHORT_TEXTS,
    Calibration,
    calibration_columns,
    lowest_for,
)
from nlmchem.deciding.decision import Decision, calibration_of, open_decision, read_model, write_model
from nlmchem.deciding.training import fitted
from nlmchem.run.plan import Configuration
from nlmchem.run.step import Chosen, Context
from nlmchem.steps.shared import decision_of
from nlmchem.steps.tag import STEP, TagOptions
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan

TEXT = "Rats drank glucose and ethanol. The new agent Xyloprofenib was given with lead."
EMBEDDED = Path(nlmchem.__file__).parent / "deciding" / "default.json"


def mentions_with(number: int, slope: float, seed: int = 0) -> Examples:
    """Mentions of 30 articles whose log-odds are `slope` times those of their decision."""
    chance = np.random.default_rng(seed)
    log_odds = chance.normal(2.0, 1.5, number)
    right = chance.random(number) < 1 / (1 + np.exp(-slope * log_odds))
    columns = calibration_columns({name: np.zeros(number) for name in OF_SHORT_TEXTS}, log_odds, log_odds)
    values = np.stack([columns[name] for name in OF_ARTICLES], axis=1)
    return Examples(values, right, np.arange(number) % 30)


def columns_at(*log_odds: float) -> Columns:
    values = np.array(log_odds)
    return calibration_columns({name: np.zeros(len(values)) for name in OF_SHORT_TEXTS}, values, values)


def test_the_probability_is_the_share_of_right_mentions() -> None:
    calibration = Calibration(fitted([mentions_with(6000, slope=0.5)], OF_ARTICLES), None, 1.0, 2.0)
    found = calibration(columns_at(-1.0, 1.0, 3.0), 100)
    assert found.tolist() == pytest.approx([1 / (1 + np.exp(-0.5 * value)) for value in (-1.0, 1.0, 3.0)], abs=0.04)


def test_sources_count_alike_however_many_mentions_they_have() -> None:
    many, few = (
        Examples(np.zeros((number, len(OF_ARTICLES))), np.arange(number) < right, np.arange(number))
        for number, right in ((9000, 9000 * 0.9), (100, 50))
    )
    regression = fitted([many, few], OF_ARTICLES)
    assert regression.probabilities(np.zeros((1, len(OF_ARTICLES)))).item() == pytest.approx((0.9 + 0.5) / 2, abs=1e-4)


@given(st.lists(st.floats(0, 1), max_size=40), st.floats(0.5, 0.99))
def test_a_target_keeps_the_most_mentions_whose_mean_reaches_it(values: list[float], target: float) -> None:
    probabilities = np.array(values).round(4)
    lowest = lowest_for(target, probabilities)
    kept = probabilities[probabilities >= lowest]
    assert len(kept) == 0 or kept.mean() >= target - 1e-6
    more = probabilities[probabilities >= max(probabilities[probabilities < lowest], default=lowest)]
    assert len(more) == len(kept) or more.mean() < target + 1e-6


def test_between_short_texts_and_whole_articles_both_regressions_count() -> None:
    articles, short = (Linear.of({LOG_ODDS[0]: (0.0, 1.0, weight)}) for weight in (1.0, 3.0))
    calibration = Calibration(articles, short, 10, 100)
    one, other, half = (calibration(columns_at(1.0), size).item() for size in (5, 100, 32))
    assert one == pytest.approx(1 / (1 + np.exp(-3)))
    assert other == calibration(columns_at(1.0), 1000).item() == pytest.approx(1 / (1 + np.exp(-1)))
    assert half == pytest.approx(1 / (1 + np.exp(-2)), abs=0.01)


def test_it_is_stored_with_the_decision(tmp_path: Path) -> None:
    model = read_model(EMBEDDED)
    write_model(tmp_path / "same.json", model)
    same = read_model(tmp_path / "same.json")
    assert (same.version, same.calibration is not None) == (sha256_of(tmp_path / "same.json"), True)
    write_model(tmp_path / "without.json", replace(model, calibration=None))
    assert read_model(tmp_path / "without.json").calibration is None
    content = json.loads(EMBEDDED.read_bytes())
    for sizes in ([2, 1], [1], "many", [0, 5]):
        damaged = {**content, "values": {**content["values"], "sizes": sizes}}
        (tmp_path / "damaged.json").write_text(json.dumps(damaged), "utf-8")
        with pytest.raises(ResourceError):
            read_model(tmp_path / "damaged.json")


# -- mentions -----------------------------------------------------------------------------------


def test_a_mention_has_its_probability_and_the_lowest_score_acts_on_it() -> None:
    article = nlmchem.load(steps=("tag",))(TEXT)
    glucose = article.mentions[0]
    assert glucose.text == "glucose"
    assert glucose.probability == glucose.score
    assert glucose.probability is not None
    assert 0.85 < glucose.probability < 1
    assert glucose.annotation.infons["probability"] == f"{glucose.probability:.4f}"
    least = min(mention.probability or 0 for mention in article.mentions)
    kept = nlmchem.load(steps=("tag",), min_score=least + 0.0001)(TEXT)
    assert [mention.text for mention in kept.mentions] == [
        mention.text for mention in article.mentions if mention.probability != least
    ]


@pytest.mark.parametrize(
    "options", [{"tagger": "lexicon"}, {"decision": "knowledge"}, {"rules": "none"}, {"guidelines": "bc5cdr"}]
)
def test_what_was_not_measured_has_no_probability(options: dict[str, str]) -> None:
    given: dict[str, object] = {"steps": ("tag",), **options}
    assert [mention.probability for mention in nlmchem.load(**given)(TEXT).mentions][:2] == [None, None]  # type: ignore[arg-type]


@pytest.mark.parametrize(("given", "calibrated"), [({}, False), ({"calibrated": True}, True)])
def test_scores_are_calibrated_only_where_the_caller_knows_the_tagger(given: dict[str, bool], calibrated: bool) -> None:
    assert calibration_of("knowledge") is None
    at = TEXT.index("glucose")
    chosen = Chosen(STEP, TagOptions(decision="learnt"))
    context = Context([chosen]).of(chosen)
    by_name, of_a_step = (
        open_decision("learnt", context.lexicon, **given),
        decision_of(chosen.options, context, **given),
    )
    for decide in (by_name, of_a_step):
        assert isinstance(decide, Decision)
        passage = PassageSpans(TEXT, [], [ScoredSpan(at, at + len("glucose"), 0.9)])
        decide(article("1", [(TEXT, None, "paragraph")]), [passage])
        assert [span.calibrated for span in passage.spans] == [calibrated]


# -- target precision ---------------------------------------------------------------------------


def test_a_higher_target_leaves_out_more() -> None:
    def marked(target: float) -> set[str]:
        return {mention.text for mention in nlmchem.load(steps=("tag",), target_precision=target)(TEXT).mentions}

    assert marked(0.95) < marked(0.8)


@pytest.mark.parametrize(
    "options", [{"decision": "knowledge"}, {"rules": "none"}, {"guidelines": "bc5cdr"}, {"min_score": 0.5}]
)
def test_a_target_that_cannot_be_promised_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=r"^target_precision (needs|chooses)"):
        Configuration.of(steps=("tag",), target_precision=0.9, **options).parse()


def test_a_run_reports_what_the_target_costs(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(3):
        (texts / f"{number}.txt").write_text(TEXT, "utf-8")
    everything = sorted(mention.probability or 0 for mention in nlmchem.load(steps=("tag",))(TEXT).mentions)
    # Between the two means: one of the mentions stays.
    target = round((everything[-1] + sum(everything) / len(everything)) / 2, 4)
    result = nlmchem.commands.annotate(inputs=[str(texts)], out=tmp_path / "out", steps="tag", target_precision=target)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    found = [mention for document in corpora.read(tmp_path / "out") for mention in mentions(document)]
    assert [mention.evidence.probability for mention in found] == [everything[-1]] * 3
    assert (manifest["mentions"], manifest["mentions_left_out"]) == (3, 3 * (len(everything) - 1))
    assert target <= manifest["expected_precision"] == everything[-1]
    (line,) = result.lines
    assert f"({manifest['mentions_left_out']} less probable left out, expected precision {everything[-1]:.4f})" in line
