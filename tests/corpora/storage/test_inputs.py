"""What the user names becomes open streams: files, folders, globs, archives, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from corpora.errors import ConfigurationError, InputError
from corpora.storage import inputs
from corpora.storage.inputs import InputFile


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def expanded(*names: Path | str, exclude: Path | None = None) -> list[str]:
    return [str(file.relative) for file in inputs.expand([str(name) for name in names], exclude)]


def contents(path: Path | str) -> dict[str, bytes | str]:
    """What each member holds, or why it cannot be read."""
    found: dict[str, bytes | str] = {}
    for member, stream in inputs.members(InputFile(str(path), PurePosixPath(Path(path).name))):
        found[str(member.relative)] = member.fault or stream.read()
    return found


# -- names --------------------------------------------------------------------------------------


def test_a_folder_is_walked_in_order_without_what_is_hidden(tmp_path: Path) -> None:
    make(tmp_path, "b.xml", "a/2.xml", "a/10.xml", ".hidden.xml", ".git/x.xml", "c/d/e.xml")
    assert expanded(tmp_path) == ["b.xml", "a/10.xml", "a/2.xml", "c/d/e.xml"]


def test_a_file_named_by_the_user_is_taken_even_if_hidden(tmp_path: Path) -> None:
    make(tmp_path, ".hidden.xml")
    assert expanded(tmp_path / ".hidden.xml") == [".hidden.xml"]


def test_links_are_followed_and_circles_are_not(tmp_path: Path) -> None:
    make(tmp_path, "real/a.xml", "other/b.xml")
    (tmp_path / "real" / "link.xml").symlink_to(tmp_path / "other" / "b.xml")
    (tmp_path / "real" / "folder").symlink_to(tmp_path / "other")
    (tmp_path / "real" / "circle").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "gone.xml").symlink_to(tmp_path / "nowhere")
    assert expanded(tmp_path / "real") == ["a.xml", "gone.xml", "link.xml", "folder/b.xml"]
    with pytest.raises(InputError, match="not there any more"):
        contents(tmp_path / "real" / "gone.xml")


def test_the_output_folder_is_no_input(tmp_path: Path) -> None:
    make(tmp_path, "a.xml", "out/a.xml")
    assert expanded(tmp_path, exclude=tmp_path / "out") == ["a.xml"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.xml", ["a.xml"]),
        ("**/*.xml", ["a.xml", "b/c.xml", "b/d/e.xml"]),
        ("b/*", ["c.xml"]),
        ("[b]/**", ["b/c.xml", "b/d/e.xml"]),
    ],
)
def test_a_glob_names_files_below_its_fixed_part(tmp_path: Path, pattern: str, found: list[str]) -> None:
    make(tmp_path, "a.xml", "b/c.xml", "b/d/e.xml")
    assert expanded(tmp_path / pattern) == found


@pytest.mark.parametrize("name", ["nothing.xml", "*.json", "fold*"])
def test_a_name_that_names_no_file_is_refused_before_any_work(tmp_path: Path, name: str) -> None:
    make(tmp_path, "folder/a.xml")
    with pytest.raises(ConfigurationError, match="no file"):
        inputs.expand([str(tmp_path / "folder"), str(tmp_path / name)])


def test_a_file_whose_name_looks_like_a_glob_is_that_file(tmp_path: Path) -> None:
    make(tmp_path, "a[1].xml", "a1.xml")
    assert expanded(tmp_path / "a[1].xml") == ["a[1].xml"]


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    (os.mkfifo if kind == "pipe" else os.mkdir)(tmp_path / "x")
    with pytest.raises(InputError, match=r"named pipe|no regular file"):
        contents(tmp_path / "x")


# -- compression --------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_compression_is_told_by_content(tmp_path: Path, pack: object) -> None:
    (tmp_path / "a.xml.gz").write_bytes(pack(b"text"))  # type: ignore[operator]
    (tmp_path / "wrong.txt").write_bytes(pack(b"text"))  # type: ignore[operator]
    assert contents(tmp_path / "a.xml.gz") == {"a.xml": b"text"}
    assert contents(tmp_path / "wrong.txt") == {"wrong.txt": b"text"}


def test_a_file_that_only_calls_itself_compressed_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.xml.gz").write_bytes(b"<plain/>")
    assert contents(tmp_path / "a.xml.gz") == {"a.xml.gz": b"<plain/>"}


def test_several_compressed_files_in_one_are_read_to_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one ") + gzip.compress(b"two"))
    assert contents(tmp_path / "a.gz") == {"a": b"one two"}


# -- archives -----------------------------------------------------------------------------------


def tar(entries: dict[str, bytes], mode: str = "w") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def zipped(entries: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return packed.getvalue()


ENTRIES = {"b.xml": b"b", "folder/a.xml": b"a", "./c.xml": b"c"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.tar", tar(ENTRIES)),
        ("x.tar.gz", tar(ENTRIES, "w:gz")),
        ("x.tgz", tar(ENTRIES, "w:gz")),
        ("x.tar.xz", tar(ENTRIES, "w:xz")),
        ("x.zip", zipped(ENTRIES)),
    ],
)
def test_members_of_an_archive_come_in_its_order(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    assert contents(tmp_path / name) == {"x/b.xml": b"b", "x/folder/a.xml": b"a", "x/c.xml": b"c"}


@pytest.mark.parametrize("pack", [tar, zipped], ids=["tar", "zip"])
def test_names_that_lead_out_of_an_archive_are_faults(tmp_path: Path, pack: object) -> None:
    names = ["../up.xml", "/root.xml", "a/../../u2.xml", "C:\\x.xml", "..\\u3.xml", "ok/Ä β\n.xml", "10.1000:a.xml"]
    (tmp_path / "x").write_bytes(pack(dict.fromkeys(names, b"ok")))  # type: ignore[operator]
    found = list(contents(tmp_path / "x").values())
    assert ["leads out of the archive" in str(content) for content in found] == [True] * 5 + [False] * 2
    for file in contents(tmp_path / "x"):
        assert ".." not in PurePosixPath(file).parts
        assert not file.startswith("/")


def test_hidden_members_and_folders_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(tar({".a": b"", "._b.xml": b"", ".git/c": b"", "__MACOSX/d": b"", "e.xml": b"e"}))
    assert contents(tmp_path / "x") == {"x/e.xml": b"e"}


def test_links_and_devices_in_an_archive_are_faults(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, kind in (
            ("a", tarfile.SYMTYPE),
            ("b", tarfile.LNKTYPE),
            ("c", tarfile.CHRTYPE),
            ("d", tarfile.DIRTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    (tmp_path / "x").write_bytes(packed.getvalue())
    found = contents(tmp_path / "x")
    assert list(found) == ["x/a", "x/b", "x/c"]
    assert all("link or a device" in str(content) for content in found.values())


@pytest.mark.parametrize("pack", [tar, zipped], ids=["tar", "zip"])
def test_compressed_members_are_read_and_archives_in_archives_are_not(tmp_path: Path, pack: object) -> None:
    inner = {
        "a.xml.gz": gzip.compress(b"a"),
        "b.zip": zipped(ENTRIES),
        "c.tar.gz": gzip.compress(tar(ENTRIES)),
        "d": b"d",
    }
    (tmp_path / "x").write_bytes(pack(inner))  # type: ignore[operator]
    found = contents(tmp_path / "x")
    assert (found["x/a.xml"], found["x/d"]) == (b"a", b"d")
    assert sum("archive inside an archive" in str(content) for content in found.values()) == 2


def test_an_encrypted_or_damaged_member_costs_itself_alone(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.xml": b"a" * 100, "b.xml": b"b", "c.xml": b"c"}))
    for header in (b"PK\x03\x04", b"PK\x01\x02"):
        place = data.find(header) + (6 if header == b"PK\x03\x04" else 8)
        data[place] |= 1  # the flag that says: encrypted
    (tmp_path / "x.zip").write_bytes(data)
    found = contents(tmp_path / "x.zip")
    assert "cannot be unpacked" in str(found["x/a.xml"])
    assert (found["x/b.xml"], found["x/c.xml"]) == (b"b", b"c")


@pytest.mark.parametrize("share", [0.35, 0.65, 0.95])
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_an_archive_that_breaks_off_gives_what_stands_before(tmp_path: Path, share: float, mode: str) -> None:
    whole = tar({f"{n}.xml": os.urandom(3000) for n in range(5)}, mode)
    used = len(whole) if mode == "w:gz" else 5 * (512 + 3072)
    (tmp_path / "x").write_bytes(whole[: int(used * share)])
    whole_members = 0

    def read() -> None:
        nonlocal whole_members
        for _, stream in inputs.members(InputFile(str(tmp_path / "x"), PurePosixPath("x"))):
            try:
                stream.read()
            except inputs.READ_FAULTS:
                continue
            whole_members += 1

    with pytest.raises(InputError, match="cannot be read"):
        read()
    assert whole_members >= int(5 * share) - 1


# Names of cases are given where data hold the time of day: two processes must collect the same ones.
@pytest.mark.parametrize("data", [b"PK\x03\x04nonsense", zipped(ENTRIES)[:80]], ids=["nonsense", "cut off"])
def test_a_broken_zip_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(InputError, match="cannot be read"):
        contents(tmp_path / "x")


# -- standard input -----------------------------------------------------------------------------


class Slow(io.RawIOBase):
    """A pipe that gives a byte at a time."""

    def __init__(self, data: bytes) -> None:
        self._left = data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        chunk, self._left = self._left[:1], self._left[1:]
        buffer[: len(chunk)] = chunk
        return len(chunk)


@pytest.mark.parametrize(
    "data",
    [b"plain", b"", b"x" * 600, gzip.compress(b"packed"), tar(ENTRIES, "w:gz"), tar(ENTRIES)],
    ids=["plain", "empty", "long", "gz", "tar.gz", "tar"],
)
def test_standard_input_may_come_a_byte_at_a_time(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Slow(data))))
    found = contents("-")
    if b"ustar" in data or (data[:2] == b"\x1f\x8b" and len(data) > 60):
        assert list(found.values()) == [b"b", b"a", b"c"]
    else:
        assert list(found.values()) == [gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data]


def test_a_zip_on_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Slow(zipped(ENTRIES)))))
    with pytest.raises(InputError, match="zip archive cannot be read from a pipe"):
        contents("-")
