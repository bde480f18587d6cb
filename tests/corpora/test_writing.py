"""`corpora.writing`: one output, complete or absent, as a file, a folder or a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
from bioc import BioCDocument

from corpora import writing
from corpora.errors import ConfigurationError
from corpora.formats.format import Folder, Header, Joined, Table
from corpora.reporting import Report
from corpora.storage import atomic


def dumps(document: BioCDocument, report: Report) -> bytes:
    return str(document.id).encode()


def count(articles: Iterable[bytes], header: Header, stream: BinaryIO) -> None:
    stream.write(str(len(list(articles))).encode())


JOINED = Joined(dumps, b",", lambda header: f"[{header.source}:".encode(), lambda header: b"]")
TABLE = Table(dumps, count)
PAIRS = Folder(dumps, lambda article: (article.decode(), {".a": article, ".b": b"beside"}), (".a", ".b"))


def failing() -> Iterator[bytes]:
    yield b"1"
    raise RuntimeError("stop")


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


def test_joined_articles_have_an_opening_separators_and_a_closing(tmp_path: Path) -> None:
    writing.write_articles(JOINED, [b"1", b"2"], Header("S"), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"[S:1,2]"


def test_a_table_is_written_by_its_own_function(tmp_path: Path) -> None:
    writing.write_articles(TABLE, [b"1", b"2"], Header(), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"2"


def test_a_folder_has_the_files_of_each_article(tmp_path: Path) -> None:
    writing.write_articles(PAIRS, [b"1", b"2"], Header(), tmp_path / "new" / "out")
    assert content(tmp_path / "new" / "out") == {"1.a": b"1", "1.b": b"beside", "2.a": b"2", "2.b": b"beside"}


def test_articles_with_the_same_name_are_numbered(tmp_path: Path) -> None:
    writing.write_articles(PAIRS, [b"x", b"X", b"x", b"x-2"], Header(), tmp_path / "out")
    assert sorted(name for name in content(tmp_path / "out") if name.endswith(".a")) == [
        "X-2.a",
        "x-2-2.a",
        "x-3.a",
        "x.a",
    ]


def test_a_long_name_is_cut_to_what_file_systems_allow(tmp_path: Path) -> None:
    writing.write_articles(PAIRS, ["é".encode() * 300, "é".encode() * 300], Header(), tmp_path / "out")
    assert len(content(tmp_path / "out")) == 4


@pytest.mark.parametrize("writer", [JOINED, TABLE, PAIRS], ids=["joined", "table", "folder"])
def test_a_failure_leaves_the_target_as_it_was(writer: writing.Writer, tmp_path: Path) -> None:
    for path in (tmp_path / "new", tmp_path / "there"):
        if path.name == "there":
            writing.write_articles(writer, [b"0"], Header(), path)
        before = content(path) if path.is_dir() else path.read_bytes() if path.exists() else None
        with pytest.raises(RuntimeError):
            writing.write_articles(writer, failing(), Header(), path)
        assert before == (content(path) if path.is_dir() else path.read_bytes() if path.exists() else None)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    writing.write_articles(PAIRS, [b"1"], Header(), tmp_path / "out")
    writing.write_articles(PAIRS, [b"2"], Header(), tmp_path / "out")
    assert sorted(content(tmp_path / "out")) == ["2.a", "2.b"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    partial = tmp_path / ".out.0123abcd.partial"
    partial.mkdir()
    (partial / atomic.MARKER).touch()
    (partial / "1.a").write_bytes(b"half")
    writing.write_articles(PAIRS, [b"2"], Header(), tmp_path / "out")
    assert sorted(content(tmp_path / "out")) == ["2.a", "2.b"]
    assert not partial.exists()


def test_a_target_of_the_wrong_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="is a folder, and this format writes one file; name a file"):
        writing.check_target(JOINED, tmp_path)
    with pytest.raises(ConfigurationError, match="is a file; name a folder"):
        writing.check_target(PAIRS, tmp_path / "file")
    with pytest.raises(ConfigurationError, match="writes a folder, not a stream"):
        writing.check_target(PAIRS, None)
    writing.check_target(JOINED, None)


def test_a_folder_with_other_files_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    writing.check_target(PAIRS, tmp_path / "out")
    (tmp_path / "out" / "thesis.docx").write_text("")
    with pytest.raises(ConfigurationError, match=r"is not empty \(it has thesis\.docx\); name a new folder"):
        writing.check_target(PAIRS, tmp_path / "out")


def test_a_record_file_returns_its_records_in_order(tmp_path: Path) -> None:
    with writing.pending(tmp_path) as articles:
        for number in range(3):
            articles.append(json.dumps(number).encode())
        assert list(articles) == list(articles) == [b"0", b"1", b"2"]
