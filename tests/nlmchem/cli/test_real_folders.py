"""Folders as users have them: pictures and PDFs beside articles, plain text, articles with mentions."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import corpora

Nlmchem = Callable[..., tuple[int, str, str]]
FAST = ("--lexicon", "starter", "--tagger", "lexicon", "--steps", "tag,normalize", "--workers", 1)
PUBTATOR = "{0}|t|Glucose in water\n{0}|a|\n{1}\n"
MENTION = "{}\t0\t7\tGlucose\tChemical\tMESH:D005947\n"


def piped(content: bytes) -> io.TextIOWrapper:
    """Standard input with a content."""
    return io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package of PMC: an article, its PDF and pictures, a README."""
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.pubtator").write_text(PUBTATOR.format(1, ""), "utf-8")
    (folder / "sub" / "b.txt").write_text("Rats were given ethanol.\n", "utf-8")
    (folder / "sub" / "a.pdf").write_bytes(b"%PDF-1.4 \x00")
    (folder / "figure.jpg").write_bytes(b"\xff\xd8\xff\x00")
    (folder / "README.md").write_text("Articles", "utf-8")
    return folder


def test_files_that_no_format_claims_are_counted_and_are_no_failures(
    run: Nlmchem, folder: Path, tmp_path: Path
) -> None:
    code, printed, messages = run("annotate", folder, "-o", tmp_path / "out", *FAST)
    assert (code, printed.partition(";")[0]) == (0, "done 2 + failed 0 + skipped 0 = 2 articles")
    assert messages.count("3 files were skipped, because the content has no format that is read") == 1
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["files_without_format"] == {
        "number": 3, "first": [str(folder / name) for name in ("README.md", "figure.jpg", "sub/a.pdf")]
    }  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "out").rglob("*.xml")) == ["a.xml", "b.xml"]
    code, printed, _ = run("annotate", folder, "-o", tmp_path / "out", *FAST, "--json")
    assert code == 0
    stated = json.loads(printed)
    assert {key: stated[key] for key in ("input", "done", "failed", "skipped", "mentions", "files_skipped")} == {
        "input": 2, "done": 0, "failed": 0, "skipped": 2, "mentions": 3, "files_skipped": 3,
    }  # fmt: skip


def test_a_damaged_article_still_fails(run: Nlmchem, folder: Path, tmp_path: Path) -> None:
    (folder / "c.nxml").write_text("<html>not found</html>", "utf-8")
    assert run("annotate", folder, "-o", tmp_path / "out", *FAST)[0] == 3


def test_inputs_without_any_article_are_refused_before_any_work(run: Nlmchem, folder: Path, tmp_path: Path) -> None:
    code, _, message = run("annotate", folder / "figure.jpg", folder / "sub" / "a.pdf", "-o", tmp_path / "out", *FAST)
    assert code == 2
    assert "no input has a format that is read; the first, " in message
    code, _, message = run("annotate", folder, "-o", tmp_path / "out", *FAST, "--include", "*.nxml")
    assert code == 2
    assert "--include and --exclude select none of the files" in message


def test_include_exclude_and_quiet(run: Nlmchem, folder: Path, tmp_path: Path) -> None:
    given = ("annotate", folder, "-o", tmp_path / "out", *FAST, "--quiet")
    assert run(*given, "--include", "*.txt", "--include", "*.pdf", "--exclude", "*.pdf") == (0, "", "")
    assert [path.name for path in (tmp_path / "out").rglob("*.xml")] == ["b.xml"]


def test_lines_of_standard_input_are_articles(run: Nlmchem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", piped(b"glucose\n\nwater\n"))
    assert run("annotate", "-", "--lines", "-o", tmp_path / "all.jsonl", *FAST)[0] == 0
    assert [document.id for document in corpora.read(tmp_path / "all.jsonl")] == ["stdin-1", "stdin-3"]


def test_articles_with_mentions_fail_and_the_remedy_works(run: Nlmchem, folder: Path, tmp_path: Path) -> None:
    (folder / "c.pubtator").write_text(PUBTATOR.format(2, MENTION.format(2)), "utf-8")
    (folder / "d.pubtator").write_text(PUBTATOR.format(3, MENTION.format(3)), "utf-8")
    given = ("annotate", folder, "-o", tmp_path / "out", *FAST)
    code, printed, message = run(*given)
    assert (code, printed.partition(";")[0]) == (3, "done 2 + failed 2 + skipped 0 = 4 articles")
    assert f"2 of 4 articles already have mentions and failed (the first: {folder / 'c.pubtator'})" in message
    assert "--existing replace and another output folder (they are removed first)" in message
    assert "(existing differs)" in run(*given, "--existing", "replace")[2]
    other = ("annotate", folder / "c.pubtator", "-o", tmp_path / "other", *FAST)
    assert run(*other, "--existing", "replace")[0] == 0


def test_where_all_articles_have_mentions_the_remedy_needs_no_other_folder(
    run: Nlmchem, folder: Path, tmp_path: Path
) -> None:
    (folder / "c.pubtator").write_text(PUBTATOR.format(2, MENTION.format(2)), "utf-8")
    given = ("annotate", folder / "c.pubtator", "-o", tmp_path / "out", *FAST)
    code, _, message = run(*given)
    assert code == 3
    assert "1 of 1 article already have mentions and failed" in message
    assert "another output folder" not in message
    assert run(*given, "--existing", "keep")[0] == 0


def test_a_run_without_any_result_does_not_block_another_configuration(
    run: Nlmchem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard input is read once, so its mentions are found during the run."""
    raw = PUBTATOR.format(2, MENTION.format(2)).encode()
    for more, code in (((), 3), (("--existing", "replace"), 0)):
        monkeypatch.setattr(sys, "stdin", piped(raw))
        assert run("annotate", "-", "-o", tmp_path / "out", *FAST, *more)[0] == code


def test_convert_writes_folders(run: Nlmchem, folder: Path, tmp_path: Path) -> None:
    assert run("convert", folder, tmp_path / "new", "--format", "jsonl", "--quiet")[0] == 0
    assert sorted(path.name for path in (tmp_path / "new").rglob("*.jsonl")) == ["a.jsonl", "b.jsonl"]
    code, _, message = run("convert", folder, tmp_path / "new")
    assert code == 2
    assert "name the format of its files with --format" in message


def test_answers_for_programs(run: Nlmchem, folder: Path, tmp_path: Path) -> None:
    _, printed, _ = run("convert", folder, tmp_path / "all.json", "--json")
    counts = json.loads(printed)
    assert (counts["done"], counts["failed"], counts["out"]) == (2, 0, str(tmp_path / "all.json"))
    # The articles are on standard output, so the counts are a message.
    code, articles, message = run("convert", folder, "-", "--format", "jsonl", "--json")
    assert (code, len(articles.splitlines())) == (0, 2)
    assert '"done": 2' in message
    _, printed, _ = run("abbreviations", folder)
    assert printed.splitlines()[0].split("\t")[:3] == ["document", "short_form", "long_form"]
