"""Corpora, folds, labelled windows and augmentations of training data."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from bioc import BioCDocument, BioCPassage
from plugin_entries import add_entries

import corpora
from corpora.errors import ConfigurationError, ResourceError
from corpora.model.document import add_mention, mentions
from corpora.model.passages import passage_text
from nlmchem.tagging.inference.labels import Scheme, legal, spans_of_roles
from nlmchem.tagging.models.loading import cutter_of
from nlmchem.tagging.training import data as augmentations
from nlmchem.tagging.training.data import (
    IGNORED,
    Augmentation,
    TrainingCorpus,
    augmented,
    examples,
    fold_of,
    read_corpus,
)
from nlmchem.tagging.training.folders import base_tokenizer
from nlmchem.tagging.training.scores import bare


@pytest.mark.parametrize("architecture", ["bert", "roberta", "deberta-v2"])
def test_window_labels_are_the_gold_mentions(
    make_model: Callable[..., Path], articles: list[BioCDocument], architecture: str
) -> None:
    cutter = cutter_of(base_tokenizer(make_model(architecture)))
    document = articles[0]
    found = 0
    for example in examples([document], cutter, 1024):
        assert len(example.ids) == len(example.labels)
        found += len(spans_of_roles(np.maximum(example.labels, 0)))
        assert example.labels[0] == example.labels[-1] == IGNORED
    assert found == sum(1 for _ in mentions(document))
    texts = [passage_text(passage) for passage in document.passages]
    for encoded, passage in zip(cutter(texts), document.passages, strict=True):
        for mention in mentions(document):
            if mention.passage is passage:
                start, end = (place - passage.offset for place in mention.spans[0])
                assert encoded.span(*encoded.pieces(start, end)) == (start, end)


def test_a_mention_that_a_window_cuts_is_ignored_there(make_model: Callable[..., Path]) -> None:
    document = BioCDocument()
    passage = BioCPassage()
    passage.offset, passage.text = 0, "a " * 100
    document.add_passage(passage)
    for start in range(0, 190, 24):
        add_mention(passage, [(start, start + 19)], id=str(start), annotator="gold")
    for example in examples([document], cutter_of(base_tokenizer(make_model("bert"))), 48):
        labels = [label if label != IGNORED else 0 for label in example.labels.tolist()]
        between, _, _, _ = legal(Scheme.BIO)
        assert all(between[one, two] for one, two in pairwise(labels))
        assert all(last - first == 10 for first, last in spans_of_roles(labels))


def test_folds_have_equal_sizes_and_depend_only_on_ids(articles: list[BioCDocument]) -> None:
    folds = fold_of(articles, 3)
    assert folds == fold_of(articles[::-1], 3)
    assert sorted(folds.values()) == [0, 0, 1, 1, 2, 2]
    with pytest.raises(ConfigurationError, match="cannot be divided into 7 folds"):
        fold_of(articles, 7)


def test_each_augmentation_makes_its_copies_and_another_seed_makes_others(articles: list[BioCDocument]) -> None:
    corpus = TrainingCorpus("own", tuple(articles))
    numbers: list[int] = []
    changed = augmented(corpus, [lambda document, number: numbers.append(number) or document] * 2, 2, seed=3)
    assert (changed.name, len(changed.documents)) == ("own, augmented", 4 * len(articles))
    assert set(numbers) == {7, 8}


def test_an_augmentation_of_a_package_is_chosen_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    entry = Augmentation(lambda lexicon: made.append(lexicon) or (lambda document, number: document))
    add_entries(monkeypatch, augmentations, "AUGMENTATIONS", shuffled=entry)
    assert len(augmentations.augmenters_of(" shuffled, ", "mesh.sqlite")) == 1
    assert made == ["mesh.sqlite"]
    with pytest.raises(ConfigurationError, match=r"there is no augmentation 'sinonym'; choose from .*shuffled"):
        augmentations.augmenters_of("sinonym")


def test_a_corpus_without_chemicals_is_rejected(tmp_path: Path, articles: list[BioCDocument]) -> None:
    corpora.write([bare(document) for document in articles], tmp_path / "bare.xml")
    with pytest.raises(ConfigurationError, match="no mention of type Chemical"):
        read_corpus(str(tmp_path / "bare.xml"))


def test_a_corpus_is_named_with_its_folder_or_read_from_the_cache(
    tmp_path: Path, articles: list[BioCDocument], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path))
    with pytest.raises(ResourceError, match='as in corpus="bc5cdr/test=FOLDER"'):
        read_corpus("bc5cdr/test")
    (tmp_path / "bc5cdr").mkdir()
    corpora.write(articles, tmp_path / "bc5cdr" / "CDR_TestSet.PubTator.txt", "pubtator")
    cached, named = read_corpus("bc5cdr/test"), read_corpus(f"bc5cdr/test={tmp_path / 'bc5cdr'}")
    assert (cached.name, cached.licence) == (named.name, named.licence) == ("bc5cdr/test", "public domain")
    assert len(cached.documents) == len(named.documents) == len(articles)
    with pytest.raises(ConfigurationError, match="no corpus is called 'bc6cdr'"):
        read_corpus(f"bc6cdr={tmp_path}")


@pytest.mark.realdata
@pytest.mark.parametrize(("split", "articles"), [("train", 3500), ("dev", 3500), ("test", 2000)])
def test_chemdner_can_be_trained_on(shared_data: Path, split: str, articles: int) -> None:
    corpus = read_corpus(f"chemdner/{split}={shared_data / 'chemdner'}", report=lambda _: None)
    assert len(corpus.documents) == articles
    assert corpus.source
