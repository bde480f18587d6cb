"""The table of the definitions in a folder of articles."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

from nlmchem.abbreviations.article.output import listed

TEXT = "We measured polyunsaturated fatty acids (PUFA)."


def article(id: str) -> str:
    return json.dumps({"id": id, "passages": [{"offset": 0, "text": TEXT}]}) + "\n"


def test_a_broken_member_does_not_stop_the_rest_of_its_archive(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as packed:
        for name, text in {
            "a.jsonl": article("1"),
            "b.jsonl": '{"id": "2", "passages": [',
            "c.jsonl": article("3"),
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            packed.addfile(info, io.BytesIO(text.encode()))
    messages: list[str] = []
    outcomes = list(listed([str(tmp_path / "x.tar")], messages.append))
    found = [row.fields for outcome in outcomes for row in outcome.rows]
    assert [(row["document"], row["short_form"]) for row in found] == [("1", "PUFA"), ("3", "PUFA")]
    assert [(outcome.articles, outcome.failed) for outcome in outcomes] == [(1, 0), (0, 1), (1, 0)]
    assert [message.partition(":")[0] for message in messages] == [f"{tmp_path / 'x.tar'}, member b.jsonl"]
