"""`annotate` and `convert` write short forms into tables with `--with-abbreviations` only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Nlmchem = Callable[..., tuple[int, str, str]]
GIVEN = ("--tagger", "lexicon", "--lexicon", "starter", "--steps", "abbreviate,tag,normalize")


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text("Cells with abscisic acid (ABA); zinc and ABA act.\n", "utf-8")
    return folder


def short_forms(table: str) -> list[tuple[str, str]]:
    """The texts and the long forms of the rows of short forms."""
    head, *rows = [line.split("\t") for line in table.splitlines()]
    columns = [head.index(name) for name in ("text", "long_form") if name in head]
    return [tuple(row[at] for at in columns) for row in rows if row[head.index("type")] == "ABBR"]


def test_annotate_writes_short_forms_on_demand_for_any_number_of_workers(
    run: Nlmchem, articles: Path, tmp_path: Path
) -> None:
    assert run("annotate", articles, "-o", tmp_path / "a.tsv", *GIVEN)[0] == 0
    assert short_forms((tmp_path / "a.tsv").read_text("utf-8")) == []
    tables = []
    for workers in (1, 2):
        out = tmp_path / f"{workers}.tsv"
        assert run("annotate", articles, "-o", out, *GIVEN, "--with-abbreviations", "--workers", workers)[0] == 0
        tables.append(out.read_bytes())
    assert tables[0] == tables[1]
    assert short_forms(tables[0].decode()) == [("ABA", "abscisic acid")] * 6
    out = tmp_path / "folder"
    assert run("annotate", articles, "-o", out, "--format", "tsv", *GIVEN, "--with-abbreviations")[0] == 0
    assert short_forms((out / "0.tsv").read_text("utf-8")) == [("ABA", "abscisic acid")] * 2


def test_a_folder_is_not_continued_with_and_without_them(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    given = ("annotate", articles, "-o", tmp_path / "out", "--format", "tsv", *GIVEN)
    assert run(*given)[0] == 0
    code, _, told = run(*given, "--with-abbreviations")
    assert code == 2
    assert "--restart" in told


def test_convert_writes_short_forms_on_demand(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    assert run("annotate", articles, "-o", tmp_path / "all.xml", *GIVEN)[0] == 0
    code, printed, told = run("convert", tmp_path / "all.xml", "-", "--format", "tsv")
    assert (code, short_forms(printed)) == (0, [])
    assert "annotations of abbreviations (9) were left out; TSV has them with --with-abbreviations" in told
    code, printed, _ = run("convert", tmp_path / "all.xml", "-", "--format", "tsv", "--with-abbreviations")
    assert (code, short_forms(printed)) == (0, [("ABA", "abscisic acid")] * 6)
    (tmp_path / "each").mkdir()
    assert run("convert", tmp_path / "all.xml", tmp_path / "each", "--format", "tsv", "--with-abbreviations")[0] == 0
    assert short_forms((tmp_path / "each" / "all.tsv").read_text("utf-8")) == [("ABA", "abscisic acid")] * 6


@pytest.mark.parametrize("command", [("annotate", "-o"), ("convert",)])
def test_other_formats_are_refused_in_one_sentence(
    run: Nlmchem, articles: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    name, *before_target = command
    code, _, told = run(name, articles, *before_target, tmp_path / "a.xml", "--with-abbreviations")
    sentence = (
        "nlmchem: --with-abbreviations is for the formats pubtator, tsv, csv; it is not for biocxml; leave it out\n"
    )
    assert (code, told) == (2, sentence)
    assert not (tmp_path / "a.xml").exists()
