"""The command that trains the embedded solver of pairs: licences, what is kept for measuring, the dictionary."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from pathlib import Path

from benchmarks.retrain import pairs as retrain
from corpora.datasets.articles import article
from corpora.model.document import add_mention, mentions
from nlmchem.abbreviations.inventory import Inventory, InventorySense


def test_articles_with_a_certain_licence_are_read(tmp_path: Path) -> None:
    rows = [("1", "cc-by-4.0"), ("2", "cc-by?"), ("3", "cc0"), ("4", "cc-by-nc-4.0"), ("5", None)]
    lines = (json.dumps({"id": name, "license": licence, "text": "Wine\nWater"}) for name, licence in rows)
    (tmp_path / "texts.xz").write_bytes(lzma.compress("\n".join(lines).encode()))
    assert [document.id for document in retrain.open_articles(tmp_path / "texts.xz")] == ["1", "3"]


def test_articles_that_biowic_has_are_left_out() -> None:
    held = retrain.Held(frozenset({"1"}), frozenset(), (retrain.folded("The K-SADS (PL) was used in adolescents."),))
    texts = {"1": "Wine.", "2": "Water. The K - SADS ( PL ) was used in adolescents .", "3": "The K-SADS was used."}
    messages: list[str] = []
    documents = [article(name, [(text, None, "paragraph")]) for name, text in texts.items()]
    assert [document.id for document in held.apart("source", documents, messages.append)] == ["3"]
    assert messages == ["source: 2 articles are left out, because BioWiC has them"]


def test_mentions_of_genes_are_left_out() -> None:
    document = article("1", [("IL-6 and zinc", None, "paragraph")])
    add_mention(document.passages[0], [(0, 4)], id="0", annotator="gold", type="Gene")
    add_mention(document.passages[0], [(9, 13)], id="1", annotator="gold", type="Chemical")
    [kept] = retrain.of_types([document])
    assert [mention.text for mention in mentions(kept, None)] == ["zinc"]


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
