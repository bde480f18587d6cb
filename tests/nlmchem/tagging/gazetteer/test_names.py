"""The search for names finds what a look-up of every part of a text finds."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlmchem.tagging.gazetteer import names
from nlmchem.tagging.gazetteer.names import OPENING, NameScanner, without_overlaps
from nlmchem.tagging.tokenization.tokens import TOKEN, at_word_bounds
from sieves.lexicon import key_hashes as listing
from sieves.lexicon.key_hashes import KeyHashes, key_hashes
from sieves.lexicon.lexicon import Lexicon, singular
from sieves.lexicon.tables import build_lexicon

NAMES = ("estradiol", "t estradiol", "Ca2+", "(+)-catechin", "β-carotene", "iron", "iron(III) oxide", "haem", "sulphur")
WORDS = (
    "to",
    "t",
    "o",
    "estradiol",
    "ha",
    "em",
    "(",
    "+",
    ")",
    "-",
    "β",
    "carotene",
    "s",
    "iron",
    "oxide",
    "Ca",
    "2",
    "\u0301",
    "½",
    "sulphur",
)
SYMBOLS = ("·+", "(+)")


@pytest.fixture(scope="module", params=["tsv", "sqlite"])
def lexicon(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lexicon:
    folder = tmp_path_factory.mktemp("names")
    rows = [f"MESH:D{at:06}\t{name}\t" for at, name in enumerate((*NAMES, *SYMBOLS), 1)]
    (folder / "names.tsv").write_text("\n".join(rows), "utf-8")
    build_lexicon([folder / "names.tsv"], folder / "names.sqlite")
    return Lexicon.open(folder / f"names.{request.param}")


def answer_of(lexicon: Lexicon) -> Callable[[str], str | None]:
    def answer(text: str) -> str | None:
        forms = (form for form in (text, singular(text)) if form)
        return next((form for form in forms if lexicon.relaxed(form)), None)

    return answer


def every_part(lexicon: Lexicon, text: str) -> list[tuple[int, int, str]]:
    """The longest name at each token, by looking up each part of the text that begins and ends at tokens."""
    answer = answer_of(lexicon)
    found = []
    tokens = [token.span() for token in TOKEN.finditer(text)]
    for start, first in tokens:
        if not text[start].isalnum() and text[start] not in lexicon.meta["openings"]:
            continue
        ends = [end for _, end in tokens if first <= end <= start + names.WINDOW]
        opened = [end for end in ends if not any(map(str.isalnum, text[start:end]))]
        for end in reversed(ends):
            if opened and opened[-1] - start > OPENING and end > opened[-1]:
                continue
            name = answer(" ".join(text[start:end].split()))
            if name is not None and at_word_bounds(text, start, end):
                found.append((start, end, name))
                break
    return found


texts = st.lists(st.sampled_from(WORDS) | st.characters(codec="utf-8"), max_size=12).flatmap(
    lambda words: st.sampled_from(["", " "]).map(lambda blank: blank.join(words))
)


@given(text=texts)
@example(text="iron to estradiol")
@example(text="(((((((((+)-catechin")
@example(text="irons and Iron (III) oxides")
def test_what_is_found_is_what_a_look_up_of_every_part_finds(lexicon: Lexicon, text: str) -> None:
    assert NameScanner(lexicon, answer_of(lexicon)).names([text]) == [every_part(lexicon, text)]


@given(given_texts=st.lists(texts, max_size=6))
@example(given_texts=["", "iron to", "estradiol", "", "irons (", "(((((((", "+)-catechin", "a ·", "+"])
@example(given_texts=["iron \u3400 iron", "iron"])
def test_texts_that_are_searched_together_give_what_each_gives(lexicon: Lexicon, given_texts: list[str]) -> None:
    scanner = NameScanner(lexicon, answer_of(lexicon))
    assert scanner.names(given_texts) == [every_part(lexicon, text) for text in given_texts]


def test_a_name_with_the_letter_between_texts_is_found_within_one_text_only(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("MESH:D000001\tiron \u3400 oxide\t\n", "utf-8")
    with Lexicon.open(tmp_path / "x.tsv") as lexicon:
        found = NameScanner(lexicon, answer_of(lexicon)).names(["iron", "oxide", "iron \u3400 oxide"])
    assert found == [[], [], [(0, 12, "iron \u3400 oxide")]]


def test_a_text_in_several_segments_gives_the_same_names(lexicon: Lexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "iron(III) oxide to estradiol, " * 20
    whole = NameScanner(lexicon, answer_of(lexicon)).names([text, text])
    monkeypatch.setattr(names, "SEGMENT", 7)
    assert NameScanner(lexicon, answer_of(lexicon)).names([text, text]) == whole


def test_names_of_further_keys_are_found(lexicon: Lexicon) -> None:
    scanner = NameScanner(lexicon, lambda text: text if text == "mm Hg" else None, ["mmhg"])
    assert scanner.names(["5 mm Hg"]) == [[(2, 7, "mm Hg")]]


def test_spans_that_overlap_an_earlier_one_are_left_out() -> None:
    assert list(without_overlaps([(0, 5), (3, 4), (5, 6)])) == [(0, 5), (5, 6)]


def test_a_lexicon_without_names_in_a_text_gives_none(lexicon: Lexicon) -> None:
    scanner = NameScanner(lexicon, answer_of(lexicon))
    assert scanner.names(["", " ", "water", "."]) == [[], [], [], []]
    assert scanner.names([]) == []


def test_the_list_of_names_is_made_once_and_again_if_it_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    (tmp_path / "names.tsv").write_text("MESH:D000001\tiron\t\n", "utf-8")
    build_lexicon([tmp_path / "names.tsv"], tmp_path / "names.sqlite")
    lines: list[str] = []
    with Lexicon.open(tmp_path / "names.sqlite") as lexicon:
        key_hashes(lexicon, lines.append)
        (file,) = (tmp_path / "home" / "name-keys").glob("*.hashes")
        content = file.read_bytes()
        key_hashes(lexicon, lines.append)
        assert len(lines) == 1
        for damage in (b"", content[:-8], content[:-1] + b"x", b"x" * 7):
            file.write_bytes(damage)
            found = key_hashes(lexicon, lines.append)
            assert found.has_keys(["iron", "irom"]).tolist() == [True, False]
            assert file.read_bytes() == content
        assert len(lines) == 5


def test_an_edited_copy_of_a_lexicon_does_not_use_the_list_of_its_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    (tmp_path / "names.tsv").write_text("MESH:D000001\tiron\t\n", "utf-8")
    build_lexicon([tmp_path / "names.tsv"], tmp_path / "names.sqlite")
    shutil.copy(tmp_path / "names.sqlite", tmp_path / "copy.sqlite")
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as connection, connection:
        connection.execute("UPDATE name SET key = 'zinc', name = 'zinc'")
    for name, expected in (("copy", [False, True]), ("names", [True, False]), ("copy", [False, True])):
        with Lexicon.open(tmp_path / f"{name}.sqlite") as lexicon:
            assert key_hashes(lexicon, list[str]().append).has_keys(["iron", "zinc"]).tolist() == expected


def test_a_lexicon_that_was_replaced_while_open_is_listed_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    for name in ("iron", "zinc"):
        (tmp_path / f"{name}.tsv").write_text(f"MESH:D000001\t{name}\t\n", "utf-8")
        build_lexicon([tmp_path / f"{name}.tsv"], tmp_path / f"{name}.sqlite")
    with Lexicon.open(tmp_path / "iron.sqlite") as lexicon:
        (tmp_path / "zinc.sqlite").replace(tmp_path / "iron.sqlite")
        assert key_hashes(lexicon, list[str]().append).has_keys(["iron", "zinc"]).tolist() == [True, False]
    with Lexicon.open(tmp_path / "iron.sqlite") as lexicon:
        assert key_hashes(lexicon, list[str]().append).has_keys(["iron", "zinc"]).tolist() == [False, True]


def test_two_workers_that_begin_together_list_the_names_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    (tmp_path / "names.tsv").write_text("MESH:D000001\tiron\t\n", "utf-8")
    build_lexicon([tmp_path / "names.tsv"], tmp_path / "names.sqlite")
    lines: list[str] = []
    storing, read, looked = listing.cache.storing, listing._read, threading.Event()
    others: list[threading.Thread] = []

    def read_and_tell(file: Path) -> KeyHashes | None:
        found = read(file)
        if threading.current_thread() in others:
            looked.set()
        return found

    def stored_while_another_begins(*words: str) -> AbstractContextManager[BinaryIO]:
        if not others:
            others.append(threading.Thread(target=lambda: key_hashes(lexicon, lines.append)))
            others[0].start()
            assert looked.wait(60)
        return storing(*words)

    monkeypatch.setattr(listing, "_read", read_and_tell)
    monkeypatch.setattr(listing.cache, "storing", stored_while_another_begins)
    with Lexicon.open(tmp_path / "names.sqlite") as lexicon:
        assert key_hashes(lexicon, lines.append).has_keys(["iron"]).tolist() == [True]
        others[0].join()
    assert len(lines) == 1


def test_a_cache_that_cannot_be_written_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "file"))
    (tmp_path / "names.tsv").write_text("MESH:D000001\tiron\t\n", "utf-8")
    build_lexicon([tmp_path / "names.tsv"], tmp_path / "names.sqlite")
    lines: list[str] = []
    with Lexicon.open(tmp_path / "names.sqlite") as lexicon:
        assert key_hashes(lexicon, lines.append).has_keys(["iron"]).tolist() == [True]
    assert "cannot be stored" in lines[-1]
    assert lines[-1].endswith("set NLMCHEM_HOME")
