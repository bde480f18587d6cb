"""Index terms of articles as TSV and JSON."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import invoke
from plain_articles import plain_article

import corpora
from corpora.model.document import IndexTerm, add_index_term
from nlmchem.index.commands import TERM_COLUMNS


def test_terms_are_rows_or_objects_and_unknown_values_are_empty_or_null(tmp_path: Path) -> None:
    first, second, third = (plain_article(("TITLE", "a"), id=id) for id in ("7", "8", "9"))
    first.passages[0].infons["article-id_pmid"] = "99"
    add_index_term(first, IndexTerm("MESH:D015032", "Zinc", 0.9877))
    add_index_term(first, IndexTerm("MESH:D003300", "Copper", 0.5))
    add_index_term(second, IndexTerm("MESH:D012431", "a\tb"))
    path = tmp_path / "articles.xml"
    corpora.write([first, second, third], path)
    assert invoke(("index", "list", path)).stdout.splitlines() == [
        "\t".join(TERM_COLUMNS),
        "7\t99\t1\tMESH:D015032\tZinc\t0.9877",
        "7\t99\t2\tMESH:D003300\tCopper\t0.5000",
        "8\t\t1\tMESH:D012431\ta\\tb\t",
    ]
    objects = [json.loads(line) for line in invoke(("index", "list", path, "--json")).stdout.splitlines()]
    assert objects[0]["terms"][0] == {"identifier": "MESH:D015032", "entry_term": "Zinc", "score": 0.9877}
    assert objects[1]["pmid"] is None
    assert objects[2] == {"document": "9", "pmid": None, "terms": []}
