"""Cards of corpora, folders that lack files, and counts that differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_files import PUBTATOR, put, read, spans

import corpora
from corpora.datasets import card, cards, open_corpus
from corpora.datasets.registry import reader_of
from corpora.errors import ConfigurationError, ResourceError
from corpora.model.passages import passage_text
from corpora.tools.statistics import compare, measure


def test_every_card_is_complete_and_has_a_reader() -> None:
    for one in cards().values():
        assert callable(reader_of(one))
        assert one.title
        assert one.source
        assert one.licence, f"{one.name} states no licence"
        assert one.forms
        named = {split for form in one.forms for split in form.splits}
        assert set(one.counts) <= named, f"{one.name} counts a split that no form has"


def test_an_unknown_corpus_is_refused_with_the_known_names() -> None:
    with pytest.raises(ConfigurationError, match=r"no corpus is called 'bc6'; choose one of nlmchem, "):
        card("bc6")


def test_a_missing_file_is_reported_before_anything_is_read(tmp_path: Path) -> None:
    folder = put(tmp_path, {"BC5CDR_TrainDev.PubTator": PUBTATOR})
    corpus = open_corpus("bc5cdr", folder)
    with pytest.raises(ResourceError, match=r"lacks BC5CDR_Test\.PubTator, which the split 'test' of bc5cdr needs"):
        corpus.read()
    assert len(list(corpus.read("train+dev"))) == 1, "a split that is whole can still be read"
    with pytest.raises(ConfigurationError, match=r"has no split 'dev'; choose one of train\+dev, test"):
        corpus.read("dev")


def test_a_folder_without_files_of_the_corpus_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, {"notes.txt": "x"})
    with pytest.raises(ResourceError, match=r"contains no file of bc5cdr \(such as BC5CDR_TrainDev\.PubTator\)"):
        open_corpus("bc5cdr", tmp_path)


def test_counts_that_differ_from_the_card_are_reported(tmp_path: Path) -> None:
    folder = put(tmp_path, {"BC5CDR_TrainDev.PubTator": PUBTATOR, "BC5CDR_Test.PubTator": PUBTATOR})
    corpus = open_corpus("bc5cdr", folder)
    counts = measure(corpus.read("test"))
    assert (counts["documents"], counts["mentions.Chemical"], counts["linked.Disease"]) == (1, 2, 0)
    messages = compare(corpus.card, "test", counts)
    assert "bc5cdr, test: 1 documents, but 500 on its card" in messages[0]


def test_a_converted_corpus_is_read_back(tmp_path: Path) -> None:
    folder = put(tmp_path, {"BC5CDR_TrainDev.PubTator": PUBTATOR, "BC5CDR_Test.PubTator": PUBTATOR})
    [document] = read("bc5cdr", folder, "test")
    for name in ("out.xml", "out.json", "out.pubtator"):
        corpora.write(read("bc5cdr", folder, "test"), tmp_path / "out" / name)
        [back] = corpora.read(tmp_path / "out" / name)
        assert spans(back, None) == spans(document, None)
        assert [passage_text(p) for p in back.passages] == [passage_text(p) for p in document.passages]
