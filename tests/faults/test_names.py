"""Names of inputs: repeated, linked, reserved, and with control characters. None ends a run or stays unmentioned."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from nlmchem.commands.progress import ProgressPrinter
from nlmchem.run.options import Shard


def _pack(path: Path, articles: Any, *names: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number, name in enumerate(names):
            archive.writestr(name, articles.one(number))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("names", "done", "message"),
    [
        (["a.xml", "a.xml", "b.xml"], ["pack/a.xml", "pack/b.xml"], "another member has the same name"),
        (["a.xml", "a.json", "b.xml"], ["pack/a.xml", "pack/b.xml"], "another member has the same name"),
        (["a.xml", "a.xml/b.xml", "c.xml"], ["pack/a.xml", "pack/c.xml"], "would be a file and a folder"),
        (["a.xml/b.xml", "a.xml", "c.xml"], ["pack/a.xml/b.xml", "pack/c.xml"], "would be a file and a folder"),
    ],
)
def test_a_member_whose_name_cannot_be_used_fails_alone(
    names: list[str], done: list[str], message: str, good: Path, articles: Any, annotate: Any,
    undisturbed: dict[str, bytes],
) -> None:  # fmt: skip
    _pack(good / "pack.zip", articles, *names)
    run = annotate(good)
    assert run.counts.failed == 1
    assert sorted(run.tree) == sorted([*undisturbed, *done])
    assert message in str(run.failures()[0]["message"])
    again = annotate(good)
    assert (again.counts.done, again.counts.failed_earlier) == (0, 1)
    (good / "pack.zip").touch()
    assert annotate(good).counts.done == 0


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_that_fail_in_two_archives_of_one_folder_do_not_clash(
    good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    for name in ("one.zip", "two.zip"):
        _pack(good / "sub" / name, articles, "a.xml", "a.xml")
    run = annotate(good)
    assert run.counts.failed == 2
    assert sorted(run.tree) == sorted([*undisturbed, "sub/one/a.xml", "sub/two/a.xml"])
    assert annotate(good).counts.failed_earlier == 2


def test_an_archive_with_a_reserved_name_fails_alone(
    good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    _pack(good / "quarantine.zip", articles, "a.xml", "b.xml")
    run = annotate(good)
    assert run.counts.failed == 2
    assert run.tree == undisturbed
    assert "a name that is reserved for the run" in str(run.failures()[0]["message"])


def _reserved(folder: Path, articles: Any) -> None:
    (folder / "quarantine").mkdir()
    (folder / "quarantine" / "a.xml").write_bytes(articles.one(9))


def _very_long(folder: Path, articles: Any) -> None:
    (folder / f"{'n' * 245}.xml").write_bytes(articles.one(9))


def _not_utf8(folder: Path, articles: Any) -> None:
    (folder / "caf\udce9.xml").write_bytes(articles.one(9))


def _deep(folder: Path, articles: Any) -> None:
    """A path of 4,085 bytes: it can be read, but its output would be in a longer one."""
    here = folder
    while len(str(here)) < 3900:
        here = here / ("d" * 150)
    here.mkdir(parents=True)
    (here / f"{'e' * (4085 - len(str(here)) - len('/.xml'))}.xml").write_bytes(articles.one(9))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (_reserved, "a name that is reserved for the run; rename the input"),
        (_very_long, "longer than 230 bytes; rename the input"),
        (_not_utf8, "is not UTF-8; rename the file"),
        (_deep, "its path is longer than 4000 bytes"),
    ],
)
@pytest.mark.parametrize("as_one", [False, True])
def test_a_file_whose_name_cannot_be_used_fails_alone(
    name: Any, message: str, as_one: bool, good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes],
    tmp_path: Path, nlmchem: Any,
) -> None:  # fmt: skip
    name(good, articles)
    if as_one:
        done = nlmchem("annotate", good, "-o", tmp_path / "out.jsonl", "--json")
        # The name of one output does not depend on the names of its inputs.
        assert json.loads(done.stdout)["failed"] == (name is _not_utf8)
        return
    run = annotate(good)
    assert run.tree == undisturbed
    assert (run.counts.done, run.counts.failed) == (6, 1)
    assert message in str(run.failures()[0]["message"])
    again = annotate(good)
    assert (again.counts.done, again.counts.failed_earlier) == (0, 1)


def test_a_link_to_another_input_is_mentioned(
    good: Path, annotate: Any, capsys: pytest.CaptureFixture[str], undisturbed: dict[str, bytes]
) -> None:
    capsys.readouterr()
    (good / "x-link.xml").symlink_to(good / "a-good.xml")
    assert annotate(good).tree == undisturbed
    printed = capsys.readouterr().err
    assert "1 input is a link to a file that is read anyway, for example" in printed
    assert "x-link.xml (the same file as" in printed
    annotate(good, good / "a-good.xml", out=good.parent / "twice")
    assert capsys.readouterr().err.count("input is a link") == 1


def test_the_first_given_name_of_a_linked_file_is_kept(good: Path, annotate: Any, tmp_path: Path) -> None:
    (good / "a-a-link.xml").symlink_to(good / "a-good.xml")
    assert "a-a-link.xml" in annotate(good).tree


def test_control_characters_of_names_do_not_reach_the_terminal(
    good: Path, annotate: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (good / "b\x1b[31m\nnlmchem: done.xml").write_bytes(b"")
    annotate(good)
    printed = capsys.readouterr().err
    assert "\x1b" not in printed
    assert "b\\x1b[31m\\nnlmchem: done.xml, article 1, read:" in printed


def test_progress_is_printed_without_control_characters() -> None:
    stream = io.StringIO()
    ProgressPrinter(10, stream).message("a\x9b\x07b\u202e")
    assert stream.getvalue() == "a\\x9b\\x07b\\x202e\n"


@pytest.mark.parametrize(
    ("names", "outputs"),
    [
        (("n.xml", "n.json"), ("n.xml.xml", "n.json.xml")),
        (("n.xml", "n.json", "n.xml.xml"), ("n.xml.xml", "n.json.xml", "n.xml.xml.xml")),
        (("n.zip", "n.ZIP"), ("n.zip/1.xml", "n.ZIP/1.xml")),
        (("n.zip", "n/1.xml"), ("n.zip/1.xml", "n/1.xml")),
        (("n.json", "n.xml/m.xml"), ("n.json.xml", "n.xml/m.xml")),
        (("n.xml", "n.xml.zip"), ("n.xml.xml", "n.xml.zip/1.xml")),
    ],
)
def test_inputs_with_one_output_keep_their_suffixes(
    tmp_path: Path, articles: Any, annotate: Any, capsys: pytest.CaptureFixture[str],
    names: tuple[str, ...], outputs: tuple[str, ...],
) -> None:  # fmt: skip
    folder = tmp_path / "in"
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if name.lower().endswith(".zip"):
            _pack(folder / name, articles, "1.xml")
        else:
            (folder / name).write_bytes(articles.one(number))
    run = annotate(folder)
    assert sorted(run.tree) == sorted(outputs)
    assert run.counts.done == len(names)
    assert "because another input would have the same output" in capsys.readouterr().err
    assert annotate(folder).counts.skipped == len(names)
    shards = [annotate(folder, out=tmp_path / "shards", shard=Shard(number, 2)) for number in (1, 2)]
    assert sum(shard.counts.done for shard in shards) == len(names)
    assert shards[1].tree == run.tree


def test_a_file_beside_an_article_does_not_change_its_output(tmp_path: Path, articles: Any, annotate: Any) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.xml").write_bytes(articles.one(1))
    (folder / "a.json").write_text('{"downloaded": "2024"}')
    run = annotate(folder)
    assert (sorted(run.tree), run.counts.unread.forms, run.counts.files_skipped) == (["a.xml"], 1, 0)
