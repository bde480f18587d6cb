"""Real articles in another format and back: all elements are equal."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument

import corpora
from corpora.extras import installed
from corpora.formats.format import Header
from corpora.formats.registry import named, suffix_of
from corpora.model.invariant import check
from corpora.reporting import ignore

pytestmark = pytest.mark.realdata


def plain(holder: Any) -> Any:
    if isinstance(holder, list):
        return [plain(item) for item in holder]
    if isinstance(holder, dict):
        return list(holder.items())
    if not hasattr(holder, "__dict__"):
        return holder
    # The file that it was read from is not part of its content.
    return {key: plain(value) for key, value in vars(holder).items() if not key.startswith("_")}


def there_and_back(source: Path, folder: Path, formats: tuple[str, ...]) -> list[str]:
    """Convert through the formats; the last file is `folder/last`. Returns the messages."""
    messages: list[str] = []
    path = source
    for number, format in enumerate(formats):
        target = folder / ("last" if number == len(formats) - 1 else str(number))
        header = Header()
        documents = corpora.read(path, header, messages.append)
        corpora.write(documents, target, format, header, messages.append)
        path = target
    return messages


@pytest.mark.parametrize("formats", [("biocjson", "biocxml"), ("jsonl", "biocxml"), ("biocxml", "biocjson")])
def test_nlm_chem_is_equal_after_writing_and_reading(
    shared_data: Path, tmp_path: Path, formats: tuple[str, ...]
) -> None:
    source = shared_data / "nlmchem" / "bioc"
    messages = there_and_back(source, tmp_path, formats)
    documents = list(corpora.read(source))
    assert len(documents) == 30
    assert plain(list(corpora.read(tmp_path / "last"))) == plain(documents)
    assert not any("cannot store" in sentence for sentence in messages)
    assert sum(len(check(document)) for document in documents) == 0


def test_every_json_key_of_the_pmc_samples_is_kept(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "pmc" / "bioc-samples.tar.gz"
    there_and_back(source, tmp_path, ("biocjson", "jsonl"))
    documents = list(corpora.read(source))
    assert plain(list(corpora.read(tmp_path / "last"))) == plain(documents)
    assert any(hasattr(document, "extra") for document in documents)
    messages = there_and_back(source, tmp_path, ("biocxml",))
    assert any("JSON keys that BioC does not define" in sentence for sentence in messages)


def test_a_header_of_nlm_chem_is_kept(shared_data: Path, tmp_path: Path) -> None:
    source = sorted((shared_data / "nlmchem" / "bioc").iterdir())[0]
    there_and_back(source, tmp_path, ("biocjson", "biocxml"))
    before, after = Header(), Header()
    list(corpora.read(source, before))
    list(corpora.read(tmp_path / "last", after))
    assert before == after
    assert before.source


@pytest.mark.parametrize("archive", ["pmc/jats.tar.gz", "indexing/jats.tar.gz"])
def test_jats_is_equal_after_conversion_to_bioc(shared_data: Path, tmp_path: Path, archive: str) -> None:
    documents = list(islice(corpora.read(shared_data / archive), 12))
    again = documents
    for number, format in enumerate(("biocxml", "biocjson", "biocxml")):
        path = tmp_path / str(number)
        corpora.write(again, path, format)
        again = list(corpora.read(path))
    assert plain(again) == plain(documents)
    assert all(check(document) == [] for document in documents)


@pytest.mark.parametrize("format", ["pubtator", "brat", "label-studio", "inception", "conll", "doccano", "prodigy"])
def test_the_mentions_of_nlm_chem_come_back_equal(shared_data: Path, tmp_path: Path, format: str) -> None:
    if (package := named(format).package) and not installed(package):
        pytest.skip(f"needs {package}")
    articles = list(corpora.read(shared_data / "nlmchem" / "bioc"))
    before = {article.id: marks(article, format) for article in articles}
    path = tmp_path / f"articles{suffix_of(format)}"
    corpora.write(articles, path, format, report=ignore)
    assert {article.id: marks(article, format) for article in corpora.read(path, report=ignore)} == before


def marks(article: BioCDocument, format: str) -> list[tuple[Any, ...]]:
    """The place and type of each mention, and its identifiers if the format stores them."""
    linked = format not in ("conll", "doccano", "prodigy")
    return sorted(
        (mention.spans[0][0], mention.spans[-1][1], mention.type, mention.identifiers if linked else ())
        for mention in corpora.mentions(article, None)
    )
