"""Every architecture is trained, saved, loaded and used. This protects the use of PubMedBERT."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from bioc import BioCDocument

from corpora.model.document import mentions
from corpora.model.invariant import require_invariant
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.tagger import NeuralTagger
from nlmchem.tagging.training.data import TrainingCorpus
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
from nlmchem.tagging.training.run import run
from nlmchem.tagging.training.scores import bare

FAST = StageOptions(rate=5e-3, passes=8, batch=256, dropout=0.0)


@pytest.mark.parametrize("architecture", ["bert", "electra", "roberta", "deberta", "deberta-v2"])
def test_train_save_load_annotate(
    architecture: str, make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    options = TaggerTraining(window=64, second=FAST)
    outcome = run(
        TrainingPlan(
            make_model(architecture, labels=None), tmp_path, [TrainingCorpus("own", tuple(articles))], options=options
        )
    )

    (folder,) = outcome.models
    assert outcome.finished
    assert not list(folder.rglob("*.bin"))
    assert json.loads((folder / "nlmchem.json").read_text())["window"] == 64
    assert "| second | own | 6 |" in (folder / "README.md").read_text()

    tagger = NeuralTagger([load_model(folder)])
    copies = [bare(document) for document in articles]
    tagger(copies)
    for document in copies:
        require_invariant(document)
    gold = {(d.id, m.spans) for d in articles for m in mentions(d)}
    found = {(d.id, m.spans) for d in copies for m in mentions(d)}
    # What is learned by heart in a second is found again: pieces, labels and offsets mean the same on both sides.
    assert len(gold & found) > 0.8 * len(gold), (len(gold), len(found), len(gold & found))
    assert tagger.coverage.pieces > 0
    assert tagger.coverage.unseen == 0
