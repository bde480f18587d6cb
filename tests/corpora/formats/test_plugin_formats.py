"""Formats of installed packages: each fact that one states has the effect that it has for a built-in format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from bioc import BioCDocument
from plugin_entries import add_entries

import corpora
from corpora.datasets.articles import article
from corpora.errors import ConfigurationError, OptionError
from corpora.formats import detection, registry
from corpora.formats.format import Format, Joined, Reader
from corpora.model.document import mentions
from corpora.reporting import ignore

VERSE = Format(
    "verse", "verse", (".verse",), "corpora.formats.text:READER", "corpora.formats.text:WRITER", stores_mentions=False
)
Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs formats as the plugins of a package, in addition to those that are installed."""
    return lambda *formats: add_entries(monkeypatch, registry, "FORMATS", **{one.name: one for one in formats})


def one_mention() -> BioCDocument:
    document = article("7", [("Zinc", "TITLE", "front")])
    corpora.model.document.add_mention(document.passages[0], [(0, 4)], id="C1", annotator=None)
    return document


def test_its_other_names_select_it(install: Install, tmp_path: Path) -> None:
    install(replace(VERSE, aliases=("poem",)))
    assert registry.aliases_of(["verse", "biocjson"]) == ("json", "poem")
    assert registry.named("poem").name == "verse"
    corpora.write([one_mention()], tmp_path / "a", "poem", report=ignore)
    assert (tmp_path / "a").read_text("utf-8") == "Zinc\n"


@pytest.mark.parametrize("alias", ["text", "json"])
def test_a_name_of_another_format_is_refused_as_its_other_name(install: Install, alias: str) -> None:
    install(replace(VERSE, aliases=(alias,)))
    with pytest.raises(ConfigurationError, match=rf"the format 'verse' of a plugin has the other name '{alias}'"):
        registry.formats()
    assert registry.canonical("json") == "biocjson"


def test_it_can_be_a_format_of_an_editor_with_files_beside(install: Install) -> None:
    install(replace(VERSE, editor=True, beside=lambda types: {"types.txt": ",".join(types).encode()}))
    assert registry.editor_names()[-1] == "verse"
    assert registry.named("verse").files_beside(["Chemical"]) == {"types.txt": b"Chemical"}


def test_it_can_keep_everything(install: Install) -> None:
    assert "verse" not in registry.collection_names()
    install(replace(VERSE, keeps_everything=True))
    assert registry.collection_names()[-1] == "verse"


def test_it_can_be_for_reading_only(install: Install) -> None:
    install(replace(VERSE, writes=None))
    assert "verse" not in registry.writable_names()
    with pytest.raises(ConfigurationError, match="unknown format 'verse'; choose one of biocxml"):
        registry.writable("verse")


def test_it_can_be_for_writing_only(install: Install) -> None:
    install(replace(VERSE, reads=None))
    with pytest.raises(ConfigurationError, match="the format 'verse' is written, but not read"):
        registry.readable("verse")


def test_it_can_be_without_mentions(install: Install) -> None:
    install(VERSE, replace(VERSE, name="rhyme", suffixes=(".rhyme",), stores_mentions=True))
    assert registry.mention_names()[-1] == "rhyme"
    assert {"rhyme", "verse"} <= set(registry.writable_names())


def test_it_can_write_short_forms(install: Install) -> None:
    special = Joined(lambda document, report: b"with short forms")
    install(replace(VERSE, with_abbreviations=special))
    assert registry.writable("verse", with_abbreviations=True) is special
    with pytest.raises(OptionError, match="is for the formats pubtator, tsv, csv, verse; it is not for conll"):
        registry.writable("conll", with_abbreviations=True)


def test_it_can_need_a_package(install: Install) -> None:
    install(replace(VERSE, package="no_such_package", extra="poetry"))
    with pytest.raises(ConfigurationError, match="verse needs"):
        registry.writable("verse")


def test_its_content_is_tried_last_unless_it_is_tried_first(install: Install) -> None:
    from corpora.formats import text

    reads = Reader(text.split, text.parse, lambda head: head.startswith(b'{"verse'))
    install(replace(VERSE, reads=reads))
    assert detection.sniff(b'{"verse": 1}') == "biocjson"
    install(replace(VERSE, reads=reads, tried_first=True))
    assert detection.sniff(b'{"verse": 1}') == "verse"


def test_it_has_the_place_that_it_states(install: Install) -> None:
    def named(name: str, after: str) -> Format:
        return replace(VERSE, name=name, suffixes=(f".{name}",), after=after)

    usual = [format.name for format in registry.formats()]
    install(
        named("a", "b"), named("b", "conll"), named("c", "conll"), named("d", ""), named("e", "nothing"),
        named("f", "g"), named("g", "f"),
    )  # fmt: skip
    at = usual.index("conll") + 1
    assert [format.name for format in registry.formats()] == [
        *usual[:at], "b", "a", "c", *usual[at:], "d", "e", "f", "g",
    ]  # fmt: skip


def test_the_suffix_can_decide_instead_of_the_content(install: Install) -> None:
    install(replace(VERSE, by_suffix=True))
    assert detection.sniff(b"Zinc", "a.verse") == "verse"


def test_it_can_have_one_article_a_line(install: Install) -> None:
    install(replace(VERSE, by_line=True))
    assert detection.sniff(b"Zinc", "a.verse", lines=True) == "verse"


def test_its_suffix_selects_it_and_is_one_of_the_suffixes_of_inputs(install: Install, tmp_path: Path) -> None:
    install(replace(VERSE, stores_mentions=True, by_suffix=True))
    assert registry.format_of_suffix("a.verse.gz") == "verse"
    corpora.write([one_mention()], tmp_path / "a.verse", report=ignore)
    (document,) = corpora.read(tmp_path / "a.verse")
    assert (document.passages[0].text, list(mentions(document))) == ("Zinc", [])
