"""The default lexicon: packed in the package, unpacked into the cache."""

from __future__ import annotations

import json
import lzma
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import sieves.lexicon.shipped as shipped
from corpora.errors import ResourceError
from corpora.storage import cache
from corpora.storage.atomic import sha256_of
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.tables import STARTER_NAMES

Names = Callable[[], list[str]]


@pytest.fixture
def pack(mesh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small MeSH in place of the packed lexicon."""
    packed = tmp_path / "package" / "mesh.sqlite.xz"
    packed.parent.mkdir()
    packed.write_bytes(lzma.compress(mesh.read_bytes()))
    with Lexicon.open(mesh) as lexicon:
        unpacked = {"bytes": mesh.stat().st_size, "sha256": sha256_of(mesh)}
        card = {"version": lexicon.version, "year": "2024", "unpacked": unpacked}
    packed.with_name("card.json").write_text(json.dumps(card), "utf-8")
    monkeypatch.setattr(shipped, "PACKED", packed)
    monkeypatch.setattr(shipped, "CARD", packed.with_name("card.json"))
    return packed


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of this test alone."""
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(shipped.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    return tmp_path / "home"


@pytest.fixture
def names(home: Path) -> Names:
    """The files of the cache."""
    return lambda: sorted(path.name for path in (home / shipped.CACHE).iterdir())


def test_it_is_unpacked_once_with_one_line(pack: Path, home: Path, names: Names) -> None:
    lines: list[str] = []
    for _ in range(3):
        with Lexicon.open(report=lines.append) as lexicon:
            assert lexicon.lookup("Ethanol")
    (line,) = lines
    assert line.startswith("unpacking the default lexicon (MeSH), once on this machine: ")
    assert names() == [
        f".checked-{lexicon.version[:16]}",
        ".lock",
        f"mesh-{lexicon.version[:16]}.sqlite",
        "record.json",
    ]


def test_the_cache_lists_and_empties_it(pack: Path, home: Path) -> None:
    Lexicon.open().close()
    (kept,) = cache.contents()
    assert (kept.name, len(kept.files)) == (shipped.CACHE, 1)
    assert cache.empty(shipped.CACHE)[0] > 0
    assert not (home / shipped.CACHE).exists()


def test_it_is_pickled_without_a_path(pack: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker on another machine has a cache of its own."""
    content = pickle.dumps(Lexicon.open(as_of=2020))
    assert str(tmp_path).encode() not in content
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "elsewhere"))
    with pickle.loads(content) as lexicon:
        assert (lexicon.as_of, lexicon.lookup("Promotol")[0].identifier) == (2020, "MESH:C000001")
    assert list((tmp_path / "elsewhere" / shipped.CACHE).glob("mesh-*.sqlite"))


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00", None])
def test_a_file_of_another_version_in_the_cache_is_replaced(pack: Path, home: Path, content: bytes | None) -> None:
    with Lexicon.open() as lexicon:
        file = lexicon.database.path
    size = file.stat().st_size
    file.write_bytes(b"x" * size if content is None else content)
    with Lexicon.open() as lexicon:
        assert lexicon.lookup("Ethanol")
    assert file.stat().st_size == size


def test_leftovers_of_killed_processes_are_removed(pack: Path, home: Path, names: Names) -> None:
    (home / shipped.CACHE).mkdir(parents=True)
    (home / shipped.CACHE / ".mesh-0.sqlite.01234567.tmp").write_bytes(b"half")
    Lexicon.open().close()
    assert [name for name in names() if name.endswith(".tmp")] == []


def _cut(pack: Path) -> None:
    pack.write_bytes(pack.read_bytes()[:-100])


def _flip(pack: Path) -> None:
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 0xFF
    pack.write_bytes(content)


def _shorter(pack: Path) -> None:
    pack.write_bytes(lzma.compress(b"SQLite format 3\x00"))


@pytest.mark.parametrize("spoil", [_cut, _flip, _shorter, Path.unlink, lambda pack: pack.write_bytes(b"")])
def test_a_broken_package_gives_an_error_of_one_sentence_and_leaves_nothing(
    pack: Path, home: Path, names: Names, spoil: Callable[[Path], object]
) -> None:
    spoil(pack)
    with pytest.raises(ResourceError, match=r"^the packed lexicon at .* is broken .*; install nlmchem again$") as error:
        Lexicon.open()
    assert "\n" not in str(error.value)
    assert not [name for name in names() if name not in (".lock", "record.json")]


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", None])
def test_a_broken_card_gives_an_error_of_one_sentence(pack: Path, home: Path, content: bytes | None) -> None:
    if content is None:
        shipped.CARD.unlink()
    else:
        shipped.CARD.write_bytes(content)
    with pytest.raises(ResourceError, match=r"^the card of the default lexicon at .*; install nlmchem again$"):
        Lexicon.open()


def test_without_a_cache_folder_that_can_be_written_a_temporary_folder_is_used(
    pack: Path, home: Path, tmp_path: Path
) -> None:
    home.write_text("a file, not a folder")
    for expected in (2, 1):
        lines: list[str] = []
        with Lexicon.open(report=lines.append) as lexicon:
            assert lexicon.lookup("Ethanol")
            assert lexicon.database.path.is_relative_to(tmp_path / "tmp")
        assert lines[0].startswith("the cache folder cannot be written (Not a directory); using ")
        assert len(lines) == expected


def test_without_a_home_a_temporary_folder_is_used(
    pack: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("NLMCHEM_HOME")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with Lexicon.open() as lexicon:
        assert lexicon.database.path.is_relative_to(tmp_path / "tmp")


def test_a_temporary_folder_that_others_can_write_is_refused(pack: Path, home: Path, tmp_path: Path) -> None:
    home.write_text("a file, not a folder")
    folder = tmp_path / "tmp" / f"nlmchem-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(ResourceError, match="can be written by other users; set NLMCHEM_HOME to a writable folder"):
        Lexicon.open()


def test_without_any_folder_that_can_be_written_the_error_says_what_to_do(
    pack: Path, home: Path, tmp_path: Path
) -> None:
    home.write_text("a file, not a folder")
    (tmp_path / "tmp").rmdir()
    with pytest.raises(ResourceError, match=r"^neither the cache folder nor .* set NLMCHEM_HOME to a writable folder$"):
        Lexicon.open()


# -- the package itself -------------------------------------------------------------------------


def test_the_packed_lexicon_was_built_with_the_starter_names_of_the_package() -> None:
    card = json.loads(shipped.CARD.read_text("utf-8"))
    assert card["inputs"]["sieves/lexicon/starter.tsv"] == sha256_of(STARTER_NAMES)
    assert card["packed"] == {
        "file": shipped.PACKED.name, "bytes": shipped.PACKED.stat().st_size, "sha256": sha256_of(shipped.PACKED),
    }  # fmt: skip


def test_the_packed_lexicon_is_small_enough_for_the_wheel() -> None:
    assert shipped.PACKED.stat().st_size < 25_000_000


def test_the_default_lexicon_has_all_of_mesh() -> None:
    with Lexicon.open() as lexicon:
        counts = lexicon.database.counts()
        assert sum(counts[kind] for kind in ("chemicals", "other substances", "other concepts")) > 350_000
        assert lexicon.lookup("Gemcitabine")[0].identifier == "MESH:D000093542"
        assert lexicon.elsewhere("Breast Cancer")[0].identifier == "MESH:D001943"
    with Lexicon.open(as_of=2021) as then:
        assert then.lookup("gemcitabine")[0].identifier == "MESH:C056507"


def test_lexicons_of_a_process_map_the_file_once_until_the_last_is_closed(pack: Path, home: Path) -> None:
    first, second = Lexicon.open(), Lexicon.open()
    assert first.database._connection is second.database._connection
    first.close()
    first.close()
    assert second.lookup("Ethanol"), "it was closed by one of two users, twice"
    second.close()
    with Lexicon.open() as third:
        assert third.database._connection is not second.database._connection
        assert third.lookup("Ethanol")
