"""`nlmchem curate learn`: a tagger and a decision of corrected articles, compared with the tagger before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument
from command_line import call

import corpora
from corpora.errors import ConfigurationError
from corpora.reporting import ignore
from nlmchem.companions.curation import learning
from nlmchem.companions.curation.learning import BOTH, TAGGER, Learnt, learn, plan
from nlmchem.deciding.decision import read_model
from nlmchem.tagging.training import run as training
from nlmchem.tagging.training.data import TrainingCorpus
from sieves.lexicon.lexicon import Lexicon

Learn = Callable[..., Learnt]


@pytest.fixture
def learnt(make_model: Callable[..., Path], lexicon: Lexicon, tmp_path: Path) -> Learn:
    """Learns from articles, starting from a random model."""
    base = make_model("bert")

    def ran(articles: list[BioCDocument], rate: float = 3e-3, folds: int = 3, report: Any = ignore) -> Learnt:
        target = [TrainingCorpus("gold", tuple(articles))]
        return learn(plan(base, tmp_path / "out", target, (), folds, passes=6, rate=rate, seed=1), lexicon, report)

    return ran


def strict(learnt: Learnt) -> dict[str, float]:
    assert learnt.scores is not None
    return {run.name: run.strict.score.f1 for run in learnt.scores.results}


@pytest.mark.slow
def test_a_better_tagger_is_recommended_and_a_complete_one_is_not_trained_again(
    learnt: Learn, articles: list[BioCDocument], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    real = learning.deciding.learn

    def recording(seen: list[Any], *rest: Any, **more: Any) -> Any:
        sizes.append(len(seen))
        return real(seen, *rest, **more)

    monkeypatch.setattr(learning.deciding, "learn", recording)
    found = learnt(articles)
    scores = strict(found)
    assert list(scores) == ["before", TAGGER, BOTH]
    assert scores[TAGGER] > scores["before"] + 0.3
    assert found.recommended in (TAGGER, BOTH)
    assert sizes == [4, 4, 4, 6], "no decision of a fold was trained on its articles"
    assert found.decision is not None
    assert read_model(found.decision).card["articles"] == 6
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["recommended"] == found.recommended
    monkeypatch.setattr(training, "train_stage", lambda *_: pytest.fail("trained again"))
    content = found.decision.read_bytes()
    assert strict(learnt(articles)) == scores
    assert found.decision.read_bytes() == content
    with pytest.raises(ConfigurationError, match="has a training on other articles or with other options"):
        learnt(articles[:5])


@pytest.mark.slow
def test_a_tagger_that_is_not_better_is_not_recommended(learnt: Learn, articles: list[BioCDocument]) -> None:
    notes: list[str] = []
    found = learnt(articles[:2], rate=1e-12, folds=2, report=notes.append)
    scores = strict(found)
    assert scores[TAGGER] == pytest.approx(scores["before"], abs=0.03)
    assert (found.recommended, found.decision) == (None, None)
    assert "2 articles are too few for a decision of their own; it needs three, in three folds" in notes


def test_fewer_articles_than_folds_are_one_sentence_and_leave_no_folder(
    learnt: Learn, articles: list[BioCDocument], tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match="1 article cannot be divided into 3 folds; use fewer"):
        learnt(articles[:1])
    assert not (tmp_path / "out").exists()


def test_a_changed_account_is_refused_before_training(
    learnt: Learn, articles: list[BioCDocument], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "run", lambda *_: pytest.fail("trained"))
    with pytest.raises(pytest.fail.Exception):
        learnt(articles)
    (tmp_path / "out" / "manifest.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"manifest\.json was not written by nlmchem, or was changed since"):
        learnt(articles)


@pytest.mark.slow
def test_the_command_continues_after_its_time_limit_and_prints_what_to_do(
    make_model: Callable[..., Path], articles: list[BioCDocument], mesh: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    corpora.write(articles[:4], tmp_path / "gold.xml")
    options = (tmp_path / "gold.xml", "-o", tmp_path / "out", "--base", make_model("bert"), "--folds", 2)
    options = (*options, "--passes", 6, "--lexicon", mesh)
    stopped = call("curate", "learn", *options, "--minutes", 0.01, capsys=capsys)
    assert stopped.returncode == 3
    assert "run the same command again to continue" in stopped.stderr
    done = call("curate", "learn", *options, capsys=capsys)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "spans, type Chemical, 4 documents of the corrected articles"
    assert lines[-1].startswith(("better: nlmchem annotate INPUT -o OUTPUT --tagger ", "not better than before"))
    value = json.loads(call("curate", "learn", *options, "--json", capsys=capsys).stdout)
    assert [run["run"] for run in value["runs"]] == ["before", TAGGER, BOTH]
    assert value["decision"] == str(tmp_path / "out" / "decision.json")
