"""Files of pairs: both forms, and input that is broken."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from corpora.errors import ConfigurationError, InputError
from nlmchem.companions.pairs.pair import ContextPair, dumps, dumps_lines, parse, read_pairs

PAIR = ContextPair(
    "zinc", "Zn", "We saw zinc.", "Zn fell.", (7, 11), (0, 2), "abbreviations", True,
    "p1", ("10", "11"), (107, 0), ("MESH:D015032", "MESH:D015032"),
)  # fmt: skip
ROW = {
    "term1": "zinc", "term2": "Zn", "sentence1": "We saw zinc.", "sentence2": "Zn fell.", "start1": 7, "end1": 11,
    "start2": 0, "end2": 2, "cat": "abbreviations", "label": 1,
}  # fmt: skip


def test_json_lines_keep_everything() -> None:
    assert list(parse(dumps_lines([PAIR]).decode(), "x")) == [PAIR]


def test_the_json_of_biowic_has_its_keys_only() -> None:
    assert json.loads(dumps([PAIR])) == [ROW]
    [pair] = parse(json.dumps([ROW]), "x")
    assert (pair.id, pair.same, pair.documents, pair.places) == ("1", True, ("", ""), (-1, -1))


def test_a_pair_without_label_has_no_answer() -> None:
    row = {key: value for key, value in ROW.items() if key != "label"}
    [pair] = parse(json.dumps(row), "x")
    assert pair.same is None
    assert "label" not in json.loads(dumps_lines([pair]))


def test_a_line_separator_in_a_sentence_does_not_end_the_line(tmp_path: Path) -> None:
    row = {**ROW, "sentence2": "Zn fell.\u2028Then"}
    path = tmp_path / "pairs.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row, ensure_ascii=False).encode() + b"\n\n"))
    [pair] = read_pairs(str(path))
    assert pair.fault is None


@pytest.mark.parametrize("change", [{"start1": 6}, {"start1": -5}, {"end2": 0, "term2": ""}, {"end1": 99}])
def test_a_term_that_is_not_at_its_span_is_seen(change: dict[str, Any]) -> None:
    [pair] = parse(json.dumps({**ROW, **change}), "x")
    assert pair.fault is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"term1": "zi', "broken or cut off"),
        (json.dumps(ROW) + '\n{"term1": "zi', "line 2: the JSON is broken or cut off"),
        ('"zinc"', "object is expected"),
        (json.dumps({**ROW, "label": 2}), "the label is 2"),
        (json.dumps({**ROW, "term1": 5}), "5 is not a text"),
        (json.dumps({**ROW, "start1": None}), "not a pair"),
        (json.dumps({key: value for key, value in ROW.items() if key != "end2"}), "no end2"),
        ("\n".join([json.dumps({**ROW, "id": "a"})] * 2), "line 2: the id 'a' occurs twice"),
    ],
)
def test_broken_input_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(parse(text, "pairs.jsonl"))


def test_one_file_is_read(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(json.dumps(ROW), "utf-8")
    with pytest.raises(ConfigurationError, match="2 files"):
        read_pairs(str(tmp_path))
    (tmp_path / "c.jsonl").write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError, match="not UTF-8"):
        read_pairs(str(tmp_path / "c.jsonl"))
