"""The command that trains the embedded solver of pairs: licences, and the dictionary without the own articles."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from pathlib import Path

from benchmarks.retrain import pairs as retrain
from corpora.datasets.document_builder import article
from nlmchem.abbreviations.senses.inventory import Inventory, InventorySense


def test_articles_with_a_certain_licence_are_read(tmp_path: Path) -> None:
    rows = [("1", "cc-by-4.0"), ("2", "cc-by?"), ("3", "cc0"), ("4", "cc-by-nc-4.0"), ("5", None)]
    lines = (json.dumps({"id": name, "license": licence, "text": "Wine\nWater"}) for name, licence in rows)
    (tmp_path / "texts.xz").write_bytes(lzma.compress("\n".join(lines).encode()))
    assert [document.id for document in retrain.open_articles(tmp_path / "texts.xz")] == ["1", "3"]


def test_the_dictionary_is_used_without_the_definitions_of_the_own_articles() -> None:
    own: Counter[tuple[str, str]] = Counter()
    detect = retrain.counting(own)
    for number in range(2):
        text = "We treated celiac disease (CD). The celiac disease (CD) fell."
        assert len(detect(article(str(number), [(text, None, "paragraph")]))) >= 1
    assert own == {("CD", retrain.key_of("celiac disease")): 2}
    senses = {"celiac disease": 5, "cytoplasmic domain": 1}
    inventory = Inventory.of(("CD", InventorySense(long, number)) for long, number in senses.items())
    own["CD", retrain.key_of("cytoplasmic domains")] = 1
    left = retrain.without(inventory, own)
    assert [(sense.long_form, sense.articles) for sense in left.senses("CD")] == [("celiac disease", 3)]
