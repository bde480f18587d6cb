"""Readers of corpora of keyphrases, on our own files in the published formats."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from corpus_files import put, read

from corpora.errors import InputError
from nlmchem.companions.keyphrases.evaluation import PreparedArticle, Sentence, document_of, read_keys


def test_keyphrases_are_grouped_by_annotators(tmp_path: Path) -> None:
    sentence = {"section": "title", "type": "title", "tokens": ["Zinc", "Fingers"], "pos": ["NN", "NNS"]}
    folder = put(
        tmp_path,
        {
            "train.lvl2.jsonl": json.dumps({"id": "C-1", "sents": [sentence]}) + "\n",
            "train.author.json": '{"C-1": [["zinc finger", "finger of zinc"], ["motif"]]}',
            "train.author.stem.json": '{"C-1": [["zinc finger"], ["motif"]]}',
            "train.reader.json": '{"C-2": [["other"]]}',
            "train.combined.json": '{"C-1": [["motif"]]}',
        },
    )
    [article] = read("semeval2010", folder)
    assert article.keyphrases["author"] == (("zinc finger", "finger of zinc"), ("motif",))
    assert article.stemmed["author"][0] == ("zinc finger",)
    assert set(article.keyphrases) == {"author", "combined"}
    assert article.sentences[0].tokens == ("Zinc", "Fingers")


def test_a_prepared_article_becomes_a_document() -> None:
    sentences = (
        Sentence(("Zinc", "Fingers"), "title", "title"),
        Sentence(("Zinc", "-LRB-", "Zn", "-RRB-"), "abstract", "bodyText"),
        Sentence(("2", "Methods"), "method", "sectionHeader"),
        Sentence(("Table", "1"), "method", "tableCaption"),
        Sentence(("It", "fell"), "unheard of", "bodyText"),
    )
    document = document_of(PreparedArticle("C-1", sentences, {}, {}))
    assert [(p.offset, p.text, p.infons["section_type"], p.infons["type"]) for p in document.passages] == [
        (0, "Zinc Fingers", "TITLE", "front"),
        (13, "Zinc ( Zn )", "ABSTRACT", "paragraph"),
        (25, "2 Methods", "METHODS", "title_1"),
        (35, "Table 1", "FIG", "fig_caption"),
        (43, "It fell", "INTRO", "paragraph"),
    ]


def test_keys_are_lists_of_variants_or_texts(tmp_path: Path) -> None:
    (tmp_path / "keys.json.gz").write_bytes(gzip.compress(b'{"a": [["zinc", "Zn"], "copper"]}'))
    assert read_keys(tmp_path / "keys.json.gz") == {"a": (("zinc", "Zn"), ("copper",))}


@pytest.mark.parametrize("content", ["[]", "{", '{"a": [[1]]}', '{"a": 1}'])
def test_broken_keys_are_one_sentence(content: str, tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text(content)
    with pytest.raises(InputError, match="not keyphrases by article"):
        read_keys(tmp_path / "keys.json")
