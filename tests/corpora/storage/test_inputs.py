"""The files that the user names: paths, folders, globs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpora.errors import ConfigurationError
from corpora.storage import inputs
from corpora.storage.members import members


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def expanded(*names: Path | str, exclude: Path | None = None) -> list[str]:
    return [str(file.relative) for file in inputs.expand([str(name) for name in names], exclude)]


def test_a_folder_is_walked_in_order_without_hidden_files(tmp_path: Path) -> None:
    make(tmp_path, "b.xml", "a/2.xml", "a/10.xml", ".hidden.xml", ".git/x.xml", "c/d/e.xml")
    assert expanded(tmp_path) == ["b.xml", "a/10.xml", "a/2.xml", "c/d/e.xml"]


def test_a_hidden_file_that_the_user_names_is_read(tmp_path: Path) -> None:
    make(tmp_path, ".hidden.xml")
    assert expanded(tmp_path / ".hidden.xml") == [".hidden.xml"]


def test_links_are_followed_but_circles_are_not(tmp_path: Path) -> None:
    make(tmp_path, "real/a.xml", "other/b.xml")
    (tmp_path / "real" / "link.xml").symlink_to(tmp_path / "other" / "b.xml")
    (tmp_path / "real" / "folder").symlink_to(tmp_path / "other")
    (tmp_path / "real" / "circle").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "gone.xml").symlink_to(tmp_path / "nowhere")
    assert expanded(tmp_path / "real") == ["a.xml", "gone.xml", "link.xml", "folder/b.xml"]


def test_the_output_folder_is_not_an_input(tmp_path: Path) -> None:
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
def test_a_glob_keeps_paths_below_its_fixed_part(tmp_path: Path, pattern: str, found: list[str]) -> None:
    make(tmp_path, "a.xml", "b/c.xml", "b/d/e.xml")
    assert expanded(tmp_path / pattern) == found


@pytest.mark.parametrize("name", ["nothing.xml", "*.json", "fold*"])
def test_a_name_without_a_file_is_refused_before_any_file_is_read(tmp_path: Path, name: str) -> None:
    make(tmp_path, "folder/a.xml")
    with pytest.raises(ConfigurationError, match="no file"):
        inputs.expand([str(tmp_path / "folder"), str(tmp_path / name)])


def test_an_existing_file_with_a_name_like_a_glob_is_that_file(tmp_path: Path) -> None:
    make(tmp_path, "a[1].xml", "a1.xml")
    assert expanded(tmp_path / "a[1].xml") == ["a[1].xml"]


def test_links_that_lead_nowhere_are_inputs_that_fail_one_by_one(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    (tmp_path / "circle.txt").symlink_to("circle.txt")
    (tmp_path / "circle.ann").symlink_to("circle.ann")
    (tmp_path / "long.txt").symlink_to("n" * 300)
    assert expanded(tmp_path) == ["a.txt", "circle.ann", "circle.txt", "long.txt"]
    assert sorted(expanded(tmp_path / "*.txt")) == ["a.txt", "circle.txt", "long.txt"]
    faults = {
        file.relative.name: [member.fault for member, _ in members(file)] for file in inputs.expand([str(tmp_path)])
    }
    assert faults["a.txt"] == [None]
    assert all(fault is not None for name in ("circle.ann", "circle.txt", "long.txt") for fault in faults[name])


def test_a_folder_that_cannot_be_listed_is_one_input_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.txt", "closed/b.txt", "z/c.txt")
    listed = os.scandir

    def refusing(path: str | Path) -> Iterator[os.DirEntry[str]]:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert expanded(tmp_path) == ["a.txt", "closed", "z/c.txt"]
    (closed,) = (file for file in inputs.expand([str(tmp_path)]) if file.relative.name == "closed")
    ((member, _),) = members(closed)
    assert member.fault == "there is no permission to read it; change its permissions and run again"
    with pytest.raises(ConfigurationError, match="closed cannot be listed: Permission denied; check the path"):
        expanded(tmp_path / "closed")


class Listed(list[str]):
    """Names that must not be searched for each of them."""

    def __contains__(self, name: object) -> bool:
        raise AssertionError("searched")


def test_both_files_of_an_article_that_a_shell_lists_are_one_input_found_in_linear_time(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "a.ann", "b.ann", "b.txt", "c.ann")
    names = Listed(str(tmp_path / name) for name in ("a.ann", "a.txt", "b.ann", "c.ann"))
    found = [str(file.relative) for file in inputs.expand(names)]
    assert found == ["a.txt", "b.txt", "c.ann"]


@pytest.mark.parametrize(
    "content", [b"a.xml\nb c.xml\n", b"\xef\xbb\xbfa.xml\r\nb c.xml\r\n\r\n", b"a.xml\0b c.xml\0", b"a.xml\nb c.xml"]
)
def test_a_list_of_files_has_a_name_in_each_line_or_before_each_null_byte(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "list").write_bytes(content)
    assert inputs.names_in(str(tmp_path / "list")) == ("a.xml", "b c.xml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n", "has no names; write"),
        (b"a.xml\n-\n", "has the name -, which is not the name of a file; write"),
        (None, "cannot be read: No such"),
    ],
)
def test_a_list_without_names_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "list").write_bytes(content)
    with pytest.raises(ConfigurationError, match=message):
        inputs.names_in(str(tmp_path / "list"))
