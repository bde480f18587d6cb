"""Paths that are refused before any work, and paths that are odd but can be read."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path
from typing import Any

GOOD = 6
"""Articles of the fixture `good`."""


def _refused(run: subprocess.CompletedProcess[str], *words: str) -> None:
    assert run.returncode == 2, run.stderr
    assert run.stderr.count("\n") == 1
    for word in words:
        assert word in run.stderr


def test_the_same_name_in_two_folders_is_refused_before_any_work(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path, tree_of: Any
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a-good.xml").write_bytes(articles.one(1))
    run = nlmchem("annotate", good, tmp_path / "other", "-o", tmp_path / "out")
    _refused(run, "would both be written to a-good.xml; rename one")
    assert tree_of(tmp_path / "out") == {}


def test_a_file_and_a_folder_of_one_name_in_two_folders_are_refused_before_any_work(
    articles: Any, nlmchem: Any, tmp_path: Path
) -> None:
    for name in ("x/a/1.xml", "y/a.zip/1.xml"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(articles.one(1))
    with zipfile.ZipFile(tmp_path / "x" / "a.zip", "w") as archive:
        archive.writestr("1.xml", articles.one(1))
    run = nlmchem("annotate", tmp_path / "x", tmp_path / "y", "-o", tmp_path / "out")
    _refused(run, "x/a.zip: a would be the name of an output and of a folder; rename one input")


def test_the_input_folder_cannot_be_the_output_folder(good: Path, nlmchem: Any) -> None:
    _refused(nlmchem("annotate", good, "-o", good), "which is one of the inputs")


def test_no_input_is_overwritten(good: Path, nlmchem: Any) -> None:
    before = (good / "a-good.xml").read_bytes()
    _refused(nlmchem("annotate", good / "a-good.xml", "-o", good), "would overwrite an input")
    assert (good / "a-good.xml").read_bytes() == before


def test_no_output_is_written_through_a_link_below_the_output_folder(
    tmp_path: Path, articles: Any, nlmchem: Any
) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "a.xml").write_bytes(articles.one(1))
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "a.xml").write_bytes(b"of the user")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sub").symlink_to("../victim")
    _refused(nlmchem("annotate", tmp_path / "in", "-o", tmp_path / "out"), "out/sub is a link")
    assert (tmp_path / "victim" / "a.xml").read_bytes() == b"of the user"


def test_an_input_with_the_name_of_the_manifest_fails_alone(tmp_path: Path, articles: Any, annotate: Any) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "manifest.xml").write_bytes(articles.one(1))
    run = annotate(tmp_path / "in", format="biocjson")
    assert run.counts.failed == 1
    assert "a name that is reserved for the run" in str(run.failures()[0]["message"])


def test_an_output_folder_inside_the_input_folder_is_not_read(
    good: Path, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    for _ in range(2):
        run = annotate(good, out=good / "annotated")
        assert run.counts.articles == GOOD
    assert run.tree == undisturbed


def test_an_input_folder_inside_the_output_folder_is_read_with_its_subfolders(
    good: Path, annotate: Any, tmp_path: Path
) -> None:
    assert annotate(good, out=tmp_path).counts.done == GOOD
    assert annotate(Path(f"{good}/**/*.xml"), out=tmp_path / "in" / "..", retry_failed=True).counts.articles == 4


def test_folders_behind_links_are_read_once(good: Path, annotate: Any, tmp_path: Path) -> None:
    (good / "round").symlink_to(good)
    elsewhere = tmp_path / "elsewhere"
    (good / "sub").rename(elsewhere)
    (good / "sub").symlink_to(elsewhere)
    assert annotate(good).counts.done == GOOD


def test_pipes_and_devices_are_named_and_do_not_block_the_run(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any
) -> None:
    import os

    os.mkfifo(good / "pipe.xml")
    (good / "zero.xml").symlink_to("/dev/zero")
    run = nlmchem("annotate", good, "-o", tmp_path / "out", "--workers", 1)
    assert run.returncode == 3
    assert "pipe.xml, article 1, read: it is a named pipe" in run.stderr
    assert "zero.xml, article 1, read: it is not a regular file" in run.stderr
    assert tree_of(tmp_path / "out") == undisturbed


def test_a_failed_command_leaves_no_configuration_behind(good: Path, nlmchem: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _refused(nlmchem("annotate", tmp_path / "typo", "-o", out, "--format", "biocjson"), "no file or folder")
    assert nlmchem("annotate", good, "-o", out, "--workers", 1).returncode == 0
