"""The augmentations that `train tagger --augment` can name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from bioc import BioCDocument
from command_line import call

import corpora
from corpora.model.invariant import check
from nlmchem.tagging.training.data import AUGMENTATIONS, TrainingCorpus, augmented, augmenters_of


def test_all_are_registered() -> None:
    assert {"case", "greek", "other", "random", "synonym"} <= set(AUGMENTATIONS.names())


@pytest.mark.parametrize("name", ["case", "greek", "random"])
def test_augmented_articles_have_valid_offsets_and_are_the_same_again(name: str, articles: list[BioCDocument]) -> None:
    corpus = TrainingCorpus("own", tuple(articles))
    changed, again = (augmented(corpus, augmenters_of(name), 2, seed=3) for _ in range(2))
    assert len(changed.documents) == 2 * len(articles)
    assert not [fault for document in changed.documents for fault in check(document)]
    texts = [[passage.text for document in one.documents for passage in document.passages] for one in (changed, again)]
    assert texts[0] == texts[1]
    assert texts[0] != [passage.text for document in articles for passage in document.passages] * 2


def test_names_of_a_lexicon_are_drawn(articles: list[BioCDocument], mesh: Path) -> None:
    corpus = TrainingCorpus("own", tuple(articles))
    synonym, other = augmenters_of("synonym,other", str(mesh))
    assert augmented(corpus, [other], 1, seed=3) != augmented(corpus, [synonym], 1, seed=3)


def test_the_command_trains_on_augmented_articles(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpora.write(articles[:2], tmp_path / "target.xml")
    done = call(
        "train", "tagger", "--base", make_model("bert", labels=None), "--corpus", tmp_path / "target.xml",
        "--window", "64", "--passes", "1", "--batch", "128", "--augment", "random", "--out", tmp_path / "out", "--json",
        capsys=capsys,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"finished": True, "scores": None}
    card = (tmp_path / "out" / "seed-7" / "all" / "model" / "README.md").read_text("utf-8")
    assert "| second | target.xml, augmented | 2 |" in card
