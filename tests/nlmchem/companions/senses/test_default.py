"""The dictionary that comes with the package."""

from __future__ import annotations

import json

from corpora.datasets.articles import article
from nlmchem.abbreviations.undefined import EMBEDDED_NAME
from nlmchem.companions.senses.resolver import (
    DEFAULT,
    DICTIONARY,
    FILES,
    THRESHOLD,
    dictionary_of,
    open_resolver,
)


def test_it_is_compact_and_has_a_card() -> None:
    files = [dictionary_of(DEFAULT), *(DEFAULT / name for name in FILES if name != DICTIONARY)]
    assert sum(path.stat().st_size for path in files) < 12_000_000
    assert sorted(path.name for path in DEFAULT.iterdir()) == sorted([*(path.name for path in files[1:]), "README.md"])


def test_its_provenance_names_inputs_and_command() -> None:
    facts = json.loads((DEFAULT / "weights.json").read_text("utf-8"))["card"]
    assert facts["command"].startswith("python -m benchmarks.retrain.senses")
    assert all(len(digest) == 64 for digest in facts["inputs"].values())
    assert len(facts["inputs"]) == 5


def test_its_long_forms_are_no_sentences() -> None:
    longest = max(len(one.long_form.split()) for _, senses in open_resolver().inventory.items() for one in senses)
    assert longest <= 10


def test_it_knows_a_common_short_form() -> None:
    text = "The metal was removed with EDTA and the protein was bound to the resin of the column. " * 3
    [answer] = open_resolver().resolve(article("1", [(text, None, "paragraph")]))
    assert str(answer.long_form).casefold() == "ethylenediaminetetraacetic acid"
    assert answer.score >= THRESHOLD
    assert len(answer.places) == 3


def test_the_embedded_encoder_reads_the_sentence() -> None:
    document = article("1", [("The CT of the thorax was read by a radiologist.", None, "paragraph")])
    plain, read = open_resolver(), open_resolver(encoder=EMBEDDED_NAME)
    [before], [after] = plain.resolve(document), read.resolve(document)
    assert str(after.long_form).casefold() == "computed tomography"
    assert after.score != before.score
    assert read.version.startswith(plain.version)
    assert read.version != plain.version
