"""JSON lines for Hugging Face datasets: tokens, tags, offsets and entities of each passage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import corpora
from corpora.datasets.articles import article
from corpora.errors import ArticleError
from corpora.formats import registry
from corpora.formats.conll import dumps_hf, spans_of
from corpora.model.document import add_mention, set_identifiers


def test_each_passage_is_a_row_of_tokens_and_tags(tmp_path: Path) -> None:
    document = article("77", [("Zinc", "TITLE", "front"), ("", None, "x"), ("NaCl and β-carotene", None, "paragraph")])
    passage = document.passages[-1]
    for number, (start, end) in enumerate([(0, 2), (9, 19), (0, 4)], 1):
        span = (passage.offset + start, passage.offset + end)
        set_identifiers(add_mention(passage, [span], id=f"C{number}", annotator=None), ["MESH:D1"][: number - 1])
    messages: list[str] = []
    corpora.write([document], tmp_path / "all.hf.jsonl", report=messages.append)
    title, row = map(json.loads, (tmp_path / "all.hf.jsonl").read_text("utf-8").splitlines())
    assert (title["tokens"], title["ner_tags"], title["entities"], title["section"]) == (["Zinc"], ["O"], [], "TITLE")
    assert row["tokens"] == ["NaCl", "and", "β", "-", "carotene"]
    assert row["ner_tags"] == ["B-Chemical", "O", "B-Chemical", "I-Chemical", "I-Chemical"]
    assert [tuple(row["offsets"][a][:1] + row["offsets"][b - 1][1:]) for a, b, _ in spans_of(row["ner_tags"])] == [
        mention.spans[0]
        for mention in sorted(corpora.mentions(document), key=lambda m: m.spans)
        if mention.text != "Na"
    ]
    assert [(e["text"], e["spans"], e["identifiers"]) for e in row["entities"]] == [
        (m.text, [{"start": a, "end": b} for a, b in m.spans], list(m.identifiers)) for m in corpora.mentions(document)
    ]
    assert messages == [
        "left out, because the layout of Hugging Face datasets cannot store it: "
        "infons of documents and passages (2), marks of mentions without a concept (-) (1), "
        "tags of mentions that overlap another, or have several pieces (1)"
    ]
    assert title.keys() == row.keys()


def test_the_suffix_is_not_that_of_json_lines() -> None:
    assert registry.format_of_suffix("a.hf.jsonl.gz") == "hf"
    assert registry.format_of_suffix("a.jsonl") == "jsonl"


def test_a_lone_surrogate_fails() -> None:
    with pytest.raises(ArticleError, match="lone surrogate"):
        dumps_hf(article("1", [("Zinc \ud800", None, "x")]), print)
