"""What training does with text that does not count, and with labels of the gazetteer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from corpora.datasets.articles import article
from corpora.model.document import add_mention
from nlmchem.tagging.gazetteer.classes import shipped_gazetteer
from nlmchem.tagging.models.loading import cutter_of
from nlmchem.tagging.tokenization.word_pieces import PieceCutter
from nlmchem.tagging.training.data import IGNORED, MASKED, examples, set_distant
from nlmchem.tagging.training.folders import base_tokenizer


def test_training_ignores_masked_text(make_model: Callable[..., Path]) -> None:
    document = article("1", [("one two three", None, "paragraph")])
    add_mention(document.passages[0], [(0, 3)], id="1", annotator=None)
    add_mention(document.passages[0], [(4, 7)], id="2", annotator=None, type=MASKED)
    cutter = cutter_of(base_tokenizer(make_model("bert")))
    (example,) = examples([document], cutter, 64)
    (encoded,) = cutter(["one two three"])
    labels = example.labels[1:-1]
    first, last = encoded.pieces(4, 7)
    assert (labels[first:last] == IGNORED).all()
    assert labels[0] == 1
    assert (labels[last:] == 0).all()


def test_training_hides_the_gazetteer_where_it_is_the_source_of_the_labels(make_model: Callable[..., Path]) -> None:
    plain = cutter_of(base_tokenizer(make_model("bert")))
    cutter = PieceCutter(plain.tokenizer, plain.first, plain.separator, plain.padding, 1000, shipped_gazetteer())
    document = article("1", [("glucose", None, "paragraph")])
    add_mention(document.passages[0], [(0, 7)], id="1", annotator=None)
    (shown,) = examples([document], cutter, 64)
    set_distant(document)
    (hidden,) = examples([document], cutter, 64)
    (without,) = examples([document], cutter.without_classes(), 64)
    assert not np.array_equal(shown.ids, hidden.ids)
    assert np.array_equal(hidden.ids, without.ids)
    assert np.array_equal(shown.labels, hidden.labels)
